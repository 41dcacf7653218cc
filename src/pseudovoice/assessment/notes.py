"""Warnings that go with an assessment, and the one kind that somebody may want to leave out."""

from __future__ import annotations


class NotGiven(str):
    """A warning that a metric is absent for want of scores that were not given.

    Whoever chose what to give knows it already. Every other warning, also of something absent, is
    about the scores themselves and belongs with the numbers.
    """
