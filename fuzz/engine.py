"""One target under atheris, in a process of its own: `python -m fuzz.engine TARGET SECONDS`.

Coverage of our own modules guides it. A finding is kept once for each kind and the run goes on;
only what ends the process itself (a hang, a crash in C, too much memory) ends the run.
"""

from __future__ import annotations

import hashlib
import os
import re
import resource
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CORPUS, FINDINGS = HERE / "corpus", HERE / "findings"
MOST_MEMORY = 4 << 30
"""Bytes of address space; what a reader cannot have under it is a MemoryError, and a finding."""

MOST_RESIDENT = 2048
"""MB."""

HANG = 30
"""Seconds of the clock; the oracle counts those of the processor, but not inside a hang."""


def main(name: str, seconds: int) -> None:
    # Compiled functions are neither instrumented nor fast on a few bytes.
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    sys.dont_write_bytecode = True
    import atheris

    atheris.enabled_hooks.add("str")  # startswith and endswith tell what they look for
    with atheris.instrument_imports(include=["pseudovoice", "yaml", "pickletools", "shlex"]):
        from fuzz.oracle import Oracle
        from fuzz.targets import TARGETS

        target = TARGETS[name]
        with tempfile.TemporaryDirectory(prefix="fuzz-seeds-") as folder:
            seeds = list(target.seeds(Path(folder)))
            scratch = Path(folder, "scratch")
            scratch.mkdir()
            # Within, so that what a reader imports when it is first used is instrumented too.
            Oracle(target, scratch).warm(seeds)
    corpus, findings = CORPUS / name, FINDINGS / name
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        (corpus / f"seed-{hashlib.sha256(seed).hexdigest()[:16]}").write_bytes(seed)
    words = findings / "words.dict"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words))
    place = Path(tempfile.mkdtemp(prefix=f"fuzz-{name}-"))
    oracle = Oracle(target, place)
    known: set[str] = set()

    def one(data: bytes) -> None:
        finding = oracle.judge(data)
        if finding is None or finding.kind in known:
            return
        known.add(finding.kind)
        kept = findings / (re.sub(r"[^\w.]+", "-", finding.kind)[:100])
        Path(f"{kept}.input").write_bytes(data)
        Path(f"{kept}.txt").write_text(f"{finding.kind}\n{finding.what}\n{data!r}\n")
        print(f"FINDING {name}: {finding.kind}", flush=True)

    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    options = {
        "max_total_time": seconds,
        "max_len": target.longest,
        "timeout": HANG,
        "rss_limit_mb": MOST_RESIDENT,
        "artifact_prefix": f"{findings}/",
        "print_final_stats": 1,
        "close_fd_mask": 2,  # what C libraries say of bad input
    }
    if target.words:
        options["dict"] = str(words)
    flags = [f"-{option}={value}" for option, value in options.items()]
    atheris.Setup([sys.argv[0], str(corpus), *flags], one)
    atheris.Fuzz()


def _escaped(word: bytes) -> str:
    """A word as libFuzzer's dictionaries spell it."""
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}" for byte in word
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
