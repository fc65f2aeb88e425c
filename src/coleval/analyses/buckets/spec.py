"""What ``buckets`` says of itself: its options, its tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import BucketRule, Resampled, TreeCounting
from coleval.declare.kinds import BucketScore, Correction, Names, Pairs
from coleval.declare.options import Alias, declared, option
from coleval.declare.reading import named_pairs
from coleval.declare.tables import Table, percent, points, text

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus


@declared
class Options(Resampled, BucketRule, TreeCounting):
    """The options of ``buckets``."""

    train: Any = option(
        default=None, group="training data", metavar="FILE",
        help="the tagged text that the systems were trained on",
        in_python="tagged text that systems were trained on: a path or a frame",
    )  # fmt: skip
    train_columns: str = option(
        default="", group="training data", metavar="MAP",
        help="columns of the training file, if its labels are not in the last one",
    )  # fmt: skip
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
        default="", group="attributes", metavar="FILE", help="write the bucket edges to this file"
    )
    by: BucketScore = option(
        default="f1", group="comparing", metavar="SCORE",
        help="score of each bucket: f1 (default), precision, recall; for tokens also accuracy",
    )  # fmt: skip
    cross: Pairs = option(
        default=(), group="comparing", metavar=("X", "Y"), words=2, repeated=True,
        help="cross two attributes",
    )  # fmt: skip
    pair: Pairs = option(
        default=(), group="comparing", metavar=("A", "B"), words=2, repeated=True,
        reads=named_pairs, help="compare B with A by bucket; may be repeated",
    )  # fmt: skip
    pairs: Pairs = option(
        default=(), group="comparing", shell=False, reads=named_pairs,
        help='several pairs: [("a", "b"), ("a", "c")]',
    )  # fmt: skip
    correct: Correction = option(
        default="holm", group="comparing", metavar="HOW",
        help="correction for multiple tests: holm (default), bh, none",
    )  # fmt: skip
    datasets: Mapping[str, Corpus] | None = option(
        default=None, group="comparing", flag="--dataset", metavar="NAME=SOURCE", words="+",
        repeated=True,
        help="another corpus: NAME=GOLD SYSTEM… (or NAME=STORE), with train=FILE",
        in_python="more corpora by name, in the same tables",
    )  # fmt: skip
    name: str = option(
        default="", group="comparing", shell=False,
        help="the name of this corpus among ``datasets``",
    )  # fmt: skip
    intervals: bool = option(
        default=False, group="intervals", help="show a bootstrap interval for each score"
    )


_MAPS, _BARS = (f"coleval.analyses.buckets.{module}" for module in ("maps", "bars"))
_SCORES = {"f1": "F1", "precision": "P", "recall": "R", "accuracy": "accuracy"}
_PAIR = ("before", "after")
TABLES = (
    Table("buckets", chart=f"{_MAPS}:views"),
    Table("attributes", chart=f"{_BARS}:attributes"),
    Table("self_diagnosis", chart=f"{_BARS}:self_diagnosis"),
    Table("systems", chart=f"{_BARS}:systems"),
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
        "differences",
        "two systems, bucket by bucket",
        (
            text("corpus"),
            *map(text, _PAIR),
            text("attribute"),
            text("bucket"),
            *(
                percent(f"{score}_{side}", f"{name}\n{side} %")
                for score, name in _SCORES.items()
                for side in _PAIR
            ),
            points("delta"),
            percent("relative", "relative\n%"),
        ),
        inside=True,
    ),
    Table("tests", chart=f"{_BARS}:tests"),
    Table("crossed", chart=f"{_MAPS}:crossed"),
)


BUCKETS = Analysis(
    "buckets",
    "where systems fail: scores by attributes of the items",
    Options,
    does="""Return scores by attribute: ``buckets``, ``attributes``, ``tests`` and more.

``pair`` adds ``comparison`` and ``differences``, ``cross`` adds ``crossed``.""",
    tables=TABLES,
    filtered=True,
    chapter=Chapter(
        "Where do systems fail?", ("attributes", "self_diagnosis"), place=6, read=("buckets",)
    ),
)
