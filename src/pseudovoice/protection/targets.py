"""Where each protected utterance goes and what it is called."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pseudovoice.corpus import Corpus, Utterance
from pseudovoice.safeguards.key import Key

WRITABLE = (".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".aiff", ".aif", ".au", ".caf")


class Namer:
    """Where each protected utterance goes and what it is called."""

    def __init__(
        self, corpus: Corpus, out: Path, key: Key | None, key_session: str, rename: bool
    ) -> None:
        self._root, self._out = corpus.root.resolve(), out
        self._key, self._session, self._rename = key, key_session, rename

    def pseudonym(self, kind: str, name: str) -> str:
        assert self._key is not None
        return f"{kind}-{self._key.derive(self._session, f'name/{kind}', name).hex()[:12]}"

    def target(self, utterance: Utterance) -> Utterance:
        suffix = utterance.path.suffix.lower()
        suffix = suffix if suffix in WRITABLE and utterance.command is None else ".wav"
        whole = replace(utterance, start=None, end=None, command=None, channel=None)
        if self._rename:
            speaker = self.pseudonym("spk", utterance.speaker)
            name = self.pseudonym("utt", f"{utterance.speaker}\0{utterance.id}")
            session = utterance.session and self.pseudonym(
                "ses", f"{utterance.speaker}\0{utterance.session}"
            )
            return replace(
                whole,
                id=name,
                speaker=speaker,
                session=session,
                path=self._out / speaker / f"{name}{suffix}",
            )
        inside = utterance.path.is_relative_to(self._root) and utterance.command is None
        if inside and utterance.start is None and utterance.end is None:
            place = utterance.path.relative_to(self._root).with_suffix(suffix)
        else:  # a part of a longer recording, or one from elsewhere, becomes a file of its own
            place = Path("audio") / utterance.speaker / f"{utterance.id}{suffix}"
        return replace(whole, path=self._out / place)
