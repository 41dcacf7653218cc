"""The recordings of the demo: people who tell a story, 36 recordings, 43 minutes.

They come from a study of attitudes towards languages (a matched-guise test) and travel in the wheel
of the app that runs it, lart-research-assistant (Language Attitudes Research Team, Bangor). Nine
names from each of three places; four of them tell their story in two languages: that of the
majority (``maj``) and a regional or minority one (``rml``). In one folder three of these pairs are
the same bytes twice, of which one is left out. Folders of other versions hold placeholders.

The files of those with one recording do not say which of the two languages they speak. In Wales a
speech recogniser for English told it: it makes whole sentences of some, and nonsense of the others.
Elsewhere it is left open (``?``).

The files have 27 names for what we hear as 21 people. Six pairs of names (`ALIKE`), all of them
fillers, ``f1`` to ``f4``, are taken for one person each:

- three recognisers agree. Mean cosines between two names of a pair, between two recordings of one
  name, and at most between any other two names: 0.60 to 0.75, 0.58 to 0.71 and 0.33 to resnet34-lm,
  0.48 to 0.66, 0.45 to 0.67 and 0.32 to ecapa, 0.77 to 0.83, 0.72 to 0.87 and 0.76 to ge2e;
- in Wales, where the languages are known, each pair is one recording in Welsh and one in English:
  fillers of such a test may well be people heard in both of their languages, as the others are.

Nobody has written that down, and it cannot be asked here. But one person counted as two makes
comparisons of different speakers out of comparisons of one: every safeguard would look better at
hiding voices, and worse at keeping them apart, than it is. What the files call a recording stays in
the ids of its utterances.
"""

from __future__ import annotations

from dataclasses import dataclass

from pseudovoice.models import Collection, Member

_WALES = """
f1       welsh    1951659 046ed12873dcbd09b5a7c50615943b6516c4229bc6cc6f0ffb2b90ac0fe6197f
f2       welsh    1880551 f03a286103edb106a1a579ca9108db79aa6d99d2f3a5940016aac5854205b885
f3       english  1415988 d53991d89c9eeeb13082b70d8aa6fe667229720e87961b3afd36dfefbc5ee315
f4       english  1782386 6576d3a5d6e72fd74268a6177c5172fe9722cec0c3bed95ba839e5c0cd244025
practice english  1968586 0587c5c69c7d5b311ca39124d6a59b97caa4fd3f08f6b72fdf95ca835be9c8e5
s1_maj   english  1747011 4191ddea465cda773ca24688fa462211df13e0357c0d37c6a4fb572984a21e8c
s1_rml   welsh    1837918 638f917fd73970bece8918287126cbc49dbef24324cae7b403d8e57fcf67ea63
s2_maj   english  1878307 2dfeb5b35a14075725b5b37424a7773cbde6f7b73c768632b2da3b0035f14c2c
s2_rml   welsh    1735365 50836e1447b840981f0c4eb5bf491b2be741ae79a8f4afc3b3147163049fca41
s3_maj   english  1699630 92bc8d3dacab2b8556380462c75349bc05144e1beff4af1a7a96d9e693b726c2
s3_rml   welsh    1732857 b2196fe8113c5a7068b74437657637b46a8f545ef69f700f61c7976b59594f58
s4_maj   english  1737246 88697add89157ee8b1325d17cd4a76ff9cc8dc44a2645f0a37da28eb67f9f2b0
s4_rml   welsh    1829406 aa11ac9c0d762059997ad41d5ce257fe84cfb2bbaad641a3969be9d0f96e08fa
"""

_ITALY = """
f1       ?        1962645 c522230042465e919ea569ccdff9ab99dbf819b54381fa169f657a3541666d5b
f2       ?        2219377 d648a0d96e413b497a982091184f00df7eab4eafe4268f001fdc436fe21c2dd7
f3       ?        1967034 70c306c3f85fb2ec692b3f332266cbf940f220bbc1472475f7e8c4ab0e4308f6
f4       ?        2190120 fb8eb47bfe62b2eda5dda4355f137d9383dc1cc483e2596dc7ca106f97aad2fd
practice ?        2125023 519accde825bc53cb31d284c0f7908213d5488cc45da5e35fdb32f0ef0219783
s1_maj   italian  2048954 c383ab8917a5904c4e81d31987724bffc6687c2945837d9c54e27dc62da9d521
s1_rml   lombard  2040908 00d763cf3ab07ec3b5fed06503c977c86065d8aa9f0fce4a1e73e789330c9968
s2_maj   italian  2009457 97e57b6a7a1ef01157aec2e935a2fbcc19a608db07561d4a5cd9c436192d75e9
s2_rml   lombard  2124291 426bee1bfb1a2cfe64bf261640da47bf9253b08393b5bd06912b19d3761d0e5b
s3_maj   italian  1834645 72676f5da7e17378a65679adc9c2872612f76fa85f1ed7726f399ba27c8477d0
s3_rml   lombard  1556103 1a18704a999145824b77ea81f7ba6002c45d7aaa9d4da1341f559877ee09b735
s4_maj   italian  1588718 bd9cc8fccb3e9b653c3b82caf0bfb7ebdb2086974940ffa12afae2265370a5c6
s4_rml   lombard  1569801 633d7dc7d6ae8643d263c92b715b7dce6ead772338771da4414f16bfc8977516
"""

_BELGIUM = """
f1       ?        1391767 14a2e283924535db597618b0244888080c2975288646effbdbe99dfeb54336d7
f2       ?        1134977 0396ebbeea5acc440470942e0c83c598bfe77c6548f5da9b0898aedeacd7dd58
f3       ?        1017984 3d9ca3ed840d2cf2607139388fa72842771c9f0d706a126ca10b9ed2a8a860bc
f4       ?        1166300 11e7aae88362e415de72774ca7e72fe10012cc5669cbbe6af4bc95b9d43ad7ba
practice ?        888751 4d7e7cd6b6ba1e8dd5cd43ce3e509cfa4b7314fbf5555bab18f6441b35c944fa
s1_maj   german   1315604 bc53234f236c0a169ad51ee6062a62a335029b49e1b3e981a1ff37e7f7eb933c
s1_rml   moselle-franconian 1196212 9f402bf45779d45fbba962ae9b18d2f4aed3662eaf9b9a8fdc4c02f65865dd52
s2_maj   ?        1006062 14826cc5d6a58e38aab2a83c5e1a0ac39b490b0baa438487ca398823d6f274d0
s3_maj   ?        1385370 7ba31989272cbdd394f51ccd38ba747c2de2e23409f080d89637746099f34c57
s4_maj   ?        1117374 12593270cf16066cfb836b89ff6ddee03a0d162abb7447d795adaca520e07181
"""
"""File, language, bytes and sha256, a recording a line."""

_PLACES = {
    "wales": ("CymEng_Eng_GB", ("english", "welsh"), _WALES),
    "italy": ("LmoIta_Ita_IT", ("italian", "lombard"), _ITALY),
    "belgium": ("LtzGer_Ger_BE", ("german", "moselle-franconian"), _BELGIUM),
}


ALIKE = (
    ("wales-f1", "wales-f3"),
    ("wales-f2", "wales-f4"),
    ("italy-f1", "italy-f3"),
    ("italy-f2", "italy-f4"),
    ("belgium-f1", "belgium-f2"),
    ("belgium-f3", "belgium-f4"),
)
"""Names of the files that are taken for one person each."""


@dataclass(frozen=True)
class DemoRecording:
    """One person on one occasion.

    ``name`` is who speaks as the files have it, ``speaker`` as we hear it. ``session`` is the
    language; of one person's two recordings in nobody knows which, each has its own.
    """

    name: str
    speaker: str
    language: str
    session: str
    file: Member

    @property
    def id(self) -> str:
        """What its utterances are called: the name in the files, and the language."""
        return f"{self.name}-{self.language}"


def _read() -> tuple[DemoRecording, ...]:
    one_person = {name: f"{a}-{b.rpartition('-')[2]}" for a, b in ALIKE for name in (a, b)}
    found = []
    for place, (folder, languages, listing) in _PLACES.items():
        for line in listing.split("\n")[1:-1]:
            file, known, size, sha256 = line.split()
            called = file.partition("_")[0]
            name = f"{place}-{called}"
            language = "-or-".join(languages) if known == "?" else known
            found.append(
                DemoRecording(
                    name,
                    one_person.get(name, name),
                    language,
                    f"{language}-{called}" if known == "?" and name in one_person else language,
                    Member(f"{folder}/{file}.mp3", sha256, int(size)),
                )
            )
    return tuple(found)


RECORDINGS = _read()
NAMES = len({one.name for one in RECORDINGS})
PEOPLE = len({one.speaker for one in RECORDINGS})

COLLECTION = Collection(
    name="demo-speech",
    wheel="lart-research-assistant",
    version="0.5.0",
    root="research_assistant/web/audio/agt",
    members=tuple(recording.file for recording in RECORDINGS),
    licence="AGPL-3.0-or-later or EUPL-1.2",
    source=f"The speech of the demo ({PEOPLE} people of a matched-guise study)",
)
