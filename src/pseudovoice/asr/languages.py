"""Languages by their codes (ISO 639, as Whisper has them) and their English names."""

from __future__ import annotations

from pseudovoice.errors import UsageError

ENGLISH = "en"

_TABLE = """
af=Afrikaans am=Amharic ar=Arabic as=Assamese az=Azerbaijani ba=Bashkir be=Belarusian
bg=Bulgarian bn=Bengali bo=Tibetan br=Breton bs=Bosnian ca=Catalan cs=Czech cy=Welsh da=Danish
de=German el=Greek en=English es=Spanish et=Estonian eu=Basque fa=Persian fi=Finnish fo=Faroese
fr=French gl=Galician gu=Gujarati haw=Hawaiian ha=Hausa he=Hebrew hi=Hindi hr=Croatian
ht=Haitian hu=Hungarian hy=Armenian id=Indonesian is=Icelandic it=Italian ja=Japanese
jw=Javanese ka=Georgian kk=Kazakh km=Khmer kn=Kannada ko=Korean la=Latin lb=Luxembourgish
ln=Lingala lo=Lao lt=Lithuanian lv=Latvian mg=Malagasy mi=Maori mk=Macedonian ml=Malayalam
mn=Mongolian mr=Marathi ms=Malay mt=Maltese my=Burmese ne=Nepali nl=Dutch nn=Nynorsk
no=Norwegian oc=Occitan pa=Punjabi pl=Polish ps=Pashto pt=Portuguese ro=Romanian ru=Russian
sa=Sanskrit sd=Sindhi si=Sinhala sk=Slovak sl=Slovenian sn=Shona so=Somali sq=Albanian
sr=Serbian su=Sundanese sv=Swedish sw=Swahili ta=Tamil te=Telugu tg=Tajik th=Thai tk=Turkmen
tl=Tagalog tr=Turkish tt=Tatar uk=Ukrainian ur=Urdu uz=Uzbek vi=Vietnamese yi=Yiddish yo=Yoruba
zh=Chinese
"""

NAMES: dict[str, str] = dict(entry.split("=") for entry in _TABLE.split())
"""English names by code."""

DETECT = "auto"
"""In place of a language: listen which it is."""


def language_code(given: str) -> str:
    """The code of a language that is named by its code or its English name; ``auto`` as it is."""
    wanted = given.strip().casefold()
    if wanted == DETECT or wanted in NAMES:
        return wanted
    for code, name in NAMES.items():
        if name.casefold() == wanted:
            return code
    raise UsageError(
        f"There is no language {given!r}; write its code or English name, such as de or German, or "
        f"{DETECT} to have it heard."
    )


def language_name(code: str) -> str:
    """Its English name, or the code where it is none of ours."""
    return NAMES.get(code, code)


def languages_of(recogniser: object) -> tuple[str, ...]:
    """Codes of the languages a recogniser knows, its own first; none where it does not tell."""
    return tuple(getattr(recogniser, "languages", ()))
