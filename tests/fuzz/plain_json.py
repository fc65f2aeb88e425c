"""The formats of JSON again, by the standard library: what a file says, or that it is not sound."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from fuzz.plain_text import Broken, Rows, Unsure, text_of


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise Unsure("a key twice")
    return dict(pairs)


def _no_constant(name: str) -> NoReturn:
    raise Unsure(f"{name} is no JSON")


def parsed(text: str) -> Any:
    """Return a JSON value."""
    try:
        found = json.loads(text, object_pairs_hook=_no_twins, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Broken("no JSON") from None
    if _lone(found):
        raise Unsure("half a character")
    return found


def _lone(value: Any) -> bool:
    if isinstance(value, str):
        return any("\ud800" <= sign <= "\udfff" for sign in value) or "\0" in value
    if isinstance(value, dict):
        return any(_lone(key) or _lone(one) for key, one in value.items())
    return isinstance(value, list) and any(map(_lone, value))


def records(data: bytes) -> list[tuple[int, dict[str, Any]]]:
    """Return the objects of JSON lines with their lines."""
    text = text_of(data)
    if text.lstrip()[:1] == "[":
        raise Unsure("one list")
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        pass
    else:
        if "\n" in text.strip():
            raise Unsure("one object over many lines")
    found = [(n, parsed(line)) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    if any(not isinstance(one, dict) for _, one in found):
        raise Broken("no object")
    return found


def coref_json(data: bytes) -> Rows:
    """Return (document, begin, end, number of its chain) of each mention, sorted."""
    rows: Rows = []
    names = []
    for at, (line, one) in enumerate(records(data)):
        keys = [k for k in ("id", "name", "doc_key", "doc_id", "document") if k in one]
        names.append(one[keys[0]] if keys else str(line))
        if not isinstance(names[-1], str):
            raise Unsure("a name")
        tokens = one.get("tokens")
        if tokens is None or "sentences" in one:
            raise Unsure("no tokens")
        if not isinstance(tokens, list) or any(isinstance(t, (list, dict)) for t in tokens):
            raise Broken("tokens")
        if any(not isinstance(t, str) for t in tokens):
            raise Unsure("tokens that are no text")
        clusters = one.get("clusters")
        if not isinstance(clusters, (list, dict)):
            raise Broken("no clusters")
        for number, chain in enumerate(
            clusters.values() if isinstance(clusters, dict) else clusters
        ):
            if not isinstance(chain, list):
                raise Broken("a chain")
            for mention in chain:
                ends = [mention, mention] if type(mention) is int else mention
                if (
                    not isinstance(ends, list)
                    or len(ends) < 2
                    or any(type(e) is not int for e in ends[:2])
                ):
                    raise Broken("a mention")
                if len(ends) > 2:
                    raise Unsure("a longer mention")
                if not 0 <= ends[0] <= ends[1] < len(tokens):
                    raise Broken("a mention outside")
                rows.append((at, ends[0], ends[1], number))
    if len(set(names)) != len(names):
        raise Broken("a document twice")
    return sorted(rows)


def sequences(data: bytes) -> Rows:
    """Return (sentence, line, form, gold, bert) of each token."""
    rows: Rows = []
    sentence = -1
    every = records(data)
    for key in ("tokens", "ner_tags", "bert"):
        if not any(isinstance(one.get(key), list) and one[key] for _, one in every):
            raise Unsure("no list in a whole column")
        if any(
            isinstance(v, (list, dict))
            for _, one in every
            for v in (one[key] if isinstance(one.get(key), list) else ())
        ):
            raise Unsure("lists of lists")
    for line, one in every:
        if set(one) != {"id", "tokens", "ner_tags", "bert"} or type(one["id"]) is not str:
            raise Unsure("other keys")
        lists = [one[key] for key in ("tokens", "ner_tags", "bert")]
        if any(not isinstance(given, list) for given in lists):
            raise Broken("no list")
        if len({len(given) for given in lists}) != 1:
            raise Broken("of different lengths")
        if any(not isinstance(v, str) for given in lists for v in given):
            raise Unsure("no text")
        if any(not v for given in lists[1:] for v in given):
            raise Broken("an empty tag")
        if not lists[0] or any(not v.strip() for v in lists[0]) or lists[0] == ["-DOCSTART-"]:
            raise Unsure("an empty token")
        sentence += 1
        rows += [(sentence, line, *cells) for cells in zip(*lists, strict=True)]
    return rows


def table_json(data: bytes) -> tuple[list[str], Rows]:
    """Return the names of the columns and the rows."""
    found = records(data)
    names = list(dict.fromkeys(key for _, one in found for key in one))
    if any(not isinstance(v, str) for _, one in found for v in one.values()):
        raise Unsure("no text")
    if any(set(one) != set(names) for _, one in found) or "" in names:
        raise Unsure("other keys")
    return names, [tuple(one[name] for name in names) for _, one in found]


def entities(data: bytes) -> Rows:
    """Return (record, id, string, label) of each entry."""
    rows: Rows = []
    for at, (_, one) in enumerate(records(data)):
        if set(one) != {"id", "entities"} or type(one["id"]) not in (int, str):
            raise Unsure("other keys")
        given = one["entities"]
        if isinstance(given, dict):
            if any(not isinstance(v, list) for v in given.values()):
                raise Unsure("no list")
            given = [[text, label] for label, texts in given.items() for text in texts]
        elif not isinstance(given, list):
            raise Unsure("no list")
        for entry in given:
            found = _entry(entry)
            if any(not isinstance(v, str) or not v.strip() for v in found):
                raise Unsure("no text")
            rows.append((at, str(one["id"]), *found))
    return rows


def _entry(entry: Any) -> list[Any]:
    if isinstance(entry, dict):
        if set(entry) != {"text", "label"}:
            raise Unsure("other keys")
        return [entry["text"], entry["label"]]
    if not isinstance(entry, list) or len(entry) != 2:
        raise Broken("an entry")
    return entry


def doccano(data: bytes) -> Rows:
    """Return (record, begin, end, label) of each span of texts under ``label``, sorted."""
    rows: Rows = []
    for at, (_, one) in enumerate(records(data)):
        if set(one) != {"id", "text", "label"}:
            raise Unsure("other keys")
        if not isinstance(one["text"], str) or not isinstance(one["label"], list):
            raise Broken("a record")
        for span in one["label"]:
            rows.append((at, *_span(span, one["text"])))
    return sorted(rows)


def spacy(data: bytes) -> Rows:
    """Return (record, begin, end, label) of each span under ``ents`` or ``spans``, sorted."""
    rows: Rows = []
    for at, (_, one) in enumerate(records(data)):
        if set(one) not in ({"text", "ents"}, {"text", "spans"}):
            raise Unsure("other keys")
        given = one.get("ents", one.get("spans"))
        if isinstance(given, dict):
            raise Unsure("groups of spans")
        if not isinstance(one["text"], str) or not isinstance(given, list):
            raise Broken("a record")
        for span in given:
            if not isinstance(span, dict):
                raise Broken("a span")
            if set(span) != {"start", "end", "label"}:
                raise Unsure("other keys")
            rows.append((at, *_span([span["start"], span["end"], span["label"]], one["text"])))
    return sorted(rows)


def _span(span: Any, text: str) -> tuple[int, int, str]:
    if not isinstance(span, list) or len(span) < 3:
        raise Broken("a span")
    begin, end, label = span[:3]
    if len(span) > 3:
        raise Unsure("a longer span")
    if type(begin) is not int or type(end) is not int:
        raise (
            Unsure("numbers of another kind")
            if {type(begin), type(end)} <= {int, float}
            else Broken("")
        )
    if not isinstance(label, str):
        raise Unsure("a label") if isinstance(label, (int, float)) else Broken("a label")
    if not label.strip() or not 0 <= begin < end <= len(text) or not text[begin:end].strip():
        raise Broken("a span")
    return begin, end, label
