"""Random texts with spans on them, written as programs write them, and scored by plain loops."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from pathlib import Path

LABELS = ("PER", "LOC", "per son", "日本")
# Letters of several widths in UTF-8 and UTF-16, marks on letters, white space of several kinds.
LETTERS = "ab1.-'é\u0301ß日本語กี😀𝒳\u200d"
SPACES = (" ", " ", "  ", "\u00a0", "\n", " \t")

Span = tuple[int, int, str, tuple[tuple[int, int], ...]]
Layer = list[list[Span]]


def random_text(draw: random.Random) -> str:
    """Return some words, of which none is empty."""
    words = [
        "".join(draw.choices(LETTERS, k=draw.randint(1, 5))) for _ in range(draw.randint(1, 9))
    ]
    return "".join(word + draw.choice(SPACES) for word in words).strip("\n ") or "a"


def random_spans(draw: random.Random, text: str, *, holes: bool) -> list[Span]:
    """Return nested, overlapping, repeated and broken spans that are not white space alone."""
    found: list[Span] = []
    for _ in range(draw.randint(0, 6)):
        start = draw.randrange(len(text))
        end = draw.randint(start + 1, min(len(text), start + 12))
        pieces: tuple[tuple[int, int], ...] = ()
        if holes and end - start > 2 and draw.random() < 0.4:
            gap = sorted(draw.sample(range(start + 1, end), 2))
            pieces = ((start, gap[0]), (gap[1], end))
        covered = "".join(text[a:b] for a, b in pieces or ((start, end),))
        if covered.strip() and text[start:end].strip():
            found.append((start, end, draw.choice(LABELS), pieces))
    return found


def noisy(draw: random.Random, text: str, gold: list[Span], *, holes: bool) -> list[Span]:
    """Return most of gold's spans, some with other labels, and others."""
    kept = [(a, b, draw.choice(LABELS) if draw.random() < 0.2 else label, pieces)
            for a, b, label, pieces in gold if draw.random() < 0.8]  # fmt: skip
    return kept + random_spans(draw, text, holes=holes)[: draw.randint(0, 3)]


def outcomes(gold: Layer, system: Layer) -> dict[str, tuple[int, int, int]]:
    """Return tp, fp and fn of each label (and of all, under the empty name), by sets."""
    ours, theirs = (
        {(d, *span) for d, spans in enumerate(layer) for span in spans} for layer in (gold, system)
    )
    found: dict[str, list[int]] = {"": [0, 0, 0]}
    for span in ours | theirs:
        kind = 0 if span in ours and span in theirs else 1 if span in theirs else 2
        for name in ("", span[3]):
            found.setdefault(name, [0, 0, 0])[kind] += 1
    return {name: (tp, fp, fn) for name, (tp, fp, fn) in found.items()}


def difficulty(gold: Layer, systems: list[Layer]) -> dict[int, int]:
    """Return how many gold spans so many systems have."""
    layers = [{(d, *s) for d, spans in enumerate(y) for s in spans} for y in systems]
    ours = {(d, *span) for d, spans in enumerate(gold) for span in spans}
    return dict(Counter(sum(span in layer for layer in layers) for span in ours))


def in_units(text: str, place: int, unit: str) -> int:
    """Return an offset as UTF-16 units or bytes."""
    before = text[:place]
    if unit == "codepoints":
        return place
    return len(before.encode("utf-8")) if unit == "bytes" else len(before.encode("utf-16-le")) // 2


def record(dialect: str, number: int, text: str, spans: list[Span], unit: str) -> object:
    """Return a record as a program writes it."""
    rows = [(in_units(text, a, unit), in_units(text, b, unit), label) for a, b, label, _ in spans]
    objects = [{"start": a, "end": b, "label": label} for a, b, label in rows]
    entities = [{"id": k, "start_offset": a, "end_offset": b, "label": label}
                for k, (a, b, label) in enumerate(rows)]  # fmt: skip
    result = [{"type": "labels", "value": {"start": a, "end": b, "labels": [label]}}
              for a, b, label in rows]  # fmt: skip
    return {
        "doccano": {"id": number, "text": text, "label": [list(row) for row in rows]},
        "doccano-new": {"id": number, "text": text, "entities": entities, "relations": []},
        "spacy": {"text": text, "ents": objects},
        "spacy-training": [text, {"entities": rows}],
        "spancat": {"text": text, "ents": [], "spans": {"sc": objects}},
        "prodigy": {"text": text, "_input_hash": number, "answer": "accept"}
        | ({"spans": objects} if objects else {}),
        "label-studio": {
            "id": 900 - number, "data": {"text": text}, "annotations": [{"result": result}],
        },
    }[dialect]  # fmt: skip


DIALECTS = (
    "doccano", "doccano-new", "spacy", "spacy-training", "spancat", "prodigy", "label-studio",
)  # fmt: skip


def write_records(
    path: Path, dialect: str, texts: list[str], layer: Layer, unit: str = "codepoints"
) -> Path:
    """Write a file of records, as one list where the program does so."""
    each = [
        record(dialect, k, t, s, unit) for k, (t, s) in enumerate(zip(texts, layer, strict=True))
    ]
    if dialect in ("label-studio", "spacy-training"):
        path.write_text(json.dumps(each, ensure_ascii=False, indent=1), encoding="utf-8")
    else:
        lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in each)
        path.write_text(lines, encoding="utf-8")
    return path


def write_brat(folder: Path, texts: list[str], layer: Layer, unit: str = "codepoints") -> Path:
    """Write a text and its spans for every document."""
    folder.mkdir(exist_ok=True)
    for number, (text, spans) in enumerate(zip(texts, layer, strict=True)):
        lines = []
        for k, (start, end, label, pieces) in enumerate(spans):
            parts = pieces or ((start, end),)
            places = ";".join(
                f"{in_units(text, a, unit)} {in_units(text, b, unit)}" for a, b in parts
            )
            said = " ".join(text[a:b] for a, b in parts).replace("\n", " ")
            lines.append(f"T{k}\t{label.replace(' ', '_')} {places}\t{said}\n")
        (folder / f"d{number}.txt").write_bytes(text.encode("utf-8"))
        (folder / f"d{number}.ann").write_bytes("".join(lines).encode("utf-8"))
    return folder
