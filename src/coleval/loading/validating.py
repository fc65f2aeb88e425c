"""``coleval validate``: the report that an organiser reads, and mails to teams.

``checking`` says what is wrong with each file; here stand the verdicts by submission and dataset,
what is missing, what matches nothing, and which submissions are the same.
"""

from __future__ import annotations

import os
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from coleval.corpus.grid import natural
from coleval.corpus.places import places_table
from coleval.corpus.problems import MISSING, Problem
from coleval.corpus.report import Report
from coleval.errors import unknown
from coleval.loading.cells import NOT_READ, UNREAD, Cells
from coleval.loading.checked_files import remember, remembered
from coleval.loading.checking import GOLD, Checked, check_files, with_known_labels
from coleval.loading.encodings import encoding_notes
from coleval.loading.sources import Inputs, origin
from coleval.loading.templates import Place, few
from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.options import Reading
    from coleval.loading.loading import Progress

# From the best verdict to the worst; a dataset of several parts has the worst of theirs.
VALID, WARNED, LACKING, UNMATCHED, INVALID = VERDICTS = (
    "valid", "valid with warnings", "missing", "not matched", "invalid",
)  # fmt: skip
_PROBLEMS = {
    "file": pl.String, "line": pl.Int64, "kind": pl.String, "problem": pl.String,
    "remedy": pl.String, "n": pl.Int64, "fatal": pl.Boolean, "system": pl.String,
}  # fmt: skip
_SYSTEMS = {
    "system": pl.String, "path": pl.String, "tokens": pl.Int64, "sentences": pl.Int64,
    "forms_differ": pl.Int64, "repairs": pl.Int64, "verdict": pl.String,
}  # fmt: skip
_VERDICTS = {
    "system": pl.String, "dataset": pl.String, "verdict": pl.String, "errors": pl.Int64,
    "warnings": pl.Int64, "problem": pl.String,
}  # fmt: skip


# Of so many parts each has a column of the grid; of more, datasets have.
_MOST = 24


class Complaint(NamedTuple):
    """A problem, the system whose it is ("" for none), and the gold file if it is of one."""

    system: str
    place: Place | None
    problem: Problem


def validate(
    inputs: Inputs | Cells, reading: Reading, progress: Progress, earlier: Corpus | None = None,
    memory: str = "",
) -> Report:  # fmt: skip
    """Return all problems and the verdicts; ``earlier`` submissions are compared with these.

    What was found in files that have not changed since is read from the file ``memory``.
    """
    known = remembered(memory, inputs, reading) if memory else {}
    checked = check_files(inputs, reading, progress, known)
    if memory:
        remember(memory, checked, reading)
    checked = with_known_labels(checked)
    complaints = [
        *_of_submissions(checked, encoding_notes(inputs)),
        *(_of_cells(inputs) if isinstance(inputs, Cells) else ()),
        *(() if earlier is None else _resubmitted(inputs, earlier)),
    ]
    return report_of(checked, reading, complaints, list(_places(inputs)))


def report_of(
    checked: Sequence[tuple[Place, Checked]],
    reading: Reading,
    complaints: Iterable[Complaint] = (),
    places: Sequence[Place] = (Place(),),
) -> Report:
    """Return the report of what was checked, with complaints that are of no one file."""
    every = [*(Complaint(one.name, at, p) for at, one in checked for p in one.problems),
             *complaints]  # fmt: skip
    # What is wrong with gold, each system that is read with it brings up again.
    gold = {one.path for _, one in checked if one.name == GOLD}
    of_gold = {one.problem for one in every if one.problem.file in gold}
    rows = {one.problem: GOLD if one.problem in of_gold else one.system for one in reversed(every)}
    problems = [{**asdict(one), "system": name or None} for one, name in reversed(rows.items())]
    read = {(one.name, at) for at, one in checked}
    by_file: dict[tuple[str, Place | None], list[Problem]] = {}
    for system, place, problem in dict.fromkeys(every):
        # A second file of a run, which is not read, is no fault of the first.
        if problem.kind != UNREAD or (system, place) not in read:
            by_file.setdefault((system, place), []).append(problem)
    files = [_file_row(one, by_file.get((one.name, at), ())) for at, one in checked]
    verdicts = list(_verdicts(checked, by_file, places))
    tables = {
        "problems": pl.DataFrame(problems, schema=_PROBLEMS, orient="row"),
        "verdicts": pl.DataFrame(verdicts, schema=_VERDICTS, orient="row"),
        "systems": pl.DataFrame(files, schema=_SYSTEMS, orient="row"),
    }
    if any(one.places for _, one in checked):
        names = dict.fromkeys(one.name for _, one in checked)
        tables["places"] = places_table({one.name: one.places for _, one in checked}, names)
    return Report("validate", tables, _signature(reading, len(files)))


def sound(report: Report, *, strict: bool = False) -> bool:
    """Return whether everything that was checked can be scored, ``strict`` without warnings."""
    problems = report.table("problems")
    return not (len(problems) if strict else problems["fatal"].any())


def of_team(report: Report, team: str) -> Report:
    """Return what a report says of one system; raise for a name that it does not have."""
    names = report.table("verdicts")["system"].unique().to_list()
    if team not in names:
        raise unknown("system", team, names, where="--for")
    tables = {name: table.filter(pl.col("system") == team) for name, table in report.tables.items()}
    return replace(report, tables=tables)


# -- verdicts --------------------------------------------------------------------------------------
def verdict_of(problems: Iterable[Problem]) -> str:
    """Return the verdict on what has these problems."""
    fatal = {problem.kind == MISSING for problem in problems if problem.fatal}
    if fatal:
        return INVALID if False in fatal else LACKING
    return WARNED if list(problems) else VALID


def _file_row(checked: Checked, problems: Iterable[Problem]) -> dict[str, Any]:
    row = {name: getattr(checked, name, None) for name in _SYSTEMS}
    return {**row, "system": checked.name, "verdict": verdict_of(problems)}


def _verdicts(
    checked: Sequence[tuple[Place, Checked]],
    by_file: Mapping[tuple[str, Place | None], list[Problem]],
    places: Sequence[Place],
) -> Iterator[dict[str, Any]]:
    """Yield a row for each submission and dataset, or part, whether there is a file or not."""
    read = {(one.name, at) for at, one in checked}
    systems = [*(one.name for _, one in checked), *(system for system, _ in by_file if system)]
    names = list(dict.fromkeys(systems))
    if len(places) > 1:
        names.sort(key=lambda name: (name != GOLD, natural(name)))
    columns: dict[str, list[Place]] = {}
    for place in places:
        columns.setdefault(str(place) if len(places) <= _MOST else place.dataset, []).append(place)
    for system in names:
        for head, own_places in columns.items():
            files = [by_file.get((system, place), []) for place in own_places]
            verdicts = [
                verdict_of(own) if (system, place) in read else UNMATCHED if own else LACKING
                for place, own in zip(own_places, files, strict=True)
            ]
            own = [problem for file in files for problem in file]
            first = min(own, key=lambda problem: not problem.fatal, default=None)
            yield {
                "system": system,
                "dataset": head or None,
                "verdict": max(verdicts, key=VERDICTS.index),
                "errors": sum(p.n for p in own if p.fatal),
                "warnings": sum(p.n for p in own if not p.fatal),
                "problem": first and f"{first.problem} ({first.where})",
            }


def _signature(reading: Reading, files: int) -> str:
    parts = [
        f"coleval:{__version__}", f"task:{reading.task or 'by format'}",
        f"scheme:{reading.scheme}", f"repair:{reading.repair}", f"files:{files}",
    ]  # fmt: skip
    return "|".join(parts)


# -- what is of no single file ---------------------------------------------------------------------
def _places(inputs: Inputs | Cells) -> Iterable[Place]:
    return inputs.inputs if isinstance(inputs, Cells) else (Place(),)


def _of_submissions(
    checked: Sequence[tuple[Place, Checked]], encodings: Mapping[str, Problem]
) -> Iterator[Complaint]:
    """Yield which files are written in another encoding, and which submissions are the same."""
    parts: dict[str, list[tuple[Place, Checked]]] = {}
    for place, one in checked:
        parts.setdefault(one.name, []).append((place, one))
        if one.path in encodings:
            yield Complaint(one.name, place, encodings[one.path])
    gold = {place: one.answers for place, one in parts.pop(GOLD, [])}
    first: dict[tuple[tuple[Place, str], ...], Checked] = {}
    for own in parts.values():
        one = own[0][1]
        twin = first.setdefault(tuple((place, each.answers) for place, each in own), one)
        if all(each.answers in (GOLD, gold.get(place)) for place, each in own):
            other = "gold"
        elif twin is not one:
            other = f"`{twin.name}` ({twin.path})"
        else:
            continue
        if all(each.answers for _, each in own):
            same = Problem(
                one.path, None, "identical answers", f"every answer is that of {other}",
                "is it the right file?", fatal=False,
            )  # fmt: skip
            yield from (Complaint(one.name, place, same) for place, _ in own)


def _resubmitted(inputs: Inputs | Cells, earlier: Corpus) -> Iterator[Complaint]:
    """Yield which files a store has already, byte for byte, as those of another system."""
    stored = earlier.grid.cells if earlier.grid else ()
    entries = [entry for cell in stored for entry in cell.entries.values()] or earlier.entries
    known = {e.origin.sha256: e for e in entries if e.name and e.origin.sha256}
    cells = inputs.inputs if isinstance(inputs, Cells) else {Place(): inputs}
    for place, own in cells.items():
        for name, source in own.systems.items():
            entry = known.get(origin(source, hashed=True).sha256)
            if entry is not None and entry.name != name:
                said = f"the file is that of `{entry.name}`, an earlier submission"
                yield Complaint(name, place, Problem(
                    source.path, None, "identical files", f"{said} ({entry.origin.path})",
                    "is it the right file?", fatal=False,
                ))  # fmt: skip


def _of_cells(cells: Cells) -> Iterator[Complaint]:
    """Yield what is wrong with files as a whole: gold without runs, runs without gold, others."""
    for name in cells.systems:
        if lacking := [at for at, one in cells.inputs.items() if name not in _run(one)]:
            problem = Problem(
                cells.paths.get(name, name), None, "missing run",
                f"`{name}` has no run on {len(lacking):,} of {len(cells.inputs):,} gold files: "
                f"{few(list(map(str, lacking)))}",
                "add them; or evaluate with --missing wrong or --missing leave-out", len(lacking),
            )  # fmt: skip
            yield Complaint(name, None, problem)
    yield from (Complaint("", None, note) for note in cells.notes if note.kind != UNREAD)
    for path in (path for files in cells.unread.values() for path in files):
        problem = Problem(path, None, UNREAD, "matches no template", NOT_READ, fatal=False)
        yield Complaint(*_owner(path, cells), problem)


def _run(inputs: Inputs) -> set[str]:
    """Return the systems that have run on a gold file; logs are by their paths."""
    if not inputs.logs:
        return set(inputs.systems)
    return {source.name for source in (inputs.gold, *inputs.systems.values())}


def _owner(path: str, cells: Cells) -> tuple[str, Place | None]:
    """Return the system and the gold file that the path of a file seems to name."""
    steps, system = path.split("/"), ""
    for template in cells.paths.values():
        pattern = os.path.normpath(template).split("/")
        at = pattern.index("{system}") if "{system}" in pattern else len(steps)
        if at < len(steps) - 1 and pattern[:at] == steps[:at]:
            system = steps[at]
    if not system:
        near = [name for name in cells.systems if name in Path(path).name]
        system = max(near, key=len, default="")
    words = {*re.split(r"[\W_]+", path.casefold().removeprefix("/".join(steps[:-2])))}
    fit = [place for place in cells.inputs
           if {name.casefold() for name in place if name} <= words]  # fmt: skip
    return system, next(iter(fit), None)
