// Take a figure or its data along as a file.

const KEPT = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-style",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
];

function download(name, blob) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function saveSvg(name, picture) {
  const copy = picture.cloneNode(true);
  const from = [picture, ...picture.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((node, k) => {
    const style = getComputedStyle(from[k]);
    // Attributes, not a style sheet: the file has to look the same without the page's.
    for (const property of KEPT) node.setAttribute(property, style.getPropertyValue(property));
    node.removeAttribute("class");
  });
  const box = picture.getBoundingClientRect();
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("width", box.width);
  copy.setAttribute("height", box.height);
  download(name, new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
}

function saveCanvas(name, canvas) {
  canvas.toBlob((blob) => download(name, blob), "image/png");
}

// A text that a spreadsheet would run as a formula is marked with ', as in cells.py.
function csvCell(value) {
  if (value === null || value === undefined) return "";
  let text = String(value);
  const formula = typeof value === "string" && /^'*[=+\-@\t\r\n＝＋－＠]/.test(text);
  const number = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text);
  if (formula && !number) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function saveCsv(name, columns, rows) {
  const lines = [columns, ...rows].map((row) => row.map(csvCell).join(","));
  download(name, new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }));
}
