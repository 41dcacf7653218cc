"""The card that travels with a voice: what it learnt from, and what not to trust it with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pseudovoice.corpus import Corpus
from pseudovoice.training.voice_outcome import VoiceOutcome

CARD_FILE = "CARD.md"


def card(outcome: VoiceOutcome, corpora: Sequence[Corpus], told: Mapping[str, Any]) -> str:
    speech = "\n".join(
        f"- {corpus.name}: {len(corpus):,} utterances of {len(corpus.speakers):,} people"
        for corpus in corpora
    )
    start = f"; it went on from {told['start'][:16]}…" if "start" in told else ""
    recipe = ", ".join(f"{name} {value}" for name, value in told["recipe"].items())
    return f"""# A neural voice

Speaks what a recogniser hears ({told["front_end"]}) as a target that a speaker encoder describes
({told["encoder"]}); made by `pseudovoice train voice`, used by the safeguard `xvector`.

## Learnt from

{speech}

{outcome.utterances:,} utterances, {outcome.hours:.2f} h, of {outcome.speakers} people;
{outcome.held_out_utterances} more judged it. Licences are those of the corpora.

## Network

{outcome.parameters / 1e6:.2f} million parameters, {outcome.size / 1e6:.1f} MB; {recipe}{start}.
{outcome.epochs} epochs, {outcome.seconds / 60:.0f} minutes. Distance from
held-out speech {outcome.after.distance:.3f} of its deviations (before training
{outcome.before.distance:.3f}), of the spread over time {outcome.after.flatness:.3f}. A critic that
learnt beside it named the speaker of {outcome.history[-1].told:.1%} of the stretches from content.

## Limits

- It speaks as the people it learnt from: their language, their rooms, their age.
- What the recogniser does not hear is not said: other languages lose words, laughter and music
  are lost.
- How well it protects is to be measured on speech that it did not learn from.
"""
