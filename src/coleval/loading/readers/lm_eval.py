"""Logs of the LM Evaluation Harness: ``samples_TASK_DATE.jsonl``, a question and its answer a line.

The model's name is in the results file beside it. Several choices are scored by their likelihoods:
the answer is the number of the likeliest one.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coleval.corpus.statuses import EMPTY, UNPARSED
from coleval.errors import ColevalError, UsageError
from coleval.loading.readers.json_records import (
    Field,
    document,
    facts,
    inside,
    json_records,
    no_garbage,
)
from coleval.loading.readers.records import Gathered
from coleval.loading.readers.source import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.model import LongFile

_DATED = re.compile(r"(?:samples_)?(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+))?$")
# What the harness' filters give where they find no answer in the text.
_NO_ANSWER = "[invalid]"
_OWN = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
        "doc_hash", "prompt_hash", "target_hash")  # fmt: skip


def looks_like_samples(beginning: bytes) -> bool:
    """Tell whether a file begins with a record of the harness."""
    return beginning.lstrip()[:1] == b"{" and all(
        name in beginning for name in (b'"doc_id"', b'"doc"')
    )


def read_lm_eval(source: Source, _: Selection, chosen: Sequence[str]) -> LongFile:
    """Return the records with the scores that were chosen, by default the first of the file.

    Where a file has answers by several filters, a score is called ``exact_match:FILTER``.
    """
    with no_garbage():
        file = json_records(source, numbered=False)
        every = [Field(record, file.at(at)) for at, record in enumerate(file.records)]
        filters = list(dict.fromkeys(str(record.fields().get("filter", "")) for record in every))
        wanted, names = _chosen(source, chosen, filters, every)
        every = [record for record in every if str(record.value.get("filter", "")) == wanted]
        gathered = Gathered(lambda at: every[at].where)
        run = _task_and_model(source)
        for record in every:
            _add(gathered, record, run, names)
    return gathered.file(source, names)


def _chosen(
    source: Source, chosen: Sequence[str], filters: list[str], every: list[Field]
) -> tuple[str, list[str]]:
    """Return the filter whose records count, and the scores without it."""
    named = [name for name in chosen if name.partition(":")[2] in filters and ":" in name]
    found = list(dict.fromkeys(name.partition(":")[2] for name in named))
    if len(filters) == 1 or len(found) == 1:
        wanted = found[0] if found else filters[0]
        return wanted, [name.removesuffix(f":{wanted}") for name in chosen]
    metric = next((name for name in _scores(every[0])), "exact_match")
    raise UsageError(
        f"every question has an answer by each of {len(filters)} filters: {', '.join(filters)}",
        where=source.path,
        remedy=f"say which counts: --score {metric}:{filters[0]}",
    )


def _add(gathered: Gathered, record: Field, run: tuple[str, str], names: Sequence[str]) -> None:
    answer, status = _answer(record)
    scores = _scores(record)
    counts = names[0] if names else next(iter(scores), "")
    if status is None and counts in scores and scores[counts] is None:
        status = UNPARSED
    task, model = run
    gathered.add(
        system=model, task=task, id=record["doc_id"].needed(), gold=record["target"].texts(),
        answer=answer, status=status, scores=scores, context=facts(record.value.get("doc")),
    )  # fmt: skip


def _scores(record: Field) -> dict[str, float | None]:
    """Return what a record was scored; lists are for scores of the whole, as perplexity is."""
    fields = record.value
    names = fields.get("metrics")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        names = [name for name in fields if name not in _OWN]
    return {
        name: record[name].number()
        for name in names
        if isinstance(fields.get(name), (bool, int, float))
    }


def _answer(record: Field) -> tuple[str | None, str | None]:
    """Return the answer that was scored, and its status if there is none."""
    name = "filtered_resps" if "filtered_resps" in record.value else "resps"
    given = record.value.get(name)
    if isinstance(given, list) and given and all(isinstance(one, list) for one in given):
        if all(len(one) == 2 and _is_number(one[0]) for one in given):
            # Of several choices with their likelihoods the first of the likeliest.
            values = [float(one[0]) for one in given]
            return str(values.index(max(values))) if len(values) > 1 else None, None
        given = given[0]
    while isinstance(given, list):
        given = given[0] if given else None
    found = (Field(given, record.where, name).text() or "").strip()
    if not found:
        return None, EMPTY
    return (None, UNPARSED) if found == _NO_ANSWER else (found, None)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _task_and_model(source: Source) -> tuple[str, str]:
    """Return the task by the file's name, and the model by the results beside it."""
    name = Path(source.path).name.partition(".jsonl")[0]
    match = _DATED.match(name)
    task = match["task"] if match else name
    results = Path(source.path).parent / f"results_{match['date'] if match else None}.json"
    model = None
    if results.is_file():
        with suppress(ColevalError):
            model = inside(document(Source(str(results))), "model_name")
    return task, (model if isinstance(model, str) else "") or source.name
