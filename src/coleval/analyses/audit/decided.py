"""Decisions of annotators on suspects: a corrected gold, and what it changes in the ranking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.audit.measured import rescored
from coleval.analyses.audit.suspects import BOUNDARY, SPURIOUS
from coleval.analyses.contexts import PLACE
from coleval.annotate.text import places, text_of
from coleval.corpus.coding import decoded
from coleval.corpus.output import write_whole, written
from coleval.corpus.paths import is_file
from coleval.errors import DataError, UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.analyses.audit.found import AuditFindings
    from coleval.annotate.text import RunningText
    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items

    Row = Mapping[str, str | None]
    Places = NDArray[np.int64]

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
