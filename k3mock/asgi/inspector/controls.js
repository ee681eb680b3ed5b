// Controls: faults and limits for requests to come, sessions, scenarios, cassettes.

import { get, post, remove } from "./api.js";
import { button, careful, count, h, notice, plural, pretty } from "./dom.js";

export class Controls {
  constructor({ failed }) {
    this.failed = failed;
    this.session = "";
    this.said = h("output", { role: "status" });
    this.switches = h("div");
    this.sessions = h("div");
    this.scenarios = h("div");
    this.cassettes = h("div");
    this.fault = h("input", { id: "fault", list: "faults", placeholder: "stall(ms:500)", autocomplete: "off", spellcheck: "false" });
    this.limits = h("input", { id: "limits", list: "tiers", placeholder: "tier0  or  rpm=3", autocomplete: "off", spellcheck: "false" });
    this.whose = h("input", { id: "whose", list: "sessions", placeholder: "all sessions", autocomplete: "off" });
    this.times = h("input", { id: "times", type: "number", min: 1, max: 1_000_000, value: 1 });
    this.about = h("p", { class: "faint about" });
    this.lists = { faults: h("datalist", { id: "faults" }), tiers: h("datalist", { id: "tiers" }), sessions: h("datalist", { id: "sessions" }) };
    this.looked = h("input", { id: "looked", list: "sessions", placeholder: "default", autocomplete: "off",
      onchange: () => { this.session = this.looked.value; this.load(); } });
    this.node = h("div", { class: "controls" }, Object.values(this.lists),
      h("section", { class: "card" }, h("h2", null, "Faults and limits"), this.form(), this.switches),
      h("section", { class: "card" }, h("div", { class: "row-of" }, h("h2", null, "Sessions"),
        careful("Reset everything", () => this.act(() => post("reset")))), this.sessions),
      h("div", { class: "row-of wide" }, h("label", { for: "looked" }, "Counts of session "), this.looked),
      h("section", { class: "card" }, h("h2", null, "Scenarios"), this.scenarios),
      h("section", { class: "card" }, h("h2", null, "Cassettes"), this.cassettes));
  }

  form() {
    const until = h("input", { type: "checkbox", id: "until",
      onchange: () => { this.times.disabled = until.checked; } });
    this.fault.addEventListener("input", () => this.tell());
    const field = (label, input) => h("label", { for: input.id }, h("span", null, label), input);
    return h("form", { class: "switch", onsubmit: (event) => {
      event.preventDefault();
      const body = {};
      if (this.fault.value.trim()) body.fault = this.fault.value.trim();
      if (this.limits.value.trim()) body.limits = this.limits.value.trim();
      if (this.whose.value) body.session = this.whose.value;
      if (!until.checked) body.times = Number(this.times.value);
      this.act(() => post("switches", body), "on");
    } },
    field("Fault", this.fault), field("Limits", this.limits), field("Session", this.whose),
    field("Next requests", this.times),
    h("label", { class: "check", for: "until" }, until, " until switched off"),
    h("button", { class: "main" }, "Switch on"), this.said, this.about);
  }

  tell() {
    const fault = this.known?.get(this.fault.value.split("(")[0].trim());
    const parameters = fault?.parameters.map((each) => `${each.name}: ${each.takes}`).join("; ");
    this.about.textContent = fault ? `${fault.about}${parameters ? ` Takes ${parameters}.` : ""}` : "";
  }

  async act(action, done = "done") {
    try {
      await action();
      this.said.textContent = done;
      this.said.className = "";
      await this.load();
    } catch (error) {
      this.said.textContent = error.message;
      this.said.className = "bad";
    }
  }

  async load() {
    try {
      const [faults, switches, all, scenarios, cassettes] = await Promise.all([
        this.known ? null : get("faults"), get("switches"), get("overview"),
        get("scenarios", { session: this.session, limit: 1000 }),
        get("cassettes", { session: this.session, limit: 100 }),
      ]);
      if (faults) {
        this.known = new Map(faults.faults.map((each) => [each.name, each]));
        options(this.lists.faults, faults.faults.map((each) => [each.name, each.about]));
        options(this.lists.tiers, faults.tiers.map((name) => [name, ""]));
      }
      options(this.lists.sessions, all.sessions.map((name) => [name, ""]));
      this.switches.replaceChildren(this.switched(switches.switches));
      const names = JSON.stringify(all.sessions);
      // A list that stays the same stays in place, so that nobody's second click misses.
      if (names !== this.named) this.sessions.replaceChildren(this.listed(all.sessions));
      this.named = names;
      this.scenarios.replaceChildren(...scripts(scenarios));
      this.cassettes.replaceChildren(...tapes(cassettes));
    } catch (error) {
      this.failed(error);
    }
  }

  switched(list) {
    if (!list.length) return h("p", { class: "faint" }, "Nothing is switched on.");
    return h("ul", { class: "plain" }, list.map((each) => h("li", { class: each.left === 0 ? "spent" : "" },
      h("b", null, [each.fault, each.limits && `limits ${each.limits}`].filter(Boolean).join(", ")),
      h("span", null, each.session === null ? "all sessions" : `session ${each.session}`),
      h("span", { class: "n" }, each.left === null ? "until switched off" : each.left === 0 ? "over" : `next ${count(each.left)}`),
      h("span", { class: "n faint" }, plural(each.hits, "hit")),
      button("Off", () => this.act(() => remove("switches", { id: each.id })), { "aria-label": `Switch off ${each.id}` }))));
  }

  listed(names) {
    if (!names.length) return h("p", { class: "faint" }, "No session has sent anything.");
    return h("ul", { class: "plain" }, names.slice(0, 50).map((name) => h("li", null, h("b", null, name),
      careful("Reset", () => this.act(() => post("reset", undefined, { session: name }))))));
  }
}

function options(list, values) {
  list.replaceChildren(...values.map(([value, label]) => h("option", { value }, label)));
}

function scripts(found) {
  return [
    found.trouble ? notice(`Files have changed and are broken; the last good set answers. ${found.trouble}`, "bad") : null,
    h("ul", { class: "problems" }, found.problems.map((each) =>
      h("li", { class: each.severity }, h("b", null, each.severity), ` ${each.what} `, h("code", null, each.where)))),
    found.scenarios.length ? null : h("p", { class: "faint" }, "No scenario is loaded."),
    ...found.scenarios.map((each) => {
      const hits = each.turns.reduce((sum, turn) => sum + turn.hits, 0);
      return h("details", { class: "item" },
        h("summary", null, h("b", null, each.name), " ", h("span", { class: "tag" }, each.origin), " ",
          h("span", { class: "faint" }, each.about), h("span", { class: "n" }, each.turns.length ? plural(hits, "hit") : "bends every answer")),
        h("p", { class: "faint mono" }, each.where),
        h("table", null, h("tbody", null, each.turns.map((turn) => h("tr", { class: turn.hits ? "" : "unused" },
          h("th", { scope: "row" }, `#${turn.number}`), h("td", null, h("code", null, turn.when ? pretty(turn.when) : "every request")),
          h("td", { class: "n" }, `${count(turn.hits)}${turn.times === null ? "" : ` of ${turn.times}`}`))))));
    }),
  ].filter(Boolean);
}

function tapes(found) {
  return [
    found.recording ? notice(`This server records (${found.recording}).`) : null,
    found.cassettes.length ? null : h("p", { class: "faint" }, "No cassette answers."),
    ...found.cassettes.map((each) => h("details", { class: "item" },
      h("summary", null, h("b", null, each.name), h("span", { class: "n" }, each.loaded
        ? `${plural(each.count, "interaction")}, ${each.unused} unused` : "not read yet")),
      each.warnings.map((text) => notice(text)),
      h("table", null, h("tbody", null, each.interactions.map((row) => h("tr", { class: row.served_here ? "" : "unused" },
        h("th", { scope: "row" }, `#${row.number}`), h("td", null, `${row.method} ${row.path}`), h("td", null, row.last),
        h("td", { class: "n" }, row.status), h("td", null, row.served_here ? "served" : row.served ? "served to others" : "unused"))))))),
  ].filter(Boolean);
}
