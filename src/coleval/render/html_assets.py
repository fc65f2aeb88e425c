"""The files of ``assets/`` as a page takes them, with the parts that Python works out filled in.

They are read when a page is made, so that no other form pays for them.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from coleval.render.html_small import small_markup, small_script, small_style
from coleval.render.tint import (
    STEPS,
    tinted,
    tinted_by_night,
    two_sided,
    two_sided_by_night,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def filled(title: str, contents: str) -> str:
    """Return the page around ``contents``, both of them markup."""
    script = small_script(_asset("page.js"))
    return _asset("page.html").format(
        policy=_policy(script),
        title=title,
        style=small_style(style() + _asset("print.css")),
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
