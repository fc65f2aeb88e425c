"""Words on a text without its spaces, the characters two texts share, stretches.

Places are bytes of UTF-8; two texts are the same or not to the byte. The words of a multiword
token all stand where the token does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from coleval.loading.readers.steps import steps

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from coleval.loading.readers.model import TokenFile

# Unicode's separators of words, which forms may hold: the UD evaluation leaves them out, too.
_SPACE = r"\p{Zs}"


@dataclass(frozen=True, eq=False)
class Characters:
    """A text without spaces, first and last place of its tokens, and the token of each word.

    ``several`` tells the words of tokens that hold more than one; ``breaks`` those that begin
    a sentence; ``form`` are the words' own, where a word is a token without its spaces: the UD
    evaluation takes these out of tokens, and not of the words that a token holds.
    """

    text: bytes
    low: NDArray[np.integer]
    high: NDArray[np.integer]
    token: NDArray[np.integer]
    several: NDArray[np.bool_]
    breaks: NDArray[np.bool_]
    form: pl.Series

    @cached_property
    def start(self) -> NDArray[np.integer]:
        """Return where each word begins."""
        return self.low[self.token]

    @cached_property
    def end(self) -> NDArray[np.integer]:
        """Return the place behind each word."""
        return self.high[self.token]

    @cached_property
    def sentences(self) -> NDArray[np.integer]:
        """Return where each sentence begins, and where the last one ends."""
        return np.append(self.start[self.breaks], len(self.text))


def characters(file: TokenFile) -> Characters:
    """Return the places of a file's words."""
    form, token, several = _tokens(file)
    bare = _bare(form)
    text = bare.str.join("")[0].encode()
    # Half the bytes where they will do: places live as long as the corpus, for each system.
    kind: type[np.signedinteger] = np.int32 if len(text) < np.iinfo(np.int32).max else np.int64
    size = bare.str.len_bytes().to_numpy().astype(kind)
    high = np.cumsum(size, dtype=kind)
    words = file.form if bare is form else without_spaces(file.form, several)
    return Characters(text, high - size, high, token, several, steps(file.sentence), words)


def same_tokens(gold: TokenFile, file: TokenFile) -> bool:
    """Tell whether two files that have as many words have them in the same tokens."""
    if gold is file or (gold.multiwords is None and file.multiwords is None):
        return True
    return np.array_equal(first_words(gold), first_words(file))


def first_words(file: TokenFile) -> NDArray[np.int64]:
    """Return the first word of each token, and the number of words behind them."""
    token = _tokens(file)[1]
    return np.append(np.flatnonzero(steps(token)), len(file))


def without_spaces(form: pl.Series, several: NDArray[np.bool_]) -> pl.Series:
    """Return the forms of words, those that are tokens by themselves without spaces."""
    alone = np.flatnonzero(~several)
    own = form.gather(alone)
    bare = _bare(own)
    return form if bare is own else form.clone().scatter(alone, bare)


def _bare(form: pl.Series) -> pl.Series:
    return form.str.replace_all(_SPACE, "") if form.str.contains(_SPACE).any() else form


def _tokens(file: TokenFile) -> tuple[pl.Series, NDArray[np.uint32], NDArray[np.bool_]]:
    """Return the tokens' forms, the token of each word, and whether that holds several words."""
    n, multi = len(file), file.multiwords
    if multi is None:
        return file.form, np.arange(n, dtype=np.uint32), np.zeros(n, np.bool_)
    change = np.zeros(n + 1, np.int8)
    np.add.at(change, multi.first, 1)
    np.add.at(change, multi.end, -1)
    inside = np.cumsum(change[:-1]) > 0
    opens = ~inside
    opens[multi.first] = True
    # scatter writes in place
    form = file.form.clone().scatter(multi.first, multi.form)
    return form.filter(opens), np.cumsum(opens, dtype=np.uint32) - 1, inside
