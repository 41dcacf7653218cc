"""Protected speech of a study: the safeguard's run, another of the attacker's, and its training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from pseudovoice.corpus import Corpus
from pseudovoice.report.filename import harmless_name
from pseudovoice.safeguards import Chain, parse_chain
from pseudovoice.safeguards.key import Key
from pseudovoice.safeguards.protect import Protected, protect_corpus
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
        return {
            "corpus": fingerprint,
            "safeguard": self.chain.to_dict(),
            "key": None if self.key is None else self.key.identifier,
            "session": self.key_session,
        }

    def folder(self, fingerprint: str) -> str:
        """A name for a person to read, and the hash that keeps folders apart."""
        mark = stage_name("protect", self.inputs(fingerprint)).rsplit("-", 1)[1][:12]
        return f"{harmless_name(self.corpus.name)}-{harmless_name(self.title)}-{mark}"

    def run(
        self, place: Path, key_file: Path | None, workers: int | None, say: Progress
    ) -> Protected:
        """Protect what the folder does not hold yet."""
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
        )


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
    chain = parse_chain(safeguard.chain)
    # A voice for every utterance: the attacker's recogniser must learn what voices share, not
    # those of its few training speakers.
    links = tuple(_per_utterance(link) for link in chain.links)
    key = None if chain.deterministic else keys.attacker
    title = f"{safeguard.name}, attacker's training"
    return Protection(corpus, Chain(links), key, ATTACKER_SESSION, title)


def _per_utterance(link: Any) -> Any:
    has_level = any(f.name == "level" for f in fields(link))
    return replace(link, level="utterance") if has_level else link
