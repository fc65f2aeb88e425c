// From numbers to their items. A number says which items it counts: a condition in SQL over the
// columns of the item table. The page has these columns as codes, and reads what conditions need:
// and, or, not, brackets; = <> < <= > >=, in, between, ilike, is null, is distinct from.
const NO_NUMBER = -(2 ** 31);
const OUTCOMES = ["absent", "spurious", "missed", "mislabelled", "correct"];
const PAGE_OF_ITEMS = 50;
const block = document.querySelector("template.items");
// The items are in the page, or in a file beside it, which a server must give out.
const unpacked = async ({items, file}) => {
  const bytes = items && Uint8Array.from(atob(items), letter => letter.charCodeAt(0));
  const data = bytes ? new Blob([bytes]) : await (await fetch(file)).blob();
  const stream = data.stream().pipeThrough(new DecompressionStream("deflate"));
  return itemTable(await new Response(stream).arrayBuffer());
};
// The table: a head in JSON behind its length, then the codes of one column after another.
const itemTable = buffer => {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const columns = new Map();
  let at = 4 + length;
  for (const {name, size, values, whole} of head.columns) {
    const Codes = {1: Uint8Array, 2: Uint16Array, 4: whole ? Int32Array : Uint32Array}[size];
    const codes = new Codes(buffer.slice(at, at + head.items * size));
    // Differences become numbers; both sides wrap at 32 bits.
    if (whole) for (let row = 1; row < codes.length; row++) codes[row] += codes[row - 1];
    columns.set(name.toLowerCase(), {name, codes, values: whole ? null : values || head.labels});
    at += head.items * size;
  }
  const gold = columns.get("gold").codes;
  const outcome = column => {
    const answers = columns.get(column).codes, codes = new Uint8Array(head.items);
    for (let row = 0; row < head.items; row++) {
      const [there, said] = [gold[row], answers[row]];
      codes[row] = there ? (said ? (there === said ? 4 : 3) : 2) : said ? 1 : 0;
    }
    return {name: `outcome_${column}`, codes, values: OUTCOMES};
  };
  const column = name => {
    const key = name.toLowerCase();
    if (!columns.has(key) && key.startsWith("outcome_") && columns.has(key.slice(8))) {
      columns.set(key, outcome(key.slice(8)));
    }
    return columns.get(key);
  };
  const value = (name, row) => {
    const known = column(name);
    if (!known) return null;
    const code = known.codes[row];
    return known.values ? known.values[code] : code === NO_NUMBER ? null : code;
  };
  return {...head, column, value, names: [...columns.values()].map(one => one.name)};
};

// Conditions. Each part becomes a function from a row to true, false or null, as SQL has it.
const WORD = /\s*(?:("(?:[^"]|"")*")|('(?:[^']|'')*')|(-?\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(<>|!=|<=|>=|[=<>(),]))/y;
const words = text => {
  const found = [];
  WORD.lastIndex = 0;
  while (WORD.lastIndex < text.trimEnd().length) {
    const start = WORD.lastIndex, match = WORD.exec(text);
    if (!match) throw new Error(`cannot read “${text.slice(start, start + 20)}”`);
    const [, name, string, number, plain, sign] = match;
    found.push({
      start: WORD.lastIndex - (name || string || number || plain || sign).length,
      end: WORD.lastIndex,
      name: name ? name.slice(1, -1).replace(/""/g, '"') : plain,
      string: string && string.slice(1, -1).replace(/''/g, "'"),
      number: number && Number(number),
      key: (plain || sign || "").toLowerCase(),
    });
  }
  return found;
};
const TESTS = {
  "=": (x, y) => x === y, "<>": (x, y) => x !== y, "!=": (x, y) => x !== y,
  "<": (x, y) => x < y, "<=": (x, y) => x <= y, ">": (x, y) => x > y, ">=": (x, y) => x >= y,
};
const tested = (sign, x, y) => {
  if (x === null || y === null) return null;
  if (typeof x === "number" || typeof y === "number") return TESTS[sign](Number(x), Number(y));
  return TESTS[sign](String(x), String(y));
};
const opposite = x => (x === null ? null : !x);
const both = (x, y) => (x === false || y === false ? false : x === null || y === null ? null : true);
const either = (x, y) => (x === true || y === true ? true : x === null || y === null ? null : false);
const pattern = text => new RegExp(`^${[...text].map(letter =>
  letter === "%" ? ".*" : letter === "_" ? "." : letter.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("")}$`, "isu");
// What a condition holds for, and the parts that all must hold, which are shown one by one.
const condition = (text, table) => {
  const list = words(text);
  let at = 0;
  const next = key => (list[at] && list[at].key === key ? list[at++] : null);
  const need = key => {
    if (!next(key)) throw new Error(`“${key}” is missing${list[at] ? ` before “${text.slice(list[at].start, list[at].end)}”` : " at the end"}`);
  };
  const operand = () => {
    const word = list[at++];
    if (!word) throw new Error("a value is missing at the end");
    if (word.string !== undefined) return {literal: word.string};
    if (word.number !== undefined) return {literal: word.number};
    if (word.key === "null") return {literal: null};
    if (word.key === "true" || word.key === "false") return {literal: word.key === "true"};
    const column = word.name !== undefined && table.column(word.name);
    if (!column) throw new Error(`this page has no column “${text.slice(word.start, word.end)}”`);
    return {column};
  };
  // A test of a column of codes is done once for each of its values.
  const over = (one, test) => {
    if (!one.column) { const result = test(one.literal); return () => result; }
    const {codes, values} = one.column;
    if (!values) return row => test(codes[row] === NO_NUMBER ? null : codes[row]);
    const results = values.map(test);
    return row => results[codes[row]];
  };
  const of = one => over(one, x => x);
  const comparison = () => {
    const left = operand();
    if (next("is")) {
      const negative = next("not");
      if (next("null")) return over(left, x => (x === null) !== Boolean(negative));
      need("distinct");
      need("from");
      const [x, y] = [of(left), of(operand())];
      return row => (x(row) === y(row)) === Boolean(negative);
    }
    const negative = next("not");
    const turned = test => (negative ? row => opposite(test(row)) : test);
    if (next("in")) {
      need("(");
      const among = [operand().literal];
      while (next(",")) among.push(operand().literal);
      need(")");
      return turned(over(left, x => among.reduce((sum, y) => either(sum, tested("=", x, y)), false)));
    }
    if (next("between")) {
      const low = operand().literal;
      need("and");
      const high = operand().literal;
      return turned(over(left, x => both(tested(">=", x, low), tested("<=", x, high))));
    }
    if (next("ilike")) {
      const like = pattern(String(operand().literal));
      return turned(over(left, x => (x === null ? null : like.test(String(x)))));
    }
    const sign = list[at] && list[at].key;
    if (negative || !TESTS[sign]) throw new Error("a comparison is missing");
    at++;
    const right = operand();
    if (!right.column) return over(left, x => tested(sign, x, right.literal));
    const [x, y] = [of(left), of(right)];
    return row => tested(sign, x(row), y(row));
  };
  const negation = () => {
    if (next("not")) { const test = negation(); return row => opposite(test(row)); }
    if (!next("(")) return comparison();
    const test = alternatives();
    need(")");
    return test;
  };
  let parts = [];
  const conjunction = () => {
    const own = [], pieces = [];
    do {
      const start = list[at] && list[at].start;
      own.push(negation());
      pieces.push(text.slice(start, list[at - 1].end));
    } while (next("and"));
    parts = pieces;
    return own.length === 1 ? own[0] : row => own.reduce((sum, test) => sum === false ? false : both(sum, test(row)), true);
  };
  const alternatives = () => {
    const own = [conjunction()];
    while (next("or")) own.push(conjunction());
    if (own.length > 1) parts = [text.trim()];
    return own.length === 1 ? own[0] : row => own.reduce((sum, test) => either(sum, test(row)), false);
  };
  if (!list.length) return {test: () => true, parts: []};
  const test = alternatives();
  if (at < list.length) throw new Error(`cannot read “${text.slice(list[at].start, list[at].start + 20)}”`);
  return {test, parts};
};
const holding = (table, test) => {
  const rows = [];
  for (let row = 0; row < table.items; row++) if (test(row) === true) rows.push(row);
  return rows;
};
const inQuotes = text => `"${text.replace(/"/g, '""')}"`;
const literal = value => value === null ? "null" : typeof value === "string" ? `'${value.replace(/'/g, "''")}'` : String(value);
const equal = (name, value) => value === null ? `${inQuotes(name)} is null` : `${inQuotes(name)} = ${literal(value)}`;
const together = parts => {
  const loose = part => / or /i.test(part) && !/^\(.*\)$/.test(part);
  return parts.filter(Boolean).map(part => (parts.length > 1 && loose(part) ? `(${part})` : part)).join(" and ");
};

// What the address says: #where=…&a=…&b=…&sort=…
const state = () => Object.fromEntries(new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : ""));
const addressOf = changes => {
  const next = new URLSearchParams(Object.entries({...state(), ...changes}).filter(([, text]) => text !== ""));
  return String(next) ? `#${next}` : location.pathname + location.search;
};
const shell = text => `'${text.replace(/'/g, "'\\''")}'`;

const startItems = () => {
  const systems = JSON.parse(block.dataset.systems);
  let loading = null;
  const loaded = () => (loading = loading || unpacked(block.dataset));
  const panel = made("aside", "", {className: "items", hidden: true, tabIndex: -1});
  panel.setAttribute("role", "dialog");
  panel.setAttribute("aria-label", "Items");
  document.querySelector(".coleval").append(panel);
  let opener = null;
  const go = changes => {
    tip.hidden = true;
    history.pushState(null, "", addressOf(changes));
    return follow();
  };
  const number = (text, where) => {
    const button = made("button", text, {type: "button", className: "number", title: `items: ${where}`});
    button.addEventListener("click", event => {
      event.stopPropagation();
      opener = button;
      go({where, sort: ""});
    });
    return button;
  };
  for (const cell of document.querySelectorAll("td[data-where]")) {
    const button = number("", cell.dataset.where);
    button.append(...cell.childNodes);
    cell.append(button);
  }
  // Bars and cells of charts are buttons too.
  for (const mark of document.querySelectorAll(".coleval-chart [data-where]")) {
    const title = mark.querySelector(":scope > title");
    mark.setAttribute("tabindex", "0");
    mark.setAttribute("role", "button");
    mark.setAttribute("aria-label", `items: ${(title ? title.textContent.replace(/\n/g, ", ") : mark.dataset.where)}`);
    const open = () => {
      opener = mark;
      go({where: mark.dataset.where, sort: ""});
    };
    mark.addEventListener("click", open);
    mark.addEventListener("keydown", event => { if (event.key === "Enter") open(); });
  }
  const close = () => {
    go({where: "", sort: ""});
    if (opener) opener.focus();
  };
  const copier = (title, text) => {
    const button = made("button", title, {type: "button", title: text});
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        // Without leave to write to the clipboard, or on a page from a file.
        const area = made("textarea", text);
        panel.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
      }
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = title; }, 1200);
    });
    return button;
  };

  // An item in its sentence, and who says what.
  const around = (table, row) => {
    const sentence = table.sentences[table.value("sentence", row)];
    const line = made("p", "", {className: "words", dir: "auto"});
    const form = table.value("form", row);
    if (sentence === undefined || form === null && table.value(" first", row) === null) {
      line.append(made("b", form === null ? String(table.value("id", row) ?? "") : String(form)));
      return line;
    }
    const all = sentence.split("\n"), first = table.value(" first", row), last = table.value(" last", row);
    const [low, high] = [Math.max(0, first - 30), Math.min(all.length, last + 30)];
    const text = (from, to) => all.slice(from, to).filter(Boolean).join(" ");
    line.append(`${low ? "… " : ""}${text(low, first)} `, made("b", text(first, last)), ` ${text(last, high)}${high < all.length ? " …" : ""}`);
    return line;
  };
  const bySentence = table => {
    if (!table.neighbours) {
      table.neighbours = new Map();
      for (let row = 0; row < table.items; row++) {
        const key = table.value("sentence", row);
        if (!table.neighbours.has(key)) table.neighbours.set(key, []);
        table.neighbours.get(key).push(row);
      }
    }
    return table.neighbours;
  };
  // Of a span, a system may have others in its place.
  const instead = (table, row, column) => {
    if (!table.column("start")) return "";
    const [first, last] = [table.value(" first", row), table.value(" last", row)];
    return (bySentence(table).get(table.value("sentence", row)) || [])
      .filter(other => other !== row && table.value(" first", other) < last && table.value(" last", other) > first)
      .filter(other => table.value(column, other) !== null)
      .slice(0, 6)
      .map(other => `${table.value(column, other)} on “${table.value("form", other) ?? ""}”`)
      .join(" · ");
  };
  const answers = (table, row, chosen) => {
    const groups = new Map();
    for (const [name, column] of table.systems) {
      const outcome = table.value(`outcome_${column}`, row);
      const label = table.value(column, row);
      const text = outcome === "not_run" ? "not run" : label === null ? instead(table, row, column) || "–" : String(label);
      const key = `${outcome} ${text}`;
      if (!groups.has(key)) groups.set(key, {outcome, text, names: []});
      groups.get(key).names.push(name);
    }
    const gold = table.value("gold", row);
    const body = made("tbody", "");
    const line = (look, text, who) => {
      const tr = made("tr", "", {className: look});
      const cells = [made("td", text, {dir: "auto"}), made("td", "")];
      cells[1].append(...who);
      tr.append(...cells);
      body.append(tr);
    };
    const solved = table.value("difficulty", row);
    line("gold", gold === null ? "–" : String(gold),
      [`gold${solved === null ? "" : ` · ${solved} of ${table.systems.length} solve it`}`]);
    for (const {outcome, text, names} of [...groups.values()].sort((x, y) => y.names.length - x.names.length)) {
      const right = outcome === "correct" || outcome === "absent";
      const who = names.map(name => made(chosen.has(name) ? "strong" : "span", name));
      const parts = who.flatMap((one, k) => (k ? [", ", one] : [one]));
      line(outcome === "not_run" ? "" : right ? "right" : "wrong", `${text}${right ? "" : " ✗"}`, [`${outcome}: `, ...parts]);
    }
    const shown = made("table", "", {className: "fixed"});
    shown.append(body);
    return shown;
  };
  const card = (table, row, chosen) => {
    const own = made("article", "", {className: "card", tabIndex: -1});
    const kept = name => !/^( |gold$|form$|start$|end$|difficulty$|spurious$|outcome_|error_|partner_|bucket_)/.test(name);
    const columns = new Set(table.systems.map(([, column]) => column));
    const place = table.names.filter(name => kept(name) && !columns.has(name))
      .map(name => [name, table.value(name, row)])
      .filter(([, known]) => known !== null && known !== "")
      .map(([name, known]) => `${name} ${known}`).join(" · ");
    own.append(around(table, row), answers(table, row, chosen), made("p", place, {className: "place"}));
    return own;
  };

  // The panel: how many, why these, and the items one after another.
  const chooser = (table, parts) => {
    const select = made("select", "", {className: "add"});
    select.setAttribute("aria-label", "Add a filter");
    select.append(made("option", "+ filter", {value: ""}));
    const group = (label, pairs) => {
      if (pairs.length < 2) return;
      const own = made("optgroup", "", {label});
      own.append(...pairs.map(([text, value]) => made("option", text, {value})));
      select.append(own);
    };
    const valued = name => {
      const column = table.column(name);
      if (!column) return [];
      const known = column.values || [...new Set(column.codes)].map(code => (code === NO_NUMBER ? null : code));
      return known.length > 200 ? [] : [...known].sort((x, y) => x === null ? 1 : y === null ? -1 : x < y ? -1 : 1)
        .map(value => [`${name}: ${value === null ? "none" : value}`, equal(name, value)]);
    };
    for (const name of ["gold", "dataset", "part", "document", "difficulty"]) group(name, valued(name));
    for (const [name, column] of table.systems) {
      group(name, OUTCOMES.map(outcome => [`${name}: ${outcome}`, equal(`outcome_${column}`, outcome)]));
    }
    select.addEventListener("change", () => go({where: together([...parts, select.value])}));
    return select;
  };
  const chips = parts => {
    const list = made("ul", "", {className: "chips"});
    parts.forEach((part, k) => {
      const remove = made("button", "×", {type: "button"});
      remove.setAttribute("aria-label", `Remove the filter ${part}`);
      remove.addEventListener("click", () => {
        const rest = parts.filter((_, other) => other !== k);
        go({where: rest.length ? together(rest) : "true = true"});
      });
      const chip = made("li", "");
      chip.append(made("code", part), " ", remove);
      list.append(chip);
    });
    return list;
  };
  const order = (table, rows, sort) => {
    if (!sort) return rows;
    const sign = sort === "easiest" ? -1 : 1;
    const hard = row => table.value("difficulty", row) ?? Infinity;
    return [...rows].sort((x, y) => (hard(x) === hard(y) ? x - y : sign * (hard(x) < hard(y) ? -1 : 1)));
  };
  const sorter = sort => {
    const select = made("select", "");
    select.setAttribute("aria-label", "Order of the items");
    select.append(...[["", "in order"], ["hardest", "hardest first"], ["easiest", "easiest first"]]
      .map(([value, text]) => made("option", text, {value})));
    select.value = sort;
    select.addEventListener("change", () => go({sort: select.value}));
    return select;
  };
  const move = step => {
    const cards = [...panel.querySelectorAll(".card")];
    const at = cards.indexOf(document.activeElement && document.activeElement.closest(".card"));
    const next = cards[Math.max(0, Math.min(cards.length - 1, at + step))];
    const more = panel.querySelector(".more");
    if (step > 0 && more && at + step >= cards.length) { more.click(); move(step); return; }
    if (next) next.focus();
  };
  panel.addEventListener("keydown", event => {
    if (event.key === "Escape") { close(); return; }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const step = {j: 1, ArrowDown: 1, k: -1, ArrowUp: -1}[event.key];
    if (step) { event.preventDefault(); move(step); }
  });
  const problem = (where, error) => {
    panel.replaceChildren(
      top("Items"), writer(where, true),
      made("p", `${error.message}. All of SQL: coleval show … --where`, {className: "none"}));
  };
  const top = title => {
    const line = made("div", "", {className: "top"});
    const shut = made("button", "×", {type: "button"});
    shut.setAttribute("aria-label", "Close the items");
    shut.addEventListener("click", close);
    const heading = made("h2", title);
    heading.setAttribute("role", "status");
    line.append(heading, shut);
    return line;
  };
  const writer = (where, opened) => {
    const input = made("input", "", {className: "find", value: where, spellcheck: false});
    input.setAttribute("aria-label", "Condition over the columns of items, in SQL");
    input.addEventListener("change", () => go({where: input.value.trim() || "true = true"}));
    const fold = made("details", "", {className: "condition", open: Boolean(opened)});
    fold.append(made("summary", "condition in SQL"), input);
    return fold;
  };
  const finder = parts => {
    const input = made("input", "", {type: "search", placeholder: "word"});
    input.setAttribute("aria-label", "Only items with this word");
    input.addEventListener("change", () => {
      const word = input.value.trim().replace(/[%_\\]/g, "_").replace(/'/g, "''");
      if (word) go({where: together([...parts, `form ilike '%${word}%'`])});
    });
    return input;
  };
  const show = (table, where, sort) => {
    const {test, parts} = condition(where, table);
    const rows = order(table, holding(table, test), sort);
    const title = `${rows.length.toLocaleString("en")} ${table.unit}${rows.length === 1 ? "" : "s"}`;
    const own = parts.filter(part => part !== "true = true");
    const whole = together([table.where && `(${table.where})`, where === "true = true" ? "" : where]);
    const tools = made("div", "", {className: "pick"});
    tools.append(chooser(table, own), ...(table.column("form") ? [finder(own)] : []), sorter(sort),
      copier("Copy command", `coleval show …${whole ? ` --where ${shell(whole)}` : ""}`),
      copier("Copy SQL", `select * from item${whole ? ` where ${whole}` : ""}`));
    const list = made("div", "", {className: "found"});
    const chosen = new Set(table.systems.filter(([, column]) => where.includes(column)).map(([name]) => name));
    let shown = 0;
    const more = made("button", "", {type: "button", className: "more"});
    const extend = () => {
      list.append(...rows.slice(shown, shown + PAGE_OF_ITEMS).map(row => card(table, row, chosen)));
      shown = Math.min(rows.length, shown + PAGE_OF_ITEMS);
      more.textContent = `${(rows.length - shown).toLocaleString("en")} more`;
      if (shown >= rows.length) more.remove();
    };
    more.addEventListener("click", extend);
    const partial = table.items < table.of ? [made("p",
      `This page holds ${table.items.toLocaleString("en")} of ${table.of.toLocaleString("en")} items; ` +
      "the command shows all.", {className: "none"})] : [];
    panel.replaceChildren(top(title), ...partial, chips(own), tools, writer(where === "true = true" ? "" : where), list, more);
    extend();
    panel.scrollTop = 0;
  };

  // Any two systems, compared item by item.
  const versus = made("section", "", {className: "versus"});
  const outcome = made("div", "");
  const pick = (key, title) => {
    const select = made("select", "");
    select.append(made("option", "choose", {value: ""}), ...systems.map(name => made("option", name, {value: name})));
    select.addEventListener("change", () => go({[key]: select.value}));
    const label = made("label", `${title} `);
    label.append(select);
    return {label, select};
  };
  const [a, b] = [pick("a", "from"), pick("b", "to")];
  if (systems.length > 1) {
    const line = made("div", "", {className: "pick"});
    line.append(made("b", "Compare any two systems"), a.label, b.label);
    versus.append(line, outcome);
    const main = document.querySelector("main");
    const overview = main.querySelector(".overview");
    overview ? overview.after(versus) : main.prepend(versus);
  }
  const listed = (caption, heads, lines) => {
    const table = made("table", "", {className: "fixed"});
    const head = made("tr", "");
    head.append(...heads.map((text, k) => made("th", text, {scope: "col", className: typeof (lines[0] || [])[k] === "string" ? "t" : ""})));
    const body = made("tbody", "");
    for (const line of lines) {
      const row = made("tr", "");
      row.append(...line.map(cell => {
        const td = made("td", "", {className: typeof cell === "string" ? "t" : "", dir: "auto"});
        td.append(cell);
        return td;
      }));
      body.append(row);
    }
    const top = made("thead", "");
    top.append(head);
    table.append(top, body);
    const [box, figure] = [made("div", "", {className: "box", tabIndex: 0}), made("figure", "")];
    box.append(table);
    figure.append(made("figcaption", caption), box);
    return figure;
  };
  // The conditions of changes are those of the analysis, with two systems for their braces.
  const between = (text, from, to) => text.replace(/\{before\}/g, () => from).replace(/\{after\}/g, () => to);
  const grouped = (table, names, keep) => {
    const columns = names.map(table.column), counts = new Map();
    for (let row = 0; row < table.items; row++) {
      if (!keep(row)) continue;
      const codes = columns.map(column => column.codes[row]);
      const key = codes.join(" ");
      const one = counts.get(key) || {codes, n: 0};
      one.n++;
      counts.set(key, one);
    }
    return [...counts.values()].sort((x, y) => y.n - x.n)
      .map(({codes, n}) => ({n, values: codes.map((code, k) => columns[k].values[code])}));
  };
  const named = value => (value === null ? "–" : String(value));
  const compare = (table, first, second) => {
    const known = new Map(table.systems);
    if (!known.has(first) || !known.has(second) || first === second) {
      outcome.replaceChildren();
      return;
    }
    const [from, to] = [known.get(first), known.get(second)];
    const escaped = [from, to].map(column => column.replace(/"/g, '""'));
    const kinds = Object.entries(table.versus).map(([kind, text]) => {
      const where = between(text, ...escaped);
      const n = holding(table, condition(where, table).test).length;
      return [kind.replace(/_/g, " "), number(n.toLocaleString("en"), where)];
    });
    const different = condition(between(table.versus.different, ...escaped), table).test;
    const moves = grouped(table, ["gold", from, to], row => different(row) === true).slice(0, 20)
      .map(({n, values}) => [...values.map(named), number(n.toLocaleString("en"),
        together(["gold", from, to].map((name, k) => equal(name, values[k]))))]);
    const errors = new Map();
    [from, to].forEach((name, side) => {
      const right = table.column(`outcome_${name}`);
      const wrong = row => /^(spurious|missed|mislabelled)$/.test(right.values[right.codes[row]]);
      for (const {n, values} of grouped(table, ["gold", name], wrong)) {
        const key = JSON.stringify(values);
        if (!errors.has(key)) errors.set(key, {values, n: [0, 0]});
        errors.get(key).n[side] = n;
      }
    });
    const confused = [...errors.values()].sort((x, y) => y.n[0] + y.n[1] - x.n[0] - x.n[1]).slice(0, 20)
      .map(({values, n}) => [...values.map(named), ...[from, to].map((name, side) =>
        number(n[side].toLocaleString("en"), together([equal("gold", values[0]), equal(name, values[1])])))]);
    const parts = made("div", "", {className: "parts"});
    parts.append(
      listed(`from ${first} to ${second}`, [`${table.unit}s`, "n"], kinds),
      listed("answers that differ, most frequent first", ["gold", first, second, "n"], moves),
      listed("errors of both, most frequent first", ["gold", "answer", first, second], confused));
    outcome.replaceChildren(parts);
  };

  // All that is shown follows from the address.
  const follow = async () => {
    const {where = "", a: first = "", b: second = "", sort = ""} = state();
    a.select.value = first;
    b.select.value = second;
    panel.hidden = !where;
    if (!where && !(first && second)) { outcome.replaceChildren(); return; }
    let table;
    try {
      table = await loaded();
    } catch {
      loading = null;
      panel.hidden = false;
      problem(where, {message: `${block.dataset.file || "the items"} cannot be read: a page in a folder needs a server, such as python -m http.server`});
      return;
    }
    compare(table, first, second);
    if (!where) return;
    try {
      show(table, where, sort);
    } catch (error) {
      problem(where, error);
    }
    if (!panel.contains(document.activeElement)) panel.focus();
  };
  addEventListener("popstate", follow);
  follow();
};
if (block && window.DecompressionStream) startItems();
