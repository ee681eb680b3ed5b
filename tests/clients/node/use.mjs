// Turns a use of a client into the line of JSON that the runner reads.

import { readFileSync, writeSync } from "node:fs";

const env = process.env;
export const baseURL = env.K3_BASE_URL;
export const apiKey = env.K3_API_KEY;
export const model = env.K3_MODEL;
export const words = JSON.parse(readFileSync(new URL("./words.json", import.meta.url), "utf8"));

export class Unsupported extends Error {}

// The tools that were run, in order.
const calls = [];

const files = new Map(Object.entries(words.agent.files));
const work = {
  get_weather: () => words.weather.result,
  ping: () => words.ping.result,
  list_files: ({ path }) => {
    const inside = path === "" || path === "." ? "" : `${path}/`;
    return [...files.keys()].filter((name) => name.startsWith(inside)).sort().join("\n");
  },
  read_file: ({ path }) => files.get(path) ?? `no such file: ${path}`,
  write_file: ({ path, text }) => {
    files.set(path, text);
    return `${text.length} characters written`;
  },
  run: ({ command }) => {
    if (!command.startsWith("pytest")) return " M adder.py";
    return files.get("adder.py").includes("a + b") ? "1 passed" : "1 failed: assert 0 == 4";
  },
};

// Declared tools with something that runs them: name, description, schema, run.
const runnable = (declared) =>
  declared.map(({ function: { name, description, parameters } }) => ({
    name,
    description,
    schema: parameters,
    run: (given) => {
      calls.push([name, given]);
      return work[name](given);
    },
  }));

export const weatherTools = runnable([words.weather.tool]);
export const pingTools = runnable([words.ping.tool]);
export const agentTools = runnable(words.agent.tools);
// A loop that does not end by itself is ended here: twice as many turns as the longest needs.
export const mostTurns = 24;

// Token numbers under the runner's names, from a usage object of OpenAI's protocol.
export function numbers(usage) {
  if (!usage) return null;
  return {
    prompt: usage.prompt_tokens,
    completion: usage.completion_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? null,
    cached: usage.prompt_tokens_details?.cached_tokens ?? usage.cached_tokens ?? null,
  };
}

// Clients may throw anything, also plain objects; a program that prints its errors has a `kind`.
function described(error) {
  const name = error?.kind ?? error?.constructor?.name ?? typeof error;
  const message = String(error?.message ?? error).split(/\s+/).join(" ").trim();
  return { class: name, message: message.slice(0, 120) };
}

// Does the one thing that the environment asks for. `saw` is filled as it goes, so that it is known
// how far a use came that broke.
export async function main(uses) {
  const saw = {};
  let outcome = "works";
  try {
    const use = uses[env.K3_USE];
    if (!use) throw new Unsupported(`no ${env.K3_USE}`);
    await use(saw);
  } catch (error) {
    if (error instanceof Unsupported) {
      outcome = "unsupported";
      saw.why = error.message;
    } else {
      outcome = "breaks";
      saw.exception = described(error);
    }
  }
  if (calls.length) saw.calls = calls;
  writeSync(1, `\n${JSON.stringify({ outcome, saw })}\n`);
  process.exit(0);
}
