// The run as it goes: stage, numbers, time left; cancel and resume.

function duration(seconds) {
  if (seconds < 1.5) return "about a second";
  if (seconds < 90) return `about ${Math.round(seconds)} seconds`;
  if (seconds < 5400) return `about ${Math.round(seconds / 60)} minutes`;
  return `about ${number(seconds / 3600, 1)} hours`;
}

function pace(progress) {
  // One of one says nothing.
  if (progress.total < 2) return "";
  const parts = [`${count(progress.done)} of ${count(progress.total)}`];
  if (progress.known) parts.push(`${count(progress.known)} of them known from before`);
  if (progress.rate) parts.push(`${number(progress.rate, progress.rate < 10 ? 1 : 0)} a second`);
  if (progress.left !== null && progress.done < progress.total) {
    parts.push(`${duration(progress.left)} left`);
  }
  return parts.join(", ");
}

const ENDINGS = {
  cancelled: "Cancelled",
  failed: "Stopped by an error",
  finished: "Finished",
};

const DOING = {
  assess: "Assessing",
  diarise: "Finding who speaks",
  protect: "Protecting",
  compare: "Comparing",
  release: "Preparing the release",
};

function drawRun(changed) {
  const section = document.getElementById("run");
  const title = document.getElementById("run-title");
  const stage = h("p", { class: "stage" });
  const bar = h("progress", { "aria-label": "Progress of this stage", max: 1 });
  const numbers = h("p", { class: "numbers" });
  const stages = h("ol", { class: "stages" });
  const message = h("p", { class: "message" });
  const wrong = h("p", { class: "alert", role: "alert", hidden: true });
  const problems = h("ul", {});
  const summary = h("summary", {});
  const aside = h("details", { hidden: true }, summary, problems);
  const cancel = h("button", { type: "button", id: "cancel" }, "Cancel");
  const resume = h("button", { type: "button", id: "resume", class: "primary" }, "Resume");
  const open = h("a", { class: "primary", id: "open" }, "Open the report");
  place("run").append(
    stage,
    bar,
    numbers,
    message,
    h("p", { class: "actions" }, open, cancel, resume),
    wrong,
    aside,
    stages,
  );
  let last = null;
  let spoken = "";

  // Pressed once is enough. Not `disabled`, which would take the focus away.
  let asking = false;
  async function press(path, tree) {
    if (asking) return;
    asking = true;
    wrong.hidden = true;
    try {
      await tell(path, tree);
    } catch (error) {
      wrong.replaceChildren(shown(error.message));
      wrong.hidden = false;
    }
    asking = false;
  }
  cancel.addEventListener("click", () => press("run/cancel", {}));
  resume.addEventListener("click", () => press("run/resume", { name: last.name }));

  function speak(text) {
    if (text !== spoken) announce(text);
    spoken = text;
  }

  return function show(run) {
    const before = last?.state;
    const mine = section.contains(document.activeElement) && document.activeElement !== title;
    last = run;
    section.hidden = run === null;
    if (run === null) return changed(false, null);
    const running = run.state === "running";
    const { progress } = run;
    section.dataset.state = run.state;
    title.replaceChildren(shown(`${running ? DOING[run.kind] : ENDINGS[run.state]}: ${run.title}`));
    stage.replaceChildren(shown(sentence(progress ? progress.stage : "starting")));
    stage.hidden = numbers.hidden = bar.hidden = !running;
    numbers.replaceChildren(progress ? pace(progress) : "");
    if (progress?.total > 1) bar.value = progress.done / progress.total;
    else bar.removeAttribute("value");
    stages.hidden = !running;
    while (stages.childElementCount > run.stages.length) stages.lastChild.remove();
    for (const text of run.stages.slice(stages.childElementCount)) {
      stages.append(h("li", {}, sentence(text).slice(0, -1)));
    }
    message.replaceChildren(shown(run.message));
    message.hidden = running;
    message.classList.toggle("alert", run.state === "failed");
    aside.hidden = !run.problems.length;
    if (problems.childElementCount !== run.problems.length) {
      summary.replaceChildren(`${plural(run.problems.length, "thing")} to know of`);
      problems.replaceChildren(...run.problems.map((text) => h("li", {}, text)));
    }
    cancel.hidden = !running;
    resume.hidden = running || run.state === "finished" || run.kind !== "assess";
    open.hidden = run.state !== "finished" || !["assess", "compare"].includes(run.kind);
    open.setAttribute("href", `report/${encodeURIComponent(run.name)}/report.html`);
    if (before !== run.state) {
      wrong.hidden = true;
      changed(running, run);
      // The button that was pressed is gone; what follows from it takes its place.
      if (mine) [open, cancel, resume].find((control) => !control.hidden)?.focus();
    }
    speak(running ? sentence(progress?.stage ?? "starting") : `${ENDINGS[run.state]}. ${run.message}`);
  };
}

function watch(show, lost) {
  const stream = new EventSource("events");
  stream.addEventListener("message", (event) => {
    lost(false);
    show(JSON.parse(event.data));
  });
  // The browser tries again by itself, every few seconds.
  stream.addEventListener("error", () => lost(true));
}
