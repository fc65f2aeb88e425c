"""Options declared once: a field of a frozen dataclass, with what every reader needs of it.

A field is the Python keyword with its type and default; its metadata give the option of the
command line, its help, the check with its error, and the part of the signature.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

from coleval.errors import UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")
_KEY = "option"


@dataclass(eq=False, repr=False)
class Alias:
    """One more way to give an option on the command line: ``--attribute NAME=SQL``."""

    flag: str
    metavar: str
    help: str


@dataclass(eq=False, repr=False)
class About:
    """What there is to say of an option beside its name, its type and its default.

    In errors: ``values`` are the only ones there are, ``kind`` is what they are called, ``least``
    is the smallest number, ``check`` raises for others; ``reads`` settles what is given.
    In Python: ``in_python`` is said instead of ``help``, ``former`` names keep working.
    On the command line: ``words`` is how many follow, ``repeated`` ones may be given again,
    ``both`` have a ``--no-`` form, the parser itself refuses other values where it may
    ``choose``; options that are not ``shell`` exist in Python alone.
    In Python options that are ``required`` have no default. The signature names an option that is
    not as by default: one that is ``signed`` always, one that is not never.
    ``needs`` are names in ``corpus.effects`` of what an option needs to have an effect; one that
    goes ``only_with`` others has none without any of them.
    """

    help: str
    group: str = ""
    flag: str = ""
    metavar: str = ""
    in_python: str = ""
    values: tuple[str, ...] = ()
    kind: str = ""
    least: int | None = None
    number: type[int | float] | None = None
    words: int | str | None = None
    repeated: bool = False
    both: bool = False
    choose: bool = False
    shell: bool = True
    former: tuple[str, ...] = ()
    signed: bool | None = None
    required: bool = False
    needs: tuple[str, ...] = ()
    only_with: tuple[str, ...] = ()
    reads: Callable[[Any], Any] | None = None
    check: Callable[[Any], None] | None = None
    aliases: tuple[Alias, ...] = ()


@dataclass(eq=False, repr=False)
class Option:
    """A declared option: the name of its field, its default, and what there is to say of it."""

    name: str
    default: Any
    about: About

    @property
    def flag(self) -> str:
        """Return the option of the command line."""
        return self.about.flag or f"--{self.name.replace('_', '-')}"

    def by_default(self, kind: Any) -> Option:
        """Return the option with the default of the field of its name in ``kind``."""
        default = next(part.default for part in fields(kind) if part.name == self.name)
        return replace(self, default=default)

    def check(self, value: Any) -> None:
        """Raise for a value that the option does not take."""
        about = self.about
        if about.check is not None and value is not None:
            about.check(value)
        if about.kind and value not in (None, self.default, *about.values):
            raise unknown(about.kind, str(value), about.values, where=self.flag)
        if about.least is not None and value is not None and value < about.least:
            remedy = f"use {about.least} or more"
            raise UsageError(f"{value} is too small", where=self.flag, remedy=remedy)


def option(
    *,
    default: Any = None,
    factory: Callable[[], Any] | None = None,
    kw_only: bool = True,
    help: str,  # noqa: A002  - what argparse calls it
    **more: Any,
) -> Any:
    """Return the field of an option; ``more`` are the fields of ``About``."""
    metadata = {_KEY: About(help, **more)}
    if more.get("required"):
        return field(kw_only=kw_only, metadata=metadata)
    if factory is not None:
        return field(default_factory=factory, kw_only=kw_only, metadata=metadata)
    return field(default=default, kw_only=kw_only, metadata=metadata)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(option,))
def declared(cls: type[T]) -> type[T]:
    """Return a class of options, a frozen dataclass; they are neither compared nor printed."""
    return dataclass(frozen=True, kw_only=True, eq=False, repr=False)(cls)


@cache
def options_of(cls: Any) -> Mapping[str, Option]:
    """Return the options that a class declares, by name: those it shares first."""
    return {
        part.name: Option(part.name, _default(part), part.metadata[_KEY])
        for part in fields(cls)
        if _KEY in part.metadata
    }


def _default(part: Any) -> Any:
    """Return the default of a field; what is made anew or must be given has none to show."""
    return None if part.default is MISSING else part.default


def check(options: Any) -> None:
    """Raise for the first option with a value that it does not take."""
    kind: Any = type(options)
    for each in options_of(kind).values():
        each.check(getattr(options, each.name))


def values(options: Any, cls: type) -> dict[str, Any]:
    """Return the values of the options that ``cls`` declares, those left at ``None`` apart."""
    named = {name: getattr(options, name) for name in options_of(cls)}
    return {name: value for name, value in named.items() if value is not None}
