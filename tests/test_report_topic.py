"""A report's findings: one metric under one name, true of the task, in the right number."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import coleval
from coleval.analyses.buckets.findings import FEWEST

Write = Callable[[str, str], Path]


def findings(corpus: coleval.Corpus, **options: object) -> dict[str, str]:
    """Return each chapter's finding, or why it is left out."""
    rows = corpus.report(replicates=50, **options).table("story").to_dicts()
    return {row["chapter"]: row["finding"] or row["left_out"] for row in rows}


def tagged(write: Write, task: str, **tags: str) -> coleval.Corpus:
    """Return a corpus of one-word sentences; ``gold`` is gold."""
    files = {
        name: write(f"{name}.conll", "".join(f"w{k}\t{tag}\n\n" for k, tag in enumerate(text)))
        for name, text in ((name, text.split()) for name, text in tags.items())
    }
    return coleval.load(files.pop("gold"), files, task=task)


# ------------------------------------------------------------------------------ one name a metric


def test_trees_have_one_metric_in_all_chapters(data: Callable[[str], Path]) -> None:
    folder = data("compareval-en_gum")
    systems = [str(path) for path in sorted((folder / "systems").glob("[HS]*"))[:2]]
    corpus = coleval.load(str(folder / "gold.conllu"), systems, task="dep")
    said = findings(corpus)
    for chapter in ("score", "compare", "buckets", "pivot", "changes"):
        assert "LAS" in said[chapter], chapter
        assert "F1" not in said[chapter]
        assert "ccuracy" not in said[chapter]


def lengths(write: Write, *short: int) -> coleval.Corpus:
    """Return sentences of one word, right, of two words, wrong, and of three, half of them."""
    answers = (("A",), ("B", "B"), ("A", "B", "A"))
    rows = [
        ("A " * len(said), said) for said, n in zip(answers, short, strict=True) for _ in range(n)
    ]
    text = [
        "".join("".join(f"w\t{tag}\n" for tag in tags) + "\n" for tags in side)
        for side in ([gold.split() for gold, _ in rows], [said for _, said in rows])
    ]
    return coleval.load(write("g.tsv", text[0]), {"s": write("s.tsv", text[1])}, task="tag")


def test_tags_ranked_by_accuracy_have_buckets_by_accuracy(write: Write) -> None:
    corpus = lengths(write, 30, 30, 0)
    assert findings(corpus)["buckets"] == (
        "Mean accuracy falls 100.0 points from sLen 1 (n = 30) to 2 (n = 60)."
    )
    report = corpus.report(replicates=50)
    assert "from_accuracy" in report.table("buckets.attributes").columns


def test_the_share_of_gold_spans_found_is_called_recall(write: Write) -> None:
    gold = " ".join(["B-X", "B-Y"] * 40)
    corpus = tagged(write, "span", gold=gold, s=" ".join(["B-X", "O"] * 40))
    assert findings(corpus)["pivot"].startswith("Recall is 0.0 % where label = Y (n = 40)")


def test_coreference_has_its_metric_in_every_table_and_in_the_signature(
    data: Callable[[str], Path],
) -> None:
    folder = data("cdcr-event-coref/ecbp/within_doc")
    systems = [str(path) for path in sorted((folder / "systems").glob("*"))[:2]]
    corpus = coleval.load(str(folder / "gold.conll"), systems)
    report = corpus.report(replicates=50)
    for table in ("ranks", "pairs", "power"):
        assert set(report.table(f"compare.{table}")["metric"]) == {"conll"}
    assert "metric:conll" in report.signature
    said = findings(corpus)
    assert "ARCS F1 (any antecedent) rises" in said["changes"]
    assert "tp" not in said["confusion"].split()
    assert said["pivot"] == "None of 3 slices is significantly worse than the rest."
    assert said["buckets"].startswith(
        "Mean ARCS F1 (any antecedent) falls 18.3 points from chain_size"
    )


# ---------------------------------------------------------------------------- what makes no sense


def test_a_matrix_has_no_labels_to_confuse(write: Write) -> None:
    corpus = coleval.load(write("m.csv", "item,s1,s2\n1,1,1\n2,0,1\n3,1,0\n"), task="matrix")
    assert findings(corpus)["confusion"] == "a matrix has only right and wrong, no labels"


def test_buckets_of_a_few_items_are_no_finding(write: Write) -> None:
    corpus = tagged(write, "span", gold="B-X " * 2 + "O", a="B-X O O", b="B-X B-X O")
    assert findings(corpus)["buckets"] == (
        "No attribute has two buckets of at least 20 gold items with different scores."
    )


def test_the_two_buckets_of_a_finding_have_enough_items_each(write: Write) -> None:
    for few, named in ((FEWEST - 1, False), (2 * FEWEST, True)):
        said = findings(lengths(write, few, 30, 0))["buckets"]
        sizes = [int(part.partition(")")[0]) for part in said.split("(n = ")[1:]]
        assert len(sizes) == 2
        assert min(sizes) >= FEWEST
        assert ("sLen" in said) == named


def test_gold_without_spans_has_no_upper_bound_and_no_winner_by_accuracy(write: Write) -> None:
    said = findings(tagged(write, "span", gold="O O O", n1="O O O", n2="O B-X O"))
    assert said["oracle"] == "There are no gold items that a combination of systems could solve."
    assert said["bins"] == "There are no gold items."
    assert said["changes"].startswith("From n1 to n2, F1 of n1 is undefined: ")
    assert not any("right on undefined" in text for text in said.values())


def test_bins_of_chosen_systems_are_said_to_be_theirs(write: Write) -> None:
    tags = {"gold": "A A A A", "a": "A A A B", "b": "A A A B", "c": "B B B B"}
    corpus = tagged(write, "tag", **tags)
    assert findings(corpus, bins_from="a")["bins"] == (
        "a, which alone sets the bins, solves 3 of 4 items (75.0 %)."
    )
    assert findings(corpus, bins_from="a,b")["bins"] == (
        "All 2 systems that set the bins (a, b) solve 3 of 4 items (75.0 %); "
        "none solves 1 (25.0 %)."
    )
    assert findings(corpus)["bins"].startswith("All systems solve 0 of 4 items")


# ---------------------------------------------------------------------------------------- grammar


def test_one_of_anything_is_in_the_singular(write: Write) -> None:
    said = findings(tagged(write, "span", gold="B-X B-Y O", a="B-X B-Y O", b="B-X B-X O"))
    assert "1 correction, 0 new errors, 0 changed errors" in said["changes"]
    one = findings(tagged(write, "span", gold="B-X B-X O", a="B-X B-Y O"))
    assert one["bins"] == "a solves 1 of 2 items (50.0 %)."
    assert one["errors"] == "a makes 1 error: 1 wrong label (n = 2 gold spans)."
    assert one["score"] == "a reaches F1 50.00 (n = 2 gold spans)."


@pytest.mark.parametrize(("task", "n"), [("tag", "1 token"), ("span", "1 gold span")])
def test_the_first_sentence_names_its_n(write: Write, task: str, n: str) -> None:
    tag = "B-X" if task == "span" else "X"
    assert f"(n = {n})" in findings(tagged(write, task, gold=tag, a=tag))["score"]


def test_one_missing_answer_and_one_pair_are_in_the_singular(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    table = write("t.csv", "id,gold,a\n1,x,x\n2,y,\n3,x,y\n")
    corpus = coleval.load(table, task="label", columns="id=id,gold=gold,system=a")
    notes = corpus.agree().table("overall")["note"].drop_nulls().to_list()
    assert any(note.startswith("1 item lacks an answer") for note in notes)


def test_a_fall_of_one_point_is_one_point(write: Write) -> None:
    tags = {"gold": "A " * 100, "a": "A " * 100, "b": "A " * 99 + "B"}
    table = tagged(write, "tag", **tags).changes(gate="max_drop=2pp").table("gate")
    assert table["verdict"].to_list() == ["accuracy fell by 1 point; the limit is 2."]
