// Points of a figure within reach of pointer and keyboard: one tab stop, arrows from point to
// point, Enter to open. What is under the pointer is said in the line above the figure.

function reachable(picture, points, { readout, describe, open, label }) {
  const ring = s("circle", { class: "ring", r: 9, visibility: "hidden" });
  picture.append(ring);
  picture.setAttribute("tabindex", "0");
  picture.setAttribute("role", "application");
  picture.setAttribute("aria-label", label);
  let at = -1;

  const show = (k, aloud) => {
    at = k;
    if (k < 0) {
      ring.setAttribute("visibility", "hidden");
      return;
    }
    ring.setAttribute("cx", points[k].x);
    ring.setAttribute("cy", points[k].y);
    ring.setAttribute("visibility", "visible");
    const text = describe(points[k]);
    readout.replaceChildren(shown(text));
    if (aloud) announce(text);
  };

  const nearest = (event) => {
    const box = picture.getBoundingClientRect();
    const factor = picture.viewBox.baseVal.width / box.width;
    const [px, py] = [(event.clientX - box.left) * factor, (event.clientY - box.top) * factor];
    let best = -1;
    let least = 28 ** 2;
    points.forEach(({ x, y }, k) => {
      const away = (x - px) ** 2 + (y - py) ** 2;
      if (away < least) [best, least] = [k, away];
    });
    return best;
  };

  picture.addEventListener("pointermove", (event) => {
    const k = nearest(event);
    if (k >= 0 && k !== at) show(k, false);
  });
  picture.addEventListener("click", (event) => {
    const k = nearest(event);
    if (k < 0) return;
    show(k, false);
    if (open) open(points[k]);
  });
  picture.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) show((Math.max(at, step > 0 ? -1 : 0) + step + points.length) % points.length, true);
    else if (event.key === "Home") show(0, true);
    else if (event.key === "End") show(points.length - 1, true);
    else if (event.key === "Enter" && at >= 0 && open) open(points[at]);
    else return;
    event.preventDefault();
  });
}

function readoutLine(hint) {
  return h("p", { class: "readout" }, hint);
}
