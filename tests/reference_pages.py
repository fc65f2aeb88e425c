"""The reference as it follows from declarations: a page for each command, one for Python."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

import coleval
from coleval.analyses.commands import TABLES
from coleval.analyses.registry import ANALYSES
from coleval.analyses.table_help import rows_of
from coleval.cli.arguments import parser_of
from coleval.cli.help import shown
from coleval.cli.overview import COMMANDS
from coleval.corpus.corpus import Corpus
from coleval.corpus.report import Report
from coleval.declare.describing import method_of

if TYPE_CHECKING:
    from argparse import Action
    from collections.abc import Callable, Iterable

    from coleval.cli.overview import Command
    from coleval.declare.analysis import Analysis

FIRST = "<!-- Made from declarations by .ci/docs; changes here are lost. -->\n"
# Groups of options that many commands have are explained on one page.
SHARED = (
    "sources", "reading", "logs", "tags", "lists of entities", "coreference: mentions", "counting",
    "coreference: chains", "dependencies", "resampling", "output", "general", "memory", "help",
)  # fmt: skip


def pages() -> dict[str, str]:
    """Return the text of each page by its name."""
    return {
        "README.md": _index(),
        "options.md": _options(),
        "python.md": _python(),
        **{f"{command.name}.md": _page(command) for command in COMMANDS.values()},
    }


def _index() -> str:
    rows = [f"| [{c.name}]({c.name}.md) | {_cell(c.about)} |" for c in COMMANDS.values()]
    return _text(
        "# Reference",
        "Made from what commands declare, as `coleval COMMAND --help` and `help TABLE` are.",
        "| command | what it does |\n|---|---|\n" + "\n".join(rows),
        "[Options of most commands](options.md): reading, tags, counting, trees, output. "
        "[Python](python.md): functions and methods.",
    )


def _page(command: Command) -> str:
    parser = parser_of(command)
    groups = [(g.title or "", _actions(g._group_actions)) for g in parser.groups]
    own = [(title, actions) for title, actions in groups if title not in SHARED and actions]
    common = [title for title, actions in groups if title in SHARED[1:-1] and actions]
    parts = [f"# coleval {command.name}", parser.description or "", f"```\n{parser.usage}\n```"]
    parts += ["```sh\n" + "\n".join(command.examples) + "\n```"]
    parts += [_group(f"Options: {title}", actions) for title, actions in own]
    if common:
        links = ", ".join(f"[{title}](options.md#{_anchor(title)})" for title in common)
        parts.append(f"Also the options of {links}.")
    return _text(*parts, *_tables(command.name))


def _options() -> str:
    found: dict[str, dict[str, Action]] = {title: {} for title in SHARED[1:-1]}
    for command in COMMANDS.values():
        for group in parser_of(command).groups:
            for action in _actions(group._group_actions) if group.title in found else ():
                found[group.title].setdefault(action.option_strings[0], action)
    intro = "Each command has those that apply to it: `coleval COMMAND --help-all`."
    tables = (_group(title, actions.values()) for title, actions in found.items())
    return _text("# Options of most commands", intro, *tables)


def _group(title: str, actions: Iterable[Action]) -> str:
    rows = [f"| `{_cell(shown(one))}` | {_cell((one.help or '').replace('%%', '%'))} |"
            for one in actions]  # fmt: skip
    return f"## {title}\n\n| option | what it does |\n|---|---|\n" + "\n".join(rows)


def _actions(actions: Iterable[Action]) -> list[Action]:
    return [action for action in actions if action.option_strings and "help" not in action.dest]


def _tables(command: str) -> Iterable[str]:
    declared = ANALYSES[command].tables if command in ANALYSES else TABLES.get(command, ())
    for name in dict.fromkeys(table.name for table in declared):
        titles = dict.fromkeys(t.title for t in declared if t.name == name and t.title)
        rows = [
            f"| `{column}` | {_cell(meaning)} |" for _, column, meaning in rows_of(command, name)
        ]
        if command == "sql":
            rows = []
        title = re.sub(r"\{(\w*)\}", lambda m: m[1] or "…", "; ".join(titles))
        head = f"## Table `{name}`\n\n{_cell(title) or name}."
        body = "\n\n| column | what it is |\n|---|---|\n" + "\n".join(rows) if rows else ""
        yield head + body


def _python() -> str:
    functions = [coleval.load, coleval.open, coleval.span_errors, coleval.fair_scores,
                 coleval.overlap]  # fmt: skip
    own, reports = _methods(Corpus), _methods(Report)
    return _text(
        "# Python",
        "Options have the names of the command line and are explained there and by `help(…)`; "
        "[python.md](../python.md) has a session.",
        "## coleval",
        *(_function(f"coleval.{_public(one)}", one) for one in functions),
        "## Corpus: analyses",
        *(_method(one) for one in ANALYSES.values()),
        "## Corpus: the rest",
        *(_function(f"corpus.{one.__name__}", one) for one in own),
        "## Report",
        *(_function(f"report.{one.__name__}", one) for one in reports),
    )


def _methods(kind: type) -> list[Callable[..., object]]:
    """Return the methods that a class defines itself, those of analyses apart."""
    names = sorted(name for name in vars(kind) if not name.startswith("_"))
    return [vars(kind)[name] for name in names if inspect.isfunction(vars(kind)[name])]


def _public(function: Callable[..., object]) -> str:
    return {"open_store": "open"}.get(function.__name__, function.__name__)


def _method(analysis: Analysis[..., object]) -> str:
    declared = analysis.declared
    own = [name for name in analysis.options.__annotations__ if name in declared]
    names = ", ".join(f"`{name}`" for name in own)
    shared = [name for name in declared if name not in own]
    also = f" Also: {', '.join(f'`{name}`' for name in shared)}." if shared else ""
    about = _paragraphs(method_of(analysis).__doc__ or "")
    page = f"[coleval {analysis.name}]({analysis.name}.md)"
    keywords = f" Keywords: {names}." if names else ""
    return f"### corpus.{analysis.called}\n\n{about}{keywords}{also} Tables and columns: {page}."


def _function(name: str, function: Callable[..., object]) -> str:
    about = _paragraphs(inspect.getdoc(function) or "")
    signature = re.sub(r"^\((?:self|corpus)(?:, )?", "(", _signature(function))
    return f"### {name}\n\n```python\n{name}{signature}\n```\n\n{about}"


def _signature(function: Callable[..., object]) -> str:
    text = str(inspect.signature(function)).replace("'", "")
    text = re.sub(r" -> .*$", "", text)
    names = [name for name, p in inspect.signature(function).parameters.items()
             if p.kind is not inspect.Parameter.VAR_KEYWORD]  # fmt: skip
    return text if len(text) < 90 else f"({', '.join(names[:3])}, …)"


def _paragraphs(text: str) -> str:
    """Return what stands before the options, which have pages of their own."""
    before = text.partition("Options of ")[0].strip().replace("``", "`")
    return re.sub(r"\s*\n(?!\n)\s*", " ", before)


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|").replace("<", "&lt;")


def _text(*parts: str) -> str:
    return FIRST + "\n" + "\n\n".join(part for part in parts if part) + "\n"
