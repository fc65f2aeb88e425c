"""``coleval validate``: every problem of every file, found without stopping at the first."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.places import Places, places_table
from coleval.corpus.problems import Problem, of_error, scorable
from coleval.corpus.report import Report
from coleval.corpus.tree_answers import universal
from coleval.errors import ColevalError
from coleval.loading.cells import Cells
from coleval.loading.loading import Progress, read
from coleval.loading.offset_files import any_offsets
from coleval.loading.sequences import by_columns
from coleval.loading.sources import Inputs, is_log
from coleval.loading.tasks.layers import Reader, TokenLayer, gold_layer, open_gold
from coleval.loading.tasks.settling import format_of
from coleval.loading.tasks.tokens import Decoder
from coleval.loading.templates import few
from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from coleval.corpus.options import Reading
    from coleval.loading.readers.formats import Format
    from coleval.loading.readers.source import Source

# So many of one kind are listed for a file, one by one; the rest is a single line.
LISTED = 1000
# What gold's file is called in the table of the systems.
GOLD = "gold"
_COLUMNS = {
    "file": pl.String, "line": pl.Int64, "kind": pl.String, "problem": pl.String,
    "remedy": pl.String, "n": pl.Int64, "fatal": pl.Boolean,
}  # fmt: skip
_SYSTEMS = {
    "system": pl.String, "path": pl.String, "tokens": pl.Int64, "sentences": pl.Int64,
    "forms_differ": pl.Int64, "repairs": pl.Int64, "verdict": pl.String,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Checked:
    """What checking one file brought up; a count is None where the file could not be read.

    ``places`` is what became of entities that came without places.
    """

    name: str
    path: str
    problems: tuple[Problem, ...] = ()
    tokens: int | None = None
    sentences: int | None = None
    forms_differ: int | None = None
    repairs: int | None = None
    labels: frozenset[str] = field(default_factory=frozenset)
    places: Places = ()

    @property
    def sound(self) -> bool:
        """Tell whether the file can be scored."""
        return scorable(self.problems)


def validate(inputs: Inputs | Cells, reading: Reading, progress: Progress) -> Report:
    """Return all problems and a verdict for each file; gold comes first."""
    if isinstance(inputs, Cells):
        checked = tuple(_cells(inputs, reading, progress))
    else:
        checked = tuple(_checked(inputs, reading, progress))
    return report_of(checked, reading, _of_all(inputs) if isinstance(inputs, Cells) else [])


def report_of(
    checked: Sequence[Checked], reading: Reading, problems: Iterable[Problem] = ()
) -> Report:
    """Return the report of what was checked, with problems that are of no one file."""
    every = [*(problem for file in checked for problem in file.problems), *problems]
    tables = {
        "problems": pl.DataFrame([asdict(one) for one in every], schema=_COLUMNS, orient="row"),
        "systems": pl.DataFrame([_verdict(c) for c in checked], schema=_SYSTEMS, orient="row"),
    }
    if any(one.places for one in checked):
        names = dict.fromkeys(one.name for one in checked)
        tables["places"] = places_table({one.name: one.places for one in checked}, names)
    return Report("validate", tables, _signature(reading, checked))


def _cells(cells: Cells, reading: Reading, progress: Progress) -> Iterator[Checked]:
    """Yield what every gold file and the runs on it brought up.

    A label that the gold of another dataset has is no label that gold never has.
    """
    found: list[Checked] = []
    for place, inputs in cells.inputs.items():
        progress(str(place))
        found += _checked(inputs, reading, lambda _: None)
    known = frozenset().union(*(one.labels for one in found if one.name == GOLD))
    for one in found:
        elsewhere = {_new_label(one.path, label) for label in one.labels & known}
        yield replace(one, problems=tuple(p for p in one.problems if p not in elsewhere))


def _of_all(cells: Cells) -> list[Problem]:
    """Return what is wrong with the files as a whole: runs without gold, golds without runs."""
    missing = [
        Problem(
            cells.paths.get(name, name),
            None,
            "missing run",
            f"`{name}` has no run on {len(lacking):,} of {len(cells.inputs):,} gold files: "
            f"{few(lacking)}",
            "add them; or evaluate with --missing wrong or --missing leave-out",
            len(lacking),
        )
        for name in cells.systems
        if (lacking := [str(p) for p, i in cells.inputs.items() if name not in _run(i)])
    ]
    return [*missing, *cells.notes]


def _run(inputs: Inputs) -> set[str]:
    """Return the systems that have run on a gold file; logs are by their paths."""
    if not inputs.logs:
        return set(inputs.systems)
    return {source.name for source in (inputs.gold, *inputs.systems.values())}


def sound(report: Report) -> bool:
    """Tell whether everything that was checked can be scored."""
    return not report.table("problems")["fatal"].any()


def _verdict(checked: Checked) -> dict[str, Any]:
    row = {name: getattr(checked, name, None) for name in _SYSTEMS}
    return {**row, "system": checked.name, "verdict": "ok" if checked.sound else "problem"}


def _signature(reading: Reading, checked: Iterable[Checked]) -> str:
    parts = [
        f"coleval:{__version__}", f"task:{reading.task or 'by format'}",
        f"scheme:{reading.scheme}", f"repair:{reading.repair}", f"files:{len(list(checked))}",
    ]  # fmt: skip
    return "|".join(parts)


def _checked(inputs: Inputs, reading: Reading, progress: Progress) -> Iterator[Checked]:
    progress("gold")
    try:
        form = format_of(inputs.gold, reading)
        if _brings_logs(inputs, form, reading):
            yield from _logs(inputs, form, reading, progress)
            return
        inputs = by_columns(inputs, form, reading)
    except ColevalError as error:
        yield _unread(GOLD, inputs.gold.path, error)
        return
    plain = form.tokens is not None and form.table is None and not reading.merged
    plain = plain and not any_offsets(inputs, form, reading)
    yield from (_tokens if plain else _others)(inputs, reading, progress)


def _brings_logs(inputs: Inputs, form: Format, reading: Reading) -> bool:
    """Tell whether there are logs, be it of systems whose gold is a table."""
    if form.long is not None:
        return True
    tables = form.table is not None and (reading.task is None or reading.task_kind.of_tables)
    return tables and any(is_log(source, reading) for source in inputs.systems.values())


def _logs(inputs: Inputs, form: Format, reading: Reading, progress: Progress) -> Iterator[Checked]:
    from coleval.loading.tasks.instances import read_gold
    from coleval.loading.validating_logs import check_logs

    of_logs = form.long is not None
    gold = None if of_logs else read_gold(inputs.gold, form, reading)
    sources = [*([inputs.gold] if of_logs else []), *inputs.systems.values()]
    found = check_logs(sources, reading, progress, gold)
    yield Checked(GOLD, inputs.gold.path, tuple(found.gold), found.instances)
    for (name, path), problems in found.systems.items():
        yield Checked(name, path, tuple(problems), found.instances)


def _unread(name: str, path: str, error: ColevalError) -> Checked:
    return Checked(name, path, (of_error(error, path),))


def _tokens(inputs: Inputs, reading: Reading, progress: Progress) -> Iterator[Checked]:
    form = format_of(inputs.gold, reading)
    try:
        settled, reader = open_gold(inputs.gold, form, reading)
    except ColevalError as error:
        yield _unread(GOLD, inputs.gold.path, error)
        return
    decoder = (
        Decoder(settled, reader.gold, reader.coder) if settled.task_kind.spans_of_tags else None
    )
    gold = _layer(GOLD, gold_layer(reader), reader, decoder)
    yield gold
    for name, source in inputs.systems.items():
        progress(name)
        yield _system(name, source, reader, decoder, gold.labels)


def _system(
    name: str, source: Source, reader: Reader, decoder: Decoder | None, known: frozenset[str]
) -> Checked:
    try:
        layer = reader.read(source)
    except ColevalError as error:
        return _unread(name, source.path, error)
    finally:
        source.forget()
    if not scorable(layer.problems):
        return Checked(name, source.path, layer.problems, len(layer.codes))
    checked = _layer(name, layer, reader, decoder)
    new = tuple(_new_label(source.path, label) for label in sorted(checked.labels - known))
    return replace(checked, problems=(*checked.problems, *new))


def _new_label(path: str, label: str) -> Problem:
    return Problem(
        path, None, "labels", f"`{label}` is a label that gold never has",
        "all of its answers count as wrong; is it misspelt?", fatal=False,
    )  # fmt: skip


def _layer(name: str, layer: TokenLayer, reader: Reader, decoder: Decoder | None) -> Checked:
    found = Checked(
        name,
        layer.path,
        layer.problems,
        len(layer.codes),
        int(reader.gold.sentence[-1]) + 1,
        layer.alignment.forms_differ,
        labels=_used(layer.codes, reader.coder.names, trees=reader.reading.task_kind.trees),
    )
    if decoder is None:
        return found
    if layer.own is not None:
        decoder = replace(decoder, gold=layer.own)
    decoded = decoder.decode(layer)
    kinds = frozenset(decoder.kinds.labels[k - 1] for k in np.unique(decoded.spans.kind))
    listed = tuple(_one_by_one(decoder, layer, decoded.spans.repaired))
    rest = tuple(n for n in decoded.notes if n.kind != "tag scheme")
    return replace(
        found, repairs=decoded.spans.repairs, labels=kinds,
        problems=(*found.problems, *listed, *rest),
    )  # fmt: skip


def _used(codes: np.ndarray[Any, Any], labels: list[str], *, trees: bool) -> frozenset[str]:
    """Return the labels that occur; of trees, whose answers have a head too, the relations."""
    used = [labels[k - 1] for k in np.unique(codes) if k]
    return frozenset(map(universal, used) if trees else used)


def _one_by_one(decoder: Decoder, layer: TokenLayer, tokens: Iterable[int]) -> Iterator[Problem]:
    """Yield a problem for each broken sequence, and one for those beyond the first LISTED."""
    every = [int(token) for token in tokens]
    for token in every[:LISTED]:
        yield decoder.broken(layer, token, n=1)
    if len(every) > LISTED:
        yield decoder.broken(layer, every[LISTED], n=len(every) - LISTED)


def _others(inputs: Inputs, reading: Reading, progress: Progress) -> Iterator[Checked]:
    """Yield what reading gold with each system says, for formats that are not token columns."""
    names: Mapping[str, Source | None] = inputs.systems or {inputs.gold.name: None}
    for name, source in names.items():
        one = Inputs(inputs.gold, {name: source} if source else {})
        try:
            corpus = read(one, reading, progress)
        except ColevalError as error:
            yield _unread(name, source.path if source else inputs.gold.path, error)
            continue
        for entry in corpus.entries:
            absent = () if entry.absent is None else (entry.absent,)
            problems = (*entry.notes, *absent)
            yield Checked(
                entry.name, entry.origin.path, problems, len(corpus.at()), repairs=entry.repairs,
                places=entry.places,
            )  # fmt: skip
