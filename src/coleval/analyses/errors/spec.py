"""What ``errors`` says of itself: its options, its tables."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from coleval.analyses.confusion.spec import CONFUSED
from coleval.analyses.score.spec import BY_LABEL
from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.columns import columns
from coleval.declare.counting import (
    Counting,
    Engined,
    ErrorNames,
    Grouped,
    pair_option,
    pairs_option,
)
from coleval.declare.kinds import Focus, Pairs
from coleval.declare.options import declared, option
from coleval.declare.tables import ByKind, Table, count, percent, points, text


def _weighing(text: str) -> str:
    """Return weights in their shortest form."""
    from coleval.statistics.fair import parsed, shown

    return shown(parsed(text)) or "fair"


@declared
class Options(Grouped, ErrorNames, Engined, Counting):
    """The options of ``errors``."""

    focus: Focus = option(
        default="target", group="span errors", metavar="SIDE", values=get_args(Focus),
        kind="focus", signed=True,
        help="count a wrong label under the gold label (target, default) or the predicted one "
        "(system)",
    )  # fmt: skip
    weights: str | None = option(
        default=None, group="span errors", metavar="FORMULA", reads=_weighing,
        help='weights of errors: "LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN"',
    )  # fmt: skip
    ignore_punct: str = option(
        default="", group="span errors", metavar="COLUMN",
        help="ignore punctuation in spans, by this column of parts of speech",
    )  # fmt: skip
    items: bool = option(default=False, group="span errors", help="list every error in context")
    pair: Pairs = pair_option("span errors", "split the difference of A and B by kind of error")
    pairs: Pairs = pairs_option("span errors")


_SHAPES = "coleval.analyses.errors.views"
OUTCOMES = {
    "tp": "right", "le": "label", "bes": "boundary: smaller", "bel": "boundary: bigger",
    "beo": "boundary: crossing", "lbe": "label and boundary", "fn": "missed", "fp": "spurious",
}  # fmt: skip
_KEY = (
    "LE wrong label · BE wrong boundary · LBE both · FN missed · FP spurious; each error counts "
    "once"
)
_PRF = columns("precision recall f1")
_OTHERS = tuple(percent(f"{m}_f1", f"{t}\nF1", "high")
                for m, t in (("traditional", "trad."), ("weighted", "weighted")))  # fmt: skip
_UNMARKED = tuple(replace(column, better="") for column in (*_PRF, *_OTHERS))
KINDS = ("le", "be", "lbe", "fn", "fp")
_KINDS = columns("tp") + tuple(count(name, name.upper()) for name in KINDS)
_SHARES = tuple(percent(f"{name}_share", name.upper(), digits=1) for name in KINDS)
_BOTH = tuple(
    percent(f"{prefix}{name}", f"{title}\n{short}")
    for name, short in (("f1", "F1"), ("precision", "P"), ("recall", "R"))
    for prefix, title in (("traditional_", "trad."), ("", "fair"))
)
_MODES = tuple(count(n, n.upper()) for n in ("cor", "inc", "par", "mis", "spu", "tp", "fp", "fn"))
_ENDS = ("gold_start", "gold_end", "answer_start", "answer_end")
_ITEM = (text("system"), text("error"), text("gold"), text("answer"), count("sentence"))
_FIGURES = "coleval.analyses.errors.views"
# Of other kinds a span of the system may count besides that of gold.
COUNTED = {
    "fn": "\"error_gold_{system}\" = 'fn'",
    "fp": "\"error_system_{system}\" = 'fp'",
}
TABLES = (
    Table(
        "by",
        "traditional and fair scores by group; LE BE LBE FN FP: % of the errors",
        (
            text("by", "group"),
            text("system"),
            *_BOTH[:2],
            replace(_OTHERS[1], better=""),
            count("errors"),
            *_SHARES,
            *_BOTH[2:],
        ),
        where="le",
        limit=None,
        shaped_by=f"{_SHAPES}:by_group",
        notes=(_KEY,),
        figures=f"{_FIGURES}:BY",
    ),
    Table(
        "by",
        "by group and method",
        (text("by", "group"), *map(text, ("system", "method")), *_UNMARKED, *_MODES),
        limit=None,
    ),
    Table(
        "overall",
        "fair span errors, best first by fair F1",
        (text("system"), *(replace(c, title=f"fair\n{c.title}") for c in _PRF), *_OTHERS, *_KINDS),
        where="le",
        ranked_by="f1",
        limit=None,
        shaped_by=f"{_SHAPES}:overall",
        notes=(_KEY,),
        figures=f"{_FIGURES}:OVERALL",
        counts={kind: ByKind("method", {"fair": said}) for kind, said in COUNTED.items()},
    ),
    Table(
        "overall",
        "by method",
        (*map(text, ("system", "method")), *_UNMARKED, *_MODES),
        limit=40,
        figures=f"{_FIGURES}:OVERALL",
    ),
    Table("ranking", limit=None, shaped_by=f"{_SHAPES}:ranking"),
    Table(
        "labels",
        "fair span errors by label, most support first",
        (text("label"), count("support"), *_UNMARKED, *_KINDS),
        where="le",
        falling="support",
        apart=("system",),
        most=1,
        shaped_by=f"{_SHAPES}:labels",
    ),
    Table(
        "labels",
        "{method} F1 % by label (support below)",
        apart=("method",),
        shaped_by=f"{_SHAPES}:labels",
        wide=BY_LABEL,
    ),
    replace(
        CONFUSED,
        notes=("errors only; the diagonal counts boundary errors",),
        figures=f"{_FIGURES}:CONFUSION",
        counts={},
    ),
    Table(
        "statistics",
        "label distribution in gold",
        (text("label"), count("n", "gold spans"), percent("share", "share")),
        limit=30,
    ),
    Table(
        "comparison",
        "{after} compared with {before}: the difference in F1 by kind of error",
        (
            text("error", names=OUTCOMES),
            count("n_before", "{before}"),
            count("n_after", "{after}"),
            count("delta", "change"),
            points("f1", "effect on F1\n(points)"),
        ),
        apart=("before", "after"),
        limit=None,
        figures=f"{_FIGURES}:COMPARISON",
    ),
    Table(
        "moves",
        "gold spans whose outcome differs between the two systems",
        (
            text("before"),
            text("after"),
            text("error_before", "was", names=OUTCOMES),
            text("error_after", "is", names=OUTCOMES),
            count("n", "gold spans"),
        ),
        limit=20,
    ),
    Table(
        "items",
        "errors",
        (*_ITEM, text("context")),
        where="context",
        limit=40,
        notes=("[gold] {system}",),
    ),
    Table(
        "items",
        "errors",
        (*_ITEM, *(count(name, name.replace("_", "\n")) for name in _ENDS)),
        limit=40,
        notes=("an end is the first token after the span",),
    ),
    Table(
        "profile",
        chart="coleval.analyses.errors.views:views",
        figures=f"{_FIGURES}:PROFILE",
        counts={"n": ByKind("error", COUNTED)},
    ),
)


ERRORS = Analysis(
    "errors",
    "fair span errors: each error counted once, by kind",
    Options,
    examples=(
        "coleval errors gold.conll systems/*.conll",
        "coleval errors corpus/ --pair baseline crf",
    ),
    does="""Return span errors: tables ``overall``, ``labels``, ``profile``, ``confusion`` and more.

``pair`` adds ``comparison`` and ``moves``, ``items`` a row for every error.""",
    not_of_numbers="numbers have no kinds of errors",
    tables=TABLES,
    by_file=lambda _, options: not options.items,
    filtered=True,
    chapter=Chapter("What kinds of errors?", ("overall", "profile"), place=4),
)
