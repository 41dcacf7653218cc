"""Protected speech of a study: the safeguard's run, another of the attacker's, and its training."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from pseudovoice.corpus import Corpus
from pseudovoice.keys import Key
from pseudovoice.protection.protect import Protected, protect_corpus
from pseudovoice.report.filename import harmless_name
from pseudovoice.safeguards import Chain, parse_chain
from pseudovoice.study.keys import StudyKeys
from pseudovoice.study.plan import SafeguardPlan
from pseudovoice.study.stages import stage_name

Progress = Callable[[str, int, int], None]

ATTACKER_SESSION = "attacker"


@dataclass(frozen=True)
class Protection:
    """One run of a safeguard over one corpus: what decides every sample of it."""

    corpus: Corpus
    chain: Chain
    key: Key | None
    key_session: str
    title: str

    def inputs(self, fingerprint: str) -> dict[str, Any]:
        """What the result depends on; ``fingerprint`` is that of the corpus."""
        inputs = {
            "corpus": fingerprint,
            "safeguard": self.chain.to_dict(),
            "key": None if self.key is None else self.key.identifier,
            "session": self.key_session,
        }
        if self.chain.last is not None:  # cuts lie between words, which no fingerprint knows
            inputs["words"] = _words(self.corpus)
        return inputs

    def folder(self, fingerprint: str) -> str:
        """A name for a person to read, and the hash that keeps folders apart."""
        mark = stage_name("protect", self.inputs(fingerprint)).rsplit("-", 1)[1][:12]
        return f"{harmless_name(self.corpus.name)}-{harmless_name(self.title)}-{mark}"

    def run(
        self,
        place: Path,
        key_file: Path | None,
        workers: int | None,
        say: Progress,
        undo_table: Path | None = None,
    ) -> Protected:
        """Protect what the folder does not hold yet; ``undo_table`` is for chains of slices."""
        what = f"protecting {self.corpus.name} with {self.title}"
        return protect_corpus(
            self.corpus,
            place,
            self.chain,
            key=self.key,
            key_session=self.key_session,
            workers=workers,
            progress=_counter(say, what, len(self.corpus)),
            key_file=key_file,
            stage=lambda title, size: _counter(say, f"{title} ({self.title})", size),
            undo_table=undo_table,
        )


def _words(corpus: Corpus) -> str:
    """Hash of what is said in a corpus, and in which session."""
    said = sorted((u.id, u.session or "", u.transcript or "") for u in corpus)
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def _counter(say: Progress, what: str, total: int) -> Callable[[int], None]:
    """Turns "so many more" into "so many of all"."""
    done = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        say(what, done, total)

    return step


def our_run(corpus: Corpus, safeguard: SafeguardPlan, keys: StudyKeys, session: str) -> Protection:
    """What would be released."""
    chain = parse_chain(safeguard.chain)
    key = None if chain.deterministic else keys.ours
    return Protection(corpus, chain, key, session, safeguard.name)


def another_run(corpus: Corpus, safeguard: SafeguardPlan, keys: StudyKeys) -> Protection | None:
    """A run with a key of the attacker's own; None where it could only be the same again."""
    chain = parse_chain(safeguard.chain)
    if chain.deterministic:
        return None
    title = f"{safeguard.name}, another key"
    return Protection(corpus, chain, keys.attacker, ATTACKER_SESSION, title)


def training_run(corpus: Corpus, safeguard: SafeguardPlan, keys: StudyKeys) -> Protection:
    """Speech of other people, protected by the attacker utterance by utterance."""
    chain = Chain(parse_chain(safeguard.chain).links)
    # A voice for every utterance: the attacker's recogniser must learn what voices share, not
    # those of its few training speakers.
    links = tuple(_per_utterance(link) for link in chain.links)
    key = None if chain.deterministic else keys.attacker
    title = f"{safeguard.name}, attacker's training"
    return Protection(corpus, Chain(links), key, ATTACKER_SESSION, title)


def unsliced(safeguard: SafeguardPlan, among: Sequence[SafeguardPlan]) -> SafeguardPlan | None:
    """The safeguard of a study that is the same chain before it is cut."""
    links = parse_chain(safeguard.chain).links
    for one in among:
        chain = parse_chain(one.chain)
        if chain.last is None and chain.links == links:
            return one
    return None


def before_slicing(safeguard: SafeguardPlan, among: Sequence[SafeguardPlan]) -> SafeguardPlan:
    """A chain of slices under the name its links go by, so that their runs are shared."""
    same = unsliced(safeguard, among)
    name = f"{safeguard.name}, whole" if same is None else same.name
    return SafeguardPlan(name, safeguard.chain)


def whole_run(
    corpus: Corpus, safeguard: SafeguardPlan, keys: StudyKeys, session: str
) -> Protection | None:
    """The speakers' whole utterances as an informed attacker protects them; None without links.

    With a key of the attacker's own where anything is drawn, else what everybody would make.
    """
    chain = Chain(parse_chain(safeguard.chain).links)
    if not chain.links:
        return None
    if chain.deterministic:
        return Protection(corpus, chain, None, session, safeguard.name)
    title = f"{safeguard.name}, another key"
    return Protection(corpus, chain, keys.attacker, ATTACKER_SESSION, title)


def _per_utterance(link: Any) -> Any:
    has_level = any(f.name == "level" for f in fields(link))
    return replace(link, level="utterance") if has_level else link
