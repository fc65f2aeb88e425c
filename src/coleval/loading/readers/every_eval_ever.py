"""Instances of Every Eval Ever: ``*_samples.jsonl``, an interaction with a model on each line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from coleval.corpus.statuses import EMPTY, FAILED, UNPARSED
from coleval.loading.readers import records
from coleval.loading.readers.records import Gathered, lined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.loading.readers.model import LongFile
    from coleval.loading.readers.source import Source


def looks_like_every_eval(beginning: bytes) -> bool:
    """Tell whether a file begins with an instance of this schema."""
    return beginning.lstrip()[:1] == b"{" and all(
        name in beginning for name in (b'"schema_version"', b'"sample_id"', b'"model_id"')
    )


def read_every_eval(source: Source, chosen: Sequence[str]) -> LongFile:
    """Return the instances: each has one score, and is right or not."""
    numbers: list[int] = []
    gathered = Gathered(lined(source.path, numbers))
    for line, record in records.lines(source):
        numbers.append(line)
        _add(gathered, record, f"{source.path}:{line}", source)
    return gathered.file(source, chosen)


def _add(gathered: Gathered, record: dict[str, Any], where: str, source: Source) -> None:
    found = records.mapping(record.get("evaluation"), where, "evaluation")
    score = records.number(found.get("score"), where, "evaluation.score")
    right = found.get("is_correct")
    if right is not None and not isinstance(right, bool):
        raise records.wrong(right, where, "evaluation.is_correct", "true or false")
    answer = _answer(record, where)
    status = None
    if record.get("error"):
        status = FAILED
    elif answer is None:
        status = EMPTY
    elif right is None and score is None:
        status = UNPARSED
    if right is not None:
        gathered.correct[len(gathered)] = right
    asked = records.mapping(record.get("input"), where, "input")
    gathered.add(
        system=records.text(record.get("model_id"), where, "model_id") or source.name,
        task=records.text(record.get("evaluation_name"), where, "evaluation_name"),
        id=records.needed(record.get("sample_id"), where, "sample_id"),
        gold=records.texts(asked.get("reference"), where, "input.reference"),
        answer=answer if status is None else None, status=status, scores={"score": score},
        context=records.facts(record.get("metadata")),
    )  # fmt: skip


def _answer(record: dict[str, Any], where: str) -> str | None:
    """Return the last value that was taken from what the model said, else what it said."""
    taken = record.get("answer_attribution")
    every = [one for one in taken or () if isinstance(one, dict)] if isinstance(taken, list) else []
    last = next((one for one in reversed(every) if one.get("is_terminal")), None)
    last = last or (every[-1] if every else None)
    if last is not None:
        name = "answer_attribution.extracted_value"
        found = records.text(last.get("extracted_value"), where, name)
    else:
        output = record.get("output")
        raw = output.get("raw") if isinstance(output, dict) else None
        raw = raw[0] if isinstance(raw, list) and raw else raw
        found = None if isinstance(raw, list) else records.text(raw, where, "output.raw")
    return (found or "").strip() or None
