// The verdict on the client, each finding with links to the requests that show it.

import { get } from "./api.js";
import { h, plural } from "./dom.js";

export class Verdict {
  constructor({ failed }) {
    this.failed = failed;
    this.found = h("div");
    this.sessions = h("datalist", { id: "judged-sessions" });
    this.session = h("input", { id: "judged", list: "judged-sessions", placeholder: "all sessions", autocomplete: "off",
      onchange: () => this.load() });
    this.node = h("div", { class: "verdict" }, this.sessions,
      h("div", { class: "row-of" }, h("h1", null, "Verdict on the client"),
        h("label", { for: "judged" }, "Session ", this.session)), this.found);
  }

  async load() {
    try {
      const [found, all] = await Promise.all([get("verdict", { session: this.session.value }), get("overview")]);
      this.sessions.replaceChildren(...all.sessions.map((value) => h("option", { value })));
      this.found.replaceChildren(
        h("p", { class: "lead" }, found.findings.length
          ? `${plural(found.findings.length, "finding")} in ${plural(found.requests, "request")} (${plural(found.calls, "call")}).`
          : `Nothing to object to in ${plural(found.requests, "request")}.`),
        h("ol", { class: "findings" }, found.findings.map(finding)));
    } catch (error) {
      this.failed(error);
    }
  }
}

function finding(each) {
  return h("li", { class: `card ${each.severity}` },
    h("p", null, h("span", { class: `tag ${each.severity}` }, each.severity), " ", h("b", null, each.rule), " ",
      h("span", { class: "faint" }, `session ${each.session}`)),
    h("p", { class: "words" }, each.message),
    h("p", { class: "evidence" }, each.evidence.map((request) =>
      h("a", { href: `#/requests/${encodeURIComponent(request.id)}`, title: request.arrived }, request.id))));
}
