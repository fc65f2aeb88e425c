"""Which rows are tested, what each is compared with, and which of them a system fails.

A row is an instance; of tags and spans a sentence, whose answer is all that is said in it, each
label with its text, in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.counted import scored_items, unfiltered
from coleval.analyses.measure.minimal_pairs import check_column, check_originals, texts_of
from coleval.corpus.coding import decoded
from coleval.corpus.coverage import LEAVE_OUT
from coleval.errors import DataError, UsageError, unknown
from coleval.query.wide import wide

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.analyses.behaviour.spec import Options
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items

    Flags = NDArray[np.bool_]
    Numbers = NDArray[np.integer]

GOLD, SAME, CHANGE, UP, DOWN = "gold", "same", "change", "up", "down"
NOT_UP, NOT_DOWN, LABEL = "not-up", "not-down", "label="
KINDS = (GOLD, SAME, CHANGE, UP, DOWN, NOT_UP, NOT_DOWN)
_OF_NUMBERS = (UP, DOWN, NOT_UP, NOT_DOWN)


@dataclass(frozen=True, slots=True)
class TestedRows:
    """The rows that are tested: their cases, what is expected, the row that each is compared with.

    ``rows`` has case (a number), expect, and the columns that tables are by; ``place`` and
    ``before`` are places among all rows, of which ``labels`` name the codes (0 is no answer).
    """

    rows: pl.DataFrame
    place: Numbers
    before: Numbers
    labels: tuple[str, ...]
    gold: Numbers
    answers: Mapping[str, Numbers]
    names: pl.Series
    paired: bool
    leave_out: bool
    epsilon: float

    @property
    def case(self) -> Numbers:
        """Return the number of the case of each row."""
        return self.rows["case"].to_numpy()

    def answered(self, system: str) -> Flags:
        """Return which rows count for a system: all, or those with answers on either side."""
        codes = self.answers[system]
        if not self.leave_out:
            return np.ones(len(self.place), np.bool_)
        return (codes[self.place] > 0) & (~self._compared | (codes[self.before] > 0))

    def fails(self, system: str) -> Flags:
        """Return which rows a system fails; a row without an answer is one."""
        codes, expect = self.answers[system], self.rows["expect"]
        own, old = codes[self.place], codes[self.before]
        failed = (own == 0) | (self._compared & (old == 0))
        for kind in expect.unique().to_list():
            failed |= (expect == kind).to_numpy() & ~self._as_expected(kind, codes)
        return failed & self.answered(system)

    @property
    def _compared(self) -> Flags:
        """Return which rows are compared with another one of theirs."""
        others = [CHANGE, *_OF_NUMBERS, *([GOLD, SAME] if self.paired else [])]
        return self.rows["expect"].is_in(others).to_numpy()

    def _as_expected(self, kind: str, codes: Numbers) -> Flags:
        own, old = codes[self.place], codes[self.before]
        gold, past = self.gold[self.place], self.gold[self.before]
        if kind == GOLD:
            return (own != old) == (gold != past) if self.paired else own == gold
        if kind == SAME:
            return own == (old if self.paired else self._commonest(codes))
        if kind == CHANGE:
            return own != old
        if kind in _OF_NUMBERS:
            return self._moved(kind, own, old)
        label = kind.removeprefix(LABEL)
        return own == (self.labels.index(label) + 1 if label in self.labels else -1)

    def _commonest(self, codes: Numbers) -> Numbers:
        """Return the commonest answer of the case of each row, of equals the one given first."""
        case, own = self.case, codes[self.place].astype(np.int64)
        found = np.zeros(int(case.max(initial=-1)) + 1, np.int64)
        # What is written last stays: going backwards, that is the first answer.
        there = np.flatnonzero(own)
        found[case[there][::-1]] = own[there][::-1]
        unlike = np.zeros(len(found), np.bool_)
        unlike[case[there[own[there] != found[case[there]]]]] = True
        rows = there[unlike[case[there]]]
        wide = len(self.labels) + 1
        key = case[rows] * wide + own[rows]
        key, first, n = np.unique(key, return_index=True, return_counts=True)
        order = np.lexsort((-first, n))
        # The commonest is written last, and of equals the one given first.
        found[key[order] // wide] = key[order] % wide
        return found[case]

    def _moved(self, kind: str, own: Numbers, old: Numbers) -> Flags:
        """Return which answers moved as expected; they are numbers."""
        value = pl.Series(self.labels, dtype=pl.String).cast(pl.Float64, strict=False)
        wrong = [name for name, number in zip(self.labels, value, strict=True) if number is None]
        if wrong:
            raise DataError(f"the answer `{wrong[0]}` is not a number", where=f"--expect {kind}",
                            remedy="expect same or change of labels")  # fmt: skip
        table = np.append(np.nan, value.to_numpy())
        up = table[own] - table[old]
        return {UP: up > self.epsilon, DOWN: up < -self.epsilon,
                NOT_UP: up <= self.epsilon, NOT_DOWN: up >= -self.epsilon}[kind]  # fmt: skip


def tested(corpus: Corpus, options: Options) -> TestedRows:
    """Return the rows that are tested, those of one case in the order of the data."""
    items = scored_items(corpus)
    if items.group == "instance":
        raise UsageError("sets of labels are not compared", where="behaviour",
                         remedy="use it where each item has one label, or for spans")  # fmt: skip
    base, first, labels = items, np.arange(len(items)), items.labels
    codes: dict[str, Numbers] = {"": items.gold, **items.answers}
    if items.group in items.context.columns:
        # Sentences without any span are rows too, unless a filter is about spans.
        whole = items.of_spans and corpus.text_unit and not corpus.scoring.where
        base = corpus.at(corpus.text_unit) if whole else items
        first = base.context[base.group].arg_unique().sort().to_numpy()
        labels, codes = _sentences(items, base.context[base.group].gather(pl.Series(first)))
    asked = {"case": options.case, "test": options.test, "capability": options.capability,
             "group": options.groups}  # fmt: skip
    frame = _columns(corpus, base, asked, options.expect)[pl.Series(first)]
    frame = frame.with_row_index("place").with_columns(before=pl.col("place").cast(pl.Int64))
    named = [name for name in ("id", base.group) if name in base.context.columns]
    ids = base.context[named[0]] if named else pl.Series(base.numbers)
    names = ids.gather(pl.Series(first)).cast(pl.String)
    if options.original:
        frame = _with_originals(corpus, base, first, frame, options.original)
    if not options.case:
        frame = frame.with_columns(case=names.gather(frame["place"]))
    frame = _of_cases(frame, options)
    place = frame["place"].to_numpy()
    return TestedRows(
        frame, place, frame["before"].to_numpy(), labels, codes.pop(""), codes, names,
        bool(options.original), corpus.scoring.missing == LEAVE_OUT, options.epsilon,
    )  # fmt: skip


def _sentences(
    items: Items, every: pl.Series
) -> tuple[tuple[str, ...], dict[str, Numbers]]:  # fmt: skip
    """Return all that is said in every sentence as one answer, in any order."""
    group, form, said = items.context[items.group], items.form(), {}
    for name, codes in {"": items.gold, **items.answers}.items():
        label = decoded(codes, items.labels, "text").cast(pl.String)
        texts = label if form is None else label + " " + form.cast(pl.String)
        each = pl.DataFrame({"sentence": group, "text": texts}).drop_nulls().group_by("sentence")
        joined = each.agg(pl.col("text").sort().str.join(" · "))
        rows = every.rename("sentence").to_frame()
        of_rows = rows.join(joined, on="sentence", how="left", maintain_order="left")["text"]
        said[name] = of_rows.fill_null("")
    known = pl.concat(list(said.values())).unique().sort()
    place = {name: one.cast(pl.Enum(known)).to_physical() for name, one in said.items()}
    return tuple(known), {name: one.to_numpy().astype(np.int64) + 1 for name, one in place.items()}


def _columns(corpus: Corpus, items: Items, asked: Mapping[str, str], expect: str) -> pl.DataFrame:
    """Return the columns that are named, null where none is, and what is expected of each row."""
    table = wide(corpus, items)
    found = {}
    for what, name in asked.items():
        if name and name not in table.names:
            flag = "groups" if what == "group" else what
            raise unknown("column", name, table.names, where=f"--{flag}")
        found[what] = table.column(name) if name else pl.repeat(None, len(items), eager=True)
    if expect in KINDS or expect.startswith(LABEL):
        return pl.DataFrame(found).with_columns(expect=pl.lit(expect))
    if expect not in table.names:
        raise unknown("expectation", expect, (*KINDS, "label=X", *table.names), where="--expect")
    own = table.column(expect).cast(pl.String)
    known = own.drop_nulls().unique()
    for value in known.filter(~known.is_in(KINDS) & ~known.str.starts_with(LABEL)).sort()[:1]:
        raise unknown("expectation", value, (*KINDS, "label=X"), where=f"--expect {expect}")
    return pl.DataFrame(found).with_columns(expect=own)


def _with_originals(
    corpus: Corpus, items: Items, first: Numbers, frame: pl.DataFrame, name: str
) -> pl.DataFrame:
    """Return the rows that were made from others, with the place of the original of each."""
    for column in ("id", name):
        check_column(items, column, "--original")
    check_originals(unfiltered(corpus), name, "--original")
    at = pl.Series(first)
    ids = pl.DataFrame({"original": texts_of(items, "id").gather(at), "before": frame["place"]})
    made = frame.drop("before").with_columns(original=texts_of(items, name).gather(at))
    found = made.join(ids.unique("original", keep="first", maintain_order=True), on="original",
                      how="inner", maintain_order="left")  # fmt: skip
    return found.filter(pl.col("place") != pl.col("before"))


def _of_cases(frame: pl.DataFrame, options: Options) -> pl.DataFrame:
    """Return the rows of cases, with the number of the case and what its first row says of it."""
    frame = frame.filter(pl.col("expect").is_not_null())
    paired, together = bool(options.original), bool(options.case)
    kinds = frame["expect"].unique().sort()
    alone = [kind for kind in kinds if kind != GOLD and not kind.startswith(LABEL)]
    if alone and not (paired or together):
        raise UsageError(
            f"{alone[0]}: a row is compared with others of its case, and nothing says which these "
            "are", where="--expect", remedy="name the column: --case COLUMN or --original COLUMN",
        )  # fmt: skip
    frame = frame.with_columns(pl.col("expect").cast(pl.Enum(kinds)),
                               name=pl.col("case").cast(pl.String))  # fmt: skip
    if together:
        # An empty cell is no case, in a data frame either.
        frame = frame.filter(pl.col("name").str.strip_chars() != "")
    code = frame["name"].cast(pl.Categorical).to_physical() if together else frame["place"]
    expect = frame["expect"].to_physical().to_numpy().astype(np.int64)
    key = code.to_numpy().astype(np.int64) * max(len(kinds), 1) + expect
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    begin = pl.Series(first[number])
    frame = frame.with_columns(
        pl.Series("case", number), *(frame[name].gather(begin) for name in ("test", "capability"))
    )
    if paired or not together:
        return frame
    # Where no row is named as the original, it is the first of the case.
    start = frame["place"].gather(begin).to_numpy()
    of_first = frame["expect"].is_in([CHANGE, *_OF_NUMBERS]).to_numpy()
    before = np.where(of_first, start, frame["place"].to_numpy())
    single = (frame["expect"] == SAME).to_numpy() & (np.bincount(number)[number] == 1)
    frame = frame.with_columns(before=pl.Series(before, dtype=pl.Int64))
    kept = frame.filter(pl.Series(~single & (~of_first | (frame["place"].to_numpy() != start))))
    return kept.with_columns(pl.Series("case", np.unique(kept["case"], return_inverse=True)[1]))
