"""How a trained encoder meets new speakers without forgetting what it can.

Classes that begin anywhere pull the encoder about until they have found their places. Here they
begin where the encoder hears their speakers already, so that the first step is towards what it
does not hear yet.
"""

from __future__ import annotations

import numpy as np
import torch

from pseudovoice.progress import Progress
from pseudovoice.scores.embeddings import unit_length
from pseudovoice.training.data import TrainingSet
from pseudovoice.training.held_out import embed_held_out
from pseudovoice.training.network import Network

MOST_RECORDINGS = 4
"""Of a speaker, from which the middle of the class is taken."""


def settle(network: Network, training: TrainingSet, progress: Progress) -> None:
    """Centre the embeddings on those of the training speech; each class is a speaker's mean."""
    every = []
    for done, speaker in enumerate(training.speakers, 1):
        vectors = embed_held_out(training.recordings[speaker][:MOST_RECORDINGS], network.embed)
        every.append(vectors)
        progress("listening to the training speech", done, len(training.speakers))
    whole = np.concatenate(every)
    centre, spread = whole.mean(axis=0), whole.std(axis=0)
    means = [unit_length((vectors - centre) / spread).mean(axis=0) for vectors in every]
    classes = np.repeat(unit_length(np.stack(means)), training.classes // len(means), axis=0)
    with torch.no_grad():
        network.encoder.centre.running_mean.copy_(torch.from_numpy(centre))
        network.encoder.centre.running_var.copy_(torch.from_numpy(spread**2))
        network.head.weight.copy_(torch.from_numpy(classes.astype(np.float32)))
