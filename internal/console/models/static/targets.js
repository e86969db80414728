// The targets of a model: rows that can be added, removed and put into another
// order. Without JavaScript the rows that are there can still be filled in.
const rows = document.getElementById("targets");
const add = document.getElementById("add-target");
let made = rows.children.length;

for (const row of rows.children) ready(row);
settle();
add.hidden = false;
add.addEventListener("click", () => {
  const row = rows.lastElementChild.cloneNode(true);
  const n = made++;
  for (const field of row.querySelectorAll("select, input")) {
    const id = field.id.replace(/\d+$/, String(n));
    row.querySelector(`label[for="${field.id}"]`).htmlFor = id;
    field.id = id;
    field.value = field.name === "target_weight" ? "1" : "";
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
  row.querySelector(".wrong")?.remove();
  rows.append(row);
  ready(row);
  settle();
  row.querySelector("select").focus();
});

function ready(row) {
  row.querySelector("[data-moves]").hidden = false;
  const provider = row.querySelector("[data-provider]");
  provider.addEventListener("change", () => row.querySelector("[data-model]").setAttribute("list", "names-" + provider.value));
  row.querySelector("[data-up]").addEventListener("click", (e) => {
    row.previousElementSibling?.before(row);
    settle();
    e.currentTarget.focus();
  });
  row.querySelector("[data-down]").addEventListener("click", (e) => {
    row.nextElementSibling?.after(row);
    settle();
    e.currentTarget.focus();
  });
  row.querySelector("[data-remove]").addEventListener("click", () => {
    if (rows.children.length === 1) return;
    (row.previousElementSibling ?? row.nextElementSibling).querySelector("select").focus();
    row.remove();
    settle();
  });
}

// settle switches off the moves that lead nowhere.
function settle() {
  [...rows.children].forEach((row, i, all) => {
    row.querySelector("[data-up]").disabled = i === 0;
    row.querySelector("[data-down]").disabled = i === all.length - 1;
    row.querySelector("[data-remove]").disabled = all.length === 1;
  });
}
