"""Documents whose examples are run and whose output is what came out; nothing of it is typed.

A block after ``<!-- run -->`` is run in a folder that its page has for itself, one after
``<!-- run in FOLDER -->`` among the shared data. ``lines 12`` shows the first lines, ``quiet``
leaves warnings out. What takes long is run ``rarely``: by ``.ci/docs`` alone. A console has
``$ command`` lines, each with its output; what a block of Python prints is in the block below it.
``.ci/docs`` writes everything anew.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from coleval.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
WIDTH = 100
_BLOCK = re.compile(
    r"^<!-- run(?P<rarely> rarely)?(?: in (?P<folder>\S+))?"
    r"(?: lines (?P<lines>\d+))?(?P<quiet> quiet)? -->\n"
    r"```(?P<kind>console|python)\n(?P<body>.*?)^```\n"
    r"(?P<below>\n```\n.*?^```\n)?",
    re.MULTILINE | re.DOTALL,
)
_SHELL = re.compile(r"[|;<>`]|&&|\$\(")
_UNLIKE = re.compile(r"0x[0-9a-f]{6,}")


@dataclass
class Place:
    """Where a page is run: a folder of its own, the shared data, names that Python keeps."""

    own: Path
    data: Path | None
    names: dict[str, Any] = field(default_factory=dict)

    def folder(self, name: str | None) -> Path:
        """Return where a block is run; files of the data are linked, not written to."""
        if name is None:
            return self.own
        assert self.data is not None, "a block needs the shared data"
        place = self.own / f"in-{name.replace('/', '-')}"
        if not place.exists():
            place.mkdir(parents=True)
            for source in (self.data / name).iterdir():
                (place / source.name).symlink_to(source)
        return place


def needs_data(page: Path) -> bool:
    """Tell whether some block of a page is run among the shared data."""
    return any(match["folder"] and _is_due(match) for match in blocks(page))


def blocks(page: Path) -> Iterator[re.Match[str]]:
    """Return the blocks of a page that are run; every mark must be that of a block."""
    text = page.read_text(encoding="utf-8")
    found = list(_BLOCK.finditer(text))
    assert len(found) == text.count("<!-- run"), f"{page.name}: a mark that is not understood"
    return iter(found)


def current(page: Path, place: Place) -> str:
    """Return the text of a page with what its examples print now."""
    text = page.read_text(encoding="utf-8")
    with mock.patch.dict(os.environ, {"COLUMNS": str(WIDTH), "NO_COLOR": "1"}):
        return _BLOCK.sub(lambda match: _run(match, place) if _is_due(match) else match[0], text)


def _is_due(match: re.Match[str]) -> bool:
    return not match["rarely"] or bool(os.environ.get("COLEVAL_UPDATE_GOLDEN"))


def _run(match: re.Match[str], place: Place) -> str:
    limit = int(match["lines"]) if match["lines"] else None
    head = match[0].partition("```")[0]
    with chdir(place.folder(match["folder"])):
        if match["kind"] == "python":
            printed = _python(match["body"], place)
            below = f"\n```\n{_cut(printed, limit)}```\n" if printed else ""
            return f"{head}```python\n{match['body']}```\n{below}"
        commands = _commands(match["body"])
        body = "".join(
            f"$ {command}\n{_cut(_printed(command, quiet=bool(match['quiet'])), limit)}"
            for command in commands
        )
    return f"{head}```console\n{body}```\n{match['below'] or ''}"


def _commands(body: str) -> list[str]:
    """Return the commands of a console, with their further lines."""
    return [
        match[1].rstrip("\n")
        for match in re.finditer(r"^\$ ((?:[^\n]*\\\n)*[^\n]*\n)", body, re.MULTILINE)
    ]


def _printed(command: str, *, quiet: bool) -> str:
    line, _, comment = command.partition("  #")
    del comment
    if line.startswith("coleval ") and not _SHELL.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", line)):
        return _captured(lambda: main(shlex.split(line.replace("\\\n", " "))[1:]), quiet=quiet)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", line], env=environment, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    return _without_warnings(done.stdout) if quiet else done.stdout


def _python(body: str, place: Place) -> str:
    code = compile(body, "example", "exec")
    return _captured(lambda: exec(code, place.names), quiet=True)  # noqa: S102


def _captured(run: Callable[[], object], *, quiet: bool) -> str:
    stream = io.StringIO()
    with redirect_stdout(stream), redirect_stderr(stream):
        run()
    return _without_warnings(stream.getvalue()) if quiet else stream.getvalue()


def _without_warnings(text: str) -> str:
    return "".join(
        line for line in text.splitlines(keepends=True) if not line.startswith("warning: ")
    )


def _cut(text: str, limit: int | None) -> str:
    """Return the first lines of what was printed, and a sign that there are more."""
    lines = [line.rstrip() for line in text.splitlines()]
    assert not any(_UNLIKE.search(line) for line in lines), "an address is different in every run"
    while lines and not lines[-1]:
        lines.pop()
    if limit is not None and len(lines) > limit:
        lines = [*lines[:limit], "…"]
    return "".join(f"{line}\n" for line in lines)


def fresh(folder: Path) -> Path:
    """Return an empty folder of that name."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
