// Numbers and names as they are read.

const FULL = 1 / (2 * Math.LN2); // D_ECE of full disclosure, in bit

const GROUPS = { all: "everybody", f: "women", m: "men" };
const SEXES = { f: "woman", m: "man" };
const CONDITIONS = {
  oo: "OO, original – original",
  op: "OP, original – protected",
  pp: "PP, protected – protected",
  pq: "PQ, protected – attacker’s own",
};
const TAG_WORDS = {
  0: "no evidence in any comparison",
  A: "no comparison shifts the odds tenfold",
  B: "a comparison may shift the odds 10- to 100-fold",
  C: "a comparison may shift the odds 100- to 10,000-fold",
  D: "a comparison may shift the odds 10,000- to 100,000-fold",
  E: "a comparison may shift the odds 100,000- to 1,000,000-fold",
  F: "a comparison may shift the odds more than 1,000,000-fold",
};
const METRIC_NAMES = {
  d_ece: "D_ECE",
  d_ece_person: "D_ECE of the most disclosed person",
  l_w: "l_w",
  eer: "EER (ROC convex hull)",
  cllr_min: "Cllr_min",
  d_sys: "D_sys",
  c_ece_linear: "C_ECE (linear)",
  c_ece_isotonic: "C_ECE (isotonic)",
  tag: "tag",
  deid: "DeID",
  deid_d_ece: "DeID by D_ECE",
};
const UTILITY = {
  wer: ["Word errors", "%"],
  cer: ["Letter errors", "%"],
  lost: ["Recordings lost", "%"],
  ovrl: ["Quality (predicted MOS)", ""],
  sig: ["Quality of speech (MOS)", ""],
  bak: ["Quality of background (MOS)", ""],
  f0_correlation: ["Melody kept (F0 correlation)", ""],
  voicing_agreement: ["Voicing kept", "%"],
  word_rate: ["Words a second", ""],
  voiced_rate: ["Voiced stretches a second", ""],
  der: ["Who spoke when, wrong (DER)", "%"],
  der_given: ["Who spoke when, wrong, their number told", "%"],
  confusion: ["Speech taken for somebody else's", "%"],
};

// Characters that nobody sees, or that turn the text around, become visible.
function shown(text) {
  return text.replace(/[\p{C}\u2028\u2029]/gu, (c) =>
    c === "\n" ? " " : `\\u${c.codePointAt(0).toString(16).padStart(4, "0")}`,
  );
}

function number(value, decimals = 3) {
  if (value === null || value === undefined) return "—";
  if (typeof value === "string") return value;
  const text = value.toFixed(decimals);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

function count(value) {
  return value.toLocaleString("en-GB");
}

function plural(value, thing) {
  return `${count(value)} ${thing}${value === 1 ? "" : "s"}`;
}

function percent(value, decimals = 0) {
  return value === null || value === undefined ? "—" : `${number(100 * value, decimals)}\u00a0%`;
}

// "0.328 bit [0.264, 0.365]"
function measured(e, { unit = "", decimals = 3, factor = 1 } = {}) {
  if (!e) return "—";
  const at = (v) => (typeof v === "number" ? number(factor * v, decimals) : number(v));
  const range = e.low === null || e.high === null ? "" : ` [${at(e.low)}, ${at(e.high)}]`;
  return `${at(e.value)}${unit && ` ${unit}`}${range}`;
}

function groupName(group) {
  return GROUPS[group] ?? group;
}

function attackerName(attacker) {
  const title = titles[attacker] ?? attacker;
  return `${title.charAt(0).toUpperCase()}${title.slice(1)} attacker`;
}

function sentence(text) {
  const first = (text.charAt(0).toUpperCase() + text.slice(1)).replace(/(\d) %/g, "$1\u00a0%");
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

// Share of what unprotected speech tells; null where there was nothing to tell.
function keptShare(attack) {
  const control = attack.control.d_ece?.value;
  return control > 0 ? Math.max(0, attack.metrics.d_ece.value) / control : null;
}

// The share that is learnt, or why there is none to be named.
function learntInAWord(attack) {
  const { value, null_95: bound, chance } = attack.metrics.d_ece;
  if (!chance) return percent(keptShare(attack));
  // Shuffled names seldom give as much, but the interval reaches chance.
  return bound !== null && value > bound ? "unsettled" : "as chance";
}

// Why nothing follows from an attack: it fails on unprotected speech too, or chance does as well.
function whyNothing(attack) {
  return attack.verdict.startsWith("too few") ? "too few" : "too weak";
}

function tooFew() {
  return study.safeguards.some((one) =>
    one.attacks.some((a) => a.group === "all" && a.too_weak && whyNothing(a) === "too few"),
  );
}

// The attack that learns most; those too weak to conclude compete only among themselves.
function strongest(attacks) {
  const able = attacks.filter((a) => !a.too_weak);
  const pool = able.length ? able : attacks;
  return pool.reduce(
    (best, a) => (!best || a.metrics.d_ece.value > best.metrics.d_ece.value ? a : best),
    null,
  );
}
