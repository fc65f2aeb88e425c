"""What a person sees: nothing too long, nothing acted upon, nothing said by colour alone."""

from __future__ import annotations

import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from coleval.corpus.report import Report
from coleval.render import show
from coleval.render.visible import visible

HOSTILE = ('say "hi"', "two\nlines", "a\tb", "🚀 fast", "规则系统", "[bold]x", "\x1b[31mred\x1b[0m")


def text_of(report: Report, *, width: int = 100, color: bool = False) -> str:
    stream = io.StringIO()
    show(report, stream=stream, width=width, color=color)
    return stream.getvalue()


def lines_of(report: Report, *, width: int = 100) -> list[str]:
    return text_of(report, width=width).splitlines()


def leaderboard(*rows: tuple[str, float | None]) -> Report:
    frame = pl.DataFrame(rows, schema={"system": pl.String, "f1": pl.Float64}, orient="row")
    counts = [pl.lit(90).alias("tp"), pl.lit(1234).alias("fp"), pl.lit(0).alias("repairs")]
    return Report("score", {"overall": frame.with_columns(counts)}, "coleval:0|task:span")


def by_label(systems: int, labels: int) -> Report:
    rows = [
        (f"{HOSTILE[s % 7]} {s}", f"LABEL-{i}", (s * 7 + i * 13) % 100 / 100, 1000 - i)
        for s in range(systems)
        for i in range(labels)
    ]
    frame = pl.DataFrame(rows, schema=["system", "label", "f1", "support"], orient="row")
    return Report("score", {"labels": frame.with_columns(precision="f1", recall="f1")}, "s")


def confusion(*rows: tuple[str, str | None, str | None, int]) -> Report:
    schema = {"system": pl.String, "gold": pl.String, "answer": pl.String, "n": pl.Int64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return Report("confusion", {"confusion": frame}, "s")


def problems(*rows: tuple[str, int | None, str, str, str, int]) -> Report:
    schema = ["file", "line", "kind", "problem", "remedy", "n"]
    return Report("validate", {"problems": pl.DataFrame(rows, schema=schema, orient="row")}, "s")


def test_ratios_are_percentages_and_counts_have_thousands() -> None:
    (row,) = [line for line in lines_of(leaderboard(("a", 0.95654))) if line.startswith("a")]
    assert row.split() == ["a", "95.65", "90", "1,234", "0"]


def test_best_and_worst_are_marked_without_colour_and_explained() -> None:
    text = text_of(leaderboard(("a", 0.9), ("b", 0.8), ("c", 0.7)))
    assert "90.00▲" in text
    assert "70.00▼" in text
    assert "80.00 " in text
    assert "▲ best, ▼ worst of its column" in text


def test_systems_with_equal_values_share_a_rank() -> None:
    lines = lines_of(leaderboard(("a", 0.9), ("b", 0.8), ("c", 0.8), ("d", 0.7)))
    assert [line.split()[0] for line in lines[3:7]] == ["1", "2", "2", "4"]


def test_undefined_is_a_dash_and_columns_without_values_are_left_out() -> None:
    report = leaderboard(("a", 0.9), ("b", None))
    report.tables["overall"].insert_column(1, pl.Series("macro_f1", [None, None], pl.Float64))
    text = text_of(report)
    assert "–" in text
    assert "– undefined" in text
    assert "macro" not in text


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_shown_as_it_is_and_nothing_in_it_acts(name: str) -> None:
    text = text_of(leaderboard((name, 0.9), ("b", 0.8)))
    assert visible(name) in text
    assert "\x1b" not in text
    assert "\t" not in text


def test_a_terminal_escape_in_a_name_is_shown_even_where_colours_are_on() -> None:
    text = text_of(leaderboard(("\x1b[31mred", 0.9), ("b", 0.8)), color=True)
    assert r"\x1b[31mred" in text


def test_wide_characters_keep_the_columns_straight() -> None:
    lines = lines_of(leaderboard(("规则系统", 0.9), ("🚀", 0.8), ("plain", 0.7)))[3:6]
    assert len({cell_len(line[: line.index(".")]) for line in lines}) == 1


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_fifty_systems_and_twelve_labels_fit_any_screen(width: int) -> None:
    report = by_label(50, 12)
    lines = lines_of(report, width=width)
    assert max(map(cell_len, lines)) <= width
    assert sum(visible(HOSTILE[4]) in line for line in lines) == 7


@given(st.lists(st.text(max_size=40), min_size=1, max_size=8), st.integers(40, 120))
def test_no_line_is_ever_too_long(names: list[str], width: int) -> None:
    pairs = [(name, at / 10) for at, name in enumerate(names)]
    taken = [(name, names[0], str(at), at) for at, name in enumerate(names)]
    for report in (leaderboard(*pairs), confusion(*taken)):
        assert max(cell_len(line) for line in lines_of(report, width=width)) <= width


def test_labels_that_do_not_fit_are_counted() -> None:
    text = text_of(by_label(8, 30), width=60)
    assert "labels with less support not shown" in text


def test_few_systems_and_many_labels_stand_the_other_way_round() -> None:
    lines = lines_of(by_label(3, 9))
    assert lines[1].startswith("label ")
    assert lines[3].startswith("LABEL-0 ")


def test_labels_follow_the_order_of_the_leaderboard() -> None:
    labels = pl.DataFrame({"system": ["a", "b"], "label": "X", "f1": [0.1, 0.2], "support": 5})
    tables = {"overall": pl.DataFrame({"system": ["b", "a"]}), "labels": labels}
    lines = lines_of(Report("score", tables, "s"))
    assert lines.index("b       20.00▲") < lines.index("a       10.00")


def test_one_system_has_a_row_a_label_most_support_first() -> None:
    lines = lines_of(by_label(1, 3))
    assert [line.split()[0] for line in lines[3:6]] == ["LABEL-0", "LABEL-1", "LABEL-2"]


def test_columns_that_do_not_fit_are_named_with_the_way_to_see_them() -> None:
    text = text_of(leaderboard(("a" * 30, 0.9)), width=30)
    assert "not shown: FP, repairs" in text
    assert "--as csv" in text


def test_a_long_table_is_cut_and_says_so() -> None:
    report = Report("sql", {"result": pl.DataFrame({"x": range(100)})}, "s")
    assert "… and 40 more rows: --as csv --table result" in lines_of(report)


def test_an_empty_table_says_so() -> None:
    empty = leaderboard()
    assert "no rows" in lines_of(empty)
    assert "no rows" in lines_of(confusion())


def test_a_single_row_is_not_ranked() -> None:
    assert "#" not in text_of(leaderboard(("a", 0.9)))


def test_a_confusion_matrix_adds_up_with_the_labels_left_out() -> None:
    rows = [("s", f"L{g}", f"L{a}", 10 if g == a else 1) for g in range(30) for a in range(30)]
    lines = lines_of(confusion(*rows), width=60)
    table = [line.split() for line in lines[3:] if line[:1] in ("L", "o")]
    for row in table:
        numbers = [0 if n == "·" else int(n.replace(",", "")) for n in row if n[0] in "·0123456789"]
        assert sum(numbers[:-1]) == numbers[-1]
    assert sum(int(row[-1].replace(",", "")) for row in table) == sum(n for *_, n in rows)


def test_nothing_there_is_an_underscore() -> None:
    lines = lines_of(
        confusion(("s", "PER", "PER", 9), ("s", None, "PER", 2), ("s", "PER", None, 3))
    )
    assert lines[3].split() == ["PER", "9", "3", "12"]
    assert lines[4].split() == ["_", "2", "·", "2"]


def test_many_systems_share_one_list_of_confusions_without_the_diagonal() -> None:
    rows = [(name, "PER", "LOC", 2) for name in "abcd"] + [("a", "PER", "PER", 50)]
    lines = lines_of(confusion(*rows))
    assert lines[3].split() == ["PER", "→", "LOC", "8", "2", "2", "2", "2"]
    assert "one system's matrix: --systems NAME" in lines
    assert not any("50" in line for line in lines)


def test_a_problem_is_read_in_full_with_its_place_first() -> None:
    said = "word " * 60
    lines = lines_of(problems(("a.conll", 17, "columns", said, "mend the file", 3)), width=60)
    assert lines[1] == "a.conll:17  columns  (3 times)"
    assert " ".join(lines).split().count("word") == 60
    assert "    → mend the file" in lines


def test_a_problem_of_a_whole_file_has_no_line() -> None:
    assert "a.conll  encoding" in lines_of(problems(("a.conll", None, "encoding", "x", "y", 1)))


def test_no_problems_is_said() -> None:
    schema = dict.fromkeys(["file", "line", "kind", "problem", "remedy", "n"], pl.String)
    report = Report("validate", {"problems": pl.DataFrame(schema=schema)}, "s")
    assert "none" in lines_of(report)


def test_a_description_wraps_instead_of_losing_its_middle() -> None:
    about = "one token a line and " * 10
    report = Report("formats", {"formats": pl.DataFrame({"name": ["x"], "about": [about]})}, "s")
    text = text_of(report, width=60)
    assert "…" not in text
    assert text.count("token") == 10


def test_the_signature_stands_below_and_breaks_between_its_parts() -> None:
    report = Report("score", {}, "|".join(f"part{i}:value" for i in range(12)))
    lines = lines_of(report, width=60)
    assert len(lines) > 1
    assert "".join(lines) == report.signature
    assert all(line.endswith("|") for line in lines[:-1])


def test_no_color_and_pipes_get_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal, pipe, quiet = Terminal(), io.StringIO(), Terminal()
    show(leaderboard(("a", 0.9), ("b", 0.8)), stream=terminal)
    show(leaderboard(("a", 0.9), ("b", 0.8)), stream=pipe)
    monkeypatch.setenv("NO_COLOR", "1")
    show(leaderboard(("a", 0.9), ("b", 0.8)), stream=quiet)
    assert ["\x1b[" in s.getvalue() for s in (terminal, pipe, quiet)] == [True, False, False]


def test_a_pipe_is_as_wide_as_columns_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = io.StringIO()
    show(by_label(50, 12), stream=stream)
    assert max(map(cell_len, stream.getvalue().splitlines())) <= 40


def test_what_a_terminal_cannot_write_does_not_stop_it() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    show(leaderboard(("规则", 0.9), ("b", 0.8)), stream=stream, color=False)
    stream.flush()
    assert b"90.00?" in raw.getvalue()


def test_labels_are_ranked_by_accuracy_with_the_counts_beside_it() -> None:
    overall = pl.DataFrame(
        {"system": ["a"], "items": [2000], "correct": [1900], "accuracy": [0.95], "tp": [1900]}
    )
    lines = lines_of(Report("score", {"overall": overall}, "s"))
    assert lines[1].split() == ["system", "accuracy", "%", "correct/items"]
    assert lines[3].split() == ["a", "95.00", "1,900/2,000"]


def test_multi_label_scores_lead_with_the_mean_over_samples() -> None:
    overall = pl.DataFrame(
        {"system": ["a"], "accuracy": [0.5], "f1": [0.7], "samples_f1": [0.75], "tp": [3]}
    )
    lines = lines_of(Report("score", {"overall": overall}, "s"))
    assert lines[4].split() == ["a", "75.00", "70.00", "50.00"]


def test_other_tasks_show_all_their_columns() -> None:
    overall = pl.DataFrame({"system": ["a"], "metric": ["LAS"], "aligned": [7], "kappa": [0.12345]})
    lines = lines_of(Report("score", {"overall": overall}, "s"))
    assert lines[3].split() == ["a", "LAS", "7", "0.1235"]
