"""Items are shown in their sentences, aligned, in a hundred cells, legible without colour."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len

import coleval
from coleval.cli.main import main
from coleval.errors import UsageError
from coleval.render import console

GOLD = "Anna\tB-PER\nLee\tI-PER\nsings\tO\n\nin\tO\n東京都\tB-LOC\n🦊\tO\n"
ONE = "Anna\tB-PER\nLee\tI-PER\nsings\tO\n\nin\tO\n東京都\tB-PER\n🦊\tO\n"
TWO = "Anna\tB-PER\nLee\tO\nsings\tO\n\nin\tO\n東京都\tO\n🦊\tB-LOC\n"


@pytest.fixture
def corpus(write):
    paths = {name: str(write(f"{name}.conll", text)) for name, text in (("one", ONE), ("two", TWO))}
    return coleval.load(str(write("gold.conll", GOLD)), paths, task="span")


def screen(report, *, color=False, width=100):
    stream = io.StringIO()
    console.show(report, stream=stream, width=width, color=color)
    return stream.getvalue()


def test_every_layer_has_its_label_under_the_word_it_is_of(corpus):
    words = corpus.show(order="item", limit=1).table("words")
    assert words.drop("item", "position").rows() == [
        ("Anna", "B-PER", "B-PER", "B-PER"),
        ("Lee", "I-PER", "I-PER", None),
        ("sings", None, None, None),
    ]


def test_labels_of_items_shown_are_the_items_labels(corpus):
    report = corpus.show(limit=100)
    words = {(r["item"], r["position"]): r for r in report.table("words").to_dicts()}
    for row in report.table("items").to_dicts():
        for name in ("gold", "one", "two"):
            under = words[row["item"], row["first"]][f"label {name}"]
            if row[name] is not None:
                assert f"B-{row[name]}" in under.split("|")


def test_where_order_limit_and_sample_choose_items(corpus):
    assert corpus.show(where="difficulty = 0").table("items")["gold"].to_list() == ["LOC"]
    down = corpus.show(order="item desc", limit=2).table("items")["item"].to_list()
    assert down == sorted(corpus.items["item"], reverse=True)[:2]
    drawn = corpus.show(sample=2, seed=1).table("items")["item"].to_list()
    assert drawn == sorted(drawn)
    assert drawn == corpus.show(sample=2, seed=1).table("items")["item"].to_list()
    assert len(corpus.show(limit=0).table("items")) == 0
    with pytest.raises(UsageError, match="dificulty"):
        corpus.show(order="dificulty")


def starts(line):
    """Return the cells of the screen at which the words of a line begin."""
    text = line.replace("✗", " ")
    return [
        cell_len(text[:k])
        for k in range(len(text))
        if text[k] != " " and (k == 0 or text[k - 1] == " ")
    ]


def test_wide_letters_stand_over_their_labels(corpus):
    text = screen(corpus.show(where="gold = 'LOC'"))
    lines = text.splitlines()
    head = next(line for line in lines if "東京都" in line)
    below = lines[lines.index(head) + 2 :][:3]
    for line in below:
        assert starts(line)[1:] == starts(head)


def test_an_answer_that_is_not_golds_is_marked_without_colour(corpus):
    text = screen(corpus.show(where="gold = 'LOC'"))
    assert "[東京都]" in text
    assert "✗" in next(line for line in text.splitlines() if line.startswith("one"))
    assert "✗" not in next(line for line in text.splitlines() if line.startswith("gold"))
    assert "\x1b" not in text
    assert "\x1b[31m" in screen(corpus.show(where="gold = 'LOC'"), color=True)


def test_systems_that_say_the_same_share_a_line(write):
    paths = {f"s{k}": str(write(f"s{k}.conll", ONE)) for k in range(30)}
    corpus = coleval.load(str(write("gold.conll", GOLD)), paths, task="span")
    lines = screen(corpus.show(limit=1)).splitlines()
    assert any(line.startswith("s0 +29 ") for line in lines)


@pytest.mark.parametrize("width", [40, 80, 100, 200])
def test_no_line_is_wider_than_the_screen_or_a_hundred(write, width):
    long = "".join(
        f"word{'x' * (k % 30)}\t{'B-VERYLONGLABEL' if k % 5 else 'O'}\n" for k in range(60)
    )
    corpus = coleval.load(
        str(write("gold.conll", long)), {"a" * 50: str(write("a.conll", long))}, task="span"
    )
    text = screen(corpus.show(limit=60), width=width)
    shown = [line for line in text.splitlines() if not line.startswith("coleval")]
    assert max(map(cell_len, shown)) <= min(width, 100)
    assert text.count("[word") + text.count("[wor") >= 48


def test_items_without_text_are_shown_with_their_answers(write, capsys):
    write("all.csv", "id,gold,pred_a,pred_b\n1,x,x,y\n2,y,x,y\n")
    path = write("all.csv", "id,gold,pred_a,pred_b\n1,x,x,y\n2,y,x,y\n")
    assert (
        main(
            [
                "show",
                str(path),
                "--columns",
                "id=id,gold=gold,system=pred_*",
                "--task",
                "label",
                "--where",
                "difficulty = 1",
                "--quiet",
            ]
        )
        == 0
    )
    out = capsys.readouterr().out
    assert "id 1" in out
    assert "✗" in out


def test_terminal_escapes_in_words_do_nothing(write):
    gold = "a\x1b[31m\tB-PER\nb\tO\n"
    corpus = coleval.load(
        str(write("g.conll", gold)), {"s": str(write("s.conll", gold))}, task="span"
    )
    assert "\x1b" not in screen(corpus.show())


def test_the_hardest_of_gum_read_well(data):
    folder = data("compareval-en_gum")
    corpus = coleval.load(str(folder / "gold.conllu"), str(folder / "systems" / "*"))
    report = corpus.show(where="difficulty = 0", limit=30)
    assert report.table("items")["of"].unique().to_list() == [67]
    assert max(map(cell_len, screen(report).splitlines())) <= 100
    nobody = report.table("items").to_dicts()
    assert all(row[system] != row["gold"] for row in nobody for system in corpus.systems)


def test_a_matrix_without_any_context_is_shown_and_filtered(write):
    path = write("m.tsv", "1\t0\n1\t1\n0\t0\n")
    corpus = coleval.load(str(path), task="matrix")
    assert len(corpus.show(where="difficulty = 1").table("items")) == 1
    assert corpus.score(where="difficulty = 1").table()["correct"].to_list() == [1, 0]
    assert "item 0" in screen(corpus.show())
