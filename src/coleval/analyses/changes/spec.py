"""What ``changes`` says of itself: its options, its tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from coleval.declare.analysis import Analysis, Chapter
from coleval.declare.conditions import MOVES, OF_LABEL, PAIR
from coleval.declare.counting import Engined, Grouped, TreeCounting, pairs_option
from coleval.declare.kinds import Names, Pairs
from coleval.declare.options import declared, option
from coleval.declare.reading import named_pairs, names_of
from coleval.declare.tables import (
    IN_DEPTH,
    ByKind,
    Column,
    Table,
    WideForm,
    count,
    decimal,
    differing,
    percent,
    points,
    text,
)

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus


def _of_spans(corpus: Corpus, _: Any) -> bool:
    """Tell whether precision is among the numbers: only where nothing is not an answer."""
    return not corpus.at(corpus.scoring.unit).empty_is_answer


@declared
class Options(Grouped, Engined, TreeCounting):
    """The options of ``changes``."""

    pair: Pairs = option(
        default=(), kw_only=False, group="changes", metavar=("A", "B"), words=2, repeated=True,
        reads=named_pairs, help="changes from A to B; may be repeated (default: all pairs)",
        in_python='("a", "b"): from a to b (default: all pairs)',
    )  # fmt: skip
    pairs: Pairs = pairs_option("changes")
    baseline: str | None = option(
        default=None,
        group="changes",
        metavar="NAME",
        help="changes from this system to every other",
    )
    gate: str | None = option(
        default=None, group="changes", metavar="LIMITS",
        help="exit 1 beyond limits: max_new_errors=20,max_drop=0.5pp,max_diff=5%,worse=0.05",
        in_python='limits, "max_drop=0.5pp,worse=0.05": table ``gate`` says what holds',
    )  # fmt: skip
    items: bool = option(
        default=False, group="changes", help="list the items that changed, in context"
    )
    epsilon: float = option(
        needs=("only numbers",), default=0.0, group="changes", metavar="X", number=float,
        help="of scores that are numbers: a difference of at most X is none (default 0)",
    )  # fmt: skip
    kind: str | None = option(
        default=None, group="changes", metavar="KIND",
        help="only this kind of change: correction, new-error or changed-error",
    )  # fmt: skip
    antecedent: Literal["closest", "first"] | None = option(
        default=None, group="coreference: antecedents", metavar="WHICH",
        values=("closest", "first"), choose=True, kind="antecedent",
        help="nominal antecedent that has to be in gold's chain (--unit nominal): closest "
        "(default) or first, as ComparEval's program has it",
    )  # fmt: skip
    pronouns: Names = option(
        default=(), group="coreference: antecedents", metavar="TAGS", reads=names_of,
        help="tags of pronouns: the total of mentions are nouns and these, as in ComparEval's "
        "program (default: all mentions; with --profile compareval PRP,PRP$)",
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


_PAIR = ("before", "after")
_FIGURES = "coleval.analyses.changes.views"
_NUMBERS = (
    percent("value_before", "before", scored=True),
    percent("value_after", "after", scored=True),
    points("delta"),
)
_BETTER_WORSE = Table(
    "summary",
    "items that became better or worse",
    (
        text("before", "from"),
        text("after", "to"),
        count("items"),
        count("improved", "better"),
        count("declined", "worse"),
        count("equal"),
        *_NUMBERS,
        differing("mean_gain", "mean\ngain"),
        differing("mean_loss", "mean\nloss"),
    ),
    where="better",
    limit=None,
)
TABLES = (
    _BETTER_WORSE,
    replace(_BETTER_WORSE, name="pairs", title="items that became better or worse, all pairs"),
    Table(
        "items",
        "{n:,} items that changed, the largest difference first",
        (text("before", "from"), text("after", "to"), text("kind"), text("id"), *_NUMBERS),
        where="better",
        varying=_PAIR,
        limit=25,
    ),
    Table(
        "by",
        "changes by group · {before} → {after}",
        (
            text("by", "group"),
            count("items"),
            count("different", "answers\ndiffer"),
            count("corrections"),
            count("new_errors", "new\nerrors"),
            count("changed_errors", "changed\nerrors"),
            count("net"),
            points("delta", "accuracy\npoints"),
            points("f1_delta", "F1\npoints"),
        ),
        apart=_PAIR,
        most=IN_DEPTH,
        limit=None,
    ),
    Table(
        "by",
        "change of {}, in points",
        limit=None,
        shaped_by="coleval.analyses.changes.views:by_group",
        wide=WideForm("pair", "by", points("points"), crowd="groups"),
    ),
    Table(
        "summary",
        chart="coleval.analyses.changes.views:views",
        figures=f"{_FIGURES}:SUMMARY",
        counts=PAIR,
    ),
    Table(
        "pairs",
        chart="coleval.analyses.changes.views:every",
        figures=f"{_FIGURES}:PAIRS",
        counts=PAIR,
    ),
    Table(
        "changes",
        "transitions of every pair",
        (
            text("kind"),
            text("gold"),
            text("label_before", "label\nbefore"),
            text("label_after", "label\nafter"),
            count("n"),
            percent("share_of_kind", "of its\nkind"),
            percent("share_of_changes", "of all\nchanges"),
        ),
        apart=_PAIR,
        most=IN_DEPTH,
        chart="coleval.analyses.changes.lists:transitions",
        counts={"n": ByKind("kind", MOVES)},
        figures=f"{_FIGURES}:CHANGES",
    ),
    Table(
        "labels",
        "accuracy by gold label, largest change first · {before} → {after}",
        (
            text("label"),
            count("items"),
            percent("accuracy_before", "before"),
            percent("accuracy_after", "after"),
            points("delta"),
        ),
        apart=_PAIR,
        most=IN_DEPTH,
        limit=20,
        figures=f"{_FIGURES}:LABELS",
        counts={"items": OF_LABEL},
    ),
    Table(
        "flips",
        "negative flips: items that all earlier systems (in the order given) solve and this one "
        "gets wrong",
        (
            text("system"),
            count("earlier", "earlier\nsystems"),
            count("held", "solved by\nall earlier"),
            count("flips", "newly\nwrong"),
            percent("share", ""),
            count("firsts", "first\nsolved"),
        ),
        figures=f"{_FIGURES}:FLIPS",
        # Of two systems the summary says it already.
        least=2,
        limit=20,
    ),
    Table(
        "boundaries",
        "spans whose boundaries changed · {before} → {after}",
        (
            text("change", "boundary\nchange"),
            text("label_before", "before"),
            text("label_after", "after"),
            count("n"),
            count("corrected", "now right"),
            count("broken", "was right"),
        ),
        apart=_PAIR,
        most=IN_DEPTH,
        limit=20,
    ),
    Table(
        "splits",
        "changes by type of mention, for pronouns by lemma",
        (
            text("before"),
            text("after"),
            text("split"),
            text("value"),
            text("kind"),
            text("label_before", "label\nbefore"),
            text("label_after", "label\nafter"),
            count("n"),
        ),
        varying=_PAIR,
        least=1,
        limit=40,
    ),
    Table(
        "split_tests",
        "paired t-tests of right and wrong by type of mention, of pronouns also by lemma",
        (
            text("before"),
            text("after"),
            text("mention_type", "mention\ntype"),
            text("lemma"),
            count("items"),
            count("different", "differ"),
            percent("diff", "differ"),
            count("corrections", "correc-\ntions"),
            count("new_errors", "new\nerrors"),
            decimal("t", "t"),
            decimal("p", "p"),
        ),
        varying=_PAIR,
        least=1,
        limit=40,
    ),
    Table("gate", chart="coleval.analyses.changes.lists:gate"),
    Table(
        "items",
        "{n:,} items that changed",
        (
            text("before", "from"),
            text("after", "to"),
            text("kind"),
            text("gold"),
            text("label_before", "before"),
            text("label_after", "after"),
            text("id"),
            Column("left", "left", "before"),
            text("form"),
            Column("right", "right", "after"),
        ),
        varying=_PAIR,
        limit=25,
    ),
)


CHANGES = Analysis(
    "changes",
    "what changed from A to B: corrections and new errors, by label",
    Options,
    examples=(
        "coleval changes corpus/ --pair baseline crf",
        "coleval changes corpus/ --baseline baseline --gate max_drop=0.5pp",
    ),
    does="""Return what changed from one system to another: ``summary``, ``changes`` and more.

``corpus.changes(("a", "b"))`` is ``corpus.changes(pair=("a", "b"))``.""",
    of_numbers="numbers",
    right_or_wrong="kind antecedent pronouns label_before label_after",
    tables=TABLES,
    by_file=lambda _, options: not options.items,
    filtered=_of_spans,
    verdict="gate:check",
    placed="pair",
    several=True,
    chapter=Chapter(
        "Changes from the runner-up", ("summary", "changes", "pairs"), place=8, systems=2
    ),
)
