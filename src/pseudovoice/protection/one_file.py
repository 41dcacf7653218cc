"""One recording into one file, for whoever has no corpus: ``interview.wav`` to ``out.wav``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from pseudovoice.atomic import check_there, write_atomic
from pseudovoice.corpus.media_write import FOR_PICTURES
from pseudovoice.corpus.picture import has_picture
from pseudovoice.corpus.write import check_writable
from pseudovoice.errors import InputError, UsageError
from pseudovoice.protection.apply import protect_one
from pseudovoice.protection.releasing import Protected, ReleaseRun
from pseudovoice.release.record import RECORD


def to_file(run: ReleaseRun) -> Protected:
    """Protect the only recording of a run's corpus; ``out`` is the file, beside it its record."""
    settings, out = run.settings, run.out
    (utterance,) = run.corpus
    if out.exists():
        raise UsageError(f"{out}: there is a file already; choose another name, or remove it.")
    if settings.renames:
        raise UsageError(
            "A single file has the name it is given; leave out `rename`, or name a folder to write "
            "into."
        )
    check_writable(out)
    picture = out.suffix.lower() in FOR_PICTURES and has_picture(utterance.path)
    if picture and (settings.grid is not None or not settings.chain.keeps_timing):
        raise UsageError(
            f"{out}: sound and picture would come apart; leave out `pad` and `trim` and take a "
            "safeguard that keeps the timing, or write the sound alone (.wav)."
        )
    chain = run.chain()
    target = replace(utterance, path=out, start=None, end=None, command=None, channel=None)
    problem = protect_one(
        utterance,
        target,
        chain,
        settings.key,
        settings.key_session,
        settings.grid,
        settings.turns,
        utterance.path if picture else None,
    )
    if problem is not None:
        raise InputError(str(problem))
    run.progress(1)
    record = record_of(out)
    write_atomic(record, json.dumps(settings.record(), indent=1, sort_keys=True) + "\n")
    check_there((out, record))
    done = replace(run.corpus, name=out.name, root=out, utterances=(target,), problems=())
    return Protected(done, run.corpus.problems, 1, 0, picture=picture)


def record_of(out: Path) -> Path:
    """Where it is written how a file was protected."""
    return out.with_name(f"{out.name}.{RECORD}")
