"""Trees as files have them: heads checked, and spelled as words of gold.

Beside head and relation words have tags, and tokens and sentences around them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from coleval.corpus.coding import Coder
from coleval.corpus.items import Items
from coleval.corpus.problems import Problem
from coleval.corpus.tree_answers import AT, answer, answers, head_of, relation_of
from coleval.counts.span_slots import proposed, slots
from coleval.errors import DataError, UsageError
from coleval.loading.align.characters import first_words, same_tokens
from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.loading.align.characters import Characters
    from coleval.loading.align.position import Alignment, GoldText
    from coleval.loading.readers.model import TokenFile

    Places = NDArray[np.integer]
    Ends = tuple[Places, Places]


TREE = ("head", "deprel")
_NO_HEAD = "_"
_REMEDY = "a head is the number of a word, from 1, 0 for the root, or `_` where there is none"


def as_trees(file: TokenFile, role: str) -> TokenFile:
    """Return the file with its heads as numbers, null for ``_``; raise if gold lacks any.

    Relations are as they are written: the UD evaluation tells ``ROOT`` from ``root``.
    """
    columns = {**file.columns, **file.context}
    for name in TREE:
        if name not in columns:
            raise UsageError(
                f"there is no column `{name}`, which --task dep compares",
                where=file.path,
                remedy=(
                    "read CoNLL-U (--format conllu), or name the columns: --columns "
                    "form=2,head=7,deprel=8"
                ),
            )
    head = columns["head"].cast(pl.Int32, strict=False)
    _check_heads(file, columns["head"], head, role)
    return replace(file, columns={**file.columns, "head": head})


def heads_as_gold(
    gold: TokenFile,
    system: TokenFile,
    alignment: Alignment,
    head: pl.Series,
    word: NDArray[np.integer] | None = None,
) -> pl.Series:
    """Return heads of a system's words (``word``: of some of them) as gold's words, as text.

    They come as numbers in the system's own sentences, null where there is none. ``4`` is word 4
    of gold's sentence, ``4+1`` that of the next one, ``?form`` a word that gold has not.
    """
    number = _or_root(head)
    sentence = system.sentence
    home = gold.sentence if alignment.home is None else alignment.home
    if word is not None:
        sentence, home = sentence[word], home[word]
    parent = np.flatnonzero(steps(system.sentence))[sentence] + number - 1
    target = parent if alignment.match is None else alignment.match[parent]
    root = number == 0
    outside = ~root & (target < 0)
    place = gold.sentence[target]
    number = np.where(root, 0, target - np.flatnonzero(steps(gold.sentence))[place] + 1)
    text = pl.Series(number).cast(pl.String)
    far = np.flatnonzero(~(root | outside) & (place != home))
    if len(far):
        sign = pl.Series(np.where(place[far] > home[far], "+", ""), dtype=pl.String)
        apart = pl.Series(place[far] - home[far]).cast(pl.String)
        text = text.scatter(far, text.gather(far) + sign + apart)
    if outside.any():
        form = system.form.gather(parent[outside]).str.replace_all(AT, "_", literal=True)
        text = text.scatter(np.flatnonzero(outside), "?" + form)
    return text.set(head.is_null(), None) if head.null_count() else text


def _check_heads(file: TokenFile, text: pl.Series, head: pl.Series, role: str) -> None:
    """Raise for a head that is no word of its sentence, and for a gold word without any."""
    problem, none, at = "", head.is_null(), 0
    if head.null_count():
        said = text.cast(pl.String).fill_null(_NO_HEAD)
        for at in (none & ~said.is_in(["", _NO_HEAD])).arg_true()[:1].to_list():
            problem = f"the HEAD `{text[at]}` of `{file.form[at]}` is not a word of this sentence"
    if not problem:
        number = _or_root(head)
        size = np.bincount(file.sentence)[file.sentence]
        for at in np.flatnonzero((number < 0) | (number > size))[:1].tolist():
            problem = (
                f"the HEAD {number[at]} of `{file.form[at]}` is not a word of this sentence of "
                f"{size[at]}"
            )
    if problem:
        raise DataError(problem, where=file.at(at), remedy=_REMEDY)
    if role == "gold" and none.any():
        at, n = int(none.arg_max() or 0), head.null_count()
        raise DataError(
            f"the gold word `{file.form[at]}` has no HEAD ({'once' if n == 1 else f'{n:,} times'})",
            where=file.at(at),
            remedy="is this file annotated with trees? UPOS and others are --task tag",
        )


def _or_root(head: pl.Series) -> NDArray[np.int32]:
    """Return heads as numbers, 0 where there is none."""
    return (head.fill_null(0) if head.null_count() else head).to_numpy()


_KINDS = ("have several roots", "contain a cycle", "have no root")


def odd_trees(file: TokenFile) -> tuple[Problem, ...]:
    """Return a note for each way in which sentences of a file are no trees."""
    head = file.columns["head"]
    number, there = head.to_numpy(), np.ones(len(head), np.bool_)
    if head.null_count():
        number, there = head.fill_null(0).to_numpy(), head.is_not_null().to_numpy()
    first = np.flatnonzero(steps(file.sentence))
    size = len(first)
    roots = np.bincount(file.sentence[there & (number == 0)], minlength=size)
    headed = np.bincount(file.sentence[there], minlength=size)
    circle = np.zeros(size, np.bool_)
    circle[file.sentence[_in_circle(number, first[file.sentence])]] = True
    kinds = (roots > 1, circle, (roots == 0) & ~circle & (headed > 0))
    counted = [(int(odd.sum()), int(first[int(odd.argmax())])) for odd in kinds]
    return tuple(
        Problem(
            file.path, int(file.line[at]), "trees",
            f"{n:,} of {size:,} sentences {kind}, the first begins here",
            "they are still scored word by word", 1, fatal=False,
        )
        for kind, (n, at) in zip(_KINDS, counted, strict=True) if n
    )  # fmt: skip


def _in_circle(number: NDArray[np.int32], first: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Tell the words from which no way up ends at a root; each step doubles the way gone."""
    end = len(number)
    above = np.append(np.where(number > 0, first + number - 1, end), end)
    left = np.flatnonzero(above[:end] != end)
    for _ in range(max(int(number.max(initial=0)), 1).bit_length() + 1):
        above[left] = above[above[left]]
        left = left[above[left] != end]
        if not len(left):
            break
    return above[:end] != end


_NONE = "_"


@dataclass(frozen=True, slots=True)
class Edges:
    """The word that each edge leads to, and the code of its relation and head."""

    word: NDArray[np.int64]
    codes: Codes


def edges_of(gold: TokenFile, file: TokenFile, alignment: Alignment, coder: Coder) -> Edges:
    """Return the edges of a file, their heads as gold's words; none where it has no DEPS.

    An edge that is written twice, or two paths over empty nodes that read the same, are one.
    """
    deps = file.columns.get("deps")
    at = None if deps is None else (deps != _NONE).arg_true()
    if deps is None or at is None or not len(at):
        return Edges(np.empty(0, np.int64), np.empty(0, np.uint8))
    there = pl.DataFrame({"word": at.cast(pl.Int64), "edge": deps.gather(at)})
    each = there.with_columns(pl.col("edge").str.split("|")).explode("edge", empty_as_null=True)
    parts = each.select(
        "word",
        head=pl.col("edge").str.extract(r"^([0-9]+):").cast(pl.Int32),
        relation=pl.col("edge").str.extract(r"^[0-9]+:(.*)$"),
    )
    if parts.is_duplicated().any():
        parts = parts.unique(keep="first", maintain_order=True)
    word = parts["word"].to_numpy()
    head = heads_as_gold(gold, file, alignment, parts["head"], word)
    return Edges(word, coder.encode(answers(parts["relation"], head)))


def universal_path(label: str) -> str:
    """Return an edge without the subtypes of its relations."""
    steps = (step.partition(":")[0] for step in relation_of(label).split(">"))
    return answer(">".join(steps), head_of(label))


def edge_items(
    edges: Mapping[str, Edges],
    rows: Mapping[str, NDArray[np.integer]],
    labels: list[str],
    home: pl.DataFrame,
) -> Items:
    """Return the edges as items: gold's and those of systems that meet none of gold's.

    Edges of one word with one label are as many edges: without subtypes, ``nmod:of`` and
    ``nmod:in`` are two ``nmod``. ``home`` is where each word of gold is.
    """
    layers = {
        name: proposed(rows[name][e.word].astype(np.int64), e.codes.astype(np.int32), multiset=True)
        for name, e in edges.items()
    }
    gold = layers.pop("")
    found = slots(gold, layers, labels, bits=0)
    codes = dict(found.codes)
    context = home[pl.Series(found.key)].with_columns(start=pl.Series(found.key))
    items = Items("edge", context, (), codes.pop(""), codes)
    return items.sorted_labels(labels)


TAGS = ("upos", "xpos", "feats", "lemma")


@dataclass(frozen=True, slots=True)
class WordCoders:
    """Dictionaries that gold and all systems share: of answers, of each kind of tag, of edges.

    Tags and edges are taken for what they are, as the UD evaluation does.
    """

    answers: Coder
    tags: Mapping[str, Coder] = field(
        default_factory=lambda: {name: Coder(exact=True) for name in TAGS}
    )
    edges: Coder = field(default_factory=lambda: Coder(exact=True))

    def encode(self, gold: TokenFile, file: TokenFile, alignment: Alignment) -> Codes:
        """Return the codes of relations and heads, 0 for words without a head."""
        relation = {**file.columns, **file.context}["deprel"]
        head = heads_as_gold(gold, file, alignment, file.columns["head"])
        return self.answers.encode(answers(_filled(relation, ""), head))

    def encode_tags(self, file: TokenFile) -> dict[str, Codes]:
        """Return the codes of the tags that a file has; ``_`` is a tag like any other."""
        return {
            name: coder.encode(_filled(file.columns[name], "_"))
            for name, coder in self.tags.items()
            if name in file.columns
        }


def _filled(column: pl.Series, empty: str) -> pl.Series:
    return column.fill_null(empty) if column.null_count() else column


@dataclass(frozen=True, slots=True)
class Words:
    """The tags of a file's words, and first and last place of its tokens and of its sentences.

    ``edges`` are those of enhanced graphs.
    """

    tags: Mapping[str, Codes]
    tokens: tuple[NDArray[np.integer], NDArray[np.integer]]
    sentences: tuple[NDArray[np.integer], NDArray[np.integer]]
    edges: Edges


def words_of(text: GoldText, file: TokenFile, alignment: Alignment, coders: WordCoders) -> Words:
    """Return the words of a file; where its characters are not gold's, gold's places are its."""
    places = alignment.characters or text.characters
    if alignment.characters is None and not same_tokens(text.file, file):
        tokens, sentences = _by_words(text, file)
    else:
        tokens, sentences = _by_characters(places, file)
    edges = edges_of(text.file, file, alignment, coders.edges)
    return Words(coders.encode_tags(file), tokens, sentences, edges)


def _by_characters(places: Characters, file: TokenFile) -> tuple[Ends, Ends]:
    """Return the ends of tokens and of sentences."""
    starts = places.start[steps(file.sentence)]
    return (places.low, places.high), (starts, np.append(starts[1:], len(places.text)))


def _by_words(text: GoldText, file: TokenFile) -> tuple[Ends, Ends]:
    """Return the ends of tokens and of sentences of a file that has as many words as gold."""
    tokens, sentences = _by_characters(text.characters, text.file)
    ours, theirs = (first_words(side) for side in (text.file, file))
    breaks, moved = (np.append(np.flatnonzero(steps(side.sentence)), len(side))
                     for side in (text.file, file))  # fmt: skip
    return _stretches(tokens, ours, theirs), _stretches(sentences, breaks, moved)


def _stretches(gold: Ends, ours: Places, theirs: Places) -> Ends:
    """Return the ends of stretches of words, given as the first of each, among those of gold.

    One of the words that one of gold's has is that. All others are none of gold's: they are
    longer than any of these, and no two that begin in one place are of one length.
    """
    low, high = gold
    begin, end = theirs[:-1], theirs[1:]
    at = np.searchsorted(ours, begin, side="right") - 1
    same = (ours[at] == begin) & (ours[at + 1] == end)
    inside = begin - ours[np.searchsorted(low, low[at])]
    longer = int((high - low).max()) + 1 + inside
    return low[at], np.where(same, high[at], low[at] + longer)
