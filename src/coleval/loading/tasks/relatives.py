"""Files of trees that were read, which others are compared with line by line.

Gold is one. Systems that have words of their own often have them from one tool, so that their
files differ from each other in a quarter of the lines: what was found of one file's words (where
they stand in gold, its tokens and sentences) holds for the other, and only those lines are parsed.
"""

from __future__ import annotations

from dataclasses import field, replace
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.late_classes import dataclass
from coleval.loading.tasks.edges import edges_of
from coleval.loading.tasks.guide_conllu import Body
from coleval.loading.tasks.tree_shape import odd_trees
from coleval.loading.tasks.trees import heads_as_gold, heads_of, numbered
from coleval.loading.tasks.words import TAGS, patched

if TYPE_CHECKING:
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

    def read(self, path: str, body: Body, coding: Coding) -> tuple[TokenFile, Coded] | None:
        """Return a file whose words are this one's, None where that is not sure."""
        other = self.guide.words(body)
        if other is None:
            return None
        number, ours = body.number, self.guide.body.number
        file, coded = self._with(*other, coding)
        file = replace(file, path=path, line=number[self.guide.row])
        # The words are the same, and so is what is said of them; their lines may be others.
        notes = tuple(
            replace(
                note, file=path, line=note.line and int(number[np.searchsorted(ours, note.line)])
            )
            for note in coded.found.problems
        )
        found = replace(coded.found, problems=notes)
        return file, replace(coded, found=found, odd=odd_trees(file))

    def _with(
        self, token: NDArray[np.intp], fields: pl.DataFrame, coding: Coding
    ) -> tuple[TokenFile, Coded]:
        """Return this file but for what some of its words say."""
        known, found, gold = self.coded, self.coded.found, coding.gold
        head = fields["head"].cast(pl.Int32, strict=False)
        moved = found.match is not None or found.breaks_differ
        told = heads_as_gold(gold, self.file, found, token, head) if moved else numbered(head)
        fresh = coding.answers.encode(fields["deprel"], told)
        heads = heads_of(self.file).clone().scatter(token, head)
        deps = self.file.columns["deps"].clone().scatter(token, fields["deps"])
        file = replace(self.file, columns={"head": heads, "deps": deps}, context={})
        tags = coding.tags.encode(replace(file, columns={n: fields[n] for n in TAGS}))
        words = replace(
            known.words,
            tags={n: patched(known.words.tags[n], token, codes) for n, codes in tags.items()},
            edges=edges_of(gold, file, found, coding.tags.edges),
        )
        return file, Coded(patched(known.codes, token, fresh), words, found)


@dataclass(slots=True)
class Relatives:
    """Gold, and the last systems whose words are others; those that none is like go first."""

    gold: Relative
    coding: Coding
    systems: list[Relative] = field(default_factory=list)
    _bodies: dict[str, Body] = field(default_factory=dict)
    _liked: set[Relative] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    def read(self, source: Source) -> tuple[TokenFile, Coded] | None:
        """Return a file that is like one of them, None for one that must be read in full."""
        body = Body.of(source)
        if body is None:
            return None
        with self._lock:
            every = [self.gold, *self.systems]
        for relative in every:
            found = relative.read(source.path, body, self.coding)
            if found is not None:
                self._liked.add(relative)
                return found
        if self.has_room(source):
            self._bodies[source.path] = body
        return None

    def has_room(self, source: Source) -> bool:
        """Tell whether a file may be kept."""
        return len(source.text) <= _BYTES

    def add(self, source: Source, file: TokenFile, coded: Coded) -> None:
        """Keep a file that was read in full because it is like none."""
        body = self._bodies.pop(source.path, None)
        if body is None:
            return
        guide = self.gold.guide.like(body, file)
        columns = {name: file.columns[name] for name in ("head", "deps")}
        slim = replace(file, columns=columns, context={})
        with self._lock:
            self.systems.append(Relative(guide, slim, coded))
            while len(self.systems) > _KEPT or self._bytes() > _BYTES:
                self._forget_one()

    def _bytes(self) -> int:
        return sum(len(one.guide.body.lines.data) for one in self.systems)

    def _forget_one(self) -> None:
        one = next((one for one in self.systems if one not in self._liked), self.systems[0])
        self.systems.remove(one)
        self._liked.discard(one)
