"""The worked examples of CONTRIBUTING.md, applied to a copy of the repository."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
COPIED = ("src", "sql", "tests", "docs", "benchmarks", ".ci",
          "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "pyproject.toml")  # fmt: skip
_BLOCK = r"\n\n```\w+\n(?P<block>.*?)^```$"
_PLACES = {
    "new": re.compile(rf"^New file `(?P<path>[^`]+)`:{_BLOCK}", re.MULTILINE | re.DOTALL),
    "line": re.compile(
        r"^In `(?P<path>[^`]+)`, (?P<side>above|below) the line that begins with "
        rf"(?P<tick>`+)(?P<anchor>.+?)(?P=tick):{_BLOCK}",
        re.MULTILINE | re.DOTALL,
    ),
    "end": re.compile(rf"^At the end of `(?P<path>[^`]+)`:{_BLOCK}", re.MULTILINE | re.DOTALL),
}


@dataclass(frozen=True)
class Step:
    """A block of CONTRIBUTING.md and where it goes."""

    heading: str
    path: str
    block: str
    where: str
    anchor: str = ""


def steps() -> list[Step]:
    """Return all blocks in the order of the text, those of ``sh`` at its top apart."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## How to add")[2]
    found = []
    for heading, section in re.findall(
        r"^### (.+?)\n(.*?)(?=^### |\Z)", text, re.MULTILINE | re.DOTALL
    ):
        blocks = sorted(_blocks(heading, section))
        assert section.count("\n```\n") == len(blocks), f"a block of “{heading}” has no place"
        found += [step for _, step in blocks]
    return found


def _blocks(heading: str, section: str) -> Iterator[tuple[int, Step]]:
    for kind, pattern in _PLACES.items():
        for match in pattern.finditer(section):
            part = match.groupdict()
            where, anchor = part.get("side") or kind, part.get("anchor") or ""
            yield match.start(), Step(heading, part["path"], part["block"], where, anchor)


def applied(folder: Path) -> Path:
    """Return a copy of the repository in which all worked examples were followed."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    for step in steps():
        _apply(step, folder / step.path)
    return folder


def _apply(step: Step, path: Path) -> None:
    if step.where == "new":
        assert not path.exists(), f"{step.path} is there already"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(step.block, encoding="utf-8")
        return
    assert path.exists(), f"{step.path} is not there"
    path.write_text(_changed(step, path.read_text(encoding="utf-8")), encoding="utf-8")


def _changed(step: Step, text: str) -> str:
    """Return a text with a block at its end, or beside a line and as far from the margin."""
    if step.where == "end":
        return f"{text}\n\n{step.block}"
    lines = text.splitlines(keepends=True)
    at = [k for k, line in enumerate(lines) if line.lstrip().startswith(step.anchor)]
    assert at, f"no line of {step.path} begins with {step.anchor}"
    line = lines[at[0]]
    margin = line[: len(line) - len(line.lstrip())] + "    " * (step.where == "below")
    place = at[0] + (step.where == "below")
    return "".join([*lines[:place], indent(step.block, margin), *lines[place:]])
