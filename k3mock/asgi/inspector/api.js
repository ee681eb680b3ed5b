// Talks to the control API, and to nothing else. The key stays in this tab.

const ROOT = new URL(".", location.href.split("#")[0]);
const KEY = "k3mock-control-key";

export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

let key = sessionStorage.getItem(KEY) ?? "";

export function useKey(value) {
  key = value;
  sessionStorage.setItem(KEY, value);
}

export function address(path, query = {}) {
  const url = new URL(path, ROOT);
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") url.searchParams.set(name, value);
  }
  return url;
}

async function call(path, query, options = {}) {
  const headers = { ...(key ? { Authorization: `Bearer ${key}` } : {}), ...options.headers };
  let answer;
  try {
    answer = await fetch(address(path, query), { ...options, headers, cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, "the server does not answer");
  }
  if (answer.ok) return answer;
  let message = `status ${answer.status}`;
  try {
    message = (await answer.json()).error.message.replace(/^k3mock: /, "");
  } catch {
    // Not an answer of ours; its status says enough.
  }
  throw new ApiError(answer.status, message);
}

export async function get(path, query, signal) {
  return (await call(path, query, { signal })).json();
}

export async function text(path, query) {
  return (await call(path, query)).text();
}

export async function post(path, body, query) {
  const given = body === undefined ? "" : JSON.stringify(body);
  return (await call(path, query, { method: "POST", body: given })).json();
}

export async function remove(path, query) {
  return (await call(path, query, { method: "DELETE" })).json();
}

/** Yields {name, data} for each server-sent event; ends when the server or `signal` ends it. */
export async function* events(path, query, signal) {
  const answer = await call(path, query, { signal });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let kept = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    kept += value;
    let end;
    while ((end = kept.indexOf("\n\n")) >= 0) {
      const event = { name: "", data: "" };
      for (const line of kept.slice(0, end).split("\n")) {
        if (line.startsWith("event: ")) event.name = line.slice(7);
        if (line.startsWith("data: ")) event.data = line.slice(6);
      }
      kept = kept.slice(end + 2);
      yield { name: event.name, data: event.data ? JSON.parse(event.data) : null };
    }
  }
}
