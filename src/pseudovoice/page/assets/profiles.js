// ECE profiles with a slider for the belief an attacker begins with.

const profileView = { logit: 0, shows: "one" };

const LOOKS = { oo: "grey", op: "s0", pp: "s2", pq: "s1" };
const LOOK_MARKS = { oo: "square", op: "circle", pp: "up", pq: "diamond" };

function drawProfiles(holder) {
  const inner = h("div", {});
  const again = () => inner.replaceChildren(profileFigure(holder.clientWidth));
  again();
  return [
    study.safeguards.length > 1 &&
      h(
        "div",
        { class: "controls noprint" },
        segments(
          "Curves",
          [
            ["one", "every comparison"],
            ["all", "every safeguard"],
          ],
          profileView.shows,
          (value) => {
            profileView.shows = value;
            again();
          },
        ),
      ),
    inner,
  ];
}

function profilesOf(safeguard) {
  return of(safeguard?.profiles ?? [], { group: choice.group, encoder: choice.encoder })[0];
}

// The curves to draw, each with its name and look.
function curvesShown() {
  const one = profilesOf(safeguardNamed(choice.safeguard));
  if (!one) return null;
  const control = one.curves.filter((c) => c.condition === "oo" && c.kind === "oracle");
  const named = (curve, name, look, kind) => ({ ...curve, name, look, mark: kind });
  if (profileView.shows === "all") {
    const list = study.safeguards.flatMap((safeguard, k) => {
      const curve = profilesOf(safeguard)?.curves.find(
        (c) => c.attacker === choice.attacker && c.kind === "oracle",
      );
      return curve
        ? [
            named(
              curve,
              `${safeguard.name}, ${attackerName(choice.attacker).toLowerCase()}`,
              `s${k % 6}`,
              SERIES[k % 6],
            ),
          ]
        : [];
    });
    return { one, curves: [...control.map((c) => named(c, "unprotected (OO)", "grey", "square")), ...list] };
  }
  const extra = { pq: 0 };
  const curves = one.curves.map((c) => {
    const informed = c.condition === "pq" ? extra.pq++ : 0;
    const label =
      { oo: "unprotected (OO)", pp: "distinctiveness (PP)" }[c.condition] ??
      `${attackerName(c.attacker)} (${c.condition.toUpperCase()})`;
    const look = informed ? `s${2 + informed}` : LOOKS[c.condition];
    return named(
      c,
      c.kind === "actual" ? `${label}, scores as they are` : label,
      c.kind === "actual" ? `${look} actual` : look,
      LOOK_MARKS[c.condition],
    );
  });
  return { one, curves };
}

function profileFigure(room) {
  const chosen = curvesShown();
  if (!chosen) return h("p", {}, "There are no profiles of these speakers and this recogniser.");
  const { one, curves } = chosen;
  const width = Math.min(860, Math.max(320, room));
  const height = Math.min(440, Math.round(width * 0.55) + 60);
  const grid = one.logit_prior;
  const x = scale(grid[0], grid.at(-1), 56, width - 20);
  const y = scale(0, Math.min(1.5, Math.max(1, ...curves.flatMap((c) => c.ece)) * 1.04), height - 50, 34);
  const odds = (width < 560 ? [-99, 1, 99] : [-999, -99, -9, 1, 9, 99, 999])
    .map((k) => Math.sign(k) * Math.log(Math.abs(k)))
    .filter((v) => v >= grid[0] && v <= grid.at(-1));
  const picture = chart({
    width,
    height,
    x,
    y,
    xTicks: { list: [], decimals: 0 },
    xLabel: `${width < 560 ? "" : "the attacker’s "}belief before listening that it is the same person`,
    yLabel: "left to guess [bit]",
    label: `ECE profiles, ${chosenWords("safeguard", "group", "encoder")}`,
  });
  for (const value of odds) {
    picture.append(
      s("line", { class: "tick", x1: x(value), x2: x(value), y1: y(0), y2: y(0) + 5 }),
      s(
        "text",
        { class: "tick-label", x: x(value), y: y(0) + 18, "text-anchor": "middle" },
        beliefShort(value),
      ),
    );
  }
  const path = (values) =>
    `M${values.map((v, k) => `${x(grid[k]).toFixed(1)},${y(Math.min(v, y.to)).toFixed(1)}`).join("L")}`;
  picture.append(s("path", { class: "curve perfect", d: path(one.prior) }));
  for (const c of curves) picture.append(s("path", { class: `curve ${c.look}`, d: path(c.ece) }));
  const hair = s("line", { class: "hair", y1: y(0), y2: y(y.to) });
  const dots = [
    s("circle", { class: "dot perfect", r: 4.5 }),
    ...curves.map((c) => mark(c.mark, 0, 0, 5, `dot ${c.look}`)),
  ];
  picture.append(hair, ...dots);

  const cells = [];
  const line = (name, className, at) => {
    const values = [h("td", { class: "num" }), h("td", { class: "num" })];
    cells.push({ values, at });
    return h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        s(
          "svg",
          { class: "stroke", viewBox: "0 0 44 12", "aria-hidden": "true" },
          s("line", { class: `curve ${className}`, x1: 1, x2: 43, y1: 6, y2: 6 }),
        ),
        name,
      ),
      values,
    );
  };
  const legend = h(
    "table",
    { class: "curves" },
    h("caption", { class: "visually-hidden" }, "What is left to guess at the chosen belief"),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        ["Curve", "left to guess [bit]", "learnt [bit]"].map((t) => h("th", { scope: "col" }, t)),
      ),
    ),
    h(
      "tbody",
      {},
      line("nothing heard (perfect privacy)", "perfect", one.prior),
      curves.map((c) => line(c.name, c.look, c.ece)),
    ),
  );
  const id = freshId("prior");
  const says = h("output", { for: id, class: "belief" });
  const slider = h("input", {
    type: "range",
    id,
    min: grid[0],
    max: grid.at(-1),
    step: 0.1,
    value: profileView.logit,
  });
  const move = () => {
    profileView.logit = Number(slider.value);
    const k = Math.round((profileView.logit - grid[0]) / (grid[1] - grid[0]));
    for (const edge of ["x1", "x2"]) hair.setAttribute(edge, x(grid[k]));
    [one.prior, ...curves.map((c) => c.ece)].forEach((values, c) => {
      dots[c].setAttribute(
        "transform",
        `translate(${x(grid[k]).toFixed(1)},${y(Math.min(values[k], y.to)).toFixed(1)})`,
      );
    });
    cells.forEach(({ values, at }, c) => {
      values[0].textContent = number(at[k]);
      values[1].textContent = c ? number(one.prior[k] - at[k]) : "";
    });
    const words = belief(grid[k]);
    says.textContent = words;
    slider.setAttribute("aria-valuetext", words);
  };
  slider.addEventListener("input", move);
  move();
  return h(
    "figure",
    {},
    h(
      "div",
      { class: "slider" },
      h("label", { for: id }, "Before listening the attacker believes"),
      slider,
      says,
    ),
    picture,
    legend,
    behind(
      "profiles",
      `ECE profiles, ${chosenWords("safeguard", "group", "encoder")}`,
      one.summary,
      () => ({
        columns: ["prior log-odds", "perfect privacy", ...curves.map((c) => c.name)],
        rows: grid.map((v, k) => [number(v, 1), one.prior[k], ...curves.map((c) => c.ece[k])]),
      }),
      picture,
    ),
  );
}

function beliefShort(logit) {
  const p = 1 / (1 + Math.exp(-Math.abs(logit)));
  if (logit === 0) return "1 in 2";
  const n = Math.round(1 / (1 - p));
  return logit < 0 ? `1 in ${count(n)}` : `${count(n - 1)} in ${count(n)}`;
}

function belief(logit) {
  const p = 1 / (1 + Math.exp(-logit));
  const share = `${number(100 * p, p < 0.01 || p > 0.99 ? 2 : p < 0.1 || p > 0.9 ? 1 : 0)} %`;
  if (Math.abs(logit) < 0.05) return `one in two, ${share}: it may as well toss a coin`;
  if (logit < 0) return `about 1 in ${count(Math.round(1 / p))}, ${share}, that it is the same person`;
  return `${share} that it is the same person`;
}
