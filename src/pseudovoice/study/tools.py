"""What the work of a study is done with: encoders, recognisers, stores, cores and a progress bar.

Everything is loaded when it is first used: a finished study needs none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from pseudovoice.asr.recogniser import SpeechRecogniser
from pseudovoice.asr.registry import load_recogniser
from pseudovoice.assessment.assessed_once import Conditions
from pseudovoice.corpus import Corpus
from pseudovoice.embeddings.store import EmbeddingStore
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.encoders.registry import ENCODER_NAMES, load_encoder
from pseudovoice.errors import Problem
from pseudovoice.memory import give_back
from pseudovoice.models.cache import private_cache
from pseudovoice.progress import Progress, counter
from pseudovoice.study.veil import Veil


@dataclass
class Tools:
    """Shared by all stages that one process runs; ``unread`` is what no stage could read.

    ``veil`` hides the names that no stage may write.
    """

    workers: int | None = None
    say: Progress = lambda *_: None
    conditions: Conditions = field(default_factory=Conditions)
    unread: list[Problem] = field(default_factory=list)
    veil: Veil = field(default_factory=Veil)
    _encoders: dict[str, Encoder] = field(default_factory=dict)
    _recognisers: dict[str, SpeechRecogniser] = field(default_factory=dict)

    def encoders(self, names: Sequence[str]) -> list[Encoder]:
        for name in names:
            if name not in self._encoders:
                self._encoders[name] = load_encoder(name)
        return [self._encoders[name] for name in names]

    def recogniser(self, name: str) -> SpeechRecogniser:
        """Encoders are let go of: they are opened again sooner than words are heard."""
        self._encoders.clear()
        give_back()
        if name not in self._recognisers:
            self._recognisers[name] = load_recogniser(name)
        return self._recognisers[name]

    @contextmanager
    def embeddings(self) -> Iterator[EmbeddingStore]:
        """The user's store of embeddings."""
        store = EmbeddingStore(private_cache() / "embeddings.sqlite")
        try:
            yield store
        finally:
            store.close()

    def fingerprint(self, corpus: Corpus) -> str:
        """Of what a corpus holds; what cannot be read makes it another one, and is said."""
        return corpus.fingerprint(content=True, unread=self.unread.append)

    def counter(self, what: str, total: int) -> Callable[[int], None]:
        """What to call with how many more are done."""
        return counter(self.say, what, total)


def encoder_mark(name: str) -> str:
    """An encoder by name where its weights are pinned by this version, else by its hash."""
    parts = name.removeprefix("fusion:").split("+")
    if all(part in ENCODER_NAMES for part in parts):
        return name
    return f"{name} {load_encoder(name).sha256}"
