"""Results of HELM: ``per_instance_stats.json`` with the files of its run beside it.

The statistics are in the file; model and scenario are in ``run_spec.json``; references and answers
in ``scenario_state.json``, or in ``instances.json`` and ``display_predictions.json``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coleval.corpus.statuses import EMPTY, FAILED, REFUSED, UNPARSED
from coleval.errors import DataError
from coleval.loading.readers.json_records import OR, Field, document, facts, inside
from coleval.loading.readers.records import Gathered
from coleval.loading.readers.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.model import LongFile

    # An instance, the name of its perturbation, the number of its trial.
    Key = tuple[str, str, int]
    Said = dict[str, Any]
# Statistics of the call, not of the answer.
_CALL = re.compile(
    r"num_|training_|inference_|batch_size|finish_reason_|prompt_truncated|max_prob|logprob$"
)
_MODEL = re.compile(r"(?:^|[,:])model=(?P<model>[^,]+)")


def looks_like_helm(beginning: bytes) -> bool:
    """Tell whether a file begins with the statistics of an instance."""
    return beginning.lstrip()[:1] == b"[" and all(
        name in beginning for name in (b'"instance_id"', b'"stats"')
    )


def read_helm(source: Source, _: Selection, chosen: Sequence[str]) -> LongFile:
    """Return the instances with the scores that were chosen, by default the run's first."""
    every = list(Field(document(source), source.path, "the file").items())
    if not every:
        raise DataError("holds no instances", where=source.path, remedy="is it the right file?")
    spec = (_beside(source, "run_spec.json") or Field({}, "")).fields()
    arguments = facts(inside(spec, "scenario_spec", "args"))
    task, model = _task_and_model(spec, source)
    answers = _answers(source)
    gathered = Gathered(lambda at: f"{source.path} [{at}]")
    for at, one in enumerate(every):
        record = Field(one.value, f"{source.path} [{at}]")
        key = _key(record)
        scores, split = _scores(record)
        given = answers.get(key, {})
        context = {"split": split, "perturbation": key[1], **arguments}
        gathered.add(
            system=model, task=task, id=f"{key[0]}:{key[1]}" if key[1] else key[0],
            epoch=key[2], gold=given.get("gold"), answer=given.get("answer"),
            status=given.get("status"), scores=scores,
            context={name: value for name, value in context.items() if value},
        )  # fmt: skip
    return gathered.file(source, chosen or _first(spec, gathered))


def _key(record: Field) -> Key:
    trial = record["train_trial_index"].whole() or 0
    perturbation = str(inside(record.value, "perturbation", "name") or "")
    return record["instance_id"].needed(), perturbation, trial


def _scores(record: Field) -> tuple[dict[str, float | None], str]:
    """Return the means that judge the answer, and the split that the instance is of."""
    found: dict[str, float | None] = {}
    split = ""
    for stat in record["stats"].items():
        name = stat["name"]["name"].needed()
        split = split or str(inside(stat.value, "name", "split") or "")
        if not _CALL.match(name) and stat.value.get("count"):
            found.setdefault(name, stat["mean"].number())
    return found, split


def _first(spec: Mapping[str, Any], gathered: Gathered) -> list[str]:
    """Return the first score that the run was to have and has."""
    specs = spec.get("metric_specs")
    for one in specs if isinstance(specs, list) else []:
        names = inside(one, "args", "names")
        for name in names if isinstance(names, list) else []:
            if isinstance(name, str) and name in gathered.scores:
                return [name]
    return []


def _task_and_model(spec: Mapping[str, Any], source: Source) -> tuple[str, str]:
    """Return the scenario without its model, and the model, by the run or its folder's name."""
    folder = Path(source.path).absolute().parent.name
    name = str(spec.get("name") or folder)
    match = _MODEL.search(name)
    task = name.replace(match[0], ":" if match[0].startswith(":") else "") if match else name
    model = inside(spec, "adapter_spec", "model") or (match["model"] if match else folder)
    return task.replace(":,", ":").rstrip(":,"), str(model or source.name)


def _beside(source: Source, name: str) -> Field | None:
    """Return what another file of the run says, None if there is none."""
    path = Path(source.path).with_name(name)
    return Field(document(Source(str(path))), str(path), "the file") if path.is_file() else None


def _answers(source: Source) -> dict[Key, Said]:
    """Return targets, answers and statuses by instance, as far as files beside have them."""
    if (state := _beside(source, "scenario_state.json")) is not None:
        return dict(_of_state(Field(state.value, state.where)))
    found: dict[Key, Said] = {}
    if (predictions := _beside(source, "display_predictions.json")) is not None:
        for at, one in enumerate(predictions.items()):
            record = Field(one.value, f"{one.where} [{at}]")
            text = record["mapped_output"].text() or record["predicted_text"].text() or ""
            answer = text.strip() or None
            found[_key(record)] = {"answer": answer, "status": None if answer else EMPTY}
    golds = {}
    if (instances := _beside(source, "instances.json")) is not None:
        for at, one in enumerate(instances.items()):
            fields = Field(one.value, f"{one.where} [{at}]").fields()
            golds[_instance(fields)] = _target(fields, {})
    return {
        key: {"gold": golds.get(key[:2]), **found.get(key, {})}
        for key in {**found, **{(*name, 0): None for name in golds}}
    }


def _of_state(state: Field) -> Iterator[tuple[Key, Said]]:
    for one in state["request_states"].items():
        record = Field(one.value, f"{state.where} {one.path}")
        if record.fields().get("reference_index") is not None:
            # Each choice was asked for on its own: there is no one answer.
            continue
        instance = record["instance"].fields()
        mapped = record.value.get("output_mapping")
        letters = mapped if isinstance(mapped, dict) else {}
        answer, status = _answer(record, letters)
        trial = record["train_trial_index"].whole() or 0
        gold = _target(instance, letters)
        yield (*_instance(instance), trial), {"gold": gold, "answer": answer, "status": status}


def _instance(instance: Mapping[str, Any]) -> tuple[str, str]:
    name = inside(instance, "perturbation", "name")
    return str(instance.get("id") or ""), str(name or "")


def _target(instance: Mapping[str, Any], letters: Mapping[str, Any]) -> str | None:
    """Return the right reference, or the letter that it had in the question; any of several."""
    references = instance.get("references")
    found = []
    for one in references if isinstance(references, list) else []:
        text, tags = inside(one, "output", "text"), inside(one, "tags")
        if isinstance(text, str) and isinstance(tags, list) and "correct" in tags:
            found.append(text)
    named = [letter for letter, text in letters.items() if text in found]
    return OR.join(named or found) or None


def _answer(record: Field, letters: Mapping[str, Any]) -> tuple[str | None, str | None]:
    result = record.value.get("result")
    if not isinstance(result, dict):
        return None, None
    if not result.get("success", True):
        return None, FAILED
    completions = result.get("completions")
    first = completions[0] if isinstance(completions, list) and completions else {}
    completion = Field(first, record.where, "result.completions[0]")
    given = completion["text"]
    if inside(first, "finish_reason", "reason") == "content_filter":
        return None, REFUSED
    text = (given.text() or "").strip()
    if not text:
        return None, EMPTY
    return (None, UNPARSED) if letters and text not in letters else (text, None)
