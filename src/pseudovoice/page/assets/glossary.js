// Every term of the glossary, folded; those a reader of the verdict needs are unfolded on paper.

const KEY_TERMS = [
  "d_ece",
  "l_w",
  "tag",
  "ceiling",
  "eer",
  "deid",
  "g_vd",
  "d_sys",
  "ECE profile",
  "per-speaker disclosure",
  "null level",
  "chance",
  "interval",
  "attacker",
  "oo",
  "op",
  "pp",
  "pq",
  "pseudo-voice",
  "safeguard",
];
const FACTS = [
  ["unit", "Unit"],
  ["range", "Range"],
  ["direction", "Direction"],
  ["good", "A good value"],
  ["reference", "Reference"],
];

function drawGlossary() {
  const id = freshId("terms");
  const inner = h("div", {});
  const fillIn = (wanted) => {
    const has = (term) =>
      [term.name, term.title, ...term.aliases].some((text) => text.toLowerCase().includes(wanted));
    const sections = study.glossary
      .map(({ title, terms }) => ({ title, terms: wanted ? terms.filter(has) : terms }))
      .filter(({ terms }) => terms.length);
    inner.replaceChildren(
      ...sections.flatMap(({ title, terms }) => [
        h("h3", {}, title),
        h(
          "div",
          { class: "terms" },
          terms.map((term) => termEntry(term, Boolean(wanted))),
        ),
      ]),
      ...(sections.length ? [] : [h("p", { class: "quiet" }, "There is no such term.")]),
    );
  };
  const find = h("input", {
    type: "search",
    id,
    autocomplete: "off",
    oninput: () => fillIn(find.value.trim().toLowerCase()),
  });
  fillIn("");
  return [h("p", { class: "find noprint" }, h("label", { for: id }, "Find a term"), find), inner];
}

function termEntry(term, open) {
  return h(
    "details",
    { class: KEY_TERMS.includes(term.name) ? "term key-term" : "term", open },
    h(
      "summary",
      {},
      h("span", { class: "term-name" }, term.name),
      " ",
      h("span", { class: "term-title" }, term.title),
    ),
    h("p", {}, term.what),
    term.equation !== "—" &&
      h(
        "pre",
        { tabindex: "0", "aria-label": `Equation of ${term.name}` },
        term.equation.split("\n").flatMap((line, k) => (k ? [h("br"), line] : [line])),
      ),
    h(
      "dl",
      {},
      FACTS.filter(([field]) => term[field] !== "—").map(([field, label]) =>
        h("div", {}, h("dt", {}, label), h("dd", {}, term[field])),
      ),
    ),
  );
}
