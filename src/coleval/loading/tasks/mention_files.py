"""Mention files, two at a time, and gold last: what others say is asked of its lines at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from coleval.loading.readers.formats import detect
from coleval.loading.tasks.mention_keys import single_units, union

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Executor, Future

    from numpy.typing import NDArray

    from coleval.corpus.options import Reading
    from coleval.loading.readers.formats import Format
    from coleval.loading.readers.model import MentionFile
    from coleval.loading.readers.source import Source

    Others = Callable[[], NDArray[np.int64] | None]

# To find what more files have in common takes longer than to read gold once more.
_FEW = 8


def mention_files(
    pool: Executor, gold: Source, systems: Mapping[str, Source], form: Format, reading: Reading,
    progress: Callable[[str], None],
) -> dict[str, MentionFile]:  # fmt: skip
    """Return the mentions of gold (the empty name) and the systems."""
    # Two files at a time: one waits for memory while the other counts.
    found = {name: pool.submit(_system, one, form, reading) for name, one in systems.items()}
    others = partial(_single_units, [*found.values()])
    files = {}
    for name, file in {"": pool.submit(_gold, gold, form, reading, others), **found}.items():
        progress(name or "gold")
        files[name] = file.result()
    return files


def _gold(source: Source, form: Format, reading: Reading, others: Others) -> MentionFile:
    assert form.mentions is not None  # noqa: S101  - need() has made sure
    if form.others:
        return form.mentions(source, reading.columns, others=others)
    return form.mentions(source, reading.columns)


def _system(source: Source, form: Format, reading: Reading) -> MentionFile:
    """Return the mentions of a system; it may be of another format, and needs no text."""
    own = detect(source, "coref") if reading.format is None else form
    assert own.mentions is not None  # noqa: S101  - need() and detect() have made sure
    return own.mentions(source, reading.columns, texts=False)


def _single_units(files: Sequence[Future[MentionFile]]) -> NDArray[np.int64] | None:
    """Return the units that are a mention in one of some files, as far as they agree with gold's.

    They are None where there are too many files to look at all of them, or one cannot be read.
    """
    if len(files) > _FEW or any(file.exception() for file in files):
        return None
    found = [single_units(file.result()) for file in files]
    return union(found) if found else np.empty(0, np.int64)
