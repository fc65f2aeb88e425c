"""Where the tests find real data and peers' cases, and a short way to write small files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import coleval

# What is printed must not depend on the terminal that the tests run in, or on that of xdist.
for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)

# A machine that has other work is no reason to fail; `.ci/nightly` takes the second profile.
for name, examples in (("suite", 30), ("nightly", 150)):
    settings.register_profile(
        name, max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile("suite")

DATA = Path(os.environ.get("COLEVAL_DATA") or Path(__file__).parents[1] / "../shared/data")
DEMANDED = os.environ.get("COLEVAL_REQUIRE_DATA") == "1"

Found = Callable[..., Path]


def seeds(few: int, many: int) -> list[object]:
    """Return the first seeds, and those up to ``many`` for the night."""
    more = (pytest.param(seed, marks=pytest.mark.nightly) for seed in range(few, many))
    return [*range(few), *more]


def sampled(values: Iterable[object], every: int) -> list[object]:
    """Return every so many-th value, or tuple of values, and the others for the night."""
    return [
        value if at % every == 0
        else pytest.param(*(value if isinstance(value, (list, tuple)) else (value,)),
                          marks=pytest.mark.nightly)
        for at, value in enumerate(values)
    ]  # fmt: skip


@pytest.fixture(scope="session")
def data() -> Found:
    """Return what gives a path below COLEVAL_DATA, or skips when the folder is not there."""
    return _below(DATA, "COLEVAL_DATA")


@pytest.fixture(scope="session")
def peer() -> Found:
    """Return what gives a path below ``peer-tests``, which lies beside COLEVAL_DATA."""
    return _below(DATA.parent / "peer-tests", "peer-tests beside COLEVAL_DATA")


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Return what writes a small file, text or bytes, and returns its path."""

    def write(name: str, text: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def corpus(write: Callable[[str, str | bytes], Path]) -> Callable[..., coleval.Corpus]:
    """Return what loads layers: a string of labels each, ``/`` between sentences."""

    def corpus(task: str = "tag", **layers: str) -> coleval.Corpus:
        paths = {}
        for name, text in layers.items():
            sentences = [sentence.split() for sentence in text.split("/")]
            lines = "\n".join("".join(f"w{k} {t}\n" for k, t in enumerate(s)) for s in sentences)
            paths[name] = write(f"{name}.conll", lines)
        return coleval.load(paths.pop("gold"), paths, task=task)

    return corpus


def _below(root: Path, name: str) -> Found:
    def found(relative: str = ".") -> Path:
        path = (root / relative).resolve()
        if not root.is_dir():
            _lacking(f"{name}: no folder {root.resolve()}")
        if not path.exists():
            _lacking(f"{name}: no file or folder {path}")
        return path

    return found


def _lacking(reason: str) -> None:
    if DEMANDED:
        pytest.fail(f"{reason} (COLEVAL_REQUIRE_DATA=1 demands it)")
    pytest.skip(reason)
