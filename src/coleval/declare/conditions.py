"""Conditions that many tables declare for what their numbers count, over columns of items.

They are SQL with columns of the table's row in braces: a name within double quotes is that of a
column of a system, elsewhere it is a value.
"""

from __future__ import annotations

HIT = "\"outcome_{system}\" = 'correct'"
INVENTED = "\"outcome_{system}\" in ('spurious', 'mislabelled')"
LOST = "\"outcome_{system}\" in ('missed', 'mislabelled')"
IN_GOLD = "gold is not null"
OF_LABEL = "gold = {label}"
OF_BIN = "difficulty = {bin}"
# No answer where gold has none is right as well, wherever two systems are compared.
_RIGHT = "\"outcome_{%s}\" in ('correct', 'absent')"
_WRONG = "\"outcome_{%s}\" not in ('correct', 'absent', 'not_run')"
BEFORE, AFTER = _RIGHT % "before", _RIGHT % "after"
NOT_BEFORE, NOT_AFTER = _WRONG % "before", _WRONG % "after"
DIFFERENT = '"{before}" is distinct from "{after}"'
PAIR = {
    "different": DIFFERENT,
    "corrections": f"{NOT_BEFORE} and {AFTER}",
    "new_errors": f"{BEFORE} and {NOT_AFTER}",
    "changed_errors": f"{NOT_BEFORE} and {NOT_AFTER} and {DIFFERENT}",
}
VERSUS = {
    "both_right": f"{IN_GOLD} and {BEFORE} and {AFTER}",
    **PAIR,
    "same_error": f'{NOT_BEFORE} and {NOT_AFTER} and "{{before}}" is not distinct from "{{after}}"',
}
MOVE = '"{before}" = {label_before} and "{after}" = {label_after}'
MOVES = {
    "correction": f"{MOVE} and {PAIR['corrections']}",
    "new error": f"{MOVE} and {PAIR['new_errors']}",
    "changed error": f"gold = {{gold}} and {MOVE} and {PAIR['changed_errors']}",
}
