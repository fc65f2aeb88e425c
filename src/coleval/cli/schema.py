"""``coleval schema``: commands, options, tables and columns as JSON Schema, for programs.

It is read off the parsers and declarations that commands run by, so that it cannot say otherwise.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from coleval.analyses.commands import TABLES
from coleval.analyses.registry import ANALYSES
from coleval.analyses.table_help import rows_of
from coleval.cli.arguments import parser_of
from coleval.cli.overview import COMMANDS
from coleval.errors import unknown
from coleval.version import __version__

if TYPE_CHECKING:
    from coleval.cli.overview import Command

# Raised when a table or a column that programs read is renamed or goes; new ones change nothing.
TABLES_VERSION = 1
_ERROR = {
    "type": "object",
    "description": "what `--as json` prints on standard output in place of tables",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "kind": {"enum": ["data", "usage", "memory"]},
                "where": {"type": "string", "description": "a file, file:line or an option"},
                "problem": {"type": "string"},
                "remedy": {"type": "string", "description": "what to do"},
            },
            "required": ["kind", "where", "problem", "remedy"],
        }
    },
    "required": ["error"],
}
EXIT_CODES = {
    "0": "done",
    "1": "the data cannot be read or scored, or a limit that was set is passed",
    "2": "the call is wrong",
    "130": "interrupted",
    "143": "ended from outside",
}


def schema(name: str = "") -> dict[str, Any]:
    """Return the schema of a command, of all commands without a name."""
    if name and name not in COMMANDS:
        raise unknown("command", name, COMMANDS, where="schema")
    chosen = [COMMANDS[name]] if name else COMMANDS.values()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"coleval {__version__}",
        "version": __version__,
        "tables_version": TABLES_VERSION,
        "commands": {command.name: _of_command(command) for command in chosen},
        "error": _ERROR,
        "exit_codes": EXIT_CODES,
    }


def _of_command(command: Command) -> dict[str, Any]:
    parser = parser_of(command)
    return {
        "description": command.about,
        "usage": parser.usage,
        "sources": command.sources,
        "examples": list(command.examples),
        "options": {
            "type": "object",
            "properties": {
                action.option_strings[0]: _of_option(action) for action in parser.options
            },
            "required": [one.option_strings[0] for one in parser.options if one.required],
            "additionalProperties": False,
        },
        "tables": {
            table: {column: meaning for _, column, meaning in rows_of(command.name, table)}
            for table in _tables_of(command.name)
        },
    }


def _tables_of(command: str) -> list[str]:
    tables = ANALYSES[command].tables if command in ANALYSES else TABLES.get(command, ())
    return list(dict.fromkeys(table.name for table in tables))


def _of_option(action: argparse.Action) -> dict[str, Any]:
    """Return what follows an option: a switch is a boolean, one that may be repeated an array."""
    about = (action.help or "").replace("%%", "%")
    if action.nargs == 0:
        return {"type": "boolean", "description": about}
    kinds: dict[Any, str] = {int: "integer", float: "number"}
    value: dict[str, Any] = {"type": kinds.get(action.type, "string")}
    if action.choices:
        value["enum"] = list(action.choices)
    repeated = isinstance(action, argparse._AppendAction)  # noqa: SLF001
    if repeated or action.nargs not in (None, "?"):
        value = {"type": "array", "items": value}
    named = {"placeholder": action.metavar} if action.metavar else {}
    return {**value, "description": about, **named}
