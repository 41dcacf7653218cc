// Put everything in its place.

function drawFacts() {
  const { corpus, safeguards } = study;
  const sexes = groups
    .filter((g) => g !== "all")
    .map((g) => `${count(study.people.filter((p) => p.gender === g).length)} ${groupName(g)}`);
  const people = `${plural(corpus.speakers, "speaker")}${sexes.length ? ` (${sexes.join(", ")})` : ""}, ${plural(corpus.utterances, "recording")}${corpus.hours ? `, ${number(corpus.hours, 1)} hours` : ""} of the corpus “${corpus.name}”`;
  const line = `${people}; ${plural(safeguards.length, "safeguard")} against ${plural(attackers.length, "kind")} of attacker, heard through ${plural(encoders.length, "recogniser")}.`;
  document.getElementById("facts").append(shown(corpus.note ? `${line} ${corpus.note}` : line));
}

document.getElementById("comparisons").append(shown(study.comparisons));
hatching();
drawDesk();
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
part("papers", [], drawPapers);
part("method", [], drawMethod);
part("annex", [], drawAnnex);
part("glossary", [], drawGlossary);
part("provenance", [], drawProvenance);
drawParts();
followReading();
