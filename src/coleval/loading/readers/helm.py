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
from coleval.loading.readers import records
from coleval.loading.readers.records import OR, Gathered
from coleval.loading.readers.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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


def read_helm(source: Source, chosen: Sequence[str]) -> LongFile:
    """Return the instances with the scores that were chosen, by default the run's first."""
    every = records.listing(records.document(source), source.path, "the file")
    if not every:
        raise DataError("holds no instances", where=source.path, remedy="is it the right file?")
    spec = records.mapping(
        _beside(source, "run_spec.json", {}), str(Path(source.path).with_name("run_spec.json"))
    )
    task, model = _task_and_model(spec, source)
    answers = _answers(source)
    gathered = Gathered(lambda at: f"{source.path} [{at}]")
    for at, one in enumerate(every):
        where = f"{source.path} [{at}]"
        record = records.mapping(one, where)
        key = _key(record, where)
        scores, split = _scores(record, where)
        said = answers.get(key, {})
        context = {"split": split, "perturbation": key[1], **_arguments(spec)}
        gathered.add(
            system=model, task=task, id=f"{key[0]}:{key[1]}" if key[1] else key[0],
            epoch=key[2], gold=said.get("gold"), answer=said.get("answer"),
            status=said.get("status"), scores=scores,
            context={name: value for name, value in context.items() if value},
        )  # fmt: skip
    return gathered.file(source, chosen or _first(spec, gathered))


def _key(record: Mapping[str, Any], where: str) -> Key:
    changed = record.get("perturbation")
    name = changed.get("name") if isinstance(changed, dict) else None
    trial = records.whole(record.get("train_trial_index"), where, "train_trial_index") or 0
    return records.needed(record.get("instance_id"), where, "instance_id"), str(name or ""), trial


def _scores(record: Mapping[str, Any], where: str) -> tuple[dict[str, float | None], str]:
    """Return the means that judge the answer, and the split that the instance is of."""
    found: dict[str, float | None] = {}
    split = ""
    for at, stat in enumerate(records.listing(record.get("stats"), where, "stats")):
        path = f"stats[{at}]"
        said = records.mapping(
            records.mapping(stat, where, path).get("name"), where, f"{path}.name"
        )
        name = records.needed(said.get("name"), where, f"{path}.name.name")
        split = split or str(said.get("split") or "")
        if not _CALL.match(name) and stat.get("count"):
            found.setdefault(name, records.number(stat.get("mean"), where, f"{path}.mean"))
    return found, split


def _first(spec: Mapping[str, Any], gathered: Gathered) -> list[str]:
    """Return the first score that the run was to have and has."""
    specs = spec.get("metric_specs")
    for one in specs if isinstance(specs, list) else []:
        arguments = one.get("args") if isinstance(one, dict) else None
        names = arguments.get("names") if isinstance(arguments, dict) else None
        for name in names if isinstance(names, list) else []:
            if isinstance(name, str) and name in gathered.scores:
                return [name]
    return []


def _arguments(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the scenario was called with: its subject, for one."""
    scenario = spec.get("scenario_spec")
    return records.facts(scenario.get("args")) if isinstance(scenario, dict) else {}


def _task_and_model(spec: Mapping[str, Any], source: Source) -> tuple[str, str]:
    """Return the scenario without its model, and the model, by the run or its folder's name."""
    folder = Path(source.path).absolute().parent.name
    name = str(spec.get("name") or folder)
    adapter = spec.get("adapter_spec")
    model = adapter.get("model") if isinstance(adapter, dict) else None
    match = _MODEL.search(name)
    task = name.replace(match[0], ":" if match[0].startswith(":") else "") if match else name
    task = task.replace(":,", ":").rstrip(":,")
    return task, str(model or (match["model"] if match else folder) or source.name)


def _beside(source: Source, name: str, default: Any) -> Any:
    path = Path(source.path).with_name(name)
    return records.document(Source(str(path))) if path.is_file() else default


def _answers(source: Source) -> dict[Key, Said]:
    """Return targets, answers and statuses by instance, as far as files beside have them."""
    state = _beside(source, "scenario_state.json", None)
    if state is not None:
        path = str(Path(source.path).with_name("scenario_state.json"))
        return dict(_of_state(records.mapping(state, path), path))
    path = str(Path(source.path).with_name("display_predictions.json"))
    said = dict(_predicted(_beside(source, "display_predictions.json", []), path))
    path = str(Path(source.path).with_name("instances.json"))
    golds = {}
    for at, one in enumerate(
        records.listing(_beside(source, "instances.json", []), path, "the file")
    ):
        instance = records.mapping(one, f"{path} [{at}]")
        golds[_instance(instance)] = _target(instance, {})
    return {
        key: {"gold": golds.get(key[:2]), **said.get(key, {})}
        for key in {**said, **{(*name, 0): None for name in golds}}
    }


def _of_state(state: Mapping[str, Any], path: str) -> Iterator[tuple[Key, Said]]:
    states = records.listing(state.get("request_states"), path, "request_states")
    for at, one in enumerate(states):
        where = f"{path} request_states[{at}]"
        said = records.mapping(one, where)
        if said.get("reference_index") is not None:
            # Each choice was asked for on its own: there is no one answer.
            continue
        instance = records.mapping(said.get("instance"), where, "instance")
        mapped = said.get("output_mapping")
        letters = mapped if isinstance(mapped, dict) else {}
        answer, status = _answer(said.get("result"), letters, where)
        trial = records.whole(said.get("train_trial_index"), where, "train_trial_index") or 0
        gold = _target(instance, letters)
        yield (*_instance(instance), trial), {"gold": gold, "answer": answer, "status": status}


def _instance(instance: Mapping[str, Any]) -> tuple[str, str]:
    changed = instance.get("perturbation")
    name = changed.get("name") if isinstance(changed, dict) else None
    return str(instance.get("id") or ""), str(name or "")


def _target(instance: Mapping[str, Any], letters: Mapping[str, Any]) -> str | None:
    """Return the right reference, or the letter that it had in the question; any of several."""
    references = instance.get("references")
    found = []
    for one in references if isinstance(references, list) else []:
        output = one.get("output") if isinstance(one, dict) else None
        text = output.get("text") if isinstance(output, dict) else None
        tags = one.get("tags") if isinstance(one, dict) else None
        if isinstance(text, str) and isinstance(tags, list) and "correct" in tags:
            found.append(text)
    named = [letter for letter, text in letters.items() if text in found]
    return OR.join(named or found) or None


def _answer(result: Any, letters: Mapping[str, Any], where: str) -> tuple[str | None, str | None]:
    if not isinstance(result, dict):
        return None, None
    if not result.get("success", True):
        return None, FAILED
    completions = result.get("completions")
    first = completions[0] if isinstance(completions, list) and completions else {}
    first = records.mapping(first, where, "result.completions[0]")
    reason = first.get("finish_reason")
    if isinstance(reason, dict) and reason.get("reason") == "content_filter":
        return None, REFUSED
    text = (records.text(first.get("text"), where, "result.completions[0].text") or "").strip()
    if not text:
        return None, EMPTY
    return (None, UNPARSED) if letters and text not in letters else (text, None)


def _predicted(every: Any, path: str) -> Iterator[tuple[Key, Said]]:
    for at, one in enumerate(records.listing(every, path, "the file")):
        where = f"{path} [{at}]"
        record = records.mapping(one, where)
        mapped = records.text(record.get("mapped_output"), where, "mapped_output")
        text = mapped or records.text(record.get("predicted_text"), where, "predicted_text") or ""
        answer = text.strip() or None
        yield _key(record, where), {"answer": answer, "status": None if answer else EMPTY}
