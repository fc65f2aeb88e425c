"""The registry of analyses: two lines each, which make a command and a method of ``Corpus``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.analyses.agree.spec import AGREE
from coleval.analyses.audit.spec import AUDIT
from coleval.analyses.behaviour.spec import BEHAVIOUR
from coleval.analyses.bins.spec import BINS
from coleval.analyses.buckets.spec import BUCKETS
from coleval.analyses.changes.spec import CHANGES
from coleval.analyses.compare.spec import COMPARE
from coleval.analyses.confusion.spec import CONFUSION
from coleval.analyses.errors.spec import ERRORS
from coleval.analyses.examples.spec import EXAMPLES
from coleval.analyses.items.spec import ITEMS
from coleval.analyses.measure.spec import MEASURE
from coleval.analyses.oracle.spec import ORACLE
from coleval.analyses.pivot.spec import PIVOT
from coleval.analyses.report.spec import REPORT
from coleval.analyses.score.spec import SCORE
from coleval.analyses.show.spec import SHOW
from coleval.analyses.sql.spec import SQL
from coleval.declare.analysis import Analysis
from coleval.plugins import Registry


class Analyses:
    """What a corpus can be asked, in the order of the list of commands."""

    score = SCORE
    confusion = CONFUSION
    agree = AGREE
    measure = MEASURE
    compare = COMPARE
    bins = BINS
    item_statistics = ITEMS
    audit = AUDIT
    buckets = BUCKETS
    behaviour = BEHAVIOUR
    errors = ERRORS
    changes = CHANGES
    oracle = ORACLE
    pivot = PIVOT
    examples = EXAMPLES
    show = SHOW
    sql = SQL
    report = REPORT

    if not TYPE_CHECKING:
        # Type checkers know our analyses alone, and find names that are misspelt.
        def __getattr__(self, name: str) -> Any:
            """Return the method of an analysis that another package adds."""
            if name.startswith("_") or name not in ANALYSES.added:
                problem = f"`{type(self).__name__}` has no attribute `{name}`"
                raise AttributeError(problem, name=name, obj=self)
            return ANALYSES.added[name].__get__(self, type(self))


ANALYSES: Registry[Analysis[..., Any]] = Registry(
    "analyses",
    {one.name: one for one in vars(Analyses).values() if isinstance(one, Analysis)},
    Analysis,
    # Its `tables.py` is beside what declares it.
    lambda analysis, module: analysis.placed_in(module.rpartition(".")[0]),
)
