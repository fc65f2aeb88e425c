"""What all findings of a report are about: one metric under one name, and whose bins count."""

from __future__ import annotations

from dataclasses import dataclass

from coleval.analyses.compare.metrics import titled
from coleval.declare.counting import CHAIN_METRICS
from coleval.declare.counting import METRICS as TREE_METRICS


@dataclass(frozen=True, slots=True)
class Topic:
    """The metric that ranks, the items, and the systems that set the difficulty.

    ``empty_is_answer``: each item has an answer, so that there is an accuracy; ``chosen``: the
    bins are those of chosen systems (``--bins-from``); ``group``: what groups are called; ``tied``:
    the best system and those not significantly worse, where that is tested.
    """

    metric: str
    unit: str
    empty_is_answer: bool
    judges: tuple[str, ...]
    chosen: bool = False
    group: str = "group"
    tied: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Return the metric as sentences name it."""
        return titled(self.metric)

    @property
    def item_title(self) -> str:
        """Return the score that chapters about items have: of coreference, that of mentions."""
        return titled(f"arcs_{self.unit}") if self.metric in CHAIN_METRICS else self.title

    @property
    def bucket_metric(self) -> str:
        """Return which score of a bucket is the metric's own."""
        return "accuracy" if self.empty_is_answer else "f1"

    @property
    def share_title(self) -> str:
        """Return the name of the share of gold's items that are right."""
        if self.metric in TREE_METRICS or self.metric == "accuracy":
            return self.title
        return "recall"
