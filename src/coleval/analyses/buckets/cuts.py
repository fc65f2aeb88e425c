"""One corpus broken down: each attribute's values, buckets and counts, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from coleval.analyses.asking import wide_table
from coleval.analyses.counted import scored_items
from coleval.annotate.attributes import ATTRIBUTES, Attribute, lacking, level_of, untrained, usual
from coleval.annotate.attributes import interpreteval as program
from coleval.annotate.attributes.facts import Facts
from coleval.annotate.attributes.model import Values, anything
from coleval.annotate.attributes.of_items import context, context_names
from coleval.annotate.attributes.span_tokens import span_tokens
from coleval.annotate.buckets import Buckets, Distribution, distribution, made_of, parsed
from coleval.corpus.lazy import Memo
from coleval.counts.buckets import (
    BucketCounts,
    Differences,
    Placed,
    bucket_counts,
    differences,
)
from coleval.counts.coref_classes import CRITERIA
from coleval.errors import DataError, UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl

    from coleval.analyses.buckets.tables import BucketPlan
    from coleval.corpus.corpus import Corpus

PROGRAM = "interpreteval"
_EVERY = ("span", "token", "string", "instance", "word", "row", "segment", *CRITERIA)


@dataclass(frozen=True, slots=True)
class AttributeCut:
    """One attribute of one corpus: over which unit, its buckets, what they hold, its mean.

    ``mean`` is that of gold's values, None for names and where nothing is known.
    """

    attribute: Attribute
    facts: Facts
    values: Values
    buckets: Buckets
    placed: Placed
    counts: BucketCounts
    mean: float | None


@dataclass(frozen=True)
class Breakdown:
    """A corpus and its facts by unit; attributes are cut when they are asked for."""

    corpus: Corpus
    plan: BucketPlan
    given: Mapping[str, Buckets]
    left_out: dict[str, list[str]] = field(default_factory=dict)
    _memo: Memo = field(default_factory=Memo)

    @cached_property
    def facts(self) -> Facts:
        """Return the facts about the items that are asked for."""
        items = scored_items(self.corpus)
        return Facts(
            self.corpus, items, self.corpus.at(self.corpus.scoring.unit), self.plan.vocabulary
        )

    @cached_property
    def token_facts(self) -> Facts:
        """Return the facts about the tokens inside spans."""
        tokens = self.corpus.at("token")
        spans = span_tokens(self.facts.items, tokens, self.facts.running)
        return Facts(self.corpus, spans.items, tokens, self.plan.vocabulary, spans.begin)

    def differences(self, facts: Facts) -> Differences:
        """Return what systems miss and invent, listed once for all attributes of a unit."""
        return self._memo.get(facts.items.unit, lambda: differences(facts.items))

    def counted(self, facts: Facts, placed: Placed) -> BucketCounts:
        """Return what all buckets hold."""
        return bucket_counts(self.differences(facts), placed)

    @property
    def as_program(self) -> bool:
        """Tell whether to count as InterpretEval's program does."""
        return self.corpus.scoring.bucketing == PROGRAM

    def cuts(self) -> list[AttributeCut]:
        """Return every attribute that applies to this corpus; ``notes`` say which do not."""
        self._check_cuttings()
        if self.corpus.spread is not None:
            from coleval.analyses.buckets.in_parts import cuts_in_parts

            found = cuts_in_parts(self)
        else:
            found = [self.cut(name) for name in self.names]
        kept = [cut for cut in found if cut is not None]
        if not kept:
            raise UsageError(
                "no attribute is available",
                where="--attributes",
                remedy="; ".join(self.notes),
            )
        return kept

    def _check_cuttings(self) -> None:
        """Raise if buckets are given for an attribute that is not among those asked for."""
        named = {name.partition("=")[0].strip() for name in self.names}
        for name in self.plan.buckets:
            if name not in named:
                raise unknown("attribute", name, named, where="--buckets")

    @property
    def names(self) -> list[str]:
        """Return the attributes asked for, those of the corpus' task for ``default``."""
        trained = self.corpus.training is not None
        every = usual(self.corpus.task_kind, trained=trained)
        parts = (every if name == "default" else (name,) for name in self.plan.attributes)
        return list(dict.fromkeys(name for part in parts for name in part))

    def cut(self, name: str) -> AttributeCut | None:
        """Return one attribute cut into buckets, None with a note if something is lacking."""
        attribute, why, facts = self.asked(name)
        if not why:
            return self._cut(attribute, facts)
        self.left_out.setdefault(why, []).append(attribute.name)
        return None

    def asked(self, name: str) -> tuple[Attribute, str, Facts]:
        """Return an attribute, why it does not apply, and the facts it is worked out from."""
        attribute = self._attribute(name)
        return attribute, *self._facts_of(attribute)

    @property
    def notes(self) -> list[str]:
        """Return which attributes are left out, those of one reason in one sentence."""
        return [_left_out(list(dict.fromkeys(n)), why) for why, n in self.left_out.items()]

    def _facts_of(self, attribute: Attribute) -> tuple[str, Facts]:
        """Return why an attribute does not apply, and the facts it is worked out from."""
        unit = self.facts.items.unit
        level = level_of(attribute, unit)
        if level is None:
            return f"applies to {_plural(attribute.levels[0])}, not to {_plural(unit)}", self.facts
        if level != unit and not ("token" in self.corpus.units and self.facts.has_text):
            return "needs tokens, and there are only spans", self.facts
        # Asked of the items first: tokens inside spans are not made to find training lacking.
        missing = untrained(attribute, self.facts)
        facts = self.facts if level == unit or missing else self.token_facts
        missing = missing or lacking(attribute, facts)
        return (f"needs {missing}" if missing else ""), facts

    def _attribute(self, name: str) -> Attribute:
        if "=" in name:
            return _expression(name, self.corpus)
        if name in ATTRIBUTES:
            return ATTRIBUTES[name]
        columns = context_names(self.facts)
        if name not in columns:
            known = [*ATTRIBUTES, *columns]
            raise unknown("attribute", name, known, where="--attributes")
        return context(name)

    def _cut(self, attribute: Attribute, facts: Facts) -> AttributeCut:
        values = self.values(attribute, facts)
        buckets = self._buckets(attribute, facts, values)
        placed = self.placed(facts, values, buckets)
        counts = self.counted(facts, placed)
        return AttributeCut(attribute, facts, values, buckets, placed, counts, _mean(facts, values))

    def values(self, attribute: Attribute, facts: Facts) -> Values:
        """Return the values of an attribute."""
        own = program.VALUES.get(attribute.name) if self.as_program else None
        return own(facts) if own else attribute.values(facts)

    def _buckets(self, attribute: Attribute, facts: Facts, values: Values) -> Buckets:
        there = distribution(values, facts.items.gold) if attribute.name not in self.given else None
        return self.buckets_of(attribute.name, attribute.buckets, values.names is not None, there)

    def buckets_of(
        self,
        name: str,
        usual: str,
        of_names: bool,
        there: Distribution | None,
    ) -> Buckets:
        """Return the buckets given for an attribute, or made of the values that there are."""
        if name in self.given:
            return _fitting(self.given[name], self.plan.edges, of_names=of_names)
        assert there is not None  # noqa: S101  - only edges that are given need no values
        default = usual or ("discrete" if of_names else "quantile 4")
        if self.as_program:
            default = program.BUCKETS.get(name, default)
        own = self.plan.buckets.get(name, "")
        cutting = parsed(own or default)
        if own and of_names and cutting.way != "discrete":
            raise UsageError(
                f"`{name}` has values without an order: {own}",
                where="--buckets",
                remedy=f'--buckets "{name}=discrete 6", or without a number for all',
            )
        return made_of(name, replace(cutting, shrink=self.as_program), there)

    def placed(self, facts: Facts, values: Values, buckets: Buckets) -> Placed:
        """Return in which bucket every item is."""
        gold = buckets.placed(values)
        answer = replace(buckets, narrow=True).placed(values) if self.as_program else gold
        return Placed(
            len(buckets) + 3,
            values.looked_up(gold, facts.items.gold),  # type: ignore[arg-type]
            answer,
            values.row,  # type: ignore[arg-type]
            dict(values.rows),  # type: ignore[arg-type]
            agree=not self.as_program,
        )


def _plural(unit: str) -> str:
    """Return what items of a unit are called; those of coreference bear the name of a criterion."""
    return "mentions" if unit in CRITERIA else f"{unit}s"


def _left_out(names: list[str], why: str) -> str:
    if len(names) == 1:
        return f"{names[0]} is left out: it {why}"
    verb, _, rest = why.partition(" ")
    several = {"needs": "need", "applies": "apply"}[verb]
    return f"{', '.join(names[:-1])} and {names[-1]} are left out: they {several} {rest}"


def _fitting(buckets: Buckets, path: str, *, of_names: bool) -> Buckets:
    """Return buckets that were given; raise if they are of names and values are numbers, or so."""
    if (buckets.kind == "names") != of_names:
        had, has = ("names", "numbers") if buckets.kind == "names" else ("numbers", "names")
        raise DataError(
            f"`{buckets.attribute}` has buckets of {had} there, and {has} for values here",
            where=path,
            remedy="write the edges again with --save-edges FILE, or leave the attribute out",
        )
    return buckets


def _expression(text: str, corpus: Corpus) -> Attribute:
    name, _, expression = text.partition("=")
    return Attribute(
        name.strip(),
        expression.strip(),
        _EVERY,
        "",
        "",
        lambda facts: anything(_evaluated(corpus, expression)),  # noqa: ARG005
    )


def _evaluated(corpus: Corpus, expression: str) -> pl.Series:
    """Return an expression's value for every item, seen as a condition or a pivot sees them."""
    # Imported now: it brings the database along, which no other attribute needs.
    from coleval.query.expressions import expression_values

    return expression_values(wide_table(corpus), expression)


def _mean(facts: Facts, values: Values) -> float | None:
    if values.names is not None:
        return None
    gold = facts.items.gold
    found = values.found(np.flatnonzero(gold), gold).astype(np.float64, copy=False)
    nothing = np.isnan(found)
    known = found[~nothing] if nothing.any() else found
    with np.errstate(over="ignore"):
        mean = float(np.mean(known)) if len(known) else np.nan
    # The sum of very large numbers is infinite, and their mean is null as that is.
    return mean if np.isfinite(mean) else None


def in_use(cuts: Iterable[AttributeCut]) -> list[Buckets]:
    """Return the buckets of some attributes."""
    return [cut.buckets for cut in cuts]
