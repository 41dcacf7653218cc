// Behind every figure: what it shows in words, and its data as a table that can be taken along.

function plainCell(value) {
  if (value === null || value === undefined) return "—";
  if (typeof value === "number" && !Number.isInteger(value)) {
    return number(value, Math.abs(value) < 10 ? 4 : 2);
  }
  return typeof value === "number" ? count(value).replace("-", "−") : value;
}

function plainTable(caption, columns, rows) {
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      { class: "plain" },
      h("caption", {}, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          columns.map((name) => h("th", { scope: "col" }, name)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            row.map((value, k) =>
              k === 0
                ? h("th", { scope: "row" }, plainCell(value))
                : h("td", { class: typeof value === "number" ? "num" : null }, plainCell(value)),
            ),
          ),
        ),
      ),
    ),
  );
}

// `data` is called when the table is opened: large ones cost nothing until then.
function behind(name, title, summary, data, picture) {
  const inner = h("div", {});
  const details = h(
    "details",
    {
      class: "data",
      ontoggle: () => {
        if (!details.open || inner.childElementCount) return;
        const { columns, rows } = data();
        inner.append(plainTable(`Data: ${title}`, columns, rows));
      },
    },
    h("summary", {}, "Data as a table"),
    inner,
  );
  return h(
    "div",
    { class: "behind" },
    h("p", { class: "summary" }, summary),
    details,
    h(
      "p",
      { class: "take noprint" },
      h(
        "button",
        {
          type: "button",
          onclick: () => {
            const { columns, rows } = data();
            saveCsv(`${name}.csv`, columns, rows);
          },
        },
        "Save data (CSV)",
      ),
      picture &&
        h(
          "button",
          {
            type: "button",
            onclick: () =>
              picture instanceof HTMLCanvasElement
                ? saveCanvas(`${name}.png`, picture)
                : saveSvg(`${name}.svg`, picture),
          },
          "Save figure",
        ),
    ),
  );
}
