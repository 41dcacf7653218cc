// Everybody, the most disclosed first, and what protects them better.

const FIRST = 12;
const peopleView = { all: false, find: "" };

function peopleRows() {
  const safeguard = safeguardNamed(choice.safeguard);
  return of(safeguard?.speakers ?? [], {
    group: choice.group,
    encoder: choice.encoder,
    attacker: choice.attacker,
  })
    .slice()
    .sort((a, b) => b.d_ece.value - a.d_ece.value);
}

// Meters of people begin below 0 where evidence misleads about somebody.
function peopleFrom() {
  const lows = study.safeguards.flatMap((one) => one.speakers.map((r) => r.d_ece.low ?? r.d_ece.value));
  return Math.max(
    -0.15,
    lows.reduce((least, v) => Math.min(least, v), 0),
  );
}

function drawPeople() {
  const rows = peopleRows();
  if (!rows.length) {
    return h(
      "p",
      {},
      `${attackerName(choice.attacker)}: no figures per person for ${choice.safeguard}, ${groupName(choice.group)}, ${choice.encoder}.`,
    );
  }
  const inner = h("div", {
    class: "scroll",
    tabindex: "0",
    role: "region",
    "aria-label": "Disclosure per person",
  });
  const more = h("button", {
    type: "button",
    class: "more noprint",
    onclick: () => {
      peopleView.all = !peopleView.all;
      fillIn();
    },
  });
  const attack = of(safeguardNamed(choice.safeguard).attacks, {
    group: choice.group,
    encoder: choice.encoder,
    attacker: choice.attacker,
  })[0];
  const from = peopleFrom();
  const fillIn = () => {
    const wanted = peopleView.find.trim().toLowerCase();
    const found = wanted ? rows.filter((r) => r.speaker.toLowerCase().includes(wanted)) : rows;
    const listed = peopleView.all || wanted ? found : found.slice(0, FIRST);
    inner.replaceChildren(peopleTable(listed, rows, from));
    more.hidden = Boolean(wanted) || rows.length <= FIRST;
    more.textContent = peopleView.all ? `Show the first ${FIRST} only` : `Show all ${count(rows.length)}`;
  };
  fillIn();
  const id = freshId("find");
  const find = h("input", {
    type: "search",
    id,
    autocomplete: "off",
    oninput: () => {
      peopleView.find = find.value;
      fillIn();
    },
  });
  find.value = peopleView.find;
  return [
    h(
      "p",
      { class: "said" },
      h("b", {}, attackerName(choice.attacker)),
      attack ? `: ${attack.knows}. ` : ". ",
      h("span", { class: "quiet" }, `${chosenWords("safeguard", "group", "encoder")}.`),
    ),
    rows.length > FIRST && h("p", { class: "find noprint" }, h("label", { for: id }, "Find a speaker"), find),
    inner,
    more,
    behind(
      "speakers",
      `disclosure per person, ${chosenWords("safeguard", "attacker", "group", "encoder")}`,
      peopleSummary(rows),
      () => ({
        columns: [
          "speaker",
          "gender",
          "D_ECE [bit]",
          "low",
          "high",
          "chance up to",
          "unprotected",
          "l_w",
          "tag",
          "DeID [%]",
          "mated",
          "non-mated",
          "better safeguard",
          "its D_ECE",
          "intervals part",
        ],
        rows: rows.map((r) => [
          r.speaker,
          genderOf.get(r.speaker) ?? "",
          r.d_ece.value,
          r.d_ece.low,
          r.d_ece.high,
          r.d_ece.null_95,
          r.control?.value ?? null,
          r.l_w.value,
          r.tag,
          r.deid === null ? null : 100 * r.deid,
          r.n_mated,
          r.n_nonmated,
          r.better?.safeguard ?? "",
          r.better?.d_ece ?? null,
          r.better ? (r.better.sure ? "yes" : "no") : "",
        ]),
      }),
    ),
  ];
}

function peopleTable(listed, rows, from) {
  const place = new Map(rows.map((row, k) => [row, k + 1]));
  const heard = study.clips.length > 0;
  return h(
    "table",
    { class: "people", role: "table" },
    h("caption", { class: "visually-hidden" }, "Disclosure per person, the most disclosed first"),
    h(
      "thead",
      {},
      h(
        "tr",
        { role: "row" },
        [
          "",
          "Speaker",
          "Learnt about this person",
          "Worst case",
          "DeID",
          "Protected better by",
          heard && "Listen",
        ]
          .filter((t) => t !== false)
          .map((t) =>
            h(
              "th",
              { scope: "col", role: "columnheader" },
              t || h("span", { class: "visually-hidden" }, "Rank"),
            ),
          ),
      ),
    ),
    h(
      "tbody",
      {},
      listed.map((row) =>
        h(
          "tr",
          { role: "row" },
          h("td", { class: "rank", role: "cell" }, place.get(row)),
          h(
            "th",
            { scope: "row", role: "rowheader" },
            h(
              "span",
              { class: "named" },
              h(
                "button",
                {
                  type: "button",
                  class: "name",
                  onclick: (event) => openSpeaker(row.speaker, event.currentTarget),
                },
                who(row.speaker),
              ),
              genderOf.get(row.speaker) && h("span", { class: "sex" }, genderOf.get(row.speaker)),
            ),
          ),
          h(
            "td",
            { class: "learnt", role: "cell" },
            meter(row.d_ece, { control: row.control, from }),
            h(
              "span",
              { class: "learnt-words" },
              h("b", {}, number(row.d_ece.value)),
              row.d_ece.low === null ? " bit" : ` [${number(row.d_ece.low)}, ${number(row.d_ece.high)}] bit`,
              row.d_ece.chance ? h("span", { class: "as-chance" }, " as chance") : null,
            ),
          ),
          h("td", { role: "cell" }, h("span", { class: "tag" }, row.tag)),
          h("td", { class: "num", role: "cell" }, row.deid === null ? "—" : percent(row.deid)),
          h("td", { class: "better", role: "cell" }, betterWords(row)),
          heard &&
            h(
              "td",
              { class: "listen", role: "cell" },
              clipsOf(row.speaker).length
                ? h(
                    "button",
                    {
                      type: "button",
                      class: "noprint",
                      "aria-label": `Listen to ${shown(row.speaker)}`,
                      onclick: (event) => openSpeaker(row.speaker, event.currentTarget),
                    },
                    "Listen",
                  )
                : "",
            ),
        ),
      ),
    ),
  );
}

function betterWords(row) {
  if (study.safeguards.length < 2) return h("span", { class: "quiet" }, "no other was tested");
  if (!row.better) return h("span", { class: "quiet" }, "none of those tested");
  const { safeguard, d_ece, sure } = row.better;
  return [
    h("b", {}, safeguard),
    ` ${number(d_ece)}\u00a0bit`,
    !sure && h("span", { class: "quiet" }, " perhaps: intervals overlap"),
  ];
}

function peopleSummary(rows) {
  const [first] = rows;
  const last = rows.at(-1);
  const clear = rows.filter((r) => r.d_ece.chance === false).length;
  const better = rows.filter((r) => r.better?.sure).length;
  return `${attackerName(choice.attacker)}, ${chosenWords("safeguard", "group", "encoder")}: of ${plural(rows.length, "speaker")} ${tooFew() ? "nobody can be told from chance" : `${count(clear)} ${clear === 1 ? "is" : "are"} disclosed beyond chance`}. Most: ${first.speaker} with ${measured(first.d_ece, { unit: "bit" })}, tag ${first.tag}; least: ${last.speaker} with ${measured(last.d_ece, { unit: "bit" })}. ${study.safeguards.length > 1 ? `For ${count(better)} of them another tested safeguard is clearly better. ` : ""}DeID of one person is read off the matrices and has no interval.`;
}
