"""Scores as other places read them: Every Eval Ever, YAML of the Hugging Face Hub, scores.json.

Each has the signature, and in it the hash of gold: what was counted, of which files, and how.
"""

from __future__ import annotations

import json
import os
import re
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.errors import UsageError
from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from coleval.corpus.report import Report

# The schema that every_eval_ever validates by, and the name under which all datasets are one.
EEE_VERSION, ALL = "0.3.0", "all"
_HEADLINES = ("f1", "accuracy")
_HF_HEAD = """\
# Results of {system} for .eval_results/ of its repository on the Hugging Face Hub.
# dataset.id has to be that of a benchmark there, task_id one of the tasks in its eval.yaml.
"""


def scores(report: Report, table: str | None = None) -> str:
    """Return one object: the scores of a single system by their names, or those of each system."""
    _only_of_scores(report, table)
    systems = scores_of(report)
    pinned = {"signature": report.signature, "gold": gold_of(report)}
    flat = next(iter(systems.values())) if len(systems) == 1 else {"systems": systems}
    return json.dumps({**flat, **pinned}, ensure_ascii=False, indent=2) + "\n"


def every_eval_ever(report: Report, table: str | None = None) -> str:
    """Return a record of Every Eval Ever for each system, one on a line."""
    _only_of_scores(report, table)
    records = (_record(report, system) for system in _systems(report))
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def hf_eval_results(report: Report, table: str | None = None) -> str:
    """Return YAML for the repository of each model, a document a system."""
    _only_of_scores(report, table)
    return "---\n".join(_yaml(report, system) for system in _systems(report))


def of_system(report: Report, system: str) -> Report:
    """Return the report of one system alone."""
    from dataclasses import replace

    tables = {name: frame.filter(pl.col("system") == system)
              for name, frame in report.tables.items() if "system" in frame.columns}  # fmt: skip
    return replace(report, tables=tables)


def scores_of(report: Report) -> dict[str, dict[str, float]]:
    """Return all scores of each system by name; those on a dataset end in its name."""
    found: dict[str, dict[str, float]] = {}
    for system, dataset, metric, value in _every(report):
        end = "" if dataset == ALL else f"_{dataset}"
        found.setdefault(system, {})[f"{metric}{end}"] = value
    for row in report.tables["ranking"].to_dicts() if "ranking" in report.tables else ():
        if row["macro"] is not None:
            found[row["system"]][f"{row['metric']}_mean_of_datasets"] = row["macro"]
    return found


def _every(report: Report) -> Iterator[tuple[str, str, str, float]]:
    """Yield system, dataset, metric and value of each score; trees have several of a name."""
    for name in ("overall", "by"):
        for row in report.tables[name].to_dicts() if name in report.tables else ():
            front = f"{row['metric']}_" if row.get("metric") else ""
            dataset = ALL if name == "overall" else str(row["by"])
            yield from ((row["system"], dataset, f"{front}{column}", value)
                        for column, value in row.items() if isinstance(value, float))  # fmt: skip


def gold_of(report: Report) -> str:
    """Return the hash of gold, which the signature has."""
    match = re.search(r"\|gold:([^|]*)", report.signature)
    return match[1] if match else ""


def _only_of_scores(report: Report, table: str | None) -> None:
    if report.command != "score" or table is not None:
        raise UsageError(
            "this form holds the scores of systems, not other tables", where=report.command,
            remedy="coleval score … --as FORM, without --table",
        )  # fmt: skip


def _systems(report: Report) -> list[str]:
    return list(dict.fromkeys(report.table("overall")["system"].to_list()))


def _results(report: Report, system: str) -> list[tuple[str, str, float]]:
    """Return dataset, metric and value of each headline score of a system."""
    return [(dataset, metric, value) for name, dataset, metric, value in _every(report)
            if name == system and metric.endswith(_HEADLINES)]  # fmt: skip


def _now() -> int:
    """Return the time, or the one that makes builds reproducible."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())


def _record(report: Report, system: str) -> Mapping[str, Any]:
    gold, now = gold_of(report), str(_now())
    details = {"signature": report.signature, "gold_sha256_12": gold}
    return {
        "schema_version": EEE_VERSION,
        "evaluation_id": f"coleval-{gold}/{system}/{now}",
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": "coleval", "source_type": "evaluation_run",
            "source_organization_name": "unknown", "evaluator_relationship": "third_party",
        },
        "eval_library": {"name": "coleval", "version": __version__, "additional_details": details},
        "model_info": {
            "name": system, "id": system,
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": [
            {
                "evaluation_result_id": f"{dataset}/{metric}",
                "evaluation_name": dataset,
                "source_data": {"dataset_name": dataset, "source_type": "other"},
                "metric_config": {
                    "metric_id": metric, "lower_is_better": False, "score_type": "continuous",
                    "min_score": 0, "max_score": 1, "metric_unit": "proportion",
                },
                "score_details": {"score": value},
            }
            for dataset, metric, value in _results(report, system)
        ],
    }  # fmt: skip


def _yaml(report: Report, system: str) -> str:
    """Return the entries of one system; texts in quotes are JSON, which YAML holds."""
    date = datetime.fromtimestamp(_now(), UTC).date().isoformat()
    notes = json.dumps(report.signature, ensure_ascii=False)
    entries = [
        f"- dataset:\n    id: {json.dumps(dataset)}\n    task_id: {json.dumps(metric)}\n"
        f"  value: {value!r}\n  date: {json.dumps(date)}\n  notes: {notes}\n"
        for dataset, metric, value in _results(report, system)
    ]
    return _HF_HEAD.format(system=" ".join(system.split())) + "".join(entries)
