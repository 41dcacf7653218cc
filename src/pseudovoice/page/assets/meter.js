// The meter: how much an attacker learns, measured from nothing to everything there is to learn.
// Hatched is what chance gives, the bracket the interval, the flag what unprotected speech tells.

function hatching() {
  document.body.append(
    s(
      "svg",
      { class: "defs", width: 0, height: 0, "aria-hidden": "true" },
      s(
        "defs",
        {},
        s(
          "pattern",
          {
            id: "hatch",
            width: 5,
            height: 5,
            patternUnits: "userSpaceOnUse",
            patternTransform: "rotate(45)",
          },
          s("line", { class: "hatch-line", x1: 0, x2: 0, y1: 0, y2: 5 }),
        ),
      ),
    ),
  );
}

function meter(e, { control = null, from = 0, to = FULL, weak = false } = {}) {
  const place = (value) => `${(100 * Math.min(1, Math.max(0, (value - from) / (to - from)))).toFixed(2)}%`;
  const across = (a, b) => ({
    x: place(a),
    width: `${(parseFloat(place(b)) - parseFloat(place(a))).toFixed(2)}%`,
  });
  const picture = s("svg", { class: `meter${weak ? " weak" : ""}`, "aria-hidden": "true" });
  picture.append(s("line", { class: "meter-base", x1: "0%", x2: "100%", y1: 15, y2: 15 }));
  if (from < 0) picture.append(s("line", { class: "meter-zero", x1: place(0), x2: place(0), y1: 6, y2: 24 }));
  if (e.null_95 !== null) {
    picture.append(
      s("rect", {
        class: "meter-chance",
        ...across(Math.min(0, e.null_95), Math.max(0, e.null_95)),
        y: 9,
        height: 12,
      }),
    );
  }
  picture.append(
    s("rect", {
      class: "meter-value",
      ...across(Math.min(0, e.value), Math.max(0, e.value)),
      y: 12,
      height: 6,
    }),
  );
  if (e.low !== null && e.high !== null) {
    picture.append(
      s("line", { class: "meter-range", x1: place(e.low), x2: place(e.high), y1: 15, y2: 15 }),
      s("line", { class: "meter-range", x1: place(e.low), x2: place(e.low), y1: 9, y2: 21 }),
      s("line", { class: "meter-range", x1: place(e.high), x2: place(e.high), y1: 9, y2: 21 }),
    );
  }
  picture.append(
    s("circle", { class: e.chance ? "meter-dot hollow" : "meter-dot", cx: place(e.value), cy: 15, r: 4.5 }),
  );
  if (control) {
    picture.append(
      s("line", { class: "meter-control", x1: place(control.value), x2: place(control.value), y1: 3, y2: 27 }),
      s("circle", { class: "meter-flag", cx: place(control.value), cy: 3, r: 3 }),
    );
  }
  return picture;
}

// The numbers of a meter in words.
function meterWords(e, control) {
  return h(
    "span",
    { class: "meter-words" },
    h("b", {}, `${number(e.value)} bit`),
    e.low === null ? "" : ` [${number(e.low)}, ${number(e.high)}]`,
    // The spaces stand between the parts, where a line may break.
    control && [" ", h("span", {}, `unprotected ${number(control.value)}`)],
    e.null_95 !== null && [" ", h("span", {}, `chance up to ${number(e.null_95)}`)],
  );
}
