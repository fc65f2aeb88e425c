"""What may not change a number: engines, the order of rows and systems, names of labels, the rest.

Each case makes a random corpus, runs one analysis over it, and again over the same corpus in another
shape. Numbers against plain loops are those of Hypothesis (``oracles``).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

import coleval
from coleval.analyses.registry import ANALYSES
from coleval.corpus.report import Report
from coleval.errors import ColevalError
from fuzz.model import Harness

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from coleval.corpus.corpus import Corpus

FORMS = ("a", "the", "New", "York", "#", "é", "日本", "1")
KINDS = ("PER", "LOC", "ORG")
Sentences = list[list[tuple[str, str]]]
Layers = dict[str, Sentences]
# Analyses with options that make all of their tables; those that draw at random go by a seed.
SPANS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("score", {}), ("score", {"unit": "token"}), ("score", {"by": "sentence%2"}), ("confusion", {}), ("agree", {}),
    ("bins", {"spurious": True}), ("bins", {"by": "gold"}), ("changes", {}), ("changes", {"by": "sentence%2"}),
    ("oracle", {}), ("oracle", {"by": "gold"}), ("errors", {}), ("errors", {"by": "sentence%2"}),
    ("errors", {"taxonomy": "nervaluate"}), ("buckets", {}), ("buckets", {"attributes": "label"}),
    ("pivot", {"rows": "gold", "cols": "difficulty"}), ("items", {"patterns": True}), ("audit", {"least": 1}),
    ("score", {"where": "difficulty > 0"}), ("compare", {"test": "mcnemar", "metric": "accuracy", "unit": "token"}),
)  # fmt: skip
# Columns that say where something is, or which of several equal ones it is.
_PLACES = (
    "sentence",
    "start",
    "end",
    "position",
    "item",
    "example",
    "examples",
    "rank",
    "form",
    "context",
    "left",
    "right",
    # Halves are drawn among sentences, or documents where there are any.
    "split_half",
    "split_half_sd",
    "splits",
)


def _corpus(random: Random) -> Layers:
    """Return the sentences of gold and of systems, most of which are right."""
    forms = [random.choices(FORMS, k=random.randint(1, 6)) for _ in range(random.randint(1, 6))]
    gold = [[(f, _tag(random)) for f in row] for row in forms]
    return {
        "": gold,
        **{
            f"s{k}": [
                [(f, t if random.random() < 0.6 else _tag(random)) for f, t in row] for row in gold
            ]
            for k in range(random.randint(2, 5))
        },
    }


def _tag(random: Random) -> str:
    return "O" if random.random() < 0.5 else f"{random.choice('BI')}-{random.choice(KINDS)}"


def _loaded(layers: Layers, folder: Path, name: str) -> Corpus:
    """Write the layers as column files and load them."""
    here = folder / name
    here.mkdir()
    paths = {}
    for layer, sentences in layers.items():
        text = "\n".join("".join(f"{f}\t{t}\n" for f, t in row) for row in sentences)
        paths[layer] = here / (layer or "gold")
        paths[layer].write_text(text, encoding="utf-8")
    return coleval.load(paths.pop(""), paths, task="span")


def _asked(corpus: Corpus, command: str, options: dict[str, Any]) -> Report | str:
    try:
        # ``corpus.items`` is the table of items itself.
        return (
            ANALYSES[command].run(corpus, options)
            if command == "items"
            else getattr(corpus, command)(**options)
        )
    except ColevalError as error:
        return str(error)


def _rows(report: Report, drop: tuple[str, ...] = ()) -> dict[str, list[Any]]:
    """Return the rows of all tables in an order of their own, without the columns to drop."""
    return {
        name: sorted((_row(row, drop) for row in frame.iter_rows(named=True)), key=repr)
        for name, frame in report.tables.items()
    }


def _row(row: dict[str, Any], drop: tuple[str, ...]) -> list[Any]:
    return [
        (k, round(v, 9) if isinstance(v, float) else v) for k, v in row.items() if k not in drop
    ]


def _compare(
    ours: Report | str, theirs: Report | str, drop: tuple[str, ...] = (), skip: tuple[str, ...] = ()
) -> None:
    if isinstance(ours, str) or isinstance(theirs, str):
        assert isinstance(ours, str) == isinstance(theirs, str), (ours, theirs)
        return
    mine, yours = _rows(ours, drop), _rows(theirs, drop)
    assert list(mine) == list(yours)
    for name in mine:
        if name not in skip and mine[name] != yours[name]:
            pairs = [(a, b) for a, b in zip(mine[name], yours[name], strict=False) if a != b]
            raise AssertionError((name, len(mine[name]), len(yours[name]), pairs[:1]))


def _chosen(random: Random, folder: Path) -> None:
    """Choosing systems is as if the others had no files."""
    layers = _corpus(random)
    names = [name for name in layers if name]
    some = sorted(random.sample(names, random.randint(2, len(names))))
    command, options = random.choice(SPANS)
    whole = _loaded(layers, folder, "all").chosen(some)
    few = _loaded({name: layers[name] for name in ("", *some)}, folder, "few")
    _compare(_asked(whole, command, options), _asked(few, command, options))


def _engines(random: Random, folder: Path) -> None:
    """SQL gives the numbers of the kernels."""
    corpus = _loaded(_corpus(random), folder, "all")
    command, options = random.choice([one for one in SPANS if one[0] != "items"])
    ours = _asked(corpus, command, options)
    theirs = _asked(corpus, command, {**options, "engine": "sql"})
    if isinstance(theirs, str) and isinstance(ours, Report):
        assert "engine" in theirs, theirs
        return
    _compare(ours, theirs)


def _sentences(random: Random, folder: Path) -> None:
    """The order of sentences changes no count."""
    layers = _corpus(random)
    order = list(range(len(layers[""])))
    random.shuffle(order)
    turned = {name: [rows[k] for k in order] for name, rows in layers.items()}
    command, options = random.choice(
        [one for one in SPANS if "sentence" not in str(one[1]) and one[0] != "compare"]
    )
    ours, theirs = (
        _asked(_loaded(each, folder, name), command, options)
        for name, each in (("as-is", layers), ("turned", turned))
    )
    _compare(ours, theirs, _PLACES, ("suspects", "items", "words", "ladder"))


def _systems(random: Random, folder: Path) -> None:
    """The order of systems changes no system's numbers; pairs may be the other way round."""
    layers = _corpus(random)
    names = [name for name in layers if name]
    random.shuffle(names)
    turned = {name: layers[name] for name in ("", *names)}
    command, options = random.choice(
        [
            one
            for one in SPANS
            if one[0] in ("score", "confusion", "bins", "errors", "buckets", "oracle", "pivot")
        ]
    )
    ours, theirs = (
        _asked(_loaded(each, folder, name), command, options)
        for name, each in (("as-is", layers), ("turned", turned))
    )
    by_pair = (
        "ladder",
        "comparison",
        "pairs",
        "leave_one_out",
        "overlap",
        "overlaps",
        "summary",
        "votes",
        "overall",
    )
    _compare(
        ours,
        theirs,
        ("rank", "system", "best_system") if command == "oracle" else ("rank",),
        by_pair if command in ("oracle", "buckets") else (),
    )


def _labels(random: Random, folder: Path) -> None:
    """Other names of labels change nothing but these names."""
    layers = _corpus(random)
    names = dict(
        zip(KINDS, random.sample(("Z", "M-x", "a b", "日", "*", "Q"), len(KINDS)), strict=True)
    )
    del names["PER"]
    turned = {
        name: [[(f, _renamed(t, names)) for f, t in row] for row in rows]
        for name, rows in layers.items()
    }
    command, options = random.choice(
        [
            one
            for one in SPANS
            if one[0] in ("score", "confusion", "agree", "bins", "errors", "compare", "changes")
        ]
    )
    ours, theirs = (
        _asked(_loaded(each, folder, name), command, options)
        for name, each in (("as-is", layers), ("turned", turned))
    )
    if isinstance(ours, Report) and isinstance(theirs, Report):
        back = {new: old for old, new in names.items()}
        tables = {n: f.with_columns(pl.Series(c.name, [_back(v, back) for v in c.to_list()])
                                    for c in f.get_columns() if c.dtype in (pl.String, pl.Enum, pl.Categorical))
                  for n, f in theirs.tables.items()}  # fmt: skip
        theirs = Report(theirs.command, tables, theirs.signature)
    _compare(ours, theirs, ("examples", "item"))


def _renamed(tag: str, names: dict[str, str]) -> str:
    letter, _, kind = tag.partition("-")
    return f"{letter}-{names[kind]}" if kind in names else tag


def _back(value: Any, names: dict[str, str]) -> Any:
    if not isinstance(value, str):
        return value
    return names.get(value) or _renamed(value, names)


def _stored(random: Random, folder: Path) -> None:
    """A store gives the numbers of the files, also when systems came to it one by one."""
    layers = _corpus(random)
    command, options = random.choice(SPANS)
    corpus = _loaded(layers, folder, "all")
    again = coleval.open(corpus.save(folder / "store"))
    _compare(_asked(corpus, command, options), _asked(again, command, options))


def _parts(random: Random, folder: Path) -> None:
    """A text in several files has the counts of the text in one."""
    layers = _corpus(random)
    size = len(layers[""])
    cut = random.randint(0, size)
    for name, rows in layers.items():
        for part, some in (("1", rows[:cut]), ("2", rows[cut:])):
            path = folder / "parts" / (name or "gold") / f"{part}.conll"
            path.parent.mkdir(parents=True, exist_ok=True)
            text = "\n".join("".join(f"{f}\t{t}\n" for f, t in row) for row in some)
            if some:
                path.write_text(text, encoding="utf-8")
    command, options = random.choice(
        [
            one
            for one in SPANS
            if one[0]
            in ("score", "confusion", "agree", "bins", "changes", "oracle", "errors", "items")
            and "sentence" not in str(one[1])
        ]
    )
    whole = _loaded(layers, folder, "all")
    systems = {name: str(folder / "parts" / name / "{part}.conll") for name in layers if name}
    try:
        parts = coleval.load(str(folder / "parts" / "gold" / "{part}.conll"), systems, task="span")
    except ColevalError as error:
        # A part without any tag has no labels that say what it is.
        said = error.on_command_line()
        if "--" in said or str(folder) in said:
            return
        raise
    _compare(
        _asked(whole, command, options),
        _asked(parts, command, options),
        _PLACES,
        ("items", "ranking", "datasets"),
    )


_CASES: dict[str, Callable[[Random, Path], None]] = {
    "chosen": _chosen, "engines": _engines, "sentences": _sentences, "systems": _systems,
    "labels": _labels, "stored": _stored, "parts": _parts,
}  # fmt: skip
HARNESSES = tuple(
    Harness(f"same-{name}", str(case.__doc__).splitlines()[0].rstrip("."), partial(case),
            in_ci=1 if name == "stored" else 8, seconds=30)
    for name, case in _CASES.items()
)  # fmt: skip
