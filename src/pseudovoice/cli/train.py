"""`pseudovoice train`: networks of one's own, from corpora."""

from __future__ import annotations

import click

from pseudovoice.cli.verbs import Verbs

ENCODER = "encoder"


class Trainings(Verbs):
    """What is trained may be left out: then it is an encoder."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        named = not args or args[0] in {*self.verbs, *ctx.help_option_names}
        return super().parse_args(ctx, args if named else [ENCODER, *args])


@click.group(
    name="train",
    cls=Trainings.of(
        {
            ENCODER: (
                "pseudovoice.cli.train_encoder",
                "A speaker encoder, or what tells successive slices; `train CORPUS` does so too.",
            ),
            "voice": ("pseudovoice.cli.train_voice", "A neural voice for the safeguard xvector."),
        }
    ),
)
def command() -> None:
    """Train a network of one's own (needs the extra `train`)."""
