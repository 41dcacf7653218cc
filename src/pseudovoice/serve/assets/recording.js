// Put everything in its place, and let the parts know of each other.

async function begin() {
  drawTheme();
  let settings;
  try {
    settings = await ask("settings");
  } catch (error) {
    place("choose").append(h("p", { class: "alert", role: "alert" }, error.message));
    return;
  }
  let current = null;
  const failed = h("p", { class: "alert", role: "alert", hidden: true });
  document.querySelector(".bench").before(failed);
  const complain = (text) => {
    failed.replaceChildren(shown(text));
    failed.hidden = !text;
  };
  const start = (what, said) => tell(`run/${what}`, said);
  const player = soundPlayer({
    moved: (at, playing) => {
      const row = player.playing()?.row;
      if (row) takes.moved(row, at);
      else correcting.moved(at, playing);
    },
    changed: (what) => {
      correcting.playing(what && !what.row ? what : null);
      takes.playing(what);
    },
    failed: complain,
  });
  const correcting = drawCorrecting({ begin: start, player });
  const takes = drawTakes({ begin: start, player, changed: (name) => reload({ signed: name }) });
  const protecting = await drawProtecting({ begin: start, saved: () => correcting.saved() });
  const choosing = drawChoosing(settings, (known) => {
    show(known);
    document.getElementById("who-title").focus();
  });

  function show(known, { found = false, signed = null } = {}) {
    current = known;
    // A page that is loaded anew finds its recording again, as long as the server runs.
    history.replaceState(null, "", `#${known.id}`);
    choosing.show(known);
    correcting.show(known, found);
    protecting?.show(known);
    takes.show(known, signed);
  }
  async function reload(how = {}) {
    if (!current) return;
    try {
      await correcting.saved();
      const known = await ask(`recording/state?${new URLSearchParams({ id: current.id })}`);
      if (how.found) show(known, how);
      else {
        current = known;
        takes.show(known, how.signed);
      }
    } catch (error) {
      complain(error.message);
    }
  }
  const before = decodeURIComponent(location.hash.slice(1));
  if (/^[0-9a-f]{20}$/u.test(before)) {
    try {
      show(await ask(`recording/state?${new URLSearchParams({ id: before })}`));
    } catch {
      history.replaceState(null, "", " "); // the server was started anew; it is chosen again
    }
  }

  // What has ended has been read; the next one shows itself again.
  const close = document.getElementById("close");
  const foot = document.getElementById("run");
  close.addEventListener("click", () => {
    foot.hidden = true;
  });
  let last = null;
  const draw = drawRun((running, run) => {
    close.hidden = running;
    correcting.busy(running);
    protecting?.busy(running);
    takes.busy(running);
    drawReportList(settings, running, run?.name);
    const ended = last?.state === "running" && run?.state === "finished" && run.recording === current?.id;
    if (ended) reload({ found: run.kind === "diarise" });
    last = run;
  });
  const gone = h("p", { class: "alert", role: "alert", hidden: true });
  gone.append("The server does not answer; look whether it still runs in its terminal.");
  document.querySelector(".bench").before(gone);
  watch(
    (run) => {
      draw(run);
      document.documentElement.dataset.ready = "yes";
    },
    (lost) => {
      gone.hidden = !lost;
    },
  );
}

begin();
