"""The axes along which corpora grow: what each writes for a size, and which sizes are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from loads import corpus

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TINY = 40
Made = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Axis:
    """What grows, its sizes, and what writes a corpus: the arguments of ``coleval.load``.

    Not ``stored`` is what a store has no room for: texts of spans in each other.
    """

    what: str
    sizes: tuple[int, ...]
    make: Callable[[Path, int], Made]
    stored: bool = True


def _tagged(folder: Path, n: int, *, task: str = "span", **sizes: Any) -> Made:
    """Write gold and systems in columns; a size that is called ``n`` is that of the axis."""
    given = {"tokens": 400_000, "systems": 4, "sentence": 25, "labels": 0, "document": 0}
    given |= {name: n if value == "n" else value for name, value in sizes.items()}
    if sizes.get("document") == "n":
        given["document"] = max(1, given["tokens"] // n)
    corpus(**given)(folder, 1)
    systems = sorted(str(path) for path in folder.glob("s[0-9]*.conll"))
    return (str(folder / "gold.conll"), systems), {"task": task}


def _datasets(folder: Path, n: int) -> Made:
    for at in range(n):
        place = folder / "runs" / f"d{at:05}"
        place.mkdir(parents=True)
        corpus(500, 3)(place, 1)
        (folder / "gold").mkdir(exist_ok=True)
        (place / "gold.conll").rename(folder / "gold" / f"{place.name}.conll")
    gold, runs = f"{folder}/gold/{{dataset}}.conll", f"{folder}/runs/{{dataset}}/{{system}}.conll"
    return (gold, runs), {"task": "span"}


def _trees(folder: Path, n: int, *, shape: str = "", values: int = 0) -> Made:
    """Write trees: one sentence that is a chain or a star, or many with so many feature values."""
    import numpy as np

    random = np.random.default_rng(1)
    words = 100_000 if values else n
    size = 20 if values else n
    at = np.arange(words) % size + 1
    head = np.where(at == 1, 0, at - 1 if shape == "chain" else 1)
    kind = random.integers(0, max(1, n if values else 1), words)
    for name in ("gold", "s000", "s001"):
        own = np.where(
            random.random(words) < (name != "gold") * 0.1, random.permutation(kind), kind
        )
        wrong = (random.random(words) < (name != "gold") * 0.05) & (at > 2)
        heads = np.where(wrong, 1, head)
        lines = []
        for k in range(words):
            if at[k] == 1 and k:
                lines.append("")
            feats = f"F=V{own[k]}" if values else "_"
            relation = "root" if heads[k] == 0 else "dep"
            lines.append(f"{at[k]}\tw{k % 5000}\tl\tX{own[k] % 17}\t_\t{feats}\t{heads[k]}\t"
                         f"{relation}\t_\t_")  # fmt: skip
        (folder / f"{name}.conllu").write_text("\n".join([*lines, "", ""]))
    return (str(folder / "gold.conllu"), [str(folder / f"s00{k}.conllu") for k in (0, 1)]), {
        "task": "dep"
    }


def _one_span(folder: Path, n: int) -> Made:
    """Write one span of ``n`` tokens, beside some short ones."""
    for k, name in enumerate(("gold", "s000", "s001")):
        tags = ["B-A", *["I-A"] * (n - 1 - k), *["O"] * k, "O", "B-B", "O"]
        lines = [f"w{at % 5000}\t{tag}" for at, tag in enumerate(tags)]
        (folder / f"{name}.conll").write_text("\n".join(lines) + "\n")
    return (str(folder / "gold.conll"), [str(folder / f"s00{k}.conll") for k in (0, 1)]), {
        "task": "span"
    }


def _crowd(folder: Path, n: int, *, nested: bool) -> Made:
    """Write ``n`` spans of one document: each in the next, or each over the 20 behind it."""
    import json

    text = "a " * (2 * n + 2)
    for k, name in enumerate(("gold", "s000", "s001")):
        spans = []
        for at in range(n):
            low, high = (at, 2 * n - at) if nested else (at, at + 20)
            kept = not k or (at + k) % 10
            if kept:
                spans.append({"start": 2 * low, "end": 2 * high - 1, "label": "AB"[at % 2]})
        record = {"id": "1", "text": text, "entities": spans}
        (folder / f"{name}.jsonl").write_text(json.dumps(record) + "\n")
    return (str(folder / "gold.jsonl"), [str(folder / f"s00{k}.jsonl") for k in (0, 1)]), {
        "task": "span"
    }


def _long_tokens(folder: Path, n: int) -> Made:
    for name, tag in (("gold", "B-A"), ("s000", "B-B"), ("s001", "B-A")):
        lines = [f"{'x' * n}{at}\t{tag if at % 3 else 'O'}" for at in range(24)]
        (folder / f"{name}.conll").write_text("\n".join(lines) + "\n")
    return (str(folder / "gold.conll"), [str(folder / f"s00{k}.conll") for k in (0, 1)]), {
        "task": "span"
    }


_FOUR = (10, 100, 1_000, 5_000)
AXES = {
    "tokens": Axis("tokens × 8 systems", (100_000, 400_000, 1_600_000),
                   partial(_tagged, tokens="n", systems=8)),
    "systems": Axis("systems × 50,000 tokens", (4, 16, 64),
                    partial(_tagged, tokens=50_000, systems="n")),
    "datasets": Axis("datasets of 500 tokens × 3", (16, 64, 256, 1_024), _datasets),
    "labels": Axis("labels of 400,000 tokens × 4", _FOUR,
                   partial(_tagged, task="tag", labels="n")),
    "single": Axis("sentences of one token × 2", (125_000, 500_000, 2_000_000),
                   partial(_tagged, tokens="n", systems=2, sentence=1)),
    "sentence": Axis("tokens of one sentence × 2", (125_000, 500_000, 2_000_000),
                     partial(_tagged, tokens="n", systems=2, sentence=10**9)),
    "chain": Axis("words of one tree that is a chain", (20_000, 80_000, 320_000),
                  partial(_trees, shape="chain")),
    "star": Axis("words of one tree that is a star", (20_000, 80_000, 320_000),
                 partial(_trees, shape="star")),
    "span": Axis("tokens of one span", (1_000, 10_000, 100_000), _one_span),
    "nested": Axis("spans in each other", (1_000, 4_000, 16_000, 100_000),
                   partial(_crowd, nested=True), stored=False),
    "overlapping": Axis("spans over each other", (1_000, 4_000, 16_000, 100_000),
                        partial(_crowd, nested=False)),
    "documents": Axis("documents of 1,000,000 tokens", (1, 1_000, 10_000, 100_000),
                      partial(_tagged, tokens=1_000_000, systems=2, sentence=5, document="n")),
    "long": Axis("bytes of each of 24 tokens", (1_000, 32_000, 1_000_000), _long_tokens),
    "features": Axis("values of a feature, 100,000 words", (50, 500, 5_000),
                     partial(_trees, values=1)),
}  # fmt: skip
