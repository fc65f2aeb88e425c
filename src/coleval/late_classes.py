"""``dataclass`` as the standard library has it, but for the time it takes: methods are made late.

The standard library writes the text of five methods of every class and compiles it: 0.3 ms a class,
and a short run imports two hundred of them, of most of which it makes no instance. Here a class has
its slots at once, and each method is compiled when somebody calls it or looks at it. ``field``,
``fields``, ``replace`` and ``asdict`` are the standard library's. Only what is used here is there:
no order, no ``InitVar``, no ``ClassVar``; a class stands on classes of this kind or on plain ones.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError
from functools import cache
from types import CodeType, FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OWN = "__own_fields__"


# What stands for something that is made anew for each instance.
_NEW = type("New", (), {"__repr__": lambda _: "<factory>"})()


def late_dataclass(
    cls: type | None = None,
    /,
    *,
    frozen: bool = False,
    slots: bool = False,
    eq: bool = True,
    repr: bool = True,  # noqa: A002  - as in the standard library
    kw_only: bool = False,
) -> Any:
    """Return a class as a dataclass, or what makes one of a class."""

    def made(cls: type) -> type:
        own = {name: vars(cls).get(name, MISSING) for name in cls.__annotations__}
        cls = _slotted(cls, own) if slots else _bare(cls, own)
        setattr(cls, _OWN, {name: (value, kw_only) for name, value in own.items()})
        _add_methods(cls, frozen=frozen, eq=eq, shown=repr)
        if frozen:
            _freeze(cls, slots=slots)
        return cls

    return made if cls is None else made(cls)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414  - all modules have it from here
else:
    dataclass = late_dataclass


class _Late:
    """An attribute of a class that is made, and put in this place, when somebody looks at it."""

    __slots__ = ("cls", "make", "name")

    def __init__(self, cls: type, name: str, make: Callable[[type], Any]) -> None:
        self.cls, self.name, self.make = cls, name, make

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        made = self.make(self.cls)
        setattr(self.cls, self.name, made)
        return made.__get__(instance, owner) if hasattr(made, "__get__") else made


def _bare(cls: type, own: dict[str, Any]) -> type:
    """Return the class with defaults in place of what describes its fields."""
    for name, value in own.items():
        if isinstance(value, Field) and value.default is MISSING:
            delattr(cls, name)
        elif isinstance(value, Field):
            setattr(cls, name, value.default)
    return cls


def _slotted(cls: type, own: dict[str, Any]) -> type:
    """Return the class with slots, for which it must be made anew."""
    inherited = {slot for kind in cls.__mro__[1:-1] for slot in vars(kind).get("__slots__", ())}
    every = {**_every(cls), **own}
    left_out = {*own, "__dict__", "__weakref__"}
    body = {name: value for name, value in vars(cls).items() if name not in left_out}
    body["__slots__"] = tuple(name for name in every if name not in inherited)
    made = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    return made


def _add_methods(cls: type, *, frozen: bool, eq: bool, shown: bool) -> None:
    there = vars(cls)
    given = {name for name in ("__init__", "__repr__", "__eq__") if name in there}
    # Where a class says itself what is equal, Python says that it has no hash.
    has_hash = "__hash__" in there and (there["__hash__"] is not None or "__eq__" not in given)
    late: dict[str, Callable[[type], Any]] = {"__init__": _init}
    late |= {"__repr__": _repr} if shown else {}
    late |= {"__eq__": _eq} if eq else {}
    late |= {"__hash__": _hash} if eq and frozen and not has_hash else {}
    late = {name: make for name, make in late.items() if name not in given}
    late |= {"__match_args__": _match_args, "__dataclass_fields__": _fields,
             "__dataclass_params__": lambda _: _params(frozen=frozen)}  # fmt: skip
    for name, make in late.items():
        setattr(cls, name, _Late(cls, name, make))
    if eq and not frozen and not has_hash:
        cls.__hash__ = None  # type: ignore[assignment]


def _freeze(cls: Any, *, slots: bool) -> None:
    """Let nobody change an instance, nor, of a class that stands on this one, what is of here."""

    def check(self: object, name: str, what: str) -> None:
        if type(self) is cls or name in _every(cls):
            raise FrozenInstanceError(f"cannot {what} field {name!r}")

    def setting(self: Any, name: str, value: object) -> None:
        check(self, name, "assign to")
        super(cls, self).__setattr__(name, value)

    def deleting(self: Any, name: str) -> None:
        check(self, name, "delete")
        super(cls, self).__delattr__(name)

    cls.__setattr__, cls.__delattr__ = setting, deleting
    if slots:
        cls.__getstate__, cls.__setstate__ = _state, _set_state


def _state(self: object) -> list[Any]:
    """Return the values of all fields, for a process to send: slots have no dictionary."""
    return [getattr(self, name) for name in _every(type(self))]


def _set_state(self: object, state: Sequence[Any]) -> None:
    for name, value in zip(_every(type(self)), state, strict=True):
        object.__setattr__(self, name, value)


def _every(cls: type) -> dict[str, tuple[Any, bool]]:
    """Return the fields of a class, those that it inherits first: what is said, if by name only."""
    found: dict[str, tuple[Any, bool]] = {}
    for kind in reversed(cls.__mro__):
        found |= vars(kind).get(_OWN, {})
    return found


def parts(cls: type) -> dict[str, Any]:
    """Return the fields by name as ``dataclasses.Field``, without what makes ``fields`` slow."""
    found = {}
    for name, (value, by_name) in _every(cls).items():
        part = value if isinstance(value, Field) else dataclasses.field(default=value)
        if part.kw_only is MISSING:
            part.kw_only = by_name
        found[name] = part
    return found


def _init(cls: type) -> Any:
    """Return ``__init__`` of a text with numbers for names, which serves many classes."""
    known: dict[str, Any] = {"_NEW": _NEW, "_set": object.__setattr__, "__name__": cls.__module__}
    names: dict[str, str] = {}
    given: tuple[list[str], list[str]] = ([], [])
    defaults: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    lines = []
    for at, (name, said) in enumerate(_every(cls).items()):
        default, factory, is_given, by_name = _told(*said)
        known |= {f"d{at}": default, f"f{at}": factory, f"k{at}": name}
        if is_given:
            names[f"a{at}"] = name
            given[by_name].append(f"a{at}")
        if is_given and default is not MISSING:
            defaults[by_name][name] = default
        elif is_given and defaults[by_name] and not by_name:
            raise TypeError(f"non-default argument {name!r} follows default argument")
        if is_given or default is not MISSING:
            lines.append(_stored(cls, at, _value(at, default, is_given=is_given), known, names))
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    head = ["self", *given[False], *(["*", *given[True]] if given[True] else [])]
    code = _template(f"def __init__({', '.join(head)}):\n " + "\n ".join(lines or ["pass"]))
    made = FunctionType(_renamed(code, names), known, "__init__", tuple(defaults[False].values()))
    made.__kwdefaults__ = defaults[True]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    kinds = _kinds(cls)
    made.__annotations__ = {names[a]: kinds[names[a]] for a in (*given[False], *given[True])}
    made.__annotations__["return"] = None
    return made


def _told(value: Any, by_name: bool) -> tuple[Any, Any, bool, bool]:
    """Return of a field its default, what makes it, whether it is given, and if by name only."""
    if not isinstance(value, Field):
        return value, MISSING, True, by_name
    named = by_name if value.kw_only is MISSING else bool(value.kw_only)
    made = value.default_factory is not MISSING
    return _NEW if made else value.default, value.default_factory, value.init, named


def _value(at: int, default: Any, *, is_given: bool) -> str:
    """Return the text of what is stored."""
    if default is _NEW:
        return f"f{at}() if a{at} is _NEW else a{at}" if is_given else f"f{at}()"
    return f"a{at}" if is_given else f"d{at}"


def _stored(cls: type, at: int, value: str, known: dict[str, Any], names: dict[str, str]) -> str:
    """Return the line that stores a field of an instance, which may be frozen."""
    name = known[f"k{at}"]
    if cls.__setattr__ is object.__setattr__:  # type: ignore[comparison-overlap]
        names[f"n{at}"] = name
        return f"self.n{at} = {value}"
    slot = getattr(cls, name, None)
    if not isinstance(slot, MemberDescriptorType):
        return f"_set(self, k{at}, {value})"
    known[f"s{at}"] = slot.__set__
    return f"s{at}(self, {value})"


@cache
def _template(text: str) -> CodeType:
    """Return the code of a function, which takes as long as all else that a class needs."""
    (code,) = (c for c in compile(text, __file__, "exec").co_consts if isinstance(c, CodeType))
    return code


def _renamed(code: CodeType, names: dict[str, str]) -> CodeType:
    local, used = ([names.get(n, n) for n in part] for part in (code.co_varnames, code.co_names))
    return code.replace(co_varnames=tuple(local), co_names=tuple(used))


def _kinds(cls: type) -> dict[str, Any]:
    """Return the types of fields, as they are written."""
    every = [kind.__annotations__ for kind in reversed(cls.__mro__) if _OWN in vars(kind)]
    return {name: kind for one in every for name, kind in one.items()}


def _repr(cls: type) -> Any:
    from reprlib import recursive_repr

    shown = ", ".join(f"{name}={{self.{name}!r}}" for name, p in parts(cls).items() if p.repr)
    line = f'return f"{{self.__class__.__qualname__}}({shown})"'
    return recursive_repr()(_compiled(cls, "__repr__", ["self"], [line], {}))


def _eq(cls: type) -> Any:
    lines = [
        "if other.__class__ is self.__class__:",
        f" return {_compared(cls, 'self')} == {_compared(cls, 'other')}",
        "return NotImplemented",
    ]
    return _compiled(cls, "__eq__", ["self", "other"], lines, {})


def _hash(cls: type) -> Any:
    return _compiled(cls, "__hash__", ["self"], [f"return hash({_compared(cls, 'self')})"], {})


def _compared(cls: type, of: str) -> str:
    """Return the text of a tuple of the fields that make an instance what it is."""
    return f"({''.join(f'{of}.{name}, ' for name, part in parts(cls).items() if part.compare)})"


def _compiled(
    cls: type, name: str, parameters: Sequence[str], lines: Sequence[str], known: dict[str, Any]
) -> Any:
    """Return a method of a class from its text."""
    text = "\n ".join([f"def {name}({', '.join(parameters)}):", *lines])
    known["__name__"] = cls.__module__
    exec(text, known)  # noqa: S102  - the names of fields, as the standard library does it
    known[name].__qualname__ = f"{cls.__qualname__}.{name}"
    return known[name]


def _match_args(cls: type) -> tuple[str, ...]:
    return tuple(name for name, part in parts(cls).items() if part.init and not part.kw_only)


def _fields(cls: type) -> dict[str, Any]:
    """Return the fields as the standard library looks for them, of a class that it made of them."""
    found: dict[str, Any] = {}
    for kind in reversed(cls.__mro__[1:]):
        found |= getattr(kind, "__dataclass_fields__", {})
    own = {name: parts(cls)[name] for name in vars(cls)[_OWN]}
    # Without a docstring it would get one, which takes longer than all else.
    about = {"__annotations__": cls.__annotations__, "__module__": cls.__module__, "__doc__": "-"}
    plain = type(cls.__name__, (), {**own, **about})
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False)(plain)
    return found | made.__dataclass_fields__


def _params(*, frozen: bool) -> Any:
    """Return what a class of the standard library that stands on this one looks for."""
    made: Any = dataclasses.dataclass(frozen=frozen)(type("Plain", (), {}))
    return made.__dataclass_params__
