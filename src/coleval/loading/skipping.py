"""``--skip invalid``: what cannot be scored is left out, with the reason; the rest is scored."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from coleval.corpus.problems import LEFT_OUT, MISSING, Problem
from coleval.errors import DataError
from coleval.loading.cells import Cells
from coleval.loading.checking import GOLD, Checked, check_files
from coleval.loading.sources import of_logs

if TYPE_CHECKING:
    from coleval.corpus.options import Reading
    from coleval.loading.sources import Inputs
    from coleval.loading.templates import Place


def without_invalid(
    inputs: Inputs | Cells, reading: Reading
) -> tuple[Inputs | Cells, tuple[Problem, ...]]:
    """Return the inputs that can be scored, and a note for each of the others; gold must be sound.

    A file that lacks answers can be scored: what becomes of those is for ``--missing`` to say.
    """
    invalid: dict[str, Problem] = {}
    for place, one in check_files(inputs, reading, lambda _: None):
        fatal = [p for p in one.problems if p.fatal and p.kind != MISSING]
        if fatal and one.name == GOLD and not _is_log(inputs, one):
            raise fatal[0].error(sum(p.n for p in fatal) - 1)
        if fatal:
            invalid[one.path] = _note(place, one, fatal)
    if isinstance(inputs, Cells):
        return _cells(inputs, invalid), tuple(invalid.values())
    return _sound(inputs, invalid), tuple(invalid.values())


def _is_log(inputs: Inputs | Cells, one: Checked) -> bool:
    """Return whether gold is in the logs, of which the others may be sound."""
    cells = inputs.inputs.values() if isinstance(inputs, Cells) else (inputs,)
    return any(cell.logs and cell.gold.path == one.path for cell in cells)


def _note(place: Place, one: Checked, fatal: list[Problem]) -> Problem:
    of = f" on {place}:" if str(place) else ":"
    first, n = fatal[0], sum(problem.n for problem in fatal)
    more = f", and {n - 1:,} more" if n > 1 else ""
    said = f"{one.name}{of} {first.problem.partition('; ')[0]}{more}"
    return Problem(first.file, first.line, LEFT_OUT, said, "", fatal=False)


def _sound(inputs: Inputs, invalid: dict[str, Problem]) -> Inputs:
    systems = {n: source for n, source in inputs.systems.items() if source.path not in invalid}
    if inputs.logs and inputs.gold.path in invalid and systems:
        return replace(of_logs(systems.values()), hashed=inputs.hashed)
    return replace(inputs, systems=systems)


def _cells(cells: Cells, invalid: dict[str, Problem]) -> Cells:
    rest = {place: _sound(inputs, invalid) for place, inputs in cells.inputs.items()}
    ran = {name for inputs in rest.values() for name in inputs.systems}
    systems = tuple(name for name in cells.systems if name in ran or cells.logs)
    return replace(cells, inputs=rest, systems=systems)


def check_some_are_left(inputs: Inputs | Cells, left_out: tuple[Problem, ...]) -> None:
    """Raise if all systems were left out."""
    if left_out and not inputs.systems:
        raise DataError(
            f"none of {len(left_out):,} files can be scored; {left_out[0].problem}",
            where=left_out[0].where, remedy="`coleval validate` lists all problems",
        )  # fmt: skip
