// Limits, what was not tested, warnings, references, provenance.

function drawMethod() {
  const list = (title, items, tag = "ul") =>
    items.length > 0 && [
      h("h3", {}, title),
      h(
        tag,
        {},
        items.map((text) => h("li", {}, text)),
      ),
    ];
  return [
    list("What was not tested", study.not_tested),
    list("Limits", study.limits),
    list("To keep in mind about these results", study.warnings),
    list("References", study.references, "ol"),
  ].flat();
}

function drawProvenance() {
  return h(
    "dl",
    { class: "provenance" },
    study.provenance.map(({ name, value }) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}
