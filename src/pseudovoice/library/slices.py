"""A corpus into slices, and the attacks on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pseudovoice.attacks.registry import BASE, attacker
from pseudovoice.backends import read_enrolment_trials
from pseudovoice.choices import (
    ENROLLED_MODELS,
    ENROLLED_SHARE,
    ENROLMENTS,
    IDENTITY_REPLICATES,
    LEAST_CONFIDENCE,
    RANKING_REPLICATES,
    SAMPLES,
    SLICE_WORDS,
    UTTERANCES,
)
from pseudovoice.corpus import Corpus
from pseudovoice.encoders import DEFAULT_ENCODER, Encoder
from pseudovoice.engines import GivenEngine, on_engine
from pseudovoice.errors import InputError, Problem, UsageError
from pseudovoice.library.attacker_speech import attacker_workplace
from pseudovoice.library.ear import attackers_ear
from pseudovoice.library.given import (
    GivenCorpus,
    GivenEncoder,
    GivenKey,
    GivenShard,
    Place,
    a_corpus,
    a_path,
    aligner_of,
    check_table,
    encoders_of,
    key_for,
    several,
    shard_of,
)
from pseudovoice.progress import Progress, counter
from pseudovoice.reassembly import (
    Ends,
    NGram,
    Ranking,
    Sampled,
    SpeechSuccessor,
    attack_samples,
    attack_text,
    learn_fusions,
    listen,
    load_successors,
    public_texts,
    read_arpa,
    succession,
)
from pseudovoice.reassembly import write_arpa as write_arpa_file
from pseudovoice.reassembly.language import learn_from_texts
from pseudovoice.reidentification import (
    IdentityResult,
    OwnSpeech,
    SlicedSpeech,
    attack_identity,
)
from pseudovoice.release.part import Share
from pseudovoice.result import Result
from pseudovoice.slicing import Origin, Sliced, Slicing, read_table
from pseudovoice.slicing import slice_corpus as cut_corpus
from pseudovoice.slicing.texts import (
    SlicedText,
    is_text_slices,
    read_sentences,
    read_texts,
    slice_texts,
    write_texts,
)
from pseudovoice.storage import sending


@sending
@on_engine
def slice_corpus(
    corpus: GivenCorpus,
    out: Place,
    *,
    duration: float = 1.0,
    method: str = "words",
    overlap: bool = False,
    trim: float = 0.0,
    least_confidence: float = LEAST_CONFIDENCE,
    check_words: bool = False,
    key: GivenKey | None = None,
    key_session: str = "default",
    undo_table: Place | None = None,
    alignments: Place | None = None,
    layout: str = "auto",
    allow_commands: bool = False,
    speaker_from: str | None = None,
    shard: GivenShard | None = None,
    workers: int | None = None,
    engine: GivenEngine | None = None,
    progress: Progress | None = None,
    on_new_key: Callable[[Path], None] | None = None,
) -> Sliced:
    """Cut the utterances of a corpus into slices and write them into the folder ``out``.

    Slices last ``duration`` seconds at least; ``method`` is one of `pseudovoice.choices.SLICINGS`.
    ``undo_table`` is a file outside ``out`` for what undoes the slicing, ``alignments`` are word
    times made elsewhere. With ``check_words`` a recogniser (moonshine-base, English) listens to
    everything, and utterances in which it surely hears other words are left out.

    The key of the slices' names is made beside ``out`` if none is given, and ``on_new_key`` is
    called with its place. ``shard`` is ``"2/3"`` for the second of three shares of the corpus,
    which :func:`pseudovoice.library.merge.merge` puts together. ``speaker_from`` says who speaks in
    files without a listing: "name", "file" or somebody's name.

    ``engine`` says where the work is done: ``ray``, ``ray:ADDRESS`` or an executor of
    ``concurrent.futures``; in threads of this process by default.
    """
    del engine  # the decorator has it
    source = a_corpus(
        corpus, layout=layout, allow_commands=allow_commands, speaker_from=speaker_from
    )
    aligner, unread = aligner_of(alignments, check_words)
    one = shard_of(shard)
    if one is not None:
        check_table(undo_table)
        if key is None:
            raise UsageError(
                "All shards name their slices with one secret key; make one with `pseudovoice key "
                "new FILE`, and name it with `key`."
            )
    secret, _ = key_for(Path(out), key, on_new_key)
    share = None
    if one is not None:

        def mark(text: str) -> str:
            return secret.derive(key_session, "slice/shard", text).hex()[:32]

        share = Share("slice", one, source, {}, mark)
        source = one.part(source)
    done = cut_corpus(
        source,
        Path(out),
        Slicing(duration, method, overlap, trim, least_confidence),
        key=secret,
        key_session=key_session,
        aligner=aligner,
        table=a_path(undo_table),
        workers=workers,
        progress=counter(progress, f"slicing {source.name}", len(source)),
        share=share,
    )
    return replace(done, problems=(*unread, *done.problems))


def slice_text(
    source: GivenCorpus,
    out: Place,
    *,
    words: int = SLICE_WORDS,
    key: GivenKey | None = None,
    key_session: str = "default",
    undo_table: Place | None = None,
    layout: str = "auto",
    allow_commands: bool = False,
    speaker_from: str | None = None,
    on_new_key: Callable[[Path], None] | None = None,
) -> SlicedText:
    """Cut text alone into slices of ``words`` words, and write them into the file ``out``.

    ``source`` is a text with a sentence a line, a table of Common Voice (.tsv), or a corpus, of
    which the transcripts are cut. The rest is as in :func:`slice_corpus`.
    """
    if not isinstance(source, Corpus) and Path(source).suffix.lower() in TEXTS:
        sentences = read_sentences(Path(source))
    else:
        corpus = a_corpus(
            source, layout=layout, allow_commands=allow_commands, speaker_from=speaker_from
        )
        sentences = {u.id: u.transcript for u in corpus if u.transcript}
        if not sentences:
            raise InputError(f"{corpus.root}: nobody says what is spoken; add transcripts.")
    secret, _ = key_for(Path(out), key, on_new_key)
    made = slice_texts(sentences, words=words, key=secret, key_session=key_session)
    write_texts(made, Path(out), a_path(undo_table))
    return made


TEXTS = (".txt", ".tsv")
"""Files that are texts and no corpus."""


@dataclass(frozen=True, repr=False)
class SliceAttack(Result):
    """How far the attacks on slices got.

    ``text`` are the attacks by words on all slices, ``sound`` those by ear on samples of utterances
    (Tables 2 and 3 of maouche2022), ``identity`` those that ask whose a slice is (Fig. 3); what was
    not tried is empty. Of the sentences of the attacker's texts ``left_out`` share words with what
    is tested, and ``sentences`` are left.
    """

    slices: int
    text: dict[str, Ranking]
    sound: dict[str, Sampled]
    identity: tuple[IdentityResult, ...]
    problems: tuple[Problem, ...]
    sentences: int | None = None
    left_out: int | None = None

    def to_dict(self) -> dict[str, Any]:
        order = {
            **{name: ranking.to_dict() for name, ranking in self.text.items()},
            **{f"{name}, samples": sampled.to_dict() for name, sampled in self.sound.items()},
        }
        return {
            "order": order,
            "identity": [one.to_dict() for one in self.identity],
            "problems": [str(problem) for problem in self.problems],
        }


@on_engine
def attack(
    slices: GivenCorpus,
    table: Place,
    original: GivenCorpus | None = None,
    *,
    lm_text: Place | Iterable[Place] = (),
    arpa: Place | None = None,
    write_arpa: Place | None = None,
    sound: bool = False,
    encoders: GivenEncoder | Iterable[GivenEncoder] = DEFAULT_ENCODER,
    successor_model: Place | Iterable[Place] = (),
    own: GivenCorpus | None = None,
    own_table: Place | None = None,
    samples: int = SAMPLES,
    utterances: int = UTTERANCES,
    attacker_protected: GivenCorpus | None = None,
    attacker_training: GivenCorpus | None = None,
    cut_training: bool = False,
    attackers: str | Sequence[str] | None = None,
    enrolments: Sequence[str] = ENROLMENTS,
    models: str = ENROLLED_MODELS[0],
    share: float = ENROLLED_SHARE,
    trials: Place | Iterable[Place] = (),
    enrolls: Place | None = None,
    replicates: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    engine: GivenEngine | None = None,
    progress: Progress | None = None,
) -> SliceAttack:
    """Try to undo a slicing as an adversary would; ``table`` is what tells whether it was right.

    Which slice follows which is tried by words, with a language model learnt from ``lm_text`` or
    read from ``arpa``, and with ``sound`` by ear: the cut, the channel, the voice as the first of
    ``encoders`` hears it (none, if there are none), and networks that `pseudovoice train` left
    (``successor_model``, one or several). ``own`` and ``own_table`` are slices of the attacker's,
    from which it learns how much each of these counts.

    Whose each slice is, is tried where ``original``, the clear speech, is given: through all
    ``encoders``, by attackers who have ``share`` of every person's utterances, cut or not
    (``enrolments``); ``attacker_protected`` and ``attacker_training`` are what informed ones have,
    and with ``cut_training`` they learn from pieces of the latter as long as the slices.
    ``attackers`` are by default all who compare and need no encoder of their own; those who do,
    train it on ``attacker_training`` and keep it.
    ``enrolls`` and ``trials``, lists as VoicePrivacy publishes them, say instead who is enrolled
    with which utterances and tried with slices of which.

    ``engine`` says where the work is done: ``ray``, ``ray:ADDRESS`` or an executor of
    ``concurrent.futures``; in threads of this process by default.
    """
    del engine  # the decorator has it
    texts = [Path(text) for text in several(lm_text)]
    networks = [Path(path) for path in several(successor_model)]
    ordering = bool(texts or arpa or sound)
    _check(texts, arpa, sound, own, own_table, networks, ordering or original is not None)
    listed = several(trials)
    if bool(listed) != (enrolls is not None):
        raise UsageError("`trials` and `enrolls` go together: one lists the other's models.")
    lists = None
    if listed and enrolls is not None:
        lists = read_enrolment_trials(enrolls, listed)
    hears = encoders_of(encoders)
    if not isinstance(slices, Corpus) and is_text_slices(Path(slices)):
        return _read_alone(
            Path(slices), read_table(Path(table)), texts, a_path(arpa), a_path(write_arpa),
            more=sound or original is not None, seed=seed, workers=workers,
            replicates=RANKING_REPLICATES if replicates is None else replicates,
        )  # fmt: skip
    corpus, origins = _paired(a_corpus(slices), read_table(Path(table)))
    found = SliceAttack(len(origins), {}, {}, (), corpus.problems)
    if ordering:
        ear = _Ear(
            hears[0] if hears else None,
            load_successors(networks),
            workers,
            progress,
        )
        language = _language(texts, a_path(arpa), origins)
        if language.model is not None and write_arpa is not None:
            write_arpa_file(language.model, Path(write_arpa))
        theirs = None
        if own is not None and own_table is not None:
            theirs = _paired(a_corpus(own), read_table(Path(own_table)))
        found = _order(
            found, corpus, origins, language, ear if sound else None, theirs,
            samples=samples, utterances=utterances, seed=seed, workers=workers,
            replicates=RANKING_REPLICATES if replicates is None else replicates,
        )  # fmt: skip
    if original is not None:
        wanted = None if attackers is None else (BASE.name, *several(attackers))
        training = None if attacker_training is None else a_corpus(attacker_training)
        identity, problems = attack_identity(
            SlicedSpeech(corpus, origins, a_corpus(original), lists),
            hears,
            OwnSpeech(
                None if attacker_protected is None else a_corpus(attacker_protected),
                training,
                cut_training,
                _ears(wanted or (), training, workers, progress),
            ),
            attackers=wanted,
            enrolments=enrolments,
            models=models,
            share=share,
            replicates=IDENTITY_REPLICATES if replicates is None else replicates,
            seed=seed,
            workers=workers,
            progress=progress,
        )
        said = () if lists is None else lists.problems
        every = tuple(dict.fromkeys((*found.problems, *said, *problems)))
        found = replace(found, identity=tuple(identity), problems=every)
    return found


def _read_alone(
    slices: Path,
    origins: Sequence[Origin],
    texts: Sequence[Path],
    arpa: Path | None,
    write_arpa: Path | None,
    *,
    more: bool,
    replicates: int,
    seed: int,
    workers: int | None,
) -> SliceAttack:
    """Which slice follows which, of slices that are text and nothing else."""
    if more:
        raise UsageError(f"{slices}: these slices are text alone; there is nothing to listen to.")
    words = read_texts(slices)
    present = [origin for origin in origins if origin.slice in words]
    if len(present) < len(words):
        raise InputError(
            f"{slices}: the table knows {len(present):,} of its {len(words):,} slices; name the "
            "table that was written with them."
        )
    language = _language(texts, arpa, present)
    assert language.model is not None
    if write_arpa is not None:
        write_arpa_file(language.model, write_arpa)
    truth = succession(present)
    ranked = attack_text(
        [words[name] for name in truth.names],
        truth,
        language.model,
        replicates=replicates,
        seed=seed,
        workers=workers,
    )
    return SliceAttack(len(truth), dict(ranked), {}, (), (), language.sentences, language.left_out)


def _ears(
    wanted: Iterable[str], training: Corpus | None, workers: int | None, progress: Progress | None
) -> dict[str, Encoder]:
    """Encoders that attackers of these names train; who has learnt already is not made again."""
    kinds = dict.fromkeys(ear for name in wanted if (ear := attacker(name).ear))
    if kinds and training is None:
        raise UsageError(
            "Whoever trains an ear needs other people's speech that it protected, a voice for "
            "every utterance: name it with `attacker_training`."
        )
    with attacker_workplace(keep=True) as workplace:
        return {
            kind: attackers_ear(kind, training, workplace, "mean", workers, progress)
            for kind in kinds
            if training is not None
        }


def _check(
    texts: Sequence[Path],
    arpa: Place | None,
    sound: bool,
    own: GivenCorpus | None,
    own_table: Place | None,
    networks: Sequence[Path],
    anything: bool,
) -> None:
    if (texts and arpa) or not anything:
        raise UsageError("Name the attacker's language model: either `lm_text` or `arpa`.")
    if (own is None) != (own_table is None):
        raise UsageError("The attacker's own slices need both `own` and `own_table`.")
    if networks and not sound:
        raise UsageError("A `successor_model` listens: name it together with `sound`.")


def _paired(corpus: Corpus, origins: Sequence[Origin]) -> tuple[Corpus, list[Origin]]:
    """The table's rows of slices that are there; another corpus's table is an error."""
    present = [origin for origin in origins if origin.slice in corpus.by_id]
    if len(present) < len(corpus) or not present:
        raise InputError(
            f"{corpus.root}: the table knows {len(present):,} of its {len(corpus):,} slices; "
            "name the table that was written with them."
        )
    return corpus, present


@dataclass(frozen=True)
class _Language:
    """The attacker's language model, and how many sentences it was learnt from."""

    model: NGram | None = None
    sentences: int | None = None
    left_out: int | None = None


def _language(texts: Sequence[Path], arpa: Path | None, origins: Sequence[Origin]) -> _Language:
    if arpa is not None:
        return _Language(read_arpa(arpa))
    if not texts:
        return _Language()
    learnt = learn_from_texts(texts, origins)
    return _Language(learnt.model, learnt.sentences, learnt.left_out)


@dataclass(frozen=True)
class _Ear:
    """What the attacker listens with."""

    encoder: Encoder | None
    successors: Sequence[SpeechSuccessor]
    workers: int | None
    progress: Progress | None

    def __call__(
        self, corpus: Corpus, origins: Sequence[Origin]
    ) -> tuple[list[Ends], tuple[Problem, ...]]:
        heard = listen(
            corpus,
            encoder=self.encoder,
            joining=bool(self.successors),
            workers=self.workers,
            progress=counter(self.progress, f"listening to {corpus.name}", len(corpus)),
        )
        missing = [origin.slice for origin in origins if origin.slice not in heard.slices]
        if missing:
            raise InputError(
                f"{corpus.root}: {len(missing):,} slices cannot be heard; the first reason: "
                f"{heard.problems[0]}"
            )
        return [heard.slices[origin.slice] for origin in origins], heard.problems


def _order(
    found: SliceAttack,
    corpus: Corpus,
    origins: Sequence[Origin],
    language: _Language,
    ear: _Ear | None,
    own: tuple[Corpus, list[Origin]] | None,
    *,
    samples: int,
    utterances: int,
    replicates: int,
    seed: int,
    workers: int | None,
) -> SliceAttack:
    """Which slice follows which, by words and by ear."""
    model = language.model
    truth = succession(origins)
    texts = public_texts(corpus, truth.names)
    by_text: Mapping[str, Ranking] = {}
    by_sound: Mapping[str, Sampled] = {}
    problems = found.problems
    if model is not None:
        by_text = attack_text(
            texts, truth, model, replicates=replicates, seed=seed, workers=workers
        )
    if ear is not None:
        heard, faults = ear(corpus, origins)
        problems += faults
        fusions = None
        if own is not None:
            theirs, rows = own
            own_heard, faults = ear(theirs, rows)
            problems += faults
            own_truth = succession(rows)
            own_texts = public_texts(theirs, own_truth.names)
            fusions = learn_fusions(
                own_heard, own_truth, own_texts, model, successors=ear.successors, workers=workers
            )
        by_sound = attack_samples(
            heard, truth, texts, model, fusions=fusions, successors=ear.successors, workers=workers,
            samples=samples, utterances=utterances, seed=seed,
        )  # fmt: skip
    return replace(
        found,
        slices=len(truth),
        text=dict(by_text),
        sound=dict(by_sound),
        problems=problems,
        sentences=language.sentences,
        left_out=language.left_out,
    )
