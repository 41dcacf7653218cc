// What can be told of people, whoever they are: traits and rooms, before and after.

const HOW_TOLD = {
  op: "learnt from clear speech",
  pq: "learnt from the attacker’s own protected speech",
  pp: "of two protected recordings",
};
const ROOMS_TOLD = { ...HOW_TOLD, op: "of an original and a protected recording" };

function howTold(row, condition) {
  return (row.trait === "room" ? ROOMS_TOLD : HOW_TOLD)[condition];
}

function drawTold() {
  const traits = unique(study.safeguards.flatMap((one) => one.told.map((t) => t.trait)));
  return [
    traits.map((trait) => [
      h("h3", {}, sentence(trait).replace(/\.$/, "")),
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": `What can be told: ${trait}` },
        toldTable(trait),
      ),
    ]),
    behind("told", "what can be told of people", toldSummary(), () => ({
      columns: ["safeguard", "trait", "heard through", "condition", "AUC", "low", "high", "chance"],
      rows: study.safeguards.flatMap((one) =>
        one.told.flatMap((t) =>
          [["oo", t.control], ...Object.entries(t.found)].map(([condition, e]) => [
            one.name,
            t.trait,
            t.encoder,
            CONDITIONS[condition],
            e.value,
            e.low,
            e.high,
            e.null,
          ]),
        ),
      ),
    })),
  ];
}

function toldTable(trait) {
  const columns = ["Safeguard", "Heard through", "Unprotected", "Protected", "In words"];
  return h(
    "table",
    { class: "told" },
    h("caption", { class: "visually-hidden" }, `${trait}: AUC, 0.5 is chance and 1 certain`),
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
      study.safeguards.flatMap((one) =>
        one.told
          .filter((t) => t.trait === trait)
          .map((t, k) =>
            h(
              "tr",
              { class: k === 0 ? "first" : null },
              h("th", { scope: "row" }, one.name),
              h("td", {}, t.encoder),
              h("td", { class: "num" }, measured(t.control, {})),
              h(
                "td",
                {},
                Object.entries(t.found).map(([condition, e]) =>
                  h(
                    "span",
                    { class: "told-found" },
                    h("span", { class: "num" }, measured(e, {})),
                    h("span", { class: "quiet" }, ` ${howTold(t, condition)}`),
                  ),
                ),
              ),
              h("td", {}, sentence(t.says)),
            ),
          ),
      ),
    ),
  );
}

function toldSummary() {
  const lines = study.safeguards.flatMap((one) =>
    one.told.map((t) => `${one.name}, heard through ${t.encoder}: ${t.says}.`),
  );
  return `${lines.join(" ")} Intervals hold 95 % and draw speakers again.`;
}
