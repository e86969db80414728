// The playground: settings, the conversation, runs of one or two models.

import { calls, load, newTurn, panes, request, respeak, save, spokenText, trouble } from "./playground-talk.js";
import { Tray } from "./playground-files.js";
import { ask, newID } from "./playground-stream.js";
import { Answer, editor, given, make, question, results } from "./playground-view.js";
import { openCode } from "./playground-code.js";
import { starters, withSample } from "./playground-starters.js";

const root = document.getElementById("playground");
if (root) begin(root);

function begin(root) {
  const $ = (id) => document.getElementById(id);
  const { at, requests, whose, model: wanted } = root.dataset;
  const key = "stele.playground." + whose;
  const talk = load(key);
  const runs = new Map(); // pane → what aborts it
  const views = new WeakMap(); // step → how it is shown
  let editing = null; // the turn or the step that is being changed
  let kept = 0; // the timer of the next save

  const keep = () => { clearTimeout(kept); kept = setTimeout(() => save(key, talk), 200); };
  const running = () => runs.size > 0;

  // What is set.
  const options = $("options");
  for (const field of options.elements) if (field.name) field.value = talk.settings[field.name] ?? "";
  const take = () => {
    for (const field of options.elements) if (field.name) talk.settings[field.name] = field.value;
    $("schema-input").hidden = talk.settings.format !== "schema";
    const wrong = trouble(talk.settings);
    for (const name of ["tools", "schema"]) {
      $(name).setAttribute("aria-invalid", String(Boolean(wrong[name])));
      $(name + "-wrong").textContent = wrong[name] ?? "";
    }
    const set = Object.entries(talk.settings).filter(([name, value]) => value && name !== "schema").length;
    $("settings-sum").textContent = set ? `${set} set` : "";
    keep();
    return wrong;
  };
  options.addEventListener("input", take);
  options.addEventListener("submit", (e) => e.preventDefault());
  $("sample-tool").addEventListener("click", () => { $("tools").value = withSample($("tools").value); take(); });
  $("settings").open = matchMedia("(min-width: 70rem)").matches;

  // Which models.
  const selects = [$("model-0"), $("model-1")];
  const others = [$("other-0"), $("other-1")];
  selects.forEach((select, i) => {
    const listed = (id) => [...select.options].some((o) => o.value === id && id !== "…");
    const before = (i === 0 && wanted) || talk.models[i];
    if (before) {
      select.value = listed(before) ? before : "…";
      others[i].value = listed(before) ? "" : before;
    } else if (i === 1 && select.options.length > 2) {
      select.selectedIndex = 1;
    }
    const choose = () => {
      others[i].hidden = select.value !== "…";
      talk.models[i] = select.value === "…" ? others[i].value.trim() : select.value;
      keep();
    };
    select.addEventListener("change", () => { choose(); if (select.value === "…") others[i].focus(); });
    others[i].addEventListener("input", choose);
    choose();
  });
  const compare = () => {
    $("second").hidden = !talk.two;
    $("compare").textContent = talk.two ? "One model" : "Compare";
    root.classList.toggle("two", talk.two);
  };
  $("compare").addEventListener("click", () => { talk.two = !talk.two; compare(); render(); keep(); });

  // What is shown.
  function render() {
    $("turns").replaceChildren(...talk.turns.map(turnNode));
    $("blank").hidden = talk.turns.length > 0;
    $("clear").disabled = talk.turns.length === 0;
    busy();
  }
  function busy() {
    root.classList.toggle("busy", running());
    $("stop").hidden = !running();
    $("run").hidden = running();
  }
  function turnNode(turn, i) {
    const asked = editing === turn
      ? editor(turn.text, "Your message", "Run from here", (text) => { editing = null; turn.text = text; rerun(i); }, cancel)
      : question(turn, { edit: () => edit(turn), again: () => rerun(i), remove: () => { stop(); talk.turns.splice(i, 1); changed(); } });
    return make("section", { class: "turn", "aria-label": `Turn ${i + 1}` }, asked,
      make("div", { class: "replies" }, ...panes(talk).map((pane) => paneNode(turn, i, pane))));
  }
  // redraw is render for one answer: what somebody types beside it stays.
  function redraw(turn, pane) {
    const i = talk.turns.indexOf(turn);
    $("turns").children[i]?.querySelector(".replies").children[pane]?.replaceWith(paneNode(turn, i, pane));
    busy();
  }
  function paneNode(turn, i, pane) {
    const steps = turn.answers[pane];
    const node = make("div", { class: "pane" }, talk.two ? make("h2", {}, turn.by?.[pane] ?? talk.models[pane]) : null);
    for (const step of steps) {
      if (step.results) { node.append(given(step)); continue; }
      if (editing === step) {
        node.append(editor(spokenText(step), "The answer", "Keep", (text) => { editing = null; respeak(step, text); changed(); }, cancel));
        continue;
      }
      const view = new Answer(step, requests, () => edit(step));
      views.set(step, view);
      node.append(view.node);
    }
    if (!steps.length) node.append(make("p", { class: "hint" }, "Not asked."));
    const last = i === talk.turns.length - 1;
    const waits = last ? calls(steps) : [];
    if (waits.length && !runs.has(pane)) {
      node.append(results(waits, (list) => { steps.push({ results: list }); run(i, pane); back(); }));
    } else if (last && steps.length && !runs.has(pane) && ["length", "paused"].includes(steps.at(-1).end?.reason)) {
      node.append(make("button", { type: "button", class: "button small", onclick: () => send("Continue.", []) }, "Continue"));
    }
    return node;
  }
  function changed() { render(); keep(); back(); }
  function edit(what) { editing = what; render(); $("turns").querySelector(".editing textarea").focus(); }
  function cancel() { editing = null; changed(); }
  // back gives the keyboard back to the composer; on a phone that would open one.
  function back() { if (matchMedia("(pointer: fine)").matches) $("message").focus(); }

  // Runs.
  function ready() {
    const wrong = Object.values(take());
    const missing = panes(talk).some((p) => !talk.models[p]) ? "Choose a model first." : "";
    $("trouble").textContent = wrong[0] ? "Settings: " + wrong[0] : missing;
    if (wrong[0]) $("settings").open = true;
    return !wrong[0] && !missing;
  }
  function send(text, attached) {
    if (running() || !ready()) return false;
    const before = talk.turns.at(-1);
    for (const steps of before?.answers ?? []) {
      const open = calls(steps);
      if (open.length) steps.push({ results: open.map((c) => ({ id: c.id, name: c.name, text: "No result was given." })) });
    }
    talk.turns.push(newTurn(text, attached));
    runAll(talk.turns.length - 1);
    return true;
  }
  function rerun(i) {
    if (!ready()) { render(); return; }
    stop();
    editing = null;
    talk.turns.length = i + 1;
    talk.turns[i].answers = [[], []];
    runAll(i);
  }
  function runAll(i) {
    render();
    for (const pane of panes(talk)) run(i, pane);
    atEnd(true);
  }
  async function run(i, pane) {
    const turn = talk.turns[i];
    const body = request(talk, pane, i);
    const step = { said: [], running: true, request: newID() };
    const control = new AbortController();
    turn.answers[pane].push(step);
    (turn.by ??= [])[pane] = talk.models[pane];
    runs.set(pane, control);
    redraw(turn, pane);
    const began = performance.now();
    let drawn = 0;
    try {
      for await (const event of ask(at, body, step.request, control.signal)) {
        apply(step, event);
        drawn ||= requestAnimationFrame(() => { drawn = 0; const follow = atEnd(); views.get(step).update(); if (follow) atEnd(true); });
      }
    } catch (e) {
      if (control.signal.aborted) step.stopped = true;
      else step.error = { code: "cut", message: "The connection broke before the answer was complete. Run it again.", request: step.start?.request ?? step.request };
    }
    cancelAnimationFrame(drawn);
    delete step.running;
    step.took = step.end?.took_ms ?? Math.round(performance.now() - began);
    if (runs.get(pane) === control) runs.delete(pane);
    const follow = atEnd();
    redraw(turn, pane);
    if (follow) atEnd(true);
    $("said").textContent = step.error ? "The model could not answer." : step.stopped ? "Stopped." : "The answer is complete.";
    keep();
  }
  function apply(step, event) {
    const last = step.said.at(-1);
    switch (event.type) {
      case "start": step.start = event; break;
      case "open": step.said.push({ kind: event.kind, id: event.id, name: event.name, text: "" }); break;
      case "delta":
        last.text += event.text ?? "";
        if (event.citations) last.citations = [...(last.citations ?? []), ...event.citations];
        if (event.media) last.media = event.media;
        break;
      case "end": step.end = event; break;
      case "error": step.error = event; break;
    }
  }
  function stop() {
    for (const control of runs.values()) control.abort();
    runs.clear();
  }
  // atEnd tells whether the reader looks at the end, and goes there when told to.
  function atEnd(go) {
    const page = document.scrollingElement;
    if (go) page.scrollTo({ top: page.scrollHeight, behavior: "instant" });
    return page.scrollHeight - page.scrollTop - page.clientHeight < 80;
  }

  // The next message.
  const message = $("message");
  const grow = () => { message.rows = Math.min(10, Math.max(2, message.value.split("\n").length)); };
  message.value = talk.draft;
  message.addEventListener("input", () => { talk.draft = message.value; $("trouble").textContent = ""; grow(); keep(); });
  $("composer").addEventListener("submit", (e) => {
    e.preventDefault();
    if (!message.value.trim() && !tray.files.length) { $("trouble").textContent = "Write a message first."; message.focus(); return; }
    if (!send(message.value, tray.files)) return;
    message.value = talk.draft = "";
    tray.take();
    grow();
    back();
  });
  $("stop").addEventListener("click", stop);
  document.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); $("composer").requestSubmit(); }
    if (e.key === "Escape" && running() && !$("code").open) stop();
  });
  $("clear").addEventListener("click", () => { stop(); talk.turns = []; editing = null; changed(); });
  for (const b of document.querySelectorAll("[data-starter]")) {
    b.addEventListener("click", () => {
      const s = starters[b.dataset.starter];
      for (const [name, value] of Object.entries(s.settings ?? {})) options.elements[name].value = typeof value === "string" ? value : JSON.stringify(value, null, 2);
      if (s.tools) $("tools").value = JSON.stringify(s.tools, null, 2);
      take();
      message.value = talk.draft = s.text;
      grow();
      message.focus();
    });
  }

  const tray = new Tray({
    at, message, composer: $("composer"), place: $("attached"), input: $("files"),
    tell: (text) => { $("trouble").textContent = text; },
    busy: (name) => { root.classList.toggle("uploading", Boolean(name)); if (name) $("said").textContent = `${name} is being uploaded.`; },
  });

  openCode({ at, root, body: () => {
    if (!ready()) return null;
    const draft = message.value.trim() || tray.files.length || !talk.turns.length;
    const all = draft ? { ...talk, turns: [...talk.turns, newTurn(message.value || "Hello!", tray.files)] } : talk;
    const asked = request(all, 0);
    while (asked.messages.at(-1).role === "assistant") asked.messages.pop(); // the question, not its answer
    return asked;
  } });
  addEventListener("pagehide", () => save(key, talk));
  // What ran when the page was left runs no more.
  for (const turn of talk.turns) for (const steps of turn.answers) for (const step of steps) if (step.running) { delete step.running; step.stopped = true; }
  compare();
  take();
  grow();
  render();
  if (talk.turns.length) atEnd(true);
}
