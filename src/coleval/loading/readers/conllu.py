"""CoNLL-U: ten TAB columns a word, comments above a sentence, a blank line below it.

Words are the syntactic words; the tokens that hold several (``1-2``) stand beside them. Empty
nodes (``1.1``) are checked and left out; edges over them become paths between words.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from coleval.corpus.selection import Selection, position
from coleval.errors import UsageError
from coleval.loading.readers.conllu_edges import over_empty_nodes
from coleval.loading.readers.conllu_lines import COLUMNS, columns_of, conllu_lines
from coleval.loading.readers.documents import comment_columns
from coleval.loading.readers.lines import one_line_end
from coleval.loading.readers.model import TokenFile

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from coleval.loading.readers.source import Source

# Columns that stand beside the items, to filter and group by.
_CONTEXT = ("lemma", "upos", "deprel")
_TREES = (*_CONTEXT, "xpos", "feats", "head", "deps")


def conllu_tokens(source: Source, selection: Selection, role: str) -> TokenFile:
    """Return the words with UPOS, or the column chosen for ``role``, as that role."""
    some = _CONTEXT if selection.trees or role == "gold" else ()
    only = _TREES if selection.trees else (*some, "upos")
    file = read_conllu(source, selection, only, role)
    beside = {name: file.columns[name] for name in some if name in file.columns}
    context = {**beside, **file.context}
    if role in file.columns:
        return replace(file, context=context)
    if "upos" not in file.columns and not selection.trees:
        names = " ".join(columns_of(source.text, source.path)).upper()
        raise UsageError(
            "no column is called UPOS",
            where=source.path,
            remedy=f"name the column of labels: --columns label=…; there are {names}",
        )
    answer = {role: file.columns["upos"]} if "upos" in file.columns else {}
    return replace(file, columns={**file.columns, **answer}, context=context)


def read_conllu(
    source: Source, selection: Selection, only: Collection[str] | None = None, role: str = ""
) -> TokenFile:
    """Return the words with their columns by name; raise at the first line that is wrong.

    Columns that are neither chosen nor in ``only`` are left out: None keeps all. The comments of
    gold are context columns.
    """
    data = one_line_end(source.text)
    columns = columns_of(data, source.path)
    picks = picked(selection, source.path, columns)
    kept = tuple(c for c in columns if c not in ("id", "form") and (only is None or c in only))
    edges = picks.get("deps", "deps")
    has_edges = edges in {*kept, *picks.values()}
    rows = conllu_lines(
        data,
        source.path,
        {*kept, *picks.values()},
        edges=edges if has_edges else "",
        columns=columns,
    )
    words = rows.words
    if has_edges:
        paths = over_empty_nodes(
            words[edges], rows.sentence, rows.nodes, line=rows.line, path=source.path
        )
        words = words.with_columns(paths)
    document, names = rows.documents
    context = {}
    if role == "gold":
        whole = np.zeros_like(rows.sentence) if document is None else document
        taken = {*COLUMNS, *picks, "relation"}
        context = comment_columns(rows.comments, rows.line, whole, rows.sentence, taken)
    chosen = {part: words[name].alias(part) for part, name in picks.items() if part != "form"}
    return TokenFile(
        path=source.path,
        form=words[picks.get("form", "form")].alias("form"),
        sentence=rows.sentence,
        line=rows.line,
        columns={**{name: words[name] for name in kept}, **chosen},
        document=document,
        documents=names,
        multiwords=rows.multiwords,
        context=context,
    )


def picked(selection: Selection, path: str, columns: Sequence[str] = COLUMNS) -> dict[str, str]:
    """Return the CoNLL-U column by the part or the context name it is chosen for.

    One column of systems is ``system``, several ones have their own names.
    """
    for part in ("id", "sentence", "document"):
        if part in selection.picks:
            raise UsageError(
                f"CoNLL-U itself defines what a {part} is",
                where="--columns",
                remedy=f"leave {part}=… out",
            )
    chosen: dict[str, int | str] = dict(selection.context)
    chosen |= {part: c for part in ("form", "gold") for c in selection.all(part)}
    systems = selection.all("system")
    lone = len(systems) == 1
    chosen |= {"system": systems[0]} if lone else {str(s).lower(): s for s in systems}
    for part in ("gold", "system"):
        if "label" in selection.picks and part not in selection.picks:
            chosen[part] = selection.picks["label"]
    return {part: column_named(column, path, columns) for part, column in chosen.items()}


def column_named(column: int | str, where: str, columns: Sequence[str]) -> str:
    """Return the name of a column that is chosen by name, in any case, or by number."""
    wanted = column.lower() if isinstance(column, str) else column
    return columns[position(wanted, header=columns, width=len(columns), where=where)]
