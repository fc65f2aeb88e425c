"""Training data as an option: what systems were trained on, for attributes that compare with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.declare.options import declared, option
from coleval.errors import UsageError

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus


@declared
class TrainingData:
    """The training data that attributes are worked out from."""

    train: Any = option(
        default=None, group="training data", metavar="FILE",
        help="the tagged text that the systems were trained on",
        in_python="tagged text that systems were trained on: a path or a frame",
    )  # fmt: skip
    train_columns: str = option(
        default="", group="training data", metavar="MAP",
        help="columns of the training file, if its labels are not in the last one",
    )  # fmt: skip


def trained(corpus: Corpus, options: TrainingData) -> Corpus:
    """Return the corpus with the training data of the options, its own if there are none."""
    if options.train is None and options.train_columns:
        raise UsageError(
            "there is no training file", where="--train-columns", remedy="add --train FILE"
        )
    if options.train is None:
        return corpus
    return corpus.trained(options.train, options.train_columns)


def signed(corpus: Corpus) -> dict[str, str]:
    """Return what a signature says of the training data."""
    return {"train": corpus.training.sha256[:12] or "frame"} if corpus.training else {}
