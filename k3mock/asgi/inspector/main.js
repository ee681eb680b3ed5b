// Starts the page, follows the server, and goes where the address says.

import { ApiError, events, get, useKey } from "./api.js";
import { Controls } from "./controls.js";
import { Detail } from "./detail.js";
import { h, notice } from "./dom.js";
import { Requests } from "./requests.js";
import { Verdict } from "./verdict.js";

const view = document.getElementById("view");
const live = document.getElementById("live");

const requests = new Requests({ open: (id) => go(`requests/${encodeURIComponent(id)}`), failed });
const controls = new Controls({ failed });
const verdict = new Verdict({ failed });
const detail = new Detail({
  back: () => go("requests"),
  step: (by) => {
    const row = requests.table.beside(detail.id, by);
    if (row) go(`requests/${encodeURIComponent(row.id)}/${detail.tab ?? ""}`);
  },
  tab: (id, name) => history.replaceState(null, "", `#/requests/${encodeURIComponent(id)}/${name}`),
  failed,
});

function go(path) {
  location.hash = `#/${path}`;
}

let shown = null;

function route() {
  const [name = "requests", id, tab] = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);
  for (const link of document.querySelectorAll("[data-view]")) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  detail.leave();
  if (name === "controls") show(controls.node, () => controls.load());
  else if (name === "verdict") show(verdict.node, () => verdict.load());
  else if (id) show(detail.node, () => detail.show(id, tab));
  else show(requests.node, () => {
    requests.table.draw();
    requests.table.body.focus({ preventScroll: true });
  });
}

function show(node, begin) {
  if (shown !== node) view.replaceChildren(node);
  shown = node;
  begin();
  if (node === detail.node) view.focus({ preventScroll: true });
  if (node !== requests.node) view.scrollTop = 0;
}

function failed(error, place) {
  if (error instanceof ApiError && error.status === 401) ask();
  else if (error instanceof ApiError && error.status === 404 && place) {
    place.replaceChildren(notice(error.message), h("a", { href: "#/requests" }, "← Requests"));
  } else if (error instanceof ApiError && error.status) (place ?? view).prepend(notice(error.message, "bad"));
  else if (!(error instanceof ApiError)) throw error;
}

/** Asks for the control key; it stays in this tab. */
function ask(message = "") {
  const input = h("input", { type: "password", id: "key", autocomplete: "off", required: true });
  view.replaceChildren(h("form", { class: "card key", onsubmit: (event) => {
    event.preventDefault();
    useKey(input.value);
    start();
  } },
  h("h1", null, "Control key"), h("p", null, "This server was started with --control-key. The key stays in this tab."),
  h("label", { for: "key" }, "Key ", input), h("button", { class: "main" }, "Open"),
  message ? notice(message, "bad") : null));
  shown = null;
  state("closed", "locked");
  input.focus();
}

function state(kind, label) {
  live.className = `live ${kind}`;
  live.lastElementChild.textContent = label;
}

let following = null;

async function follow() {
  following?.abort();
  const own = (following = new AbortController());
  for (let wait = 500; !own.signal.aborted; wait = Math.min(5000, wait * 2)) {
    try {
      const query = { ...requests.query(), view: "brief", from: "arrival" };
      state("on", "live");
      for await (const event of events("events", query, own.signal)) {
        wait = 500;
        if (event.name === "dropped") requests.reload();
        else if (event.data) requests.take(event.data);
      }
      if (!own.signal.aborted) state("off", "reconnecting");
    } catch (error) {
      if (own.signal.aborted) return;
      if (error instanceof ApiError && error.status === 401) return;
      state("off", error instanceof ApiError && error.status ? error.message : "not connected");
    }
    await new Promise((done) => setTimeout(done, wait));
    if (!own.signal.aborted) {
      // What happened meanwhile is in the journal; this also follows anew.
      requests.reload();
      return;
    }
  }
}

requests.followed = follow;

async function start() {
  try {
    const health = await get("health");
    document.getElementById("server").textContent = `${health.profile} · ${health.version}`;
    document.getElementById("server").title = health.tokenizer;
    await get("requests", { limit: 1, view: "brief" });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) ask(sessionStorage.length ? "That is not the key." : "");
    else {
      state("off", "not connected");
      view.replaceChildren(notice(error.message, "bad"));
      setTimeout(start, 3000);
    }
    return;
  }
  route();
  await requests.reload();
}

document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  if (event.key === "Escape") {
    if (typing) requests.table.body.focus();
    else if (shown === detail.node) detail.back();
  } else if (typing) return;
  else if (event.key === "/") {
    event.preventDefault();
    if (shown !== requests.node) go("requests");
    requestAnimationFrame(() => requests.search.focus());
  } else if (shown === detail.node && event.key === "j") detail.step(1);
  else if (shown === detail.node && event.key === "k") detail.step(-1);
});

window.addEventListener("hashchange", route);
start();
