"""Every option of every command on every task has an effect, or is refused with a reason.

The cells are generated from the declarations: an option that is new has to be given values here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import coleval
from coleval.analyses.registry import ANALYSES
from coleval.cli.main import main
from coleval.corpus.effects import NEEDS
from coleval.corpus.options import Reading
from coleval.declare.counting import COUNTING_OPTIONS
from coleval.declare.options import options_of
from coleval.errors import ColevalError, UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from coleval.corpus.corpus import Corpus

TAGS = """
ann NNP NNP NNP NN B-PER B-PER B-LOC O
sees VB VB NN NN O O O O
the DT DT DT DT O O I-ORG O
dog NN NN VB VB B-ORG B-ORG I-ORG B-ORG
. . . . . I-ORG O I-ORG I-ORG

it PRP PRP PRP DT O O I-ORG B-PER
barks VB NN VB VB O O B-PER O
. . . . . O O O O

bob NNP NNP NN NN B-PER B-PER O B-LOC
runs NN VB NN NN I-PER I-PER B-PER I-LOC
fást RB RB VB JJ O O O O
. . . . . O O O O

the DT DT DT DT B-LOC B-LOC O B-MISC
cat NN NN NN NN I-LOC I-LOC B-ORG O
sleeps VB VB VB NN O O O O
. . . . . O O O B-LOC
"""
WORDS = """
Ann/ann/PROPN/NNP/Number=Sing/2/nsubj sees/see/VERB/VBZ/_/0/root the/the/DET/DT/_/4/det dog/dog/NOUN/NN/Number=Sing/2/obj ././PUNCT/././2/punct
It/it/PRON/PRP/_/2/nsubj:pass barks/bark/VERB/VBZ/_/0/root ././PUNCT/././2/punct
Bób/Bob/PROPN/NNP/Number=Sing/2/nsubj runs/run/VERB/VBZ/_/0/root in/in/ADP/IN/_/4/case town/town/NOUN/NN/_/2/obl:in
"""  # noqa: E501
# What each system changes: sentence, word, column, value.
EDITS = {
    "A": [(0, 4, 5, "4"), (1, 0, 6, "nsubj"), (2, 3, 2, "PROPN"), (2, 2, 5, "2")],
    "B": [(0, 0, 5, "4"), (0, 0, 6, "obj"), (2, 2, 6, "mark"), (0, 2, 1, "a"), (2, 3, 5, "1"),
          (0, 3, 3, "NNS")],
    "C": [(0, 3, 6, "nsubj"), (2, 0, 6, "obl"), (2, 3, 6, "obl"), (1, 0, 5, "3"),
          (0, 1, 3, "VB"), (0, 0, 4, "_"), (2, 2, 6, "mark")],
}  # fmt: skip
CHAINS = """
Ann NNP (1) (1) (1) -
met VB - - - -
the DT (2 (2 - (2
boss NN 2) 2) - 2)
. . - - - -

She PRP (1) (2) (7) (1)
likes VB - - - -
him PRP (2) (2) (1) -
. . - - - -

Ann NNP (1) (1) (1) (1)
left VB - - - -
it PRP (5) - (4) -

Bob NNP (3) (3) (1) -
ran VB - - - -
. . - - - -

He PRP (3) (3) - (3)
fell VB - - (3) -
Bob NNP (3) - (3) (4)
"""
LABELS = """
pos pos neg neg
neg neg neg pos
pos neg pos pos
neu neu pos pos
neg Neg odd pos
pos pos pos pos
neu pos neu pos
neg neg neg pos
pos pos neu neg
pos neg pos neg
neg neg neg neg
neu neu neg neg
"""
SYSTEMS = ("A", "B", "C")


def _lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().split("\n")]


def _tagged(at: int) -> Iterator[tuple[str, str]]:
    """Yield each file of tagged text: a column of TAGS, in two documents of two genres."""
    for name, column in zip(("gold", *SYSTEMS), range(at, at + 4), strict=True):
        lines, sentence = ["-DOCSTART- O x", ""], 0
        for line in _lines(TAGS * 2):
            if not line:
                sentence += 1
                lines += ["", "-DOCSTART- O x", ""] if sentence == 2 else [""]
                continue
            # One system spells a word otherwise.
            form = "Bob" if (line[0], name) == ("bob", "A") else line[0]
            lines.append(f"{form} {line[column]} {'news' if sentence < 2 else 'web'}")
        yield name, "\n".join(lines) + "\n"


def _trees() -> Iterator[tuple[str, str]]:
    for name in ("gold", *SYSTEMS):
        sentences = [[word.split("/") for word in line] for line in _lines(WORDS)]
        for sentence, word, column, value in EDITS.get(name, ()):
            sentences[sentence][word][column] = value
        lines = []
        for number, words in enumerate(sentences):
            lines += [f"# newdoc id = d{number}"] * (number != 1)
            for place, word in enumerate(words, 1):
                form, lemma, upos, xpos, feats, head, relation = word
                fields = (place, form, lemma, upos, xpos, feats, head, relation)
                lines.append("\t".join(map(str, (*fields, f"{head}:{relation}", "_"))))
            lines.append("")
        yield name, "\n".join(lines) + "\n"


def _chains() -> Iterator[tuple[str, str]]:
    for name, column in zip(("gold", *SYSTEMS), range(2, 6), strict=True):
        lines, sentence, place = ["#begin document (d1);"], 0, 0
        for line in _lines(CHAINS):
            if not line:
                sentence, place = sentence + 1, 0
                lines += ["", "#end document", "#begin document (d2);"] if sentence == 3 else [""]
                continue
            document = "d1" if sentence < 3 else "d2"
            lines.append(f"{document} 0 {place} {line[0]} {line[1]} {line[column]}")
            place += 1
        yield name, "\n".join([*lines, "", "#end document"]) + "\n"


def _table(rows: list[tuple[Any, ...]], *columns: str) -> str:
    return "\n".join("\t".join(map(str, row)) for row in (columns, *rows)) + "\n"


def _columns(*context: str) -> Mapping[str, Any]:
    return {"id": "id", "gold": "gold", "system": list(SYSTEMS), "context": list(context)}


def corpora_in(folder: Path) -> Mapping[str, tuple[Any, Any, dict[str, Any]]]:
    """Write the files of each kind; return what ``load`` is given."""

    def written(kind: str, files: Iterator[tuple[str, str]], suffix: str) -> tuple[Any, Any]:
        paths = {}
        for name, text in files:
            paths[name] = folder / f"{kind}-{name}{suffix}"
            paths[name].write_text(text)
        return str(paths.pop("gold")), {name: str(path) for name, path in paths.items()}

    rows = [(f"i{k}", *row, "ab"[k % 2], k % 5, round(0.1 + 0.07 * k, 2))
            for k, row in enumerate(_lines(LABELS))]  # fmt: skip
    label, sets, matrix = (folder / f"{name}.tsv" for name in ("label", "sets", "matrix"))
    names = ("id", "gold", *SYSTEMS)
    label.write_text(_table(rows, *names, "genre", "length", "prob"))
    several = [(i, f"{g};x" if k % 3 else g, f"{a};x" if k % 2 else a, b, c, *more)
               for k, (i, g, a, b, c, *more) in enumerate(rows)]  # fmt: skip
    sets.write_text(_table(several, *names, "genre", "length", "prob"))
    right = [(i, *(int(one == gold) for one in answers))
             for i, gold, *answers in (row[:5] for row in rows)]  # fmt: skip
    matrix.write_text(_table(right, "id", *SYSTEMS))
    scores = folder / "scores.tsv"
    numbers = [(row[0], row[5], *(round((7 * k + 5 * s * k) % 11 / 10 - s / 9, 2)
               for s in range(3))) for k, row in enumerate(rows)]  # fmt: skip
    scores.write_text(_table(numbers, "id", "genre", *(f"score_{name}" for name in SYSTEMS)))
    columns = "form=1,label=2,genre=3"
    wide = _columns("genre", "length", "prob")
    return {
        "tag": (*written("tag", _tagged(1), ".txt"), {"task": "tag", "columns": columns}),
        "span": (*written("span", _tagged(5), ".txt"), {"task": "span", "columns": columns}),
        "dep": (*written("dep", _trees(), ".conllu"), {"task": "dep"}),
        "coref": (*written("coref", _chains(), ".conll"), {"task": "coref", "columns": "pos=5"}),
        "label": (str(label), None, {"task": "label", "columns": wide}),
        "sets": (str(sets), None, {"task": "label", "columns": wide, "separator": ";"}),
        "matrix": (str(matrix), None, {"task": "matrix",
                                       "columns": {"id": "id", "system": list(SYSTEMS)}}),
        "score": (str(scores), None, {"task": "score"}),
    }  # fmt: skip


KINDS = ("tag", "span", "dep", "coref", "label", "sets", "matrix", "score")
GROUPS = {"dep": "document", "coref": "document", "matrix": "item % 2"}
TWO_LABELS = {
    "tag": ["NN", "VB"], "span": ["PER", "ORG"], "dep": ["nsubj", "obl"], "coref": ["tp", "wl"],
    "label": ["pos", "neg"], "sets": ["pos", "x"], "matrix": ["1", "0"],
    "score": ["1.0", "0.0"],
}  # fmt: skip


def values_for(kind: str) -> dict[str, list[Any]]:
    """Return values to try for each option of an analysis: one of them has to have an effect."""
    group, labels = GROUPS.get(kind, "genre"), TWO_LABELS[kind]
    attributes = {
        "dep": "arc_length",
        "coref": "words",
        "matrix": "item % 3",
        "score": "item % 3",
    }.get(kind, "sLen")
    attributes = "length" if kind in ("label", "sets") else attributes
    pair = [("A", "B"), ("B", "A")]
    return {
        "systems": ["A,B"], "unit": ["token", "nominal", "cluster"], "labels": [labels[:1]],
        "average": ["gold", "all"], "exclude": [[label] for label in labels],
        "where": ["item % 2 = 0"], "bins_from": ["A", "B"], "undefined": ["0", "1"],
        "lower": [True], "above": [0.5], "quantiles": [2], "model": ["rasch"],
        "singletons": ["drop"], "punct": [False, True], "subtypes": [True, False],
        "functional": [["nsubj"]], "metric": ["las", "uas", "accuracy", "upos", "macro_f1"],
        "master": ["local[1]"], "key": ["A"], "taxonomy": ["nervaluate"],
        "bucketing": ["interpreteval"], "replicates": [50], "seed": [3, 7, 11], "alpha": [0.5],
        "unit_of_resampling": ["item", "document", "sentence"], "intervals": [True], "by": [group],
        "order": ["given", "item desc"], "chance": ["pooled"], "weights": ["linear", "1.5tp"],
        "label_order": [labels], "correlate": [("A", "B")], "perplexity": ["prob"],
        "log_base": ["2"], "rank": [["prob"]], "relevant": [labels[0]], "at": [[2]],
        "query": [group], "scores": [["prob"]], "minimal_pairs": [group],
        "means": [["length"]], "meta": ["people.tsv"],
        "beta": [2.0], "vectors": ["x=missing.npy"], "distance": ["euclidean"], "sample": [2],
        "test": ["mcnemar", "wilcoxon", "sign", "t"], "baseline": ["A", "B"],
        "resample": ["groups"],
        "group": ["[AB]"], "folds": ["sentence", "item"], "test_share": [0.3],
        "correct": ["none", "bh"], "words": [["dog", "Ann"]], "words_top": [2],
        "profile_bins": [True], "items": [True], "pair": pair, "pairs": [pair[:1]], "best": [2],
        "limit": [1], "permutations": [99], "splits": [3], "patterns": [True], "subset": [3],
        "subset_by": ["random", "greedy"], "least": [1, 2, 50], "alike": [0.05, 0.1, 0.3],
        "against": ["A"],
        "decisions": ["missing.tsv"], "attributes": [[attributes], "label"],
        "vocabulary": ["missing.txt"], "buckets": [{attributes: "discrete 1"}],
        "edges": ["missing.json"], "cross": [("label", attributes), (attributes, "item % 2")],
        "versions": [["A", "B"]], "gaps": [True], "datasets": [{}], "over": [[group]],
        "name": ["x"], "train": ["missing.txt"], "train_columns": ["form=1"],
        "focus": ["system"], "ignore_punct": ["form"], "gate": ["max_new_errors=1"],
        "kind": ["correction"], "antecedent": ["first"], "pronouns": [["DT"], ["VB"]],
        "label_before": [labels[0]], "label_after": [labels[1]], "rows": ["item % 3"],
        "cols": ["item % 5"], "third": ["item % 2"], "value": ["accuracy"], "wide": [True],
        "find": [["A"]], "unreturned": ["last"], "empty_queries": ["zero"], "ties": ["mean"],
        "case": [group], "original": [group], "expect": ["same", "change"], "capability": [group],
        "groups": [group], "epsilon": [0.5],
    }  # fmt: skip


# What an option needs beside it for these small data to show its effect, by command and option.
_DRAWN = ("replicates", "seed", "alpha", "unit_of_resampling")
_RANKED, _SLICES = {"rank": ["prob"]}, {"find": ["A"], "least": 1}
_NUMBER = {"attributes": ["n=item * 1.5"]}
BESIDE: Mapping[tuple[str, str], dict[str, Any]] = {
    **{("score", n): {"intervals": True, "unit_of_resampling": "sentence"} for n in _DRAWN},
    # Of three sentences the ends of most draws are the same.
    **{("score", n): {"intervals": True, "unit_of_resampling": "sentence", "alpha": 0.5}
       for n in ("replicates", "seed")},
    **{("buckets", n): {"gaps": True, "attributes": ["label", "n=item % 5", "m=item % 3"]}
       for n in ("replicates", "seed", "correct")},
    ("buckets", "unit_of_resampling"): {"intervals": True},
    ("buckets", "alpha"): {"intervals": True, "unit_of_resampling": "item"},
    ("buckets", "bucketing"): _NUMBER, ("buckets", "undefined"): {"by": "precision"},
    ("pivot", "attributes"): _SLICES, ("pivot", "least"): {"find": ["A"]},
    ("pivot", "undefined"): {"value": "f1:A"},
    **{("audit", n): {"least": 1} for n in ("limit", "alike", "subtypes")},
    ("compare", "resample"): {"by": ["item % 2"]}, ("compare", "test_share"): {"folds": "item"},
    ("items", "subset_by"): {"subset": 3}, ("items", "seed"): {"subset": 3, "subset_by": "random"},
    ("measure", "seed"): {"sample": 5}, ("measure", "log_base"): {"perplexity": "prob"},
    **{("measure", n): _RANKED for n in ("relevant", "query", "at")},
    ("show", "seed"): {"sample": 3},
}  # fmt: skip
FASTER = {"compare": {"replicates": 30}, "report": {"replicates": 30}}
ROWS = {"rows": "gold", "cols": "difficulty"}
ROWS_OF_NUMBERS = {"rows": "mean_score > 0.4", "cols": "genre", "value": "mean"}
# Legitimate without an effect here.
EXCEPTIONS = {
    "engine": "the numbers are the same wherever they are counted",
    "missing": "no answer is missing here",
    "progress": "is told of steps",
    "permutations": "of three systems all permutations are tried",
    "name": "names a corpus among several",
    "datasets": "the empty mapping has no other corpus",
    "save_edges": "writes a file",
    "train_columns": "without training data there are no columns of it",
    "relations": "a table joins columns, which other options name; ids of rows are its own",
}


def _tables(corpus: Corpus, command: str, options: Mapping[str, Any]) -> dict[str, Any] | str:
    """Return the tables of a command as plain rows, or the reason why it is refused."""
    try:
        report = getattr(corpus, ANALYSES[command].called)(**options)
    except ColevalError as error:
        return str(error)
    return {name: (table.columns, table.rows()) for name, table in report.tables.items()}


def _idle(kind: str, corpus: Corpus, commands: Collection[str]) -> Iterator[str]:
    """Yield every option of some commands that changes nothing and is accepted all the same."""
    values = values_for(kind)
    units = {next(iter(corpus.units)), None}
    usual: dict[tuple[str, str], Any] = {}
    for command, analysis in ANALYSES.items():
        if command not in commands:
            continue
        for name, option in analysis.declared.items():
            if name in EXCEPTIONS or option.about.signed is False:
                continue
            rows = ROWS_OF_NUMBERS if kind == "score" else ROWS
            beside = FASTER.get(command, {}) | (rows if command == "pivot" else {})
            beside |= BESIDE.get((command, name), {})
            empty = name == "undefined" and command not in ("buckets", "pivot")
            beside |= {"where": "item < 0"} if empty else {}
            without = {key: value for key, value in beside.items() if key != name}
            key = (command, repr(sorted(without.items())))
            if key not in usual:
                usual[key] = _tables(corpus, command, without)
            tried = [v for v in values[name] if name != "unit" or v not in units]
            results = (_tables(corpus, command, {**without, name: v}) for v in tried)
            if tried and not any(isinstance(r, str) or r != usual[key] for r in results):
                yield f"{command} --{name}"


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """Return what ``load`` is given for each kind of data."""
    return corpora_in(tmp_path_factory.mktemp("effects"))


@pytest.mark.parametrize(
    "commands", [ANALYSES.keys() - {"report", "sql"},
                 pytest.param({"report"}, marks=pytest.mark.nightly)],
    ids=["analyses", "report"],
)  # fmt: skip
@pytest.mark.parametrize("kind", KINDS)
def test_an_option_of_a_command_has_an_effect_or_is_refused(
    kind: str, commands: Collection[str], corpora: Mapping[str, Any]
) -> None:
    gold, systems, reading = corpora[kind]
    assert list(_idle(kind, coleval.load(gold, systems, **reading), commands)) == []


READING: Mapping[str, list[Any]] = {
    "format": ["columns", "table"], "normalise": ["nfkd"], "columns": ["form=1,label=3", "x=2"],
    "merged": [True], "encoding": ["utf-16"], "skip": ["invalid"], "separator": ["o"],
    "names": [["x", "y"]],
    "offsets": ["bytes"], "differing_text": ["align"], "score": ["bleu"], "threshold": [0.5],
    "epochs": ["any"], "status": ["genre"], "conflicting": ["first"], "drop": ["the", "Ann"],
    "scheme": ["io"], "repair": ["discard"],
    "outside": [("B-PER", "I-PER", "O"), ("NN",), ("pos",)],
    "suffix": [True], "fold": [True], "within": ["document", "corpus"], "forms": [True],
    "multiset": [True], "place": ["first"], "place_fold": [True], "min_words": [2],
    "min_mentions": [2], "mention_match": ["exact"], "zero_match": ["linear"],
    "duplicate_mentions": ["first"], "nominal": [("VB",), ("DT", "PRP")],
    "task": ["tag", "label"], "numbers": [True], "references": [["more.txt"]],
    "source_text": ["sources.txt"], "documents": ["names.txt"], "tokenize": ["char"],
    "statistics": [["ter"]],
}  # fmt: skip
UNUSUAL = {
    "multiset": "no span is given twice here",
    "duplicate_mentions": "no mention is in two chains here",
    "names": "tags may be numbers in any file of spans",
    "numbers": "no id and no label is a number here",
    "skip": "every file here can be scored",
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_option_of_reading_has_an_effect_or_is_refused(
    kind: str, corpora: Mapping[str, Any]
) -> None:
    def tables(**more: Any) -> Any:
        try:
            corpus = coleval.load(gold, systems, **reading | more)
        except ColevalError as error:
            return str(error)
        return [_tables(corpus, command, {}) for command in ("score", "show")]

    gold, systems, reading = corpora[kind]
    usual = tables()
    idle = [name for name in READING.keys() - UNUSUAL.keys()
            if not any((found := tables(**{name: value})) != usual or isinstance(found, str)
                       for value in READING[name])]  # fmt: skip
    assert idle == []


def test_every_need_that_is_declared_is_known() -> None:
    declared = {**options_of(Reading), **COUNTING_OPTIONS}
    assert options_of(Reading).keys() == READING.keys()
    every = [*declared.values(), *(o for a in ANALYSES.values() for o in a.declared.values())]
    assert {need for option in every for need in option.about.needs} == {*NEEDS}


def test_the_metric_of_trees_is_refused_for_tags_with_a_reason(corpora: Mapping[str, Any]) -> None:
    gold, systems, reading = corpora["tag"]
    corpus = coleval.load(gold, systems, **reading)
    for ask in (corpus.score, corpus.changes, corpus.oracle, corpus.with_options):
        with pytest.raises(UsageError, match=r"metric=.*dependency trees.*\(task tag\)"):
            ask(metric="las")


def test_a_score_on_a_scale_that_is_named_needs_a_threshold(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("id,system,answer,gold,bleu\n1,A,x y,x z,40.5\n2,A,u,u,100\n")
    with pytest.raises(UsageError, match=r"threshold=0\.5"):
        coleval.load(log, score="bleu", format="long")
    right = coleval.load(log, score="bleu", threshold=40.0, format="long").score()
    assert right["overall"]["correct"].to_list() == [2]


def test_a_setting_for_all_commands_may_have_no_effect_on_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, corpora: Mapping[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    gold, systems, _ = corpora["tag"]
    files = ["score", gold, *systems.values(), "--quiet"]
    (tmp_path / "coleval.toml").write_text('metric = "uas"\nscheme = "io"\nseed = 3\n')
    assert main(files) == 0
    (tmp_path / "coleval.toml").write_text('[score]\nmetric = "uas"\n')
    assert main(files) == 2
