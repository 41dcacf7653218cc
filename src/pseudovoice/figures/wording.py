"""Numbers in words for captions: value, interval and what chance gives, in the shown unit."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence

from pseudovoice.assessment.estimate import Row

_NAMES = {
    "d_ece": "D_ECE",
    "l_w": "l_w",
    "tag": "tag",
    "cllr": "Cllr",
    "cllr_min": "Cllr_min",
    "c_ece_linear": "C_ECE (linear)",
    "c_ece_isotonic": "C_ECE (isotonic)",
    "d_diag": "D_diag",
    "deid": "DeID",
    "deid_log": "DeID (log)",
    "g_vd": "G_VD",
    "g_vd_log": "G_VD (log)",
    "eer": "ROCCH-EER",
}

_SHOWN = {"fraction": (100.0, 1, " %"), "dB": (1.0, 1, " dB"), "bit": (1.0, 3, " bit")}
"""Unit of a row → factor, decimals and unit as a caption shows them."""

CHANCE = "not distinguishable from chance"


def number(value: float, decimals: int) -> str:
    """A number with a true minus sign; from three decimals on tiny values keep one digit."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) < 1e-9:  # what rounding leaves of 0 is 0 to every reader
        value = 0.0
    if decimals >= 3 and 0.0 < abs(value) < 0.5 * 10.0**-decimals:
        mantissa, exponent = f"{value:.0e}".split("e")
        return f"{mantissa}e{int(exponent)}".replace("-", "−")
    text = f"{value:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0.0 else text.replace("-", "−")


def find(rows: Iterable[Row], condition: str, metric: str) -> Row | None:
    """The row of a metric, None where the assessment has none."""
    return next((r for r in rows if (r.condition, r.metric) == (condition, metric)), None)


def measured(row: Row, name: str | None = None) -> str:
    """``DeID 99.6 % [99.3, 100.0] (not distinguishable from chance)``."""
    factor, decimals, unit = _SHOWN.get(row.unit, (1.0, 3, ""))

    def in_unit(value: float | str) -> str:
        if isinstance(value, str):
            return value
        return number(factor * value, decimals)

    text = f"{_NAMES[row.metric] if name is None else name} {in_unit(row.value)}{unit}"
    if row.low is not None and row.high is not None:
        text += f" [{in_unit(row.low)}, {in_unit(row.high)}]"
    return text + (f" ({CHANCE})" if row.chance else "")


def all_measured(rows: Sequence[Row], wanted: Iterable[tuple[str, str]]) -> str:
    """Those of the wanted (condition, metric) that there are, with commas between."""
    found = (find(rows, *key) for key in wanted)
    return ", ".join(measured(row) for row in found if row is not None)


def attacker_of(rows: Sequence[Row], condition: str) -> str:
    """``ignorant attacker``; no number about disclosure is read without it."""
    row = next((r for r in rows if r.condition == condition), None)
    if row is None or row.attacker.startswith("none"):
        return ""
    return row.attacker if "attacker" in row.attacker else f"{row.attacker} attacker"


def named(name: str) -> str:
    """A speaker or system name within a sentence: whole, with control characters made visible."""
    return "".join(f"\\u{ord(c):04x}" if unicodedata.category(c)[0] == "C" else c for c in name)


def count(n: int, thing: str) -> str:
    """``1 speaker``, ``11,196 trials``."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def markdown(text: str) -> str:
    """Text as Markdown that shows it: a speaker called ``<b>`` or ``*x*`` stays what it is."""
    text = " ".join(text.split())
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = re.sub(r"([\\`*~|])", r"\\\1", text)
    text = text.replace("](", "]\\(")
    # Underscores within a word, as in D_ECE, mean nothing in Markdown.
    return re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", text)
