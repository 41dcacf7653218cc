"""What a study is to do, in one record: everything its results depend on, and nothing else.

A plan read from a file and one made from the options of `pseudovoice compare` are the same record
and go the same way from here on. How many cores work on it and where it is written are no part of
it: they change nothing in a table. Nor is the leave to run commands that a corpus names: a plan may
come from anybody, and only the person at the keyboard can give it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from pseudovoice.asr.languages import DETECT
from pseudovoice.asr.registry import DEFAULT_RECOGNISER
from pseudovoice.attacks.registry import DEFAULT, attacker
from pseudovoice.choices import (
    KNOWN_PAIRS,
    MEASURES,
    REPLICATES,
    SAMPLES,
    TRIES,
    UTTERANCES,
    UTTERANCES_MEASURED,
    Cut,
    Measure,
    Reference,
)
from pseudovoice.encoders.registry import DEFAULT_ENCODER
from pseudovoice.safeguards import parse_chain
from pseudovoice.storage import near_all
from pseudovoice.training.ctc_recipe import CtcRecipe


@dataclass(frozen=True)
class SetPlan:
    """One data set: a corpus, several read as one, or a part of them that lists name.

    ``only`` is a pattern of utterance ids, such as ``*_mic2``; others are left out.
    ``trials`` are lists, several of them read as one. With ``enrols`` and ``trials`` the listed
    trials are scored, as VoicePrivacy publishes them. With ``trials`` alone the utterances that the
    list tries are compared all with all: "the trial part" of noe2022 §6. With all three of
    ``enrols``, ``trials`` and ``all_pairs`` similarity matrices are made of that part, and all else
    of the listed trials. Without lists every utterance is compared with every other.
    ``cut`` says whether recordings are cut at pauses; with ``turns``, a file of who speaks when,
    the corpus is recordings of several people, and ``true_turns`` are what that file should say.
    ``speaker_from`` says who speaks in files without a listing
    (:func:`pseudovoice.corpus.flat.read_flat`).
    """

    name: str
    corpus: tuple[Path, ...]
    layout: str = "auto"
    only: str = "*"
    enrols: Path | None = None
    trials: tuple[Path, ...] = ()
    cut: Cut = "auto"
    turns: Path | None = None
    true_turns: Path | None = None
    all_pairs: bool = False
    speaker_from: str | None = None

    @property
    def part(self) -> bool:
        """Whether it is a part of what its corpora hold."""
        return self.only != "*" or bool(self.trials)


@dataclass(frozen=True)
class SafeguardPlan:
    """A safeguard or a chain of them, ``name:param=value,…+name``, and what tables call it.

    A system made elsewhere has no chain: ``speech`` is what it made of the sets, and ``another``
    the same under another key, if there is such a run. Where they lie is not kept with results.
    """

    name: str
    chain: str
    speech: tuple[Path, ...] = field(default=(), metadata={"kept": False})
    another: tuple[Path, ...] = field(default=(), metadata={"kept": False})

    @property
    def elsewhere(self) -> bool:
        """Whether it was made elsewhere."""
        return not self.chain

    @property
    def deterministic(self) -> bool:
        """Whether the study draws nothing for it."""
        return self.elsewhere or parse_chain(self.chain).deterministic

    @property
    def slices(self) -> bool:
        """Whether it ends in slices, which bear nobody's name and are attacked in another way."""
        return not self.elsewhere and parse_chain(self.chain).last is not None


@dataclass(frozen=True)
class ComparisonPlan:
    """How voices are compared: ``cosine`` or ``plda``; PLDA and AS-norm learn from ``training``."""

    backend: str = "cosine"
    training: Path | None = None
    as_norm: bool = False


@dataclass(frozen=True)
class UtilityPlan:
    """What is measured of the use of protected speech, and of how many utterances a speaker."""

    measures: tuple[Measure, ...] = MEASURES
    utterances: int | None = UTTERANCES_MEASURED
    recogniser: str = DEFAULT_RECOGNISER
    reference: Reference = "auto"
    language: str = DETECT


@dataclass(frozen=True)
class SlicesPlan:
    """How chains that end in slices are attacked by whoever wants to put them together again.

    ``language_model`` are texts, a sentence a line, from which the attacker learns what is said
    after what, or one ARPA file; without any the words are not tried. By ear ``samples`` samples of
    ``utterances`` utterances are tried, as in Table 3 of maouche2022. Whoever asks whose a slice is
    and trains, does so on uncut speech, as in the paper, or with ``cut_training`` on pieces of it.
    ``successors`` are networks that `pseudovoice train` left, ours or the paper's. With
    ``check_words`` a recogniser listens whether words that slices are cut between are those said,
    those of ``asr_training`` as well.
    """

    language_model: tuple[Path, ...] = ()
    samples: int = SAMPLES
    utterances: int = UTTERANCES
    cut_training: bool = False
    successors: tuple[Path, ...] = ()
    check_words: bool = False


@dataclass(frozen=True)
class AsrTrainingPlan:
    """What recognisers are trained on, to see what speech is worth for that (maouche2022 Table 1).

    ``corpus`` is transcribed speech of other people, which every safeguard protects. Recognisers
    are trained on it clear and protected, whole and in slices of each of ``durations``, by a
    ``recipe`` of `pseudovoice train-asr`; ``language_model`` are texts for their search.
    """

    corpus: Path
    durations: tuple[float, ...] = (0.5, 1.0, 1.5, 2.0, 3.0)
    recipe: str = CtcRecipe.recipe
    width: int | None = None
    epochs: int | None = None
    batch: float = CtcRecipe.batch
    language_model: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Plan:
    """A whole study.

    ``attackers`` are names of `pseudovoice.attacks`; those who train (``semi``, ``semi-encoder``,
    ``trained``) need ``attacker_training``, speech of other people that the attacker protects
    itself; ``tries`` is how many voices ``adaptive`` tries on and takes away, ``sessions`` how many
    releases of the same people ``gathering`` and ``known-sessions`` have, ``known_pairs`` how many
    utterances of everybody ``known-pairs`` has in clear. ``utility`` is None where nothing of the
    kind is measured. With ``rename`` nothing that is written names a person: speakers, sessions and
    utterances bear keyed pseudonyms. ``key_file`` is made beside the output if none is named and
    one is needed. ``empirical_prior`` draws noe2022 Fig. 4 at the prior of the trials, as printed.
    ``asr_training`` is None where no recogniser is trained. ``engine`` is where
    the work is done, which changes nothing that comes of it.
    """

    title: str
    sets: tuple[SetPlan, ...]
    safeguards: tuple[SafeguardPlan, ...]
    attackers: tuple[str, ...] = DEFAULT
    attacker_training: Path | None = None
    tries: int = TRIES
    known_pairs: int = KNOWN_PAIRS
    sessions: int = 1
    encoders: tuple[str, ...] = (DEFAULT_ENCODER,)
    comparison: ComparisonPlan = ComparisonPlan()
    utility: UtilityPlan | None = UtilityPlan()
    genders: bool = True
    similarity: str = "geometric"
    replicates: int = REPLICATES
    permutations: int = REPLICATES
    seed: int = 0
    key_file: Path | None = field(default=None, repr=False)
    key_session: str = "default"
    figures: bool = True
    empirical_prior: bool = False
    clips: bool = True
    include_originals: bool = False
    rename: bool = False
    note: str = ""
    slices: SlicesPlan = SlicesPlan()
    asr_training: AsrTrainingPlan | None = None
    engine: str = "threads"

    @property
    def speaker_from(self) -> str | None:
        """What all sets say of files without a listing; None where they differ."""
        said = {one.speaker_from for one in self.sets}
        return said.pop() if len(said) == 1 else None

    @property
    def sliced(self) -> tuple[SafeguardPlan, ...]:
        """The safeguards that end in slices."""
        return tuple(one for one in self.safeguards if one.slices)

    @property
    def speaks_of_slices(self) -> bool:
        """Whether ``slices`` says anything: of a release, or of what recognisers learn from."""
        return bool(self.sliced) or self.slices.check_words

    @property
    def trying(self) -> bool:
        """Whether somebody attacks who tries voices on."""
        return any(attacker(name).tries for name in self.attackers)

    @property
    def gathering(self) -> bool:
        """Whether somebody attacks who has several releases."""
        return any(attacker(name).gathers for name in self.attackers)

    @property
    def pairing(self) -> bool:
        """Whether somebody attacks who knows some of the release in clear."""
        return any(attacker(name).pairs for name in self.attackers)

    @property
    def unused(self) -> tuple[str, ...]:
        """Fields that only say something to attackers who are not there."""
        return (
            *(() if self.trying or self.pairing else ("tries",)),
            *(() if self.gathering else ("sessions",)),
            *(() if self.pairing else ("known_pairs",)),
        )

    @property
    def ears(self) -> tuple[str, ...]:
        """Encoders that attackers train."""
        named = (attacker(name).ear for name in self.attackers)
        return tuple(dict.fromkeys(ear for ear in named if ear))

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON can hold it, without the place of the key and of the work."""
        elsewhere = ("key_file", "engine")  # these change no number
        plain = {name: value for name, value in asdict(self).items() if name not in elsewhere}
        if not self.speaks_of_slices:
            del plain["slices"]
        for safeguard, said in zip(self.safeguards, plain["safeguards"], strict=True):
            for name in () if safeguard.elsewhere else ("speech", "another"):
                del said[name]
        if not self.rename:
            del plain["rename"]
        if self.asr_training is None:
            del plain["asr_training"]
        for name in self.unused:
            del plain[name]
        made: dict[str, Any] = json.loads(json.dumps(plain, default=str))
        return made

    @property
    def sha256(self) -> str:
        """Hash of everything the plan says; where the key lies is nobody's business."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()


def brought(plan: Plan) -> Plan:
    """The plan with places of this machine for all that lies elsewhere; a key is here anyway."""
    return replace(near_all(replace(plan, key_file=None)), key_file=plan.key_file)
