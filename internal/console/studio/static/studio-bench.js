import { inputs } from "./studio-inputs.js";

// bench is the form: it changes with the model, tells its price while one fills it
// in, and orders without leaving the page.
export function bench(studio, hang) {
  const place = studio.querySelector(".bench");
  const base = studio.dataset.base;
  const form = () => place.querySelector("form");
  let asked = 0;
  let timer;

  const estimate = () => {
    clearTimeout(timer);
    timer = setTimeout(price, 350);
  };

  async function price() {
    const turn = ++asked;
    const answer = await fetch(`${base}/price`, { method: "POST", body: filled(form()), headers: { Accept: "application/json" } })
      .then((r) => (r.ok ? r.json() : null)).catch(() => null);
    if (!answer || turn !== asked) return; // a later one is on its way
    tell(form(), answer.missing ? null : answer);
    const line = document.getElementById("estimate");
    if (!line) return;
    line.replaceChildren();
    if (answer.price) {
      const strong = document.createElement("strong");
      strong.textContent = answer.price;
      line.append(strong, answer.credits ? ` · ${answer.credits.toLocaleString("en")} credits` : "");
    } else {
      line.append(answer.missing ? "Fill in what is missing" : "Something is not right yet");
    }
  }

  async function order(sent) {
    const button = sent.querySelector("#make");
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    clearTimeout(timer);
    asked++;
    try {
      const answer = await fetch(sent.action, {
        method: "POST", body: filled(sent), headers: { Accept: "application/json", "X-Requested-By": "studio" },
      });
      if (answer.status === 201) {
        sent.elements["form-token"].value = answer.headers.get("X-Form-Token");
        tell(sent, null);
        hang(await answer.text());
        price();
        if (matchMedia("(max-width: 72rem)").matches) document.getElementById("gallery").scrollIntoView();
      } else if (answer.status === 401) {
        location.reload();
      } else {
        const problem = await answer.json();
        tell(sent, problem.error || problem, true);
      }
    } catch {
      tell(sent, { message: "The server cannot be reached. Try again." }, true);
    } finally {
      button.removeAttribute("aria-disabled");
    }
  }

  // Another model or mode: the form is replaced, the words stay.
  async function change(link) {
    const words = form().elements.prompt?.value;
    const answer = await fetch(link.dataset.form, { headers: { Accept: "application/json" } }).catch(() => null);
    if (!answer?.ok) { location.assign(link.href); return; }
    place.replaceChildren(...new DOMParser().parseFromString(await answer.text(), "text/html").body.childNodes);
    const prompt = form().elements.prompt;
    if (prompt && words && !prompt.value) prompt.value = words;
    history.replaceState(null, "", link.href);
    place.querySelector(".models-menu > summary").focus();
    price();
  }

  place.addEventListener("click", (e) => {
    const link = e.target.closest("a[data-form]");
    if (link && !e.ctrlKey && !e.metaKey && !e.shiftKey) {
      e.preventDefault();
      change(link);
    }
    const dice = e.target.closest("[data-dice]");
    if (dice) {
      const seed = document.getElementById(dice.dataset.dice);
      const most = Number(seed.max) || 4294967295;
      seed.value = Math.floor(Math.random() * (Math.min(most, 4294967295) + 1));
      estimate();
    }
  });
  place.addEventListener("input", (e) => {
    if (e.target.id === "model-search") { search(place, e.target.value); return; }
    pair(place, e.target);
    estimate();
  });
  place.addEventListener("submit", (e) => {
    e.preventDefault();
    order(e.target);
  });
  place.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && e.target.id === "model-search") {
      e.preventDefault();
      place.querySelector(".model-item:not([hidden])")?.click();
    } else if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); order(form()); }
    if (e.key === "Escape") place.querySelector(".models-menu").open = false;
  });
  place.addEventListener("toggle", (e) => {
    if (e.target.matches(".models-menu") && e.target.open) place.querySelector("#model-search").focus();
  }, true);
  inputs(studio, estimate, (name, message) => tell(form(), { field: name, message }));
  price();
}

function filled(form) {
  return new URLSearchParams(new FormData(form));
}

// tell shows what is wrong, beside its field, and takes back what was told before.
function tell(form, problem, loudly) {
  for (const line of form.querySelectorAll("[data-problem]")) {
    line.hidden = true;
    line.closest("[data-setting]").querySelector("[aria-invalid]")?.removeAttribute("aria-invalid");
  }
  const general = form.querySelector("#order-problem");
  general.hidden = true;
  if (!problem?.message) return;
  const field = problem.field || problem.details?.field;
  const line = field && form.querySelector(`[data-problem="${CSS.escape(field)}"]`);
  if (!line) {
    general.textContent = problem.message;
    general.hidden = false;
    if (loudly) general.scrollIntoView({ block: "nearest" });
    return;
  }
  line.textContent = problem.missing ? "This is needed." : problem.message;
  line.hidden = false;
  const input = form.querySelector(`#set-${CSS.escape(field)}`);
  input?.setAttribute("aria-invalid", "true");
  if (loudly) {
    const folded = line.closest("details");
    if (folded) folded.open = true;
    (input || line).focus?.();
    line.scrollIntoView({ block: "nearest" });
  }
}

// pair keeps a slider and its number the same.
function pair(place, moved) {
  if (moved.dataset.slides) document.getElementById(moved.dataset.slides).value = moved.value;
  else if (moved.id) {
    const slider = place.querySelector(`[data-slides="${CSS.escape(moved.id)}"]`);
    if (slider) slider.value = moved.value || moved.dataset.usual;
  }
}

function search(place, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const group of place.querySelectorAll(".model-group")) {
    let some = 0;
    for (const item of group.querySelectorAll(".model-item")) {
      const all = item.dataset.words.toLowerCase();
      item.hidden = !words.every((word) => all.includes(word));
      if (!item.hidden) some++;
    }
    group.hidden = some === 0;
    found += some;
  }
  place.querySelector(".nothing").hidden = found > 0;
}
