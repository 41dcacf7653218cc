"""Names and metadata of protected speech, in the layout its originals have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pseudovoice.atomic import write_atomic
from pseudovoice.cells import as_cell
from pseudovoice.corpus import UNLABELLED, Corpus, write_audiofolder, write_kaldi, write_table
from pseudovoice.corpus.flat import FLAT

_KALDI = ("wav.scp", "utt2spk", "spk2utt")
# Written only where something is known of it; an older one would tell what is withdrawn.
_KALDI_MORE = ("segments", "reco2file_and_channel", "spk2gender", "text")
_TABLE, _AUDIOFOLDER, _METADATA = "corpus.csv", "metadata.csv", "metadata.tsv"
_TRANSCRIPTS = ".trans.txt"


def is_listing(place: str) -> bool:
    """Whether a file below the output has a name that a listing may have."""
    top = (*_KALDI, *_KALDI_MORE, _TABLE, _AUDIOFOLDER, _METADATA)
    return place in top or place.endswith(_TRANSCRIPTS)


def write_listing(corpus: Corpus, layout: str, out: Path, rename: bool) -> list[Path]:
    """Names and metadata in the input's layout; a tree of folders needs a listing only for what
    its names do not say. Returns the files. What labels tell of people's age, accent or mood
    stays with the originals."""
    corpus = replace(corpus, utterances=tuple(replace(u, labels=UNLABELLED) for u in corpus))
    if layout == "kaldi":
        for name in _KALDI_MORE:
            (out / name).unlink(missing_ok=True)
        write_kaldi(replace(corpus, layout="kaldi"), out)
        return [out / name for name in (*_KALDI, *_KALDI_MORE) if (out / name).exists()]
    if layout == "table":
        write_table(corpus, out / _TABLE)
        return [out / _TABLE]
    if layout in ("audiofolder", "lhotse", FLAT) or rename:
        write_audiofolder(corpus, out)
        return [out / _AUDIOFOLDER]
    transcripts = _write_transcripts(corpus) if layout == "librispeech" else []
    return [*transcripts, *_write_metadata(corpus, out)]


def _write_transcripts(corpus: Corpus) -> list[Path]:
    folders: dict[Path, list[str]] = {}
    for u in corpus:
        if u.transcript is not None:
            folders.setdefault(u.path.parent, []).append(f"{u.id} {' '.join(u.transcript.split())}")
    written = []
    for folder, lines in folders.items():
        name = "-".join(lines[0].split(" ", 1)[0].split("-")[:-1]) or folder.name
        written.append(folder / f"{name}{_TRANSCRIPTS}")
        write_atomic(written[-1], "\n".join(sorted(lines)) + "\n")
    return written


def _write_metadata(corpus: Corpus, out: Path) -> list[Path]:
    """Gender and transcript of each utterance beside the tree, where they are known."""
    if not any(u.gender or u.transcript for u in corpus):
        return []
    lines = ["utt\tspeaker\tgender\ttranscript"]
    for u in corpus:
        text = " ".join((u.transcript or "").split())
        lines.append("\t".join(map(as_cell, (u.id, u.speaker, u.gender or "", text))))
    write_atomic(out / _METADATA, "\n".join(lines) + "\n")
    return [out / _METADATA]
