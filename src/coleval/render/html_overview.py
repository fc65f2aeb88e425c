"""The head of a page: what was evaluated, what was found in three sentences, and two charts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from coleval.render.figures import plots
from coleval.render.html_charts import NARROW, figure
from coleval.render.html_text import clipped, readable, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.report import Report
    from coleval.render.plots import Plot

# A verdict has so many sentences, a head so many warnings.
_SENTENCES, _WARNINGS = 3, 3


def overview(report: Report, findings: Sequence[str]) -> tuple[str, frozenset[str]]:
    """Return the head of a page, and the places in it, whose figures no chapter has again."""
    first = "".join(f"<p>{readable(_first(finding))}</p>\n" for finding in findings[:_SENTENCES])
    verdict = f'<div class="verdict">\n{first}</div>\n' if first else ""
    chosen = _plots(report)
    drawn = "".join(figure(plot, NARROW) for plot in chosen.values())
    charts = f'<div class="charts">\n{drawn}</div>\n' if drawn else ""
    head = f"{facts(report)}{verdict}{charts}{_problems(report)}"
    return f'<section class="overview">\n{head}</section>\n', frozenset(chosen)


def _first(finding: str) -> str:
    """Return the first sentence of a finding; its chapter has all of it."""
    return re.split(r"(?<=[a-z0-9)])\. (?=[A-Z])", finding, maxsplit=1)[0].removesuffix(".") + "."


def facts(report: Report) -> str:
    """Return what was evaluated: task, sizes, date, command."""
    about = report.about
    if about is None:
        return ""
    version = _version(report.signature)
    parts = [f"<dt>{safe(name)}</dt><dd>{safe(value)}</dd>" for name, value in about.facts]
    parts += [f"<dt>coleval</dt><dd>{safe(version)}</dd>"] if version else []
    command = f'<div class="made"><code>{clipped(about.command)}</code></div>\n'
    body = "".join(f"<div>{part}</div>" for part in parts)
    return f'<dl class="facts">{body}</dl>\n{command if about.command else ""}'


def _version(signature: str) -> str:
    first = signature.partition("|")[0]
    return first.removeprefix("coleval:") if first.startswith("coleval:") else ""


def _plots(report: Report) -> dict[str, Plot]:
    """Return a plot for each place of the overview; a later table's before an earlier one's."""
    found: dict[str, Plot] = {}
    for name in report.tables:
        of_table: dict[str, Plot] = {}
        for plot in plots(report, name):
            if plot.figure.overview:
                of_table.setdefault(plot.figure.overview, plot)
        found |= of_table
    return found


def _problems(report: Report) -> str:
    """Return the first warnings, and where the others are."""
    lines = report.warnings
    if not lines:
        return ""
    shown = "".join(f"<li>{safe(line)}</li>\n" for line in lines[:_WARNINGS])
    rest = len(lines) - _WARNINGS
    more = f'<li><a href="#-warnings">{rest:,} more</a></li>\n' if rest > 0 else ""
    many = f"{len(lines):,} warning{'' if len(lines) == 1 else 's'}"
    return (
        f'<details class="problems"><summary>{many}</summary>\n<ul>\n{shown}{more}</ul></details>\n'
    )
