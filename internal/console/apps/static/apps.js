// The form of an app, and the page of a run. Without this module files are named
// in a plain field, and everything else works as it is.

for (const field of document.querySelectorAll("[data-media]")) fileField(field);

// fileField puts a shelf of files over the field that names them.
function fileField(field) {
  const text = field.querySelector("textarea");
  const shelf = field.querySelector(".app-files");
  const form = text.form;
  const { media } = field.dataset;
  const many = "many" in field.dataset;
  const files = [...field.querySelector("template").content.querySelectorAll("span")].map((s) => ({ ...s.dataset }));
  const word = { image: "picture", video: "clip", audio: "sound" }[media] ?? "file";
  const label = field.querySelector("label");
  text.hidden = true;
  label.htmlFor = `${text.id}-choose`;
  for (const plain of field.querySelectorAll(".app-plain")) plain.hidden = true;
  shelf.hidden = false;

  const choose = element("input", { type: "file", accept: `${media}/*`, multiple: many, id: `${text.id}-choose` });
  choose.classList.add("app-choose");
  const pick = element("button", { type: "button", className: "button small", textContent: `Choose a ${word} from here` });
  const state = element("p", { className: "hint" });
  state.setAttribute("aria-live", "polite");
  const list = element("ul", { className: "app-chosen" });
  const picks = element("div", { className: "app-picks", hidden: true });
  const row = element("div", { className: "app-file-row" });
  row.append(choose, pick);
  shelf.append(list, row, state, picks);

  choose.addEventListener("change", async () => {
    for (const file of choose.files) await upload(file);
    choose.value = "";
  });
  pick.addEventListener("click", async () => {
    picks.hidden = !picks.hidden;
    pick.setAttribute("aria-expanded", String(!picks.hidden));
    if (picks.hidden) return;
    const answer = await fetch(`${form.dataset.files}?kind=${media}`, { headers: { "HX-Request": "true" } });
    picks.innerHTML = answer.ok ? await answer.text() : "";
  });
  picks.addEventListener("click", (event) => {
    const button = event.target.closest("[data-id]");
    if (button) add({ ...button.dataset });
  });
  for (const kind of ["dragover", "drop"]) {
    field.addEventListener(kind, (event) => {
      event.preventDefault();
      if (kind === "drop") for (const file of event.dataTransfer.files) upload(file);
    });
  }
  show();

  async function upload(file) {
    state.textContent = `Sending ${file.name}…`;
    const body = new FormData();
    body.append("file", file, file.name);
    try {
      const answer = await fetch(`${form.dataset.files}?kind=${media}`, { method: "POST", body, headers: { Accept: "application/json" } });
      const told = await answer.json();
      if (!answer.ok) throw new Error(told.error?.message);
      state.textContent = "";
      add(told);
    } catch (problem) {
      state.textContent = problem.message || `${file.name} could not be sent. Try it again.`;
    }
  }

  function add(file) {
    if (!many) files.length = 0;
    if (!files.some((f) => f.id === file.id)) files.push(file);
    show();
    form.dispatchEvent(new Event("change", { bubbles: true }));
  }

  function show() {
    text.value = files.map((f) => f.id).join("\n");
    list.replaceChildren(...files.map((file, place) => {
      const item = element("li", {});
      if (file.kind === "image") item.append(element("img", { src: file.url, alt: "" }));
      item.append(element("span", { textContent: file.name }));
      const away = element("button", { type: "button", className: "quiet", textContent: "Remove" });
      away.setAttribute("aria-label", `Remove ${file.name}`);
      away.addEventListener("click", () => {
        files.splice(place, 1);
        show();
        form.dispatchEvent(new Event("change", { bubbles: true }));
      });
      item.append(away);
      return item;
    }));
  }
}

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

// What somebody unfolded stays so when the page of a run is renewed.
let unfolded = [];
document.body.addEventListener("htmx:beforeSwap", () => {
  unfolded = [...document.querySelectorAll("#live details[open]")].map((d) => d.id);
});
document.body.addEventListener("htmx:afterSwap", () => {
  for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
});
