"""What readers find in changed files, against parsers of a few lines: the same, or an error.

A reader may refuse what a plain parser reads (``--only`` with ``FUZZ_STRICT=1`` shows where), but it
may not read anything else, nor what the parser says is broken.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import fuzz.plain_json as in_json
import fuzz.plain_text as in_text
from coleval.corpus.selection import Selection
from coleval.errors import ColevalError
from coleval.loading.readers.formats import FORMATS
from coleval.loading.readers.source import Source
from fuzz.model import Harness
from fuzz.mutations import mutated
from fuzz.plain_text import Broken, Unsure
from fuzz.reading import check_place
from fuzz.samples import SAMPLES

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_PLAIN = Selection()
Found = Callable[[Source], Any]
Plain = Callable[[bytes], Any]


def _tokens(name: str, source: Source) -> list[tuple[Any, ...]]:
    file = FORMATS[name].tokens(source, _PLAIN, "gold")
    document = [0] * len(file) if file.document is None else file.document.tolist()
    return _rows(file.sentence, document, file.line, file.form, file.columns["gold"])


def _rows(*columns: Any) -> list[tuple[Any, ...]]:
    lists = [c if isinstance(c, list) else c.tolist() if hasattr(c, "tolist") else c.to_list()
             for c in columns]  # fmt: skip
    return list(zip(*lists, strict=True))


def _merged(source: Source) -> list[tuple[Any, ...]]:
    file = FORMATS["columns"].merged(source, _PLAIN)
    document = [0] * len(file) if file.document is None else file.document.tolist()
    return _rows(file.sentence, document, file.line, file.form, *file.columns.values())


def _conllu(source: Source) -> list[tuple[Any, ...]]:
    file = FORMATS["conllu"].tokens(source, Selection(trees=True), "gold")
    picked = [file.columns[name] for name in ("upos", "head", "deprel")]
    return _rows(file.sentence, file.line, file.form, *picked)


def _conllu_plus(source: Source) -> list[tuple[Any, ...]]:
    file = FORMATS["conllu-plus"].tokens(source, _PLAIN, "gold")
    return _rows(file.sentence, file.line, file.form, file.columns["gold"])


def _cupt(source: Source) -> list[tuple[Any, ...]]:
    file = FORMATS["cupt"].spans(source, _PLAIN)
    rows = file.spans.select("sentence", "label", "start", "end", "tokens").rows()
    return sorted(
        (sentence, label, tuple(held) if held is not None else tuple(range(begin, end + 1)))
        for sentence, label, begin, end, held in rows
    )


def _spans(source: Source) -> tuple[list[tuple[Any, ...]], int]:
    file = FORMATS["spans"].spans(source, _PLAIN)
    rows = file.spans.select("sentence", "line", "label", "start", "end", "tokens").rows()
    full = [(*row[:5], tuple(row[5]) if row[5] is not None else tuple(range(row[3], row[4] + 1)))
            for row in rows]  # fmt: skip
    return full, file.sentences


def _pairs(source: Source) -> list[tuple[Any, ...]]:
    file = FORMATS["pairs"].table(source, _PLAIN)
    if file.id is None:
        raise ColevalError("has labels alone", where=source.path, remedy="x")
    return _rows(file.line, file.id, *file.columns.values())


def _matrix(source: Source) -> list[tuple[Any, ...]]:
    file = FORMATS["matrix"].table(source, _PLAIN)
    names = [None] * len(file) if file.id is None else file.id.to_list()
    return _rows(file.line, names, *file.columns.values())


def _table(source: Source) -> tuple[list[str], list[tuple[Any, ...]]]:
    from coleval.loading.readers.frames import read_frame

    frame = read_frame(source)
    frame = frame.keep(~frame.blank)
    if not len(frame.data):
        raise ColevalError("holds no rows", where=source.path, remedy="x")
    return frame.data.columns, frame.data.rows()


def _mentions(name: str, source: Source) -> list[tuple[Any, ...]]:
    file = FORMATS[name].mentions(source, _PLAIN)
    names = file.names.to_list()
    if name == "coref-json":
        starts: dict[int, int] = {}
        for document, chain in _rows(file.document, file.chain):
            starts[document] = min(chain, starts.get(document, chain))
        names = list(range(len(names)))
    return sorted(
        (document, begin, end, names[chain])
        for document, begin, end, chain in _rows(file.document, file.start, file.end, file.chain)
    )


def _partition(rows: list[tuple[Any, ...]]) -> list[list[tuple[Any, ...]]]:
    """Return mentions by chains, whatever chains are called."""
    chains: dict[tuple[Any, Any], list[tuple[Any, ...]]] = {}
    for document, begin, end, chain in rows:
        chains.setdefault((document, chain), []).append((document, begin, end))
    return sorted(map(sorted, chains.values()))


def _sequences(source: Source) -> list[tuple[Any, ...]]:
    file = FORMATS["sequences"].merged(source, _PLAIN)
    return _rows(file.sentence, file.line, file.form, *file.columns.values())


def _entities(source: Source) -> list[tuple[Any, ...]]:
    file = FORMATS["entities"].entities(source, _PLAIN, "system")
    ids = [None] * file.records if file.id is None else file.id.to_list()
    rows = _rows(file.record, file.string, file.label)
    return [(record, ids[record], string, label) for record, string, label in rows]


def _offsets(source: Source) -> list[tuple[Any, ...]]:
    file = FORMATS["offsets"].offsets(source, _PLAIN, "gold")
    return sorted(_rows(file.document, file.start, file.end, file.label))


# What is compared: the sample, what the reader finds, the plain parser, and the task it is for.
MEANINGS: dict[str, tuple[str, Found, Plain]] = {
    "columns": ("columns", partial(_tokens, "columns"), in_text.columns),
    "merged": ("merged", _merged, in_text.merged),
    "hipe": ("hipe", partial(_tokens, "hipe"), in_text.hipe),
    "conllu": ("conllu", _conllu, in_text.conllu),
    "conllu-plus": ("conllu-plus", _conllu_plus, in_text.conllu_plus),
    "cupt": ("cupt", _cupt, in_text.cupt),
    "spans": ("spans", _spans, in_text.spans),
    "pairs": ("pairs", _pairs, in_text.pairs),
    "matrix": ("matrix", _matrix, in_text.matrix),
    "table": ("table", _table, in_text.table),
    "long": ("long", _table, in_text.table),
    "coref": (
        "coref", lambda s: _partition(_mentions("coref", s)),
        lambda data: _partition(in_text.coref(data)),
    ),
    "coref-json": (
        "coref-json", lambda s: _partition(_mentions("coref-json", s)),
        lambda data: _partition(in_json.coref_json(data)),
    ),
    "sequences": ("sequences", _sequences, in_json.sequences),
    "entities": ("entities", _entities, in_json.entities),
    "doccano": ("offsets", _offsets, in_json.doccano),
    "spacy": ("offsets", _offsets, in_json.spacy),
}  # fmt: skip


def _sound(plain: Plain, data: bytes) -> bool:
    try:
        plain(data)
    except (Broken, Unsure):
        return False
    return True


def _case(name: str, random: Random, folder: Path) -> None:
    sample_name, reader, plain = MEANINGS[name]
    if name in ("table", "long", "sequences", "doccano", "spacy"):
        data, file = _table_sample(sample_name, plain, random)
    else:
        sample = SAMPLES[sample_name](random)
        file = sample.systems[0] if name == "entities" else sample.gold
        data = sample.files[file]
    if file.endswith(".jsonl") and name in ("table", "long"):
        plain = in_json.table_json
    _compare(reader, plain, data, folder / file)
    _compare(reader, plain, mutated(random, data), folder / file)


def _table_sample(name: str, plain: Plain, random: Random) -> tuple[bytes, str]:
    """Return a file that the plain parser reads."""
    while True:
        sample = SAMPLES[name](random)
        data = sample.files[sample.gold]
        if _sound(in_json.table_json if sample.gold.endswith("jsonl") and plain is in_text.table
                  else plain, data):  # fmt: skip
            return data, sample.gold


def _compare(reader: Found, plain: Plain, data: bytes, path: Path) -> None:
    path.write_bytes(data)
    found: Any = None
    try:
        found = reader(Source(str(path)))
    except ColevalError as error:
        check_place(error, path.parent)
    try:
        wanted, broken = plain(data), ""
    except Broken as error:
        wanted, broken = None, str(error)
    except Unsure:
        return
    if broken:
        assert found is None, f"read, though broken ({broken}): {_shown(found)}"
    elif found is not None or os.environ.get("FUZZ_STRICT"):
        assert found == wanted, _difference(found, wanted)


def _shown(found: Any) -> str:
    return repr(found)[:300]


def _difference(found: Any, wanted: Any) -> str:
    if found is None:
        return f"refused, though sound: {_shown(wanted)}"
    if isinstance(found, list) and isinstance(wanted, list):
        pairs = zip(found, wanted, strict=False)
        first = next(((k, a, b) for k, (a, b) in enumerate(pairs) if a != b), None)
        if first is not None:
            return f"another meaning at {first[0]}: {first[1]!r} instead of {first[2]!r}"
    return f"another meaning: {_shown(found)} instead of {_shown(wanted)}"


HARNESSES = tuple(
    Harness(f"meaning-{name}", f"{name}: what a reader finds is what a plain parser finds",
            partial(_case, name), in_ci=5)
    for name in MEANINGS
)  # fmt: skip
