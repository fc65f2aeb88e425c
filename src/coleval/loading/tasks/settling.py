"""The options of reading that gold's labels decide: the task, what is outside of spans."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from coleval.corpus.coding import Coder, label_fold
from coleval.corpus.schemes import OUTSIDE, SCHEME, USUAL, looks_segmented, looks_tagged
from coleval.corpus.tasks import task_named
from coleval.errors import DataError
from coleval.loading.readers.beginnings import is_json
from coleval.loading.readers.formats import FORMATS, Format, detect, format_named
from coleval.loading.readers.sequences import are_sequences

if TYPE_CHECKING:
    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import TokenFile
    from coleval.loading.readers.source import Source


def settle(reading: Reading, gold: TokenFile, labels: list[str]) -> tuple[Reading, Coder]:
    """Return the options with task and outside labels decided by gold's labels, and a coder.

    Tags with positions (B-PER) mean spans, and B M E S alone mean words; O and _ are outside. Other
    labels are answers all.
    """
    outside = reading.outside or usual_outside(reading, labels)
    tagged = looks_tagged(labels, frozenset(outside), suffix=reading.suffix)
    if reading.task is None and not tagged:
        _not_mixed(reading, gold, labels, frozenset(outside))
    words = looks_segmented(labels, frozenset(outside))
    task = reading.task or ("span" if tagged or words else "tag")
    spans = task_named(task).spans_of_tags
    outside = outside if spans else reading.outside or ()
    scheme = SCHEME if words and spans and reading.scheme == USUAL else reading.scheme
    return with_coder(replace(reading, task=task, outside=outside, scheme=scheme))


def with_coder(settled: Reading) -> tuple[Reading, Coder]:
    """Return options that are settled, and the coder of labels that they mean."""
    fold, exact, outside = label_fold(settled), settled.task_kind.trees, settled.outside or ()
    return settled, Coder(outside=frozenset(outside), fold=fold, exact=exact, written=True)


def usual_outside(reading: Reading, labels: list[str]) -> tuple[str, ...]:
    """Return what is outside of spans; a column of nothing but ``_`` has no spans to be outside."""
    return OUTSIDE if reading.task or not set(labels) <= set(OUTSIDE) else OUTSIDE[:1]


def _not_mixed(
    reading: Reading, gold: TokenFile, labels: list[str], outside: frozenset[str]
) -> None:
    """Raise if only some of gold's labels are tags: which of the two it is, the user must say."""
    inside = [label for label in labels if label not in outside]
    tags = [label for label in inside if looks_tagged([label], outside, suffix=reading.suffix)]
    if not tags:
        return
    column = gold.columns["gold"]
    others = sorted(set(inside) - set(tags))
    at = int(column.is_in(others).arg_true()[0])
    raise DataError(
        f"gold has tags such as `{min(tags)}`, but `{column[at]}` on `{gold.form[at]}` is not a "
        "tag",
        where=gold.at(at),
        remedy="is a column shifted? If labels have no B-/I- prefix use --task tag; if this label "
        f"means outside use --outside O,{column[at]}",
    )


_SEQUENCES = "sequences"


def format_of(source: Source, reading: Reading) -> Format:
    """Return the format of gold, or of a file that stands for itself."""
    if reading.format is not None:
        return format_named(reading.format)
    return detect(source, reading.task, merged=reading.merged, selection=reading.selection,
                  sets=bool(reading.separator))  # fmt: skip


def format_beside(gold: Format, source: Source, reading: Reading) -> Format:
    """Return the format of a system's file: gold's, unless one of the two holds sequences or JSON.

    A system may have sequences of tags alone: gold has the tokens.
    """
    if reading.format is not None:
        return gold
    if are_sequences(source, reading.selection, answers_alone=True):
        return FORMATS[_SEQUENCES]
    as_gold = gold.name != _SEQUENCES and (".jsonl" in gold.suffixes or not is_json(source))
    return gold if as_gold else format_of(source, reading)
