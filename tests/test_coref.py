"""Coreference: what readers accept and refuse, classes of mentions, and what is told of them."""

from __future__ import annotations

import itertools
import json

import numpy as np
import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from coleval.corpus.options import Reading
from coleval.corpus.selection import Selection
from coleval.counts.coref_classes import FN, TP, by_any, coref_key, ordered
from coleval.errors import DataError, UsageError
from coleval.loading.readers.coref import read_coref
from coleval.loading.readers.model import MentionFile
from coleval.loading.readers.source import Source
from coleval.loading.tasks.mentions import layer_of, places_of

BEGIN = "#begin document (doc); part 000\n"
TAGGED = {"columns": "pos=5"}


def document(*fields, name="(doc); part 000"):
    """Return a document of one word a line, ``w0 …``, with these fields as the last column."""
    lines = [f"doc\t0\t{k}\tw{k}\tNN\t{field}\n" for k, field in enumerate(fields)]
    return f"#begin document {name}\n{''.join(lines)}\n#end document\n"


def mentions(path):
    file = read_coref(Source(str(path)), Selection())
    names = [file.names[chain] for chain in file.chain.tolist()]
    return sorted(zip(file.start.tolist(), file.end.tolist(), names, strict=True))


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        (["(1)", "-", "(1)"], [(0, 0, "1"), (2, 2, "1")]),
        (["(1|(2)", "1)"], [(0, 0, "2"), (0, 1, "1")]),
        (["(1|(2", "-", "1)|2)"], [(0, 2, "1"), (0, 2, "2")]),
        (["(1(2", "-", "2)1)"], [(0, 2, "1"), (0, 2, "2")]),
        (["(1", "(2", "1)", "2)"], [(0, 2, "1"), (1, 3, "2")]),
        (["(1", "(1", "1)", "1)"], [(0, 3, "1"), (1, 2, "1")]),
        (["(1|(1)|(1", "1)", "1)"], [(0, 0, "1"), (0, 1, "1"), (0, 2, "1")]),
        (["(a-b", "a-b)", "_", "*"], [(0, 1, "a-b")]),
        (["(1", "1)|(1", "1)"], [(0, 1, "1"), (1, 2, "1")]),
    ],
)
def test_brackets_nest_and_cross_and_close_in_any_order(write, fields, found):
    assert mentions(write("a.conll", document(*fields))) == found


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("(nw/x (b) and c); part 001", "nw/x (b) and c#001"),
        ("(metadoc);", "metadoc"),
        ("file_7", "file_7"),
        ("(a b)", "a b"),
    ],
)
def test_names_of_documents_may_hold_brackets_and_spaces(write, header, name):
    file = read_coref(Source(str(write("a.conll", document("(1)", name=header)))), Selection())
    assert file.documents == (name,)


def test_units_may_be_mentions_and_the_header_may_lack_its_space(write):
    text = "#begin document(metadoc);\nm_1\t(0)\nm_2\t(0)\n#end document;\n"
    assert mentions(write("a.conll", text)) == [(0, 0, "0"), (1, 1, "0")]


def test_lines_of_tabs_crlf_and_a_gap_at_the_end_are_ordinary(write):
    text = "#begin document x\r\n1\ta\t(1\r\n\t\t\t\r\n1\tb\t1)\t\r\n#end document\r\n"
    assert mentions(write("a.conll", text)) == [(0, 1, "1")]


@pytest.mark.parametrize("length", range(1, 40))
def test_long_words_of_any_script_stand_before_the_brackets(write, length):
    lines = [f"{'ö語'[k % 2] * length}\t(chain-with-a-long-name-{length}-{k})\n" for k in range(3)]
    path = write("a.conll", f"{BEGIN}{''.join(lines)}#end document\n")
    assert [m[2] for m in mentions(path)] == [
        f"chain-with-a-long-name-{length}-{k}" for k in range(3)
    ]


def test_bytes_that_are_not_utf8_are_told_with_their_line(write):
    text = b"#begin document a\nw\t-\n\xff\t(1)\n#end document\n"
    path = write("a.conll", text)
    with pytest.raises(DataError, match="0xff is not UTF-8") as error:
        mentions(path)
    assert error.value.where == f"{path}:3"
    bad = write("b.jsonl", b'{"id": "a", "clusters": []}\n\xff\n')
    with pytest.raises(DataError, match="0xff is not UTF-8"):
        coleval.load(str(bad), {"s": str(bad)}, task="coref")


@pytest.mark.parametrize(
    ("fields", "line", "problem"),
    [
        (["(1", "-"], 2, "never closed"),
        (["-", "1)"], 3, "not open"),
        (["-", "(1)|x"], 3, "is not a chain annotation"),
        (["()"], 2, "is not a chain annotation"),
        (["(1", "1)", "1)"], 4, "not open"),
    ],
)
def test_a_bracket_without_another_is_named_with_its_line(write, fields, line, problem):
    path = write("a.conll", document(*fields))
    with pytest.raises(DataError, match=problem) as error:
        mentions(path)
    assert error.value.where == f"{path}:{line}"


def test_a_chain_does_not_reach_into_the_next_document(write):
    text = document("(1", name="(a)") + document("1)", name="(b)")
    with pytest.raises(DataError, match=r"closed|open"):
        mentions(write("a.conll", text))


def test_a_line_outside_of_documents_and_a_document_twice_are_refused(write):
    with pytest.raises(DataError, match="outside all documents"):
        mentions(write("a.conll", document("(1)") + "w (1)\n"))
    with pytest.raises(DataError, match="first in line 1"):
        mentions(write("b.conll", document("(1)") * 2))


@pytest.fixture
def load(write):
    """Return what loads documents as fields of words: gold first, then systems by name."""

    def load(gold, *, options=(), **systems):
        paths = {n: str(write(f"{n}.conll", document(*f))) for n, f in systems.items()}
        path = str(write("gold.conll", document(*gold)))
        return coleval.load(path, paths, task="coref", **TAGGED | dict(options))

    return load


def classes(corpus, criterion="any"):
    frame = corpus.at(criterion).frame()
    return {row["start"]: row["s"] or "tn" for row in frame.to_dicts()}


def test_one_mention_in_two_chains_is_an_error_that_names_it(load, tmp_path):
    fields = ["(1)|(2)", "(2)"]
    with pytest.raises(DataError, match="mention 0–0 of `doc#000` is in two chains, `1` and `2`"):
        load(["(1)", "(1)"], s=fields)
    first = load(["(1)", "(1)"], s=fields, options={"duplicate_mentions": "first"})
    assert classes(first) == {0: "tn", 1: "fn"}
    assert "given twice, also in two chains" in first.warnings[0]


def test_a_mention_given_twice_in_one_chain_counts_once_and_is_told(load):
    corpus = load(["(1)", "(1)"], s=["(1)|(1)", "(1)"])
    assert classes(corpus) == {0: "tn", 1: "tp"}
    assert "given twice" in corpus.warnings[0]


def test_classes_of_mentions_by_any_antecedent(load):
    gold = ["(1)", "(1)", "(2)", "(1)", "(2)", "-", "(3)"]
    said = ["(1)", "(1)", "(1)", "(2)", "-", "(1)", "(2)"]
    wanted = {0: "tn", 1: "tp", 2: "fp", 3: "fn", 4: "fn", 5: "fp", 6: "fp"}
    assert classes(load(gold, s=said)) == wanted


def test_a_wrong_antecedent_is_a_wrong_link(load):
    corpus = load(["(1)", "(2)", "(1)"], s=["-", "(1)", "(1)"])
    assert classes(corpus) == {0: "tn", 1: "tn", 2: "wl"}


def test_by_the_nominal_criterion_the_closest_nominal_antecedent_counts(load):
    gold, said = ["(1)", "(2)", "(1)", "(2)"], ["(1)", "(1)", "(1)", "-"]
    corpus = load(gold, s=said)
    assert classes(corpus)[2] == "tp"
    assert classes(corpus, "nominal")[2] == "wl"


def test_without_a_nominal_antecedent_in_the_key_nothing_is_to_be_found(load):
    nouns = {"nominal": ("XX",)}
    corpus = load(["(1)", "(1)", "(1", "1)"], s=["(1)", "(1)", "-", "-"], options=nouns)
    assert classes(corpus, "nominal") == {0: "tn", 1: "tn", 2: "tn"}
    assert classes(corpus) == {0: "tn", 1: "tp", 2: "fn"}


def test_a_wrong_link_counts_against_recall_and_precision(load):
    corpus = load(["(1)", "(2)", "(1)"], s=["-", "(1)", "(1)"])
    row = corpus.score().table("overall").filter(metric="arcs_any").to_dicts()[0]
    assert (row["recall_num"], row["recall_den"]) == (0, 1)
    assert (row["precision_num"], row["precision_den"]) == (0, 1)


def test_all_singletons_against_themselves_have_no_muc_and_no_conll(load):
    corpus = load(["(1)", "(2)"], s=["(1)", "(2)"])
    f1 = dict(corpus.score().table("overall").select("metric", "f1").iter_rows())
    assert (f1["muc"], f1["conll"], f1["b3"], f1["ceafe"]) == (None, None, 1.0, 1.0)
    dropped = dict(corpus.score(singletons="drop").table("overall").select("metric", "f1").rows())
    assert set(dropped.values()) == {None}


def test_a_system_that_says_nothing_finds_nothing(load):
    corpus = load(["(1)", "(1)"], s=["-", "-"])
    f1 = dict(corpus.score().table("overall").select("metric", "f1").iter_rows())
    assert f1["conll"] == f1["arcs_any"] == 0.0


def test_min_words_cuts_short_mentions_before_singletons_are_dropped(load):
    gold = ["(1", "1)", "(1)", "(1", "1)"]
    corpus = load(gold, s=gold, options={"min_words": 2})
    row = corpus.score(singletons="drop").table("overall").filter(metric="b3").to_dicts()[0]
    assert row["recall_den"] == 2


def test_tokens_that_differ_in_number_and_missing_documents_are_refused(load, write):
    with pytest.raises(DataError, match="has 1 tokens, gold has 2"):
        load(["(1)", "(1)"], s=["(1)"])
    gold = write("g.conll", document("(1)", name="(a)") + document("(1)", name="(b)"))
    one = write("h.conll", document("(1)", name="(a)"))
    with pytest.raises(DataError, match=r"documents missing \(1\): b"):
        coleval.load(str(gold), {"s": str(one)}, task="coref")
    with pytest.raises(DataError, match=r"documents that are not in gold \(1\): b"):
        coleval.load(str(one), {"s": str(gold)}, task="coref")


def test_json_lines_and_columns_say_the_same(write):
    columns = write("gold.conll", document("(1", "1)|(2)", "(1)", name="(d)"))
    clusters = {"id": "d", "clusters": [[[0, 1], [2, 2]], [[1, 1]]]}
    system = write("s.jsonl", json.dumps(clusters) + "\n")
    f1 = coleval.load(str(columns), {"s": str(system)}).score().table("overall")["f1"].to_list()
    assert set(f1) == {1.0}


def test_offsets_behind_the_document_are_refused_with_their_line(write):
    gold = write("gold.jsonl", '{"id": "d", "tokens": ["a"], "clusters": [[[0, 0]]]}\n')
    system = write("s.jsonl", '{"id": "d", "clusters": [[[0, 1]]]}\n')
    with pytest.raises(DataError, match="ends after the 1 tokens") as error:
        coleval.load(str(gold), {"s": str(system)}, task="coref")
    assert error.value.where == f"{system}:1"
    bad = write("t.jsonl", '{"id": "d", "clusters": [[[1, 0]]]}\n')
    with pytest.raises(DataError, match="is not a mention"):
        coleval.load(str(gold), {"s": str(bad)}, task="coref")


def without_tokens(*mentions):
    """Return documents without tokens, each with one chain."""
    return "".join(json.dumps({"id": str(k), "clusters": [list(chain)]}) + "\n"
                   for k, chain in enumerate(mentions))  # fmt: skip


def test_mentions_may_be_long_and_far_where_nobody_counts_tokens(write):
    text = without_tokens([[7, 7], [9, 5_000_000]], [[1, 1], [2_000_000_000, 2_000_000_000]])
    paths = write("gold.jsonl", text), write("s.jsonl", text)
    corpus = coleval.load(paths[0], {"s": paths[1]}, task="coref")
    assert classes(corpus) == {7: "tn", 9: "tp", 1: "tn", 2_000_000_000: "tp"}


def test_mentions_are_told_apart_however_many_documents_there_are():
    far = 2**19 + 1
    where = np.array([[0, far - 1, far], [3, 0, 0], [9, 0, 70_000]], np.int32)
    document, start, end = where
    file = MentionFile(
        "gold.jsonl", tuple(map(str, range(far + 1))), np.full(far + 1, -1), document, start, end,
        np.arange(3), np.ones(3, np.uint32), pl.Series(["a", "b", "c"]), None, {},
    )  # fmt: skip
    places = places_of({"": file})
    found = places.taken_apart(layer_of(file, places, Reading()).key)
    assert [found.document.tolist(), found.start.tolist(), (found.end - 1).tolist()] == (
        where.tolist()
    )


def test_more_tokens_than_can_be_numbered_are_an_error(write):
    whole = [[0, 2**31 - 2], [0, 0]]
    text = without_tokens(whole, whole, whole)
    paths = write("gold.jsonl", text), write("s.jsonl", text)
    with pytest.raises(DataError, match="are too many to number"):
        coleval.load(paths[0], {"s": paths[1]}, task="coref")


def test_antecedents_are_told_apart_however_large_the_numbers_of_chains_are():
    own = np.array([2**32, 2**32, 2**33, 2**33])
    said = np.array([2**32, 2**32, 2**33, 2**34])
    assert by_any(coref_key(own), ordered(said)).tolist() == [0, TP, 0, FN]


def test_kinds_of_mentions_are_those_of_their_tags_from_files_and_from_a_store(write, tmp_path):
    words = (("NN", "(1)"), ("PRP", "(1)"), ("NNP", "(1)"), ("N", "(1)"), ("JJ", "(1)"),
             ("DT", "(1"), ("NN", "1)"))  # fmt: skip
    lines = "".join(f"d\t0\t{k}\tw\t{tag}\t{field}\n" for k, (tag, field) in enumerate(words))
    path = write("gold.conll", f"{BEGIN}{lines}\n#end document\n")
    corpus = coleval.load(path, {"s": path}, task="coref", columns="pos=5", nominal="NN,N")
    store = corpus.save(tmp_path / "store")
    for one in (corpus, coleval.open(store)):
        table = one.buckets(attributes="mention_kind")["buckets"]
        assert dict(table.select("bucket", "gold").rows()) == {
            "name": 1, "noun": 1, "other": 1, "phrase": 1, "pronoun": 1,
        }  # fmt: skip


def test_changes_are_told_by_type_of_mention_and_lemma(write):
    rows = [("Ann", "NNP"), ("she", "PRP"), ("her", "PRP$"), ("Ann", "NNP")]

    def text(*fields):
        cells = [
            f"doc 0 {k} {form} {tag} * {form.lower()} - - - * {field}\n"
            for k, ((form, tag), field) in enumerate(zip(rows, fields, strict=True))
        ]
        return f"{BEGIN}{''.join(cells)}#end document\n"

    gold = write("gold.conll", text("(1)", "(1)", "(1)", "(2)"))
    before = write("a.conll", text("(1)", "-", "(1)", "(1)"))
    after = write("b.conll", text("(1)", "(1)", "-", "-"))
    report = coleval.load(str(gold), {"a": str(before), "b": str(after)}).changes()
    splits = report.table("splits").drop("before", "after").rows()
    assert splits == [
        ("mention_type", "PRP", "correction", "fn", "tp", 1),
        ("mention_type", "PRP$", "new error", "tp", "fn", 1),
        ("mention_type", "noun", "correction", "fp", "tn", 1),
        ("lemma", "her", "new error", "tp", "fn", 1),
        ("lemma", "she", "correction", "fn", "tp", 1),
    ]


def test_systems_are_scored_against_each_other_as_key(load):
    corpus = load(["(1)", "(1)", "-"], a=["(1)", "-", "(1)"], b=["(1)", "-", "(1)"])
    keys = corpus.score(key="all").table("keys").filter(metric="conll")
    assert keys["f1"].to_list() == [1.0] * 4
    assert set(corpus.score(key="a").table("keys")["key"]) == {"a"}
    with pytest.raises(UsageError, match="no system is called `c`"):
        corpus.score(key="c")


def test_a_store_gives_the_same_scores_and_takes_more_systems(load, tmp_path):
    gold, a, b = ["(1)", "(1)", "-", "(2)"], ["(1)", "-", "(1)", "-"], ["-", "(1)", "(1)", "(1)"]
    both = load(gold, a=a, b=b)
    load(gold, a=a).save(tmp_path / "st")
    files = [str(tmp_path / f"{n}.conll") for n in ("gold", "b")]
    options = ["--quiet", "--task", "coref", "--columns", "pos=5"]
    assert main(["load", *files, "-o", str(tmp_path / "st"), *options]) == 0
    opened = coleval.open(tmp_path / "st")
    for table in ("overall", "classes"):
        assert opened.score().table(table).equals(both.score().table(table))
    assert opened.at("nominal").frame().equals(both.at("nominal").frame())


def test_the_command_line_tells_scores_classes_and_keys(write, capsys):
    gold = write("gold.conll", document("(1)", "(1)", "(2)"))
    system = write("s.conll", document("(1)", "(1)", "(1)"))
    assert main(["score", str(gold), str(system), "--key", "all", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert all(word in out for word in ("conll %", "WL", "scored against the others"))
    assert main(["score", str(gold), str(system), "--as", "json", "--quiet"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    metrics = [row["metric"] for row in tables["overall"]]
    assert metrics == ["mentions", "muc", "b3", "ceafe", "ceafm", "lea", "blanc", "conll",
                       "arcs_any", "arcs_nominal"]  # fmt: skip


@pytest.mark.parametrize("command", ["changes", "oracle", "bins", "confusion", "compare", "agree"])
def test_every_analysis_takes_mentions(write, capsys, command):
    gold = write("gold.conll", document("(1)", "(1)", "(2)", "(2)"))
    a = write("a.conll", document("(1)", "(1)", "(1)", "-"))
    b = write("b.conll", document("(1)", "-", "(2)", "(2)"))
    assert main([command, str(gold), str(a), str(b), "--quiet"]) == 0
    assert capsys.readouterr().out


def test_a_system_cannot_be_called_like_a_column_of_mentions(load):
    with pytest.raises(UsageError, match="a system cannot be called `words`"):
        load(["(1)"], words=["(1)"])


def test_upper_bounds_are_over_mentions_with_an_antecedent(load):
    corpus = load(["(1)", "(1)", "(2)", "(2)"], a=["(1)", "(1)", "(1)", "-"],
                  b=["(1)", "-", "(2)", "(2)"])  # fmt: skip
    row = corpus.oracle().table("overall").to_dicts()[0]
    assert (row["items"], row["oracle_correct"], row["best_correct"]) == (2, 2, 1)


FOUR = (("(1)", "(1)", "(2)", "(2)"), ("(1)", "(2)", "(1)", "(2)"), ("(1)", "(1)", "(1)", "-"),
        ("(3)", "-", "(3)", "(4)"))  # fmt: skip
NEAR = (FOUR[0], FOUR[1], ("(1)", "(1)", "(2)", "-"), ("(3)", "-", "(3)", "-"))
OFF = (("(1)", "(1)", "(1)", "(1)"), ("(1)", "(2)", "(2)", "(2)"), ("(1)", "-", "(1)", "-"),
       ("(3)", "-", "-", "(3)"))  # fmt: skip


@pytest.mark.parametrize("metric", ["conll", "b3", "lea", "blanc"])
def test_p_of_any_metric_is_the_share_of_all_exchanges_of_documents(write, metric):
    def file(name, documents):
        texts = [document(*d, name=f"(d{k}); part 000") for k, d in enumerate(documents)]
        return write(f"{name}.conll", "".join(texts))

    def delta(one, other):
        corpus = coleval.load(gold, {"a": file("a", one), "b": file("b", other)})
        rows = corpus.score().table("overall").filter(pl.col("metric") == metric)
        scores = dict(rows.select("system", "f1").iter_rows())
        return scores["a"] - scores["b"]

    gold = file("gold", FOUR)
    moves = itertools.product((False, True), repeat=len(FOUR))
    pairs = [[(b, a) if m else (a, b) for a, b, m in zip(NEAR, OFF, way, strict=True)]
             for way in moves]  # fmt: skip
    every = [delta(*zip(*pair, strict=True)) for pair in pairs]
    seen = every[0]
    corpus = coleval.load(gold, {"near": file("near", NEAR), "off": file("off", OFF)})
    row = corpus.compare(metric=metric, test="randomisation").table("pairs").row(0, named=True)
    assert abs(row["delta"]) == pytest.approx(abs(seen))
    assert (row["p_from"], row["unit"]) == ("exact", "document")
    assert row["p"] == pytest.approx(sum(abs(d) >= abs(seen) - 1e-9 for d in every) / len(every))


def test_a_column_of_mentions_can_group_and_filter_their_scores(load):
    # All words have the tag NN.
    corpus = load(["(1)", "-", "(1)"], s=["(1)", "-", "(1)"])
    assert corpus.score(by="mention_type").table("by")["by"].unique().to_list() == ["noun"]
    assert corpus.score(where="mention_type = 'noun'").table("overall").height
