// Builds elements. Text goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

const whole = new Intl.NumberFormat("en");

export function count(value) {
  return value === null || value === undefined ? "–" : whole.format(value);
}

export function plural(value, one, many = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Milliseconds as people read them: 0.4 ms, 312 ms, 4.21 s, 2 min 5 s. */
export function span(ms) {
  if (ms === null || ms === undefined) return "–";
  const size = Math.abs(ms);
  if (size < 10) return `${ms.toFixed(size < 0.05 ? 0 : 1)} ms`;
  if (size < 1000) return `${Math.round(ms)} ms`;
  if (size < 60_000) return `${(ms / 1000).toFixed(2)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export function clock(seconds, fine = true) {
  const at = new Date(seconds * 1000);
  const two = (value) => String(value).padStart(2, "0");
  const text = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return fine ? `${text}.${String(at.getMilliseconds()).padStart(3, "0")}` : text;
}

export function tone(status, end) {
  if (end === null) return "running";
  if (status === null) return "none";
  if (status >= 500) return "bad";
  return status >= 400 ? "warn" : "good";
}

export function pill(status, end = "") {
  const shown = end === null && status === null ? "···" : (status ?? "none");
  return h("span", { class: `pill ${tone(status, end)}` }, shown);
}

export function button(label, action, attributes = {}) {
  return h("button", { type: "button", onclick: action, ...attributes }, label);
}

/** A button that asks once more before it acts. */
export function careful(label, action) {
  let timer = 0;
  const calm = () => {
    clearTimeout(timer);
    timer = 0;
    made.textContent = label;
    made.classList.remove("sure");
  };
  const made = button(label, () => {
    if (timer) {
      calm();
      action();
      return;
    }
    made.textContent = "Sure?";
    made.classList.add("sure");
    timer = setTimeout(calm, 3000);
  });
  return made;
}

export function pretty(value) {
  return JSON.stringify(value, null, 2);
}

/** Arguments of a call, pretty where they are whole JSON. */
export function argumentsText(value) {
  if (typeof value !== "string") return pretty(value ?? {});
  try {
    return pretty(JSON.parse(value));
  } catch {
    return value;
  }
}

/** Bytes as text: carriage returns show, and so does an event that has no end. */
export function bytesText(data) {
  const shown = data.replaceAll("\r", "␍");
  return /\n\s*\n$/.test(data.replaceAll("\r", "")) ? shown.replace(/[\s␍]+$/, "") : shown;
}

export function notice(message, kind = "") {
  return h("p", { class: `notice ${kind}`, role: kind === "bad" ? "alert" : "status" }, message);
}

/** Tabs that arrow keys move between; `panels` is a list of [name, label, build]. */
export function tabs(label, panels, chosen, onchange) {
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": label });
  const body = h("div", { class: "panel", role: "tabpanel", tabindex: 0 });
  const buttons = panels.map(([name, shown]) =>
    button(shown, () => choose(name), { role: "tab", id: `tab-${name}` }));
  const choose = (name, focus = false) => {
    panels.forEach(([each, , build], at) => {
      const on = each === name;
      buttons[at].setAttribute("aria-selected", on);
      buttons[at].tabIndex = on ? 0 : -1;
      if (!on) return;
      if (focus) buttons[at].focus();
      body.setAttribute("aria-labelledby", `tab-${name}`);
      body.replaceChildren(build());
    });
    onchange(name);
  };
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = buttons.indexOf(document.activeElement);
    choose(panels[(at + step + panels.length) % panels.length][0], true);
  });
  list.append(...buttons);
  choose(panels.some(([name]) => name === chosen) ? chosen : panels[0][0]);
  return { list, body, choose };
}
