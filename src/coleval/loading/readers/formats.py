"""The registry of input formats: one line each, and how a file's format is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from coleval.corpus.selection import Selection
from coleval.errors import UsageError, unknown
from coleval.loading.readers.columns import read_columns, read_merged
from coleval.loading.readers.hipe import looks_hipe, read_hipe
from coleval.loading.readers.lines import first_filled
from coleval.loading.readers.model import MentionFile, SpanFile, TableFile, TokenFile
from coleval.loading.readers.source import Source
from coleval.loading.readers.spans import looks_like_spans, read_spans
from coleval.loading.readers.tables import as_tokens, read_table

# Columns of CoNLL-U that stand beside the items, to filter and group by.
_KEPT = ("lemma", "upos", "deprel")
# How a file of coreference begins (``readers.coref``).
_COREF = b"#begin document"
TokenReader = Callable[[Source, Selection, str], TokenFile]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: what it looks like, the task it is read for, and the one reader it has."""

    name: str
    about: str
    suffixes: tuple[str, ...]
    task: str
    tokens: TokenReader | None = None
    merged: Callable[[Source, Selection], TokenFile] | None = None
    spans: Callable[[Source, Selection], SpanFile] | None = None
    table: Callable[[Source, Selection], TableFile] | None = None
    mentions: Callable[[Source, Selection], MentionFile] | None = None


def _late(module: str, reader: str) -> Callable[[Source, Selection], Any]:
    """Return a reader that is imported when it reads first: nobody's files need all of them."""

    def read(source: Source, selection: Selection) -> Any:
        return getattr(import_module(f"coleval.loading.readers.{module}"), reader)(
            source, selection
        )

    return read


def _conllu(source: Source, selection: Selection, role: str) -> TokenFile:
    """Return the words with UPOS, or the column chosen for ``role``, as that role."""
    from coleval.loading.readers.conllu import read_conllu

    kept = _KEPT if selection.trees or role == "gold" else ()
    file = read_conllu(source, selection, None if selection.trees else (*kept, "upos"))
    context = {name: file.columns[name] for name in kept}
    answer = {} if role in file.columns else {role: file.columns["upos"]}
    return replace(file, columns={**file.columns, **answer}, context=context)


def _table_tokens(source: Source, selection: Selection, role: str) -> TokenFile:
    return as_tokens(read_table(source, selection, roles=("form", role)))


def _table_merged(source: Source, selection: Selection) -> TokenFile:
    file = as_tokens(read_table(source, selection, roles=("form", "gold", "system")))
    named = {
        k if k != "system" else source.name if source.frame is None else v.name: v
        for k, v in file.columns.items()
    }
    return replace(file, columns=named)


FORMATS = {
    form.name: form
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
            "conllu", "CoNLL-U, ten TAB columns; UPOS, or the label that --columns names",
            (".conllu",), "tag", tokens=_conllu,
        ),
        Format(
            "hipe", "HIPE TSV: header, # comments, documents; NE-COARSE-LIT by default",
            (".tsv",), "span", tokens=read_hipe,
        ),
        Format(
            "spans", "label TAB begin TAB end TAB token numbers; a blank line ends a sentence",
            (".csv", ".tsv"), "span", spans=read_spans,
        ),
        Format(
            "coref", "CoNLL-2012 and SemEval-2010: #begin document, brackets in the last column",
            (".conll", ".txt"), "coref", mentions=_late("coref", "read_coref"),
        ),
        Format(
            "coref-json", "one document per line: clusters of mentions by inclusive token offsets",
            (".jsonl", ".json"), "coref", mentions=_late("coref_json", "read_coref_json"),
        ),
        Format(
            "pairs", "one id and label per line, TAB or spaces; # lines at the top are comments",
            (".txt", ".tsv"), "label", table=_late("pairs", "read_pairs"),
        ),
        Format(
            "table", "CSV, TSV, JSONL, Parquet, Arrow or a data frame; columns by --columns",
            (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".ipc"),
            "label", table=read_table, tokens=_table_tokens, merged=_table_merged,
        ),
        Format(
            "matrix", "items × systems of 0 and 1, with or without header and item column",
            (".tsv", ".csv", ".txt"), "matrix", table=_late("matrix", "read_matrix"),
        ),
    )
}  # fmt: skip

_TABLE_ONLY = (".csv", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".ipc")
_ID_NAMES = ("id", "item", "case_id", "instance", "item_id", "example_id")


def format_named(name: str) -> Format:
    """Return a format by its name; raise with near misses."""
    if name not in FORMATS:
        raise unknown("format", name, FORMATS, where="--format")
    return FORMATS[name]


def detect(source: Source, task: str | None, *, merged: bool = False) -> Format:
    """Return the format of a file: by the task where that settles it, else by suffix and text."""
    if task == "matrix":
        return FORMATS["matrix"]
    if source.frame is not None or source.columnar:
        return FORMATS["table"]
    head = source.text[:4096]
    first = head[first_filled(head) :].split(b"\n", 1)[0]
    if task == "label":
        return FORMATS["table" if _is_table(source, first) else "pairs"]
    if task == "coref":
        return FORMATS["coref-json" if source.text[:64].lstrip().startswith(b"{") else "coref"]
    if merged and source.suffix not in _TABLE_ONLY:
        return FORMATS["columns"]
    return _by_text(source, first, task)


def _by_text(source: Source, first: bytes, task: str | None) -> Format:
    if first.startswith(_COREF):
        return FORMATS["coref"]
    if looks_hipe(first):
        return FORMATS["hipe"]
    if source.suffix == ".conllu" or first.startswith((b"# sent_id", b"# newdoc", b"# text =")):
        return FORMATS["conllu"]
    if looks_like_spans(source.text[:4096]):
        return FORMATS["spans"]
    if source.suffix in _TABLE_ONLY or (task is None and _is_table(source, first)):
        return FORMATS["table"]
    return FORMATS["columns"]


def _is_table(source: Source, first: bytes) -> bool:
    """Tell a table by its suffix, or by a TSV header that names ids and gold."""
    if source.suffix in _TABLE_ONLY:
        return True
    names = first.decode("utf-8", "replace").strip("\r").casefold().split("\t")
    return len(names) > 1 and any(n in _ID_NAMES for n in names) and not first.startswith(b"#")


def need(form: Format, reader: str, source: Source) -> None:
    """Raise if a format cannot be read the way a task needs it."""
    if getattr(form, reader) is None:
        able = [f.name for f in FORMATS.values() if getattr(f, reader) is not None]
        raise UsageError(
            f"the format `{form.name}` has no {reader}",
            where=source.path,
            remedy=f"--format {' or '.join(able)}, or another --task",
        )
