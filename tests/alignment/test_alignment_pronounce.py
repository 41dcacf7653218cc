"""Every word gets a pronunciation: from the dictionary, by rule, or from the network."""

from __future__ import annotations

import pytest

from pseudovoice.alignment.g2p import load_g2p
from pseudovoice.alignment.pronounce import Pronunciation, Unpronounceable, pronunciations

DICTIONARY = {
    "dog": ("D AO G",),
    "cat": ("K AE T",),
    "church": ("CH ER CH",),
    "don't": ("D OW N T", "D OW N"),
    "'tis": ("T IH Z",),
    "o": ("OW",),
    "twenty": ("T W EH N T IY", "T W EH N IY"),
    "one": ("W AH N",),
    "five": ("F AY V",),
    "first": ("F ER S T",),
    "dollars": ("D AA L ER Z",),
    "and": ("AE N D",),
    "percent": ("P ER S EH N T",),
    "point": ("P OY N T",),
    "nineteen": ("N AY N T IY N",),
    "cafe": ("K AH F EY",),
}


def lookup(form: str) -> list[Pronunciation]:
    return [tuple(way.split()) for way in DICTIONARY.get(form, ())]


def said(word: str) -> list[str]:
    return [" ".join(way) for way in pronunciations(word, lookup)]


@pytest.mark.parametrize(
    ("word", "ways"),
    [
        ("dog", ["D AO G"]),
        ("DOG,", ["D AO G"]),
        ("“Dog!”", ["D AO G"]),
        ("Don’t", ["D OW N T", "D OW N"]),
        ("'Tis", ["T IH Z"]),
        ("dog's", ["D AO G Z"]),
        ("cat's", ["K AE T S"]),
        ("church’s", ["CH ER CH IH Z"]),
        ("Café", ["K AH F EY"]),
        ("cat-dog", ["K AE T D AO G"]),
        ("twenty-one", ["T W EH N T IY W AH N", "T W EH N IY W AH N"]),
        ("21st", ["T W EH N T IY F ER S T", "T W EH N IY F ER S T"]),
        ("$5", ["F AY V D AA L ER Z"]),
        ("5 %", ["F AY V P ER S EH N T"]),
        ("1.5", ["W AH N P OY N T F AY V"]),
        ("1905", ["N AY N T IY N OW F AY V"]),
        ("cat&dog", ["K AE T AE N D D AO G"]),
    ],
)
def test_dictionary_and_rules(word: str, ways: list[str]) -> None:
    assert said(word) == ways


@pytest.mark.parametrize("word", ["дом", "猫", "cat猫"])
def test_other_scripts_are_not_guessed_at(word: str) -> None:
    with pytest.raises(Unpronounceable):
        pronunciations(word, lookup)


@pytest.mark.usefixtures("g2p_weights")
@pytest.mark.parametrize(
    ("word", "phones"),
    [
        # What the published package answers for these.
        ("activationist", "AE K T IH V EY SH AH N IH S T"),
        ("quilter", "K W IH L T ER"),
        ("brij", "B R IY JH"),
        ("strengthsless", "S T R EH NG TH S L AH S"),
    ],
)
def test_the_network_says_what_it_was_published_to_say(word: str, phones: str) -> None:
    assert " ".join(p.rstrip("012") for p in load_g2p()(word)) == phones


@pytest.mark.usefixtures("g2p_weights")
def test_abbreviations_can_also_be_spelled() -> None:
    assert said("BBC")[0] == "B IY B IY S IY"
    assert all(said(word)[0] for word in ("x", "hmm", "pseudonymisation", "a" * 60))


def test_a_word_of_many_parts_is_said_in_a_few_ways_at_once() -> None:
    # Two ways for each of sixty parts: all of them together would never be written down.
    ways = said("-".join(["twenty"] * 60))
    assert len(ways) == 6
    assert ways[0] == " ".join(["T W EH N T IY"] * 60)
    assert len(set(ways)) == 6
