"""Style sheet, script and frame of a page are files, read when a page is made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from coleval.render.html_assets import filled, small_markup, small_script, small_style

RENDER = Path(__file__).parents[1] / "src" / "coleval" / "render"
ASSETS = sorted(path.name for path in (RENDER / "assets").iterdir())


@pytest.mark.parametrize("sign", ["{color:", "{background:", "document.", "<!doctype"])
def test_no_module_holds_a_style_sheet_or_a_script(sign: str) -> None:
    modules = [p for p in RENDER.glob("*.py") if sign in p.read_text(encoding="utf-8")]
    assert [path.name for path in modules] == []


@pytest.mark.parametrize("name", ASSETS)
def test_every_file_is_in_the_page_without_remarks_and_spare_space(name: str) -> None:
    page = filled("a {title}", "<p>{policy}</p>", items=True)
    shorter = {".css": small_style, ".js": small_script}.get(Path(name).suffix, str)
    lines = shorter((RENDER / "assets" / name).read_text(encoding="utf-8")).splitlines()
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
    assert done.stdout.split() == ["0", "6"]


@pytest.mark.parametrize(
    ("written", "shorter"),
    [
        (
            '<td class="k h3">1</td><td class="d">2</td></tr>\n<tr>',
            '<td class="k h3">1<td class=d>2<tr>',
        ),
        ('<path d="M1,2h3"/><text x="1">a</text>', "<path d=M1,2h3 /><text x=1>a</text>"),
        ('<a href="x/" title="a &gt; b" id="">', '<a href="x/" title="a &gt; b" id="">'),
        ('<a title="a=b">c="d" </a>', '<a title="a=b">c="d" </a>'),
        ("<title>one\ntwo</title>\n<g>", "<title>one\ntwo</title><g>"),
        ("<tbody>\n<tr><td>1</td></tr>\n</tbody>\n</table>", "<tbody><tr><td>1</table>"),
    ],
)
def test_markup_loses_only_what_html_can_do_without(written: str, shorter: str) -> None:
    assert small_markup(written) == shorter


def test_a_style_sheet_and_a_script_keep_their_strings_and_their_lines() -> None:
    rules = '/* why */\n.a > b,\n.c :d { content: " \\2191"; color: #aabbcc; }\n'
    assert small_style(rules) == '.a >b,.c :d{content:" \\2191";color:#abc}'
    assert small_script("// why\n\n  a(`x // y`);\n") == "a(`x // y`);\n"
