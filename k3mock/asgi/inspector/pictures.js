// Small pictures of the journal: requests and tokens over time, statuses, times to the first token.

import { clock, count, h, plural, s, span } from "./dom.js";

const WIDE = 240;
const HIGH = 52;

export function pictures() {
  const node = h("section", { class: "pictures", "aria-label": "Overview" });
  return {
    node,
    show(found) {
      node.replaceChildren(requests(found), tokens(found), statuses(found), firsts(found));
    },
  };
}

function card(title, figure, picture, foot, told) {
  return h("figure", { class: "card picture" },
    h("figcaption", null, h("span", null, title), h("b", null, figure)),
    s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img",
               "aria-label": told }, picture),
    h("p", { class: "foot" }, foot));
}

function bars(slots, parts) {
  const most = Math.max(1, ...slots.map((slot) => parts.reduce((sum, [name]) => sum + slot[name], 0)));
  const wide = WIDE / Math.max(slots.length, 12);
  return slots.flatMap((slot, at) => {
    let below = HIGH;
    return parts.map(([name, kind]) => {
      const high = slot[name] ? Math.max(1.5, (slot[name] / most) * (HIGH - 2)) : 0;
      below -= high;
      return high ? s("rect", { class: kind, x: at * wide + 0.5, y: below,
                                width: Math.max(1, wide - 1), height: high }) : null;
    });
  });
}

function ends(found) {
  const time = found.over_time;
  if (!time) return [h("span", null, "nothing yet"), ""];
  const until = time.from + time.step_s * time.slots.length;
  return [h("span", null, clock(time.from, false)), h("span", null, clock(until, false))];
}

function requests(found) {
  const slots = (found.over_time?.slots ?? []).map((slot) => ({
    good: slot.requests - slot.failed, failed: slot.failed,
  }));
  const told = `${plural(found.requests, "request")}, ${found.running} running`;
  return card("Requests", count(found.requests), bars(slots, [["good", "good"], ["failed", "bad"]]),
    ends(found), told);
}

function tokens(found) {
  const slots = found.over_time?.slots ?? [];
  const sum = (name) => slots.reduce((total, slot) => total + slot[name], 0);
  const told = `${count(sum("prompt"))} prompt tokens, ${count(sum("sent"))} sent`;
  return card("Tokens", count(sum("prompt") + sum("sent")),
    bars(slots, [["sent", "content"], ["prompt", "other"]]),
    [h("span", null, h("i", { class: "dot other" }), `${count(sum("prompt"))} prompt`),
      h("span", null, h("i", { class: "dot content" }), `${count(sum("sent"))} sent`)], told);
}

const TONES = { 2: "good", 4: "warn", 5: "bad", n: "silence" };

function statuses(found) {
  const all = Object.entries(found.status);
  const total = all.reduce((sum, [, each]) => sum + each, 0);
  let at = 0;
  const pieces = all.map(([status, each], number) => {
    const wide = (each / total) * WIDE;
    const piece = s("rect", { class: `${TONES[status[0]] ?? "other"} shade${number % 3}`, x: at,
                              y: 16, width: Math.max(1, wide - 1), height: 20 },
    s("title", null, `${status}: ${each}`));
    at += wide;
    return piece;
  });
  const told = all.map(([status, each]) => `${status}: ${each}`).join(", ");
  const shown = [...all].sort((one, other) => other[1] - one[1]).slice(0, 3);
  const good = all.filter(([status]) => status[0] === "2").reduce((sum, [, each]) => sum + each, 0);
  return card("Status", total ? `${Math.round((100 * good) / total)} % ok` : "–", pieces,
    shown.map(([status, each]) =>
      h("span", null, h("i", { class: `dot ${TONES[status[0]] ?? "other"}` }), `${status} `,
        h("b", null, count(each)))), told || "nothing yet");
}

function firsts(found) {
  const { bounds, counts } = found.ttft_ms;
  const total = counts.reduce((sum, each) => sum + each, 0);
  let half = total / 2;
  const middle = counts.findIndex((each) => (half -= each) <= 0);
  const about = total ? `≤ ${span(bounds[middle] ?? Infinity)}` : "–";
  const told = counts.map((each, at) => (each ? `${each} up to ${bounds[at] ?? "more"} ms` : ""))
    .filter(Boolean).join(", ");
  return card("First token", total ? `median ${middle < bounds.length ? about : "> 10 s"}` : "–",
    bars(counts.map((each) => ({ each })), [["each", "reasoning"]]),
    [h("span", null, "1 ms"), h("span", null, "100 ms"), h("span", null, "10 s")],
    told || "nothing yet");
}
