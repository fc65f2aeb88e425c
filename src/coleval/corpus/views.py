"""What a prompt or a notebook shows of a corpus: what it is of, and what may be asked next."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.declare.wording import in_python
from coleval.render.visible import visible

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus

_SYSTEMS, _WARNINGS, _WIDTH = 8, 3, 96


def corpus_text(corpus: Corpus) -> str:
    """Return the lines of a prompt."""
    rows = _facts(corpus)
    wide = max(len(name) for name, _ in rows)
    facts = [f"  {name:<{wide}}  {value}" for name, value in rows]
    calls = [f"  {call:<{_CALL}}  # {about}" for call, about in next_calls(corpus)]
    return "\n".join([f"coleval corpus: {_title(corpus)}", *facts, "next:", *calls])


def corpus_html(corpus: Corpus) -> str:
    """Return the same as HTML, in which names cannot be markup."""
    facts = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in _facts(corpus)
    )
    calls = "".join(
        f"<li><code>{escape(call)}</code> {escape(about)}</li>"
        for call, about in next_calls(corpus)
    )
    title = escape(f"coleval corpus: {_title(corpus)}")
    return f"<div><p><b>{title}</b></p><table>{facts}</table><p>next:</p><ul>{calls}</ul></div>"


def next_calls(corpus: Corpus) -> tuple[tuple[str, str], ...]:
    """Return three calls that make sense for the corpus, with what they answer."""
    several = len(corpus.systems) > 1
    return (
        ("corpus.score()", "the leaderboard"),
        ("corpus.compare()", "which differences are significant")
        if several
        else ("corpus.confusion()", "which labels are confused"),
        ('corpus.report().save("report.html")', "all analyses on one page"),
    )


_CALL = len('corpus.report().save("report.html")')


def _title(corpus: Corpus) -> str:
    n = len(corpus.systems)
    return f"task {corpus.task}, {n} system{'' if n == 1 else 's'}"


def _facts(corpus: Corpus) -> list[tuple[str, str]]:
    rows = _sizes(corpus)
    rows.append(("gold", _cut(_path(corpus.gold.origin.path))))
    rows.append(("systems", _listed(corpus.systems, _SYSTEMS)))
    warnings = corpus.warnings
    rows += [("warning", _cut(in_python(text))) for text in warnings[:_WARNINGS]]
    if len(warnings) > _WARNINGS:
        rows.append(("", f"and {len(warnings) - _WARNINGS:,} more in corpus.warnings"))
    return rows


def _sizes(corpus: Corpus) -> list[tuple[str, str]]:
    """Return how many items there are, or in how many parts they are, and of which datasets."""
    if corpus.spread is not None:
        rows = [("parts", f"{len(corpus.spread.parts):,}, counted apart")]
        names = list(corpus.grid.datasets) if corpus.grid else []
    else:
        items = corpus.at()
        rows = [("items", f"{len(items):,} ({items.unit}s)")]
        there = "dataset" in items.context.columns
        found = items.context["dataset"].unique(maintain_order=True) if there else ()
        names = [str(name) for name in found]
    return [*rows, ("datasets", _listed(names, _SYSTEMS))] if any(names) else rows


def _path(path: str) -> str:
    """Return a path as seen from here; a frame has none."""
    if not path or path.startswith("<"):
        return "a data frame"
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path


def _listed(names: tuple[str, ...] | list[str], most: int) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return _cut(", ".join(names[:most])) + more


def _cut(text: str) -> str:
    plain = visible(" ".join(text.split()))
    return plain if len(plain) <= _WIDTH else f"{plain[: _WIDTH - 1]}…"
