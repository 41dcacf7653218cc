// Who really speaks when, if somebody knows it: how wrong the turns are is told by it.

function drawReference({ saved, failed, done }) {
  let recording = null;
  const says = h("p", { id: "reference-says", role: "status" });
  const files = h("input", {
    type: "file",
    id: "pick-reference",
    accept: ".rttm,.txt,.jsonl,.eaf",
    hidden: true,
  });
  const pick = h("button", { type: "button", id: "reference" }, "Choose a file…");
  const forget = h("button", { type: "button", id: "forget-reference", hidden: true }, "Leave it out");
  const node = h(
    "details",
    { class: "reference" },
    h("summary", {}, "Measure it against a reference"),
    h(
      "p",
      { class: "quiet small" },
      "If somebody has written down who really speaks when, choose that file: RTTM, Audacity labels (.txt), lhotse supervisions (.jsonl) or ELAN (.eaf). Names may be others. The diarisation error rate (DER) is shown here and stands in the report; the turns stay as they are.",
    ),
    h("p", { class: "actions" }, pick, forget, files),
    says,
  );
  async function give(name, text) {
    try {
      await saved(); // what is measured is what is kept
      const { reference } = await tell("recording/reference", { id: recording.id, name, text });
      measured(reference);
      done();
      announce(says.textContent);
    } catch (error) {
      failed(error);
    }
  }
  pick.addEventListener("click", () => files.click());
  files.addEventListener("change", async () => {
    const [file] = files.files;
    files.value = "";
    if (file) await give(file.name, await file.text());
  });
  forget.addEventListener("click", () => give(null, null));
  function measured(found) {
    forget.hidden = !found;
    if (!found) {
      says.replaceChildren();
      return;
    }
    const whole = `${plural(found.turns, "turn")} of ${found.people === 1 ? "1 person" : `${count(found.people)} people`}`;
    const now = found.now ? `The turns as they are: ${found.now}.` : "No turns yet that could be measured.";
    const before = found.found && found.found !== found.now ? ` As they were found: ${found.found}.` : "";
    says.replaceChildren(`The reference has ${whole}. ${now}${before}`);
    node.open = true;
  }
  return {
    node,
    measured,
    show(known) {
      recording = known;
      node.open = false;
      measured(known.reference);
    },
  };
}
