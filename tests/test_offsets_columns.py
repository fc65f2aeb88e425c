"""Tagged tokens rewritten as spans by characters score just as the columns do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import coleval
from offset_files import DIALECTS, Layer, Span, write_brat, write_records

if TYPE_CHECKING:
    from pathlib import Path

Sentences = list[list[tuple[str, str]]]
WNUT = ("wnut17/gold/emerging.test.annotated", "wnut17/submissions/uh_ritual")


def sentences(path: Path, column: int = -1) -> Sentences:
    found: Sentences = [[]]
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            fields = line.split("\t") if "\t" in line else line.split()
            found[-1].append((fields[0], fields[column]))
        elif found[-1]:
            found.append([])
    return [sentence for sentence in found if sentence]


def spans(words: list[str], tags: list[str]) -> list[tuple[int, int, str]]:
    """Return first token, last token and label of each span: a change of label begins one."""
    found: list[list[Any]] = []
    before = "O"
    for k, tag in enumerate(tags):
        if tag != "O":
            label = tag[2:]
            if tag[0] == "B" or before == "O" or before[2:] != label:
                found.append([k, k, label])
            found[-1][1] = k
        before = tag
    assert len(words) == len(tags)
    return [(a, b, label) for a, b, label in found]


class Rewritten:
    """Gold's words with the tags of gold and a system, as texts and spans."""

    def __init__(self, ours: Sentences, theirs: Sentences) -> None:
        self.words = [[word for word, _ in sentence] for sentence in ours]
        self.texts = [" ".join(words) for words in self.words]
        self.tokens = [
            [spans(words, [tag for _, tag in s]) for words, s in zip(self.words, side, strict=True)]
            for side in (ours, theirs)
        ]
        self.layers: list[Layer] = [
            [self._placed(k, found) for k, found in enumerate(side)] for side in self.tokens
        ]

    def _placed(self, sentence: int, found: list[tuple[int, int, str]]) -> list[Span]:
        starts = [0]
        for word in self.words[sentence]:
            starts.append(starts[-1] + len(word) + 1)
        return [(starts[a], starts[b + 1] - 1, label, ()) for a, b, label in found]

    def gliner(self, path: Path, side: int) -> Path:
        rows = [{"tokenized_text": words, "ner": [list(span) for span in found]}
                for words, found in zip(self.words, self.tokens[side], strict=True)]  # fmt: skip
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    def brat(self, folder: Path, side: int) -> Path:
        """Write all sentences as the lines of one document."""
        flat: list[Span] = []
        at = 0
        for text, found in zip(self.texts, self.layers[side], strict=True):
            flat += [(at + a, at + b, label, ()) for a, b, label, _ in found]
            at += len(text) + 1
        return write_brat(folder, ["\n".join(self.texts)], [flat]) / "d0.ann"

    def write(self, folder: Path, side: int, form: str) -> Path:
        if form == "gliner":
            return self.gliner(folder / f"{side}.jsonl", side)
        if form == "brat":
            return self.brat(folder / f"{side}", side)
        return write_records(folder / f"{side}.json", form, self.texts, self.layers[side])


def scores(corpus: Any) -> list[Any]:
    report = corpus.score()
    overall = report["overall"].select("tp", "fp", "fn").rows()
    labels = report["labels"].sort("label").select("label", "tp", "fp", "fn").rows()
    bins = corpus.bins()["bins"].rows()
    errors = corpus.errors()["overall"].drop("system").rows()
    return [overall, labels, bins, errors]


FORMS = (*DIALECTS, "gliner", "brat")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mixed", ["gold in columns", "system in columns", "neither"])
def test_wnut17_scores_as_its_columns_do(data, tmp_path, form, mixed):
    gold, system = map(data, WNUT)
    rewritten = Rewritten(sentences(gold), sentences(system))
    expected = scores(coleval.load(gold, {"s": system}))
    ours = gold if mixed == "gold in columns" else rewritten.write(tmp_path, 0, form)
    theirs = system if mixed == "system in columns" else rewritten.write(tmp_path, 1, form)
    corpus = coleval.load(ours, {"s": theirs})
    assert scores(corpus) == expected
    if "column" not in mixed and form != "gliner":
        assert scores(corpus.with_options(unit="character"))[:3] == expected[:3]


CONLL03 = "interpreteval/conll03/results/connl03_CflairWglove_lstmCrf_9303.txt"


def test_conll03_scores_as_its_columns_do(data, tmp_path):
    path = data(CONLL03)
    rewritten = Rewritten(sentences(path, 1), sentences(path, 2))
    ours = rewritten.write(tmp_path, 0, "doccano")
    theirs = rewritten.write(tmp_path, 1, "spacy")
    columns = coleval.load(path, merged=True)
    assert scores(coleval.load(ours, {"s": theirs})) == scores(columns)
