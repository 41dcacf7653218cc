// Turns as the page has them. A turn is a value that is replaced, never changed, so undoing is going
// back to the list before.

const SHORTEST = 0.05; // seconds that are left of a turn whatever is done to it

function inOrder(list) {
  return [...list].sort((a, b) => a.start - b.start || a.end - b.end || (a.person < b.person ? -1 : 1));
}

// Names as files of turns can hold them: in one word.
function plainName(text) {
  return text.normalize("NFC").trim().split(/\s+/u).filter(Boolean).join("_").slice(0, 100);
}

// By who speaks first.
function peopleOf(list) {
  return unique(inOrder(list).map((turn) => turn.person));
}

function unique(values) {
  return [...new Set(values)];
}

function newPerson(list, stem) {
  const taken = new Set(list.map((turn) => turn.person));
  for (let k = 1; ; k += 1) {
    const name = `${stem}-${k}`;
    if (!taken.has(name)) return name;
  }
}

function clock(seconds, decimals = 1) {
  const whole = Math.max(0, seconds);
  const minutes = Math.floor(whole / 60);
  const rest = (whole - 60 * minutes).toFixed(decimals);
  const padded = rest.padStart(decimals ? 3 + decimals : 2, "0");
  const hours = Math.floor(minutes / 60);
  return hours
    ? `${hours}:${String(minutes % 60).padStart(2, "0")}:${padded}`
    : `${minutes}:${padded}`;
}

// The list now, and the ways back and forth. `changed` hears of every change, with what it was.
function turnBook(changed) {
  let now = [];
  let past = [];
  let future = [];
  function go(to, says) {
    now = to;
    changed(says);
  }
  return {
    list: () => now,
    // Another recording, or the same one anew: nothing before it can be had back.
    open(list) {
      past = [];
      future = [];
      now = inOrder(list);
    },
    become(list, says) {
      past.push([now, says]);
      future = [];
      go(inOrder(list), says);
    },
    undo() {
      if (!past.length) return;
      const [before, says] = past.pop();
      future.push([now, says]);
      go(before, `Undone: ${says}`);
    },
    redo() {
      if (!future.length) return;
      const [after, says] = future.pop();
      past.push([now, says]);
      go(after, says);
    },
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
    lastSaid: () => past.at(-1)?.[1] ?? "",
  };
}

// What can be done to a list. Each gives the new list and the turns that are then chosen.

function givenTo(list, chosen, person) {
  const given = chosen.map((turn) => ({ ...turn, person }));
  return [[...list.filter((turn) => !chosen.includes(turn)), ...given], given];
}

function renamedPerson(list, from, to) {
  return list.map((turn) => (turn.person === from ? { ...turn, person: to } : turn));
}

function splitAt(list, turn, at) {
  const halves = [
    { ...turn, end: at },
    { ...turn, start: at },
  ];
  return [[...list.filter((one) => one !== turn), ...halves], [halves[1]]];
}

function movedTurn(list, turn, start, end, seconds) {
  const first = Math.min(Math.max(0, start), seconds - SHORTEST);
  const last = Math.max(first + SHORTEST, Math.min(end, seconds));
  const moved = { ...turn, start: first, end: last };
  return [[...list.filter((one) => one !== turn), moved], [moved]];
}

function joined(list, chosen) {
  const whole = {
    start: Math.min(...chosen.map((turn) => turn.start)),
    end: Math.max(...chosen.map((turn) => turn.end)),
    person: chosen[0].person,
  };
  return [[...list.filter((turn) => !chosen.includes(turn)), whole], [whole]];
}
