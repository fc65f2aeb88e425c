"""What ``errors`` says of itself: its options, its tables."""

from __future__ import annotations

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import Counting, ErrorNames
from coleval.declare.kinds import Focus, Pairs
from coleval.declare.options import declared, option
from coleval.declare.reading import named_pairs


def _weighing(text: str) -> str:
    """Return weights in their shortest form."""
    from coleval.statistics.weights import parsed, shown

    return shown(parsed(text)) or "fair"


@declared
class Options(ErrorNames, Counting):
    """The options of ``errors``."""

    focus: Focus = option(
        default="target", group="span errors", metavar="SIDE", values=("target", "system"),
        kind="focus",
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
    pair: Pairs = option(
        default=(), group="span errors", metavar=("A", "B"), words=2, repeated=True,
        reads=named_pairs,
        help="split the difference between A and B by kind of error; may be repeated",
    )  # fmt: skip
    pairs: Pairs = option(
        default=(), group="span errors", shell=False, reads=named_pairs,
        help='several pairs: [("a", "b"), ("a", "c")]',
    )  # fmt: skip


ERRORS = Analysis(
    "errors",
    "fair span errors: each error counted once, by kind",
    Options,
    does="""Return span errors: tables ``overall``, ``labels``, ``profile``, ``confusion`` and more.

``pair`` adds ``comparison`` and ``moves``, ``items`` a row for every error.""",
    filtered=True,
    chapter=Chapter("What kinds of errors?", ("overall", "profile"), place=4),
)
