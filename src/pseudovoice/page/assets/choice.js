// What the reader has chosen to look at, shared by all parts of the page.

const choice = {
  safeguard: study.safeguards[0]?.name ?? "",
  group: groups[0] ?? "all",
  encoder: strongestEncoder() ?? encoders[0] ?? "",
  attacker: attackers[0] ?? "",
  speaker: null,
};

// The recogniser that hears most of the speakers under any safeguard, as the headline says.
function strongestEncoder() {
  const able = of(
    study.safeguards.flatMap((one) => one.places),
    { group: groups[0] },
  ).filter((place) => !place.too_weak);
  return able.sort((a, b) => a.deid.value - b.deid.value)[0]?.encoder;
}

const followers = [];

function follow(fields, act) {
  followers.push({ fields, act });
}

function choose(changes) {
  const changed = Object.keys(changes).filter((field) => choice[field] !== changes[field]);
  Object.assign(choice, changes);
  for (const { fields, act } of followers) {
    if (fields.some((field) => changed.includes(field))) act();
  }
}

// The bar above the figures. A list of one is no choice and is left out.
function drawChoices() {
  const bar = document.getElementById("choices");
  const offered = [
    ["safeguard", "Safeguard", study.safeguards.map((one) => [one.name, one.name])],
    ["attacker", "Attacker", attackers.map((name) => [name, attackerName(name)])],
    ["group", "Speakers", groups.map((name) => [name, groupName(name)])],
    ["encoder", "Recogniser", encoders.map((name) => [name, name])],
  ].filter(([, , options]) => options.length > 1);
  if (!offered.length) {
    bar.remove();
    return;
  }
  const draw = () =>
    bar.replaceChildren(
      h("span", { class: "bar-title" }, "Showing"),
      ...offered.map(([field, label, options]) =>
        dropdown(label, options, choice[field], (value) => choose({ [field]: value })),
      ),
    );
  draw();
  follow(["safeguard", "attacker", "group", "encoder"], () => {
    bar.querySelectorAll("select").forEach((list, k) => {
      list.value = choice[offered[k][0]];
    });
  });
}

// The same choice in words, for paper.
function chosenWords(...fields) {
  const words = {
    safeguard: () => choice.safeguard,
    attacker: () => attackerName(choice.attacker).toLowerCase(),
    group: () => `speakers: ${groupName(choice.group)}`,
    encoder: () => `heard through ${choice.encoder}`,
  };
  return fields.map((field) => words[field]()).join(", ");
}
