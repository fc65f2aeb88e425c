"""Every table of every command is something to read on every form, and LaTeX can print it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import duckdb
import pytest

import every_report
from coleval.analyses.commands import TABLES
from coleval.analyses.registry import ANALYSES
from coleval.cli.overview import COMMANDS
from coleval.corpus.report import Report
from coleval.declare.meanings import meaning_of
from coleval.render import text
from coleval.render.latex import unknown_letters

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
def tables(tmp_path_factory) -> Tables:
    found = every_report.reports(tmp_path_factory.mktemp("every"))
    return [(report, name) for report in found.values() for name in report.tables]


def body(report: Report, name: str, form: str) -> str:
    """Return what a form shows of a table, without what it shows of any."""
    nothing = Report(report.command, {}, report.signature)
    frame = set(text(nothing, form).splitlines())
    shown = text(report, form, table=name).splitlines()
    return "\n".join(line for line in shown if line not in frame)


def test_every_command_and_every_table_with_a_look_of_its_own_is_here(tables):
    commands = {report.command for report, _ in tables}
    assert commands >= set(COMMANDS) - {"demo", "completion"}
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
