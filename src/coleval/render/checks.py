"""What a report checks: a file that can be scored, a limit that holds; for CI's own forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from coleval.corpus.report import Report


@dataclass(frozen=True, slots=True)
class Remark:
    """What a check says: an error makes it fail, a warning does not; with its place if known."""

    text: str
    is_error: bool
    title: str = ""
    file: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that holds or not, with all there is to say of it."""

    name: str
    about: str
    remarks: tuple[Remark, ...] = ()

    @property
    def failed(self) -> bool:
        """Tell whether an error was found."""
        return any(remark.is_error for remark in self.remarks)


def checks(report: Report, table: str | None = None) -> tuple[Check, ...]:
    """Return the files of ``validate``, the limits of a gate; of others, that they were made."""
    if table is not None:
        report.table(table)  # a misspelt name is an error
    if report.command == "validate":
        return tuple(_files(report))
    if "gate" in report.tables:
        return tuple(map(_limit, report.tables["gate"].to_dicts()))
    remarks = tuple(Remark(text, is_error=False) for text in report.warnings)
    return (Check(report.command, "was computed", remarks),)


def _files(report: Report) -> Iterator[Check]:
    """Return a check for each file, with its problems; those of no file have one of their own."""
    problems, systems = (
        report.tables[name].to_dicts() if name in report.tables else []
        for name in ("problems", "systems")
    )
    files = dict.fromkeys(row["path"] for row in systems if row.get("path"))
    files |= dict.fromkeys(row["file"] for row in problems)
    for file in files:
        found = tuple(_problem(row) for row in problems if row["file"] == file)
        yield Check(file or "all files", "can be scored", found)


def _problem(row: Mapping[str, Any]) -> Remark:
    times = f" ({row['n']:,} times)" if (row["n"] or 1) > 1 else ""
    text = "\n".join(part for part in (f"{row['problem']}{times}", row["remedy"]) if part)
    return Remark(text, bool(row["fatal"]), row["kind"] or "", row["file"] or "", row["line"])


def _limit(row: Mapping[str, Any]) -> Check:
    who = f"{row['before']} → {row['after']}" if "before" in row else row["system"]
    name = f"{who}: {row['limit']}"
    found = () if row["holds"] else (Remark(row["verdict"], is_error=True, title=name),)
    return Check(name, row["verdict"], found)
