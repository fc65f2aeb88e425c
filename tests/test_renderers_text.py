"""Names of strangers made safe and short, marks put where they belong, tints that can be read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from coleval.render.listing import marks
from coleval.render.visible import head, shortened, visible, wrapped


def test_of_two_systems_only_the_best_is_marked() -> None:
    assert marks([0.9, 0.8], "high") == ["▲", ""]


def test_equal_values_are_not_marked() -> None:
    assert marks([0.9, 0.9, 0.9], "high") == ["", "", ""]


def test_a_worst_value_that_many_share_is_not_marked() -> None:
    assert marks([1.0, 0.0, 0.0, 0.0, 0.0], "high") == ["▲", "", "", "", ""]


def test_a_loss_is_best_where_it_is_low() -> None:
    assert marks([0.1, None, 0.2, 0.3], "low") == ["▲", "", "", "▼"]


def test_what_turns_the_direction_of_writing_is_shown_escaped() -> None:
    assert visible("\u202egnirts") == r"\u202egnirts"


def test_an_empty_name_can_be_seen() -> None:
    assert visible("") == '""'


def test_long_names_lose_their_middle() -> None:
    assert shortened("submission-of-team-seven-run-2", 16) == "submissi…n-run-2"


@given(st.text(max_size=60), st.integers(1, 40))
def test_a_shortened_name_is_never_too_wide(text: str, cells: int) -> None:
    assert cell_len(shortened(visible(text), cells)) <= cells


@given(st.text(st.sampled_from("ab é中\u0301\u200d😀"), max_size=9), st.integers(-2, 9))
def test_the_beginning_of_a_text_is_the_longest_that_fits(text: str, cells: int) -> None:
    fits = [
        text[:k] for k in range(1, min(len(text), 4 * cells) + 1) if cell_len(text[:k]) <= cells
    ]
    assert head(text, cells) == max(fits, key=len, default="")


@given(st.text(max_size=60), st.integers(2, 40))
def test_wrapped_text_is_never_too_wide_and_loses_no_word(text: str, cells: int) -> None:
    lines = wrapped(visible(text), cells)
    assert all(cell_len(line) <= cells for line in lines)
    assert "".join(lines).replace(" ", "") == visible(text).replace(" ", "")
