"""PubTator: spans by characters of title and abstract, and what cannot be read, with its line.

The last tests are of files of a task in different formats, each recognised for itself.
"""

from __future__ import annotations

import json

import pytest

import coleval
from coleval.errors import ColevalError
from coleval.loading.readers.formats import detect
from coleval.loading.readers.source import Source

# The second mention of famotidine is the abstract's first word: 24 signs of title, one between.
GOLD = """\
1|t|Famotidine and delirium.
1|a|Famotidine is an H2 blocker.
1\t0\t10\tFamotidine\tChemical\tD015738
1\t15\t23\tdelirium\tDisease\tD003693
1\t25\t35\tFamotidine\tChemical\tD015738

2|t|Naïve T cells
2|a|No effect.
2\t0\t13\tNaïve T cells\tCell\t
"""
SPANS = {
    (1, 0, 10, "Chemical"),
    (1, 15, 23, "Disease"),
    (1, 25, 35, "Chemical"),
    (2, 0, 13, "Cell"),
}


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        (tmp_path / name).write_bytes(text.encode())
        return str(tmp_path / name)

    return written


def spans(corpus, layer):
    """Return the spans that gold or a system has."""
    items = corpus.units["character"]
    codes = items.gold if layer == "gold" else items.answers[layer]
    context = items.context
    rows = zip(context["document"], context["char_start"], context["char_end"], codes, strict=True)
    return {(int(d), a, b, items.labels[code - 1]) for d, a, b, code in rows if code}


def test_spans_are_where_the_file_says(write):
    system = GOLD.replace("Disease", "Chemical").replace("2\t0\t13\tNaïve T cells\tCell\t\n", "")
    corpus = coleval.load(write("gold.txt", GOLD), {"s": write("s.txt", system)})
    assert spans(corpus, "gold") == SPANS
    assert spans(corpus, "s") == {
        (1, 0, 10, "Chemical"), (1, 15, 23, "Chemical"), (1, 25, 35, "Chemical"),
    }  # fmt: skip
    assert not corpus.warnings


def test_a_system_may_leave_out_the_texts_and_the_concepts(write):
    bare = "2\t0\t13\tNaïve T cells\tCell\n1\t15\t23\tdelirium\tDisease\n"
    corpus = coleval.load(write("gold.pubtator", GOLD), {"s": write("s.pubtator", bare)})
    assert spans(corpus, "s") == {(2, 0, 13, "Cell"), (1, 15, 23, "Disease")}


def test_title_and_abstract_are_sentences(write):
    corpus = coleval.load(write("gold.txt", GOLD), {"s": write("s.txt", GOLD)})
    tokens = corpus.units["token"].context
    first = tokens.filter(document="1")
    assert first["sentence"].n_unique() == 2
    assert first["form"].head(4).to_list() == ["Famotidine", "and", "delirium", "."]


def test_offsets_may_count_bytes(write):
    text = GOLD.replace("2\t0\t13", "2\t0\t14")
    corpus = coleval.load(write("gold.txt", text), {"s": write("s.txt", text)}, offsets="bytes")
    assert spans(corpus, "gold") == SPANS


def test_relations_are_counted_and_left_out(write):
    text = GOLD.replace("\n\n", "\n1\tCID\tD015738\tD003693\n1\tCID\tD1\tD2\n\n")
    corpus = coleval.load(write("gold.txt", text), {"s": write("s.txt", GOLD)})
    [warning] = corpus.warnings
    assert "a line is a relation, and 1 more like it" in warning
    assert "gold.txt:6" in warning
    assert spans(corpus, "gold") == SPANS


def test_another_text_than_at_the_offsets_is_noted(write):
    text = GOLD.replace("15\t23\tdelirium", "15\t23\tdeliria")
    corpus = coleval.load(write("gold.txt", text), {"s": write("s.txt", GOLD)})
    [warning] = corpus.warnings
    assert "a span says `deliria` where the text has `delirium`" in warning
    assert "gold.txt:4" in warning


BAD = {
    "a line that is nothing": (GOLD.replace("1\t0\t10\t", "1 0 10 "), 3, "is neither text nor an"),
    "a span without a type": (GOLD.replace("\tDisease\tD003693", ""), 4, "is neither text nor an"),
    "a negative offset": (GOLD.replace("\t15\t", "\t-15\t"), 4, "is neither text nor an entity"),
    "an end beyond the text": (GOLD.replace("\t35\t", "\t95\t"), 5, "ends at 95, but the text has"),
    "an end before the start": (GOLD.replace("\t23\t", "\t3\t"), 4, "ends before it begins"),
    "a second title": (GOLD.replace("2|a|", "2|t|"), 8, "document `2` has a second title"),
    "spans of another document": (GOLD.replace("2\t0", "3\t0"), 9, "document `3` has no text"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read_is_an_error_with_its_line(write, case):
    text, line, problem = BAD[case]
    with pytest.raises(ColevalError) as caught:
        coleval.load(write("gold.txt", text), {"s": write("s.txt", GOLD)})
    assert caught.value.where.endswith(f"gold.txt:{line}")
    assert problem in caught.value.problem
    assert caught.value.remedy


@pytest.mark.parametrize(("name", "text", "form"), [
    ("a.txt", GOLD, "pubtator"), ("a", GOLD, "pubtator"), ("a.pubtator", GOLD, "pubtator"),
    ("a.pubtator", "1\t0\t3\tAnn\tX\n", "pubtator"), ("a.txt", "1\t0\t3\tAnn\tX\n", "columns"),
    ("a.conll", "a|b|c\tB-X\n", "columns"),
])  # fmt: skip
def test_the_content_says_what_it_is_and_the_suffix_where_it_does_not(write, name, text, form):
    assert detect(Source(write(name, text)), None).name == form


TEXT = "Ann met Bo ."
COLUMNS = "Ann\tB-PER\nmet\tO\nBo\tB-PER\n.\tO\n\n"
DOCCANO = json.dumps({"id": "1", "text": TEXT, "label": [[0, 3, "PER"], [8, 10, "PER"]]}) + "\n"
LIST = json.dumps({"id": "1", "entities": [["Ann", "PER"], ["Bo", "PER"]]}) + "\n"
PUBTATOR = f"1|t|{TEXT}\n1\t0\t3\tAnn\tPER\n1\t8\t10\tBo\tPER\n"
FILES = {
    "columns.txt": COLUMNS, "doccano.jsonl": DOCCANO, "list.jsonl": LIST, "pubtator.txt": PUBTATOR,
}  # fmt: skip


@pytest.mark.parametrize("gold", ["columns.txt", "doccano.jsonl", "pubtator.txt"])
def test_gold_and_systems_of_spans_are_each_what_they_are(write, gold):
    paths = {name.partition(".")[0]: write(name, text) for name, text in FILES.items()}
    corpus = coleval.load(paths.pop(gold.partition(".")[0]), paths)
    table = corpus.score().table("overall")
    assert table["tp"].to_list() == [2, 2, 2]
    assert table["fp"].to_list() == table["fn"].to_list() == [0, 0, 0]


@pytest.mark.parametrize("gold", ["table.csv", "records.jsonl", "pairs.txt"])
def test_gold_and_systems_of_labels_are_each_what_they_are(write, gold):
    files = {
        "table.csv": "id,label\na,X\nb,Y\n",
        "records.jsonl": '{"id": "b", "label": "Y"}\n{"id": "a", "label": "X"}\n',
        "pairs.txt": "a\tX\nb\tY\n",
    }
    paths = {name.partition(".")[0]: write(name, text) for name, text in files.items()}
    corpus = coleval.load(paths.pop(gold.partition(".")[0]), paths, task="label")
    assert corpus.score().table("overall")["tp"].to_list() == [2, 2]
