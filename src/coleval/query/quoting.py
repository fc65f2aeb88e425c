"""Names and values as SQL has them: the one place where anything is put in quotes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = re.compile(r'"([^"{]*)\{(\w+)\}"')
_VALUE = re.compile(r"(<>|=)?\s*\{(\w+)\}")


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


def filled(condition: str, row: Mapping[str, object], columns: Mapping[str, str]) -> str:
    """Return a declared condition with the values of a row for its braces.

    Within double quotes they name a system, whose column stands for it; null is compared by ``is``.
    """

    def value(match: re.Match[str]) -> str:
        sign, known = match[1], row[match[2]]
        if known is None and sign:
            return "is null" if sign == "=" else "is not null"
        return f"{sign} {literal(known)}" if sign else f" {literal(known)}"

    parts, end = [], 0
    for match in _NAME.finditer(condition):
        system = str(row[match[2]])
        parts += [_VALUE.sub(value, condition[end : match.start()])]
        parts += [quoted(f"{match[1]}{columns.get(system, system)}")]
        end = match.end()
    return "".join([*parts, _VALUE.sub(value, condition[end:])])
