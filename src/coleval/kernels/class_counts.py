"""How many mentions each system has of each class, by both criteria: in C, or step by step."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.kernels.coref_classes import WL, by_any, by_nominal, coref_key, ordered
from coleval.kernels.mention_units import numbered
from coleval.native.library import library

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coleval.corpus.items import Items

    Counts = NDArray[np.int64]


def class_counts(items: Items, key: str = "") -> dict[str, dict[str, Counts]]:
    """Return the counts of each system by criterion, against gold (no name) or a system."""
    return _in_one_pass(items, key) or _by_classes(items, key)


def _by_classes(items: Items, key: str) -> dict[str, dict[str, Counts]]:
    chains = numbered(items)
    own = coref_key(chains[key], items.context["nominal"].to_numpy())
    found = {}
    for name in items.systems:
        said = ordered(chains[name])
        classes = {"any": by_any(own, said), "nominal": by_nominal(own, said)}
        found[name] = {by: np.bincount(codes, minlength=WL + 1) for by, codes in classes.items()}
    return found


def _in_one_pass(items: Items, key: str) -> dict[str, dict[str, Counts]] | None:
    """Return the same by a loop in C; None where there is none, or documents do not rise."""
    loops = library()
    if loops is None:
        return None
    document = _plain(items.context["document"].to_physical().to_numpy(), np.uint32)
    nominal = _plain(items.context["nominal"].to_numpy(), np.bool_)
    layers = {"": items.gold, **items.answers}
    own = _plain(layers[key], np.uint32)
    found: dict[str, dict[str, Counts]] = {}
    for name in items.systems:
        said = _plain(layers[name], np.uint32)
        counts = np.zeros((2, WL + 1), np.int64)
        arrays = [_pointer(array) for array in (document, nominal, own, said)]
        most = max(own.max(initial=0), said.max(initial=0))
        sizes = ctypes.c_int64(len(own)), ctypes.c_int64(int(most))
        if not loops.coleval_classes(*arrays, *sizes, _pointer(counts[0]), _pointer(counts[1])):
            return None
        found[name] = {"any": counts[0], "nominal": counts[1]}
    return found


def _plain(array: NDArray[Any], kind: type[np.generic]) -> NDArray[Any]:
    return np.ascontiguousarray(array, kind)


def _pointer(array: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
