"""Things that are worked out the first time somebody looks at them, and kept with their owner."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")


@dataclass(frozen=True)
class Later(Mapping[str, T]):
    """Things by name, each made the first time it is looked at."""

    makers: Mapping[str, Callable[[], T]]
    _made: dict[str, T] = field(default_factory=dict)

    def __getitem__(self, name: str) -> T:
        """Return what a name stands for."""
        if name not in self._made:
            self._made[name] = self.makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        """Return the names in their order; nothing is made for that."""
        return iter(self.makers)

    def __len__(self) -> int:
        """Return how many names there are."""
        return len(self.makers)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a name; nothing is made for that."""
        return name in self.makers


@dataclass(frozen=True, slots=True)
class Known:
    """What was worked out about its owner, by a name; it goes when the owner goes.

    What is kept must not hold the owner, or neither goes before the cycle is found.
    """

    _made: dict[Hashable, Any] = field(default_factory=dict)

    def get(self, name: Hashable, make: Callable[[], T]) -> T:
        """Return what stands under a name, made now if nothing does."""
        if name not in self._made:
            self._made[name] = make()
        found: T = self._made[name]
        return found
