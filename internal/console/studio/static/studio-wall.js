import { advance, follow } from "./studio-live.js";

// wall keeps the gallery alive: what is being made moves on, clips play under the
// pointer. It gives a function that hangs a new tile in front of all others.
export function wall(studio) {
  const base = studio.dataset.base;
  let followed = "";
  let stop = () => {};

  const watch = () => {
    const ids = [...studio.querySelectorAll(".piece[data-running]")].map((tile) => tile.id);
    if (ids.join() === followed) return;
    followed = ids.join();
    stop();
    stop = follow(base, ids, {
      progress: (e) => { const tile = document.getElementById(e.id); if (tile) advance(tile, e); },
      end: (e) => { replace(e.id, e.html); watch(); },
      gone: (e) => { document.getElementById(e.id)?.remove(); watch(); },
    });
  };

  studio.addEventListener("pointerover", (e) => {
    const tile = e.target.closest(".piece.video");
    if (tile && e.pointerType === "mouse" && !tile.contains(e.relatedTarget)) play(tile, true);
  });
  studio.addEventListener("pointerout", (e) => {
    const tile = e.target.closest(".piece.video");
    if (tile && e.pointerType === "mouse" && !tile.contains(e.relatedTarget)) play(tile, false);
  });
  studio.addEventListener("click", (e) => {
    const button = e.target.closest("[data-play]");
    if (!button) return;
    const on = button.getAttribute("aria-pressed") !== "true";
    if (button.dataset.play === "video") play(button.closest(".piece"), on);
    else sound(button, on);
  });
  // Files have their time. What is gone is said, not shown as broken.
  studio.addEventListener("error", (e) => {
    if (e.target.matches?.(".piece :is(img, video)")) e.target.closest(".piece-link").classList.add("gone");
  }, true);
  document.body.addEventListener("htmx:afterSwap", watch);
  watch();

  return (html) => {
    document.getElementById("nothing")?.remove();
    const tiles = document.getElementById("tiles");
    const tile = parse(html);
    if (document.getElementById(tile.id)) return; // sent twice, made once
    tiles.prepend(tile);
    watch();
  };
}

function parse(html) {
  return new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
}

function replace(id, html) {
  document.getElementById(id)?.replaceWith(parse(html));
}

function play(tile, on) {
  const clip = tile.querySelector("video");
  if (!clip) return;
  tile.querySelector("[data-play]")?.setAttribute("aria-pressed", on);
  if (on) clip.play().catch(() => {}); // the pointer may be gone again before it begins
  else clip.pause();
}

// One sound at a time.
const speaker = new Audio();
let sounding = null;
speaker.addEventListener("ended", silence);

function sound(button, on) {
  silence();
  if (!on) return;
  sounding = button;
  button.setAttribute("aria-pressed", "true");
  speaker.src = button.dataset.source;
  speaker.play().catch(silence);
}

function silence() {
  speaker.pause();
  sounding?.setAttribute("aria-pressed", "false");
  sounding = null;
}
