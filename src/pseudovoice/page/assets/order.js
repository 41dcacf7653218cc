// Orders of the speakers in a matrix, as permutations of its rows.

const ORDERS = [
  ["disclosure", "disclosure"],
  ["gender", "gender"],
  ["alike", "likeness"],
  ["name", "name"],
];

const natural = new Intl.Collator("en", { numeric: true });

function ordered(kind, matrices, safeguard) {
  const { speakers } = matrices;
  const places = speakers.map((_, k) => k);
  if (kind === "alike") return matrices.clustered;
  const byName = (a, b) => natural.compare(speakers[a], speakers[b]);
  if (kind === "name") return places.sort(byName);
  const told = disclosureOf(safeguard, matrices);
  const worstFirst = (a, b) => (told.get(speakers[b]) ?? -9) - (told.get(speakers[a]) ?? -9) || byName(a, b);
  if (kind === "disclosure") return places.sort(worstFirst);
  const sex = (k) => genderOf.get(speakers[k]) ?? "~"; // unknown comes last
  return places.sort((a, b) => natural.compare(sex(a), sex(b)) || worstFirst(a, b));
}

// What the ignorant attacker learns of each person: the matrices show its comparison.
function disclosureOf(safeguard, { group, encoder }) {
  const rows = of(safeguard.speakers, { group, encoder, attacker: "ignorant" });
  return new Map(rows.map((row) => [row.speaker, row.d_ece.value]));
}

// Where one gender ends and the next begins, for an order by gender.
function seams(kind, order, speakers) {
  if (kind !== "gender") return [];
  return order.flatMap((k, at) =>
    at > 0 && genderOf.get(speakers[k]) !== genderOf.get(speakers[order[at - 1]]) ? [at] : [],
  );
}
