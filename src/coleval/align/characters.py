"""Where words stand in a text without its spaces: what any two tokenisations have in common.

Places are bytes of UTF-8; two texts are the same or not to the byte. The words of a multiword
token all stand where the token does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from coleval.readers.steps import steps

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from coleval.readers.model import TokenFile

# Unicode's separators of words, which forms may hold: the UD evaluation leaves them out, too.
_SPACE = r"\p{Zs}"


@dataclass(frozen=True, slots=True, eq=False)
class Characters:
    """A text without spaces, first and last place of its tokens, and the token of each word.

    ``several`` tells the words of tokens that hold more than one; ``breaks`` those that begin
    a sentence; ``form`` are the words' own.
    """

    text: bytes
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    token: NDArray[np.int64]
    several: NDArray[np.bool_]
    breaks: NDArray[np.bool_]
    form: pl.Series

    @property
    def start(self) -> NDArray[np.int64]:
        """Return where each word begins."""
        return self.low[self.token]

    @property
    def end(self) -> NDArray[np.int64]:
        """Return the place behind each word."""
        return self.high[self.token]

    @property
    def sentences(self) -> NDArray[np.int64]:
        """Return where each sentence begins, and where the last one ends."""
        return np.append(self.start[self.breaks], len(self.text))


def characters(file: TokenFile) -> Characters:
    """Return the places of a file's words."""
    form, token, several = _tokens(file)
    spaced = form.str.contains(_SPACE).any()
    bare = form.str.replace_all(_SPACE, "") if spaced else form
    size = bare.str.len_bytes().to_numpy().astype(np.int64)
    high = np.cumsum(size)
    text = bare.str.join("")[0].encode()
    return Characters(text, high - size, high, token, several, steps(file.sentence), file.form)


def _tokens(file: TokenFile) -> tuple[pl.Series, NDArray[np.int64], NDArray[np.bool_]]:
    """Return the tokens' forms, the token of each word, and whether that holds several words."""
    n, multi = len(file), file.multiwords
    if multi is None:
        return file.form, np.arange(n), np.zeros(n, np.bool_)
    change = np.zeros(n + 1, np.int8)
    np.add.at(change, multi.first, 1)
    np.add.at(change, multi.end, -1)
    inside = np.cumsum(change[:-1]) > 0
    opens = ~inside
    opens[multi.first] = True
    # scatter writes in place
    form = file.form.clone().scatter(multi.first, multi.form)
    return form.filter(opens), np.cumsum(opens) - 1, inside
