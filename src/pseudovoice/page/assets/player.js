// Clips: a play button, and the spectrogram with a line that moves. One sound at a time.

const player = new Audio();
let playing = null;
let frame = 0;

function clipsOf(speaker) {
  return study.clips.filter((clip) => clip.speaker === speaker);
}

function clipRow(clip) {
  const name = clip.safeguard ?? "original voice";
  const head = h("span", { class: "playhead" });
  const words = h("span", {}, "Play");
  const button = h(
    "button",
    { type: "button", class: "play", "aria-label": `Play ${shown(clip.speaker)}, ${shown(name)}` },
    h("span", { class: "play-sign", "aria-hidden": "true" }),
    words,
  );
  const strip = h(
    "span",
    { class: "strip" },
    h("img", {
      src: `data:image/png;base64,${clip.spectrogram}`,
      alt: `Spectrogram of ${shown(clip.speaker)}, ${shown(name)}, ${number(clip.seconds, 1)} seconds`,
    }),
    head,
  );
  const row = { clip, button, head, words };
  button.addEventListener("click", () => (playing === row ? stop() : start(row)));
  button.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -0.5, ArrowRight: 0.5 }[event.key];
    if (!step || playing !== row) return;
    player.currentTime = Math.min(clip.seconds, Math.max(0, player.currentTime + step));
    event.preventDefault();
  });
  strip.addEventListener("click", (event) => {
    const box = strip.getBoundingClientRect();
    start(row, ((event.clientX - box.left) / box.width) * clip.seconds);
  });
  return h(
    "li",
    { class: clip.safeguard === null ? "clip original" : "clip" },
    h("span", { class: "clip-name" }, name, h("span", {}, `${clip.utterance}, ${number(clip.seconds, 1)} s`)),
    button,
    strip,
  );
}

function start(row, from = 0) {
  stop();
  playing = row;
  player.src = `data:${/^audio\/[a-z0-9.+-]+$/.test(row.clip.mime) ? row.clip.mime : "audio/mpeg"};base64,${row.clip.audio}`;
  row.button.classList.add("on");
  row.button.setAttribute("aria-pressed", "true");
  row.words.textContent = "Stop";
  player.currentTime = from;
  player.play().then(advance, () => {
    if (playing === row) stop();
    row.words.textContent = "Cannot be played here";
  });
}

function advance() {
  if (!playing) return;
  playing.head.style.left = `${(100 * player.currentTime) / playing.clip.seconds}%`;
  frame = requestAnimationFrame(advance);
}

function stop() {
  cancelAnimationFrame(frame);
  player.pause();
  if (!playing) return;
  playing.button.classList.remove("on");
  playing.button.setAttribute("aria-pressed", "false");
  playing.words.textContent = "Play";
  playing.head.style.left = "0";
  playing = null;
}

player.addEventListener("ended", stop);
