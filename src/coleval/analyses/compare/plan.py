"""How systems are compared: every choice, settled before anything is counted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING

from coleval.analyses.counted import scored_items
from coleval.declare.counting import CHAIN_METRICS
from coleval.declare.counting import METRICS as TREE_METRICS
from coleval.errors import UsageError, unknown
from coleval.metrics.counting import by_pattern, counting_of, units_with_gold
from coleval.metrics.registry import measure, metric_named
from coleval.statistics.measure import informed, of_rows, total
from coleval.statistics.paired import MANY_UNITS, OF_UNITS
from coleval.statistics.resampling import Replicates

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus
    from coleval.metrics.model import UnitCounting
    from coleval.statistics.measure import Measure

REPLICATES = 1000
# The smallest p of n replicates is 1/(n+1): enough of them for Holm over all pairs, in reason.
# Where that is not below the smallest level that tables mark, the tail says more than the count.
PER_TEST, MOST, SMALLEST = 40, 20_000, 0.001
# Where a formula has the small p: differences (pairs × replicates) for intervals and other p.
DIFFERENCES = 100_000_000
RESAMPLING = ("bootstrap", "randomisation")
_MCNEMAR = ("accuracy", "sentences", *TREE_METRICS)
_EFFECTS = {"mcnemar": "g", "mcnemar-midp": "g", "wilcoxon": "rank-biserial", "sign": "g"}


@dataclass(frozen=True, slots=True)
class Plan:
    """The score, the test and the correction; "" is a default not yet filled in.

    ``extended``: undecided pairs get more replicates; ``bounded``: p too small to count is bounded,
    or by ``formula`` where that is known.
    """

    metric: str
    test: str = ""
    correct: str = "holm"
    replicates: int = REPLICATES
    seed: int = 0
    unit_of_resampling: str = ""
    alpha: float = 0.05
    baseline: str = ""
    group: str = ""
    by: tuple[str, ...] = ()
    resample: str = ""
    extended: bool = False
    bounded: bool = False
    formula: bool = False
    folds: str = ""
    test_share: float | None = None

    def parts(self) -> dict[str, str]:
        """Return the plan as a signature has it."""
        return {
            "metric": self.metric,
            "test": f"{self.test}/{self.replicates}{'+' * self.extended}",
            "correct": self.correct,
            "resample": self.drawn,
            "alpha": f"{self.alpha:g}",
            "effect": _EFFECTS.get(self.test, "dz"),
            "seed": str(self.seed),
            **({"baseline": self.baseline} if self.baseline else {}),
            **({"group": self.group} if self.group else {}),
            **({"by": ",".join(self.by)} if self.by else {}),
            **({"folds": self.folds} if self.folds else {}),
            **({} if self.test_share is None else {"test_share": f"{self.test_share:g}"}),
        }

    @property
    def drawn(self) -> str:
        """Return what is drawn: units of a kind, or the groups."""
        return "group" if self.resample == "groups" else self.unit_of_resampling


@dataclass(frozen=True, slots=True)
class Setting:
    """What a plan is carried out on: counted items, the measure over them, how it is resampled.

    ``informed`` units have anything to score.
    """

    plan: Plan
    counting: UnitCounting
    measure: Measure
    resampling: Replicates
    informed: int

    @property
    def units(self) -> int:
        """Return how many units there are, those without items too."""
        n = self.measure.n
        return len(self.resampling.key) if n is None else int(n.sum())

    @property
    def expected(self) -> int:
        """Return how much there is to be right in all units, for a share of what is right."""
        return int(total(self.measure.classes[0]().below, self.measure.n).sum())

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the names of the systems."""
        return self.counting.items.systems


def settled(corpus: Corpus, **given: object) -> tuple[Corpus, Plan]:
    """Return the corpus under the metric's options, and the plan with every default filled in."""
    chosen = {name: value for name, value in given.items() if value is not None}
    metric = str(
        chosen.pop("metric", "")
        or corpus.task_kind.headline(corpus, corpus.at(corpus.scoring.unit))
    )
    metric_named(metric, corpus)
    if metric in TREE_METRICS:
        corpus = corpus.scored_by({"metric": metric})
    if metric in CHAIN_METRICS:
        # Chains reach over all of a document, even where there is but one.
        chosen.setdefault("unit_of_resampling", "document")
    plan = Plan(metric, **chosen)  # type: ignore[arg-type]
    _sound(corpus, plan)
    if metric == "sentences" and not plan.unit_of_resampling:
        plan = replace(plan, unit_of_resampling=scored_items(corpus).group)
    counted = counting_of(corpus, scored_items(corpus), plan.unit_of_resampling)
    plan = replace(plan, unit_of_resampling=counted.kind)
    counted = counted if plan.by else by_pattern(counted, metric)
    plan = replace(plan, test=plan.test or _usual(counted, plan))
    if plan.resample == "groups":
        plan = replace(plan, test=str(given.get("test") or "") or "randomisation")
    if "replicates" in chosen:
        return corpus, plan
    return corpus, _enough(corpus, plan, has_formula=_has_formula(counted, plan))


def _has_formula(counted: UnitCounting, plan: Plan) -> bool:
    """Return whether p of the bootstrap is known without replicates: of one ratio of sums."""
    whole = not (plan.by or plan.group or plan.folds)
    if plan.test != "bootstrap" or not whole:
        return False
    score = measure(plan.metric, counted)
    many = units_with_gold(counted, plan.metric) >= MANY_UNITS
    return many and not score.average and score.combined is None and len(score.classes) == 1


def _usual(counted: UnitCounting, plan: Plan) -> str:
    """Return the test that suits the units.

    Where each is right or wrong, exchanges of units are the coins of McNemar's test, which has
    their p without drawing any. Else those in which gold has anything decide: few need exchanges.
    """
    alone = not (plan.by or plan.group or plan.folds)
    if alone and plan.metric in _MCNEMAR:
        below = measure(plan.metric, counted).classes[0]().below
        if len(below) == 1 and below.max(initial=0) == 1:
            return "mcnemar"
    few = units_with_gold(counted, plan.metric) < MANY_UNITS
    return "randomisation" if few else "bootstrap"


def setting(corpus: Corpus, plan: Plan) -> Setting:
    """Return what a settled plan is carried out on."""
    how = counting_of(corpus, scored_items(corpus), plan.unit_of_resampling)
    of_items = plan.test.startswith("mcnemar")
    counted = how if plan.by else by_pattern(how, plan.metric)
    score, keys = measure(plan.metric, counted, of_items=of_items), counted.units.key
    if plan.by:
        from coleval.analyses.compare.by_group import averaged

        score, keys = averaged(corpus, plan, how, score)
    (score,), keys = of_rows([score], keys, counted.units.n)
    return Setting(plan, how, score, Replicates(keys, plan.seed, plan.replicates), informed(score))


def _enough(corpus: Corpus, plan: Plan, *, has_formula: bool) -> Plan:
    """Return the plan with replicates for the first of all corrected p values to be small."""
    systems = len(corpus.systems)
    tests = systems - 1 if plan.baseline else systems * (systems - 1) // 2
    if plan.correct == "none" or plan.test not in RESAMPLING:
        return replace(plan, replicates=REPLICATES)
    needed = ceil(PER_TEST * tests / 1000) * 1000
    replicates = min(MOST, max(REPLICATES, needed))
    bounded = tests / (replicates + 1) >= SMALLEST
    formula = bounded and has_formula
    if formula:
        replicates = min(replicates, max(REPLICATES, DIFFERENCES // tests // 1000 * 1000))
    return replace(plan, replicates=replicates, extended=True, bounded=bounded, formula=formula)


def _sound(corpus: Corpus, plan: Plan) -> None:
    """Raise for a plan that cannot be carried out."""
    if plan.baseline and plan.baseline not in corpus.systems:
        raise unknown("system", plan.baseline, corpus.systems, where="--baseline")
    if plan.resample and not plan.by:
        raise UsageError(
            "there are no groups to draw", where="--resample", remedy="name them: --by dataset"
        )
    if plan.by:
        _sound_groups(plan)
    if plan.test.startswith("mcnemar") and plan.metric not in _MCNEMAR:
        raise UsageError(
            f"McNemar's test compares right and wrong items; it cannot test {plan.metric}",
            where="--test",
            remedy=f"{'--above X' if corpus.task_kind.numeric else '--metric accuracy'}, or --test "
            "bootstrap or randomisation",
        )


def _sound_groups(plan: Plan) -> None:
    """Raise for a test that takes no mean over groups."""
    if plan.test.startswith("mcnemar"):
        raise UsageError(
            "McNemar's test counts items, whatever group they are in",
            where="--by",
            remedy="--test bootstrap or randomisation",
        )
    if plan.test in OF_UNITS and plan.resample != "groups":
        raise UsageError(
            f"--test {plan.test} looks at units, whatever group they are in",
            where="--by",
            remedy="--resample groups takes groups as units, or --test bootstrap or randomisation",
        )
