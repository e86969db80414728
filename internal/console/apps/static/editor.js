// The editor of apps: a plain textarea with the same text in colours behind it,
// numbers beside it, and marks where the server found something wrong.

// What a line of YAML is made of: expressions, texts, remarks, names, values.
const tokens = /(\$\{[^}]*\}?)|("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|(^|\s)(#.*$)|(^\s*(?:- )?|[{,]\s*)([\w.-]+)(:(?=\s|$))|(?<=[\s[,:]|^)(-?\d+(?:\.\d+)?|true|false|null)(?=[\s\],}]|$)/g;

for (const editor of document.querySelectorAll("[data-editor]")) open(editor);

function open(editor) {
  const text = editor.querySelector("textarea");
  const ink = editor.querySelector(".editor-ink");
  const gutter = editor.querySelector(".editor-gutter");
  const problems = document.getElementById("problems");
  const state = document.getElementById("editor-state");
  const form = text.form;
  let wrong = new Map();
  let saved = text.value;
  editor.classList.add("live");

  const draw = () => {
    const lines = text.value.split("\n");
    ink.replaceChildren(...lines.map((line, at) => {
      const row = document.createElement("span");
      row.className = wrong.has(at + 1) ? "row bad" : "row";
      row.append(...colour(line), "\n");
      return row;
    }));
    if (gutter.childElementCount !== lines.length || gutter.dataset.wrong !== [...wrong.keys()].join()) {
      gutter.dataset.wrong = [...wrong.keys()].join();
      gutter.replaceChildren(...lines.map((_, at) => {
        const number = document.createElement("span");
        number.textContent = String(at + 1);
        if (wrong.has(at + 1)) {
          number.className = "bad";
          number.title = wrong.get(at + 1);
        }
        return number;
      }));
    }
  };

  const mark = () => {
    wrong = new Map([...(problems?.querySelectorAll("[data-line]") ?? [])]
      .map((b) => [Number(b.dataset.line), b.textContent.trim()]).filter(([line]) => line > 0));
    draw();
  };

  const changed = () => text.value !== saved;
  text.addEventListener("input", () => {
    draw();
    if (state) state.textContent = changed() ? "Not saved" : "";
  });
  mark();
  if (text.readOnly) return;

  document.body.addEventListener("htmx:afterSwap", (event) => { if (event.detail.target === problems) mark(); });
  problems.addEventListener("click", (event) => {
    const to = event.target.closest("[data-line]");
    if (to) jump(Number(to.dataset.line), Number(to.dataset.column));
  });

  // jump puts the cursor where something is wrong, and that into sight.
  const jump = (line, column) => {
    const lines = text.value.split("\n");
    const at = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0) + Math.max(0, [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length);
    text.focus({ preventScroll: true });
    text.setSelectionRange(at, at);
    ink.children[line - 1]?.scrollIntoView({ block: "center", inline: "nearest" });
  };

  // insert writes into the text so that the browser's own undo knows of it.
  const insert = (words) => {
    text.focus({ preventScroll: true });
    if (!document.execCommand("insertText", false, words)) {
      text.setRangeText(words, text.selectionStart, text.selectionEnd, "end");
      text.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };

  // A whole block begins on a line of its own, below the one that is written in.
  for (const button of document.querySelectorAll("[data-insert]")) {
    button.addEventListener("click", () => {
      const words = button.dataset.insert;
      if (words.includes("\n")) {
        const rest = text.value.indexOf("\n", text.selectionStart);
        const end = rest < 0 ? text.value.length : rest;
        const begin = text.value.lastIndexOf("\n", text.selectionStart - 1) + 1;
        const empty = text.value.slice(begin, end).trim() === "";
        text.setSelectionRange(empty ? begin : end, end);
        insert((empty ? "" : "\n") + words.replace(/\n$/, ""));
      } else {
        insert(words);
      }
    });
  }

  text.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      event.preventDefault();
      form.requestSubmit(form.querySelector("[data-save]"));
    } else if (event.key === "Enter" && !event.isComposing && !event.ctrlKey && !event.metaKey) {
      const begin = text.value.lastIndexOf("\n", text.selectionStart - 1) + 1;
      const line = text.value.slice(begin, text.selectionStart);
      event.preventDefault();
      insert("\n" + /^ */.exec(line)[0] + (/:\s*$/.test(line) ? "  " : ""));
    } else if (event.key === "Escape") {
      leave = true;
    } else if (event.key === "Tab" && !event.shiftKey && !leave) { // Escape, then Tab, goes on to the next field
      event.preventDefault();
      insert("  ");
    } else if (event.key !== "Shift") {
      leave = false;
    }
  });
  let leave = false;

  addEventListener("submit", (event) => { if (event.target === form && !event.defaultPrevented) saved = text.value; }); // it goes
  addEventListener("beforeunload", (event) => { if (changed()) event.preventDefault(); });
}

// colour cuts a line of YAML into pieces, as far as one line tells.
function colour(line) {
  const pieces = [];
  let last = 0;
  for (const m of line.matchAll(tokens)) {
    pieces.push(line.slice(last, m.index));
    last = m.index + m[0].length;
    if (m[1]) pieces.push(span("v", m[1]));
    else if (m[2]) pieces.push(span("s", m[2]));
    else if (m[4]) pieces.push(m[3], span("comment", m[4]));
    else if (m[6]) pieces.push(m[5], span("k", m[6]), m[7]);
    else pieces.push(span("v", m[0]));
  }
  pieces.push(line.slice(last));
  return pieces;
}

function span(kind, words) {
  const s = document.createElement("span");
  s.className = kind;
  s.textContent = words;
  return s;
}
