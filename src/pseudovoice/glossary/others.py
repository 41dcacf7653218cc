"""Metrics of other packages, as their own records describe them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pseudovoice.assessment.metric_packages import metric_packages
from pseudovoice.glossary.term import CONFUSION, EVIDENCE, Term

if TYPE_CHECKING:
    from pseudovoice.assessment.own_metrics import ScoreMetric


def _entry(own: ScoreMetric) -> Term:
    metric = own.metric
    low, high = ("−∞" if metric.low == -float("inf") else f"{metric.low:g}"), f"{metric.high:g}"
    return Term(
        name=metric.name,
        aliases=(),
        title=own.summary,
        what=own.explained,
        unit=metric.unit,
        range=f"{low} … {high.replace('inf', '∞')}",
        direction=EVIDENCE if metric.evidence > 0 else CONFUSION,
        equation=metric.method,
        reference=own.reference,
    )


def _terms() -> tuple[Term, ...]:
    if not metric_packages():
        return ()  # a glossary without them loads nothing that computes
    from pseudovoice.assessment.own_metrics import score_metrics

    return tuple(_entry(own) for own in score_metrics().values())


TERMS = _terms()
