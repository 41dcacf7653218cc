"""A plan as it is written: its fields, what each may hold, and the JSON Schema of them.

The one place that says what a plan's file may say. What fields mean stands in the descriptions,
which editors show; what they are called in sentences, in the titles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from pseudovoice.asr.registry import DEFAULT_RECOGNISER, RECOGNISER_NAMES
from pseudovoice.attacks.registry import DEFAULT, attackers
from pseudovoice.choices import (
    LAYOUTS,
    MEASURES,
    REPLICATES,
    SAMPLES,
    SIMILARITIES,
    UTTERANCES,
    UTTERANCES_MEASURED,
    Measure,
    Reference,
)
from pseudovoice.encoders.registry import DEFAULT_ENCODER, ENCODER_NAMES

if TYPE_CHECKING:
    AttackerName = str
    Layout = str
    Recogniser = str
    Similarity = str
else:
    AttackerName = Literal[tuple(sorted(attackers()))]
    Layout = Literal[LAYOUTS]
    Recogniser = Literal[RECOGNISER_NAMES]
    Similarity = Literal[SIMILARITIES]

_LARGEST = (1 << 63) - 1
_OURS = "|".join(ENCODER_NAMES)
_PART = rf"({_OURS}|(onnx|hf):[^+]*)"
ENCODER = rf"^({_OURS}|(onnx|hf):.*|fusion:{_PART}(\+{_PART})*)$"
"""What the name of an encoder looks like."""

# Patterns stand in the schema alone: msgspec 0.22 frees what it does not own where a type allows
# texts with a pattern and lists.
_FILLED = {"pattern": r"\S"}

# A number where a name is meant, such as a session called 2020, is as good as its text.
Text = (
    Annotated[str, Meta(min_length=1)]
    | Annotated[int, Meta(ge=-_LARGEST, le=_LARGEST)]
    | Annotated[float, Meta(ge=-_LARGEST, le=_LARGEST)]
)
Place = Annotated[str, Meta(min_length=1, title="a path", extra_json_schema=_FILLED)]
Places = Annotated[
    Place | Annotated[tuple[Place, ...], Meta(min_length=1)],
    Meta(title="a path, or a list of paths"),
]
Flag = Annotated[bool, Meta(title="true or false")]
Whole = Annotated[int, Meta(ge=0, le=_LARGEST, title="a whole number of at least 0")]
Some = Annotated[int, Meta(ge=1, le=_LARGEST, title="a whole number of at least 1")]
Encoder = Annotated[
    str,
    Meta(
        title="an encoder",
        examples=[*ENCODER_NAMES, "fusion:a+b", "onnx:PATH", "hf:org/name"],
        extra_json_schema={"pattern": ENCODER},
    ),
]
Chain = Annotated[
    str,
    Meta(
        min_length=1,
        title="a safeguard, name:param=value,…",
        description="Safeguards joined by +, each as name:param=value,…; the last may be slice.",
        extra_json_schema=_FILLED,
    ),
]


class Written(Struct, frozen=True, forbid_unknown_fields=True):
    """A mapping of a plan."""


class WrittenSet(Written, frozen=True):
    """One data set: a corpus, several read as one, or a part of them that lists name."""

    corpus: Annotated[Places, Meta(description="A corpus, or several that are read as one.")]
    layout: Annotated[Layout, Meta(description="How the corpus is laid out.")] = "auto"
    only: Annotated[
        Text | None,
        Meta(
            title="a pattern of utterance ids such as *_mic2",
            description="A pattern of utterance ids, such as *_mic2; others are left out.",
        ),
    ] = "*"
    enrols: Annotated[
        Place | None,
        Meta(description="VoicePrivacy's enrolment list; with trials, the listed ones are scored."),
    ] = None
    trials: Annotated[
        Place | None,
        Meta(
            description="A list of trials. Alone: the recordings it tries, each with every other."
        ),
    ] = None


class WrittenSafeguard(Written, frozen=True):
    """A safeguard or a chain of them, and what tables call it."""

    safeguard: Chain
    name: Annotated[
        Text | None,
        Meta(title="a text", description="What tables call it; as it is written by default."),
    ] = None


class WrittenComparison(Written, frozen=True):
    """How voices are compared."""

    backend: Annotated[Literal["cosine", "plda"], Meta(description="What compares two voices.")] = (
        "cosine"
    )
    training: Annotated[
        Place | None,
        Meta(description="A corpus of other people, from which PLDA and AS-norm learn."),
    ] = None
    as_norm: Annotated[Flag, Meta(description="Whether scores are normalised (AS-norm).")] = False


class WrittenUtility(Written, frozen=True):
    """What is measured of the use of protected speech."""

    measures: Annotated[
        Measure | Annotated[tuple[Measure, ...], Meta(min_length=1)] | None,
        Meta(description="What is measured.", extra_json_schema={"uniqueItems": True}),
    ] = MEASURES
    utterances: Annotated[
        Some | Literal["all"],
        Meta(
            title="a whole number of at least 1, or all",
            description="How many utterances of each speaker are measured, or all.",
        ),
    ] = UTTERANCES_MEASURED
    recogniser: Annotated[Recogniser, Meta(description="Whose words are counted.")] = (
        DEFAULT_RECOGNISER
    )
    reference: Annotated[
        Reference, Meta(description="What the recognised words are counted against.")
    ] = "auto"


class WrittenSlices(Written, frozen=True):
    """How chains that end in slices are attacked by whoever wants to put them together again."""

    language_model: Annotated[
        Places | None,
        Meta(
            description="Texts with a sentence a line, or one ARPA file, to tell what is said next."
        ),
    ] = None
    samples: Annotated[Some, Meta(description="Samples of utterances tried by ear.")] = SAMPLES
    utterances: Annotated[
        int,
        Meta(
            ge=2,
            le=_LARGEST,
            title="a whole number of at least 2",
            description="Utterances in each sample.",
        ),
    ] = UTTERANCES


Corpora = Annotated[
    Place | Annotated[tuple[Place, ...], Meta(min_length=1)] | WrittenSet,
    Meta(title="a mapping, a path or a list of paths"),
]


class WrittenPlan(Written, frozen=True):
    """A study: what is protected, how, who attacks, and what is measured and reported."""

    title: Annotated[
        Text, Meta(title="a title for the report", description="Heading of the report.")
    ]
    sets: Annotated[
        dict[str, Corpora],
        Meta(
            min_length=1,
            title="a name and the path of a corpus a line",
            description="Data sets: a name, and a corpus, several, or more about them.",
        ),
    ]
    safeguards: Annotated[
        Chain | Annotated[tuple[Chain | WrittenSafeguard, ...], Meta(min_length=1)],
        Meta(
            title="a list of safeguards such as mcadams, a line each",
            description="Safeguards, or chains of them, that are compared.",
        ),
    ]
    attackers: Annotated[
        AttackerName | Annotated[tuple[AttackerName, ...], Meta(min_length=1)] | None,
        Meta(description="Who attacks.", extra_json_schema={"uniqueItems": True}),
    ] = DEFAULT
    attacker_training: Annotated[
        Place | None,
        Meta(description="A corpus of other people, which attackers who train protect themselves."),
    ] = None
    encoders: Annotated[
        Encoder | Annotated[tuple[Encoder, ...], Meta(min_length=1)] | None,
        Meta(
            description="Encoders through which voices are heard.",
            extra_json_schema={"uniqueItems": True},
        ),
    ] = (DEFAULT_ENCODER,)
    comparison: Annotated[
        WrittenComparison | None, Meta(description="How voices are compared.")
    ] = WrittenComparison()
    utility: Annotated[
        WrittenUtility | bool | None,
        Meta(description="What is measured of the use of protected speech; false for nothing."),
    ] = True
    slices: Annotated[
        WrittenSlices | None,
        Meta(description="How chains that end in slices are attacked."),
    ] = WrittenSlices()
    genders: Annotated[Flag, Meta(description="Whether each gender is assessed apart as well.")] = (
        True
    )
    similarity: Annotated[
        Similarity, Meta(description="The mean: geometric (noe2022) or arithmetic (noe2020).")
    ] = "geometric"
    replicates: Annotated[
        Whole, Meta(description="Replicates of the bootstrap, for intervals.")
    ] = REPLICATES
    permutations: Annotated[
        Whole, Meta(description="Permutations of the names, for null levels.")
    ] = REPLICATES
    seed: Annotated[Whole, Meta(description="Seed of all draws that are no secret.")] = 0
    key_file: Annotated[
        Place | None, Meta(description="The secret key; made beside the output by default.")
    ] = None
    key_session: Annotated[
        Text | None, Meta(title="a text", description="Namespace of the key.")
    ] = "default"
    figures: Annotated[Flag, Meta(description="Whether figures are drawn into files.")] = True
    clips: Annotated[Flag, Meta(description="Whether voices can be heard in the report.")] = True
    include_originals: Annotated[
        Flag, Meta(description="Whether the original voices can be heard in it, too.")
    ] = False
    note: Annotated[
        Text | None, Meta(title="a text", description="A sentence for the head of the report.")
    ] = ""
    paths: Annotated[
        dict[str, Text | None],
        Meta(
            title="a name and a path, or nothing, a line",
            description="Names for paths that others have to fill in, used as ${name}.",
        ),
    ] = {}


def plan_schema() -> dict[str, Any]:
    """The JSON Schema of plans, by which editors complete and check them."""
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {**about, **msgspec.json.schema(WrittenPlan)}
