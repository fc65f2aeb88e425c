"""What coleval is measured against: plain Python loops, seqeval, and a scorer to check answers.

Nothing here knows coleval. The loops are written as well as we can without giving up plain Python.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

DOCUMENT = "-DOCSTART-"


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


def read_sentences(path: Path) -> list[list[str]]:
    """Return the tags of each sentence, as seqeval wants them."""
    sentences: list[list[str]] = []
    tags: list[str] = []
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            if line == "\n":
                if tags:
                    sentences.append(tags)
                    tags = []
                continue
            form, label = line.rstrip("\n").split("\t")
            if form != DOCUMENT:
                tags.append(label)
    return [*sentences, tags] if tags else sentences


def seqeval_report(gold: Path, system: Path) -> dict[str, Any]:
    """Return seqeval's report from the files: per type, and ``micro avg`` among other means."""
    from seqeval.metrics import classification_report

    truth, answer = read_sentences(gold), read_sentences(system)
    report: dict[str, Any] = classification_report(truth, answer, output_dict=True, zero_division=0)
    return report


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
