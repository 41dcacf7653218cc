// Who speaks when: found by ear, listened to, and put right by hand. Every correction is saved.

const SAVE_AFTER = 400; // milliseconds without another correction

const KEYS = [
  ["← →", "the turn before or after; on the wave, the cursor"],
  ["↑ ↓", "the person above or below"],
  ["Shift with arrows", "choose several turns"],
  ["Space", "play, or stop"],
  ["S", "split the turn at the cursor"],
  ["1 … 9", "give the chosen turns to that person"],
  ["N", "give them to a new person"],
  ["A", "add a turn at the cursor"],
  ["Delete", "delete the chosen turns"],
  ["Ctrl Z, Ctrl Y", "undo, redo"],
];

function drawCorrecting({ begin, player }) {
  let recording = null;
  let version = "";
  let chosen = [];
  let person = null;
  let at = 0;
  const says = h("p", { class: "hint", role: "status" });
  const wrong = h("p", { class: "alert", role: "alert", hidden: true });
  const book = turnBook((text) => {
    chosen = chosen.filter((turn) => book.list().includes(turn));
    if (!peopleOf(book.list()).includes(person)) person = null;
    announce(text);
    draw();
    save();
  });
  const line = drawTimeline({ choose, move, cursor: setCursor, play: playTurn, person: lookAt, key });

  // Finding
  const people = h("input", { type: "number", id: "people", min: 1, max: 50, placeholder: "find out" });
  const find = h("button", { type: "button", class: "primary", id: "find" }, "Find who speaks");
  const none = h(
    "p",
    { class: "lead-in" },
    "Nobody has said yet who speaks when. Let it be found by ear, then listen and correct; or add turns by hand. If one person speaks all the time, go on to ",
    h("a", { href: "#protect" }, "new voices"),
    ".",
  );
  find.addEventListener("click", async () => {
    wrong.hidden = true;
    const said = people.value === "" ? null : Number(people.value);
    try {
      await saved();
      await begin("diarise", { id: recording.id, people: said });
    } catch (error) {
      complain(error);
    }
  });

  // Transport
  const play = h("button", { type: "button", id: "play", onclick: toggle }, "Play");
  const time = h("output", { class: "time" });
  const undo = h("button", { type: "button", id: "undo", onclick: () => book.undo() }, "Undo");
  const redo = h("button", { type: "button", id: "redo", onclick: () => book.redo() }, "Redo");
  const add = h("button", { type: "button", id: "add", onclick: addTurn }, "Add a turn");
  const zooms = [
    ["Closer", line.closer],
    ["Farther", line.farther],
    ["Whole", line.whole],
  ].map(([label, way]) => h("button", { type: "button", onclick: way }, label));
  const bar = h(
    "div",
    { class: "transport" },
    h("span", { class: "group" }, play, time),
    h("span", { class: "group" }, undo, redo, add),
    h("span", { class: "group", role: "group", "aria-label": "Zoom" }, zooms),
  );

  // The chosen turns
  const turnTitle = h("legend", {}, "Turn");
  const start = timeField("turn-start", "Begins", (value) => move(chosen[0], value, chosen[0].end));
  const end = timeField("turn-end", "Ends", (value) => move(chosen[0], chosen[0].start, value));
  const whose = h("select", { id: "turn-person" });
  whose.addEventListener("change", () => give(whose.value || newPerson(book.list(), stem())));
  const hear = h("button", { type: "button", id: "hear", onclick: () => playTurn(chosen[0]) }, "Play it");
  const split = h("button", { type: "button", id: "split", onclick: splitTurn }, "Split at the cursor");
  const join = h("button", { type: "button", id: "join", onclick: joinTurns }, "Make one turn");
  const remove = h("button", { type: "button", id: "remove", onclick: removeTurns }, "Delete");
  const turnHint = h("p", { class: "hint" });
  const turnBox = h(
    "fieldset",
    { class: "box" },
    turnTitle,
    h(
      "div",
      { class: "fields" },
      h("div", { class: "text" }, h("label", { for: "turn-person" }, "Spoken by"), whose),
      start.node,
      end.node,
    ),
    h("p", { class: "actions" }, hear, split, join, remove),
    turnHint,
  );

  // The person
  const name = h("input", { type: "text", id: "person-name", maxlength: 100, autocomplete: "off" });
  const rename = h("button", { type: "button", id: "rename", onclick: renamePerson }, "Rename");
  const same = h("select", { id: "person-same" });
  const merge = h("button", { type: "button", id: "merge", onclick: mergePeople }, "They are one");
  const sample = h("button", { type: "button", id: "sample", onclick: playSample }, "Play a turn");
  const all = h("button", { type: "button", id: "all", onclick: chooseAll }, "Choose all turns");
  const after = h(
    "button",
    { type: "button", id: "after", onclick: splitPerson },
    "From the cursor on somebody else",
  );
  const personTitle = h("legend", {}, "Person");
  const personHint = h("p", { class: "hint" });
  const personBox = h(
    "fieldset",
    { class: "box" },
    personTitle,
    h(
      "div",
      { class: "fields person-fields" },
      h(
        "div",
        { class: "text" },
        h("label", { for: "person-name" }, "Name"),
        h("span", { class: "with-button" }, name, rename),
      ),
      h(
        "div",
        { class: "text" },
        h("label", { for: "person-same" }, "Is the same person as"),
        h("span", { class: "with-button" }, same, merge),
      ),
    ),
    h("p", { class: "actions" }, sample, all, after),
    personHint,
  );
  name.addEventListener("keydown", (event) => {
    if (event.key === "Enter") renamePerson();
  });
  const hands = h("div", { class: "by-hand" }, bar, line.node, h("div", { class: "pair" }, turnBox, personBox));
  const keys = h(
    "details",
    {},
    h("summary", {}, "By keyboard"),
    h(
      "dl",
      { class: "keys" },
      KEYS.flatMap(([press, does]) => [h("dt", {}, press), h("dd", {}, does)]),
    ),
  );
  const file = h("a", { id: "rttm", download: true }, "Save a copy (RTTM)");
  const reference = drawReference({
    saved,
    failed: complain,
    done: () => {
      wrong.hidden = true;
    },
  });
  place("who").append(
    none,
    h(
      "p",
      { class: "actions find" },
      find,
      h("label", { for: "people" }, "How many people, if you know"),
      people,
    ),
    hands,
    h("p", { class: "saved" }, says, file),
    wrong,
    reference.node,
    keys,
  );

  function stem() {
    return plainName(recording.name.replace(/\.[^.]*$/u, "")) || "person";
  }
  function complain(error) {
    wrong.replaceChildren(shown(error.message));
    wrong.hidden = false;
  }

  // Saving: one at a time, the last one wins.
  let timer = 0;
  let pending = Promise.resolve();
  let unsaved = false;
  function save() {
    unsaved = true;
    clearTimeout(timer);
    timer = setTimeout(saved, SAVE_AFTER);
  }
  function saved() {
    clearTimeout(timer);
    pending = pending.then(async () => {
      if (!unsaved) return;
      unsaved = false;
      const turns = book.list().map((turn) => [turn.start, turn.end, turn.person]);
      try {
        const kept = await tell("recording/turns", { id: recording.id, version, turns });
        version = kept.version;
        reference.measured(kept.reference);
        wrong.hidden = true;
        const where = recording.beside ? "beside the recording" : "among the results";
        says.replaceChildren(shown(`Saved ${where}, in ${recording.saved_in}`));
        file.hidden = false;
      } catch (error) {
        says.replaceChildren("The last correction is not saved.");
        complain(error);
      }
    });
    return pending;
  }

  function draw() {
    const list = book.list();
    none.hidden = list.length > 0;
    find.textContent = list.length ? "Find anew who speaks" : "Find who speaks";
    find.classList.toggle("primary", !list.length);
    line.draw(list, chosen, person);
    drawBoxes();
  }
  function drawBoxes() {
    const list = book.list();
    const names = peopleOf(list);
    undo.disabled = !book.canUndo();
    undo.title = book.canUndo() ? book.lastSaid() : "";
    redo.disabled = !book.canRedo();
    const one = chosen.length === 1 ? chosen[0] : null;
    turnBox.disabled = !chosen.length;
    turnTitle.textContent = chosen.length > 1 ? `${count(chosen.length)} turns` : "Turn";
    start.set(one?.start);
    end.set(one?.end);
    const owners = unique(chosen.map((turn) => turn.person));
    whose.replaceChildren(
      ...(owners.length > 1 ? [h("option", { value: "-", disabled: true, selected: true }, "several people")] : []),
      ...names.map((who) => h("option", { value: who, selected: owners.length === 1 && who === owners[0] }, who)),
      h("option", { value: "" }, "a new person"),
    );
    hear.disabled = !one;
    split.disabled = !one || !(at > one.start + SHORTEST && at < one.end - SHORTEST);
    join.disabled = chosen.length < 2 || owners.length > 1;
    turnHint.textContent = chosen.length ? "" : "Choose a turn in the time line.";
    personBox.disabled = !person;
    if (document.activeElement !== name) name.value = person ?? "";
    const others = names.filter((who) => who !== person);
    same.replaceChildren(...others.map((who) => h("option", { value: who }, who)));
    merge.disabled = !person || !others.length;
    const own = list.filter((turn) => turn.person === person);
    after.disabled = !own.some((turn) => turn.end > at + SHORTEST) || !own.some((turn) => turn.start < at);
    const spoken = own.reduce((sum, turn) => sum + turn.end - turn.start, 0);
    personHint.textContent = person
      ? `${plural(own.length, "turn")}, ${number(spoken, 1)} seconds.`
      : "Choose a person on the left of the time line.";
    drawTime();
  }
  function drawTime() {
    time.textContent = `${clock(at)} of ${clock(recording.seconds)}`;
  }

  // Doing
  function choose(turns, extend, to) {
    chosen = extend ? unique([...chosen.filter((one) => !turns.includes(one)), ...turns]) : turns;
    person = turns[0].person;
    setCursor(to ?? turns[0].start);
    line.mark(chosen, person);
    drawBoxes();
    line.focus(turns[0]);
  }
  function become([list, now], text) {
    chosen = now;
    person = now[0]?.person ?? person;
    book.become(list, text);
  }
  function setCursor(to, playing = false) {
    at = to;
    line.cursor(to, playing);
    drawTime();
    if (!playing) {
      split.disabled =
        chosen.length !== 1 || !(at > chosen[0].start + SHORTEST && at < chosen[0].end - SHORTEST);
      const own = book.list().filter((turn) => turn.person === person);
      after.disabled =
        !own.some((turn) => turn.end > at + SHORTEST) || !own.some((turn) => turn.start < at);
      player.stop();
    }
  }
  function move(turn, from, to) {
    become(movedTurn(book.list(), turn, from, to, recording.seconds), `The borders of a turn of ${turn.person} were moved.`);
  }
  function give(to) {
    if (!chosen.length || to === "-") return;
    become(givenTo(book.list(), chosen, to), `${plural(chosen.length, "turn")} given to ${to}.`);
  }
  function splitTurn() {
    if (split.disabled) return;
    become(splitAt(book.list(), chosen[0], at), `A turn of ${chosen[0].person} was split.`);
    line.focus(chosen[0]);
  }
  function joinTurns() {
    if (join.disabled) return;
    become(joined(book.list(), chosen), `${plural(chosen.length, "turn")} made one.`);
  }
  function removeTurns() {
    if (!chosen.length) return;
    const left = book.list().filter((turn) => !chosen.includes(turn));
    const next = left.find((turn) => turn.start >= chosen[0].start) ?? left.at(-1);
    become([left, next ? [next] : []], `${plural(chosen.length, "turn")} deleted.`);
    if (next) line.focus(next);
  }
  function addTurn() {
    const owner = person ?? peopleOf(book.list())[0] ?? newPerson(book.list(), stem());
    const from = Math.min(at, recording.seconds - SHORTEST);
    const turn = { start: from, end: Math.min(recording.seconds, from + 2), person: owner };
    become([[...book.list(), turn], [turn]], `A turn of ${owner} was added.`);
    line.focus(turn);
  }
  function lookAt(who) {
    person = who;
    line.mark(chosen, person);
    drawBoxes();
    name.focus();
    name.select();
  }
  function renamePerson() {
    const to = plainName(name.value);
    if (!person || !to || to === person) return;
    if (peopleOf(book.list()).includes(to)) {
      complain(new Error(`There is a ${to} already; if they are one person, say so on the right.`));
      return;
    }
    const from = person;
    line.rename(from, to);
    person = to;
    const marked = chosen.map((turn) => book.list().indexOf(turn));
    const list = renamedPerson(book.list(), from, to);
    chosen = marked.map((k) => list[k]);
    book.become(list, `${from} is now called ${to}.`);
    name.value = to;
    wrong.hidden = true;
  }
  function mergePeople() {
    const into = same.value;
    if (merge.disabled || !into) return;
    const from = person;
    person = into;
    chosen = [];
    book.become(renamedPerson(book.list(), from, into), `${from} and ${into} are one person, ${into}.`);
  }
  // Whoever speaks after the cursor is somebody else; a turn that it cuts is split there.
  function splitPerson() {
    if (after.disabled) return;
    const from = person;
    const to = newPerson(book.list(), stem());
    const list = book.list().flatMap((turn) => {
      if (turn.person !== from || turn.end <= at + SHORTEST) return [turn];
      if (turn.start >= at - SHORTEST) return [{ ...turn, person: to }];
      return [
        { ...turn, end: at },
        { ...turn, start: at, person: to },
      ];
    });
    chosen = [];
    person = to;
    book.become(list, `From ${clock(at)} on ${from} is ${to}.`);
  }
  function chooseAll() {
    chosen = book.list().filter((turn) => turn.person === person);
    line.mark(chosen, person);
    drawBoxes();
  }

  // Listening
  function playTurn(turn) {
    if (turn) player.play({ id: recording.id }, turn.start, turn.end);
  }
  function playSample() {
    const own = book.list().filter((turn) => turn.person === person);
    if (own.length) {
      const longest = own.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a));
      player.play({ id: recording.id }, longest.start, Math.min(longest.end, longest.start + 8));
    }
  }
  function toggle() {
    if (player.playing()) player.stop();
    else player.play({ id: recording.id }, at < recording.seconds - 0.05 ? at : 0, recording.seconds);
  }
  function key(event) {
    const undoing = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    const redoing = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "y";
    const names = peopleOf(book.list());
    const onTurn = event.target.getAttribute("role") === "option";
    let way = null;
    if (undoing) way = event.shiftKey ? book.redo : book.undo;
    else if (redoing) way = book.redo;
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === " ") {
      way = () => (player.playing() ? player.stop() : onTurn ? playTurn(chosen.at(-1)) : toggle());
    } else if (event.key === "Delete" || event.key === "Backspace") way = removeTurns;
    else if (event.key.toLowerCase() === "s") way = splitTurn;
    else if (event.key.toLowerCase() === "a") way = addTurn;
    else if (event.key.toLowerCase() === "n") way = () => give(newPerson(book.list(), stem()));
    else if (/^[1-9]$/u.test(event.key) && names[event.key - 1]) way = () => give(names[event.key - 1]);
    if (!way) return;
    event.preventDefault();
    way();
  }
  document.addEventListener("keydown", (event) => {
    // Undoing is for the whole page, but for fields, which undo what was typed.
    const typing = event.target.closest?.("input, textarea, select");
    if (!recording || typing || event.defaultPrevented) return;
    if ((event.ctrlKey || event.metaKey) && "zy".includes(event.key.toLowerCase())) key(event);
  });
  window.addEventListener("beforeunload", (event) => {
    if (unsaved) event.preventDefault();
  });

  return {
    // What the server knows; with `found` the turns are new ones, and the old can be had back.
    show(known, found = false) {
      const list = (known.turns ?? []).map(([from, to, who]) => ({ start: from, end: to, person: who }));
      const another = recording?.id !== known.id;
      recording = known;
      version = known.version;
      unsaved = false;
      wrong.hidden = true;
      document.getElementById("who").hidden = false;
      file.href = `recording/turns?${new URLSearchParams({ id: known.id })}`;
      file.hidden = !known.version;
      reference.show(known);
      says.replaceChildren(
        known.version ? shown(`Saved ${known.beside ? "beside the recording" : "among the results"}, in ${known.saved_in}`) : "",
      );
      if (another || !found) {
        chosen = [];
        person = null;
        at = another ? 0 : at;
        book.open(list);
        if (another) line.open(known);
        draw();
        line.cursor(at);
      } else {
        chosen = [];
        person = null;
        book.become(list, "Turns were found anew.");
        clearTimeout(timer);
        unsaved = false;
      }
      if (!known.version && list.length) save(); // they came along with the recording
    },
    moved: setCursor,
    saved,
    playing(what) {
      play.textContent = what ? "Stop" : "Play";
    },
    busy(running) {
      find.disabled = running;
    },
  };
}

// A number of seconds that is taken when it is left.
function timeField(id, label, change) {
  const input = h("input", { type: "number", id, min: 0, step: 0.1 });
  let known = "";
  input.addEventListener("change", () => {
    if (input.value !== "" && input.value !== known) change(Number(input.value));
  });
  return {
    node: h("div", { class: "text short" }, h("label", { for: id }, label), input),
    set(value) {
      known = value === undefined ? "" : value.toFixed(2);
      input.value = known;
      input.disabled = value === undefined;
    },
  };
}
