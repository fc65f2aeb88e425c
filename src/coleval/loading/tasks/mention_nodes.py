"""The words and empty nodes of several CorefUD files as one row of places: those of gold's text.

Words are gold's; an empty node of a system is where its ID says, whether or not gold has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.problems import Problem
from coleval.errors import DataError
from coleval.loading.readers.model import NODES, MentionWords

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.loading.readers.model import MentionFile, Nodes
    from coleval.loading.tasks.mentions import Places

    Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CommonNodes:
    """Every word of gold and every empty node of any file, by place: rising, and each once.

    ``of`` has the place of each node of each file, ``home`` gold's number of each document of it,
    ``first`` the first place of the sentence. ``notes`` are words that are not gold's.
    """

    place: Numbers
    first: Numbers
    form: pl.Series
    lemma: pl.Series
    upos: pl.Series
    of: Mapping[str, Numbers]
    home: Mapping[str, Numbers]
    begins: Numbers
    notes: Mapping[str, tuple[Problem, ...]]

    def at(self, place: Numbers) -> Numbers:
        """Return the row of each place."""
        return np.searchsorted(self.place, place)

    def words_before(self, place: Numbers) -> Numbers:
        """Return how many words of its document are before each place."""
        words = self.place[self.place % NODES == 0]
        document = np.searchsorted(self.begins, place, side="right") - 1
        start = np.searchsorted(words, self.begins)
        return np.searchsorted(words, place) - start[document]


def common_nodes(files: Mapping[str, MentionFile], places: Places) -> CommonNodes:
    """Return the nodes of some files; raise where a system has other sentences than gold."""
    gold = files[""]
    assert gold.words is not None  # noqa: S101  - the caller has looked
    nodes = gold.words.nodes
    begins = _begins(nodes)
    home = {n: np.array([places.place[d] for d in f.documents], np.int64) for n, f in files.items()}
    of, notes = {}, {}
    for name, file in files.items():
        own = nodes if file.words is None else file.words.nodes
        # A system in another format has gold's own words.
        documents = home[""] if file.words is None else home[name]
        of[name] = begins[documents[own.document]] + own.place
        notes[name] = _unlike(gold.path, nodes, of[""], file.path, own, of[name]) if name else ()
    every = [(of[n], f.words.nodes) for n, f in files.items() if f.words is not None]
    place = np.concatenate([own for own, _ in every])
    sentence = np.concatenate([own - one.place + one.first for own, one in every])
    kept, at = np.unique(place, return_index=True)
    form, lemma, upos = (
        pl.concat([getattr(one, name) for _, one in every]).gather(pl.Series(at))
        for name in ("form", "lemma", "upos")
    )
    return CommonNodes(kept, sentence[at], form, lemma, upos, of, home, begins, notes)


def worded(file: MentionFile, name: str, files: Mapping[str, MentionFile],
           common: CommonNodes) -> MentionWords:  # fmt: skip
    """Return the words of a file's mentions, as words of gold where it has only first and last."""
    if file.words is not None:
        return file.words
    gold = files[""]
    assert gold.words is not None  # noqa: S101  - the caller has looked
    nodes = gold.words.nodes
    words = np.flatnonzero(~nodes.empty)
    offset = np.cumsum(gold.units) - gold.units
    first = offset[common.home[name][file.document]] + file.start
    size = (file.end - file.start + 1).astype(np.int64)
    begin = np.append(0, np.cumsum(size))
    unit = np.arange(int(begin[-1])) - np.repeat(begin[:-1] - first, size)
    node = words[unit].astype(np.int64)
    return MentionWords(nodes, begin, node, np.full(len(file), -1, np.int64))


def _begins(nodes: Nodes) -> Numbers:
    """Return the place in the corpus at which each document of gold begins."""
    ends = np.flatnonzero(np.diff(nodes.document, append=-1))
    size = (nodes.place[ends] // NODES + 2) * NODES
    found: Numbers = np.cumsum(size) - size
    return found


def _unlike(
    path: str, gold: Nodes, ours: Numbers, own_path: str, own: Nodes, theirs: Numbers
) -> tuple[Problem, ...]:
    """Return that words are not gold's; raise where sentences are not."""
    if own is gold:
        return ()
    here, there = np.flatnonzero(~gold.empty), np.flatnonzero(~own.empty)
    here = here[np.argsort(ours[here], kind="stable")]
    there = there[np.argsort(theirs[there], kind="stable")]
    for at in np.flatnonzero(ours[here] != theirs[there])[:1]:
        raise DataError(
            f"the sentences are not gold's: `{own.form[int(there[at])]}` is word "
            f"{_number(own, there[at])} of its sentence, word {_number(gold, here[at])} in gold "
            f"({path}:{gold.line[here[at]]})",
            where=f"{own_path}:{own.line[there[at]]}",
            remedy="keep gold's words and sentences; only empty nodes and entities may differ",
        )
    differ = (gold.form.gather(pl.Series(here)) != own.form.gather(pl.Series(there))).arg_true()
    if not len(differ):
        return ()
    at = differ[0]
    text = f"the word `{own.form[int(there[at])]}` is `{gold.form[int(here[at])]}` in gold"
    remedy = "words are matched by their numbers; are these the same texts?"
    line = int(own.line[there[at]])
    return (Problem(own_path, line, "tokens", text, remedy, len(differ), fatal=False),)


def _number(nodes: Nodes, row: int) -> int:
    return int((nodes.place[row] - nodes.first[row]) // NODES)
