"""A user's own ONNX file: what is told from its shape, what is declared, what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from pseudovoice.encoders import Declaration, Encoder, load_encoder, load_onnx
from pseudovoice.errors import InputError
from pseudovoice.models.cache import sha256_of
from pseudovoice.reassembly.speech_successor import load_successor
from pseudovoice.signal.fbank import kaldi_fbank, utterance_fbank

Float32 = NDArray[np.float32]


def with_shape(model: Path, target: Path, *sizes: int | str) -> Path:
    """The model with another declared input shape."""
    proto = onnx.load(model)
    dims = proto.graph.input[0].type.tensor_type.shape.dim
    del dims[:]
    for size in sizes:
        if isinstance(size, int):
            dims.add().dim_value = size
        else:
            dims.add().dim_param = size
    onnx.save(proto, target)
    return target


def test_fbank_is_told_from_the_shape(fbank_model: Path, voices: list[Float32]) -> None:
    encoder = load_encoder(f"onnx:{fbank_model}")
    assert isinstance(encoder, Encoder)
    assert (encoder.sample_rate, encoder.dimension) == (16_000, 80)
    assert encoder.sha256 == sha256_of(fbank_model)
    expected = [np.abs(utterance_fbank(v)).mean(axis=0) for v in voices]
    np.testing.assert_allclose(encoder.embed(voices), expected, atol=1e-4)


def test_waveform_is_told_from_the_shape(waveform_model: Path, voices: list[Float32]) -> None:
    encoder = load_encoder(f"onnx:{waveform_model}")
    rows = encoder.embed(voices)
    assert rows.shape == (3, 16)
    # The network is homogeneous, so samples reach it as they are, without any normalisation.
    np.testing.assert_allclose(encoder.embed([0.5 * voices[0]])[0], 0.5 * rows[0], rtol=1e-4)


def test_declaration_beside_the_file(
    fbank_model: Path, tmp_path: Path, voices: list[Float32]
) -> None:
    model = Path(shutil.copy(fbank_model, tmp_path / "own.onnx"))
    facts = {"input": "fbank", "sample_rate": 8000, "licence": "CC0-1.0", "subtract_mean": False}
    model.with_suffix(".json").write_text(json.dumps(facts | {"scale": 1, "shortest_seconds": 0.5}))
    encoder = load_onnx(model)
    assert encoder.sample_rate == 8000
    assert encoder.licence == "CC0-1.0"
    assert encoder.shortest_seconds == 0.5
    expected = np.abs(kaldi_fbank(voices[0], rate=8000, scale=1.0)).mean(axis=0)
    np.testing.assert_allclose(encoder.embed([voices[0]])[0], expected, atol=1e-4)
    assert load_onnx(model, declaration=Declaration(licence="MIT")).sample_rate == 16_000


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "one JSON object"),
        ('{"rate": 1}', "unknown key 'rate'"),
        ('{"input": "mfcc"}', "waveform or fbank"),
        ('{"input": "waveform"}', "no waveform of free length"),
        ('{"sample_rate": "16k"}', "must be a int"),
        ('{"sample_rate": true}', "must be a int"),
        ('{"sample_rate": -1}', "greater than 0"),
        ('{"output": "logits"}', "no output 'logits'"),
        # Numbers that would take all memory.
        ("[" * 5000, "nested too deep"),
        ('{"sample_rate": 1}', "must be from 1,000 to 768,000"),
        ('{"sample_rate": ' + "9" * 400 + "}", "must be from 1,000 to 768,000"),
        ('{"shortest_seconds": 1e300}', "must be from 0.001 to 30"),
        ('{"shortest_seconds": Infinity}', "must be from 0.001 to 30"),
        ('{"scale": 1e300}', "scale must be from"),
    ],
)
def test_wrong_declarations_are_sentences(
    fbank_model: Path, tmp_path: Path, text: str, sentence: str
) -> None:
    model = Path(shutil.copy(fbank_model, tmp_path / "own.onnx"))
    model.with_suffix(".json").write_text(text)
    with pytest.raises(InputError, match=sentence):
        load_onnx(model)


@pytest.mark.parametrize("sizes", [("b", 300, 80), ("b", "t", 3), ("b", "t", 80, 1), ("b", 16_000)])
def test_shapes_that_cannot_be_speech(
    fbank_model: Path, tmp_path: Path, sizes: tuple[int | str, ...]
) -> None:
    with pytest.raises(InputError, match="no speech of free length"):
        load_onnx(with_shape(fbank_model, tmp_path / "own.onnx", *sizes))


def test_fixed_batch_of_one_is_run_singly(
    fbank_model: Path, tmp_path: Path, voices: list[Float32]
) -> None:
    single = load_onnx(with_shape(fbank_model, tmp_path / "own.onnx", 1, "t", 80))
    same = [voices[0], voices[0]]
    np.testing.assert_allclose(single.embed(same), load_onnx(fbank_model).embed(same), rtol=1e-5)


@pytest.mark.parametrize("content", [b"", b"not a model", b"\x08\x08\x12\x00"])
def test_files_that_are_no_models(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "own.onnx").write_bytes(content)
    with pytest.raises(InputError, match=r"own\.onnx cannot be opened as an ONNX model"):
        load_onnx(tmp_path / "own.onnx")
    with pytest.raises(InputError, match="does not exist"):
        load_onnx(tmp_path / "none.onnx")


def test_weights_in_another_file_are_refused(waveform_model: Path, tmp_path: Path) -> None:
    onnx.save(
        onnx.load(waveform_model),
        tmp_path / "own.onnx",
        save_as_external_data=True,
        location="own.data",
        size_threshold=0,
    )
    assert (tmp_path / "own.data").is_file()
    with pytest.raises(InputError, match="keeps its weights in another file"):
        load_onnx(tmp_path / "own.onnx")


def elsewhere(name: str = "secret") -> onnx.TensorProto:
    """A tensor whose numbers are those of a file outside the model's folder."""
    tensor = onnx.helper.make_tensor(name, onnx.TensorProto.FLOAT, [1], [1.0])
    del tensor.float_data[:]
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in {"location": "../secret.bin", "offset": "0", "length": "4"}.items():
        tensor.external_data.add(key=key, value=value)
    return tensor


def constant() -> onnx.NodeProto:
    return onnx.helper.make_node("Constant", [], ["leaked"], value=elsewhere())


def branch(name: str, *nodes: onnx.NodeProto) -> onnx.GraphProto:
    info = onnx.helper.make_tensor_value_info("leaked", onnx.TensorProto.FLOAT, [1])
    return onnx.helper.make_graph(list(nodes), name, [], [info])


def hidden_in(model: onnx.ModelProto, where: str) -> None:
    """Put a tensor that points elsewhere into some corner of the model."""
    graph = model.graph
    either = {"then_branch": branch("then", constant()), "else_branch": branch("else", constant())}
    match where:
        case "constant":
            graph.node.append(constant())
        case "sparse weights":
            sparse = graph.sparse_initializer.add(dims=[1])
            sparse.values.CopyFrom(elsewhere())
            sparse.indices.CopyFrom(onnx.helper.make_tensor("i", onnx.TensorProto.INT64, [1], [0]))
        case "sparse attribute":
            node = onnx.helper.make_node("Constant", [], ["leaked"])
            attribute = node.attribute.add(name="sparse_value")
            attribute.type = onnx.AttributeProto.SPARSE_TENSOR
            attribute.sparse_tensor.values.CopyFrom(elsewhere())
            graph.node.append(node)
        case "list of tensors":
            node = onnx.helper.make_node("Constant", [], ["leaked"])
            attribute = node.attribute.add(name="several", type=onnx.AttributeProto.TENSORS)
            attribute.tensors.append(elsewhere())
            graph.node.append(node)
        case "branch":
            graph.node.append(onnx.helper.make_node("If", ["c"], ["leaked"], **either))
        case "branch of a branch":
            inner = onnx.helper.make_node("If", ["c"], ["leaked"], **either)
            body = branch("body", inner)
            graph.node.append(onnx.helper.make_node("Loop", ["n", "c"], ["leaked"], body=body))
        case "scan":
            body = branch("body")
            body.initializer.append(elsewhere())
            graph.node.append(
                onnx.helper.make_node("Scan", ["x"], ["y"], body=body, num_scan_inputs=1)
            )
        case "function":
            opset = [onnx.helper.make_opsetid("", 17)]
            function = onnx.helper.make_function("own", "F", [], ["leaked"], [constant()], opset)
            model.functions.append(function)
        case "training":
            training = model.training_info.add()
            training.algorithm.CopyFrom(branch("step", constant()))
            training.initialization.CopyFrom(branch("begin", constant()))
        case "no location said":
            tensor = elsewhere()
            tensor.data_location = onnx.TensorProto.DEFAULT
            graph.initializer.append(tensor)


@pytest.mark.parametrize(
    "where",
    [
        "constant",
        "sparse weights",
        "sparse attribute",
        "list of tensors",
        "branch",
        "branch of a branch",
        "scan",
        "function",
        "training",
        "no location said",
    ],
)
def test_no_tensor_may_name_another_file_wherever_it_is(
    waveform_model: Path, tmp_path: Path, where: str
) -> None:
    (tmp_path / "secret.bin").write_bytes(np.float32([42.0]).tobytes())
    (tmp_path / "models").mkdir()
    model = onnx.load(waveform_model)
    hidden_in(model, where)
    target = tmp_path / "models" / "own.onnx"
    target.write_bytes(model.SerializeToString())
    with pytest.raises(InputError, match="keeps its weights in another file"):
        load_onnx(target)
    with pytest.raises(InputError, match="keeps its weights in another file"):
        load_successor(target)


def test_a_constant_inside_the_file_is_no_fault(waveform_model: Path, tmp_path: Path) -> None:
    model = onnx.load(waveform_model)
    inside = onnx.helper.make_tensor("v", onnx.TensorProto.FLOAT, [1], [1.0])
    model.graph.node.append(onnx.helper.make_node("Constant", [], ["unused"], value=inside))
    onnx.save(model, tmp_path / "own.onnx")
    assert load_onnx(tmp_path / "own.onnx").dimension == load_onnx(waveform_model).dimension


def test_long_recordings_are_embedded_in_parts(fbank_model: Path) -> None:
    encoder = load_onnx(fbank_model)
    noise = (0.1 * np.random.default_rng(0).standard_normal(16_000 * 61)).astype(np.float32)
    halves = encoder.embed([noise[: noise.size // 2], noise[noise.size // 2 :]])
    np.testing.assert_allclose(encoder.embed([noise])[0], halves.mean(axis=0), rtol=1e-5)
    short = noise[:8000]
    mixed = encoder.embed([short, noise, short])
    np.testing.assert_array_equal(mixed[0], mixed[2])
    np.testing.assert_allclose(mixed[1], halves.mean(axis=0), rtol=1e-5)


@pytest.mark.parametrize("rate", ["²", "16k", "9" * 5000, "1"])
def test_a_rate_in_the_file_that_is_none_is_a_sentence(
    fbank_model: Path, tmp_path: Path, rate: str
) -> None:
    proto = onnx.load(fbank_model)
    onnx.helper.set_model_props(proto, {"sample_rate": rate})
    onnx.save(proto, tmp_path / "own.onnx")
    with pytest.raises(InputError, match="says that its sample rate is"):
        load_onnx(tmp_path / "own.onnx")


def test_a_model_that_takes_nothing_is_a_sentence(tmp_path: Path) -> None:
    value = onnx.helper.make_tensor("v", onnx.TensorProto.FLOAT, [1, 4], [1, 2, 3, 4])
    node = onnx.helper.make_node("Constant", [], ["e"], value=value)
    given = onnx.helper.make_tensor_value_info("e", onnx.TensorProto.FLOAT, [1, 4])
    graph = onnx.helper.make_graph([node], "g", [], [given])
    opset = [onnx.helper.make_opsetid("", 13)]
    onnx.save(
        onnx.helper.make_model(graph, opset_imports=opset, ir_version=8), tmp_path / "own.onnx"
    )
    with pytest.raises(InputError, match="takes or gives nothing"):
        load_onnx(tmp_path / "own.onnx")


@pytest.mark.parametrize(("name", "odd"), [(b"16000", b"160\xe90"), (b"batch", b"b\xeetch")])
def test_names_that_are_no_text_are_a_sentence(
    fbank_model: Path, tmp_path: Path, name: bytes, odd: bytes
) -> None:
    proto = onnx.load(fbank_model)
    onnx.helper.set_model_props(proto, {"sample_rate": "16000"})
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
    whole = proto.SerializeToString()
    assert name in whole
    (tmp_path / "own.onnx").write_bytes(whole.replace(name, odd))
    with pytest.raises(InputError, match=r"names in it that are not UTF-8|cannot be opened"):
        load_onnx(tmp_path / "own.onnx")
