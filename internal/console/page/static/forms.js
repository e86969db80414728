// Forms that change something. Each is sent once, however often its button is pressed, and the page is left only
// where the server takes the form: what was filled in is not lost with a session that has ended, and is not done in
// another workspace that was entered in another tab. Without JavaScript they are forms as any.
const present = document.querySelector('meta[name="stele-present"]')?.content;
const longest = 10_000; // ms that a form which was sent stays so: its sender may have stopped the browser
let sending = new Set(); // forms on their way
let asked; // the one that may go

addEventListener("pageshow", () => { sending = new Set(); });

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.getAttribute("method") !== "post") return;
  if (asked === form) {
    asked = undefined;
    mark(form);
    return;
  }
  event.preventDefault();
  if (sending.has(form)) return;
  sending.add(form);
  setTimeout(() => sending.delete(form), longest);
  setTimeout(() => send(form, event.submitter)); // while its event goes on a form cannot be sent
});

async function send(form, button) {
  form.querySelector("[data-unsent]")?.remove();
  const problem = form.hasAttribute("data-anywhere") ? undefined : await refusal();
  if (problem) {
    sending.delete(form);
    tell(form, problem);
    return;
  }
  asked = form;
  form.requestSubmit(button);
}

// mark gives what is sent a name, by which the server knows it should the browser send it again.
function mark(form) {
  if (form.getAttribute("enctype")) return; // with files; those that make something have a name of their own
  const field = form.querySelector('input[name="form_once"]') ?? form.appendChild(document.createElement("input"));
  field.type = "hidden";
  field.name = "form_once";
  field.value = Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
}

// refusal says why the server would not take a form of this page. Other troubles are for the server to tell.
async function refusal() {
  if (!present) return undefined;
  try {
    const response = await fetch(present, { headers: { Accept: "application/json" }, signal: AbortSignal.timeout(longest) });
    if (response.status === 401) return ["Your session has ended. What you filled in is still here: ", signIn(), " in another tab, then send it again."];
    if (response.status === 409) return [(await response.json()).error.message];
  } catch (error) {
    if (error.name !== "TimeoutError") return ["The server cannot be reached. What you filled in is still here: send it again in a moment."];
  }
  return undefined;
}

function signIn() {
  const link = document.createElement("a");
  link.href = present.replace(/present\?.*/, "signin");
  link.target = "_blank";
  link.textContent = "sign in";
  return link;
}

function tell(form, words) {
  const line = document.createElement("p");
  line.className = "problem";
  line.dataset.unsent = "";
  line.setAttribute("role", "alert");
  line.append(...words);
  const buttons = [...form.querySelectorAll(".choices")].at(-1);
  if (buttons) buttons.before(line);
  else form.append(line);
}
