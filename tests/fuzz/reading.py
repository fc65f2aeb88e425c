"""Sound files of every format are read; files changed at random end in an error with a place."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import coleval
from coleval.errors import ColevalError
from fuzz.model import Harness
from fuzz.mutations import mutated
from fuzz.samples import SAMPLES, Sample

if TYPE_CHECKING:
    from random import Random

    from coleval.corpus.corpus import Corpus


def written(sample: Sample, files: dict[str, bytes], folder: Path) -> tuple[str, dict[str, str]]:
    """Write files; return gold's path and those of the systems."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    systems = {Path(name).stem: str(folder / name) for name in sample.systems}
    return str(folder / sample.gold), systems


def loaded(sample: Sample, files: dict[str, bytes], folder: Path, **options: object) -> Corpus:
    """Return the corpus of a sample whose files may be others."""
    gold, systems = written(sample, files, folder)
    return coleval.load(gold, systems or None, **{**sample.options, **options})


def check_place(error: ColevalError, folder: Path) -> None:
    """Raise if an error names no file and no option."""
    said = error.on_command_line()
    assert str(folder) in said or "--" in said, f"an error without a place: {said}"
    assert "Traceback" not in said
    assert error.remedy, f"an error without a remedy: {said}"


def _case(name: str, random: Random, folder: Path) -> None:
    sample = SAMPLES[name](random)
    files = dict(sample.files)
    for _ in range(2 if random.random() < 0.05 else 1):
        changed = random.choice(list(files))
        files[changed] = mutated(random, files[changed])
    options = {} if random.random() < 0.7 or name == "merged" else {"format": name}
    if name == "entities":
        options = {}
    try:
        corpus = loaded(sample, files, folder, **options)
        report = corpus.score()
        report.to_json() if hasattr(report, "to_json") else str(report)
    except ColevalError as error:
        check_place(error, folder)


def _sound(random: Random, folder: Path) -> None:
    name = random.choice(list(SAMPLES))
    sample = SAMPLES[name](random)
    corpus = loaded(sample, dict(sample.files), folder)
    assert corpus.score().tables, name


HARNESSES = (
    Harness("sound-files", "sound files of every format are read", _sound, in_ci=10),
    *(
        Harness(f"read-{name}", f"changed files of format {name}: read, or an error with a place",
                partial(_case, name), in_ci=4)
        for name in SAMPLES
    ),
)  # fmt: skip
_ = os
