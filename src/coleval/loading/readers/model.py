"""What the readers hand on: plain columns with the line each row came from.

A reader knows bytes and a format. It does not know which column is right, what a tag means,
or that there are other files; that is for ``align`` and ``tasks``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.loading.readers.steps import dense

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.problems import Problem


def row_place(path: str, lines: NDArray[np.uint32] | None, row: int) -> str:
    """Return ``file:line`` of a row, or ``file row n`` where lines mean nothing."""
    return f"{path} row {row + 1}" if lines is None else f"{path}:{int(lines[row])}"


@dataclass(frozen=True, slots=True)
class Multiwords:
    """Tokens of several words (``du``: ``de le``): form, first word, the word behind the last."""

    form: pl.Series
    first: NDArray[np.int64]
    end: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TokenFile:
    """One row a token, in reading order.

    ``sentence`` and ``document`` count from 0 without gaps and never fall. ``columns`` maps a
    role (``gold``, ``system``) or a system's name to strings; null means "not annotated".
    ``context`` holds the columns that are kept beside the items. Where rows are words,
    ``multiwords`` are the tokens that hold several of them. ``ids`` has the id of each sentence
    where the file names them; a ``bare`` file has labels alone, and its tokens are gold's.
    """

    path: str
    form: pl.Series
    sentence: NDArray[np.int32]
    line: NDArray[np.uint32]
    columns: Mapping[str, pl.Series]
    document: NDArray[np.int32] | None = None
    documents: tuple[str, ...] = ()
    context: Mapping[str, pl.Series] = field(default_factory=dict)
    multiwords: Multiwords | None = None
    ids: pl.Series | None = None
    bare: bool = False
    notes: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.form)

    def filtered(self, keep: NDArray[np.bool_]) -> TokenFile:
        """Return the file with some of its tokens, as words by themselves."""
        mask = pl.Series(keep)
        return replace(
            self,
            form=self.form.filter(mask),
            sentence=dense(self.sentence[keep]),
            line=self.line[keep],
            columns={name: column.filter(mask) for name, column in self.columns.items()},
            document=None if self.document is None else self.document[keep],
            context={name: column.filter(mask) for name, column in self.context.items()},
            multiwords=None,
            ids=None if self.ids is None else self.ids.gather(np.unique(self.sentence[keep])),
        )

    def at(self, token: int) -> str:
        """Return ``file:line`` of a token."""
        return f"{self.path}:{int(self.line[token])}"


@dataclass(frozen=True, slots=True)
class SpanFile:
    """Spans by sentence, one row a span in ``spans``.

    ``start`` and ``end`` are token numbers as the file counts them, both inside; ``tokens`` lists
    those of spans with holes, null for others. Beside them stand ``sentence``, ``label``, ``line``
    and ``form``, the text of each span, null where there is none. ``sentences`` is the number of
    sentences, also those without any span; ``sizes`` are their words where the file has them.
    """

    path: str
    spans: pl.DataFrame
    sentences: int
    sizes: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        """Return the number of spans."""
        return len(self.spans)


@dataclass(frozen=True, slots=True)
class EntityFile:
    """Lists of strings with labels, without places: one row an entry, in the order of the file.

    ``record`` is the number of the record of each entry; ``id``, ``text`` and ``line`` have a row
    for each record: ``id`` is None where no record has one, a text that is not there is null.
    ``answered`` tells records that have a list, if an empty one.
    """

    path: str
    id: pl.Series | None
    text: pl.Series
    answered: NDArray[np.bool_]
    record: NDArray[np.int32]
    string: pl.Series
    label: pl.Series
    line: NDArray[np.uint32]

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.label)

    @property
    def records(self) -> int:
        """Return the number of records."""
        return len(self.answered)

    def normalised(self, form: str) -> EntityFile:
        """Return the file with its strings in one Unicode form; as it is for ``""``."""
        if not form:
            return self
        kind: Any = form.upper()
        string, text = (column.str.normalize(kind) for column in (self.string, self.text))
        return replace(self, string=string, text=text)

    def at(self, record: int) -> str:
        """Return ``file:line (record n)`` of a record."""
        return f"{self.path}:{int(self.line[record])} (record {record + 1})"


@dataclass(frozen=True, slots=True)
class TableFile:
    """One row an instance. ``id`` is null-free text, or None when rows stand for themselves.

    ``columns`` maps roles (``gold``, ``system``) and system names to strings, ``context`` holds
    every other column as it was.
    """

    path: str
    id: pl.Series | None
    columns: Mapping[str, pl.Series]
    context: Mapping[str, pl.Series] = field(default_factory=dict)
    line: NDArray[np.uint32] | None = None
    notes: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        """Return the number of instances."""
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def at(self, row: int) -> str:
        """Return ``file:line`` of an instance, or ``file row n`` where lines mean nothing."""
        return row_place(self.path, self.line, row)


# What a record of a log says of an answer, as text.
RECORD = ("system", "task", "id", "gold", "answer", "status")
# What stands before the names of scores and facts, which files choose.
SCORE, FACT = "score:", "fact:"


@dataclass(frozen=True, slots=True)
class LongFile:
    """One row a record: an answer of a system to an instance, or what it was scored.

    ``rows`` has the columns of ``RECORD``, null where a record does not say; ``epoch``, the number
    of one of several answers to an instance; ``correct``, what the file itself calls right, if it
    does; scores, the one that counts as ``score:score``; and facts of instances. ``place`` returns
    where a record is; ``judged`` tells that the scores are the verdict on the answers, so that
    comparing texts is none.
    """

    path: str
    rows: pl.DataFrame
    place: Callable[[int], str]
    judged: bool = False


@dataclass(frozen=True, slots=True)
class Nodes:
    """The words and empty nodes of a file in their order, with the document of each.

    ``place`` numbers them within their document: the sentence's first place, plus the number of
    the word in it (0 is before the first), times ``NODES``, plus the number of the empty node
    behind it (0 is the word itself). So equal places mean equal IDs in equal sentences. ``first``
    is the first place of the sentence, ``edges`` the DEPS of empty nodes, null for words.
    """

    document: NDArray[np.int32]
    place: NDArray[np.int64]
    first: NDArray[np.int64]
    line: NDArray[np.uint32]
    form: pl.Series
    lemma: pl.Series
    upos: pl.Series
    edges: pl.Series

    def __len__(self) -> int:
        """Return the number of words and empty nodes."""
        return len(self.place)

    @property
    def empty(self) -> NDArray[np.bool_]:
        """Tell which are empty nodes."""
        return self.place % NODES != 0


# So many empty nodes, less one, may be behind a word.
NODES = 1 << 10


@dataclass(frozen=True, slots=True)
class MentionWords:
    """The words of mentions that may have holes and empty nodes, and their heads.

    Those of mention k are ``node[begin[k] : begin[k + 1]]``, places among ``nodes``. ``head`` is
    one of them, -1 where the file names none; ``etype`` is the type of its entity.
    """

    nodes: Nodes
    begin: NDArray[np.int64]
    node: NDArray[np.int64]
    head: NDArray[np.int64]
    etype: pl.Series | None = None

    @property
    def size(self) -> NDArray[np.int64]:
        """Return the number of words and empty nodes of each mention."""
        return np.diff(self.begin)


@dataclass(frozen=True, slots=True)
class MentionFile:
    """One row a mention of a chain; ``start`` and ``end`` are units of its document, both inside.

    ``document`` is a place in ``documents``, ``chain`` a number that no other document has. Rows
    stand in the order in which mentions open. ``units`` counts the tokens (or other units) of each
    document, -1 where that is not known; ``texts`` gives some columns of the lines of some of
    them (0 is the whole line), None where there are none. ``words`` are those of mentions with
    more to them than a first and a last unit.
    """

    path: str
    documents: tuple[str, ...]
    units: NDArray[np.int64]
    document: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    chain: NDArray[np.int64]
    line: NDArray[np.uint32]
    names: pl.Series
    texts: Callable[[NDArray[np.integer], Sequence[int]], list[pl.Series]] | None
    columns: Mapping[str, int]
    words: MentionWords | None = None

    def __len__(self) -> int:
        """Return the number of mentions."""
        return len(self.chain)

    def at(self, mention: int) -> str:
        """Return ``file:line`` of where a mention opens."""
        return f"{self.path}:{int(self.line[mention])}"


@dataclass(frozen=True, slots=True)
class WordPlaces:
    """Where the words of texts stand: record, first code point and the one behind, in order.

    ``sentence`` numbers the sentences from 0 over all records; None is that lines are sentences.
    """

    document: NDArray[np.int32]
    start: NDArray[np.integer]
    end: NDArray[np.integer]
    sentence: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.start)


@dataclass(frozen=True, slots=True)
class OffsetFile:
    """One row a span, placed by the code points of its text; ``end`` is the first one behind it.

    A record is a text and the spans on it: ``texts`` is null where a record leaves gold's text out,
    ``ids`` is None where records have no names, ``line`` is the line of each record and
    ``span_line`` that of each span. ``document`` is the record of each span, ``fragments`` are
    those of spans with holes as brat writes them (``0 5;10 15``), else null, and ``fields`` says
    what a span is called in its record. ``words`` are the tokens that a file brings along;
    ``joined`` says that texts were made of tokens, so that their white space means nothing.
    """

    path: str
    texts: pl.Series
    ids: pl.Series | None
    line: NDArray[np.uint32]
    document: NDArray[np.int32]
    start: NDArray[np.integer]
    end: NDArray[np.integer]
    label: pl.Series
    span_line: NDArray[np.uint32]
    fragments: pl.Series | None = None
    words: WordPlaces | None = None
    joined: bool = False
    context: Mapping[str, pl.Series] = field(default_factory=dict)
    fields: Callable[[int], str] | None = None
    notes: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        """Return the number of spans."""
        return len(self.label)

    def at(self, record: int) -> str:
        """Return ``file:line (record n)`` of a record."""
        return f"{self.path}:{int(self.line[record])} (record {record + 1})"

    def at_span(self, span: int) -> str:
        """Return ``file:line (record n) spans[2]`` of a span, or its own line where it has one."""
        if self.fields is None:
            return f"{self.path}:{int(self.span_line[span])}"
        return f"{self.at(int(self.document[span]))} {self.fields(span)}"


File = TokenFile | SpanFile | OffsetFile | EntityFile | TableFile | LongFile | MentionFile
