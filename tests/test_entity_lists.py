"""Lists of entities without places against tagged tokens, other lists, and texts with offsets."""

from __future__ import annotations

import json
import random

import pytest

import coleval
import oracle_entities as oracle
from coleval.cli.main import main
from coleval.errors import ColevalError, DataError, UsageError

GOLD = """\
US B-LOC
and O
Peter B-PER
USE O
US B-ORG

COVID B-DIS
- I-DIS
19 I-DIS
in O
Paris B-LOC
"""
LISTS = [
    [["US", "LOC"], ["Peter", "PER"], ["Berlin", "LOC"], ["SE", "X"]],
    [["COVID-19", "DIS"], ["paris", "LOC"], ["", "LOC"]],
]


def written(path, records):
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path):
    gold = tmp_path / "gold.conll"
    gold.write_text(GOLD, encoding="utf-8")
    records = [{"id": k, "entities": entries} for k, entries in enumerate(LISTS)]
    return gold, written(tmp_path / "model.jsonl", records)


def overall(gold, system, **options):
    row = coleval.load(gold, {"s": system}, **options).score()["overall"].row(0, named=True)
    return row["tp"], row["fp"], row["fn"]


def places(corpus):
    table = corpus.score()["places"]
    return {status: n for _, status, n, _ in table.rows() if n}


def test_a_list_is_placed_at_all_occurrences_of_tokens(files):
    # US as LOC is right once of twice, Peter and COVID - 19 are right; Berlin, paris and SE wrong.
    assert overall(*files) == (3, 4, 2)


def test_what_becomes_of_entries_is_counted(files):
    corpus = coleval.load(files[0], {"s": files[1]})
    assert places(corpus) == {
        "placed": 2, "placed without spaces": 1, "unknown label": 1, "not in text": 2, "empty": 1,
    }  # fmt: skip
    shares = corpus.score()["places"]["share"]
    assert shares.sum() == pytest.approx(1)


def test_a_string_inside_of_a_word_has_a_status_of_its_own(tmp_path, files):
    system = written(tmp_path / "s.jsonl", [{"entities": [["SE", "LOC"]]}, {"entities": []}])
    assert places(coleval.load(files[0], {"s": system})) == {"inside words": 1}


def test_lists_without_any_entity_are_lists_all_the_same(tmp_path, files):
    system = written(tmp_path / "s.jsonl", [{"entities": []}, {"entities": []}])
    report = coleval.load(files[0], {"s": system}).score()
    assert report["places"].rows() == [("s", "placed", 0, None)]
    assert "place:all" in report.signature
    assert report["overall"].row(0, named=True)["fn"] == 5


def test_case_is_ignored_where_that_is_asked_for(files):
    corpus = coleval.load(files[0], {"s": files[1]}, place_fold=True)
    assert places(corpus)["placed ignoring case"] == 1
    assert "place-fold:yes" in corpus.score().signature
    assert overall(*files, place_fold=True) == (4, 3, 1)


@pytest.mark.parametrize(("policy", "hits"), [("first", 3), ("best", 3), ("worst", 2)])
def test_policies_choose_between_occurrences(files, policy, hits):
    assert overall(*files, place=policy)[0] == hits


def test_an_interval_has_f1_of_the_worst_and_of_the_best_placement(files):
    corpus = coleval.load(files[0], {"s": files[1]}, place="interval")
    row = corpus.score()["overall"].row(0, named=True)
    f1 = {p: coleval.load(files[0], {"s": files[1]}, place=p).score()["overall"]["f1"][0]
          for p in ("first", "best", "worst")}  # fmt: skip
    assert (row["f1"], row["f1_low"], row["f1_high"]) == (f1["first"], f1["worst"], f1["best"])
    assert "place:interval" in corpus.score().signature


def test_an_interval_of_samples_is_another_one(files):
    corpus = coleval.load(files[0], {"s": files[1]}, place="interval")
    with pytest.raises(UsageError, match="one interval"):
        corpus.score(intervals=True)


def test_systems_with_tags_stand_beside_lists(files):
    corpus = coleval.load(files[0], {"tags": files[0], "lists": files[1]}, place="interval")
    table = corpus.score()["overall"]
    assert table["system"].to_list() == ["tags", "lists"]
    assert table.row(0, named=True)["f1_low"] == 1
    assert corpus.score()["places"]["system"].unique().to_list() == ["lists"]


def test_entities_that_are_not_in_the_text_are_spans_of_nothing(files):
    corpus = coleval.load(files[0], {"s": files[1]})
    rows = corpus.items.filter("not_in_text")
    assert sorted(rows["form"].to_list()) == ["Berlin", "SE", "paris"]
    assert rows["start"].to_list() == rows["end"].to_list() == [0, 0, 0]
    filtered = corpus.with_options(where="not not_in_text").score()["overall"]
    assert filtered.row(0, named=True)["fp"] == 1


def test_strings_are_compared_without_places(files):
    corpus = coleval.load(files[0], {"s": files[1]})
    row = corpus.with_options(unit="string").score()["overall"].row(0, named=True)
    # US as LOC, Peter and COVID - 19 are gold's; US as ORG and Paris are missed.
    assert (row["tp"], row["fp"], row["fn"]) == (3, 3, 2)


def test_gold_may_be_lists_itself(tmp_path):
    gold = written(tmp_path / "gold.jsonl", [
        {"id": "a", "entities": [["New York", "LOC"], ["US", "LOC"], ["US", "ORG"]]},
        {"id": "b", "entities": []},
    ])  # fmt: skip
    system = written(tmp_path / "s.jsonl", [
        {"id": "b", "entities": {"PER": ["Bob"]}},
        {"id": "a", "entities": [{"text": "NewYork", "label": "LOC"}, *[["US", "ORG"]] * 2]},
    ])  # fmt: skip
    corpus = coleval.load(gold, {"s": system})
    row = corpus.score()["overall"].row(0, named=True)
    assert (row["tp"], row["fp"], row["fn"]) == (2, 1, 1)
    assert list(corpus.units) == ["string"]
    twice = coleval.load(gold, {"s": system}, multiset=True).score()["overall"].row(0, named=True)
    assert (twice["tp"], twice["fp"], twice["fn"]) == (2, 2, 1)


def test_a_store_keeps_places_and_their_interval(tmp_path, files):
    corpus = coleval.load(files[0], {"s": files[1], "t": files[0]}, place="interval")
    corpus.save(tmp_path / "store")
    again = coleval.open(tmp_path / "store")
    for table in ("overall", "labels", "places"):
        assert again.score()[table].equals(corpus.score()[table])
    assert again.score().signature == corpus.score().signature
    strings = {c.with_options(unit="string").score()["overall"]["f1"][0] for c in (corpus, again)}
    assert len(strings) == 1


def test_a_store_grows_by_lists(tmp_path, files):
    gold, system = files
    other = written(tmp_path / "other.jsonl", [
        {"entities": [["Rome", "LOC"], ["US", "ORG"]]}, {"entities": [["Paris", "LOC"]]},
    ])  # fmt: skip
    both = coleval.load(gold, {"s": system, "o": other}, place="interval")
    store = str(tmp_path / "store")
    for name, path in (("s", system), ("o", other)):
        assert main(["load", str(gold), f"{name}={path}", "--place", "interval", "-o", store]) == 0
    again = coleval.open(store)
    for unit in ("span", "string"):
        one, two = (c.with_options(unit=unit).score() for c in (both, again))
        assert one["overall"].equals(two["overall"])
        assert one["places"].equals(two["places"])


def test_missing_lists_are_an_error_or_count_as_missed(tmp_path, files, capsys):
    system = written(tmp_path / "s.jsonl", [
        {"id": 0, "entities": [["Peter", "PER"]]}, {"id": 1, "entities": None},
    ])  # fmt: skip
    corpus = coleval.load(files[0], {"s": system})
    with pytest.raises(DataError, match="lacks lists for 1 of gold's 2 texts: `1`"):
        corpus.score()
    report = corpus.with_options(missing="wrong").score()
    assert report["overall"].row(0, named=True)["fn"] == 4
    assert any("lacks lists" in warning for warning in report.warnings)
    with pytest.raises(UsageError, match="cannot be left out one by one"):
        corpus.with_options(missing="leave-out").score()


@pytest.mark.parametrize(("ids", "message"), [
    ([0, 5], "1 id is not in gold: `5`"), (["x", "y"], "2 ids are not in gold"),
    ([1, 1], "an id appears more"), ([1], "from 0 or from 1"), ([-1, 0], "not in gold: `-1`"),
])  # fmt: skip
def test_ids_that_gold_does_not_have_are_refused(tmp_path, files, ids, message):
    records = [{"id": one, "entities": []} for one in ids]
    system = written(tmp_path / "s.jsonl", records)
    gold = tmp_path / "three.conll"
    gold.write_text(GOLD + "\nRome B-LOC\n" if ids == [1] else GOLD, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        coleval.load(gold, {"s": system}).score()


def test_ids_count_sentences_from_0_or_from_1(tmp_path, files):
    records = [{"id": k, "entities": entries} for k, entries in enumerate(LISTS, 1)]
    assert overall(files[0], written(tmp_path / "s.jsonl", records[::-1])) == (3, 4, 2)


def test_lists_without_ids_are_in_the_order_of_sentences(tmp_path, files):
    records = [{"entities": entries} for entries in LISTS]
    assert overall(files[0], written(tmp_path / "s.jsonl", records)) == (3, 4, 2)
    with pytest.raises(DataError, match="has 3 records without ids"):
        coleval.load(files[0], {"s": written(tmp_path / "t.jsonl", [*records, records[0]])})


def test_lists_may_be_about_documents(tmp_path):
    gold = tmp_path / "gold.conll"
    gold.write_text(f"-DOCSTART- O\n\n{GOLD}\n-DOCSTART- O\n\nUS B-LOC\n", encoding="utf-8")
    records = [{"id": 2, "entities": [["US", "LOC"], ["Rome", "LOC"]]},
               {"id": 1, "entities": [*LISTS[0], *LISTS[1]]}]  # fmt: skip
    assert overall(gold, written(tmp_path / "s.jsonl", records)) == (4, 5, 2)
    string = coleval.load(gold, {"s": tmp_path / "s.jsonl"}).with_options(unit="string")
    row = string.score()["overall"].row(0, named=True)
    assert (row["tp"], row["fp"], row["fn"]) == (4, 4, 2)


def test_a_text_that_is_not_golds_is_refused(tmp_path, files):
    records = [{"text": "US and Peter USE  US", "entities": []},
               {"text": "COVID-19 in Rome", "entities": [["Rome", "LOC"]]}]  # fmt: skip
    with pytest.raises(DataError, match=r"s.jsonl:2 .*19inRome` where gold has `-19inParis"):
        coleval.load(files[0], {"s": written(tmp_path / "s.jsonl", records)})


def test_lists_are_placed_on_texts_with_offsets(tmp_path):
    gold = written(tmp_path / "gold.jsonl", [
        {"id": "d1", "text": "USE the US, in 北京市.", "label": [[8, 10, "LOC"], [15, 17, "LOC"]]},
        {"id": "d2", "text": "nothing", "label": []},
    ])  # fmt: skip
    system = written(tmp_path / "s.jsonl", [
        {"id": "d2", "entities": [["thing", "LOC"]]},
        {"id": "d1", "entities": [["US", "LOC"], ["北京", "LOC"]]},
    ])  # fmt: skip
    corpus = coleval.load(gold, {"s": system})
    row = corpus.score()["overall"].row(0, named=True)
    assert (row["tp"], row["fp"], row["fn"]) == (2, 1, 0)
    assert places(corpus) == {"placed": 2, "inside words": 1}


def test_unicode_forms_are_made_the_same_where_that_is_asked_for(tmp_path):
    gold = tmp_path / "gold.conll"
    gold.write_text("Café B-LOC\n", encoding="utf-8")
    system = written(tmp_path / "s.jsonl", [{"entities": [["Cafe\u0301", "LOC"]]}])
    assert overall(gold, system) == (0, 1, 1)
    assert overall(gold, system, normalise="nfc") == (1, 0, 0)


def drawn(rng):
    """Return sentences of tagged tokens, and a list of entries for each."""
    words = ["a", "b", "A", "ab", "a-b", "-"]
    sentences, lists = [], []
    for _ in range(rng.randint(1, 5)):
        tags, previous = [], None
        for _ in range(rng.randint(1, 7)):
            tag = rng.choice(["O", "B-X", "B-Y", *([f"I-{previous}"] if previous else [])])
            previous = None if tag == "O" else tag[2:]
            tags.append((rng.choice(words), tag))
        sentences.append(tags)
        lists.append([
            (rng.choice(["", " "]).join(rng.choice(words) for _ in range(rng.randint(0, 2))),
             rng.choice("XYZ"))
            for _ in range(rng.randint(0, 5))
        ])  # fmt: skip
    return sentences, lists


def compare(folder, rng):
    """Compare all placements of one random corpus with plain loops."""
    sentences, lists = drawn(rng)
    gold = folder / "gold.conll"
    blocks = ("".join(f"{token}\t{tag}\n" for token, tag in tags) for tags in sentences)
    gold.write_text("\n".join(blocks), encoding="utf-8")
    system = written(folder / "s.jsonl", [{"entities": entries} for entries in lists])
    fold = rng.random() < 0.3
    if not any(tag != "O" for tags in sentences for _, tag in tags):
        return
    for policy in ("all", "first", "best", "worst"):
        found = overall(gold, system, place=policy, place_fold=fold, task="span")
        assert found == oracle.counts(sentences, lists, policy, fold=fold), policy
    corpus = coleval.load(gold, {"s": system}, task="span").with_options(unit="string")
    row = corpus.score()["overall"].row(0, named=True)
    assert (row["tp"], row["fp"], row["fn"]) == oracle.string_counts(sentences, lists)


@pytest.mark.parametrize("seed", range(4))
def test_scores_of_random_lists_are_those_of_plain_loops(tmp_path, seed):
    rng = random.Random(seed)
    for _ in range(5):
        compare(tmp_path, rng)


def test_real_lists_agree_with_plain_loops(data):
    import gzip

    folder = data("entity-lists-biodivner")
    with gzip.open(folder / "gold.jsonl.gz", "rt", encoding="utf-8") as file:
        gold = [json.loads(line) for line in file]
    name = "gpt-4o-mini.random_3"
    with gzip.open(folder / f"lists/{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        lists = [json.loads(line)["entities"] for line in file]
    tp = fp = fn = 0
    for one, other in zip(gold, lists, strict=True):
        ours = {("".join(s.split()), y) for s, y in one["entities"]}
        theirs = {("".join(s.split()), y) for s, y in other if s.strip()}
        tp, fp, fn = tp + len(ours & theirs), fp + len(theirs - ours), fn + len(ours - theirs)
    assert overall(folder / "gold.jsonl.gz", folder / f"lists/{name}.jsonl.gz") == (tp, fp, fn)


def test_a_lists_error_is_told_by_the_command_line(files, tmp_path, capsys):
    system = written(tmp_path / "s.jsonl", [{"entities": [["a", 1]]}])
    assert main(["score", str(files[0]), str(system), "--format", "entities"]) in (1, 2)
    assert main(["score", str(files[0]), str(system)]) in (1, 2)
    assert "Traceback" not in capsys.readouterr().err
    with pytest.raises(ColevalError):
        coleval.load(files[0], {"s": system})
