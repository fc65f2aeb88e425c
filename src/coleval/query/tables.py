"""The small tables beside the wide one: sentences, documents, systems; and answers alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.annotate.difficulty import difficulty
from coleval.annotate.span_errors import counted_errors
from coleval.annotate.text import text_of
from coleval.annotate.traits import traits

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from coleval.annotate.text import RunningText
    from coleval.corpus.corpus import Corpus
    from coleval.query.portable import ViewUnit
    from coleval.query.wide import Wide


# What docs/store.md says of tables and columns: a change of what one means raises it.
SCHEMA_VERSION = 1
# The columns of sentences, and those that are there without the text.
TEXTS = ("sentence", "document", "tokens", "text", "items", "gold_items")
SIZES = tuple(name for name in TEXTS if name != "text")


def systems(wide: Wide) -> pl.DataFrame:
    """Return the systems: name, column in ``item``, file, answers, how many are right."""
    items, gold = wide.items, wide.items.gold
    paths = {entry.name: entry.origin.path for entry in wide.corpus.entries}
    rows = [
        {
            "number": k,
            "system": name,
            "column_name": wide.columns[name],
            "path": paths.get(name),
            "judge": name in wide.items.judging,
            "answers": int(np.count_nonzero(codes)),
            "correct": int(np.count_nonzero((codes == gold) & (gold != 0))),
        }
        for k, (name, codes) in enumerate(items.answers.items(), 1)
    ]
    kinds = {"number": pl.Int64, "system": pl.String, "column_name": pl.String,
             "path": pl.String, "judge": pl.Boolean, "answers": pl.Int64,
             "correct": pl.Int64}  # fmt: skip
    return pl.DataFrame(rows, schema=kinds)


def runs(wide: Wide) -> pl.DataFrame:
    """Return dataset, part, system, status (``run`` or ``not_run``), and the number of the set.

    Datasets and parts on which the same systems were run are of one set.
    """
    number = {ran: k for k, ran in enumerate(wide.run_sets)}
    rows = [
        (dataset, part, system, "run" if system in ran else "not_run", number[frozenset(ran)])
        for dataset, part, ran in wide.cells
        for system in wide.items.systems
    ]
    kinds = {"dataset": pl.String, "part": pl.String, "system": pl.String, "status": pl.String,
             "run_set": pl.Int32}  # fmt: skip
    return pl.DataFrame(rows, schema=kinds, orient="row")


def facts(wide: Wide) -> pl.DataFrame:
    """Return what is true of all items: task, unit, whether nothing is an answer too, metric."""
    items = wide.items
    row = {
        "task": wide.corpus.task,
        "unit": items.unit,
        "items": len(items),
        "groups": items.group_count or None,
        "empty_is_answer": items.empty_is_answer,
        "metric": wide.corpus.task_kind.headline(wide.corpus, items),
        "schema_version": SCHEMA_VERSION,
    }
    return pl.DataFrame([row], schema_overrides={"groups": pl.Int64})


def errors(wide: Wide) -> pl.DataFrame:
    """Return the span errors that count, each once: system, item, gold, answer, kind."""
    kinds = {"system": pl.String, "item": pl.UInt32, "gold": pl.String, "answer": pl.String,
             "kind": pl.String}  # fmt: skip
    if wide.items.unit != "span":
        return pl.DataFrame(schema=kinds)
    frames = [counted_errors(wide.source, name) for name in wide.items.systems]
    kept = pl.col("item").is_in(pl.Series(wide.items.numbers.astype(np.uint32)).implode())
    return pl.concat([pl.DataFrame(schema=kinds), *frames]).filter(kept)


def chosen(_: Wide) -> pl.DataFrame:
    """Return the systems that a ladder begins with: none."""
    return pl.DataFrame(schema={"system": pl.String})


def answers(wide: Wide) -> pl.DataFrame:
    """Return item, run_set, gold and a column for each system, nothing else."""
    return wide.frame(["item", "gold", *wide.columns.values()]).insert_column(1, wide.run_set)


def codes(wide: Wide) -> pl.DataFrame:
    """Return the same with numbers for labels, which compare ten times as fast as texts."""
    items = wide.items
    coded = {"gold": items.gold, **{wide.columns[name]: c for name, c in items.answers.items()}}
    answered = (pl.when(pl.col(name) > 0).then(pl.col(name)) for name in coded)
    return pl.DataFrame([wide.column("item"), *(pl.Series(n, c) for n, c in coded.items())]).select(
        "item", wide.run_set, *answered
    )


def grouped(wide: Wide) -> pl.DataFrame:
    """Return the same by unit: the sentence or the instance of each item in place of its number."""
    group = wide.items.group
    unit = wide.column(group if group in wide.items.context.columns else "item")
    return answers(wide).drop("item").insert_column(0, unit.rename("unit"))


def words(wide: Wide) -> pl.DataFrame:
    """Return item, form, bin of the items that have a bin."""
    bin_ = difficulty(wide.items).cast(pl.Int64).alias("bin")
    form = wide.items.form()
    empty = pl.Series([None] * len(wide), dtype=pl.String)
    text = (empty if form is None else form).rename("form")
    return pl.DataFrame([wide.column("item"), text, bin_]).filter(pl.col("bin").is_not_null())


def trait_table(wide: Wide) -> pl.DataFrame:
    """Return the bin of each item and what it has in common with others, as whole numbers."""
    text = text_of(wide.corpus)
    columns = [c.cast(pl.Int64) for c in traits(wide.whole, wide.items, text)]
    bin_ = difficulty(wide.items).cast(pl.Int64).alias("bin")
    return pl.DataFrame([bin_, *columns]).filter(pl.col("bin").is_not_null())


def sentences(
    wide: Wide, columns: Sequence[str] | None = None, only: pl.Series | None = None
) -> pl.DataFrame:
    """Return sentence, document, tokens, text, items and how many of them gold has.

    What takes longest is left out where ``columns`` do not name it: items and texts. Texts are
    those of ``only`` some sentences, and no others are there then.
    """
    running = _running(wide.corpus, text=columns is None or "text" in columns, only=only)
    if running is None:
        return _counted(wide, "sentence")
    if columns is None or {"items", "gold_items"} & {*columns}:
        counted = _counted(wide, "sentence").drop("document", strict=False)
        joined = running.join(counted, on="sentence", how="left")
        running = joined.with_columns(pl.col("items", "gold_items").fill_null(0))
    return running.sort("sentence", maintain_order=True)


def documents(wide: Wide) -> pl.DataFrame:
    """Return document, sentences, tokens, items and how many of them gold has."""
    counted = _counted(wide, "document")
    running = _running(wide.corpus, text=False)
    if running is None or "document" not in running.columns:
        return counted
    sizes = running.group_by("document", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("sentences"), pl.col("tokens").sum()
    )
    # Units of several datasets may know other documents: dictionaries differ, names do not.
    named = [frame.with_columns(pl.col("document").cast(pl.String)) for frame in (sizes, counted)]
    joined = named[0].join(named[1], on="document", how="left", nulls_equal=True)
    return joined.with_columns(pl.col("items", "gold_items").fill_null(0))


def _counted(wide: Wide, key: str) -> pl.DataFrame:
    if key not in wide.names:
        kinds = {key: pl.String, "items": pl.Int64, "gold_items": pl.Int64}
        return pl.DataFrame(schema=kinds)
    near = ["document"] if key == "sentence" and "document" in wide.names else []
    gold = pl.col("gold").count().cast(pl.Int64).alias("gold_items")
    counts = [pl.len().cast(pl.Int64).alias("items"), gold]
    first = [pl.col(name).first() for name in near]
    frame = wide.frame([key, *near, "gold"])
    return frame.group_by(key, maintain_order=True).agg(*first, *counts)


def _running(corpus: Corpus, *, text: bool, only: pl.Series | None = None) -> pl.DataFrame | None:
    """Return the sentences of the running text, with their documents where there are any."""
    unit = corpus.text_unit
    running = text_of(corpus)
    if unit is None or running is None:
        return None
    context = corpus.existing(unit).context
    names = ["sentence", *(["document"] if "document" in context.columns else [])]
    columns = [context[name] for name in names]
    rows = None if only is None else _rows_of(columns[0], only)
    if rows is not None:
        columns = [column.gather(rows) for column in columns]
    elif columns[0].is_sorted():
        # Polars groups what it knows to be sorted without hashing it.
        columns[0] = columns[0].set_sorted()
    more: list[pl.Expr] = []
    if text:
        columns.append(_forms(running, rows))
        more = [pl.col("form").cast(pl.String).str.join(" ").alias("text")]
    return (
        pl.DataFrame(columns)
        .group_by("sentence", maintain_order=True)
        .agg(
            *[pl.col(name).first() for name in names[1:]],
            pl.len().cast(pl.Int64).alias("tokens"),
            *more,
        )
    )


def _rows_of(sentence: pl.Series, only: pl.Series) -> NDArray[np.intp]:
    """Return the tokens of some sentences."""
    return np.flatnonzero(sentence.is_in(only.cast(sentence.dtype).implode()).to_numpy())


def _forms(running: RunningText, rows: NDArray[np.intp] | None) -> pl.Series:
    """Return the forms of some tokens, without those of all others where these can wait."""
    late = running.tokens.lazy_form
    if rows is None:
        return running.form.rename("form")
    return (running.form.gather(rows) if late is None else late.at(rows)()).rename("form")


# Units that are tables of their own, beside the task's items.
UNITS = ("token", "span")


def text_tables(context: Collection[str], running: ViewUnit | None) -> dict[str, str]:
    """Return SQL of sentences and documents, where items have sentences."""
    if "sentence" not in context:
        return {}
    if running is None or "form" not in running.context:
        return {
            "sentence": "select sentence, count(*) as items, count(gold) as gold_items from item "
            "group by sentence"
        }
    return _of_text(running)


def _of_text(running: ViewUnit) -> dict[str, str]:
    """Return SQL of sentences and documents of the running text."""
    document = "document" in running.context
    named = "any_value(document) as document, " if document else ""
    source = running.name if running.name in UNITS else "item"
    sentence = (
        f"with read as (select sentence, {named}count(*) as tokens, "
        f"string_agg(form, ' ' order by item) as text from {source} group by sentence), "
        "counted as (select sentence, count(*) as items, count(gold) as gold_items from item "
        f"group by sentence) select sentence, {'document, ' if document else ''}tokens, text, "
        "coalesce(items, 0) as items, coalesce(gold_items, 0) as gold_items "
        "from read left join counted using (sentence)"
    )
    if not document:
        return {"sentence": sentence}
    whole = (
        "select document, count(*) as sentences, sum(tokens)::bigint as tokens, "
        "sum(items)::bigint as items, sum(gold_items)::bigint as gold_items from sentence "
        "group by document"
    )
    return {"sentence": sentence, "document": whole}
