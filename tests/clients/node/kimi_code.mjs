// Kimi Code, Moonshot's agent for the terminal, in its prompt mode: configured by its environment.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Unsupported, apiKey, baseURL, main, model, words } from "./use.mjs";

const kimi = join(
  process.env.K3_HOME, "node_modules", "@moonshot-ai", "kimi-code", "dist", "main.mjs",
);
const environ = {
  ...process.env,
  KIMI_MODEL_NAME: model,
  KIMI_MODEL_API_KEY: apiKey,
  KIMI_MODEL_BASE_URL: baseURL,
  KIMI_CODE_NO_AUTO_UPDATE: "1",
  // Ten attempts, its default, take minutes.
  KIMI_LOOP_MAX_ATTEMPTS_PER_STEP: "3",
};

// A folder with the files of the task and the weather, for its tools to find.
function project() {
  const folder = mkdtempSync(join(process.cwd(), "project-"));
  const files = { ...words.agent.files, "weather.txt": words.weather.result };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

function run(prompt, format, onOut) {
  const options = { cwd: project(), env: environ, stdio: ["ignore", "pipe", "pipe"] };
  const child = spawn(process.execPath, [kimi, "-p", prompt, "--output-format", format], options);
  let err = "";
  child.stdout.setEncoding("utf8").on("data", onOut);
  child.stderr.setEncoding("utf8").on("data", (text) => { err += text; });
  return new Promise((done, failed) => {
    child.on("error", failed);
    child.on("close", (status) => {
      if (status === 0) done(err);
      else failed(refused(/^error: (.*)$/m.exec(err)?.[1] ?? err.trim()));
    });
  });
}

// It prints its errors and names their class, such as provider.api_error.
function refused(said) {
  const [, name, message] = /^(?:failed to run prompt: )?([\w.]+): (.*)$/s.exec(said) ?? [, "error", said];
  return Object.assign(new Error(message), { kind: name });
}

// Text and thinking are printed with a bullet before each and lines indented below it.
const unbulleted = (text) => text.replace(/^[•●]\s*/gm, "").replace(/^ {2}/gm, "").trim();

async function told(saw, prompt = words.question) {
  let out = "";
  saw.pieces = 0;
  const err = await run(prompt, "text", (text) => {
    out += text;
    saw.pieces += 1;
    saw.text = unbulleted(out);
  });
  const thought = err.replace(/^kimi version .*$/m, "").split("To resume this session")[0];
  saw.stream_reasoning = unbulleted(thought);
}

async function loop(saw, prompt) {
  let out = "";
  await run(prompt, "stream-json", (text) => { out += text; });
  const calls = [];
  for (const line of out.split("\n").filter(Boolean)) {
    const event = JSON.parse(line);
    if (event.role !== "assistant") continue;
    for (const { function: made } of event.tool_calls ?? []) {
      calls.push([made.name, JSON.parse(made.arguments)]);
    }
    saw.text = event.content ?? "";
  }
  saw.calls = calls;
}

await main({
  plain: (saw) => {
    if (process.env.K3_CELL === "plain") throw new Unsupported("it always asks for streams");
    return told(saw);
  },
  stream: (saw) => told(saw),
  reasoning: (saw) => told(saw),
  usage: () => { throw new Unsupported("prompt mode does not print token numbers"); },
  structured: () => { throw new Unsupported("no schema can be given"); },
  tools: (saw) => loop(saw, words.weather.question),
  stream_tools: (saw) => loop(saw, words.weather.question),
  agent: (saw) => loop(saw, words.agent.task),
});
