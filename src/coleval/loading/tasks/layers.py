"""One text and the labels that gold and each system put on its tokens.

Gold is read in full. A system's file is compared with gold's line by line first: the lines that
are the same to the letter, nine in ten or more, need no parsing; where that cannot work (other
columns, other line ends, a lost line) the file is read in full and aligned.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from coleval.corpus.coding import Coder, Codes, spelled, width
from coleval.corpus.problems import Problem, raise_first, scorable
from coleval.late_classes import dataclass
from coleval.loading.align.choice import GoldText, align
from coleval.loading.align.model import IDENTICAL, Alignment
from coleval.loading.align.rows import alone
from coleval.loading.align.sentences import paired
from coleval.loading.readers.formats import Format, need
from coleval.loading.readers.model import TokenFile
from coleval.loading.tasks.answers import Answers
from coleval.loading.tasks.guide import Guide
from coleval.loading.tasks.numbered_trees import NumberedTrees
from coleval.loading.tasks.recognised import format_beside
from coleval.loading.tasks.relatives import Coded, Coding, Relative, Relatives
from coleval.loading.tasks.settling import settle, with_coder
from coleval.loading.tasks.tree_shape import odd_trees
from coleval.loading.tasks.trees import as_trees, heads_as_gold, heads_of, own_heads
from coleval.loading.tasks.words import TagCoders, Words, patched, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from coleval.corpus.options import Reading
    from coleval.loading.readers.source import Source
    from coleval.loading.tasks.guide_conllu import ConlluGuide

# Formats whose gold is only compared, not quoted.
_COMPARED = ("columns", "conllu", "sequences")
# Files read at once: the CSV reader has threads of its own, more would only cost memory.
AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class TokenLayer:
    """One system's labels on its tokens: codes, the line of each token, how it was aligned.

    Its tokens are gold's unless the alignment says otherwise; then they are in ``own``. Words of
    trees have other tags as well, stand in tokens and sentences, and need no lines any more.
    """

    path: str
    codes: Codes
    line: NDArray[np.uint32]
    alignment: Alignment
    gold: bool = False
    own: TokenFile | None = None
    words: Words | None = None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return what aligning found."""
        return self.alignment.problems


@dataclass
class Reader:
    """Gold, and what it takes to read systems against it."""

    format: Format
    reading: Reading
    gold: TokenFile
    coder: Coder
    codes: Codes
    guide: Guide | ConlluGuide | None = None
    tags: TagCoders = field(default_factory=TagCoders)
    trees: Answers | None = None
    numbered: NumberedTrees | None = None

    @cached_property
    def answers(self) -> Answers:
        """Return what codes answers of trees."""
        return self.trees or Answers(self.coder)

    @cached_property
    def text(self) -> GoldText:
        """Return gold as what systems are aligned with."""
        return GoldText(self.gold) if self.numbered is None else self.numbered.gold

    @cached_property
    def words(self) -> Words:
        """Return gold's words with their tags."""
        if self.numbered is not None and self.numbered.words is not None:
            return self.numbered.words
        return words_of(self.text, self.gold, IDENTICAL, self.tags)

    def read(self, source: Source) -> TokenLayer:
        """Return a system's layer; problems with its alignment are in it, not raised."""
        layer = self._by_guide(source)
        return self._in_full(source) if layer is None else layer

    def layer(self, system: TokenFile, column: str, source: Source | None = None) -> TokenLayer:
        """Return the layer of a file that was read in full, from a source if it is named."""
        found = align(self.text, system)
        if not scorable(found.problems):
            return TokenLayer(system.path, np.zeros(len(system), np.uint8), system.line, found)
        own = None if found.match is None else system
        if not self.reading.task_kind.trees:
            codes = self.coder.encode(system.columns[column])
            return TokenLayer(system.path, codes, system.line, found, own=own)
        moved = found.match is not None or found.breaks_differ
        heads = (
            heads_as_gold(self.gold, system, found, None, heads_of(system))
            if moved
            else own_heads(system)
        )
        codes = self.answers.encode({**system.columns, **system.context}["deprel"], heads)
        words = words_of(self.text, system, found, self.tags)
        coded = Coded(codes, words, found, odd_trees(system))
        if source is not None and self.relatives is not None:
            self.relatives.add(source, system, coded)
        return _of_trees(system, coded)

    @cached_property
    def relatives(self) -> Relatives | None:
        """Return the files of trees that others are compared with, None where they cannot be."""
        if self.guide is None or not self.reading.task_kind.trees:
            return None
        guide = cast("ConlluGuide", self.guide)
        coded = Coded(self.codes, self.words, IDENTICAL)
        return Relatives(
            Relative(guide, self.gold, coded), Coding(self.gold, self.answers, self.tags)
        )

    def _in_full(self, source: Source) -> TokenLayer:
        form = self._format_of(source)
        file = form_tokens(form, source, self.reading, "system")
        told = without(paired(self.gold, file), self.reading.drop)
        known = self.relatives is not None and form is self.format and told is file
        if not (known and self.relatives and self.relatives.has_room(source)):
            source.forget()
            return self.layer(told, "system")
        layer = self.layer(told, "system", source)
        source.forget()
        return layer

    def _format_of(self, source: Source) -> Format:
        """Return the format of a system's file, which need not be gold's."""
        reading = self.reading
        return self.format if reading.format else format_beside(self.format, source, reading)

    def _by_guide(self, source: Source) -> TokenLayer | None:
        compared = self.guide is not None or self.numbered is not None
        if not compared or self._format_of(source) is not self.format:
            return None
        if self.reading.task_kind.trees:
            by = self.numbered or self.relatives
            like = None if by is None else by.read(source)
            return None if like is None else _of_trees(*like)
        assert self.guide is not None  # noqa: S101  - only trees are numbered
        found = self.guide.unlike(source)
        if found is None:
            return None
        token, fresh = found
        codes = patched(self.codes, token, self.coder.encode(fresh))
        return TokenLayer(source.path, codes, self.gold.line, IDENTICAL)


def _of_trees(file: TokenFile, coded: Coded) -> TokenLayer:
    """Return the layer of a file of trees."""
    found = replace(coded.found, problems=(*coded.found.problems, *coded.odd))
    # Nothing else is asked of its words now, and many systems wait for each other here.
    bare, own = _without_words(file), None
    if found.match is not None:
        match, own = found.match.astype(np.int32, copy=False), bare
        apart = alone(file, found) if found.alone is None else found.alone
        found = replace(found, match=match, home=None, characters=None, alone=apart)
    return TokenLayer(file.path, coded.codes, bare.line, found, own=own, words=coded.words)


def _without_words(file: TokenFile) -> TokenFile:
    nobody = np.empty(0, np.int32)
    line, form = nobody.astype(np.uint32), file.form.head(0)
    return TokenFile(file.path, form, nobody, line, {}, documents=file.documents)


def open_gold(source: Source, form: Format, reading: Reading) -> tuple[Reading, Reader]:
    """Return the options with the task settled, and gold with the means to read systems."""
    if reading.task_kind.trees:
        return _open_trees(source, form, reading)
    gold = without(form_tokens(form, source, reading, "gold"), reading.drop)
    known = spelled(gold.columns["gold"])
    settled, coder = settle(reading, gold, known.labels)
    codes = coder.recode(known)
    # Labels are codes by now, and files that are only compared need them no more.
    gold = replace(gold, columns={}) if form.name in _COMPARED else gold
    # To take rows from one chunk is ten times as fast as from several, and each system does.
    gold = replace(gold, form=gold.form.rechunk())
    guide = _guide(source, form, reading, gold)
    source.forget()
    return settled, Reader(form, settled, gold, coder, codes, guide)


def _guide(
    source: Source, form: Format, reading: Reading, gold: TokenFile
) -> Guide | ConlluGuide | None:
    """Return what systems are compared with line by line, None where gold's words were changed."""
    if reading.drop or reading.normalise:
        return None
    if form.name == "conllu":
        from coleval.loading.tasks.guide_conllu import ConlluGuide

        return ConlluGuide.of(source, reading.columns, gold)
    return Guide.of(source, reading.columns, gold) if form.name == "columns" else None


def _open_trees(source: Source, form: Format, reading: Reading) -> tuple[Reading, Reader]:
    """Return the same of trees: as numbers where there is no doubt, else as text."""
    settled, coder = with_coder(replace(reading, outside=reading.outside or ()))
    answers, tags = Answers(coder), TagCoders()
    as_numbers = form.name == "conllu" and not (reading.drop or reading.normalise)
    selection = replace(reading.selection, trees=True)
    numbered = NumberedTrees.opened(source, selection, answers, tags) if as_numbers else None
    if numbered is not None and numbered.codes is not None:
        source.forget()
        gold, codes = numbered.gold.file, numbered.codes
        return settled, Reader(form, settled, gold, coder, codes, None, tags, answers, numbered)
    gold = without(form_tokens(form, source, reading, "gold"), reading.drop)
    codes = answers.encode({**gold.columns, **gold.context}["deprel"], own_heads(gold))
    if as_numbers:
        numbered = NumberedTrees.of(GoldText(gold), selection, answers, tags)
    by_lines = as_numbers and numbered is None
    guide = _guide(source, form, reading, gold) if by_lines else None
    source.forget()
    return settled, Reader(form, settled, gold, coder, codes, guide, tags, answers, numbered)


def gold_layer(reader: Reader) -> TokenLayer:
    """Return gold as a layer on its own tokens."""
    gold = reader.gold
    layer = TokenLayer(gold.path, reader.codes, gold.line, IDENTICAL, gold=True)
    if not reader.reading.task_kind.trees:
        return layer
    odd = replace(IDENTICAL, problems=odd_trees(gold))
    return replace(layer, alignment=odd, words=reader.words)


def form_tokens(form: Format, source: Source, reading: Reading, role: str) -> TokenFile:
    """Return the tokens of a file; raise if its format has none."""
    need(form, "tokens", source)
    assert form.tokens is not None  # noqa: S101  - need() has just made sure
    trees = reading.task_kind.trees
    columns = replace(reading.selection, trees=trees)
    file = normalised(form.tokens(source, columns, role), reading.normalise)
    return as_trees(file, role) if trees else file


def normalised(file: TokenFile, form: str) -> TokenFile:
    """Return the file with its tokens in one Unicode form; as it is for ``""``."""
    if not form:
        return file
    kind: Any = form.upper()
    multi = file.multiwords
    if multi is not None:
        multi = replace(multi, form=multi.form.str.normalize(kind))
    return replace(file, form=file.form.str.normalize(kind), multiwords=multi)


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

    with ThreadPoolExecutor(AT_ONCE) as pool:
        layers = dict(zip(sources, pool.map(layer, sources), strict=True))
    # Lines are of no use to anybody else, nor are the places of gold's words.
    reader.guide, reader.relatives, reader.numbered = None, None, None
    for found in layers.values():
        raise_first(found.problems)
    return layers


def same_width(arrays: Mapping[str, Codes], labels: int) -> dict[str, Codes]:
    """Return the code arrays in one type, the narrowest that holds all labels."""
    kind = width(labels)
    return {name: codes.astype(kind, copy=False) for name, codes in arrays.items()}
