"""What a page shows, as a tree of records that JSON can hold.

Conventions
-----------
- A number is an `Estimate`: value, 95 % interval over speakers, null level, verdict of chance.
- ``group`` is ``all`` or a gender, ``encoder`` the recogniser an attacker hears through.
- Fractions stay fractions and LLRs natural logs; the page alone turns them into what is read.
- Similarities and audio are arrays and bytes here; `encode` makes text of them.
- Nothing in the tree is a path or a secret: a page is made to be handed on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.estimate import Estimate
from pseudovoice.figures.published import Published
from pseudovoice.glossary import Term
from pseudovoice.page.slices import SlicedResults
from pseudovoice.report.maouche import SliceTable
from pseudovoice.report.papers import PaperTable

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class CorpusFacts:
    """Whose speech was protected, in figures; None is what nobody counted."""

    name: str
    speakers: int
    utterances: int | None
    hours: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Person:
    """A speaker of the corpus."""

    id: str
    gender: str | None
    utterances: int


@dataclass(frozen=True)
class Less:
    """What an attacker would have learnt with less than its budget."""

    budget: str
    d_ece: Estimate


@dataclass(frozen=True)
class ShownAttack:
    """What one attacker learnt, after what it knows and beside its control.

    ``metrics`` are those of ``condition``, ``control`` the same ones of unprotected speech (OO).
    ``ceiling`` is the largest l_w that so few trials could have shown. ``budget`` is what the
    attacker spent, such as "8 tries", ``along`` what less would have told it, and ``more`` whether
    more would tell it more. Whoever does not compete has what no attack on the safeguard gives,
    such as the key.
    """

    attacker: str
    knows: str
    encoder: str
    group: str
    condition: str
    metrics: dict[str, Estimate]
    control: dict[str, Estimate]
    ceiling: float
    n_mated: int
    n_nonmated: int
    too_weak: bool
    verdict: str
    competes: bool = True
    budget: str = ""
    along: tuple[Less, ...] = ()
    more: str = ""


@dataclass(frozen=True)
class MapPoint:
    """De-identification against the ignorant attacker, and gain of voice distinctiveness.

    ``too_weak`` if that attacker, through this encoder, fails on unprotected speech too.
    """

    group: str
    encoder: str
    deid: Estimate
    g_vd: Estimate
    too_weak: bool = False


@dataclass(frozen=True)
class Matrices:
    """M_OO, M_OP and M_PP over one list of speakers; a missing one is None.

    ``clustered`` is an order of the speakers that puts pseudo-voices that sound alike together.
    """

    group: str
    encoder: str
    speakers: tuple[str, ...]
    oo: Matrix | None
    op: Matrix | None
    pp: Matrix | None
    clustered: tuple[int, ...]
    similarity: str
    summary: str


@dataclass(frozen=True)
class ZooPlot:
    """Mean mated and non-mated LLR of each speaker in one condition, and the quartiles."""

    group: str
    encoder: str
    condition: str
    attacker: str
    speakers: tuple[str, ...]
    mated: tuple[float, ...]
    nonmated: tuple[float, ...]
    animal: tuple[str, ...]
    mated_quartiles: tuple[float, float]
    nonmated_quartiles: tuple[float, float]
    summary: str


@dataclass(frozen=True)
class Curve:
    """ECE over the priors; ``kind`` is ``oracle`` or ``actual`` (scores taken as they are)."""

    condition: str
    attacker: str
    kind: str
    ece: tuple[float, ...]


@dataclass(frozen=True)
class Profiles:
    """The curves of one recogniser and group; the perfect-privacy curve is ``prior``."""

    group: str
    encoder: str
    logit_prior: tuple[float, ...]
    prior: tuple[float, ...]
    curves: tuple[Curve, ...]
    summary: str


@dataclass(frozen=True)
class Better:
    """A safeguard that left this person less disclosed; ``sure`` if the intervals part."""

    safeguard: str
    d_ece: float
    sure: bool


@dataclass(frozen=True)
class SpeakerResult:
    """What an attacker learnt about one person; ``control`` is what unprotected speech tells.

    ``deid`` is 1 − D_i(M_OP) / D_i(M_OO) with D_i the distance between the person's diagonal
    element and the mean of the rest of its row and column: Eq. 9 of noe2022 for one speaker. It
    has no interval, and is None where the recogniser did not know the person to begin with.
    """

    speaker: str
    attacker: str
    encoder: str
    group: str
    d_ece: Estimate
    l_w: Estimate
    tag: str
    n_mated: int
    n_nonmated: int
    control: Estimate | None = None
    deid: float | None = None
    better: Better | None = None


@dataclass(frozen=True)
class UtilityResult:
    """One figure of use, before and after; ``original`` is None for what compares the two."""

    metric: str
    group: str
    unit: str
    direction: str
    method: str
    original: Estimate | None
    protected: Estimate


@dataclass(frozen=True)
class SessionResult:
    """Whether the pseudo-voices of one session can be linked to those of another."""

    encoder: str
    group: str
    says: str
    metrics: dict[str, Estimate]
    control: dict[str, Estimate]


@dataclass(frozen=True)
class TraitTold:
    """What can be told of people: the AUC of a trait, and what it comes to in words.

    ``found`` are the conditions of protected speech, ``control`` is unprotected speech.
    """

    trait: str
    encoder: str
    says: str
    control: Estimate
    found: dict[str, Estimate]


@dataclass(frozen=True)
class SafeguardResults:
    """Everything that was found about one safeguard.

    ``key`` is the identifier of the key, never the key; ``headline`` its verdict in one sentence.
    ``not_tried`` are the attackers, by name, who might have learnt more and did not attack;
    ``caution`` is what is known of the safeguard from elsewhere; one that was itself made
    ``elsewhere`` may have a secret or not.
    """

    name: str
    parameters: dict[str, str]
    deterministic: bool
    key: str | None
    headline: str
    attacks: tuple[ShownAttack, ...]
    not_tried: tuple[str, ...]
    caution: str
    places: tuple[MapPoint, ...]
    matrices: tuple[Matrices, ...]
    zoos: tuple[ZooPlot, ...]
    profiles: tuple[Profiles, ...]
    speakers: tuple[SpeakerResult, ...]
    utility: tuple[UtilityResult, ...]
    sessions: tuple[SessionResult, ...]
    told: tuple[TraitTold, ...] = ()
    elsewhere: bool = False


@dataclass(frozen=True)
class Clip:
    """A few seconds of one speaker; ``safeguard`` is None for the original voice.

    ``audio`` is a whole file of media type ``mime``, ``spectrogram`` a grey PNG, dark is loud.
    """

    speaker: str
    safeguard: str | None
    utterance: str
    seconds: float
    mime: str
    audio: bytes
    spectrogram: bytes


@dataclass(frozen=True)
class AnnexRow:
    """One property that an impact assessment asks for, and what this study found about it."""

    framework: str
    property: str
    asks: str
    found: tuple[str, ...]


@dataclass(frozen=True)
class Fact:
    """A line of the provenance."""

    name: str
    value: str


@dataclass(frozen=True)
class GlossarySection:
    title: str
    terms: tuple[Term, ...]


@dataclass(frozen=True)
class Study:
    """A whole page."""

    title: str
    corpus: CorpusFacts
    comparisons: str
    people: tuple[Person, ...]
    safeguards: tuple[SafeguardResults, ...]
    clips: tuple[Clip, ...]
    published: tuple[Published, ...]
    annex: tuple[AnnexRow, ...]
    limits: tuple[str, ...]
    not_tested: tuple[str, ...]
    references: tuple[str, ...]
    warnings: tuple[str, ...]
    provenance: tuple[Fact, ...]
    glossary: tuple[GlossarySection, ...]
    tables: tuple[PaperTable, ...] = ()
    slices: tuple[SlicedResults, ...] = ()
    slice_tables: tuple[SliceTable, ...] = ()
