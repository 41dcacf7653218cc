// One person: what each safeguard leaves known of them, whom they resemble, how they sound.

let cameFrom = null;

function openSpeaker(name, from) {
  cameFrom = from ?? null;
  choose({ speaker: name });
  parts.forEach((one) => one.holder.id === "speaker" && ensure(one));
  const heading = document.getElementById("speaker-title");
  document.getElementById("speaker").scrollIntoView({ block: "start", behavior: calm() });
  heading.focus({ preventScroll: true });
}

function calm() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
}

// The most disclosed person of the first table, until somebody else is chosen.
function firstSpeaker() {
  return peopleRows()[0]?.speaker ?? study.people[0]?.id ?? null;
}

function drawSpeaker() {
  const name = choice.speaker ?? firstSpeaker();
  if (name === null) return null;
  const person = study.people.find((one) => one.id === name);
  const clips = clipsOf(name);
  const back = cameFrom;
  stop();
  return [
    h(
      "div",
      { class: "speaker-head" },
      h("h3", { id: "speaker-title", tabindex: "-1" }, "Speaker ", who(name)),
      h(
        "span",
        { class: "speaker-facts" },
        person
          ? [
              person.gender && `${SEXES[person.gender] ?? person.gender}, `,
              plural(person.utterances, "recording"),
            ]
          : "",
      ),
      dropdown(
        "Another speaker",
        [...study.people].sort((a, b) => natural.compare(a.id, b.id)).map(({ id }) => [id, shown(id)]),
        name,
        (value) => {
          choose({ speaker: value });
          document.querySelector("#speaker select").focus();
        },
      ),
      back &&
        h(
          "button",
          {
            type: "button",
            class: "back noprint",
            onclick: () => {
              const target = back.isConnected ? back : document.getElementById("matrices");
              target.scrollIntoView({ block: "center", behavior: calm() });
              target.focus({ preventScroll: true });
            },
          },
          "Back to the figure",
        ),
    ),
    h(
      "div",
      { class: "speaker-attacks" },
      study.safeguards.map((one) => speakerUnder(one, name)),
    ),
    clips.length
      ? h("ul", { class: "clips noprint" }, clips.map(clipRow))
      : h(
          "p",
          { class: "quiet" },
          study.clips.length
            ? "The page carries no recording of this speaker."
            : "The page carries no recordings.",
        ),
  ];
}

function speakerUnder(one, name) {
  const rows = one.speakers.filter(
    (r) => r.speaker === name && r.group === "all" && r.encoder === choice.encoder,
  );
  return h(
    "section",
    { class: "under", "aria-label": `${shown(name)} under ${shown(one.name)}` },
    h("h4", {}, one.name),
    rows.length
      ? h(
          "ul",
          {},
          rows.map((row) =>
            h(
              "li",
              {},
              h("span", { class: "under-who" }, attackerName(row.attacker)),
              meter(row.d_ece, { control: row.control, from: peopleFrom() }),
              h(
                "span",
                { class: "under-words" },
                h("b", {}, `${number(row.d_ece.value)} bit`),
                row.d_ece.low === null ? "" : ` [${number(row.d_ece.low)}, ${number(row.d_ece.high)}]`,
                `, tag ${row.tag}`,
                row.d_ece.chance ? ", not distinguishable from chance" : "",
              ),
            ),
          ),
        )
      : h("p", { class: "quiet" }, "Not assessed."),
    resembles(one, name),
  );
}

// The nearest other pseudo-voices: whom a listener may take this person for.
function resembles(one, name) {
  const found = of(one.matrices, { group: "all", encoder: choice.encoder })[0];
  const matrix = found && matrixOf(found.pp);
  const i = found ? found.speakers.indexOf(name) : -1;
  if (!matrix || i < 0) return null;
  const near = found.speakers
    .map((other, j) => ({ other, value: matrix.at(i, j) }))
    .filter(({ other, value }) => other !== name && value > 0.5)
    .sort((a, b) => b.value - a.value)
    .slice(0, 3);
  if (!near.length) return h("p", { class: "quiet" }, "This pseudo-voice is taken for nobody else’s.");
  return h(
    "p",
    { class: "quiet" },
    "This pseudo-voice is nearest to those of ",
    near.map(({ other, value }, k) => [k ? ", " : "", who(other), ` (${number(value, 2)})`]),
    ".",
  );
}
