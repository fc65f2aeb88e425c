"""``late_classes.dataclass`` is the standard library's, whatever is asked of a class of it."""

import copy
import dataclasses
import inspect
import pickle
from abc import abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import FrozenInstanceError, asdict, field, fields, is_dataclass, replace
from functools import cached_property
from itertools import product
from typing import Generic, TypeVar

import pytest

from coleval.late_classes import late_dataclass

T = TypeVar("T")
MAKERS = {"late": late_dataclass, "standard": dataclasses.dataclass}
HOWS = [
    dict(zip(("frozen", "slots", "eq", "repr", "kw_only"), flags, strict=True))
    for flags in product((False, True), repeat=5)
]


def point(make, **how):
    """Return a class of two fields that must be given and others with all that can be said."""

    @make(**how)
    class Point:
        """A place."""

        x: int
        y: "float"
        name: str = "here"
        seen: list[int] = field(default_factory=list)
        hidden: int = field(default=3, repr=False, compare=False)
        total: float = field(init=False, default=0.5)
        kept: dict[str, int] = field(default_factory=dict, init=False, repr=False)
        last: str = field(default="z", kw_only=True)

        def far(self):
            return self.x + self.y

    return Point


def told(what):
    """Return what something gives, or the kind of its error and what that says."""
    try:
        return what()
    except (TypeError, AttributeError, ValueError) as error:
        return type(error), str(error).replace("late.", "").replace("standard.", "")


def both(what, how):
    """Return what is told of the two kinds of class."""
    return [told(lambda make=make: what(point(make, **how))) for make in MAKERS.values()]


ASKED = {
    "signature": lambda p: str(inspect.signature(p)),
    "repr": lambda p: repr(p(x=1, y=2.5)) if p.__repr__ is not object.__repr__ else "",
    "given": lambda p: asdict(p(x=1, y=2.5, name="a", seen=[1], hidden=0, last="b")),
    "by place": lambda p: asdict(p(1, 2.5, "a", [1], 0)),
    "too many": lambda p: p(1, 2.5, "a", [1], 0, 1),
    "too few": lambda p: p(x=1),
    "unknown": lambda p: p(x=1, y=2, z=3),
    "not given": lambda p: p(x=1, y=2, total=3),
    "equal": lambda p: (p(x=1, y=2) == p(x=1, y=2), p(x=1, y=2) == p(x=1, y=2, hidden=9),
                        p(x=1, y=2) == p(x=2, y=2), p(x=1, y=2) == (1, 2)),
    "hashable": lambda p: isinstance(p(x=1, y=2), Hashable),
    "unhashable": lambda p: hash(p(x=1, y=2)) and p.__hash__ is not object.__hash__,
    "fields": lambda p: [
        (f.name, f.type, f.init, f.repr, f.compare, f.kw_only, f.hash) for f in fields(p)
    ],
    "is one": lambda p: (is_dataclass(p), is_dataclass(p(x=1, y=2))),
    "replaced": lambda p: asdict(replace(p(x=1, y=2), x=5)),
    "not replaced": lambda p: replace(p(x=1, y=2), total=5),
    "patterns": lambda p: p.__match_args__,
    "slots": lambda p: getattr(p, "__slots__", None),
    "dictionary": lambda p: hasattr(p(x=1, y=2), "__dict__"),
    "default": lambda p: None if hasattr(p, "__slots__") else (p.name, p.hidden, p.total),
    "no default": lambda p: None if hasattr(p, "__slots__") else p.seen,
    "not shared": lambda p: p(x=1, y=2).seen is p(x=1, y=2).seen,
    "own method": lambda p: p(x=1, y=2).far(),
    "documented": lambda p: (p.__doc__, p.__qualname__, p.__module__),
    "copied": lambda p: asdict(copy.deepcopy(p(x=1, y=2, seen=[4]))),
    "annotated": lambda p: p.__init__.__annotations__,
}  # fmt: skip


@pytest.mark.parametrize("asked", ASKED)
def test_a_class_answers_as_one_of_the_standard_library(asked):
    for how in HOWS:
        late, standard = both(ASKED[asked], how)
        assert late == standard, how


@pytest.mark.parametrize("slots", [False, True])
@pytest.mark.parametrize("change", ["set", "set unknown", "delete", "delete unknown"])
def test_nobody_changes_what_is_frozen(slots, change):
    def changed(kind):
        one = kind(1, 2)
        name = "unheard" if "unknown" in change else "x"
        if change.startswith("set"):
            setattr(one, name, 5)
        else:
            delattr(one, name)
        return one

    late, standard = both(changed, {"frozen": True, "slots": slots})
    assert late[0] is FrozenInstanceError
    # Of what has slots the standard library of Python 3.11 says something about ``super``.
    assert late == standard or (slots and "unknown" in change)


@pytest.mark.parametrize(("base", "kind"), list(product(HOWS[::5], HOWS[::3])))
def test_a_class_has_the_fields_that_it_inherits(base, kind):
    if base["frozen"] != kind["frozen"]:
        return

    def made(make):
        @make(**base)
        class Base:
            a: int
            b: int = 2

            def __post_init__(self):
                object.__setattr__(self, "a", self.a * 10)

        @make(**kind)
        class Kind(Base):
            b: int = 4
            c: list[int] = field(default_factory=list)

        one = Kind(a=1, c=[3])
        return [
            asdict(one), repr(one).rpartition(">")[2], one == Kind(a=1, c=[3]),
            str(inspect.signature(Kind)), [f.name for f in fields(Kind)], Kind.__match_args__,
            getattr(Kind, "__slots__", None), str(inspect.signature(Base)),
        ]  # fmt: skip

    found = [told(lambda make=make: made(make)) for make in MAKERS.values()]
    if not kind["repr"] and not base["repr"]:
        found = [found[0][:1] + found[0][2:], found[1][:1] + found[1][2:]]
    assert found[0] == found[1]


def test_a_class_of_the_standard_library_may_stand_on_one():
    @dataclasses.dataclass(frozen=True)
    class Deeper(point(late_dataclass, frozen=True)):
        z: int = 7

    assert asdict(Deeper(1, 2, last="q"))["z"] == 7
    assert [f.name for f in fields(Deeper)][-2:] == ["last", "z"]


def test_what_a_class_says_itself_stays():
    @late_dataclass(frozen=True, slots=True)
    class Own:
        a: int

        def __eq__(self, other):
            return True

        def __hash__(self):
            return 5

        def __repr__(self):
            return "own"

    assert (repr(Own(1)), hash(Own(1)), Own(1) == 3) == ("own", 5, True)


@late_dataclass(frozen=True, slots=True)
class Sent:
    """What processes send to each other; of a module, as only such classes can be sent."""

    a: int
    b: list[int] = field(default_factory=list)


def test_an_instance_can_be_sent_before_anything_was_asked_of_its_class():
    text = pickle.dumps(Sent(1, [2]))
    assert pickle.loads(text) == Sent(1, [2])  # noqa: S301  - our own


def test_a_class_is_a_mapping_a_generic_and_holds_what_is_derived_once():
    @late_dataclass(frozen=True)
    class Named(Mapping[str, T], Generic[T]):
        things: dict[str, T]

        def __getitem__(self, name):
            return self.things[name]

        def __iter__(self):
            return iter(self.things)

        def __len__(self):
            return len(self.things)

        @cached_property
        def first(self):
            return next(iter(self))

    one = Named[int]({"a": 1})
    assert (dict(one), one.first, one.__dict__["first"]) == ({"a": 1}, "a", "a")


def test_what_is_abstract_stays_so():
    @late_dataclass(slots=True)
    class Idea(Mapping):
        a: int

        @abstractmethod
        def thought(self):
            """Return nothing yet."""

    with pytest.raises(TypeError, match="abstract"):
        Idea(1)


def test_an_instance_that_holds_itself_can_be_printed():
    @late_dataclass
    class Chain:
        next: object = None

    one = Chain()
    one.next = one
    assert "next=..." in repr(one)
