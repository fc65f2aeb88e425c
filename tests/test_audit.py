"""``audit``: suspects of gold against plain loops, votes of copies, decisions, a second gold."""

from __future__ import annotations

import json
import random

import polars as pl
import pytest

import coleval
import conll_versions
import oracle_audit as oracle
from coleval.cli.main import main
from coleval.errors import DataError, UsageError
from conftest import seeds

LABELS = ("A", "B", "C")


def random_spans(chance, sentences, size):
    found = set()
    for sentence in range(sentences):
        at = 0
        while at < size:
            end = min(size, at + chance.randint(1, 3))
            if chance.random() < 0.5:
                found.add((sentence, at, end, chance.choice(LABELS)))
            at = end + chance.randint(0, 1)
    return found


def near(chance, gold, sentences, size):
    """Return gold with errors: spans lost, moved, relabelled, and others where there is room."""
    found = set()
    for s, b, end, label in sorted(gold):
        kind = chance.random()
        if kind < 0.2:
            continue
        said = chance.choice(LABELS) if kind < 0.4 else label
        e = min(size, end + 1) if 0.4 <= kind < 0.55 else end
        if all(not oracle.overlap((s, b, e), other[:3]) for other in found):
            found.add((s, b, e, said))
    for span in sorted(random_spans(chance, sentences, size)):
        if chance.random() < 0.2 and all(not oracle.overlap(span[:3], o[:3]) for o in found):
            found.add(span)
    return found


def frame(spans, sentences, size):
    tags = {(s, k): f"{'B' if k == b else 'I'}-{label}" for s, b, e, label in spans
            for k in range(b, e)}  # fmt: skip
    rows = [(s, f"w{k}", tags.get((s, k), "O")) for s in range(sentences) for k in range(size)]
    return pl.DataFrame(rows, schema=["sentence", "form", "label"], orient="row")


def corpus(gold, systems, sentences, size):
    layers = {name: frame(spans, sentences, size) for name, spans in systems.items()}
    return coleval.load(frame(gold, sentences, size), layers, task="span")


def drawn(seed):
    chance = random.Random(seed)
    sentences, size = chance.randint(1, 4), chance.randint(2, 8)
    gold = random_spans(chance, sentences, size)
    names = [f"s{k}" for k in range(chance.randint(1, 5))]
    return gold, {name: near(chance, gold, sentences, size) for name in names}, sentences, size


def listed(loaded, **options):
    """Return the suspects as the oracle has them, the answer apart."""
    place = {row["item"]: (row["sentence"], row["start"], row["end"])
             for row in loaded.items.to_dicts()}  # fmt: skip
    table = loaded.audit(least=1, limit=0, alike=1.0, **options)["suspects"]
    return [((row["kind"], place[row["item"]], row["votes"]), row) for row in table.to_dicts()]


@pytest.mark.parametrize("seed", seeds(10, 60))
def test_suspects_are_those_of_plain_loops(seed):
    gold, systems, sentences, size = drawn(seed)
    if not gold and not any(systems.values()):
        return
    wanted = {one[:3]: one[3] for one in oracle.suspects(gold, systems)}
    found = listed(corpus(gold, systems, sentences, size))
    assert {key for key, _ in found} == set(wanted)
    assert len(found) == len(wanted)
    for key, row in found:
        assert row["answer"] in wanted[key]
        assert row["votes"] == len(row["systems"].split(", "))


GOLD = {(0, 0, 1, "A"), (0, 3, 5, "B"), (1, 0, 1, "A"), (2, 2, 3, "C")}
SAID = {(0, 0, 1, "B"), (0, 3, 4, "B"), (1, 0, 1, "A"), (1, 3, 4, "A")}


def four():
    systems = {"x": SAID, "y": SAID | {(3, 0, 1, "A")}, "z": SAID - {(0, 0, 1, "B")}}
    return corpus(GOLD, systems, 4, 5)


def test_each_kind_of_suspect_has_its_context_and_who_says_what():
    rows = {row["kind"]: row for row in four().audit(alike=1.0)["suspects"].to_dicts()}
    assert rows["label"]["context"] == "[w0] w1 w2 w3 w4"
    assert [rows["label"][k] for k in ("gold", "answer", "votes", "of")] == ["A", "B", 2, 3]
    assert rows["label"]["systems"] == "x, y"
    assert [rows["boundary"][k] for k in ("gold", "answer", "votes")] == ["B", "B", 3]
    assert rows["boundary"]["extent"] == "w3"
    assert [rows["missing"][k] for k in ("gold", "answer")] == [None, "A"]
    assert [rows["spurious"][k] for k in ("gold", "answer", "votes")] == ["C", None, 3]


def test_what_most_agree_on_comes_first_and_single_votes_are_left_out():
    table = four().audit(alike=1.0)["suspects"]
    assert table["votes"].to_list() == sorted(table["votes"], reverse=True)
    assert table["votes"].min() == 2
    assert four().audit(alike=1.0, least=1)["suspects"]["votes"].min() == 1


def test_copies_of_a_system_have_one_vote():
    gold, size = {(s, 0, 1, "A") for s in range(9)}, 3
    wrong = {(s, 0, 1, "B") for s in range(4)}
    other = {(s, 1, 2, "A") for s in range(5, 9)}
    loaded = corpus(gold, {"x": wrong, "y": wrong, "z": wrong, "other": other}, 9, size)
    report = loaded.audit(least=1)
    assert report["suspects"]["of"].unique().to_list() == [2]
    label = report["suspects"].filter(pl.col("kind") == "label")
    assert label["votes"].unique().to_list() == [1]
    assert label["systems"][0] == "x, y, z"
    assert any("3 systems have one vote together (x, y, z)" in text for text in report.warnings)


def decisions(tmp_path, table, decision):
    path = tmp_path / "decided.tsv"
    table.with_columns(pl.lit(decision).alias("decision")).write_csv(
        path, separator="\t", quote_style="never"
    )
    return str(path)


@pytest.mark.parametrize("seed", range(8))
def test_scores_after_decisions_are_those_on_the_gold_that_is_written(seed, tmp_path):
    gold, systems, sentences, size = drawn(100 + seed)
    loaded = corpus(gold, systems, sentences, size)
    table = loaded.audit(alike=1.0)["suspects"]
    if table.is_empty():
        return
    path, new = decisions(tmp_path, table, "systems"), tmp_path / "new.conll"
    found = loaded.audit(alike=1.0, decisions=path, corrected=str(new))["rescored"]
    paths = {}
    for name, spans in systems.items():
        part = frame(spans, sentences, size).group_by("sentence", maintain_order=True)
        lines = ["\n".join(f"{r['form']}\t{r['label']}" for r in own.to_dicts()) for _, own in part]
        paths[name] = tmp_path / f"{name}.conll"
        paths[name].write_text("\n\n".join(lines) + "\n")
    if new.read_text().startswith("sentence"):
        return
    after = dict(coleval.load(new, paths).score()["overall"].select("system", "f1").iter_rows())
    before = {name: oracle.f1(gold, spans) for name, spans in systems.items()}
    for row in found.to_dicts():
        assert row["before"] == pytest.approx(before[row["system"]])
        assert row["after"] == pytest.approx(after[row["system"]])


def test_gold_stays_where_the_decision_is_gold_or_none_is_made(tmp_path):
    table = four().audit(alike=1.0)["suspects"]
    for decision in ("gold", ""):
        path = decisions(tmp_path, table, decision)
        rescored = four().audit(alike=1.0, decisions=path)["rescored"]
        assert rescored["delta"].to_list() == [0.0] * 3


def test_another_extent_takes_the_place_of_golds(tmp_path):
    table = four().audit(alike=1.0)["suspects"].filter(pl.col("kind") == "boundary")
    report = four().audit(alike=1.0, decisions=decisions(tmp_path, table, "systems"))
    tags = report["corrected"].filter(pl.col("sentence") == 0)["gold"].to_list()
    assert tags == ["B-A", "O", "O", "B-B", "O"]


@pytest.mark.parametrize(("change", "problem"), [
    ({"decision": "sistems"}, "no decision is called"),
    ({"item": "999"}, "there is no item"),
    ({"gold": "Z"}, "gold has"),
])  # fmt: skip
def test_a_list_that_does_not_fit_says_where(tmp_path, change, problem):
    table = four().audit(alike=1.0)["suspects"]
    columns = {"decision": "systems", **change}
    path = tmp_path / "decided.tsv"
    new = table.with_columns(pl.lit(v).alias(k) for k, v in columns.items())
    new.write_csv(path, separator="\t")
    with pytest.raises((DataError, UsageError), match=problem) as caught:
        four().audit(alike=1.0, decisions=str(path))
    assert f"{path}:2" in str(caught.value)


def test_a_list_without_decisions_or_a_file_that_is_not_there_is_refused(tmp_path):
    path = tmp_path / "list.tsv"
    path.write_text("item\tkind\n1\tlabel\n")
    with pytest.raises(DataError, match="has no column `gold`"):
        four().audit(decisions=str(path))
    with pytest.raises(UsageError, match="no such file"):
        four().audit(decisions=str(tmp_path / "none.tsv"))
    with pytest.raises(UsageError, match="nothing to correct gold by"):
        four().audit(corrected=str(path))


def test_rows_of_zeros_and_ones_have_no_answers_to_vote_with():
    rows = coleval.load(pl.DataFrame({"x": [0, 1], "y": [1, 1]}), task="matrix")
    with pytest.raises(UsageError, match="no answers"):
        rows.audit()


def test_one_system_is_one_vote_and_says_so():
    report = corpus(GOLD, {"x": SAID}, 4, 5).audit()
    assert report["suspects"]["of"].unique().to_list() == [1]
    assert any("one vote" in text for text in report.warnings)


def test_tokens_without_a_label_may_lack_one_or_have_one_too_many():
    gold = pl.DataFrame({"sentence": [0] * 3, "form": list("abc"), "label": ["N", "O", "V"]})
    said = gold.with_columns(label=pl.Series(["O", "N", "V"]))
    systems = {"x": said, "y": said.clone()}
    report = coleval.load(gold, systems, task="tag", outside="O").audit(alike=1.0)
    kinds = {row["kind"]: (row["gold"], row["answer"]) for row in report["suspects"].to_dicts()}
    assert kinds == {"spurious": ("N", None), "missing": (None, "N")}


def test_an_instance_without_an_answer_is_no_vote():
    frame_ = pl.DataFrame({"gold": ["A", "B"], "x": [None, "A"], "y": [None, "A"]})
    table = coleval.load(frame_, missing="wrong").audit(alike=1.0)["suspects"]
    assert table.select("kind", "gold", "answer").rows() == [("label", "B", "A")]


@pytest.fixture(scope="module")
def versions(data, tmp_path_factory):
    """Return CoNLL-2003 with three systems and CoNLL# as a second gold."""
    folder = data("conll_sharp")
    gold, *layers = conll_versions.written(
        folder, tmp_path_factory.mktemp("versions"), folder / "gold" / "conll_sharp.txt"
    )
    return coleval.load(gold, {path.stem: path for path in layers})


@pytest.fixture(scope="module")
def measured(versions):
    return versions.audit(against="second", alike=1.0)


def spans_of(loaded, name):
    codes = loaded.items.filter(pl.col(name).is_not_null())
    return {tuple(row) for row in codes.select("sentence", "start", "end", name).iter_rows()}


def test_a_second_gold_changed_most_of_what_no_system_finds_and_next_to_nothing_that_all_do(
    versions, measured
):
    gold, second = spans_of(versions, "gold"), spans_of(versions, "second")
    systems = [spans_of(versions, name) for name in versions.systems if name != "second"]
    found = {(row["what"], row["systems"]): row for row in measured["found"].to_dicts()}
    for k in range(4):
        solved = {span for span in gold if sum(span in own for own in systems) == k}
        row = found["gold", k]
        assert (row["items"], row["changed"]) == (len(solved), len(solved - second))
    every = set.intersection(*systems) - gold
    row = found["proposed", 3]
    assert (row["items"], row["changed"]) == (len(every), len(every & second))
    assert found["gold", 0]["share"] > 0.4
    assert found["gold", 3]["share"] < 0.03
    assert row["share"] > 0.5


def test_precision_is_that_of_the_list_row_by_row(versions, measured):
    second = spans_of(versions, "second")
    place = {row["item"]: row for row in versions.items.to_dicts()}
    changed = []
    for row in measured["suspects"].to_dicts():
        item = place[row["item"]]
        same = (item["sentence"], item["start"], item["end"], row["gold"]) in second
        there = any(span[:3] == (item["sentence"], item["start"], item["end"]) for span in second)
        changed.append(there if row["gold"] is None else not same)
    for row in measured["precision"].to_dicts():
        assert row["changed"] == sum(changed[: row["k"]])
        assert row["precision"] == pytest.approx(sum(changed[: row["k"]]) / row["k"])


def test_scores_on_the_second_gold_are_those_that_score_gives(versions, measured):
    second, gold = spans_of(versions, "second"), spans_of(versions, "gold")
    for row in measured["rescored"].to_dicts():
        own = spans_of(versions, row["system"])
        assert row["before"] == pytest.approx(oracle.f1(gold, own))
        assert row["after"] == pytest.approx(oracle.f1(second, own))


def test_a_second_gold_may_be_a_file(write, capsys):
    gold = write("gold.conll", "a B-X\nb O\n\nc B-X\nd O\n")
    said = [write(f"{name}.conll", "a B-Y\nb O\n\nc B-X\nd O\n") for name in "pq"]
    new = write("new.conll", "a B-Y\nb O\n\nc B-X\nd O\n")
    line = ["audit", *map(str, [gold, *said]), "--alike", "1", "--against", str(new)]
    assert main([*line, "--as", "json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert [(row["kind"], row["votes"], row["share"]) for row in tables["hits"]] == [
        ("label", 2, 1)
    ]
    assert {row["system"]: row["after"] for row in tables["rescored"]} == {"p": 1.0, "q": 1.0}
