// The first screen: for each safeguard and attacker what it knows, then what it learns.

function drawVerdicts() {
  const table = h(
    "table",
    { class: "verdicts", role: "table" },
    h("caption", { class: "visually-hidden" }, "Verdict per safeguard and attacker"),
    h(
      "thead",
      {},
      h(
        "tr",
        { role: "row" },
        ["Who attacks, and what they know", "What they learn", "Expected disclosure", "Worst case"].map(
          (name) => h("th", { scope: "col", role: "columnheader" }, name),
        ),
      ),
    ),
    study.safeguards.map(verdictBody),
    study.slices.map(sliceVerdict),
  );
  return [
    groups.length > 1 &&
      segments(
        "Speakers",
        groups.map((g) => [g, groupName(g)]),
        choice.group,
        (group) => choose({ group }),
      ),
    table,
    study.safeguards.length > 0 &&
      behind(
        "verdicts",
        "every attack on every group with every recogniser",
        encoders.length > 1
          ? `For each attacker the strongest of ${encoders.length} recognisers is shown; all of them are in the table.`
          : "",
        attackData,
      ),
  ];
}

// The line that opens what is said of a safeguard: its name, its parameters and key, and more.
function safeguardRow(name, facts, more = null) {
  return h(
    "tr",
    { class: "safeguard", role: "row" },
    h(
      "th",
      { scope: "rowgroup", colspan: 4, role: "rowheader" },
      h("span", { class: "safeguard-name" }, name),
      facts.length ? h("span", { class: "safeguard-facts" }, facts.join(" · ")) : null,
      more,
    ),
  );
}

function verdictBody(one) {
  const rows = attackers
    .map((attacker) => strongest(of(one.attacks, { group: choice.group, attacker })))
    .filter(Boolean);
  const worst = strongest(rows.filter((a) => a.competes));
  // What the best attacker leaves of a protection is what it is worth: that one stands first.
  rows.sort((a, b) => (b === worst) - (a === worst));
  const shownMatrices = of(one.matrices, { group: choice.group });
  const facts = [
    ...Object.entries(one.parameters).map(([name, value]) => `${name} ${value}`),
    one.deterministic ? "no secret key" : one.key ? `key ${one.key}` : "",
  ].filter(Boolean);
  return h(
    "tbody",
    {},
    safeguardRow(
      one.name,
      facts,
      thumbs(shownMatrices.find((m) => m.encoder === choice.encoder) ?? shownMatrices[0]),
    ),
    rows.length
      ? rows.map((attack) => verdictRow(attack, rows.length > 1 && attack === worst))
      : h(
          "tr",
          { role: "row" },
          h("td", { colspan: 4, role: "cell" }, "No attack was made on these speakers."),
        ),
    notTried(one),
  );
}

// Who might have learnt more, and what is known from elsewhere, stands where the verdict is read.
function notTried(one) {
  const names = one.not_tried.map((name) => titles[name] ?? name).join(", ");
  if (!names && !one.caution) return null;
  return h(
    "tr",
    { class: "not-tried", role: "row" },
    h(
      "td",
      { colspan: 4, role: "cell" },
      names && [h("b", {}, "Did not attack: "), `${names}. Whoever did not may learn more. `],
      one.caution && [h("b", {}, "Measured on other speech: "), sentence(one.caution)],
    ),
  );
}

function verdictRow(attack, worst) {
  const { metrics, control } = attack;
  const figure = attack.too_weak ? whyNothing(attack) : learntInAWord(attack);
  const kind = attack.too_weak ? "weak" : metrics.d_ece.chance ? "chance" : "learns";
  return h(
    "tr",
    { class: `attack ${kind}`, role: "row" },
    h(
      "td",
      { class: "knows", role: "cell" },
      h("b", {}, attackerName(attack.attacker), attack.budget && `, ${attack.budget}`),
      worst && h("span", { class: "strongest" }, "The strongest here"),
      h("span", {}, sentence(attack.knows)),
      h("span", { class: "through" }, `Heard through ${attack.encoder}`),
    ),
    h(
      "td",
      { class: "learns", role: "cell" },
      h("span", { class: "figure", "aria-hidden": "true" }, figure),
      h("span", { class: "says" }, sentence(attack.verdict), openEnd(attack)),
    ),
    h(
      "td",
      { class: "disclosed", role: "cell" },
      h("span", { class: "cell-title" }, "Expected disclosure"),
      meter(metrics.d_ece, { control: control.d_ece, weak: attack.too_weak }),
      meterWords(metrics.d_ece, control.d_ece),
      attack.along.length > 0 &&
        h(
          "span",
          { class: "meter-words quiet" },
          `With less: ${attack.along.map((a) => `${a.budget} ${number(a.d_ece.value)}`).join(", ")} bit${attack.more && `; ${attack.more}`}`,
        ),
      metrics.c_ece_linear &&
        h(
          "span",
          { class: "meter-words quiet" },
          `Calibrated on another run: C_ECE ${measured(metrics.c_ece_linear, { unit: "bit" })}`,
        ),
    ),
    h(
      "td",
      { class: "worst", role: "cell" },
      h("span", { class: "cell-title" }, "Worst case"),
      ladder(metrics.tag.value, metrics.tag.low, metrics.tag.high, attack.ceiling),
      h("span", { class: "worst-words" }, sentence(TAG_WORDS[metrics.tag.value])),
    ),
  );
}

// "As chance" is no proof of nothing: how much the interval still leaves open stands beside it.
function openEnd(attack) {
  const { high, chance } = attack.metrics.d_ece;
  const control = attack.control.d_ece?.value;
  if (attack.too_weak || !chance || high === null || !(control > 0)) return null;
  return h(
    "span",
    { class: "open-end" },
    ` Its interval leaves room for ${percent(high / control)} of what unprotected speech tells.`,
  );
}

function attackData() {
  const scalars = ["d_ece", "d_ece_person", "l_w", "eer", "cllr_min", "d_sys", "c_ece_linear", "c_ece_isotonic"];
  const columns = [
    "safeguard",
    "attacker",
    "recogniser",
    "speakers",
    "condition",
    "verdict",
    "tag",
    "ceiling of l_w",
    "mated",
    "non-mated",
    ...scalars.flatMap((m) => [METRIC_NAMES[m], "low", "high", "chance up to", "unprotected"]),
  ];
  const rows = study.safeguards.flatMap((one) =>
    one.attacks.map((a) => [
      one.name,
      a.attacker,
      a.encoder,
      a.group,
      a.condition.toUpperCase(),
      a.verdict,
      a.metrics.tag.value,
      a.ceiling,
      a.n_mated,
      a.n_nonmated,
      ...scalars.flatMap((m) => {
        const e = a.metrics[m];
        return e
          ? [e.value, e.low, e.high, e.null_95, a.control[m]?.value ?? null]
          : [null, null, null, null, null];
      }),
    ]),
  );
  return { columns, rows };
}

// How to read a row, drawn with the same marks.
function drawVerdictKey() {
  const sample = { value: 0.3, low: 0.22, high: 0.37, null_95: 0.05, chance: false };
  return h(
    "dl",
    { class: "key" },
    h(
      "div",
      {},
      h("dt", {}, meter(sample, { control: { value: 0.56 } })),
      h(
        "dd",
        {},
        "From 0, nothing learnt, to 0.72 bit, certainty about every comparison. Bar and dot: what is learnt; bracket: 95 % interval; hatched: what chance gives; flag: what the same attack learns from unprotected speech. A hollow dot is not distinguishable from chance.",
      ),
    ),
    h(
      "div",
      {},
      h("dt", {}, ladder("B", "A", "C", 4.5)),
      h(
        "dd",
        {},
        "The strongest single comparison, from 0 (tells nothing) to F. Underlined: the letters its interval spans. Crossed out: letters so few comparisons could not have shown.",
      ),
    ),
    h(
      "div",
      {},
      h("dt", { class: "key-word" }, tooFew() ? "too few" : "too weak"),
      h(
        "dd",
        {},
        tooFew()
          ? "Too few speakers to conclude: whoever shuffles their names is right too often, so it says nothing about a safeguard."
          : "Attack too weak to conclude: it fails on unprotected speech too, so it says nothing about a safeguard.",
      ),
    ),
  );
}
