"""The files of ``assets/`` as a page takes them, with the parts that Python works out filled in.

They are read when a page is made, so that no other form pays for them.
"""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from coleval.render.sheet import STEPS, tinted, tinted_by_night, two_sided, two_sided_by_night

if TYPE_CHECKING:
    from collections.abc import Callable


def filled(title: str, contents: str, *, items: bool = False, fetching: bool = False) -> str:
    """Return the page around ``contents``, both of them markup; numbers may lead to ``items``.

    A page in a folder fetches these from there, and nothing from elsewhere.
    """
    script = small_script(_asset("page.js") + (_asset("items.js") if items else ""))
    look = _asset("items.css") if items else ""
    return _asset("page.html").format(
        policy=_policy(script) + ("; connect-src 'self'" if fetching else ""),
        title=title,
        style=small_style(style() + look + _asset("print.css")),
        contents=small_markup(contents),
        script=script,
    )


@cache
def style() -> str:
    """Return the style sheet that a page and a notebook share."""
    by_night = _tints("h", tinted_by_night) + _tints("v", two_sided_by_night)
    night = f"@media screen and (prefers-color-scheme: dark) {{\n{by_night}}}\n"
    by_day = _tints("h", tinted) + _tints("v", two_sided)
    return f"{_asset('page.css')}{by_day}{night}{_asset('chart.css')}{_asset('tint.css')}"


@cache
def chart_style() -> str:
    """Return the style sheet of charts: series, one hue for sizes, two for differences."""
    night = _cells("h", tinted_by_night) + _cells("v", two_sided_by_night)
    dark = f"@media screen and (prefers-color-scheme: dark) {{\n{night}}}\n"
    return f"{_asset('chart.css')}{_cells('h', tinted)}{_cells('v', two_sided)}{dark}"


def _cells(hue: str, style_of: Callable[[float], str]) -> str:
    """Return the rules of the cells of a heat map: their ground, and letters to be read on it."""
    rules = []
    for at in range(STEPS + 1):
        letters, ground = style_of(at / STEPS).split(" on ")
        own = f".coleval-chart .{hue}{at}"
        rules.append(f"{own}{{fill:{ground}}}{own} text{{fill:{letters}}}\n")
    return "".join(rules)


@cache
def _asset(name: str) -> str:
    return (files("coleval.render") / "assets" / name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """Return the rule that lets a browser run ``script``, and load or run nothing else."""
    # A browser hashes all that is between the tags, the end of the line after the first included.
    digest = b64encode(sha256(f"\n{script}".encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _tints(hue: str, style_of: Callable[[float], str]) -> str:
    """Return a rule for each step of a cell's shade; ``tint.css`` says what has that ground."""
    rules = []
    for at in range(STEPS + 1):
        letters, ground = style_of(at / STEPS).split(" on ")
        rules.append(f".coleval .{hue}{at}{{--g:{ground};--l:{letters}}}\n")
    return "".join(rules)


_TAG = re.compile(r"<[a-z][^<>]*>", re.IGNORECASE)
# A value that needs no quotes; one that ends in a slash could be taken for the end of its tag.
_QUOTED = re.compile(r"""="([^\s"'=<>`]*[^\s"'=<>`/])"(/?)""")
_SPACE = ' xmlns="http://www.w3.org/2000/svg"'
# A browser ends these itself where the next of their kind begins or what holds them ends.
_OPTIONAL = re.compile(
    r"</t[dh]>(?=<t[dh][ >]|</tr>)|</tr>(?=<tr[ >]|</tbody>)|</thead>(?=<tbody>)"
    r"|</tbody>(?=</table>)|</li>(?=<li[ >]|</[ou]l>)|</d[td]>(?=<d[td][ >]|</dl>)"
)
_REMARK = re.compile(r"/\*.*?\*/", re.DOTALL)


def small_markup(markup: str) -> str:
    """Return markup without line ends between tags, quotes and end tags that nothing needs."""
    told = _TAG.sub(_bare, markup.replace(">\n<", "><").replace(_SPACE, ""))
    return _OPTIONAL.sub("", told)


def small_style(rules: str) -> str:
    """Return a style sheet without remarks and without space that nothing needs."""
    told = re.sub(r"\s+", " ", _REMARK.sub("", rules))
    told = re.sub(r" ?([{};]) ?", r"\1", told)
    told = re.sub(r"([:,>]) ", r"\1", told)
    told = re.sub(r"#([0-9a-f])\1([0-9a-f])\2([0-9a-f])\3\b", r"#\1\2\3", told)
    return told.replace(";}", "}").strip()


def small_script(program: str) -> str:
    """Return a script without lines of remarks and without what its lines begin with."""
    lines = (line.strip() for line in program.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))


def _bare(tag: re.Match[str]) -> str:
    return _QUOTED.sub(lambda found: f"={found[1]}{' /' if found[2] else ''}", tag[0])
