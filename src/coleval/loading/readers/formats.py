"""The registry of input formats: one entry each, which says how its files are recognised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any

from coleval.corpus.selection import Selection
from coleval.errors import UsageError, unknown
from coleval.loading.readers.beginnings import (
    TABLE_ONLY,
    Beginning,
    is_brat,
    is_conllu,
    is_coref_json,
    is_corefud,
    is_cupt,
    is_long,
    is_offsets,
    is_table,
)
from coleval.loading.readers.columns import read_columns, read_merged
from coleval.loading.readers.conllu_plus import is_plus
from coleval.loading.readers.entities import looks_like_entities
from coleval.loading.readers.every_eval_ever import looks_like_every_eval
from coleval.loading.readers.guarding import guarded, understood
from coleval.loading.readers.helm import looks_like_helm
from coleval.loading.readers.hipe import looks_hipe, read_hipe
from coleval.loading.readers.inspect_log import looks_like_inspect
from coleval.loading.readers.lm_eval import looks_like_samples
from coleval.loading.readers.long import looks_long
from coleval.loading.readers.model import (
    EntityFile,
    LongFile,
    MentionFile,
    OffsetFile,
    SpanFile,
    TableFile,
    TokenFile,
)
from coleval.loading.readers.open_tables import schema_of
from coleval.loading.readers.pubtator import is_pubtator
from coleval.loading.readers.sequences import (
    are_sequences,
    read_merged_sequences,
    read_sequences,
)
from coleval.loading.readers.source import Source
from coleval.loading.readers.spans import looks_like_spans, read_spans
from coleval.loading.readers.tables import as_tokens, read_table
from coleval.plugins import Registry, complain

# How a file of coreference begins (``readers.coref``).
_COREF = b"#begin document"
# How much of a text is looked at, and of records.
_LINES, _RECORDS = 1 << 12, 1 << 20
TokenReader = Callable[[Source, Selection, str], TokenFile]
Recognised = Callable[[Beginning], bool]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: what it looks like, the task it is read for, and the one reader it has.

    ``recognised`` says by how a file begins whether it is surely in this format; the formats of
    the registry are asked in their order.
    """

    name: str
    about: str
    suffixes: tuple[str, ...]
    task: str
    recognised: Recognised | None = None
    tokens: TokenReader | None = None
    merged: Callable[[Source, Selection], TokenFile] | None = None
    spans: Callable[[Source, Selection], SpanFile] | None = None
    table: Callable[[Source, Selection], TableFile] | None = None
    mentions: Callable[..., MentionFile] | None = None
    entities: Callable[[Source, Selection, str], EntityFile] | None = None
    offsets: Callable[[Source, Selection, str], OffsetFile] | None = None
    long: Callable[[Source, Selection, Sequence[str]], LongFile] | None = None


def _late(module: str, reader: str) -> Callable[..., Any]:
    """Return a reader that is imported when it reads first: nobody's files need all of them."""

    def read(*given: Any, **options: Any) -> Any:
        return getattr(import_module(f"coleval.loading.readers.{module}"), reader)(
            *given, **options
        )

    return read


def _table_tokens(source: Source, selection: Selection, role: str) -> TokenFile:
    return as_tokens(read_table(source, selection, roles=("form", role)))


def _table_merged(source: Source, selection: Selection) -> TokenFile:
    file = as_tokens(read_table(source, selection, roles=("form", "gold", "system")))
    named = {
        k if k != "system" else source.name if source.frame is None else v.name: v
        for k, v in file.columns.items()
    }
    return replace(file, columns=named)


def _careful(form: Format, _: str) -> Format:
    """Return a format of another package, which recognises nothing where it fails."""
    recognised = form.recognised

    def sure(beginning: Beginning) -> bool:
        try:
            return recognised is not None and bool(recognised(beginning))
        except Exception as error:  # noqa: BLE001  - whatever it does wrong with files of others
            complain(f"the format `{form.name}` fails to recognise files ({error}): update its "
                     "package or uninstall it")  # fmt: skip
            return False

    return guarded(replace(form, recognised=sure))


FORMATS: Registry[Format] = Registry("formats", {
    form.name: guarded(form)
    for form in (
        Format(
            "columns",
            "one token per line, label in the last column; TAB or spaces; a blank line ends a "
            "sentence",
            (".conll", ".iob", ".bio", ".tsv", ".txt"),
            "span or tag, by gold's labels",
            tokens=read_columns,
            merged=read_merged,
        ),
        Format(
            "hipe", "HIPE TSV: header, # comments, documents; NE-COARSE-LIT by default",
            (".tsv",), "span", lambda beginning: looks_hipe(beginning.line), tokens=read_hipe,
        ),
        Format(
            "coref", "CoNLL-2012 and SemEval-2010: #begin document, brackets in the last column",
            (".conll", ".txt"), "coref", lambda beginning: beginning.line.startswith(_COREF),
            mentions=_late("coref", "read_coref"),
        ),
        Format(
            "coref-json", "one document per line: clusters of mentions by inclusive token offsets",
            (".jsonl", ".json"), "coref", is_coref_json,
            mentions=_late("coref_json", "read_coref_json"),
        ),
        Format(
            "corefud", "CoNLL-U with `# global.Entity`: entities of words and empty nodes in MISC",
            (".conllu",), "coref", is_corefud, mentions=_late("corefud", "read_corefud"),
        ),
        Format(
            "cupt", "PARSEME's CoNLL-U Plus: multiword expressions in the column PARSEME:MWE",
            (".cupt",), "span", is_cupt, spans=_late("cupt", "read_cupt"),
        ),
        Format(
            "conllu-plus", "CoNLL-U Plus: `# global.columns` names the columns; UPOS, or --columns",
            (".conllup", ".cupt"), "tag", lambda beginning: is_plus(beginning.text),
            tokens=_late("conllu", "conllu_tokens"),
        ),
        Format(
            "conllu", "CoNLL-U, ten TAB columns; UPOS, or the label that --columns names",
            (".conllu",), "tag", is_conllu, tokens=_late("conllu", "conllu_tokens"),
        ),
        Format(
            "spans", "label TAB begin TAB end TAB token numbers; a blank line ends a sentence",
            (".csv", ".tsv"), "span", lambda beginning: looks_like_spans(beginning.text),
            spans=read_spans,
        ),
        Format(
            "entities", "JSONL of ids and lists of (text, label) without places; --place puts them",
            (".jsonl", ".json"), "span", lambda beginning: looks_like_entities(beginning.text),
            entities=_late("entities", "read_entities"),
        ),
        Format(
            "brat", "the spans of a text (.txt) in an .ann: T1 TAB Label 0 5;10 15 TAB text",
            (".ann",), "span", is_brat, offsets=_late("brat", "read_brat"),
        ),
        Format(
            "pubtator", "titles and abstracts (1|t|Title), a line an entity: id, begin, end, text, "
            "type, by TAB",
            (".pubtator", ".txt"), "span", is_pubtator, offsets=_late("pubtator", "read_pubtator"),
        ),
        Format(
            "offsets", "JSON records of a text and spans by characters: doccano, spaCy, Prodigy, "
            "Label Studio, GLiNER",
            (".jsonl", ".json"), "span", is_offsets, offsets=_late("offsets", "read_offsets"),
        ),
        Format(
            "sequences", "a sentence per row: a list of tokens, lists of tags; Parquet, Arrow, "
            "JSONL, data frames",
            (".parquet", ".arrow", ".feather", ".ipc", ".jsonl", ".ndjson"),
            "span or tag, by gold's labels",
            tokens=read_sequences, merged=read_merged_sequences,
        ),
        Format(
            "pairs", "one id and label per line, TAB or spaces; # lines at the top are comments",
            (".txt", ".tsv"), "label", table=_late("pairs", "read_pairs"),
        ),
        Format(
            "every-eval-ever", "instances of Every Eval Ever: *_samples.jsonl",
            (".jsonl",), "label or matrix, by gold and scores",
            lambda beginning: looks_like_every_eval(beginning.text),
            long=_late("every_eval_ever", "read_every_eval"),
        ),
        Format(
            "helm", "HELM: per_instance_stats.json, in the folder of its run",
            (".json",), "label or matrix, by gold and scores",
            lambda beginning: looks_like_helm(beginning.text), long=_late("helm", "read_helm"),
        ),
        Format(
            "inspect", "Inspect: .eval (a zip, deflate or zstd) or .json, a sample each epoch",
            (".eval", ".json"), "label or matrix, by gold and scores",
            lambda beginning: looks_like_inspect(beginning.text),
            long=_late("inspect_log", "read_inspect"),
        ),
        Format(
            "lm-eval", "LM Evaluation Harness: samples_*.jsonl, in the folder of results_*.json",
            (".jsonl",), "label or matrix, by gold and scores",
            lambda beginning: looks_like_samples(beginning.text),
            long=_late("lm_eval", "read_lm_eval"),
        ),
        Format(
            "long", "a row for each system and instance: system, id, answer, score or correct",
            (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".ipc"),
            "label or matrix, by gold and scores", is_long, long=_late("long", "read_long"),
        ),
        Format(
            "table", "CSV, TSV, JSONL, Parquet, Arrow or a data frame; columns by --columns",
            (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".ipc"),
            "label", is_table, table=read_table, tokens=_table_tokens, merged=_table_merged,
        ),
        Format(
            "matrix", "items × systems of 0 and 1, with or without header and item column",
            (".tsv", ".csv", ".txt"), "matrix", table=_late("matrix", "read_matrix"),
        ),
    )
}, Format, _careful)  # fmt: skip


def format_named(name: str) -> Format:
    """Return a format by its name; raise with near misses."""
    if name not in FORMATS:
        raise unknown("format", name, FORMATS, where="--format")
    return FORMATS[name]


# Logs are of instances with labels, or right and wrong.
_OF_LOGS = (None, "label", "matrix")
# The tasks that lists of tags are read for, and how columns are known where none is chosen.
_OF_SEQUENCES = (None, "tag", "span")
_BY_NAME = Selection()
# What a file is read as where no format recognises it, if its task is named; else `columns`.
_USUAL = {"label": "pairs", "coref": "coref", "matrix": "matrix"}


def detect(
    source: Source,
    task: str | None,
    *,
    merged: bool = False,
    selection: Selection = _BY_NAME,
    sets: bool = False,
) -> Format:
    """Return the format of a file: by the task where that settles it, else by suffix and text.

    Lists are sequences if the columns, or those of a ``selection``, say so, and they are no
    ``sets`` of labels.
    """
    with understood(source.path):
        return _detected(source, task, merged, selection, sets)


def _detected(
    source: Source, task: str | None, merged: bool, selection: Selection, sets: bool
) -> Format:
    of_instances = task in _OF_LOGS and not merged
    if of_instances and (log := _log_format(source, task, selection)) is not None:
        return log
    if task == "matrix":
        return FORMATS["matrix"]
    if task in _OF_SEQUENCES and not sets and are_sequences(source, selection):
        return FORMATS["sequences"]
    if source.frame is not None or source.columnar:
        return FORMATS["table"]
    if merged and task not in _USUAL and source.suffix not in TABLE_ONLY:
        return FORMATS["columns"]
    beginning = Beginning(_beginning(source), source.suffix, task)
    sure = (form for form, recognised in _recognised_of(task) if recognised(beginning))
    return next(sure, FORMATS[_USUAL.get(task or "", "columns")])


@cache
def _recognised_of(task: str | None) -> tuple[tuple[Format, Recognised], ...]:
    """Return the formats that are known by their text and may be of a task, but for logs."""
    every = _recognised(logs=False)
    return tuple(pair for pair in every if task not in _USUAL or pair[0].task == task)


@cache
def _recognised(*, logs: bool) -> tuple[tuple[Format, Recognised], ...]:
    """Return the formats that are known by their text: those of logs, or all others.

    Those of other packages come first: `table` takes whatever is JSON.
    """
    every = (*FORMATS.added.values(), *FORMATS.own.values())
    of_kind = (form for form in every if (form.long is not None) == logs)
    return tuple((form, form.recognised) for form in of_kind if form.recognised is not None)


def _beginning(source: Source) -> bytes:
    """Return what a format is recognised by: of JSON a lot, for a record may be long."""
    lines = source.beginning(_LINES)
    return source.beginning(_RECORDS) if lines[:64].lstrip()[:1] in (b"{", b"[") else lines


def _log_format(source: Source, task: str | None, columns: Selection) -> Format | None:
    """Return the format of a log of answers, None for anything else."""
    if source.frame is None and source.zipped:
        return FORMATS["inspect"]
    if source.frame is not None or source.columnar:
        schema = schema_of(source)
        return FORMATS["long"] if schema and looks_long(list(schema), columns) else None
    beginning = Beginning(_beginning(source), source.suffix, task, columns)
    logs = (form for form, recognised in _recognised(logs=True) if recognised(beginning))
    return next(logs, None)


def need(form: Format, reader: str, source: Source) -> Callable[..., Any]:
    """Return what reads a format the way a task needs it; raise if nothing does."""
    found: Callable[..., Any] | None = getattr(form, reader)
    if found is None:
        able = [f.name for f in FORMATS.values() if getattr(f, reader) is not None]
        raise UsageError(
            f"the format `{form.name}` has no {reader}",
            where=source.path,
            remedy=f"--format {' or '.join(able)}, or another --task",
        )
    return found
