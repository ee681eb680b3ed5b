// LangChain's model for hosts that speak OpenAI's protocol.

import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import {
  agentTools, apiKey, baseURL, main, model, mostTurns, pingTools, weatherTools, words,
} from "./use.mjs";

const chat = new ChatOpenAI({ model, apiKey, configuration: { baseURL } });

const numbers = (usage) => usage && {
  prompt: usage.input_tokens,
  completion: usage.output_tokens,
  reasoning: usage.output_token_details?.reasoning ?? null,
  cached: usage.input_token_details?.cache_read ?? null,
};

async function plain(saw) {
  const answer = await chat.invoke(words.question);
  saw.text = answer.text;
  saw.finish = answer.response_metadata.finish_reason;
  return answer;
}

async function read(saw, runnable, messages) {
  Object.assign(saw, { text: "", pieces: 0, stream_reasoning: "" });
  let whole;
  for await (const chunk of await runnable.stream(messages)) {
    whole = whole === undefined ? chunk : whole.concat(chunk);
    saw.text += chunk.text;
    saw.pieces += chunk.text ? 1 : 0;
    saw.stream_reasoning += chunk.additional_kwargs?.reasoning_content ?? "";
    saw.finish = chunk.response_metadata?.finish_reason ?? saw.finish;
  }
  saw.stream_usage = numbers(whole?.usage_metadata);
  return whole;
}

const stream = (saw) => read(saw, chat, words.question);

async function reasoning(saw) {
  const answer = await plain(saw);
  saw.reasoning = answer.additional_kwargs?.reasoning_content ?? null;
  await stream(saw);
}

async function usage(saw) {
  const answer = await plain(saw);
  saw.usage = numbers(answer.usage_metadata);
  await stream(saw);
}

async function loop(saw, question, tools, streamed) {
  const made = new Map(
    tools.map(({ name, description, schema, run }) => [
      name, tool(async (given) => run(given), { name, description, schema }),
    ]),
  );
  const bound = chat.bindTools([...made.values()]);
  const messages = [new HumanMessage(question)];
  for (let turn = 0; turn < mostTurns; turn += 1) {
    const said = streamed ? await read(saw, bound, messages) : await bound.invoke(messages);
    saw.text = said.text;
    messages.push(said);
    if (!said.tool_calls?.length) return;
    for (const call of said.tool_calls) messages.push(await made.get(call.name).invoke(call));
  }
}

async function structured(saw) {
  const { question, name, schema } = words.structured;
  saw.parsed = await chat.withStructuredOutput(schema, { name }).invoke(question);
}

async function image(saw) {
  const { question, url } = words.image;
  const answer = await chat.invoke([
    new HumanMessage({
      content: [{ type: "text", text: question }, { type: "image_url", image_url: { url } }],
    }),
  ]);
  saw.text = answer.text;
}

await main({
  plain,
  stream,
  reasoning,
  usage,
  structured,
  image,
  stream_usage: stream,
  ping: (saw) => loop(saw, words.ping.question, pingTools, true),
  tools: (saw) => loop(saw, words.weather.question, weatherTools, false),
  stream_tools: (saw) => loop(saw, words.weather.question, weatherTools, true),
  agent: (saw) => loop(saw, words.agent.task, agentTools, true),
});
