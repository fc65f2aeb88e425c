"""What is wrong with each file, gold and systems: all of it, without stopping at the first."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from coleval.corpus.problems import MOST_LISTED, Problem, collecting, of_error, scorable
from coleval.corpus.tree_answers import universal
from coleval.errors import ColevalError
from coleval.loading.cells import Cells
from coleval.loading.loading import Progress, read
from coleval.loading.offset_files import any_offsets
from coleval.loading.sequences import by_columns
from coleval.loading.sources import Inputs, is_log
from coleval.loading.tasks.layers import Reader, TokenLayer, form_tokens, gold_layer, open_gold
from coleval.loading.tasks.settling import format_of
from coleval.loading.tasks.tokens import Decoder
from coleval.loading.templates import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from coleval.corpus.coding import Codes
    from coleval.corpus.items import Items
    from coleval.corpus.options import Reading
    from coleval.corpus.places import Places
    from coleval.loading.readers.formats import Format
    from coleval.loading.readers.source import Source

    Label = tuple[int | None, int]

# What gold's file is called in the table of the systems.
GOLD = "gold"
# What says where an answer is.
_PLACE = ("document", "sentence", "id", "instance", "start", "end", "char_start", "char_end",
          "fragments", "label", "form")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Checked:
    """What checking one file brought up; a count is None where the file could not be read.

    ``labels`` have the line of the first and how many there are, beside the names ``of_gold``;
    equal ``answers`` are the same.
    ``places`` is what became of entities that came without places.
    """

    name: str
    path: str
    problems: tuple[Problem, ...] = ()
    tokens: int | None = None
    sentences: int | None = None
    forms_differ: int | None = None
    repairs: int | None = None
    labels: Mapping[str, Label] = field(default_factory=dict)
    of_gold: frozenset[str] = frozenset()
    answers: str = ""
    places: Places = ()

    @property
    def sound(self) -> bool:
        """Tell whether the file can be scored."""
        return scorable(self.problems)


def check_files(
    inputs: Inputs | Cells,
    reading: Reading,
    progress: Progress,
    known: Mapping[str, Checked] | None = None,
) -> list[tuple[Place, Checked]]:
    """Return what every file brought up, with the gold file that it belongs to; gold first.

    Files that are ``known`` already, by their paths, are not read again.
    """
    found: list[tuple[Place, Checked]] = []
    cells = inputs.inputs if isinstance(inputs, Cells) else {Place(): inputs}
    for at, own in cells.items():
        progress(str(at))
        silent = progress if isinstance(inputs, Inputs) else (lambda _: None)
        found += [(at, one) for one in _checked_once(own, reading, silent, known or {})]
    return found


def _checked_once(
    inputs: Inputs, reading: Reading, progress: Progress, known: Mapping[str, Checked]
) -> Iterator[Checked]:
    """Yield what the files of one gold brought up, those that are known as they are known."""
    if inputs.gold.path not in known:
        yield from _checked(inputs, reading, progress)
        return
    fresh = {n: source for n, source in inputs.systems.items() if source.path not in known}
    found: dict[str, Checked] = {}
    if fresh:
        again = _checked(replace(inputs, systems=fresh), reading, progress)
        found = {one.name: one for one in again}
    yield known[inputs.gold.path]
    for name, source in inputs.systems.items():
        yield found[name] if name in found else known[source.path]


def with_known_labels(checked: Sequence[tuple[Place, Checked]]) -> list[tuple[Place, Checked]]:
    """Return the same without the labels that the gold of another dataset has."""
    known = frozenset().union(*(one.of_gold for _, one in checked))
    elsewhere = ({_new_label(one, y) for y in one.labels.keys() & known} for _, one in checked)
    return [
        (at, replace(one, problems=tuple(p for p in one.problems if p not in no_problem)))
        for (at, one), no_problem in zip(checked, elsewhere, strict=True)
    ]


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
        yield from _alone(inputs, reading)
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
    return Checked(name, path, error.problems or (of_error(error, path),))


def _alone(inputs: Inputs, reading: Reading) -> Iterator[Checked]:
    """Yield the systems that cannot be read either, whatever gold is."""
    for name, source in inputs.systems.items():
        try:
            form = format_of(source, reading)
            if form.tokens is not None:
                form_tokens(form, source, reading, "system")
        except ColevalError as error:
            yield _unread(name, source.path, error)
        finally:
            source.forget()


def _tokens(inputs: Inputs, reading: Reading, progress: Progress) -> Iterator[Checked]:
    form = format_of(inputs.gold, reading)
    try:
        settled, reader = open_gold(inputs.gold, form, reading)
    except ColevalError as error:
        yield _unread(GOLD, inputs.gold.path, error)
        yield from _alone(inputs, reading)
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
    name: str, source: Source, reader: Reader, decoder: Decoder | None, known: Mapping[str, Label]
) -> Checked:
    try:
        with collecting() as slips:
            layer = reader.read(source)
        guess = "" if scorable(layer.problems) else _column_guess(source, reader, known)
    except ColevalError as error:
        return _unread(name, source.path, error)
    finally:
        source.forget()
    problems = (*slips, *_guessed(layer.problems, guess))
    if not scorable(problems) and layer.own is None:
        return Checked(name, source.path, problems, len(layer.codes))
    checked = _with_new_labels(_layer(name, layer, reader, decoder), known)
    if scorable(problems):
        return checked
    every = (*problems, *(p for p in checked.problems if p not in layer.problems))
    return replace(
        checked, problems=every, sentences=None, forms_differ=None, repairs=None, answers=""
    )


# So many lines show which column is which, and so much of one is gold's tokens if it holds those.
_LINES, _MOST_OF = 1000, 0.9


def _column_guess(source: Source, reader: Reader, known: Iterable[str]) -> str:
    """Return in which other column of a file gold's tokens are, and in which its labels, if any."""
    if reader.format.name != "columns":
        return ""
    lines = source.text.decode(errors="replace").splitlines()[:_LINES]
    rows = [line.split("\t") if "\t" in line else line.split() for line in lines if line.strip()]
    columns = list(zip(*(row for row in rows if len(row) == len(rows[0])), strict=True))
    forms = set(reader.gold.form.to_list())
    labels = {*known, *reader.coder.outside, *(f"{at}-{y}" for at in "BIESLU" for y in known)}

    def holding(values: set[str]) -> int:
        shares = [sum(value in values for value in column) / len(column) for column in columns]
        best = max(shares, default=0.0)
        return shares.index(best) + 1 if best > _MOST_OF else 0

    form, label = holding(forms), holding(labels)
    if not form or not label or form in (1, label):
        return ""
    return (f"column {form} has gold's tokens and column {label} its labels: write tokens first "
            f"and labels last, or read them with --columns form={form},system={label}")  # fmt: skip


def _guessed(problems: Iterable[Problem], guess: str) -> Iterator[Problem]:
    return (replace(one, remedy=guess) if guess and one.fatal else one for one in problems)


def _with_new_labels(checked: Checked, known: Iterable[str]) -> Checked:
    new = tuple(_new_label(checked, label) for label in sorted(checked.labels.keys() - set(known)))
    return replace(checked, problems=(*checked.problems, *new), of_gold=frozenset(known))


def _new_label(checked: Checked, label: str) -> Problem:
    line, n = checked.labels[label]
    return Problem(
        checked.path, line, "labels",
        f"`{label}` is a label that gold never has",
        "all of its answers count as wrong; is it misspelt?", n, fatal=False,
    )  # fmt: skip


def _layer(name: str, layer: TokenLayer, reader: Reader, decoder: Decoder | None) -> Checked:
    found = Checked(
        name,
        layer.path,
        layer.problems,
        len(layer.codes),
        int(reader.gold.sentence[-1]) + 1,
        layer.alignment.forms_differ,
        labels=_used(layer, reader),
        answers=_digest(layer.codes) if layer.own is None and layer.words is None else "",
    )
    if decoder is None:
        return found
    if layer.own is not None:
        decoder = replace(decoder, gold=layer.own)
    decoded = decoder.decode(layer)
    lines = layer.line[decoded.spans.start] if len(layer.line) else None
    kinds = _first_and_count(decoded.spans.kind, decoder.kinds.labels, lines)
    listed = tuple(_one_by_one(decoder, layer, decoded.spans.repaired))
    rest = tuple(n for n in decoded.notes if n.kind != "tag scheme")
    return replace(
        found, repairs=decoded.spans.repairs, labels=kinds,
        problems=(*found.problems, *listed, *rest),
    )  # fmt: skip


def _used(layer: TokenLayer, reader: Reader) -> dict[str, Label]:
    """Return the labels that occur; of trees, whose answers have a head too, the relations."""
    lines = layer.line if len(layer.line) == len(layer.codes) else None
    used = _first_and_count(layer.codes, reader.coder.names, lines)
    if not reader.reading.task_kind.trees:
        return used
    relations: dict[str, Label] = {}
    for label, (_, n) in used.items():
        relation = universal(label)
        relations[relation] = None, relations.get(relation, (None, 0))[1] + n
    return relations


def _first_and_count(
    codes: NDArray[np.integer], labels: Sequence[str], lines: Codes | None
) -> dict[str, Label]:
    """Return the line of the first of each label that occurs, and how many there are."""
    n, first = np.bincount(codes), np.zeros(int(codes.max(initial=0)) + 1, np.intp)
    # Of several values for one place the last stays.
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    used = np.flatnonzero(n).tolist()
    return {labels[k - 1]: (None if lines is None else int(lines[first[k]]), int(n[k]))
            for k in used if k}  # fmt: skip


def _digest(codes: NDArray[Any]) -> str:
    narrowest = np.min_scalar_type(codes.max(initial=0))
    return hashlib.blake2b(codes.astype(narrowest).tobytes()).hexdigest()


def _one_by_one(decoder: Decoder, layer: TokenLayer, tokens: Iterable[int]) -> Iterator[Problem]:
    """Yield a problem for each broken sequence, and one for those beyond the first 1,000."""
    every = [int(token) for token in tokens]
    for token in every[:MOST_LISTED]:
        yield decoder.broken(layer, token, n=1)
    if len(every) > MOST_LISTED:
        yield decoder.broken(layer, every[MOST_LISTED], n=len(every) - MOST_LISTED)


def _others(inputs: Inputs, reading: Reading, progress: Progress) -> Iterator[Checked]:
    """Yield what reading gold with each system says, for formats that are not token columns."""
    names: Mapping[str, Source | None] = inputs.systems or {inputs.gold.name: None}
    of_gold: set[Problem] = set()
    for name, source in names.items():
        one = Inputs(inputs.gold, {name: source} if source else {})
        try:
            with collecting() as slips:
                corpus = read(one, reading, progress)
        except ColevalError as error:
            yield _unread(name, source.path if source else inputs.gold.path, error)
            continue
        items = corpus.at()
        for entry in corpus.entries:
            # Ids that are not in gold were said with those that are missing.
            absent = () if entry.absent is None or slips else (entry.absent,)
            codes = items.answers[entry.name]
            fresh = (note for note in corpus.gold.notes if note not in of_gold)
            problems = (*slips, *fresh, *entry.notes, *absent)
            of_gold.update(corpus.gold.notes)
            found = Checked(
                entry.name, entry.origin.path, problems, len(items),
                repairs=entry.repairs, places=entry.places, answers=_digest_of(items, codes),
                labels=_first_and_count(codes, items.labels, None),
            )  # fmt: skip
            known = _first_and_count(items.gold, items.labels, None)
            compared = corpus.task_kind.own_labels and corpus.has_gold
            yield _with_new_labels(found, known) if compared else found


def _digest_of(items: Items, codes: Codes) -> str:
    """Return what is the same for the same answers, which may be among items of other systems."""
    if np.array_equal(codes, items.gold):
        return GOLD
    there = np.flatnonzero(codes)
    names = pl.Series("answer", ["", *items.labels]).gather(pl.Series(codes[there]))
    place = [items.context[name].gather(pl.Series(there)).cast(pl.String)
             for name in _PLACE if name in items.context.columns]  # fmt: skip
    rows = pl.DataFrame([*(place or [pl.Series("row", there)]), names]).hash_rows()
    return _digest(rows.to_numpy())
