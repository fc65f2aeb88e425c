"""What the made-up language is like: plain facts, no code.

Entity types with their words, parts of speech with their confusions, common words in Zipf order.
"""

from __future__ import annotations

from dataclasses import dataclass


def _split(words: str) -> tuple[str, ...]:
    return tuple(words.split())


@dataclass(frozen=True, slots=True)
class EntityType:
    """How frequent a type is, at which lengths (1, 2-3, 4 and more), and how its words look."""

    name: str
    weight: float
    lengths: tuple[float, float, float]
    names: int
    endings: tuple[str, ...] = ("",)
    firsts: tuple[str, ...] = ()
    inners: tuple[str, ...] = ()
    lasts: tuple[str, ...] = ()
    taken_for: tuple[str, ...] = ("ORG", "MISC")


_MONTHS = _split(
    "January February March April May June July August September October November December"
)
_DAYS = _split("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")

# fmt: off
TYPES = (
    EntityType(
        "PER", 30, (1, 1.6, 0.15), 9000, ("", "son", "ez", "ov", "in", "er", "ak"),
        firsts=_split("Anna Maria Peter John Elena Ivan Lucia Omar Wei Sofia Karl Nadia Tomas "
                      "Aisha Hugo Ingrid Pavel Mei Yusuf Clara 王 Ольга Γιώργος"),
        inners=_split("van de al von da M. J."),
        taken_for=("ORG", "LOC", "MISC"),
    ),
    EntityType(
        "ORG", 20, (1, 1, 1.2), 5000, ("", "tek", "ics", "corp", "ex", "is"),
        firsts=_split("University Bank Ministry National United Royal"),
        inners=_split("of and for & the"),
        lasts=_split("Inc. Group Ltd Bank Party University Council FC Press"),
        taken_for=("LOC", "PER", "PROD"),
    ),
    EntityType(
        "LOC", 16, (1.5, 0.7, 0.2), 3000, ("", "ia", "burg", "ton", "stan", "grad", "ville"),
        firsts=_split("North South New San Lake Mount"),
        inners=_split("of de la upon"),
        lasts=_split("River Valley Islands City Province"),
        taken_for=("ORG", "PER", "FAC"),
    ),
    EntityType(
        "DATE", 11, (1, 1.2, 0.6), 60,
        firsts=("early", "late", "last", "the", *_DAYS),
        inners=("of", ",", "and", *_MONTHS),
        lasts=(*_MONTHS, "week", "year", "century"),
        taken_for=("MISC", "EVENT"),
    ),
    EntityType(
        "NORP", 6, (3, 0.2, 0.02), 400, ("ian", "ese", "ish", "ist", "i"),
        taken_for=("LANG", "MISC", "LOC"),
    ),
    EntityType("MISC", 5, (1, 1, 0.7), 1500, taken_for=("ORG", "NORP", "EVENT")),
    EntityType(
        "EVENT", 4, (0.3, 1, 2), 500, ("", "iad", "fest"),
        firsts=_split("World Battle Festival Grand"),
        inners=_split("of the and"),
        lasts=_split("Cup War Festival Games Open"),
        taken_for=("MISC", "ORG", "WORK"),
    ),
    EntityType(
        "PROD", 3, (1, 1, 0.3), 1200, ("", "X", "-2", "-300", "on", "o"),
        lasts=_split("Pro II XL 3000 Mini"),
    ),
    EntityType(
        "WORK", 2.5, (0.4, 1, 2.5), 800,
        firsts=_split("The A My La Der"),
        inners=_split("of the in and with"),
        lasts=_split("Symphony Song Story Nights"),
        taken_for=("MISC", "PER", "EVENT"),
    ),
    EntityType(
        "FAC", 2, (0.4, 1.3, 0.5), 500, ("", "ton", "ham"),
        firsts=_split("Port Fort Saint"),
        inners=_split("of de"),
        lasts=_split("Airport Stadium Bridge Square Tower"),
        taken_for=("LOC", "ORG"),
    ),
    EntityType(
        "LAW", 1, (0.2, 1, 2.5), 150,
        firsts=_split("Treaty Act Article Directive"),
        inners=_split("of on the and"),
        lasts=_split("Act Convention Code"),
        taken_for=("WORK", "ORG", "MISC"),
    ),
    EntityType("LANG", 0.6, (3, 0.1, 0.01), 120, ("ish", "ese", "ic", "i"), taken_for=("NORP",)),
)

TAGS = _split("NOUN PUNCT ADP DET VERB PROPN ADJ PRON ADV AUX CCONJ NUM PART SCONJ SYM X INTJ")

# Which relation a tag makes likely, and the next likely one.
RELATIONS = {
    "NOUN": ("obl", "nsubj"), "PUNCT": ("punct", "punct"), "ADP": ("case", "mark"),
    "DET": ("det", "nsubj"), "VERB": ("advcl", "ccomp"), "PROPN": ("nmod", "flat"),
    "ADJ": ("amod", "acl"), "PRON": ("nsubj", "obj"), "ADV": ("advmod", "discourse"),
    "AUX": ("aux", "cop"), "CCONJ": ("cc", "cc"), "NUM": ("nummod", "obl"),
    "PART": ("mark", "advmod"), "SCONJ": ("mark", "case"), "SYM": ("punct", "nmod"),
    "X": ("dep", "flat"), "INTJ": ("discourse", "dep"),
}

TAKEN_FOR = {
    "NOUN": ("VERB", "ADJ", "PROPN"), "PUNCT": ("SYM", "X", "NOUN"),
    "ADP": ("SCONJ", "ADV", "PART"), "DET": ("PRON", "ADV", "ADJ"),
    "VERB": ("NOUN", "AUX", "ADJ"), "PROPN": ("NOUN", "ADJ", "X"),
    "ADJ": ("NOUN", "VERB", "ADV"), "PRON": ("DET", "SCONJ", "NOUN"),
    "ADV": ("ADJ", "ADP", "NOUN"), "AUX": ("VERB", "NOUN", "PART"),
    "CCONJ": ("ADV", "SCONJ", "ADP"), "NUM": ("ADJ", "NOUN", "DET"),
    "PART": ("ADP", "ADV", "SCONJ"), "SCONJ": ("ADP", "PRON", "ADV"),
    "SYM": ("PUNCT", "NOUN", "X"), "X": ("PROPN", "NOUN", "PUNCT"), "INTJ": ("ADV", "NOUN", "X"),
}
# fmt: on

CONTENT = {"NOUN": 0.45, "VERB": 0.25, "ADJ": 0.17, "ADV": 0.11, "X": 0.01, "INTJ": 0.01}

# The form, its tag, and the other tag it often has if there is one; in Zipf order.
COMMON = _split(
    "the/DET of/ADP and/CCONJ to/PART/ADP a/DET in/ADP is/AUX was/AUX that/SCONJ/PRON for/ADP "
    "it/PRON on/ADP as/ADP/SCONJ with/ADP he/PRON by/ADP at/ADP his/PRON/DET be/AUX from/ADP "
    "are/AUX not/PART this/DET/PRON have/AUX/VERB an/DET had/AUX/VERB they/PRON were/AUX "
    "which/PRON/DET or/CCONJ we/PRON but/CCONJ has/AUX/VERB their/PRON/DET her/PRON/DET "
    "been/AUX one/NUM/PRON all/DET/PRON will/AUX/NOUN would/AUX she/PRON there/PRON/ADV "
    "more/ADV/ADJ when/SCONJ/ADV who/PRON if/SCONJ no/DET/INTJ out/ADP/ADV so/ADV/SCONJ "
    "said/VERB up/ADP/ADV what/PRON/DET about/ADP/ADV its/PRON into/ADP than/ADP/SCONJ "
    "can/AUX/NOUN only/ADV other/ADJ new/ADJ some/DET/PRON could/AUX two/NUM time/NOUN "
    "after/ADP/SCONJ may/AUX then/ADV do/AUX/VERB first/ADJ/ADV any/DET our/PRON/DET "
    "like/ADP/VERB over/ADP/ADV such/ADJ/DET because/SCONJ must/AUX/NOUN through/ADP "
    "before/ADP/SCONJ"
)

TITLES = _split(
    "Minister President Mr Mrs Dr Prof. General Senator Judge Captain Internet Section Chapter "
    "Table Figure Monday Sunday Summer Easter English King Queen Pope Sir I"
)
ENDS = (".", ".", ".", "?", "!", "…")
INSIDE = (",", ",", ",", '"', "-", "(", ")", ":", ";", "'", "–", "%", "$", "#", "/")
ABROAD = _split(
    "и в не город книга 時間 世界 新聞 한국어 서울 και λόγος שלום كتاب مدينة भारत नगर ქალაქი "
    "café naïve über łódka ñandú İzmir"
)

ONSETS = _split("b c d f g h k l m n p r s t v z b d g k l m n r s t v br dr gr pl st tr sh ch")
VOWELS = _split("a e i o u a e i o a e i o ai ea ou")
CODAS = ("", "", "", "n", "r", "s", "l", "t", "m", "k", "nd", "st")
