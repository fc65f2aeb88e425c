"""Buckets of an attribute: how values are cut, what buckets are called, edges as JSON.

Edges are made from gold's values alone and are the same for every system. Values below the
lowest or above the highest edge, names that are not among those counted, and nulls have buckets
of their own, behind all others.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict, dataclass, replace
from math import fsum, inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.corpus.coding import width
from coleval.corpus.output import write_whole, written
from coleval.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from coleval.annotate.attributes.model import Values
    from coleval.corpus.coding import Codes


BELOW, ABOVE, NULL = range(3)
# Items at a time: their values take eight bytes each, and a place.
_ROWS = 1 << 20
OUTSIDE = ("(below)", "(above)", "(null)")


@dataclass(frozen=True, slots=True)
class Bucket:
    """From ``low`` to ``high``, which belongs to it; ``closed`` if ``low`` does too."""

    name: str
    low: float | None = None
    high: float | None = None
    closed: bool = False

    @property
    def ends(self) -> tuple[float, float]:
        """Return both ends as numbers; a bucket of a name holds none."""
        return (inf if self.low is None else self.low, -inf if self.high is None else self.high)

    @property
    def point(self) -> bool:
        """Tell whether a bucket is a single number."""
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class Buckets:
    """The buckets of one attribute in order: ranges of numbers, single ``points``, or ``names``.

    ``narrow`` are InterpretEval's for predictions: the lowest edge belongs to no bucket.
    """

    attribute: str
    each: tuple[Bucket, ...]
    kind: str = "ranges"
    narrow: bool = False

    def __len__(self) -> int:
        """Return how many buckets there are, without those for what is outside."""
        return len(self.each)

    @property
    def ordered(self) -> bool:
        """Tell whether buckets have an order that means something."""
        return self.kind != "names"

    @property
    def outside(self) -> tuple[str, ...]:
        """Return the names of the buckets behind the others."""
        return OUTSIDE if self.kind == "ranges" else ("(other)", "(other)", "(null)")

    def placed(self, values: Values) -> Codes:
        """Return the bucket of every value in the table of some values."""
        if self.kind == "names":
            return self._placed_names(values)
        return self._placed_numbers(values.table.astype(np.float64))

    def _placed_names(self, values: Values) -> Codes:
        n, known = len(self), {bucket.name: k for k, bucket in enumerate(self.each)}
        place = [known.get(name, n + ABOVE) for name in values.names or ()]
        table = np.array([*place, n + NULL], width(n + 3))
        return table[values.table]

    def _placed_numbers(self, table: NDArray[np.float64]) -> Codes:
        """Return the buckets of numbers; what is a bucket by itself is in no range."""
        n = len(self)
        out = np.full(table.shape, n + ABOVE, width(n + 3))
        lowest = min((bucket.ends[0] for bucket in self.each), default=-inf)
        out[table < lowest] = n + (BELOW if self.kind == "ranges" else ABOVE)
        for k, bucket in enumerate(self.each):
            if not bucket.point:
                out[self._between(bucket, table)] = k
        for k, bucket in enumerate(self.each):
            if bucket.point:
                out[table == bucket.ends[1]] = k
        out[np.isnan(table)] = n + NULL
        return out

    def _between(self, bucket: Bucket, table: NDArray[np.float64]) -> NDArray[np.bool_]:
        low, high = bucket.ends
        above = table >= low if bucket.closed and not self.narrow else table > low
        return above & (table <= high)


@dataclass(frozen=True, slots=True)
class Distribution:
    """The values that gold's items have, and how many have each; those of parts add up.

    ``names`` are what values stand for that are no numbers; ``whole`` numbers are shown as such.
    Numbers rise, and null is none of them.
    """

    value: NDArray[np.float64]
    n: NDArray[np.int64]
    names: tuple[str, ...] | None
    whole: bool

    @property
    def mean(self) -> float | None:
        """Return the mean of numbers, None where there are none or it is infinite."""
        total = int(self.n.sum())
        if self.names is not None or not total:
            return None
        try:
            mean = fsum((self.value * self.n).tolist()) / total
        except OverflowError:
            return None
        return mean if isfinite(mean) else None


def distribution(values: Values, gold: Codes) -> Distribution:
    """Return which values gold's items have, and how often."""
    parts = [_distribution(values, gold, low) for low in range(0, max(1, len(gold)), _ROWS)]
    return distributions_added(parts)


def _distribution(values: Values, gold: Codes, low: int) -> Distribution:
    """Return the same of a run of items, so that no value stands there for all of them."""
    found = values.found(np.flatnonzero(gold[low : low + _ROWS]) + low, gold)
    if values.names is not None:
        place = found.astype(np.int64)
        n = np.bincount(place[place >= 0], minlength=len(values.names))
        every = np.arange(len(n), dtype=np.float64)
        return Distribution(every, n.astype(np.int64), values.names, whole=False)
    numbers = found.astype(np.float64)
    value, n = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    return Distribution(value, n.astype(np.int64), None, whole=values.whole)


def distributions_added(parts: Sequence[Distribution]) -> Distribution:
    """Return the values of all parts together."""
    if len(parts) == 1:
        return parts[0]
    n = np.concatenate([part.n for part in parts])
    if parts[0].names is not None:
        named_ = sorted({name for part in parts for name in part.names or ()})
        place = {name: at for at, name in enumerate(named_)}
        at = np.array([place[name] for part in parts for name in part.names or ()], np.intp)
        value, names = np.arange(len(named_), dtype=np.float64), tuple(named_)
    else:
        every = np.concatenate([part.value for part in parts])
        value, at = np.unique(every, return_inverse=True)
        names = None
    total = np.zeros(len(value), np.int64)
    np.add.at(total, at, n)
    return Distribution(value, total, names, whole=all(part.whole for part in parts))


def made(attribute: str, cutting: Cutting, values: Values, gold: Codes) -> Buckets:
    """Return the buckets of an attribute from the values that gold's items have."""
    return made_of(attribute, cutting, distribution(values, gold))


def made_of(attribute: str, cutting: Cutting, there: Distribution) -> Buckets:
    """Return the buckets of an attribute from how often gold's items have which values."""
    if there.names is not None:
        return _of_names(attribute, cutting, there.names, there.n)
    if cutting.way == "discrete":
        frequent = _of_numbers(attribute, _most_frequent(there, cutting.n), there)
        return replace(frequent, kind="points")
    ranges = _intervals(cutting) if cutting.way == "interval" else _quantiles(cutting, there)
    apart = [Bucket("", p, p, closed=True) for p in cutting.apart if _kept(cutting, p, there)]
    return _of_numbers(attribute, [*apart, *ranges], there)


def _kept(cutting: Cutting, point: float, there: Distribution) -> bool:
    """Tell whether a value set apart has a bucket: always, unless a program counts otherwise."""
    return not cutting.shrink or bool((there.value == point).any())


def _of_names(
    attribute: str, cutting: Cutting, names: tuple[str, ...], n: NDArray[np.int64]
) -> Buckets:
    order = sorted(np.flatnonzero(n).tolist(), key=lambda k: (-n[k], names[k]))
    chosen = order[: cutting.n] if cutting.way == "discrete" and cutting.n else order
    each = tuple(Bucket(names[k]) for k in chosen)
    return Buckets(attribute, each, "names")


def _most_frequent(there: Distribution, n: int) -> list[Bucket]:
    value, count = there.value, there.n
    chosen = np.sort(np.argsort(-count, kind="stable")[: n or len(value)])
    return [Bucket("", v, v, closed=True) for v in value[chosen].tolist()]


def _intervals(cutting: Cutting) -> list[Bucket]:
    pairs = zip(cutting.edges, cutting.edges[1:], strict=False)
    return [Bucket("", low, high, closed=k == 0) for k, (low, high) in enumerate(pairs)]


def _quantiles(cutting: Cutting, there: Distribution) -> list[Bucket]:
    """Return ranges, each closed by the first value that takes its count above its share.

    One begins where the one before ends: at the lowest value, or at what is set apart below it.
    """
    left = ~np.isin(there.value, cutting.apart)
    value, count = there.value[left], there.n[left]
    if not len(value):
        return []
    gone = int(np.isin(cutting.apart, there.value).sum()) if cutting.shrink else 0
    share = count.sum() / max(1, cutting.n - gone)
    held: list[list[float]] = [[]]
    n = 0
    for v, c in zip(value.tolist(), count.tolist(), strict=True):
        held[-1].append(v)
        n += c
        if n > share:
            held.append([])
            n = 0
    below = [p for p in cutting.apart if p < value[0]]
    return _ranges([part for part in held if part], below, alone=cutting.shrink)


def _ranges(held: list[list[float]], below: list[float], *, alone: bool) -> list[Bucket]:
    """Return the range of each part; with ``alone`` one of a single value begins at that value."""
    low, closed = (max(below), False) if below else (held[0][0], True)
    out = []
    for part in held:
        high = part[-1]
        single = alone and len(part) == 1
        out.append(Bucket("", high, high, closed=True) if single else Bucket("", low, high, closed))
        low, closed = high, False
    return out


def _of_numbers(attribute: str, each: list[Bucket], there: Distribution) -> Buckets:
    """Return the buckets in order of their upper ends, each with a name that shows its range."""
    order = sorted(each, key=lambda bucket: bucket.ends[::-1])
    names = named([(*bucket.ends, bucket.closed) for bucket in order], whole=there.whole)
    renamed = [replace(bucket, name=name) for bucket, name in zip(order, names, strict=True)]
    return Buckets(attribute, tuple(renamed))


WAYS = ("quantile", "interval", "discrete")
_SPEC = re.compile(r"^(\w+)(?:\s+([^a-z]\S*|inf\S*))?(?:\s+apart\s+(\S+))?$")


@dataclass(frozen=True, slots=True)
class Cutting:
    """A way, its number of buckets (0: all) or its edges, and the values set apart.

    ``shrink`` gives one quantile less for each value set apart that gold has (InterpretEval).
    """

    way: str
    n: int = 0
    edges: tuple[float, ...] = ()
    apart: tuple[float, ...] = ()
    shrink: bool = False


def parsed(text: str) -> Cutting:
    """Return the way of cutting that a text says; raise for one that says none."""
    found = _SPEC.match(" ".join(text.replace(":", " ").split()))
    if not found or found[1] not in WAYS:
        raise _unclear(text)
    way, what, apart = found.groups()
    try:
        # A value that is named twice is one bucket.
        single = tuple(dict.fromkeys(_numbers(apart or "")))
        cutting = Cutting(way, *_amount(way, what or ""), apart=single)
    except ValueError:
        raise _unclear(text) from None
    _check(cutting, text)
    return cutting


def _amount(way: str, what: str) -> tuple[int, tuple[float, ...]]:
    if way == "interval":
        return 0, _numbers(what)
    if what and int(what) < 1:
        raise ValueError(what)
    return (int(what) if what else 0), ()


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split(",") if part)


def _check(cutting: Cutting, text: str) -> None:
    edges, interval = cutting.edges, cutting.way == "interval"
    few = (interval and len(edges) < 2) or (cutting.way == "quantile" and cutting.n < 1)
    rising = list(edges) == sorted(set(edges)) and not any(map(math.isnan, edges))
    # What is neither a number nor infinite is in no bucket, and infinite values are null.
    single = all(map(math.isfinite, cutting.apart))
    if few or not rising or not single or (cutting.way == "discrete" and cutting.apart):
        raise _unclear(text)


def _unclear(text: str) -> UsageError:
    return UsageError(
        f"`{text}` does not say how to form buckets",
        where="--buckets",
        remedy=(
            "for example: quantile 4; quantile 3 apart 0; interval 0,0.5,1 apart 0,1; discrete; "
            "discrete 6"
        ),
    )


_VERSION = 1
_KINDS = ("ranges", "points", "names")


def save_edges(path: str | Path, made: Iterable[Buckets]) -> None:
    """Write the buckets of some attributes."""
    plain = {buckets.attribute: _plain(buckets) for buckets in made}
    text = json.dumps({"edges": _VERSION, "attributes": plain}, ensure_ascii=False, indent=1)
    with written(path, option="--save-edges"):
        write_whole(Path(path), f"{text}\n".encode())


def load_edges(path: str | Path) -> dict[str, Buckets]:
    """Return the buckets of a file by attribute; raise if it holds none."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        if data["edges"] != _VERSION:
            raise _unfit(path, f"has version {data['edges']}, not {_VERSION}")
        return {name: _buckets(name, part) for name, part in data["attributes"].items()}
    except FileNotFoundError:
        raise _unfit(path, "does not exist") from None
    except OSError as error:
        raise _unfit(path, f"cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unfit(path, f"has no bucket edges ({type(error).__name__}: {error})") from None


def _unfit(path: str | Path, problem: str) -> DataError:
    return DataError(problem, where=str(path), remedy="write one with --save-edges FILE")


def _plain(buckets: Buckets) -> dict[str, Any]:
    each = [{k: _number(v) for k, v in asdict(bucket).items()} for bucket in buckets.each]
    return {"kind": buckets.kind, "narrow": buckets.narrow, "buckets": each}


def _number(value: object) -> object:
    """Return infinities as text: JSON has none."""
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _buckets(name: str, data: dict[str, Any]) -> Buckets:
    if data["kind"] not in _KINDS:
        raise ValueError(f"`{data['kind']}` is not a kind of bucket")
    return Buckets(name, tuple(map(_bucket, data["buckets"])), data["kind"], bool(data["narrow"]))


def _bucket(data: dict[str, Any]) -> Bucket:
    low, high = (None if data[k] is None else float(data[k]) for k in ("low", "high"))
    if low is not None and high is not None and not low <= high:
        raise ValueError(f"`{data['name']}` is from {low} to {high}")
    return Bucket(str(data["name"]), low, high, bool(data["closed"]))


Range = tuple[float, float, bool]


def named(ranges: list[Range], *, whole: bool) -> list[str]:
    """Return a name for every range (low, high, closed below), all of them different."""
    points = {low for low, high, _ in ranges if low == high}
    for digits in (3, 4, 6, 9, 17):
        names = [_named(*part, points, digits, whole=whole) for part in ranges]
        if len(set(names)) == len(names):
            break
    return names


def _named(
    low: float,
    high: float,
    closed: bool,
    points: set[float],
    digits: int,
    *,
    whole: bool,
) -> str:
    if low == high:
        return _number_name(high, digits)
    if whole and (name := _whole(low, high, points, closed=closed)):
        return name
    left = "[" if closed and low not in points else "("
    right = ")" if high in points or math.isinf(high) else "]"
    return f"{left}{_number_name(low, digits)}, {_number_name(high, digits)}{right}"


def _whole(low: float, high: float, points: set[float], *, closed: bool) -> str:
    """Return a range of whole numbers by the first and the last of them, nothing if it has none."""
    first = low
    if not math.isinf(low):
        first = math.ceil(low) if closed and low not in points else math.floor(low) + 1
    if math.isinf(high):
        return f"≥{_number_name(first, 17)}"
    last = high - 1 if high in points else math.floor(high)
    if first >= last:
        # A number that is set apart is in no range, though it may lie within one.
        return _number_name(last, 17) if first == last and last not in points else ""
    if math.isinf(first):
        return f"≤{_number_name(last, 17)}"
    return f"{_number_name(first, 17)}–{_number_name(last, 17)}"


def _number_name(value: float, digits: int) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.{digits}g}"
