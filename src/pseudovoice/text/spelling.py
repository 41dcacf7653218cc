"""One spelling for words that are written in several ways and spoken in one.

A recogniser writes *labor* where the reference has *labour*; nobody misheard anything. The rules
are applied to both sides, so it does not matter that some make words that do not exist
(*surprize*): a rule does harm only where it makes two different words one, as with *prise* and
*prize*.
"""

from __future__ import annotations

import re

_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # realise, realised, realisation; analyse
        (r"is(e|ed|es|er|ers|ing|ation|ations)$", r"iz\1"),
        (r"lys(e|ed|es|ing)$", r"lyz\1"),
        # labour, honourable, neighbourhood; three letters before, so that four is not for
        (
            r"^(\w{3,})our(s|ed|ing|er|ers|able|ably|less|ful|fully|hood|hoods|ly|ite|ites|y)?$",
            r"\1or\2",
        ),
        # theatre, sabres, centred
        (r"(\w{2}[tb])re(s?)$", r"\1er\2"),
        (r"(\w{2}[tb])red$", r"\1ered"),
        # travelled, marvellous, counsellor; a syllable before, so that filled is not filed
        (r"([aeiou][^aeiou]+[aeio])ll(ed|ing|er|ers|or|ors|ous|ously)$", r"\1l\2"),
    )
)

_PAIRS = """
grey gray, greys grays, offence offense, offences offenses, pretence pretense,
pretences pretenses, defence defense, defences defenses, defenceless defenseless,
licence license, practise practice, practised practiced, practising practicing, plough plow,
ploughed plowed, ploughs plows, mould mold, moulded molded, mouldy moldy, sceptic skeptic,
sceptical skeptical, judgement judgment, judgements judgments,
acknowledgement acknowledgment, cheque check, cheques checks, programme program,
programmes programs, catalogue catalog, catalogues catalogs, dialogue dialog,
dialogues dialogs, jewellery jewelry, woollen woolen, skilful skillful, skilfully skillfully,
wilful willful, wilfully willfully, fulfil fulfill, odour odor, odours odors, meagre meager,
sepulchre sepulcher, waggon wagon, waggons wagons, axe ax, gaol jail, storey story,
connexion connection, reflexion reflection, shew show, shewed showed, shewn shown,
mamma mama, ok okay
"""
"""As written, and in American spelling."""

_WORDS: dict[str, str] = dict(pair.split() for pair in _PAIRS.split(","))

_JOINED = {
    ("to", "day"): "today",
    ("to", "morrow"): "tomorrow",
    ("to", "night"): "tonight",
    ("for", "ever"): "forever",
    ("any", "one"): "anyone",
    ("every", "one"): "everyone",
    ("some", "one"): "someone",
}


def one_spelling(words: list[str]) -> list[str]:
    """The words in American spelling; *to day* and its like are joined."""
    spelt = " ".join(_one(word) for word in words).split()
    out: list[str] = []
    for word in spelt:
        if out and (out[-1], word) in _JOINED:
            out[-1] = _JOINED[(out[-1], word)]
        else:
            out.append(word)
    return out


def _one(word: str) -> str:
    stem, apostrophe, ending = word.partition("'")
    if stem in _WORDS:
        return _WORDS[stem] + apostrophe + ending
    for pattern, replacement in _RULES:
        stem, count = pattern.subn(replacement, stem)
        if count:
            break
    return stem + apostrophe + ending
