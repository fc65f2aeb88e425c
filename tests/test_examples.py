"""Items worth a look are what they are called: hard, different, in doubt, an error of that kind."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import coleval
from coleval.errors import UsageError
from conftest import seeds

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LABELS = ("A", "B", "C")
TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")


def frame(seed: int, items: int = 60, systems: int = 4) -> pl.DataFrame:
    """Random answers to instances, some of which all systems get wrong in the same way."""
    draw = random.Random(seed)
    gold = [draw.choice(LABELS) for _ in range(items)]
    columns: dict[str, list[str]] = {"id": [f"i{k}" for k in range(items)], "gold": gold}
    for s in range(systems):
        columns[f"s{s}"] = [
            LABELS[(LABELS.index(g) + 1) % 3] if k % 11 == 0 else
            g if draw.random() < 0.5 + s / 10 else draw.choice(LABELS)
            for k, g in enumerate(gold)
        ]  # fmt: skip
    return pl.DataFrame(columns)


def told(report: coleval.Report) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    answers = report.table("answers").to_dicts()
    return [
        (row, [answer for answer in answers if answer["rank"] == row["rank"]])
        for row in report.table("examples").to_dicts()
    ]


@pytest.mark.parametrize("seed", seeds(4, 12))
def test_every_example_is_what_it_is_called(seed: int) -> None:
    data = frame(seed)
    systems = [name for name in data.columns if name.startswith("s")]
    corpus = coleval.load(data, columns={"id": "id"}, task="label")
    pair = (systems[-1], systems[0])
    gold = dict(data.select("id", "gold").rows())
    said = {name: dict(data.select("id", name).rows()) for name in systems}
    solved = {key: sum(said[s][key] == g for s in systems) for key, g in gold.items()}
    kinds = set()
    for row, answers in told(corpus.examples(pair=pair, limit=5)):
        key = row["form"]
        kinds.add(row["kind"])
        assert row["gold"] == gold[key]
        assert row["difficulty"] == solved[key]
        assert row["of"] == len(systems)
        # Who says what: each system once, under its own answer, right or not.
        listed = [(name, a["answer"], a["right"]) for a in answers for name in a["systems"]]
        assert sorted(listed) == sorted((s, said[s][key], said[s][key] == gold[key])
                                        for s in systems)  # fmt: skip
        assert [a["n"] for a in answers] == [len(a["systems"]) for a in answers]
        one, other = pair
        if row["kind"] == "hardest":
            assert solved[key] == min(solved.values())
        elif row["kind"] == "differ":
            right, wrong = (one, other) if row["about"].startswith(one) else (other, one)
            assert said[right][key] == gold[key] != said[wrong][key]
        elif row["kind"] == "suspect":
            votes = max(sum(said[s][key] == label for s in systems)
                        for label in LABELS if label != gold[key])  # fmt: skip
            assert votes >= len(systems) / 2
        else:
            assert row["about"] == f"{one}: {gold[key]} → {said[one][key]}"
            assert said[one][key] != gold[key]
    assert kinds == {"hardest", "differ", "suspect", "error"}


def spans(tags: list[str]) -> dict[tuple[int, int], str]:
    """The spans of a sentence that is tagged by IOB2, an I- that begins one too."""
    found: dict[tuple[int, int], str] = {}
    start, label = None, ""
    for k, tag in enumerate([*tags, "O"]):
        if start is not None and tag != f"I-{label}":
            found[start, k] = label
            start = None
        if tag != "O" and start is None:
            start, label = k, tag[2:]
    return found


@pytest.mark.parametrize("seed", seeds(3, 8))
def test_answers_to_a_span_are_the_spans_that_overlap_it(
    seed: int, write: Callable[[str, str], Path]
) -> None:
    draw = random.Random(seed)
    words = [f"w{k}" for k in range(12)]
    tagged = {name: [draw.choice(TAGS) for _ in words] for name in ("gold", "one", "two")}
    texts = {
        name: "".join(f"{word}\t{tag}\n" for word, tag in zip(words, tags, strict=True))
        for name, tags in tagged.items()
    }
    files = {name: str(write(f"{name}.conll", text)) for name, text in texts.items()}
    corpus = coleval.load(files.pop("gold"), files, task="span")
    every = {name: spans(tags) for name, tags in tagged.items()}
    place = dict(corpus.items.select("item", pl.struct("start", "end")).rows())

    def said(name: str, own: tuple[int, int]) -> str:
        near = sorted((at, label) for at, label in every[name].items()
                      if at[0] < own[1] and at[1] > own[0])  # fmt: skip
        shown = [label if at == own else f"{label} on “{' '.join(words[slice(*at)])}”"
                 for at, label in near]  # fmt: skip
        return ", ".join(shown) or "–"

    examples = told(corpus.examples(limit=6))
    assert examples
    for row, answers in examples:
        own = (place[row["item"]]["start"], place[row["item"]]["end"])
        assert sorted(row["gold"].split(", ")) == sorted(said("gold", own).split(", "))
        for answer in answers:
            for name in answer["systems"]:
                assert sorted(answer["answer"].split(", ")) == sorted(said(name, own).split(", "))
                same = every[name].get(own) == every["gold"].get(own)
                assert answer["right"] == same


def test_the_hardest_are_of_different_labels_before_they_are_of_one() -> None:
    gold = ["A"] * 20 + ["B"] * 2
    data = pl.DataFrame({"gold": gold, "pred_one": ["C"] * 22, "pred_two": ["C"] * 22})
    report = coleval.load(data, task="label").examples(limit=4)
    hardest = report.table("examples").filter(pl.col("kind") == "hardest")
    assert sorted(hardest["gold"]) == ["A", "A", "B", "B"]


def test_nothing_is_hard_where_all_are_right() -> None:
    data = pl.DataFrame({"gold": ["A", "B"], "one": ["A", "B"], "two": ["A", "B"]})
    report = coleval.load(data, task="label").examples()
    assert report.table("examples").is_empty()
    assert "examples" in repr(report)


def test_one_system_has_hard_items_and_errors() -> None:
    data = pl.DataFrame({"gold": ["A", "B", "A"], "one": ["A", "A", "B"]})
    report = coleval.load(data, task="label").examples()
    assert set(report.table("examples")["kind"]) == {"hardest", "error"}


def test_a_system_that_is_not_there_is_named_with_its_near_misses() -> None:
    data = pl.DataFrame({"gold": ["A", "B"], "one": ["A", "A"], "two": ["A", "B"]})
    with pytest.raises(UsageError, match="onee"):
        coleval.load(data, task="label").examples(pair=("onee", "two"))


def test_a_word_with_the_right_relation_and_another_head_says_so(
    write: Callable[[str, str], Path],
) -> None:
    def tree(heads: tuple[int, ...]) -> str:
        rows = [f"{k}\tw{k}\t_\tX\t_\t_\t{head}\t{'root' if not head else 'dep'}\t_\t_"
                for k, head in enumerate(heads, start=1)]  # fmt: skip
        return "\n".join(rows) + "\n\n"

    gold = write("gold.conllu", tree((0, 1, 1)))
    one = write("one.conllu", tree((0, 1, 2)))
    report = coleval.load(str(gold), {"one": str(one)}, task="dep").examples()
    assert set(report.table("answers")["answer"]) == {"dep, another head"}


def nested(spans: int, name: str) -> dict[str, Any]:
    """A document whose spans are each in the next; a system lacks one of them."""
    inner = [{"start": 2 * k, "end": 4 * spans - 2 * k + 1, "label": "AB"[k % 2]}
             for k in range(spans)]  # fmt: skip
    lacking = {"gold": -1, "one": 3, "two": spans - 2, "three": spans - 2}[name]
    return {"id": "1", "text": "a " * (2 * spans + 1),
            "entities": [span for k, span in enumerate(inner) if k != lacking]}  # fmt: skip


def test_of_very_many_spans_in_each_other_the_first_are_named_and_the_others_counted(
    write: Callable[[str, str], Path],
) -> None:
    files = {name: str(write(f"{name}.jsonl", json.dumps(nested(300, name)) + "\n"))
             for name in ("gold", "one", "two", "three")}  # fmt: skip
    report = coleval.load(files.pop("gold"), files, task="span").examples()
    for row, answers in told(report):
        assert row["gold"].endswith(" and 294 more")
        assert max(len(answer["answer"]) for answer in answers) < 6 * 130 + 20
        # Systems whose difference is in what is left out do not have the same answer.
        groups = {tuple(answer["systems"]) for answer in answers}
        assert groups == {("one",), ("two", "three")}
        assert [a["right"] for a in answers] == sorted((a["right"] for a in answers), reverse=True)
    assert len(str(report)) < 100_000


def test_of_a_long_span_the_beginning_and_the_end_are_shown(
    write: Callable[[str, str], Path],
) -> None:
    inside = "".join(f"w{k}\tI-A\n" for k in range(5_000))
    files = {name: str(write(f"{name}.conll", f"{first}\n{inside}{last}\n"))
             for name, first, last in (("gold", "begin\tB-A", "end\tI-A"),
                                       ("one", "begin\tB-A", "end\tO"))}  # fmt: skip
    report = coleval.load(files.pop("gold"), files, task="span").examples()
    assert report.table("examples")["form"][0].endswith("w4999 end")
    assert "[begin w0 w1 " in str(report)
    assert "w4998 w4999 end]" in str(report)
    assert len(str(report)) < 3_000


def test_tokens_of_many_letters_do_not_fill_a_screen(write: Callable[[str, str], Path]) -> None:
    lines = [f"{'x' * 50_000}{k}\tB-A\n" for k in range(8)]
    files = {name: str(write(f"{name}.conll", "".join(lines).replace("B-A", tag)))
             for name, tag in (("gold", "B-A"), ("one", "B-B"))}  # fmt: skip
    corpus = coleval.load(files.pop("gold"), files, task="span")
    report = corpus.item_statistics()
    assert max(len(text) for text in report.table("items")["context"]) > 100_000
    for shown in (str(report), str(corpus.examples())):
        assert len(shown.splitlines()) < 400
        assert "x…x" in shown.replace("\n", "").replace(" ", "")
