"""What a screen shows of difficulty bins: ranges where they do not fit, percent on request."""

from __future__ import annotations

import pytest

import coleval
from coleval.analyses.bins.views import ranges, rounded
from coleval.render.console import render


@pytest.fixture
def corpus(write):
    gold = write("gold.conll", "a\tX\nb\tY\nc\tX\n")
    systems = {
        "one": write("one.conll", "a\tX\nb\tX\nc\tX\n"),
        "two": write("two.conll", "a\tX\nb\tY\nc\tY\n"),
        "three": write("three.conll", "a\tY\nb\tX\nc\tY\n"),
    }
    return coleval.load(gold, systems, task="tag")


@pytest.mark.parametrize(
    ("part", "whole", "percent"),
    [(1, 8, 12), (3, 8, 38), (1, 200, 0), (3, 200, 2), (29, 200, 14), (0, 7, 0), (7, 7, 100)],
)
def test_percent_is_rounded_half_to_even_from_exact_counts(part, whole, percent):
    assert rounded(part, whole) == percent


def test_percent_is_shown_when_asked_and_changes_no_table(corpus):
    counts, percent = corpus.bins(), corpus.bins(percent=True)
    assert counts.tables["tps"].equals(percent.tables["tps"])
    assert "100" in render(percent, "tps")
    assert "% solved per difficulty bin" in render(percent, "tps")


@pytest.mark.parametrize("last", [0, 1, 2, 4, 5, 12, 50, 300])
@pytest.mark.parametrize("columns", [5, 6, 9, 20, 60])
def test_ranges_hold_every_bin_once_and_keep_the_ends(last, columns):
    found = ranges(last, columns)
    assert [k for low, high in found for k in range(low, high + 1)] == list(range(last + 1))
    assert len(found) <= max(columns, 5)
    assert found[0] == (0, 0)
    assert found[-1] == (last, last)


def test_fifty_systems_fit_a_screen_in_ranges_that_are_told(write):
    lines = [f"{name}\tLOC\n" for name in "abcdefghij"]
    gold = write("gold.conll", "".join(lines))
    systems = {}
    for k in range(50):
        wrong = [f"{n}\tX\n" if (k * 7 + at * at) % 11 < at else line
                 for at, (n, line) in enumerate(zip("abcdefghij", lines, strict=True))]  # fmt: skip
        systems[f"system-of-a-team-with-a-long-name-{k:02}"] = write(f"s{k}.conll", "".join(wrong))
    text = render(coleval.load(gold, systems, task="tag").bins(profile=True, words_top=5))
    assert max(map(len, text.splitlines())) <= 100
    assert "bins are merged into ranges to fit" in text
    heat = text[text.index("tps ") :]
    assert sum(line.startswith("system-of") for line in heat.splitlines()) >= 50


def test_the_heat_map_marks_the_best_and_the_worst_of_each_bin(corpus):
    assert render(corpus.bins(), "tps").splitlines()[1:7] == [
        "        0  1  2  3",
        "system  0  2  1  0    R %",
        "──────────────────────────",
        "one     –  1▲ 1▲ –  66.67▲",
        "two     –  1▲ 1▲ –  66.67▲",
        "three   –  ·  ·  –   0.00▼",
    ]


def test_bins_of_other_systems_say_so(write):
    gold = write("gold", "a B-X\nb B-X\n")
    systems = {
        "one": gold,
        "two": write("two", "a B-X\nb O\n"),
        "three": write("three", "a O\nb O\n"),
    }
    corpus = coleval.load(gold, systems, task="span")
    assert "of the 3 systems solve" in repr(corpus.bins())
    assert "of the 2 systems named by" in repr(corpus.chosen("one").bins(bins_from="two,three"))
