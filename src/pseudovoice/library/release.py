"""Protected speech, its report and its annexes as one archive that may go out."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from pseudovoice.corpus import Corpus
from pseudovoice.corpus.flat import is_recording
from pseudovoice.library.diarise import recordings_of
from pseudovoice.library.given import (
    GivenCorpus,
    GivenKey,
    Place,
    a_corpus,
    key_of,
    several,
)
from pseudovoice.progress import Progress, counter
from pseudovoice.release.pack import Packing, Released
from pseudovoice.storage import near, sending_but, whole


@sending_but(into="archive")
def pack_release(
    speech: Place,
    archive: Place,
    *,
    study: Place | None = None,
    annex: Place | Iterable[Place] = (),
    originals: GivenCorpus | None = None,
    key: GivenKey | None = None,
    names_are_codes: bool = False,
    layout: str = "auto",
    allow_commands: bool = False,
    speaker_from: str | None = None,
    progress: Progress | None = None,
) -> Released:
    """Pack a folder of `protect` into a ZIP file, with what belongs to it and nothing else.

    ``study`` is a folder of `compare`, of which page, tables, figures and provenance go along;
    ``annex`` are files such as the signed page. Journals, keys and work are never packed. If
    anything in it would undo the protection, `ReleaseRefusedError` is raised and nothing is
    written: keys, voices given with them, journals, files that are no part of a release, links,
    tags and files within recordings, original voices on the page. With ``originals`` their names
    and their speech are looked for too, with ``key`` its secret. ``names_are_codes`` says that the
    names of the originals tell nobody anything. Everything may lie, and the archive go, elsewhere
    (``s3://…``); what is packed is brought to this machine as a whole first.
    """
    with ExitStack() as stack:
        packing = Packing(
            stack.enter_context(whole(speech)),
            None if study is None else near(study),
            tuple(near(one) for one in several(annex)),
            _originals(originals, layout, allow_commands, speaker_from),
            key_of(key),
            names_are_codes,
            counter(progress, "looking at every file", 0),
        )
        return packing.write(Path(archive))


def _originals(
    given: GivenCorpus | None, layout: str, allow_commands: bool, speaker_from: str | None
) -> Corpus | None:
    """The originals, whose folders name people; those of several people each lie in one folder."""
    if given is None or isinstance(given, Corpus):
        return given
    place = near(given)
    if speaker_from is not None:
        return a_corpus(
            place, layout=layout, allow_commands=allow_commands, speaker_from=speaker_from
        )
    flat = place.is_dir() and any(is_recording(path) for path in place.iterdir())
    read = recordings_of if flat or is_recording(place) else a_corpus
    return read(place, layout=layout, allow_commands=allow_commands)
