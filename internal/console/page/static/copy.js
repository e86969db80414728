// Copy buttons: data-copy names the element whose text is copied. Without
// JavaScript they stay hidden and the text can be selected by hand.
for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  const label = button.textContent;
  button.hidden = false;
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    button.textContent = (await copy(source)) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}

// copy leaves the text selected where it cannot write to the clipboard. The
// clipboard API is there only over TLS and on loopback.
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(source);
    return document.execCommand("copy");
  }
}
