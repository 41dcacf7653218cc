// Listening: the recording, or what was made of it, piece by piece from the server on this machine.

const PIECE = 60; // seconds, as many as the server sends at once

// `moved` hears where it is, `changed` whether and what it plays, `failed` a sentence.
function soundPlayer({ moved, changed, failed }) {
  const audio = new Audio();
  let source = null; // { id, take, seconds }
  let piece = null; // from when to when, and until when it goes on
  let frame = 0;

  function load(from, until) {
    const to = Math.min(from + PIECE, until);
    piece = { from, to, until };
    const asked = { id: source.id, from: from.toFixed(3), to: to.toFixed(3) };
    if (source.take) asked.take = source.take;
    audio.src = `recording/sound?${new URLSearchParams(asked)}`;
    audio.play().then(
      () => {},
      (error) => {
        // Another piece that was asked for meanwhile is no failure.
        if (error.name !== "AbortError" && piece) {
          stop();
          failed("This cannot be played here; look whether the server still runs in its terminal.");
        }
      },
    );
  }
  function follow() {
    if (!piece) return;
    moved(Math.min(piece.to, piece.from + audio.currentTime), true);
    frame = requestAnimationFrame(follow);
  }
  function stop() {
    cancelAnimationFrame(frame);
    audio.pause();
    const at = piece;
    piece = null;
    if (at) changed(null);
  }
  audio.addEventListener("ended", () => {
    if (!piece) return;
    const { to, until } = piece;
    if (to < until - 0.01) load(to, until);
    else {
      stop();
      moved(until, false);
    }
  });
  return {
    play(what, from, until) {
      stop();
      source = what;
      if (until - from < 0.01) return;
      load(from, until);
      changed(what);
      follow();
    },
    stop,
    playing: () => (piece ? source : null),
  };
}
