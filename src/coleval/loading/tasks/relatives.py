"""Files of trees that were read, which others are compared with line by line.

Gold is one. Systems that have words of their own often have them from one tool, so that their
files differ from each other in a quarter of the lines: what was found of one file's words (where
they stand in gold, its tokens and sentences) holds for the other, and only those lines are parsed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING

import polars as pl

from coleval.loading.readers.compared import Lines
from coleval.loading.tasks.edges import edges_of
from coleval.loading.tasks.tree_shape import odd_trees
from coleval.loading.tasks.trees import heads_as_gold, heads_of, numbered
from coleval.loading.tasks.words import TAGS, patched

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.problems import Problem
    from coleval.loading.align.model import Alignment
    from coleval.loading.readers.model import TokenFile
    from coleval.loading.readers.source import Source
    from coleval.loading.tasks.answers import Answers
    from coleval.loading.tasks.guide_conllu import ConlluGuide
    from coleval.loading.tasks.words import TagCoders, Words

# How many systems' files are kept, and of how many bytes in all.
_KEPT, _BYTES = 4, 1 << 26


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """What a file of trees comes to: its answers, its tags, how its words are gold's.

    ``found`` has all that aligning found; ``odd`` are its sentences that are no trees.
    """

    codes: Codes
    words: Words
    found: Alignment
    odd: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """What codes answers and tags, the same for all files; ``gold`` are the words they are of."""

    gold: TokenFile
    answers: Answers
    tags: TagCoders


@dataclass(frozen=True, slots=True, eq=False)
class Relative:
    """A file that was read: its lines, its words with their heads, and what they came to."""

    guide: ConlluGuide
    file: TokenFile
    coded: Coded

    def read(self, path: str, lines: Lines, coding: Coding) -> tuple[TokenFile, Coded] | None:
        """Return a file whose words are this one's, None where that is not sure."""
        other = self.guide.words_on(lines)
        return None if other is None else self._with(path, *other, coding)

    def _with(
        self, path: str, token: NDArray[np.intp], fields: pl.DataFrame, coding: Coding
    ) -> tuple[TokenFile, Coded]:
        """Return this file but for what some of its words say."""
        known, found, gold = self.coded, self.coded.found, coding.gold
        head = fields["head"].cast(pl.Int32, strict=False)
        moved = found.match is not None or found.breaks_differ
        told = heads_as_gold(gold, self.file, found, token, head) if moved else numbered(head)
        fresh = coding.answers.encode(fields["deprel"], told)
        heads = heads_of(self.file).clone().scatter(token, head)
        deps = self.file.columns["deps"].clone().scatter(token, fields["deps"])
        file = replace(self.file, path=path, columns={"head": heads, "deps": deps}, context={})
        tags = coding.tags.encode(replace(file, columns={n: fields[n] for n in TAGS}))
        words = replace(
            known.words,
            tags={n: patched(known.words.tags[n], token, codes) for n, codes in tags.items()},
            edges=edges_of(gold, file, found, coding.tags.edges),
        )
        # The lines are the same, and so is what is said of them.
        notes = tuple(replace(note, file=path) for note in found.problems)
        codes = patched(known.codes, token, fresh)
        return file, Coded(codes, words, replace(found, problems=notes), odd_trees(file))


@dataclass(slots=True)
class Relatives:
    """Gold, and the last systems whose words are others; those that none is like go first."""

    gold: Relative
    coding: Coding
    systems: list[Relative] = field(default_factory=list)
    _liked: set[int] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    def read(self, source: Source) -> tuple[TokenFile, Coded] | None:
        """Return a file that is like one of them, None for one that must be read in full."""
        lines = Lines.of(source)
        with self._lock:
            every = [self.gold, *self.systems]
        for relative in every:
            found = relative.read(source.path, lines, self.coding)
            if found is not None:
                self._liked.add(id(relative))
                return found
        return None

    def has_room(self, source: Source) -> bool:
        """Tell whether a file may be kept."""
        return len(source.text) <= _BYTES

    def add(self, source: Source, file: TokenFile, coded: Coded) -> None:
        """Keep a file that was read in full."""
        guide = self.gold.guide.like(Lines.of(source), file)
        columns = {name: file.columns[name] for name in ("head", "deps")}
        slim = replace(file, columns=columns, context={})
        with self._lock:
            self.systems.append(Relative(guide, slim, coded))
            while len(self.systems) > _KEPT or self._bytes() > _BYTES:
                self._forget_one()

    def _bytes(self) -> int:
        return sum(len(one.guide.lines.data) for one in self.systems)

    def _forget_one(self) -> None:
        one = next((one for one in self.systems if id(one) not in self._liked), self.systems[0])
        self.systems.remove(one)
