"""Who is who in a renamed release: from the key and the names of the originals alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from pseudovoice.corpus import Corpus
from pseudovoice.corpus.lines import as_text
from pseudovoice.errors import InputError, Problem, UsageError, few
from pseudovoice.library.given import GivenCorpus, GivenKey, Place, a_corpus, key_of, several
from pseudovoice.release.pseudonyms import Named, Pseudonyms, named

PSEUDONYM = re.compile(r"(spk|ses|utt)-[0-9a-f]{24}")


def pseudonyms_of(
    names: str | Iterable[str],
    *,
    key: GivenKey,
    key_session: str = "default",
    corpus: GivenCorpus | None = None,
    layout: str = "auto",
    allow_commands: bool = False,
    speaker_from: str | None = None,
) -> tuple[list[Named], list[Problem]]:
    """What people are called in a release of this key and session.

    With ``corpus`` all their utterances and recording sessions as well, and whoever is not in it is
    a problem: a misspelt name has a pseudonym, too, which nobody bears.
    """
    pseudonyms = _pseudonyms(key, key_session)
    if corpus is None:
        # As every corpus is read; what is pasted from a Mac's folder is spelt otherwise.
        return named(pseudonyms, map(_plain, several(names))), []
    read = a_corpus(corpus, layout=layout, allow_commands=allow_commands, speaker_from=speaker_from)
    spelt = {_plain(who): who for who in read.speakers}
    there, problems = [], []
    for name in several(names):
        if _plain(name) in spelt:
            there.append(spelt[_plain(name)])
        else:
            problems.append(
                Problem(
                    name,
                    f"nobody in {read.root} is called so, but there are {few(list(read.speakers))}",
                    "write it as the corpus does",
                )
            )
    if not there:
        raise InputError(str(problems[0]))
    return named(pseudonyms, there, read), problems


def people_of(
    pseudonyms: str | Iterable[str],
    *,
    key: GivenKey,
    key_session: str = "default",
    corpus: GivenCorpus | None = None,
    names: Place | Iterable[str] | None = None,
    layout: str = "auto",
    allow_commands: bool = False,
    speaker_from: str | None = None,
) -> tuple[list[Named], list[Problem]]:
    """Whom pseudonyms stand for, among the people of ``corpus`` or of a list of ``names``.

    ``names`` may be a file with a name on each line; it suffices for people, not for utterances.
    Pseudonyms may come as they stand in a release, as a folder or a file: ``spk-…/utt-….wav``.
    """
    if corpus is None and names is None:
        raise UsageError(
            "A pseudonym is found by trying names; name the originals with `corpus`, or a file "
            "of names with `names`."
        )
    read = None
    if corpus is not None:
        read = a_corpus(
            corpus, layout=layout, allow_commands=allow_commands, speaker_from=speaker_from
        )
    listed = _listed(names)
    tried = named(_pseudonyms(key, key_session), [*listed, *_speakers(read)], read)
    known = {one.pseudonym: one for one in tried}
    found, problems = [], []
    for text in several(pseudonyms):
        asked = [match[0] for match in PSEUDONYM.finditer(text.casefold())]
        if not asked:
            problems.append(
                Problem(
                    text, "is no pseudonym", "it begins with spk-, ses- or utt- and has 24 digits"
                )
            )
        elif asked[-1] not in known:
            problems.append(_nobody(asked[-1], len(tried), key_session, read))
        else:
            found.append(known[asked[-1]])
    if not found:
        raise InputError(str(problems[0]))
    return list(dict.fromkeys(found)), problems


def _nobody(pseudonym: str, tried: int, key_session: str, read: Corpus | None) -> Problem:
    what = f"is none of the {tried:,} names tried with this key in its session {key_session!r}"
    remedy = "check `key` and `key_session`, and that whoever it is stands among the originals"
    if read is None and not pseudonym.startswith("spk-"):
        remedy = "name the originals with `corpus`: a list of people knows no utterances"
    return Problem(pseudonym, what, remedy)


def _pseudonyms(key: GivenKey, key_session: str) -> Pseudonyms:
    secret = key_of(key)
    assert secret is not None
    return Pseudonyms(secret, key_session)


def _speakers(read: Corpus | None) -> tuple[str, ...]:
    return () if read is None else tuple(read.speakers)


def _listed(names: Place | Iterable[str] | None) -> list[str]:
    if names is None:
        return []
    if not isinstance(names, str | Path):
        return list(names)
    try:
        text = as_text(Path(names).read_bytes())
    except UnicodeDecodeError:
        raise InputError(f"{names}: is no text; save it as UTF-8, a name a line.") from None
    found = [line.strip() for line in text.splitlines() if line.strip()]
    if not found:
        raise InputError(f"{names}: holds no names; write one on each line.")
    # Accents have two spellings; the corpus was read with one of them.
    both = (unicodedata.normalize(form, name) for name in found for form in ("NFC", "NFD"))
    return list(dict.fromkeys((*found, *both)))


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name)
