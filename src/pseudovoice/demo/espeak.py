"""eSpeak NG through its C library: text in, samples of a synthetic voice out.

The library comes from the package ``espeakng-loader``, installed or fetched by name. It is native
code and it is run, which is why the bytes that are fetched must be those we know, file by file.
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import PseudovoiceError
from pseudovoice.models import Collection, FetchError, Member, fetch_collection

PACKAGE, VERSION = "espeakng-loader", "0.2.4"

_DATA = """
espeak-ng-data/phontab 58652 1b40690667e1e9aa1ba5e5234773c799e7e72ea751426e5150423d53c3f24fa2
espeak-ng-data/phonindex 43316 384e5fa6f714ba5356c58008249b78699c31c1ad044b243068d263fb806b7d73
espeak-ng-data/phondata 554740 a0b643b155cb6b12628d9e7865b57d9fca0d35844614f2594a5e009c80c80bb4
espeak-ng-data/intonations 2312 031a105bf6bb2ebcd73a2c579ccfb42469b27266db0078af65ae298fd3588b21
espeak-ng-data/en_dict 168204 1053f74a34af38abb6fbd64b7838dacbc655a687c48ce1bb663d364a127b05de
espeak-ng-data/lang/gmw/en 140 4605d5330801de3641c6e366d15f129ea1f5ffbce8722642aba01ace07ab9c83
espeak-ng-data/lang/gmw/en-US 257 41534c2a22df5dd4f1052ff9e1a33a3ea7bff5a26b5c02bdad5ba8ddb7524704
espeak-ng-data/voices/!v/f1 324 7cdef453c6b0391d50a02b8f35392e6f41249cea65df1021affd68a64917b85f
espeak-ng-data/voices/!v/f2 357 62b17f6c8f94add0310db032f5e463c13510c5ff83ef1f21e8894ccbf00b00e3
espeak-ng-data/voices/!v/f3 375 d0342ee8ceebe3047831774634d234e90281ec73ce2aed8dd0bdd915ccf500fc
espeak-ng-data/voices/!v/f4 350 ff9e2907a818920e3b976232c90eabaf270fff0de0b8a479af9a3633e9b7921f
espeak-ng-data/voices/!v/f5 432 6c76406d94540d59dee16de11520c37124a1f6dfc236981e483877075f0271b3
espeak-ng-data/voices/!v/m1 335 7f2de023bdfe18651d2d0453d2e7ff5e8ade9f094912a79247336ddc90fd7783
espeak-ng-data/voices/!v/m2 264 6eb925eb6691621a6de66c87596c6ed879c80a04215a9a8437dffc28fcfa14dd
espeak-ng-data/voices/!v/m3 300 7a4ac872387439814ddd65f5e1ff73017122975911df6b5dc62c5709e6fdb611
espeak-ng-data/voices/!v/m4 290 6bef82cea3538da1246b7a2c203206e90155cbb4af86faa8ef03366c3119ceee
espeak-ng-data/voices/!v/m5 262 08590ef7ce37630a6875d9cbe200dc473a9054b4184287808a4fd1c8e27dd02a
espeak-ng-data/voices/!v/m6 188 fc0e01af458a96d43f55878010d3abcbbda85e846922b25361a78d27c3a9ca00
espeak-ng-data/voices/!v/m7 254 bdfc54a3558ca98f9ca082479c5211034a824d8721db91804f9d77867db6fab3
espeak-ng-data/voices/!v/m8 284 060130540e2fae5f8acfb19bcd4ef3dc5dc8f8d2134c502bb57af277fd4cc491
"""

_LIBRARIES = """
Linux/x86_64 libespeak-ng.so 661568
b15ce0803b26254e8a0d088c6b9281a2637b2b02613147cc320cfdefaf2c3ccf
Linux/aarch64 libespeak-ng.so 605456
fe3022609ec80d5f740e046ceb8a0039225fd3de177d99f918858059095b8729
Darwin/x86_64 libespeak-ng.dylib 556232
d6a7203a3d84c384c5932c468a4d2645b2e7c42613af4e25a621336ab4c1f02a
Darwin/arm64 libespeak-ng.dylib 504168
bb635eee1ee9c456f4a5cf06fb6cb352ecdd4d61e1951743b423ef22bb57f470
Windows/AMD64 espeak-ng.dll 419328
646d387acbc7ac2aa45e3625aa00a6835ae5d446ff8b0748298c3900b4dde258
Windows/ARM64 espeak-ng.dll 413696
ebb4694f93506e5019197d7bf0e0f9225c4fcad90a0661870a55112de02e8ae3
"""

# espeak-ng's speak_lib.h. Synchronous, so that it starts no threads of its own: they do not survive
# being started twice in one process.
_SYNCHRONOUS, _DONT_EXIT, _UTF8 = 2, 0x8000, 1
_RATE, _PITCH = 1, 3
_Callback = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
)


class NoVoicesError(PseudovoiceError):
    """eSpeak NG is neither installed nor to be had, or does not work here."""


@dataclass(frozen=True)
class Espeak:
    """A loaded library; one at a time, since it keeps its state to itself."""

    library: Any
    sample_rate: int

    def speak(self, text: str, voice: str, *, pitch: int, rate: int) -> NDArray[np.float32]:
        """The text in a voice such as ``en-us+f2``; pitch 0 … 99, rate in words a minute."""
        heard: list[NDArray[np.int16]] = []

        def take(wave: Any, count: int, _events: Any) -> int:
            if wave and count > 0:
                heard.append(np.ctypeslib.as_array(wave, (count,)).copy())
            return 0

        callback: Callable[..., int] = _Callback(take)
        self.library.espeak_SetSynthCallback(callback)
        if self.library.espeak_SetVoiceByName(voice.encode("ascii")) != 0:
            raise NoVoicesError(f"eSpeak NG has no voice {voice}; install {PACKAGE} anew.")
        self.library.espeak_SetParameter(_RATE, rate, 0)
        self.library.espeak_SetParameter(_PITCH, pitch, 0)
        data = text.encode("utf-8") + b"\0"
        failed = self.library.espeak_Synth(data, len(data), 0, 1, 0, _UTF8, None, None)
        self.library.espeak_Synchronize()
        if failed or not heard:
            raise NoVoicesError(f"eSpeak NG gave no sound for the voice {voice}.")
        spoken: NDArray[np.float32] = np.concatenate(heard).astype(np.float32) / np.float32(32768)
        return spoken


def load_espeak() -> Espeak:
    """eSpeak NG from the installed package, or fetched by name into the user's cache."""
    folder = _installed() or _fetched()
    try:
        library = ctypes.CDLL(str(folder / _library().path))
        library.espeak_Synth.argtypes = [
            ctypes.c_char_p,
            ctypes.c_size_t,
            ctypes.c_uint,
            ctypes.c_int,
            ctypes.c_uint,
            ctypes.c_uint,
            ctypes.c_void_p,
            ctypes.c_void_p,
        ]
        rate = library.espeak_Initialize(_SYNCHRONOUS, 0, str(folder).encode(), _DONT_EXIT)
    except (OSError, AttributeError) as error:
        raise NoVoicesError(f"eSpeak NG in {folder} cannot be loaded ({error}).") from error
    if rate <= 0:
        raise NoVoicesError(f"eSpeak NG in {folder} does not start; its data are not readable.")
    return Espeak(library, rate)


def _installed() -> Path | None:
    """The folder of the installed package, which is found without running its code."""
    spec = find_spec(PACKAGE.replace("-", "_"))
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    return folder if (folder / _library().path).is_file() else None


def _fetched() -> Path:
    try:
        return fetch_collection(
            Collection(
                name="espeak-ng",
                wheel=PACKAGE,
                version=VERSION,
                root="espeakng_loader",
                members=(_library(), *(_member(line) for line in _DATA.split("\n")[1:-1])),
                licence="GPL-3.0-or-later",
                source="The speech synthesiser eSpeak NG",
            )
        )
    except FetchError as error:
        raise NoVoicesError(str(error)) from error


def _library() -> Member:
    here = f"{platform.system()}/{platform.machine()}"
    lines = iter(_LIBRARIES.split("\n")[1:-1])
    for first, sha256 in zip(lines, lines, strict=True):
        where, name, size = first.split()
        if where == here:
            return Member(name, sha256, int(size))
    raise NoVoicesError(f"{PACKAGE} has no library for {here}.")


def _member(line: str) -> Member:
    path, size, sha256 = line.split()
    return Member(path, sha256, int(size))
