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
    head.title = [head.title, "click: sort"].filter(Boolean).join("\n");
    head.addEventListener("click", () => sort(table, head));
    head.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(table, head); }
    });
  }
}
const named = row => [...row.querySelectorAll("th:not(.r), .t")].map(cell => cell.textContent).join(" ");
const made = (name, words, more) => Object.assign(document.createElement(name), {textContent: words}, more);
const tools = made("div", "", {className: "tools"});
const find = made("input", "", {type: "search", className: "find", placeholder: "Filter rows"});
find.setAttribute("aria-label", "Filter rows: show only rows with this word");
const none = made("p", "", {className: "none"});
none.setAttribute("role", "status");
const holds = word => {
  let anything = !word;
  for (const body of document.querySelectorAll(".coleval table:not(.fixed) tbody")) {
    const rows = [...body.rows].map(row => [row, named(row).toLowerCase().includes(word)]);
    const anywhere = rows.some(([, has]) => has);
    anything ||= anywhere;
    for (const [row, has] of rows) row.hidden = anywhere && !has;
  }
  return anything;
};
find.addEventListener("input", () => {
  const word = find.value.trim().toLowerCase();
  none.textContent = holds(word) ? "" : `No row has \u201c${find.value.trim()}\u201d: all are shown.`;
});
const side = document.querySelector("nav.side");
if (document.querySelector(".coleval table.sorts")) tools.append(find, none);
// Chapters fold together; a link to what is folded, and paper, open it.
const folds = [...document.querySelectorAll("details.chapter:not([id])")];
if (folds.length > 1) {
  const fold = made("button", "Fold all chapters", {type: "button"});
  fold.addEventListener("click", () => {
    const open = folds.some(one => one.open);
    for (const one of folds) one.open = !open;
    fold.textContent = open ? "Unfold all chapters" : "Fold all chapters";
  });
  tools.append(fold);
}
if (tools.childNodes.length) side ? side.prepend(tools) : document.body.prepend(tools);
// On a narrow screen what was found comes before the contents.
const list = side && side.querySelector("ol");
if (list && matchMedia("(max-width: 61.99rem)").matches) {
  const contents = made("button", "Contents", {type: "button"});
  const turn = open => { list.hidden = !open; contents.setAttribute("aria-expanded", open); };
  contents.addEventListener("click", () => turn(list.hidden));
  turn(false);
  tools.append(contents);
}
const unfold = () => {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let at = place; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  const own = place && place.closest("details.chapter");
  if (own) own.open = true;
  if (place) place.scrollIntoView();
};
addEventListener("hashchange", unfold);
if (location.hash) unfold();
addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll(".coleval details")) one.open = true;
});
// The contents say which chapter is read.
if (side) {
  const places = [...side.querySelectorAll("a")].map(link =>
    [link, document.getElementById(decodeURIComponent(link.hash.slice(1)))]);
  const follow = () => {
    const above = places.filter(([, place]) =>
      place && place.getBoundingClientRect().top < innerHeight * .3);
    for (const [link] of places) link.removeAttribute("aria-current");
    if (above.length) above[above.length - 1][0].setAttribute("aria-current", "true");
  };
  let waiting = false;
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; follow(); });
  }, {passive: true});
}
// Numbers of charts: at once, and on a touch, where browsers show a title late or never.
const tip = made("div", "", {className: "tip", hidden: true});
tip.setAttribute("role", "tooltip");
document.querySelector(".coleval").append(tip);
const about = target => {
  const mark = target.closest && target.closest(".coleval-chart :has(> title)");
  if (!mark) return null;
  const title = mark.querySelector(":scope > title");
  mark.dataset.tip = title.textContent;
  mark.setAttribute("aria-label", title.textContent);
  title.remove();
  return mark;
};
// Of very many cells, names and numbers are written once, and found by where the pointer is.
const under = event => {
  const cells = event.target.closest && event.target.closest("g.cells");
  if (!cells) return "";
  const {grid, rows, columns, words, about} = cells.dataset;
  const [left, above, place, high] = grid.split(" ").map(Number);
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(cells.getScreenCTM().inverse());
  const [column, row] = [Math.floor((at.x - left) / place), Math.floor((at.y - above) / high)];
  const inside = text => Math.floor((text.getAttribute("x") - left) / place) === column &&
    Math.floor((text.getAttribute("y") - above) / high) === row;
  const there = () => ([...cells.querySelectorAll("text")].find(inside) || {}).textContent || "";
  const word = words ? (words.split("|")[row] || "").split(";")[column] || "" : there();
  return word && `${rows.split("|")[row]}\n${columns.split("|")[column]}\n${about}: ${word}`;
};
// Numbers that are too many to be written twice are put into their cells.
for (const map of document.querySelectorAll("g.cells[data-shown]")) {
  const {grid, words, shown} = map.dataset;
  const [left, above, place, high] = grid.split(" ").map(Number);
  const lines = (shown === "=" ? words : shown).split("|").map(line => line.split(";"));
  for (const path of map.querySelectorAll("path")) {
    for (const [, x, y, wide] of path.getAttribute("d").matchAll(/M([\d.]+),([\d.]+)h([\d.]+)/g)) {
      const row = Math.floor((y - above) / high), first = Math.round((x - left) / place);
      for (let at = first; at < first + wide / place; at++) {
        const text = document.createElementNS(map.namespaceURI, "text");
        text.setAttribute("x", left + place * at + Math.floor(place / 2));
        text.setAttribute("y", above + high * row + Math.floor(high / 2) + 4);
        text.textContent = lines[row][at];
        path.parentNode.append(text);
      }
    }
  }
}
const show = event => {
  const mark = about(event.target) || (event.target.closest && event.target.closest("[data-tip]"));
  const words = mark ? mark.dataset.tip : under(event);
  tip.hidden = !words;
  if (!words) return;
  tip.textContent = words;
  const {width, height} = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 4))}px`;
  const below = event.clientY + 16;
  tip.style.top = `${below + height < innerHeight ? below : event.clientY - height - 10}px`;
};
addEventListener("pointermove", show);
addEventListener("pointerdown", show);
addEventListener("scroll", () => { tip.hidden = true; }, true);
// Tables as they were counted, in full precision, from within the page.
const store = document.querySelector("template.tables");
if (store && window.DecompressionStream) {
  const bytes = Uint8Array.from(atob(store.dataset.csv), letter => letter.charCodeAt(0));
  const stream = () => new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const tables = async () => JSON.parse(await new Response(stream()).text());
  const names = store.dataset.names.split(" ");
  for (const line of document.querySelectorAll(".csv[data-csv]")) {
    const name = line.dataset.csv;
    if (!names.includes(name)) continue;
    const button = made("button", "Download csv", {type: "button"});
    button.addEventListener("click", async () => {
      const file = new Blob([(await tables())[name]], {type: "text/csv"});
      const link = made("a", "", {href: URL.createObjectURL(file), download: `${name}.csv`});
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
    line.prepend(button, " ");
  }
}
// Items: one kind at a time to begin with; those of a label, a dataset, wrong of a system, with a word.
for (const cards of document.querySelectorAll(".cards")) {
  const every = [...cards.querySelectorAll(".card")];
  const systems = cards.dataset.systems.split("\n");
  const wrongs = new Map();
  for (const card of every) {
    const wrong = new Set();
    for (const row of card.querySelectorAll("tr[data-by]")) {
      const who = row.dataset.by.split(" ");
      row.title = who.map(number => systems[number]).join("\n");
      if (row.classList.contains("wrong")) for (const number of who) wrong.add(number);
    }
    wrongs.set(card, wrong);
  }
  const values = name => [...new Set(every.map(card => card.dataset[name]).filter(Boolean))];
  const chooser = (title, all, pairs) => {
    const select = made("select", "");
    select.setAttribute("aria-label", title);
    select.append(...[["", all], ...pairs].map(([value, text]) => made("option", text, {value})));
    return select;
  };
  const same = list => list.map(text => [text, text]);
  const kind = chooser("which items", "all items", same(values("kind")));
  const label = chooser("gold label", "all labels", same(values("gold").sort()));
  const dataset = chooser("dataset", "all datasets", same(values("dataset")));
  const system = chooser("a system that is wrong", "any system", systems.map((name, k) => [String(k), `${name} is wrong`]));
  const word = made("input", "", {type: "search", placeholder: "Filter items"});
  word.setAttribute("aria-label", "Filter items: show only items with this word");
  const count = made("span", "", {className: "dim"});
  count.setAttribute("role", "status");
  const choose = () => {
    const text = word.value.trim().toLowerCase();
    let shown = 0;
    for (const card of every) {
      const {kind: own, gold, dataset: from} = card.dataset;
      const fits = (!kind.value || own === kind.value) && (!label.value || gold === label.value) &&
        (!dataset.value || from === dataset.value) &&
        (!system.value || wrongs.get(card).has(system.value)) &&
        (!text || card.textContent.toLowerCase().includes(text));
      card.hidden = !fits;
      shown += fits;
    }
    count.textContent = shown ? `${shown} of ${every.length}` : "No item fits: choose fewer filters.";
  };
  const bar = made("div", "", {className: "choose"});
  bar.append(kind, ...[label, dataset, system].filter(one => one.options.length > 2), word, count);
  for (const one of bar.children) one.addEventListener("input", choose);
  kind.value = values("kind")[0];
  cards.before(bar);
  choose();
}
