"""One line that pins what was counted and how, and the warnings that go with it."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields, replace
from functools import cache
from hashlib import blake2b, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.coding import spelled
from coleval.corpus.items import STRING
from coleval.corpus.options import OF_STRUCTURES
from coleval.corpus.problems import ENCODING, LEFT_OUT
from coleval.corpus.schemes import OUTSIDE
from coleval.corpus.selection import Selection
from coleval.corpus.statuses import of_answers
from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items


def signature(corpus: Corpus, *, extra: Mapping[str, str] | None = None) -> str:
    """Return the signature: two runs with the same one print the same numbers."""
    parts = {
        "coleval": __version__,
        "task": corpus.task,
        **({"profile": corpus.profile} if corpus.profile else {}),
        **_reading(corpus),
        **_scoring(corpus),
        **(extra or {}),
        "gold": gold_hash(corpus),
        "systems": str(len(corpus.entries)),
        "answers": answers_hash(corpus),
    }
    return "|".join(f"{key}:{_plain(value)}" for key, value in parts.items())


def _reading(corpus: Corpus) -> dict[str, str]:
    reading = corpus.reading
    parts: dict[str, str] = {}
    if any(e.repairs is not None for e in (corpus.gold, *corpus.entries)):
        n = sum(e.repairs or 0 for e in (corpus.gold, *corpus.entries))
        parts["scheme"] = reading.scheme
        parts["repair"] = f"{reading.repair}(n={n})"
    for option in fields(reading):
        value = getattr(reading, option.name)
        name = option.name.replace("_", "-")
        if name not in {*parts, "task"} and value not in (_default(option), None):
            parts[name] = plain(value.named_columns if isinstance(value, Selection) else value)
    # Decided by the task where nobody has chosen it.
    if reading.outside in (OUTSIDE, ()):
        parts.pop("outside", None)
    # How entities without places were put into their texts is said wherever there are some.
    parts |= {"place": reading.place} if any(e.places for e in corpus.entries) else {}
    parts |= {"names": _hashed(reading.names)} if reading.names else {}
    return parts | corpus.task_kind.reading_signature(corpus)


def _default(option: Field[Any]) -> Any:
    made = option.default_factory
    return option.default if made is MISSING else made()


def _scoring(corpus: Corpus) -> dict[str, str]:
    scoring = corpus.scoring
    parts = {"unit": corpus.unit_named(scoring.unit)}
    parts["labels"] = plain(scoring.labels) or scoring.average
    parts |= {"excluded": plain(scoring.exclude)} if scoring.exclude else {}
    parts |= {"where": scoring.where} if scoring.where else {}
    parts |= corpus.task_kind.scoring_signature(scoring)
    parts |= {"missing": scoring.missing} if scoring.missing != "error" else {}
    if not (corpus.task_kind.trees or corpus.task_kind.mentions):
        # Trees and chains say it of themselves, and always.
        parts |= {"metric": scoring.metric} if scoring.metric not in OF_STRUCTURES else {}
    parts |= {} if scoring.above is None else {"above": f"{scoring.above:g}"}
    parts |= {"better": "low"} if scoring.lower else {}
    parts |= {"bins-from": scoring.bins_from + _other_judges(corpus)} if scoring.bins_from else {}
    parts |= {"taxonomy": scoring.taxonomy} if scoring.taxonomy != "fair" else {}
    parts |= {"engine": scoring.engine} if scoring.engine != "polars" else {}
    parts |= {"bucketing": scoring.bucketing} if scoring.bucketing != "coleval" else {}
    return parts | {"undefined": scoring.undefined}


def _other_judges(corpus: Corpus) -> str:
    """Return a hash of the judges of difficulty that are no systems here, "" if all are."""
    items = corpus.at(corpus.scoring.unit)
    others = sorted({*items.judging} - {*corpus.systems})
    if not others or items.far is not None:
        return ""
    answers = {name: items.judging[name] for name in others}
    hashes = _item_hashes(replace(items, answers=answers, judges=None))
    return "/" + joined_hash(hashes[name] for name in others)[:8]


def plain(value: object) -> str:
    """Return an option as the signature has it: lists by commas, pairs by arrows."""
    if not isinstance(value, list | tuple):
        return "yes" if value is True else str(value)
    texts = (">".join(part) if isinstance(part, tuple) else str(part) for part in value)
    return ",".join(text.replace("%", "%25").replace(",", "%2C") for text in texts)


def _hashed(names: tuple[str, ...]) -> str:
    """Return how many names there are, and what sets them apart from others."""
    return f"{len(names)}/{sha256(chr(10).join(names).encode()).hexdigest()[:8]}"


def _plain(value: str) -> str:
    return value.replace("%", "%25").replace("|", "%7C").replace("\n", "%0A")


def gold_hash(corpus: Corpus) -> str:
    """Return a hash of the file of gold, or of all that is read of gold that is no file."""
    return corpus.gold.origin.sha256[:12] or corpus.gold.answers[:12] or "frame"


def file_hash(path: str | Path) -> str:
    """Return a hash of what a file holds."""
    return sha256(Path(path).read_bytes()).hexdigest()[:12]


def answers_hash(corpus: Corpus) -> str:
    """Return a hash of all answers with the names of their systems; "none" for an older store."""
    every = (corpus.gold, *corpus.entries)
    if not all(entry.answers for entry in every):
        return "none"
    # Gold has no name of its own.
    names = ["", *corpus.systems]
    parts = [(n, e.answers, e.overlap, sorted(e.places)) for n, e in zip(names, every, strict=True)]
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def warnings(corpus: Corpus) -> tuple[str, ...]:
    """Return one line a system and kind of note: what, how often, where first, what was done."""
    left_out = [note for note in corpus.gold.notes if note.kind == LEFT_OUT]
    said = "; ".join(f"{note.problem} ({note.where})" for note in left_out)
    whole = f"{len(left_out):,} {'file is' if len(left_out) == 1 else 'files are'} left out: {said}"
    return (
        *((whole,) if left_out else ()),
        *(
            note.warning if note.kind == ENCODING else f"{entry.name or 'gold'}: {note.warning}"
            for entry in (corpus.gold, *corpus.entries)
            for note in entry.notes
            if note.kind != LEFT_OUT
        ),
    )


# Hashes of columns of numbers are sums, each number weighed by one that looks drawn for its row:
# what is summed over parts of a column is the hash of all of it.
_BLOCK, _END = 1 << 16, 1 << 64
_ROUNDS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def _drawn(number: NDArray[np.integer]) -> NDArray[np.uint64]:
    """Return a number for each that looks drawn (splitmix64 of Steele, Lea and Flood 2014)."""
    drawn = (number.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in _ROUNDS:
        drawn = (drawn ^ (drawn >> np.uint64(shift))) * np.uint64(factor)
    return drawn ^ (drawn >> np.uint64(31))


@cache
def _factor(place: int) -> int:
    return int(_drawn(np.array([place]))[0]) | 1


@cache
def _weights() -> NDArray[np.uint64]:
    return _drawn(np.arange(_BLOCK)) | np.uint64(1)


def label_numbers(labels: Iterable[str]) -> NDArray[np.uint64]:
    """Return a number for each label, which its text alone decides, behind 0 for no label."""
    texts = (label.encode("utf-8", "surrogatepass") for label in labels)
    drawn = b"".join(blake2b(text, digest_size=8).digest() for text in texts)
    return np.append(np.uint64(0), np.frombuffer(drawn, "<u8"))


def column_hash(
    column: NDArray[np.integer],
    labels: NDArray[np.uint64] | None = None,
    weights: NDArray[np.uint64] | None = None,
) -> int:
    """Return the hash of numbers, or of codes of labels; rows have ``weights`` or their places."""
    total = 0
    for block, low in enumerate(range(0, len(column), _BLOCK)):
        part = column[low : low + _BLOCK]
        value = part.astype(np.uint64) if labels is None else labels.take(part)
        if weights is None:
            drawn = int(_weights()[: len(part)] @ value)
            total += drawn * _factor(block)
        else:
            total += int(weights[low : low + _BLOCK] @ value)
    return total % _END


def hashes_by_file(
    column: NDArray[np.integer], labels: NDArray[np.uint64], first: NDArray[np.integer]
) -> list[str]:
    """Return ``joined_hash`` of each of several files, which follow each other in a column."""
    row = np.arange(len(column)) - np.repeat(first, np.diff([*first, len(column)]))
    blocks = range(int(row.max(initial=0)) // _BLOCK + 1)
    factors = np.array([_factor(block) for block in blocks], np.uint64)
    weights = _weights()[row % _BLOCK] * factors[row // _BLOCK]
    sums = np.add.reduceat(weights * labels.take(column), first) * np.uint64(_factor(1))
    return [f"{one:016x}" for one in sums.tolist()]


def joined_hash(hashes: Iterable[int]) -> str:
    """Return one hash of several, of which each has its place."""
    places = enumerate(hashes, 1)
    return f"{sum(one * _factor(at) for at, one in places) % _END:016x}"


def pooled_hash(cells: Iterable[tuple[str, str, str]]) -> str:
    """Return the hash of several datasets and parts with theirs, "" if that of one is missing."""
    known = [(_cell_weight(dataset, part), answers) for dataset, part, answers in cells]
    if not known or not all(answers for _, answers in known):
        return ""
    # A dataset without any answer is another thing than one that was not run.
    return f"{sum(weight * (int(answers, 16) + 1) for weight, answers in known) % _END:016x}"


@cache
def _cell_weight(dataset: str, part: str) -> int:
    name = f"{dataset}\0{part}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "little") | 1


def with_hashes(corpus: Corpus) -> Corpus:
    """Return a corpus whose answers are hashed: by its items, where files were not as read."""
    gold, entries = corpus.gold, corpus.entries
    if not gold.answers:
        # Tokens follow from spans, unless these were read as tags of tokens.
        names = [n for n in corpus.units if n != corpus.text_unit] or list(corpus.units)
        # Words of texts follow from these.
        names = names[:1] if corpus.task_kind.texts else names
        found = [_item_hashes(corpus.units[name]) for name in names]
        hashes = {name: joined_hash(one[name] for one in found) for name in found[0]}
        gold = replace(gold, answers=hashes[""])
        entries = tuple(replace(entry, answers=hashes[entry.name]) for entry in entries)
    if not gold.origin.sha256 or corpus.task_kind.texts:
        # A frame has no file that says what else there is, and further references are no gold.
        items = corpus.units[corpus.text_unit or next(iter(corpus.units))]
        more = _context_hash(items, {*items.context.columns} - of_answers(items))
        gold = replace(gold, answers=joined_hash([int(gold.answers, 16), more]))
    return replace(corpus, gold=gold, entries=entries)


# What says of spans, mentions and labels of instances where they are, apart from documents.
_PLACE = ("sentence", "instance", "start", "end", "tokens", "char_start", "char_end", "fragments")


def _item_hashes(items: Items) -> dict[str, int]:
    """Return the hash of gold's answers (of the empty name) and of each system's."""
    numbers, weights = label_numbers(items.labels), None
    if items.of_spans or items.group == "instance":
        # Rows are there for any system, and their numbers say nothing of one.
        place = [c for c in items.context.get_columns() if c.name in _PLACE]
        place += [form] if items.unit == STRING and (form := items.form()) is not None else []
        weights = np.zeros(len(items), np.uint64)
        for column in place:
            weights = _drawn(weights ^ _drawn(_numbers(column)))
    found = {"": column_hash(items.gold, numbers, weights)}
    own = of_answers(items)
    for name, codes in items.answers.items():
        more = _context_hash(items, [column for column in own if column.endswith(f"_{name}")])
        found[name] = (column_hash(codes, numbers, weights) + more) % _END
    return found


def _context_hash(items: Items, columns: Iterable[str]) -> int:
    """Return the hash of columns that go with items, with their names."""
    names = sorted(columns)
    weights = label_numbers(names)[1:].tolist()
    hashes = (column_hash(_numbers(items.context[name])) for name in names)
    return sum((weight | 1) * one for weight, one in zip(weights, hashes, strict=True)) % _END


def _numbers(column: pl.Series) -> NDArray[np.integer]:
    """Return a number for each value of a column, which the value alone decides."""
    if column.dtype.is_integer() and not column.null_count():
        return column.to_numpy()
    if column.dtype.is_nested() or column.dtype == pl.Object:
        texts = pl.Series([None if one is None else str(one) for one in column.to_list()])
        column = texts.cast(pl.String)
    values = spelled(column.cast(pl.String))
    return label_numbers([*values.labels, "\0 null"])[1:][values.place]
