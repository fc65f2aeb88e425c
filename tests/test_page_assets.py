"""Style sheet, script and frame of a page are files, read when a page is made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from coleval.render.html_assets import filled

RENDER = Path(__file__).parents[1] / "src" / "coleval" / "render"
ASSETS = sorted(path.name for path in (RENDER / "assets").iterdir())


@pytest.mark.parametrize("sign", ["{color:", "{background:", "document.", "<!doctype"])
def test_no_module_holds_a_style_sheet_or_a_script(sign: str) -> None:
    # The rules of tints are worked out step by step, in the one module that fills the files.
    modules = [p for p in RENDER.glob("*.py") if sign in p.read_text(encoding="utf-8")]
    allowed = ["html_assets.py"] if sign == "{background:" else []
    assert [path.name for path in modules] == allowed


@pytest.mark.parametrize("name", ASSETS)
def test_every_file_is_in_the_page_as_it_is(name: str) -> None:
    page = filled("a {title}", "<p>{policy}</p>")
    lines = (RENDER / "assets" / name).read_text(encoding="utf-8").splitlines()
    fixed = [line for line in lines if name != "page.html" or "{" not in line]
    assert [line for line in fixed if line not in page] == []


def test_what_is_filled_in_is_not_filled_in_again() -> None:
    page = filled("a {title}", "<p>{policy}</p>")
    assert page.count("a {title}") == 2
    assert "<p>{policy}</p>" in page


def test_the_files_of_a_page_are_read_when_one_is_made_and_not_before() -> None:
    code = (
        "import sys; opened = []; "
        "sys.addaudithook(lambda event, args: event == 'open' and opened.append(str(args[0]))); "
        "from coleval.render import html_page; before = list(opened); "
        "from coleval.corpus.report import Report; html_page.render(Report('x', {}, '')); "
        "print(*(sum('render/assets' in name for name in names) for names in (before, opened)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "5"]
