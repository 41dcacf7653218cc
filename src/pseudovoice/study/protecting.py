"""Protected speech of a study: the safeguard's run, another of the attacker's, and its training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from pseudovoice.alignment.heard import listening
from pseudovoice.attacks.gathering import released_sessions
from pseudovoice.corpus import Corpus
from pseudovoice.keys import Key
from pseudovoice.pieces import Cutting
from pseudovoice.protection.by_turns import ByTurns
from pseudovoice.protection.protect import Protected, protect_corpus
from pseudovoice.release.pseudonyms import Pseudonyms, Renaming
from pseudovoice.release.state import begun as files_made
from pseudovoice.report.filename import harmless_name
from pseudovoice.safeguards import Chain, parse_chain
from pseudovoice.safeguards.draws import draws
from pseudovoice.safeguards.one_voice import per_utterance
from pseudovoice.study import rates
from pseudovoice.study.keys import StudyKeys
from pseudovoice.study.plan import SafeguardPlan
from pseudovoice.study.stage import stage_name
from pseudovoice.study.told import words_told
from pseudovoice.study.tools import Tools

ATTACKER_SESSION = "attacker"


@dataclass(frozen=True)
class ProtectedRun:
    """What is kept of a protection: the fingerprint of what it wrote, and how many utterances."""

    fingerprint: str
    utterances: int


@dataclass(frozen=True)
class Protection:
    """One run of a safeguard over one corpus: what decides every sample of it, and where it goes.

    ``fingerprint`` is that of the corpus' content, None where only commands could tell it. With
    ``cutting`` the corpus was cut out of recordings: these are protected, as they would be
    released, and what comes of them is cut at the same places. Voices are given by the names of the
    corpus; ``names`` is what people are called in what is written. With ``check_words`` a
    recogniser listens whether the words that slices are cut between are those that are said.
    """

    corpus: Corpus
    fingerprint: str | None
    chain: Chain
    key: Key | None
    key_session: str
    name: str
    under: Path
    key_file: Path | None = field(default=None, repr=False)
    cutting: Cutting | None = field(default=None, repr=False)
    names: Renaming | None = None
    check_words: bool = False

    kind: ClassVar[str] = "protect"
    record: ClassVar[type[Any]] = ProtectedRun

    @property
    def title(self) -> str:
        return f"protect {self.corpus.name} with {self.name}"

    @property
    def place(self) -> Path:
        """A name for a person to read, and the hash that keeps folders apart."""
        mark = stage_name("protect", self.inputs() or {}).rsplit("-", 1)[1][:12]
        return self.under / f"{harmless_name(self.corpus.name)}-{harmless_name(self.name)}-{mark}"

    def inputs(self) -> dict[str, Any] | None:
        if self.fingerprint is None or (self.key is None and not self.chain.deterministic):
            return None
        inputs: dict[str, Any] = {
            "corpus": self.fingerprint,
            "safeguard": self.chain.to_dict(),
            "key": None if self.key is None else self.key.identifier,
            "session": self.key_session,
        }
        if isinstance(self.names, Pseudonyms):
            inputs["names"] = self.names.key.identifier_in(self.names.key_session)
        if self.chain.last is not None:  # cuts lie between words, which no fingerprint knows
            inputs["words"] = words_told(self.corpus)
            if self.check_words:
                inputs["checked"] = True
        if self._whole is not None:
            inputs["recordings"] = self._whole.stamp()
        return inputs

    @property
    def _whole(self) -> Cutting | None:
        """None where the utterances themselves are protected.

        Whatever moves what is said could not be cut at the same places afterwards.
        """
        cutting = self.cutting
        return cutting if cutting is None or cutting.turns or self.chain.keeps_timing else None

    @property
    def _source(self) -> Corpus:
        return self.corpus if self._whole is None else self._whole.recordings

    def seconds(self, workers: int) -> tuple[float, str]:
        source = self._source
        seconds = rates.protecting(source, self.chain, workers)
        begun = files_made(self.place) if self.inputs() is not None else 0
        left = max(0.0, 1.0 - begun / len(source))
        note = f"{begun} of {len(source)} utterances are there" if begun else ""
        return seconds * left, note

    def stands(self, _kept: ProtectedRun) -> bool:
        return self.place.is_dir()

    def make(
        self, tools: Tools, _needed: Sequence[Any], kept: ProtectedRun | None
    ) -> tuple[Protected, ProtectedRun]:
        """Protect what the folder does not hold yet; it resumes by itself."""
        self.place.parent.mkdir(parents=True, exist_ok=True)
        done = self.run(tools)
        made = ProtectedRun(tools.fingerprint(done.corpus), len(done.corpus))
        return done, kept if kept == made else made

    def run(
        self, tools: Tools, undo_table: Path | None = None, before: Protected | None = None
    ) -> Protected:
        """``undo_table`` is for chains that end in slices, ``before`` what they are cut out of."""
        what = f"protecting {self.corpus.name} with {self.name}"
        whole, source = self._whole, self._source
        checked = self.check_words and self.chain.last is not None
        done = protect_corpus(
            source,
            self.place,
            self.chain,
            key=self.key,
            key_session=self.key_session,
            rename=self.names or False,
            workers=tools.workers,
            progress=tools.counter(what, len(source)),
            key_file=self.key_file,
            stage=lambda title, size: tools.counter(f"{title} ({self.name})", size),
            undo_table=undo_table,
            aligner=listening() if checked else None,
            turns=ByTurns(whole.turns) if whole is not None and whole.turns else None,
            whole=before,
        )
        return done if whole is None else replace(done, corpus=self._cut(whole, done.corpus))

    def _cut(self, whole: Cutting, made: Corpus) -> Corpus:
        """The utterances in what was made of the recordings, called as those of the originals."""
        if not isinstance(self.names, Pseudonyms):
            return whole.of(made)
        # Where to cut is known by the recordings' own names.
        before = {self.names.renamed(one).id: one for one in whole.recordings}
        found = (replace(one, id=before[one.id].id, session=before[one.id].session) for one in made)
        return self.names.corpus(whole.of(replace(made, utterances=tuple(found))))


@dataclass(frozen=True)
class Protections:
    """All runs of the safeguards of a study: which chain, with which key, and what it is called.

    ``speech`` is the folder of what would be released, ``work`` that of the attackers. ``cutting``
    is that of the speakers' corpus, where it was cut out of recordings. All runs call people alike,
    whatever their key.
    """

    keys: StudyKeys
    session: str
    speech: Path
    work: Path
    cutting: Cutting | None = None
    names: Pseudonyms | None = None
    check_words: bool = False

    def ours(self, corpus: Corpus, content: str | None, safeguard: SafeguardPlan) -> Protection:
        """What would be released."""
        chain = parse_chain(safeguard.chain)
        key = None if chain.deterministic else self.keys.ours
        return self._run(corpus, content, chain, key, self.session, safeguard.name, self.speech)

    def uncut(
        self, corpus: Corpus, content: str | None, safeguard: SafeguardPlan, *, released: bool
    ) -> Protection | None:
        """What slices are cut out of, under the same key as they; None if nothing comes before.

        ``released`` says that this is among the safeguards of the study itself.
        """
        chain = Chain(parse_chain(safeguard.chain).links)
        if not chain.links:
            return None
        key = None if chain.deterministic else self.keys.ours
        under = self.speech if released else self.work
        return self._run(corpus, content, chain, key, self.session, safeguard.name, under)

    def another(
        self, corpus: Corpus, content: str | None, safeguard: SafeguardPlan
    ) -> Protection | None:
        """A run with a key of the attacker's own; None where it could only be the same again."""
        chain = Chain(parse_chain(safeguard.chain).links)
        if not chain.links or chain.deterministic:
            return None
        name = f"{safeguard.name}, another key"
        key, session = self.keys.attacker, ATTACKER_SESSION
        return self._run(corpus, content, chain, key, session, name, self.work)

    def tried(
        self, corpus: Corpus, content: str | None, safeguard: SafeguardPlan, tries: int
    ) -> list[Protection]:
        """A run for each voice that an attacker tries on everybody; one where none is drawn."""
        chain = Chain(parse_chain(safeguard.chain).links)
        key = None if chain.deterministic else self.keys.attacker
        return [
            self._run(
                corpus,
                content,
                one.chain,
                key,
                one.session,
                f"{safeguard.name}, {one.session}",
                self.work,
            )
            for one in draws(chain, tries)
        ]

    def released_again(
        self, corpus: Corpus, content: str | None, safeguard: SafeguardPlan, sessions: int
    ) -> list[Protection]:
        """Further releases of the same people under other voices; none where none is drawn."""
        chain = parse_chain(safeguard.chain)
        if chain.deterministic:
            return []
        return [
            self._run(
                corpus, content, chain, self.keys.ours, one, f"{safeguard.name}, {one}", self.work
            )
            for one in released_sessions(self.session, sessions)
        ]

    def whole(
        self, corpus: Corpus, content: str | None, safeguard: SafeguardPlan, *, released: bool
    ) -> Protection | None:
        """The speakers' whole utterances as an informed attacker protects them; None without links.

        With a key of the attacker's own where anything is drawn, else what everybody would make;
        ``released`` says that this is among the safeguards of the study itself.
        """
        chain = Chain(parse_chain(safeguard.chain).links)
        if not chain.links or not chain.deterministic:
            return self.another(corpus, content, safeguard)
        return self.uncut(corpus, content, safeguard, released=released)

    def learnt_from(
        self, corpus: Corpus, content: str | None, safeguard: SafeguardPlan
    ) -> Protection:
        """Speech of other people as it would be released, for whoever trains a recogniser."""
        chain = parse_chain(safeguard.chain)
        key = None if chain.deterministic else self.keys.ours
        name = f"{safeguard.name}, to train on"
        others = replace(self, cutting=None)
        return others._run(corpus, content, chain, key, self.session, name, self.work)

    def training(self, corpus: Corpus, content: str | None, safeguard: SafeguardPlan) -> Protection:
        """Speech of other people, protected by the attacker utterance by utterance."""
        chain = Chain(parse_chain(safeguard.chain).links)
        # A voice for every utterance: the attacker's recogniser must learn what voices share, not
        # those of its few training speakers.
        links = tuple(per_utterance(link) for link in chain.links)
        key = None if chain.deterministic else self.keys.attacker
        name = f"{safeguard.name}, attacker's training"
        others = replace(self, cutting=None)
        return others._run(corpus, content, Chain(links), key, ATTACKER_SESSION, name, self.work)

    def _run(
        self,
        corpus: Corpus,
        content: str | None,
        chain: Chain,
        key: Key | None,
        session: str,
        name: str,
        under: Path,
    ) -> Protection:
        return Protection(
            corpus,
            content,
            chain,
            key,
            session,
            name,
            under,
            self.keys.file,
            self.cutting,
            self.names,
            self.check_words,
        )


def unsliced(safeguard: SafeguardPlan, among: Sequence[SafeguardPlan]) -> SafeguardPlan | None:
    """The safeguard of a study that is the same chain before it is cut."""
    links = parse_chain(safeguard.chain).links
    for one in among:
        if one.elsewhere:
            continue
        chain = parse_chain(one.chain)
        if chain.last is None and chain.links == links:
            return one
    return None


def before_slicing(safeguard: SafeguardPlan, among: Sequence[SafeguardPlan]) -> SafeguardPlan:
    """A chain of slices under the name its links go by, so that their runs are shared.

    Without a safeguard of the study that is not cut, the first chain with these links names them.
    """
    same = unsliced(safeguard, among)
    if same is not None:
        return SafeguardPlan(same.name, safeguard.chain)
    links = parse_chain(safeguard.chain).links
    first = next(one for one in among if one.slices and parse_chain(one.chain).links == links)
    return SafeguardPlan(f"{first.name}, whole", safeguard.chain)
