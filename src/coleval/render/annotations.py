"""Annotations of a GitHub workflow: each problem at its line, each limit that does not hold.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.checks import Remark, checks

if TYPE_CHECKING:
    from coleval.corpus.report import Report

_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def render(report: Report, table: str | None = None) -> str:
    """Return an annotation for each remark, then the verdict on all with the signature."""
    found = checks(report, table)
    failed = sum(check.failed for check in found)
    title = f"coleval {report.command}"
    lines = [annotation(remark, title) for check in found for remark in check.remarks]
    verdict = f"{failed} of {len(found)} failed" if failed else f"{len(found)} passed"
    signature = f" · {report.signature}" if report.signature else ""
    return "\n".join([*lines, _command("notice", verdict + signature, title=title)]) + "\n"


def annotation(remark: Remark, title: str) -> str:
    """Return one line that GitHub shows beside the place that it names."""
    place = {"file": remark.file, "line": "" if remark.line is None else str(remark.line)}
    named = f"{title}: {remark.title}" if remark.title else title
    return _command("error" if remark.is_error else "warning", remark.text, **place, title=named)


def _command(kind: str, text: str, **properties: str) -> str:
    given = ",".join(f"{k}={_escaped(v, _PROPERTY)}" for k, v in properties.items() if v)
    return f"::{kind} {given}::{_escaped(text, _DATA)}"


def _escaped(text: str, letters: dict[str, str]) -> str:
    return "".join(letters.get(letter, letter) for letter in text)
