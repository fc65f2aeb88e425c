"""Runs harnesses: case after case, each in an empty folder and under a time limit."""

from __future__ import annotations

import faulthandler
import shutil
import signal
import sys
import tempfile
import time
import traceback
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from fuzz.model import Finding, Harness, HungError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


def finding_of(
    harness: Harness, seed: int, number: int, keep: Path | None = None
) -> Finding | None:
    """Run one case; return what it found, or None. Its files stay below ``keep`` if it failed."""
    with tempfile.TemporaryDirectory(prefix="fuzz.") as made:
        folder = Path(made)
        try:
            with _limited(harness.seconds):
                harness.case(Random(f"{harness.name}/{seed}/{number}"), folder)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if keep is not None:
                shutil.copytree(
                    folder, keep / f"{harness.name}-{seed}-{number}", dirs_exist_ok=True
                )
            said = f"{type(error).__name__}: {error}"
            return Finding(harness.name, seed, number, said, traceback.format_exc())
    return None


def findings_for(
    harness: Harness, seed: int, seconds: float, keep: Path | None = None
) -> Iterator[Finding | int]:
    """Run cases for some seconds; yield what they found, at the end how many were run."""
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        found = finding_of(harness, seed, number, keep)
        number += 1
        if found is not None:
            yield found
    yield number


def findings_of(harness: Harness, seed: int, cases: int) -> list[Finding]:
    """Run a number of cases and return what they found."""
    every = (finding_of(harness, seed, number) for number in range(cases))
    return [found for found in every if found is not None]


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise ``HungError`` in what takes longer; native code that never returns ends the process."""

    def hung(_: int, __: FrameType | None) -> None:
        raise HungError(f"more than {seconds:g} seconds")

    before = signal.signal(signal.SIGALRM, hung)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    faulthandler.dump_traceback_later(10 * seconds, exit=True, file=sys.__stderr__)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def shortened(found: Finding, limit: int = 400) -> Finding:
    """Return a finding whose error fits on a few lines."""
    text = found.error
    return found if len(text) <= limit else replace(found, error=f"{text[:limit]} …")
