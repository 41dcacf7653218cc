"""One recording, as a program asks for it: opened, heard, corrected, decided on, handed on."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from loopback_client import Client

from pseudovoice.diarisation.formats import read_turns
from pseudovoice.errors import PseudovoiceError
from pseudovoice.safeguards import parse_chain
from pseudovoice.serve.takes import SOUND, SPEECH, Take
from pseudovoice.serve.tasks import read_overlap, read_people, read_safeguard, safeguards_offered

RATE = 8_000


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """Four seconds: a ramp, so that every piece tells where it is from."""
    path = tmp_path / "speech" / "Gespräch 1.wav"
    path.parent.mkdir()
    soundfile.write(path, np.linspace(0.0, 0.8, 4 * RATE), RATE)
    return path


@pytest.fixture
def client(serve: Any, talk: Path) -> Client:
    return serve(talk.parent)


def opened(client: Client, name: str = "Gespräch 1.wav") -> dict[str, Any]:
    answer = client.post("recording/open", {"path": name})
    assert answer.status == 201, answer.sentence
    return dict(answer.tree)


def save(client: Client, known: dict[str, Any], turns: object, version: str | None = None) -> Any:
    said = {"id": known["id"], "turns": turns}
    said["version"] = known["version"] if version is None else version
    return client.post("recording/turns", said)


def test_a_recording_is_opened_and_heard_in_pieces(client: Client) -> None:
    known = opened(client)
    assert (known["seconds"], known["sample_rate"], known["turns"]) == (4.0, RATE, None)
    answer = client.get(f"recording/sound?id={known['id']}&from=1&to=1.5")
    assert answer.headers["Content-Type"] == "audio/wav"
    samples, rate = soundfile.read(io.BytesIO(answer.body))
    assert (len(samples), rate) == (RATE // 2, RATE)
    assert samples[0] == pytest.approx(0.2, abs=1e-3)
    # What lies beyond the end is not there, and no error either as long as something is.
    late = client.get(f"recording/sound?id={known['id']}&from=3.9&to=60").body
    assert len(soundfile.read(io.BytesIO(late))[0]) == pytest.approx(0.1 * RATE, abs=1)
    for wrong in (
        "from=5&to=6",
        "from=2&to=1",
        "from=nan&to=1",
        "from=x&to=1",
        "to=1",
        "from=1e999&to=2",
    ):
        refused = client.get(f"recording/sound?id={known['id']}&{wrong}")
        assert refused.status == 422, wrong
        assert refused.sentence.endswith(".")


def test_a_reference_measures_and_changes_nothing(client: Client, tmp_path: Path) -> None:
    known = opened(client)
    assert known["reference"] is None
    elan = "SPEAKER Gespräch_1 1 0 2 <NA> <NA> x <NA> <NA>\n"

    def give(name: object, text: object) -> Any:
        return client.post("recording/reference", {"id": known["id"], "name": name, "text": text})

    told = give("wahr.rttm", elan).tree["reference"]
    assert told == {"people": 1, "turns": 1, "now": None, "found": None}
    assert opened(client)["turns"] is None
    answer = save(client, known, [[0.0, 1.0, "Anna"]])
    assert answer.tree["reference"]["now"].startswith("DER 50.0 % (50.0 % missed")
    assert opened(client)["reference"]["now"] == answer.tree["reference"]["now"]
    for name, text, sentence in (
        ("wahr.doc", elan, "wahr.doc: turns are kept in files that end in"),
        ("../wahr.rttm", "SPEAKER x\n", "wahr.rttm:1: "),
        ("wahr.rttm", "", "says nothing of who speaks in Gespräch 1.wav"),
        (None, elan, "A reference is the name and the text"),
        ("wahr.rttm", 3, "A reference is the name and the text"),
        ("", elan, "A reference is the name and the text"),
    ):
        refused = give(name, text)
        assert refused.status == 422, name
        assert sentence in refused.sentence
        assert ".." not in refused.sentence
    assert opened(client)["reference"] is not None
    assert give(None, None).tree == {"reference": None}
    assert not list((tmp_path / "out" / "turns").glob("*.reference.rttm"))


def test_only_recordings_below_the_roots_are_opened(
    client: Client, tmp_path: Path, talk: Path
) -> None:
    outside = tmp_path / "secret.wav"
    outside.write_bytes(talk.read_bytes())
    (talk.parent / "link.wav").symlink_to(outside)
    (talk.parent / "notes.txt").write_text("a diary")
    (talk.parent / "broken.wav").write_bytes(b"RIFF")
    for wish, says in (
        (str(outside), "lies outside"),
        ("../secret.wav", "lies outside"),
        ("link.wav", "lies outside"),
        ("../nothing.wav", "lies outside"),
        ("notes.txt", "no recording"),
        ("nothing.wav", "does not exist"),
        (".", "is a folder"),
        ("", "No recording is named"),
        ("a\0b", "NUL"),
        ("broken.wav", "broken.wav"),
        (7, "named by its path"),
    ):
        answer = client.post("recording/open", {"path": wish})
        assert answer.status == 422, wish
        assert says in answer.sentence
        assert "diary" not in answer.sentence
    assert client.get("recording/state?id=0123").status == 422
    assert client.get("recording/nothing?id=0123").status == 404


def test_turns_are_saved_beside_the_recording(client: Client, talk: Path) -> None:
    known = opened(client)
    answer = save(client, known, [[0, 1.5, "Anna Ä"], [1.5, 99, "Ben"]])
    assert answer.status == 200, answer.sentence
    file = talk.with_suffix(".rttm")
    (turns,) = read_turns(file).values()
    assert turns.recording == "Gespräch_1"
    assert [(t.start, t.end, t.person) for t in turns.turns] == [
        (0.0, 1.5, "Anna_Ä"),
        (1.5, 4.0, "Ben"),
    ]
    again = opened(client)
    assert again["turns"] == [[0.0, 1.5, "Anna_Ä"], [1.5, 4.0, "Ben"]]
    assert again["version"] == answer.tree["version"]
    # Corrections to another version would overwrite somebody's work.
    refused = save(client, known, [])
    assert refused.status == 409
    assert "changed elsewhere" in refused.sentence
    assert read_turns(file) == {"Gespräch_1": turns}
    copy = client.get(f"recording/turns?id={known['id']}")
    assert copy.body == file.read_bytes()
    assert copy.headers["Content-Disposition"] == 'attachment; filename="Gesprach-1.rttm"'


def test_other_recordings_of_a_file_of_turns_stay(client: Client, talk: Path) -> None:
    file = talk.with_suffix(".rttm")
    file.write_text(
        "SPEAKER Gespräch_1 1 0.000 1.000 <NA> <NA> Anna <NA> <NA>\n"
        "SPEAKER another 1 5.000 1.000 <NA> <NA> Cem <NA> <NA>\n",
        encoding="utf-8",
    )
    known = opened(client)
    assert known["turns"] == [[0.0, 1.0, "Anna"]]
    assert save(client, known, [[2, 3, "Dora"]]).status == 200
    every = read_turns(file)
    assert every["Gespräch_1"].people == ("Dora",)
    assert every["another"].people == ("Cem",)


@pytest.mark.parametrize(
    "turns",
    [
        None,
        {},
        [[0, 1]],
        [[0, 1, 2]],
        [["x", 1, "Anna"]],
        [[2, 1, "Anna"]],
        [[-1, 1, "Anna"]],
        [[0, 1, " "]],
        [[0, 1, "a\nSPEAKER x"]],
        [[0, 1, "a\u202eb"]],
        [[0, 1, "x" * 101]],
        [[0, 1, "\ud800"]],
        [[True, 1, "Anna"]],
        [[0, None, "Anna"]],
    ],
)
def test_turns_that_are_none_get_a_sentence(client: Client, talk: Path, turns: object) -> None:
    known = opened(client)
    answer = save(client, known, turns)
    # A line break in a name is a blank, and blanks become one word; it never begins a new line.
    if turns == [[0, 1, "a\nSPEAKER x"]]:
        assert answer.status == 422 or "\n" not in opened(client)["turns"][0][2]
        return
    assert answer.status == 422
    assert answer.sentence.endswith(".")
    assert not talk.with_suffix(".rttm").exists()


def test_what_is_dropped_is_found_again(serve: Any, talk: Path, tmp_path: Path) -> None:
    def dropped(client: Client, *files: tuple[str, bytes]) -> Any:
        place = client.post("drop", {}).tree["id"]
        for name, body in files:
            assert client.put(f"drop/{place}/{name}", body).status == 201
        return client.post("recording/open", {"dropped": place})

    rttm = b"SPEAKER whatever 1 0.500 1.000 <NA> <NA> Anna <NA> <NA>\n"
    sound = talk.read_bytes()
    first: Client = serve(tmp_path)
    known = dropped(first, ("a.wav", sound), ("a.rttm", rttm)).tree
    assert known["turns"] == [[0.5, 1.5, "Anna"]]
    assert not known["beside"]
    assert save(first, known, [[1, 2, "Ben"]]).status == 200
    # The next server gets the same recording under another name.
    second: Client = serve(tmp_path)
    again = dropped(second, ("b.wav", sound)).tree
    assert (again["id"], again["turns"]) == (known["id"], [[1.0, 2.0, "Ben"]])
    assert "There is no recording" in dropped(second, ("a.rttm", rttm)).sentence
    both = dropped(second, ("a.wav", sound), ("b.wav", sound))
    assert "2 recordings" in both.sentence


def test_safeguards_are_offered_with_their_choices() -> None:
    offered = {one["name"]: one for one in safeguards_offered()}
    assert "slice" not in offered  # which cuts what one person said
    options = {one["name"]: one for one in offered["xvector"]["options"]}
    # Neither paths nor models: the page opens no file of its own choice.
    assert list(options) == ["target", "gender", "contour"]
    assert [value for value, _ in options["gender"]["choices"]] == ["any", "same", "cross"]
    assert all(says for one in options.values() for _, says in one["choices"])
    assert {one["name"] for one in offered["persona"]["options"]} == {
        "engine", "strength", "target", "candidates",
    }  # fmt: skip
    for name, one in offered.items():
        usual = {o["name"]: o["default"] for o in one["options"]}
        assert read_safeguard(name, usual) == name
    chosen = read_safeguard("xvector", {"gender": "cross", "contour": "smooth"})
    (link,) = parse_chain(chosen).links
    assert (link.gender, link.contour) == ("cross", "smooth")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("nothing", {}),
        (None, {}),
        ("slice", {"duration": 1}),
        ("xvector", {"pool": "/etc/passwd"}),
        ("xvector", {"voice": "x"}),
        ("xvector", {"target": "somebody"}),
        ("xvector", {"target": ["synthetic"]}),
        ("xvector", "target"),
        ("persona", {"encoders": "onnx:/etc/passwd"}),
        ("persona", {"strength": 3}),
        ("persona", {"candidates": 1.5}),
        ("mcadams", {"alpha": "0.8,+slice"}),
        ("mcadams", {"alpha": True}),
        ("mcadams-random", {"low": 0.9, "high": 0.8}),
    ],
)
def test_wrong_safeguards_get_a_sentence(name: object, options: object) -> None:
    with pytest.raises(PseudovoiceError) as error:
        read_safeguard(name, options)
    assert str(error.value).endswith(".")


@pytest.mark.parametrize("said", [0, 51, "2", 1.5, True, -1])
def test_people_are_counted(said: object) -> None:
    assert read_people(None) is None
    assert read_people(2) == 2
    with pytest.raises(PseudovoiceError, match="whole number"):
        read_people(said)
    with pytest.raises(PseudovoiceError, match="voice or mute"):
        read_overlap("loud")


def test_work_that_cannot_be_begun_is_refused(client: Client) -> None:
    known = opened(client)
    plain = {"id": known["id"], "safeguard": "mcadams", "options": {}}
    for said, says in (
        ({**plain}, "true or false"),
        ({**plain, "by_turns": True}, "Nobody has said who speaks"),
        ({**plain, "by_turns": False, "overlap": "loud"}, "voice or mute"),
        ({**plain, "by_turns": False, "id": "x"}, "not open any more"),
    ):
        answer = client.post("run/protect", said)
        assert (answer.status, says in answer.sentence) == (422, True), answer.sentence
    assert client.post("run/diarise", {"id": known["id"], "people": 0}).status == 422
    assert client.server.runs.state() == (0, None)


SIGNED = {
    "name": "A. B., controller",
    "place": "Bonn",
    "purpose": "research",
    "measures": "",
    "risk": "acceptable",
}


def taken(client: Client, name: str, sound: np.ndarray) -> tuple[dict[str, Any], Take]:
    """A take as `protect` leaves it; how it was made is no part of this."""
    known = opened(client, name)
    folder = client.server.readable.out / "gesprach-mcadams"
    (folder / SPEECH).mkdir(parents=True)
    made = Take(folder, known["id"], "mcadams", "voice", ("Anna",), "It was protected.")
    soundfile.write(made.sound, sound, RATE)
    made.record.write_text('{"safeguard": {"chain": [{"safeguard": "mcadams"}]}}')
    made.turns.write_text("SPEAKER x 1 0 1 <NA> <NA> Anna <NA> <NA>\n")
    made.write()
    return known, made


@pytest.fixture
def take(client: Client, talk: Path) -> tuple[dict[str, Any], Take]:
    return taken(client, talk.name, -soundfile.read(talk)[0])


def prepared(client: Client, said: dict[str, Any]) -> tuple[str, str]:
    """How the preparing of a release ends, and what the page says of it."""
    assert client.post("run/release", said).status == 201
    for seen in client.server.runs.watch(1.0):
        if seen is not None and seen[1] is not None and seen[1].state != "running":
            return seen[1].state, seen[1].message
    raise AssertionError("the server has stopped")


def test_original_speech_is_not_released(client: Client, talk: Path) -> None:
    rng = np.random.default_rng(7)
    original, other = 0.1 * rng.standard_normal((2, 4 * RATE))
    soundfile.write(talk.with_name("noise.wav"), original, RATE)
    # A second of it, softer and upside down.
    other[RATE : 2 * RATE] = -0.5 * original[2 * RATE : 3 * RATE]
    known, made = taken(client, "noise.wav", other)
    said = {"id": known["id"], "take": made.folder.name}
    assert client.post("recording/decision", {**said, **SIGNED}).status == 200
    state, message = prepared(client, said)
    assert (state, "is original speech from second" in message) == ("failed", True), message
    assert not opened(client, "noise.wav")["takes"][0]["packed"]
    answer = client.get(f"recording/release?id={known['id']}&take={made.folder.name}")
    assert (answer.status, "prepare it" in answer.sentence) == (422, True)


def test_a_release_is_signed_and_holds_what_may_leave(
    client: Client, take: tuple[dict[str, Any], Take]
) -> None:
    known, made = take
    (shown,) = opened(client)["takes"]
    assert (shown["name"], shown["safeguard"], shown["decision"]) == (
        made.folder.name,
        "mcadams",
        None,
    )
    ask = f"recording/release?id={known['id']}&take={made.folder.name}&as=Interview%207"
    unsigned = client.get(ask)
    assert (unsigned.status, "signed" in unsigned.sentence) == (422, True)
    said = {"id": known["id"], "take": made.folder.name}
    for wrong, says in (
        ({"name": " "}, "your name"),
        ({"purpose": ""}, "the purpose"),
        ({"risk": "none"}, "remaining risk"),
        ({"risk": "measures"}, "which"),
        ({"place": "x" * 201}, "characters"),
        ({"place": "\ud800"}, "half a character"),
        ({"take": "../.."}, "no such"),
    ):
        refused = client.post("recording/decision", {**said, **SIGNED, **wrong})
        assert (refused.status, says in refused.sentence) == (422, True), refused.sentence
    begun = client.post("run/release", said)
    assert (begun.status, "signed" in begun.sentence) == (422, True)
    assert client.post("recording/decision", {**said, **SIGNED}).status == 200
    assert not opened(client)["takes"][0]["packed"]
    assert "prepare it" in client.get(ask).sentence
    state, message = prepared(client, said)
    assert (state, "ready" in message) == ("finished", True), message
    assert opened(client)["takes"][0]["packed"]
    answer = client.get(ask)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="Interview-7.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.body)) as packed:
        names = packed.namelist()
        assert names == [
            "SHA256SUMS", "annex/decision.json", "release.json",
            f"speech/{SOUND}", "speech/protection.json",
        ]  # fmt: skip
        decision = json.loads(packed.read("annex/decision.json"))
        every = b"".join(packed.read(name) for name in names)
    assert decision["name"] == SIGNED["name"]
    assert set(decision["sha256"]) == {SOUND, "protection.json"}
    for secret in (b"Anna", "Gespräch".encode(), known["id"].encode(), client.token.encode()):
        assert secret not in every
    # Whatever comes to lie there is no speech that may go out.
    stranger = made.sound.with_name("turns.rttm")
    stranger.write_text("Anna")
    state, message = prepared(client, said)
    assert (state, "no protected speech" in message) == ("failed", True), message
    stranger.unlink()
    # Whoever signs again has another release packed.
    assert client.post("recording/decision", {**said, **SIGNED, "place": "Bonn"}).status == 200
    assert "prepare it" in client.get(ask).sentence
    # What was signed is what is released.
    made.sound.write_bytes(made.sound.read_bytes() + b"\0\0")
    changed = client.get(ask)
    assert (changed.status, "changed since" in changed.sentence) == (422, True)
    bad = {**said, **SIGNED, "risk": "not acceptable"}
    assert client.post("recording/decision", bad).status == 200
    assert "not released" in client.get(ask).sentence


def test_takes_lie_in_the_folder_of_results_only(
    client: Client, take: tuple[dict[str, Any], Take], tmp_path: Path, talk: Path
) -> None:
    known, made = take
    elsewhere = tmp_path / "elsewhere"
    made.folder.rename(elsewhere)
    (client.server.readable.out / "linked").symlink_to(elsewhere)
    assert opened(client)["takes"] == []
    for name in ("linked", "../elsewhere", "..", "", ".", "elsewhere"):
        answer = client.get(f"recording/file?id={known['id']}&take={name}")
        assert answer.status == 422, name
    # Nor is the take of one recording that of another.
    other = talk.with_name("other.wav")
    soundfile.write(other, np.zeros(RATE), RATE)
    made.folder.parent.joinpath("own", SPEECH).mkdir(parents=True)
    mine = Take(made.folder.parent / "own", known["id"], "mcadams", None, (), "")
    mine.sound.write_bytes(talk.read_bytes())
    mine.write()
    assert client.get(f"recording/file?id={known['id']}&take=own").status == 200
    assert (
        client.get(f"recording/file?id={opened(client, 'other.wav')['id']}&take=own").status == 422
    )
