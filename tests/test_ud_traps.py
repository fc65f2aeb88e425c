"""What is easily counted wrong in trees: splits, subtypes, lemmas, odd trees, enhanced graphs."""

from __future__ import annotations

import pytest

import coleval
from coleval.corpus.selection import Selection
from coleval.errors import DataError, UsageError
from coleval.loading.readers.conllu import read_conllu
from coleval.loading.readers.source import Source


def word(number, form, head, relation, **more):
    column = {"lemma": form, "upos": "X", "xpos": "x", "feats": "_", "deps": "_"} | more
    return "\t".join(
        (str(number), form, column["lemma"], column["upos"], column["xpos"], column["feats"],
         str(head), relation, column["deps"], "_\n")
    )  # fmt: skip


def multi(numbers, form):
    return f"{numbers}\t{form}" + "\t_" * 8 + "\n"


@pytest.fixture
def scored(write):
    """What gives a metric's row for a system's text against gold's."""

    def scored(gold, system, metric, **options):
        corpus = coleval.load(
            write("gold.conllu", gold), {"s": write("s.conllu", system)}, task="dep"
        )
        (row,) = corpus.score(**options).table("overall").filter(metric=metric).to_dicts()
        return row

    return scored


DU = (
    multi("1-2", "du")
    + word(1, "de", 3, "case")
    + word(2, "le", 3, "det")
    + word(3, "chat", 0, "root")
)


def test_one_word_for_two_costs_f1_but_not_accuracy_on_aligned_words(scored):
    row = scored(DU, word(1, "du", 2, "case") + word(2, "chat", 0, "root"), "LAS")
    assert [row[k] for k in ("correct", "gold", "predicted", "aligned")] == [1, 3, 2, 1]
    assert (row["f1"], row["aligned_accuracy"]) == (pytest.approx(0.4), 1.0)


def test_a_head_that_gold_does_not_have_is_wrong_and_told_by_its_form(write):
    system = word(1, "du", 2, "case") + word(2, "chat", 1, "root")
    corpus = coleval.load(write("g.conllu", DU), {"s": write("s.conllu", system)}, task="dep")
    assert corpus.items.select("form", "gold", "s").rows() == [
        ("de", "case@3", None), ("le", "det@3", None),
        ("chat", "root@0", "root@?du"), ("du", None, "case@3"),
    ]  # fmt: skip


def test_a_head_in_another_sentence_of_gold_is_that_word(write):
    gold = word(1, "a", 0, "root") + "\n" + word(1, "b", 0, "root") + word(2, "c", 1, "obj")
    system = word(1, "a", 0, "root") + word(2, "b", 1, "obj") + word(3, "c", 2, "obj")
    corpus = coleval.load(write("g.conllu", gold), {"s": write("s.conllu", system)}, task="dep")
    assert corpus.items.select("gold", "s").rows() == [
        ("root@0", "root@0"), ("root@0", "obj@1-1"), ("obj@1", "obj@1"),
    ]  # fmt: skip


def test_content_words_are_those_that_each_side_calls_so(scored):
    gold = word(1, "a", 0, "root") + word(2, "b", 1, "obj") + word(3, "c", 1, "case")
    system = word(1, "a", 0, "root") + word(2, "b", 1, "obj") + word(3, "c", 1, "nmod")
    row = scored(gold, system, "CLAS")
    assert [row[k] for k in ("correct", "gold", "predicted")] == [2, 2, 3]
    assert (row["precision"], row["recall"]) == (pytest.approx(2 / 3), 1.0)
    assert scored(gold, system, "CLAS", functional="")["gold"] == 3


def test_subtypes_and_features_of_one_language_do_not_count_unless_asked_for(scored):
    gold = word(1, "a", 0, "root", feats="Case=Nom|Foo=Bar") + word(2, "b", 1, "nmod:poss")
    system = word(1, "a", 0, "root", feats="Foo=Other|Case=Nom") + word(2, "b", 1, "nmod")
    assert scored(gold, system, "LAS")["correct"] == 2
    assert scored(gold, system, "LAS", subtypes=True)["correct"] == 1
    assert scored(gold, system, "UFeats")["correct"] == 2


def test_any_lemma_will_do_where_gold_has_none_but_not_any_tag(scored):
    gold = word(1, "a", 0, "root", lemma="_", xpos="_")
    system = word(1, "a", 0, "root", lemma="b", xpos="y")
    assert scored(gold, system, "Lemmas")["correct"] == 1
    assert scored(gold, system, "BLEX")["correct"] == 1
    assert scored(gold, system, "XPOS")["correct"] == 0


def test_function_words_must_be_the_same_for_mlas(scored):
    gold = word(1, "the", 2, "det") + word(2, "cat", 0, "root")
    other = word(1, "the", 2, "det", upos="Y") + word(2, "cat", 0, "root")
    assert scored(gold, gold, "MLAS")["correct"] == 1
    assert scored(gold, other, "CLAS")["correct"] == 1
    assert scored(gold, other, "MLAS")["correct"] == 0


def test_several_roots_and_circles_are_scored_and_counted(write):
    gold = word(1, "a", 0, "root") + word(2, "b", 1, "obj") + word(3, "c", 1, "obj")
    odd = {
        "roots": word(1, "a", 0, "root") + word(2, "b", 0, "root") + word(3, "c", 1, "obj"),
        "circle": word(1, "a", 0, "root") + word(2, "b", 3, "obj") + word(3, "c", 2, "obj"),
        "rootless": word(1, "a", 2, "root") + word(2, "b", 1, "obj") + word(3, "c", 1, "obj"),
    }
    paths = {name: write(f"{name}.conllu", text) for name, text in odd.items()}
    corpus = coleval.load(write("gold.conllu", gold), paths, task="dep")
    las = corpus.score().table("overall").filter(metric="LAS")
    assert dict(las.select("system", "correct").rows()) == {"roots": 2, "circle": 1, "rootless": 2}
    told = {w.partition(":")[0]: w for w in corpus.warnings}
    assert "1 of 1 sentences have several roots" in told["roots"]
    assert "1 of 1 sentences contain a cycle" in told["circle"]
    assert "circle" in told["rootless"]


def test_no_final_blank_line_is_needed(scored):
    text = word(1, "a", 0, "root").rstrip("\n")
    assert scored(text, text, "LAS")["correct"] == 1


GRAPH = (
    word(1, "he", 2, "nsubj", deps="2:nsubj")
    + word(2, "eats", 0, "root", deps="0:root")
    + word(3, "of", 2, "case", deps="2:nmod:of|2:nmod:in")
)


def test_every_edge_is_matched_once(scored):
    for metric in ("ELAS", "EULAS"):
        row = scored(GRAPH, GRAPH, metric)
        assert [row[k] for k in ("correct", "gold", "predicted", "f1")] == [4, 4, 4, 1.0]
    fewer = GRAPH.replace("2:nmod:of|2:nmod:in", "2:nmod:on")
    assert scored(GRAPH, fewer, "ELAS")["correct"] == 2
    assert scored(GRAPH, fewer, "EULAS")["correct"] == 3


def test_edges_over_empty_nodes_are_paths(scored):
    empty = "3.1\teats\t_\t_\t_\t_\t_\t_\t2:conj:and\t_\n"
    gold = GRAPH + empty + word(4, "tea", 2, "obj", deps="3.1:obj")
    same = GRAPH + word(4, "tea", 2, "obj", deps="2:conj:and>obj")
    other = GRAPH + word(4, "tea", 2, "obj", deps="2:conj:or>obj")
    assert scored(gold, same, "ELAS")["correct"] == 5
    assert scored(gold, other, "ELAS")["correct"] == 4
    assert scored(gold, other, "EULAS")["correct"] == 5


def test_without_enhanced_gold_there_is_no_score_of_it(write):
    text = word(1, "a", 0, "root")
    corpus = coleval.load(write("g.conllu", text), {"s": write("s.conllu", text)}, task="dep")
    assert "ELAS" not in corpus.score().table("overall")["metric"].to_list()


@pytest.mark.parametrize(
    "lines",
    [
        multi("2-3", "du") + word(1, "a", 0, "root") + word(2, "b", 1, "obj"),
        multi("1-3", "du") + word(1, "a", 0, "root") + word(2, "b", 1, "obj"),
        multi("2-1", "du") + word(1, "a", 0, "root") + word(2, "b", 1, "obj"),
        multi("1-2", "du") + word(1, "a", 0, "root") + multi("2-3", "x") + word(2, "b", 1, "obj")
        + word(3, "c", 1, "obj"),
    ],
)  # fmt: skip
def test_a_token_of_several_words_stands_before_its_words(write, lines):
    with pytest.raises(DataError, match="is not directly before its words"):
        read_conllu(Source(str(write("a.conllu", lines))), Selection())


@pytest.mark.parametrize("head", ["-1", "3"])
def test_a_head_outside_of_its_sentence_is_refused_in_column_files_too(write, head):
    text = f"a\t0\troot\nb\t{head}\tobj\n\nc\t0\troot\n"
    gold, system = write("g.tsv", text), write("s.tsv", text)
    columns = "form=1,head=2,deprel=3"
    with pytest.raises(DataError, match=f"the HEAD {head} of `b` is not a word") as error:
        coleval.load(gold, [system], task="dep", format="columns", columns=columns)
    assert error.value.where.endswith("g.tsv:2")


def test_a_metric_that_needs_other_columns_says_so(write):
    gold, system = write("g.tsv", "a\t0\troot\n"), write("s.tsv", "a\t0\troot\n")
    corpus = coleval.load(
        gold, [system], task="dep", format="columns", columns="form=1,head=2,deprel=3"
    )
    assert corpus.oracle(metric="clas").table("overall")["items"].to_list() == [1]
    for command in (corpus.bins, corpus.score):
        with pytest.raises(UsageError, match="no column of upos"):
            command(metric="upos")


@pytest.mark.parametrize("metric", ["upos", "alltags", "clas", "mlas", "blex", "ufeats"])
def test_bins_and_oracle_go_by_the_metric_that_the_leaderboard_tells(data, metric):
    folder = data("conll18-ud/pcm_nsc")
    names = ("HIT-SCIR-18", "UDPipe-Future")
    systems = {name: folder / f"systems/{name}.conllu.gz" for name in names}
    corpus = coleval.load(folder / "gold.conllu", systems, profile="ud2018", metric=metric)
    told = corpus.score().table("overall")
    right = dict(
        told.filter(told["metric"].str.to_lowercase() == metric).select("system", "correct").rows()
    )
    assert dict(corpus.bins().table("systems").select("system", "tp").rows()) == right
    (best,) = corpus.oracle().table("overall").to_dicts()
    assert best["best"] == pytest.approx(max(right.values()) / best["items"])
