// The AI SDK with the provider for any host that speaks OpenAI's protocol.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { uses } from "./ai_uses.mjs";
import { apiKey, baseURL, model } from "./use.mjs";

const host = createOpenAICompatible({
  name: "k3", baseURL, apiKey, includeUsage: true, supportsStructuredOutputs: true,
});
await uses(host(model));
