// The conversation: what was said, what is set, and how that becomes a request.
//
// A turn is a message of the person and, for each pane, the steps of the answer: what
// the model said, the results of the tools it called, what it said then.

const empty = () => ({ models: ["", ""], two: false, settings: {}, turns: [], draft: "" });

export function load(key) {
  try {
    return { ...empty(), ...JSON.parse(sessionStorage.getItem(key) ?? "{}") };
  } catch {
    return empty();
  }
}

// save keeps the conversation for a reload. Pictures that models made may be too
// large for that: they are left out then, and in the worst case everything is.
export function save(key, talk) {
  const light = (name, value) => (name === "base64" ? undefined : value);
  for (const replacer of [undefined, light]) {
    try {
      sessionStorage.setItem(key, JSON.stringify(talk, replacer));
      return;
    } catch { /* try it with less */ }
  }
}

export const panes = (talk) => (talk.two ? [0, 1] : [0]);

export const newTurn = (text, files) => ({ text, files, answers: [[], []] });

// calls are the tools that a pane waits for, in its last step.
export const calls = (steps) => wholeCalls(steps.at(-1));

// wholeCalls are the calls of a step; one that was broken off may have half of one.
const wholeCalls = (step) => (step?.end ? step.said.filter((b) => b.kind === "tool") : []);

// request is what a pane asks its model, up to and including a turn.
export function request(talk, pane, upTo = talk.turns.length - 1) {
  const s = talk.settings;
  const body = { model: talk.models[pane], messages: messages(talk, pane, upTo), stream: true };
  if (s.temperature) body.temperature = Number(s.temperature);
  if (s.max_tokens) body.max_completion_tokens = Number(s.max_tokens);
  if (s.effort) body.reasoning_effort = s.effort;
  const stop = (s.stops ?? "").split("\n").filter(Boolean);
  if (stop.length) body.stop = stop;
  if (s.format === "json") body.response_format = { type: "json_object" };
  if (s.format === "schema" && s.schema?.trim()) {
    body.response_format = { type: "json_schema", json_schema: { name: "answer", schema: JSON.parse(s.schema) } };
  }
  if (s.tools?.trim()) body.tools = JSON.parse(s.tools);
  return body;
}

function messages(talk, pane, upTo) {
  const list = [];
  if (talk.settings.system?.trim()) list.push({ role: "system", content: talk.settings.system });
  for (const turn of talk.turns.slice(0, upTo + 1)) {
    list.push({ role: "user", content: content(turn) });
    for (const step of turn.answers[pane]) list.push(...spoken(step));
  }
  return list;
}

function content(turn) {
  if (!turn.files.length) return turn.text;
  const parts = turn.files.map((f) => ({ type: "file", file: { file_id: f.id } }));
  if (turn.text) parts.push({ type: "text", text: turn.text });
  return parts;
}

// spoken is a step as messages. Thoughts are not sent back: the server keeps those
// that a model wants to see again.
function spoken(step) {
  if (step.results) return step.results.map((r) => ({ role: "tool", tool_call_id: r.id, content: r.text }));
  const text = spokenText(step);
  const refusal = step.said.filter((b) => b.kind === "refusal").map((b) => b.text).join("");
  const tools = wholeCalls(step).map((b) => ({
    id: b.id, type: "function", function: { name: b.name, arguments: b.text || "{}" },
  }));
  if (!text && !refusal && !tools.length) return [];
  const message = { role: "assistant", content: text || null };
  if (refusal) message.refusal = refusal;
  if (tools.length) message.tool_calls = tools;
  return [message];
}

// spokenText is what a step says in words.
export const spokenText = (step) => step.said.filter((b) => b.kind === "text").map((b) => b.text).join("");

// respeak puts other words into a model's mouth: the next request says them.
export function respeak(step, text) {
  const at = step.said.findIndex((b) => b.kind === "text");
  step.said = step.said.filter((b, i) => b.kind !== "text" || i === at);
  step.said[at] = { kind: "text", text };
  step.changed = true;
}

// trouble is what is wrong with the settings, by the field it is about.
export function trouble(settings) {
  const wrong = {};
  const check = (name, text, fits, otherwise) => {
    if (!text?.trim()) return;
    try {
      if (!fits(JSON.parse(text))) wrong[name] = otherwise;
    } catch (e) {
      wrong[name] = "Not JSON yet: " + e.message;
    }
  };
  check("tools", settings.tools, Array.isArray, "A list is expected: it begins with [.");
  if (settings.format === "schema") {
    check("schema", settings.schema, (v) => v && typeof v === "object" && !Array.isArray(v), "An object is expected: it begins with {.");
    if (!settings.schema?.trim()) wrong.schema = "Write the schema that the answer must fit.";
  }
  return wrong;
}
