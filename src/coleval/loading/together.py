"""Many small column files read as one text: gold's end to end, and each system's likewise.

Opening a file for reading costs as much as some thousand tokens of it. What comes of the one text
is what comes of the files read one by one; whatever is unusual about any of them is left to
that way (``ApartError``), which knows what to say of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.grid import Grid, GridCell, Size, digest_of, one_a_kind
from coleval.corpus.joined_context import Stretches, in_places
from coleval.corpus.lazy import LazyMapping, Memo, maker_of
from coleval.corpus.schemes import looks_segmented, looks_tagged
from coleval.corpus.signature import hashes_by_file, label_numbers, pooled_hash
from coleval.errors import ColevalError
from coleval.loading.readers.several import ApartError, Together
from coleval.loading.sources import origin, size_of
from coleval.loading.tasks.layers import gold_layer, open_gold, read_systems
from coleval.loading.tasks.settling import usual_outside
from coleval.loading.tasks.tokens import Decoded, Decoder, decoded_layers, span_items, text_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.items import Items
    from coleval.corpus.options import Reading
    from coleval.corpus.problems import Problem
    from coleval.loading.cells import Cells
    from coleval.loading.readers.formats import Format
    from coleval.loading.readers.source import Source
    from coleval.loading.sources import Inputs
    from coleval.loading.tasks.layers import Reader, TokenLayer

    Numbers = NDArray[np.integer]
    Noted = tuple[int, tuple[Problem, ...]]


@dataclass(frozen=True, slots=True)
class FileEntries(Mapping[str, Entry]):
    """Gold and the systems of a file with what was repaired in it, each made when looked at."""

    inputs: Inputs
    noted: Mapping[str, list[Noted]]
    at: int
    answers: Mapping[str, list[str]]
    _made: Memo = field(default_factory=Memo)

    def __getitem__(self, name: str) -> Entry:
        """Return gold ("") or a system."""
        source = self.inputs.systems[name] if name else self.inputs.gold
        make = partial(file_entry, name, source, self.noted, self.at, self.answers)
        return self._made.get(name, make)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a file of that name; none is looked at."""
        return name == "" or name in self.inputs.systems

    def __iter__(self) -> Iterator[str]:
        """Return gold, then the systems."""
        return iter(("", *self.inputs.systems))

    def __len__(self) -> int:
        """Return how many files there are."""
        return len(self.inputs.systems) + 1


def file_entry(
    name: str, source: Source, noted: Mapping[str, list[Noted]], at: int,
    answers: Mapping[str, list[str]],
) -> Entry:  # fmt: skip
    """Return gold or a system of a file, with what was repaired in it."""
    repairs, notes = noted[name][at] if noted else (None, ())
    about = origin(source, hashed=not name)
    return Entry(name, about, repairs, notes, answers=answers[name][at])


# Larger files cost what their tokens cost, and all of them are not to be held at once.
_SMALL, _MOST = 1 << 18, 1 << 28


def read_together(
    cells: Cells, form: Format, reading: Reading, progress: Callable[[str], None]
) -> Corpus | None:
    """Return the corpus of all cells, None if they have to be read one by one."""
    special = reading.merged or reading.drop or reading.names or reading.differing_text == "align"
    if form.name != "columns" or special:
        return None
    try:
        small = _are_small(cells)
        return _Whole.of(cells, form, reading, progress).corpus() if small else None
    except (ApartError, ColevalError):
        # Whatever it is, reading them one by one says where.
        return None


def _are_small(cells: Cells) -> bool:
    every = list(cells.inputs.values())
    golds = [inputs.gold for inputs in every]
    sources = [*golds, *(source for inputs in every for source in inputs.systems.values())]
    odd = any(source.frame is not None or source.is_stream for source in sources)
    named = {bool(place.dataset) for place in cells.inputs}
    if odd or cells.logs or len(golds) < 2 or len(named) > 1:
        return False
    size = sum(len(gold.text) for gold in golds)
    return size < min(_MOST, _SMALL * len(golds))


def _source(cells: Cells, name: str, reading: Reading) -> Together:
    """Return the files of gold ("") or of a system, gold's where it has not run."""
    files = tuple(inputs.systems.get(name, inputs.gold) for inputs in cells.inputs.values())
    first = files[0]
    return Together(first.path, name, first.encoding, files=files, named=reading.columns.named)


def _steps(cells: Cells, progress: Callable[[str], None]) -> Callable[[str], None]:
    """Return what says all places while systems are read, as if they were read one by one."""
    places, said = list(map(str, cells.inputs)), iter(range(1, len(cells.systems) + 1))

    def step(_: str) -> None:
        at = next(said)
        low, high = ((at + k) * len(places) // len(cells.systems) for k in (-1, 0))
        for place in places[low:high]:
            progress(place)

    return step


def _firsts(line: Numbers, begins: Sequence[int]) -> Numbers:
    """Return the first token of each file, by the lines of all tokens."""
    return np.searchsorted(line, np.array(begins) + 1)


def _check_layer(layer: TokenLayer, begins: Sequence[int], first: Numbers) -> None:
    """Raise unless the tokens of each file are just those of its gold."""
    found = layer.alignment
    other = layer.own is not None or found.problems or found.breaks_differ or len(found.differ)
    if other or not np.array_equal(_firsts(layer.line, begins), first):
        raise ApartError


def _check_gold(reading: Reading, settled: Reading, reader: Reader, first: Numbers) -> None:
    """Raise unless each file by itself has tokens, and would be read as all of them are."""
    sizes = np.diff([*first, len(reader.gold)])
    if not settled.task_kind.tagged_text or not sizes.all() or not reader.coder.labels:
        raise ApartError
    for labels in _labels(reader, sizes):
        if _read_otherwise(labels, reading, settled):
            raise ApartError


def _labels(reader: Reader, sizes: Numbers) -> set[tuple[str, ...]]:
    """Return the labels of all files of gold, and of each, but for what is outside."""
    names = reader.coder.labels
    width = len(names) + 1
    if len(sizes) * width > _MOST:
        raise ApartError
    seen = np.zeros(len(sizes) * width, np.bool_)
    seen[np.repeat(np.arange(len(sizes)) * width, sizes) + reader.codes] = True
    own = seen.reshape(-1, width)[:, 1:]
    return {tuple(names[at] for at in np.flatnonzero(row)) for row in np.unique(own, axis=0)} | {
        tuple(names)
    }


def _not_stacked(labels: Sequence[str]) -> None:
    """Raise if spans may lie on each other: their order is that of labels of each file."""
    if any("|" in label for label in labels):
        raise ApartError


def _read_otherwise(labels: tuple[str, ...], reading: Reading, settled: Reading) -> bool:
    """Tell whether a file with these labels alone is, or may be, of another task or scheme."""
    outside = frozenset(settled.outside or ())
    if looks_segmented(labels, outside):
        return True
    if reading.task is not None:
        return False
    if settled.task_kind.spans_of_tags:
        # A file without any span is one of spans all the same.
        return bool(labels) and not looks_tagged(labels, outside, suffix=reading.suffix)
    usual = frozenset(reading.outside or usual_outside(reading, list(labels)))
    return not labels or looks_tagged(labels, usual, suffix=reading.suffix)


def _hashes(sources: Sequence[Source]) -> list[str]:
    return [origin(source, hashed=True).sha256 for source in sources]


@dataclass(frozen=True)
class _Whole:
    """What was read, and which of it is whose: the first token, line and document of each file."""

    cells: Cells
    reading: Reading
    reader: Reader
    layers: dict[str, TokenLayer]
    lines: Mapping[str, Sequence[int]]
    first: Numbers
    marked: NDArray[np.bool_]
    hashes: Sequence[str]

    @classmethod
    def of(
        cls, cells: Cells, form: Format, reading: Reading, progress: Callable[[str], None]
    ) -> _Whole:
        """Return all files as read, those of gold hashed meanwhile."""
        with ThreadPoolExecutor(1) as pool:
            hashing = pool.submit(_hashes, [inputs.gold for inputs in cells.inputs.values()])
            found = cls._read(cells, form, reading, progress)
            return replace(found, hashes=hashing.result())

    @classmethod
    def _read(
        cls, cells: Cells, form: Format, reading: Reading, progress: Callable[[str], None]
    ) -> _Whole:
        sources = {name: _source(cells, name, reading) for name in ("", *cells.systems)}
        gold = sources.pop("")
        marked = gold.marked()
        settled, reader = open_gold(gold, form, reading)
        lines = {"": gold.lines}
        first = _firsts(reader.gold.line, gold.lines)
        _check_gold(reading, settled, reader, first)
        layers = {"": gold_layer(reader), **read_systems(reader, sources, _steps(cells, progress))}
        lines |= {name: source.lines for name, source in sources.items()}
        for name, layer in layers.items():
            _check_layer(layer, lines[name], first)
        _not_stacked(reader.coder.labels)
        found = cls(cells, settled, reader, layers, lines, first, marked, ())
        found.layers.update({n: found._there(n, y) for n, y in layers.items()})
        return found

    def _there(self, name: str, layer: TokenLayer) -> TokenLayer:
        """Return a layer without answers where the system has not run: gold stood in for it."""
        gone = [at for at, inputs in enumerate(self._inputs) if name and name not in inputs.systems]
        if not gone:
            return layer
        codes, last = layer.codes.copy(), [*self.first[1:], len(layer.codes)]
        for at in gone:
            codes[self.first[at] : last[at]] = 0
        return replace(layer, codes=codes)

    def corpus(self) -> Corpus:
        """Return the corpus, with a grid whose cells are cut out of it."""
        tokens = self._tokens
        if self.reading.task_kind.covers_text:
            units: Mapping[str, Items] = LazyMapping({"token": maker_of(tokens())})
            return self._corpus(units, {})
        decoder = Decoder(self.reading, self.reader.gold, self.reader.coder)
        decoder.breaks[self.first] = True
        decoded = decoded_layers(decoder, self.reader, self.layers)
        noted = {name: self._noted(name, one, decoder) for name, one in decoded.items()}
        labels = decoder.kinds.labels
        spans = self._placed(
            span_items(self.reader.gold, self.layers, decoded, labels, self.reading)
        )
        units = LazyMapping({"span": maker_of(spans), "token": tokens})
        return self._corpus(units, noted)

    def _corpus(self, units: Mapping[str, Items], noted: Mapping[str, list[Noted]]) -> Corpus:
        cells = self.cells
        parts = tuple(
            GridCell(place.dataset, place.part, FileEntries(inputs, noted, at, self._answers))
            for at, (place, inputs) in enumerate(cells.inputs.items())
        )
        sizes = {name: partial(self._sizes, units, name) for name in units}
        return Corpus(
            self.reading.task or "tag",
            self.reading,
            self._pooled("", noted),
            tuple(self._pooled(name, noted) for name in cells.systems),
            units,
            layers=LazyMapping({}, keep=False),
            grid=Grid(parts, LazyMapping(sizes)),
        )

    def _tokens(self) -> Items:
        return self._placed(text_items(self.reading, self.reader, self.layers))

    @cached_property
    def _inputs(self) -> list[Inputs]:
        return list(self.cells.inputs.values())

    @cached_property
    def _sentences(self) -> Numbers:
        """Return the first sentence of each file, and how many there are in all."""
        sentence = self.reader.gold.sentence
        return np.append(sentence[self.first], sentence[-1] + 1)

    def _rows(self, items: Items) -> Numbers:
        """Return how many rows each file makes up."""
        return np.diff(np.searchsorted(items.context["sentence"].to_numpy(), self._sentences))

    @cached_property
    def _answers(self) -> Mapping[str, list[str]]:
        """Return the hash of the answers in each file."""
        numbers = label_numbers(self.reader.coder.names)
        return {
            name: hashes_by_file(layer.codes, numbers, self.first)
            for name, layer in self.layers.items()
        }

    def _sizes(self, units: Mapping[str, Items], name: str) -> tuple[Size, ...]:
        items, groups = units[name], np.diff(self._sentences)
        return tuple(
            Size(rows, sentences, items.empty_is_answer)
            for rows, sentences in zip(self._rows(items).tolist(), groups.tolist(), strict=True)
        )

    def _placed(self, items: Items) -> Items:
        """Return items behind their dataset, part and document, systems in the order asked for."""
        document = self.reader.gold.document
        first = None if document is None else document[self.first]
        places = [(place.dataset, place.part) for place in self.cells.inputs]
        stretches = Stretches(places, self._rows(items), first, self.marked)
        answers = {name: items.answers[name] for name in self.cells.systems}
        return replace(items, context=in_places(items.context, stretches), answers=answers)

    def _pooled(self, name: str, noted: Mapping[str, list[Noted]]) -> Entry:
        """Return gold or a system over all its files, of which none is described by itself."""
        there = {
            at: inputs.systems[name] if name else inputs.gold
            for at, inputs in enumerate(self._inputs)
            if not name or name in inputs.systems
        }
        sources, path = list(there.values()), self.cells.paths.get(name, "")
        if len(sources) == 1 and not path:
            at = next(iter(there))
            entry = file_entry(name, sources[0], noted, at, self._answers)
            return replace(entry, answers=self._pooled_answers(name, there))
        where = path or origin(sources[0]).path
        digest = digest_of([""] if name else list(self.hashes))
        about = Origin(where, sum(map(size_of, sources)), 0, digest)
        entry = Entry(name, about, answers=self._pooled_answers(name, there))
        if not noted:
            return entry
        found = [noted[name][at] for at in there]
        notes = one_a_kind(p for _, own in found for p in own)
        return replace(entry, repairs=sum(n for n, _ in found), notes=notes)

    def _pooled_answers(self, name: str, files: Iterable[int]) -> str:
        places, hashes = list(self.cells.inputs), self._answers[name]
        return pooled_hash((places[at].dataset, places[at].part, hashes[at]) for at in files)

    def _noted(self, name: str, decoded: Decoded, decoder: Decoder) -> list[Noted]:
        """Return how many sequences of each file were repaired, and the note that says so."""
        # Anything but repairs is of a whole file.
        known = 0 if self.reading.repair == "error" else bool(decoded.spans.repairs)
        if len(decoded.notes) > known:
            raise ApartError
        repaired = decoded.spans.repaired
        starts = np.searchsorted(repaired, np.append(self.first, len(self.reader.gold)))
        counts = np.diff(starts)
        found: list[Noted] = [(0, ())] * len(counts)
        for at in np.flatnonzero(counts).tolist():
            first, n = int(repaired[starts[at]]), int(counts[at])
            found[at] = n, self._note(name, at, decoder, first, n)
        return found

    def _note(
        self, name: str, at: int, decoder: Decoder, token: int, n: int
    ) -> tuple[Problem, ...]:
        inputs = self._inputs[at]
        source = inputs.systems[name] if name else inputs.gold
        line = int(self.layers[name].line[token]) - self.lines[name][at]
        return (decoder.broken(self.layers[name], token, n, (source.path, line)),)
