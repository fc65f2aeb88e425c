"""What ``buckets`` says of itself: its options, its tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from coleval.analyses.trained import TrainingData
from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import (
    BucketRule,
    Corrected,
    Engined,
    Resampled,
    TreeCounting,
    WithIntervals,
    pair_option,
    pairs_option,
    several,
)
from coleval.declare.kinds import BucketScore, Names, Pairs
from coleval.declare.options import Alias, declared, option
from coleval.declare.reading import names_of, pairs_for
from coleval.declare.tables import (
    Column,
    Table,
    WideForm,
    bar,
    count,
    decimal,
    differing,
    percent,
    points,
    text,
)

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus


@declared
class Options(TrainingData, WithIntervals, Corrected, Resampled, BucketRule, Engined, TreeCounting):
    """The options of ``buckets``."""

    attributes: Names = option(
        default=(), group="attributes", metavar="LIST", repeated=True,
        help="attributes or columns, default (those of the paper, or of trees), all; `coleval "
        "attributes` lists them",
        aliases=(
            Alias(
                "--attribute", "NAME=SQL",
                'any SQL expression over the items: "late=position > 20"; may be repeated',
            ),
        ),
        in_python="names, columns, default (those of the paper, or of trees), all; or "
        'expressions over the items: ["sLen", "late=position > 20"]',
    )  # fmt: skip
    vocabulary: Any = option(
        default="", group="attributes", metavar="FILE", help="known words for oDen, one per line"
    )
    buckets: Mapping[str, str] | Names = option(
        default=(), group="attributes", metavar="NAME=HOW", repeated=True,
        help='how to form buckets: "sLen=quantile 6", "eDen=interval 0,0.2,1 apart 0", '
        '"label=discrete 5"',
        in_python='how values are cut: {"sLen": "quantile 6", "eDen": "interval 0,0.2,1 apart 0"}',
    )  # fmt: skip
    edges: Any = option(
        default="", group="attributes", metavar="FILE", help="use the bucket edges of this file"
    )
    save_edges: Any = option(
        signed=False,
        default="",
        group="attributes",
        metavar="FILE",
        help="write the bucket edges to this file",
    )
    by: BucketScore = option(
        default="f1", group="comparing", metavar="SCORE", kind="metric",
        values=get_args(BucketScore),
        help="score of each bucket: f1 (default), precision, recall; for tokens also accuracy",
    )  # fmt: skip
    cross: Pairs = option(
        default=(), group="comparing", metavar=("X", "Y"), words=2, repeated=True,
        reads=pairs_for("--cross"), help="cross two attributes",
    )  # fmt: skip
    pair: Pairs = pair_option("comparing", "compare B with A by bucket")
    pairs: Pairs = pairs_option("comparing")
    versions: Names = option(
        default=(), group="comparing", metavar="NAMES", reads=names_of,
        help="versions of a system, the oldest first: the gain of each over the one before",
    )  # fmt: skip
    gaps: bool = option(
        default=False, group="comparing",
        help="test whether the best bucket is better than the worst by more than chance (recall)",
    )  # fmt: skip
    datasets: Mapping[str, Corpus] | None = option(
        default=None, group="comparing", flag="--dataset", metavar="NAME=SOURCE", words="+",
        repeated=True,
        help="another corpus: NAME=GOLD SYSTEM… (or NAME=STORE), with train=FILE",
        in_python="more corpora by name, in the same tables",
    )  # fmt: skip
    over: Names = option(
        default=(), group="comparing", metavar="COLUMN", repeated=True, reads=several,
        help="break down each group of a column by itself (dataset, document …) or of an SQL "
        "expression, and average over the groups",
        in_python="break down each group of these columns or SQL expressions by itself",
    )  # fmt: skip
    name: str = option(
        default="", group="comparing", shell=False,
        help="the name of this corpus among ``datasets``",
    )  # fmt: skip


_SHAPES = "coleval.analyses.buckets.views"
_PAIR = ("before", "after")
_LETTERS = (
    "σ standard deviation over buckets, weighted by n · ζ mean value in gold · |ρ| mean rank "
    "correlation between bucket order and score"
)
_GAP = (
    Column("gap", "gap\npoints", "ratio", digits=1),
    text("worst_bucket", "worst\nbucket"), count("worst_n", "\nn"), percent("worst_score", "\n%"),
    text("best_bucket", "best\nbucket"), count("best_n", "\nn"), percent("best_score", "\n%"),
)  # fmt: skip
_FIGURES = "coleval.analyses.buckets.views"
_GAPS = Table(
    "self_diagnosis",
    "{system}{on}: best and worst buckets by {metric}, largest gap first",
    (text("attribute"), *_GAP, bar("gap")),
    falling="gap",
    apart=("corpus", "system", "metric"),
    most=3,
    shaped_by=f"{_SHAPES}:self_diagnosis",
    figures=f"{_FIGURES}:GAPS",
)
TABLES = (
    Table(
        "buckets",
        "{attribute}: score by bucket (items below)",
        apart=("attribute",),
        where="better",
        wide=WideForm(
            "system", "bucket", percent("value", "", "high", scored=True), below="items",
            shaded=True, among="of its bucket", crowd="buckets", cells=16,
        ),
    ),
    Table(
        "attributes",
        "best and worst bucket of each attribute (mean over systems)",
        (
            text("attribute"),
            text("worst_bucket", "worst\nbucket"), count("worst_n", "\nn"),
            percent("worst_value", "\nscore", scored=True),
            text("best_bucket", "best\nbucket"), count("best_n", "\nn"),
            percent("best_value", "\nscore", scored=True),
            differing("gap", "gap"), decimal("rho", "ρ", 2),
        ),
        where="better",
    ),
    Table(
        "buckets",
        "{attribute}{on}: {metric} % by bucket ({about})",
        apart=("corpus", "attribute", "metric", "about"),
        shaped_by=f"{_SHAPES}:buckets",
        wide=WideForm(
            "system", "bucket", percent("score", "", "high"), below="gold", shaded=True,
            among="of its bucket", crowd="buckets", cells=16,
        ),
        figures=f"{_FIGURES}:BUCKETS",
    ),
    Table(
        "attributes",
        "how {metric} varies over buckets (mean over systems), largest variation first",
        (
            text("corpus"), text("attribute"),
            Column("spread", "σ\npoints", "ratio", digits=1), *_GAP,
            decimal("zeta", "ζ", 2), decimal("zeta_scaled", "ζ of\nlargest", 2),
            decimal("rho", "|ρ|", 2), bar("spread"),
        ),
        apart=("metric",),
        shaped_by=f"{_SHAPES}:attributes",
        notes=(_LETTERS,),
        figures=f"{_FIGURES}:ATTRIBUTES",
    ),
    _GAPS,
    replace(
        _GAPS,
        title="gap between the best and the worst bucket in points{on}",
        apart=("corpus",),
        most=None,
        wide=WideForm("system", "attribute", _GAP[0], shaded=True, crowd="attributes"),
        figures=f"{_FIGURES}:GAPS_OF_MANY",
    ),
    Table(
        "systems",
        "{measure}{on}",
        apart=("corpus", "measure"),
        shaped_by=f"{_SHAPES}:systems",
        wide=WideForm("system", "attribute", decimal("value", "", 1), crowd="attributes"),
        figures=f"{_FIGURES}:SYSTEMS",
    ),
    Table(
        "averages",
        "{measure}: mean ± standard deviation over corpora",
        apart=("measure",),
        shaped_by=f"{_SHAPES}:averages",
        wide=WideForm("system", "attribute", text("value", ""), crowd="attributes"),
    ),
    Table(
        "comparison",
        "{after} compared with {before}{on}",
        (
            text("attribute"),
            text("best_bucket", "largest\ngain in"),
            points("best_delta", "\npoints"),
            text("worst_bucket", "largest\nloss in"),
            points("worst_delta", "\npoints"),
        ),
        apart=("corpus", *_PAIR),
        limit=None,
    ),
    Table(
        "heat_map",
        "{after} compared with {before}{on}: points by attribute and bucket, 1 being its first",
        apart=("corpus", *_PAIR),
        wide=WideForm(
            "attribute",
            "place",
            points("delta"),
            shaded=True,
            crowd="buckets",
        ),
        figures=f"{_FIGURES}:HEAT_MAP",
        notes=("darker: further ahead; buckets in the order of table `buckets`, – after the last",),
    ),
    Table(
        "versions",
        "{attribute}{on}: {metric} points gained over the version before",
        apart=("corpus", "attribute", "metric"),
        figures=f"{_FIGURES}:VERSIONS",
        shaped_by=f"{_SHAPES}:versions",
        wide=WideForm(
            "bucket", "system", points("delta"), total=count("gold"), shaded=True, crowd="versions",
        ),
    ),
    Table(
        "differences",
        "two systems, bucket by bucket: {metric}",
        (
            text("corpus"), *map(text, _PAIR), text("attribute"), text("bucket"),
            *(percent(f"score_{side}", side) for side in _PAIR),
            points("delta"), percent("relative", "relative\n%"),
        ),
        apart=("metric",),
        inside=True,
        shaped_by=f"{_SHAPES}:differences",
    ),
    Table(
        "tests",
        "Do scores differ between buckets (Friedman), or between two systems (Wilcoxon)?",
        (
            *map(text, ("corpus", "test", "attribute", "systems", "sample")),
            decimal("p", "p"), decimal("p_adjusted", "p\nadjusted"),
        ),
        shaped_by=f"{_SHAPES}:tests",
    ),
    Table(
        "gap_tests",
        "Is the best bucket better than the worst by more than chance? Recall of gold items",
        (
            *map(text, ("corpus", "system", "attribute")), text("best_bucket", "best\nbucket"),
            text("worst_bucket", "worst\nbucket"), differing("gap", "gap\npoints"),
            text("dealt", "dealt\nout"), decimal("p", "p"),
            decimal("p_adjusted", "p\nadjusted"), text("note"),
        ),
    ),
    Table(
        "crossed",
        "{system}{on}: {attribute} (rows) × {by} (columns), {metric} %",
        apart=("corpus", "attribute", "by", "system", "metric"),
        screens=12,
        shaped_by=f"{_SHAPES}:crossed",
        wide=WideForm(
            "bucket", "by_bucket", percent("score", ""), total=count("gold"), shaded=True,
            crowd="buckets",
        ),
        figures=f"{_FIGURES}:CROSSED",
    ),
)  # fmt: skip


BUCKETS = Analysis(
    "buckets",
    "where systems fail: scores by attributes of the items",
    Options,
    examples=(
        "coleval buckets gold.conll systems/*.conll --train train.conll",
        "coleval buckets corpus/ --attributes eLen,label --pair baseline crf",
    ),
    does="""Return scores by attribute: ``buckets``, ``attributes``, ``tests`` and more.

``pair`` adds ``comparison``, ``heat_map`` and ``differences``, ``cross`` adds ``crossed``,
``versions`` adds the gain of each version over the one before, ``gaps`` tests of gaps.""",
    of_numbers="numbers",
    right_or_wrong="edges save_edges by cross pair pairs versions gaps datasets over "
    "bucketing correct vocabulary train train_columns",
    tables=TABLES,
    filtered=True,
    chapter=Chapter(
        "Where do systems fail?", ("attributes", "self_diagnosis"), place=6, read=("buckets",)
    ),
)
