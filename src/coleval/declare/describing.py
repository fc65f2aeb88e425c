"""Methods out of declarations: their signature, their help, and the errors of wrong keywords."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_type_hints

from coleval.declare.options import Option, options_of
from coleval.errors import UsageError, warn_python

if TYPE_CHECKING:
    from coleval.declare.analysis import Analysis

F = TypeVar("F", bound=Callable[..., Any])
_KEYWORD, _PLACED = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD


def method_of(analysis: Analysis[..., Any]) -> Callable[..., Any]:
    """Return the method of ``Corpus`` that an analysis declares."""
    from coleval.declare.wording import in_python

    def method(corpus: Any, /, *placed: Any, **options: Any) -> Any:
        made = _in_python(analysis.run(corpus, _named(analysis, placed, options)))
        # Those of the corpus were said when it was loaded.
        earlier = {*corpus.warnings, *map(in_python, corpus.warnings)}
        warn_python(w for w in getattr(made, "warnings", ()) if w not in earlier)
        return made

    method.__name__ = analysis.called
    method.__qualname__ = f"Corpus.{analysis.called}"
    method.__doc__ = f"{analysis.does}\n\n{help_of(analysis.name, analysis.declared)}"
    method.__signature__ = _signature(analysis)  # type: ignore[attr-defined]
    return method


def _in_python(made: Any) -> Any:
    """Return what an analysis made; the warnings of a report name keywords, not options."""
    from coleval.declare.wording import in_python

    warnings = getattr(made, "warnings", ())
    return replace(made, warnings=tuple(map(in_python, warnings))) if warnings else made


def _named(
    analysis: Analysis[..., Any], placed: tuple[Any, ...], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return all options by name, those given by their place and by former names too."""
    former = {old: each.name for each in analysis.declared.values() for old in each.about.former}
    given = {former.get(name, name): value for name, value in options.items()}
    known = analysis.declared
    for name in given:
        if name not in known:
            raise refused(f"corpus.{analysis.called}", name, known)
    if placed:
        given[analysis.placed] = _placed(analysis, placed, given)
    where = f"corpus.{analysis.called}"
    for name, each in known.items():
        if each.about.required and name not in given:
            raise UsageError(f"`{name}` is missing", where=where, remedy=f"{where}({name}=…)")
    return given


def _placed(analysis: Analysis[..., Any], placed: tuple[Any, ...], given: Mapping[str, Any]) -> Any:
    """Return the value of the option that is given by its place, by its name too if it may be."""
    name, where = analysis.placed, f"corpus.{analysis.called}"
    if not name or (len(placed) > 1 and not analysis.several):
        remedy = f"there is: {', '.join(sorted(analysis.declared))}"
        raise UsageError("takes options by name alone", where=where, remedy=remedy)
    if not analysis.several:
        if name in given:
            raise UsageError(f"`{name}` is given twice", where=where, remedy="give it once")
        return placed[0]
    reads: Any = analysis.declared[name].about.reads
    return reads(*placed, given.get(name, ()))


def help_of(title: str, options: Mapping[str, Option]) -> str:
    """Return a paragraph a group of options, those that are not shared first."""
    groups: dict[str, list[str]] = {}
    group = title
    for each in options.values():
        group = each.about.group or group
        groups.setdefault(group, []).append(_entry(each))
    return "\n\n".join("\n".join((f"Options of {g}:", *lines)) for g, lines in groups.items())


def _entry(each: Option) -> str:
    text = f"{each.name}: {meaning(each)}"
    return textwrap.fill(text, 96, initial_indent="  ", subsequent_indent="      ")


def meaning(each: Option) -> str:
    """Return what an option does, in the words of Python."""
    from coleval.declare.wording import in_python

    about = each.about
    return about.in_python or in_python(about.help.replace("; may be repeated", ""))


class _Shown(str):
    """A type as a signature shows it, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _signature(analysis: Analysis[..., Any]) -> inspect.Signature:
    hints = get_type_hints(analysis.options, localns=_names())
    corpus = inspect.Parameter("corpus", _PLACED, annotation=_Shown("Corpus"))
    placed = [
        _parameter(each, hints, _PLACED)
        for each in analysis.declared.values()
        if each.name == analysis.placed
    ]
    named = [
        _parameter(each, hints, _KEYWORD)
        for each in analysis.declared.values()
        if each.name != analysis.placed
    ]
    return inspect.Signature(
        [corpus, *placed, *named], return_annotation=_Shown(analysis.gives.name)
    )


def _parameter(each: Option, hints: Mapping[str, Any], kind: Any) -> inspect.Parameter:
    shown = typed(hints[each.name])
    default = inspect.Parameter.empty if each.about.required else each.default
    return inspect.Parameter(each.name, kind, default=default, annotation=shown)


def _names() -> dict[str, Any]:
    from coleval.corpus.corpus import Corpus

    return {"Corpus": Corpus}


def typed(kind: Any) -> str:
    """Return a type as people write it."""
    optional = re.fullmatch(r"typing\.Optional\[(.*)\]", repr(kind))
    if optional:
        return typed(_Shown(f"{optional[1]} | None"))
    text = kind.__name__ if isinstance(kind, type) and not hasattr(kind, "__args__") else repr(kind)
    for long in ("typing.", "collections.abc.", "coleval.corpus.corpus.", "polars."):
        text = text.replace(long, "")
    return _Shown(text.replace("NoneType", "None"))


def refused(where: str, name: str, names: Iterable[str]) -> UsageError:
    """Return the error for a keyword: what it may have been, or where it belongs."""
    from coleval.corpus.options import Loading, Reading

    if name in {**options_of(Loading), **options_of(Reading)} and name not in names:
        remedy = f"give it to coleval.load: load(gold, systems, {name}=…)"
        return UsageError(f"`{name}` sets how files are read", where=where, remedy=remedy)
    there = set(names)
    remedy = _near(name, there) or _elsewhere(name) or f"there is: {', '.join(sorted(there))}"
    return UsageError(f"unknown option '{name}'", where=where, remedy=remedy)


def _near(name: str, names: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, sorted(names), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(repr(n) for n in near)}?" if near else ""


def _elsewhere(name: str) -> str:
    from coleval.analyses.registry import ANALYSES

    having = [f"corpus.{one.called}" for one in ANALYSES.values() if name in one.declared]
    return f"it is an option of {', '.join(having)}" if having else ""


def checked(method: F) -> F:
    """Return a function with typed keywords that raises for one it does not have."""

    @wraps(method)
    def call(*given: Any, **options: Any) -> Any:
        names = accepted(method)
        for name in options:
            if name not in names:
                raise refused(_called(method), name, names - {"self"})
        return method(*given, **options)

    return cast("F", call)


def _called(method: Callable[..., Any]) -> str:
    return f"{'coleval' if method.__name__ == 'load' else 'corpus'}.{method.__name__}"


def accepted(method: Callable[..., Any]) -> frozenset[str]:
    """Return the names of all keywords of a function: its own, and those of its ``TypedDict``."""
    own = (p.name for p in inspect.signature(method).parameters.values()
           if p.kind in (_KEYWORD, _PLACED))  # fmt: skip
    return frozenset((*own, *_shared(method)))


def _shared(method: Callable[..., Any]) -> dict[str, Any]:
    from coleval.declare import keywords

    kind = method.__annotations__.get("options", "").removeprefix("Unpack[").removesuffix("]")
    return get_type_hints(getattr(keywords, kind)) if kind else {}


def describe(method: Callable[..., Any], options: Mapping[str, Option]) -> None:
    """Complete the docstring and the signature of a function with typed keywords."""
    inner = inspect.unwrap(method)
    plain, usual = inspect.signature(inner), {name: o.default for name, o in options.items()}
    own = [_typed_as_said(p) for p in plain.parameters.values()
           if p.kind is not inspect.Parameter.VAR_KEYWORD]  # fmt: skip
    shared = [
        inspect.Parameter(name, _KEYWORD, default=usual.get(name), annotation=typed(kind))
        for name, kind in _shared(inner).items()
    ]
    begins = inspect.cleandoc(inner.__doc__ or "").partition("\n\nOptions of ")[0]
    method.__doc__ = f"{begins}\n\n{help_of(inner.__name__, options)}"
    method.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [*own, *shared], return_annotation=_Shown(plain.return_annotation)
    )


def _typed_as_said(parameter: inspect.Parameter) -> inspect.Parameter:
    if parameter.annotation is inspect.Parameter.empty:
        return parameter
    return parameter.replace(annotation=_Shown(parameter.annotation))


def every_option(*kinds: type) -> Iterator[tuple[str, Option]]:
    """Yield the options of several classes by name."""
    for kind in kinds:
        yield from options_of(kind).items()
