"""Answers that are not there: which are missing, and what becomes of them (``--missing``).

A system may lack the run on a dataset, or the answer to an instance. ``wrong`` counts every gold
item of these as missed; ``leave-out`` counts the system on the others only, and several systems
on what all of them have.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.coding import width
from coleval.corpus.far import additive
from coleval.corpus.grid import added, corpus_of
from coleval.corpus.lazy import LazyMapping
from coleval.corpus.numbers import values, with_zero
from coleval.corpus.spread import each as each_part_of
from coleval.corpus.spread import of_parts, summed
from coleval.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

ERROR, WRONG, LEAVE_OUT = "error", "wrong", "leave-out"
# The answer of a system that has not run, where no answer at all may be right.
NOT_RUN = "(not run)"
_NAMED = 5


def settled(
    corpus: Corpus, *, each: bool = False, sparse: bool = False, with_gaps: bool = False
) -> tuple[Corpus, tuple[str, ...]]:
    """Return the corpus under its policy for answers that are missing, and what is to be said.

    Under ``leave-out`` it has what all systems answered, unless ``each`` is counted on its own.
    Where that is next to nothing, a ``sparse`` table is counted cell by cell; what is fitted to a
    table ``with_gaps`` takes all of its cells.
    """
    policy = corpus.scoring.missing
    if policy == LEAVE_OUT and not each:
        if sparse and _shares_little(corpus):
            corpus, texts = cell_by_cell(corpus)
            return corpus, (*texts, _SPARSE.format(len(corpus.systems)))
        if with_gaps and corpus.spread is None and instances(corpus) is not None:
            return cell_by_cell(corpus)
        return shared(corpus)
    if policy == LEAVE_OUT:
        return corpus, ()
    lacking = lacking_cells(corpus)
    if policy == ERROR:
        _raise_for(corpus, lacking)
        return corpus, ()
    if corpus.task_kind.numeric:
        corpus, means = with_zeros(corpus), "they count as 0"
    else:
        means = "their gold items count as missed"
    texts = tuple(
        f"{_said_of(entry.name, entry.absent.problem)}; {means}"
        for entry in corpus.entries
        if entry.absent is not None and not corpus.task_kind.label_sets
    )
    return (filled(corpus), (_said(lacking), *texts)) if lacking else (corpus, texts)


def _said_of(name: str, problem: str) -> str:
    """Return a problem of a system, with its name unless the problem begins with it."""
    return problem if problem.startswith(f"`{name}`") else f"{name} {problem}"


def lacking_cells(corpus: Corpus) -> dict[str, list[str]]:
    """Return the names of the cells that each system has not run on, for those that lack any."""
    found: dict[str, list[str]] = {}
    for system, cell in corpus.grid.missing(corpus.systems) if corpus.grid else ():
        found.setdefault(system, []).append(cell.name)
    return found


def _raise_for(corpus: Corpus, lacking: Mapping[str, Sequence[str]]) -> None:
    remedy = "--missing wrong counts them as missed, --missing leave-out leaves them out"
    if lacking:
        n = sum(map(len, lacking.values()))
        several = "run is" if n == 1 else "runs are"
        raise DataError(
            f"{n:,} {several} missing: {_listed(lacking)}",
            where=corpus.gold.origin.path,
            remedy=remedy,
        )
    for entry in corpus.entries:
        if entry.absent is not None:
            raise replace(entry.absent, remedy=f"{entry.absent.remedy}; {remedy}").error()


def _said(lacking: Mapping[str, Sequence[str]]) -> str:
    n = sum(map(len, lacking.values()))
    several = "run is" if n == 1 else "runs are"
    return f"{n:,} {several} missing, and their gold items count as missed: {_listed(lacking)}"


def _listed(lacking: Mapping[str, Sequence[str]]) -> str:
    """Return systems with what they lack, those that lack most first."""
    order = sorted(lacking.items(), key=lambda pair: -len(pair[1]))
    parts = [f"{system} ({_few(cells)})" for system, cells in order[:_NAMED]]
    more = [f"{len(order) - _NAMED:,} more systems"] if len(order) > _NAMED else []
    return ", ".join([*parts, *more])


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def filled(corpus: Corpus) -> Corpus:
    """Return the corpus in which a system that has not run is wrong even where gold is empty."""
    if corpus.task_kind.derived_units is not None:
        return corpus
    if corpus.spread is not None:
        return of_parts(corpus, corpus.spread.changed(filled))
    units = {name: partial(_filled, corpus, name) for name in corpus.units}
    return replace(corpus, units=LazyMapping(units))


def with_zeros(corpus: Corpus) -> Corpus:
    """Return the corpus in which a number that is missing is 0, if that is the worst there is."""
    unit, items = next(iter(corpus.units.items()))
    if corpus.scoring.lower or (values(items) < 0).any():
        raise UsageError(
            "which number is wrong on this scale is not known: 0 is not the worst",
            where=f"--missing {WRONG}",
            remedy=f"leave out what is missing (--missing {LEAVE_OUT}), or write the numbers that "
            "count in its place",
        )
    return replace(corpus, units={**corpus.units, unit: with_zero(items)})


def _filled(corpus: Corpus, name: str) -> Items:
    items, grid = corpus.units[name], corpus.grid
    assert grid is not None  # noqa: S101  - only a grid lacks runs
    bare = items.gold == 0
    if not items.empty_is_answer or not bare.any():
        return items
    code = len(items.labels) + 1
    kind = np.result_type(width(code), items.gold.dtype)
    answers: dict[str, Codes] = {}
    for system, codes in items.answers.items():
        cells = [k for k, cell in enumerate(grid.cells) if system not in cell.entries]
        rows = grid.rows(name, cells)
        answers[system] = codes
        if len(rows):
            answers[system] = codes.astype(kind)
            answers[system][rows[bare[rows]]] = code
    if all(answers[system] is items.answers[system] for system in answers):
        return items
    wider = {system: codes.astype(kind) for system, codes in answers.items()}
    labels = [*items.labels, NOT_RUN]
    return replace(items, gold=items.gold.astype(kind), answers=wider).sorted_labels(labels)


# With fewer items that all systems answered, and a smaller share of them, a table is sparse.
_FEWEST, _SHARE = 20, 0.05
_SPARSE = (
    "next to no item was answered by all {:,} systems: each system counts on the items that it "
    "answered, each pair on those that both did; `compare` ranks by means adjusted for the items"
)
# An item that one system answered compares it with none.
_FEWEST_ANSWERS = 2


def _shares_little(corpus: Corpus) -> bool:
    """Tell whether next to no item was answered by all systems that answered any."""
    if corpus.spread is not None or not corpus.task_kind.of_tables:
        return False
    if (items := instances(corpus)) is None or len(idle := not_run(corpus)) == len(corpus.systems):
        return False
    kept = [items.answers[name] != 0 for name in corpus.systems if name not in idle]
    n, of = int(np.logical_and.reduce(kept).sum()), len(items)
    return n < min(of, _FEWEST) and n < max(1.0, _SHARE * of)


def cell_by_cell(corpus: Corpus) -> tuple[Corpus, tuple[str, ...]]:
    """Return a sparse table as numbers, 1 and 0 where answers are right and wrong."""
    from coleval.corpus.numbers import numbers_of

    idle = not_run(corpus)
    corpus = corpus.chosen([name for name in corpus.systems if name not in idle])
    said = [f"left out, as they have not run on anything: {_few(idle)}"] if idle else []
    if not corpus.task_kind.numeric:
        corpus = numbers_of(corpus)
        said.append("right answers count as 1, wrong ones as 0")
    unit, items = next(iter(corpus.units.items()))
    enough = (~np.isnan(values(items))).sum(axis=0) >= _FEWEST_ANSWERS
    if not enough.all():
        n = int((~enough).sum())
        said.append(f"left out: {n:,} of {len(items):,} items, answered by fewer than two systems")
        corpus = replace(corpus, units={unit: items.kept(enough)})
    share = 100 * float((~np.isnan(values(corpus.units[unit]))).mean())
    said.append(f"{share:.0f} % of the cells of systems and items are filled")
    return corpus, tuple(said)


def shared(corpus: Corpus) -> tuple[Corpus, tuple[str, ...]]:
    """Return the corpus of what all its systems answered, and how much that is."""
    _check_records(corpus)
    said: list[str] = []
    idle = not_run(corpus)
    if 0 < len(idle) < len(corpus.systems):
        said.append(f"left out, as they have not run on anything: {_few(idle)}")
        corpus = corpus.chosen([name for name in corpus.systems if name not in idle])
    if corpus.grid is not None and (lacking := lacking_cells(corpus)):
        every = corpus.grid.cells
        kept = [k for k, cell in enumerate(every) if set(corpus.systems) <= set(cell.entries)]
        if not kept:
            raise _nothing_shared(lacking)
        said.append(
            f"{len(kept):,} of {len(every):,} gold files are used, on which all "
            f"{len(corpus.systems):,} systems have run; incomplete: {_listed(lacking)}"
        )
        corpus = corpus_of(corpus, kept)
    if corpus.spread is not None:
        corpus, more = _shared_in_parts(corpus)
        return corpus, (*said, *more)
    if answered := _all_answered(corpus):
        items, there = answered
        n, of = int(there.sum()), len(there)
        if not n:
            raise _nothing_shared({})
        said.append(_said_shared(corpus, n, of))
        corpus = replace(corpus, units={items.unit: items.kept(there)}, grid=None)
    return corpus, tuple(said)


def _shared_in_parts(corpus: Corpus) -> tuple[Corpus, tuple[str, ...]]:
    """Return the instances that all systems answered where they are in parts."""
    if instances(corpus) is None:
        return corpus, ()
    n, of = summed(corpus, _shared_counts, _pairs_added)
    if n == of:
        return corpus, ()
    if not n:
        raise _nothing_shared({})
    spread = corpus.spread
    assert spread is not None  # noqa: S101  - the caller has looked
    changed = replace(of_parts(corpus, spread.changed(_shared_part)), grid=None)
    return changed, (_said_shared(corpus, n, of),)


def _said_shared(corpus: Corpus, n: int, of: int) -> str:
    return (
        f"{n:,} of {of:,} instances are used, which all {len(corpus.systems):,} systems "
        "answered (--systems names fewer)"
    )


def _shared_counts(corpus: Corpus) -> tuple[int, int]:
    items, there = _answered_by_all(corpus)
    return int(there.sum()), len(items)


def _pairs_added(parts: list[tuple[int, int]]) -> tuple[int, int]:
    return sum(n for n, _ in parts), sum(of for _, of in parts)


def _shared_part(corpus: Corpus) -> Corpus:
    items, there = _answered_by_all(corpus)
    return replace(corpus, units={items.unit: items.kept(there)}, grid=None)


def _check_records(corpus: Corpus) -> None:
    """Raise if some system lacks records of spans, of which the items do not keep track."""
    if corpus.task_kind.spans_of_tags and any(entry.absent for entry in corpus.entries):
        raise _not_one_by_one("records with spans")


def _nothing_shared(lacking: Mapping[str, Sequence[str]]) -> DataError:
    return DataError(
        "the systems have nothing in common that all of them answered",
        where=_listed(lacking) or "--missing leave-out",
        remedy="name systems that have (--systems), or count what is missing as wrong: "
        "--missing wrong",
    )


def _all_answered(corpus: Corpus) -> tuple[Items, NDArray[np.bool_]] | None:
    """Return the instances of one label each with those all systems answered, if some did not."""
    if instances(corpus) is None:
        return None
    items, there = _answered_by_all(corpus)
    return None if there.all() else (items, there)


def _answered_by_all(corpus: Corpus) -> tuple[Items, NDArray[np.bool_]]:
    items = corpus.units[next(iter(corpus.units))]
    there = np.ones(len(items), np.bool_)
    for name in corpus.systems:
        there &= items.answers[name] != 0
    return items, there


def instances(corpus: Corpus) -> Items | None:
    """Return the items that may lack an answer one by one: instances of one label each, or rows.

    What logs call right and wrong is a matrix, in which a system may lack rows.
    """
    absent = any(entry.absent for entry in corpus.entries)
    left_out = absent and corpus.scoring.missing == LEAVE_OUT
    if not corpus.task_kind.of_tables:
        if left_out:
            raise _not_one_by_one("texts with spans")
        return None
    items = corpus.units[next(iter(corpus.units))]
    if items.group != "instance":
        return items
    if left_out:
        raise _not_one_by_one("instances with sets of labels")
    return None


def _not_one_by_one(what: str) -> UsageError:
    return UsageError(
        f"{what} cannot be left out one by one",
        where=f"--missing {LEAVE_OUT}",
        remedy="count them as wrong: --missing wrong",
    )


def not_run(corpus: Corpus, items: Items | None = None) -> tuple[str, ...]:
    """Return the systems that have run on no gold file, or that answer none of the instances.

    ``items`` are the instances to look at; all of them if they are not given.
    """
    cells = corpus.grid.cells if corpus.grid else ()
    ran = {name for cell in cells for name in cell.entries} if cells else set(corpus.systems)
    each = instances(corpus)
    if each is not None:
        each = each if items is None else items
        _, lost = _lost_answers(each)
        ran -= {name for name in corpus.systems if 0 < len(each) == lost[name]}
    return tuple(name for name in corpus.systems if name not in ran)


def by_coverage(corpus: Corpus) -> list[Corpus]:
    """Return the corpus taken apart: systems that answered the same, with what they answered.

    Systems that have not run at all are in none of it, unless nobody has.
    """
    idle = not_run(corpus)
    systems = [name for name in corpus.systems if name not in idle] or corpus.systems
    grid, items = corpus.grid, instances(corpus)
    groups: dict[tuple[tuple[int, ...], bytes], list[str]] = {}
    for name in systems:
        cells = tuple(k for k, c in enumerate(grid.cells) if name in c.entries) if grid else ()
        there = b"" if items is None else _answered_hash(items, name)
        groups.setdefault((cells, there), []).append(name)
    return [shared(corpus.chosen(names))[0] for names in groups.values()]


@additive(b"".join)
def _answered_hash(items: Items, system: str) -> bytes:
    """Return what distinguishes which items a system answered."""
    return sha256(np.packbits(items.answers[system] != 0).tobytes()).digest()


def coverage(corpus: Corpus) -> dict[str, tuple[int, int]]:
    """Return how many of how many gold items each system answered, or has run on."""
    each = instances(corpus)
    if each is not None:
        total, lost = _lost_answers(each)
    else:
        sizes = _gold_sizes(corpus)
        total = sum(sizes)
        lost = dict.fromkeys(corpus.systems, 0)
        for name, at in corpus.grid.missing_numbers(corpus.systems) if corpus.grid else ():
            lost[name] += sizes[at]
    return {name: (total - lost[name], total) for name in corpus.systems}


def _lost_added(parts: list[tuple[int, dict[str, int]]]) -> tuple[int, dict[str, int]]:
    names = parts[0][1]
    return sum(n for n, _ in parts), {s: sum(lost[s] for _, lost in parts) for s in names}


@additive(_lost_added)
def _lost_answers(items: Items) -> tuple[int, dict[str, int]]:
    """Return how many items gold has, and how many of them each system does not answer."""
    lost = {name: int((codes == 0).sum()) for name, codes in items.answers.items()}
    # Numbers need no gold.
    return len(items) if items.numeric else int((items.gold != 0).sum()), lost


def _gold_sizes(corpus: Corpus) -> list[int]:
    """Return how many gold items each gold file has."""
    unit = corpus.scoring.unit or next(iter(corpus.units))
    if corpus.spread is not None:
        return _gold_sizes_elsewhere(corpus, unit)
    if (parts := added(corpus, ("gold size", unit), partial(_gold_size, unit=unit))) is not None:
        return parts
    gold, grid = corpus.units[unit].gold != 0, corpus.grid
    if grid is None:
        return [int(gold.sum())]
    before = np.concatenate([[0], np.cumsum(gold)])
    return np.diff(before[grid.starts(corpus.task_kind.source_unit or unit)]).tolist()


def _gold_sizes_elsewhere(corpus: Corpus, unit: str) -> list[int]:
    """Return the same of a corpus in parts: cells that are in several add up."""
    spread, grid = corpus.spread, corpus.grid
    assert spread is not None  # noqa: S101  - the caller has looked
    sizes = [0] * (len(grid.cells) if grid else 1)
    found = each_part_of(corpus, partial(_gold_sizes_of_part, unit=unit))
    for part, own in zip(spread.parts, found, strict=True):
        for cell, n in zip(part.cells, own, strict=True):
            sizes[cell] += n
    return sizes


def _gold_sizes_of_part(corpus: Corpus, unit: str) -> list[int]:
    return _gold_sizes(corpus.scored_by({"unit": unit}))


def _gold_size(corpus: Corpus, unit: str) -> int:
    return int(np.count_nonzero(corpus.units[unit].gold))
