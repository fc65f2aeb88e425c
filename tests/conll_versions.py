"""The CoNLL-2003 test set in several versions, cut to the sentences whose tokens all of them have.

CoNLL# has other sentences and some other tokens than CoNLL-2003 and CoNLL++: tokens are matched by
the longest common subsequence, and a sentence of CoNLL-2003 is kept if each of its tokens is.
"""

from __future__ import annotations

import sys
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

Token = tuple[str, str]


def read(path: Path) -> list[list[Token]]:
    """Return the sentences of a column file, without the lines between documents."""
    sentences: list[list[Token]] = [[]]
    for line in path.read_text(encoding="utf-8").split("\n"):
        fields = line.split()
        if not fields or fields[0] == "-DOCSTART-":
            sentences.append([])
        else:
            sentences[-1].append((fields[0], fields[-1]))
    return [sentence for sentence in sentences if sentence]


@cache  # three of the files have the same tokens, and each match takes seconds
def matched(one: tuple[str, ...], other: tuple[str, ...]) -> dict[int, int]:
    """Return the place in the other of each token that both have."""
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    return {b.a + k: b.b + k for b in blocks for k in range(b.size)}


def written(data: Path, folder: Path, second: Path) -> list[Path]:
    """Write gold, a second gold and three systems; ``second`` has the tokens of either version."""
    gold = read(data / "gold" / "conll_03.txt")
    tokens = [token for sentence in gold for token in sentence]
    systems = ("xlm_flert_03", "xlm_flert_sharp", "luke_sharp")
    paths = {name: data / "outputs" / f"{name}.txt" for name in systems}
    layers = {name: _onto(tokens, path) for name, path in {**paths, "second": second}.items()}
    found = []
    for name, tags in {"gold": [tag for _, tag in tokens], **layers}.items():
        found.append(folder / f"{name}.conll")
        found[-1].write_text(_kept(gold, tags, list(layers.values())), encoding="utf-8")
    return found


def _onto(tokens: list[Token], path: Path) -> list[str | None]:
    other = [token for sentence in read(path) for token in sentence]
    ours, theirs = (tuple(form for form, _ in side) for side in (tokens, other))
    place = dict(enumerate(range(len(tokens)))) if ours == theirs else matched(ours, theirs)
    return [other[place[k]][1] if k in place else None for k in range(len(tokens))]


def _kept(gold: list[list[Token]], tags: list, layers: list[list]) -> str:
    parts, at = [], 0
    for sentence in gold:
        rows = range(at, at + len(sentence))
        at += len(sentence)
        if all(layer[k] is not None for layer in layers for k in rows):
            lines = [f"{form} {tags[k]}\n" for k, (form, _) in zip(rows, sentence, strict=True)]
            parts.append("".join(lines))
    return "\n".join(parts)


if __name__ == "__main__":
    # python tests/conll_versions.py CONLL_SHARP_FOLDER OUTPUT_FOLDER SECOND_GOLD
    for one in written(*map(Path, sys.argv[1:4])):
        sys.stdout.write(f"{one}\n")
