"""Instances of Every Eval Ever: ``*_samples.jsonl``, an interaction with a model on each line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.corpus.statuses import EMPTY, FAILED, UNPARSED
from coleval.loading.readers.json_records import Field, facts, inside, json_records, no_garbage
from coleval.loading.readers.records import Gathered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.model import LongFile
    from coleval.loading.readers.source import Source


def looks_like_every_eval(beginning: bytes) -> bool:
    """Tell whether a file begins with an instance of this schema."""
    return beginning.lstrip()[:1] == b"{" and all(
        name in beginning for name in (b'"schema_version"', b'"sample_id"', b'"model_id"')
    )


def read_every_eval(source: Source, _: Selection, chosen: Sequence[str]) -> LongFile:
    """Return the instances: each has one score, and is right or not."""
    with no_garbage():
        file = json_records(source, numbered=False)
        gathered = Gathered(file.at)
        for at, record in enumerate(file.records):
            _add(gathered, Field(record, file.at(at)), source)
    return gathered.file(source, chosen)


def _add(gathered: Gathered, record: Field, source: Source) -> None:
    evaluation = record["evaluation"]
    score, correct = evaluation["score"].number(), evaluation["is_correct"]
    if correct.value is not None and not isinstance(correct.value, bool):
        raise correct.wrong("true or false")
    answer = _answer(record)
    status = None
    if record.value.get("error"):
        status = FAILED
    elif answer is None:
        status = EMPTY
    elif correct.value is None and score is None:
        status = UNPARSED
    if correct.value is not None:
        gathered.correct[len(gathered)] = correct.value
    gathered.add(
        system=record["model_id"].text() or source.name, task=record["evaluation_name"].text(),
        id=record["sample_id"].needed(), gold=record["input"]["reference"].texts(),
        answer=answer if status is None else None, status=status, scores={"score": score},
        context=facts(record.value.get("metadata")),
    )  # fmt: skip


def _answer(record: Field) -> str | None:
    """Return the last value that was taken from what the model said, else what it said."""
    taken = record.value.get("answer_attribution")
    every = [one for one in taken if isinstance(one, dict)] if isinstance(taken, list) else []
    if every:
        last = next((one for one in reversed(every) if one.get("is_terminal")), every[-1])
        path = "answer_attribution.extracted_value"
        found = Field(last.get("extracted_value"), record.where, path).text()
    else:
        raw = inside(record.value, "output", "raw")
        raw = raw[0] if isinstance(raw, list) and raw else raw
        found = None if isinstance(raw, list) else Field(raw, record.where, "output.raw").text()
    return (found or "").strip() or None
