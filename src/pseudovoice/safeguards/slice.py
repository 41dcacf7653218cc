"""Slicing as the last step of a chain: the protected corpus is cut into pieces that stand alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pseudovoice.keys import Key
from pseudovoice.safeguards.registry import register
from pseudovoice.safeguards.safeguard import describe
from pseudovoice.slicing.settings import Slicing

if TYPE_CHECKING:
    from pseudovoice.alignment import Aligner
    from pseudovoice.corpus import Corpus
    from pseudovoice.release.part import Share
    from pseudovoice.slicing import Sliced


@register
@dataclass(frozen=True)
class SliceStep(Slicing):
    """Short pieces, cut between words, without names or order; the last step of a chain only."""

    name: ClassVar[str] = "slice"
    reference: ClassVar[str] = "Maouche et al. 2022"
    deterministic: ClassVar[bool] = False
    level: ClassVar[str] = "utterance"

    def __post_init__(self) -> None:
        # Said before anything is protected, not afterwards. Imported here: slicing needs keys,
        # which are in this package.
        from pseudovoice.slicing.algorithm import cutter

        cutter(self.method, self.duration, overlap=self.overlap, trim=self.trim)

    def to_dict(self) -> dict[str, Any]:
        return describe(self)

    @property
    def slicing(self) -> Slicing:
        """The same settings as `pseudovoice slice` has them."""
        return Slicing(**{f.name: getattr(self, f.name) for f in fields(Slicing)})

    def write(
        self,
        corpus: Corpus,
        speech: Corpus | None,
        out: Path,
        *,
        key: Key,
        key_session: str,
        protection: Mapping[str, Any],
        align_speech: bool,
        aligner: Aligner | None,
        table: Path | None,
        workers: int | None,
        progress: Callable[[int], None] | None,
        complete: bool,
        share: Share | None = None,
    ) -> Sliced:
        """Cut ``speech`` (or ``corpus``, if nothing was protected before) into ``out``."""
        from pseudovoice.slicing import slice_corpus

        return slice_corpus(
            corpus,
            out,
            self.slicing,
            key=key,
            key_session=key_session,
            table=table,
            workers=workers,
            progress=progress,
            speech=speech,
            align_speech=align_speech,
            aligner=aligner,
            protection=protection,
            complete=complete,
            share=share,
        )
