// How the conversation looks. Everything is made of nodes; nothing a model says is
// ever read as HTML.

import { copied, link, markdown } from "./markdown.js";
import { spokenText } from "./playground-talk.js";

// make is a node with properties and children; "class" and names with a dash are attributes.
export function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class" || name.includes("-") || name === "role") node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
  return node;
}

const button = (label, click, kind = "quiet") => make("button", { type: "button", class: kind, onclick: click }, label);

// question is the person's message.
export function question(turn, actions) {
  const files = turn.files.length ? make("ul", { class: "attached" }, ...turn.files.map((f) => make("li", {}, chip(f)))) : null;
  return make("article", { class: "question", "aria-label": "You" },
    files, turn.text ? make("div", { class: "spoken" }, turn.text) : null,
    make("div", { class: "acts-line" },
      button("Edit", actions.edit), button("Run again", actions.again), button("Delete", actions.remove)));
}

// editor takes the place of a message while it is changed.
export function editor(text, label, act, done, cancel) {
  const area = make("textarea", { value: text, rows: Math.min(16, text.split("\n").length + 2), "aria-label": label });
  area.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); e.stopPropagation(); done(area.value); }
    if (e.key === "Escape") { e.stopPropagation(); cancel(); }
  });
  return make("div", { class: "editing" }, area, make("div", { class: "choices" },
    button("Cancel", cancel, "button small"), button(act, () => done(area.value), "button small primary")));
}

// chip is an attached file, with its picture where it is one.
export function chip(file, remove) {
  const size = file.size > 1 << 20 ? (file.size / (1 << 20)).toFixed(1) + " MB" : Math.max(1, Math.round(file.size / 1024)) + " KB";
  return make("span", { class: "chip" },
    file.kind === "image" ? make("img", { src: file.url, alt: "", width: 36, height: 36, loading: "lazy" }) : null,
    make("span", {}, make("strong", {}, file.name), make("small", {}, `${file.kind}, ${size}`)),
    remove ? make("button", { type: "button", class: "quiet", "aria-label": "Remove " + file.name, onclick: remove }, "Remove") : null);
}

// Answer shows one step of a model's answer and follows it while it grows.
export class Answer {
  constructor(step, requests, edit) {
    Object.assign(this, { step, requests, edit });
    this.parts = make("div", { class: "parts" });
    this.foot = make("footer", { class: "answer-foot" });
    this.node = make("div", { class: "answer" }, this.parts, this.foot);
    this.shown = [];
    this.update();
  }

  update() {
    const { step } = this;
    step.said.forEach((block, i) => {
      this.shown[i] ??= this.part(block);
      const last = i === step.said.length - 1;
      this.shown[i].update(block, last && step.running, last && !step.end);
    });
    this.node.classList.toggle("running", Boolean(step.running));
    this.node.setAttribute("aria-busy", String(Boolean(step.running)));
    if (step.running) {
      this.foot.replaceChildren(step.said.length ? "" : make("span", { class: "waiting" }, "Waiting for the first word"));
      return;
    }
    this.foot.replaceChildren(...ending(step, this.requests, this.edit));
  }

  part(block) {
    const view = (kinds[block.kind] ?? other)(block);
    this.parts.append(view.node);
    return view;
  }
}

const kinds = {
  text() {
    const words = make("div", { class: "spoken md" });
    const json = make("code");
    const box = make("div", { class: "code", hidden: true }, make("p", {}, "JSON"), make("pre", { tabIndex: 0 }, json));
    const sources = make("ol", { class: "sources", hidden: true, "aria-label": "Sources" });
    let drawn = -1;
    return {
      node: make("div", {}, words, box, sources),
      update(block, _, unfinished) {
        const data = isJSON(block.text, unfinished);
        box.hidden = !data;
        words.hidden = data;
        if (data) json.textContent = pretty(block.text);
        else if (block.text.length !== drawn) markdown(words, block.text);
        drawn = data ? -1 : block.text.length;
        const cited = block.citations ?? [];
        sources.hidden = !cited.length;
        if (sources.children.length !== cited.length) sources.replaceChildren(...cited.map(source));
      },
    };
  },
  thinking(block) {
    const words = make("div", { class: "spoken" });
    const label = make("span", {}, "Thinking");
    const fold = make("details", { class: "thinking", open: Boolean(block.open) }, make("summary", {}, label), words);
    fold.addEventListener("toggle", () => { block.open = fold.open; });
    return {
      node: fold,
      update(block, growing) {
        words.textContent = block.text || "The model does not show its thoughts.";
        label.textContent = growing ? "Thinking…" : "Thought" + (block.text ? `, ${block.text.trim().split(/\s+/).length} words` : "");
      },
    };
  },
  hidden: () => fixed(make("p", { class: "hint" }, "Thoughts that only the model’s provider can read.")),
  tool(block) {
    const code = make("code");
    const box = make("div", { class: "code call" }, make("p", {}, make("span", { class: "badge cool" }, "calls"), " ", make("code", {}, block.name)), make("pre", { tabIndex: 0 }, code));
    return { node: box, update(b) { code.textContent = pretty(b.text); } };
  },
  refusal() {
    const words = make("div", { class: "spoken" });
    return {
      node: make("div", { class: "callout" }, make("strong", {}, "The model declined"), words),
      update(block) { words.textContent = block.text; },
    };
  },
  image() {
    const img = make("img", { alt: "A picture that the model made", class: "made" });
    return {
      node: img,
      update(block) {
        const at = block.media?.base64 ? `data:${block.media.mime};base64,${block.media.base64}` : "";
        if (at && img.src !== at) img.src = at;
        img.hidden = !at;
      },
    };
  },
};

const fixed = (node) => ({ node, update() {} });
const other = (block) => {
  const words = make("p", { class: "hint" });
  return { node: words, update(b) { words.textContent = `(${b.kind}${b.media?.mime ? ", " + b.media.mime : ""}: not shown here) ${b.text}`; }, block };
};

// isJSON tells an answer that is data from one in words: one without an end by how it begins.
function isJSON(text, unfinished) {
  if (!/^\s*[{[]/.test(text)) return false;
  if (unfinished) return /^\s*[{[]\s*(["{[\]}]|$)/.test(text);
  try { return typeof JSON.parse(text) === "object"; } catch { return false; }
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text || "{}"; }
}

const source = (c) => make("li", {}, ...(c.url ? link(c.url, [c.title || c.url]) : [c.title || "Attached document"]), c.quote ? make("q", {}, c.quote) : null);

const endings = {
  length: ["warn", "Cut off at the most tokens"], stop: ["", "Ended at a stop sequence"], refused: ["warn", "Declined"],
  paused: ["warn", "Paused by the provider"], failed: ["bad", "The model produced something unusable"], other: ["", "Ended"],
};

// ending is what is said below an answer: how it ended, what it took, what was lost.
function ending(step, requests, edit) {
  const rows = [];
  if (step.error) rows.push(failure(step.error, requests));
  const marks = [];
  if (step.changed) marks.push(make("span", { class: "badge" }, "Changed by you"));
  if (step.stopped) marks.push(make("span", { class: "badge warn" }, "Stopped"));
  const [kind, words] = endings[step.end?.reason] ?? [];
  const declined = step.said.some((b) => b.kind === "refusal"); // it has said so already
  if (words && !declined) marks.push(make("span", { class: "badge " + kind }, words));
  if (step.end?.explanation && !declined) marks.push(make("span", { class: "hint" }, step.end.explanation));
  if (marks.length) rows.push(make("p", { class: "badges" }, ...marks));
  rows.push(figures(step, requests, edit));
  const lost = step.start?.dropped ?? [];
  if (lost.length) {
    const matters = lost.filter((l) => l.verb !== "ignored").length;
    rows.push(make("details", { class: "lost" },
      make("summary", {}, matters ? `${matters} of your settings did not arrive as set` : "All that matters arrived"),
      make("ul", { class: "losses" }, ...lost.map((l) => make("li", {},
        make("span", { class: "badge " + (l.verb === "dropped" ? "bad" : l.verb === "ignored" ? "" : "warn") }, l.verb), " ",
        make("strong", {}, l.what), " ", l.note ? make("span", { class: "hint" }, l.note) : null)))));
  }
  return rows;
}

function failure(e, requests) {
  return make("div", { class: "failed" },
    make("p", {}, make("code", {}, e.code), e.status ? make("span", { class: "hint" }, String(e.status)) : null),
    make("p", {}, e.message, e.retry_after ? ` Try again in ${e.retry_after} s.` : ""),
    e.request ? make("p", { class: "hint" }, "Request ", requestLink(e.request, requests)) : null);
}

const requestLink = (id, requests) => (requests ? make("a", { href: requests + encodeURIComponent(id) }, id) : make("code", {}, id));

const ms = (n) => (n < 1 ? "<1 ms" : n < 1000 ? `${n} ms` : `${(n / 1000).toFixed(n < 10000 ? 2 : 1)} s`);
const count = (n) => n.toLocaleString("en");

// figures are the tokens, the price and the times of an answer.
function figures(step, requests, edit) {
  const list = make("dl", { class: "figures" });
  const add = (name, value, title) => value && list.append(make("div", title ? { title } : {}, make("dt", {}, name), make("dd", {}, value)));
  const u = step.end?.usage;
  if (u) {
    const about = u.estimated ? "≈ " : "";
    const told = u.estimated ? "The provider did not say: estimated" : "";
    add("in", about + count(u.input), told);
    if (u.cache_read) add("cache read", count(u.cache_read));
    if (u.cache_write) add("cache written", count(u.cache_write));
    if (u.reasoning) add("thought", count(u.reasoning));
    add("out", about + count(u.output), told);
    add("cost", step.end.cost || "not priced");
  }
  if (step.start) add("first byte", ms(step.start.first_byte_ms));
  if (step.took !== undefined) add("total", ms(step.took));
  add("by", step.start?.served);
  const id = step.start?.request ?? step.request;
  if (id && !step.error) add("request", requestLink(id, requests), id);
  const text = spokenText(step);
  if (text) {
    list.append(make("div", { class: "copy-it" }, make("dt", { class: "hidden" }, "Do"),
      make("dd", {}, button("Copy", (e) => copied(e.target, text)), button("Edit", edit))));
  }
  return list;
}

const picks = [["It worked", '{"ok": true}'], ["Nothing found", "[]"], ["It failed", '{"error": "not available"}']];

// results asks for what the called tools returned.
export function results(calls, send) {
  const areas = calls.map((call) => {
    const area = make("textarea", {
      rows: 2, spellcheck: false, value: call.draft ?? "", "aria-label": `Result of ${call.name}`, placeholder: "What the tool returns",
    });
    area.addEventListener("input", () => { call.draft = area.value; });
    return { call, area };
  });
  const form = make("form", { class: "results panel" }, ...areas.map(({ call, area }) => make("div", { class: "input" },
    make("div", { class: "label-line" }, make("strong", {}, "Result of ", make("code", {}, call.name)),
      make("span", { class: "picks-line" }, ...picks.map(([label, text]) => button(label, () => { area.value = call.draft = text; area.focus(); })))),
    area)), make("div", { class: "choices" }, make("button", { class: "button small primary" }, areas.length > 1 ? "Send results" : "Send result")));
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    send(areas.map(({ call, area }) => ({ id: call.id, name: call.name, text: area.value })));
  });
  return form;
}

// given shows results that were sent.
export const given = (step) => make("div", { class: "given" }, ...step.results.map((r) => make("div", { class: "code" },
  make("p", {}, make("span", { class: "badge" }, "result"), " ", make("code", {}, r.name)), make("pre", { tabIndex: 0 }, make("code", {}, r.text || "(nothing)")))));
