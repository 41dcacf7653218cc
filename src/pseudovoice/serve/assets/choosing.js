// Choose a recording: by its path, looked for on this machine, picked or dropped.

function drawChoosing(settings, opened) {
  const input = h("input", {
    type: "text",
    id: "path",
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    placeholder: `${settings.roots[0]}/interview.wav`,
    "aria-describedby": "path-help",
  });
  const hint = h("p", { class: "hint", id: "path-help", role: "status" });
  const open = h("button", { type: "submit", class: "primary" }, "Open");
  const look = h("button", { type: "button" }, "Browse…");
  const files = h("input", { type: "file", multiple: true, hidden: true, id: "pick-file" });
  const pick = h("button", { type: "button" }, "Copy a file…");
  const bar = h("progress", { hidden: true, "aria-label": "Copying the recording", max: 1 });
  const form = h(
    "form",
    { class: "zone", novalidate: true },
    h("p", { class: "drop-here" }, "Drop a recording here", h("small", {}, "WAV, FLAC, MP3 and others")),
    h("label", { for: "path" }, "or type the path of one that lies on this machine"),
    h("div", { class: "with-button" }, input, open),
    h("p", { class: "actions" }, look, pick, files),
    bar,
    hint,
  );
  const facts = h("div", { class: "opened", hidden: true });
  place("choose").append(facts, form);
  form.append(
    h(
      "small",
      { class: "where" },
      "A recording named by its path is read where it is. One that is dropped or copied goes into a private folder of this server and is deleted when the server stops. Paths must lie below ",
      settings.roots.flatMap((root, k) => [k ? " or " : "", h("span", { class: "mono" }, root)]),
      ".",
    ),
  );
  const controls = [input, open, look, pick];
  let busy = false;

  function say(text, wrong = false) {
    hint.replaceChildren(shown(text));
    hint.classList.toggle("wrong", wrong);
    input.removeAttribute("aria-invalid");
    if (wrong) input.setAttribute("aria-invalid", "true");
  }
  async function during(text, work) {
    if (busy) return;
    busy = true;
    for (const control of controls) control.disabled = true;
    bar.hidden = false;
    bar.removeAttribute("value");
    say(text);
    try {
      const known = await work();
      say("");
      opened(known);
    } catch (error) {
      say(error.message, true);
    }
    busy = false;
    bar.hidden = true;
    for (const control of controls) control.disabled = false;
    if (!form.hidden) input.focus(); // what was disabled has lost it
  }
  const read = (what) => during("Reading the recording…", () => tell("recording/open", what));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    read({ path: input.value });
  });
  look.addEventListener("click", () =>
    browse("Choose a recording", input.value, settings.roots, (path) => {
      input.value = path;
      read({ path });
    }, "recording"),
  );
  function copy(gathered) {
    during("Copying to the private folder of this server…", async () => {
      const dropped = await handOver(await gathered, settings.most_bytes, (done, total) => {
        bar.value = done / total;
      });
      if (dropped.refused.length) throw new Error(dropped.refused[0]);
      bar.removeAttribute("value");
      say("Reading the recording…");
      input.value = "";
      return tell("recording/open", { dropped: dropped.id });
    });
  }
  pick.addEventListener("click", () => files.click());
  files.addEventListener("change", () => {
    if (files.files.length) copy(pickedFiles(files.files));
    files.value = "";
  });
  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    copy(droppedFiles(event.dataTransfer.items));
  });
  // A file that misses its place must not replace the page.
  for (const kind of ["dragover", "drop"]) {
    window.addEventListener(kind, (event) => event.preventDefault());
  }
  return {
    show(known) {
      const channels = { 1: "mono", 2: "stereo" }[known.channels] ?? `${known.channels} channels`;
      const another = h("button", { type: "button", id: "another" }, "Another recording");
      another.addEventListener("click", () => {
        form.hidden = false;
        another.hidden = true;
        input.focus();
      });
      facts.replaceChildren(
        h("p", { class: "file" }, h("bdi", {}, known.name)),
        h("p", { class: "quiet" }, `${clock(known.seconds, 0)} long, ${count(known.sample_rate)} Hz, ${channels}.`),
        another,
      );
      facts.hidden = false;
      form.hidden = true;
    },
  };
}
