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
from coleval.loading.readers import records
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
    head = next(samples)[1]
    about = _InspectHeader(head, source, chosen)
    for place, sample in samples:
        places.append(place)
        about.add(gathered, records.mapping(sample, place), place)
    if not places:
        raise DataError(
            "holds no samples",
            where=source.path,
            remedy="was the log written with --no-log-samples, or before the first sample ended?",
        )
    about.add_expected(gathered, places)
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
    return records.decoded(found, where)


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
    log = records.mapping(records.document(source), source.path)
    yield source.path, log
    every = log.get("samples")
    for at, sample in enumerate(records.listing(every or [], source.path, "samples")):
        yield f"{source.path} samples[{at}]", sample


class _InspectHeader:
    """What the header says of all samples: task, model, the ids there are to be."""

    def __init__(self, head: Any, source: Source, chosen: Sequence[str]) -> None:
        said = head.get("eval") if isinstance(head, dict) else None
        said = said if isinstance(said, dict) else {}
        self.task = str(said.get("task") or "")
        self.model = str(said.get("model") or source.name)
        data = said.get("dataset")
        ids = data.get("sample_ids") if isinstance(data, dict) else None
        self.expected = ids if isinstance(ids, list) else []
        self.path, self.chosen = source.path, chosen

    def add(self, gathered: Gathered, sample: dict[str, Any], where: str) -> None:
        """Add a sample."""
        scores, answers = _scored(sample.get("scores"), where)
        name = self.chosen[0] if self.chosen else next(iter(scores), "")
        status, answer = _status(sample, scores.get(name), answers.get(name, (None, False)))
        gathered.add(
            system=self.model, task=self.task,
            id=records.needed(sample.get("id"), where, "id"),
            epoch=records.whole(sample.get("epoch"), where, "epoch"),
            gold=records.texts(sample.get("target"), where, "target"),
            answer=answer, status=status, scores=scores,
            context=records.facts(sample.get("metadata")),
        )  # fmt: skip

    def add_expected(self, gathered: Gathered, places: list[str]) -> None:
        """Add a record for every id that the log has no sample of."""
        there = set(gathered.rows["id"])
        for one in self.expected:
            if isinstance(one, (str, int)) and str(one) not in there:
                places.append(self.path)
                gathered.add(system=self.model, task=self.task, id=str(one), status=NOT_RUN)


def _scored(
    given: Any, where: str
) -> tuple[dict[str, float | None], dict[str, tuple[str | None, bool]]]:
    """Return the scores by name, and what each was given for: an answer, or that there is none."""
    scores: dict[str, float | None] = {}
    answers = {}
    for name, said in records.mapping(given or {}, where, "scores").items():
        score = records.mapping(said, where, name)
        value, answer = score.get("value"), score.get("answer")
        if answer is not None and not isinstance(answer, str):
            answer = records.text(answer, where, f"scores.{name}.answer")
        parts = (
            {f"{name}.{n}": one for n, one in value.items()} if isinstance(value, dict) else None
        )
        for whole, one in (parts or {name: value}).items():
            found = _LETTERS.get(one) if isinstance(one, str) else None
            scores[whole] = _number(one, where, name, whole) if found is None else found
            answers[whole] = answer, one == _NO_ANSWER
    return scores, answers


def _number(value: Any, where: str, scorer: str, name: str) -> float | None:
    """Return a score as a number, as Inspect turns words into numbers."""
    path = f"scores.{scorer}.value{name.removeprefix(scorer)}"
    if isinstance(value, str):
        if value.lower() in _WORDS:
            return _WORDS[value.lower()]
        try:
            value = float(value)
        except ValueError:
            raise records.wrong(value, where, path, "C, I, P, N or a number") from None
    return records.number(value, where, path)


def _status(
    sample: dict[str, Any], score: float | None, said: tuple[str | None, bool]
) -> tuple[str | None, str | None]:
    """Return what became of a sample where it has no answer that counts, and its answer."""
    answer, said_nothing = said
    output = sample.get("output")
    output = output if isinstance(output, dict) else {}
    choices = output.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    stopped = first.get("stop_reason") if isinstance(first, dict) else None
    text = answer if answer is not None else output.get("completion")
    text = text.strip() if isinstance(text, str) else ""
    if sample.get("error"):
        return FAILED, None
    if stopped == "content_filter":
        return REFUSED, None
    if said_nothing:
        return EMPTY, None
    if score is None:
        return UNPARSED if text else EMPTY, None
    return None, text or None
