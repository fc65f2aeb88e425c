"""A whole shared task: every gold file with the runs on it, read one by one into one corpus.

Many small column files are read as one text, gold's end to end and each system's likewise: opening
a file costs as much as some thousand tokens of it. What comes of it is what comes of the files read
one by one; whatever is unusual about any is left to that way (``ApartError``), which says where.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.corpus import Corpus, Entry, Origin
from coleval.corpus.grid import Grid, GridCell, Size, digest_of, one_a_kind
from coleval.corpus.joined import CellCorpus, corpus_of_parts
from coleval.corpus.joined_context import Stretches, in_places
from coleval.corpus.lazy import LazyMapping, maker_of
from coleval.corpus.schemes import OUTSIDE, looks_segmented, looks_tagged
from coleval.corpus.signature import hashes_by_file, label_numbers, pooled_hash
from coleval.errors import ColevalError
from coleval.loading.readers.headers import TOKENS, fields_of, is_header
from coleval.loading.readers.source import Source
from coleval.loading.sources import origin, size_of
from coleval.loading.tasks.layers import AT_ONCE, gold_layer, open_gold, read_systems
from coleval.loading.tasks.settling import usual_outside
from coleval.loading.tasks.tokens import Decoded, Decoder, decoded_layers, span_items, text_items

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.disk import Shelf
    from coleval.corpus.items import Items
    from coleval.corpus.options import Reading
    from coleval.corpus.problems import Problem
    from coleval.loading.cells import Cells
    from coleval.loading.readers.formats import Format
    from coleval.loading.sources import Inputs
    from coleval.loading.tasks.layers import Reader, TokenLayer
    from coleval.loading.templates import Place

    Read = Callable[[Inputs, Reading], Corpus]
    Numbers = NDArray[np.integer]
    Noted = tuple[int, tuple[Problem, ...]]


# Labels of tokens may be tags, or begin and continue spans.
_SPANS, _TAGGED = "span", ("tag", "span")


def read_cells(
    cells: Cells, form: Format, reading: Reading, read: Read, progress: Callable[[str], None],
    own: Shelf | None = None,
) -> Corpus:  # fmt: skip
    """Return the corpus of all gold files with their runs, read as one text or side by side."""
    corpus = read_together(cells, form, reading, progress) if own is None else None
    corpus = corpus or _side_by_side(cells, reading, read, progress, own)
    gold = replace(corpus.gold, notes=(*corpus.gold.notes, *cells.notes))
    return replace(corpus, gold=gold)


def _side_by_side(
    cells: Cells, reading: Reading, read: Read, progress: Callable[[str], None], own: Shelf | None
) -> Corpus:
    """Return the corpus of all cells, each read by itself."""

    def part(place: Place) -> CellCorpus:
        progress(str(place))
        return CellCorpus(place.dataset, place.part, read(cells.inputs[place], reading))

    # Under a limit on memory there is one part at a time.
    with ThreadPoolExecutor(AT_ONCE if own is None else 1) as pool:
        parts = list(pool.map(part, cells.inputs))
    parts = _of_one_task(parts, cells, reading, read)
    return corpus_of_parts(parts, cells.systems, own, cells.paths)


def _of_one_task(
    parts: list[CellCorpus], cells: Cells, reading: Reading, read: Read
) -> list[CellCorpus]:
    """Return the parts under one task: a dataset without any span is still one of spans."""
    if reading.task is not None or all(part.corpus.task != _SPANS for part in parts):
        return parts
    settled = replace(reading, task=_SPANS)
    return [
        replace(part, corpus=read(inputs, settled)) if _without_spans(part.corpus) else part
        for part, inputs in zip(parts, cells.inputs.values(), strict=True)
    ]


def _without_spans(corpus: Corpus) -> bool:
    """Return whether gold has nothing but labels that are outside where there are spans."""
    # Span files are not read token by token, and say themselves that they hold spans.
    if corpus.task not in _TAGGED or "token" not in corpus.units:
        return False
    tokens = corpus.units["token"]
    outside = {*OUTSIDE, *(map(str.casefold, OUTSIDE) if corpus.reading.fold else ())}
    return {tokens.labels[code - 1] for code in np.unique(tokens.gold) if code} <= outside


# Larger files cost what their tokens cost, and all of them are not to be held at once.
_SMALL, _MOST = 1 << 18, 1 << 28
# Blank lines at the beginning may get lost; brackets may be JSON.
_ODD_BEGINNINGS = (b"\n", b" ", b"\t", b"{", b"[")
_FIRST = re.compile(rb"(?:(?:-DOCSTART-[^\n]*|[ \t]*)\n)*([^\n]*)")
_MARK = b"-DOCSTART-"


class ApartError(Exception):
    """Something about the files is unusual: they have to be read one by one."""


@dataclass(frozen=True, eq=False)
class Together(Source):
    """Several files as one text, a blank line between them; where each begins is known then."""

    files: tuple[Source, ...] = ()
    begins: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    @cached_property
    def text(self) -> bytes:
        """Return the text of all files; raise if any begins otherwise than with its tokens."""
        texts = [_tidy(file) for file in self.files]
        whole = b"\n".join(texts)
        if b"\r" in whole:
            raise ApartError
        self.begins[:] = accumulate((len(text) + 1 for text in texts[:-1]), initial=0)
        ends = np.frombuffer(whole, np.uint8) == ord("\n")
        sizes = (int(np.count_nonzero(ends[low:high])) for low, high in pairwise(self.begins))
        self.lines[:] = accumulate(sizes, initial=0)
        return whole

    def marked(self) -> NDArray[np.bool_]:
        """Tell which files mark where documents begin."""
        whole, found = self.text, np.zeros(len(self.files), np.bool_)
        ends = b"\n\t" if _MARK in whole and b"\t" in whole else b"\n "
        places = []
        for mark in re.finditer(_MARK, whole):
            place, behind = mark.span()
            if whole[behind] not in ends or whole[max(place - 1, 0) : place] not in (b"", b"\n"):
                raise ApartError
            places.append(place)
        found[np.searchsorted(self.begins, places, side="right") - 1] = True
        return found


def _tidy(file: Source) -> bytes:
    """Return the text of a file, which is let go, with one line end at its end."""
    text = file.text
    file.forget()
    if text.endswith(b"\n\n") or not text.endswith(b"\n"):
        text = text.rstrip(b"\n") + b"\n"
    first = _FIRST.match(text)
    if first is None or text.startswith(_ODD_BEGINNINGS) or _may_be_header(first[1]):
        raise ApartError
    return text


@lru_cache(maxsize=1 << 14)
def _may_be_header(line: bytes) -> bool:
    said = line.decode("utf-8", "replace").casefold()
    return any(name in said for name in TOKENS) and is_header(fields_of(line))


def read_together(
    cells: Cells, form: Format, reading: Reading, progress: Callable[[str], None]
) -> Corpus | None:
    """Return the corpus of all cells, None if they have to be read one by one."""
    special = reading.merged or reading.drop or reading.names or reading.columns.named
    if form.name != "columns" or special or reading.differing_text == "align":
        return None
    try:
        return _read(cells, form, reading, progress).corpus() if _are_small(cells) else None
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


def _read(cells: Cells, form: Format, reading: Reading, progress: Callable[[str], None]) -> _Whole:
    """Return all files as read, those of gold hashed meanwhile.

    Raise unless each file by itself has tokens, just those of its gold, and would be read alike.
    """
    every = list(cells.inputs.values())
    sources = {}
    for name in ("", *cells.systems):
        # Gold stands in for a system that has not run.
        files = tuple(inputs.systems.get(name, inputs.gold) for inputs in every)
        sources[name] = Together(files[0].path, name, files[0].encoding, files=files)
    gold = sources.pop("")
    with ThreadPoolExecutor(1) as pool:
        hashing = pool.submit(lambda: [origin(i.gold, hashed=True).sha256 for i in every])
        marked = gold.marked()
        settled, reader = open_gold(gold, form, reading)
        first = np.searchsorted(reader.gold.line, np.array(gold.lines) + 1)
        _check_gold(reading, settled, reader, np.diff([*first, len(reader.gold)]))
        layers = {"": gold_layer(reader), **read_systems(reader, sources, _steps(cells, progress))}
        lines = {"": gold.lines} | {name: source.lines for name, source in sources.items()}
        for name, layer in layers.items():
            found = layer.alignment
            other = found.problems or found.breaks_differ or len(found.differ)
            begins = np.searchsorted(layer.line, np.array(lines[name]) + 1)
            if layer.own is not None or other or not np.array_equal(begins, first):
                raise ApartError
        # The order of spans that lie on each other is that of labels of each file.
        if any("|" in label for label in reader.coder.labels):
            raise ApartError
        for name, layer in layers.items():
            gone = [at for at, i in enumerate(every) if name and name not in i.systems]
            if gone:
                codes, last = layer.codes.copy(), [*first[1:], len(layer.codes)]
                for at in gone:
                    codes[first[at] : last[at]] = 0
                layers[name] = replace(layer, codes=codes)
        return _Whole(cells, settled, reader, layers, lines, first, marked, hashing.result())


def _steps(cells: Cells, progress: Callable[[str], None]) -> Callable[[str], None]:
    """Return what says all places while systems are read, as if they were read one by one."""
    places, said = list(map(str, cells.inputs)), iter(range(1, len(cells.systems) + 1))

    def step(_: str) -> None:
        at = next(said)
        low, high = ((at + k) * len(places) // len(cells.systems) for k in (-1, 0))
        for place in places[low:high]:
            progress(place)

    return step


def _check_gold(reading: Reading, settled: Reading, reader: Reader, sizes: Numbers) -> None:
    """Raise unless each file of gold, of so many tokens, would be read as all of them are."""
    names = reader.coder.labels
    width = len(names) + 1
    large = len(sizes) * width > _MOST
    if not settled.task_kind.tagged_text or not sizes.all() or not names or large:
        raise ApartError
    seen = np.zeros((len(sizes), width), np.bool_)
    seen.reshape(-1)[np.repeat(np.arange(len(sizes)) * width, sizes) + reader.codes] = True
    own = np.unique(seen[:, 1:], axis=0)
    for row in [*own, np.ones(len(names), np.bool_)]:
        labels = tuple(names[at] for at in np.flatnonzero(row))
        if _read_otherwise(labels, reading, settled):
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


@dataclass(frozen=True)
class _Whole:
    """What was read, and which of it is whose: the first token, line and document of each file."""

    cells: Cells
    reading: Reading
    reader: Reader
    layers: Mapping[str, TokenLayer]
    lines: Mapping[str, Sequence[int]]
    first: Numbers
    marked: NDArray[np.bool_]
    hashes: Sequence[str]

    def corpus(self) -> Corpus:
        """Return the corpus, with a grid whose cells are cut out of it."""
        tokens = self._tokens
        if self.reading.task_kind.covers_text:
            return self._corpus(LazyMapping({"token": maker_of(tokens())}), {})
        decoder = Decoder(self.reading, self.reader.gold, self.reader.coder)
        decoder.breaks[self.first] = True
        decoded = decoded_layers(decoder, self.reader, self.layers)
        noted = {name: self._noted(name, one, decoder) for name, one in decoded.items()}
        labels = decoder.kinds.labels
        spans = span_items(self.reader.gold, self.layers, decoded, labels, self.reading)
        units = LazyMapping({"span": maker_of(self._placed(spans)), "token": tokens})
        return self._corpus(units, noted)

    def _corpus(self, units: Mapping[str, Items], noted: Mapping[str, list[Noted]]) -> Corpus:
        cells = self.cells
        parts = tuple(
            GridCell(place.dataset, place.part, LazyMapping(
                {name: partial(self._entry, name, noted, at) for name in ("", *inputs.systems)}
            ))
            for at, (place, inputs) in enumerate(cells.inputs.items())
        )  # fmt: skip
        return Corpus(
            self.reading.task or "tag",
            self.reading,
            self._pooled("", noted),
            tuple(self._pooled(name, noted) for name in cells.systems),
            units,
            layers=LazyMapping({}, keep=False),
            grid=Grid(parts, LazyMapping({n: partial(self._sizes, units, n) for n in units})),
        )

    def _entry(self, name: str, noted: Mapping[str, list[Noted]], at: int) -> Entry:
        """Return gold ("") or a system of a file, with what was repaired in it."""
        repairs, notes = noted[name][at] if noted else (None, ())
        inputs = self._inputs[at]
        source = inputs.systems[name] if name else inputs.gold
        about = origin(source, hashed=not name)
        return Entry(name, about, repairs, notes, answers=self._answers[name][at])

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
        places, hashes = list(self.cells.inputs), self._answers[name]
        own = ((places[at].dataset, places[at].part, hashes[at]) for at in there)
        answers = pooled_hash(own)
        sources, path = list(there.values()), self.cells.paths.get(name, "")
        if len(sources) == 1 and not path:
            return replace(self._entry(name, noted, next(iter(there))), answers=answers)
        digest = digest_of([""] if name else list(self.hashes))
        where = path or origin(sources[0]).path
        about = Origin(where, sum(map(size_of, sources)), 0, digest)
        entry = Entry(name, about, answers=answers)
        if not noted:
            return entry
        found = [noted[name][at] for at in there]
        notes = one_a_kind(p for _, problems in found for p in problems)
        return replace(entry, repairs=sum(n for n, _ in found), notes=notes)

    def _noted(self, name: str, decoded: Decoded, decoder: Decoder) -> list[Noted]:
        """Return how many sequences of each file were repaired, and the note that says so."""
        # Anything but repairs is of a whole file.
        known = 0 if self.reading.repair == "error" else bool(decoded.spans.repairs)
        if len(decoded.notes) > known:
            raise ApartError
        repaired, layer = decoded.spans.repaired, self.layers[name]
        starts = np.searchsorted(repaired, np.append(self.first, len(self.reader.gold)))
        counts = np.diff(starts)
        found: list[Noted] = [(0, ())] * len(counts)
        for at in np.flatnonzero(counts).tolist():
            token, n = int(repaired[starts[at]]), int(counts[at])
            source = self._inputs[at].systems[name] if name else self._inputs[at].gold
            where = source.path, int(layer.line[token]) - self.lines[name][at]
            found[at] = n, (decoder.broken(layer, token, n, where),)
        return found
