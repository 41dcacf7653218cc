"""What an assessment of speech is given: the corpora, and how embeddings are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pseudovoice.backends import EnrolmentTrials
from pseudovoice.corpus import Corpus
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import Problem, UsageError


@dataclass(frozen=True)
class Material:
    """The corpora of an assessment; those of informed attackers may be missing.

    ``attacker_protected`` is the speakers' speech under the attacker's own key (lazy),
    ``attacker_training`` other speakers' speech the attacker protected utterance by utterance
    (semi). ``another_run`` is the speakers' speech under any other key, on which calibration is
    learnt for C_ECE (noe2022 Eq. 15–16). ``attacker_tries`` are the speakers' speech once for each
    voice that an attacker tries on all of them, ``attacker_undone`` the protected speech once for
    each voice that it takes away. ``releases`` are the same people's speech as it was released at
    other times, under other keys. ``attacker_fitted`` is their speech under what an attacker found
    each mapping to be from the utterances ``leaked``, of which it has both sides. ``ears`` are
    encoders that learnt from the attackers' training, by the name that attackers have for them.
    """

    original: Corpus
    protected: Corpus
    attacker_protected: Corpus | None = None
    attacker_training: Corpus | None = None
    another_run: Corpus | None = None
    attacker_tries: tuple[Corpus, ...] = ()
    attacker_undone: tuple[Corpus, ...] = ()
    releases: tuple[Corpus, ...] = ()
    attacker_fitted: Corpus | None = None
    leaked: frozenset[str] = frozenset()
    ears: Mapping[str, Encoder] = field(default_factory=dict)

    @property
    def for_probes(self) -> Material:
        """What somebody needs who compares no voices: the three versions, and nothing else."""
        return Material(self.original, self.protected, self.attacker_protected)

    @property
    def for_the_ear(self) -> Material:
        """What whoever trained an encoder listens to with it: nobody else hears through that."""
        return replace(self.for_probes, attacker_training=self.attacker_training)

    @property
    def one_more_run(self) -> Corpus | None:
        """The other run where it is speech of its own; mostly it is the attacker's."""
        return None if self.another_run is self.attacker_protected else self.another_run


@dataclass(frozen=True)
class Scoring:
    """How embeddings are compared, by every attacker alike.

    ``backend`` is ``cosine`` or ``plda``; PLDA, and AS-norm's cohort, come from ``training``.
    With ``lists`` the trials are those listed (enrolment models × segments, method
    ``enrolment``); without, every segment is compared with every other (``exhaustive``). With
    ``all_pairs`` similarity matrices, D_diag, DeID, G_VD and zoo rest on every segment that the
    lists try with every other, and all else on the lists.
    """

    backend: str = "cosine"
    training: Corpus | None = None
    as_norm: bool = False
    lists: EnrolmentTrials | None = None
    all_pairs: bool = False

    def __post_init__(self) -> None:
        if self.all_pairs and self.lists is None:
            raise UsageError(
                "`all_pairs` says where matrices come from beside listed trials, and none are "
                "listed: name them with `trials` and `enrolls`, or leave it out, since then "
                "everything comes from all pairs."
            )
        if (self.backend == "plda" or self.as_norm) and self.training is None:
            raise UsageError(
                f"{'AS-norm' if self.as_norm else 'PLDA'} learns from speech of other people; "
                "name a corpus with `backend_training`."
            )

    @property
    def gives_llrs(self) -> bool:
        """Whether scores can be read as log-likelihood-ratios; cosines cannot."""
        return self.backend == "plda"

    def __str__(self) -> str:
        matrices = "; matrices from all pairs" if self.all_pairs else ""
        return self.backend + (", AS-norm" if self.as_norm else "") + matrices


def described(
    material: Material, scoring: Scoring
) -> tuple[dict[str, dict[str, Any]], list[Problem]]:
    """Every corpus that had a part, by its part, and what could not be read for a fingerprint."""
    unread: list[Problem] = []
    corpora = {
        "original": material.original,
        "protected": material.protected,
        "attacker_protected": material.attacker_protected,
        "attacker_training": material.attacker_training,
        "another_run": material.one_more_run,
        **{f"attacker_try_{n}": one for n, one in enumerate(material.attacker_tries, 1)},
        **{f"attacker_undone_{n}": one for n, one in enumerate(material.attacker_undone, 1)},
        **{f"release_{n}": one for n, one in enumerate(material.releases, 2)},
        "attacker_fitted": material.attacker_fitted,
        "backend_training": scoring.training,
    }
    facts = {
        name: {
            "name": corpus.name,
            "layout": corpus.layout,
            "utterances": len(corpus),
            "speakers": len(corpus.speakers),
            "fingerprint": corpus.fingerprint(content=True, unread=unread.append),
        }
        for name, corpus in corpora.items()
        if corpus is not None
    }
    return facts, unread
