// Markdown as models write it, made into nodes. Nothing here ever parses HTML: what
// a model says can only become text. Links lead to the web or to mail, nowhere else.

// markdown shows text in a place, and leaves alone what has not changed there: a
// growing answer is drawn again at its end only.
export function markdown(place, text) {
  const blocks = split(text.split("\n"));
  blocks.forEach((block, i) => {
    const before = place.children[i];
    if (before && before.source === block.source) return;
    const node = block.make();
    node.source = block.source;
    if (before) before.replaceWith(node);
    else place.append(node);
  });
  while (place.children.length > blocks.length) place.lastElementChild.remove();
}

const fence = /^ {0,3}(`{3,}|~{3,})\s*(\S*)/;
const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const rule = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const quote = /^ {0,3}> ?/;
const item = /^(\s*)([-*+]|\d{1,9}[.)])(\s+)(?=\S)/;
const divider = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

// split finds the blocks of some lines, each with its source and a way to make it.
function split(lines) {
  const blocks = [];
  const take = (from, to, make) => blocks.push({ source: lines.slice(from, to).join("\n"), make });
  for (let i = 0; i < lines.length;) {
    const from = i;
    const line = lines[i];
    const fenced = line.match(fence);
    const titled = line.match(heading);
    if (!line.trim()) {
      i++;
    } else if (fenced) {
      for (i++; i < lines.length && !closes(lines[i], fenced[1]); i++);
      const code = lines.slice(from + 1, i).join("\n");
      i++;
      take(from, i, () => codeBlock(code, fenced[2]));
    } else if (titled) {
      i++;
      take(from, i, () => node("h" + Math.min(titled[1].length + 2, 6), inline(titled[2])));
    } else if (rule.test(line)) {
      i++;
      take(from, i, () => node("hr"));
    } else if (quote.test(line)) {
      for (i++; i < lines.length && lines[i].trim(); i++);
      const inner = lines.slice(from, i).map((l) => l.replace(quote, ""));
      take(from, i, () => nest(node("blockquote"), inner));
    } else if (line.includes("|") && divider.test(lines[i + 1] ?? "") && lines[i + 1].includes("-")) {
      for (i += 2; i < lines.length && lines[i].includes("|"); i++);
      const rows = lines.slice(from, i);
      take(from, i, () => table(rows));
    } else if (item.test(line)) {
      i = endOfList(lines, i);
      const inner = lines.slice(from, i);
      take(from, i, () => list(inner));
    } else {
      for (i++; i < lines.length && !begins(lines, i); i++);
      const text = lines.slice(from, i).map((l) => l.trim()).join("\n");
      take(from, i, () => node("p", inline(text)));
    }
  }
  return blocks;
}

const closes = (line, mark) => line.trim().startsWith(mark) && !line.trim().slice(mark.length).replaceAll(mark[0], "");

// begins tells whether a paragraph ends before a line.
function begins(lines, i) {
  const line = lines[i];
  return !line.trim() || fence.test(line) || heading.test(line) || rule.test(line) || quote.test(line) || item.test(line);
}

// endOfList is the first line that no longer belongs to a list.
function endOfList(lines, i) {
  for (i++; i < lines.length; i++) {
    const line = lines[i];
    if (item.test(line) || /^\s+\S/.test(line)) continue;
    if (line.trim()) {
      if (!lines[i - 1].trim() || begins(lines, i)) return i;
      continue; // a lazy line of the item before
    }
    const next = lines[i + 1] ?? "";
    if (!item.test(next) && !/^\s+\S/.test(next)) return i;
  }
  return i;
}

function list(lines) {
  const first = lines[0].match(item);
  const ordered = /\d/.test(first[2]);
  const whole = node(ordered ? "ol" : "ul");
  if (ordered && parseInt(first[2], 10) !== 1) whole.start = parseInt(first[2], 10);
  let inner = null;
  const close = () => { if (inner) whole.append(nest(node("li"), inner, true)); };
  let depth = 0;
  for (const line of lines) {
    const m = line.match(item);
    if (m && (!inner || m[1].length < depth)) {
      close();
      depth = m[0].length;
      inner = [line.slice(m[0].length)];
    } else {
      inner.push(line.replace(new RegExp(`^\\s{0,${depth}}`), ""));
    }
  }
  close();
  return whole;
}

// nest puts the blocks of some lines into a node; a lone paragraph of a list's item
// only as its words.
function nest(place, lines, tight) {
  const blocks = split(lines);
  blocks.forEach((block, i) => {
    const made = block.make();
    if (tight && i === 0 && made.tagName === "P") place.append(...made.childNodes);
    else place.append(made);
  });
  return place;
}

function table(rows) {
  const cells = (row) => row.trim().replace(/^\||(?<!\\)\|$/g, "").split(/(?<!\\)\|/).map((c) => c.trim().replaceAll("\\|", "|"));
  const line = (row, tag) => node("tr", cells(row).map((c) => node(tag, inline(c))));
  const scroll = node("div", [node("table", [
    node("thead", [line(rows[0], "th")]),
    node("tbody", rows.slice(2).map((r) => line(r, "td"))),
  ])]);
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  return scroll;
}

function codeBlock(text, language) {
  const code = node("code", [text]);
  const button = node("button", ["Copy"]);
  button.type = "button";
  button.className = "button small";
  button.addEventListener("click", () => copied(button, text));
  const box = node("div", [node("p", [language || "code"]), button, node("pre", [code])]);
  box.className = "code";
  box.querySelector("pre").tabIndex = 0;
  return box;
}

// copied writes text to the clipboard and says on the button whether it did.
export async function copied(button, text) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    button.after(area);
    area.select();
    button.textContent = document.execCommand("copy") ? "Copied" : "Not copied";
    area.remove();
  }
  setTimeout(() => { button.textContent = label; }, 2000);
}

const marks = new RegExp([
  /\\([\\`*_{}[\]()#+\-.!|~<>])/, // 1: escaped
  /(`+)([^`]|[^`][\s\S]*?[^`])\2(?!`)/, // 2, 3: code
  /!?\[((?:[^[\]]|\[[^[\]]*\])*)\]\(\s*<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+"[^"]*")?\s*\)/, // 4, 5: link
  /\*\*(?=\S)([\s\S]*?\S)\*\*(?!\*)/, // 6: strong
  /(?<!\w)__(?=\S)([\s\S]*?\S)__(?!\w)/, // 7: strong
  /~~(?=\S)([\s\S]*?\S)~~/, // 8: struck
  /\*(?=[^\s*])([\s\S]*?[^\s*])\*(?!\*)/, // 9: emphasis
  /(?<!\w)_(?=\S)([\s\S]*?\S)_(?!\w)/, // 10: emphasis
  /(https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]*_])/, // 11: address
  /(\n)/, // 12: line break
].map((r) => r.source).join("|"), "g");

// inline is a text's words with their emphasis, code and links.
function inline(text) {
  const out = [];
  let last = 0;
  for (const m of text.matchAll(marks)) {
    if (m.index > last) out.push(text.slice(last, m.index));
    last = m.index + m[0].length;
    if (m[1]) out.push(m[1]);
    else if (m[3]) out.push(node("code", [m[3]]));
    else if (m[5] !== undefined) out.push(...link(m[5], m[4] ? inline(m[4]) : [m[5]]));
    else if (m[6] || m[7]) out.push(node("strong", inline(m[6] || m[7])));
    else if (m[8]) out.push(node("del", inline(m[8])));
    else if (m[9] || m[10]) out.push(node("em", inline(m[9] || m[10])));
    else if (m[11]) out.push(...link(m[11], [m[11]]));
    else out.push(node("br"));
  }
  if (last < text.length) out.push(text.slice(last));
  return out;
}

// link leads to the web or to mail; whatever else a model writes stays words.
export function link(address, words) {
  let url;
  try { url = new URL(address); } catch { return words; }
  if (!["http:", "https:", "mailto:"].includes(url.protocol)) return words;
  const a = node("a", words);
  a.href = url.href;
  a.target = "_blank";
  a.rel = "noopener noreferrer nofollow";
  return [a];
}

function node(tag, children = []) {
  const n = document.createElement(tag);
  n.append(...children);
  return n;
}
