"""A plan as it is written: its fields, what each may hold, and the JSON Schema of them.

The one place that says what a plan's file may say. What fields mean stands in the descriptions,
which editors show; what they are called in sentences, in the titles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from pseudovoice.asr.languages import DETECT
from pseudovoice.asr.registry import DEFAULT_RECOGNISER, RECOGNISER_NAMES
from pseudovoice.attacks.registry import DEFAULT, attackers
from pseudovoice.choices import (
    BACKENDS,
    CUTS,
    KNOWN_PAIRS,
    LAYOUTS,
    MEASURES,
    REPLICATES,
    SAMPLES,
    SIMILARITIES,
    TRIES,
    UTTERANCES,
    UTTERANCES_MEASURED,
    Cut,
    Measure,
    Reference,
)
from pseudovoice.encoders.registry import DEFAULT_ENCODER, encoder_names
from pseudovoice.study.plan import AsrTrainingPlan
from pseudovoice.training.ctc_recipe import RECIPES, CtcRecipe

if TYPE_CHECKING:
    AttackerName = str
    Backend = str
    Layout = str
    Recipe = str
    Recogniser = str
    Similarity = str
else:
    AttackerName = Literal[tuple(sorted(attackers()))]
    Backend = Literal[BACKENDS]
    Layout = Literal[LAYOUTS]
    Recipe = Literal[RECIPES]
    Recogniser = Literal[RECOGNISER_NAMES]
    Similarity = Literal[SIMILARITIES]

_LARGEST = (1 << 63) - 1
_OURS = "|".join(encoder_names())
_PART = rf"({_OURS}|(onnx|hf):[^+]*)"
ENCODER = rf"^({_OURS}|(onnx|hf):.*|fusion:{_PART}(\+{_PART})*)$"
"""What the name of an encoder looks like."""

# Patterns stand in the schema alone: msgspec 0.22 frees what it does not own where a type allows
# texts with a pattern and lists.
_FILLED = {"pattern": r"\S"}
_EACH_ONCE = {"uniqueItems": True}
_ANY = Meta(min_length=1)


def _about(description: str, title: str | None = None, **more: Any) -> Meta:
    return Meta(description=description, title=title, **more)


def _least(least: int) -> Meta:
    return Meta(ge=least, le=_LARGEST, title=f"a whole number of at least {least}")


# A number where a name is meant, such as a session called 2020, is as good as its text.
_NUMBER = Meta(ge=-_LARGEST, le=_LARGEST)
Text = Annotated[str, _ANY] | Annotated[int, _NUMBER] | Annotated[float, _NUMBER]
Place = Annotated[str, Meta(min_length=1, title="a path", extra_json_schema=_FILLED)]
Places = Place | Annotated[tuple[Place, ...], _ANY]
Flag = Annotated[bool, Meta(title="true or false")]
Whole = Annotated[int, _least(0)]
Seconds = Annotated[float, Meta(gt=0, title="a number of seconds above 0")]
_NAMES = [*encoder_names(), "fusion:a+b", "onnx:PATH", "hf:org/name"]
Encoder = Annotated[
    str, Meta(title="an encoder", examples=_NAMES, extra_json_schema={"pattern": ENCODER})
]
ENGINE = "^(threads|ray(:.+)?)$"
Engine = Annotated[
    str,
    Meta(
        title="threads, ray or ray:ADDRESS",
        examples=["threads", "ray", "ray:auto"],
        extra_json_schema={"pattern": ENGINE},
    ),
]
_CHAIN = "Safeguards joined by +, each as name:param=value,…; the last may be slice."
Chain = Annotated[
    str, _about(_CHAIN, "a safeguard, name:param=value,…", min_length=1, extra_json_schema=_FILLED)
]


class Written(Struct, frozen=True, forbid_unknown_fields=True):
    """A mapping of a plan."""


class WrittenSet(Written, frozen=True):
    """One data set: a corpus, several read as one, or a part of them that lists name."""

    corpus: Annotated[Places, _about("Where it lies.", "the path of a corpus, or a list of paths")]
    layout: Annotated[Layout, _about("How it lies there.")] = "auto"
    only: Annotated[
        Text | None,
        _about("Which utterances; all by default.", "a pattern of utterance ids such as *_mic2"),
    ] = "*"
    enrols: Annotated[Place | None, _about("Enrolment list, whose models are tried.")] = None
    trials: Annotated[
        Places | None,
        _about("List of trials, or several. Alone, what it tries is compared all with all."),
    ] = None
    all_pairs: Annotated[
        Flag,
        _about("With both lists: similarity matrices come from all pairs of what is tried."),
    ] = False
    cut: Annotated[
        Cut, _about("Whether recordings are cut at pauses; auto: where people have one each.")
    ] = CUTS[0]
    turns: Annotated[Place | None, _about("Who speaks when, in recordings of several people.")] = (
        None
    )
    true_turns: Annotated[
        Place | None, _about("What turns should say: their error rate is reported.")
    ] = None
    speaker_from: Annotated[
        Text | None,
        _about(
            "Who speaks in files without a listing: name, whoever theirs begins with; file, a "
            "person each; or the name of whoever speaks in all.",
            "name, file, or somebody's name",
        ),
    ] = None


class WrittenSafeguard(Written, frozen=True):
    """A safeguard or a chain of them, or a system made elsewhere, and what tables call it."""

    safeguard: Annotated[Chain | None, _about(_CHAIN, "a safeguard, name:param=value,…")] = None
    name: Annotated[Text | None, _about("What tables call it.", "a text")] = None
    protected: Annotated[
        Places | None,
        _about("In place of a safeguard: speech of the sets that was protected elsewhere."),
    ] = None
    another_run: Annotated[
        Places | None, _about("The same speech, protected there under another key.")
    ] = None


class WrittenComparison(Written, frozen=True):
    """How voices are compared."""

    backend: Annotated[Backend, _about("What compares two voices.")] = BACKENDS[0]
    training: Annotated[
        Place | None, _about("Corpus of other people, from which PLDA and AS-norm learn.")
    ] = None
    as_norm: Annotated[Flag, _about("Whether scores are normalised by a cohort.")] = False


class WrittenUtility(Written, frozen=True):
    """What is measured of the use of protected speech, and of how many utterances a speaker."""

    measures: Annotated[
        Measure | Annotated[tuple[Measure, ...], _ANY] | None,
        _about("What is measured.", extra_json_schema=_EACH_ONCE),
    ] = MEASURES
    utterances: Annotated[
        Annotated[int, _least(1)] | Literal["all"],
        _about("How many of each speaker.", "a whole number of at least 1, or all"),
    ] = UTTERANCES_MEASURED
    recogniser: Annotated[Recogniser, _about("Who writes down words.")] = DEFAULT_RECOGNISER
    reference: Annotated[Reference, _about("What words are counted against.")] = "auto"
    language: Annotated[
        str, _about("What is spoken, by code or English name; auto listens.", "a language")
    ] = DETECT


class WrittenSlices(Written, frozen=True):
    """How chains that end in slices are attacked by whoever wants to put them together again."""

    language_model: Annotated[
        Places | None, _about("Texts, a sentence a line, or one ARPA file; none by default.")
    ] = None
    samples: Annotated[int, _least(1), _about("Samples tried by ear.")] = SAMPLES
    utterances: Annotated[int, _least(2), _about("Utterances in each sample.")] = UTTERANCES
    successors: Annotated[
        Places | None,
        _about("Networks (model.onnx) that tell successive slices, ours, the paper's or both."),
    ] = None
    cut_training: Annotated[
        Flag, _about("Let whoever trains learn from pieces as long as the slices, not uncut.")
    ] = False
    check_words: Annotated[
        Flag, _about("Listen before cutting, and leave out who surely says other words.")
    ] = False


class WrittenAsrTraining(Written, frozen=True):
    """What recognisers are trained on, to see what speech is worth for that."""

    corpus: Annotated[Place, _about("Transcribed speech of other people, which is protected too.")]
    durations: Annotated[
        tuple[Seconds, ...],
        _about("Of slices, in seconds; whole utterances are always learnt from."),
    ] = AsrTrainingPlan.durations
    recipe: Annotated[Recipe, _about("What is trained.")] = CtcRecipe.recipe
    width: Annotated[
        Annotated[int, _least(8)] | None, _about("Channels; the recipe's own by default.")
    ] = None
    epochs: Annotated[
        Annotated[int, _least(1)] | None, _about("Passes; the recipe's own by default.")
    ] = None
    batch: Annotated[Seconds, _about("Seconds of speech in a step.")] = CtcRecipe.batch
    language_model: Annotated[
        Places | None, _about("Texts, a sentence a line, for the search; none by default.")
    ] = None


Set = Annotated[Places | WrittenSet, Meta(title="a mapping, a path or a list of paths")]


class WrittenPlan(Written, frozen=True):
    """A study: what is protected, how, who attacks, and what is measured and reported."""

    title: Annotated[Text, _about("Heading of the report.", "a title for the report")]
    sets: Annotated[
        dict[str, Set],
        _about("Data sets by name.", "a name and the path of a corpus a line", min_length=1),
    ]
    safeguards: Annotated[
        Chain | Annotated[tuple[Chain | WrittenSafeguard, ...], _ANY],
        _about("What is compared.", "a list of safeguards such as mcadams, a line each"),
    ]
    attackers: Annotated[
        AttackerName | Annotated[tuple[AttackerName, ...], _ANY] | None,
        _about("Who attacks.", extra_json_schema=_EACH_ONCE),
    ] = DEFAULT
    attacker_training: Annotated[
        Place | None, _about("Corpus of other people, which attackers who train protect.")
    ] = None
    tries: Annotated[
        int, _least(1), _about("How many voices an attacker who tries them on does.")
    ] = TRIES
    known_pairs: Annotated[
        int, _least(1), _about("Utterances of everybody that known-pairs has in clear.")
    ] = KNOWN_PAIRS
    sessions: Annotated[
        int, _least(1), _about("How many releases of the same people whoever gathers has.")
    ] = 1
    encoders: Annotated[
        Encoder | Annotated[tuple[Encoder, ...], _ANY] | None,
        _about("What hears who speaks.", extra_json_schema=_EACH_ONCE),
    ] = (DEFAULT_ENCODER,)
    comparison: Annotated[WrittenComparison | None, _about("How voices are compared.")] = None
    utility: Annotated[
        WrittenUtility | bool | None, _about("What speech is still good for; false for no answer.")
    ] = True
    slices: Annotated[WrittenSlices | None, _about("How chains of slices are attacked.")] = None
    asr_training: Annotated[
        WrittenAsrTraining | None, _about("Train recognisers on protected and sliced speech.")
    ] = None
    genders: Annotated[Flag, _about("Whether each gender is assessed apart as well.")] = True
    similarity: Annotated[
        Similarity, _about("Mean of similarities: geometric (noe2022) or arithmetic (noe2020).")
    ] = "geometric"
    replicates: Annotated[Whole, _about("Bootstrap replicates, for intervals.")] = REPLICATES
    permutations: Annotated[Whole, _about("Permutations, for null levels.")] = REPLICATES
    seed: Annotated[Whole, _about("Of every draw that the key does not make.")] = 0
    key_file: Annotated[
        Place | None, _about("The secret key; made beside the output by default.")
    ] = None
    key_session: Annotated[Text | None, _about("Namespace of the key.", "a text")] = "default"
    figures: Annotated[Flag, _about("Whether figures are drawn into files.")] = True
    empirical_prior: Annotated[
        Flag, _about("Whether calibration is drawn at the prior of the trials (noe2022 Fig. 4).")
    ] = False
    clips: Annotated[Flag, _about("Whether protected voices can be heard in the report.")] = True
    include_originals: Annotated[Flag, _about("Whether original voices can be, too.")] = False
    rename: Annotated[
        Flag, _about("Whether people bear keyed pseudonyms in everything that is written.")
    ] = False
    engine: Annotated[
        Engine, _about("Where the work is done: threads, ray or ray:ADDRESS; changes no number.")
    ] = "threads"
    note: Annotated[Text | None, _about("Sentence for the head of the report.", "a text")] = ""
    paths: Annotated[
        dict[str, Text | None],
        _about("What others fill in: ${name} elsewhere.", "a name and a path, or nothing, a line"),
    ] = {}


def plan_schema() -> dict[str, Any]:
    """The JSON Schema of plans, by which editors complete and check them."""
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    made = msgspec.json.schema(WrittenPlan)
    # Which fields need each other, types do not say.
    made["$defs"][WrittenSafeguard.__name__]["oneOf"] = [
        {"required": ["safeguard"]},
        {"required": ["protected", "name"]},
    ]
    return {**about, **made}
