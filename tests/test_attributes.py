"""Every attribute on the example of the paper's Figure 3, and what each of them needs."""

from __future__ import annotations

import polars as pl
import pytest

import coleval
from coleval.analyses.buckets.cuts import Breakdown
from coleval.analyses.buckets.spec import Options
from coleval.analyses.buckets.tables import plan
from coleval.annotate.attributes import ATTRIBUTES, PAPER
from coleval.counts.coref_classes import CRITERIA
from coleval.errors import UsageError

# "Life in New York is fun ." with one entity of two tokens: 2/7 of the sentence.
WORDS = ["Life", "in", "New", "York", "is", "fun", "."]
GOLD = ["O", "O", "B-LOC", "I-LOC", "O", "O", "O"]
# One system calls it an organisation, another finds half of it.
ORG = ["O", "O", "B-ORG", "I-ORG", "O", "O", "O"]
HALF = ["O", "O", "O", "B-LOC", "O", "O", "O"]
# Seen in training: three times as LOC, once as ORG, once without a label; "fun" never.
TRAINING = """\
New B-LOC
York I-LOC
is O
in O
new B-LOC
york I-LOC

NEW B-LOC
YORK I-LOC
New B-ORG
York I-ORG
. O

Life O
Old B-LOC
York I-LOC
New O
"""


@pytest.fixture
def corpus(write):
    def tagged(tags):
        return "".join(f"{w} {t}\n" for w, t in zip(WORDS, tags, strict=True))

    gold = write("gold.conll", tagged(GOLD))
    systems = {"org": str(write("org.conll", tagged(ORG))), "half": str(write("h", tagged(HALF)))}
    return coleval.load(str(gold), systems).trained(str(write("train.conll", TRAINING)))


def told(corpus, name):
    """Return the values of an attribute by form and layer: gold's, and each system's own."""
    cut = Breakdown(corpus, plan(Options(attributes=[name])), {}).cut(name)
    items = cut.facts.items
    form = items.form().to_list()
    layers = {"gold": items.gold, **items.answers}
    return {
        layer: {
            form[k]: value for k, value in enumerate(cut.values.column(codes).to_list()) if codes[k]
        }
        for layer, codes in layers.items()
    }


FIGURE = {
    "eLen": {"gold": {"New York": 2}, "org": {"New York": 2}, "half": {"York": 1}},
    "sLen": {"gold": {"New York": 7}, "org": {"New York": 7}, "half": {"York": 7}},
    "eDen": {"gold": {"New York": 2 / 7}, "org": {"New York": 2 / 7}, "half": {"York": 2 / 7}},
    # "fun" alone is unknown to training.
    "oDen": {"gold": {"New York": 1 / 7}, "org": {"New York": 1 / 7}, "half": {"York": 1 / 7}},
    "eFre": {"gold": {"New York": 4}, "org": {"New York": 4}, "half": {"York": 0}},
    "eCon": {"gold": {"New York": 3 / 4}, "org": {"New York": 1 / 4}, "half": {"York": 0}},
    "tFre": {
        "gold": {"New": 5, "York": 5}, "org": {"New": 5, "York": 5}, "half": {"York": 5},
    },
    # Five spans and 15 tokens of training.
    "eFre_share": {"gold": {"New York": 4 / 5}, "org": {"New York": 4 / 5}, "half": {"York": 0}},
    "tFre_share": {
        "gold": {"New": 5 / 15, "York": 5 / 15}, "org": {"New": 5 / 15, "York": 5 / 15},
        "half": {"York": 5 / 15},
    },
    "tCon": {
        "gold": {"New": 3 / 5, "York": 4 / 5}, "org": {"New": 1 / 5, "York": 1 / 5},
        "half": {"York": 4 / 5},
    },
    "label": {"gold": {"New York": "LOC"}, "org": {"New York": "ORG"}, "half": {"York": "LOC"}},
    "bin": {"gold": {"New York": 0}, "org": {"New York": 0}, "half": {"York": None}},
    "position": {"gold": {"New York": 3}, "org": {"New York": 3}, "half": {"York": 4}},
    "capitalisation": {
        "gold": {"New York": "Title"}, "org": {"New York": "Title"}, "half": {"York": "Title"},
    },
    "hapax": {"gold": {"New York": "yes"}, "org": {"New York": "yes"}, "half": {"York": "no"}},
    # "in New York" and "New York is" are in its first sentence.
    "train_overlap": {
        "gold": {"New York": 2 / 7}, "org": {"New York": 2 / 7}, "half": {"York": 2 / 7},
    },
    "in_train": {"gold": {"New York": "no"}, "org": {"New York": "no"}, "half": {"York": "no"}},
    "characters": {"gold": {"New York": 8}, "org": {"New York": 8}, "half": {"York": 4}},
}  # fmt: skip


# What trees, words of texts, mentions or other columns have is tested with these.
@pytest.mark.parametrize(
    "name",
    [
        n
        for n, a in ATTRIBUTES.items()
        if a.levels not in (CRITERIA, ("word",)) and a.needs not in ("tree", "upos")
    ],
)
def test_figure_3_of_the_paper(corpus, name):
    assert told(corpus, name) == {
        layer: {form: pytest.approx(v) if isinstance(v, float) else v for form, v in values.items()}
        for layer, values in FIGURE[name].items()
    }


def test_shares_of_frequency_of_all_that_training_has_add_up_to_one(write):
    """Three spans of three strings, 1/3 each; four tokens, of which two are york: 1/4 2/4 1/4."""
    text = "New B-LOC\nYork I-LOC\nyork B-LOC\n\nBern B-LOC\n"
    path = str(write("all.conll", text))
    corpus = coleval.load(path, {"s": path}).trained(path)
    spans, tokens = (told(corpus, f"{name}Fre_share")["gold"] for name in "et")
    assert spans == pytest.approx({"New York": 1 / 3, "york": 1 / 3, "Bern": 1 / 3})
    assert tokens == pytest.approx({"New": 1 / 4, "York": 2 / 4, "york": 2 / 4, "Bern": 1 / 4})


def test_without_a_training_span_the_share_is_undefined(corpus, write):
    trained = corpus.trained(str(write("none.conll", "New O\nYork O\n")))
    report = trained.buckets(attributes=["eFre", "eFre_share"])
    assert told(trained, "eFre_share")["gold"] == {"New York": None}
    assert dict(report["attributes"].select("attribute", "zeta").rows()) == {
        "eFre": 0.0, "eFre_share": None,
    }  # fmt: skip


def test_the_density_of_new_york_is_two_sevenths(corpus):
    assert round(told(corpus, "eDen")["gold"]["New York"], 2) == 0.29


@pytest.mark.parametrize(
    ("form", "case"),
    [("x-ray", "lower"), ("USA", "UPPER"), ("EU-27", "UPPER"), ("Ford", "Title"), ("1996", "none"),
     ("iPhone", "miXed"), ("McDonald", "miXed"), ("...", "none"), ("New York", "Title")],
)  # fmt: skip
def test_capitalisation(form, case):
    frame = pl.DataFrame({"form": [form], "label": ["A"], "sentence": [0]})
    corpus = coleval.load(frame, {"s": frame}, task="tag")
    cut = Breakdown(corpus, plan(Options(attributes="capitalisation")), {}).cut("capitalisation")
    assert cut.values.column(cut.facts.items.gold).to_list() == [case]


def test_an_expression_is_an_attribute(corpus):
    table = corpus.buckets(attributes=['late="start" > 2']).tables["buckets"]
    by = {row["bucket"]: (row["gold"], row["predicted"]) for row in table.to_dicts()
          if row["system"] == "half"}  # fmt: skip
    assert by == {"no": (1, 0), "(other)": (0, 1)}


def test_without_training_data_what_needs_them_is_left_out_with_a_note(corpus):
    from dataclasses import replace

    report = replace(corpus, training=None).buckets()
    there = report.tables["attributes"]["attribute"].to_list()
    assert there == ["eLen", "sLen", "eDen", "label"]
    (note,) = (line for line in report.warnings if "train=" in line)
    assert all(name in note for name in set(PAPER) - set(there))


def test_span_files_have_no_text(write):
    spans = write("gold.tsv", "LOC\t0\t1\t0,1\n\nPER\t0\t0\t0\n")
    corpus = coleval.load(str(spans), {"s": str(spans)}, format="spans")
    report = corpus.buckets()
    assert report.tables["attributes"]["attribute"].to_list() == ["eLen", "label"]


def test_a_misspelt_attribute_names_its_neighbours(corpus):
    with pytest.raises(UsageError, match="eLen"):
        corpus.buckets(attributes="eLenn")


def test_nothing_to_tell_is_an_error_that_says_why(write):
    matrix = write("m.csv", "a,b\n1,0\n1,1\n")
    corpus = coleval.load(str(matrix), task="matrix")
    with pytest.raises(UsageError, match="left out"):
        corpus.buckets(attributes="sLen")


def test_training_data_are_kept_in_the_store(corpus, tmp_path):
    corpus.save(tmp_path / "store")
    again = coleval.open(tmp_path / "store")
    assert again.training.sha256 == corpus.training.sha256
    for name in ("span", "token", "text"):
        assert again.training.tables[name].equals(corpus.training.tables[name])
    ours, theirs = (c.buckets().tables["buckets"] for c in (corpus, again))
    assert ours.equals(theirs)


def test_training_of_another_task_is_refused(write):
    frame = pl.DataFrame({"id": ["1"], "label": ["A"]})
    corpus = coleval.load(frame, {"s": frame}, task="label")
    with pytest.raises(UsageError, match="task is label"):
        corpus.buckets(train=str(write("t", TRAINING)))


def test_a_vocabulary_stands_for_the_words_of_training(corpus, write):
    words = write("words.txt", "Life\nNew\nYork\nis\n")
    table = corpus.buckets(attributes="oDen", vocabulary=str(words)).tables["attributes"]
    assert table["zeta"].to_list() == [pytest.approx(3 / 7)]


def test_a_word_of_a_vocabulary_may_hold_other_ends_of_lines(write):
    tokens = pl.DataFrame({"form": ["a\u0085b", "c"], "label": ["B-X", "B-X"], "sentence": [0, 0]})
    corpus = coleval.load(tokens, {"s": tokens}, task="span")
    words = write("words.txt", "a\u0085b\r\n")
    table = corpus.buckets(attributes="oDen", vocabulary=str(words)).tables["attributes"]
    assert table["zeta"].to_list() == [1 / 2]


def test_attributes_of_pos_tags_are_told_of_tokens(write):
    gold = write("g", "a DET\nb NOUN\n\nb VERB\n")
    corpus = coleval.load(
        str(gold), {"s": str(write("s", "a DET\nb NOUN\n\nb NOUN\n"))}, task="tag"
    )
    report = corpus.buckets(train=str(write("t", "b NOUN\nb VERB\nb VERB\n")))
    assert report.tables["attributes"]["attribute"].to_list() == [
        "tCon", "tFre", "sLen", "eDen", "oDen", "label",
    ]  # fmt: skip
    accuracy = (
        report.tables["buckets"].filter(attribute="label").select("bucket", "accuracy").rows()
    )
    assert dict(accuracy) == {"DET": 1.0, "NOUN": 1.0, "VERB": 0.0}


def test_tokens_of_tagged_text_are_consistent_with_tags(corpus):
    table = corpus.buckets(attributes="tCon", unit="token").tables["attributes"]
    # "New" is B-LOC in three of five places, "York" I-LOC in four of five.
    assert table["zeta"].to_list() == [pytest.approx((3 / 5 + 4 / 5) / 2)]
