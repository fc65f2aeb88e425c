"""Long tables in plain loops and dicts: which answer counts, what is right, what has a status.

``rows`` are dicts with system, id, gold, answer, score, status and epoch, None where there is none.
"""

from __future__ import annotations


def golds(rows, policy):
    """Return gold of each instance, or None where it differs and that is an error."""
    votes = {}
    for row in rows:
        said = votes.setdefault(row["id"], {})
        if row["gold"] is not None:
            said[row["gold"]] = said.get(row["gold"], 0) + 1
    if policy == "error" and any(len(said) > 1 for said in votes.values()):
        return None
    found = {}
    for name, said in votes.items():
        best = None
        for gold, n in said.items():
            if best is None or (policy == "majority" and n > said[best]):
                best = gold
        found[name] = best
    return found


def judged(row, gold, by, threshold):
    """Return (status, right or None) of one record; ``by`` is label or score."""
    if by == "label":
        there = row["answer"] is not None
        right = row["answer"] == gold if there else None
    else:
        there = row["score"] is not None
        right = row["score"] >= threshold if there else None
    status = row["status"]
    if status in ("unparsed", "empty") and there and right:
        status = "ok"
    elif status in (None, "ok"):
        status = "ok" if there else "unparsed" if row["answer"] is not None else "empty"
    return status, right if status == "ok" else None


def one(records, policy):
    """Return the one of several answers that counts; each is (epoch, order, status, right, row)."""
    ordered = sorted(records, key=lambda r: (r[0] is None, r[0] or 0, r[1]))
    if policy in ("first", ""):
        return ordered[0]
    wished = policy == "any"
    best = ordered[0]
    for record in ordered[1:]:
        if _worth(record, wished) > _worth(best, wished):
            best = record
    return best


def _worth(record, wished):
    """Return what the record to be taken has most of: being right, or being wrong."""
    right, score = bool(record[3]), record[4]["score"]
    if wished:
        return (right, score is not None, score or 0.0)
    return (not right, score is None, -(score or 0.0))


def expected(rows, *, by, policy="", conflicting="error", threshold=1.0):
    """Return (gold by id, {system: {id: (answer, score, status, right)}}), None if gold differs."""
    gold = golds(rows, conflicting)
    if gold is None:
        return None
    every = {}
    for order, row in enumerate(rows):
        status, right = judged(row, gold[row["id"]], by, threshold)
        answers = every.setdefault(row["system"], {})
        record = (row["epoch"], order, status, right, row)
        answers.setdefault(row["id"], []).append(record)
    found = {}
    for system, answers in every.items():
        found[system] = {}
        for name in gold:
            records = answers.get(name)
            if records is None:
                found[system][name] = (None, None, "not run", None)
            elif policy == "mean":
                found[system][name] = _mean(records, threshold)
            else:
                _, _, status, right, row = one(records, policy)
                answer = row["answer"] if status == "ok" else None
                found[system][name] = (answer, row["score"], status, right)
    return gold, found


def _mean(records, threshold):
    first = one(records, "first")
    there = [record[4]["score"] for record in records if record[2] == "ok"]
    there = [score for score in there if score is not None]
    mean = sum(there) / len(there) if there else None
    status = "ok" if any(record[2] == "ok" for record in records) else first[2]
    return None, mean, status, mean >= threshold if status == "ok" else None
