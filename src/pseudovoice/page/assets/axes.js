// Scales, ticks and frames of the drawn figures.

function scale(from, to, start, end) {
  const span = to - from || 1;
  const place = (value) => start + ((value - from) / span) * (end - start);
  place.from = from;
  place.to = to;
  return place;
}

function ticks(from, to, about) {
  const rough = (to - from) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((size) => size >= rough);
  const list = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9; k += 1) list.push(k * step);
  return { list, decimals: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

// A frame with axes left and below; returns the svg and the group to draw in.
function chart({ width, height, x, y, xLabel, yLabel, xTicks, label, describedBy }) {
  const picture = s("svg", {
    class: "chart",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": label,
    "aria-describedby": describedBy,
  });
  const bottom = y(y.from);
  const [left, right] = [x(x.from), x(x.to)];
  const across = xTicks ?? ticks(x.from, x.to, Math.max(3, (right - left) / 90));
  for (const value of across.list) {
    picture.append(
      s("line", { class: "tick", x1: x(value), x2: x(value), y1: bottom, y2: bottom + 5 }),
      s(
        "text",
        { class: "tick-label", x: x(value), y: bottom + 18, "text-anchor": "middle" },
        number(value, across.decimals),
      ),
    );
  }
  const up = ticks(y.from, y.to, Math.max(3, (bottom - y(y.to)) / 60));
  for (const value of up.list) {
    picture.append(
      s("line", { class: "grid", x1: left, x2: right, y1: y(value), y2: y(value) }),
      s(
        "text",
        { class: "tick-label", x: left - 8, y: y(value) + 4, "text-anchor": "end" },
        number(value, up.decimals),
      ),
    );
  }
  picture.append(
    s("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    s("text", { class: "axis-label", x: right, y: bottom + 36, "text-anchor": "end" }, xLabel),
    s("text", { class: "axis-label", x: left - 40, y: y(y.to) - 12 }, yLabel),
  );
  return picture;
}

// Marks that differ in shape, not in colour alone.
const MARKS = {
  circle: (r) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0`,
  square: (r) => `M${-r * 0.88},${-r * 0.88}h${r * 1.76}v${r * 1.76}h${-r * 1.76}z`,
  up: (r) => `M0,${-r * 1.15}L${r},${r * 0.75}H${-r}z`,
  down: (r) => `M0,${r * 1.15}L${r},${-r * 0.75}H${-r}z`,
  diamond: (r) => `M0,${-r * 1.2}L${r * 1.2},0L0,${r * 1.2}L${-r * 1.2},0z`,
  cross: (r) =>
    `M${-r},${-r * 0.35}h${r * 0.65}v${-r * 0.65}h${r * 0.7}v${r * 0.65}h${r * 0.65}v${r * 0.7}h${-r * 0.65}v${r * 0.65}h${-r * 0.7}v${-r * 0.65}h${-r * 0.65}z`,
};

function mark(kind, x, y, size, className) {
  return s("path", {
    class: className,
    d: MARKS[kind](size),
    transform: `translate(${x.toFixed(1)},${y.toFixed(1)})`,
  });
}

const SERIES = ["circle", "square", "up", "diamond", "down", "cross"];
