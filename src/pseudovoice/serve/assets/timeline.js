// The time line: what the recording looks like, a lane for each person, their turns, and a cursor.

const LANE = 40; // pixels, as in the style sheet
const WAVE = 84;
const CLOSEST = 240; // pixels a second
const STEPS = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
const COLOURS = 6;

// `does` are what gestures ask for: choose(turns, extend), move(turn, start, end), cursor(at),
// play(turn), person(name), key(event).
function drawTimeline(does) {
  const canvas = h("canvas", { class: "wave", "aria-hidden": "true" });
  const slider = h(
    "div",
    { class: "slider", role: "slider", tabindex: "0", "aria-label": "Cursor", "aria-valuemin": 0 },
    canvas,
  );
  const lanes = h("div", {
    class: "lanes",
    role: "listbox",
    "aria-label": "Turns",
    "aria-multiselectable": "true",
  });
  const hand = h("div", { class: "cursor", "aria-hidden": "true" });
  const strip = h("div", { class: "strip" }, slider, lanes, hand);
  const scroll = h("div", { class: "scroll" }, strip);
  const names = h("div", { class: "names" });
  const node = h("div", { class: "timeline" }, names, scroll);
  let seconds = 1;
  let peaks = new Uint8Array();
  let peakRate = 20;
  let scale = 10;
  let at = 0;
  let shown = new Map(); // from a turn to its element
  let colours = new Map();

  const fit = () => Math.max(0.05, (scroll.clientWidth - 2) / seconds);
  const timeOf = (event) => {
    const box = strip.getBoundingClientRect();
    return Math.min(seconds, Math.max(0, (event.clientX - box.left) / scale));
  };

  function drawWave() {
    const width = Math.max(1, scroll.clientWidth);
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = WAVE * ratio;
    canvas.style.width = `${width}px`;
    canvas.style.left = `${scroll.scrollLeft}px`;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const look = getComputedStyle(node);
    const ink = (name) => look.getPropertyValue(name);
    // light-dark() is not resolved in a custom property; the colours of elements are.
    pen.fillStyle = getComputedStyle(canvas).color;
    const first = scroll.scrollLeft / scale;
    const middle = 22 + (WAVE - 22) / 2;
    for (let x = 0; x < width; x += 1) {
      const from = Math.floor((first + x / scale) * peakRate);
      const to = Math.max(from + 1, Math.floor((first + (x + 1) / scale) * peakRate));
      let most = 0;
      for (let k = from; k < to && k < peaks.length; k += 1) most = Math.max(most, peaks[k]);
      // Square roots, so that what is quiet is seen too.
      const tall = Math.sqrt(most / 255) * (WAVE - 26);
      if (from < peaks.length) pen.fillRect(x, middle - tall / 2, 1, Math.max(1, tall));
    }
    const step = STEPS.find((one) => one * scale >= 72) ?? STEPS.at(-1);
    pen.font = `12px ${ink("--sans") || "sans-serif"}`;
    pen.textBaseline = "top";
    pen.fillStyle = getComputedStyle(slider).color;
    for (let t = Math.ceil(first / step) * step; t <= Math.min(seconds, first + width / scale); t += step) {
      const x = Math.round((t - first) * scale);
      pen.fillRect(x, 0, 1, 16);
      pen.fillText(clock(t, step < 1 ? 1 : 0), x + 4, 3);
    }
  }

  function place(element, turn) {
    element.style.left = `${turn.start * scale}px`;
    element.style.width = `${Math.max(3, (turn.end - turn.start) * scale)}px`;
  }
  function placeAll() {
    strip.style.width = `${Math.max(scroll.clientWidth - 2, seconds * scale)}px`;
    for (const [turn, element] of shown) place(element, turn);
    hand.style.left = `${at * scale}px`;
    drawWave();
  }
  function zoom(to, around = at) {
    const before = around * scale - scroll.scrollLeft;
    scale = Math.min(CLOSEST, Math.max(fit(), to));
    placeAll();
    scroll.scrollLeft = around * scale - before;
    drawWave();
  }
  function bringIntoView(from, to = from) {
    const left = from * scale;
    const right = to * scale;
    const there = scroll.scrollLeft;
    if (left < there || right > there + scroll.clientWidth) {
      scroll.scrollLeft = Math.max(0, left - scroll.clientWidth / 8);
    }
  }

  scroll.addEventListener("scroll", drawWave);
  new ResizeObserver(() => {
    if (scale < fit()) scale = fit();
    placeAll();
  }).observe(scroll);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawWave);
  new MutationObserver(drawWave).observe(document.documentElement, { attributes: true });
  slider.addEventListener("pointerdown", (event) => {
    slider.setPointerCapture(event.pointerId);
    does.cursor(timeOf(event));
  });
  slider.addEventListener("pointermove", (event) => {
    if (slider.hasPointerCapture(event.pointerId)) does.cursor(timeOf(event));
  });
  slider.addEventListener("keydown", (event) => {
    const step = event.shiftKey ? 1 : 0.1;
    const to = {
      ArrowLeft: at - step,
      ArrowRight: at + step,
      PageUp: at - 10,
      PageDown: at + 10,
      Home: 0,
      End: seconds,
    }[event.key];
    if (to === undefined) return does.key(event);
    event.preventDefault();
    does.cursor(Math.min(seconds, Math.max(0, to)));
  });

  // A border follows the pointer until it is let go; Escape leaves it where it was.
  function drag(event, element, turn, side) {
    event.stopPropagation();
    const edge = event.currentTarget;
    edge.setPointerCapture(event.pointerId);
    let now = turn;
    const move = (to) => {
      const time = timeOf(to);
      now =
        side === "start"
          ? { ...turn, start: Math.min(time, turn.end - SHORTEST) }
          : { ...turn, end: Math.max(time, turn.start + SHORTEST) };
      place(element, now);
    };
    const end = () => {
      edge.removeEventListener("pointermove", move);
      if (now !== turn) does.move(turn, now.start, now.end);
    };
    edge.addEventListener("pointermove", move);
    edge.addEventListener("pointerup", end, { once: true });
    edge.addEventListener("pointercancel", () => place(element, (now = turn)), { once: true });
  }

  function turnElement(turn, chosen, stop) {
    const element = h(
      "div",
      {
        class: `turn c${colours.get(turn.person)}`,
        role: "option",
        tabindex: stop ? "0" : "-1",
        "aria-selected": String(chosen),
        "aria-label": `${turn.person}, from ${clock(turn.start)} to ${clock(turn.end)}`,
        title: `${turn.person} ${clock(turn.start)} – ${clock(turn.end)}`,
      },
      ["start", "end"].map((side) =>
        h("span", { class: `edge ${side}`, onpointerdown: (e) => drag(e, element, turn, side) }),
      ),
    );
    element.addEventListener("click", (event) =>
      does.choose([turn], event.shiftKey || event.ctrlKey || event.metaKey, timeOf(event)),
    );
    element.addEventListener("dblclick", () => does.play(turn));
    element.addEventListener("keydown", (event) => step(event, turn));
    place(element, turn);
    return element;
  }

  // Left and right go from turn to turn as they are spoken, up and down to the other lanes.
  function step(event, turn) {
    const list = [...shown.keys()].sort((a, b) => a.start - b.start || a.end - b.end);
    const here = list.indexOf(turn);
    const people = [...colours.keys()].filter((name) => list.some((one) => one.person === name));
    const lane = people.indexOf(turn.person);
    const nearest = (name) =>
      list
        .filter((one) => one.person === name)
        .reduce((best, one) =>
          Math.abs(one.start - turn.start) < Math.abs(best.start - turn.start) ? one : best,
        );
    const to = {
      ArrowLeft: list[here - 1],
      ArrowRight: list[here + 1],
      Home: list[0],
      End: list.at(-1),
      ArrowUp: people[lane - 1] && nearest(people[lane - 1]),
      ArrowDown: people[lane + 1] && nearest(people[lane + 1]),
    };
    if (!(event.key in to) || event.altKey || event.ctrlKey || event.metaKey) return does.key(event);
    event.preventDefault();
    if (to[event.key]) does.choose([to[event.key]], event.shiftKey, to[event.key].start);
  }

  return {
    node,
    open(recording) {
      seconds = recording.seconds;
      peaks = Uint8Array.from(atob(recording.peaks), (c) => c.charCodeAt(0));
      peakRate = recording.peaks_a_second;
      colours = new Map();
      slider.setAttribute("aria-valuemax", seconds.toFixed(1));
      scale = Math.max(fit(), Math.min(12, CLOSEST));
      scroll.scrollLeft = 0;
    },
    // Draw the lanes anew; whatever had the focus in them has it again.
    draw(list, chosen, person) {
      const mine = lanes.contains(document.activeElement);
      for (const name of peopleOf(list)) {
        if (!colours.has(name)) colours.set(name, colours.size % COLOURS);
      }
      const people = peopleOf(list);
      const stop = chosen.at(-1) ?? inOrder(list)[0];
      shown = new Map();
      lanes.replaceChildren(
        ...people.map((name) =>
          h(
            "div",
            { class: "lane", role: "group", "aria-label": name },
            list
              .filter((turn) => turn.person === name)
              .map((turn) => {
                const element = turnElement(turn, chosen.includes(turn), turn === stop);
                shown.set(turn, element);
                return element;
              }),
          ),
        ),
      );
      names.replaceChildren(
        h("span", { class: "corner" }),
        ...people.map((name, k) =>
          h(
            "button",
            {
              type: "button",
              class: `person c${colours.get(name)}`,
              "aria-pressed": String(name === person),
              onclick: () => does.person(name),
            },
            h("span", { class: "key", "aria-hidden": "true" }, k < 9 ? String(k + 1) : ""),
            h("bdi", {}, name),
          ),
        ),
      );
      hand.style.height = `${WAVE + LANE * people.length}px`;
      placeAll();
      if (mine && stop) shown.get(stop)?.focus({ preventScroll: true });
    },
    // Others are chosen, and nothing else has changed: an hour has a thousand turns.
    mark(chosen, person) {
      const stop = chosen.at(-1);
      for (const [turn, element] of shown) {
        element.setAttribute("aria-selected", String(chosen.includes(turn)));
        element.tabIndex = turn === stop ? 0 : -1;
      }
      for (const button of names.querySelectorAll(".person")) {
        const own = button.querySelector("bdi").textContent === person;
        button.setAttribute("aria-pressed", String(own));
      }
    },
    focus(turn) {
      shown.get(turn)?.focus({ preventScroll: true });
      bringIntoView(turn.start, turn.end);
    },
    cursor(to, playing = false) {
      at = to;
      hand.style.left = `${at * scale}px`;
      // Not for every frame that plays: nobody could listen to that.
      if (!playing) {
        slider.setAttribute("aria-valuenow", at.toFixed(1));
        slider.setAttribute("aria-valuetext", `${clock(at)} of ${clock(seconds)}`);
      }
      bringIntoView(at);
    },
    rename(from, to) {
      if (colours.has(from) && !colours.has(to)) colours.set(to, colours.get(from));
    },
    closer: () => zoom(scale * 1.6),
    farther: () => zoom(scale / 1.6),
    whole: () => zoom(0),
  };
}
