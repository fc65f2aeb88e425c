"""What other packages add: formats, attributes, metrics, forms of output and analyses.

A package names them as entry points (docs/plugins.md). They are looked up once, when a registry is
asked for more than its own entries. What cannot be used is left out with a warning: no command
fails because of a package that it does not need.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.metadata import EntryPoint

T = TypeVar("T")
_PREFIX = "coleval."
_LOCK = RLock()
# What was wrong with plugins, for the command line, which prints warnings in its own way.
COMPLAINTS: list[str] = []


class Registry(Mapping[str, T], Generic[T]):
    """Entries by their names: our ``own``, then those of the entry points ``coleval.KIND``.

    A plugin has to be an ``expected`` object of a name that is not ours; ``prepare`` makes of it,
    and of the module that it is in, what is kept.
    """

    def __init__(
        self,
        kind: str,
        own: Mapping[str, T],
        expected: Any,
        prepare: Callable[[T, str], T] = lambda value, _: value,
    ) -> None:
        """Keep our entries; nothing is looked up yet."""
        self.kind, self.own, self._expected, self._prepare = kind, dict(own), expected, prepare
        self._added: dict[str, T] | None = None

    @property
    def added(self) -> Mapping[str, T]:
        """Return the entries of other packages by their names."""
        with _LOCK:
            if self._added is None:
                # Before any of them is imported, for they may look into this registry.
                self._added = {}
                for entry in entry_points(self.kind):
                    try:
                        self._added[entry.name] = self._prepare(self._loaded(entry), entry.module)
                    except Exception as error:  # noqa: BLE001  - whatever a package does wrong
                        _complain(entry, error)
            return self._added

    def _loaded(self, entry: EntryPoint) -> T:
        if entry.name in self.own or entry.name in (self._added or ()):
            raise ValueError(f"there is one of the {self.kind} called `{entry.name}` already")
        value = entry.load()
        if not isinstance(value, self._expected):
            raise TypeError(f"{entry.value} is not of type {self._expected.__name__}")
        if getattr(value, "name", entry.name) != entry.name:
            raise ValueError(f"{entry.value} has another name")
        return value

    def __getitem__(self, name: str) -> T:
        """Return an entry; other packages are asked only for what is not ours."""
        return self.own[name] if name in self.own else self.added[name]

    def __iter__(self) -> Iterator[str]:
        """Return all names, ours first."""
        return iter((*self.own, *self.added))

    def __len__(self) -> int:
        """Return the number of all entries."""
        return len(self.own) + len(self.added)


@cache
def entry_points(kind: str = "") -> tuple[EntryPoint, ...]:
    """Return what other packages name of a kind, or of all kinds, sorted by name and package."""
    if kind:
        return tuple(entry for entry in entry_points() if entry.group == _PREFIX + kind)
    from importlib.metadata import distributions

    # The metadata of a package are read only if it names something of ours.
    some = (e for one in distributions() for e in one.entry_points if e.group.startswith(_PREFIX))
    # A package that is there twice on the path is the first one.
    found = {(e.group, e.name, e.value, e.dist and e.dist.name): e for e in reversed(list(some))}
    return tuple(sorted(found.values(), key=lambda e: (e.group, e.name, package_of(e))))


def package_of(entry: EntryPoint) -> str:
    """Return the package that names an entry point, with its version."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown package"


def complain(text: str) -> None:
    """Warn of a plugin, once."""
    from coleval.errors import warn_python

    if text not in COMPLAINTS:
        COMPLAINTS.append(text)
        warn_python([text], 4)


def _complain(entry: EntryPoint, error: Exception) -> None:
    kind = entry.group.removeprefix(_PREFIX)
    reason: Any = str(error).partition("\n")[0] or type(error).__name__
    complain(
        f"`{entry.name}`, which {package_of(entry)} adds to the {kind}, is left out ({reason}): "
        "update the package or uninstall it"
    )
