// Put everything in its place.

async function begin() {
  drawTheme();
  let settings;
  try {
    settings = await ask("settings");
  } catch (error) {
    place("form").append(h("p", { class: "alert", role: "alert" }, error.message));
    return;
  }
  const title = document.getElementById("run-title");
  let wanted = false;
  const form = drawForm(settings, () => {
    wanted = true;
    if (!document.getElementById("run").hidden) lookAtRun();
  });
  function lookAtRun() {
    wanted = false;
    title.focus();
    title.scrollIntoView({ block: "start" });
  }
  const gone = h("p", { class: "alert", role: "alert", hidden: true });
  gone.append("The server does not answer; look whether it still runs in its terminal.");
  document.querySelector(".bench").before(gone);
  const show = drawRun((running, run) => {
    form.go.disabled = running;
    form.go.textContent = running ? "A run is under way" : "Assess";
    drawReportList(settings, running, run?.name);
  });
  watch(
    (run) => {
      show(run);
      if (wanted && run) lookAtRun();
      document.documentElement.dataset.ready = "yes";
    },
    (lost) => {
      gone.hidden = !lost;
    },
  );
}

begin();
