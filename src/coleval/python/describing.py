"""The help of methods: every option with its type, its default, and what it does.

The texts are those of the command line, in the words of Python; only what the command line does
not have, or does otherwise, is said here.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, get_type_hints

from coleval.python import keywords
from coleval.python.calling import shared
from coleval.python.wording import in_python, keyword

Method = Callable[..., Any]

_COMMON = {
    "average": "the labels a macro average is over: union (default), gold, all",
    "systems": "only these systems: names or globs, with commas or as a list",
    "progress": "is called with the name of each step before it begins",
}
# What Python alone has, or does otherwise than the command line, by method.
PYTHON: Mapping[str, Mapping[str, str]] = {
    "": {
        **_COMMON,
        "pairs": 'several pairs: [("a", "b"), ("a", "c")]',
        "forms": "spans are right only if their token strings are those of gold too",
        "drop": "leave out tokens that begin with this",
        "memory": 'at most so much memory, "2GB": what does not fit is kept on disk',
        "columns": '{"form": 1, "gold": 2, "system": -1}: numbers or header names; other names '
        "become context columns",
    },
    "changes": {
        "gate": 'limits, "max_new_errors=20,max_drop=0.5pp": table ``gate`` says what holds',
        "pair": '("a", "b"): from a to b (default: all pairs)',
    },
    "buckets": {
        "datasets": "more corpora by name, in the same tables",
        "name": "the name of this corpus among ``datasets``",
        "train": "tagged text that systems were trained on: a path or a frame",
        "attributes": "names, columns, default (those of the paper, or of trees), all; or "
        'expressions over the items: ["sLen", "late=position > 20"]',
        "buckets": 'how values are cut: {"sLen": "quantile 6", "eDen": "interval 0,0.2,1 apart 0"}',
    },
    "measure": {
        "sample": "how many pairs of items RSA draws (default 100,000)",
        "correlate": '("x", "y"), or several as a list: systems or numeric columns',
    },
    "pivot": {
        "find": "where this system is worst; of two, where the second is worse than the first",
    },
}


def describe(methods: Mapping[str, Method]) -> None:
    """Complete docstrings and signatures of methods, each by the command that it is like."""
    for command, method in methods.items():
        inner = inspect.unwrap(method)
        signature = _signature(inner)
        method.__doc__ = f"{_beginning(inner)}\n\n{_options(command, inner)}"
        method.__signature__ = signature  # type: ignore[attr-defined]


def texts(command: str) -> Iterator[tuple[str, str, str]]:
    """Yield group, name in Python and meaning of every option of a command."""
    from coleval.cli.arguments import COMMANDS, parser_of

    if command not in COMMANDS:
        return
    for group in parser_of(COMMANDS[command])._action_groups:  # noqa: SLF001
        for action in group._group_actions:  # noqa: SLF001
            names = [flag for flag in action.option_strings if flag.startswith("--")]
            for flag in (n for n in names if not n.startswith("--no-")):
                yield group.title or "", keyword(flag), _meaning(action.help or "")


def _meaning(text: str) -> str:
    plain = text.replace("%%", "%").replace("; may be repeated", "")
    return in_python(plain.replace(" (default: %(default)s)", ""))


def _beginning(method: Method) -> str:
    return inspect.cleandoc(method.__doc__ or "").partition("\n\nOptions of ")[0]


def _options(command: str, method: Method) -> str:
    """Return a paragraph a group of options, those of the method first."""
    own = {**PYTHON[""], **PYTHON.get(command, {})}
    known = _every_text() | {name: (group, text) for group, name, text in texts(command)}
    known = {name: part for name, part in known.items() if part[1]}
    groups: dict[str, list[str]] = {}
    group = command
    for name in named(method):
        # What the command line does not have goes with the option before it.
        group, meaning = known.get(name, (group, ""))
        groups.setdefault(group, []).append(_entry(name, own.get(name, meaning)))
    return "\n\n".join("\n".join((f"Options of {g}:", *lines)) for g, lines in groups.items())


@cache
def _every_text() -> dict[str, tuple[str, str]]:
    """Return group and meaning of every option by its name, as its first command has them."""
    from coleval.cli.arguments import COMMANDS

    every = [part for command in COMMANDS for part in texts(command)]
    return {name: (group, text) for group, name, text in reversed(every)}


def named(method: Method) -> list[str]:
    """Return the names of a method's options, its own before those it shares."""
    own = inspect.signature(inspect.unwrap(method)).parameters.values()
    mine = [p.name for p in own if p.kind is inspect.Parameter.KEYWORD_ONLY]
    return list(dict.fromkeys((*mine, *shared(inspect.unwrap(method)))))


def _entry(name: str, meaning: str) -> str:
    return textwrap.fill(f"{name}: {meaning}", 96, initial_indent="  ", subsequent_indent="      ")


class _Shown(str):
    """A type as a signature shows it, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _signature(method: Method) -> inspect.Signature:
    """Return the signature with all shared options in sight."""
    plain = inspect.signature(method)
    known = _types(method)
    own = [
        p.replace(annotation=_typed(known.get(p.name, p.annotation)))
        for p in plain.parameters.values()
        if p.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    usual = _defaults()
    kind = inspect.Parameter.KEYWORD_ONLY
    more = [
        inspect.Parameter(n, kind, default=usual.get(n), annotation=_typed(known[n]))
        for n in shared(method)
    ]
    return plain.replace(parameters=[*own, *more], return_annotation=_typed(known["return"]))


def _types(method: Method) -> dict[str, Any]:
    """Return the types of all options as they are, aliases resolved."""
    import polars as pl

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

    names = {**vars(keywords), "Corpus": Corpus, "Report": Report, "pl": pl,
             "Callable": Callable, "Limit": object}  # fmt: skip
    own: dict[str, Any] = get_type_hints(method, localns=names)
    kinds = (keywords.LoadOptions, keywords.ScoringOptions, keywords.Resampling)
    return {name: hint for kind in kinds for name, hint in get_type_hints(kind).items()} | own


def _typed(kind: Any) -> _Shown:
    optional = re.fullmatch(r"typing\.Optional\[(.*)\]", repr(kind))
    if optional:
        return _typed(_Shown(f"{optional[1]} | None"))
    text = kind.__name__ if isinstance(kind, type) and not hasattr(kind, "__args__") else repr(kind)
    for long in (
        "typing.",
        "collections.abc.",
        "coleval.corpus.corpus.",
        "coleval.corpus.report.",
        "polars.",
    ):
        text = text.replace(long, "")
    return _Shown(text.replace("NoneType", "None"))


def _defaults() -> dict[str, Any]:
    from coleval.analyses.compare.plan import Plan
    from coleval.corpus.options import Reading, Scoring

    return {
        field.name: field.default
        for half in (Plan, Reading, Scoring)
        for field in fields(half)
        if field.default is not MISSING
    }
