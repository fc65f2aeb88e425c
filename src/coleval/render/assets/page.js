"use strict";
// Sorts by a column and shows only the rows that hold a word. Everything is there and readable
// without it; it makes its own controls, so that none is dead where no script runs.
const value = cell => {
  const text = cell.textContent.trim().replace(/,/g, "").replace(/\u2212/g, "-");
  const number =
    /^[<>\u2265\u2264]?\s*([-+]?\d*\.?\d+(?:e[-+]?\d+)?)\s*([kMG]?)/.exec(text);
  return number ? Number(number[1]) * ({k: 1e3, M: 1e6, G: 1e9}[number[2]] || 1) : NaN;
};
const compared = (a, b, words) => {
  if (words) return a.textContent.localeCompare(b.textContent);
  const [x, y] = [value(a), value(b)];
  return isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : x - y;
};
const sort = (table, head) => {
  const words = head.classList.contains("t"), at = head.cellIndex, body = table.tBodies[0];
  const orders = words ? ["ascending", "descending", ""] : ["descending", "ascending", ""];
  const order = orders[(orders.indexOf(head.getAttribute("aria-sort") || "") + 1) % 3];
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  if (order) head.setAttribute("aria-sort", order);
  const sign = order === "descending" ? -1 : 1;
  const rows = [...body.rows].sort((a, b) => {
    if (!order) return a.dataset.at - b.dataset.at;
    const by = compared(a.cells[at], b.cells[at], words);
    const blank = !words && isNaN(value(a.cells[at])) !== isNaN(value(b.cells[at]));
    return (blank ? by : sign * by) || a.dataset.at - b.dataset.at;
  });
  body.append(...rows);
};
for (const table of document.querySelectorAll(".coleval table:not(.fixed)")) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 2) continue;
  table.classList.add("sorts");
  rows.forEach((row, at) => { row.dataset.at = at; });
  for (const head of table.tHead.rows[0].cells) {
    if (rows.some(row => row.cells[head.cellIndex].querySelector(".bar"))) continue;
    head.tabIndex = 0;
    head.title = "sort";
    head.addEventListener("click", () => sort(table, head));
    head.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(table, head); }
    });
  }
}
const named = row => [...row.querySelectorAll(".t")].map(cell => cell.textContent).join(" ");
const find = document.createElement("input");
find.type = "search";
find.className = "find";
find.placeholder = "Filter rows";
find.setAttribute("aria-label", "Filter rows: show only rows with this word");
find.addEventListener("input", () => {
  const word = find.value.trim().toLowerCase();
  for (const body of document.querySelectorAll(".coleval table:not(.fixed) tbody")) {
    const rows = [...body.rows].map(row => [row, named(row).toLowerCase().includes(word)]);
    const anywhere = rows.some(([, has]) => has);
    for (const [row, has] of rows) row.hidden = anywhere && !has;
  }
});
if (document.querySelector(".coleval table.sorts")) document.body.prepend(find);
