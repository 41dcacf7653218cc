// Three stamps beside a safeguard's name: the diagonal among originals, between original and
// protected, and among protected voices.

const CIVIDIS = [
  [0, 34, 78],
  [18, 53, 112],
  [59, 73, 108],
  [87, 93, 109],
  [112, 113, 115],
  [138, 134, 120],
  [165, 156, 116],
  [195, 179, 105],
  [225, 204, 85],
  [254, 232, 56],
];

// Similarity 0 to 1 in 256 colours, dark to light: the order survives in grey.
const COLOURS = Array.from({ length: 256 }, (_, k) => {
  const place = (k / 255) * (CIVIDIS.length - 1);
  const low = Math.min(CIVIDIS.length - 2, Math.floor(place));
  return CIVIDIS[low].map((v, c) => Math.round(v + (place - low) * (CIVIDIS[low + 1][c] - v)));
});

function paint(size, valueAt) {
  const small = document.createElement("canvas");
  small.width = size;
  small.height = size;
  const context = small.getContext("2d");
  const image = context.createImageData(size, size);
  for (let i = 0, at = 0; i < size; i += 1) {
    for (let j = 0; j < size; j += 1, at += 4) {
      const value = valueAt(i, j);
      if (value === null) continue; // stays transparent
      const [red, green, blue] = COLOURS[Math.round(255 * value)];
      image.data[at] = red;
      image.data[at + 1] = green;
      image.data[at + 2] = blue;
      image.data[at + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
  return small;
}

function thumbs(found) {
  if (!found) return null;
  const stamps = ["oo", "op", "pp"]
    .map((name) => [name, matrixOf(found[name])])
    .filter(([, matrix]) => matrix)
    .map(([name, matrix]) => {
      const canvas = h("canvas", { width: 112, height: 112, "aria-hidden": "true" });
      const context = canvas.getContext("2d");
      context.imageSmoothingEnabled = matrix.n > 56;
      context.drawImage(paint(matrix.n, matrix.at), 0, 0, 112, 112);
      return h("span", { class: "thumb" }, canvas, h("span", {}, name.toUpperCase()));
    });
  return h(
    "a",
    { class: "thumbs", href: "#matrices" },
    stamps,
    h("span", { class: "visually-hidden" }, "Similarity matrices"),
  );
}
