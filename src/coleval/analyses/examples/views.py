"""Items in their sentences as people read them: the words, gold's answer, who says what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.analyses.examples.spec import KINDS
from coleval.render.sheet import WRONG, Card, CardAnswer, Paragraph, Prose, View
from coleval.render.visible import shortened, visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.report import Report

    Row = Mapping[str, Any]

_PLACE = ("dataset", "part", "document", "sentence", "id", "label")
# Names of systems that a screen shows behind one answer.
_NAMES = 3
# Of the hardest, a screen that leads with what matters shows so many, on lines of so many cells.
_LEADING, _WIDE = 3, 100
# Of a longer item, or of words next to it, the beginning and the end are shown.
_LONGEST = 400


def views(report: Report, width: int) -> tuple[View, ...]:
    """Return a paragraph for each item."""
    rows = report.table("examples").to_dicts()
    if report.leads:
        rows = [row for row in rows if row["kind"] == "hardest"][:_LEADING]
    answers: dict[int, list[Row]] = {}
    if "answers" in report.tables:
        for answer in report.table("answers").to_dicts():
            answers.setdefault(answer["rank"], []).append(answer)
    paragraphs = tuple(_paragraph(row, answers.get(row["rank"], [])) for row in rows)
    if report.leads:
        short = tuple(_short(row, paragraph, width) for row, paragraph in
                      zip(rows, paragraphs, strict=True))  # fmt: skip
        return (Prose("examples", "the hardest items", short),) if short else ()
    return (Prose("examples", "items worth a look", paragraphs),)


def _short(row: Row, paragraph: Paragraph, width: int) -> Paragraph:
    """Return an item on two lines: the words next to it, who says what."""
    form = shortened(visible(row["form"]) if row["form"] else f"item {row['item']}", width // 2)
    side = max(0, (min(width, _WIDE) - len(form) - 6) // 2)
    left, right = (visible(row[name]) if row.get(name) else "" for name in ("left", "right"))
    words = f"{_end_of(left, side)} [{form}] {_start_of(right, side)}".strip()
    return Paragraph(words, _start_of(paragraph.body, min(width, _WIDE) - 4))


def _end_of(text: str, cells: int) -> str:
    return text if len(text) <= cells else f"…{text[len(text) - cells + 1 :]}"


def _start_of(text: str, cells: int) -> str:
    """Return the beginning of a text that has no room."""
    return text if len(text) <= cells else f"{text[: max(0, cells - 1)]}…"


def _paragraph(row: Row, answers: Sequence[Row]) -> Paragraph:
    said = "; ".join(_said(answer) for answer in answers)
    known = row["difficulty"] is not None and row["kind"] != "hardest"
    solved = f" · {row['difficulty']} of {row['of']} solve it" if known else ""
    body = f"gold: {visible(row['gold'])} · {visible(row['about'])}{solved} · {said}"
    return Paragraph(_sentence(row), body, card=_card(row, answers))


def _sentence(row: Row) -> str:
    left, form, right = (visible(text) if text else "" for text in _in_sentence(row))
    return " ".join(filter(None, (left, f"[{form}]", right)))


def _in_sentence(row: Row) -> tuple[str, str, str]:
    """Return the words before an item, its own, and those behind it."""
    words = (row.get("left") or "", row["form"] or f"item {row['item']}", row.get("right") or "")
    left, form, right = (shortened(text, _LONGEST) for text in words)
    return left, form, right


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
        _in_sentence(row),
        row["gold"],
        "" if row["difficulty"] is None else f"{row['difficulty']} of {row['of']} solve it",
        place,
        row.get("dataset") or "",
        tuple(CardAnswer(a["answer"], a["right"], tuple(a["systems"])) for a in answers),
    )
