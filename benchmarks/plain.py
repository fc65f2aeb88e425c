"""What coleval is measured against: plain Python loops, and a scorer to check answers.

Nothing here knows coleval. The loops are written as well as we can without giving up plain Python.
"""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

DOCUMENT = "-DOCSTART-"
Tags = list[list[str]]
Counts = dict[str, tuple[int, int, int]]


def read_codes(path: Path, codes: dict[str, int]) -> tuple[array[int], array[int]]:
    """Return each token's label code and sentence; new labels join the codes. No checks."""
    labels, sentences = array("H"), array("i")
    label_of, add_label, add_sentence = codes.setdefault, labels.append, sentences.append
    sentence = 0
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            if line == "\n":
                sentence += 1
                continue
            form, label = line.rstrip("\n").split("\t")
            if form != DOCUMENT:
                add_label(label_of(label, len(codes)))
                add_sentence(sentence)
    return labels, sentences


def sets(gold: Tags, system: Tags) -> Counts:
    """Return tp, fp, fn by type: the spans of both sides as sets, the best of plain Python."""
    truth, answer = _span_set(gold), _span_set(system)
    both = truth & answer
    tp, said, there = (Counter(kind for *_, kind in spans) for spans in (both, answer, truth))
    return {k: (tp[k], said[k] - tp[k], there[k] - tp[k]) for k in sorted({*said, *there})}


def _span_set(sentences: Tags) -> set[tuple[int, int, str]]:
    found: set[tuple[int, int, str]] = set()
    add, at = found.add, 0
    for tags in sentences:
        start, kind = -1, ""
        for place, tag in enumerate(tags, at):
            if tag == "O":
                if kind:
                    add((start, place, kind))
                    kind = ""
            elif tag[0] == "B" or tag[2:] != kind:
                if kind:
                    add((start, place, kind))
                start, kind = place, tag[2:]
        at += len(tags)
        if kind:
            add((start, at, kind))
    return found


def conlleval(gold: Tags, system: Tags) -> Counts:
    """Return tp, fp, fn by type, token by token with the state of both sides, as conlleval.pl."""
    right: Counter[str] = Counter()
    said: Counter[str] = Counter()
    there: Counter[str] = Counter()
    for truths, answers in zip(gold, system, strict=True):
        inside, before, last = False, "O", "O"
        for truth, answer in zip([*truths, "O"], [*answers, "O"], strict=True):
            ends, stops = _ends(before, truth), _ends(last, answer)
            begins, opens = _begins(before, truth), _begins(last, answer)
            if inside and (ends or stops):
                if ends and stops and before[2:] == last[2:]:
                    right[before[2:]] += 1
                inside = False
            if begins and opens and truth[2:] == answer[2:]:
                inside = True
            there[truth[2:]] += begins
            said[answer[2:]] += opens
            before, last = truth, answer
    kinds = sorted({k for k in (*said, *there) if said[k] or there[k]})
    return {k: (right[k], said[k] - right[k], there[k] - right[k]) for k in kinds}


def _ends(before: str, tag: str) -> bool:
    return before != "O" and (tag == "O" or tag[0] == "B" or tag[2:] != before[2:])


def _begins(before: str, tag: str) -> bool:
    return tag != "O" and (before == "O" or tag[0] == "B" or tag[2:] != before[2:])


def span_counts(gold: Path, systems: Mapping[str, Path]) -> dict[str, tuple[int, int, int]]:
    """Return tp, fp and fn of each system, from codes that the plain loop read."""
    codes: dict[str, int] = {}
    read = {name: read_codes(path, codes) for name, path in {"": gold, **systems}.items()}
    found = {name: _spans(*columns, tuple(codes)) for name, columns in read.items()}
    truth = found.pop("")
    both = {name: len(np.intersect1d(truth, spans)) for name, spans in found.items()}
    return {
        name: (both[name], len(spans) - both[name], len(truth) - both[name])
        for name, spans in found.items()
    }


def _spans(labels: array[int], sentences: array[int], names: tuple[str, ...]) -> NDArray[np.int64]:
    """Return a number for each span (start, length, type); an I- that nothing opened opens one."""
    types = sorted({name[2:] for name in names})
    kind_of = np.array([types.index(name[2:]) for name in names])
    part_of = np.array(["OIB".index(name[0]) for name in names])
    code, sentence = np.asarray(labels), np.asarray(sentences)
    token = np.flatnonzero(part_of[code])
    kind, begins = kind_of[code[token]], part_of[code[token]] == 2
    begins |= np.diff(token, prepend=-2) != 1
    begins |= np.diff(kind, prepend=-1) != 0
    begins |= np.diff(sentence[token], prepend=-1) != 0
    opens = np.flatnonzero(begins)
    length = np.diff(np.append(opens, len(token)))
    return (token[opens] * 4096 + length) * 256 + kind[opens]
