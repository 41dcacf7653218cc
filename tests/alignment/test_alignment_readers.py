"""Alignments of other tools: every format, and every way in which a file can be wrong."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pseudovoice.alignment import AlignmentError, Word, align, read_alignments
from pseudovoice.alignment.readers.textgrid import FormatFault, read_textgrid
from pseudovoice.corpus import Utterance
from pseudovoice.errors import InputError

WORDS = (Word("GO", 0.49, 0.89), Word("DO", 1.27, 1.38), Word("YOU", 1.38, 1.49))

LONG = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 2.09
tiers? <exists>
size = 3
item []:
    item [1]:
        class = "IntervalTier"
        name = "words"
        xmin = 0
        xmax = 2.09
        intervals: size = 6
        intervals [1]:
            xmin = 0
            xmax = 0.49
            text = ""
        intervals [2]:
            xmin = 0.49
            xmax = 0.89
            text = "GO"
        intervals [3]:
            xmin = 0.89
            xmax = 1.27
            text = "sil"
        intervals [4]:
            xmin = 1.27
            xmax = 1.38
            text = "DO"
        intervals [5]:
            xmin = 1.38
            xmax = 1.49
            text = "YOU"
        intervals [6]:
            xmin = 1.49
            xmax = 2.09
            text = "<eps>"
    item [2]:
        class = "TextTier"
        name = "clicks"
        xmin = 0
        xmax = 2.09
        points: size = 1
        points [1]:
            number = 0.5
            mark = "one ""click"" 7"
    item [3]:
        class = "IntervalTier"
        name = "phones"
        xmin = 0
        xmax = 2.09
        intervals: size = 1
        intervals [1]:
            xmin = 0
            xmax = 2.09
            text = "spn"
"""

SHORT = """File type = "ooTextFile"
Object class = "TextGrid"

0
2.09
<exists>
1
"IntervalTier"
"anna - words"
0
2.09
4
0
0.49
""
0.49
0.89
"GO"
1.27
1.38
"DO"
1.38
1.49
"YOU"
"""


@pytest.mark.parametrize("text", [LONG, SHORT, LONG.replace("\n", "\r\n")])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_textgrids_long_and_short_in_any_encoding(text: str, encoding: str) -> None:
    accented = text.replace('"GO"', '"GÔ"')
    words = read_textgrid(accented.encode(encoding))
    assert words == (Word("GÔ", 0.49, 0.89), *WORDS[1:])


def test_quotes_and_brackets_in_labels_do_not_confuse() -> None:
    text = SHORT.replace('"DO"', '"say ""12 3"" [1]: 7"')
    assert read_textgrid(text.encode())[1].word == 'say "12 3" [1]: 7'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is no TextGrid"),
        (SHORT[:150], "where a"),
        (SHORT.replace('"IntervalTier"', '"Curve"'), "unknown kind 'Curve'"),
        (SHORT.replace("\n4\n", "\n-4\n"), "impossible count"),
        (LONG.replace('"words"', '"phones"'), "has no tier named words"),
        (LONG.replace('"phones"', '"anna - words"'), "has 2 tiers of words"),
    ],
)
def test_broken_textgrids_say_what_is_wrong(text: str, sentence: str) -> None:
    with pytest.raises(FormatFault, match=sentence):
        read_textgrid(text.encode())


MFA_CSV = """Begin,End,Label,Type,Speaker
0.49,0.89,GO,words,anna
1.27,1.38,DO,words,anna
1.38,1.49,YOU,words,anna
0.0,0.49,<eps>,words,anna
0.49,0.60,G,phones,anna
"""
MFA_JSON = {
    "start": 0,
    "end": 2.09,
    "tiers": {
        "anna - words": {
            "type": "interval",
            "entries": [[0.49, 0.89, "GO"], [1.27, 1.38, "DO"], [1.38, 1.49, "YOU"]],
        },
        "anna - phones": {"type": "interval", "entries": [[0.49, 0.6, "G"]]},
    },
}
OBJECTS = [{"word": w.word, "start": w.start, "end": w.end} for w in WORDS]
LISTS = [[w.word, w.start, w.end] for w in WORDS]
# As pocketsphinx_batch and its like write it: beginning and duration.
DURATIONS = {"b": 0, "w": [{"t": w.word, "b": w.start, "d": w.end - w.start} for w in WORDS]}
SEGMENTS = {"segments": [{"words": OBJECTS[:1]}, {"words": OBJECTS[1:]}]}
CTM = """;; a comment
u1 1 0.49 0.40 GO 0.9
u1 1 0.00 0.49 <eps>
u1 1 1.27 0.11 DO NA
u1 1 1.38 0.11 YOU
u2 1 0.0 0.3 OTHER 1.0
"""
LIBRI = 'u1 ",GO,,DO,YOU," "0.490,0.890,1.270,1.380,1.490,2.09"\nu2 ",A," "0.1,0.2,0.3" \n'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("u1.TextGrid", LONG),
        ("u1.textgrid", SHORT),
        ("u1.csv", MFA_CSV),
        ("u1.json", json.dumps(MFA_JSON)),
        ("u1.json", json.dumps({"transcript": "go do you", "words": OBJECTS})),
        ("u1.json", json.dumps(OBJECTS)),
        ("u1.json", json.dumps(LISTS)),
        ("u1.json", json.dumps(DURATIONS)),
        ("u1.json", json.dumps(SEGMENTS)),
        ("all.json", json.dumps({"u1": LISTS, "u2": OBJECTS})),
        ("all.json", json.dumps([{"id": "u1", "words": LISTS}, {"id": "u2", "words": LISTS}])),
        ("all.jsonl", json.dumps({"utt": "u1", "words": LISTS}) + "\n\n"),
        ("all.ctm", CTM),
        ("book.alignment.txt", LIBRI),
    ],
)
def test_every_format_gives_the_same_words(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    for path in (tmp_path / name, tmp_path):
        words = read_alignments(path).words["u1"]
        assert [w.word for w in words] == ["GO", "DO", "YOU"]
        times = np.array([(w.start, w.end) for w in words])
        assert times == pytest.approx(np.array([(w.start, w.end) for w in WORDS]))


def test_confidences_are_read_where_they_are_some(tmp_path: Path) -> None:
    (tmp_path / "a.ctm").write_text(CTM)
    assert [w.confidence for w in read_alignments(tmp_path).words["u1"]] == [0.9, None, None]
    objects = [{**OBJECTS[0], "confidence": 0.25}, {**OBJECTS[1], "score": -12.0}, OBJECTS[2]]
    (tmp_path / "b.json").write_text(json.dumps({"u": objects}))
    read = read_alignments(tmp_path / "b.json").words["u"]
    assert [w.confidence for w in read] == [0.25, None, None]


def utterance(folder: Path, name: str = "u1", text: str | None = "Go, do you?") -> Utterance:
    path = folder / f"{name}.wav"
    soundfile.write(path, 0.1 * np.random.default_rng(0).standard_normal(33_440), 16_000)
    return Utterance(name, "anna", path, transcript=text)


def test_read_words_get_the_transcripts_spelling(tmp_path: Path) -> None:
    (tmp_path / "a.ctm").write_text(CTM)
    found = align(utterance(tmp_path), read_alignments(tmp_path / "a.ctm"))
    assert [w.word for w in found.words] == ["Go,", "do", "you?"]
    assert found.duration == pytest.approx(2.09)


def test_unknown_words_of_the_aligner_are_the_transcripts(tmp_path: Path) -> None:
    (tmp_path / "u1.TextGrid").write_text(LONG.replace('"DO"', '"<unk>"'))
    found = align(utterance(tmp_path), read_alignments(tmp_path / "u1.TextGrid"))
    assert [w.word for w in found.words] == ["Go,", "do", "you?"]


def test_files_of_one_name_are_told_apart_by_their_folder(tmp_path: Path) -> None:
    for speaker in ("anna", "ben"):
        (tmp_path / "a" / speaker).mkdir(parents=True)
        (tmp_path / "a" / speaker / "1.TextGrid").write_text(LONG)
    assert set(read_alignments(tmp_path / "a").words) == {"anna-1", "ben-1"}


def test_one_bad_line_spoils_its_utterance_only(tmp_path: Path) -> None:
    path = tmp_path / "a.ctm"
    path.write_text(CTM.replace("1.27 0.11 DO NA", "1.27 x DO NA"))
    read = read_alignments(path)
    assert set(read.words) == {"u2"}
    with pytest.raises(AlignmentError, match=r"a.ctm:4: has a time or confidence that is no num"):
        align(utterance(tmp_path), read)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("u1 1 0.4 0.4", "has 4 fields instead of 5 or 6"),
        ("u1 1 0.4 0.4 GO 7", "a confidence of 7, not from 0 to 1"),
        ("u1 1 0.4 0.4 <ALT_BEGIN>", "alternatives"),
    ],
)
def test_bad_ctm_lines_say_what_is_wrong(tmp_path: Path, line: str, sentence: str) -> None:
    (tmp_path / "a.ctm").write_text(f"{line}\nu2 1 0 1 A\n")
    with pytest.raises(AlignmentError, match=sentence):
        align(utterance(tmp_path), read_alignments(tmp_path / "a.ctm"))


def test_words_gentle_did_not_find_are_named(tmp_path: Path) -> None:
    objects = [OBJECTS[0], {"word": "DO", "case": "not-found-in-audio"}, OBJECTS[2]]
    (tmp_path / "u1.json").write_text(json.dumps({"words": objects}))
    with pytest.raises(AlignmentError, match=r"word 2 \('do'\) has no time"):
        align(utterance(tmp_path), read_alignments(tmp_path / "u1.json"))


def test_utterances_aligned_twice_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "u1.TextGrid").write_text(LONG)
    (tmp_path / "a" / "b.ctm").write_text(CTM)
    read = read_alignments(tmp_path / "a")
    with pytest.raises(AlignmentError, match="is aligned here and in"):
        align(utterance(tmp_path), read)
    with pytest.raises(AlignmentError, match="there is no alignment of it in"):
        align(utterance(tmp_path, "u9"), read)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.json", "{", "is no JSON"),
        ("a.json", "3", "holds no words with times"),
        ("a.json", '[{"words": []}]', "without an id"),
        ("a.json", '{"words": [{"start": 1}]}', "an entry without a word"),
        ("a.csv", "a,b\n1,2\n", "no columns Begin, End, Label and Type"),
        ("a.txt", "84-1 GO DO\n", 'not of the form ID "WORDS" "ENDS"'),
        ("a.txt", 'u1 "A,B" "0.1"\n', "2 words and silences but 1 times"),
        ("a.TextGrid", "nothing", "is no TextGrid"),
    ],
)
def test_unreadable_files_say_which_and_why(
    tmp_path: Path, name: str, content: str, sentence: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=sentence) as caught:
        read_alignments(tmp_path / name)
    assert name in str(caught.value)


def test_other_files_in_a_folder_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "u1.TextGrid").write_text(LONG)
    (tmp_path / "alignment_analysis.csv").write_text("file,begin\nx,1\n")
    (tmp_path / "unaligned.txt").write_text("u7\n")
    (tmp_path / "settings.json").write_text('{"speed": 3}')
    read = read_alignments(tmp_path)
    assert set(read.words) == {"u1"}
    assert not read.problems
    with pytest.raises(InputError, match="no such file or folder"):
        read_alignments(tmp_path / "none")


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.json", '[["GO", 0, ' + "9" * 400 + "]]", None),
        ("a.json", '{"id": ["a"], "words": [["GO", 0, 1]]}', None),
        ("a.json", '[{"id": {}, "words": [["GO", 0, 1]]}]', "an utterance without an id"),
        ("a.json", "[" * 5000, "nested too deep"),
        ("a.csv", 'Begin,End,"Lab""el",Type\n0,1,GO,words\n', "no columns Begin"),
        ("a.csv", 'Begin,End,Label"",Type\n0,1,GO,words\n', "no columns Begin"),
        ("a.csv", "Begin,End,Label,Type\n0,1,G\rO,words\n", "is no table"),
        ("a.csv", f'Begin,End,Label,Type\n0,1,"{"G" * 200_000}",words\n', "is no table"),
    ],
)
def test_odd_files_that_fuzzing_found(
    tmp_path: Path, name: str, text: str, sentence: str | None
) -> None:
    (tmp_path / name).write_text(text, newline="")
    if sentence is None:
        assert read_alignments(tmp_path / name).words["a"][0].word == "GO"
        return
    with pytest.raises(InputError, match=sentence):
        read_alignments(tmp_path / name)


def test_a_long_row_of_digits_is_read_once() -> None:
    begun = time.process_time()
    with pytest.raises(FormatFault, match="no TextGrid"):
        read_textgrid(b"1" * 200_000 + b"x")
    assert time.process_time() - begun < 5
