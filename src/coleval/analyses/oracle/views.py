"""Upper bounds for people: what is in reach, a ladder of bars, votes, labels, shared errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.analyses.wording import noun_for, number_of
from coleval.declare.figures import Figure
from coleval.declare.tables import Column, Shaped, count, percent, points, text
from coleval.render.halves import Half, alike, full_percent, short_percent, square
from coleval.render.listing import ratio, whole
from coleval.render.sheet import PAPER, Cell, Head, Paragraph, Prose, Sheet, View
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.report import Report


FEW = 4

Row = dict[str, object]


def overall(report: Report, width: int) -> tuple[View, ...]:
    """Return what any, the best and most systems get: in words, on paper as a list."""
    row = report.table("overall").to_dicts()[0]
    if not row["items"]:
        return (Prose("overall", "", (Paragraph("There are no gold items.", ""),)),)
    if width >= PAPER:
        return (_bounds(row),)
    n = len(report.table("ladder"))
    head = (
        f"At least one of {n:,} systems is right on {_share(row, 'oracle')} of "
        f"{whole(row['items'])} items."
    )
    return (
        Prose("overall", "upper bound of a combination of systems", (Paragraph(head, _told(row)),)),
    )


def _told(row: Row) -> str:
    best = (
        f"The best system, {visible(str(row['best_system']))}, is right on {_share(row, 'best')};"
    )
    gain = f"a perfect choice between systems would gain {ratio(row['gain'])} points."
    vote = f"A majority vote is right on {_share(row, 'majority')}{_invented(row)}"
    parts = [best, gain, f"{vote}; ties go to the better system."]
    if row["sentences"]:
        reach = f"{whole(row['sentences_correct'])} of {whole(row['sentences'])}"
        parts.insert(2, f"In {reach} sentences every item is solved by some system.")
    return " ".join(parts)


def _bounds(row: Row) -> Sheet:
    """Return the upper bound, the best system and the majority, a row each."""
    best = visible(str(row["best_system"]))
    named = {"oracle": "upper bound", "best": f"best system: {best}", "majority": "majority vote"}
    rows = tuple(
        (Cell(name), Cell(whole(row[f"{part}_correct"])), Cell(ratio(row[part])))
        for part, name in named.items()
    )
    heads = (Head("", right=False), Head("right"), Head("%"))
    told = [f"{whole(row['items'])} items", f"{ratio(row['gain'])} points to gain"]
    told += [f"the majority falsely predicts {whole(row['majority_invented'])}"] * (
        row["majority_invented"] is not None
    )
    if row["sentences"]:
        told.append(
            f"nothing out of reach in {whole(row['sentences_correct'])} of "
            f"{whole(row['sentences'])} sentences"
        )
    title = "upper bound of a combination"
    return Sheet("overall", title, heads, rows, (" · ".join(told),))


def _share(row: Row, part: str) -> str:
    share = row[part]
    return f"{whole(row[f'{part}_correct'])} ({ratio(share)} %)"


def _invented(row: Row) -> str:
    n = row["majority_invented"]
    return "" if n is None else f" and adds {whole(n)} spurious answers"


def ladder(report: Report) -> Shaped:
    """Return the systems that add something; of a crowd, those that add nothing are counted."""
    frame = report.table("ladder")
    if report.shown is None:
        return Shaped(frame)
    adding = frame.filter(frame["adds"] > 0)
    if adding.height == frame.height:
        return Shaped(frame)
    rest = number_of(frame.height - adding.height, "more system")
    note = f"{rest} {noun_for(frame.height - adding.height, 'adds', 'add')} nothing"
    return Shaped(adding, notes=(note,))


def labels(report: Report) -> Shaped:
    """Return the bound of each label; of few systems, what each has of it, else the best's name."""
    frame = report.table("labels")
    if len(report.table("ladder")) > FEW:
        return Shaped(frame, (text("best_system", "best\nsystem"),))
    own = report.table("systems").pivot("system", index="label", values="accuracy")
    # A system may be called as one of the columns is.
    named = {name: f"share of {name}" for name in own.columns[1:]}
    columns = tuple(Column(key, f"{visible(name)}\n%", "ratio") for name, key in named.items())
    joined = frame.join(own.rename(named), on="label", how="left", maintain_order="left")
    return Shaped(joined, columns)


def overlap(report: Report, width: int) -> tuple[View, ...]:
    """Return the squares of shared errors and of shared correct answers.

    Below the diagonal is the share of what either of the two has, above it that of all items; in
    the last square both are of what one system has right, that of the row.
    """
    frame = report.table("overlap")
    if frame.is_empty():
        return ()
    systems = report.table("systems").filter(report.table("systems")["label"].is_null())
    scores = dict(systems.select("system", "accuracy").iter_rows())
    rows = frame.to_dicts()
    shown, note = alike(scores, [(row["a"], row["b"]) for row in rows if row["identical"]])
    rank = {system: at for at, system in enumerate(scores)}
    for row in rows:
        own = [row["correct_of_a"], row["correct_of_b"]]
        by_rank = own if rank[str(row["a"])] > rank[str(row["b"])] else own[::-1]
        row["of_worse"], row["of_better"] = by_rank
    squares = []
    for what, of, columns in (
        ("shared errors",
         "lower triangle: % of the errors of either system (Jaccard); upper: % of all items",
         ("jaccard", "share")),
        ("shared correct answers",
         "lower triangle: % of what either has right (Jaccard); upper: % of all items",
         ("correct_jaccard", "correct_share")),
        ("shared correct answers", "% of what the row's system has right (as Tuggener 2017)",
         ("of_worse", "of_better")),
    ):  # fmt: skip
        title = f"{what}; {of}"
        halves = _shared(rows, rank, *columns)
        squares.append(square("overlap", title, shown, *halves, width=width, notes=note))
    return tuple(squares)


def _shared(
    rows: Sequence[Row], rank: Mapping[str, int], of_either: str, of_all: str
) -> tuple[Half, Half]:
    """Return both halves; the better system's column holds the one, its row the other."""
    jaccard: dict[tuple[str, str], float | None] = {}
    share: dict[tuple[str, str], float | None] = {}
    for row in rows:
        better, worse = sorted((str(row["a"]), str(row["b"])), key=lambda system: rank[system])
        jaccard[worse, better] = _number(row[of_either])
        share[better, worse] = _number(row[of_all])
    return Half(jaccard, full_percent, short_percent), Half(share, full_percent, short_percent)


def _number(value: object) -> float | None:
    return value if isinstance(value, float) else None


LADDER = (
    Figure(
        "lines",
        "items that at least one of the best k systems solves",
        count("k"),
        percent("oracle", "solved"),
        also=(text("system", "with"), count("adds")),
    ),
)
LABELS = (
    Figure(
        "ranges",
        "the best system (○) and the upper bound (●) by gold label",
        text("label"),
        points("gain", "gain in points"),
        low="best",
        high="oracle",
        also=(percent("best", "best system"), percent("oracle", "upper bound")),
        axis="items right %",
        top=40,
    ),
)
BY_SYSTEMS = (
    Figure(
        "heat map",
        "items that each system has right, by group",
        text("by", "group"),
        percent("accuracy", "right"),
        text("system"),
        top=40,
    ),
)
LEAVE_ONE_OUT = (
    Figure(
        "bars",
        "items that no other system solves",
        text("system"),
        count("alone", "items"),
    ),
)
OVERLAP = (
    Figure(
        "heat map",
        "errors that two systems have in common, of the errors of both",
        text("a", ""),
        percent("jaccard", "in common"),
        text("b", "system"),
        mirrored=True,
    ),
)
