"""The README's table of commands is what the commands declare.

``COLEVAL_UPDATE_GOLDEN=1`` writes it anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from coleval.analyses.commands import TABLES
from coleval.analyses.registry import ANALYSES
from coleval.cli.overview import COMMANDS

README = Path(__file__).parents[1] / "README.md"
TABLE = re.compile(r"^\| command \| .*?\n(?=\n)", re.MULTILINE | re.DOTALL)


def declared() -> str:
    """Return the table: what each command answers, and the tables it may print."""
    tables = {name: one.tables for name, one in ANALYSES.items()} | dict(TABLES)
    rows = ["| command | what it answers | tables |", "|---|---|---|"]
    for name, command in COMMANDS.items():
        names = dict.fromkeys(f"`{table.name}`" for table in tables.get(name, ()))
        rows.append(f"| `{name}` | {command.about} | {' '.join(names)} |")
    return "\n".join(rows) + "\n"


def test_the_table_of_commands_is_what_they_declare():
    text = README.read_text(encoding="utf-8")
    if os.environ.get("COLEVAL_UPDATE_GOLDEN"):
        text = TABLE.sub(lambda _: declared(), text, count=1)
        README.write_text(text, encoding="utf-8")
    found = TABLE.search(text)
    assert found
    assert found[0] == declared()
