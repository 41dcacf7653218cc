// The ladder of worst cases, 0 to F: the letter reached, the letters its interval spans, and those
// that so few comparisons could not have shown.

const LETTERS = ["0", "A", "B", "C", "D", "E", "F"];
const BOUNDS = [1, 2, 4, 5, 6];

function letterOf(l_w) {
  return l_w === 0 ? "0" : LETTERS[1 + BOUNDS.filter((bound) => l_w >= bound).length];
}

function ladder(tag, low, high, ceiling) {
  const at = (letter) => LETTERS.indexOf(letter);
  const top = ceiling === null ? LETTERS.length - 1 : at(letterOf(ceiling));
  const spans = low && high && low !== high ? `, between ${low} and ${high}` : "";
  const seen = top < LETTERS.length - 1 ? `; this test could have shown ${LETTERS[top]} at most` : "";
  return h(
    "span",
    { class: "ladder", role: "img", "aria-label": `Worst case: tag ${tag}${spans}${seen}` },
    LETTERS.map((letter, k) => {
      const names = ["rung"];
      if (letter === tag) names.push("here");
      if (low && high && k >= at(low) && k <= at(high)) names.push("within");
      if (k > top) names.push("beyond");
      return h("span", { class: names.join(" "), "aria-hidden": "true" }, letter);
    }),
  );
}
