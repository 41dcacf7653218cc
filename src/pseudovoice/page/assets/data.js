// The study that the page carries, and its quantised matrices.

const { study: packed, arrays, attackers: titles } = JSON.parse(document.getElementById("data").textContent);
const study = restore(packed);

// Records stored as columns become records again.
function restore(value) {
  if (Array.isArray(value)) return value.map(restore);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value.words)) return value.at.map((k) => value.words[k]);
  if (typeof value.of === "number" && value.columns) {
    const columns = Object.entries(value.columns).map(([name, column]) => [name, restore(column)]);
    return Array.from({ length: value.of }, (_, k) =>
      Object.fromEntries(columns.map(([name, column]) => [name, column[k]])),
    );
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, restore(inner)]));
}

const unpacked = new Map();

// A square matrix of similarities: at(i, j) is a number of [0, 1], or null where there is none.
function matrixOf(reference) {
  if (reference === null) return null;
  if (!unpacked.has(reference.array)) unpacked.set(reference.array, unpack(arrays[reference.array]));
  return unpacked.get(reference.array);
}

function unpack({ shape, bits, data }) {
  const text = atob(data);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k += 1) bytes[k] = text.charCodeAt(k);
  const steps = bits === 16 ? new Uint16Array(bytes.buffer) : bytes;
  const top = 2 ** bits - 2;
  const n = shape[0];
  return {
    n,
    at: (i, j) => (steps[i * n + j] > top ? null : steps[i * n + j] / top),
  };
}

// What there is to choose from, in the order in which the study has it.
const groups = unique(study.safeguards.flatMap((g) => g.attacks.map((a) => a.group)));
const attacked = [...study.safeguards, ...study.slices];
const encoders = unique(attacked.flatMap((g) => g.attacks.map((a) => a.encoder)));
const attackers = unique(study.safeguards.flatMap((g) => g.attacks.map((a) => a.attacker)));
const genderOf = new Map(study.people.map((person) => [person.id, person.gender]));

function unique(list) {
  return [...new Set(list)];
}

function safeguardNamed(name) {
  return study.safeguards.find((one) => one.name === name);
}

function of(list, { group, encoder, attacker, condition }) {
  return list.filter(
    (one) =>
      (group === undefined || one.group === group) &&
      (encoder === undefined || one.encoder === encoder) &&
      (attacker === undefined || one.attacker === attacker) &&
      (condition === undefined || one.condition === condition),
  );
}
