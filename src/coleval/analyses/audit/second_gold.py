"""Decisions of annotators on suspects: a corrected gold, and what it changes in the ranking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.audit.suspects import BOUNDARY, SPURIOUS
from coleval.analyses.contexts import PLACE
from coleval.annotate.text import places, text_of
from coleval.corpus.coding import decoded
from coleval.corpus.output import write_whole, written
from coleval.corpus.paths import is_file
from coleval.counts.ballots import answer_counts, proposals
from coleval.errors import DataError, UsageError, unknown
from coleval.statistics.ratio import ratio_expr, ratio_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.analyses.audit.suspects import AuditFindings
    from coleval.annotate.text import RunningText
    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

    Row = Mapping[str, str | None]
    Places = NDArray[np.int64]
    Mask = NDArray[np.bool_]

_NEEDED = ("item", "kind", "gold", "answer", "other", "decision")
_AS_SYSTEMS, _AS_GOLD, _NO_LABEL = ("systems", "yes"), ("gold", "no"), "none"


def decided(known: AuditFindings, path: str) -> Codes:
    """Return the codes of gold after the decisions of a list of suspects."""
    gold = known.items.gold.copy()
    codes = {name: k for k, name in enumerate(known.items.labels, 1)}
    for line, row in enumerate(_read(path).to_dicts(), 2):
        decision = (row["decision"] or "").strip()
        if not decision or decision in _AS_GOLD:
            continue
        place = _place(known, row["item"], f"{path}:{line}")
        _check_gold(known, place, row, f"{path}:{line}")
        if decision in _AS_SYSTEMS:
            _as_systems(known, gold, place, row, f"{path}:{line}", codes)
        else:
            gold[place] = _code(decision, codes, f"{path}:{line}")
    return gold


def _read(path: str) -> pl.DataFrame:
    if not is_file(path):
        remedy = "write the suspects with --table suspects -o suspects.tsv"
        raise UsageError("no such file", where=f"--decisions {path}", remedy=remedy)
    # A quote in a tsv file is a character like any other, as coleval writes it.
    form = {"separator": ","} if path.endswith(".csv") else {"separator": "\t", "quote_char": None}
    try:
        frame = pl.read_csv(path, infer_schema=False, **form)
    except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        problem = str(error).splitlines()[0]
        raise DataError(
            f"cannot be read as a table: {problem}", where=path, remedy="a tsv or csv file"
        ) from None
    lacking = [name for name in _NEEDED if name not in frame.columns]
    if lacking:
        raise DataError(
            f"has no column `{lacking[0]}`", where=path,
            remedy="keep the columns that `coleval audit -o suspects.tsv` writes, and fill in "
            "`decision`: systems, gold, none or a label",
        )  # fmt: skip
    return frame


def _place(known: AuditFindings, item: str | None, where: str) -> int:
    """Return the row of an item by its number."""
    numbers = known.items.numbers
    number = int(item) if item and item.isdecimal() else -1
    at = int(np.searchsorted(numbers, number)) if number >= 0 else len(numbers)
    if at >= len(numbers) or int(numbers[at]) != number:
        raise DataError(
            f"there is no item `{item}`", where=where,
            remedy="use the same files and options as for the list",
        )  # fmt: skip
    return at


def _check_gold(known: AuditFindings, place: int, row: Row, where: str) -> None:
    """Raise if gold is another one than that of the list."""
    code = int(known.items.gold[place])
    label = known.items.labels[code - 1] if code else None
    if label != (row["gold"] or None):
        raise DataError(
            f"gold has `{label}` for item {row['item']}, the list `{row['gold']}`", where=where,
            remedy="the list was made from another gold, or with other options",
        )  # fmt: skip


def _code(label: str, codes: Mapping[str, int], where: str) -> int:
    if label == _NO_LABEL:
        return 0
    if label not in codes:
        raise unknown("decision", label, [*_AS_SYSTEMS, *_AS_GOLD, _NO_LABEL, *codes], where=where)
    return codes[label]


def _as_systems(
    known: AuditFindings, gold: Codes, place: int, row: Row, where: str, codes: Mapping[str, int]
) -> None:
    """Give an item the answer of the systems; another extent takes the place of gold's."""
    if row["kind"] == SPURIOUS:
        gold[place] = 0
        return
    answer = _code(row["answer"] or _NO_LABEL, codes, where)
    if row["kind"] == BOUNDARY:
        place = _place(known, row["other"], where)
        gold[_touching(known.items, place)] = 0
    gold[place] = answer


def _touching(items: Items, place: int) -> NDArray[np.bool_]:
    """Return the spans that share words with one, which takes their place."""
    sentence, start, end = (items.context[n].to_numpy() for n in ("sentence", "start", "end"))
    inside: NDArray[np.bool_] = (start < end[place]) & (end > start[place])
    return inside & (sentence == sentence[place])


def rescored_by_decisions(known: AuditFindings, *, decisions: Codes) -> pl.DataFrame:
    """Return the scores and the ranks before and after the decisions."""
    return rescored(known.items, decisions)


def corrected_table(known: AuditFindings, *, decisions: Codes) -> pl.DataFrame:
    """Return the corrected gold: words with their tags, or items with their labels.

    Spans of running text become IOB2; where they overlap, or there is no text, they are listed.
    """
    items, text = known.items, text_of(known.corpus)
    rows = np.flatnonzero(decisions)
    if items.unit == "span" and text is not None:
        low, high = places(items.where(rows), text)
        if (np.sort(low)[1:] >= np.sort(high)[:-1]).all():
            return _tagged(items, text, decisions[rows], low, high)
    if items.unit in ("token", "word") and text is not None:
        return _labelled(items, text, decisions)
    if items.unit != "span":
        rows = np.arange(len(items))
    some = items.where(rows)
    names = (*PLACE, "position", "start", "end")
    there = [some.context[name] for name in names if name in some.context.columns]
    form = some.form()
    label = decoded(decisions[rows], items.labels, "gold")
    return pl.DataFrame([*there, *([] if form is None else [form]), label])


def _labelled(items: Items, text: RunningText, codes: Codes) -> pl.DataFrame:
    """Return sentence, form and label of every token that is an item."""
    label = decoded(codes, items.labels, "gold").cast(pl.String)
    sentence = items.context["sentence"]
    form = text.form.gather(pl.Series(places(items, text)[0])).cast(pl.String)
    return pl.DataFrame([sentence, form.alias("form"), label])


def _tagged(
    items: Items, text: RunningText, codes: Codes, low: Places, high: Places
) -> pl.DataFrame:
    """Return sentence, form and IOB2 tag of every token."""
    tags = np.zeros(len(text), np.int64)
    size = high - low
    owner = np.repeat(np.arange(len(low)), size)
    at = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size, size) + low[owner]
    # Even numbers begin a span, odd ones continue it.
    tags[at] = 2 * codes[owner].astype(np.int64) + (at != low[owner])
    names = ["O", "O", *(f"{letter}-{name}" for name in items.labels for letter in "BI")]
    label = pl.Series(names).gather(pl.Series(tags)).alias("gold")
    sentence = pl.Series("sentence", text.sentence)
    return pl.DataFrame([sentence, text.form.cast(pl.String).alias("form"), label])


def write(frame: pl.DataFrame, path: str) -> None:
    """Write a corrected gold: a column file with a blank line between sentences, or a table."""
    with written(path, option="--corrected"):
        write_whole(Path(path), _file_text(frame).encode())


def _file_text(frame: pl.DataFrame) -> str:
    if frame.columns != ["sentence", "form", "gold"]:
        return frame.write_csv(separator="\t")
    tag = pl.col("gold").fill_null("O")
    lines = pl.concat_str("form", tag, separator="\t").str.join("\n")
    parts = frame.group_by("sentence", maintain_order=True).agg(lines.alias("lines"))
    return "\n\n".join(parts["lines"]) + "\n"


# Precision is given for the first 10, 20, 50, 100 … suspects, and for all.
_STEPS = (1, 2, 5)
_FIRST = 10


def _outcomes(known: AuditFindings) -> pl.DataFrame:
    """Return all suspects with whether the second gold changed them, and to what systems say."""
    frame, second = known.every.frame, _second(known)
    item, other = frame["item"].to_numpy(), frame["other"].to_numpy()
    gold, answer = known.items.gold[item], frame["answer"].to_numpy()
    changed = second[item] != gold
    return frame.with_columns(
        pl.Series("changed", changed),
        pl.Series("agreed", changed & (second[other] == answer)),
    )


def _second(known: AuditFindings) -> Codes:
    if known.second is None:
        raise ValueError("no second gold")
    return known.second


def hits_table(known: AuditFindings) -> pl.DataFrame:
    """Return how many suspects of each kind and number of votes the second gold changed."""
    grouped = _outcomes(known).group_by("kind", "votes").agg(
        pl.len().cast(pl.Int64).alias("suspects"),
        pl.col("changed", "agreed").sum().cast(pl.Int64),
    )  # fmt: skip
    share = ratio_expr(pl.col("changed"), pl.col("suspects"))
    return grouped.with_columns(share=share).sort("votes", "kind", descending=[True, False])


def precision_table(known: AuditFindings) -> pl.DataFrame:
    """Return how many of the first k suspects the second gold changed, for some k and all."""
    outcomes = _outcomes(known).filter(pl.col("votes") >= known.least)
    changed = np.cumsum(outcomes["changed"].to_numpy())
    agreed = np.cumsum(outcomes["agreed"].to_numpy())
    rows = [
        {"k": k, "changed": int(changed[k - 1]), "precision": ratio_of(int(changed[k - 1]), k),
         "agreed": ratio_of(int(agreed[k - 1]), k)}
        for k in _ranks(len(outcomes))
    ]  # fmt: skip
    kinds = {"k": pl.Int64, "changed": pl.Int64, "precision": pl.Float64, "agreed": pl.Float64}
    return pl.DataFrame(rows, schema=kinds)


def _ranks(last: int) -> list[int]:
    found, power = [], _FIRST
    while power <= last:
        found += [step * power for step in _STEPS if step * power < last]
        power *= 10
    return [*found, last] if last else []


def found_table(known: AuditFindings) -> pl.DataFrame:
    """Return what the second gold changed, by how many systems solve it, or propose it.

    ``gold``: items of gold, by how many systems solve them, those that have another label or none.
    ``proposed``: answers that gold lacks, by how many systems give them, those it now has.
    """
    items, second, found = known.items, _second(known), known.ballots
    last = len(items.systems)
    solved = np.full(len(items), last)
    solved[found.rows] = (found.answers == found.gold).sum(axis=0)
    there = items.gold != 0
    place, code, n = proposals(found)
    added = second[found.rows[place]] == code
    return pl.concat([
        _by_number("gold", solved[there], (second != items.gold)[there], range(last, -1, -1)),
        _by_number("proposed", n, added, range(last, 0, -1)),
    ])  # fmt: skip


def _by_number(
    what: str, number: NDArray[np.integer], changed: Mask, numbers: range
) -> pl.DataFrame:
    size = len(numbers) + 1
    items = np.bincount(number, minlength=size)
    hits = np.bincount(number[changed], minlength=size)
    frame = pl.DataFrame({
        "what": [what] * len(numbers), "systems": list(numbers),
        "items": [int(items[k]) for k in numbers], "changed": [int(hits[k]) for k in numbers],
    }, schema_overrides={"systems": pl.Int64})  # fmt: skip
    return frame.with_columns(share=ratio_expr(pl.col("changed"), pl.col("items")))


def rescored_table(known: AuditFindings) -> pl.DataFrame:
    """Return the score of each system on gold and on the second gold, with its ranks."""
    return rescored(known.items, _second(known))


def rescored(items: Items, second: Codes) -> pl.DataFrame:
    """Return system, before, after, delta and both ranks, the best on gold first."""
    from dataclasses import replace

    before, after = scores(items), scores(replace(items, gold=second))
    frame = pl.DataFrame(
        {
            "system": pl.Series(items.systems, dtype=pl.String),
            "before": pl.Series(before, dtype=pl.Float64),
            "after": pl.Series(after, dtype=pl.Float64),
        }
    )
    ranked = frame.with_columns(
        delta=pl.col("after") - pl.col("before"),
        rank_before=_rank("before"),
        rank_after=_rank("after"),
    )
    return ranked.sort("before", "system", descending=[True, False], nulls_last=True)


def _rank(name: str) -> pl.Expr:
    return pl.col(name).rank("min", descending=True).cast(pl.Int64)


def scores(items: Items) -> list[float | None]:
    """Return F1 of each system, or accuracy where no label is an answer too."""
    gold, given, right = answer_counts(items)
    if items.empty_is_answer:
        return [ratio_of(int(own.sum()), len(items)) for own in right]
    there = int(gold[1:].sum())
    return [
        ratio_of(2 * int(own[1:].sum()), there + int(said[1:].sum()))
        for own, said in zip(right, given, strict=True)
    ]
