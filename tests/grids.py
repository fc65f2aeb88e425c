"""Random shared tasks: datasets × parts × systems of six tasks, as files and as their texts.

A system's text for a file is None where it has not run. Nothing here knows coleval.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

TASKS = ("tag", "span", "dep", "label", "coref", "matrix")
SUFFIX = {"tag": "conll", "span": "conll", "dep": "conllu", "label": "txt", "coref": "jsonl",
          "matrix": "tsv"}  # fmt: skip
Place = tuple[str, str]


@dataclass(frozen=True)
class Made:
    """A task: gold's text of every place, each system's, and what stands for no answer at all."""

    task: str
    gold: dict[Place, str]
    runs: dict[str, dict[Place, str | None]]
    blank: dict[Place, str] = field(default_factory=dict)

    @property
    def datasets(self) -> list[str]:
        return list(dict.fromkeys(dataset for dataset, _ in self.gold))

    def places(self, dataset: str) -> list[Place]:
        return [place for place in self.gold if place[0] == dataset]

    def write(self, folder: Path) -> tuple[str, str]:
        """Write all files; return the templates of gold and of the systems."""
        suffix = SUFFIX[self.task]
        for (dataset, part), text in self.gold.items():
            save(folder / "gold" / dataset / f"{part}.{suffix}", text)
        for system, texts in self.runs.items():
            for (dataset, part), run in texts.items():
                if run is not None:
                    save(folder / "runs" / system / f"{dataset}_{part}.{suffix}", run)
        return (
            f"{folder}/gold/{{dataset}}/{{part}}.{suffix}",
            f"{folder}/runs/{{system}}/{{dataset}}_{{part}}.{suffix}",
        )


def save(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def made(rng: Random, task: str, *, missing: float = 0.2) -> Made:
    """Return a random task; every system has run somewhere."""
    sizes = [rng.randint(1, 4) for _ in range(rng.randint(2, 5))]
    places = [(f"d{at}", f"p{part}") for at, n in enumerate(sizes) for part in range(n)]
    names = [f"s{k}" for k in range(rng.randint(1, 6))]
    gold, blank, every = {}, {}, {}
    for at, place in enumerate(places):
        gold[place], blank[place], every[place] = MAKERS[task](rng, at, names)
    runs: dict[str, dict[Place, str | None]] = {}
    for name in names:
        gone = {place for place in places if rng.random() < missing}
        gone.discard(rng.choice(places))
        runs[name] = {p: None if p in gone else every[p][name] for p in places}
    return Made(task, gold, runs, blank)


Texts = tuple[str, str, dict[str, str]]


def _lines(tokens: list[list[str]], tags: list[list[str]]) -> str:
    sentences = (zip(*pair, strict=True) for pair in zip(tokens, tags, strict=True))
    return "\n".join("".join(f"{f}\t{t}\n" for f, t in sentence) for sentence in sentences)


def _sentences(rng: Random) -> list[list[str]]:
    return [[rng.choice("abcde") for _ in range(rng.randint(1, 5))]
            for _ in range(rng.randint(1, 4))]  # fmt: skip


def _near(rng: Random, gold: list[list[str]], labels: list[str]) -> list[list[str]]:
    good = rng.random()
    return [[t if rng.random() < good else rng.choice(labels) for t in one] for one in gold]


def _tagged(rng: Random, names: list[str], labels: list[str], blank: str) -> Texts:
    tokens = _sentences(rng)
    gold = _near(rng, [[rng.choice(labels) for _ in one] for one in tokens], labels)
    runs = {name: _lines(tokens, _near(rng, gold, labels)) for name in names}
    return _lines(tokens, gold), _lines(tokens, [[blank] * len(t) for t in tokens]), runs


def _tag(rng: Random, at: int, names: list[str]) -> Texts:
    return _tagged(rng, names, ["N", "V", f"own{at}"], "?")


def _span(rng: Random, at: int, names: list[str]) -> Texts:
    own = [f"B-X{at}", f"I-X{at}"] if rng.random() < 0.5 else []
    # A dataset without any span is one of spans all the same.
    tags = ["O"] if rng.random() < 0.1 else ["O", "O", "B-P", "I-P", "B-L", "I-L", *own]
    return _tagged(rng, names, tags, "O")


def _tree(rng: Random, tokens: list[str], upos: list[str]) -> str:
    root = rng.randrange(len(tokens))
    relations = ["nsubj", "obj", "nmod", "nmod:poss", "case", "punct"]
    rows = []
    for at, form in enumerate(tokens):
        head = 0 if at == root else root + 1
        relation = "root" if at == root else rng.choice(relations)
        fields = [str(at + 1), form, form, upos[at], "_", "_", str(head), relation, "_", "_"]
        rows.append("\t".join(fields) + "\n")
    return "".join(rows) + "\n"


def _dep(rng: Random, _: int, names: list[str]) -> Texts:
    sentences = _sentences(rng)
    tags = [[rng.choice("NV") for _ in one] for one in sentences]
    gold = "".join(_tree(rng, s, t) for s, t in zip(sentences, tags, strict=True))
    runs = {}
    for name in names:
        near = _near(rng, tags, ["N", "V", "X"])
        own = sentences
        if rng.random() < 0.2:  # Sentences cut otherwise: the words are the same.
            own, near = [[w for one in sentences for w in one]], [[t for one in near for t in one]]
        runs[name] = gold if rng.random() < 0.1 else "".join(
            _tree(rng, s, t) for s, t in zip(own, near, strict=True)
        )  # fmt: skip
    return gold, "", runs


def _label(rng: Random, at: int, names: list[str]) -> Texts:
    ids = [f"{at}-{k}" for k in range(rng.randint(2, 8))]
    gold = {i: rng.choice("ABC") for i in ids}
    runs = {}
    for name in names:
        gaps = rng.random() < 0.3
        good = rng.random()
        kept = [i for i in ids if not gaps or rng.random() < 0.7] or ids[:1]
        near = {i: gold[i] if rng.random() < good else rng.choice("ABCD") for i in kept}
        runs[name] = "".join(f"{i}\t{label}\n" for i, label in near.items())
    return "".join(f"{i}\t{label}\n" for i, label in gold.items()), "", runs


def _coref(rng: Random, at: int, names: list[str]) -> Texts:
    spots = [(0, 0), (0, 2), (1, 1), (1, 2), (3, 3), (4, 6), (5, 5), (7, 7)]

    def text(*, empty: bool = False) -> str:
        chains: dict[int, list[list[int]]] = {}
        for spot in spots:
            chain = rng.randint(0, 5)
            if chain < 4 and not empty:
                chains.setdefault(chain, []).append(list(spot))
        line = {"id": f"t{at}", "tokens": list("abcdefgh"), "clusters": list(chains.values())}
        return json.dumps(line) + "\n"

    return text(), text(empty=True), {name: text() for name in names}


def _matrix(rng: Random, at: int, names: list[str]) -> Texts:
    ids = [f"{at}-{k}" for k in range(rng.randint(1, 6))]
    return "".join(f"{i}\n" for i in ids), "", {
        name: "".join(f"{rng.randint(0, 1)}\n" for _ in ids) for name in names
    }  # fmt: skip


MAKERS = {"tag": _tag, "span": _span, "dep": _dep, "label": _label, "coref": _coref,
          "matrix": _matrix}  # fmt: skip
