"""Every table of every command is something to read on every form, and LaTeX can print it.

Its figures are drawn, well-formed, with the numbers of the table in tooltips.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from html import escape
from pathlib import Path
from xml.etree import ElementTree as ET

import duckdb
import polars as pl
import pytest

import coleval
import every_report
from coleval.analyses.commands import TABLES
from coleval.analyses.registry import ANALYSES
from coleval.cli.overview import COMMANDS
from coleval.corpus.report import Report
from coleval.declare.meanings import meaning_of
from coleval.render import text
from coleval.render.charts import chart
from coleval.render.figures import _fitting, plots, with_figures
from coleval.render.latex import unknown_letters
from coleval.render.visible import visible
from test_figures import SVG, parsed, tooltips, words

COLUMNS = Path(__file__).parents[1] / "src" / "coleval" / "declare" / "table_columns.tsv"
# Their columns are those of the data, or of a query.
NAMED_BY_DATA = {("sql", "result"), ("show", "words")}
READ = ("table", "markdown", "latex", "html")
# What a table has no place for: it is read in another.
SHOWN_ELSEWHERE = {
    ("buckets", "differences"), ("oracle", "systems"), ("pivot", "totals"), ("pivot", "tried"),
    ("show", "words"),
}  # fmt: skip

Tables = list[tuple[Report, str]]


@pytest.fixture(scope="module")
def reports(tmp_path_factory) -> dict[str, Report]:
    return every_report.reports(tmp_path_factory.mktemp("every"))


@pytest.fixture(scope="module")
def tables(reports) -> Tables:
    return [(report, name) for report in reports.values() for name in report.tables]


@pytest.fixture(scope="module")
def drawings(reports) -> dict[str, Report]:
    """Return all reports, and some with figures that these have no rows for."""
    sets = coleval.load(
        pl.DataFrame({"gold": ["a|b", "b"], "one": ["a", "b"], "two": ["b", "b"]}),
        task="label", separator="|",
    )  # fmt: skip
    one = coleval.load(pl.DataFrame({"gold": ["a", "b"], "one": ["a", "a"]}), task="label")
    more = {"sets": sets.score(), "one": one.score(), "folds": _folds(), "recall": _recall()}
    return reports | more


def _folds() -> Report:
    folds = {"system": ["one", "two"], "n": [5, 5], "mean": [0.5, 0.4], "sd": [0.1, 0.1],
             "min": [0.4, 0.3], "max": [0.6, 0.5], "note": [None, None]}  # fmt: skip
    return Report("compare", {"folds": pl.DataFrame(folds)}, "")


def _recall() -> Report:
    rows = [("one", "a", 0.5, 2), ("two", "a", 1.0, 2), ("one", "b", 0.0, 9), ("two", "b", None, 9)]
    columns = ["system", "label", "recall", "support"]
    return Report("score", {"labels": pl.DataFrame(rows, columns, orient="row")}, "")


def body(report: Report, name: str, form: str) -> str:
    """Return what a form shows of a table, without what it shows of any."""
    nothing = Report(report.command, {}, report.signature)
    frame = set(text(nothing, form).splitlines())
    shown = text(report, form, table=name).splitlines()
    return "\n".join(line for line in shown if line not in frame)


def test_every_command_and_every_table_with_a_look_of_its_own_is_here(tables):
    commands = {report.command for report, _ in tables}
    assert commands >= set(COMMANDS) - {"demo", "completion", "init", "board", "adapt", "schema"}
    here = {(part.command, own) for r, n in tables for part, own in [r.part(n)]}
    declared = {name: one.tables for name, one in ANALYSES.items()} | dict(TABLES)
    every = {(name, table.name) for name, tables in declared.items() for table in tables}
    assert every - here == set()


def test_every_column_is_listed_and_explained(tables):
    """``COLEVAL_UPDATE_GOLDEN=1`` lists the columns anew; what they mean is written by hand."""
    found: dict[str, dict[str, None]] = {}
    for report, name in tables:
        part, own = report.part(name)
        if (part.command, own) not in NAMED_BY_DATA:
            columns = [c for c in report.tables[name].columns if c not in every_report.DATA]
            found.setdefault(f"{part.command}.{own}", {}).update(dict.fromkeys(columns))
    lines = [f"{table}\t{' '.join(columns)}\n" for table, columns in sorted(found.items())]
    if os.environ.get("COLEVAL_UPDATE_GOLDEN"):
        COLUMNS.write_text("".join(lines), encoding="utf-8")
    assert COLUMNS.read_text(encoding="utf-8") == "".join(lines)
    keys = [(*table.split("."), column) for table, columns in found.items() for column in columns]
    assert [key for key in keys if not meaning_of(*key)] == []


def test_every_meaning_is_that_of_a_column(tables):
    lines = (COLUMNS.parent / "meanings.tsv").read_text(encoding="utf-8").splitlines()
    names = [line.partition("\t")[0] for line in lines]
    assert names == sorted(set(names))
    used = set()
    for report, name in tables:
        part, own = report.part(name)
        for column in report.tables[name].columns:
            keys = (f"{part.command}.{own}.{column}", f"{part.command}.{column}", column)
            used.add(next((key for key in keys if key in names), ""))
    assert sorted(set(names) - used) == []


@pytest.mark.parametrize("form", READ)
def test_every_table_prints_something_when_it_is_named(tables, form):
    empty = [
        (report.command, name)
        for report, name in tables
        if len(re.sub(r"<[^>]*>|[\W_]", "", body(report, name, form))) < 6
    ]
    assert empty == []


@pytest.mark.parametrize("form", READ)
def test_every_row_of_a_table_that_is_read_elsewhere_is_listed(tables, form):
    seen = set()
    for report, name in tables:
        if (report.command, name) not in SHOWN_ELSEWHERE or not report.tables[name].height:
            continue
        seen.add((report.command, name))
        shown = body(report, name, form)
        least = min(report.tables[name].height, 60)
        rows = {"html": "<tr>", "latex": r"\tabularnewline"}.get(form, "\n")
        assert shown.count(rows) >= least, (report.command, name)
    assert seen == SHOWN_ELSEWHERE


def test_every_table_is_in_the_database_of_its_report_with_its_rows_and_a_comment(tables, tmp_path):
    file = tmp_path / "report.duckdb"
    every = {report.command: report for report, _ in tables if report.command in ANALYSES}
    for report in every.values():
        report.save(file)
        with duckdb.connect(file, read_only=True) as database:
            for name, frame in report.tables.items():
                schema, _, own = name.rpartition(".")
                written = database.table(f'"{schema or "main"}"."{own}"')
                assert written.columns == frame.columns
                assert written.fetchall() == frame.rows(), (report.command, name)
            silent = database.execute(
                "select table_name from duckdb_tables() where coalesce(comment, '') = '' union all "
                "select column_name from duckdb_columns() where comment is null and not internal"
            ).fetchall()
            named = {
                *every_report.DATA,
                *report.tables.get("result", report.table()).columns,
                *(report.tables["words"].columns if report.command == "show" else ()),
            }
            assert {name for (name,) in silent} <= named, report.command


def test_paper_names_no_option_and_leaves_no_row_to_another_form(tables):
    for report, name in tables:
        for form in ("markdown", "latex"):
            shown = text(report, form, table=name).replace("-{}-", "--")
            assert not re.search(r"--(as|table) |… and [\d,]+ more", shown), (name, form)


def test_rows_of_markdown_have_as_many_cells_as_heads(tables):
    for report, name in tables:
        for block in text(report, "markdown", table=name).split("\n\n"):
            rows = [line for line in block.splitlines() if line.startswith("| ")]
            assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1, (name, block)


def test_rows_of_latex_have_as_many_cells_as_columns(tables):
    for report, name in tables:
        tex = text(report, "latex", table=name, tint=True)
        pattern = r"\\begin\{(?:tabular|longtable)\}\{([lrp](?:[lr]|p?\{[\d.]+em\})*)\}\n(.*?)\\end"
        for columns, rows in re.findall(pattern, tex, re.DOTALL):
            size = len(re.sub(r"\{.*?\}", "", columns))
            for row in rows.splitlines():
                if row.endswith(r"\tabularnewline") and r"\multicolumn" not in row:
                    cells = 1 + len(re.findall(r"(?<!\\)&", row))
                    assert cells == size or row.startswith(r"\caption"), (name, row)
        assert tex.count(r"\begin{tabular}") == tex.count(r"\end{tabular}")


def test_braces_of_latex_are_balanced(tables):
    for report, name in tables:
        lines = text(report, "latex", table=name).splitlines()
        tex = "\n".join(line for line in lines if not line.startswith("%"))
        depth = len(re.findall(r"(?<!\\)\{", tex)) - len(re.findall(r"(?<!\\)\}", tex))
        assert depth == 0, name


def test_latex_has_no_letter_that_pdflatex_lacks_without_saying_so(tables):
    for report, name in tables:
        tex = text(report, "latex", table=name)
        lines = [line for line in tex.splitlines() if not line.startswith("%")]
        assert not unknown_letters("".join(lines)) or "XeLaTeX" in tex, name


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
@pytest.mark.parametrize("tint", [False, True])
def test_pdflatex_prints_every_table(tables, tint, tmp_path):
    parts = [text(report, "latex", table=name, tint=tint) for report, name in tables]
    needed = dict.fromkeys(re.findall(r"\\usepackage.*", "".join(parts)))
    document = "\n".join(
        (r"\documentclass{article}", *needed, r"\begin{document}",
         "\n\\clearpage\n".join(parts), r"\end{document}")
    )  # fmt: skip
    (tmp_path / "all.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "all.log").read_text(encoding="utf-8", errors="replace")
    assert [line for line in log.splitlines() if line.startswith("!")] == []
    assert done.returncode == 0


# -------------------------------------------------------------------------------- figures


def test_every_declared_figure_is_drawn_of_some_report(drawings):
    declared = {
        id(figure): (name, table.name, figure.title)
        for name, analysis in ANALYSES.items()
        for table in analysis.tables
        for figure in table.drawings
    }
    seen = {
        id(figure)
        for report in drawings.values()
        for name in report.tables
        for figure, _ in _fitting(report, name)
    }
    assert [declared[key] for key in declared if key not in seen] == []
    assert len(declared) > 30


def test_every_drawing_is_well_formed_and_has_a_text_for_those_who_do_not_see_it(drawings):
    for report in drawings.values():
        for name in with_figures(report):
            root = parsed(text(report, "svg", table=name))
            assert root.get("role") == "img"
            assert root.get("aria-label")
            assert len(list(root.iter(f"{SVG}title"))) > 0, (report.command, name)


def test_nothing_is_drawn_outside_the_picture(drawings):
    for report in drawings.values():
        for name in with_figures(report):
            for plot in plots(report, name):
                root = parsed(chart(plot))
                wide = float(root.get("width", 0))
                for box in root.iter(f"{SVG}rect"):
                    x, room = float(box.get("x", 0)), float(box.get("width", 0))
                    assert 0 <= x <= x + room <= wide, (plot.title, ET.tostring(box))
                for line in root.iter(f"{SVG}text"):
                    assert -1 <= float(line.get("x", 0)) <= wide, (plot.title, line.text)
                assert "nan" not in ET.tostring(root, encoding="unicode").lower().split()


def test_a_page_has_the_figures_of_a_file(drawings):
    report = drawings["score --intervals --replicates 50"]
    page = text(report, "html", table="overall")
    # On a page they may be narrower; what they say is the same.
    for plot in plots(report, "overall"):
        svg = chart(plot)
        assert f'aria-label="{parsed(svg).get("aria-label")}"' in page
        assert tooltips(svg)
        assert all(f"<title>{tip}</title>" in page for tip in map(escape, tooltips(svg)))
    assert "<style" not in chart(plots(report, "overall")[0])


def test_every_count_of_the_bins_is_above_its_bar_and_in_its_tooltip(drawings):
    report = drawings["bins --percent"]
    items = report["bins"]["items"].to_list()
    svg = text(report, "svg", table="bins")
    told = [re.search(r"^(\d+)\n.*\nitems: ([\d,]+)$", tip, re.MULTILINE) for tip in tooltips(svg)]
    sums = dict.fromkeys(range(len(items)), 0)
    for found in filter(None, told):
        sums[int(found[1])] += int(found[2].replace(",", ""))
    assert list(sums.values()) == items
    assert {f"{n:,}" for n in items} <= set(words(svg))


def test_bins_by_label_are_stacked(drawings):
    report = drawings["bins --by gold"]
    told = tooltips(text(report, "svg", table="by"))
    cells = report["by"].filter(pl.col("items") > 0)
    labels = cells.group_by("by").agg(pl.col("items").sum()).sort("items", descending=True)
    # Seven labels have a colour of their own, the others one together.
    largest = labels["by"][0]
    items = cells.filter(pl.col("by") == largest).sort("bin")["items"].to_list()
    found = (re.fullmatch(r"(\d+)\n(.*)\nitems: (\d+)\n.*", tip) for tip in told)
    assert [int(m[3]) for m in sorted(filter(None, found), key=lambda m: int(m[1]))
            if m[2] == largest] == items  # fmt: skip


def test_each_attribute_and_system_has_a_dot_with_its_number(drawings):
    report = next(report for line, report in drawings.items() if line.startswith("buckets --pair"))
    told = set(tooltips(text(report, "svg", table="systems")))
    for row in report["systems"].drop_nulls("std").iter_rows(named=True):
        assert any(
            tip.startswith(row["attribute"]) and tip.endswith(f": {100 * row['std']:.2f}")
            for tip in told
        )


def test_the_errors_of_two_ways_of_counting_are_next_to_each_other(drawings):
    report = next(report for line, report in drawings.items() if line.startswith("errors --pair"))
    (plot,) = [p for p in plots(report, "overall") if p.figure.kind == "stacked bars"]
    drawn_here = {(m.name, m.series): m.value for m in plot.marks}
    for row in report["overall"].iter_rows(named=True):
        if row["method"] in ("traditional", "fair"):
            name = visible(f"{row['system']}: {row['method']}")
            assert drawn_here[name, "missed"] == row["fn"]
            assert drawn_here.get((name, "label")) == row["le"]
