// Files that go with the next message: picked, pasted or dropped.

import { upload } from "./playground-stream.js";
import { chip, make } from "./playground-view.js";

// Tray holds what is attached.
export class Tray {
  constructor({ at, place, input, message, composer, tell, busy }) {
    Object.assign(this, { at, place, message, tell, busy, files: [] });
    if (!input) return; // nothing can be attached here
    input.addEventListener("change", async () => { await this.add([...input.files]); input.value = ""; });
    message.addEventListener("paste", (e) => {
      if (!e.clipboardData.files.length) return;
      e.preventDefault();
      this.add([...e.clipboardData.files]);
    });
    composer.addEventListener("dragover", (e) => e.preventDefault());
    composer.addEventListener("drop", (e) => { e.preventDefault(); this.add([...e.dataTransfer.files]); });
  }

  async add(list) {
    for (const file of list) {
      this.tell("");
      this.busy(file.name);
      try { this.files.push(await upload(this.at, file)); } catch (e) { this.tell(`${file.name}: ${e.message}`); }
      this.busy("");
      this.show();
    }
  }

  take() {
    const { files } = this;
    this.files = [];
    this.show();
    return files;
  }

  show() {
    this.place.replaceChildren(...this.files.map((f) => make("li", {}, chip(f, () => {
      this.files = this.files.filter((g) => g !== f);
      this.show();
      this.message.focus();
    }))));
  }
}
