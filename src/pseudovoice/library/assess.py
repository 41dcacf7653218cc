"""How well speech is protected, and what it is still good for: from two corpora to the verdict."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from pseudovoice.asr.languages import DETECT, language_code
from pseudovoice.asr.recogniser import SpeechRecogniser
from pseudovoice.asr.registry import DEFAULT_RECOGNISER, load_recogniser
from pseudovoice.attacks.assess import AudioAssessment, assess_audio
from pseudovoice.attacks.ensemble import lacks_others
from pseudovoice.attacks.gathering import check_gathering
from pseudovoice.attacks.material import Material, Scoring
from pseudovoice.attacks.registry import attacker
from pseudovoice.backends import read_enrolment_trials
from pseudovoice.choices import (
    KNOWN_PAIRS,
    MEASURES,
    REPLICATES,
    TRIES,
    UTILITY_REPLICATES,
    Cut,
    Measure,
    Reference,
)
from pseudovoice.corpus import Channel, Corpus
from pseudovoice.embeddings.store import EmbeddingStore
from pseudovoice.encoders import DEFAULT_ENCODER
from pseudovoice.engines import GivenEngine, on_engine
from pseudovoice.errors import UsageError
from pseudovoice.library.attacker_speech import (
    attacker_workplace,
    fit_voices,
    protect_as_attacker,
    try_voices,
    undo_voices,
)
from pseudovoice.library.cut import cut_speech, read_speech, read_version
from pseudovoice.library.diarise import GivenTurns
from pseudovoice.library.ear import attackers_ear
from pseudovoice.library.given import (
    GivenCorpus,
    GivenEncoder,
    GivenKey,
    GivenSafeguard,
    Place,
    a_corpus,
    encoders_of,
    several,
)
from pseudovoice.models.cache import private_cache
from pseudovoice.pieces.need import check_recognisable
from pseudovoice.progress import Progress
from pseudovoice.protection.known_pairs import known_utterances
from pseudovoice.text.normalise import normalise
from pseudovoice.utility import assess as utility
from pseudovoice.utility.assess import UtilityAssessment
from pseudovoice.utility.quality import QualityPredictor
from pseudovoice.utility.store import MeasureStore


@on_engine
def assess(
    original: GivenCorpus,
    protected: GivenCorpus,
    *,
    encoders: GivenEncoder | Iterable[GivenEncoder] = DEFAULT_ENCODER,
    attackers: str | Sequence[str] | None = None,
    attacker_protected: GivenCorpus | None = None,
    attacker_training: GivenCorpus | None = None,
    attacker_safeguard: GivenSafeguard | None = None,
    attacker_key: GivenKey | None = None,
    another_run: GivenCorpus | None = None,
    tries: int = TRIES,
    known_pairs: int = KNOWN_PAIRS,
    releases: GivenCorpus | Iterable[GivenCorpus] = (),
    backend: str = "cosine",
    backend_training: GivenCorpus | None = None,
    as_norm: bool = False,
    trials: Place | Iterable[Place] = (),
    enrolls: Place | None = None,
    all_pairs: bool = False,
    cut: Cut = "auto",
    turns: GivenTurns | None = None,
    true_turns: GivenTurns | None = None,
    by_gender: bool = True,
    channel: Channel = "mean",
    layout: str = "auto",
    allow_commands: bool = False,
    speaker_from: str | None = None,
    cache: bool = True,
    similarity: str = "geometric",
    replicates: int = REPLICATES,
    permutations: int = REPLICATES,
    seed: int = 0,
    workers: int | None = None,
    engine: GivenEngine | None = None,
    progress: Progress | None = None,
) -> AudioAssessment:
    """Assess protected speech against the original speech of the same people.

    Every encoder is an attacker's ear of its own. ``attackers`` are names of `pseudovoice.attacks`,
    by default everybody whose speech is at hand: ``attacker_protected`` is the speakers' speech
    under the attacker's own key (or made on the spot with ``attacker_safeguard`` and
    ``attacker_key``), ``attacker_training`` other people's. Calibration is learnt for C_ECE
    (noe2022 Eq. 15–16) on ``another_run``, the same speech protected under any other key; without
    it, on the attacker's. Whoever tries voices on makes ``tries`` of them with
    ``attacker_safeguard``, and takes each away from what is protected as well; whoever knows pairs
    has ``known_pairs`` utterances of every speaker in clear; whoever gathers has ``releases``, the
    same people's speech as it was released at other times, under other keys. ``trained`` and
    ``semi-encoder`` make an ear of their own from ``attacker_training``, which takes long and is
    kept. ``backend`` is ``cosine`` or ``plda``, which learns from ``backend_training``. ``trials``
    and ``enrolls`` list trials in place of all pairs; with ``all_pairs`` too, similarity matrices,
    DeID, G_VD and zoo come from all pairs of what is tried, and everything else from the lists.
    Without ``cache`` embeddings are neither looked up nor kept.

    Where everybody has one recording, these are cut at pauses into utterances, the protected ones
    at the same places (``cut``). ``turns`` say who speaks when in recordings of several people;
    how wrong they are is told by ``true_turns``. ``speaker_from`` says who speaks in files without
    a listing, as in :func:`pseudovoice.library.protect.protect`; speech of other people for
    training has folders or a listing of its own.

    ``engine`` says where the work is done: ``ray``, ``ray:ADDRESS`` or an executor of
    ``concurrent.futures``; in threads of this process by default.
    """
    del engine  # the decorator has it
    how: dict[str, Any] = {
        "several": turns is not None,
        "layout": layout,
        "allow_commands": allow_commands,
        "speaker_from": speaker_from,
    }

    def read(given: GivenCorpus | None) -> Corpus | None:
        return None if given is None else read_version(given, **how)

    def read_others(given: GivenCorpus | None) -> Corpus | None:
        if given is None:
            return None
        return a_corpus(given, layout=layout, allow_commands=allow_commands)

    lists = several(trials)
    if (not lists) != (enrolls is None):
        raise UsageError("`trials` and `enrolls` go together: one lists the other's models.")
    wanted = None if attackers is None else several(attackers)
    everybody = [attacker(name) for name in wanted or ()]
    trying, pairing = any(who.tries for who in everybody), any(who.pairs for who in everybody)
    if any(who.tries and not who.gathers for who in everybody) and attacker_safeguard is None:
        raise UsageError(
            "Whoever tries voices on makes them: name the safeguard with `attacker_safeguard`, and "
            "a key of the attacker's own with `attacker_key`."
        )
    check_gathering(
        everybody, several(releases), own=(attacker_protected or attacker_safeguard) is not None
    )
    if lacks_others(everybody):
        raise UsageError(
            "The ensemble fuses what informed attackers find: name others, such as lazy, with "
            "`attackers`."
        )
    if pairing and attacker_safeguard is None:
        raise UsageError(
            "Whoever tells mappings from known pairs knows what they are mappings of: name the "
            "safeguard with `attacker_safeguard`."
        )
    learning = dict.fromkeys(who.ear for who in everybody if who.ear)
    if learning and attacker_training is None:
        raise UsageError(
            "Whoever trains an ear needs other people's speech that it protected, a voice for "
            "every utterance: name it with `attacker_training`."
        )
    with ExitStack() as until_assessed:
        source, twin = read_speech(original, **how), read_version(protected, **how)
        theirs = read(attacker_protected)
        speech = cut_speech(source, "never" if lists else cut, turns, true_turns)
        source, twin = speech.original, speech.version(twin)
        theirs = theirs and speech.version(theirs)
        if not lists:
            check_recognisable(source, speech.cutting)
        tried: tuple[Corpus, ...] = ()
        undone: tuple[Corpus, ...] = ()
        fitted, known = None, frozenset[str]()
        if attacker_safeguard is not None or learning:
            workplace = until_assessed.enter_context(attacker_workplace(keep=cache))
        if attacker_safeguard is not None:
            means = attacker_safeguard, attacker_key
            if not pairing or any(who.protects for who in everybody):
                already = attacker_protected is not None
                theirs = protect_as_attacker(source, *means, already, workplace)
            if trying:
                tried = try_voices(source, *means, tries, workplace)
                undone = undo_voices(twin, *means, tries, workplace)
            if pairing:
                known = known_utterances(source, known_pairs)
                fitted = fit_voices(source, twin, *means, tries, known, workplace)
        if attacker_training is not None and theirs is None:
            raise UsageError(
                "`attacker_training` is for an attacker who protects its own recordings too: name "
                "them with `attacker_protected`, or have them made with `attacker_safeguard`."
            )
        training, ears = read_others(attacker_training), {}
        for kind in learning:
            assert training is not None
            ears[kind] = attackers_ear(kind, training, workplace, channel, workers, progress)
        listed = None
        if enrolls is not None:
            listed = read_enrolment_trials(enrolls, lists)
        store = EmbeddingStore(private_cache() / "embeddings.sqlite") if cache else None
        if store is not None:
            until_assessed.callback(store.close)
        assessed = assess_audio(
            Material(
                source,
                twin,
                theirs,
                training,
                theirs if (other := read(another_run)) is None else speech.version(other),
                attacker_tries=tried,
                attacker_undone=undone,
                attacker_fitted=fitted,
                leaked=known,
                releases=tuple(
                    speech.version(corpus) for one in several(releases) if (corpus := read(one))
                ),
                ears=ears,
            ),
            encoders_of(encoders),
            scoring=Scoring(backend, read_others(backend_training), as_norm, listed, all_pairs),
            store=store,
            keep_counts=private_cache("counts") if cache else None,
            channel=channel,
            workers=workers,
            attackers=wanted,
            by_gender=by_gender,
            similarity=similarity,
            replicates=replicates,
            permutations=permutations,
            seed=seed,
            progress=progress,
        )
    warnings = (*speech.notes, *assessed.whole.warnings)
    return replace(assessed, whole=replace(assessed.whole, warnings=warnings))


@on_engine
def assess_utility(
    original: GivenCorpus,
    protected: GivenCorpus,
    *,
    measures: Collection[Measure] = MEASURES,
    recogniser: str | SpeechRecogniser = DEFAULT_RECOGNISER,
    quality: QualityPredictor | None = None,
    normaliser: Callable[[str], str] = normalise,
    reference: Reference = "auto",
    language: str = DETECT,
    turns: GivenTurns | None = None,
    limit_per_speaker: int | None = None,
    by_gender: bool = True,
    channel: Channel = "mean",
    layout: str = "auto",
    allow_commands: bool = False,
    speaker_from: str | None = None,
    cache: bool = True,
    replicates: int = UTILITY_REPLICATES,
    seed: int = 0,
    workers: int | None = None,
    engine: GivenEngine | None = None,
    progress: Progress | None = None,
) -> UtilityAssessment:
    """Measure words, quality and prosody of protected speech beside its originals.

    ``recogniser`` is whose word errors are counted, by name or as it is. Both corpora may be single
    recordings; with ``turns`` several people speak in each. ``speaker_from`` says who speaks in
    files without a listing. The rest is as in
    :func:`pseudovoice.utility.assess.assess_utility`.

    ``engine`` says where the work is done: ``ray``, ``ray:ADDRESS`` or an executor of
    ``concurrent.futures``; in threads of this process by default.
    """
    del engine  # the decorator has it
    language_code(language)  # a misspelt one must not be found out after an hour

    how: dict[str, Any] = {
        "several": turns is not None,
        "layout": layout,
        "allow_commands": allow_commands,
        "speaker_from": speaker_from,
    }
    speech = cut_speech(read_speech(original, **how), "never", turns)
    if isinstance(recogniser, str) and "words" in measures:
        recogniser = load_recogniser(recogniser)
    with ExitStack() as until_assessed:
        store = MeasureStore(private_cache() / "utility.sqlite") if cache else None
        if store is not None:
            until_assessed.callback(store.close)
        return utility.assess_utility(
            speech.original,
            speech.version(read_version(protected, **how)),
            recogniser=None if isinstance(recogniser, str) else recogniser,
            quality=quality,
            measures=measures,
            reference=reference,
            language=language,
            normaliser=normaliser,
            limit_per_speaker=limit_per_speaker,
            store=store,
            channel=channel,
            workers=workers,
            by_gender=by_gender,
            replicates=replicates,
            seed=seed,
            progress=progress,
        )
