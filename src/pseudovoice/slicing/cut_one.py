"""One utterance cut into slices, by whoever has the time.

Slices are written under the utterance's mark: their own names take the key, which is not here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pseudovoice.alignment import Aligner, AlignmentError, Word, align
from pseudovoice.corpus import AudioError, Sound, Utterance, decode, write_audio
from pseudovoice.errors import DiskError, InputError, OutputError, Problem, out_of_memory
from pseudovoice.models.cache import sha256_of
from pseudovoice.slicing.algorithm import cutter
from pseudovoice.slicing.settings import Slicing
from pseudovoice.slicing.staging import unnamed
from pseudovoice.slicing.summary import SliceTally
from pseudovoice.text.transcript import words_of


@dataclass(frozen=True)
class CutTask:
    """An utterance, in what voice it is cut, and the mark of both."""

    utterance: Utterance
    twin: Utterance
    mark: str


@dataclass(frozen=True)
class CutOne:
    """Its slices and their hashes, in order; or why there are none, or none with words."""

    tally: SliceTally | None
    contents: tuple[str, ...] = ()
    problem: Problem | None = None

    @property
    def failed(self) -> int:
        return int(self.tally is None)


@dataclass(frozen=True)
class Cutting:
    """What all utterances share; ``folder`` is where slices are written to.

    ``align_twin``: words are looked for in what is cut, not in the utterance itself.
    """

    slicing: Slicing
    aligner: Aligner
    align_twin: bool
    folder: Path

    def __call__(self, task: CutTask) -> CutOne:
        """Align, cut and write one utterance."""
        slicing, utterance = self.slicing, task.utterance
        cut = cutter(slicing.method, slicing.duration, overlap=slicing.overlap, trim=slicing.trim)
        contents = []
        try:
            sound = decode(task.twin)
            alike = task.twin is utterance or self.align_twin
            words, problem = self._words(utterance, sound if alike else decode(utterance))
            slices = cut(words, sound.duration)
            spoken = words_of(utterance.transcript or "")
            for k, piece in enumerate(slices):
                path = unnamed(self.folder, task.mark, k)
                first, last = (round(t * sound.sample_rate) for t in (piece.start, piece.end))
                samples = sound.samples[first:last]
                write_audio(path, samples, sound.sample_rate, subtype="PCM_16")
                contents.append(sha256_of(path))
        except DiskError:
            raise
        except (AudioError, AlignmentError, OutputError) as error:
            return CutOne(None, problem=error.problem)
        except MemoryError:
            return CutOne(None, problem=out_of_memory(utterance.place))
        except InputError as error:
            problem = Problem(utterance.place, str(error).rstrip("."), "it is left out")
            return CutOne(None, problem=problem)
        tally = SliceTally(slices, sound.duration, len(spoken))
        return CutOne(tally, tuple(contents), problem)

    def _words(self, utterance: Utterance, sound: Sound) -> tuple[tuple[Word, ...], Problem | None]:
        """Timed words. Pieces of fixed duration can do without them, word slices cannot."""
        needed = self.slicing.method == "words"
        if not needed and not utterance.transcript:
            return (), None
        try:
            least = self.slicing.least_confidence
            found = align(utterance, self.aligner, sound=sound, least_confidence=least)
            return found.words, None
        except AlignmentError as error:
            if needed:
                raise
            told = error.problem
            return (), Problem(told.where, told.what, "its slices have no transcript")
