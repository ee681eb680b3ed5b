// The AI SDK with Moonshot's own provider.

import { createMoonshotAI } from "@ai-sdk/moonshotai";
import { uses } from "./ai_uses.mjs";
import { apiKey, baseURL, model } from "./use.mjs";

await uses(createMoonshotAI({ baseURL, apiKey })(model));
