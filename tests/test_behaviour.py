"""``behaviour``: HateCheck, plain loops, what is refused."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coleval
from coleval.cli.main import main
from coleval.errors import DataError, UsageError
from coleval.query.shipped import query
from logs_written import inspect_json
from logs_written import sample as log_sample

SYSTEMS = ("BERT_davidson2017_weighted", "BERT_founta2018_weighted", "perspective", "siftninja")


@pytest.fixture(scope="module")
def hatecheck(data):
    root = data("hatecheck")
    rows = pl.read_csv(root / "hatecheck_predictions.csv", infer_schema=False).join(
        pl.read_csv(root / "relations.csv", infer_schema=False), on="case_id", how="left",
        maintain_order="left",
    )  # fmt: skip
    named = rows.rename({"case_id": "id", "label_gold": "gold"}).rename(
        lambda name: name.removeprefix("pred_")
    )
    columns = "id=id,gold=gold," + ",".join(f"system={name}" for name in SYSTEMS)
    return coleval.load(named, task="label", columns=columns)


@pytest.mark.parametrize(
    ("kind", "options"),
    [("INV", {"case": "template", "expect": "same"}), ("PAIR", {"original": "contrast_of"})],
)
def test_hatecheck_is_that_of_plain_loops_by_functionality(hatecheck, data, kind, options):
    report = hatecheck.behaviour(test="functionality", **options)
    found = {(r["system"], r["test"]): r for r in report.table("tests").to_dicts()}
    found |= {(r["system"], "all"): r for r in report.table("overall").to_dicts()}
    with (data("hatecheck") / "expected_behaviour.tsv").open() as lines:
        wanted = [r for r in csv.DictReader(lines, delimiter="\t") if r["test"] == kind]
    assert wanted
    for row in wanted:
        got = found[row["system"], row["functionality"]]
        assert (got["cases"], got["failed"]) == (int(row["cases"]), int(row["failed"])), row
        assert got["rate"] == pytest.approx(float(row["rate"]))


def test_minimum_functionality_is_what_the_authors_print(hatecheck, data):
    lines = (data("hatecheck") / "expected_notebook_outputs.txt").read_text().splitlines()
    shares = defaultdict(list)
    for line in lines:
        number, *cells = line.split() or [""]
        if number.isdigit() and line.rstrip().endswith("%"):
            shares[int(number)] += [float(c.rstrip("%")) for c in cells if c.endswith("%")]
    table = hatecheck.behaviour(test="functionality").table("tests")
    names = table["test"].unique(maintain_order=True).to_list()
    assert len(names) == len(shares) == 29
    for row in table.to_dicts():
        wanted = shares[names.index(row["test"])][SYSTEMS.index(row["system"])]
        assert round(100 * (1 - row["rate"]), 1) == pytest.approx(wanted, abs=0.051)


def test_accuracy_of_categories_is_one_less_the_failures(hatecheck):
    by = hatecheck.score(by="functionality").table("by")
    found = hatecheck.behaviour(capability="functionality").table("capabilities")
    rates = {(r["system"], r["capability"]): 1 - r["rate"] for r in found.to_dicts()}
    assert rates == pytest.approx({(r["system"], r["by"]): r["accuracy"] for r in by.to_dicts()})


def load(rows, **more):
    """Return the corpus of rows of id, gold, case, original and the answers of s and t."""
    kinds = dict.fromkeys(("id", "gold", "case", "made_from", "s", "t"), pl.String)
    frame = pl.DataFrame(rows, schema=kinds, orient="row").with_columns(**more)
    columns = "id=id,gold=gold,system=s,system=t"
    return coleval.load(frame, task="label", columns=columns, missing="wrong")


answers = st.one_of(st.none(), st.sampled_from("123"))
tables = st.lists(
    st.tuples(st.sampled_from("123"), st.sampled_from(["", "x", "y", "z"]), answers, answers,
              st.integers(-1, 5)),
    min_size=6, max_size=12,
)  # fmt: skip


def fails(kind, own, old, gold, past, paired):
    """Return whether an answer that is there fails beside the one that it is compared with."""
    if kind == "gold":
        return (own != old) != (gold != past) if paired else own != gold
    moved = int(own) - int(old) if old else 0
    return {"same": own != old, "change": own == old, "label=2": own != "2", "up": moved <= 1,
            "down": moved >= -1, "not-up": moved > 1, "not-down": moved < -1}[kind]  # fmt: skip


def looped(rows, kind, *, paired, leave_out, side):
    """Return cases, failed cases, rows and failed rows, one row after the other."""
    cases = defaultdict(list)
    for at, row in enumerate(rows):
        if paired and row[3] is not None and int(row[3]) != at:
            cases[at].append((row, rows[int(row[3])]))
        elif not paired and row[2]:
            cases[row[2]].append((row, None))
    counts = Counter()
    for own in cases.values():
        tried = own
        if not paired and kind not in ("gold", "label=2"):
            if kind == "same" and len(own) < 2:
                continue
            said = [row[side] for row, _ in own if row[side] is not None]
            most = max(said, key=lambda a: (said.count(a), -said.index(a)), default=None)
            first = own[0][0]
            tried = ([(row, first) for row, _ in own[1:]] if kind != "same" else
                     [(row, (*row[:4], most, most)) for row, _ in own])  # fmt: skip
        judged = []
        for row, old in tried:
            past = old[side] if old else None
            compared = (paired and kind != "label=2") or kind not in ("gold", "label=2", "same")
            gone = row[side] is None or (compared and past is None)
            if not (leave_out and gone):
                judged.append(gone or fails(kind, row[side], past, row[1], old and old[1], paired))
        counts += Counter(cases=bool(judged), failed=any(judged), rows=len(judged),
                          rows_failed=sum(judged))  # fmt: skip
    return [counts[name] for name in ("cases", "failed", "rows", "rows_failed")]


@settings(max_examples=40, deadline=None)
@given(tables, st.sampled_from(["gold", "same", "change", "label=2", "up", "down", "not-up",
                                "not-down"]), st.booleans(), st.booleans())  # fmt: skip
def test_everything_is_as_in_plain_loops(drawn, kind, paired, leave_out):
    """Originals of originals and cycles are drawn too, and rows made from themselves."""
    rows = [(str(at), gold, case, None if made < 0 else str(made), s, t)
            for at, (gold, case, s, t, made) in enumerate(drawn)]  # fmt: skip
    options = {"original": "made_from"} if paired else {"case": "case"}
    # Distances are for what is expected of numbers, and refused where that is left at its default.
    options |= {} if kind == "gold" else {"epsilon": 1}
    report = load(rows).behaviour(
        expect=kind, missing="leave-out" if leave_out else "wrong", **options
    )
    found = {row["system"]: row for row in report.table("overall").to_dicts()}
    for side, system in ((4, "s"), (5, "t")):
        wanted = looped(rows, kind, paired=paired, leave_out=leave_out, side=side)
        if system in found:
            row = found[system]
            assert [row[n] for n in ("cases", "failed", "rows", "rows_failed")] == wanted
        else:
            assert wanted == [0, 0, 0, 0]


def test_an_original_that_no_row_is_is_an_error_that_names_it():
    with pytest.raises(DataError, match="no item has the id `7`"):
        load([("0", "1", "", "7", "1", "1")]).behaviour(original="made_from")


def test_a_table_beside_the_corpus_names_its_rows_by_their_ids(write, capsys):
    path = write("x.csv", "id,gold,s\n0,a,a\n1,a,b\n2,a,a\n")
    relations = write("r.csv", "case_id,template\n2,k\n1,k\n7,k\n")
    command = ["behaviour", str(path), "--columns", "id=id,gold=gold,system=s", "--task", "label",
               "--expect", "same", "--case", "template", "--as", "csv", "--table"]  # fmt: skip
    assert main([*command, "cases", "--with", str(relations)]) == 0
    assert "k,same,,,1,,2,a,a: x,," in capsys.readouterr().out
    assert main([*command, "overall", "--with", str(relations), "--where", "template = 'k'"]) == 0
    assert "x,same,1,1,1.0," in capsys.readouterr().out
    corpus = coleval.load(path, task="label", columns="id=id,gold=gold,system=s")
    named = pl.DataFrame({"id": ["0", "1", "2"], "template": ["k", "k", None]})
    assert corpus.with_table(named).score(by="template").table("by")["by"].to_list() == ["k", None]
    for text, problem in (("case_id,template\n9,k\n", "none of its ids is one of the corpus: `9`"),
                          ("case_id,template\n1,k\n1,l\n", "an id appears more than once: `1`"),
                          ("row,template\n1,k\n", "no column is called `id`")):  # fmt: skip
        assert main([*command, "overall", "--with", str(write("bad.csv", text))]) != 0
        assert problem in capsys.readouterr().err


def test_files_of_several_datasets_may_share_ids_and_names_of_cases(write):
    for name, answer in (("x", "a"), ("y", "b")):
        write(f"gold/{name}.csv", "id,gold,case,made\n0,a,k,\n1,a,k,0\n")
        folder = write(f"runs/s_{name}.csv", f"id,label\n0,{answer}\n1,{answer}\n").parent
    root = folder.parent
    corpus = coleval.load(f"{root}/gold/{{dataset}}.csv",
                          f"{root}/runs/{{system}}_{{dataset}}.csv", task="label")  # fmt: skip
    same = corpus.behaviour(case="case", expect="same").table("overall")
    assert same.select("cases", "failed", "rows").rows() == [(2, 0, 4)]
    pairs = corpus.behaviour(original="made").table("overall")
    assert pairs.select("cases", "failed", "rows").rows() == [(2, 0, 2)]
    flips = corpus.measure(minimal_pairs="made").table("minimal_pairs")
    assert flips.select("pairs", "flips").rows() == [(2, 0)]


def test_answers_are_compared_only_where_something_says_with_which():
    with pytest.raises(UsageError, match="compared with others of its case"):
        load([("0", "1", "x", None, "1", "1")]).behaviour(expect="same")


def test_answers_that_go_up_must_be_numbers_and_others_need_not():
    rows = [("0", "a", "x", None, "1", "1"), ("1", "a", "x", None, "2", "1"),
            ("2", "a", "y", None, "a", "a")]  # fmt: skip
    corpus = load(rows, what=pl.Series(["up", "up", "gold"]))
    found = corpus.behaviour(expect="what", case="case").table("overall")
    assert found.select("expect", "system", "failed").sort("expect", "system").rows() == [
        ("gold", "s", 0), ("gold", "t", 0), ("up", "s", 0), ("up", "t", 1)]  # fmt: skip
    rows[1] = ("1", "a", "x", None, "b", "1")
    with pytest.raises(DataError, match="the answer `b` is not a number"):
        load(rows).behaviour(expect="up", case="case")


def test_a_column_says_what_is_expected_of_each_row():
    rows = [("0", "1", "x", None, "1", "1"), ("1", "1", "x", None, "2", "1"),
            ("2", "1", "y", None, "2", "1")]  # fmt: skip
    corpus = load(rows, what=pl.Series(["same", "same", "label=2"]))
    found = corpus.behaviour(expect="what", case="case").table("overall")
    assert found.select("expect", "system", "cases", "failed").sort("expect", "system").rows() == [
        ("label=2", "s", 1, 0), ("label=2", "t", 1, 1), ("same", "s", 1, 1), ("same", "t", 1, 0),
    ]  # fmt: skip


def test_labels_and_texts_of_a_sentence_stay_wherever_they_stand():
    frame = pl.DataFrame({
        "tokens": [["Ann", "sleeps"], ["sleeps", "Ann"], ["Bo", "sleeps"], ["No", "one"]],
        "gold": [["B-P", "O"], ["O", "B-P"], ["O", "O"], ["O", "O"]],
        "same": [["B-P", "O"], ["O", "B-P"], ["O", "O"], ["O", "O"]],
        "other": [["B-P", "O"], ["O", "B-L"], ["O", "O"], ["O", "O"]],
        "text": [["B-P", "O"], ["B-P", "O"], ["B-P", "O"], ["O", "O"]],
        "template": ["1", "1", "2", "2"],
    })  # fmt: skip
    columns = "form=tokens,gold=gold,system=same,system=other,system=text"
    corpus = coleval.load(frame, task="span", columns=columns)
    table = corpus.behaviour(case="template", expect="same").table("overall")
    assert set(table["cases"]) == {2}
    assert dict(table.select("system", "failed").rows()) == {"same": 0, "other": 1, "text": 2}
    gold = corpus.behaviour(expect="gold").table("overall")
    assert dict(gold.select("system", "failed").rows()) == {"same": 0, "other": 1, "text": 2}


def test_labels_of_a_set_stay_in_any_order_and_a_set_has_a_given_label():
    frame = pl.DataFrame({
        "id": ["0", "1", "2"], "gold": ["a,b", "a,b", "b"], "case": ["x", "x", "x"],
        "s": ["a,b", "b,a", "a,b"], "t": ["a,b", "", "c"],
    })  # fmt: skip
    corpus = coleval.load(frame, task="label", columns="id=id,gold=gold,system=s,system=t",
                          separator=",")  # fmt: skip
    same = corpus.behaviour(case="case", expect="same")
    assert same.table("overall").select("system", "rows", "rows_failed").rows() == [
        ("s", 3, 0), ("t", 3, 2)]  # fmt: skip
    assert same.table("cases").select("item", "gold", "answers").rows() == [
        ("1", "a · b", "–: t"), ("2", "b", "c: t")]  # fmt: skip
    given = corpus.behaviour(expect="label=b").table("overall")
    assert dict(given.select("system", "rows_failed").rows()) == {"s": 0, "t": 2}


def test_instances_that_nobody_labels_are_an_error_where_answers_are_sets():
    frame = pl.DataFrame({"id": ["0", "1"], "gold": ["a", ""], "case": ["x", "x"], "s": ["a", ""]})
    corpus = coleval.load(frame, task="label", columns="id=id,gold=gold,system=s", separator=",")
    with pytest.raises(UsageError, match="1 instance has no label"):
        corpus.behaviour(case="case", expect="same")


def test_answers_without_gold_are_compared_with_each_other(write, tmp_path, capsys):
    path = write("x.csv", "id,case,s,t\n0,k,a,a\n1,k,b,a\n2,l,a,b\n3,l,a,b\n")
    command = [str(path), "--columns", "id=id,system=s,system=t", "--task", "label"]
    same = ["--case", "case", "--expect", "same"]
    assert main(["behaviour", *command, *same, "--as", "csv", "--table", "overall"]) == 0
    assert [line.split(",")[:4] for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["t", "same", "2", "0"], ["s", "same", "2", "1"]]  # fmt: skip
    store = tmp_path / "store"
    assert main(["load", *command, "-o", str(store)]) == 0
    assert coleval.open(store).behaviour(case="case", expect="same").table("pairs").rows() == [
        ("s", "t", 2, 1, 0, 1.0, 1.0)]  # fmt: skip
    capsys.readouterr()
    for refused in (["behaviour", *command], ["score", *command], ["report", str(store)]):
        assert main(refused) == 2
        assert "there is no gold" in capsys.readouterr().err


def test_logs_of_language_models_are_compared_by_what_was_answered(tmp_path):
    answers = {"one": ["A", "A", "B", "C"], "two": ["A", "B", "A", "A"]}
    for model, said in answers.items():
        rows = [log_sample(k, "A", "C" if one == "A" else "I", one, metadata={"q": f"q{k // 2}"})
                for k, one in enumerate(said)]  # fmt: skip
        (tmp_path / f"{model}.json").write_text(inspect_json(rows, model=model))
    corpus = coleval.load(tmp_path / "one.json", [tmp_path / "two.json"])
    same = corpus.behaviour(case="q", expect="same")
    # Two wrong answers are not the same one.
    assert dict(same.table("overall").select("system", "failed").rows()) == {"one": 1, "two": 1}
    assert same.table("cases").select("case", "gold", "answers").rows() == [
        ("q0", "A", "B: two"), ("q1", "A", "C: one")]  # fmt: skip
    gold = corpus.behaviour().table("overall")
    right = corpus.score().table("overall")
    assert {r["system"]: 1 - r["rate"] for r in gold.to_dicts()} == dict(
        right.select("system", "accuracy").rows())  # fmt: skip


def test_a_label_that_nobody_has_is_said():
    rows = [("0", "1", "x", None, "1", "1")]
    assert "has the label `7`" in " ".join(load(rows).behaviour(expect="label=7").warnings)
    assert not load(rows).behaviour(expect="label=1").warnings


def test_numbers_a_tenth_apart_are_not_more_than_a_tenth_apart():
    rows = [("0", "1", "x", None, "0.7", "0.7"), ("1", "1", "x", None, "0.8", "0.81")]
    found = load(rows).behaviour(expect="up", case="case").table("overall")
    assert dict(found.select("system", "failed").rows()) == {"s": 1, "t": 0}


def test_failing_rows_lead_to_their_items_those_of_most_systems_first():
    rows = [("0", "1", "", None, "1", "1"), ("1", "1", "", "0", "2", "1"),
            ("2", "1", "", "0", "2", "3")]  # fmt: skip
    table = load(rows).behaviour(original="made_from", expect="same").table("cases")
    assert table.select("failed_by", "item", "original", "answers").rows() == [
        (2, "2", "0", "1 → 2: s; 1 → 3: t"), (1, "1", "0", "1 → 2: s"),
    ]  # fmt: skip


def test_a_gate_ends_with_1_where_a_system_fails_more_cases(write, capsys):
    path = write("x.csv", "id,gold,case,s\n0,a,k,a\n1,a,k,b\n")
    command = ["behaviour", str(path), "--columns", "id=id,gold=gold,system=s", "--case", "case",
               "--expect", "same", "--task", "label", "--gate"]  # fmt: skip
    assert main([*command, "max_failed=1"]) == 0
    assert main([*command, "max_failed=99%"]) == 1
    assert "x: 1 of 1 cases fail (same)" in capsys.readouterr().err
    assert main([*command, "max_failed=5pp"]) == 2


def test_a_report_has_a_chapter_on_behaviour_where_columns_are_named(write, tmp_path, capsys,
                                                                     monkeypatch):  # fmt: skip
    path = write("x.csv", "id,gold,case,s,t\n0,a,k,a,a\n1,a,k,b,a\n2,a,l,a,b\n3,b,l,b,a\n")
    monkeypatch.chdir(tmp_path)
    corpus = coleval.load(path, task="label", columns="id=id,gold=gold,system=s,system=t")
    assert "behaviour" not in corpus.report(replicates=30).table("story")["chapter"].to_list()
    report = corpus.report(case="case", expect="same", groups="id", replicates=30)
    rows = {row["chapter"]: row["finding"] for row in report.table("story").to_dicts()}
    assert rows["behaviour"].startswith("Of 2 cases (expected: same), t fails 1 (50.0 %; 95 %")
    assert "s fails the most, 2 (100.0 %)." in rows["behaviour"]
    own = corpus.behaviour(case="case", expect="same", groups="id")
    for name in ("overall", "groups", "cases"):
        assert report.table(f"behaviour.{name}").equals(own.table(name))
    assert "case:case|expect:same|groups:id" in report.signature
    with pytest.raises(UsageError, match="no column is called `cas`"):
        corpus.report(case="cas", replicates=30)
    (tmp_path / "coleval.toml").write_text('[report]\ncase = "case"\nexpect = "same"\n')
    assert main(["report", str(path), "--columns", "id=id,gold=gold,system=s,system=t", "--task",
                 "label", "--replicates", "30"]) == 0  # fmt: skip
    assert "Of 2 cases (expected: same), t fails 1" in capsys.readouterr().out


def test_failures_by_category_are_what_score_leaves_of_24_language_models(data):
    root = data("mmlu-pro")
    runs = sorted((root / "runs").glob("*.tsv.gz"))[:6]
    corpus = coleval.load(root / "gold.tsv", runs, missing="wrong")
    by = corpus.score(by="category").table("by")
    found = corpus.behaviour(capability="category").table("capabilities")
    rates = {(r["system"], r["capability"]): 1 - r["rate"] for r in found.to_dicts()}
    assert rates == pytest.approx({(r["system"], r["by"]): r["accuracy"] for r in by.to_dicts()})


@pytest.mark.parametrize(
    "options",
    [{}, {"case": "template", "expect": "same"}, {"case": "functionality"},
     {"case": "template", "expect": "label=hateful"}],
)  # fmt: skip
def test_the_question_in_sql_has_the_same_counts(hatecheck, options):
    names = ["system", "cases", "failed", "rows", "rows_failed"]
    own = hatecheck.behaviour(**options).table("overall").select(names).sort("system")
    database, asked = hatecheck.database(), query("questions/behaviour")
    for found in (hatecheck.sql("behaviour", param=options),
                  *database.answer(asked, asked.given(options, SYSTEMS))):  # fmt: skip
        assert found.select(names).sort("system").rows() == own.rows()
    with pytest.raises(UsageError, match="no column is called `templ`"):
        list(database.answer(asked, asked.given({"case": "templ"}, SYSTEMS)))


def test_answers_beside_the_most_frequent_of_their_case_are_what_the_question_counts(hatecheck):
    rows = hatecheck.sql("case-answers", param={"case": "template", "limit": 100_000})
    odd = rows.filter(pl.col("size") > 1, pl.col("answer") != pl.col("most_frequent"))
    own = hatecheck.behaviour(case="template", expect="same").table("overall")
    assert dict(odd["system"].value_counts().rows()) == dict(
        own.select("system", "rows_failed").rows())  # fmt: skip
