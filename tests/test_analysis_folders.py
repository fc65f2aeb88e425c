"""Every analysis of the registry has in its folder what its spec declares."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest

from coleval.analyses.commands import TABLES
from coleval.analyses.registry import ANALYSES
from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import Counting
from coleval.declare.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator


def lacking(analysis: Analysis[..., Any]) -> list[str]:
    """Return what is declared and not there, each with what to write."""
    return [*_parts(analysis), *_charts(analysis.tables), *_chapter(analysis)]


def _parts(analysis: Analysis[..., Any]) -> Iterator[str]:
    needed = [("tables", analysis.name)]
    needed += [tuple(analysis.verdict.split(":"))] if analysis.verdict else []  # type: ignore[list-item]
    needed += [("findings", "finding")] if analysis.chapter else []
    for module, function in needed:
        try:
            found = analysis.part(module, function)
        except ImportError as error:
            yield str(error)
            continue
        size = 1 if module not in ("tables", "findings") else 2
        if len(inspect.signature(found).parameters) != size:
            yield f"{module}.py: `{function}` takes {size} arguments"


def _charts(tables: tuple[Table, ...]) -> Iterator[str]:
    for table in tables:
        try:
            picture = table.picture
        except (ImportError, AttributeError) as error:
            yield f"the chart `{table.chart}` of the table `{table.name}` is not there: {error}"
            continue
        if picture and list(inspect.signature(picture).parameters) != ["report", "width"]:
            yield f"the chart `{table.chart}` takes a report and a width"


def _chapter(analysis: Analysis[..., Any]) -> Iterator[str]:
    chapter = analysis.chapter
    if chapter is None:
        return
    known = {table.name for table in analysis.tables}
    for name in (*chapter.tables, *chapter.read, *chapter.crowded):
        if name not in known:
            yield f"the chapter keeps or reads `{name}`, which TABLES of the spec does not have"


@pytest.mark.parametrize("name", ANALYSES)
def test_a_folder_has_what_its_spec_declares(name: str) -> None:
    assert lacking(ANALYSES[name]) == []


@pytest.mark.parametrize("name", ANALYSES)
def test_the_registry_declares_an_analysis_by_its_own_name(name: str) -> None:
    analysis = ANALYSES[name]
    assert analysis.name == name
    assert analysis.options.__module__ == f"coleval.analyses.{name}.spec"
    assert analysis.about[0].islower()
    assert analysis.does.partition("\n")[0].endswith((".", ":"))


def test_no_two_chapters_have_one_place() -> None:
    places = [one.chapter.place for one in ANALYSES.values() if one.chapter]
    assert len(places) == len(set(places))


def test_pictures_of_other_commands_are_there() -> None:
    assert [text for tables in TABLES.values() for text in _charts(tables)] == []


def test_what_is_missing_is_named_with_the_path_to_write() -> None:
    unknown = Analysis("unheard", "nothing yet", Counting, does="Return nothing.",
                       chapter=Chapter("What?", ("all",), place=99))  # fmt: skip
    assert lacking(unknown) == [
        "the analysis `unheard` needs coleval/analyses/unheard/tables.py (see CONTRIBUTING.md)",
        "the analysis `unheard` needs coleval/analyses/unheard/findings.py (see CONTRIBUTING.md)",
        "the chapter keeps or reads `all`, which TABLES of the spec does not have",
    ]
    tables = (Table("pairs", chart="coleval.analyses.agree.views:nothing"),)
    half = Analysis("agree", "half of it", Counting, does="Return nothing.", tables=tables,
                    verdict="tables:gate")  # fmt: skip
    first, second = lacking(half)
    assert first == "coleval/analyses/agree/tables.py needs a function `gate`"
    assert second.startswith(
        "the chart `coleval.analyses.agree.views:nothing` of the table `pairs`"
    )
