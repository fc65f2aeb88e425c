"""A log of Inspect (.eval) read into items, beside unzipping and parsing its JSON alone.

    python benchmarks/logs.py                            # 200,000 samples
    python benchmarks/logs.py --tokens 20000             # 2,000: does the harness still run?

A tenth as many samples as --tokens; each has a question, an answer and an explanation of 120 words.
The other side is ``zipfile`` and the fastest parser that is installed (orjson, msgspec, json).
"""

from __future__ import annotations

import json
import random
import zipfile
from importlib import import_module
from typing import TYPE_CHECKING, Any

import coleval
from measure import HERE, Target, in_turn, main

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

WORDS = 120


def targets(asked: argparse.Namespace) -> list[Target]:
    """Return the figures of one log."""
    samples = max(asked.tokens // 10, 10)
    path = _written((asked.data or HERE / "data") / f"log-{samples}.eval", samples)
    parser, parse = _fastest()
    sides = {
        "load": lambda: coleval.load(path).items,
        "zipfile": lambda: _with_zipfile(path, parse),
    }
    _compare(sides["load"](), sides["zipfile"]())
    seconds = in_turn(asked.rounds, sides)
    ours = min(seconds["load"])
    how = f"{samples:,} samples of {WORDS}-word texts, deflate, to items with scores and statuses"
    other = min(seconds["zipfile"])
    name = f"log of {samples:,} samples ÷ zipfile + {parser}"
    return [Target(name, ours, other, ours / other, 2.0, how=how, samples=seconds)]


def _fastest() -> tuple[str, Callable[[bytes], Any]]:
    """Return the fastest parser that is installed."""
    for name, path in [("orjson", "orjson:loads"), ("msgspec", "msgspec.json:decode")]:
        module, _, function = path.partition(":")
        try:
            return name, getattr(import_module(module), function)
        except ImportError:
            continue
    return "json", json.loads


def _with_zipfile(path: Path, parse: Callable[[bytes], Any]) -> list[tuple[str, str, float]]:
    with zipfile.ZipFile(path) as archive:
        return [
            _said(parse(archive.read(one)))
            for one in archive.infolist()
            if one.filename.startswith("samples/")
        ]


def _said(sample: dict[str, Any]) -> tuple[str, str, float]:
    score = sample["scores"]["choice"]
    return str(sample["id"]), score["answer"], float(score["value"] == "C")


def _compare(items: Any, plain: list[tuple[str, str, float]]) -> None:
    """Leave if an answer or a score is not that of the plain loop."""
    found = items.select("id", "made/up", "score_made/up").cast({"made/up": str}).rows()
    if found != plain:
        raise SystemExit("benchmarks: the items of the log are not those of its samples")


def _written(path: Path, samples: int) -> Path:
    """Return a made-up log, which is written if it is not there."""
    if path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    rng = random.Random(0)  # noqa: S311  - made-up texts
    words = [f"w{number}" for number in range(5_000)]
    head = {"version": 2, "status": "success",
            "eval": {"task": "arc", "model": "made/up", "dataset": {"name": "arc"}}}  # fmt: skip
    partial = path.with_suffix(".partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(head))
        for number in range(1, samples + 1):
            one = _sample(number, " ".join(rng.choices(words, k=WORDS)), rng)
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(one, indent=2))
    return partial.rename(path)


def _sample(number: int, text: str, rng: random.Random) -> dict[str, Any]:
    target, answer = rng.choice("ABCD"), rng.choice("ABCD")
    said = {"role": "assistant", "content": text}
    return {
        "id": number, "epoch": 1, "input": text, "choices": ["a", "b", "c", "d"], "target": target,
        "messages": [{"role": "user", "content": text}, said],
        "output": {"model": "made/up", "choices": [{"message": said, "stop_reason": "stop"}],
                   "completion": text, "usage": {"input_tokens": 12, "output_tokens": 120}},
        "scores": {"choice": {"value": "C" if target == answer else "I", "answer": answer,
                              "explanation": text, "history": []}},
        "metadata": {"subject": f"s{number % 57}"}, "store": {}, "events": [],
        "model_usage": {}, "attachments": {},
    }  # fmt: skip


if __name__ == "__main__":
    main(__doc__, targets)
