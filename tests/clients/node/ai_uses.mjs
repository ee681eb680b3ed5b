// The AI SDK as its pages use it; the provider is what differs between its groups.

import {
  generateObject, generateText, jsonSchema, stepCountIs, streamText, tool,
} from "ai";
import { agentTools, main, mostTurns, pingTools, weatherTools, words } from "./use.mjs";

const numbers = (usage) => ({
  prompt: usage.inputTokens ?? null,
  completion: usage.outputTokens ?? null,
  reasoning: usage.outputTokenDetails?.reasoningTokens ?? usage.reasoningTokens ?? null,
  cached: usage.inputTokenDetails?.cacheReadTokens ?? usage.cachedInputTokens ?? null,
});

const declared = (tools) =>
  Object.fromEntries(
    tools.map(({ name, description, schema, run }) => [
      name,
      tool({ description, inputSchema: jsonSchema(schema), execute: async (given) => run(given) }),
    ]),
  );

export async function uses(chat) {
  async function plain(saw) {
    const answer = await generateText({ model: chat, prompt: words.question });
    saw.text = answer.text;
    saw.finish = answer.finishReason;
    return answer;
  }

  async function read(saw, options) {
    Object.assign(saw, { text: "", pieces: 0, stream_reasoning: "", finish: null });
    // Without onError the SDK also prints what it throws here.
    const answer = streamText({ model: chat, onError: () => {}, ...options });
    for await (const part of answer.fullStream) {
      if (part.type === "start-step") saw.text = "";
      if (part.type === "text-delta") {
        saw.text += part.text;
        saw.pieces += 1;
      }
      if (part.type === "reasoning-delta") saw.stream_reasoning += part.text;
      if (part.type === "error" || part.type === "tool-error") throw part.error;
      if (part.type === "finish") {
        saw.finish = part.finishReason;
        saw.stream_usage = numbers(part.totalUsage);
      }
    }
  }

  const stream = (saw) => read(saw, { prompt: words.question });

  async function reasoning(saw) {
    const answer = await plain(saw);
    saw.reasoning = answer.reasoningText ?? null;
    await stream(saw);
  }

  async function usage(saw) {
    const answer = await plain(saw);
    saw.usage = numbers(answer.usage);
    await stream(saw);
  }

  const around = (prompt, tools) => ({
    prompt, tools: declared(tools), stopWhen: stepCountIs(mostTurns),
  });

  async function tools(saw) {
    const answer = await generateText({
      model: chat, ...around(words.weather.question, weatherTools),
    });
    saw.text = answer.text;
    saw.finish = answer.finishReason;
  }

  async function structured(saw) {
    const { question, name, schema } = words.structured;
    const answer = await generateObject({
      model: chat, prompt: question, schemaName: name, schema: jsonSchema(schema),
    });
    saw.parsed = answer.object;
    saw.finish = answer.finishReason;
  }

  async function image(saw) {
    const { question, url } = words.image;
    const answer = await generateText({
      model: chat,
      messages: [{
        role: "user",
        content: [{ type: "text", text: question }, { type: "image", image: url }],
      }],
    });
    saw.text = answer.text;
  }

  await main({
    plain,
    stream,
    reasoning,
    usage,
    structured,
    image,
    tools,
    stream_usage: stream,
    ping: (saw) => read(saw, around(words.ping.question, pingTools)),
    stream_tools: (saw) => read(saw, around(words.weather.question, weatherTools)),
    agent: (saw) => read(saw, around(words.agent.task, agentTools)),
  });
}
