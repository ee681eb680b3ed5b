// Why a request was answered as it was: who answered, near misses, rules with their evidence.

import { h, notice, plural, pretty } from "./dom.js";

const WORDS = {
  scenario: "A turn of a loaded scenario answered.",
  cassette: "A recorded answer was played.",
  generator: "Nothing else answered, so the generator did.",
  contract: "The host's contract refuses this request.",
  fault: "A fault that was asked for answered instead.",
  limits: "A limit of the session was reached.",
  miss: "Nothing answered.",
  profile: "The host answers this address itself.",
  warning: "A warning is an error here.",
  k3mock: "The mock itself answered.",
  recorder: "The upstream answered.",
};

export function reasons(entry, why) {
  const who = (entry.source ?? "").split(":")[0].split("+")[0];
  const faults = (why.source ?? "").startsWith("fault:") ? [] : (entry.source ?? "").split("+").slice(1);
  return h("div", { class: "why" },
    h("p", { class: "lead" }, WORDS[who] ?? "There is no answer yet.", " ", h("code", null, entry.source ?? "")),
    faults.length ? h("p", null, "Faults acted on it: ", faults.map((name) => [h("code", null, name), " "])) : null,
    why.bending.length ? h("p", null, "Scenarios that bend every answer: ", why.bending.join(", ")) : null,
    why.miss ? notice(why.miss.message, "bad") : null,
    turns(why), headers(why.headers));
}

function turns(why) {
  if (why.turns === null) return h("p", { class: "faint" }, "The request was not held against scenarios.");
  if (!why.turns.length) return h("p", { class: "faint" }, "No scenario with turns is loaded.");
  return [
    h("h3", null, why.turns[0].answered ? "The turn that answered, and those that came near" : "The turns that came nearest"),
    h("ol", { class: "near" }, why.turns.map(near)),
    h("p", { class: "faint" }, "Patterns are judged again, against what the journal holds; hidden headers count as they are shown."),
  ];
}

function near(turn) {
  const state = turn.answered ? "answered"
    : turn.held < turn.parts ? `${turn.held} of ${plural(turn.parts, "part")} hold`
      : turn.times !== null && turn.hits >= turn.times ? "used up" : "matches";
  return h("li", { class: turn.answered ? "hit" : "" },
    h("p", null, h("b", null, `${turn.scenario} #${turn.turn}`), " ", h("span", { class: "tag" }, state), " ",
      h("span", { class: "faint" }, `${turn.hits}${turn.times === null ? "" : ` of ${turn.times}`} hits · ${turn.where}`)),
    turn.differences.length ? h("table", null,
      h("thead", null, h("tr", null, ["Differs", "Wanted", "Found"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", null, turn.differences.map((each) => h("tr", null, h("th", { scope: "row" }, each.key),
        h("td", null, each.wanted), h("td", null, each.found))))) : null,
    turn.when ? h("details", null, h("summary", null, "pattern"), h("pre", null, pretty(turn.when))) : null);
}

function headers(told) {
  const rows = Object.entries(told);
  return rows.length ? [h("h3", null, "What the answer's headers say"),
    h("dl", { class: "facts" }, rows.map(([name, value]) => [h("dt", null, name), h("dd", null, value)]))] : null;
}

export function warnings(entry, why) {
  if (!entry.warnings.length) return h("p", { class: "faint" }, "The host has nothing to object to, and drops nothing.");
  return h("ol", { class: "warnings" }, entry.warnings.map((each) => {
    const rule = why.rules[each.rule];
    return h("li", { class: each.level === "info" ? "info" : "" },
      h("p", null, h("b", null, each.rule ?? "unnamed"), " ", each.path ? h("code", null, each.path) : ""),
      h("p", { class: "words" }, each.message),
      rule ? h("p", { class: "faint" }, `Evidence: ${rule.evidence.join("; ")}${rule.where ? ` (${rule.where})` : ""}`) : null);
  }));
}
