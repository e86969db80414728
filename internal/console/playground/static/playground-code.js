// The request as code: the server writes it in the three dialects.

import { copied } from "./markdown.js";
import { refusal } from "./playground-stream.js";

export function openCode({ at, body }) {
  const box = document.getElementById("code");
  const place = document.getElementById("code-body");
  document.getElementById("show-code").addEventListener("click", async () => {
    const asked = body();
    if (!asked) return;
    const response = await fetch(at + "/code", {
      method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json" }, body: JSON.stringify(asked),
    });
    if (response.ok) {
      const page = new DOMParser().parseFromString(await response.text(), "text/html"); // the server's own template
      place.replaceChildren(...page.body.childNodes);
      wire(place);
    } else {
      const p = document.createElement("p");
      p.className = "problem";
      p.textContent = (await refusal(response)).message;
      place.replaceChildren(p);
    }
    box.showModal();
  });
  document.getElementById("close-code").addEventListener("click", () => box.close());
  box.addEventListener("click", (e) => { if (e.target === box) box.close(); });
}

function wire(place) {
  const tabs = [...place.querySelectorAll("[role=tab]")];
  const show = (tab) => {
    for (const t of tabs) {
      t.setAttribute("aria-selected", String(t === tab));
      t.tabIndex = t === tab ? 0 : -1;
      document.getElementById(t.getAttribute("aria-controls")).hidden = t !== tab;
    }
    tab.focus();
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => show(tab));
    tab.addEventListener("keydown", (e) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (step) show(tabs[(i + step + tabs.length) % tabs.length]);
    });
  });
  for (const b of place.querySelectorAll("[data-copies]")) {
    b.addEventListener("click", () => copied(b, document.getElementById(b.dataset.copies).textContent));
  }
}
