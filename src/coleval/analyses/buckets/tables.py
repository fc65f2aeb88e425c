"""``buckets``: where systems are good and bad, by attributes of the items (Fu et al. 2020)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.buckets.cuts import PROGRAM, AttributeCut, Breakdown, in_use
from coleval.analyses.buckets.pairs import comparison_tables
from coleval.analyses.buckets.scores import (
    TWO_SIDED,
    Row,
    attributes_table,
    bucket_table,
    gap_tests,
    score_rows,
    self_table,
    systems_table,
    with_intervals,
)
from coleval.analyses.buckets.spec import Options
from coleval.analyses.buckets.tests import averages, checked_versions, tests_table, versions_table
from coleval.analyses.grouping import NONE, groups_of
from coleval.analyses.trained import signed, trained
from coleval.annotate.attributes import ATTRIBUTES
from coleval.annotate.buckets import load_edges, parsed, save_edges
from coleval.corpus.corpus import Corpus
from coleval.corpus.lazy import LazyMapping, maker_of
from coleval.corpus.paths import is_file
from coleval.corpus.signature import answers_hash, file_hash, gold_hash
from coleval.counts.buckets import crossed
from coleval.declare.analysis import Result
from coleval.declare.options import declared
from coleval.declare.reading import Names, named_pairs
from coleval.errors import DataError, UsageError
from coleval.statistics.prf import sided_ratios

if TYPE_CHECKING:
    from collections.abc import Callable

    from coleval.counts.buckets import Placed

    Maker = Callable[[], pl.DataFrame]


def buckets(corpus: Corpus, options: Options) -> Result:
    """Return the tables of DEFINITIONS §4 for one corpus or several."""
    chosen = plan(options)
    if _DATASET in str(options.train):
        _check_training(options)
    else:
        corpus = trained(corpus, options)
    tables, about = all_tables(corpus, chosen)
    return Result(tables, corpus, chosen.parts() | signed(corpus), tuple(about))


def all_tables(corpus: Corpus, chosen: BucketPlan) -> tuple[Mapping[str, pl.DataFrame], list[str]]:
    """Return the tables and what there is to be said about them."""
    given = load_edges(chosen.edges) if chosen.edges else {}
    every = {**_groups(corpus, chosen), **chosen.datasets}
    several = len(every) > 1 or bool(chosen.over)
    broken = {name: Breakdown(one, chosen, given) for name, one in every.items()}
    cuts = {name: one.cuts() for name, one in broken.items()}
    if chosen.save_edges:
        save_edges(chosen.save_edges, in_use(cuts[next(iter(cuts))]))
    makers = _tables(corpus, chosen, cuts)
    if chosen.cross:
        makers["crossed"] = lambda: _crossed(broken, chosen, corpus.scoring.zero_division)
    about = dict.fromkeys(
        f"{name}: {note}" if several else note for name, one in broken.items() for note in one.notes
    )
    return LazyMapping(_shaped(makers, several=several)), list(about)


_DATASET = "{dataset}"


def _check_training(options: Options) -> None:
    """Raise for training files by dataset where datasets are not broken down one by one."""
    if tuple(options.over) != ("dataset",):
        raise UsageError(
            "names a training file for each dataset, but datasets are together",
            where=f"--train {options.train}",
            remedy="--over dataset breaks them down one by one",
        )


def _groups(corpus: Corpus, chosen: BucketPlan) -> dict[str, Corpus]:
    """Return the corpus by its name, or its groups by theirs."""
    if not chosen.over:
        return {chosen.name: corpus}
    found = {group.name or NONE: group.corpus for group in groups_of(corpus, chosen.over)}
    if _DATASET in str(chosen.train):
        found = {
            name: one.trained(str(chosen.train).replace(_DATASET, name), chosen.train_columns)
            for name, one in found.items()
        }
    named = found.keys() & chosen.datasets.keys()
    if named:
        raise UsageError(
            f"`{min(named)}` is a group and another corpus", where="--dataset",
            remedy="call the other corpus something else",
        )  # fmt: skip
    return found


def _tables(
    corpus: Corpus, chosen: BucketPlan, cuts: Mapping[str, Sequence[AttributeCut]]
) -> dict[str, Maker]:
    zero_division, metric = corpus.scoring.zero_division, chosen.by
    parts: list[pl.DataFrame] = []
    rows: list[Row] = []
    for name, found in cuts.items():
        for cut in found:
            table = bucket_table(cut, zero_division)
            _can(metric, table)
            rows += score_rows(name, cut, table, metric)
            shown = with_intervals(cut, table, chosen, zero_division) if chosen.intervals else table
            parts.append(
                shown.insert_column(0, pl.Series("corpus", [name] * len(table), dtype=pl.String))
            )
    makers: dict[str, Maker] = {
        "buckets": lambda: pl.concat(parts, how="diagonal"),
        "attributes": lambda: attributes_table(rows, metric),
        "self_diagnosis": lambda: self_table(rows, metric),
        "systems": lambda: systems_table(rows),
    }
    if chosen.pair:
        clipped = corpus.scoring.bucketing == PROGRAM
        compared = comparison_tables(rows, chosen.pair, metric, clipped=clipped)
        makers |= {name: maker_of(table) for name, table in compared.items()}
    if chosen.versions:
        series = versions_table(rows, chosen.versions, metric)
        makers["versions"] = maker_of(series)
    if chosen.gaps:
        makers["gap_tests"] = lambda: gap_tests(cuts, chosen)
    tests = cache(lambda: tests_table(rows, chosen.pair, chosen.correct))
    if len(cuts) > 1:
        makers["averages"] = lambda: averages(rows, tests())
    makers["tests"] = tests
    return makers


def _can(metric: str, table: pl.DataFrame) -> None:
    if metric not in table.columns:
        raise UsageError(
            "accuracy is undefined for spans: there are no true negatives",
            where="--by",
            remedy="use f1, precision or recall; or --unit token",
        )


def _shaped(makers: dict[str, Maker], *, several: bool) -> dict[str, Maker]:
    """Return what makes the tables without the column of corpora where there is one."""
    if several:
        return makers
    return {name: partial(_without_corpus, make) for name, make in makers.items()}


def _without_corpus(make: Maker) -> pl.DataFrame:
    return make().drop("corpus", strict=False)


def _crossed(
    broken: Mapping[str, Breakdown], chosen: BucketPlan, zero_division: float | None
) -> pl.DataFrame:
    """Return every pair of buckets of two attributes for every system, if it holds anything."""
    rows = [
        {"corpus": name, **row}
        for name, one in broken.items()
        for a, b in chosen.cross
        for row in _pairs(one, a, b)
    ]
    counted = pl.DataFrame(rows, schema=_CROSSED, orient="row")
    scored = sided_ratios(counted, zero_division)
    if all(one.facts.items.unit in TWO_SIDED for one in broken.values()):
        return scored.select(pl.exclude("tp_predicted"), "tp_predicted")
    return scored.drop("tp_predicted")


_CROSSED = {
    "corpus": pl.String, "attribute": pl.String, "bucket": pl.String, "by": pl.String,
    "by_bucket": pl.String, "system": pl.String, "tp": pl.Int64, "predicted": pl.Int64,
    "gold": pl.Int64, "tp_predicted": pl.Int64,
}  # fmt: skip


def _pairs(one: Breakdown, a: str, b: str) -> list[dict[str, Any]]:
    first, second = one.cut(a), one.cut(b)
    if first is None or second is None:
        raise UsageError(f"`{a}` × `{b}`: {'; '.join(one.notes)}", where="--cross")
    if first.facts is not second.facts or not (first.placed.agree and second.placed.agree):
        raise UsageError(
            f"`{a}` and `{b}` apply to different units",
            where="--cross",
            remedy="cross two attributes of spans or two of tokens, without --profile",
        )
    counts = one.counted(first.facts, _crossed_placed(first, second))
    names = [_names(cut) for cut in (first, second)]
    found: list[dict[str, Any]] = []
    for k in range(len(names[0]) * len(names[1])):
        x, y = divmod(k, len(names[1]))
        if not (counts.gold[k] or counts.predicted[:, k].any()):
            continue
        found += [
            {"attribute": first.attribute.name, "bucket": names[0][x],
             "by": second.attribute.name, "by_bucket": names[1][y], "system": system,
             "tp": int(counts.tp[s, k]), "predicted": int(counts.predicted[s, k]),
             "gold": int(counts.gold[k]), "tp_predicted": int(counts.right[s, k])}
            for s, system in enumerate(first.facts.items.systems)
        ]  # fmt: skip
    return found


def _crossed_placed(first: AttributeCut, second: AttributeCut) -> Placed:
    return crossed(first.placed, second.placed, first.facts.items.answers)


def _names(cut: AttributeCut) -> list[str]:
    return [*(bucket.name for bucket in cut.buckets.each), *cut.buckets.outside]


# What it stands for depends on the task: those of the paper, or those of trees.
DEFAULT = ("default",)


@declared
class BucketPlan(Options):
    """Options of one kind each: names one by one, pairs together, words and not their file."""

    attributes: tuple[str, ...]
    buckets: Mapping[str, str]
    cross: tuple[Names, ...]
    pair: tuple[Names, ...]
    versions: tuple[str, ...]
    vocabulary: frozenset[str]
    datasets: Mapping[str, Corpus]
    replicates: int
    seed: int
    alpha: float
    unit_of_resampling: str
    over: tuple[str, ...]

    def parts(self) -> dict[str, str]:
        """Return what a signature says of the plan: what is not as it is by default."""
        known, others = self.vocabulary, self.datasets
        unit = f",{self.unit_of_resampling}" if self.unit_of_resampling else ""
        drawn = f"{self.replicates},seed={self.seed},alpha={self.alpha:g}{unit}"
        said = {
            "buckets": ",".join(f"{name}={how}" for name, how in self.buckets.items()),
            "edges": file_hash(self.edges) if self.edges else "",
            "intervals": f"percentile/{drawn}" * self.intervals,
            "gaps": f"dealt/{self.replicates},seed={self.seed}" * self.gaps,
            "vocabulary": _digest("\n".join(sorted(known)).encode()) if known else "",
            "corpora": ",".join((self.name, *map(_identity, others.items()))) if others else "",
        }
        return {name: value for name, value in said.items() if value} | {"correct": self.correct}


def plan(options: Options) -> BucketPlan:
    """Return settled options; raise for what names no attribute, no form of buckets, no file."""
    return BucketPlan(**vars(options) | {
        "attributes": _listed(options.attributes),
        "buckets": _cuttings(options.buckets),
        "pair": named_pairs(options.pair, options.pairs),
        "versions": checked_versions(options.versions),
        "vocabulary": _words(options.vocabulary),
        "datasets": dict(options.datasets or {}),
        "replicates": options.replicates or 1000,
        "seed": options.seed or 0,
        "alpha": options.alpha or 0.05,
        "over": tuple(options.over),
        "unit_of_resampling": options.unit_of_resampling or "",
    })  # fmt: skip


def _identity(named: tuple[str, Corpus]) -> str:
    """Return a corpus' name with the hashes of its gold, its answers and its training data."""
    name, corpus = named
    train = f"+{corpus.training.sha256[:12] or 'frame'}" if corpus.training else ""
    return f"{name}={gold_hash(corpus)}+{answers_hash(corpus)}{train}"


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:12]


def _listed(given: str | Sequence[str]) -> tuple[str, ...]:
    """Return names one by one; an expression has an equals sign, and its commas are its own."""
    every = [given] if isinstance(given, str) else list(given)
    parts = [
        part.strip() for text in every for part in ([text] if "=" in text else text.split(","))
    ]
    sets = {"all": tuple(ATTRIBUTES)}
    names = [name for part in parts if part for name in sets.get(part, (part,))]
    return tuple(dict.fromkeys(names)) or DEFAULT


def _cuttings(given: Mapping[str, str] | str | Sequence[str]) -> dict[str, str]:
    texts = [given] if isinstance(given, str) else given
    named = texts if isinstance(texts, Mapping) else dict(map(_cutting, texts))
    for how in named.values():
        parsed(how)
    return dict(named)


def _cutting(text: str) -> Names:
    name, equals, how = text.partition("=")
    if not equals:
        raise UsageError(
            f"`{text}` does not name an attribute",
            where="--buckets",
            remedy='for example --buckets "sLen=quantile 6"',
        )
    return name.strip(), how.strip()


def _words(file: str | Path) -> frozenset[str]:
    """Return the lines of a file, none without one."""
    if not file:
        return frozenset()
    if not is_file(file):
        raise DataError("does not exist", where=str(file), remedy="--vocabulary: one word per line")
    # A word may hold what str.splitlines takes for the end of a line, such as U+0085.
    return frozenset(filter(None, Path(file).read_text(encoding="utf-8").split("\n")))
