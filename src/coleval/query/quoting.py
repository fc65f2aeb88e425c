"""Names and values as SQL has them: the one place where anything is put in quotes."""

from __future__ import annotations


def quoted(name: str) -> str:
    """Return a name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: object) -> str:
    """Return a value as SQL has it: null, true or false, a number, or text in quotes."""
    if value is None:
        return "null"
    if isinstance(value, bool | int | float):
        return str(value).lower()
    return "'" + str(value).replace("'", "''") + "'"
