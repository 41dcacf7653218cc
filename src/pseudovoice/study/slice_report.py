"""What tables, page and headlines say of chains that end in slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pseudovoice.page.slices import SlicedResults, SliceFigures, sliced_results
from pseudovoice.page.study import Fact
from pseudovoice.report.maouche import Duration, SlicedEntry
from pseudovoice.safeguards import parse_chain
from pseudovoice.slicing import Slicing
from pseudovoice.study.findings import SliceFindings
from pseudovoice.study.plan import SafeguardPlan
from pseudovoice.version import __version__


def slice_entries(found: Sequence[SliceFindings]) -> list[SlicedEntry]:
    """The lines of maouche2022's tables."""
    return [_entry(one) for one in found]


def slice_results(one: SliceFindings) -> SlicedResults:
    """What a page says of one chain on one set."""
    identity, reassembly = one.identity, one.reassembly
    return sliced_results(
        SliceFigures(
            name=one.safeguard.name,
            parameters=parameters_of(one.safeguard),
            key=one.key,
            summary=one.run.summary,
            attacks=() if identity is None else identity.attacks,
            whole=() if identity is None else identity.whole,
            whole_seconds=(None, None)
            if identity is None
            else (identity.whole_mean, identity.whole_sd),
            reference=_reference(one),
            text={} if reassembly is None else reassembly.text,
            sound={} if reassembly is None else reassembly.sound,
            nothing="" if reassembly is None else reassembly.nothing,
            reads=one.language_model is not None,
        )
    )


def slice_warnings(one: SliceFindings) -> list[str]:
    """What a reader should keep in mind; file names stay at home."""
    name, run = one.safeguard.name, one.run
    said = []
    if n := run.summary.left_out:
        said.append(
            f"{name}: {n} recording{'' if n == 1 else 's'} could not be cut and "
            f"{'was' if n == 1 else 'were'} left out."
        )
    if one.reassembly is not None and one.reassembly.left_out:
        said.append(
            f"{name}: {one.reassembly.left_out:,} sentences were left out of the attacker's "
            "language model, since they share six words in a row with what was tested."
        )
    return said


def slice_facts(one: SliceFindings, seed: int, replicates: int) -> list[Fact]:
    """Versions, hashes and fingerprints; for pages that show nothing but slices, too."""
    name = one.safeguard.name
    facts = [
        Fact("pseudovoice", __version__),
        Fact("seed", str(seed)),
        Fact("replicates", str(replicates)),
        Fact("original speech", f"sha256 {one.fingerprints['original']}"),
        Fact(f"slices ({name})", f"sha256 {one.fingerprints['slices']}"),
        Fact(f"key of {name}", f"identifier {one.key}"),
    ]
    if one.identity is not None:
        facts += [
            Fact(f"recogniser {e['name']}", f"{e['licence']}, sha256 {e['sha256']}")
            for e in one.identity.encoders
        ]
    if one.language_model is not None:
        learnt = ""
        if one.reassembly is not None and one.reassembly.sentences is not None:
            learnt = f"{one.reassembly.sentences:,} sentences, "
        facts.append(Fact("attacker's language model", f"{learnt}sha256 {one.language_model}"))
    return facts


def parameters_of(safeguard: SafeguardPlan) -> dict[str, Any]:
    """The parameters of every step as the page shows them."""
    return {
        f"{step.name}: {name}": value
        for step in parse_chain(safeguard.chain).steps
        for name, value in step.to_dict().items()
        if name != "safeguard"
    }


def _entry(one: SliceFindings) -> SlicedEntry:
    last = parse_chain(one.safeguard.chain).last
    assert isinstance(last, Slicing)
    results, summary = one.identity, one.run.summary
    return SlicedEntry(
        set=one.set,
        system=one.safeguard.name,
        method=last.method,
        delta=last.duration,
        duration=Duration(summary.mean_duration, summary.sd_duration),
        text={} if one.reassembly is None else one.reassembly.text,
        sound={} if one.reassembly is None else one.reassembly.sound,
        linked=() if results is None else results.attacks,
        whole=() if results is None else results.whole,
        whole_duration=Duration(None, None)
        if results is None
        else Duration(results.whole_mean, results.whole_sd),
        reference=_reference(one),
    )


def _reference(one: SliceFindings) -> str:
    return one.reference or "unprotected"
