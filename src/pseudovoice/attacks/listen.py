"""All speech of an assessment through one encoder, and the back-ends that are learnt from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pseudovoice.attacks.heard import Heard, TrialSettings
from pseudovoice.attacks.material import Material, Scoring
from pseudovoice.backends import Backend, Cosine, train_plda, with_as_norm
from pseudovoice.corpus import Channel, Corpus
from pseudovoice.embeddings.embed import Cut, embed_corpus
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.embeddings.store import EmbeddingStore
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import InputError, Problem
from pseudovoice.progress import Progress, counter


@dataclass(frozen=True)
class Listener:
    """An encoder with all that embedding a corpus through it takes.

    Problems of every corpus go to ``problems``, each once.
    """

    encoder: Encoder
    store: EmbeddingStore | None
    channel: Channel
    workers: int | None
    say: Progress
    problems: dict[Problem, None]

    def __call__(self, corpus: Corpus, cut: Cut | None = None) -> Embeddings:
        what = f"embedding {corpus.name} with {self.encoder.name}"
        made = embed_corpus(
            corpus,
            self.encoder,
            self.store,
            channel=self.channel,
            cut=cut,
            workers=self.workers,
            progress=counter(self.say, what, len(corpus)),
        )
        self.problems.update(dict.fromkeys(made.problems))
        return made


def listen(
    material: Material, ids: Sequence[str], scoring: Scoring, trials: TrialSettings, hear: Listener
) -> Heard:
    """Embed all corpora; an utterance that fails on one side is left out on every side."""
    o, p = hear(material.original.subset(ids=ids)), hear(material.protected.subset(ids=ids))
    there = {*p.ids}
    # One order for all: equal rows and columns of two comparisons are the same trials.
    kept = [name for name in o.ids if name in there]

    def version(corpus: Corpus, what: str) -> Embeddings:
        return hear(_version(corpus, ids, what)).in_order(kept)

    def maybe(corpus: Corpus | None, what: str) -> Embeddings | None:
        return None if corpus is None else version(corpus, what)

    own = maybe(material.attacker_protected, "the attacker's protected speech")
    another = maybe(material.one_more_run, "another run of the safeguard")
    if material.another_run is not None and another is None:
        another = own
    backend, retrained, training = _backend(scoring, hear), None, None
    if material.attacker_training is not None:
        training = hear(material.attacker_training)
        retrained = train_plda(training.vectors, training.speakers)

    def versions(corpora: Sequence[Corpus], what: str) -> tuple[Embeddings, ...]:
        return tuple(version(corpus, what) for corpus in corpora)

    return Heard(
        hear.encoder.name,
        o.in_order(kept),
        p.in_order(kept),
        own,
        another,
        training,
        retrained,
        backend,
        versions(material.attacker_tries, "speech that the attacker tried voices on"),
        versions(material.attacker_undone, "speech that the attacker undid"),
        versions(material.releases, "what was released at another time"),
        maybe(material.attacker_fitted, "speech under fitted mappings"),
        material.leaked,
        trials,
    )


def _version(corpus: Corpus, ids: Sequence[str], what: str) -> Corpus:
    """The part of another version of the originals that has their names."""
    wanted = set(ids)
    part = corpus.subset(ids=[u.id for u in corpus if u.id in wanted])
    if not len(part):
        raise InputError(
            f"{corpus.root}: no utterance has the id of an original; {what} must keep the names "
            "of the originals."
        )
    return part


def _backend(scoring: Scoring, hear: Listener) -> Backend | None:
    """Everybody's back-end; None is the plain cosine."""
    if scoring.training is None:
        return None
    cohort = hear(scoring.training)
    backend: Backend | None = None
    if scoring.backend == "plda":
        backend = train_plda(cohort.vectors, cohort.speakers)
    return with_as_norm(backend or Cosine(), cohort.vectors) if scoring.as_norm else backend
