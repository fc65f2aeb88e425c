"""Fair span errors: one claim a test, the spans in sight."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import polars as pl
import pytest

import coleval
from coleval.errors import ColevalError, UsageError
from coleval.statistics.fair import FAIR, Weight, parsed

KINDS = ("tp", "le", "bes", "bel", "beo", "lbe", "fn", "fp")


@pytest.fixture
def errors(write):
    """What loads span files given as lines like "X 1 5" or "X 1 5 1,2,5", sentences by a blank."""

    def load(gold, *systems, reading=None, **options):
        paths = {}
        for at, text in enumerate((gold, *systems)):
            lines = [line.strip().replace(" ", "\t") for line in text.split("\n")]
            paths[f"s{at}"] = write(f"s{at}.csv", "\n".join(map(filled, lines)) + "\n")
        gold_path = paths.pop("s0")
        return coleval.load(gold_path, paths, **(reading or {})).errors(**options)

    return load


def filled(line):
    """A span with the tokens from its begin to its end unless it names some."""
    parts = line.split("\t")
    if len(parts) != 3:
        return line
    return line + "\t" + ",".join(map(str, range(int(parts[1]), int(parts[2]) + 1)))


def row(report, method="fair", system="s1", table="overall", **wanted):
    wanted |= {"method": method, "system": system}
    (found,) = (
        r for r in report.table(table).to_dicts() if all(r[k] == v for k, v in wanted.items())
    )
    return found


def kinds(report, **which):
    return {kind: n for kind, n in row(report, **which).items() if kind in KINDS and n}


# ------------------------------------------------------------------------------------- the matching


@pytest.mark.parametrize(("gold", "system", "expected"), [
    # One gold span and one that meets it are one error; those that only touch are strangers.
    ("X 3 6", "X 3 6", "tp"), ("X 3 6", "Y 3 6", "le"), ("X 3 6", "Y 5 8", "lbe"),
    ("X 3 6", "X 4 5", "bes"), ("X 3 6", "X 3 5", "bes"), ("X 3 6", "X 2 7", "bel"),
    ("X 3 6", "X 3 7", "bel"), ("X 3 6", "X 5 8", "beo"), ("X 3 6", "X 1 3", "beo"),
    ("X 3 6", "X 7 8", "fn fp"),
    # Cut in two halves, or joined; of a half nothing of gold is left for, it is invented.
    ("X 0 9", "X 0 4\nX 5 9", "bes bes"),
    ("X 0 4\nX 5 9", "X 0 9", "bel bel"),
    ("X 0 9", "X 0 9\nX 5 9", "tp fp"),
    # Short gold spans choose first: the long one would take Y's only partner, too.
    ("X 1 9\nX 4 5", "X 4 6", "bel bes"),
    # Equal labels match before unequal ones, nested ones apart.
    ("X 1 4", "Y 1 3\nX 4 8", "beo lbe"),
    ("X 1 9\nY 1 9\nX 3 4", "X 1 9\nZ 1 9\nX 3 5", "tp le bel"),
    # Holes: the same extent and label with others are no match, another label is one.
    ("X 1 5 1,2,5", "X 1 5 1,2,5", "tp"), ("X 1 5 1,2,5", "X 1 5 1,4,5", "fn fp"),
    ("X 1 5 1,2,5", "Y 1 5", "le"),
    # No span reaches into another sentence.
    ("X 1 5\n\nNONE 999 999", "NONE 999 999\n\nX 1 5", "fn fp"),
])  # fmt: skip
def test_spans_of_gold_and_system_are_these_errors(errors, gold, system, expected):
    report = errors(gold, system)
    assert kinds(report) == Counter(expected.split())
    assert row(report)["be"] == sum(kind.startswith("be") for kind in expected.split())


def test_of_several_the_one_with_most_shared_tokens_is_the_partner(errors):
    found = errors("X 1 6", "X 1 2\nX 3 8", items=True).table("items").to_dicts()
    first = next(r for r in found if r["error"] == "beo")
    assert (first["answer_start"], first["answer_end"]) == (3, 9)


def test_a_duplicate_counts_once_and_is_reported(errors):
    report = errors("A 0 1", "A 0 1\nA 0 1")
    assert kinds(report) == {"tp": 1}
    assert "given twice" in report.warnings[0]


def test_under_multiset_a_duplicate_counts_twice_in_all_methods(errors):
    report = errors("A 0 1", "A 0 1\nA 0 1", reading={"multiset": True})
    assert kinds(report) == {"tp": 1, "fp": 1}
    assert row(report, "traditional")["fp"] == 1
    assert "multiset:yes" in report.signature


# ---------------------------------------------------------------------------- booking and weights


def test_focus_says_under_which_label_a_wrong_one_is_booked(errors):
    for focus, label in (("target", "X"), ("system", "Y")):
        report = errors("X 1 2", "Y 1 2", focus=focus)
        assert row(report, table="labels", label=label)["le"] == 1
        assert focus in report.signature


def test_errors_cost_half_a_false_alarm_and_half_a_miss(errors):
    fair = row(errors("X 1 2\nX 5 6", "X 1 2\nY 5 6"))
    assert (fair["precision"], fair["recall"], fair["f1"]) == (1 / 1.5, 1 / 1.5, 2 / 3)


def test_weights_change_the_scores_and_not_the_counts(errors):
    report = errors("X 1 4", "X 1 3", weights="BE = 0.5 TP + 0.5 FN")
    assert kinds(report, method="weighted") == kinds(report) == {"bes": 1}
    assert row(report)["precision"] == 0
    assert (row(report, "weighted")["precision"], row(report, "weighted")["recall"]) == (1, 0.5)
    assert "weights:BES=0.5TP+0.5FN" in report.signature


def test_without_weights_there_is_no_weighted_method(errors):
    assert set(errors("X 1 2", "X 1 2").table("overall")["method"]) == {"traditional", "fair"}


def test_a_formula_names_some_errors_and_leaves_the_others_fair():
    found = parsed("LE = FP, be=.25*TP + 0.75 FN")
    assert found["le"] == Weight(fp=1.0)
    assert found["bes"] == found["bel"] == found["beo"] == Weight(tp=0.25, fn=0.75)
    assert found["lbe"] == FAIR["lbe"]
    assert parsed("LE = 0")["le"] == Weight()


@pytest.mark.parametrize(
    ("formula", "place", "problem"),
    [
        ("LE 0.5 FP", 1, "has no `=`"),
        ("LE = 0.5 FP, XE = 1 FN", 13, "no error is called `XE`"),
        ("LE = 0.5 FX", 5, "no count is called `FX`"),
        ("LE = 0.5", 5, "does not name a count"),
        ("LE = 0.5 FP + half FN", 14, "is not a weight"),
        ("LE = -1 FP", 5, "is not a weight"),
        ("LE = 0.5 FP, LE = FN", 13, "has two weights"),
        ("BE = FP, BES = FN", 9, "has two weights"),
        ("LE = 0.5 FP + 0.5 FP", 14, "appears twice"),
        ("LE = 0.5 FP,", 13, "a formula is empty"),
    ],
)
def test_a_malformed_formula_says_where_and_what(formula, place, problem):
    with pytest.raises(UsageError) as caught:
        parsed(formula)
    assert problem in str(caught.value)
    assert caught.value.where == f"--weights, character {place}"
    assert caught.value.remedy


def test_labels_left_out_were_never_there(errors):
    gold, system = "X 1 4\nY 6 7", "Y 1 4\nX 6 8"
    assert kinds(errors(gold, system)) == {"le": 1, "lbe": 1}
    assert kinds(errors(gold, system, exclude=("Y",))) == {"fn": 1, "fp": 1}
    assert kinds(errors(gold, system, labels=("X",))) == {"fn": 1, "fp": 1}


def test_a_label_that_frees_another_on_its_extent_lets_it_match(errors):
    """Of A and B on one extent, C would take A; without A it takes B."""
    gold = "A 1 4\nB 1 4"
    assert kinds(errors(gold, "C 1 4", exclude=("A",))) == {"le": 1}


def test_none_and_empty_are_no_labels_in_tagged_text(write):
    gold = write("g.tsv", "a\tB-X\nb\tB-NONE\nc\tO\n")
    system = write("s.tsv", "a\tB-X\nb\tO\nc\tB-EMPTY\n")
    assert kinds(coleval.load(gold, {"s1": system}).errors()) == {"tp": 1}


def test_where_counts_some_spans_and_matches_all(errors):
    """The gold span in sentence 1 is not counted, but nobody else may have its partner."""
    gold, system = "X 1 2\n\nX 1 2\n\nX 1 2", "X 1 2\n\nX 1 3\n\nY 1 2"
    assert kinds(errors(gold, system, where="sentence <> 1")) == {"tp": 1, "le": 1}


def test_errors_can_be_asked_for_by_their_kind(errors):
    gold, system = "X 1 2\nX 4 6\nX 8 9", "X 1 2\nX 4 5\nY 8 9"
    assert kinds(errors(gold, system, where="error_gold_s1 = 'le'")) == {"le": 1}
    assert kinds(errors(gold, system, where="error_gold_s1 in ('tp', 'bes')")) == {
        "tp": 1,
        "bes": 1,
    }


def test_undefined_is_null(errors):
    report = errors("NONE 999 999", "NONE 999 999", "X 1 2")
    assert row(report)["f1"] is None
    assert row(report, system="s2")["precision"] == 0
    assert row(report, system="s2")["recall"] is None


# -------------------------------------------------------------------------------------- tagged text

POS = "Der\tART\tB-NP\nalte\tADJ\tI-NP\n,\t$,\tI-NP\nMann\tNN\tI-NP\n.\t$.\tI-NP\n!\t$.\tO\n"


def test_punctuation_is_in_no_span_if_it_is_to_be_ignored(write):
    gold = write("g.tsv", POS)
    system = write("s.tsv", POS.replace(".\t$.\tI-NP", ".\t$.\tO"))
    corpus = coleval.load(gold, {"s1": system}, columns="form=1,pos=2,gold=3,system=3")
    assert kinds(corpus.errors()) == {"bes": 1}
    report = corpus.errors(ignore_punct="pos")
    assert kinds(report) == {"tp": 1}
    assert "ignore_punct:pos" in report.signature


def test_a_span_of_nothing_but_punctuation_is_none(write):
    gold = write("g.tsv", POS)
    system = write("s.tsv", POS.replace("!\t$.\tO", "!\t$.\tB-NP"))
    corpus = coleval.load(gold, {"s1": system}, columns="form=1,pos=2,gold=3,system=3")
    assert kinds(corpus.errors(ignore_punct="pos")) == {"tp": 1}


def test_a_column_that_is_not_there_is_named_with_what_to_do(write):
    gold = write("g.tsv", POS)
    corpus = coleval.load(gold, {"s1": gold}, columns="form=1,gold=3,system=3")
    with pytest.raises(ColevalError, match="no column is called `pos`") as caught:
        corpus.errors(ignore_punct="pos")
    assert "--columns" in caught.value.remedy


def test_stacked_tags_are_spans_of_their_own(write):
    gold = write("g.tsv", "a\tB-RELC\nb\tI-RELC|B-NP\nc\tI-RELC|I-NP\nd\tO\n")
    system = write("s.tsv", "a\tB-RELC\nb\tI-RELC|B-NP\nc\tI-RELC\nd\tO\n")
    assert kinds(coleval.load(gold, {"s1": system}).errors()) == {"tp": 1, "bes": 1}


def test_spans_over_sentence_ends_meet_where_documents_hold_them_together(write):
    hipe = "TOKEN\tNE-COARSE-LIT\tMISC\n# document_id = d\n"
    gold = write("g.tsv", hipe + "a\tB-loc\tEndOfSentence\nb\tI-loc\t_\nc\tO\t_\n")
    system = write("s.tsv", hipe + "a\tO\tEndOfSentence\nb\tB-loc\t_\nc\tO\t_\n")
    found = coleval.load(gold, {"s1": system}, profile="hipe-fuzzy")
    assert kinds(found.errors(taxonomy="fair")) == {"bes": 1}
    assert row(found.errors(), "fuzzy")["tp"] == 1


def test_hipe_counts_a_wrong_span_under_the_label_of_gold_in_every_command(write):
    """`a` is a loc that is called pers, `b` is nothing that is called pers."""
    hipe = "TOKEN\tNE-COARSE-LIT\tMISC\n# document_id = d\n"
    gold = write("g.tsv", hipe + "a\tB-loc\t_\nb\tO\t_\nc\tB-pers\t_\n")
    system = write("s.tsv", hipe + "a\tB-pers\t_\nb\tB-pers\t_\nc\tB-pers\t_\n")
    corpus = coleval.load(gold, {"s1": system, "same": gold}, profile="hipe-strict")
    for frame in (corpus.score().table("labels"), corpus.errors().table("labels")):
        rows = frame.filter(pl.col("system") == "s1").to_dicts()
        strict = [row for row in rows if row.get("method", "strict") == "strict"]
        counts = {row["label"]: (row["tp"], row["fp"], row["fn"]) for row in strict}
        assert counts == {"loc": (0, 1, 1), "pers": (1, 1, 0)}
    ranks = corpus.compare(metric="macro_precision").table("ranks")
    macro = corpus.score().table("overall").select("system", "macro_precision")
    assert ranks.select("system", "value").rows() == macro.rows() == [("same", 1.0), ("s1", 0.25)]


def test_tags_that_are_no_spans_are_refused_with_what_to_do(write):
    text = write("g.tsv", "a\tNOUN\nb\tVERB\n")
    with pytest.raises(UsageError, match="span errors need spans") as caught:
        coleval.load(text, {"s1": text}).errors()
    assert "--task span" in caught.value.remedy


def test_errors_are_listed_with_the_words_around_them(write):
    gold = write("g.tsv", "in\tO\nNew\tB-LOC\nYork\tI-LOC\nTimes\tO\nbuilding\tO\n")
    system = write("s.tsv", "in\tO\nNew\tB-ORG\nYork\tI-ORG\nTimes\tI-ORG\nbuilding\tO\n")
    (error,) = coleval.load(gold, {"s1": system}).errors(items=True).table("items").to_dicts()
    assert error["context"] == "in [{New York] Times} building"
    assert (error["error"], error["gold"], error["answer"]) == ("lbe", "LOC", "ORG")
    assert error["item"] != error["partner"]


def test_a_store_gives_the_same_tables_as_the_files(write, tmp_path):
    gold = write("g.tsv", "in\tO\nNew\tB-LOC\nYork\tI-LOC\nTimes\tO\n")
    system = write("s.tsv", "in\tB-LOC\nNew\tB-ORG\nYork\tI-ORG\nTimes\tI-ORG\n")
    corpus = coleval.load(gold, {"s1": system})
    corpus.save(tmp_path / "store")
    again = coleval.open(tmp_path / "store").errors(items=True)
    for name, table in corpus.errors(items=True).tables.items():
        assert again.table(name).equals(table), name


# ------------------------------------------------------------------------------------- many systems

GOLD = "X 1 4\n\nX 1 4\n\nY 1 4\n\nX 1 4"
CUTTING = "X 1 3\n\nX 1 3\n\nY 1 4\n\nX 1 4"
MISSING = "NONE 999 999\n\nX 1 4\n\nY 1 4\n\nNONE 999 999"


def test_traditional_and_fair_ranks_stand_side_by_side(errors):
    """Traditional scoring punishes a cut boundary twice; two misses cost more in fair scoring."""
    found = errors(GOLD, CUTTING, MISSING).table("ranking").to_dicts()
    assert [(r["system"], r["traditional_rank"], r["fair_rank"], r["change"]) for r in found] == [
        ("s1", 2, 1, 1),
        ("s2", 1, 1, 0),
    ]


def test_a_profile_says_what_share_of_a_system_s_errors_each_kind_is(errors):
    found = errors(GOLD, CUTTING).table("profile").to_dicts()
    assert {r["error"]: r["n"] for r in found if r["n"]} == {"bes": 2}
    assert sum(r["share"] for r in found) == 1


def test_the_kinds_explain_the_whole_difference_of_f1(errors):
    report = errors(GOLD, CUTTING + "\nX 6 7", MISSING, pair=("s1", "s2"))
    parts = report.table("comparison").to_dicts()
    before, after = (row(report, system=name)["f1"] for name in ("s1", "s2"))
    assert sum(part["f1"] for part in parts) == pytest.approx(after - before)
    assert next(p["delta"] for p in parts if p["error"] == "fn") == 2
    moved = report.table("moves").select("error_before", "error_after", "n").rows()
    assert sorted(moved) == [("bes", "fn", 1), ("bes", "tp", 1), ("tp", "fn", 1)]


def test_an_unknown_system_of_a_pair_is_named(errors):
    with pytest.raises(UsageError, match="no system is called `s9`"):
        errors(GOLD, CUTTING, pair=("s1", "s9"))


@pytest.mark.parametrize("method", ["fair", "nervaluate", "hipe"])
def test_fifty_systems_fit_a_hundred_columns(errors, method, capsys):
    report = errors(GOLD, *([CUTTING, MISSING] * 25), taxonomy=method)
    report.show()
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    assert sum("s50" in line for line in lines) >= 3


def test_bars_read_without_colour(errors, capsys):
    errors("X 1 4\n\nX 1 4\n\nX 1 4", "Y 1 4\n\nX 1 3\n\nNONE 999 999").show()
    assert "Ls-" in capsys.readouterr().out


# --------------------------------------------------------------------------------- other taxonomies


def test_nervaluate_s_trap_of_greedy_matching_is_none_here(errors):
    """Trap 9: an overlapping span that comes first takes the gold span of an exact one."""
    for system in ("X 3 8\nX 0 5", "X 0 5\nX 3 8"):
        strict = row(errors("X 0 5", system, taxonomy="nervaluate"), "strict")
        assert (strict["cor"], strict["spu"]) == (1, 1)
        assert strict["f1"] == pytest.approx(2 / 3)


def test_labels_of_nervaluate_s_modes_add_up(errors):
    """Trap 10: one label for another is incorrect, under gold's label; not missed and spurious."""
    report = errors("A 1 2", "B 1 2", taxonomy="nervaluate")
    assert row(report, "strict", table="labels", label="A")["inc"] == 1
    assert row(report, "strict", table="labels", label="B")["spu"] == 0
    assert row(report, "ent_type")["inc"] == row(report, "exact")["cor"] == 1


def test_any_overlap_is_one(errors):
    """Trap 10: nervaluate wants 1 % of gold's span; 1 token of 150 is missed and spurious there."""
    report = errors("A 1 150", "A 150 151", taxonomy="nervaluate")
    assert row(report, "partial")["par"] == 1
    assert row(report, "partial")["f1"] == 0.5


def test_everyone_has_one_partner_in_nervaluate_s_modes(errors):
    partial = row(errors("X 0 9", "X 0 4\nX 5 9", taxonomy="nervaluate"), "partial")
    assert (partial["par"], partial["spu"], partial["actual"]) == (1, 1, 2)


def test_weights_are_refused_where_a_taxonomy_has_none(errors):
    with pytest.raises(UsageError, match="nervaluate has no weights"):
        errors("X 1 2", "X 1 2", taxonomy="nervaluate", weights="LE = FP")


def test_nervaluate_itself_agrees_on_flat_text(write):
    """Beside the program, if it is there: flat spans in reading order, where it is at its best."""
    nervaluate = pytest.importorskip("nervaluate")
    import random

    mixed = random.Random(7)
    sentences = [[mixed.choice(TAGS) for _ in range(9)] for _ in range(400)]
    noisy = [[t if mixed.random() < 0.7 else mixed.choice(TAGS) for t in s] for s in sentences]
    paths = [
        write(name, "\n".join("".join(f"w\t{t}\n" for t in s) for s in layer))
        for name, layer in (("g.tsv", sentences), ("s.tsv", noisy))
    ]
    report = coleval.load(paths[0], {"s1": paths[1]}, profile="nervaluate").errors()
    theirs = nervaluate.Evaluator(sentences, noisy, tags=["A", "B"], loader="list").evaluate()
    for method, found in theirs["overall"].items():
        mine = row(report, method)
        expected = (found.correct, found.incorrect, found.partial, found.missed, found.spurious)
        assert tuple(mine[n] for n in ("cor", "inc", "par", "mis", "spu")) == expected, method


TAGS = ["O", "O", "B-A", "I-A", "B-B", "I-B"]


# ------------------------------------------------------------------------------------- command line


def coleval_command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "coleval", *map(str, arguments)],
        check=False, capture_output=True, text=True,
    )  # fmt: skip


def test_the_command_line_does_what_the_method_does(write):
    gold = write("gold.csv", "X\t1\t4\t1,2,3,4\n")
    system = write("a.csv", "Y\t1\t3\t1,2,3\n")
    done = coleval_command(
        "errors", gold, system, "--focus", "system", "--weights", "LBE = FP", "--as", "csv"
    )
    assert done.returncode == 0, done.stderr
    header, *lines = done.stdout.splitlines()
    assert header.startswith("system,method,tp,fp,fn,le,be,bes,bel,beo,lbe,precision,recall,f1")
    assert [line.split(",")[1] for line in lines] == ["traditional", "fair", "weighted"]


def test_a_malformed_formula_leaves_with_2_and_says_where(write):
    gold = write("gold.csv", "X\t1\t4\t1,2,3,4\n")
    done = coleval_command("errors", gold, f"a={gold}", "--weights", "LE = 0.5 FX")
    assert done.returncode == 2
    assert "--weights, character 5: no count is called `FX`" in done.stderr
