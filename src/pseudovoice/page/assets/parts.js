// Parts of the page are drawn when they come near the window, and the rest when there is time.

const parts = [];

function part(name, fields, draw) {
  const holder = document.querySelector(`[data-part="${name}"]`);
  if (!holder) return; // its section was left out
  const one = { holder, draw, drawn: false, width: 0 };
  parts.push(one);
  follow(fields, () => one.drawn && redraw(one));
}

function redraw(one) {
  one.drawn = true;
  one.width = one.holder.clientWidth;
  // Whoever works with the keyboard stays where they were, although the element is a new one.
  const held = focusable(one.holder).indexOf(document.activeElement);
  try {
    one.holder.replaceChildren(...[one.draw(one.holder)].flat(Infinity).filter(Boolean));
  } catch (error) {
    one.holder.replaceChildren(h("p", { class: "alert" }, "This part could not be drawn."));
    console.error(error);
  }
  if (held >= 0) focusable(one.holder)[held]?.focus({ preventScroll: true });
}

function focusable(holder) {
  return [...holder.querySelectorAll("button, input, select, textarea, summary, a[href], [tabindex]")];
}

function ensure(one) {
  if (!one.drawn) redraw(one);
}

function drawParts() {
  const near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) ensure(parts.find((one) => one.holder === entry.target));
      }
    },
    { rootMargin: "400px" },
  );
  parts.forEach((one) => near.observe(one.holder));
  const idle = window.requestIdleCallback ?? ((act) => setTimeout(act, 30));
  const next = () => {
    const left = parts.find((one) => !one.drawn);
    if (!left) {
      document.documentElement.dataset.ready = "yes";
      return;
    }
    ensure(left);
    idle(next);
  };
  idle(next);
  window.addEventListener("beforeprint", () => parts.forEach(ensure));
  // Figures are drawn for a width; text in them keeps its size when the window changes.
  let waiting = 0;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      for (const one of parts) {
        if (one.drawn && Math.abs(one.holder.clientWidth - one.width) > 24 && !isPrinting()) {
          if (one.holder.querySelector("figure")) redraw(one);
        }
      }
    }, 150);
  });
}

function isPrinting() {
  return window.matchMedia("print").matches;
}
