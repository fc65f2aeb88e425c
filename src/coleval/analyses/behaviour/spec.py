"""What ``behaviour`` says of itself: its options, its tables."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import Counting
from coleval.declare.options import declared, option
from coleval.declare.tables import Column, Table, WideForm, count, decimal, percent, text
from coleval.errors import GateError, UsageError

if TYPE_CHECKING:
    from coleval.corpus.report import Report

_GATE = re.compile(r"max_failed=(\d+\.?\d*|\.\d+)(%?)")


def limit_of(gate: str) -> tuple[float, bool]:
    """Return how many cases of a system may fail, and whether that is a share of them."""
    match = _GATE.fullmatch(gate.strip() or "max_failed=100%")
    if match is None:
        raise UsageError(f"`{gate}` sets no limit", where="--gate",
                         remedy="max_failed=20 or max_failed=5%")  # fmt: skip
    return float(match[1]) / (100 if match[2] else 1), bool(match[2])


def check(report: Report) -> None:
    """Raise if some system fails more cases than the gate allows."""
    if "gate" not in report.tables:
        return
    broken = [row for row in report.table("gate").to_dicts() if not row["holds"]]
    if broken:
        lines = [f"{row['system']}: {row['verdict']}" for row in broken]
        raise GateError("\n       ".join(lines), where=f"--gate {broken[0]['limit']}",
                        remedy="see what fails: --table cases")  # fmt: skip


@declared
class Cases:
    """Which rows belong together, and what is expected of them: for ``report`` too."""

    case: str = option(
        default="", group="behaviour", metavar="COLUMN",
        help="rows with one value belong together: a template that is filled several times",
    )  # fmt: skip
    original: str = option(
        default="", group="behaviour", metavar="COLUMN",
        help="the id of the row that a row was made from; each such row is a case, unless --case "
        "says which belong together",
    )  # fmt: skip
    expect: str = option(
        default="gold", group="behaviour", metavar="WHAT",
        help="what is expected: gold (default), same, change, up, down, not-up, not-down, label=X, "
        "or a column of these (with --original, gold: the answer changes where gold does)",
    )  # fmt: skip
    test: str = option(
        default="",
        group="behaviour",
        metavar="COLUMN",
        help="the test that a case belongs to",
    )
    capability: str = option(
        default="",
        group="behaviour",
        metavar="COLUMN",
        help="the capability that it tests",
    )
    groups: str = option(
        default="", group="behaviour", metavar="COLUMN",
        help="whose answers are the odd ones: a column such as the group that a text is about",
    )  # fmt: skip
    relations: Any = option(
        default=None, group="behaviour", flag="--with", metavar="FILE",
        help="a table with more columns of the rows, which it names by their ids",
        in_python="a table with more columns of the rows, by id: a path or a frame",
    )  # fmt: skip
    epsilon: float = option(
        only_with=("expect",), default=0.1, group="behaviour", metavar="N",
        number=float, least=0,
        help="numbers go up or down by more than this (default 0.1)",
    )  # fmt: skip


@declared
class Options(Cases, Counting):
    """The options of ``behaviour``."""

    gate: str = option(
        default="", group="behaviour", metavar="LIMIT", check=limit_of,
        help="fail with exit code 1 where a system fails more cases: max_failed=20, max_failed=5%",
    )  # fmt: skip


_CASES = (count("cases"), count("failed"), percent("rate", "failed\ncases", "low"))
_ENDS = (percent("low", "95 %\nlow"), percent("high", "\nhigh"))
_ROWS = (count("rows"), count("rows_failed", "failed\nrows"))
_WIDE = WideForm(
    "system", "", percent("rate", "", "low"), below="cases", shaded=True, turned=True,
    among="of its row", crowd="columns",
)  # fmt: skip


TABLES = (
    Table(
        "overall",
        "failure rates by what is expected, fewest failures first",
        (text("system"), text("expect"), *_CASES, *_ENDS, *_ROWS),
    ),
    Table("capabilities", "failed cases by capability, %",
          wide=replace(_WIDE, across="capability")),
    Table("tests", "failed cases by test, %", wide=replace(_WIDE, across="test")),
    Table(
        "groups",
        "how often the answer to a row of a group is the odd one, and which answers they get",
        (text("system"), text("group"), count("rows"), count("odd"),
         percent("odd_rate", "odd", "low")),
        shaped_by="coleval.analyses.behaviour.views:groups",
    ),
    Table(
        "pairs",
        "cases that one of two systems fails alone (McNemar's test, Holm over all pairs)",
        (text("a"), text("b"), count("cases"), count("only_a", "only a\nfails"),
         count("only_b", "only b\nfails"), decimal("p", "p"), decimal("p_adjusted", "p\nadjusted")),
    ),
    Table(
        "gate",
        "limits, and what each system fails",
        tuple(map(text, ("system", "expect", "limit", "verdict"))),
    ),
    Table(
        "cases",
        "rows that fail, those that most systems fail first",
        (*map(text, ("case", "expect", "test", "capability")), count("failed_by", "failed\nby"),
         *map(text, ("original", "item", "gold")), Column("answers", "answers", "prose"),
         Column("original_text", "original text", "prose"), Column("text", "text", "prose")),
        varying=("expect",),
        limit=10,
        shaped_by="coleval.analyses.behaviour.views:cases",
    ),
)  # fmt: skip

BEHAVIOUR = Analysis(
    "behaviour", "whether answers stay, change or move where inputs say they should", Options,
    examples=("coleval behaviour corpus/ --case sentence --expect gold",),
    does="""Return failure rates of cases that belong together (Ribeiro et al. 2020): ``overall``.

``capability``, ``test`` and ``groups`` add tables of their values; ``pairs`` compares systems,
``cases`` lists what fails.""",
    of_texts="tables",
    not_of_numbers="cases are of labels, or of columns of numbers next to labels",
    tables=TABLES,
    each=True,
    verdict="spec:check",
    gold_free=True,
    chapter=Chapter(
        "Do answers stay or change as they should?",
        ("overall", "capabilities", "tests", "groups", "cases"), place=6.5,
    ),
)  # fmt: skip
