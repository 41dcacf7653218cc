// Reports that are there, and runs that can be resumed.

// The run that is shown has its own button and is not listed again.
async function drawReportList(settings, running, current) {
  const list = place("report-list");
  let found;
  try {
    found = await ask("report-list");
  } catch (error) {
    list.replaceChildren(h("p", { class: "alert" }, error.message));
    return;
  }
  const when = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
  const reports = found.reports.map((report) =>
    h(
      "li",
      {},
      h(
        "a",
        { href: `report/${report.parts.map(encodeURIComponent).join("/")}` },
        h("bdi", {}, report.title),
      ),
      h("small", {}, when.format(new Date(1000 * report.when))),
    ),
  );
  const wrong = h("p", { class: "alert", role: "alert", hidden: true });
  const resume = async (name) => {
    try {
      await tell("run/resume", { name });
      document.getElementById("run-title").focus();
    } catch (error) {
      wrong.replaceChildren(shown(error.message));
      wrong.hidden = false;
    }
  };
  const resumable = found.unfinished.filter((run) => run.name !== current);
  const unfinished = resumable.map((run) =>
    h(
      "li",
      {},
      h("bdi", {}, run.title),
      h("small", {}, run.safeguard),
      h(
        "button",
        {
          type: "button",
          disabled: running,
          "aria-label": `Resume ${run.title}`,
          onclick: () => resume(run.name),
        },
        "Resume",
      ),
    ),
  );
  list.replaceChildren(
    reports.length
      ? h("ul", { class: "report-list" }, reports)
      : h("p", { class: "quiet" }, "None yet. A report appears here when its run has finished."),
    ...(unfinished.length
      ? [h("h3", {}, "Unfinished"), h("ul", { class: "report-list" }, unfinished), wrong]
      : []),
    h("p", { class: "quiet small" }, "Reports and tables are in ", h("span", { class: "mono" }, settings.out)),
  );
}
