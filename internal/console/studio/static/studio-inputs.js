// inputs are the files that go into an order: dropped, uploaded or picked.
export function inputs(studio, changed, wrong) {
  const base = studio.dataset.base;
  const place = studio.querySelector(".bench");
  const picks = document.getElementById("picks");
  let picking = null; // the field that files are picked for

  async function upload(setting, files) {
    const drop = setting.querySelector(".drop");
    for (const file of files) {
      drop.classList.add("busy");
      const body = new FormData();
      body.append("file", file);
      try {
        const answer = await fetch(`${base}/files?kind=${setting.dataset.kind}`, { method: "POST", body, headers: { Accept: "application/json" } });
        if (answer.status === 201) put(setting, new DOMParser().parseFromString(await answer.text(), "text/html").body.firstElementChild);
        else wrong(setting.dataset.setting, (await answer.json()).error.message);
      } catch {
        wrong(setting.dataset.setting, "The file did not arrive. Try again.");
      } finally {
        drop.classList.remove("busy");
      }
    }
  }

  // put adds a file to its field. Where there is room for one, it takes its place.
  function put(setting, item) {
    const list = setting.querySelector("[data-given]");
    const most = Number(setting.dataset.most);
    while (list.children.length >= most) list.firstElementChild.remove();
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = list.dataset.given;
    input.value = item.dataset.file;
    item.append(input);
    list.append(item);
    changed();
  }

  const field = (e) => e.target.closest?.(".drop")?.closest("[data-setting]");
  place.addEventListener("dragover", (e) => {
    const setting = field(e);
    if (!setting) return;
    e.preventDefault();
    setting.querySelector(".drop").classList.add("over");
  });
  place.addEventListener("dragleave", (e) => field(e)?.querySelector(".drop").classList.remove("over"));
  place.addEventListener("drop", (e) => {
    const setting = field(e);
    if (!setting) return;
    e.preventDefault();
    setting.querySelector(".drop").classList.remove("over");
    upload(setting, [...e.dataTransfer.files]);
  });
  place.addEventListener("change", (e) => {
    if (e.target.type !== "file") return;
    upload(e.target.closest("[data-setting]"), [...e.target.files]);
    e.target.value = "";
  });
  place.addEventListener("paste", (e) => {
    const files = [...(e.clipboardData?.files || [])];
    const setting = files.length && place.querySelector(`[data-kind="${files[0].type.split("/")[0]}"]`);
    if (!setting) return;
    e.preventDefault();
    upload(setting, files);
  });
  place.addEventListener("click", async (e) => {
    if (e.target.closest("[data-remove]")) {
      e.target.closest("li").remove();
      changed();
    }
    const opener = e.target.closest("[data-pick]");
    if (!opener) return;
    picking = opener.closest("[data-setting]");
    picks.textContent = "";
    const answer = await fetch(`${base}/files?kind=${opener.dataset.pick}`, { headers: { Accept: "application/json" } }).catch(() => null);
    if (answer?.ok) picks.replaceChildren(...new DOMParser().parseFromString(await answer.text(), "text/html").body.childNodes);
  });
  picks.addEventListener("click", (e) => {
    const picked = e.target.closest("[data-picked]");
    if (!picked || !picking) return;
    put(picking, chip(picked));
    document.getElementById("picker").hidePopover();
  });
}

// chip is a picked file as the form shows it.
function chip(picked) {
  const item = document.createElement("li");
  item.className = "given-file";
  item.dataset.file = picked.dataset.picked;
  const art = document.createElement("span");
  art.className = "given-art";
  const shown = picked.querySelector("img, svg");
  if (shown) art.append(shown.cloneNode(true));
  const name = document.createElement("span");
  name.className = "given-name";
  name.textContent = picked.dataset.name;
  const remove = document.createElement("button");
  remove.type = "button";
  remove.className = "quiet";
  remove.dataset.remove = "";
  remove.textContent = "Remove";
  remove.setAttribute("aria-label", `Remove ${picked.dataset.name}`);
  item.append(art, name, remove);
  return item;
}
