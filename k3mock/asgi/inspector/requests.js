// The first view: pictures, filters, and the journal as it grows.

import { get } from "./api.js";
import { count, h } from "./dom.js";
import { pictures } from "./pictures.js";
import { Table } from "./table.js";

const FIRST = 100;
const PAGE = 1000;
const CALM_MS = 1200;

export class Requests {
  constructor({ open, failed }) {
    this.failed = failed;
    this.table = new Table({ load: () => this.more(), open: (row) => open(row.id) });
    this.pictures = pictures();
    this.fresh = [];
    this.round = 0;
    this.node = h("div", { class: "requests" }, this.pictures.node, this.filters(), this.table.node);
  }

  filters() {
    const again = () => this.reload();
    let typing = 0;
    this.search = h("input", {
      type: "search", id: "search", placeholder: "Text in request, path, id…  ( / )",
      "aria-label": "Text", autocomplete: "off", spellcheck: "false",
      oninput: () => {
        clearTimeout(typing);
        typing = setTimeout(again, 250);
      },
    });
    const select = (name, label) => h("select", { name, "aria-label": label, onchange: again });
    this.choices = {
      session: select("session", "Session"), profile: select("profile", "Profile"),
      status: select("status", "Status"), warning: select("warning", "Warning"),
    };
    this.choice("session", "all sessions", []);
    this.choice("profile", "all profiles", []);
    this.choice("status", "any status", [["2xx", "2xx"], ["4xx", "4xx"], ["5xx", "5xx"], ["none", "no status"]]);
    this.choice("warning", "warned or not", [["any", "any warning"]]);
    this.shown = h("output", { class: "shown", role: "status" });
    return h("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
      this.search, Object.values(this.choices), this.shown);
  }

  choice(name, all, options) {
    const select = this.choices[name];
    const before = select.value;
    const known = options.some(([value]) => value === before) || !before;
    const listed = known ? options : [[before, before], ...options];
    select.replaceChildren(h("option", { value: "" }, all),
      ...listed.map(([value, label]) => h("option", { value }, label)));
    select.value = before;
  }

  query() {
    const chosen = Object.entries(this.choices).map(([name, select]) => [name, select.value]);
    return { text: this.search.value, ...Object.fromEntries(chosen) };
  }

  /** Begins anew with what the filters keep; `followed` is told so that it can follow just that. */
  async reload() {
    const round = ++this.round;
    try {
      const page = await get("requests", { ...this.query(), view: "brief", order: "newest", limit: FIRST });
      if (round !== this.round) return;
      this.next = page.next;
      this.known = new Map(page.requests.map((row) => [row.id, row]));
      this.fresh = [];
      this.table.reset(page.requests, page.total);
      this.counted();
      this.draw();
      this.followed?.();
    } catch (error) {
      this.failed(error);
    }
  }

  async more() {
    if (this.next === null || this.next === undefined || this.loading) return;
    const round = this.round;
    this.loading = true;
    try {
      const page = await get("requests", {
        ...this.query(), view: "brief", order: "newest", limit: PAGE, after: this.next,
      });
      if (round !== this.round) return;
      this.next = page.next;
      const rows = page.requests.filter((row) => !this.known.has(row.id));
      for (const row of rows) this.known.set(row.id, row);
      this.table.append(rows);
      if (page.next === null) this.table.total = this.table.rows.length;
    } catch (error) {
      this.failed(error);
    } finally {
      this.loading = false;
      this.table.later();
    }
  }

  /** Takes in a row that has arrived or ended. */
  take(row) {
    const known = this.known?.get(row.id);
    if (known) Object.assign(known, row);
    else this.fresh.push(row);
    this.known?.set(row.id, known ?? row);
    if (this.due) return;
    this.due = requestAnimationFrame(() => {
      this.due = 0;
      if (this.fresh.length) this.table.prepend(this.fresh.reverse());
      this.fresh = [];
      this.counted();
      this.table.later();
    });
    this.draw();
  }

  counted() {
    this.shown.textContent = `${count(this.table.total)} ${this.table.total === 1 ? "request" : "requests"}`;
  }

  /** Draws the pictures, not more often than people can look. */
  draw() {
    if (this.drawing) return;
    const wait = Math.max(0, CALM_MS - (performance.now() - (this.drew ?? -CALM_MS)));
    this.drawing = setTimeout(async () => {
      this.drawing = 0;
      this.drew = performance.now();
      try {
        const query = this.query();
        const filtered = Object.values(query).some(Boolean);
        const found = await get("overview", query);
        this.pictures.show(found);
        const all = filtered ? await get("overview") : found;
        this.choice("session", "all sessions", all.sessions.map((name) => [name, name]));
        this.choice("profile", "all profiles", Object.keys(all.profile).map((name) => [name, name]));
        this.choice("warning", "warned or not", [["any", "any warning"],
          ...Object.entries(all.rules).map(([rule, number]) => [rule, `${rule} (${number})`])]);
      } catch (error) {
        this.failed(error);
      }
    }, wait);
  }
}
