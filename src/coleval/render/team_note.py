"""What an organiser mails to one team: the verdicts on its files, what to mend, and in which lines.

Problems that name another team, or say what to do with options of ``coleval``, are left out.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from coleval.corpus.report import Report

# Of problems of one kind in one file, so many are described.
_ALIKE = 3
_BETWEEN_TEAMS = ("identical answers", "identical files")
_VERDICTS = {
    "valid": "is valid",
    "valid with warnings": "is valid, with warnings",
    "invalid": "is invalid: it cannot be scored as it is",
    "missing": "is missing, or lacks answers",
    "not matched": "is not where it is expected, or is called otherwise",
}


def team_note(report: Report, team: str) -> str:
    """Return the note in Markdown; the report is that of the team alone."""
    verdicts = report.table("verdicts").to_dicts()
    problems = [row for row in report.table("problems").to_dicts()
                if row["kind"] not in _BETWEEN_TEAMS]  # fmt: skip
    lines = [f"# Submission of {team}", ""]
    for row in verdicts:
        verdict = row["verdict"] if problems else row["verdict"].partition(" with")[0]
        lines.append(f"- {row['dataset'] or 'The submission'} {_VERDICTS[verdict]}.")
    if not problems:
        lines += ["", "There is nothing to mend. Thank you!"]
    for file, rows in groupby(problems, key=lambda row: row["file"]):
        lines += ["", f"## {file}" if "{" not in file else "## Missing files", ""]
        lines += _of_file(sorted(rows, key=lambda row: (not row["fatal"], row["kind"])))
    return "\n".join((*lines, "", f"`{report.signature}`", ""))


def _of_file(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    for kind, alike in groupby(rows, key=lambda row: row["kind"]):
        each = list(alike)
        for row in each[:_ALIKE]:
            where = f"Line {row['line']:,}: " if row["line"] else ""
            # What has no line says itself how many there are.
            often = f" ({row['n']:,} times)" if row["n"] > 1 and where else ""
            what = "Error" if row["fatal"] else "Warning"
            said = row["problem"] if where else f"This {row['problem']}"
            said = said if "{" not in row["file"] else row["problem"]
            yield f"- **{what}.** {where}{said}{often}.{_remedy(row['remedy'])}"
        if rest := each[_ALIKE:]:
            places = ", ".join(f"{row['line']:,}" for row in rest[:10] if row["line"])
            lines = f" (lines {places}{', …' if len(rest) > 10 else ''})" if places else ""
            yield f"- … and {sum(row['n'] for row in rest):,} more of this kind, {kind}{lines}."


def _remedy(text: str) -> str:
    """Return what a team can do, without what only those who run coleval can."""
    parts = re.split(r"[;,] ", text) if "--" in text else [text]
    advice = "; ".join(part for part in parts if "--" not in part)
    return f" {advice[0].upper()}{advice[1:]}{'' if advice[-1] in '?.!' else '.'}" if advice else ""
