"""Logs of the LM Evaluation Harness: ``samples_TASK_DATE.jsonl``, a question and its answer a line.

The model's name is in the results file beside it. Several choices are scored by their likelihoods:
the answer is the number of the likeliest one.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coleval.corpus.statuses import EMPTY, UNPARSED
from coleval.errors import ColevalError, UsageError
from coleval.loading.readers import records
from coleval.loading.readers.records import Gathered, lined
from coleval.loading.readers.source import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def read_lm_eval(source: Source, chosen: Sequence[str]) -> LongFile:
    """Return the records with the scores that were chosen, by default the first of the file.

    Where a file has answers by several filters, a score is called ``exact_match:FILTER``.
    """
    every = list(records.lines(source))
    filters = list(dict.fromkeys(str(record.get("filter", "")) for _, record in every))
    wanted, names = _chosen(source, chosen, filters, every)
    numbers = [n for n, record in every if str(record.get("filter", "")) == wanted]
    task, model = _task_and_model(source)
    gathered = Gathered(lined(source.path, numbers))
    for line, record in every:
        if str(record.get("filter", "")) == wanted:
            _add(gathered, record, f"{source.path}:{line}", (task, model), names)
    return gathered.file(source, names)


def _chosen(
    source: Source, chosen: Sequence[str], filters: list[str], every: list[Any]
) -> tuple[str, list[str]]:
    """Return the filter whose records count, and the scores without it."""
    named = [name for name in chosen if name.partition(":")[2] in filters and ":" in name]
    found = list(dict.fromkeys(name.partition(":")[2] for name in named))
    if len(filters) == 1 or len(found) == 1:
        wanted = found[0] if found else filters[0]
        return wanted, [name.removesuffix(f":{wanted}") for name in chosen]
    metrics = next((list(_scores(r, "")) for _, r in every), [])
    metric = metrics[0] if metrics else "exact_match"
    raise UsageError(
        f"every question has an answer by each of {len(filters)} filters: {', '.join(filters)}",
        where=source.path,
        remedy=f"say which counts: --score {metric}:{filters[0]}",
    )


def _add(
    gathered: Gathered,
    record: dict[str, Any],
    where: str,
    run: tuple[str, str],
    names: Sequence[str],
) -> None:
    answer, status = _answer(record, where)
    scores = _scores(record, where)
    counts = names[0] if names else next(iter(scores), "")
    if status is None and counts in scores and scores[counts] is None:
        status = UNPARSED
    task, model = run
    gathered.add(
        system=model, task=task, id=records.needed(record.get("doc_id"), where, "doc_id"),
        gold=records.texts(record.get("target"), where, "target"), answer=answer, status=status,
        scores=scores, context=records.facts(record.get("doc")),
    )  # fmt: skip


def _scores(record: dict[str, Any], where: str) -> dict[str, float | None]:
    """Return what a record was scored; lists are for scores of the whole, as perplexity is."""
    names = record.get("metrics")
    listed = isinstance(names, list) and all(isinstance(name, str) for name in names)
    found = names if isinstance(names, list) and listed else [n for n in record if n not in _OWN]
    return {
        name: records.number(record[name], where, name)
        for name in found
        if isinstance(record.get(name), (bool, int, float))
    }


def _answer(record: dict[str, Any], where: str) -> tuple[str | None, str | None]:
    """Return the answer that was scored, and its status if there is none."""
    name = "filtered_resps" if "filtered_resps" in record else "resps"
    given = record.get(name)
    if isinstance(given, list) and given and all(isinstance(one, list) for one in given):
        if all(len(one) == 2 and _is_number(one[0]) for one in given):
            return _likeliest(given), None
        given = given[0]
    while isinstance(given, list):
        given = given[0] if given else None
    found = records.text(given, where, name)
    if found is None or not found.strip():
        return None, EMPTY
    if found.strip() == _NO_ANSWER:
        return None, UNPARSED
    return found.strip(), None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _likeliest(choices: list[Any]) -> str | None:
    """Return the number of the choice with the greatest likelihood, the first of several."""
    values = [float(choice[0]) for choice in choices]
    return str(values.index(max(values))) if len(values) > 1 else None


def _task_and_model(source: Source) -> tuple[str, str]:
    """Return the task by the file's name, and the model by the results beside it."""
    name = Path(source.path).name.partition(".jsonl")[0]
    match = _DATED.match(name)
    task = match["task"] if match else name
    date = match["date"] if match else None
    folder = Path(source.path).parent
    beside = folder / f"results_{date}.json"
    return task, (_model(beside) if date and beside.is_file() else "") or source.name


def _model(path: Path) -> str:
    """Return the model that a results file is of, nothing if it does not say so."""
    try:
        results = records.document(Source(str(path)))
    except ColevalError:
        return ""
    name = results.get("model_name") if isinstance(results, dict) else None
    return name if isinstance(name, str) else ""
