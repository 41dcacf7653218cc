"""What persona protects and what it costs, beside B2 and B2r, on a corpus with transcripts.

    python benchmarks/persona_frontier.py CORPUS WORK [--strength 1.0 …] [--alpha 0.8 …]

An encoder never judges a voice that it helped to choose: for each encoder's row the voices are
those that the *other* encoders chose. All candidates are judged once by all encoders, and the
states of the leave-one-out searches are written from that; the rest is the command line as a user
has it. Plain draws (``--plain``), which no encoder chose, show the frontier at a fraction of the
time. Word errors are those of the voices which all encoders chose together. Prints one line a
safeguard and encoder, and keeps every assessment in WORK.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from pseudovoice.cores import usable_cores
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.encoders import load_encoder
from pseudovoice.engines import in_threads
from pseudovoice.keys import new_key, read_key, write_key
from pseudovoice.safeguards.given import read_state, state_path, tag_of
from pseudovoice.safeguards.hearing import HeardSpeaker, listen
from pseudovoice.safeguards.persona import Persona, PseudoVoice
from pseudovoice.safeguards.persona.by_world import ByWorld
from pseudovoice.safeguards.persona.search import Judged, choose, judge, usual_likeness

ENCODERS = ("resnet34-lm", "ecapa", "ge2e")
SESSIONS = {"protected": "default", "attacker": "attacker"}
PROGRAM = str(Path(sys.executable).with_name("pseudovoice"))


def without(encoder: str) -> str:
    return "/".join(name for name in ENCODERS if name != encoder)


def search_once(corpus: Corpus, persona: Persona, key_file: Path, session: str) -> None:
    """Write the states of the search with all encoders and of those without one of them."""
    key = read_key(key_file)
    chains = ["/".join(ENCODERS), *map(without, ENCODERS)]
    states = {}
    for names in chains:
        twin = Persona(persona.strength, persona.target, persona.candidates, names)
        states[names] = read_state(
            state_path(twin.name, twin.to_dict(), key, session, key_file), PseudoVoice.from_dict
        )
    speakers = sorted({u.speaker for u in corpus})
    if all(len(state.voices) == len(speakers) for state in states.values()):
        return
    encoders = [load_encoder(name) for name in ENCODERS]
    tags = {s: tag_of(Persona.name, key, session, s) for s in speakers}
    heard = listen(corpus, tags, encoders, usable_cores(), lambda _: None)
    originals = {n: np.stack([h.original[n] for h in heard]) for n in ENCODERS}
    alike = {n: usual_likeness(originals[n]) for n in ENCODERS}

    def uniform(h: HeardSpeaker, purpose: str) -> float:
        return key.uniform(session, f"persona/{purpose}", h.speaker)

    speaking = ByWorld(persona.strength, persona.target)
    candidates = speaking.candidates(heard, {}, persona.candidates, uniform)

    def work(k: int) -> Judged[PseudoVoice]:
        h = heard[k]
        rest = {n: np.delete(originals[n], k, axis=0) for n in ENCODERS}
        return judge(speaking, h, candidates(h), encoders, rest)

    judged = dict(in_threads(work, range(len(heard)), usable_cores()))
    for names, state in states.items():
        for k, h in enumerate(heard):
            best = choose(judged[k], list(state.places.values()), alike, names.split("/"))
            with state.alone():
                state.give(h.tag, judged[k].voices[best], judged[k].places[best])


def run(*arguments: str) -> None:
    subprocess.run([PROGRAM, *arguments], check=False, stdout=subprocess.DEVNULL)


def protect(corpus: Path, out: Path, safeguard: str, key_file: Path) -> Path:
    run("protect", str(corpus), str(out), "--safeguard", safeguard, "--key-file", str(key_file))
    return out


def assess(original: Path, protected: Path, out: Path, encoder: str, *more: str) -> None:
    if not (out / "assessment.json").exists():
        run(
            *("assess", "audio", str(original), str(protected), "-o", str(out)),
            *("--encoder", encoder, "--no-figures", *more),
        )


def show(name: str, encoder: str, out: Path) -> None:
    rows: list[dict[str, Any]] = json.loads((out / "assessment.json").read_text())["rows"]
    wanted = [
        r
        for r in rows
        if (r["condition"], r["metric"])
        in {("", "deid"), ("", "g_vd"), ("op", "d_ece"), ("op", "l_w"), ("pq", "eer")}
        or r["metric"] in ("deid", "g_vd")
    ]
    for r in wanted:
        print(
            name,
            encoder,
            *(r.get(k) for k in ("group", "attacker", "condition", "metric")),
            r["value"],
            r.get("low"),
            r.get("high"),
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--strength", type=float, action="append", default=[])
    parser.add_argument("--alpha", type=float, action="append", default=[])
    parser.add_argument(
        "--plain", type=float, action="append", default=[], help="strength of plain draws"
    )
    parser.add_argument("--random", action="store_true", help="B2r too")
    parser.add_argument("--attack", action="store_true", help="the lazy attacker too")
    parser.add_argument("--limit", type=int, default=1, help="utterances a speaker for word errors")
    options = parser.parse_args()
    corpus = read_corpus(options.corpus)
    keys = {name: options.work / "keys" / f"{name}.key" for name in SESSIONS}
    for path in keys.values():
        if not path.exists():
            write_key(new_key(), path)
    jobs = [(f"mcadams:alpha={a}", f"b2-{a}") for a in options.alpha]
    jobs += [("mcadams-random", "b2r")] * options.random
    jobs += [(f"persona:strength={s},candidates=1", f"plain-{s}") for s in options.plain]
    for safeguard, name in jobs:
        out = protect(options.corpus, options.work / name, safeguard, keys["protected"])
        for encoder in ENCODERS:
            more = lazy(safeguard, keys) if options.attack else []
            assess(options.corpus, out, options.work / f"{name}.{encoder}", encoder, *more)
        run(
            "assess",
            "utility",
            str(options.corpus),
            str(out),
            "-o",
            f"{out}.utility",
            "--limit-per-speaker",
            str(options.limit),
        )
    for strength in options.strength:
        persona = Persona(strength=strength)
        for name, session in SESSIONS.items():
            if name == "protected" or options.attack:
                search_once(corpus, persona, keys[name], session)
        for encoder in ENCODERS:
            safeguard = f"persona:strength={strength},encoders={without(encoder)}"
            name = f"persona-{strength}-without-{encoder}"
            out = protect(options.corpus, options.work / name, safeguard, keys["protected"])
            more = lazy(safeguard, keys) if options.attack else []
            assess(options.corpus, out, options.work / f"{name}.{encoder}", encoder, *more)
        name = f"persona-{strength}"
        out = protect(
            options.corpus, options.work / name, f"persona:strength={strength}", keys["protected"]
        )
        run(
            "assess",
            "utility",
            str(options.corpus),
            str(out),
            "-o",
            f"{out}.utility",
            "--limit-per-speaker",
            str(options.limit),
        )


def lazy(safeguard: str, keys: dict[str, Path]) -> list[str]:
    return ["--attacker-safeguard", safeguard, "--attacker-key-file", str(keys["attacker"])]


if __name__ == "__main__":
    main()
