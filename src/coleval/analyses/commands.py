"""The tables of commands that are no analyses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.analyses.score.spec import PLACES
from coleval.declare.columns import columns
from coleval.declare.tables import Column, Table, WideForm, count, text

if TYPE_CHECKING:
    from collections.abc import Mapping

# Verdicts as a grid of them has room for.
_SHORT = {"valid with warnings": "warnings", "invalid": "INVALID"}
TABLES: Mapping[str, tuple[Table, ...]] = {
    "validate": (
        Table("problems", "problems", chart="coleval.render.problem_list:views"),
        Table(
            "verdicts",
            "verdict by submission and dataset",
            where="dataset",
            wide=WideForm("system", "dataset", text("verdict", names=_SHORT)),
            limit=None,
            notes=("warnings: valid with warnings",),
        ),
        Table(
            "verdicts",
            "verdict by submission",
            (
                *columns("system"),
                text("verdict"),
                count("errors"),
                count("warnings"),
                Column("problem", "first problem", "prose"),
            ),
            limit=None,
        ),
        Table(
            "systems",
            "what was read",
            (
                *columns("system"),
                text("verdict"),
                *columns("tokens sentences"),
                count("forms_differ", "forms\ndiffer"),
                count("repairs"),
                text("path"),
            ),
            limit=None,
        ),
        PLACES,
    ),
    "load": (
        Table(
            "systems",
            "what was read",
            (*columns("system items answers repairs sha256"), Column("path", "path", "text")),
            limit=None,
        ),
    ),
    "help": (
        Table(
            "columns",
            "what the columns of {table} mean",
            (text("column"), Column("meaning", "meaning", "prose")),
            apart=("table",),
            limit=None,
        ),
    ),
    "bench": (Table("bench", chart="coleval.render.speed_bars:views"),),
}
