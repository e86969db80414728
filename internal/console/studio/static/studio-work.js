import { advance, follow } from "./studio-live.js";

// work is the page of one thing: it moves on while that is made, shows pictures in
// full size, draws sounds, and leads left and right.
export function work(page) {
  if ("running" in page.dataset) {
    const stage = page.querySelector(".stage");
    const stop = follow(page.dataset.base, [page.dataset.id], {
      progress: (e) => advance(stage, e), end: () => location.reload(), gone: () => location.assign(page.dataset.base),
    });
    // Who cancels or deletes leaves the page, and a reload would cut that off.
    page.addEventListener("submit", stop);
  }
  const box = page.querySelector(".lightbox");
  const large = box.querySelector("img");
  page.addEventListener("click", (e) => {
    const zoom = e.target.closest("[data-zoom]");
    if (zoom) {
      large.src = zoom.dataset.zoom;
      large.classList.remove("whole");
      box.showModal();
    } else if (e.target === large && !large.classList.contains("whole") && large.naturalWidth > innerWidth) {
      large.classList.add("whole"); // pixel by pixel
    } else if (e.target.closest(".lightbox")) {
      box.close();
    }
  });
  document.addEventListener("keydown", (e) => {
    if (e.altKey || e.ctrlKey || e.metaKey || e.target.closest?.("input, textarea, select, video, audio, [popover], pre")) return;
    const way = { ArrowLeft: "prev", ArrowRight: "next" }[e.key];
    const link = way && page.querySelector(`a[rel=${way}]`);
    if (link && !box.open) link.click();
  });
  for (const wave of page.querySelectorAll("[data-wave]")) draw(wave).catch(() => wave.remove());
}

const bars = 120;

// draw makes a picture of a sound: the loudest of each of its parts. It goes on with
// the player, and a click goes there.
async function draw(wave) {
  const player = wave.parentElement.querySelector("audio");
  const bytes = await (await fetch(wave.dataset.wave)).arrayBuffer();
  const sound = await new OfflineAudioContext(1, 1, 22050).decodeAudioData(bytes);
  const samples = sound.getChannelData(0);
  const span = Math.max(1, Math.floor(samples.length / bars));
  const peaks = Array.from({ length: bars }, (_, i) => {
    let peak = 0;
    for (let n = i * span; n < (i + 1) * span; n += 16) peak = Math.max(peak, Math.abs(samples[n] || 0));
    return peak;
  });
  const loudest = Math.max(...peaks, 0.01);
  const list = peaks.map((peak, i) => {
    const height = Math.max(2, (peak / loudest) * 76);
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ x: i * 5 + 1, y: 40 - height / 2, width: 3, height, rx: 1.5 })) bar.setAttribute(name, value);
    return bar;
  });
  wave.replaceChildren(...list);
  player.addEventListener("timeupdate", () => {
    const at = (player.currentTime / (player.duration || 1)) * bars;
    list.forEach((bar, i) => bar.classList.toggle("played", i < at));
  });
  wave.addEventListener("click", (e) => {
    const edge = wave.getBoundingClientRect();
    player.currentTime = ((e.clientX - edge.left) / edge.width) * player.duration;
    player.play();
  });
}
