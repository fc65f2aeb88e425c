"""Which rows are tested, what each is compared with, and which of them a system fails.

A row is an instance, with a label or a set of labels; of logs, what a system answered, which is
gold's where it is right; of tags and spans a sentence, whose answer is all that is said in it, each
label with its text, in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.analyses.counted import scored_items, unfiltered
from coleval.analyses.measure.minimal_pairs import check_column, check_originals, ids_in
from coleval.analyses.wording import number_of
from coleval.corpus.coding import decoded
from coleval.corpus.coverage import LEAVE_OUT
from coleval.corpus.grid import DATASET
from coleval.corpus.statuses import score_column
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
# What is said of a sentence, as one text: `LOC “Rome” · PER “Ann”`.
_AND, _OPEN, _CLOSE = " · ", " “", "”"


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """Which rows and which cases count for a system, and which of them it fails."""

    rows: Flags
    rows_failed: Flags
    cases: Flags
    failed: Flags


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
    solved: Mapping[str, Flags]
    names: pl.Series
    texts: pl.Series | None
    paired: bool
    of_sets: bool
    leave_out: bool
    epsilon: float

    @property
    def case(self) -> Numbers:
        """Return the number of the case of each row."""
        return self.rows["case"].to_numpy()

    def outcome(self, system: str) -> CaseOutcome:
        """Return what a system fails; a row without an answer is a failure, or is left out."""
        codes, expect = self.answers[system], self.rows["expect"]
        own, old = codes[self.place], codes[self.before]
        nothing = (own == 0) | (self._compared & (old == 0))
        counted = ~nothing if self.leave_out else np.ones(len(own), np.bool_)
        failed = nothing.copy()
        for kind in expect.unique().to_list():
            right = self._as_expected(kind, codes, self.solved[system])
            failed |= (expect == kind).to_numpy() & ~right
        failed &= counted
        case, n = self.case, int(self.case.max(initial=-1)) + 1
        of_cases = [np.bincount(case[rows], minlength=n) > 0 for rows in (counted, failed)]
        return CaseOutcome(counted, failed, *of_cases)

    @property
    def _compared(self) -> Flags:
        """Return which rows are compared with another one of theirs."""
        others = [CHANGE, *_OF_NUMBERS, *([GOLD, SAME] if self.paired else [])]
        return self.rows["expect"].is_in(others).to_numpy()

    def _as_expected(self, kind: str, codes: Numbers, solved: Flags) -> Flags:
        own, old = codes[self.place], codes[self.before]
        gold, past = self.gold[self.place], self.gold[self.before]
        if kind == GOLD:
            return (own != old) == (gold != past) if self.paired else solved[self.place]
        if kind == SAME:
            return own == (old if self.paired else self._most_frequent(codes))
        if kind == CHANGE:
            return own != old
        if kind in _OF_NUMBERS:
            return self._moved(kind, own, old)
        return self.given(kind.removeprefix(LABEL))[own]

    def given(self, label: str) -> Flags:
        """Return by code which answers are a label, or have it where answers are sets."""
        given = (label in said_in(name) if self.of_sets else label == name for name in self.labels)
        return np.array([False, *given])

    def _most_frequent(self, codes: Numbers) -> Numbers:
        """Return the most frequent answer of the case of each row, of equals the first one."""
        case, own = self.case, codes[self.place].astype(np.int64)
        most_frequent = np.zeros(int(case.max(initial=-1)) + 1, np.int64)
        # What is written last stays: going backwards, that is the first answer.
        there = np.flatnonzero(own)
        most_frequent[case[there][::-1]] = own[there][::-1]
        unlike = np.zeros(len(most_frequent), np.bool_)
        unlike[case[there[own[there] != most_frequent[case[there]]]]] = True
        rows = there[unlike[case[there]]][::-1]
        key = case[rows] * (len(self.labels) + 1) + own[rows]
        if key.max(initial=0) > 16 * len(key):
            key = np.unique(key, return_inverse=True)[1]
        n = np.bincount(key)[key] if len(key) else key
        # The answer of most rows is written last, and of equals the one given first. Small numbers
        # are sorted by radix.
        rows = rows[np.argsort(n.astype(np.min_scalar_type(n.max(initial=0))), kind="stable")]
        most_frequent[case[rows]] = own[rows]
        return most_frequent[case]

    def _moved(self, kind: str, own: Numbers, old: Numbers) -> Flags:
        """Return which answers moved as expected; they are numbers."""
        value = pl.Series(self.labels, dtype=pl.String).cast(pl.Float64, strict=False)
        table, rows = np.append(np.nan, value.to_numpy()), (self.rows["expect"] == kind).to_numpy()
        given = np.unique(np.concatenate([own[rows], old[rows]]))
        if (wrong := given[(given > 0) & np.isnan(table[given])]).size:
            problem = f"the answer `{self.labels[wrong[0] - 1]}` is not a number"
            raise DataError(problem, where=f"--expect {kind}",
                            remedy="expect same or change of labels")  # fmt: skip
        # From .7 to .8 is .1 and not a little more, as sums of binary fractions have it.
        up = np.round(table[own] - table[old], 12)
        return {UP: up > self.epsilon, DOWN: up < -self.epsilon,
                NOT_UP: up <= self.epsilon, NOT_DOWN: up >= -self.epsilon}[kind]  # fmt: skip


def tested(corpus: Corpus, options: Options) -> TestedRows:
    """Return the rows that are tested, those of one case in the order of the data."""
    items = scored_items(corpus)
    base, first, labels = items, np.arange(len(items)), items.labels
    codes: dict[str, Numbers] = {"": items.gold, **items.answers}
    of_sets = items.group in items.context.columns
    if of_sets:
        base = _whole(corpus, items)
        first = base.context[base.group].arg_unique().sort().to_numpy()
        labels, codes = _sets(items, base.context[base.group].gather(pl.Series(first)))
    solved = {name: own == codes[""] for name, own in codes.items()}
    if (of_logs := _answers_of_logs(items)) is not None:
        labels, codes = of_logs
    asked = {"case": options.case, "test": options.test, "capability": options.capability,
             "group": options.groups}  # fmt: skip
    frame = _columns(corpus, base, asked, options.expect)[pl.Series(first)]
    frame = frame.with_row_index("place").with_columns(before=pl.col("place").cast(pl.Int64))
    if corpus.grid is not None and DATASET in base.context.columns:
        frame = frame.with_columns(dataset=base.context[DATASET].gather(pl.Series(first)))
    at, context = pl.Series(first), base.context
    id_of = next((name for name in ("id", base.group) if name in context.columns), "")
    ids = context[id_of] if id_of else pl.Series(base.numbers)
    names = ids.gather(at).cast(pl.String)
    text = None if of_sets and base.group != "instance" else base.form()
    if text is None and "text" in context.columns:
        text = context["text"]
    if options.original:
        frame = _with_originals(corpus, base, first, frame, options.original)
    frame = _of_cases(frame, options)
    if not corpus.has_gold and GOLD in frame["expect"].cast(pl.String).unique().to_list():
        raise UsageError(
            "gold: there is no gold that answers could be", where="--expect",
            remedy="expect same, change, label=X, or name the column: --columns gold=NAME",
        )  # fmt: skip
    place = frame["place"].to_numpy()
    return TestedRows(
        frame, place, frame["before"].to_numpy(), labels, codes.pop(""), codes, solved, names,
        None if text is None else text.gather(at).cast(pl.String), bool(options.original), of_sets,
        corpus.scoring.missing == LEAVE_OUT, options.epsilon,
    )  # fmt: skip


def _whole(corpus: Corpus, items: Items) -> Items:
    """Return what has all sentences or instances, also those of which nothing is said.

    A filter about spans or labels leaves them out.
    """
    if corpus.scoring.where:
        return items
    if items.group != "instance":
        return corpus.at(corpus.text_unit) if items.of_spans and corpus.text_unit else items
    every = corpus.units[items.unit]
    if (lacking := every.group_count - every.context["instance"].n_unique()) > 0:
        raise UsageError(
            f"{number_of(lacking, 'instance')} {'has' if lacking == 1 else 'have'} no label in "
            "gold or any system, and nothing is kept of them that could be compared",
            where="behaviour", remedy="write a label for none, such as `none`, into the table",
        )  # fmt: skip
    return every


def _sets(items: Items, every: pl.Series) -> tuple[tuple[str, ...], dict[str, Numbers]]:
    """Return all that is said of every sentence or instance as one answer, in any order."""
    group, said = items.context[items.group], {}
    form = None if items.group == "instance" else items.form()
    for name, codes in {"": items.gold, **items.answers}.items():
        label = decoded(codes, items.labels, "text").cast(pl.String)
        texts = label if form is None else label + _OPEN + form.cast(pl.String) + _CLOSE
        each = pl.DataFrame({"set": group, "text": texts}).drop_nulls().group_by("set")
        joined = each.agg(pl.col("text").sort().str.join(_AND))
        rows = every.rename("set").to_frame()
        of_rows = rows.join(joined, on="set", how="left", maintain_order="left")["text"]
        said[name] = of_rows.fill_null("")
    return _coded(said)


def _answers_of_logs(items: Items) -> tuple[tuple[str, ...], dict[str, Numbers]] | None:
    """Return what systems answered where items are only right or wrong, None if that is all."""
    context, answers = items.context, {}
    for name, codes in items.answers.items():
        column = score_column(name, "answer")
        if items.unit != "row" or column not in context.columns:
            return None
        # What is scored is an answer, even an empty one.
        said = context[column].cast(pl.String).fill_null("")
        answers[name] = said.set(pl.Series(codes == 0), None)
    target = context["target"] if "target" in context.columns else pl.Series([None] * len(items))
    return _coded({"": target.cast(pl.String), **answers})


def _coded(said: Mapping[str, pl.Series]) -> tuple[tuple[str, ...], dict[str, Numbers]]:
    """Return all answers there are, and their codes: 0 where there is none."""
    every = pl.concat(list(said.values())).drop_nulls().unique().sort()
    place = {name: one.cast(pl.Enum(every)).to_physical() for name, one in said.items()}
    codes = {name: one.cast(pl.Int64).fill_null(-1).to_numpy() + 1 for name, one in place.items()}
    return tuple(every), codes


def said_in(answer: str) -> set[str]:
    """Return the labels of a set, and of spans each label with its text and alone."""
    parts = answer.split(_AND)
    return {*parts, *(part.partition(_OPEN)[0] for part in parts)}


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
    at = pl.Series(first)
    own, named = ids_in(corpus, items, "id").gather(at), ids_in(corpus, items, name).gather(at)
    ids = pl.DataFrame({"original": own, "before": frame["place"]})
    if items.group:
        ids = ids.unique("original", keep="first", maintain_order=True)
    made = frame.drop("before").with_columns(original=named)
    pairs = made.drop_nulls("original").join(ids, on="original", how="left", maintain_order="left")
    if pairs["before"].null_count():
        # An original that a filter leaves out is no error.
        check_originals(corpus, unfiltered(corpus), name, "--original")
    return pairs.filter(pl.col("place") != pl.col("before"))


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
        there = (frame["name"].str.strip_chars() != "").fill_null(value=False)
        frame = frame if there.all() else frame.filter(there)
    # Datasets may have cases of the same name.
    named = frame["name"]
    if "dataset" in frame.columns:
        named = frame["dataset"].cast(pl.String) + "\0" + named
    code = named.cast(pl.Categorical).to_physical() if together else frame["place"]
    expect = frame["expect"].to_physical().to_numpy()
    first, number = _numbered(code.to_numpy().astype(np.int64) * max(len(kinds), 1) + expect)
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
    return kept.with_columns(pl.Series("case", _numbered(kept["case"].to_numpy())[1]))


def _numbered(key: Numbers) -> tuple[Numbers, Numbers]:
    """Return where each key is first, and which of these each row has: keys are small numbers."""
    first = np.full(int(key.max(initial=-1)) + 1, -1)
    # What is written last stays: going backwards, that is the first row.
    first[key[::-1]] = np.arange(len(key))[::-1]
    there = first >= 0
    return first[there], (np.cumsum(there) - 1)[key]
