"""What ``changes`` says of itself: its options, its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.counting import TreeCounting
from coleval.declare.kinds import Pairs
from coleval.declare.options import declared, option
from coleval.declare.reading import named_pairs

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus


def _of_spans(corpus: Corpus, _: Any) -> bool:
    """Tell whether precision is among the numbers: only where nothing is not an answer."""
    return not corpus.at(corpus.scoring.unit).everything


@declared
class Options(TreeCounting):
    """The options of ``changes``."""

    pair: Pairs = option(
        default=(), kw_only=False, group="changes", metavar=("A", "B"), words=2, repeated=True,
        reads=named_pairs, help="changes from A to B; may be repeated (default: all pairs)",
        in_python='("a", "b"): from a to b (default: all pairs)',
    )  # fmt: skip
    pairs: Pairs = option(
        default=(), group="changes", shell=False, reads=named_pairs,
        help='several pairs: [("a", "b"), ("a", "c")]',
    )  # fmt: skip
    baseline: str | None = option(
        default=None,
        group="changes",
        metavar="NAME",
        help="changes from this system to every other",
    )
    gate: str | None = option(
        default=None, group="changes", metavar="LIMITS",
        help="exit 1 beyond limits: max_new_errors=20,max_drop=0.5pp,max_diff=5%",
        in_python='limits, "max_new_errors=20,max_drop=0.5pp": table ``gate`` says what holds',
    )  # fmt: skip
    items: bool = option(
        default=False, group="changes", help="list the items that changed, in context"
    )
    kind: str | None = option(
        default=None, group="changes", metavar="KIND",
        help="only this kind of change: correction, new-error or changed-error",
    )  # fmt: skip
    label_before: str | None = option(
        default=None,
        group="changes",
        flag="--from",
        metavar="LABEL",
        help="only changes from this label",
    )
    label_after: str | None = option(
        default=None, group="changes", flag="--to", metavar="LABEL",
        help="only changes to this label (_: no label)",
    )  # fmt: skip


CHANGES = Analysis(
    "changes",
    "what changed from A to B: corrections and new errors, by label",
    Options,
    does="""Return what changed from one system to another: ``summary``, ``changes`` and more.

``corpus.changes(("a", "b"))`` is ``corpus.changes(pair=("a", "b"))``.""",
    filtered=_of_spans,
    verdict="gate:check",
    placed="pair",
    several=True,
    chapter=Chapter(
        "Changes from the runner-up", ("summary", "changes", "pairs"), place=8, systems=2
    ),
)
