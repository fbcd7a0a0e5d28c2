"use strict";
// Sorting and filtering of a table that is complete without this script.
(() => {
  const table = document.getElementById("board");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const tools = document.getElementById("tools");
  const status = document.getElementById("shown");
  const value = (row, i) => row.cells[i].dataset.sort ?? row.cells[i].textContent.trim().toLowerCase();
  heads.forEach((head, i) => {
    if (!head.dataset.kind) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const number = head.dataset.kind === "number";
      // The first click shows the best first: high figures, but low ranks and names from A.
      const first = head.dataset.first ?? (number ? "descending" : "ascending");
      const other = first === "ascending" ? "descending" : "ascending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const place = new Map(rows.map((row, n) => [row, n]));
      const sorted = [...rows].sort((a, b) => {
        const [x, y] = [value(a, i), value(b, i)];
        if (number) {
          // What is not known comes last, whatever the order.
          if (x === "" || y === "") return (x === "") - (y === "") || place.get(a) - place.get(b);
          return sign * (Number(x) - Number(y)) || place.get(a) - place.get(b);
        }
        return sign * x.localeCompare(y) || place.get(a) - place.get(b);
      });
      body.append(...sorted);
    });
  });
  const search = document.getElementById("search");
  const tier = document.getElementById("tier");
  const standard = document.getElementById("standard");
  const unflagged = document.getElementById("unflagged");
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.dataset.text.toLowerCase();
      const keep = words.every((word) => text.includes(word)) && (!tier.value || row.dataset.tier === tier.value)
        && (!standard.checked || row.dataset.protocol === "standard") && (!unflagged.checked || row.dataset.flags === "0");
      row.hidden = !keep;
      shown += keep;
    }
    status.textContent = `${shown} of ${rows.length} entries`;
  };
  for (const control of [search, tier, standard, unflagged]) control.addEventListener("input", filter);
  tools.hidden = false;
  filter();
})();
