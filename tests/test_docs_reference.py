"""The pages of docs/reference are what the declarations say; ``.ci/docs`` writes them anew."""

from __future__ import annotations

import os

import pytest

from coleval.cli.overview import COMMANDS
from doc_pages import ROOT
from reference_pages import pages

FOLDER = ROOT / "docs" / "reference"


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    found = pages()
    if os.environ.get("COLEVAL_UPDATE_GOLDEN"):
        FOLDER.mkdir(exist_ok=True)
        for path in set(FOLDER.glob("*.md")) - {FOLDER / name for name in found}:
            path.unlink()
        for name, text in found.items():
            (FOLDER / name).write_text(text, encoding="utf-8")
    return found


def test_there_is_a_page_for_each_command_and_no_other(made):
    names = {path.name for path in FOLDER.glob("*.md")}
    assert names == set(made)
    assert names >= {f"{name}.md" for name in COMMANDS}


@pytest.mark.parametrize("name", ["README.md", "options.md", "python.md",
                                  *(f"{name}.md" for name in COMMANDS)])  # fmt: skip
def test_a_page_is_what_the_declarations_say(made, name):
    assert (FOLDER / name).read_text(encoding="utf-8") == made[name], "run .ci/docs"
