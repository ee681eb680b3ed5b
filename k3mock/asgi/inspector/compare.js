// A request three times, side by side: as received, as forwarded, as it takes effect.

import { h, plural, pretty } from "./dom.js";

const MOST = 1500;

export function comparison(entry) {
  const received = leaves(entry.received.body);
  const forwarded = entry.forwarded === null ? null : leaves(entry.forwarded);
  const effective = effects(entry.effective);
  const rows = joined(received, forwarded, effective);
  const defaults = rows.filter((row) => row.mark === "by default").length;
  const changed = rows.filter((row) => row.mark).length - defaults;
  const told = [changed ? plural(changed, "difference") : "no differences",
    defaults ? `${plural(defaults, "value")} by default` : ""].filter(Boolean).join(", ");
  const table = h("tbody", null, rows.slice(0, MOST).map(line));
  const only = h("input", { type: "checkbox", id: "only",
    onchange: () => table.classList.toggle("only", only.checked) });
  return h("div", { class: "compare" },
    h("div", { class: "row-of" },
      h("p", null, told),
      h("label", { for: "only" }, only, " differences only")),
    h("div", { class: "wide" }, h("table", null,
      h("thead", null, h("tr", null, ["Field", "Received", "Forwarded", "Effective"].map((name) =>
        h("th", { scope: "col" }, name)))), table)),
    rows.length > MOST ? h("p", { class: "faint" }, `… and ${rows.length - MOST} more`) : null,
    entry.forwarded === null ? h("p", { class: "faint" }, "Refused before it was understood: nothing was forwarded.") : null,
    block("Headers", entry.received.headers), block("Body as received", entry.received.body),
    entry.forwarded === null ? null : block("Body as forwarded", entry.forwarded));
}

function block(label, value) {
  return h("details", null, h("summary", null, label),
    h("pre", null, typeof value === "string" ? value : pretty(value)));
}

/** Every value of a body by its place; empty lists and objects are values. */
function leaves(value, place = "", found = new Map()) {
  if (value !== null && typeof value === "object" && Object.keys(value).length) {
    for (const [name, item] of Object.entries(value)) {
      leaves(item, Array.isArray(value) ? `${place}[${name}]` : place ? `${place}.${name}` : name, found);
    }
  } else if (place || value !== null) found.set(place || "body", JSON.stringify(value));
  return found;
}

function effects(given) {
  const found = leaves(given ?? {});
  const usage = found.get("include_usage");
  found.delete("include_usage");
  if (usage !== undefined) found.set("stream_options.include_usage", usage);
  found.delete("body");
  return found;
}

function joined(received, forwarded, effective) {
  const places = [...new Set([...received.keys(), ...(forwarded?.keys() ?? []), ...effective.keys()])];
  return places.map((place) => {
    const [was, passed, is] = [received.get(place), forwarded?.get(place), effective.get(place)];
    let mark = "";
    if (forwarded && was !== passed) mark = was === undefined ? "added" : passed === undefined ? "removed" : "changed";
    else if (is !== undefined && is !== was) mark = was === undefined ? "by default" : "changed";
    return { place, cells: [was, passed, is], mark };
  });
}

function line({ place, cells, mark }) {
  return h("tr", { class: mark.split(" ")[0] || "same" },
    h("th", { scope: "row" }, place, mark ? h("em", null, mark) : ""),
    cells.map((text) => h("td", null, text === undefined ? "" : text.length > 400 ? `${text.slice(0, 400)}…` : text)));
}
