// A list of any length: only the rows that can be seen are in the page.

import { clock, count, h, pill, span } from "./dom.js";

const ROW = 30;
const SPARE = 8;

const COLUMNS = [
  ["time", "Time"], ["status", "Status"], ["session", "Session"], ["source", "Answered by"],
  ["profile", "Profile"], ["n prompt", "Prompt"], ["n cached", "Cached"],
  ["n think", "Reasoning"], ["n said", "Answer"], ["n first", "First token"],
  ["n took", "Duration"], ["end", "End"], ["flags", "Warnings"],
];

export class Table {
  /** `load(index)` is called when a row that is not there can be seen, `open(row)` to look at one. */
  constructor({ load, open }) {
    this.rows = [];
    this.total = 0;
    this.at = 0;
    this.load = load;
    this.open = open;
    this.drawn = new Map();
    this.sheet = h("div", { class: "sheet" });
    this.body = h("div", {
      class: "rows", role: "listbox", tabindex: 0, id: "list", "aria-label": "Requests, newest first",
      onscroll: () => this.later(), onkeydown: (event) => this.key(event),
    }, this.sheet);
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("[data-at]");
      if (row) this.choose(Number(row.dataset.at), true);
    });
    this.body.prepend(h("div", { class: "row heads", "aria-hidden": "true" },
      COLUMNS.map(([name, label]) => h("span", { class: name }, label))));
    this.node = h("section", { class: "table", "aria-label": "Journal" }, this.body);
    // Asking for the height while rows change would make the browser lay them out twice.
    this.height = 0;
    new ResizeObserver(() => {
      this.height = this.body.clientHeight;
      this.later();
    }).observe(this.body);
  }

  reset(rows, total) {
    this.rows = rows;
    this.total = total;
    this.at = 0;
    this.body.scrollTop = 0;
    this.draw();
  }

  append(rows) {
    this.rows.push(...rows);
    this.draw();
  }

  /** New rows come in front; what is looked at stays where it is. */
  prepend(rows) {
    this.rows.unshift(...rows);
    this.total += rows.length;
    if (this.at > 0 || this.body.scrollTop > 0) this.at += rows.length;
    if (this.body.scrollTop > 0) this.body.scrollTop += rows.length * ROW;
    this.later();
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    this.height ||= this.body.clientHeight;
    if (!this.height) return;
    const top = this.body.scrollTop;
    this.sheet.style.height = `${this.total * ROW}px`;
    const first = Math.max(0, Math.floor(top / ROW) - SPARE);
    const last = Math.min(this.total, Math.ceil((top + this.height) / ROW) + SPARE);
    const fresh = new Map();
    for (let at = first; at < last; at++) {
      const row = this.rows[at];
      const stamp = row ? `${at} ${row.id} ${row.status} ${row.end} ${at === this.at}` : `${at}`;
      fresh.set(stamp, this.drawn.get(stamp) ?? this.line(row, at));
    }
    this.sheet.replaceChildren(...fresh.values());
    this.drawn = fresh;
    this.body.setAttribute("aria-activedescendant", `row-${this.at}`);
    if (last > this.rows.length) this.load();
  }

  line(row, at) {
    const on = at === this.at;
    const line = h("div", {
      class: `row${on ? " on" : ""}`, role: "option", id: `row-${at}`, "data-at": at,
      "aria-selected": on, "aria-posinset": at + 1, "aria-setsize": this.total,
    }, row ? cells(row) : h("span", { class: "faint" }, "…"));
    line.style.transform = `translateY(${at * ROW}px)`;
    if (row) line.dataset.id = row.id;
    return line;
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.height / ROW) - 1);
    const to = {
      ArrowDown: this.at + 1, ArrowUp: this.at - 1, PageDown: this.at + page,
      PageUp: this.at - page, Home: 0, End: this.total - 1, j: this.at + 1, k: this.at - 1,
    }[event.key];
    if (to !== undefined && !event.metaKey && !event.ctrlKey) this.choose(to);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.at, true);
    else return;
    event.preventDefault();
  }

  choose(at, open = false) {
    this.at = Math.max(0, Math.min(this.total - 1, at));
    const top = this.at * ROW;
    if (top < this.body.scrollTop) this.body.scrollTop = top;
    // The headings stay in view and take a row.
    const bottom = top + 2 * ROW - this.height;
    if (bottom > this.body.scrollTop) this.body.scrollTop = bottom;
    this.draw();
    if (open && this.rows[this.at]) this.open(this.rows[this.at]);
  }

  /** The row `step` further on than the one with this id, where it is there. */
  beside(id, step) {
    const at = this.rows.findIndex((row) => row.id === id);
    const row = at < 0 ? undefined : this.rows[at + step];
    if (row) this.at = at + step;
    return row;
  }
}

function cells(row) {
  const tokens = row.tokens;
  const cell = (name, ...content) => h("span", { class: name }, ...content);
  return [
    h("span", { class: "time" }, clock(row.arrived, false), h("small", null, clock(row.arrived).slice(8))),
    cell("status", pill(row.status, row.end)),
    h("span", { class: "session", title: row.session }, row.session),
    h("span", { class: "source", title: row.source ?? row.path }, row.source ?? row.path),
    cell("profile", row.profile),
    cell("n prompt", count(tokens?.prompt)),
    cell("n cached", tokens?.cached ? count(tokens.cached) : "–"),
    cell("n think", tokens?.reasoning ? count(tokens.reasoning) : "–"),
    cell("n said", tokens ? count(tokens.answer) : row.sent ? count(row.sent) : "–"),
    cell("n first", span(row.ttft_ms)),
    cell("n took", span(row.duration_ms)),
    cell("end", ENDS[row.end] ?? row.end ?? "running"),
    h("span", { class: "flags", title: row.warnings.join(", ") },
      row.warnings.length ? h("em", null, row.warnings.length) : ""),
  ];
}

export const ENDS = { complete: "complete", client_disconnect: "client left", fault: "fault", error: "error" };
