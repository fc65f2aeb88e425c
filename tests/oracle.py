"""The foundation again, in plain loops and dicts: slow, short and obviously right.

Nothing here knows coleval. A sentence is a list of (form, tag); a span is (sentence, begin, end,
type) with ``end`` behind the last token; None stands for "nothing here" and "undefined".
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Span = tuple[int, int, int, str]
Sentences = list[list[tuple[str, str]]]

# What a chunk's letters must look like, after L and U are read as E and S, and M as I.
SHAPES = {
    "iob2": "BI*",
    "io": "I+",
    "bioes": "S|BI*E",
    "bilou": "S|BI*E",
    "bmes": "S|BI*E",
    "any": "[BS].*",
}
LETTERS = {
    "iob1": "BI",
    "iob2": "BI",
    "io": "I",
    "bioes": "BIES",
    "bilou": "BILU",
    "bmes": "BMES",
    "any": "BIESLUM",
}
SAME = {"L": "E", "U": "S", "M": "I"}


def parse(text: str) -> Sentences:
    """Return the sentences of column text: form first, tag last, blank lines between."""
    sentences: Sentences = [[]]
    for line in text.removeprefix("\ufeff").replace("\r", "").split("\n"):
        fields = line.split("\t") if line.strip() and "\t" in line else line.split(" ")
        fields = [f for f in fields if f]
        if not fields:
            sentences.append([])
        else:
            sentences[-1].append((fields[0], fields[-1]))
    return [sentence for sentence in sentences if sentence]


def tag(text: str, *, suffix: bool = False) -> tuple[str, str] | None:
    """Return letter and type of a tag, None where nothing begins or goes on."""
    form = (
        r"(?s:(?P<kind>.+)-)?(?P<letter>[BIESLUM])"
        if suffix
        else r"(?P<letter>[BIESLUM])(?s:-(?P<kind>.+))?"
    )
    match = re.fullmatch(form, text)
    return (match["letter"], match["kind"] or "_") if match else None


def spans(
    tags: Sequence[str], scheme: str, repair: str, *, suffix: bool = False
) -> tuple[list[tuple[int, int, str]], int]:
    """Return the spans of one sentence and how many of its chunks broke the scheme.

    A chunk ends before a gap, before B or S, behind E or S, and where the type changes; but an
    ``extend`` repair lets a chunk run on into another type.
    """
    parsed = [tag(text, suffix=suffix) for text in tags]
    chunks: list[list[int]] = []
    for at, found in enumerate(parsed):
        if found is None:
            continue
        before = parsed[at - 1] if at else None
        letter = SAME.get(found[0], found[0])
        goes_on = (
            before is not None
            and letter not in "BS"
            and SAME.get(before[0], before[0]) not in "ES"
            and (before[1] == found[1] or repair == "extend")
        )
        if goes_on:
            chunks[-1].append(at)
        else:
            chunks.append([at])
    kept, broken = [], 0
    for chunk in chunks:
        sound = is_sound(parsed, chunk, scheme)
        broken += not sound
        if sound or repair != "discard":
            kept.append((chunk[0], chunk[-1] + 1, parsed[chunk[0]][1]))
    return kept, broken


def is_sound(parsed: Sequence[tuple[str, str] | None], chunk: list[int], scheme: str) -> bool:
    """Tell whether a chunk is of one type and as its scheme would have it."""
    letters = [parsed[at][0] for at in chunk]
    kinds = {parsed[at][1] for at in chunk}
    if len(kinds) > 1 or any(letter not in LETTERS[scheme] for letter in letters):
        return False
    shape = SHAPES.get(scheme)
    if scheme == "iob1":
        before = parsed[chunk[0] - 1] if chunk[0] else None
        shape = "BI*" if before is not None and before[1] in kinds else "I+"
    return re.fullmatch(shape, "".join(SAME.get(letter, letter) for letter in letters)) is not None


def tagged(spans_: Iterable[tuple[int, int, str]], length: int, scheme: str = "iob2") -> list[str]:
    """Return the tags of a sentence in which such spans stand."""
    single, first, inside, last = {
        "iob2": "BBII",
        "bioes": "SBIE",
        "bilou": "UBIL",
        "bmes": "SBME",
    }[scheme]
    tags = ["O"] * length
    for begin, end, kind in spans_:
        for at in range(begin, end):
            letter = (
                single
                if end - begin == 1
                else (first if at == begin else last if at == end - 1 else inside)
            )
            tags[at] = f"{letter}-{kind}"
    return tags


def corpus_spans(
    sentences: Sentences, scheme: str = "iob2", repair: str = "begin"
) -> tuple[set[Span], int]:
    """Return all spans of a text, and how many sequences were broken."""
    found: set[Span] = set()
    repairs = 0
    for number, sentence in enumerate(sentences):
        here, broken = spans([label for _, label in sentence], scheme, repair)
        found |= {(number, *span) for span in here}
        repairs += broken
    return found, repairs


def ratio(above: float, below: float) -> float | None:
    """Return a share, None where there is nothing to share."""
    return above / below if below else None


def prf(tp: int, fp: int, fn: int) -> dict[str, float | None]:
    """Return counts with precision, recall and F1."""
    return {
        "tp": tp,
        "fp": fp,
        "fn": fn,
        "precision": ratio(tp, tp + fp),
        "recall": ratio(tp, tp + fn),
        "f1": ratio(2 * tp, 2 * tp + fp + fn),
    }


def score_sets(gold: set, system: set, label=lambda one: one[-1], labels: Iterable[str] = ()):
    """Return overall and per-label counts and ratios of two sets of things that have a label."""
    every = sorted({label(one) for one in gold | system} | set(labels))
    by_label = {}
    for name in every:
        g = {one for one in gold if label(one) == name}
        s = {one for one in system if label(one) == name}
        by_label[name] = prf(len(g & s), len(s - g), len(g - s)) | {"support": len(g)}
    overall = prf(len(gold & system), len(system - gold), len(gold - system))
    return overall | means(by_label), by_label


def means(by_label: dict[str, dict]) -> dict[str, float | None]:
    """Return macro averages over gold's and the system's own labels, and averages by support."""
    out: dict[str, float | None] = {}
    for name in ("precision", "recall", "f1"):
        own = [row for row in by_label.values() if row["tp"] + row["fp"] + row["fn"]]
        there = [row[name] for row in own if row[name] is not None]
        out[f"macro_{name}"] = ratio(sum(there), len(there))
        rows = [row for row in own if row[name] is not None]
        total = sum(row["support"] for row in rows)
        out[f"weighted_{name}"] = ratio(sum(row[name] * row["support"] for row in rows), total)
    return out


def score_spans(
    gold: Sentences, system: Sentences, scheme: str = "iob2", repair: str = "begin"
) -> tuple[dict, dict]:
    """Return the row of a system in ``overall``, and its rows in ``labels``."""
    g, _ = corpus_spans(gold, scheme, repair)
    s, repairs = corpus_spans(system, scheme, repair)
    overall, by_label = score_sets(g, s)
    right = 0
    for number in range(len(gold)):
        right += {x for x in g if x[0] == number} == {x for x in s if x[0] == number}
    overall |= {
        "items": len(g),
        "correct": len(g & s),
        "accuracy": None,
        "error_rate": None,
        "sentences": len(gold),
        "sentences_correct": right,
        "repairs": repairs,
    }
    return overall, by_label


def score_tags(gold: Sentences, system: Sentences, outside: str | None = None) -> tuple[dict, dict]:
    """Return the same rows with a token an item; ``outside`` is the label that is no answer."""
    g, s, correct, right = set(), set(), 0, 0
    for number, (ours, theirs) in enumerate(zip(gold, system, strict=True)):
        pairs = list(zip(ours, theirs, strict=True))
        for at, ((_, a), (_, b)) in enumerate(pairs):
            correct += a == b
            g |= {(number, at, a)} if a != outside else set()
            s |= {(number, at, b)} if b != outside else set()
        right += all(a == b for (_, a), (_, b) in pairs)
    overall, by_label = score_sets(g, s)
    items = sum(len(sentence) for sentence in gold)
    overall |= {
        "items": items,
        "correct": correct,
        "accuracy": ratio(correct, items),
        "error_rate": ratio(items - correct, items),
        "sentences": len(gold),
        "sentences_correct": right,
        "repairs": None,
    }
    return overall, by_label


def confusion(gold: set, system: set) -> dict[tuple[str | None, str | None], int]:
    """Return how often each answer stands where gold has each label; one label a place."""
    ours = {one[:-1]: one[-1] for one in gold}
    theirs = {one[:-1]: one[-1] for one in system}
    places = set(ours) | set(theirs)
    return dict(Counter((ours.get(place), theirs.get(place)) for place in places))


def tag_confusion(
    gold: Sentences, system: Sentences, outside: str | None = None
) -> dict[tuple[str | None, str | None], int]:
    """Return the same for tokens; where neither side has a label, that is a cell too."""
    counts: Counter[tuple[str | None, str | None]] = Counter()
    for ours, theirs in zip(gold, system, strict=True):
        for (_, a), (_, b) in zip(ours, theirs, strict=True):
            counts[None if a == outside else a, None if b == outside else b] += 1
    return dict(counts)


def score_label_sets(
    gold: list[set[str]], system: list[set[str]], labels: Iterable[str] = ()
) -> tuple[dict, dict]:
    """Return the rows of multi-label instances; undefined instance scores are in no average."""
    g = {(number, one) for number, answer in enumerate(gold) for one in answer}
    s = {(number, one) for number, answer in enumerate(system) for one in answer}
    overall, by_label = score_sets(g, s, labels=labels)
    pairs = list(zip(gold, system, strict=True))
    correct = sum(a == b for a, b in pairs)
    wrong = sum(len(a ^ b) for a, b in pairs)
    each = {
        "samples_precision": [ratio(len(a & b), len(b)) for a, b in pairs],
        "samples_recall": [ratio(len(a & b), len(a)) for a, b in pairs],
        "samples_f1": [ratio(2 * len(a & b), len(a) + len(b)) for a, b in pairs],
        "samples_jaccard": [ratio(len(a & b), len(a | b)) for a, b in pairs],
    }
    averages = {name: mean(values) for name, values in each.items()}
    overall |= averages | {
        "items": len(gold),
        "correct": correct,
        "accuracy": ratio(correct, len(gold)),
        "hamming_loss": ratio(wrong, len(gold) * len(by_label)),
    }
    return overall, by_label


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of what is defined."""
    there = [value for value in values if value is not None]
    return ratio(sum(there), len(there))
