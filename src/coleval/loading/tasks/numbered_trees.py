"""Trees of systems from words as numbers: no text is made but where words are not gold's.

Says the same of a file as the readers and aligners of text do (``layers``, ``align``), of files
that are beyond doubt.
"""

from __future__ import annotations

from dataclasses import field, replace
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.late_classes import dataclass
from coleval.loading.align import position
from coleval.loading.align.characters import Characters, without_spaces
from coleval.loading.align.choice import GoldText, by_characters
from coleval.loading.align.model import IDENTICAL
from coleval.loading.align.rows import alone
from coleval.loading.readers.conllu import picked
from coleval.loading.readers.conllu_edges import all_inside
from coleval.loading.readers.conllu_lines import COLUMNS, documents_at
from coleval.loading.readers.conllu_numbers import NumberReader
from coleval.loading.readers.model import Multiwords, TokenFile
from coleval.loading.readers.steps import steps
from coleval.loading.tasks.number_coder import NumberCoder
from coleval.loading.tasks.relatives import Coded
from coleval.loading.tasks.tree_shape import odd_notes
from coleval.loading.tasks.trees import HeadsAsGold
from coleval.loading.tasks.words import placed_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.selection import Selection
    from coleval.loading.align.model import Alignment
    from coleval.loading.readers.conllu_numbers import NumberedWords
    from coleval.loading.readers.source import Source
    from coleval.loading.tasks.answers import Answers
    from coleval.loading.tasks.words import TagCoders, Words
    from coleval.native.dictionary import Dictionary

    Numbers = NDArray[np.int32]

# How many files' words are known to others; those of files of more words than that are not.
_KEPT, _LARGE = 4, 1 << 20


@dataclass(frozen=True, slots=True)
class NumberedTrees:
    """Gold, and what reads systems' files as numbers; ``form`` and ``tokens`` are gold's.

    ``words`` are those of gold if it was read as numbers too, ``codes`` their answers.
    """

    gold: GoldText
    coder: NumberCoder
    form: Numbers
    tokens: tuple[Numbers, ...]
    empty: bool
    words: Words | None = None
    codes: Codes | None = None
    known: list[AlignedWords] = field(default_factory=list)
    _turn: Lock = field(default_factory=Lock)

    @classmethod
    def opened(
        cls, source: Source, selection: Selection, answers: Answers, coders: TagCoders
    ) -> NumberedTrees | None:
        """Return the reader of systems with gold's file, None where gold must be read as text."""
        reader = None if selection.picks else NumberReader.of_gold()
        words = None if reader is None else reader.read(source)
        if reader is None or words is None or (words.arrays["head"] < 0).any():
            return None
        coder = NumberCoder.of(reader, answers, coders)
        file = coder.file(words, source.path)
        if words.edges and not all_inside(file.columns["deps"], _lengths(file)):
            return None
        file = _as_gold(file, words, reader)
        gold = GoldText.of(file, _places(words, file, words.text))
        codes = coder.answered(words, None)
        tags, edges = coder.coded_tags(words), coder.edges(file, file, IDENTICAL)
        found = placed_words(gold.characters, file, tags, edges)
        return cls._beside(gold, coder, words.codes["form"].copy(), _tokens_of(words), found, codes)

    @classmethod
    def of(
        cls, gold: GoldText, selection: Selection, answers: Answers, coders: TagCoders
    ) -> NumberedTrees | None:
        """Return the reader of systems beside a gold that was read, None where there is none."""
        reader = NumberReader.of_gold()
        if reader is None or not set(COLUMNS).isdisjoint(picked(selection, gold.file.path)):
            return None
        forms = reader.dictionaries["form"]
        form, tokens = forms.numbers(gold.file.form), _tokens(gold.file, forms)
        if form is None or tokens is None:
            return None
        return cls._beside(gold, NumberCoder.of(reader, answers, coders), form, tokens)

    @classmethod
    def _beside(
        cls, gold: GoldText, coder: NumberCoder, form: Numbers, tokens: tuple[Numbers, ...],
        words: Words | None = None, codes: Codes | None = None,
    ) -> NumberedTrees:  # fmt: skip
        places = gold.characters
        reader = coder.reader.of_systems(places.text, _plain(places))
        empty = bool((places.low == places.high).any())
        return cls(gold, replace(coder, reader=reader), form, tokens, empty, words, codes)

    def read(self, source: Source) -> tuple[TokenFile, Coded] | None:
        """Return a file of a system with what it comes to, None where there is any doubt."""
        words = self.coder.reader.read(source)
        if words is None:
            return None
        if len(words) <= _LARGE:
            return self._coded(source, words)
        # It takes as much memory as the words themselves: of large files one at a time.
        with self._turn:
            return self._coded(source, words)

    def _coded(self, source: Source, words: NumberedWords) -> tuple[TokenFile, Coded] | None:
        """Return the same of words that were read."""
        gold, same = self.gold.file, self._same_words(words)
        like = None if same else self._like(words)
        form = gold.form if same else None if like is None else like.file.form
        file = self.coder.file(words, source.path, form)
        if words.edges and not all_inside(file.columns["deps"], _lengths(file)):
            return None
        tags = self.coder.coded_tags(words)
        if same:
            places, found = self.gold.characters, position.align(gold, file)
        else:
            like = self._aligned(words, file) if like is None else like
            places, found = like.places, like.said_of(file)
        moved = found.match is not None or found.breaks_differ
        codes = self.coder.answered(words, HeadsAsGold(gold, file, found) if moved else None)
        odd = odd_notes(file, words.odd, words.sentences)
        edges = self.coder.edges(gold, file, found)
        return file, Coded(codes, placed_words(places, file, tags, edges), found, odd)

    def _same_words(self, words: NumberedWords) -> bool:
        """Tell whether the words and the tokens of several words are gold's."""
        same = np.array_equal(words.codes["form"], self.form)
        return same and all(map(np.array_equal, self.tokens, _tokens_of(words)))

    def _like(self, words: NumberedWords) -> AlignedWords | None:
        """Return a file that was read and has the same words, if it is known."""
        ours = _cutting(words)
        return next((one for one in self.known[:] if all(map(_same, one.cutting, ours))), None)

    def _aligned(self, words: NumberedWords, file: TokenFile) -> AlignedWords:
        """Return a file's words with those of gold, to be known for others."""
        places = _places(words, file, self.gold.characters.text)
        plain = None if words.empty or self.empty else words.arrays["match"]
        found = by_characters(self.gold, file, places, plain)
        found = replace(found, alone=alone(file, found))
        aligned = AlignedWords(_cutting(words), file, places, found)
        if len(file) <= _LARGE:
            self.known.append(aligned)
            del self.known[:-_KEPT]
        return aligned


@dataclass(frozen=True, slots=True)
class AlignedWords:
    """A system's words and how they are gold's: those of other systems of the same tool are, too.

    ``cutting`` are the numbers of its words, its sentences, its tokens of several words.
    """

    cutting: tuple[Numbers, ...]
    file: TokenFile
    places: Characters
    found: Alignment

    def said_of(self, file: TokenFile) -> Alignment:
        """Return the alignment of a file with these words, on its own lines."""
        if file is self.file:
            return self.found
        lines = self.file.line
        notes = (
            (note, note.line and int(file.line[np.searchsorted(lines, note.line)]))
            for note in self.found.problems
        )
        problems = tuple(replace(note, file=file.path, line=line) for note, line in notes)
        return replace(self.found, problems=problems)


def _cutting(words: NumberedWords) -> tuple[Numbers, ...]:
    return (words.codes["form"], words.arrays["sentence"], *_tokens_of(words))


def _same(ours: Numbers, theirs: Numbers) -> bool:
    return len(ours) == len(theirs) and np.array_equal(ours, theirs)


def _as_gold(file: TokenFile, words: NumberedWords, reader: NumberReader) -> TokenFile:
    """Return a file with what gold alone is asked for: relations, documents, multiword tokens."""
    texts = reader.dictionaries
    relation = texts["deprel"].column(words.codes["deprel"])
    empty = relation == ""
    relation = relation.set(empty, None) if empty.any() else relation
    arrays = words.arrays
    comments = texts["comments"].column(arrays["comment"])
    document, names = documents_at(comments, arrays["comment_line"], file.line)
    form, first, end = _tokens_of(words)
    several = Multiwords(texts["form"].column(form), first.astype(np.int64), end.astype(np.int64))
    return replace(
        file,
        columns={**file.columns, "deprel": relation},
        document=document,
        documents=names,
        multiwords=several if len(first) else None,
    )


def _places(words: NumberedWords, file: TokenFile, text: bytes) -> Characters:
    """Return where words stand in gold's text."""
    arrays = words.arrays
    low, high, token = (arrays[name] for name in ("low", "high", "token"))
    several = arrays["several"].view(np.bool_)
    form = without_spaces(file.form, several) if words.spaced else file.form
    return Characters(text, low, high, token, several, steps(file.sentence), form)


def _tokens_of(words: NumberedWords) -> tuple[Numbers, ...]:
    """Return the form, the first word and the last of each token of several words."""
    return tuple(words.arrays[name] for name in ("multi_form", "multi_first", "multi_end"))


def _tokens(file: TokenFile, forms: Dictionary) -> tuple[Numbers, ...] | None:
    """Return the same of a file that was read as text."""
    multi = file.multiwords
    if multi is None:
        return tuple(np.empty(0, np.int32) for _ in range(3))
    form, first, end = forms.numbers(multi.form), multi.first, multi.end
    return None if form is None else (form, first.astype(np.int32), end.astype(np.int32))


def _plain(places: Characters) -> tuple[Numbers, ...]:
    """Return where the words begin and end that are tokens by themselves, and their numbers."""
    at = np.flatnonzero(~places.several)
    return tuple(part.astype(np.int32) for part in (places.start[at], places.end[at], at))


def _lengths(file: TokenFile) -> pl.Series:
    """Return the number of words in the sentence of each word."""
    return pl.Series(np.bincount(file.sentence)[file.sentence], dtype=pl.Int32)
