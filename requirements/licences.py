"""The licences of everything we lean on at run time: ``python requirements/licences.py``.

Names and versions come from the lock, licences from what the installed packages say of themselves.
What they do not say, and what is no plain permissive licence, is decided here by name and with a
reason; the rest must be on the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path

from locks import read_lock
from pseudovoice.demo.recordings import COLLECTION
from pseudovoice.models import ARTEFACTS

ALLOWED = frozenset(("0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC"))
ALLOWED |= frozenset(("LLVM-exception", "MIT", "MIT-0", "MIT-CMU", "PSF-2.0", "Zlib"))
"""Licences that Apache-2.0 software may lean on without a second thought."""

OF_WEIGHTS = frozenset(("Apache-2.0", "MIT", "CC-BY-4.0"))
"""Those of weights; CC BY wants the authors named where the weights are handed on."""

WORDS = {
    "Apache 2.0": "Apache-2.0",
    "Apache-2.0": "Apache-2.0",
    "BSD": "BSD",
    "3-Clause BSD License": "BSD-3-Clause",
    "BSD 3-Clause License": "BSD-3-Clause",
    "MIT": "MIT",
    "MIT License": "MIT",
}
"""What packages write into the old free field, where it is short enough to mean something."""

CLASSIFIERS = {
    "OSI Approved :: Apache Software License": "Apache-2.0",
    "OSI Approved :: BSD License": "BSD",
    "OSI Approved :: MIT License": "MIT",
    "OSI Approved :: Python Software Foundation License": "PSF-2.0",
}

UNSAID = {"pyworld-prebuilt": ("MIT", "its metadata say nothing; its licence file is MIT's text")}
"""Packages without usable metadata: licence, and how we know."""

COPYLEFT = {
    "soxr": "LGPL itself, around libsoxr. It is a package of its own, used unchanged and loaded "
    "when it is needed, so that anybody can put another in its place",
    "soundfile": "BSD itself; its wheel carries libsndfile, mpg123 and LAME (LGPL-2.1-or-later) as "
    "one shared library, which can be replaced",
    "numpy": "its wheel carries libgfortran (GPL-3.0-or-later with the GCC runtime exception) and "
    "libquadmath (LGPL-2.1-or-later) as shared libraries",
    "scipy": "as numpy",
}
"""Packages that are, or carry, something under the GPL's family, each looked at."""

WITHOUT_TEXT = {
    "av": (
        "libx264",
        "BSD itself (PyAV); its wheel carries FFmpeg (LGPL-3.0-or-later), x264 and x265 "
        "(GPL-2.0-or-later), GnuTLS, LAME and others (LGPL) as shared libraries. Only its decoders "
        "of sound and its encoders of AAC, FLAC and Opus are called, and nothing else needs it: "
        "leave it out of what you ship if the GPL does not suit you, and convert such recordings "
        "beforehand",
    ),
}
"""Packages that carry such a library without its licence's text: the library, and what of it."""

COPYLEFT_ITSELF = {"soxr": "LGPL-2.1-or-later"}

INTRO = """# Licences

pseudovoice is under Apache-2.0. This page lists what it leans on at run time, as
`requirements/run.lock` has it, the weights that it fetches, and what follows from their licences.
It is made by `make licences`; a test fails when a package or a weight comes along whose licence
nobody has looked at. The tools of development are not listed: nothing of them reaches a user.

## Packages

"""

AFTER_PACKAGES = """
None of these is part of our wheel. pip fetches them from their own publishers, who hand on the
licence texts inside each package. Who ships them together, say in a container or an installer,
becomes a distributor of all of them. Then the texts have to go along, and the LGPL asks for two
things more. The source of soxr, libsndfile, mpg123, LAME, FFmpeg and what PyAV's wheel has beside
it must be offered. And users must be able to exchange these libraries, which they are as long as
the packages stay as pip installs them. PyAV's wheel brings x264 and x265 under the GPL, for
pictures that we never encode; who would rather not hand them on leaves PyAV out. Eigen (MPL-2.0) is
compiled into onnxruntime and ml-dtypes; it binds who changes Eigen's own files.

## Weights

Fetched on first use, checked by hash, never part of our wheel. The provenance of every report names
each encoder with its licence and hash. CC BY 4.0 asks whoever hands on the weights themselves to
name their authors, which [Models](models.md) lists.

"""

DEMO = """
## What the demo alone fetches

| name | what | licence | what follows |
|---|---|---|---|
| `{speech}` | recordings, out of `{wheel}` | {licence} | Used on the machine that runs the \
demo. The demo's page holds clips of them: who publishes that page publishes material under \
this licence. |
| `espeak-ng` | synthesiser, where the recordings are not to be had, out of `espeakng-loader` | \
GPL-3.0-or-later | A library that the demo loads into its process. We neither ship it nor link to \
it when we build; what it speaks is not covered. Who ships it together with pseudovoice ships that \
whole under the GPL. |

Nothing but `pseudovoice demo` touches either.
"""


def licence_of(package: Distribution) -> str:
    """The licence a package states, in SPDX's words; empty where it states none we understand."""

    def said(field: str) -> list[str]:
        return [str(value) for value in package.metadata.get_all(field) or ()]

    for expression in said("License-Expression"):
        return expression
    for text in said("License"):
        if text.strip() in WORDS:
            return WORDS[text.strip()]
    labels = [
        label.removeprefix("License :: ")
        for label in said("Classifier")
        if label.startswith("License :: ")
    ]
    if labels and all(label in CLASSIFIERS for label in labels):
        return " AND ".join(CLASSIFIERS[label] for label in labels)
    return UNSAID.get(_name(package), ("",))[0]


def permissive(expression: str) -> bool:
    """Whether every licence that an SPDX expression names is on the list, also behind an OR."""
    return bool(expression) and set(re.findall(r"[\w.+-]+", expression)) <= ALLOWED | {
        "AND",
        "OR",
        "WITH",
    }


def doubts(packages: Iterable[Distribution]) -> list[str]:
    """A sentence for every package that somebody has to look at."""
    found = []
    for package in packages:
        name, licence = _name(package), licence_of(package)
        if not licence:
            found.append(f"{name}: states no licence that we understand; look, and name it.")
        elif not permissive(licence) and COPYLEFT_ITSELF.get(name) != licence:
            found.append(f"{name}: {licence} is on no list; look at what it asks for.")
        if name not in COPYLEFT and (where := carried(package)):
            found.append(f"{name}: brings the text of the GPL or LGPL along ({where}); look why.")
    return found


def carried(package: Distribution) -> str | None:
    """The file of a package that holds the GPL's or LGPL's own heading, if there is one."""
    for file in package.files or ():
        if not re.search(r"licen[cs]e|copying|notice", file.name, re.I):
            continue
        path = Path(str(file.locate()))
        if file.suffix in (".py", ".pyc") or not path.is_file():
            continue
        if re.search(r"GNU (LESSER )?GENERAL PUBLIC LICENSE", path.read_text("utf-8", "replace")):
            return str(file)
    return None


def locked() -> dict[str, list[str]]:
    """Every package of the run-time lock with its versions."""
    versions: dict[str, list[str]] = {}
    for pin in read_lock("run"):
        versions.setdefault(pin.name, []).append(pin.version)
    return versions


def page() -> str:
    """The page of docs as Markdown."""
    lines = [INTRO, "| package | version | licence | remark |\n|---|---|---|---|\n"]
    for name, versions in sorted(locked().items()):
        remark = COPYLEFT.get(name) or {**UNSAID, **WITHOUT_TEXT}.get(name, ("", ""))[1]
        licence = licence_of(distribution(name))
        lines.append(f"| {name} | {', '.join(versions)} | {licence} | {remark} |\n")
    lines += [AFTER_PACKAGES, "| weight | out of | licence | sha256 |\n|---|---|---|---|\n"]
    for item in ARTEFACTS.values():
        origin = item.requirement or "the hub"
        lines.append(f"| `{item.name}` | {origin} | {item.licence} | `{item.sha256[:16]}…` |\n")
    demo = DEMO.format(
        speech=COLLECTION.name, wheel=COLLECTION.requirement, licence=COLLECTION.licence
    )
    return "".join((*lines, demo))


def _name(package: Distribution) -> str:
    return re.sub(r"[-_.]+", "-", package.metadata["Name"]).lower()


if __name__ == "__main__":
    print(page(), end="")
