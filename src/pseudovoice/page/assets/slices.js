// Slices: whose voice it is, and whether they can be put together again.

choice.enrolment = "whole";
choice.link = "d_sys";

const ENROLMENT_NAMES = { whole: "whole recordings", sliced: "cut like the slices" };
const ATTACKER_MARKS = { ignorant: "circle", lazy: "square", semi: "up" };
const LINKS = { d_sys: "linkability D_sys", eer: "equal error rate" };
const PER_CENT = { unit: "%", decimals: 1, factor: 100 };

function drawSlices(holder) {
  return [
    study.slices.map(sliceWords),
    study.slices.some((one) => one.attacks.length) && linkability(holder),
    study.slices.some((one) => one.joinings.length) && reassembly(),
    sliceTables(),
  ];
}

// In words first, for who reads nothing else.
function sliceWords(one) {
  return [
    h("h3", {}, one.name),
    h("p", {}, one.whose),
    h("p", {}, one.together),
    h("p", { class: "quiet" }, sentence(one.cut)),
    one.not_tried.map((text) => h("p", { class: "quiet" }, text)),
  ];
}

// The lines of the verdict table: whose slices, and whether they come together again.
function sliceVerdict(one) {
  const facts = [...Object.entries(one.parameters).map(([name, value]) => `${name} ${value}`), `key ${one.key}`];
  const cut = one.attacks.filter((a) => a.cut);
  const rows = unique(cut.map((a) => a.attacker)).map((name) => strongestOn(of(cut, { attacker: name })));
  const best = one.best === null ? null : one.joinings[one.best];
  return h(
    "tbody",
    {},
    safeguardRow(one.name, facts),
    rows.map(whoseRow),
    best && togetherRow(best),
    !rows.length &&
      !best &&
      h("tr", { role: "row" }, h("td", { colspan: 4, role: "cell" }, one.headline)),
  );
}

// Over recognisers and enrolments, as for other safeguards: the one that learns most.
function strongestOn(attacks) {
  const able = attacks.filter((a) => !a.too_weak);
  return (able.length ? able : attacks).reduce((best, a) => (a.d_ece.value > best.d_ece.value ? a : best));
}

function whoseRow(attack) {
  const share = attack.clear_d_ece.value > 0 ? Math.max(0, attack.d_ece.value) / attack.clear_d_ece.value : null;
  const { value, null_95: bound, chance } = attack.d_ece;
  const near = chance && bound !== null && value > bound ? "unsettled" : "as chance";
  const figure = attack.too_weak ? "too weak" : chance ? near : percent(share);
  const kind = attack.too_weak ? "weak" : chance ? "chance" : "learns";
  return h(
    "tr",
    { class: `attack ${kind}`, role: "row" },
    h(
      "td",
      { class: "knows", role: "cell" },
      h("b", {}, `Whose slices? ${attackerName(attack.attacker)}`),
      h("span", {}, sentence(attack.knows)),
      h(
        "span",
        { class: "through" },
        `Enrolled: ${ENROLMENT_NAMES[attack.enrolment]}. Heard through ${attack.encoder}`,
      ),
    ),
    h(
      "td",
      { class: "learns", role: "cell" },
      h("span", { class: "figure", "aria-hidden": "true" }, figure),
      h("span", { class: "says" }, sentence(attack.verdict)),
    ),
    h(
      "td",
      { class: "disclosed", role: "cell" },
      h("span", { class: "cell-title" }, "Expected disclosure"),
      meter(attack.d_ece, { control: attack.clear_d_ece, weak: attack.too_weak }),
      meterWords(attack.d_ece, attack.clear_d_ece),
    ),
    h(
      "td",
      { class: "worst", role: "cell" },
      h("span", { class: "cell-title" }, "Linkability"),
      h(
        "span",
        { class: "worst-words" },
        `Equal error rate ${measured(attack.eer, PER_CENT)}, guessing 50\u00a0%.${linkWords(attack.d_sys)} Slices have no letter.`,
      ),
    ),
  );
}

function linkWords(d_sys) {
  if (!d_sys) return "";
  const chance = d_sys.null === null ? "" : `, chance ${number(d_sys.null, 2)}`;
  return ` Linkability D_sys ${measured(d_sys, { decimals: 2 })}${chance}.`;
}

function togetherRow(joining) {
  const share = joining.recovered ?? joining.top_1;
  const says = joining.recovered
    ? `this attacker puts ${percent(share.value)} of the recordings together again, all their slices in order`
    : `this attacker finds the next slice in ${percent(share.value)} of the cases`;
  return h(
    "tr",
    { class: "attack learns", role: "row" },
    h(
      "td",
      { class: "knows", role: "cell" },
      h("b", {}, "In order again? Somebody with the slices"),
      h("span", {}, sentence(joining.knows)),
      h("span", { class: "through" }, `Looks at ${joining.looks_at}`),
    ),
    h(
      "td",
      { class: "learns", role: "cell" },
      h("span", { class: "figure", "aria-hidden": "true" }, percent(share.value)),
      h("span", { class: "says" }, sentence(says)),
    ),
    h(
      "td",
      { class: "disclosed", role: "cell" },
      h("span", { class: "cell-title" }, joining.recovered ? "Recordings put together" : "Successors found"),
      shareMeter(share),
      shareWords(share),
    ),
    h(
      "td",
      { class: "worst", role: "cell" },
      h("span", { class: "cell-title" }, "Successors found"),
      h("span", { class: "worst-words" }, `The next slice is found in ${measured(joining.top_1, PER_CENT)} of the cases.`),
    ),
  );
}

// From 0 to all; hatched is what guessing gives.
function shareMeter(e) {
  return meter({ ...e, null_95: e.null, chance: Boolean(e.chance) }, { to: 1 });
}

function shareWords(e) {
  return h(
    "span",
    { class: "meter-words" },
    h("b", {}, percent(e.value, 1)),
    e.low === null ? "" : ` [${number(100 * e.low, 1)}, ${number(100 * e.high, 1)}]`,
    e.null !== null && h("span", {}, ` guessing ${percent(e.null, 1)}`),
  );
}

// Fig. 3 of the paper: linkability against the duration of what is heard.
function linkability(holder) {
  const marks = linkMarks();
  const title = "Whose slices: linkability against duration";
  const toggle = [
    segments("The attacker has of each person", Object.entries(ENROLMENT_NAMES), choice.enrolment, (enrolment) =>
      choose({ enrolment }),
    ),
    segments("Shown", Object.entries(LINKS), choice.link, (link) => choose({ link })),
  ];
  if (!marks.length) {
    const few = "There are too few trials here for a figure of linkability; see the equal error rates above.";
    return [h("h3", {}, title), toggle, h("p", { class: "quiet" }, few), behind("linkability", title, "", linkData)];
  }
  const width = Math.min(860, Math.max(320, holder.clientWidth));
  const height = Math.min(430, Math.round(width * 0.55) + 60);
  const furthest = Math.max(...marks.map((m) => m.mean + (m.sd ?? 0)));
  const x = scale(0, Math.ceil(1.08 * furthest), 56, width - 22);
  const byEer = choice.link === "eer";
  const y = byEer ? scale(0, 60, height - 50, 34) : scale(0, 1, height - 50, 34);
  const picture = chart({
    width,
    height,
    x,
    y,
    xLabel: "duration of what is tried [s]",
    yLabel: byEer ? "equal error rate [%], 0 is certainty" : "linkability D_sys, 1 is certainty",
    label: title,
  });
  const levels = byEer ? [50] : marks.map((m) => m.d_sys.null).filter((v) => v !== null);
  if (levels.length) {
    const chance = y(Math.max(...levels));
    const words = byEer ? "guessing" : "shuffled names";
    picture.append(
      s("line", { class: "quartile", x1: x(0), x2: x(x.to), y1: chance, y2: chance }),
      s("text", { class: "small-label", x: x(x.to), y: chance - 5, "text-anchor": "end" }, words),
    );
  }
  const points = marks.map((m) => {
    const shownAs = m[choice.link];
    const up = (value) => y(byEer ? 100 * value : value);
    const at = { x: x(m.mean), y: up(shownAs.value) };
    const spread = m.sd ?? 0;
    const lines = [[x(Math.max(0, m.mean - spread)), x(m.mean + spread), at.y, at.y]];
    if (shownAs.low !== null) {
      const [low, high] = [up(shownAs.low), up(shownAs.high)];
      lines.push([at.x, at.x, low, high], [at.x - 4, at.x + 4, low, low], [at.x - 4, at.x + 4, high, high]);
    }
    picture.append(
      ...lines.map(([a, b, c, d]) => s("line", { class: "whisker", x1: a, x2: b, y1: c, y2: d })),
      mark(m.shape, at.x, at.y, m.clear ? 5 : 7, `series ${m.clear ? "grey other" : `s${m.k % 6}`}`),
    );
    return { ...at, text: m.text };
  });
  const readout = readoutLine("Point at a mark, or press Tab and the arrow keys.");
  reachable(picture, points, {
    readout,
    describe: (point) => point.text,
    label: "Linkability against duration. Arrow keys go from mark to mark.",
  });
  const uneven = marks.some((m) => !m.cut)
    ? " Slices make more trials than recordings, which raises D_sys: hold slices and speech that was not cut side by side by their equal error rates."
    : "";
  const summary = `${marks.map((m) => m.text).join(" ")}${uneven} Upright bars hold 95 % and draw speakers again; level bars span mean ± standard deviation of the durations.`;
  return [
    h("h3", {}, title),
    toggle,
    h(
      "figure",
      {},
      h("figcaption", {}, readout),
      picture,
      linkLegend(marks),
      behind("linkability", "linkability and equal error rate against duration", summary, linkData, picture),
    ),
  ];
}

// Speech that was not cut stands beside the slices, whatever is enrolled; clear speech once each.
function linkMarks() {
  const marks = [];
  const seen = new Set();
  study.slices.forEach((one, k) => {
    for (const a of of(one.attacks, { encoder: choice.encoder })) {
      if ((a.cut && a.enrolment !== choice.enrolment) || a.mean === null) continue;
      const name = a.cut ? one.name : `${one.reference}, not cut`;
      for (const [clear, d_sys, eer] of [
        [false, a.d_sys, a.eer],
        [true, a.clear_d_sys, a.clear_eer],
      ]) {
        const what = clear ? (a.cut ? `clear speech cut like ${one.name}` : "clear speech, not cut") : name;
        const key = `${what}|${a.mean}|${eer.value}|${clear ? "" : a.attacker}`;
        if (!(choice.link === "eer" ? eer : d_sys) || seen.has(key)) continue;
        seen.add(key);
        marks.push({
          ...{ k, clear, cut: a.cut, d_sys, eer, mean: a.mean, sd: a.sd, attacker: a.attacker },
          shape: ATTACKER_MARKS[a.attacker] ?? "diamond",
          text: `${attackerName(a.attacker)} on ${what} (${number(a.mean, 1)} s): ${d_sys ? `D_sys ${measured(d_sys, { decimals: 2 })}, ` : ""}equal error rate ${measured(eer, PER_CENT)}.`,
        });
      }
    }
  });
  return marks;
}

function linkLegend(marks) {
  const sample = (kind, className) =>
    s("svg", { class: "sample", viewBox: "-9 -9 18 18", "aria-hidden": "true" }, mark(kind, 0, 0, 5.5, className));
  const protectedOnes = marks.filter((m) => !m.clear);
  return h(
    "ul",
    { class: "legend" },
    unique(protectedOnes.map((m) => m.k)).map((k) =>
      h("li", {}, sample("diamond", `series s${k % 6}`), study.slices[k].name),
    ),
    unique(protectedOnes.map((m) => m.attacker)).map((name) =>
      h("li", {}, sample(ATTACKER_MARKS[name] ?? "diamond", "series grey"), attackerName(name)),
    ),
    marks.some((m) => m.clear) && h("li", {}, sample("circle", "series grey other"), "hollow: clear speech"),
  );
}

function linkData() {
  const figures = ["d_sys", "eer", "d_ece", "clear_d_sys", "clear_eer", "clear_d_ece"];
  const names = ["D_sys", "EER", "D_ECE [bit]", "D_sys, clear", "EER, clear", "D_ECE, clear [bit]"];
  return {
    columns: [
      "safeguard",
      "speech",
      "mean [s]",
      "sd [s]",
      "attacker",
      "recogniser",
      "enrolment",
      "verdict",
      "mated",
      "non-mated",
      ...names.flatMap((name) => [name, "low", "high", "chance"]),
    ],
    rows: study.slices.flatMap((one) =>
      one.attacks.map((a) => [
        a.cut ? one.name : one.reference,
        a.cut ? "slices" : "not cut",
        a.mean,
        a.sd,
        a.attacker,
        a.encoder,
        a.enrolment,
        a.verdict,
        a.n_mated,
        a.n_nonmated,
        ...figures.flatMap((f) => [a[f]?.value, a[f]?.low, a[f]?.high, a[f]?.null]),
      ]),
    ),
  };
}

// Every attack that tries to join slices, the paper's four figures behind it.
function reassembly() {
  // What was also tried on samples stands there with how much it put together.
  const rows = study.slices.flatMap((one) =>
    one.joinings
      .filter((j) => j.recovered || !one.joinings.some((k) => k.recovered && k.attack === j.attack))
      .map((j) => ({ one, j })),
  );
  const cell = (title, e) =>
    h(
      "td",
      { role: "cell" },
      h("span", { class: "cell-title" }, title),
      e ? [shareMeter(e), shareWords(e)] : "—",
    );
  const table = h(
    "table",
    { class: "utility", role: "table" },
    h("caption", { class: "visually-hidden" }, "Slices put together again"),
    h(
      "thead",
      {},
      h(
        "tr",
        { role: "row" },
        ["Slices", "What the attacker looks at", "First guess right", "Recordings put together"].map((t) =>
          h("th", { scope: "col", role: "columnheader" }, t),
        ),
      ),
    ),
    h(
      "tbody",
      {},
      rows.map(({ one, j }) =>
        h(
          "tr",
          { role: "row" },
          h("th", { scope: "row", role: "rowheader" }, one.name),
          h("td", { role: "cell" }, h("b", {}, j.attack), h("span", { class: "quiet" }, ` ${j.looks_at}`)),
          cell("First guess right", j.top_1),
          cell("Recordings put together", j.recovered),
        ),
      ),
    ),
  );
  const said = rows.map(
    ({ one, j }) =>
      `${one.name}, ${j.attack}: first guess right ${measured(j.top_1, PER_CENT)}${j.recovered ? `, put together ${measured(j.recovered, PER_CENT)}` : ""}.`,
  );
  return [
    h("h3", {}, "In order again: which slice follows which"),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Slices put together again" },
      table,
    ),
    behind("reassembly", "which slice follows which", `${said.join(" ")} ${ranges()}`, joiningData),
  ];
}

// What the brackets mean, which is not the same everywhere.
function ranges() {
  return study.slices.some((one) => one.joinings.some((j) => j.samples > 1))
    ? "Where samples of utterances were taken, brackets go from the smallest sample to the largest; elsewhere they hold 95 % and draw utterances again."
    : "Brackets hold 95 % and draw utterances again.";
}

function joiningData() {
  const figures = ["average", "median", "top_1", "top_10", "recovered"];
  const names = ["average rank", "median rank", "top-1", "top-10%", "put together"];
  return {
    columns: [
      "safeguard",
      "attack",
      "looks at",
      "slices",
      "samples",
      ...names.flatMap((name) => [name, "low", "high", "chance"]),
    ],
    rows: study.slices.flatMap((one) =>
      one.joinings.map((j) => [
        one.name,
        j.attack,
        j.looks_at,
        j.slices,
        j.samples === 0 ? "all slices" : j.samples,
        ...figures.flatMap((f) =>
          j[f] ? [j[f].value, j[f].low, j[f].high, j[f].null] : [null, null, null, null],
        ),
      ]),
    ),
  };
}

// With the columns of the paper, to be held beside it.
function sliceTables() {
  return [
    h("h3", {}, "Tables with the columns of Maouche et al. 2022"),
    study.slice_tables.map((table) => [
      paperTable(table, table.title),
      table.name.endsWith("table3") && h("p", { class: "quiet" }, ranges()),
      h(
        "p",
        { class: "take noprint" },
        h(
          "button",
          { type: "button", onclick: () => saveCsv(`${table.name}.csv`, ...paperData(table)) },
          `Save ${table.name} (CSV)`,
        ),
      ),
    ]),
    !study.slice_tables.some((table) => table.name.endsWith("table1")) &&
      h(
        "p",
        { class: "quiet" },
        "Table 1 of that paper, a speech recogniser trained on slices, takes hours, and nobody asked for it here: asr_training in a plan does.",
      ),
  ];
}
