"""Whose speech the demo takes: that of real people, or of synthetic voices if there is no other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pseudovoice.corpus import Corpus
from pseudovoice.demo.espeak import NoVoicesError
from pseudovoice.demo.real import real_corpus
from pseudovoice.demo.recordings import ALIKE, COLLECTION, NAMES, PEOPLE, RECORDINGS
from pseudovoice.demo.synthetic import VOICES, synthetic_corpus
from pseudovoice.errors import InputError
from pseudovoice.models import FetchError

REAL = (
    f"{len(RECORDINGS)} recordings of a matched-guise study, in six languages: {NAMES} names, "
    f"{PEOPLE} people as we hear them; the labels of the files are kept in the metadata. "
    f"{len(ALIKE)} pairs of names are one voice to three recognisers and count as one person each: "
    "as two they would make every safeguard look better at hiding voices than it is. Nobody wrote "
    "down who is a woman and who a man. Utterances of one recording are compared too, which makes "
    "every attacker's task easier than between two occasions. From "
    f"{COLLECTION.requirement} ({COLLECTION.licence}); fetched by name, no part of this software."
)
SYNTHETIC = (
    f"SYNTHETIC: {len(VOICES)} voices of the synthesiser eSpeak NG, because real recordings were "
    "not to be had. They differ less than people do and never vary: this report shows what a "
    "report looks like and says nothing about how well a safeguard protects anybody."
)


@dataclass(frozen=True)
class DemoSpeech:
    """The corpus, and what has to be said of it wherever its results are shown."""

    corpus: Corpus
    synthetic: bool
    why: str = ""
    """The reason why there is no real speech."""

    @property
    def note(self) -> str:
        return SYNTHETIC if self.synthetic else REAL


def demo_speech(progress: Callable[[int, int], None] = lambda *_: None) -> DemoSpeech:
    """Real speech from the cache or by name; synthetic where even the registry is out of reach.

    ``progress`` gets how many recordings are cut, and how many there are.
    """
    try:
        return DemoSpeech(real_corpus(progress), synthetic=False)
    except FetchError as error:
        why = str(error)
    try:
        return DemoSpeech(synthetic_corpus(), synthetic=True, why=why)
    except NoVoicesError as error:
        raise InputError(
            f"The demo has no speech to work on. {why} Nor are there synthetic voices in their "
            f"place: {error} Your own recordings need neither: pseudovoice compare FOLDER."
        ) from error
