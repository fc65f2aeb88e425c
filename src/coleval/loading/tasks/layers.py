"""One text and the labels that gold and each system put on its tokens.

Gold is read in full. A system's labels are compared with gold's line by line first: the lines that
are the same to the letter, nine in ten or more, need no parsing; where that cannot work (other
columns, other line ends, a lost line) the file is read in full and aligned, as all trees are.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.corpus.coding import Coder, Codes, spelled, width
from coleval.corpus.items import check_name
from coleval.corpus.problems import Problem, raise_first, scorable
from coleval.corpus.signature import column_hash, joined_hash, label_numbers
from coleval.errors import DataError, UsageError
from coleval.loading.align.position import (
    IDENTICAL,
    Alignment,
    GoldText,
    align,
    by_position,
    paired,
)
from coleval.loading.align.rows import JoinedRows, rows_of, words_beside
from coleval.loading.readers.columns import GoldLines
from coleval.loading.readers.formats import Format, need
from coleval.loading.readers.headers import other_answers
from coleval.loading.tasks.settling import format_beside, settle, with_coder
from coleval.loading.tasks.trees import TAGS, TREE, WordCoders, Words, as_trees, odd_trees, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars as pl
    from numpy.typing import NDArray

    from coleval.corpus.options import Reading
    from coleval.loading.readers.model import TokenFile
    from coleval.loading.readers.source import Source


# Formats whose gold is only compared, not quoted.
_COMPARED = ("columns", "conllu", "sequences")
_NO_LINES = np.empty(0, np.uint32)
# Files read at once: the CSV reader has threads of its own, more would only cost memory. All ten
# columns of trees of so many words keep these busy, and take a hundred bytes a word.
AT_ONCE = 2
_LARGE = 1 << 18


@dataclass(frozen=True, slots=True)
class TokenLayer:
    """One system's labels on its tokens: codes, the line of each token, how it was aligned.

    Its tokens are gold's unless the alignment has a ``match``; then ``beside`` are those that gold
    has not, and ``own`` all of them, to decode spans over. Words of trees have other tags as well,
    and stand in tokens and sentences; as many systems wait for each other, they keep neither
    their forms nor their lines.
    """

    path: str
    codes: Codes
    line: NDArray[np.uint32]
    alignment: Alignment
    gold: bool = False
    own: TokenFile | None = None
    beside: pl.DataFrame | None = None
    words: Words | None = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return what aligning found."""
        return self.alignment.problems


def joined_rows(gold: TokenFile, layers: Mapping[str, TokenLayer]) -> JoinedRows | None:
    """Return one table for gold's words and those beside them, None if all have just gold's."""
    own = {}
    for name, layer in layers.items():
        if layer.alignment.match is not None and layer.beside is not None:
            own[name] = layer.alignment.match, layer.beside
    return rows_of(gold, own)


@dataclass
class Reader:
    """Gold, and what it takes to read systems against it.

    ``trees`` codes words of trees, and ``words`` are those of gold.
    """

    format: Format
    reading: Reading
    gold: TokenFile
    coder: Coder
    codes: Codes
    gold_lines: GoldLines | None = None
    trees: WordCoders | None = None
    words: Words | None = None

    @cached_property
    def text(self) -> GoldText:
        """Return gold as what systems are aligned with."""
        return GoldText(self.gold)

    def read(self, source: Source) -> TokenLayer:
        """Return a system's layer; problems with its alignment are in it, not raised."""
        reading = self.reading
        # The format of a system's file need not be gold's.
        form = self.format if reading.format else format_beside(self.format, source, reading)
        lines = self.gold_lines if form is self.format else None
        differing = None if lines is None else lines.differing(source)
        if differing is not None:
            token, labels = differing
            fresh = self.coder.encode(labels)
            kind = max(self.codes.dtype, fresh.dtype, key=lambda kind: kind.itemsize)
            codes: Codes = self.codes.astype(kind)
            codes[token] = fresh
            notes = other_answers(source, reading.columns, "system")
            identical = replace(IDENTICAL, problems=notes)
            return TokenLayer(source.path, codes, self.gold.line, identical)
        file = form_tokens(form, source, reading, "system")
        file = without(paired(self.gold, file), reading.drop)
        source.forget()
        return self.layer(file, "system")

    def layer(self, system: TokenFile, column: str) -> TokenLayer:
        """Return the layer of a file that was read in full."""
        alignment, path, trees = align(self.text, system), system.path, self.trees
        scored = scorable(alignment.problems)
        # What else is wrong with a file that cannot be scored is there to be listed with it.
        more = odd_trees(system) if trees is not None else ()
        problems = (*alignment.problems, *(system.notes if scored else ()), *more)
        alignment = replace(alignment, problems=problems)
        beside = words_beside(system, alignment) if scored and alignment.match is not None else None
        if trees is None:
            codes = self.coder.encode(system.columns[column])
            own = system if not scored or alignment.match is not None else None
            return TokenLayer(path, codes, system.line, alignment, own=own, beside=beside)
        if not scored:
            return TokenLayer(path, np.zeros(len(system), np.uint8), system.line, alignment)
        codes = trees.encode(self.gold, system, alignment)
        words = words_of(self.text, system, alignment, trees)
        # Forms and places of trees are of no use any more.
        slim = replace(alignment, home=None, characters=None)
        return TokenLayer(path, codes, _NO_LINES, slim, beside=beside, words=words)


def open_gold(source: Source, form: Format, reading: Reading) -> tuple[Reading, Reader]:
    """Return the options with the task settled, and gold with the means to read systems."""
    gold = without(form_tokens(form, source, reading, "gold"), reading.drop)
    if reading.task_kind.trees:
        source.forget()
        return _open_trees(gold, form, reading)
    known = spelled(gold.columns["gold"])
    settled, coder = settle(reading, gold, known.labels)
    codes = coder.recode(known)
    # Labels are codes by now, and files that are only compared need them no more.
    gold = replace(gold, columns={}) if form.name in _COMPARED else gold
    # To take rows from one chunk is ten times as fast as from several, and each system does.
    gold = replace(gold, form=gold.form.rechunk())
    gold_lines = None
    if form.name == "columns" and not (reading.drop or reading.normalise):
        gold_lines = GoldLines.of(source, reading.columns, gold)
    source.forget()
    return settled, Reader(form, settled, gold, coder, codes, gold_lines)


def _open_trees(gold: TokenFile, form: Format, reading: Reading) -> tuple[Reading, Reader]:
    """Return the same of trees."""
    settled, coder = with_coder(replace(reading, outside=reading.outside or ()))
    trees = WordCoders(coder)
    codes = trees.encode(gold, gold, IDENTICAL)
    # Tags are codes from here on, and text takes a lot of memory beside the systems' files.
    columns = {**gold.columns, **gold.context, "head": gold.columns["head"]}
    names = {*TREE, *reading.columns.context}
    kept = {name: column for name, column in columns.items() if name in names}
    # Comments are context; columns beside the tree have been kept or left out just now.
    said = {name: column for name, column in gold.context.items() if name not in gold.columns}
    slim = replace(gold, columns=kept, context=said)
    reader = Reader(form, settled, slim, coder, codes, trees=trees)
    reader.words = words_of(reader.text, gold, IDENTICAL, trees)
    return settled, reader


def gold_layer(reader: Reader) -> TokenLayer:
    """Return gold as a layer on its own tokens."""
    gold = reader.gold
    own = replace(IDENTICAL, problems=gold.notes)
    layer = TokenLayer(gold.path, reader.codes, gold.line, own, gold=True)
    if reader.words is None:
        return layer
    odd = replace(own, problems=(*gold.notes, *odd_trees(gold)))
    return replace(layer, alignment=odd, words=reader.words)


def form_tokens(form: Format, source: Source, reading: Reading, role: str) -> TokenFile:
    """Return the tokens of a file; raise if its format has none."""
    read = need(form, "tokens", source)
    trees = reading.task_kind.trees
    columns = replace(reading.selection, trees=trees)
    columns = columns.of_system if role == "system" else columns
    file: TokenFile = read(source, columns, role)
    if reading.normalise:
        kind: Any = reading.normalise.upper()
        multi = file.multiwords
        if multi is not None:
            multi = replace(multi, form=multi.form.str.normalize(kind))
        file = replace(file, form=file.form.str.normalize(kind), multiwords=multi)
    return as_trees(file, role) if trees else file


def without(file: TokenFile, start: str) -> TokenFile:
    """Return the file without the tokens that begin with ``start``; all of it for ``""``."""
    keep = ~file.form.str.starts_with(start) if start else None
    if keep is None or keep.all():
        return file
    return file.filtered(keep.to_numpy())


def read_systems(
    reader: Reader, sources: Mapping[str, Source], progress: Callable[[str], None]
) -> dict[str, TokenLayer]:
    """Return every system's layer, two files at a time; raise for the first unfit to be scored."""

    def layer(name: str) -> TokenLayer:
        progress(name)
        try:
            return reader.read(sources[name])
        finally:
            sources[name].forget()

    alone = reader.trees is not None and len(reader.gold) > _LARGE
    with ThreadPoolExecutor(1 if alone else AT_ONCE) as pool:
        layers = dict(zip(sources, pool.map(layer, sources), strict=True))
    # Lines are of no use to anybody else.
    reader.gold_lines = None
    for found in layers.values():
        raise_first(found.problems)
    return layers


def answer_hashes(reader: Reader, layers: Mapping[str, TokenLayer]) -> dict[str, str]:
    """Return the hash of each layer: of its labels, and of its tokens where they are its own."""
    coders = {"": reader.coder.names}
    if reader.trees is not None:
        coders |= {name: coder.labels for name, coder in reader.trees.tags.items()}
        coders["edges"] = reader.trees.edges.labels
    numbers = {name: label_numbers(labels) for name, labels in coders.items()}
    hashes = {}
    for name, layer in layers.items():
        found = [column_hash(layer.codes, numbers[""])]
        if layer.alignment.match is not None:
            found.append(column_hash(layer.alignment.match))
        if (own := layer.own) is not None:
            found += [column_hash(own.sentence), column_hash(own.form.str.len_chars().to_numpy())]
        if reader.reading.forms:
            found.append(column_hash(layer.alignment.differ))
        if (words := layer.words) is not None:
            found += [
                column_hash(words.tags[n], numbers[n]) if n in words.tags else 0 for n in TAGS
            ]
            found += map(column_hash, (*words.tokens, *words.sentences, words.edges.word))
            found.append(column_hash(words.edges.codes, numbers["edges"]))
        hashes[name] = joined_hash(found)
    return hashes


def same_width(arrays: Mapping[str, Codes], labels: int) -> dict[str, Codes]:
    """Return the code arrays in one type, the narrowest that holds all labels."""
    kind = width(labels)
    return {name: codes.astype(kind, copy=False) for name, codes in arrays.items()}


def read_merged_files(
    sources: Mapping[str, Source], form: Format, reading: Reading
) -> tuple[Reading, Reader, dict[str, TokenLayer]]:
    """Return gold as the first file has it, and a layer for every prediction column."""
    if reading.task_kind.trees:
        raise UsageError(
            "trees are not read from files with gold and predictions side by side",
            where=next(iter(sources.values())).path,
            remedy="give gold and each system a CoNLL-U file of its own, without --merged",
        )
    files = []
    for source in sources.values():
        file = need(form, "merged", source)(source, reading.selection)
        files.append(without(file, reading.drop))
    first = files[0]
    known = spelled(first.columns["gold"])
    settled, coder = settle(reading, first, known.labels)
    codes = coder.recode(known)
    # Which columns were taken is said of each system.
    gold = replace(first, columns={"gold": first.columns["gold"]}, notes=())
    reader = Reader(form, settled, gold, coder, codes)
    layers = {"": gold_layer(reader)}
    for file in files:
        layers |= _layers(reader, file, layers)
    return settled, reader, layers


def _layers(
    reader: Reader, file: TokenFile, taken: Mapping[str, TokenLayer]
) -> dict[str, TokenLayer]:
    names = [n for n in file.columns if n != "gold"]
    if not names:
        raise UsageError(
            "has a gold column but no column of predictions",
            where=file.path,
            remedy="name the column of predictions: --columns form=1,gold=2,system=3",
        )
    _agree(reader, file)
    for name in names:
        if name in taken:
            raise UsageError(
                f"two systems are called `{name}`",
                where=file.path,
                remedy=f"give this one another name: {name}2={file.path}",
            )
    return {
        check_name(name, file.path, column=len(names) > 1): reader.layer(file, name)
        for name in names
    }


def _agree(reader: Reader, file: TokenFile) -> None:
    """Raise if a file's tokens or gold labels are not those of the first file."""
    raise_first(by_position(reader.gold, file).problems)
    codes = reader.coder.encode(file.columns["gold"])
    _, table = reader.coder.compared()
    alike = codes == reader.codes if table is None else table[codes] == table[reader.codes]
    differ = np.flatnonzero(~alike)
    if len(differ):
        at = int(differ[0])
        ours, theirs = reader.gold.columns["gold"][at], file.columns["gold"][at]
        raise DataError(
            f"gold is `{theirs}` on `{file.form[at]}`, but `{ours}` in {reader.gold.at(at)}"
            f" ({len(differ):,} of {len(file):,} tokens differ)",
            where=file.at(at),
            remedy="merged files must have the same gold; is a column shifted?",
        )
