"""Changes as a paper prints them: the three kinds for all pairs, their shares for one."""

from __future__ import annotations

import re

import pytest

import coleval

GOLD = "AABBC"
ANSWERS = {"best": "AABBA", "middle": "AABAB", "worst": "ABAAB"}


def corpus(write):
    def text(tags):
        return "".join(f"w{at}\t{tag}\n" for at, tag in enumerate(tags))

    paths = {name: write(f"{name}.conll", text(tags)) for name, tags in ANSWERS.items()}
    return coleval.load(write("gold.conll", text(GOLD)), paths, task="tag")


def square(latex, label):
    """Return the cells of the table with a label, row by row."""
    body = latex.split(f"label{{tab:{label}}}")[1].split("\\midrule")[1].split("\\bottomrule")[0]
    rows = [
        line.removesuffix(" \\tabularnewline").split(" & ") for line in body.split("\n") if line
    ]
    return {row[0][2:]: row[1:] for row in rows}


def test_paper_has_new_errors_corrections_and_changed_errors_of_all_pairs(write):
    # worst → middle corrects words 2 and 3; middle → best corrects word 4. The last word is wrong
    # in all: `best` says A where the others say B.
    latex = corpus(write).changes().to_latex("summary")
    assert square(latex, "changes-summary-2")["worst"] == ["0", "0", "$\\cdot$"]
    assert square(latex, "changes-summary-3") == {
        "best": ["$\\cdot$", "1", "3"],
        "middle": ["1", "$\\cdot$", "2"],
        "worst": ["1", "0", "$\\cdot$"],
    }


def test_paper_has_the_share_of_each_kind_of_change(write):
    report = corpus(write).changes(("worst", "best"))
    heads = re.findall(r"\d+ [a-z ]+ \([\d.]+ %\)", report.to_markdown("changes"))
    # There are no new errors, and paper has no empty columns.
    assert heads == ["3 corrections (75.00 %)", "1 changed error (25.00 %)"]


def test_the_screen_has_neither(write):
    screen = repr(corpus(write).changes())
    assert "changed errors; upper: corrections" not in screen
    assert "%)" not in repr(corpus(write).changes(("worst", "middle"))).split("changes  ")[1]


def test_the_shares_of_two_parsers_are_those_that_compareval_prints(data):
    folder = data("compareval-en_gum")
    names = ("HIT-SCIR-18", "Stanford-18")
    systems = {name: str(folder / "systems" / f"{name}.conllu.gz") for name in names}
    loaded = coleval.load(str(folder / "gold.conllu"), systems, task="dep", profile="compareval")
    printed = (folder / "expected" / f"dep.compare.{'.'.join(names)}.txt").read_text()
    shares = re.findall(
        r"^([\d.]+) % \((\d+)/\d+\) (?:corrections|new errors|changed)", printed, re.MULTILINE
    )
    latex = loaded.changes(names).to_latex("changes")
    assert len(shares) == 3
    for share, n in shares:
        assert re.search(rf"{n} [a-z ]+ \({share} \\%\)", latex)


@pytest.mark.parametrize("form", ["to_latex", "to_markdown"])
def test_a_caption_says_from_where_to_where(write, form):
    text = getattr(corpus(write).changes(("worst", "best")), form)("summary")
    assert "changes from worst" in text
