"""Enhanced graphs: every edge once, its head a word of its sentence; numbers that are none."""

from __future__ import annotations

import polars as pl
import pytest

import coleval
from coleval.corpus.selection import Selection
from coleval.errors import DataError, UsageError
from coleval.loading.readers.conllu import read_conllu
from coleval.loading.readers.source import Source

HUGE = "99999999999999999999"


def word(number, head, relation="dep", deps="_"):
    return f"{number}\tw\tw\tX\tx\t_\t{head}\t{relation}\t{deps}\t_\n"


def node(number, deps="_"):
    return f"{number}\te\t_\t_\t_\t_\t_\t_\t{deps}\t_\n"


def multi(number):
    return f"{number}\tww" + "\t_" * 8 + "\n"


@pytest.fixture
def edges(write):
    """What gives correct, predicted and gold edges of ELAS and of EULAS."""

    def edges(gold, system):
        paths = [write("gold.conllu", gold), write("s.conllu", system)]
        table = coleval.load(paths[0], paths[1:], task="dep").score().table("overall")
        rows = {row["metric"]: row for row in table.to_dicts()}
        return tuple(
            "/".join(str(rows[metric][k]) for k in ("correct", "predicted", "gold"))
            for metric in ("ELAS", "EULAS")
        )

    return edges


TREE = word(1, 0, "root", "0:root") + word(2, 1, "obj", "1:obj") + word(3, 2, "nmod", "{}")


def test_an_edge_that_is_written_twice_counts_once(edges):
    gold = TREE.format("2:nmod|1:conj")
    assert edges(gold, TREE.format("2:nmod|1:conj|2:nmod")) == ("4/4/4", "4/4/4")
    assert edges(TREE.format("2:nmod|1:conj|2:nmod"), gold) == ("4/4/4", "4/4/4")


def test_parallel_paths_over_empty_nodes_count_once(edges):
    nodes = node("3.1", "1:conj") + node("3.2", "1:conj")
    paths = TREE.format("2:nmod|3.1:x|3.2:x") + nodes
    assert edges(paths, paths) == ("4/4/4", "4/4/4")
    assert edges(TREE.format("2:nmod|1:conj>x"), paths) == ("4/4/4", "4/4/4")


def test_edges_that_differ_by_their_subtypes_are_edges_of_their_own(edges):
    two = TREE.format("2:nmod:of|2:nmod:in")
    assert edges(two, two) == ("4/4/4", "4/4/4")
    assert edges(two, TREE.format("2:nmod:of|2:nmod:on")) == ("3/4/4", "4/4/4")
    assert edges(two, TREE.format("2:nmod")) == ("2/3/4", "3/3/4")


def test_a_store_keeps_edges_with_subtypes_and_without_apart(write, tmp_path):
    gold = write("gold.conllu", TREE.format("2:nmod:of|1:conj:and"))
    systems = {"a": write("a.conllu", TREE.format("2:nmod|1:conj:and")), "b": gold}
    corpus = coleval.load(gold, systems, task="dep")
    corpus.save(tmp_path / "store")
    stored = coleval.open(tmp_path / "store").score()["overall"]
    assert stored.equals(corpus.score()["overall"])
    assert set(stored.filter(metric="ELAS")["correct"]) == {3, 4}


@pytest.mark.parametrize(("metric", "f1"), [("elas", 6 / 8), ("eulas", 1.0)])
def test_enhanced_graphs_are_a_metric_of_score_compare_and_bins(write, metric, f1):
    """Of four edges a system has one with another subtype; without subtypes it has all."""
    gold = write("gold.conllu", TREE.format("2:nmod:of|1:conj"))
    systems = {"a": write("a.conllu", TREE.format("2:nmod:in|1:conj")), "same": gold}
    corpus = coleval.load(gold, systems, task="dep")
    board = corpus.score(metric=metric)
    assert board.table("overall")["system"].unique(maintain_order=True)[0] == ("a", "same")[f1 < 1]
    labels = {row["label"]: row["tp"] for row in board.table("labels").to_dicts()
              if row["system"] == "a" and row["support"]}  # fmt: skip
    of = {"elas": {"nmod:of": 0}, "eulas": {"nmod": 1}}[metric]
    assert labels == {"root": 1, "obj": 1, "conj": 1, **of}
    values = dict(corpus.compare(metric=metric)["ranks"].select("system", "value").iter_rows())
    assert values == {"same": 1.0, "a": f1}
    assert corpus.bins(metric=metric)["bins"]["items"].sum() == 4
    filtered = corpus.score(where="relation = 'obj'").table("overall")
    assert not {"ELAS", "EULAS"} & set(filtered["metric"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"labels": "obj"}, "of all words and relations"),
        ({"where": "sentence = 0"}, "of all words and relations"),
        ({"by": "relation"}, "no columns to filter, group"),
    ],
)
def test_edges_have_no_columns_and_gold_has_to_have_them(write, options, said):
    paths = [write("gold.conllu", TREE.format("2:nmod")), write("s.conllu", TREE.format("_"))]
    with pytest.raises(UsageError, match=said):
        coleval.load(paths[0], paths[1:], task="dep").score(metric="elas", **options)
    plain = write("plain.conllu", word(1, 0, "root"))
    with pytest.raises(UsageError, match="gold has no enhanced graphs"):
        coleval.load(plain, {"s": plain}, task="dep").score(metric="elas")


def test_edges_from_two_words_that_gold_has_not_are_two_however_alike(edges):
    """The system cuts `abab` into `a b a b`: two heads called `a`, neither a word of gold."""
    gold = word(1, 0, "root", "0:root").replace("\tw\tw", "\tabab\tw") + word(2, 1, "obj", "1:x")
    system = "".join(
        word(k, k - 1, "obj", f"{k - 1}:x").replace("\tw\t", f"\t{form}\t", 1)
        for k, form in enumerate("abab", 1)
    )
    assert edges(gold, system + word(5, 4, "obj", "1:x|3:x")) == ("0/6/2", "0/6/2")


WRONG = {
    "a word behind the sentence": ("3:obj", "`3:obj` in DEPS is not a word of this sentence of 2"),
    "a word of no sentence": ("9:root", "`9:root` in DEPS is not a word of this sentence of 2"),
    "no number": ("x:obj", "`x:obj` in DEPS is not an edge"),
    "a number below 0": ("-1:obj", "`-1:obj` in DEPS is not an edge"),
    "a number with a sign": ("+1:obj", "`+1:obj` in DEPS is not an edge"),
    "digits of another script": ("١:obj", "`١:obj` in DEPS is not an edge"),
    "no relation": ("1", "`1` in DEPS is not an edge"),
    "nothing between two lines": ("1:obj||1:x", "`` in DEPS is not an edge"),
    "an empty node that is not there": ("7.1:obj", "`7.1:obj` in DEPS is not an empty node"),
    "a range": ("1-2:obj", "`1-2:obj` in DEPS is not an edge"),
    "a number beyond integers": (f"{HUGE}:obj", f"`{HUGE}:obj` in DEPS is not a word"),
    "a node beyond integers": (f"{HUGE}.{HUGE}:obj", "in DEPS is not an empty node"),
    "a second edge": ("1:obj|3:obj", "`3:obj` in DEPS is not a word of this sentence of 2"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("side", ["gold", "system", "empty node"])
def test_an_edge_from_nowhere_is_told_with_its_line(write, name, side):
    deps, message = WRONG[name]
    good = word(1, 0, "root", "0:root") + word(2, 1, "obj", "1:obj") + node("2.1") + "\n"
    bad = good.replace("\t1:obj\t", f"\t{deps}\t")
    if side == "empty node":
        bad = good.replace(node("2.1"), node("2.1", deps))
    texts = (good + bad + good, good * 3) if side == "gold" else (good * 3, good + bad + good)
    gold, system = (write(n, t) for n, t in zip(("g.conllu", "s.conllu"), texts, strict=True))
    with pytest.raises(DataError) as caught:
        coleval.load(gold, [system], task="dep")
    line = 7 if side == "empty node" else 6
    assert caught.value.where == f"{gold if side == 'gold' else system}:{line}"
    assert message in caught.value.problem
    assert caught.value.remedy


NUMBERS = {
    "an ID": (word(HUGE, 0), f"the ID `{HUGE}` is not a word number"),
    "a HEAD": (word(2, HUGE), f"the HEAD `{HUGE}` is not a word"),
    "the end of a token": (multi(f"2-{HUGE}") + word(2, 1), f"the token 2-{HUGE} is not directly"),
    "the largest end": (multi(f"2-{2**63 - 1}") + word(2, 1), "is not directly before its words"),
    "a token that ends before all": (
        multi("2147483647-1") + word(2, 1),
        "2147483647-1 is not directly",
    ),
    "the start of a token": (multi(f"{HUGE}-{HUGE}") + word(2, 1), f"the token {HUGE}-{HUGE} "),
    "a token in another script": (multi("٢-٢") + word(2, 1), "the ID `٢-٢` is not a word number"),
    "an empty node": (node(f"{HUGE}.1"), f"the empty node {HUGE}.1 is after no word"),
    "the place of a node": (node(f"1.{HUGE}"), f"the empty node 1.{HUGE} is after no word"),
    "a node behind the sentence": (node("2.1"), "the empty node 2.1 is after no word"),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("task", ["dep", "tag"])
def test_a_number_beyond_integers_or_the_sentence_is_told_with_its_line(write, name, task):
    lines, message = NUMBERS[name]
    gold, system = write("g.conllu", word(1, 0)), write("s.conllu", word(1, 0) + lines)
    with pytest.raises(DataError) as caught:
        coleval.load(gold, [system], task=task)
    assert caught.value.where == f"{system}:2"
    assert message in caught.value.problem


@pytest.mark.parametrize("line", [node("1.1"), multi("1-2")])
def test_where_no_line_is_a_word_the_first_line_is_told(write, line):
    with pytest.raises(DataError) as caught:
        read_conllu(Source(str(write("a.conllu", line + word(HUGE, 0)))), Selection())
    assert caught.value.where.endswith("a.conllu:1")


def test_an_empty_node_is_in_its_sentence_once(write):
    text = word(1, 0) + node("1.1") + node("1.2") + "\n" + word(1, 0) + node("1.1") + node("1.1")
    with pytest.raises(DataError, match=r"an empty node 1\.1 in this sentence already") as caught:
        read_conllu(Source(str(write("a.conllu", text))), Selection())
    assert caught.value.where.endswith("a.conllu:7")


@pytest.mark.parametrize("head", [HUGE, "x", "1.5", "-"])
@pytest.mark.parametrize("side", ["g.tsv", "s.tsv"])
def test_a_head_that_is_no_number_is_told_in_column_files_too(write, side, head):
    good, bad = "a\t0\troot\nb\t1\tobj\n", f"a\t0\troot\nb\t{head}\tobj\n"
    gold, system = (write(name, bad if name == side else good) for name in ("g.tsv", "s.tsv"))
    with pytest.raises(DataError, match=f"the HEAD `{head}` of `b`") as caught:
        coleval.load(gold, [system], task="dep", format="columns",
                     columns="form=1,head=2,deprel=3")  # fmt: skip
    assert caught.value.where.endswith(f"{side}:2")


def test_a_system_without_heads_misses_them_all(write):
    gold, system = write("g.tsv", "a\t0\troot\n"), write("s.tsv", "a\t_\t_\n")
    columns = "form=1,head=2,deprel=3"
    corpus = coleval.load(gold, [system], task="dep", format="columns", columns=columns)
    rows = corpus.score().table("overall").filter(metric="UAS").select("correct", "predicted")
    assert rows.rows() == [(0, 0)]


def test_a_treebank_without_deps_is_in_no_mean_of_elas(tmp_path):
    word = "1\ta\ta\tN\t_\t_\t0\troot\t{0}\t_\n\n"
    for place in ("gold", "A"):
        (tmp_path / place).mkdir()
        for name, deps in (("d0", "0:root"), ("d1", "_")):
            (tmp_path / place / f"{name}.conllu").write_text(word.format(deps))
    files = (f"{tmp_path}/gold/{{dataset}}.conllu", {"A": f"{tmp_path}/A/{{dataset}}.conllu"})
    ranking = coleval.load(*files, task="dep").score(by="dataset", metric="elas")["ranking"]
    row = ranking.row(by_predicate=pl.col("metric") == "ELAS", named=True)
    assert (row["macro"], row["groups"], row["not_applicable"]) == (1.0, 1, 1)
