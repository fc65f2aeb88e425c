"""The options that several analyses share: what is counted, which trees count, how units are drawn.

``None`` is "as the corpus has it": what ``load`` or ``with_options`` chose.
"""

from __future__ import annotations

from typing import Any, get_args

from coleval.declare.kinds import (
    Attachment,
    Average,
    Bucketing,
    Chained,
    Correction,
    Engine,
    Generated,
    Missing,
    Names,
    Singletons,
    Taxonomy,
    Undefined,
)
from coleval.declare.options import declared, option, options_of
from coleval.declare.reading import named_pairs
from coleval.errors import UsageError

METRICS: tuple[str, ...] = get_args(Attachment)
CHAIN_METRICS: tuple[str, ...] = get_args(Chained)
TEXT_METRICS: tuple[str, ...] = get_args(Generated)
# What draws units, in analyses that need not.
_DRAWING = ("intervals", "leaderboard", "gaps")


@declared
class Counting:
    """What is counted, whatever the task."""

    systems: Names | None = option(
        default=None, group="counting", metavar="PATTERN",
        help="only these systems: names or globs, separated by commas",
        in_python="only these systems: names or globs, with commas or as a list",
    )  # fmt: skip
    unit: str | None = option(
        needs=("units",), default=None, group="counting", metavar="UNIT",
        help="token or span, character (offsets), string (entities); for coreference (antecedents) "
        "any or nominal",
    )  # fmt: skip
    labels: Names | None = option(
        needs=("labels",), default=None, group="counting", metavar="LIST",
        help="only these labels; or of the macro average: union (default), gold, all",
    )  # fmt: skip
    average: Average | None = option(
        needs=("macro",), default=None, group="counting", shell=False,
        help="the labels a macro average is over: union (default), gold, all",
    )  # fmt: skip
    exclude: Names | None = option(
        needs=("labels",),
        default=None,
        group="counting",
        metavar="LIST",
        help="treat these labels as outside",
    )
    where: str | None = option(
        default=None, group="counting", metavar="SQL",
        help='only items that satisfy this condition: "sentence < 100"',
    )  # fmt: skip
    bins_from: Names | None = option(
        needs=("difficulty",), default=None, group="counting", metavar="PATTERN",
        help="compute difficulty from these systems (default: all)",
    )  # fmt: skip
    undefined: Undefined | None = option(
        needs=("ratios",), default=None, group="counting", values=("null", "0", "1"), choose=True,
        help="value of undefined scores, 0/0 (default null)",
    )  # fmt: skip
    missing: Missing | None = option(
        default=None, group="counting", values=get_args(Missing), choose=True,
        help="answers that are not there, of instances or of whole datasets: error (default), "
        "wrong, or leave-out (count what is there)",
    )  # fmt: skip
    lower: bool | None = option(
        needs=("numbers",), default=None, group="counting", both=True,
        help="lower scores are better (default: higher ones)",
    )  # fmt: skip
    above: float | None = option(
        needs=("numbers",), default=None, group="counting", metavar="X", number=float,
        help="a score of X or more is right (with --lower: X or less), any other wrong",
    )  # fmt: skip
    singletons: Singletons | None = option(
        needs=("scored chains",),
        default=None, group="coreference: chains", values=get_args(Singletons), choose=True,
        help="chains of a single mention (default keep)",
    )  # fmt: skip


@declared
class Conventions:
    """Which words and relations of dependency trees count."""

    punct: bool | None = option(
        needs=("trees",), default=None, group="dependencies", both=True,
        help="count words with the gold relation punct (default, except in changes and oracle)",
    )  # fmt: skip
    subtypes: bool | None = option(
        needs=("trees",), default=None, group="dependencies", both=True,
        help="compare subtypes, so that nmod:poss is not nmod "
        "(default only in changes and oracle)",
    )  # fmt: skip
    functional: Names | None = option(
        needs=("function words",), default=None, group="dependencies", metavar="LIST",
        help="relations of function words, left out of clas, mlas and blex",
    )  # fmt: skip


@declared
class Attached(Conventions):
    """Which answers of dependency trees are equal."""

    metric: str | None = option(
        needs=("metrics",), default=None, group="counting", metavar="NAME",
        help=f"metric: of trees las (default), {', '.join(METRICS[1:])}; of numbers mean, mae, "
        f"rmse …; of generated text bleu (default), {', '.join(TEXT_METRICS[1:])}",
    )  # fmt: skip


@declared
class TreeCounting(Attached, Counting):
    """What is counted, and which answers of dependency trees are equal."""


@declared
class Ranked(Conventions):
    """By which score systems are ranked."""

    metric: str | None = option(
        needs=("ranks",), default=None, group="counting", metavar="NAME",
        help=f"score that ranks: of trees las (default), {', '.join(METRICS[1:])}; of coreference "
        f"conll (default), {', '.join(CHAIN_METRICS[1:])}; of labels any that `compare` has; of "
        "numbers mean, mae, rmse …; of generated text bleu (default), "
        f"{', '.join(TEXT_METRICS[1:])}",
    )  # fmt: skip


@declared
class RankedCounting(Ranked, Counting):
    """What is counted, and by which score systems are ranked."""


def several(given: Any) -> tuple[str, ...]:
    """Return names one by one; a text is one of them, for an expression may have commas."""
    return (given,) if isinstance(given, str) else tuple(given)


@declared
class Grouped:
    """By what a corpus is taken apart, each part being evaluated by itself."""

    by: Names = option(
        default=(), group="groups", metavar="COLUMN", repeated=True, reads=several,
        help="also evaluate each group of a column by itself (dataset, document, genre …) or of "
        "an SQL expression; repeated options are crossed",
        in_python="also evaluate each group of these columns or SQL expressions by itself; "
        "several are crossed",
    )  # fmt: skip


@declared
class Engined:
    """Where counting happens; the numbers are the same."""

    engine: Engine | None = option(
        default=None, group="counting", metavar="NAME", values=get_args(Engine),
        help="what groups the items into patterns that are counted: polars (default), duckdb, or "
        "spark, on a cluster",
    )  # fmt: skip
    master: str | None = option(
        needs=("cluster",), default=None, group="counting", metavar="URL",
        help="the cluster of --engine spark: spark://HOST:7077, sc://HOST:15002 (Connect), yarn, "
        "local[4] (default: local[*], all cores of this machine)",
    )  # fmt: skip


@declared
class Keys:
    """Which systems take the place of the key of coreference."""

    key: str | None = option(
        needs=("chains",), default=None, group="coreference: keys", metavar="NAME",
        help="also use this system as key, or all: every system",
    )  # fmt: skip


@declared
class ErrorNames:
    """By which names span errors are counted."""

    taxonomy: Taxonomy | None = option(
        default=None, group="span errors", metavar="NAME",
        help="names of the errors: fair (default), nervaluate, hipe",
    )  # fmt: skip


@declared
class BucketRule:
    """By which rule values are cut into buckets."""

    bucketing: Bucketing | None = option(
        default=None, group="attributes", metavar="NAME",
        help="rule for bucket edges: coleval (default) or interpreteval",
    )  # fmt: skip


def pair_option(group: str, help: str) -> Any:  # noqa: A002  - as argparse calls it
    """Return the option of two systems that are compared, which may be repeated."""
    return option(
        default=(), group=group, metavar=("A", "B"), words=2, repeated=True, reads=named_pairs,
        help=f"{help}; may be repeated",
    )  # fmt: skip


def pairs_option(group: str) -> Any:
    """Return the option of several pairs at once, which Python alone has."""
    return option(
        default=(), group=group, shell=False, reads=named_pairs,
        help='several pairs: [("a", "b"), ("a", "c")]',
    )  # fmt: skip


@declared
class Corrected:
    """How p values are corrected for the number of tests."""

    correct: Correction = option(
        default="holm", group="comparing", metavar="HOW", values=get_args(Correction),
        kind="correction", help="correction for multiple tests: holm (default), bh, none",
    )  # fmt: skip


@declared
class WithIntervals:
    """Whether scores have intervals."""

    intervals: bool = option(
        default=False, group="intervals", help="show a bootstrap interval for each score"
    )


def _level(alpha: float) -> None:
    if not 0 < alpha < 1:
        raise UsageError(
            f"{alpha:g} is not between 0 and 1",
            where="--alpha",
            remedy="for example --alpha 0.05",
        )


@declared
class Resampled:
    """How units are drawn; ``None`` is what suits the corpus and the number of tests."""

    replicates: int | None = option(
        only_with=_DRAWING,
        default=None, group="resampling", metavar="N", number=int, least=1,
        help="number of replicates (default 1000; compare adds more if needed)",
    )  # fmt: skip
    seed: int | None = option(
        only_with=_DRAWING,
        default=None, group="resampling", metavar="K", number=int,
        help="seed of the random numbers (default 0); units without an id are identified by "
        "their position in gold",
    )  # fmt: skip
    alpha: float | None = option(
        only_with=_DRAWING,
        default=None, group="resampling", metavar="A", number=float, check=_level,
        help="significance level; intervals cover 1 − A (default 0.05)",
    )  # fmt: skip
    unit_of_resampling: str | None = option(
        only_with=_DRAWING,
        default=None, group="resampling", metavar="UNIT",
        help="what is resampled: document (default if there are several), sentence, item, or "
        "another column",
    )  # fmt: skip


# How any analysis counts, as ``with_options`` and ``load`` take it.
COUNTING_OPTIONS = {
    name: one
    for kind in (TreeCounting, Keys, ErrorNames, BucketRule, Engined)
    for name, one in options_of(kind).items()
}
