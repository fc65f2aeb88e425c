"""Names and labels that act on something: SQL, pages, terminals, patterns, sheets, paths.

Each case runs one command twice, with plain and with hostile names: the tables must be the same
but for the names. Then every form is written: none may show a name so that it acts.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import shlex
from html.parser import HTMLParser
from random import Random
from typing import TYPE_CHECKING, Any
from unittest import mock

import coleval
from coleval.cli import commands
from coleval.cli import sources as cli_sources
from coleval.cli import sql as query_commands
from coleval.cli.main import main
from coleval.corpus.report import Report
from coleval.errors import ColevalError
from fuzz.model import Harness

if TYPE_CHECKING:
    from pathlib import Path

NAMES = (
    "'; drop table item; --", '"; select 1; --', 'a"b', "a'b", "it''s", "$name", "?", "%s", "{0}", "{}",
    "^.*$", "^other$", "^(a|b)$", "*", "a*", "?a", "[ab]", ".*", "\\d+", "$", "^", "(", "a(b",
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</table>", "&lt;b&gt;", "<!--", "]]>",
    "javascript:alert(1)", "\" onmouseover=\"x", "</script>", "</style>",
    "\\input{x}", "\\write18{id}", "$x_1^2$", "%comment", "~", "#1", "_a_", "{a", "a}", "\\",
    "| a | b |", "**bold**", "[x](http://evil.example)", "`code`", "![](x)", "# head", "---",
    "\x1b[31mred", "\x1b]0;title\x07", "\x9b31m", "a\rb", "a\nb", "a\tb", "\x08\x08", "\x7f",
    "\u202eabc", "\u2066x\u2069", "\u200bx", "\u2028x", "e\u0301", "é", "日本語", "👩‍👩‍👧", "ﷺ",
    "=1+1", "+cmd|' /C calc'!A0", "-1", "@sum(1)", "\t=1", "../../etc/passwd", "a/b", "C:\\x", ".", "..",
    "select", "from", "null", "NULL", "true", "count", "len", "n", "sum", "index", "literal", "column_0",
    "other", "value", "kind", "answer", "k", "row", "bin", "labels", "items", "correct", "delta", "a", "b", "p",
    "low", "high", "rank", "share", "element", "element_at", "struct", "list", "col", "all", "nan", "inf",
    "0", "1", "01", "1e5", "None", "N", "x" * 200, "long " * 2000, " a", "a ", "  ", "_", "__", "-", "--", "O",
)  # fmt: skip
LABELS = tuple(name for name in NAMES if not re.search(r"[\s\x00-\x1f]", name) and len(name) < 500)
SYSTEMS = 3
COMMANDS = (
    "score", "score --unit token", "score --intervals --replicates 20", "confusion", "agree", "measure",
    "compare --replicates 20", "bins --items", "bins --words-top 2", "buckets", "buckets --attributes label",
    "errors", "errors --items", "changes", "changes --items", "changes --pair {a} {b}", "changes --baseline {a}",
    "oracle", "oracle --by gold", "pivot --rows gold --cols difficulty", "pivot --find {a} --least 1",
    "show --limit 5", "report --replicates 20", "items", "items --patterns", "audit --least 1",
    "score --systems {a} --systems {b}", "score --by {column}", "show --where '{column} is not null'",
    "pivot --rows {column} --cols gold", "bins --by {column}", "compare --metric accuracy --unit token --replicates 20",
    "show --columns {column}", "measure --correlate {a} {b}", "score --labels {label}", "score --exclude {label}",
    "errors --pair {a} {b}", "buckets --pair {a} {b}", "bins --pair {a} {b}", "audit --least 1 --against {a}",
    "changes --pair {a} {b} --by {column}", "agree --by {column}", "confusion --by {column}", "oracle --by {column}",
)  # fmt: skip
FORMS = ("json", "csv", "tsv", "markdown", "latex", "html", "table")


def _case(random: Random, folder: Path) -> None:
    """Run a command over files of tokens with plain and with hostile names."""
    names = random.sample(NAMES, SYSTEMS)
    labels = random.sample(LABELS, 3)
    column = random.choice(NAMES)
    line = random.choice(COMMANDS)
    # A store takes a second, most of it for views of DuckDB.
    stored = random.random() < 0.1
    tags, seed = _tags(random), random.random()
    plain = _run(
        folder / "plain",
        line,
        [f"s{k}" for k in range(SYSTEMS)],
        ["A", "B", "C"],
        "col",
        tags,
        stored,
    )
    hostile = _run(folder / "hostile", line, names, labels, column, tags, stored)
    if isinstance(hostile, str) or isinstance(plain, str):
        refused = (
            "cannot be called", "holds as many labels", "is not a tag", "is not a part=column", "has the name of", "is empty",
            "cannot be drawn", "no system matches", "no label is called", "no column", "several columns",
            "the header", "labels are", "cannot be filtered", "is no column", "looks like", "comma", "is chosen", "is needed", "expected at least", "unrecognized arguments", "takes a number", "expected 2 arguments", "unrecognized arguments", "expected one argument",
        )  # fmt: skip
        one = hostile if isinstance(hostile, str) else plain
        assert isinstance(plain, str) or any(said in str(one) for said in refused), (
            line,
            names,
            labels,
            column,
            one,
        )
        return
    _same(plain, hostile, names, labels, column, random=Random(seed))
    for form in random.sample(FORMS, 3):
        _check_form(hostile, form, [*names, *labels])


def _tags(random: Random) -> list[list[list[int]]]:
    """Return numbers of labels: of gold and systems, by sentence; -1 is outside."""
    gold = [
        [random.choice((-1, -1, 0, 1, 2)) for _ in range(random.randint(1, 5))] for _ in range(6)
    ]
    gold[0][0] = 0
    return [
        gold,
        *([[t if random.random() < 0.6 else random.choice((-1, 0, 1, 2)) for t in row] for row in gold]
          for _ in range(SYSTEMS)),
    ]  # fmt: skip


def _run(
    folder: Path,
    line: str,
    names: list[str],
    labels: list[str],
    column: str,
    tags: Any,
    stored: bool,
) -> Report | str:
    """Return the report of a command, or what it says is wrong."""
    folder.mkdir()
    paths = []
    for at, side in enumerate(tags):
        text = ""
        for k, row in enumerate(side):
            spelled = ["O" if t < 0 else f"B-{labels[t]}" for t in row]
            record = {
                "id": str(k),
                "tokens": [f"w{k}{j}" for j in range(len(row))],
                "tags": spelled,
            }
            if at == 0:
                record[column] = "even" if k % 2 else "odd"
            text += json.dumps(record) + "\n"
        path = folder / f"{at}.jsonl"
        path.write_text(text)
        paths.append(str(path))
    quoted = '"' + column.replace('"', '""') + '"'
    given = {"a": names[0], "b": names[1], "label": labels[0], "column": quoted}
    argv = [part.format(**given) if "{" in part else part for part in shlex.split(line)]
    try:
        corpus = coleval.load(
            paths[0], dict(zip(names, paths[1:], strict=True)), columns="gold=tags,system=tags"
        )
        if stored:
            return _report([argv[0], str(corpus.save(folder / "store")), *argv[1:], "--quiet"])
    except ColevalError as error:
        return str(error)
    read = mock.patch.object(cli_sources, "read_corpus", return_value=corpus)
    with read:
        return _report([argv[0], paths[0], *argv[1:], "--quiet"])


def _captured(argv: list[str]) -> tuple[int, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(argv)
        except SystemExit as left:
            code = int(left.code or 0)
    return code, out.getvalue() + err.getvalue()


def _report(argv: list[str]) -> Report | str:
    """Return the report that a command would show, or the error."""
    with (
        mock.patch.object(commands, "emit") as one,
        mock.patch.object(query_commands, "emit") as other,
    ):
        code, said = _captured(argv)
    calls = one.call_args_list + other.call_args_list
    if code and not calls:
        return said
    report = calls[0].args[0]
    assert isinstance(report, Report)
    return report


def _same(
    plain: Report, hostile: Report, names: list[str], labels: list[str], column: str, random: Random
) -> None:
    """Raise if tables differ otherwise than by names."""
    back: dict[Any, Any] = dict(zip(names, (f"s{k}" for k in range(SYSTEMS)), strict=True))
    back |= {
        name: plain_name for name, plain_name in zip(labels, "ABC", strict=True) if name not in back
    }
    if len(set(names) | set(labels) | {column}) < len(names) + len(labels) + 1:
        return
    assert list(plain.tables) == list(hostile.tables)
    _ = random
    for table, frame in plain.tables.items():
        other = hostile.tables[table]
        assert frame.height == other.height, (table, frame, other)
        numbers = [n for n, kind in frame.schema.items() if kind.is_numeric() and n not in names]
        for name in numbers:
            ours, theirs = frame[name], other[name] if name in other.columns else None
            if theirs is None or name in ("k", "rank", "place", "group", "n"):
                continue
            a, b = (sorted(map(_rounded, one.to_list()), key=str) for one in (ours, theirs))
            if _of_ties(table, name):
                continue
            assert a == b, (table, name, a[:9], b[:9])


def _of_ties(table: str, name: str) -> bool:
    """Tell what depends on the order of names where there are ties, or is drawn by it."""
    return (
        table in ("ladder", "order", "pairs", "ranks", "example", "examples", "subset")
        or "rank" in name
        or name
        in (
            "low",
            "high",
            "p",
            "p_adjusted",
            "delta",
            "gain",
            "correct",
            "start",
            "end",
            "sentence",
            "place",
            "best",
            "worst",
        )
    )


def _rounded(value: Any) -> Any:
    return round(value, 9) if isinstance(value, float) else value


class _Page(HTMLParser):
    """Collects what a page would run or fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def _check_form(report: Report, form: str, names: list[str]) -> None:
    from coleval.render import text as written

    for table in (
        [None, *report.tables]
        if form in ("html", "latex", "markdown")
        else [next(iter(report.tables))]
    ):
        text = written(report, form, table=table)
        text.encode("utf-8")
        _CHECKS.get(form, _quiet)(text, names)


def _quiet(text: str, _: list[str]) -> None:
    """Raise if a text acts on a terminal."""
    text = re.sub(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\", "", text)
    found = re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert not found, repr(text[max(0, found.start() - 30) : found.end() + 30])


def _html(text: str, names: list[str]) -> None:
    page = _Page()
    page.feed(text)
    for tag, attributes in page.tags:
        assert tag not in ("img", "iframe", "object", "embed", "base", "form"), tag
        for key, value in attributes.items():
            assert not key.startswith("on"), (tag, attributes)
            outside = key in ("href", "src", "action") and not (value or "").startswith(
                ("#", "data:")
            )
            assert not outside, (tag, attributes)
    # Rows and cells need no end tags.
    for tag in ("table", "script", "style", "details", "svg"):
        assert len(re.findall(rf"<{tag}[ >]", text)) == text.count(f"</{tag}>"), tag
    for name in names:
        if "<" in name[:1] and not name.startswith("</") and len(name) > 4:
            assert name not in text, name


def _json(text: str, _: list[str]) -> None:
    json.loads(text)


def _csv(text: str, _: list[str]) -> None:
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len({len(row) for row in rows}) == 1, rows[:3]


def _tsv(text: str, _: list[str]) -> None:
    rows = [line.split("\t") for line in text.rstrip("\n").split("\n")]
    assert len({len(row) for row in rows}) == 1, rows[:3]


def _latex(text: str, names: list[str]) -> None:
    for name in names:
        if name.startswith("\\") and len(name) > 3:
            assert name not in text, name
    assert "\\write18" not in text
    text = re.sub(r"(?m)^%.*$", "", text)
    bare = re.sub(r"\\[{}\\]", "", text)
    lines = [line for line in bare.split("\n") if line.count("{") != line.count("}")]
    assert bare.count("{") == bare.count("}"), lines[:3]


_CHECKS = {"html": _html, "json": _json, "csv": _csv, "tsv": _tsv, "latex": _latex}
HARNESSES = (
    Harness(
        "hostile-names",
        "hostile names and labels through every command and form",
        _case,
        in_ci=2,
        seconds=30,
    ),
)
