"""The language model: by hand, by its definition, by its properties, and through a file."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slow_kneser_ney import SlowKneserNey

from pseudovoice.errors import InputError
from pseudovoice.reassembly import NGram, read_arpa, tokens, train, without, write_arpa

SENTENCES = [("a", "b"), ("a", "b"), ("a", "c")]


@pytest.fixture(scope="module")
def text(shared: Path) -> list[tuple[str, ...]]:
    path = shared / "text" / "common_voice_sentences.txt"
    if not path.is_file():
        pytest.skip(f"the text is not here: there is no {path}")
    return [tokens(line) for line in path.read_text().splitlines()[:8000]]


def probability(model: NGram, word: str, *context: str) -> float:
    return float(10 ** model.log_probability(word, context))


def test_two_words_by_hand() -> None:
    """Continuation counts a 1, b 1, c 1, </s> 2 of 5; D = 0.5, 1, 1.5; γ() = (3·0.5 + 1)/5 = 0.5.

    After a (b twice, c once): γ(a) = (0.5 + 1)/3 = 0.5.
    """
    model = train(SENTENCES, order=2)
    for word, value in {"a": 0.2, "b": 0.2, "c": 0.2, "</s>": 0.3, "<unk>": 0.1}.items():
        assert probability(model, word) == pytest.approx(value)
    after_a = {"b": 1 / 3 + 0.1, "c": 0.5 / 3 + 0.1, "a": 0.1, "</s>": 0.15, "never": 0.05}
    for word, value in after_a.items():
        assert probability(model, word, "a") == pytest.approx(value)
    # <s> a three times: (3 − 1.5)/3 + 0.5 · 0.2.
    assert probability(model, "a", "<s>") == pytest.approx(0.6)
    assert probability(model, "b", "never") == pytest.approx(0.2)
    assert model.log_probability("<s>") == -99


def test_three_words_by_hand() -> None:
    """Bigrams: <s>a occurs 3 times; ab, ac, b</s> and c</s> have one word before them each."""
    model = train(SENTENCES, order=3)
    # γ(a) = (0.5 + 0.5)/2; P(b|a) = 0.5/2 + 0.5·0.2.
    assert probability(model, "b", "a") == pytest.approx(0.35)
    # <s> a b twice, <s> a c once: (2 − 1)/3 + (1 + 0.5)/3 · 0.35.
    assert probability(model, "b", "<s>", "a") == pytest.approx(1 / 3 + 0.5 * 0.35)
    # b a never occurs: back to P(b|a).
    assert probability(model, "b", "b", "a") == pytest.approx(0.35)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_every_probability_is_the_definitions(text: list[tuple[str, ...]], order: int) -> None:
    few = text[:1000]
    model, slow = train(few, order), SlowKneserNey(few, order)
    rng = np.random.default_rng(0)
    words = sorted(slow.vocabulary)
    contexts: list[tuple[str, ...]] = [(), ("<s>",), ("the",), ("of", "the"), ("<s>", "the")]
    contexts += [tuple(map(str, rng.choice(words, 2))) for _ in range(10)]
    contexts += [sentence[:2] for sentence in few[:10] if len(sentence) > 2]
    for context in contexts:
        for word in (*rng.choice(words, 5), "</s>", "<unk>", "time"):
            if word in slow.vocabulary:
                expected = slow.probability(str(word), context[-(order - 1) :] if order > 1 else ())
                assert probability(model, str(word), *context) == pytest.approx(expected)


def test_discounts_are_estimated_where_the_text_is_large_enough(
    text: list[tuple[str, ...]],
) -> None:
    found = SlowKneserNey(text[:1000], 3).discounts
    for order in (1, 2, 3):
        assert found[order] != (0.0, 0.5, 1.0, 1.5)
        assert all(0 < found[order][k] <= k for k in (1, 2, 3))


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6), min_size=1, max_size=9),
    st.integers(1, 3),
)
def test_probabilities_sum_to_one(sentences: list[list[str]], order: int) -> None:
    model = train(sentences, order)
    possible = [word for word in model.words if word != "<s>"]
    for context in ((), ("a",), ("<s>",), ("a", "b"), ("<s>", "f"), ("never", "c"), ("</s>",)):
        total = sum(probability(model, word, *context) for word in possible)
        assert total == pytest.approx(1.0)


def test_real_text_sums_to_one_and_beats_add_one(text: list[tuple[str, ...]]) -> None:
    learned, held_out = text[500:], text[:500]
    model = train(learned)
    for context in (("of", "the"), ("i",), ("<s>",), ()):
        total = sum(probability(model, w, *context) for w in model.words if w != "<s>")
        assert total == pytest.approx(1.0)
    vocabulary = {w for words in learned for w in words} | {"</s>", "<unk>"}
    grams: dict[tuple[str, str], dict[str, int]] = {}
    for words in learned:
        whole = ["<s>", *words, "</s>"]
        for k in range(1, len(whole)):
            context = (whole[k - 2] if k > 1 else "", whole[k - 1])
            after = grams.setdefault(context, {})
            after[whole[k]] = after.get(whole[k], 0) + 1
    logs = []
    for words in held_out:
        whole = ["<s>", *(w if w in vocabulary else "<unk>" for w in words), "</s>"]
        for k in range(1, len(whole)):
            after = grams.get((whole[k - 2] if k > 1 else "", whole[k - 1]), {})
            below = sum(after.values()) + len(vocabulary)
            logs.append(math.log10((after.get(whole[k], 0) + 1) / below))
    add_one = 10 ** -np.mean(logs)
    assert model.perplexity(held_out) < add_one / 4
    assert model.perplexity(held_out) < train(learned, 2).perplexity(held_out)
    assert train(learned, 2).perplexity(held_out) < train(learned, 1).perplexity(held_out)


@pytest.mark.parametrize("name", ["model.arpa", "model.arpa.gz"])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_arpa_files_give_the_same_model(tmp_path: Path, name: str, order: int) -> None:
    sentences = [tokens(s) for s in ("the cat sat", "the dog sat down", "a dog", "the cat")]
    model = train(sentences, order)
    write_arpa(model, tmp_path / name)
    again = read_arpa(tmp_path / name)
    assert again.words == model.words
    assert again.perplexity(sentences) == pytest.approx(model.perplexity(sentences), rel=1e-7)
    for context in (("the",), ("the", "cat"), ("x", "dog")):
        for word in model.words:
            assert again.log_probability(word, context) == pytest.approx(
                model.log_probability(word, context), abs=1e-7
            )
    write_arpa(again, tmp_path / f"2{name}")
    assert (tmp_path / name).read_bytes() == (tmp_path / f"2{name}").read_bytes()


ARPA = """
made by hand

\\data\\
ngram 1=5
ngram 2=3
ngram 3=1

\\1-grams:
-1.0\tcat\t-0.5
-99\t<s>\t-0.3
-0.7\t</s>
-0.4\tthe\t-0.2
-2.0\t<UNK>

\\2-grams:
-0.1\t<s> the\t-0.25
-0.6\tthe cat
-0.3\tcat </s>

\\3-grams:
-0.05\t<s> the cat

\\end\\
"""


def test_files_of_other_tools_and_their_backoffs(tmp_path: Path) -> None:
    (tmp_path / "a.arpa").write_text(ARPA)
    model = read_arpa(tmp_path / "a.arpa")
    log = model.log_probability
    assert log("cat", ("<s>", "the")) == -0.05
    assert log("the", ("<s>", "the")) == pytest.approx(-0.25 - 0.2 - 0.4)
    assert log("cat", ("cat", "the")) == -0.6
    assert log("</s>", ("the", "cat")) == -0.3
    assert log("the", ("the", "cat")) == pytest.approx(-0.5 - 0.4)
    assert log("zebra", ("<s>",)) == pytest.approx(-0.3 - 2.0)
    assert log("zebra", ("zebra",)) == -2.0
    (tmp_path / "b.gz").write_bytes(gzip.compress(ARPA.encode()))
    assert read_arpa(tmp_path / "b.gz").words == model.words
    closed = ARPA.replace("-2.0\t<UNK>\n", "").replace("ngram 1=5", "ngram 1=4")
    (tmp_path / "c.arpa").write_text(closed)
    assert read_arpa(tmp_path / "c.arpa").log_probability("zebra") == -99


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("\\data\\", "data", r"the line \\data\\ is missing"),
        ("ngram 2=3", "ngram 2=4", "there are 3 2-grams instead of 4"),
        ("ngram 3=1", "ngram 3=1\nngram 4=0", "the order is 4"),
        ("ngram 2=3", "ngram 7=3", "out of order"),
        ("-0.6\tthe cat", "-0.6\tthe zebra", "'zebra' is not among the 1-grams"),
        ("-0.6\tthe cat", "x\tthe cat", "has no number"),
        ("-0.6\tthe cat", "-0.6\tthe", "is no 2-gram"),
        ("-0.6\tthe cat", "-0.3\tcat </s>", "stands there twice"),
        ("<s> the cat", "cat the cat", "the context 'cat the' is no entry"),
        ("-99\t<s>\t-0.3", "-99\ts", "'<s>' is not among"),
        ("\\3-grams:", "\\5-grams:", "where order 3 should begin"),
    ],
)
def test_broken_files_say_where(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in ARPA
    (tmp_path / "a.arpa").write_text(ARPA.replace(old, new))
    with pytest.raises(InputError, match=sentence) as caught:
        read_arpa(tmp_path / "a.arpa")
    assert "a.arpa:" in str(caught.value)


def test_no_text_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no words"):
        train([()])
    with pytest.raises(InputError, match="order of 1, 2 or 3"):
        train(SENTENCES, order=4)
    with pytest.raises(InputError, match="no such language model"):
        read_arpa(tmp_path / "none")


def test_words_are_compared_without_case_and_punctuation() -> None:
    assert tokens("“Don’t!” — he SAID, O'Brien…") == ("don't", "he", "said", "o'brien")
    assert tokens(" ' — ") == ()


def test_text_that_is_tested_is_left_out() -> None:
    tested = [tokens("one two three four five six seven"), tokens("good morning")]
    text = [
        tokens("he said one two three four five six and went"),
        tokens("one two three four five and six"),
        tokens("good morning"),
        tokens("good morning to you"),
    ]
    assert list(without(text, tested)) == [text[1], text[3]]


def test_counts_of_thousands_of_digits_and_damaged_packing_are_sentences(tmp_path: Path) -> None:
    for old in ("ngram 2=3", "\\2-grams:"):
        text = ARPA.replace(old, old.replace("2", "9" * 5000, 1))
        (tmp_path / "a.arpa").write_text(text)
        with pytest.raises(InputError, match="so it is no whole ARPA file"):
            read_arpa(tmp_path / "a.arpa")
    packed = bytearray(gzip.compress(ARPA.encode()))
    packed[12] ^= 0xFF
    (tmp_path / "a.arpa.gz").write_bytes(packed)
    with pytest.raises(InputError, match="cannot be read"):
        read_arpa(tmp_path / "a.arpa.gz")


def test_weights_of_the_highest_order_are_written_again(tmp_path: Path) -> None:
    text = "\\data\\\nngram 1=3\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\t-0.3\n-0.5\t</s>\n\\end\\\n"
    (tmp_path / "a.arpa").write_text(text)
    model = read_arpa(tmp_path / "a.arpa")
    write_arpa(model, tmp_path / "b.arpa")
    assert read_arpa(tmp_path / "b.arpa").log_probability("</s>", ("<s>",)) == pytest.approx(-0.8)
