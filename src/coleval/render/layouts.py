"""How each table looks on a screen and in a paper: one line for each, a plain one for the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from coleval.analyses.agree import chart as agreement_matrix
from coleval.analyses.bins import chart as bin_map
from coleval.analyses.bins import lists as bin_lists
from coleval.analyses.buckets import bars as bucket_bars
from coleval.analyses.buckets import maps as bucket_maps
from coleval.analyses.changes import chart as pair_views
from coleval.analyses.changes import lists as change_views
from coleval.analyses.compare import lists as compare_lists
from coleval.analyses.compare import matrix as pair_matrix
from coleval.analyses.compare import ranks as rank_bars
from coleval.analyses.confusion import chart as confusions
from coleval.analyses.errors import bars as error_bars
from coleval.analyses.errors import lists as error_views
from coleval.analyses.measure import chart as measures
from coleval.analyses.oracle import chart as oracle_views
from coleval.analyses.pivot import chart as pivot_views
from coleval.analyses.report import chart as story_view
from coleval.analyses.score import coref_chart as coref_views
from coleval.analyses.score import labels_chart as label_matrix
from coleval.analyses.score import metrics_chart as metric_table
from coleval.analyses.show import chart as shown_items
from coleval.render import problem_list, query_result, speed_bars
from coleval.render.columns import CORRECT_OF_ITEMS, SENTENCES_RIGHT, VOCABULARY, Column
from coleval.render.listing import listing
from coleval.render.plain_lists import LISTS
from coleval.render.sheet import rows_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl

    from coleval.corpus.report import Report
    from coleval.render.sheet import Sheet, View

ROWS = 60


@dataclass(frozen=True, slots=True)
class Layout:
    """How to draw a table: which columns in which order, or a ``picture`` of its own.

    It is for frames in which the column ``where`` holds something. Equal values of ``ranked_by``
    share a rank; ``limit`` cuts what a screen shows. ``raw`` tables are shown as they are. A table
    that is ``hidden``, or whose picture is empty, is listed only where it is asked for by name.
    """

    title: str = ""
    columns: tuple[Column, ...] = ()
    where: str = ""
    ranked_by: str = ""
    limit: int | None = None
    raw: bool = False
    hidden: bool = False
    picture: Callable[[Report, int], tuple[View, ...]] | None = None


def _listed(
    command: str, name: str, picture: Callable[[Report, int], tuple[View, ...]] | None = None
) -> Layout:
    """Return a picture with the list behind it, or a list that is hidden."""
    title, columns = LISTS[command, name]
    return Layout(title, columns, limit=ROWS, hidden=picture is None, picture=picture)


def _columns(names: str) -> tuple[Column, ...]:
    """Return the columns named; those nobody knows are counts."""
    return tuple(VOCABULARY.get(name) or Column(name, name) for name in names.split())


_SYSTEM = VOCABULARY["system"]
_REPAIRS = Column("repairs", "repairs")
_PATH = Column("path", "path", "text")
_BEST_FIRST = "systems, best first"

_MULTI_LABEL = Layout(
    _BEST_FIRST,
    (
        *_columns("system samples_f1 precision recall f1 macro_f1 hamming_loss samples_jaccard"),
        Column("accuracy", "exact\nmatch %", "ratio", "high"),
    ),
    where="samples_f1",
    ranked_by="f1",
)
_LABEL = Layout(
    _BEST_FIRST,
    (
        *_columns("system accuracy accuracy_low accuracy_high"),
        CORRECT_OF_ITEMS,
        *_columns("macro_f1 weighted_f1"),
        SENTENCES_RIGHT,
    ),
    where="accuracy",
    ranked_by="accuracy",
)
_SPAN = Layout(
    _BEST_FIRST,
    (
        *_columns("system precision recall f1 f1_low f1_high macro_f1 tp fp fn"),
        SENTENCES_RIGHT,
        _REPAIRS,
    ),
    where="tp",
    ranked_by="f1",
)
_METRICS = Layout(picture=metric_table.views, where="aligned_accuracy")
_CHAINS = Layout(picture=coref_views.overall, where="recall_num")
_SOLVED = Layout(
    "systems, most solved first",
    (*_columns("system recall tp items"), Column("singular", "solved by\nno other")),
    ranked_by="tp",
)
_VALIDATED = Layout(
    "what was read",
    (
        _SYSTEM,
        Column("verdict", "verdict", "text"),
        *_columns("tokens sentences"),
        Column("forms_differ", "forms\ndiffer"),
        _REPAIRS,
        _PATH,
    ),
)
_LOADED = Layout(
    "what was read",
    (_SYSTEM, *_columns("items answers repairs sha256"), _PATH),
)

LAYOUTS: Mapping[tuple[str, str], tuple[Layout, ...]] = {
    ("score", "overall"): (_CHAINS, _METRICS, _MULTI_LABEL, _LABEL, _SPAN),
    ("score", "labels"): (Layout("by label", picture=label_matrix.views),),
    ("score", "classes"): (Layout(picture=coref_views.classes),),
    ("score", "keys"): (Layout(picture=coref_views.keys),),
    ("confusion", "confusion"): (Layout("gold label × predicted label", picture=confusions.views),),
    ("agree", "pairs"): (Layout(picture=agreement_matrix.views),),
    ("agree", "overall"): (Layout(picture=agreement_matrix.overall),),
    **{("measure", name): (Layout(picture=look),) for name, look in measures.PICTURES.items()},
    ("compare", "pairs"): (Layout(picture=pair_matrix.views),),
    ("compare", "ranks"): (Layout(picture=rank_bars.views),),
    ("compare", "power"): (Layout(picture=compare_lists.power),),
    ("compare", "groups"): (Layout(picture=compare_lists.groups),),
    ("compare", "group_pairs"): (Layout(picture=compare_lists.group_pairs),),
    ("bins", "bins"): (Layout(picture=bin_lists.fill),),
    ("bins", "tps"): (Layout(picture=bin_map.views),),
    ("bins", "systems"): (_SOLVED,),
    ("bins", "pairs"): (Layout(picture=bin_lists.pairs),),
    ("bins", "words"): (Layout(picture=bin_lists.words),),
    ("bins", "profile"): (Layout(picture=bin_lists.profile),),
    ("bins", "spurious"): (_listed("bins", "spurious", bin_lists.spurious),),
    ("bins", "items"): (Layout(picture=bin_lists.items),),
    ("buckets", "buckets"): (Layout(picture=bucket_maps.views),),
    ("buckets", "attributes"): (Layout(picture=bucket_bars.attributes),),
    ("buckets", "self_diagnosis"): (Layout(picture=bucket_bars.self_diagnosis),),
    ("buckets", "systems"): (Layout(picture=bucket_bars.systems),),
    ("buckets", "comparison"): (Layout(picture=bucket_bars.comparison),),
    ("buckets", "differences"): (_listed("buckets", "differences"),),
    ("buckets", "tests"): (Layout(picture=bucket_bars.tests),),
    ("buckets", "crossed"): (Layout(picture=bucket_maps.crossed),),
    ("changes", "summary"): (Layout(picture=pair_views.views),),
    ("changes", "pairs"): (Layout(picture=pair_views.every),),
    ("changes", "changes"): (_listed("changes", "changes", change_views.transitions),),
    ("changes", "labels"): (_listed("changes", "labels", change_views.labels),),
    ("changes", "flips"): (_listed("changes", "flips", change_views.flips),),
    ("changes", "boundaries"): (_listed("changes", "boundaries", change_views.boundaries),),
    ("changes", "splits"): (Layout(picture=coref_views.splits),),
    ("changes", "gate"): (Layout(picture=change_views.gate),),
    ("changes", "items"): (Layout(picture=change_views.items),),
    ("oracle", "overall"): (Layout(picture=oracle_views.overall),),
    ("oracle", "ladder"): (Layout(picture=oracle_views.ladder),),
    ("oracle", "labels"): (Layout(picture=oracle_views.labels),),
    ("oracle", "systems"): (_listed("oracle", "systems"),),
    ("oracle", "leave_one_out"): (Layout(picture=oracle_views.alone),),
    ("oracle", "votes"): (Layout(picture=oracle_views.votes),),
    ("oracle", "overlap"): (_listed("oracle", "overlap", oracle_views.overlap),),
    ("errors", "overall"): (Layout(picture=error_views.overall),),
    ("errors", "ranking"): (Layout(picture=error_views.ranking),),
    ("errors", "labels"): (Layout(picture=error_views.labels),),
    ("errors", "confusion"): (Layout(picture=error_views.confusion),),
    ("errors", "statistics"): (Layout(picture=error_views.statistics),),
    ("errors", "comparison"): (Layout(picture=error_views.comparison),),
    ("errors", "moves"): (Layout(picture=error_views.moves),),
    ("errors", "items"): (Layout(picture=error_views.items),),
    ("errors", "profile"): (Layout(picture=error_bars.views),),
    ("pivot", "pivot"): (Layout(picture=pivot_views.views),),
    ("pivot", "totals"): (_listed("pivot", "totals"),),
    ("pivot", "slices"): (Layout(picture=pivot_views.slices),),
    ("pivot", "tried"): (_listed("pivot", "tried"),),
    ("sql", "result"): (Layout(limit=ROWS, raw=True),),
    ("bench", "bench"): (Layout(picture=speed_bars.views),),
    ("report", "story"): (Layout(picture=story_view.views),),
    ("show", "items"): (Layout(picture=shown_items.views),),
    ("show", "words"): (_listed("show", "words"),),
    ("validate", "problems"): (Layout("problems", picture=problem_list.views),),
    ("validate", "systems"): (_VALIDATED,),
    ("load", "systems"): (_LOADED,),
}

_PLAIN = Layout(limit=ROWS)


def views(report: Report, name: str, width: int, *, alone: bool = False) -> tuple[View, ...]:
    """Return what a screen of ``width`` cells, or paper, shows of a table.

    Nothing if it is shown within another one, unless it is asked for ``alone``: then at least the
    list of its rows.
    """
    part, own = report.part(name)
    frame = part.table(own)
    layout = _layout(part.command, own, frame)
    shown = layout.picture(part, width) if layout.picture else ()
    if not shown and (alone or not (layout.picture or layout.hidden)):
        limit = ROWS if layout.picture else layout.limit
        shown = (_listing(frame, own, layout, limit and rows_for(width, limit)),)
    return tuple(_findable(view, name) for view in shown)


def _findable(view: View, name: str) -> View:
    """Return ``view`` with notes that call its table what this report calls it."""
    called = f"--table {name}"
    notes = tuple(re.sub(r"--table \S+", lambda _: called, note) for note in view.notes)
    return replace(view, table=name, notes=notes)


def _listing(frame: pl.DataFrame, name: str, layout: Layout, limit: int | None) -> Sheet:
    if layout.raw:
        return query_result.sheet(frame, name=name, limit=limit)
    return listing(
        frame,
        name=name,
        title=layout.title,
        columns=layout.columns,
        ranked_by=layout.ranked_by,
        limit=limit,
    )


def _layout(command: str, name: str, frame: pl.DataFrame) -> Layout:
    known = LAYOUTS.get((command, name), ())
    return next((layout for layout in known if _suits(layout, frame)), _PLAIN)


def _suits(layout: Layout, frame: pl.DataFrame) -> bool:
    if not layout.where:
        return True
    return layout.where in frame.columns and frame[layout.where].null_count() < frame.height
