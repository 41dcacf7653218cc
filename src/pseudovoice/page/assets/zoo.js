// Speakers by how surely they are recognised and how easily confused, with the animals' names.

const ANIMALS = {
  sheep: ["circle", "neither here nor there"],
  dove: ["up", "recognised, never confused"],
  worm: ["square", "not recognised, confused"],
  chameleon: ["diamond", "resembles everybody"],
  phantom: ["down", "resembles nobody"],
};
const CORNERS = { dove: [1, 0], worm: [0, 1], chameleon: [1, 1], phantom: [0, 0] };
const zooView = { condition: "op" };

function drawZoo(holder) {
  const safeguard = safeguardNamed(choice.safeguard);
  const all = of(safeguard?.zoos ?? [], { group: choice.group, encoder: choice.encoder });
  const offered = unique(all.map((one) => one.condition));
  if (!offered.length) return h("p", {}, "There is no zoo plot of these speakers and this recogniser.");
  if (!offered.includes(zooView.condition)) zooView.condition = offered[0];
  const inner = h("div", {});
  const again = () => {
    const here = all.filter((one) => one.condition === zooView.condition);
    const wanted = here.find((one) => one.attacker === choice.attacker) ?? here[0];
    inner.replaceChildren(zooFigure(wanted, holder.clientWidth));
  };
  again();
  return [
    h(
      "div",
      { class: "controls noprint" },
      segments(
        "Comparison",
        offered.map((name) => [name, name.toUpperCase()]),
        zooView.condition,
        (value) => {
          zooView.condition = value;
          again();
        },
      ),
    ),
    inner,
  ];
}

function zooFigure(zoo, room) {
  const width = Math.min(860, Math.max(320, room));
  const height = Math.min(480, Math.round(width * 0.6) + 60);
  const spread = (values) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const wide = Math.max(high - low, 1e-3 * Math.max(Math.abs(low), Math.abs(high)), 1e-6);
    return [low - 0.12 * wide, high + 0.14 * wide];
  };
  const x = scale(...spread(zoo.mated), 62, width - 20);
  const y = scale(...spread(zoo.nonmated), height - 50, 34);
  const title = `${CONDITIONS[zoo.condition]}${zoo.attacker ? `, ${attackerName(zoo.attacker).toLowerCase()}` : ""}`;
  const picture = chart({
    width,
    height,
    x,
    y,
    xLabel: "mean LLR with themselves (mated)",
    yLabel: "mean LLR with others (non-mated)",
    label: `Zoo plot, ${title}`,
  });
  for (const value of zoo.mated_quartiles) {
    picture.append(s("line", { class: "quartile", x1: x(value), x2: x(value), y1: y(y.from), y2: y(y.to) }));
  }
  for (const value of zoo.nonmated_quartiles) {
    picture.append(s("line", { class: "quartile", x1: x(x.from), x2: x(x.to), y1: y(value), y2: y(value) }));
  }
  for (const [name, [right, up]] of Object.entries(CORNERS)) {
    picture.append(
      s(
        "text",
        {
          class: "corner",
          x: right ? width - 26 : 70,
          y: up ? 50 : height - 60,
          "text-anchor": right ? "end" : "start",
        },
        `${name}s`,
      ),
    );
  }
  const points = zoo.speakers.map((speaker, k) => ({
    x: x(zoo.mated[k]),
    y: y(zoo.nonmated[k]),
    speaker,
    text: `${speaker}, ${zoo.animal[k]}: with themselves ${number(zoo.mated[k], 2)}, with others ${number(zoo.nonmated[k], 2)}`,
  }));
  points.forEach((point, k) => {
    picture.append(
      mark(
        ANIMALS[zoo.animal[k]][0],
        point.x,
        point.y,
        zoo.animal[k] === "sheep" ? 4 : 5.5,
        `animal ${zoo.animal[k]}`,
      ),
    );
  });
  points.sort((a, b) => a.x - b.x);
  const readout = readoutLine(
    `${title}. Point at a mark, or press Tab and the arrow keys; Enter opens the speaker.`,
  );
  reachable(picture, points, {
    readout,
    describe: (point) => point.text,
    open: (point) => openSpeaker(point.speaker, picture),
    label: `Zoo plot, ${title}. Arrow keys go from speaker to speaker, Enter opens one.`,
  });
  return h(
    "figure",
    {},
    h("figcaption", {}, readout),
    picture,
    h(
      "ul",
      { class: "legend" },
      Object.entries(ANIMALS).map(([name, [kind, words]]) =>
        h(
          "li",
          {},
          s(
            "svg",
            { class: "sample", viewBox: "-9 -9 18 18", "aria-hidden": "true" },
            mark(kind, 0, 0, 5.5, `animal ${name}`),
          ),
          `${name}: ${words}`,
        ),
      ),
    ),
    behind(
      "zoo",
      `zoo plot, ${title}`,
      zoo.summary,
      () => ({
        columns: ["speaker", "animal", "mean mated LLR", "mean non-mated LLR"],
        rows: zoo.speakers.map((speaker, k) => [speaker, zoo.animal[k], zoo.mated[k], zoo.nonmated[k]]),
      }),
      picture,
    ),
  );
}
