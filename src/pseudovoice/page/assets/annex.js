// The annex: the standards' properties, what was found, and room for the controller's decision.

function drawAnnex() {
  const frameworks = unique(study.annex.map((row) => row.framework));
  return [
    h(
      "div",
      { class: "brief" },
      h("h3", {}, "In brief"),
      h(
        "ul",
        {},
        attacked.map((one) => h("li", {}, h("b", {}, one.name), ": ", one.headline)),
      ),
    ),
    frameworks.map((framework) => [
      h("h3", {}, framework),
      h(
        "table",
        { class: "annex", role: "table" },
        h("caption", { class: "visually-hidden" }, `Findings in the words of ${framework}`),
        h(
          "thead",
          {},
          h(
            "tr",
            { role: "row" },
            ["Property", "What was found", "Controller’s judgement"].map((t) =>
              h("th", { scope: "col", role: "columnheader" }, t),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          study.annex
            .filter((row) => row.framework === framework)
            .map((row) => {
              const id = freshId("judgement");
              return h(
                "tr",
                { role: "row" },
                h(
                  "th",
                  { scope: "row", role: "rowheader" },
                  h("span", {}, row.property),
                  h("span", { class: "asks" }, row.asks),
                ),
                h(
                  "td",
                  { role: "cell" },
                  h(
                    "ul",
                    {},
                    row.found.map((text) => h("li", {}, text)),
                  ),
                ),
                h(
                  "td",
                  { class: "blank", role: "cell" },
                  blank(id, `Judgement on ${row.property.toLowerCase()}`, 4),
                ),
              );
            }),
        ),
      ),
    ]),
    h(
      "div",
      { class: "decision" },
      h("h3", {}, "Decision of the controller"),
      [
        ["purpose", "Purpose, and who will receive the speech", 2],
        ["measures", "Further measures (contract, access, retention, keys)", 3],
        ["advice", "Advice of the data-protection officer", 2],
      ].map(([id, label, lines]) =>
        h(
          "div",
          { class: "field" },
          h("label", { for: `annex-${id}` }, label),
          blank(`annex-${id}`, null, lines),
        ),
      ),
      h(
        "fieldset",
        { class: "tick" },
        h("legend", {}, "The remaining risk is"),
        ["acceptable", "acceptable with the measures above", "not acceptable"].map((text) =>
          h("label", {}, h("input", { type: "checkbox" }), text),
        ),
      ),
      h(
        "div",
        { class: "signature" },
        ["Name and role", "Place and date", "Signature"].map((label, k) =>
          h(
            "div",
            { class: "field" },
            h("label", { for: `annex-sign-${k}` }, label),
            h("input", { id: `annex-sign-${k}`, type: "text", autocomplete: "off" }),
          ),
        ),
      ),
    ),
  ];
}

function blank(id, label, lines) {
  return h("textarea", { id, rows: lines, "aria-label": label, spellcheck: "false" });
}
