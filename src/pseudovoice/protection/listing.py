"""Names and metadata of protected speech, in the layout its originals have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pseudovoice.atomic import write_atomic
from pseudovoice.cells import as_cell
from pseudovoice.corpus import Corpus, write_audiofolder, write_kaldi, write_table


def write_listing(corpus: Corpus, layout: str, out: Path, rename: bool) -> None:
    """Names and metadata in the input's layout; a tree of folders needs a listing only for what
    its names do not say."""
    if layout == "kaldi":
        write_kaldi(replace(corpus, layout="kaldi"), out)
    elif layout == "table":
        write_table(corpus, out / "corpus.csv")
    elif layout in ("audiofolder", "lhotse") or rename:
        write_audiofolder(corpus, out)
    elif layout == "librispeech":
        _write_transcripts(corpus)
        _write_metadata(corpus, out)
    else:
        _write_metadata(corpus, out)


def _write_transcripts(corpus: Corpus) -> None:
    folders: dict[Path, list[str]] = {}
    for u in corpus:
        if u.transcript is not None:
            folders.setdefault(u.path.parent, []).append(f"{u.id} {' '.join(u.transcript.split())}")
    for folder, lines in folders.items():
        name = "-".join(lines[0].split(" ", 1)[0].split("-")[:-1]) or folder.name
        write_atomic(folder / f"{name}.trans.txt", "\n".join(sorted(lines)) + "\n")


def _write_metadata(corpus: Corpus, out: Path) -> None:
    """Gender and transcript of each utterance beside the tree, where they are known."""
    if not any(u.gender or u.transcript for u in corpus):
        return
    lines = ["utt\tspeaker\tgender\ttranscript"]
    for u in corpus:
        text = " ".join((u.transcript or "").split())
        lines.append("\t".join(map(as_cell, (u.id, u.speaker, u.gender or "", text))))
    write_atomic(out / "metadata.tsv", "\n".join(lines) + "\n")
