"""What should be known before anything is concluded from a comparison: its warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.analyses.compare.undecided import CANNOT, UNDECIDED, needed
from coleval.analyses.wording import noun_for, number_of
from coleval.statistics.paired import MANY_UNITS, OF_UNITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars as pl

    from coleval.analyses.compare.plan import Plan

# So few units are worth a word whatever the test.
FEW = 20
# More replicates than this take too long, and too much memory, to be advised.
MOST_ADVISED = 250_000


def cautions(tables: Mapping[str, pl.DataFrame], plan: Plan) -> tuple[str, ...]:
    """Return what limits a comparison: few units, few replicates, runs without a score."""
    power = tables["power"].row(0, named=True)
    few_replicates = tuple(_replicates(tables, power, plan))
    return (
        *_units(tables, power, plan),
        *few_replicates,
        *(() if few_replicates else _undecided(tables, power, plan)),
        *_left_out(tables),
    )


def few_units(units: int, kind: str) -> str:
    """Return what few units do to intervals, nothing if there are enough of them."""
    if not 2 <= units < FEW:
        return ""
    degrees = f"{number_of(units - 1, 'degree')} of freedom"
    return f"only {units} {kind}s to resample: intervals are widened by Student's t with {degrees}"


def _units(
    tables: Mapping[str, pl.DataFrame], power: Mapping[str, Any], plan: Plan
) -> Iterator[str]:
    units, kind = power["units_scored"], plan.drawn
    few = few_units(units, kind)
    if few and plan.test not in OF_UNITS:
        yield few
    if plan.test == "bootstrap" and 2 <= units < MANY_UNITS:
        yield (
            f"with {units} {kind}s p of the bootstrap is too small; --test randomisation keeps its "
            "level"
        )
    if (too_few := cannot_decide(tables["pairs"])) is None:
        return
    yield (
        f"with {too_few.partition(f' {CANNOT}')[0]} no p of "
        f"{number_of(power['tests'], 'test')} can be below "
        f"{plan.alpha:g} after correction ({plan.correct}), however large the difference; use "
        "more, smaller units (--unit-of-resampling) or fewer tests (--baseline)"
    )


def cannot_decide(pairs: pl.DataFrame) -> str | None:
    """Return the note of pairs that all units together are too few for, None if they are not."""
    notes = pairs["note"].drop_nulls()
    return next((note for note in notes if CANNOT in note and "in which" not in note), None)


def _replicates(
    tables: Mapping[str, pl.DataFrame], power: Mapping[str, Any], plan: Plan
) -> Iterator[str]:
    counted = "replicates" in tables["pairs"]["p_from"]
    if not counted or plan.bounded:
        return
    tests = power["tests"]
    if (tests if plan.correct != "none" else 1) / (plan.replicates + 1) >= plan.alpha:
        yield (
            f"with {number_of(plan.replicates, 'replicate')} no p of {number_of(tests, 'test')} "
            f"can be below {plan.alpha:g} after correction ({plan.correct}); use --replicates "
            f"{int(tests / plan.alpha) * 2:,} or more"
        )


def _undecided(
    tables: Mapping[str, pl.DataFrame], power: Mapping[str, Any], plan: Plan
) -> Iterator[str]:
    for name in ("pairs", "group_pairs"):
        notes = tables[name]["note"].drop_nulls().to_list() if name in tables else []
        n = sum(note.startswith(UNDECIDED) for note in notes)
        if n:
            yield (
                f"{n:,} of {number_of(tables[name].height, 'difference')} "
                f"{noun_for(n, 'is', 'are')} undecided: {noun_for(n, 'it', 'they')} might be "
                f"significant with more replicates; {_remedy(power, plan)}"
            )


def _remedy(power: Mapping[str, Any], plan: Plan) -> str:
    number = needed(power["tests"], plan.alpha)
    if number > MOST_ADVISED:
        return "--baseline leaves fewer tests, which need fewer replicates"
    return f"--replicates {number:,} would decide them"


def _left_out(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Yield which runs are in no mean of their group."""
    if "groups" not in tables:
        return
    for row in tables["groups"].filter(tables["groups"]["note"].is_not_null()).to_dicts():
        yield f"group {row['group']}: {row['note']}"
