"""The floor: ``floor.c`` compiled and called through ctypes. Without a C compiler there is none."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WHY_NOT = "there is no C compiler (cc or gcc)"
Codes = NDArray[np.uint8]
Counts = NDArray[np.int64]


@cache
def library() -> ctypes.CDLL | None:
    """Return the compiled functions, None without a compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    source = Path(__file__).with_name("floor.c")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "floor.so")
        command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", str(source), "-o"]
        subprocess.run([*command, str(target)], check=True)
        return ctypes.CDLL(str(target))


def bins(gold: Codes, answers: Codes) -> tuple[Counts, Counts]:
    """Return the items of each bin, and how many of them each system solves (systems × bins)."""
    systems, n = answers.shape
    items, solved = np.zeros(systems + 1, np.int64), np.zeros((systems, systems + 1), np.int64)
    _call("bins", gold, answers, n, systems, items, solved)
    return items, solved


def pairs(gold: Codes, answers: Codes) -> tuple[Counts, Counts]:
    """Return for all pairs how often both are right, and how often they differ."""
    systems, n = answers.shape
    both, different = np.zeros((2, systems, systems), np.int64)
    _call("pairs", gold, answers, n, systems, both, different)
    return both, different


def read_labels(path: Path, tokens: int) -> tuple[Codes, list[str]]:
    """Return the label codes of a file of two columns, and the labels."""
    found = library()
    if found is None:
        raise RuntimeError(WHY_NOT)
    text = np.fromfile(path, np.uint8)
    codes, names = np.zeros(tokens + 1, np.uint8), np.zeros(256 * 32, np.uint8)
    sentences, chain, known = (ctypes.c_int64(0) for _ in range(3))
    found.read_labels.restype = ctypes.c_int64
    n = found.read_labels(
        ctypes.c_void_p(text.ctypes.data), ctypes.c_int64(len(text)),
        ctypes.c_void_p(codes.ctypes.data), ctypes.byref(sentences), ctypes.byref(chain),
        ctypes.c_void_p(names.ctypes.data), ctypes.byref(known),
    )  # fmt: skip
    if n != tokens:
        raise ValueError(f"{path}: {n} tokens, and gold has {tokens}")
    rows = names.reshape(256, 32)[: known.value]
    return codes[:n], [bytes(row).rstrip(b"\0").decode() for row in rows]


def _call(name: str, gold: Codes, answers: Codes, n: int, systems: int, *out: Counts) -> None:
    found = library()
    if found is None:
        raise RuntimeError(WHY_NOT)
    if gold.dtype != np.uint8 or answers.dtype != np.uint8 or not answers.flags.c_contiguous:
        raise ValueError("the floor counts one byte a code, systems by items")
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (gold, answers)]
    results = [ctypes.c_void_p(array.ctypes.data) for array in out]
    getattr(found, name)(*pointers, ctypes.c_int64(n), ctypes.c_int64(systems), *results)
