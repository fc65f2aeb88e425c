"""Logs of Inspect: ``.eval``, a zip with a member for each sample, and ``.json``, all in one.

A sample is of an epoch, has its target, what its scorers said, and an error if it broke off. Ids
that the log says it has samples of, but has not, were not run.
"""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

from coleval.corpus.statuses import EMPTY, FAILED, NOT_RUN, REFUSED, UNPARSED
from coleval.errors import DataError
from coleval.loading.readers.json_records import Field, decoded, document, facts, inside
from coleval.loading.readers.records import Gathered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from zipfile import ZipInfo

    from coleval.corpus.selection import Selection
    from coleval.loading.readers.model import LongFile
    from coleval.loading.readers.source import Source

_SAMPLES = "samples/"
# What scorers say in letters (Inspect, "Scorers"): correct, partial, incorrect, no answer.
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_NO_ANSWER = "N"
# The method of zstd, which ``zipfile`` knows from Python 3.14 on.
_ZSTD = 93
# No member of a log is larger; a damaged size must not take all memory.
_LARGEST = 1 << 32
_BROKEN = (BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, RuntimeError,
           MemoryError)  # fmt: skip


def looks_like_inspect(beginning: bytes) -> bool:
    """Tell whether a file begins as a log in JSON does."""
    start = beginning.lstrip()
    return start[:1] == b"{" and b'"eval"' in start and b'"status"' in start


def read_inspect(source: Source, _: Selection, chosen: Sequence[str]) -> LongFile:
    """Return the samples with the scores that were chosen, by default the first scorer's."""
    zipped = source.raw.startswith(b"PK")
    places: list[str] = []
    gathered = Gathered(places.__getitem__)
    samples = _of_zip(source) if zipped else _of_document(source)
    head = inside(next(samples)[1], "eval")
    task, model = str(inside(head, "task") or ""), str(inside(head, "model") or source.name)
    for place, sample in samples:
        places.append(place)
        _add(gathered, Field(sample, place), chosen, system=model, task=task)
    if not places:
        raise DataError(
            "holds no samples",
            where=source.path,
            remedy="was the log written with --no-log-samples, or before the first sample ended?",
        )
    expected, seen = inside(head, "dataset", "sample_ids"), set(gathered.rows["id"])
    for one in expected if isinstance(expected, list) else []:
        if isinstance(one, (str, int)) and str(one) not in seen:
            places.append(source.path)
            gathered.add(system=model, task=task, id=str(one), status=NOT_RUN)
    return gathered.file(source, chosen)


def _of_zip(source: Source) -> Iterator[tuple[str, Any]]:
    """Yield the header, then the samples."""
    data, path = source.raw, source.path
    try:
        archive = ZipFile(BytesIO(data))
    except _BROKEN as error:
        raise _damaged(path, str(error)) from None
    every = archive.infolist()
    heads = [one for one in every if one.filename in {"header.json", "_journal/start.json"}]
    if every and not heads and not any(one.filename.startswith(_SAMPLES) for one in every):
        raise DataError(
            "is a zip, but no log of Inspect",
            where=path,
            remedy="unpack it; a file by itself may be packed as .gz, .zst, .bz2 or .xz",
        )
    yield path, _member(archive, heads[0], data, path) if heads else None
    for one in every:
        if one.filename.startswith(_SAMPLES) and one.filename.endswith(".json"):
            yield f"{path} {one.filename}", _member(archive, one, data, path)


def _member(archive: ZipFile, member: ZipInfo, data: bytes, path: str) -> Any:
    """Return what a member of a zip says; raise if it is damaged or compressed in another way."""
    where = f"{path} {member.filename}"
    try:
        if member.file_size > _LARGEST:
            raise BadZipFile("a member is larger than 4 GB")
        zstd = member.compress_type == _ZSTD
        found = _from_zstd(member, data) if zstd else archive.read(member)
    except NotImplementedError:
        raise DataError(
            f"is compressed by method {member.compress_type}, which cannot be read",
            where=where,
            remedy="write the zip again with deflate or zstd",
        ) from None
    except _BROKEN as error:
        raise _damaged(where, str(error)) from None
    return decoded(found, where)


def _from_zstd(member: ZipInfo, data: bytes) -> bytes:
    import pyarrow as pa

    # How long the name and what stands behind it are in the header of a member (APPNOTE 4.3.7).
    start = member.header_offset + 30
    start += sum(struct.unpack_from("<HH", data, start - 4))
    packed = memoryview(data)[start : start + member.compress_size]
    # Its buffer has exactly the size said, whatever the data are: a wrong one is an error.
    found: bytes = pa.decompress(packed, member.file_size, "zstd", asbytes=True) if packed else b""
    if zlib.crc32(found) != member.CRC:
        raise BadZipFile("it does not hold what the directory says")
    return found


def _damaged(where: str, problem: str) -> DataError:
    return DataError(
        f"the zip is damaged ({problem})", where=where, remedy="fetch or write the file again"
    )


def _of_document(source: Source) -> Iterator[tuple[str, Any]]:
    log = Field(document(source), source.path)
    yield source.path, log.fields()
    for one in Field(log.value.get("samples") or [], source.path, "samples").items():
        yield f"{source.path} {one.path}", one.value


def _add(gathered: Gathered, sample: Field, chosen: Sequence[str], **run: str) -> None:
    scores, answers = _scored(Field(sample.fields().get("scores") or {}, sample.where, "scores"))
    name = chosen[0] if chosen else next(iter(scores), "")
    status, answer = _status(sample.value, scores.get(name), *answers.get(name, (None, False)))
    gathered.add(
        **run, id=sample["id"].needed(), epoch=sample["epoch"].whole(),
        gold=sample["target"].texts(), answer=answer, status=status, scores=scores,
        context=facts(sample.value.get("metadata")),
    )  # fmt: skip


def _scored(given: Field) -> tuple[dict[str, float | None], dict[str, tuple[str | None, bool]]]:
    """Return the scores by name, and what each was given for: an answer, or that there is none."""
    scores: dict[str, float | None] = {}
    answers = {}
    for name in given.fields():
        value, answer = given[name]["value"], given[name]["answer"].text()
        parts = {name: value}
        if isinstance(value.value, dict):
            parts = {f"{name}.{part}": value[part] for part in value.value} or parts
        for whole, one in parts.items():
            scores[whole] = _number(one)
            answers[whole] = answer, one.value == _NO_ANSWER
    return scores, answers


def _number(score: Field) -> float | None:
    """Return a score as a number, as Inspect turns letters and words into numbers."""
    value = score.value
    if not isinstance(value, str):
        return score.number()
    number = _LETTERS.get(value, _WORDS.get(value.lower()))
    if number is not None:
        return number
    try:
        return Field(float(value), score.where, score.path).number()
    except ValueError:
        raise score.wrong("C, I, P, N or a number") from None


def _status(
    sample: dict[str, Any], score: float | None, answer: str | None, said_nothing: bool
) -> tuple[str | None, str | None]:
    """Return what became of a sample where it has no answer that counts, and its answer."""
    choices = inside(sample, "output", "choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    text = answer if answer is not None else inside(sample, "output", "completion")
    text = text.strip() if isinstance(text, str) else ""
    if sample.get("error"):
        return FAILED, None
    if inside(first, "stop_reason") == "content_filter":
        return REFUSED, None
    if said_nothing:
        return EMPTY, None
    if score is None:
        return UNPARSED if text else EMPTY, None
    return None, text or None
