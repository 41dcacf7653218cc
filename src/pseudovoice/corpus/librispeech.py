"""Read a LibriSpeech tree: ``speaker/chapter/*.flac`` with ``*.trans.txt`` beside them.

The session is the chapter. Genders come from ``SPEAKERS.TXT`` in the root or, as published, in
the folder above it; a ``metadata.tsv`` fills in what is still unknown.
"""

from __future__ import annotations

from pathlib import Path

from .columns import gender
from .corpus import Corpus, Utterance
from .folder import find_audio
from .lines import numbered_lines
from .metadata import read_metadata
from .naming import nfc, shown
from .register import Register


def read_librispeech(root: Path) -> Corpus:
    """The corpus in a LibriSpeech tree, of one part (``dev-clean``) or of several."""
    root = root.resolve()
    register = Register(root, "librispeech")
    metadata = read_metadata(root, register)
    genders = _genders(root, register)
    transcripts: dict[Path, dict[str, str]] = {}
    shallow = []
    for path in find_audio(root, register):
        if len(path.parts) < 3:
            shallow.append(str(path))
            continue
        # Counted from the file upwards, so that the parts may have a folder of their own.
        chapter, speaker = path.parts[-2], path.parts[-3]
        file = root / path
        folder = file.parent
        if folder not in transcripts:
            transcripts[folder] = _transcripts(folder, register)
        utterance = Utterance(
            id=path.stem,
            speaker=speaker,
            path=file,
            session=chapter,
            gender=genders.get(speaker),
            transcript=transcripts[folder].get(nfc(path.stem)),
        )
        register.add(metadata.complete(utterance), shown(file))
    register.problem_of_many(
        shown(root),
        shallow,
        "audio file is not in speaker/chapter/",
        "audio files are not in speaker/chapter/",
        'move them, or read the corpus with `layout="folder"`',
    )
    metadata.report(register)
    return register.corpus(nothing="it should hold speaker/chapter/*.flac")


def _transcripts(folder: Path, register: Register) -> dict[str, str]:
    texts: dict[str, str] = {}
    for path in sorted(folder.glob("*.trans.txt")):
        for number, line in numbered_lines(path, register):
            name, _, text = line.strip().partition(" ")
            if not text.strip():
                register.problem(
                    shown(path, number), "the line has no transcript", "write: id, space, text"
                )
            else:
                texts.setdefault(nfc(name), text.strip())
    return texts


def _genders(root: Path, register: Register) -> dict[str, str]:
    """Speaker to gender from lines such as ``84 | F | dev-clean | 8.02 | Christie Nowak``."""
    for path in (root / "SPEAKERS.TXT", root.parent / "SPEAKERS.TXT"):
        if path.is_file():
            break
    else:
        return {}
    found = {}
    for number, line in numbered_lines(path, register):
        if line.lstrip().startswith(";"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 2 or not cells[0]:
            register.problem(
                shown(path, number),
                "the line does not name a speaker and a gender",
                "write: speaker | gender | …",
            )
            continue
        stated = gender(cells[1])
        if stated is not None:
            found[cells[0]] = stated
    return found
