// The official SDK for JavaScript: its client, its stream, its parser and its runner of tools.

import OpenAI from "openai";
import {
  agentTools, apiKey, baseURL, main, model, mostTurns, numbers, pingTools, weatherTools, words,
} from "./use.mjs";

const client = new OpenAI({ baseURL, apiKey });
const asked = (content = words.question) => [{ role: "user", content }];

async function plain(saw) {
  const answer = await client.chat.completions.create({ model, messages: asked() });
  const [choice] = answer.choices;
  saw.text = choice.message.content;
  saw.finish = choice.finish_reason;
  return answer;
}

async function stream(saw, more = {}) {
  Object.assign(saw, { text: "", pieces: 0, stream_reasoning: "", finish: null });
  const body = { model, messages: asked(), stream: true, ...more };
  for await (const chunk of await client.chat.completions.create(body)) {
    if (chunk.usage) saw.stream_usage = numbers(chunk.usage);
    for (const { delta, finish_reason: finish } of chunk.choices) {
      saw.text += delta.content ?? "";
      saw.pieces += delta.content ? 1 : 0;
      saw.stream_reasoning += delta.reasoning_content ?? "";
      saw.finish = finish ?? saw.finish;
    }
  }
}

async function reasoning(saw) {
  const answer = await plain(saw);
  saw.reasoning = answer.choices[0].message.reasoning_content ?? null;
  await stream(saw);
}

async function usage(saw) {
  const answer = await plain(saw);
  saw.usage = numbers(answer.usage);
  await stream(saw, { stream_options: { include_usage: true } });
}

// The SDK's own loop: it puts calls together, runs them, and asks again.
async function loop(saw, content, tools, streamed) {
  const runner = client.chat.completions.runTools(
    {
      model,
      messages: asked(content),
      stream: streamed,
      tools: tools.map(({ name, description, schema, run }) => ({
        type: "function",
        function: { name, description, parameters: schema, parse: JSON.parse, function: run },
      })),
    },
    { maxChatCompletions: mostTurns },
  );
  saw.text = await runner.finalContent();
}

async function structured(saw) {
  const { question, name, schema } = words.structured;
  const answer = await client.chat.completions.parse({
    model,
    messages: asked(question),
    response_format: { type: "json_schema", json_schema: { name, schema, strict: true } },
  });
  saw.text = answer.choices[0].message.content;
  saw.parsed = answer.choices[0].message.parsed ?? JSON.parse(saw.text);
}

async function image(saw) {
  const { question, url } = words.image;
  const messages = asked([
    { type: "text", text: question },
    { type: "image_url", image_url: { url } },
  ]);
  const answer = await client.chat.completions.create({ model, messages });
  saw.text = answer.choices[0].message.content;
}

await main({
  plain,
  stream,
  reasoning,
  usage,
  structured,
  image,
  stream_usage: (saw) => stream(saw, { stream_options: { include_usage: true } }),
  ping: (saw) => loop(saw, words.ping.question, pingTools, true),
  tools: (saw) => loop(saw, words.weather.question, weatherTools, false),
  stream_tools: (saw) => loop(saw, words.weather.question, weatherTools, true),
  agent: (saw) => loop(saw, words.agent.task, agentTools, true),
});
