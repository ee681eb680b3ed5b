// The conversation: what was sent, then what came back, reasoning folded.

import { argumentsText, h, notice, pretty } from "./dom.js";

export function conversation(entry, found, writes) {
  const body = entry.received.body;
  const messages = Array.isArray(body?.messages) ? body.messages : [];
  return h("div", { class: "talk" },
    messages.map((each) => message(each && typeof each === "object" ? each : { content: each })),
    messages.length ? null : notice("The request holds no messages."),
    answer(entry, found, writes));
}

function message(each) {
  const role = String(each.role ?? "?");
  return turn(role, role, [
    folded(each.reasoning_content ?? each.reasoning, "reasoning that was sent back"),
    parts(each.content),
    calls(each.tool_calls),
    each.tool_call_id ? h("p", { class: "faint mono" }, `answers ${each.tool_call_id}`) : null,
  ]);
}

function turn(kind, label, content) {
  return h("article", { class: `turn ${/^[a-z]+$/.test(kind) ? kind : "unknown"}` },
    h("h3", null, label), h("div", { class: "said" }, content));
}

function parts(content) {
  if (content === null || content === undefined || content === "") return null;
  if (typeof content === "string") return h("p", { class: "words" }, content);
  if (!Array.isArray(content)) return h("pre", null, pretty(content));
  return content.map((part) => (typeof part?.text === "string" ? h("p", { class: "words" }, part.text)
    : h("pre", null, shorter(pretty(part)))));
}

function shorter(text) {
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}

function folded(text, label) {
  if (typeof text !== "string" || !text) return null;
  return h("details", { class: "thought" },
    h("summary", null, `${label}, ${text.length.toLocaleString("en")} characters`),
    h("p", { class: "words" }, text));
}

function calls(list) {
  if (!Array.isArray(list)) return null;
  return list.map((call) => {
    const named = call?.function ?? call ?? {};
    return h("div", { class: "call" },
      h("p", null, h("b", null, named.name ?? "?"), " ", h("span", { class: "faint mono" }, call?.id ?? "")),
      h("pre", null, argumentsText(named.arguments)));
  });
}

function answer(entry, found, writes) {
  if (found.running || !found.answer) {
    const said = (kind) => writes.filter((each) => each.kind === kind).map((each) => each.text).join("");
    return turn("answer", found.running ? "answer, running" : "answer", [
      folded(said("reasoning"), "reasoning so far"), parts(said("content")),
      found.running ? h("p", { class: "faint" }, "…") : null]);
  }
  const said = found.answer;
  const facts = [said.finish_reason ? `finish ${said.finish_reason}` : "", entry.outcome.end].filter(Boolean);
  return turn("answer", "answer", [
    found.forgotten ? notice("The writes of this answer gave way to newer ones.") : null,
    found.cut ? notice("Only the beginning of this answer is kept.") : null,
    folded(said.reasoning, "reasoning"),
    parts(said.content), calls(said.tool_calls),
    said.error ? h("pre", { class: "bad" }, pretty(said.error)) : null,
    (said.other ?? []).map((text) => h("pre", { class: "bad" }, shorter(text))),
    h("p", { class: "faint" }, facts.join(" · ")),
    said.usage ? h("details", null, h("summary", null, "usage"), h("pre", null, pretty(said.usage))) : null,
  ]);
}
