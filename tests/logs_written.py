"""Small logs of each evaluation program, as it writes them, for tests."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib

import pyarrow as pa


def sample(number, target, value, answer, *, scorer="choice", epoch=1, **more):
    """Return a sample of Inspect."""
    scores = {} if value is None else {scorer: {"value": value, "answer": answer}}
    return {"id": number, "epoch": epoch, "input": "?", "target": target, "scores": scores,
            "output": {"choices": [{"stop_reason": "stop"}], "completion": answer or ""},
            "metadata": {"subject": "law"}, **more}  # fmt: skip


def inspect_head(model="m/one", task="arc", ids=()):
    """Return what the header of a log says."""
    data = {"name": task, "sample_ids": list(ids)}
    return {"version": 2, "status": "success",
            "eval": {"task": task, "model": model, "dataset": data}}  # fmt: skip


def inspect_json(samples, **head):
    """Return a log as one JSON document."""
    return json.dumps({**inspect_head(**head), "samples": samples}, indent=1)


def inspect_zip(samples, *, method=8, head=True, **about):
    """Return a log as a zip, its members compressed by a method of the format: 0, 8 or 93."""
    members = {f"samples/{s['id']}_epoch_{s['epoch']}.json": s for s in samples}
    if head:
        members = {"header.json": inspect_head(**about), **members}
    return zipped({name: json.dumps(one, indent=1) for name, one in members.items()}, method)


def zipped(members, method=8):
    """Return a zip of some texts; zstd is written by hand, as no ``zipfile`` knows it here."""
    if method != 93:
        into = io.BytesIO()
        with zipfile.ZipFile(into, "w", method) as archive:
            for name, text in members.items():
                archive.writestr(name, text)
        return into.getvalue()
    return _by_hand({name: text.encode() for name, text in members.items()})


def _by_hand(members):
    """Return a zip of zstd members, entry by entry (APPNOTE 4.3)."""
    body, directory = b"", b""
    for name, plain in members.items():
        packed = pa.compress(plain, codec="zstd", asbytes=True)
        sizes = struct.pack("<III", zlib.crc32(plain), len(packed), len(plain))
        common = struct.pack("<HHHI", 63, 0, 93, 0) + sizes
        entry = struct.pack("<4sH", b"PK\x01\x02", 63) + common
        entry += struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0, len(body))
        directory += entry + name.encode()
        body += struct.pack("<4s", b"PK\x03\x04") + common
        body += struct.pack("<HH", len(name), 0) + name.encode() + packed
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, len(members), len(members),
                      len(directory), len(body), 0)  # fmt: skip
    return body + directory + end


def lm_eval(number, target, answer, score, *, metric="exact_match", **more):
    """Return a record of the LM Evaluation Harness."""
    return {"doc_id": number, "doc": {"level": "easy", "parts": [1]}, "target": target,
            "resps": [[answer]], "filtered_resps": [answer], "filter": "none",
            "metrics": [metric], metric: score, **more}  # fmt: skip


def every_eval(number, reference, answer, *, right, score=None, model="org/one", **more):
    """Return an instance of Every Eval Ever."""
    return {"schema_version": "0.3.0", "model_id": model, "evaluation_name": "bench",
            "sample_id": number, "input": {"raw": "?", "reference": reference},
            "output": {"raw": [f"It is {answer}."]},
            "answer_attribution": [{"extracted_value": answer, "is_terminal": True}],
            "evaluation": {"score": float(right) if score is None else score,
                           "is_correct": right},
            "metadata": {"subject": "maths"}, **more}  # fmt: skip


def helm_stats(number, **scores):
    """Return the statistics of an instance of HELM."""
    scores = {"num_prompt_tokens": 12, **scores}
    stats = [{"name": {"name": name, "split": "test"}, "count": 1, "sum": score, "mean": score}
             for name, score in scores.items()]  # fmt: skip
    return {"instance_id": number, "train_trial_index": 0, "stats": stats}


def helm_state(number, right, text, letters=None, **result):
    """Return the request of an instance of HELM, with what the model said."""
    references = [{"output": {"text": one}, "tags": ["correct"] if one == right else []}
                  for one in (letters or {"": right}).values()]  # fmt: skip
    result = {"success": True, "completions": [{"text": text}], **result}
    return {"instance": {"id": number, "references": references}, "train_trial_index": 0,
            **({"output_mapping": letters} if letters else {}), "result": result}  # fmt: skip


def helm_run(folder, states, stats, model="org/one", names=("exact_match",)):
    """Write the files of a run; return the path of its statistics."""
    folder.mkdir(parents=True, exist_ok=True)
    spec = {"name": f"mmlu:subject=law,model={model.replace('/', '_')}",
            "scenario_spec": {"args": {"subject": "law"}}, "adapter_spec": {"model": model},
            "metric_specs": [{"args": {"names": list(names)}}]}  # fmt: skip
    (folder / "run_spec.json").write_text(json.dumps(spec))
    (folder / "scenario_state.json").write_text(json.dumps({"request_states": states}))
    path = folder / "per_instance_stats.json"
    path.write_text(json.dumps(stats))
    return path


def lines(records):
    """Return records as lines of JSON."""
    return "".join(json.dumps(record) + "\n" for record in records)
