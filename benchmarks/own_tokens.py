"""Files of trees whose systems cut some words otherwise than gold: pieces of words, two in one."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from generate import files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Word = list[str]
# One word in so many is cut in two, and as many pairs are written as one.
SELDOM = 100
NUMBER, FORM, HEAD, RELATION = 0, 1, 6, 7


def own_tokens(directory: Path) -> tuple[Path, dict[str, Path]]:
    """Return gold and the systems of a made-up task with words of their own, written if need be."""
    gold, systems = files(directory)
    place = directory / "own"
    place.mkdir(exist_ok=True)
    found = {name: place / path.name for name, path in systems.items()}
    for seed, (name, path) in enumerate(systems.items()):
        target = found[name]
        if not target.exists() or target.stat().st_mtime < path.stat().st_mtime:
            with path.open(encoding="utf-8") as lines:
                text = "".join(_rewritten(lines, random.Random(seed)))  # noqa: S311
            target.write_text(text, encoding="utf-8", newline="\n")
    return gold, found


def _rewritten(lines: Iterator[str], chance: random.Random) -> Iterator[str]:
    sentence: list[Word] = []
    for line in lines:
        if line.strip() and not line.startswith("#"):
            sentence.append(line.rstrip("\n").split("\t"))
            continue
        yield from ("\t".join(word) + "\n" for word in cut_otherwise(sentence, chance))
        sentence = []
        yield line


def cut_otherwise(sentence: list[Word], chance: random.Random) -> list[Word]:
    """Return a sentence with some words cut in two, and some pairs of words as one."""
    cut: list[tuple[Word, int]] = []
    place = {"0": "0", "_": "_"}
    at = 0
    while at < len(sentence):
        word = list(sentence[at])
        place[word[NUMBER]] = str(len(cut) + 1)
        kind = chance.randrange(SELDOM)
        if kind == 0 and at + 1 < len(sentence):
            at += 1
            place[sentence[at][NUMBER]] = str(len(cut) + 1)
            word[FORM] += sentence[at][FORM]
        if kind == 1 and len(word[FORM]) > 1:
            rest = [*word[:FORM], word[FORM][1:], *word[FORM + 1 :]]
            word[FORM], rest[RELATION] = word[FORM][:1], "goeswith"
            cut += [(word, 0), (rest, len(cut) + 1)]
        else:
            cut.append((word, 0))
        at += 1
    return [_numbered(word, number, beside, place) for number, (word, beside) in enumerate(cut, 1)]


def _numbered(word: Word, number: int, beside: int, place: dict[str, str]) -> Word:
    """Return a word with its new number and head, which is the word ``beside`` it if it has one."""
    head = str(beside) if beside else place[word[HEAD]]
    # The head of a word that is one with it now is the root.
    head = "0" if head == str(number) else head
    return [str(number), *word[FORM:HEAD], head, *word[RELATION:]]
