"""Items in their sentences as people read them: the words, gold's answer, who says what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.analyses.examples.spec import KINDS
from coleval.render.sheet import WRONG, Card, CardAnswer, Paragraph, Prose, View
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.report import Report

    Row = Mapping[str, Any]

_PLACE = ("dataset", "part", "document", "sentence", "id", "label")
# Names of systems that a screen shows behind one answer.
_NAMES = 3


def views(report: Report, width: int) -> tuple[View, ...]:  # noqa: ARG001
    """Return a paragraph for each item."""
    rows = report.table("examples").to_dicts()
    answers: dict[int, list[Row]] = {}
    if "answers" in report.tables:
        for answer in report.table("answers").to_dicts():
            answers.setdefault(answer["rank"], []).append(answer)
    paragraphs = tuple(_paragraph(row, answers.get(row["rank"], [])) for row in rows)
    return (Prose("examples", "items worth a look", paragraphs),)


def _paragraph(row: Row, answers: Sequence[Row]) -> Paragraph:
    said = "; ".join(_said(answer) for answer in answers)
    known = row["difficulty"] is not None and row["kind"] != "hardest"
    solved = f" · {row['difficulty']} of {row['of']} solve it" if known else ""
    body = f"gold: {visible(row['gold'])} · {visible(row['about'])}{solved} · {said}"
    return Paragraph(_sentence(row), body, card=_card(row, answers))


def _sentence(row: Row) -> str:
    left, right = (visible(row[side]) if row.get(side) else "" for side in ("left", "right"))
    form = visible(row["form"]) if row["form"] else f"item {row['item']}"
    return " ".join(filter(None, (left, f"[{form}]", right)))


def _said(answer: Row) -> str:
    names = answer["systems"]
    shown = ", ".join(visible(name) for name in names[:_NAMES])
    more = f" +{len(names) - _NAMES}" if len(names) > _NAMES else ""
    return f"{visible(answer['answer'])}{'' if answer['right'] else WRONG}: {shown}{more}"


def _card(row: Row, answers: Sequence[Row]) -> Card:
    place = " · ".join(f"{name} {row[name]}" for name in _PLACE if row.get(name) is not None)
    return Card(
        KINDS[row["kind"]],
        "" if row["kind"] == "hardest" else row["about"],
        (row.get("left") or "", row["form"] or f"item {row['item']}", row.get("right") or ""),
        row["gold"],
        "" if row["difficulty"] is None else f"{row['difficulty']} of {row['of']} solve it",
        place,
        row.get("dataset") or "",
        tuple(CardAnswer(a["answer"], a["right"], tuple(a["systems"])) for a in answers),
    )
