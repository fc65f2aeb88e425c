"""JUnit's XML, which CI servers show as tests: a case for each file, or each limit of a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from coleval.render.checks import Check, Remark, checks
from coleval.render.visible import visible

if TYPE_CHECKING:
    from coleval.corpus.report import Report


def render(report: Report, table: str | None = None) -> str:
    """Return a suite with a case for each check; the signature is one of its properties."""
    found = checks(report, table)
    failed = sum(check.failed for check in found)
    name = f"coleval {report.command}"
    sizes = f'tests="{len(found)}" failures="{failed}"'
    signature = f'<property name="signature" value="{_text(report.signature)}"/>'
    return "\n".join((
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {sizes}>",
        f'  <testsuite name="{name}" {sizes}>',
        f"    <properties>{signature}</properties>",
        *(_case(name, check) for check in found),
        "  </testsuite>",
        "</testsuites>",
        "",
    ))  # fmt: skip


def _case(suite: str, check: Check) -> str:
    head = f'    <testcase classname="{suite}" name="{_text(check.name)}"'
    if not check.remarks:
        return f"{head}/>"
    return "\n".join([f"{head}>", *map(_remark, check.remarks), "    </testcase>"])


def _remark(remark: Remark) -> str:
    place = remark.file if remark.line is None else f"{remark.file}:{remark.line}"
    said = f"{place}: {remark.text}" if place else remark.text
    if not remark.is_error:
        return f"      <system-out>{_text(said)}</system-out>"
    first = said.partition("\n")[0]
    return f'      <failure message="{_text(first)}">{_text(said)}</failure>'


def _text(text: str) -> str:
    """Return a text for XML, which has no place for most control characters."""
    lines = (escape(visible(line), {'"': "&quot;"}) for line in text.splitlines())
    return "\n".join(lines)
