// What was made of the recording: listened to beside the original, compared, decided on, handed on.

const RISKS = [
  ["acceptable", "acceptable"],
  ["measures", "acceptable with the measures above"],
  ["not acceptable", "not acceptable"],
];

function drawTakes({ begin, player, changed }) {
  const section = document.getElementById("takes");
  let recording = null;
  let running = false;
  let rows = [];
  const when = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

  function listening(take) {
    const seek = h("input", {
      type: "range",
      min: 0,
      max: recording.seconds,
      step: 0.1,
      value: 0,
      "aria-label": `Where in the recording, ${take.name}`,
    });
    const time = h("output", { class: "time" }, clock(0));
    const sides = [
      [null, "Original"],
      [take.name, "Protected"],
    ].map(([name, label]) => {
      const button = h("button", { type: "button", "aria-pressed": "false", class: "side" }, `Play ${label.toLowerCase()}`);
      button.addEventListener("click", () => {
        if (row.plays === name && player.playing()) return player.stop();
        play(name);
      });
      return { name, label, button };
    });
    const row = { name: take.name, seek, time, sides, plays: undefined };
    function play(name) {
      const from = Number(seek.value) < recording.seconds - 0.1 ? Number(seek.value) : 0;
      row.plays = name;
      player.play({ id: recording.id, take: name, row }, from, recording.seconds);
    }
    seek.addEventListener("input", () => {
      time.textContent = clock(Number(seek.value));
      if (player.playing()?.row === row) play(row.plays);
    });
    rows.push(row);
    return h(
      "div",
      { class: "listening" },
      h("p", { class: "actions" }, sides.map((side) => side.button), time),
      seek,
      h("small", {}, "The original is played on this machine only, and is no part of what you hand on."),
    );
  }

  function deciding(take) {
    const fields = [
      ["purpose", "Purpose, and who will receive the speech", 2],
      ["measures", "Further measures (contract, access, retention, keys)", 2],
    ].map(([id, label, lines]) => {
      const area = h("textarea", { id: `${take.name}-${id}`, rows: lines, maxlength: 4000 });
      area.value = take.decision?.[id] ?? "";
      return { id, area, node: h("div", { class: "text" }, h("label", { for: area.id }, label), area) };
    });
    const signs = [
      ["name", "Name and role"],
      ["place", "Place"],
    ].map(([id, label]) => {
      const field = textField(`${take.name}-${id}`, label, "");
      field.input.value = take.decision?.[id] ?? "";
      return { id, area: field.input, node: field.node };
    });
    let risk = take.decision?.risk ?? null;
    const risks = segments("The remaining risk is", RISKS, risk, (value) => {
      risk = value;
    });
    const wrong = h("p", { class: "alert", role: "alert", hidden: true });
    const sign = h("button", { type: "submit", class: "primary" }, take.decision ? "Sign anew" : "Sign");
    const form = h(
      "form",
      { class: "deciding", novalidate: true },
      fields.map((one) => one.node),
      risks,
      h("div", { class: "pair" }, signs.map((one) => one.node)),
      wrong,
      h("p", { class: "actions" }, sign),
    );
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const answers = Object.fromEntries([...fields, ...signs].map((one) => [one.id, one.area.value]));
      try {
        await tell("recording/decision", { id: recording.id, take: take.name, risk, ...answers });
        changed(take.name);
      } catch (error) {
        wrong.replaceChildren(shown(error.message));
        wrong.hidden = false;
      }
    });
    return h(
      "details",
      { class: "decision" },
      h("summary", {}, "Decision of the controller"),
      !take.report &&
        h("p", { class: "hint" }, "How well this hides who speaks has not been measured yet. Compare first, and read the report."),
      form,
    );
  }

  // A button that begins work on a take; why it cannot is shown in `wrong`.
  function beginning(kind, label, take, wrong) {
    const button = h("button", { type: "button", class: `begins ${kind}`, disabled: running }, label);
    button.addEventListener("click", async () => {
      wrong.hidden = true;
      try {
        await begin(kind, { id: recording.id, take: take.name });
      } catch (error) {
        wrong.replaceChildren(shown(error.message));
        wrong.hidden = false;
      }
    });
    return button;
  }

  function handing(take) {
    const name = textField(`${take.name}-as`, "Name of the file", "That of the recording may name people, so it is not taken.");
    name.input.value = "protected";
    const released = take.decision && take.decision.risk !== "not acceptable" && !take.outdated;
    const asked = () => new URLSearchParams({ id: recording.id, take: take.name, as: name.input.value });
    const links = [
      ["file", "Save the protected recording"],
      ...(released && take.packed ? [["release", "Save the release"]] : []),
    ].map(([way, label]) => {
      const link = h("a", { class: way === "release" ? "primary" : "button", id: `${way}-${take.name}`, download: true }, label);
      const aim = () => link.setAttribute("href", `recording/${way}?${asked()}`);
      name.input.addEventListener("input", aim);
      aim();
      return link;
    });
    const wrong = h("p", { class: "alert", role: "alert", hidden: true });
    const prepare = beginning("release", "Prepare the release", take, wrong);
    prepare.id = `pack-${take.name}`;
    prepare.classList.add("primary");
    return h(
      "div",
      { class: "handing" },
      name.node,
      h("p", { class: "actions" }, links, released && !take.packed && prepare),
      wrong,
      h(
        "small",
        {},
        released
          ? "Before it is packed, it is looked through for original speech and for the key. The release holds the protected recording, how it was protected, the report and the decision; neither the key nor who is who."
          : "Once it is signed, a release can be saved: recording, record, report and decision in one file.",
      ),
    );
  }

  function one(take, open) {
    const wrong = h("p", { class: "alert", role: "alert", hidden: true });
    const compare = beginning("compare", take.report ? "Compare anew" : "Compare", take, wrong);
    compare.hidden = !take.people.length; // whoever is alone cannot be taken for somebody else
    const report = take.report && h("a", { class: "button", href: `report/${encodeURIComponent(take.name)}/report.html` }, "Read the report");
    const signed = take.decision
      ? `Signed by ${take.decision.name}: the remaining risk is ${RISKS.find(([value]) => value === take.decision.risk)?.[1] ?? take.decision.risk}.`
      : "";
    const outdated = take.outdated ? " The recording or its report has changed since; look at it, and sign again." : "";
    const details = deciding(take);
    details.open = open;
    return h(
      "article",
      { class: "take-card", "aria-label": take.name },
      h("h3", {}, h("bdi", {}, take.safeguard), h("small", {}, `${when.format(new Date(1000 * take.when))}, in ${take.name}`)),
      h("p", {}, take.says),
      listening(take),
      h("p", { class: "actions" }, compare, report),
      take.people.length > 0 &&
        h("small", {}, "How well does it hide who speaks? Attackers listen to both, and a report says what they learnt. People have numbers in it."),
      wrong,
      signed && h("p", { class: "signed" }, signed, outdated),
      details,
      handing(take),
    );
  }

  return {
    show(known, signed = null) {
      recording = known;
      rows = [];
      section.hidden = !known.takes.length;
      place("takes").replaceChildren(...known.takes.map((take) => one(take, false)));
      if (signed) document.getElementById(`pack-${signed}`)?.focus();
    },
    busy(now) {
      running = now;
      for (const button of section.querySelectorAll(".begins")) button.disabled = now;
    },
    moved(row, at) {
      row.seek.value = at;
      row.time.textContent = clock(at);
    },
    playing(what) {
      for (const row of rows) {
        for (const side of row.sides) {
          const on = what?.row === row && (what.take ?? null) === side.name;
          side.button.setAttribute("aria-pressed", String(on));
          side.button.textContent = on ? `Stop ${side.label.toLowerCase()}` : `Play ${side.label.toLowerCase()}`;
        }
      }
    },
  };
}
