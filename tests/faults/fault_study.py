"""The small study that every fault is tried on: real audio files, every verb that writes."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from scipy.signal import lfilter

from pseudovoice.keys import Key, write_key

RATE = 8_000
SPEAKERS = {"ann": "f", "bea": "f", "cal": "m"}
TAKES = 2
SECONDS = 0.45


@dataclass(frozen=True)
class Verb:
    """One command of the study: its words, and the outputs it leaves below ``out``."""

    name: str
    words: tuple[str, ...]
    release: str | None = None
    """The folder, below ``out``, that holds speech to be given away, if the verb makes one."""
    speech: str | None = None
    """The folder, below ``out``, whose folders are such releases."""
    by_content: tuple[str, ...] = ()
    """Folders, below ``out``, whose entries are named by what they were made of: a run that could
    not read a file, and said so, works on another corpus and leaves entries of its own there."""


ENCODER = ("--encoder", "onnx:in/tiny.onnx", "--replicates", "8", "--permutations", "8")

VERBS = (
    Verb(
        "protect",
        ("protect", "in/speech", "out/mcadams", "--safeguard", "mcadams:alpha=0.8"),
        "mcadams",
    ),
    Verb(
        "persona",
        ("protect", "in/speech", "out/persona", "--safeguard", "persona:candidates=1", "--rename",
         "--key-file", "in/study.key"),
        "persona",
    ),
    Verb(
        "slice",
        ("slice", "in/speech", "out/slices", "--method", "fixed", "--duration", "0.2",
         "--key-file", "in/study.key", "--undo-table", "out/undo.csv"),
        "slices",
    ),
    Verb(
        "chain",
        ("protect", "in/speech", "out/chain", "--safeguard",
         "mcadams-random+slice:duration=0.2,method=fixed", "--key-file", "in/study.key"),
        "chain",
    ),
    Verb("inspect", ("inspect", "in/speech")),
    Verb(
        "assess",
        ("assess", "audio", "in/speech", "in/protected", *ENCODER, "-o", "out/assessed",
         "--no-figures"),
    ),
    Verb(
        "compare",
        ("compare", "in/speech", "--safeguard", "mcadams:alpha=0.8", "--safeguard",
         "mcadams-random", *ENCODER, "--no-utility", "--no-figures", "--key-file", "in/study.key",
         "-o", "out/study"),
        speech="study/speech",
        by_content=("study/speech", "study/work", "study/work/stages"),
    ),
)  # fmt: skip


def words_of(verb: Verb) -> tuple[str, ...]:
    """The whole command line; one worker, so that the n-th operation is always much the same."""
    alone = () if verb.name == "inspect" else ("--workers", "1")
    return (*verb.words, *alone, "--json")


def spoken(speaker: int, take: int) -> NDArray[np.float64]:
    """Something like a vowel: a pulse train through three resonances, with a little noise."""
    rng = np.random.default_rng([11, speaker, take])
    own = np.random.default_rng([12, speaker])
    pitch = own.uniform(90, 240) * (1 + 0.03 * rng.standard_normal())
    steps = np.arange(int(SECONDS * RATE))
    source = np.diff(np.floor(steps * pitch / RATE), prepend=0.0)
    source += 0.02 * rng.standard_normal(steps.size)
    for centre in own.uniform((300, 1000, 2200), (900, 2000, 3200)):
        angle, radius = 2 * np.pi * centre / RATE, 0.96
        source = lfilter([1.0], [1.0, -2 * radius * np.cos(angle), radius**2], source)
    return np.asarray(0.3 * source / np.abs(source).max())


def write_material(folder: Path) -> None:
    """The input of all verbs: speech, the same in other voices, a key and a small encoder."""
    for name, offset in (("speech", 0), ("protected", 100)):
        lines = ["utt\tspeaker\tgender"]
        for number, (speaker, gender) in enumerate(SPEAKERS.items()):
            place = folder / "in" / name / speaker
            place.mkdir(parents=True)
            for take in range(TAKES):
                utterance = f"{speaker}-{take}"
                sound = spoken(number + offset, take)
                suffix = ".flac" if take else ".wav"
                soundfile.write(place / f"{utterance}{suffix}", sound, RATE)
                lines.append(f"{utterance}\t{speaker}\t{gender}")
        (folder / "in" / name / "metadata.tsv").write_text("\n".join(lines) + "\n")
    write_key(Key(bytes(range(32))), folder / "in" / "study.key")
    (folder / "in" / "tiny.onnx").write_bytes(tiny_encoder())
    (folder / "in" / "tiny.json").write_text(json.dumps({"sample_rate": RATE}))
    (folder / "out").mkdir()
    (folder / "cache").mkdir()


def tiny_encoder() -> bytes:
    """Kaldi features to twelve numbers: tanh of the mean power of the bands, mixed."""
    weights = np.random.default_rng(3).normal(size=(80, 12)).astype(np.float32) / 20
    graph = helper.make_graph(
        [
            helper.make_node("Mul", ["feats", "feats"], ["power"]),
            helper.make_node("ReduceMean", ["power", "axis"], ["pooled"], keepdims=0),
            helper.make_node("MatMul", ["pooled", "w"], ["mixed"]),
            helper.make_node("Tanh", ["mixed"], ["embedding"]),
        ],
        "tiny",
        [helper.make_tensor_value_info("feats", TensorProto.FLOAT, ["n", "t", 80])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["n", 12])],
        [
            numpy_helper.from_array(weights, "w"),
            numpy_helper.from_array(np.array([1], np.int64), "axis"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return bytes(model.SerializeToString())


def fresh(template: Path, root: Path) -> Path:
    """A new copy of the study's input, with nothing made of it yet."""
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(template, root)
    return root


def restore_input(template: Path, root: Path) -> None:
    """Put back what vanished of the input; what runs keep beside the key stays."""
    (root / "in").mkdir(exist_ok=True)
    shutil.copytree(template / "in", root / "in", dirs_exist_ok=True)
    for name in ("out", "cache"):
        (root / name).mkdir(exist_ok=True)
