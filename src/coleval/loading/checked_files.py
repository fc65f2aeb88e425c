"""What was found in files, kept from one ``coleval board`` to the next: most have not changed."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coleval.corpus.output import write_whole
from coleval.corpus.problems import Problem
from coleval.loading.cells import Cells
from coleval.loading.checking import Checked
from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coleval.corpus.options import Reading
    from coleval.loading.sources import Inputs
    from coleval.loading.templates import Place


def remember(memory: str, checked: Sequence[tuple[Place, Checked]], reading: Reading) -> None:
    """Write what was found in each file, and the state that the file is in."""
    files = {one.path: {"state": _state(one.path), **asdict(replace(one, of_gold=frozenset())),
                        "of_gold": sorted(one.of_gold)} for _, one in checked}  # fmt: skip
    text = json.dumps({"key": _key(reading), "files": files}, ensure_ascii=False)
    write_whole(Path(memory), text.encode())


def remembered(memory: str, inputs: Inputs | Cells, reading: Reading) -> Mapping[str, Checked]:
    """Return what was found in files that have not changed; none if gold or options have."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        data = json.loads(Path(memory).read_bytes())
        if data["key"] != _key(reading):
            return {}
        known = {path: _checked(row) for path, row in data["files"].items()
                 if row["state"] and row["state"] == _state(path)}  # fmt: skip
        cells = inputs.inputs.values() if isinstance(inputs, Cells) else (inputs,)
        changed = [one for one in cells if one.logs or one.gold.path not in known]
        again = {source.path for one in changed for source in one.systems.values()}
        return {path: one for path, one in known.items() if path not in again}
    return {}


def _key(reading: Reading) -> str:
    return f"{__version__} {reading}"


def _state(path: str) -> list[int]:
    """Return what changes when a file does; nothing for what is no file."""
    with suppress(OSError, ValueError):
        state = os.stat(path)  # noqa: PTH116  - there may be very many
        return [state.st_size, state.st_mtime_ns]
    return []


def _checked(row: dict[str, Any]) -> Checked:
    fields = {name: value for name, value in row.items() if name != "state"}
    fields["problems"] = tuple(Problem(**problem) for problem in row["problems"])
    fields["labels"] = {label: tuple(value) for label, value in row["labels"].items()}
    fields["places"] = tuple((status, n) for status, n in row["places"])
    fields["of_gold"] = frozenset(row["of_gold"])
    return Checked(**fields)
