"""What README and docs show is what their examples print; links and named places are there.

``.ci/docs`` writes the output anew.
"""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from coleval.cli.arguments import parser_of
from coleval.cli.overview import COMMANDS
from doc_pages import PAGES, ROOT, Place, blocks, current, needs_data

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A name that is told to be misspelt.
WRONG = ("--tabel",)
RUN = [page for page in PAGES if any(blocks(page))]
_FENCE = re.compile(r"^```(?:sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", RUN, ids=named)
def test_a_page_shows_what_its_examples_print(page, request, tmp_path):
    data = request.getfixturevalue("data")() if needs_data(page) else None
    text = current(page, Place(tmp_path, data))
    if os.environ.get("COLEVAL_UPDATE_GOLDEN"):
        page.write_text(text, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == text, "run .ci/docs"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_somewhere(page):
    text = page.read_text(encoding="utf-8")
    broken = []
    for target in re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", text):
        path, _, heading = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        if (
            (path and place == page)
            or not place.exists()
            or (heading and heading not in set(headings(place)))
        ):
            broken.append(target)
    assert broken == []


def headings(page: Path) -> Iterator[str]:
    """Return the headings of a page as GitHub names them in links."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def calls(page: Path) -> Iterator[list[str]]:
    """Return the command lines that a page shows, without comments and what follows a pipe."""
    for body in _FENCE.findall(page.read_text(encoding="utf-8")):
        begun = ""
        for line in body.replace("\\\n", " ").splitlines():
            begun = f"{begun}\n{line.removeprefix('$ ')}" if begun else line.removeprefix("$ ")
            if not begun.startswith("coleval ") or "…" in begun:
                begun = ""
                continue
            try:
                words = _words(begun)
            except ValueError:  # a quotation goes on in the next line
                continue
            begun = ""
            yield words


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|;<>&")
    lexer.whitespace_split = True
    words = list(lexer)
    ends = [k for k, word in enumerate(words) if re.fullmatch(r"[|;<>&]+", word)]
    return words[: min(ends, default=None)]


@pytest.mark.parametrize("page", [page for page in PAGES if any(calls(page))], ids=named)
def test_every_call_that_is_shown_has_options_that_exist(page):
    for call in calls(page):
        assert len(call) > 1
        _, name, *words = call
        if (
            set(words) & set(WRONG)
            or name in ("--help", "--version", "help")
            or {"--help", "--help-all"} & set(words)
        ):
            continue
        parser_of(COMMANDS[name]).parse_intermixed_args(words)
