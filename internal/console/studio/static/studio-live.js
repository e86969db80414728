// follow tells how generations go on, all in one stream: browsers allow only a few
// streams to one host. It gives a function that ends it.
export function follow(base, ids, { progress, end, gone }) {
  if (ids.length === 0) return () => {};
  const query = new URLSearchParams(ids.slice(0, 60).map((id) => ["id", id]));
  const stream = new EventSource(`${base}/events?${query}`);
  stream.addEventListener("progress", (e) => progress(JSON.parse(e.data)));
  stream.addEventListener("end", (e) => end(JSON.parse(e.data)));
  stream.addEventListener("gone", (e) => gone?.(JSON.parse(e.data)));
  stream.addEventListener("done", () => stream.close());
  return () => stream.close();
}

// advance shows how far something is.
export function advance(place, { percent, doing }) {
  const words = place.querySelector("[data-doing]");
  if (words) words.textContent = doing || "";
  const bar = place.querySelector("progress");
  if (bar) bar.value = percent;
}
