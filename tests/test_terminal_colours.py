"""Tints on a terminal darken step by step, whatever its colours are; differences have two hues."""

from __future__ import annotations

import io
import re
from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl
import pytest
from rich.style import Style

from coleval.analyses.pivot.views import views
from coleval.cli.console import Progress
from coleval.corpus.report import Report
from coleval.render import show
from coleval.render.sheet import on_terminal

if TYPE_CHECKING:
    from rich.color import Color

SHADES = [k / 20 for k in range(21)]


def light(color: Color | None) -> float:
    """The luminance of a colour (WCAG 2.1)."""
    assert color is not None
    parts = [part / 255 for part in color.get_truecolor()]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def grounds(colors: str, *, signed: bool = False) -> list[float]:
    return [light(Style.parse(on_terminal(s, colors, signed=signed)).bgcolor) for s in SHADES]


@pytest.mark.parametrize("colors", ["256", "truecolor"])
def test_a_stronger_shade_is_never_lighter(colors: str) -> None:
    levels = grounds(colors)
    assert all(one >= other for one, other in pairwise(levels))
    assert len(set(levels)) >= 6


@pytest.mark.parametrize("colors", ["256", "truecolor"])
def test_differences_are_lightest_in_the_middle_and_of_another_hue_on_each_side(
    colors: str,
) -> None:
    levels = grounds(colors, signed=True)
    assert max(levels) == levels[10]
    assert all(one <= other for one, other in pairwise(levels[:11]))
    assert all(one >= other for one, other in pairwise(levels[10:]))
    ends = [Style.parse(on_terminal(end, colors, signed=True)).bgcolor for end in (0.0, 1.0)]
    (red, _, blue), (other_red, _, other_blue) = (end.get_truecolor() for end in ends if end)
    assert red > blue
    assert other_blue > other_red


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("colors", ["256", "truecolor"])
@pytest.mark.parametrize("shade", SHADES)
def test_letters_can_be_read_on_every_ground(shade: float, colors: str, signed: bool) -> None:
    style = Style.parse(on_terminal(shade, colors, signed=signed))
    low, high = sorted((light(style.color), light(style.bgcolor)))
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_of_sixteen_colours_weight_says_what_is_strong() -> None:
    assert [on_terminal(s, "standard") for s in (0.0, 0.5, 1.0)] == ["dim", "", "bold"]
    assert on_terminal(0.0, "standard", signed=True) == on_terminal(1.0, "standard", signed=True)


def test_residuals_of_a_pivot_have_two_hues() -> None:
    rows = [("a", "x", 90, 40.0), ("a", "y", 10, -40.0), ("b", "x", 50, 0.0)]
    frame = pl.DataFrame(rows, schema=["row", "column", "n", "residual"], orient="row")
    frame = frame.with_columns(expected=pl.lit(1.0), share=pl.lit(0.5))
    sheet = views(Report("pivot", {"pivot": frame}, ""), 100)[0]
    (above, below), (none, _) = (row[2:] for row in sheet.rows)
    assert (above.shade, below.shade, none.shade) == (1.0, 0.0, None)
    assert above.signed
    assert below.signed


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_of_256_colours_gets_those_of_the_cube(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("COLORTERM", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    rows = [("s", label, label, n) for label, n in (("A", 9), ("B", 5), ("C", 1))]
    rows += [("s", "A", "B", 4), ("s", "B", "C", 2)]
    frame = pl.DataFrame(rows, schema=["system", "gold", "answer", "n"], orient="row")
    stream = Terminal()
    show(Report("confusion", {"confusion": frame}, "s"), stream=stream, width=100)
    numbers = {int(found) for found in re.findall(r"48;5;(\d+)", stream.getvalue())}
    assert numbers
    assert numbers <= {255, 153, 110, 68, 25, 18}
    assert "48;2;" not in stream.getvalue()


def test_one_bar_goes_from_start_to_end_and_steps_may_begin_in_any_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from coleval.cli import console

    monkeypatch.setattr(console, "_PATIENCE", 0.0)
    monkeypatch.setattr("sys.stderr", Terminal())
    with Progress(3) as progress:
        progress.expect(61)
        assert progress._timer is not None
        progress._timer.join()
        bar = progress._bar
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(progress, [f"step {k}" for k in range(64)]))
        assert progress._bar is bar is not None
        (task,) = bar.tasks
        assert (task.completed, task.total) == (63, 64)
    assert progress._bar is None


def test_no_terminal_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(1) as progress:
        progress("step")
    assert capsys.readouterr().err == ""
