"""Where item-wise work is done: in threads here, in other processes, or on a Ray cluster.

An engine maps work over items, gives each result as it comes, and says when an item was lost. What
is computed never depends on it: results are put in order by name, so any number of workers and any
retry end with the same bytes.
"""

from pseudovoice.engines.chosen import GivenEngine, chosen, in_parallel, on_engine, using
from pseudovoice.engines.engine import Engine, Lost, worker_lost
from pseudovoice.engines.failed import FAILED
from pseudovoice.engines.threads import in_threads

__all__ = [
    "FAILED",
    "Engine",
    "GivenEngine",
    "Lost",
    "chosen",
    "in_parallel",
    "in_threads",
    "on_engine",
    "using",
    "worker_lost",
]
