// One request: facts, timeline, and tabs for everything that is known of it.

import { get, text } from "./api.js";
import { comparison } from "./compare.js";
import { button, bytesText, clock, count, h, notice, pill, span, tabs } from "./dom.js";
import { reasons, warnings } from "./reasons.js";
import { conversation } from "./said.js";
import { ENDS } from "./table.js";
import { Timeline } from "./timeline.js";

const FRAMES = 400;
const POLL_MS = 300;

export class Detail {
  constructor({ back, step, tab, failed }) {
    this.back = back;
    this.step = step;
    this.onTab = tab;
    this.failed = failed;
    this.node = h("div", { class: "detail" });
  }

  async show(id, tab) {
    const round = (this.round = {});
    this.id = id;
    this.writes = [];
    this.timeline = new Timeline();
    this.node.replaceChildren(h("p", { class: "faint" }, "…"));
    try {
      const [entry, why] = await Promise.all([get(`requests/${encodeURIComponent(id)}`),
        get(`requests/${encodeURIComponent(id)}/why`)]);
      if (this.round !== round) return;
      Object.assign(this, { entry, why });
      await this.pull();
      if (this.round !== round) return;
      this.draw(tab);
      await this.follow(round);
    } catch (error) {
      if (this.round === round) this.failed(error, this.node);
    }
  }

  leave() {
    this.round = null;
  }

  /** Fetches the writes that are not here yet. */
  async pull() {
    const path = `requests/${encodeURIComponent(this.id)}/writes`;
    let page;
    do {
      page = await get(path, { after: this.writes.length - 1, limit: 1000 });
      this.writes.push(...page.writes);
    } while (page.next !== null);
    this.found = page;
    this.timeline.show(page, this.writes, this.entry.outcome.duration_ms);
  }

  /** While the answer runs, shows what has left since. */
  async follow(round) {
    while (this.found.running) {
      await new Promise((done) => setTimeout(done, POLL_MS));
      if (this.round !== round) return;
      const before = this.writes.length;
      await this.pull();
      if (this.round !== round) return;
      if (!this.found.running) {
        this.entry = await get(`requests/${encodeURIComponent(this.id)}`);
        this.why = await get(`requests/${encodeURIComponent(this.id)}/why`);
        if (this.round !== round) return;
        this.timeline.show(this.found, this.writes, this.entry.outcome.duration_ms);
        this.facts.replaceWith((this.facts = facts(this.entry, this.found)));
        this.title.replaceWith((this.title = title(this.entry)));
      }
      if (this.found.running ? before !== this.writes.length && this.tab === "talk" : true) this.panel.choose(this.tab);
    }
  }

  draw(tab) {
    const number = this.entry.warnings.length;
    this.panel = tabs("What to look at", [
      ["talk", "Conversation", () => conversation(this.entry, this.found, this.writes)],
      ["request", "Received, forwarded, effective", () => comparison(this.entry)],
      ["warnings", number ? `Warnings ${number}` : "Warnings", () => warnings(this.entry, this.why)],
      ["why", "Why this answer", () => reasons(this.entry, this.why)],
      ["frames", "Raw frames", () => this.frames()],
    ], tab, (name) => {
      this.tab = name;
      this.onTab(this.id, name);
    });
    this.facts = facts(this.entry, this.found);
    this.title = title(this.entry);
    this.node.replaceChildren(
      h("div", { class: "row-of" },
        button("← Requests", () => this.back(), { class: "quiet", title: "Escape" }),
        h("span", { class: "steps" },
          button("Newer", () => this.step(-1), { class: "quiet", title: "k" }),
          button("Older", () => this.step(1), { class: "quiet", title: "j" })),
        this.copies()),
      this.title, this.facts, this.timeline.node, this.panel.list, this.panel.body);
    this.timeline.show(this.found, this.writes, this.entry.outcome.duration_ms);
  }

  copies() {
    const said = h("output", { class: "faint", role: "status" });
    const copy = (form, label) => button(label, async () => {
      try {
        const copied = await text(`requests/${encodeURIComponent(this.id)}/copy`, { as: form });
        await toClipboard(copied, this.node);
        said.textContent = "copied";
      } catch (error) {
        said.textContent = error.message;
      }
    }, { "data-copy": form });
    return h("span", { class: "copies" }, said, h("span", { class: "faint" }, "Copy as"),
      copy("curl", "curl"), copy("scenario", "scenario"), copy("pytest", "pytest test"));
  }

  frames() {
    const list = h("ol", { class: "frames" });
    const headers = this.found.head?.headers ?? [];
    const more = button("Show more", () => add(), { class: "quiet" });
    let shown = 0;
    const add = () => {
      const next = this.writes.slice(shown, shown + FRAMES);
      list.append(...next.map((each, at) => frame(each, this.writes[shown + at - 1])));
      shown += next.length;
      more.hidden = shown >= this.writes.length;
    };
    add();
    return h("div", null,
      h("details", null, h("summary", null, `status ${this.found.head?.status ?? "none"}, ${headers.length} headers`),
        h("dl", { class: "facts" }, headers.map(([name, value]) => [h("dt", null, name), h("dd", null, value)]))),
      this.found.cut ? notice("Only the beginning of this answer is kept.") : null,
      this.writes.length ? null : h("p", { class: "faint" }, "No byte of a body has left."), list, more);
  }
}

function frame(each, before) {
  const gap = before ? each.at_ms - before.at_ms : each.at_ms;
  return h("li", { class: each.kind },
    h("span", { class: "n" }, each.n), h("span", { class: "n" }, `${each.at_ms.toFixed(1)} ms`),
    h("span", { class: "n faint" }, `+${gap.toFixed(1)}`), h("span", { class: "n faint" }, `${count(each.bytes)} B`),
    h("pre", null, bytesText(each.data)));
}

function title(entry) {
  return h("h1", null, pill(entry.status, entry.outcome.end), ` ${entry.method} ${entry.path} `,
    h("span", { class: "faint mono" }, entry.id));
}

function facts(entry, found) {
  const outcome = entry.outcome;
  const tokens = found.tokens ?? {};
  const rows = [
    ["Arrived", clock(entry.arrived)], ["Session", entry.session], ["Profile", entry.profile],
    ["Answered by", entry.source ?? "nobody yet"],
    ["Prompt", count(tokens.prompt)],
    ["Cached", count(tokens.cached)],
    ["Reasoning", count(tokens.reasoning)], ["Answer", `${found.tokens ? `${count(tokens.answer)}, ` : ""}${count(outcome.tokens)} sent`],
    ["First token", span(outcome.ttft_ms)], ["Duration", span(outcome.duration_ms)],
    ["Worst lateness", span(outcome.lateness_ms)], ["End", ENDS[outcome.end] ?? outcome.end ?? "running"],
  ];
  return h("dl", { class: "stats" }, rows.map(([name, value]) =>
    h("div", null, h("dt", null, name), h("dd", { title: value }, value))));
}

/** The clipboard needs a secure context; elsewhere an old way does. */
async function toClipboard(copied, place) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(copied);
    return;
  }
  const area = h("textarea", { class: "away" });
  area.value = copied;
  place.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
