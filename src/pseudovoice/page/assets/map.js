// De-identification against gain of voice distinctiveness, published baselines behind.

const PUBLISHED_MARKS = { B1: "up", B2: "square", B2r: "diamond" };

function drawMap(holder) {
  const placed = study.safeguards.flatMap((one, k) =>
    of(one.places, { encoder: choice.encoder })
      .filter((place) => !place.too_weak)
      .map((place) => ({ ...place, name: one.name, k })),
  );
  if (!placed.length) {
    const weak = study.safeguards.some((one) => one.places.length);
    return h(
      "p",
      {},
      tooFew()
        ? "There is no place on the map: there are too few speakers to conclude."
        : weak
        ? `There is no place on the map: attacks heard through ${choice.encoder} are too weak to conclude.`
        : "There is no place on the map: it needs the comparisons OO, OP and PP of every pair of speakers.",
    );
  }
  const width = Math.min(860, Math.max(320, holder.clientWidth));
  const height = Math.min(470, Math.round(width * 0.62) + 60);
  const xs = [
    ...study.published.map((p) => p.deid),
    ...placed.flatMap((p) => bounds(p.deid).map((v) => 100 * v)),
  ];
  const ys = [...study.published.map((p) => p.g_vd), ...placed.flatMap((p) => bounds(p.g_vd))];
  const x = scale(Math.min(30, Math.floor(Math.min(...xs) / 10) * 10), 100, 56, width - 22);
  const y = scale(
    Math.min(-13, Math.min(...ys) - 0.5),
    Math.max(1.6, Math.max(...ys) + 0.8),
    height - 50,
    34,
  );
  const picture = chart({
    width,
    height,
    x,
    y,
    xLabel: "de-identification DeID [%]",
    yLabel: "gain of voice distinctiveness G_VD [dB]",
    label: "Map of safeguards",
  });
  picture.append(
    s("line", { class: "zero", x1: x(x.from), x2: x(x.to), y1: y(0), y2: y(0) }),
    s("text", { class: "corner", x: x(100) - 6, y: y(0) - 10, "text-anchor": "end" }, "aim"),
  );
  const points = [];
  for (const p of study.published) {
    const at = { x: x(p.deid), y: y(p.g_vd) };
    picture.append(mark(PUBLISHED_MARKS[p.system] ?? "circle", at.x, at.y, 4, `published ${p.source}`));
    points.push({
      ...at,
      text: `Published: ${p.system} on ${p.dataset}, ${p.source}: DeID ${number(p.deid, 1)} %, G_VD ${number(p.g_vd, 1)} dB`,
    });
  }
  const labels = [];
  const taken = [[x(100) - 34, y(0) - 24, x(100), y(0) - 4]];
  for (const p of [...placed].sort((a, b) => (a.group === choice.group) - (b.group === choice.group))) {
    const main = p.group === choice.group;
    const at = { x: x(100 * p.deid.value), y: y(p.g_vd.value) };
    if (main) {
      const [across, up] = [p.deid, p.g_vd].map((e) =>
        e.low === null || e.high === null ? [e.value, e.value] : [e.low, e.high],
      );
      const [x1, x2, y1, y2] = [x(100 * across[0]), x(100 * across[1]), y(up[1]), y(up[0])];
      picture.append(
        ...[
          [x1, x2, at.y, at.y],
          [x1, x1, at.y - 4, at.y + 4],
          [x2, x2, at.y - 4, at.y + 4],
          [at.x, at.x, y1, y2],
          [at.x - 4, at.x + 4, y1, y1],
          [at.x - 4, at.x + 4, y2, y2],
        ].map(([a, b, c, d]) => s("line", { class: "whisker", x1: a, x2: b, y1: c, y2: d })),
      );
      taken.push([x1, at.y - 4, x2, at.y + 4], [at.x - 4, y1, at.x + 4, y2]);
    }
    taken.push([at.x - 8, at.y - 8, at.x + 8, at.y + 8]);
    if (main || width > 560) labels.push({ ...at, main, text: main ? p.name : groupName(p.group) });
    picture.append(
      mark(
        SERIES[p.k % SERIES.length],
        at.x,
        at.y,
        main ? 7 : 4,
        `series s${p.k % 6}${main ? "" : " other"}`,
      ),
    );
    points.push({
      ...at,
      text: `${p.name}, ${groupName(p.group)}, against the ignorant attacker heard through ${p.encoder}: DeID ${measured(p.deid, { unit: "%", decimals: 1, factor: 100 })}, G_VD ${measured(p.g_vd, { unit: "dB", decimals: 1 })}`,
    });
  }
  placeLabels(picture, labels.reverse(), taken, {
    left: x(x.from),
    right: width,
    top: y(y.to),
    bottom: y(y.from),
  });
  points.reverse(); // our own come first under the arrow keys
  const readout = readoutLine("Point at a mark, or press Tab and the arrow keys.");
  reachable(picture, points, {
    readout,
    describe: (point) => point.text,
    label: "Map of safeguards. Arrow keys go from mark to mark.",
  });
  const now = placed.filter((p) => p.group === choice.group);
  const summary = `Against the ignorant attacker (${chosenWords("group", "encoder")}): ${now
    .map(
      (p) =>
        `${p.name} has DeID ${measured(p.deid, { unit: "%", decimals: 1, factor: 100 })} and G_VD ${measured(p.g_vd, { unit: "dB", decimals: 1 })}`,
    )
    .join("; ") || "too weak to conclude"}. Crosses are 95 % intervals; smaller marks are the other groups. The published baselines lie between ${number(Math.min(...study.published.map((p) => p.deid)), 1)} and ${number(Math.max(...study.published.map((p) => p.deid)), 1)} % DeID.`;
  return h(
    "figure",
    {},
    h("figcaption", {}, readout),
    picture,
    mapLegend(placed),
    behind(
      "map",
      "DeID and G_VD",
      summary,
      () => ({
        columns: [
          "system",
          "source",
          "speakers",
          "recogniser",
          "DeID [%]",
          "low",
          "high",
          "G_VD [dB]",
          "low",
          "high",
        ],
        rows: [
          ...study.safeguards.flatMap((one) =>
            one.places.map((p) => [
              one.name,
              "this study",
              p.group,
              p.encoder,
              ...[p.deid.value, p.deid.low, p.deid.high].map((v) => (v === null ? null : 100 * v)),
              p.g_vd.value,
              p.g_vd.low,
              p.g_vd.high,
            ]),
          ),
          ...study.published.map((p) => [
            p.system,
            p.source,
            p.dataset,
            "x-vector, PLDA",
            p.deid,
            null,
            null,
            p.g_vd,
            null,
            null,
          ]),
        ],
      }),
      picture,
    ),
  );
}

function bounds(e) {
  return [e.value, e.low, e.high].filter((v) => v !== null);
}

// Names near their marks, each in the first place where it lies on nothing else; a name that
// finds none is left to the readout, or on wide screens, if its mark is one of those chosen, put
// below it all the same.
const PLACES = [
  [10, -14],
  [10, 22],
  [-10, -14],
  [-10, 22],
  [14, -32],
  [14, 42],
  [-14, -32],
  [-14, 42],
  [14, 62],
  [-14, 62],
];

function placeLabels(picture, labels, taken, room) {
  for (const { x, y, main, text } of labels) {
    const name = text.length > 30 ? `${text.slice(0, 29)}…` : text;
    const [wide, high] = main ? [9.6 * name.length, 15] : [7.4 * name.length, 12];
    const box = ([right, down]) => {
      const left = right > 0 ? x + right : x + right - wide;
      return [left, y + down - high, left + wide, y + down];
    };
    const fits = ([a, b, c, d]) =>
      a >= room.left &&
      c <= room.right &&
      b >= room.top - 6 &&
      d <= room.bottom &&
      taken.every(([e, f, g, i]) => c < e || a > g || d < f || b > i);
    const found =
      PLACES.slice(0, main ? PLACES.length : 4).find((place) => fits(box(place))) ??
      (main && room.right > 560 ? PLACES[5] : null);
    if (!found) continue;
    const [left, top, right, bottom] = box(found);
    taken.push([left, top, right, bottom]);
    if (Math.abs(found[1]) > 24) {
      picture.append(
        s("line", { class: "leader", x1: x, y1: y, x2: x + found[0], y2: found[1] > 0 ? top : bottom }),
      );
    }
    picture.append(s("text", { class: main ? "mark-label" : "small-label", x: left, y: bottom - 3 }, name));
  }
}

function mapLegend(placed) {
  const sample = (kind, className) =>
    s(
      "svg",
      { class: "sample", viewBox: "-9 -9 18 18", "aria-hidden": "true" },
      mark(kind, 0, 0, 5.5, className),
    );
  const names = unique(placed.map((p) => p.k));
  return h(
    "ul",
    { class: "legend" },
    names.map((k) =>
      h("li", {}, sample(SERIES[k % SERIES.length], `series s${k % 6}`), study.safeguards[k].name),
    ),
    unique(study.published.map((p) => `${p.system}|${p.source}`)).map((pair) => {
      const [system, source] = pair.split("|");
      return h(
        "li",
        { class: "pale" },
        sample(PUBLISHED_MARKS[system] ?? "circle", `published ${source}`),
        `${system}, Noé et al. ${source.slice(-4)}`,
      );
    }),
  );
}
