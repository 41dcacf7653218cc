"""The conditions: which speech is compared with which, and who compares it."""

from __future__ import annotations

CONDITIONS = {
    "oo": "original against original: the recogniser's own strength, the yardstick",
    "op": "original against protected: what an ignorant attacker learns",
    "pp": "protected against protected with the same key: how distinct the pseudo-voices are",
    "pq": "protected against the attacker's own protection: what a lazy-informed attacker learns",
}

ATTACKERS = {
    "oo": "none (unprotected)",
    "op": "ignorant",
    "pp": "none (same key)",
    "pq": "lazy-informed",
}
