// Put everything in its place.

function drawFacts() {
  const { corpus } = study;
  const sexes = groups
    .filter((g) => g !== "all")
    .map((g) => `${count(study.people.filter((p) => p.gender === g).length)} ${groupName(g)}`);
  const people = `${plural(corpus.speakers, "speaker")}${sexes.length ? ` (${sexes.join(", ")})` : ""}${corpus.utterances === null ? "" : `, ${plural(corpus.utterances, "recording")}`}${corpus.hours ? `, ${number(corpus.hours, 1)} hours` : ""} of the corpus “${corpus.name}”`;
  const kinds = unique(attacked.flatMap((one) => one.attacks.map((a) => a.attacker)));
  const line = `${people}; ${plural(attacked.length, "safeguard")} against ${plural(kinds.length, "kind")} of attacker, heard through ${plural(encoders.length, "recogniser")}.`;
  document.getElementById("facts").append(shown(corpus.note ? `${line} ${corpus.note}` : line));
}

// Slices and whole speech have sections of their own; a study need not have both.
function leaveOut() {
  const whole = ["map", "matrices", "zoo", "profiles", "people", "utility", "sessions", "papers"];
  const told = study.safeguards.some((one) => one.told.length);
  const absent = [
    ...(study.safeguards.length ? [] : whole),
    ...(told ? [] : ["told"]),
    ...(study.slices.length ? [] : ["slices"]),
  ];
  for (const name of absent) {
    document.getElementById(name).remove();
    document.querySelector(`.contents a[href="#${name}"]`).parentElement.remove();
  }
}

document.getElementById("comparisons").append(shown(study.comparisons));
hatching();
leaveOut();
drawTheme();
drawPrint();
drawFacts();
drawChoices();
part("verdicts", ["group", "encoder"], drawVerdicts);
part("verdict-key", [], drawVerdictKey);
part("map", ["group", "encoder"], drawMap);
part("matrices", ["safeguard", "group", "encoder"], drawMatrices);
part("zoo", ["safeguard", "group", "encoder", "attacker"], drawZoo);
part("profiles", ["safeguard", "group", "encoder", "attacker"], drawProfiles);
part("people", ["safeguard", "group", "encoder", "attacker"], drawPeople);
part("speaker", ["speaker", "encoder"], drawSpeaker);
part("utility", ["group"], drawUtility);
part("sessions", ["group", "encoder"], drawSessions);
part("told", [], drawTold);
part("slices", ["encoder", "enrolment", "link"], drawSlices);
part("papers", [], drawPapers);
part("method", [], drawMethod);
part("annex", [], drawAnnex);
part("glossary", [], drawGlossary);
part("provenance", [], drawProvenance);
drawParts();
followReading();
