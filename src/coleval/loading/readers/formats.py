"""The registry of input formats: one entry each, which says how its files are recognised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

from coleval.corpus.selection import Selection
from coleval.errors import DataError, UsageError, unknown
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
    names_of,
)
from coleval.loading.readers.columns import read_columns, read_merged
from coleval.loading.readers.conllu import COLUMNS, first_named
from coleval.loading.readers.entities import looks_like_entities
from coleval.loading.readers.every_eval_ever import looks_like_every_eval
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
from coleval.loading.readers.scores import is_by_system
from coleval.loading.readers.segments import looks_like_squad
from coleval.loading.readers.sequences import (
    are_sequences,
    read_merged_sequences,
    read_sequences,
)
from coleval.loading.readers.source import Source
from coleval.loading.readers.spans import looks_like_spans, read_spans
from coleval.loading.readers.tables import as_tokens, read_table
from coleval.plugins import Registry, complain

if TYPE_CHECKING:
    from collections.abc import Iterator

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


# What reads a file of a format.
READERS = ("tokens", "merged", "spans", "table", "mentions", "entities", "offsets", "long")
_LIBRARIES = ("polars", "pyarrow", "pyo3_runtime")
_BEYOND = (UnicodeError, OverflowError, RecursionError)


def guarded(form: Format) -> Format:
    """Return a format whose readers raise errors of ours alone."""

    def guarding(read: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(read)
        def guarded_read(source: Source, *given: Any, **options: Any) -> Any:
            with understood(source.path):
                return read(source, *given, **options)

        return guarded_read

    every = {name: getattr(form, name) for name in READERS}
    readers: dict[str, Any] = {name: guarding(read) for name, read in every.items() if read}
    return replace(form, **readers)


@contextmanager
def understood(path: str) -> Iterator[None]:
    """Make what a library complains of an error that names the file.

    Readers themselves find what is wrong and on which line. What is left are complaints of Polars
    and Arrow, numbers beyond all bounds and text that cannot be encoded; a mistake in a reader's
    own code is none of these, and keeps its traceback.
    """
    try:
        yield
    except BaseException as error:
        # Panics of native code are no Exception.
        library = type(error).__module__.partition(".")[0] in _LIBRARIES
        if not library and not isinstance(error, _BEYOND):
            raise
        said = (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(
            f"cannot be read ({said})",
            where=path,
            remedy="is the format right (--format NAME)? `coleval validate` reads one file alone",
        ) from error


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
            (".conllup", ".cupt"), "tag", lambda beginning: first_named(beginning.text) != COLUMNS,
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
            "squad", "SQuAD: questions with all their answers; answers of a system by their ids",
            (".json",), "text", lambda beginning: looks_like_squad(beginning.text),
            table=_late("segments", "read_squad"),
        ),
        Format(
            "segments", "one text per line: translations, summaries, transcripts (--task text)",
            (".txt",), "text", table=_late("segments", "read_segments"),
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
            (".jsonl",), "label or matrix, by gold and scores; score",
            lambda beginning: looks_like_every_eval(beginning.text),
            long=_late("every_eval_ever", "read_every_eval"),
        ),
        Format(
            "helm", "HELM: per_instance_stats.json, in the folder of its run",
            (".json",), "label or matrix, by gold and scores; score",
            lambda beginning: looks_like_helm(beginning.text), long=_late("helm", "read_helm"),
        ),
        Format(
            "inspect", "Inspect: .eval (a zip, deflate or zstd) or .json, a sample each epoch",
            (".eval", ".json"), "label or matrix, by gold and scores; score",
            lambda beginning: looks_like_inspect(beginning.text),
            long=_late("inspect_log", "read_inspect"),
        ),
        Format(
            "lm-eval", "LM Evaluation Harness: samples_*.jsonl, in the folder of results_*.json",
            (".jsonl",), "label or matrix, by gold and scores; score",
            lambda beginning: looks_like_samples(beginning.text),
            long=_late("lm_eval", "read_lm_eval"),
        ),
        Format(
            "long", "a row for each system and instance: system, id, answer, score or correct",
            (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".ipc"),
            "label or matrix, by gold and scores; score", is_long, long=_late("long", "read_long"),
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


# How columns are known where none is chosen.
_BY_NAME = Selection()
# Suffixes of tables that have a text in a column; any other file has one a line.
_OF_TEXTS = (".csv", ".tsv", ".jsonl", ".ndjson")
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
    # Logs are of instances with labels, right and wrong, scores, or texts.
    if task in (None, "label", "matrix", "score", "text") and not merged:
        log = _log_format(source, task, selection)
        if log is not None:
            return log
    if task in _BY_TASK:
        return FORMATS[_BY_TASK[task](source, selection)]
    if task in (None, "tag", "span") and not sets and are_sequences(source, selection):
        return FORMATS["sequences"]
    if source.frame is not None or source.columnar:
        return FORMATS["table"]
    if merged and task not in _USUAL and source.suffix not in TABLE_ONLY:
        return FORMATS["columns"]
    beginning = Beginning(_beginning(source), source.suffix, task)
    able = [form for form in _known_by_text(logs=False) if task not in _USUAL or form.task == task]
    return _sure(able, beginning) or FORMATS[_USUAL.get(task or "", "columns")]


def _format_of_numbers(source: Source, selection: Selection) -> str:
    return "long" if is_by_system(_header(source), selection) else "table"


def _format_of_texts(source: Source, _: Selection) -> str:
    table = source.frame is not None or source.columnar or source.suffix in _OF_TEXTS
    return "squad" if source.suffix == ".json" else "table" if table else "segments"


def _format_of_matrix(_: Source, __: Selection) -> str:
    return "matrix"


# Tasks whose files no text of theirs tells from others.
_BY_TASK: Mapping[str | None, Callable[[Source, Selection], str]] = {
    "matrix": _format_of_matrix, "score": _format_of_numbers, "text": _format_of_texts,
}  # fmt: skip


def _header(source: Source) -> list[str]:
    """Return the names of the columns of a table of any make."""
    if source.frame is not None or source.columnar:
        return list(schema_of(source) or ())
    return names_of(Beginning(_beginning(source), source.suffix, None).line)


@cache
def _known_by_text(*, logs: bool) -> tuple[Format, ...]:
    """Return the formats that are known by their text: those of logs, or all others.

    Those of other packages come first: `table` takes whatever is JSON.
    """
    every = (*FORMATS.added.values(), *FORMATS.own.values())
    able = (form for form in every if form.recognised is not None)
    return tuple(form for form in able if (form.long is not None) is logs)


def _sure(forms: Sequence[Format], beginning: Beginning) -> Format | None:
    """Return the first format that a beginning is surely of."""
    return next((f for f in forms if f.recognised and f.recognised(beginning)), None)


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
    return _sure(_known_by_text(logs=True), beginning)


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
