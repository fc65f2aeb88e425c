"""The cases of the CorefUD scorer (1.2), and the values that their READMEs and tests state.

Where a README is older than the scorer the value is that of the scorer's own tests: since 1.2
TC-OLMB-3 is matched in full, TC-OLMC-2 has 2/4 and 3/6, and linear matching of TC-ZF-2 and 3 fails.
TC-OLMB-6 has 9 of 23 words in common, as TC-OLMA-6.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

import coleval

CASES = "corefud-scorer/tests/tests-corefud"
RATIOS = ("recall", "precision")
FULL = {"muc": ("1", "1"), "b3": ("1", "1")}
LOST = {"muc": ("2/3", "2/3"), "b3": ("7/10", "7/10")}
OUTER = {"muc": ("3/4", "3/4"), "b3": ("17/24", "17/24")}
ALONE = {"muc": ("3/4", "1"), "b3": ("17/24", "1")}
NONE = {"muc": ("1/2", "2/3"), "b3": ("11/24", "7/10")}
ZERO = {"muc": ("2/3", "2/3"), "b3": ("26/36", "26/36")}
RIVAL = {"muc": ("2/3", "1/2"), "b3": ("11/15", "1/2")}
RIGHT = {"muc": ("1", "3/4"), "b3": ("1", "13/18")}
EVERY = dict.fromkeys(("muc", "b3", "ceafm", "ceafe", "lea", "blanc"), ("1", "1"))
THIRD = dict.fromkeys(FULL, ("2/3", "2/3"))
LACKING = {"muc": ("1/3", "1"), "b3": ("7/18", "1"), "ceafm": ("1/2", "1"),
           "ceafe": ("18/30", "18/20"), "lea": ("2/6", "1"), "blanc": ("19/88", "1")}  # fmt: skip
MORE = {"muc": ("1", "3/5"), "b3": ("1", "55/108"), "ceafm": ("1", "6/9"), "lea": ("1", "4/9"),
        "ceafe": ("31/35", "93/140"), "blanc": ("1", "23/54")}  # fmt: skip
BOTH = {"muc": ("1/3", "1/3"), "b3": ("5/9", "17/42"), "ceafm": ("4/6", "4/7"),
        "ceafe": ("22/30", "22/40"), "lea": ("3/6", "2/7"),
        "blanc": ("31/88", "37/136")}  # fmt: skip


def mor(recall, precision="1"):
    return {"mor": (recall, precision)}


PARTIAL = {
    "noncontig_mentions/TC-NCMA": [FULL, FULL, LOST, LOST, FULL, LOST, LOST],
    "noncontig_mentions/TC-NCMB": [FULL, FULL, LOST, LOST, LOST, LOST, LOST, LOST],
    "overlapping_mentions/TC-OLMA": [
        FULL | mor("1"), FULL | mor("9/23"), FULL | mor("18/23"), OUTER | mor("12/23"),
        ALONE | mor("15/23"), NONE | mor("9/23"),
    ],
    "overlapping_mentions/TC-OLMAA": [mor("1"), mor("9/17", "9/10")],
    "overlapping_mentions/TC-OLMB": [
        FULL | mor("1"), FULL | mor("9/23"), FULL | mor("13/23"), OUTER | mor("13/23"),
        ALONE | mor("17/23"), NONE | mor("9/23"),
    ],
    "overlapping_mentions/TC-OLMC": [
        FULL, {"muc": ("2/4", "2/3"), "b3": ("3/6", "4/5")}, ALONE, FULL,
    ],
}  # fmt: skip
ZEROS = {
    "TC-ZA": {1: EVERY, 2: LACKING, 3: MORE, 4: BOTH, 5: BOTH},
    "TC-ZB": {1: EVERY, 2: LACKING},
    "TC-ZC": {1: EVERY, 2: LACKING},
    "TC-ZD": {1: FULL, 2: FULL, 3: FULL},
    "TC-ZE": {1: FULL, 2: FULL},
}
EXPECTED = [
    *((f"partial-corefud-match/{case}", n, "partial", "linear", values)
      for case, rows in PARTIAL.items() for n, values in enumerate(rows, start=1)),
    *(("head-match/TC-HMA", n, "head", "linear", FULL if n < 4 else OUTER) for n in range(1, 6)),
    *((f"zeros/{case}", n, "partial", "linear", values)
      for case, rows in ZEROS.items() for n, values in rows.items()),
    *((f"zeros/{case}", n, match, "linear", ZERO)
      for case, n, match in [("TC-ZD", 2, "head"), ("TC-ZD", 3, "head"), ("TC-ZD", 3, "exact"),
                             ("TC-ZE", 1, "head"), ("TC-ZE", 2, "head"), ("TC-ZE", 2, "exact")]),
    *(("zeros/TC-ZF", n, "head", zeros, values)
      for n, by_edges, by_place in [(1, FULL, FULL), (2, FULL, THIRD), (3, FULL, THIRD),
                                    (4, RIVAL, RIGHT), (5, RIVAL, RIGHT)]
      for zeros, values in [("dependent", by_edges), ("linear", by_place)]),
    *(("zeros/TC-ZG", n, "head", "dependent", FULL if n == 1 else RIGHT) for n in (1, 2, 3)),
    ("exact-match/TC-O", 1, "exact", "linear", {"b3": ("4/9", "4/15")}),
    *(("exact-match/TC-M", n, "exact", "linear", {"blanc": values})
      for n, values in [(3, ("4/30", "1/2")), (6, ("1/30", "1/8"))]),
    *(("exact-match/TC-N", n, "exact", "linear", {"blanc": values})
      for n, values in [(3, ("11/30", "1/2")), (6, ("2/30", "1/11"))]),
]  # fmt: skip


def overall(gold, system, **options):
    table = coleval.load(str(gold), {"s": str(system)}, **options).score().tables["overall"]
    return {row["metric"]: row for row in table.to_dicts()}


@pytest.mark.parametrize(("case", "n", "match", "zeros", "values"), EXPECTED)
def test_every_stated_value_comes_out(peer, case, n, match, zeros, values):
    found = overall(
        peer(f"{CASES}/{case}.key"), peer(f"{CASES}/{case}-{n}.response"),
        profile="corefud", min_mentions=1, mention_match=match, zero_match=zeros,
    )  # fmt: skip
    for metric, wanted in values.items():
        got = [found[metric][ratio] for ratio in RATIOS]
        assert got == pytest.approx([float(Fraction(w)) for w in wanted], abs=1e-12), metric


# Of TC-A-8 and 9 one mention is in two chains, which is an error.
CONLL = [f"TC-{case}" for case in (
    *(f"A-{n}" for n in range(1, 14) if n not in (8, 9)), *(f"{c}-1" for c in "BCDEFGHIJKL"),
    *(f"M-{n}" for n in range(1, 7)), *(f"N-{n}" for n in range(1, 7)),
)]  # fmt: skip


@pytest.mark.parametrize("case", CONLL)
def test_cases_of_conll_have_their_scores_in_this_format(peer, case):
    key = f"{case[:4]}.key"
    own = overall(peer(f"{CASES}/exact-match/{key}"),
                  peer(f"{CASES}/exact-match/{case}.response"), mention_match="exact")  # fmt: skip
    conll = "corefud-scorer/tests/tests-conll"
    other = overall(peer(f"{conll}/{key}"), peer(f"{conll}/{case}.response"))
    for metric in ("mentions", "muc", "b3", "ceafe", "ceafm", "lea", "blanc", "conll"):
        assert own[metric] == other[metric]
