"""What ``measure`` says of itself: its options, its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, get_args

from coleval.declare.analysis import Analysis
from coleval.declare.columns import columns
from coleval.declare.counting import Grouped, TreeCounting
from coleval.declare.kinds import Distance, EmptyQueries, LogBase, Names, Pairs, Unreturned
from coleval.declare.options import declared, option
from coleval.declare.reading import names_of, pairs_for
from coleval.declare.tables import Column, Table, count, decimal, percent, text
from coleval.errors import UsageError


def _finite(beta: float) -> None:
    if not 0 < beta < inf:
        raise UsageError(
            f"{beta:g} is not a finite number above 0",
            where="--beta",
            remedy="for example --beta 2",
        )


def _base(base: str) -> None:
    if base not in BASES:
        raise UsageError(
            f"logarithms to the base {base}",
            where="--log-base",
            remedy="e, 2 or 10; without it the column holds probabilities",
        )


def _depths(given: Any) -> tuple[int, ...]:
    """Return values of k; a text has commas between them."""
    return tuple(map(_depth, names_of(given) if isinstance(given, str) else given))


def _depth(k: object) -> int:
    try:
        number = int(str(k))
    except ValueError:
        number = 0
    if number < 1:
        raise UsageError(f"`{k}` is not a number of ranks", where="--at", remedy="--at 1,5,10")
    return number


BASES = ("", "e", "2", "10")


@declared
class Options(Grouped, TreeCounting):
    """The options of ``measure``; columns by name, empty for none."""

    correlate: Pairs = option(
        default=(), group="measures", metavar=("X", "Y"), words=2, repeated=True,
        reads=pairs_for("--correlate"),
        help="correlate two systems or numeric columns; may be repeated (default: all systems)",
        in_python='("x", "y"), or several as a list: systems or numeric columns',
    )  # fmt: skip
    perplexity: str = option(
        default="", group="measures", metavar="COLUMN",
        help="perplexity of a column of token probabilities",
    )  # fmt: skip
    log_base: LogBase = option(
        only_with=("perplexity",), default="", group="measures", metavar="B", check=_base,
        help="the column holds logarithms to base e, 2 or 10",
    )  # fmt: skip
    rank: Names = option(
        default=(), group="measures", metavar="COLUMNS", reads=names_of,
        help="precision and recall at k, MAP, MRR and nDCG, ranked by these columns (`score_*`)",
    )  # fmt: skip
    relevant: str = option(
        only_with=("rank", "scores",), default="", group="measures", metavar="LABEL",
        help="the gold label that is relevant",
    )  # fmt: skip
    at: str | Sequence[int] = option(
        only_with=("rank",), default=(1, 5, 10), group="measures", metavar="LIST", reads=_depths,
        help="values of k (default 1,5,10)",
    )  # fmt: skip
    query: str = option(
        only_with=("rank",), default="", group="measures", metavar="COLUMN",
        help="column of queries: one ranked list for each value",
    )  # fmt: skip
    unreturned: Unreturned = option(
        only_with=("rank",),
        default="leave-out", group="measures", values=get_args(Unreturned), choose=True,
        help="items without a score: not ranked, as trec_eval does (default), or ranked last",
    )  # fmt: skip
    empty_queries: EmptyQueries = option(
        only_with=("rank",),
        default="leave-out", group="measures", values=get_args(EmptyQueries), choose=True,
        help="queries with nothing relevant or nothing returned: in no mean (default), or 0",
    )  # fmt: skip
    ties: str = option(
        only_with=("rank",), default="", group="measures", metavar="COLUMN",
        help="orders equal scores, the highest first (default `id` if there is one, as trec_eval "
        "does); `mean`: the mean over all orders",
    )  # fmt: skip
    scores: Names = option(
        default=(), group="measures", metavar="COLUMNS", reads=names_of,
        help="precision-recall curve, average precision, break-even and ROC AUC of these columns",
    )  # fmt: skip
    minimal_pairs: str = option(
        default="", group="measures", metavar="COLUMN",
        help="column with the id of the item that each was made from: how many answers flip "
        "(failure rates by test: behaviour)",
    )  # fmt: skip
    means: Names = option(
        default=(), group="measures", metavar="COLUMNS", reads=names_of,
        help="means of item scores that other programs gave (BLEU, ratings; `score_*`), and their "
        "differences",
    )  # fmt: skip
    meta: str = option(
        needs=("texts",), default="", group="measures", metavar="FILE",
        help="agreement of metrics with the scores of people in a table: a column for each system, "
        "and `id`, or the number of each segment from 1",
    )  # fmt: skip
    beta: float = option(
        needs=("labels",), default=1.0, group="measures", metavar="B", number=float, check=_finite,
        help="recall counts B times as much as precision (default 1)",
    )  # fmt: skip
    seed: int = option(
        default=0, group="measures", metavar="K", number=int,
        help="seed for drawing pairs of items in RSA, exchanges in means (default 0)",
    )  # fmt: skip
    vectors: Mapping[str, Any] | Names = option(
        default=(), group="measures", metavar="NAME=FILE", repeated=True,
        help="vectors of the items for RSA, one row per item: .npy, .csv, .tsv; may be repeated",
        in_python='vectors of the items for RSA: {"name": file or array}, one row per item',
    )  # fmt: skip
    distance: Distance = option(
        only_with=("vectors",),
        default="cosine", group="measures", values=get_args(Distance), choose=True,
        kind="distance", help="distance of vectors in RSA: cosine (default), correlation, "
        "euclidean",
    )  # fmt: skip
    sample: int = option(
        default=100_000, group="measures", shell=False,
        help="how many pairs of items RSA draws (default 100,000)",
    )  # fmt: skip


_TESTED = ("pearson", "spearman", "kendall")
_R = (decimal("pearson", "Pearson"), decimal("spearman", "Spearman"), text("note"))
_MEAN = tuple(decimal(name, name) for name in ("mean", "sd", "low", "high"))
_VALUES = (decimal("value_x", "x"), decimal("value_y", "y"))
_PR = (percent("precision", "P"), percent("recall", "R"))
_FIGURES = "coleval.analyses.measure.views"
_PAIRS = (
    text("system"),
    *columns("pairs"),
    count("gold_flips", "gold\nflips"),
    *columns("flips"),
    count("needless_flips", "needless\nflips"),
    count("missed_flips", "missed\nflips"),
    Column("right_originals", "original\nright %", "share", "high", "pairs"),
    Column("right_perturbed", "perturbed\nright %", "share", "high", "pairs"),
    percent("consistency", "consistency\n%", "high"),
)
TABLES = (
    Table(
        "meta",
        "agreement of metrics with scores of people, best first",
        (
            text("level"), text("metric"), count("n"), decimal("pearson", "Pearson"),
            decimal("kendall", "Kendall"), percent("accuracy", "pairwise\naccuracy", "high"),
            decimal("epsilon", "ties\nup to"),
        ),
        limit=None,
    ),
    Table(
        "correlation",
        "correlation of scores, row by row",
        (
            text("x"),
            text("y"),
            text("of", "rows"),
            count("n"),
            decimal("pearson", "Pearson"),
            decimal("spearman", "Spearman"),
            decimal("kendall", "Kendall"),
            *(decimal(f"{name}_p", f"{name.title()}\np") for name in _TESTED),
            text("note"),
        ),
        limit=25,
        figures=f"{_FIGURES}:CORRELATION",
    ),
    Table(
        "points",
        "values of two columns, or scores of two systems, that are correlated, with how often",
        (*map(text, ("x", "y", "of")), *_VALUES, count("n")),
        inside=True,
        figures=f"{_FIGURES}:POINTS",
    ),
    Table(
        "rsa",
        "representational similarity: do two systems (or vectors) separate the same items?",
        (text("a"), text("b"), count("pairs", "pairs\nof items"), *_R),
        limit=25,
    ),
    Table(
        "purity",
        "labels as clusters; purity alone rewards many small clusters",
        (
            text("system"),
            count("items"),
            count("clusters"),
            count("classes"),
            percent("purity", "purity", "high"),
            percent("inverse_purity", "inverse\npurity", "high"),
            percent("f", "F", "high"),
            decimal("homogeneity", "homo-\ngeneity"),
            decimal("completeness", "complete-\nness"),
            decimal("v_measure", "V\n(NMI)"),
        ),
        limit=25,
    ),
    Table(
        "f_beta",
        "F-beta: recall counts β times as much as precision; all labels together first (–)",
        (
            text("system"),
            text("label"),
            *columns("tp fp fn"),
            count("tn", "TN"),
            percent("accuracy", "accuracy\n%"),
            *_PR,
            decimal("beta", "β"),
            percent("f", "F"),
        ),
        limit=25,
    ),
    Table(
        "perplexity",
        "perplexity of a column of probabilities",
        (
            text("column"),
            count("items"),
            count("lacking", "missing"),
            decimal("cross_entropy", "bits"),
            decimal("perplexity", "perplexity"),
            text("note"),
        ),
        limit=25,
    ),
    Table(
        "ranking",
        "precision and recall at k",
        (text("column"), count("k"), count("queries"), decimal("hits", "hits"), *_PR,
         decimal("ndcg", "nDCG"), text("note")),
        limit=25,
    ),
    Table(
        "ranked_lists",
        "whole lists: mean average precision, mean reciprocal rank",
        (
            text("column"),
            *columns("queries items relevant"),
            count("relevant_returned", "relevant\nreturned"),
            decimal("map", "MAP"),
            decimal("mrr", "MRR"),
            decimal("ndcg", "nDCG"),
            text("note"),
        ),
        limit=25,
    ),
    Table(
        "scores",
        "precision against recall over all thresholds of a score",
        (
            text("column"), *columns("items"), count("lacking", "missing"), *columns("relevant"),
            decimal("average_precision", "average\nprecision"),
            decimal("break_even", "break-\neven"),
            decimal("roc_auc", "ROC\nAUC"),
            text("note"),
        ),
        limit=25,
        figures=f"{_FIGURES}:SCORES",
    ),
    Table(
        "pr_levels",
        "highest precision at a recall of so much or more",
        (text("column"), percent("recall", "R"), percent("precision", "P")),
        limit=33,
    ),
    Table(
        "pr_curve",
        "precision and recall of what scores a threshold or more",
        (
            text("column"),
            decimal("threshold", "threshold"),
            *columns("selected tp fp"),
            *_PR,
            percent("fpr", "false\npositive rate"),
        ),
        inside=True,
    ),
    Table(
        "means",
        "item scores: means with 95 % intervals, highest first",
        (text("column"), *columns("items"), count("lacking", "missing"), *_MEAN, text("note")),
        limit=25,
        figures=f"{_FIGURES}:MEANS",
    ),
    Table(
        "mean_pairs",
        "differences a − b of means, on the items that have both",
        (text("a"), text("b"), *columns("items"), decimal("delta", "a − b"), *_MEAN[2:],
         decimal("p", "p"), decimal("p_adjusted", "p\nadjusted"), text("note")),
        limit=25,
    ),
    Table(
        "minimal_pairs",
        "items and what was made from them; consistency: both right",
        _PAIRS,
        limit=25,
    ),
    Table("by", "minimal pairs by group", (text("by", "group"), *_PAIRS), limit=None),
)  # fmt: skip


MEASURE = Analysis(
    "measure",
    "other measures: correlation, purity, RSA, perplexity, ranking",
    Options,
    examples=(
        "coleval measure gold.conll systems/*.conll",
        "coleval measure corpus/ --correlate crf bert-base",
    ),
    does="""Return the classic measures: ``correlation``, ``purity``, ``f_beta``, ``rsa``.

``perplexity``, ``rank``, ``scores``, ``means`` and ``minimal_pairs`` each add tables.""",
    tables=TABLES,
    filtered=True,
)
