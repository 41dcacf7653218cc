// New voices: which safeguard, with which options, and by whose turns.

async function drawProtecting({ begin, saved }) {
  const part = place("protect");
  let found;
  try {
    found = (await ask("safeguards")).safeguards;
  } catch (error) {
    part.append(h("p", { class: "alert", role: "alert" }, error.message));
    return null;
  }
  // The one that hides best first; those without a secret last.
  const order = ["xvector", "persona"];
  const rank = (one) => (order.includes(one.name) ? order.indexOf(one.name) : one.secret ? 8 : 9);
  found.sort((a, b) => rank(a) - rank(b));
  let recording = null;
  let chosen = found[0];
  let values = {};
  const options = h("div", { class: "options" });
  const key = h("p", { class: "quiet small" });

  const cards = h(
    "fieldset",
    { class: "cards" },
    h("legend", {}, "Safeguard"),
    found.map((one) => {
      const radio = h("input", { type: "radio", name: "safeguard", value: one.name, id: `safeguard-${one.name}` });
      radio.checked = one === chosen;
      radio.addEventListener("change", () => {
        chosen = one;
        drawOptions();
      });
      return h(
        "label",
        { class: "card" },
        radio,
        h(
          "span",
          {},
          h("b", {}, one.name),
          h("span", {}, one.what),
          one.caution && h("small", {}, `Measured: ${one.caution}.`),
        ),
      );
    }),
  );

  function drawOptions() {
    values = Object.fromEntries(chosen.options.map((one) => [one.name, one.default]));
    options.replaceChildren(
      ...chosen.options.map((one) => {
        const id = `option-${one.name}`;
        const control = one.choices.length
          ? h(
              "select",
              { id },
              one.choices.map(([value, says]) =>
                h("option", { value, selected: value === one.default }, `${value}: ${says}`),
              ),
            )
          : h("input", {
              type: "number",
              id,
              min: one.low,
              max: one.high,
              step: Number.isInteger(one.default) && one.high > 10 ? 1 : 0.05,
              value: one.default,
            });
        control.addEventListener("change", () => {
          values[one.name] = one.choices.length ? control.value : Number(control.value);
        });
        return h(
          "div",
          { class: "text" },
          h("label", { for: id }, sentence(one.name).slice(0, -1)),
          control,
          h("small", {}, one.says),
        );
      }),
    );
    options.hidden = !chosen.options.length;
    key.hidden = !chosen.secret;
  }

  let byTurns = true;
  let overlap = "voice";
  const whose = h("div", { class: "controls" });
  const overlaps = segments(
    "Where several speak at once",
    [
      ["voice", "a voice of its own"],
      ["mute", "silence"],
    ],
    overlap,
    (value) => {
      overlap = value;
    },
  );
  const wrong = h("p", { class: "alert", role: "alert", hidden: true });
  const go = h("button", { type: "button", class: "primary", id: "go" }, "Protect");
  go.addEventListener("click", async () => {
    wrong.hidden = true;
    try {
      await saved();
      await begin("protect", {
        id: recording.id,
        safeguard: chosen.name,
        options: values,
        by_turns: byTurns,
        overlap,
      });
    } catch (error) {
      wrong.replaceChildren(shown(error.message));
      wrong.hidden = false;
    }
  });
  part.append(whose, cards, options, key, wrong, h("p", { class: "actions" }, go));
  drawOptions();

  // One person is never taken for granted: two people in one voice would not be told apart again,
  // and turns may still be found or added by hand.
  function drawWhose() {
    byTurns = true;
    overlaps.hidden = false;
    whose.replaceChildren(
      segments(
        "In this recording",
        [
          ["turns", "several people speak, as above"],
          ["one", "one person speaks"],
        ],
        "turns",
        (value) => {
          byTurns = value === "turns";
          overlaps.hidden = !byTurns;
        },
      ),
      overlaps,
    );
  }
  return {
    show(known) {
      recording = known;
      document.getElementById("protect").hidden = false;
      key.replaceChildren(
        "Voices are drawn with a secret key, ",
        h("span", { class: "mono" }, known.key),
        ", made when it is first needed. With it, whoever has the same name has the same voice in the next recording. Keep it, and never hand it on.",
      );
      drawWhose();
    },
    busy(running) {
      go.disabled = running;
      go.textContent = running ? "Something is under way" : "Protect";
    },
  };
}
