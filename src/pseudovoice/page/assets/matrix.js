// The voice similarity matrices: hover, sort, walk with the arrow keys, open a speaker.

const QUADRANTS = { oo: [0, 0], op: [0, 1], po: [1, 0], pp: [1, 1] };
const matrixView = { shows: "four", order: "disclosure" };

function drawMatrices(holder) {
  const safeguard = safeguardNamed(choice.safeguard);
  const [found] = of(safeguard?.matrices ?? [], { group: choice.group, encoder: choice.encoder });
  if (!found) {
    return h(
      "p",
      {},
      "There are no matrices of these speakers and this recogniser: they need a comparison of every pair of speakers.",
    );
  }
  const inner = h("div", {});
  const again = () => inner.replaceChildren(matrixFigure(found, safeguard, holder.clientWidth));
  const there = ["oo", "op", "pp"].filter((name) => found[name]);
  again();
  return [
    h(
      "div",
      { class: "controls noprint" },
      segments(
        "Matrix",
        [["four", "all"], ...there.map((name) => [name, name.toUpperCase()])],
        matrixView.shows,
        (value) => {
          matrixView.shows = value;
          again();
        },
      ),
      segments("Sort by", ORDERS, matrixView.order, (value) => {
        matrixView.order = value;
        again();
        announce(`Sorted by ${ORDERS.find(([kind]) => kind === value)[1]}`);
      }),
    ),
    inner,
  ];
}

// Which cell of which matrix stands at row i and column j of the picture.
function layout(found, shows, order) {
  const n = order.length;
  const whole = { oo: matrixOf(found.oo), op: matrixOf(found.op), pp: matrixOf(found.pp) };
  const cell = (i, j) => {
    if (shows !== "four") return { name: shows, row: order[i], column: order[j] };
    const [down, right] = [i >= n, j >= n];
    const [row, column] = [order[i % n], order[j % n]];
    // Lower left stands M_OP transposed, as in the papers.
    if (down && !right) return { name: "op", row: column, column: row, turned: true };
    return { name: down ? "pp" : right ? "op" : "oo", row, column };
  };
  const value = (i, j) => {
    const { name, row, column } = cell(i, j);
    return whole[name] ? whole[name].at(row, column) : null;
  };
  return { size: shows === "four" ? 2 * n : n, n, cell, value };
}

function matrixFigure(found, safeguard, room) {
  const order = ordered(matrixView.order, found, safeguard);
  const plan = layout(found, matrixView.shows, order);
  const beside = matrixView.shows === "four" ? 22 : 64;
  const side = Math.max(240, Math.min(660, room - beside - 4));
  const fine = Math.min(3, window.devicePixelRatio || 1);
  const canvas = h("canvas", {
    width: Math.round(side * fine),
    height: Math.round(side * fine),
    "aria-hidden": "true",
  });
  const context = canvas.getContext("2d");
  const pixels = canvas.width / plan.size;
  // Many speakers share a pixel only where there are more of them than pixels.
  context.imageSmoothingEnabled = pixels < 1;
  context.drawImage(paint(plan.size, plan.value), 0, 0, canvas.width, canvas.height);

  const cross = {
    row: h("span", { class: "line across" }),
    column: h("span", { class: "line down" }),
    cell: h("span", { class: "cell" }),
  };
  const readout = readoutLine(
    "Point at a cell, or press Tab and the arrow keys; Enter opens the speaker of the row.",
  );
  const stage = h(
    "div",
    {
      class: "stage",
      tabindex: "0",
      role: "application",
      "aria-roledescription": "similarity matrix",
      "aria-label":
        "Similarity matrix. Arrow keys move from cell to cell, Enter opens the speaker of the row.",
    },
    canvas,
    cross.row,
    cross.column,
    cross.cell,
    stageMarks(plan, found, order, side),
  );
  stage.style.width = `${side}px`;
  stage.style.height = `${side}px`;
  stage.style.marginLeft = `${beside}px`;
  walk(stage, plan, side, found, cross, readout);

  return h(
    "figure",
    { class: "matrix" },
    h("figcaption", {}, readout),
    stage,
    colourBar(),
    behind(
      "similarity",
      `similarity, ${chosenWords("safeguard", "group", "encoder")}`,
      found.summary,
      () => matrixData(found, order),
      canvas,
    ),
  );
}

function walk(stage, plan, side, found, cross, readout) {
  let at = null;
  let tapped = false;
  const step = side / plan.size;
  const show = (i, j, aloud) => {
    at = [i, j];
    stage.classList.add("walked");
    cross.row.style.transform = `translateY(${i * step}px)`;
    cross.column.style.transform = `translateX(${j * step}px)`;
    cross.cell.style.transform = `translate(${j * step}px, ${i * step}px)`;
    cross.row.style.height = `${step}px`;
    cross.column.style.width = `${step}px`;
    cross.cell.style.width = `${Math.max(step, 6)}px`;
    cross.cell.style.height = `${Math.max(step, 6)}px`;
    const text = cellWords(plan, found, i, j);
    readout.replaceChildren(shown(text));
    if (aloud) announce(text);
  };
  const under = (event) => {
    const box = stage.getBoundingClientRect();
    const place = (part, whole) =>
      Math.min(plan.size - 1, Math.max(0, Math.floor((part / whole) * plan.size)));
    return [place(event.clientY - box.top, box.height), place(event.clientX - box.left, box.width)];
  };
  const rowSpeaker = () => {
    const { row, column, turned } = plan.cell(...at);
    return found.speakers[turned ? column : row];
  };
  stage.addEventListener("pointermove", (event) => show(...under(event), false));
  stage.addEventListener("click", (event) => {
    const [i, j] = under(event);
    // A finger has no hover: the first tap tells the cell, a second one on it opens the speaker.
    const again = at && at[0] === i && at[1] === j;
    show(i, j, false);
    if (event.pointerType !== "touch" || (again && tapped)) openSpeaker(rowSpeaker(), stage);
    tapped = event.pointerType === "touch";
  });
  stage.addEventListener("focus", () => {
    if (!at && stage.matches(":focus-visible")) show(0, 0, true);
  });
  stage.addEventListener("keydown", (event) => {
    const [i, j] = at ?? [0, 0];
    const last = plan.size - 1;
    const to = {
      ArrowUp: [Math.max(0, i - 1), j],
      ArrowDown: [Math.min(last, i + 1), j],
      ArrowLeft: [i, Math.max(0, j - 1)],
      ArrowRight: [i, Math.min(last, j + 1)],
      Home: [i, 0],
      End: [i, last],
      PageUp: [Math.max(0, i - 10), j],
      PageDown: [Math.min(last, i + 10), j],
    }[event.key];
    if (to) show(...to, true);
    else if (event.key === "Enter" && at) openSpeaker(rowSpeaker(), stage);
    else return;
    event.preventDefault();
  });
}

function cellWords(plan, found, i, j) {
  const { name, row, column } = plan.cell(i, j);
  const [a, b] = [found.speakers[row], found.speakers[column]];
  const sides = {
    oo: ["original", "original"],
    op: ["original", "protected"],
    pp: ["protected", "protected"],
  }[name];
  const value = plan.value(i, j);
  const says =
    value === null ? "no comparison" : value > 0.55 ? "alike" : value < 0.45 ? "unlike" : "no evidence";
  const people =
    a === b ? `${a}, ${sides[0]}, with themselves ${sides[1]}` : `${a}, ${sides[0]}, with ${b}, ${sides[1]}`;
  return `${name.toUpperCase()}: ${people}: ${value === null ? "—" : number(value)} (${says})`;
}

// Names, seams between genders, and what the quadrants are.
function stageMarks(plan, found, order, side) {
  const marks = h("div", { class: "marks", "aria-hidden": "true" });
  const step = side / plan.size;
  // Places are shares of the picture and pixels beside it: on paper the picture is smaller.
  const put = (className, left, top, text, aside = 0, above = 0) => {
    const node = h("span", { class: className }, text);
    node.style.left = `calc(${100 * left}% + ${aside}px)`;
    node.style.top = `calc(${100 * top}% + ${above}px)`;
    marks.append(node);
  };
  if (matrixView.shows === "four") {
    for (const [name, [down, right]] of Object.entries(QUADRANTS)) {
      const text = name === "po" ? "OP, turned" : name.toUpperCase();
      put("quadrant", (0.5 + right) / 2, down, text, 0, down ? 4 : -22);
    }
    put("side", 0, 1 / 4, "original", -18);
    put("side", 0, 3 / 4, "protected", -18);
    put("fold across", 0, 1 / 2, "");
    put("fold down", 1 / 2, 0, "");
  } else if (step >= 8) {
    const every = Math.ceil(11 / step);
    order.forEach((k, at) => {
      if (at % every === 0) put("row-name", 0, (at + 0.5) / plan.size, found.speakers[k], -62);
    });
  }
  for (const seam of seams(matrixView.order, order, found.speakers)) {
    for (const shift of matrixView.shows === "four" ? [0, plan.n] : [0]) {
      put("seam across", 0, (seam + shift) / plan.size, "");
      put("seam down", (seam + shift) / plan.size, 0, "");
    }
  }
  return marks;
}

function colourBar() {
  const canvas = h("canvas", { width: 256, height: 1, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  COLOURS.forEach(([red, green, blue], k) => {
    context.fillStyle = `rgb(${red},${green},${blue})`;
    context.fillRect(k, 0, 1, 1);
  });
  return h(
    "div",
    { class: "colour-bar" },
    canvas,
    h("span", {}, "0 unlike"),
    h("span", {}, "0.5 no evidence"),
    h("span", {}, "1 alike"),
  );
}

// One line per row and column speaker for small sets; per pair it would be longer than readable.
function matrixData(found, order) {
  const names = order.map((k) => found.speakers[k]);
  const rows = [];
  for (const name of ["oo", "op", "pp"]) {
    const matrix = matrixOf(found[name]);
    if (!matrix) continue;
    for (const i of order) {
      rows.push([`${name.toUpperCase()} ${found.speakers[i]}`, ...order.map((j) => matrix.at(i, j))]);
    }
  }
  return { columns: ["matrix and row", ...names], rows };
}
