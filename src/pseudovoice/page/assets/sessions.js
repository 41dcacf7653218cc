// Whether two sessions of one person can be linked.

function drawSessions() {
  const rows = study.safeguards.flatMap((one) => {
    const found = one.sessions.filter(
      (r) => r.group === choice.group && (r.encoder === choice.encoder || r.encoder === ""),
    );
    return (found.length ? found : one.sessions.filter((r) => r.group === "all").slice(0, 1)).map((row) => ({
      one,
      row,
    }));
  });
  const missing = study.safeguards.filter((one) => !one.sessions.length);
  return [
    h(
      "ul",
      { class: "sessions" },
      rows.map(({ one, row }) =>
        h(
          "li",
          {},
          h("b", {}, one.name),
          h("span", { class: "session-says" }, sentence(row.says)),
          row.metrics.d_ece && [
            meter(row.metrics.d_ece, { control: row.control.d_ece }),
            meterWords(row.metrics.d_ece, row.control.d_ece),
            h(
              "span",
              { class: "quiet" },
              `EER ${measured(row.metrics.eer, { unit: "%", decimals: 1, factor: 100 })} (ROC convex hull)${row.metrics.d_sys ? `; linkability D_sys ${measured(row.metrics.d_sys)}` : ""}`,
            ),
          ],
        ),
      ),
      missing.map((one) =>
        h(
          "li",
          {},
          h("b", {}, one.name),
          h("span", { class: "session-says" }, "Not tested: no speech under a second key was compared."),
        ),
      ),
    ),
    rows.length > 0 &&
      behind(
        "sessions",
        "linking two sessions",
        `${rows.map(({ one, row }) => `${one.name}: ${row.says}${row.metrics.d_ece ? ` (D_ECE ${measured(row.metrics.d_ece, { unit: "bit" })})` : ""}`).join(". ")}.`,
        () => ({
          columns: [
            "safeguard",
            "recogniser",
            "speakers",
            "finding",
            "D_ECE [bit]",
            "low",
            "high",
            "EER",
            "D_sys",
          ],
          rows: study.safeguards.flatMap((one) =>
            one.sessions.map((r) => [
              one.name,
              r.encoder,
              r.group,
              r.says,
              r.metrics.d_ece?.value ?? null,
              r.metrics.d_ece?.low ?? null,
              r.metrics.d_ece?.high ?? null,
              r.metrics.eer?.value ?? null,
              r.metrics.d_sys?.value ?? null,
            ]),
          ),
        }),
      ),
  ];
}
