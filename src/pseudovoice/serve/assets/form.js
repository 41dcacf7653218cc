// The form: two folders, how the report calls them, and what is put into it.

const KINDS = {
  original: { legend: "Original speech", says: "the recordings before protection" },
  protected: { legend: "Protected speech", says: "the same recordings, protected" },
};

function megabytes(bytes) {
  return `${number(bytes / 1e6, bytes < 1e7 ? 1 : 0)} MB`;
}

// One of the two folders: a path that is read in place, or a folder dropped and copied.
function folderField(kind, settings, heard) {
  const { legend, says } = KINDS[kind];
  const id = `path-${kind}`;
  const help = `help-${kind}`;
  let dropped = null;
  const input = h("input", {
    type: "text",
    id,
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    placeholder: settings.roots[0],
    "aria-describedby": help,
  });
  const hint = h("p", { class: "hint", id: help, role: "status" });
  const look = h("button", { type: "button" }, "Browse…");
  const files = h("input", { type: "file", webkitdirectory: true, multiple: true, hidden: true });
  const pick = h("button", { type: "button" }, "Copy a folder…");
  const remove = h("button", { type: "button", hidden: true }, "Remove the copy");
  const bar = h("progress", { hidden: true, "aria-label": `Copying the ${kind} speech`, max: 1 });
  const zone = h(
    "fieldset",
    { class: "zone" },
    h("legend", {}, legend),
    h("label", { for: id }, `Folder with ${says}`),
    input,
    h("p", { class: "actions" }, look, pick, remove, files),
    bar,
    hint,
  );

  const say = (text, wrong = false) => {
    hint.replaceChildren(shown(text));
    hint.classList.toggle("wrong", wrong);
    input.toggleAttribute("aria-invalid", false);
    if (wrong) input.setAttribute("aria-invalid", "true");
  };
  const usual = () => say("");

  function took(found) {
    const known = found.safeguard ? ` Protected with ${found.safeguard}, says its record.` : "";
    say(`${contents(found)}${known}`);
    heard(kind, found);
  }
  async function check() {
    if (!input.value.trim()) return usual();
    try {
      took(await lookInto(input.value));
    } catch (error) {
      say(error.message, true);
    }
  }
  input.addEventListener("change", check);
  look.addEventListener("click", () =>
    browse(`Choose the ${kind} speech`, input.value, settings.roots, (found) => {
      input.value = found.path;
      took(found);
      look.focus();
    }),
  );

  async function copy(gathered) {
    bar.hidden = false;
    bar.removeAttribute("value");
    for (const button of [look, pick, input]) button.disabled = true;
    say("Copying to the private folder of this server…");
    try {
      dropped = await handOver(await gathered, settings.most_bytes, (done, total) => {
        bar.value = done / total;
        hint.replaceChildren(`${count(done)} of ${count(total)} files copied.`);
      });
      const without = dropped.refused.length
        ? ` ${plural(dropped.refused.length, "file")} left out: ${dropped.refused[0]}`
        : "";
      input.value = dropped.name;
      say(`A copy of ${plural(dropped.files, "file")}, ${megabytes(dropped.bytes)}.${without}`);
      remove.hidden = false;
      look.hidden = pick.hidden = true;
      remove.focus();
    } catch (error) {
      say(error.message, true);
      input.disabled = false;
    }
    bar.hidden = true;
    look.disabled = pick.disabled = false;
  }
  pick.addEventListener("click", () => files.click());
  files.addEventListener("change", () => {
    if (files.files.length) copy(pickedFiles(files.files));
    files.value = "";
  });
  remove.addEventListener("click", () => {
    dropped = null;
    input.value = "";
    input.disabled = false;
    remove.hidden = true;
    look.hidden = pick.hidden = false;
    usual();
    input.focus();
  });
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    if (!look.disabled) copy(droppedFiles(event.dataTransfer.items));
  });
  usual();
  return { zone, value: () => (dropped ? { dropped: dropped.id } : input.value) };
}

function drawForm(settings, started) {
  const safeguard = textField("safeguard", "Safeguard", "What the report calls it.");
  let named = false; // by the person, whose word counts more than a record's
  safeguard.input.addEventListener("input", () => {
    named = true;
  });
  const fields = Object.fromEntries(
    Object.keys(KINDS).map((kind) => [
      kind,
      folderField(kind, settings, (of, found) => {
        if (of === "protected" && found.safeguard && !named) safeguard.input.value = found.safeguard;
      }),
    ]),
  );
  const title = textField("title", "Title of the report", "Also names its folder.");
  const encoders = settings.encoders.map((name) => [
    name,
    checkbox(name, name === settings.encoder, name === settings.encoder ? "the usual choice" : null),
  ]);
  const replicates = textField(
    "replicates",
    "Replicates",
    "Draws behind intervals and chance levels. Fewer are faster and coarser; 0 gives none.",
    { type: "number", min: 0, max: settings.most_replicates, value: settings.replicates },
  );
  const clips = checkbox("Clips of the protected voices", true, "to listen to in the report");
  const originals = checkbox("Clips of the original voices too", false, "whoever reads it hears them");
  const figures = checkbox("Figures as files", false, "SVG and PDF for a paper; takes longer");
  const wrong = h("p", { class: "alert", role: "alert", hidden: true });
  const go = h("button", { type: "submit", class: "primary" }, "Assess");

  const form = document.getElementById("form");
  form.append(
    h("div", { class: "pair" }, fields.original.zone, fields.protected.zone),
    h(
      "p",
      { class: "quiet small" },
      "A folder named by its path is read where it is. One that is dropped or copied goes into a private folder of this server and is deleted when the server stops. Paths must lie below ",
      settings.roots.flatMap((root, k) => [k ? " or " : "", h("span", { class: "mono" }, root)]),
      ".",
    ),
    h("div", { class: "pair" }, safeguard.node, title.node),
    h(
      "fieldset",
      { class: "checks" },
      h("legend", {}, "Recognisers, the ears of the attacker"),
      encoders.map(([, box]) => box.node),
    ),
    h("p", { class: "quiet small" }, "The weights of a recogniser are fetched once, when it is first used; speech is never sent."),
    h(
      "details",
      {},
      h("summary", {}, "More choices"),
      replicates.node,
      h("div", { class: "checks" }, clips.node, originals.node, figures.node),
    ),
    wrong,
    h("p", { class: "actions" }, go),
  );
  let asking = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (asking) return;
    asking = true;
    wrong.hidden = true;
    try {
      await tell("run/start", {
        original: fields.original.value(),
        protected: fields.protected.value(),
        safeguard: safeguard.input.value,
        title: title.input.value,
        encoders: encoders.filter(([, box]) => box.value()).map(([name]) => name),
        replicates: replicates.input.value === "" ? -1 : Number(replicates.input.value),
        clips: clips.value(),
        originals: originals.value(),
        figures: figures.value(),
      });
      started();
    } catch (error) {
      wrong.replaceChildren(shown(error.message));
      wrong.hidden = false;
    }
    asking = false;
  });
  // A folder that misses its place must not replace the page.
  for (const kind of ["dragover", "drop"]) {
    window.addEventListener(kind, (event) => event.preventDefault());
  }
  return { go, wrong };
}
