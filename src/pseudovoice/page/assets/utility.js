// Privacy and use side by side, one line per safeguard.

const FIRST_MEASURES = ["wer", "ovrl", "f0_correlation", "lost", "der"];

function drawUtility() {
  const measuredAny = study.safeguards.some((one) => one.utility.length);
  const here = study.safeguards.map((one) => {
    const own = of(one.utility, { group: choice.group });
    return own.length ? own : of(one.utility, { group: "all" });
  });
  const known = unique(here.flat().map((u) => u.metric));
  const listed = FIRST_MEASURES.filter((m) => known.includes(m));
  const attack = (one) =>
    strongest(of(one.attacks, { group: choice.group }).filter((a) => a.competes));
  const shownAs = (u, e) => (e ? measured(e, unitOf(u)) : "—");
  const origin = (metric) => here.flat().find((u) => u.metric === metric && u.original);
  const table = h(
    "table",
    { class: "utility", role: "table" },
    h("caption", { class: "visually-hidden" }, "Utility beside privacy"),
    h(
      "thead",
      {},
      h(
        "tr",
        { role: "row" },
        ["Safeguard", "The strongest attacker learns", ...listed.map((m) => UTILITY[m][0])].map((t) =>
          h("th", { scope: "col", role: "columnheader" }, t),
        ),
      ),
    ),
    h(
      "tbody",
      {},
      h(
        "tr",
        { class: "control", role: "row" },
        h("th", { scope: "row", role: "rowheader" }, "unprotected"),
        h("td", { role: "cell" }, "all there is to learn"),
        listed.map((m) =>
          h(
            "td",
            { role: "cell", class: "num" },
            h("span", { class: "cell-title" }, UTILITY[m][0]),
            origin(m) ? shownAs(origin(m), origin(m).original) : "—",
          ),
        ),
      ),
      study.safeguards.map((one, k) => {
        const worst = attack(one);
        return h(
          "tr",
          { role: "row" },
          h("th", { scope: "row", role: "rowheader" }, one.name),
          h(
            "td",
            { role: "cell" },
            worst
              ? [
                  h("span", { class: "quiet" }, `${attackerName(worst.attacker)}, ${worst.encoder}: `),
                  h(
                    "b",
                    {},
                    worst.too_weak ? `${whyNothing(worst)} to conclude` : learntInAWord(worst),
                  ),
                  meter(worst.metrics.d_ece, { control: worst.control.d_ece, weak: worst.too_weak }),
                ]
              : "—",
          ),
          listed.map((m) => {
            const u = here[k].find((row) => row.metric === m);
            return h(
              "td",
              { role: "cell", class: "num" },
              h("span", { class: "cell-title" }, UTILITY[m][0]),
              u ? shownAs(u, u.protected) : "—",
            );
          }),
        );
      }),
    ),
  );
  return [
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Utility beside privacy" },
      table,
    ),
    !measuredAny &&
      h(
        "p",
        { class: "quiet" },
        "What the protected speech is still good for was not measured in this study.",
      ),
    measuredAny &&
      behind(
        "utility",
        `utility, speakers: ${groupName(choice.group)}`,
        utilitySummary(here, listed),
        () => ({
          columns: [
            "safeguard",
            "measure",
            "speakers",
            "unprotected",
            "low",
            "high",
            "protected",
            "low",
            "high",
            "unit",
            "better is",
            "method",
          ],
          rows: study.safeguards.flatMap((one) =>
            one.utility.map((u) => [
              one.name,
              u.metric,
              u.group,
              u.original?.value ?? null,
              u.original?.low ?? null,
              u.original?.high ?? null,
              u.protected.value,
              u.protected.low,
              u.protected.high,
              u.unit,
              u.direction,
              u.method,
            ]),
          ),
        }),
      ),
  ];
}

function unitOf(u) {
  return UTILITY[u.metric]?.[1] === "%" || u.unit === "fraction"
    ? { unit: "%", decimals: 1, factor: 100 }
    : { decimals: 2 };
}

function utilitySummary(here, listed) {
  const lines = study.safeguards.flatMap((one, k) => {
    const said = listed.flatMap((m) => {
      const u = here[k].find((row) => row.metric === m);
      if (!u) return [];
      const before = u.original ? `, unprotected ${measured(u.original, unitOf(u))}` : "";
      return [`${UTILITY[m][0]} ${measured(u.protected, unitOf(u))}${before}`];
    });
    return said.length ? [`${one.name}: ${said.join("; ")}.`] : [];
  });
  return `${lines.join(" ")} Intervals hold 95 % and draw speakers again.`;
}
