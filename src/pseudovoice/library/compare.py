"""Safeguards side by side: the study that `pseudovoice compare` and `pseudovoice run` run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pseudovoice.asr.languages import DETECT, language_code
from pseudovoice.asr.registry import DEFAULT_RECOGNISER
from pseudovoice.attacks.registry import BASE, DEFAULT
from pseudovoice.choices import (
    KNOWN_PAIRS,
    MEASURES,
    REPLICATES,
    TRIES,
    UTTERANCES_MEASURED,
    Cut,
    Measure,
)
from pseudovoice.corpus import Corpus, read_corpus, write_table
from pseudovoice.corpus.flat import is_recording
from pseudovoice.corpus.paths import AUDIO
from pseudovoice.encoders import DEFAULT_ENCODER
from pseudovoice.engines import GivenEngine, on_engine
from pseudovoice.errors import PseudovoiceError, UsageError
from pseudovoice.library.given import (
    GivenCorpus,
    GivenSafeguard,
    Place,
    a_path,
    chain_text,
    several,
)
from pseudovoice.private import private_folder
from pseudovoice.progress import Progress
from pseudovoice.release.state import OwnerState
from pseudovoice.safeguards import parse_chain
from pseudovoice.storage import address_behind, address_of, sending_but
from pseudovoice.study import (
    ComparisonPlan,
    Outcome,
    Plan,
    SafeguardPlan,
    SetPlan,
    SlicesPlan,
    UtilityPlan,
    read_plan,
    run_plan,
)
from pseudovoice.study.graph import WORK
from pseudovoice.study.run import OWNERS
from pseudovoice.study.shipped import default_output, find_plan


@sending_but(*OWNERS)
@on_engine
def compare(
    corpus: GivenCorpus,
    safeguards: GivenSafeguard | Iterable[GivenSafeguard] = (),
    attackers: str | Iterable[str] = DEFAULT,
    encoders: str | Iterable[str] = DEFAULT_ENCODER,
    *,
    out: Place,
    protected: Mapping[str, Place | Sequence[Place]] | None = None,
    attacker_training: Place | None = None,
    tries: int = TRIES,
    known_pairs: int = KNOWN_PAIRS,
    sessions: int = 1,
    backend: str = "cosine",
    backend_training: Place | None = None,
    as_norm: bool = False,
    trials: Place | Iterable[Place] = (),
    enrolls: Place | None = None,
    all_pairs: bool = False,
    measures: Collection[Measure] = MEASURES,
    measured_utterances: int | None = UTTERANCES_MEASURED,
    recogniser: str = DEFAULT_RECOGNISER,
    language: str = DETECT,
    lm_text: Place | Iterable[Place] = (),
    successor_model: Place | Iterable[Place] = (),
    cut_training: bool = False,
    check_words: bool = False,
    cut: Cut = "auto",
    turns: Place | None = None,
    true_turns: Place | None = None,
    by_gender: bool = True,
    similarity: str = "geometric",
    replicates: int = REPLICATES,
    permutations: int = REPLICATES,
    seed: int = 0,
    key: Place | None = None,
    key_session: str = "default",
    title: str | None = None,
    name: str | None = None,
    figures: bool = True,
    empirical_prior: bool = False,
    clips: bool = True,
    include_originals: bool = False,
    rename: bool = False,
    layout: str = "auto",
    allow_commands: bool = False,
    speaker_from: str | None = None,
    workers: int | None = None,
    engine: GivenEngine | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Compare safeguards on a corpus: protect, attack, assess, measure, and write a report.

    Everything goes into the folder ``out``, which like ``corpus`` may be an address such as
    ``s3://bucket/folder``; the outcome holds the numbers and where the report is.
    A run that was stopped goes on where it was when it is called again. ``key`` is a key's file,
    made beside ``out`` if none is named and one is needed. Encoders are names, since a study is
    repeated from its plan; ``measures`` says what is measured of the use of protected speech,
    nothing if it is empty; ``recogniser`` writes down words, ``language`` is what is spoken, heard
    if it is ``auto``. ``trials`` and ``enrolls`` list trials in place of all pairs; with
    ``all_pairs`` too, similarity matrices come from all pairs of what is tried. ``sessions`` is how
    many releases of the same people, each under other
    voices, whoever gathers has. ``lm_text``, ``successor_model`` (networks of
    `pseudovoice train`), ``cut_training`` (whoever trains learns from pieces as long as the
    slices) and ``check_words`` (whoever surely says other words than are written is left out before
    anything is cut, as by `slice`) are for chains that end in slice. ``protected`` are
    systems that were made elsewhere, by name: a folder, or two of which the second is the same
    speech under another key. Where everybody has one recording, these are cut at pauses into
    utterances (``cut``); ``turns`` is a file of who speaks when in recordings of several people,
    ``true_turns`` one of what that should say. ``speaker_from`` says who speaks in files without a
    listing: "name" is whoever a file's name begins with, "file" a person for each file, any other
    text the person who speaks in all of them. With ``rename`` nothing in ``out``
    names a person: they bear the pseudonyms that `protect` gives with this key.

    ``engine`` says where the work is done: ``ray``, ``ray:ADDRESS`` or an executor of
    ``concurrent.futures``; in threads of this process by default.
    """
    del engine  # the decorator has it
    plan = comparison_plan(
        *_on_disk(corpus, Path(out), layout, rename),
        safeguards,
        attackers,
        encoders,
        protected=protected or {},
        attacker_training=attacker_training,
        tries=tries,
        known_pairs=known_pairs,
        sessions=sessions,
        backend=backend,
        backend_training=backend_training,
        as_norm=as_norm,
        trials=trials,
        enrolls=enrolls,
        all_pairs=all_pairs,
        measures=measures,
        measured_utterances=measured_utterances,
        recogniser=recogniser,
        language=language,
        lm_text=lm_text,
        successor_model=successor_model,
        cut_training=cut_training,
        check_words=check_words,
        cut=cut,
        turns=turns,
        true_turns=true_turns,
        by_gender=by_gender,
        similarity=similarity,
        replicates=replicates,
        permutations=permutations,
        seed=seed,
        key=key,
        key_session=key_session,
        title=title,
        name=name or (corpus.name if isinstance(corpus, Corpus) else None),
        figures=figures,
        empirical_prior=empirical_prior,
        clips=clips,
        include_originals=include_originals,
        rename=rename,
        speaker_from=None if isinstance(corpus, Corpus) else speaker_from,
    )
    return run_plan(
        plan, Path(out), progress=progress, workers=workers, allow_commands=allow_commands
    )


def comparison_plan(
    corpus: Path,
    layout: str,
    safeguards: GivenSafeguard | Iterable[GivenSafeguard],
    attackers: str | Iterable[str],
    encoders: str | Iterable[str],
    *,
    protected: Mapping[str, Place | Sequence[Place]],
    attacker_training: Place | None,
    tries: int,
    known_pairs: int,
    sessions: int,
    backend: str,
    backend_training: Place | None,
    as_norm: bool,
    trials: Place | Iterable[Place],
    enrolls: Place | None,
    all_pairs: bool,
    measures: Collection[Measure],
    measured_utterances: int | None,
    recogniser: str,
    language: str,
    lm_text: Place | Iterable[Place],
    successor_model: Place | Iterable[Place],
    cut_training: bool,
    check_words: bool,
    cut: Cut,
    turns: Place | None,
    true_turns: Place | None,
    by_gender: bool,
    similarity: str,
    replicates: int,
    permutations: int,
    seed: int,
    key: Place | None,
    key_session: str,
    title: str | None,
    name: str | None,
    figures: bool,
    empirical_prior: bool,
    clips: bool,
    include_originals: bool,
    rename: bool,
    speaker_from: str | None,
) -> Plan:
    """The plan of a comparison on one corpus."""
    if turns is not None and speaker_from is not None:
        raise UsageError("Turns say who speaks; leave out `speaker_from`.")
    if true_turns is not None and turns is None:
        raise UsageError("`true_turns` are what `turns` are measured by; name both.")
    listed = tuple(Path(one) for one in several(trials))
    if (not listed) != (enrolls is None):
        raise UsageError("`trials` and `enrolls` go together: one lists the other's models.")
    # A recording bears the name of whoever speaks in it more often than a folder does; whether an
    # address is one, its name has to tell.
    alone = is_recording(corpus) or (address_of(corpus) and corpus.suffix.lower() in AUDIO)
    name = name or ("recording" if rename and alone else corpus.resolve().name)
    return Plan(
        title=title or f"Safeguards compared on {name}",
        sets=(
            SetPlan(
                name,
                (corpus,),
                layout,
                enrols=a_path(enrolls),
                trials=listed,
                cut=cut,
                turns=a_path(turns),
                true_turns=a_path(true_turns),
                all_pairs=all_pairs,
                speaker_from=speaker_from,
            ),
        ),
        safeguards=(
            *_named(tuple(dict.fromkeys(map(chain_text, several(safeguards))))),
            *(_elsewhere(called, runs) for called, runs in protected.items()),
        ),
        attackers=tuple(dict.fromkeys((BASE.name, *several(attackers)))),
        attacker_training=a_path(attacker_training),
        tries=tries,
        known_pairs=known_pairs,
        sessions=sessions,
        encoders=tuple(dict.fromkeys(several(encoders))),
        comparison=ComparisonPlan(backend, a_path(backend_training), as_norm),
        utility=UtilityPlan(
            tuple(measures), measured_utterances, recogniser, language=language_code(language)
        )
        if measures
        else None,
        genders=by_gender,
        similarity=similarity,
        replicates=replicates,
        permutations=permutations,
        seed=seed,
        key_file=a_path(key),
        key_session=key_session,
        figures=figures,
        empirical_prior=empirical_prior,
        clips=clips,
        include_originals=include_originals,
        rename=rename,
        slices=SlicesPlan(
            language_model=tuple(Path(text) for text in several(lm_text)),
            cut_training=cut_training,
            successors=tuple(Path(model) for model in several(successor_model)),
            check_words=check_words,
        ),
    )


def _named(texts: tuple[str, ...]) -> tuple[SafeguardPlan, ...]:
    """Tables call a safeguard by its name alone, unless it is there with several parameters."""
    names = [parse_chain(text).name for text in texts]
    return tuple(
        SafeguardPlan(name if names.count(name) == 1 else text, text)
        for text, name in zip(texts, names, strict=True)
    )


def _elsewhere(name: str, runs: Place | Sequence[Place]) -> SafeguardPlan:
    """A system that was made elsewhere: one run of it, or two under different keys."""
    speech, *another = map(Path, several(runs))
    if len(another) > 1:
        raise UsageError(
            f"{name}: {1 + len(another)} folders are given; write one, or two of which the second "
            "is the same speech under another key."
        )
    return SafeguardPlan(name, "", (speech,), tuple(another))


def _on_disk(corpus: GivenCorpus, out: Path, layout: str, rename: bool) -> tuple[Path, str]:
    """Where a plan finds the corpus; one that no path gives is listed in a table of the study's."""
    if not isinstance(corpus, Corpus):
        return Path(corpus), layout
    try:
        if read_corpus(corpus.root, layout=corpus.layout).utterances == corpus.utterances:
            place = address_behind(corpus.root)
            return corpus.root if place is None else Path(str(place)), corpus.layout
    except PseudovoiceError:
        pass
    # What is said, and by whom, is for the study alone, and nothing in a renamed one names people.
    folder = OwnerState(out.resolve()).folder if rename else out / WORK
    private_folder(folder)
    table = folder / "corpus.csv"
    write_table(corpus, table)
    return table, "table"


@on_engine
def run(
    plan: Place | Plan,
    out: Place | None = None,
    *,
    paths: Mapping[str, Place] | None = None,
    key: Place | None = None,
    figures: bool | None = None,
    allow_commands: bool = False,
    workers: int | None = None,
    engine: GivenEngine | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run the study that a plan describes: a YAML file, the name of one that comes along, a Plan.

    ``paths`` fills in what the file leaves open; ``key`` and ``figures`` override what it says.

    ``engine`` says where the work is done: ``ray``, ``ray:ADDRESS`` or an executor of
    ``concurrent.futures``; in threads of this process by default.
    """
    del engine  # the decorator has it
    file = None if isinstance(plan, Plan) else find_plan(str(plan))
    if isinstance(plan, Plan):
        read = plan
    else:
        assert file is not None
        read = read_plan(file, paths={name: str(place) for name, place in (paths or {}).items()})
    if key is not None:
        read = replace(read, key_file=Path(key))
    if figures is not None:
        read = replace(read, figures=figures)
    place = Path(out) if out is not None else default_output(file or Path("study"))
    return run_plan(read, place, progress=progress, workers=workers, allow_commands=allow_commands)
