// Tables 2, 3 and 4 of noe2022, laid out as printed, so that the two can be held side by side.

function drawPapers() {
  if (!study.tables.length) return h("p", { class: "quiet" }, "There are no such tables in this study.");
  return study.tables.map((table) => [
    paperTable(table),
    h(
      "p",
      { class: "take noprint" },
      h(
        "button",
        { type: "button", onclick: () => saveCsv(`table${table.number}.csv`, ...paperData(table)) },
        `Save Table ${table.number} (CSV)`,
      ),
    ),
  ]);
}

function paperTable(table, title = `Table ${table.number}. ${table.title}`) {
  const first = table.lines.map((line, k) => k === 0 || table.lines[k - 1].set !== line.set);
  const head = h(
    "tr",
    {},
    ["Set", "System", ...table.columns].map((name) => h("th", { scope: "col" }, name)),
  );
  const rows = table.lines.map((line, k) =>
    h(
      "tr",
      { class: first[k] ? "first" : null },
      h("td", {}, first[k] && [who(line.set), h("small", {}, line.initial)]),
      h("th", { scope: "row" }, who(line.system)),
      line.cells.map((cell) =>
        h("td", { class: "num" }, cell.text, cell.chance && "°", h("small", {}, cell.interval)),
      ),
    ),
  );
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
    h(
      "table",
      { class: "papers" },
      h("caption", {}, title),
      h("thead", {}, head),
      h("tbody", {}, rows),
    ),
  );
}

function paperData(table) {
  const columns = ["set", "system", "unprotected", ...table.columns.flatMap((c) => [c, "95 %", "as chance"])];
  const rows = table.lines.map((line) => [
    line.set,
    line.system,
    line.initial,
    ...line.cells.flatMap((cell) => [cell.text, cell.interval, cell.chance ? "yes" : "no"]),
  ]);
  return [columns, rows];
}
