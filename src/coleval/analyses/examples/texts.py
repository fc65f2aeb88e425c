"""``examples`` of generated text: what each system wrote, with the words that differ marked."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.analyses.counted import scored_items
from coleval.analyses.examples.numbers import examples as of_numbers
from coleval.analyses.examples.numbers import finding
from coleval.corpus.numbers import values
from coleval.declare.tables import BETTER
from coleval.render.listing import plain
from coleval.render.sheet import Paragraph, Prose, View
from coleval.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coleval.analyses.examples.spec import Options
    from coleval.corpus.corpus import Corpus
    from coleval.corpus.report import Report

__all__ = ["examples", "finding", "marked", "views"]

_KINDS = {"rank": pl.Int64, "about": pl.String, "item": pl.Int64, "text_of": pl.String,
          "mean_score": pl.Float64, "text": pl.String, BETTER: pl.String}  # fmt: skip
# Of a screen that leads with what matters.
_LEADING = 2


def examples(corpus: Corpus, options: Options) -> dict[str, pl.DataFrame]:
    """Return ``texts``: source, reference and outputs of each example; and ``examples``."""
    number = corpus.task_kind.as_numbers
    assert number is not None  # noqa: S101  - texts have scores
    scored = number(corpus)
    tables = of_numbers(scored, options)
    items = scored_items(scored)
    found, context, sources = values(items), items.context, items.form()
    rows: list[dict[str, Any]] = []
    for one in tables["examples"].iter_rows(named=True):
        at = one["item"]
        reference = context["reference"][at]
        texts: list[tuple[str, float | None, str]] = []
        texts += [] if sources is None else [("source", None, sources[at])]
        texts.append(("reference", None, reference))
        texts += [
            (name, float(found[k, at]), marked(reference, context[f"output_{name}"][at]))
            for k, name in enumerate(items.systems)
        ]
        rows += [
            {**{k: one[k] for k in ("rank", "about", "item", BETTER)}, "text_of": who,
             "mean_score": score, "text": text}
            for who, score, text in texts
        ]  # fmt: skip
    return {"texts": pl.DataFrame(rows, schema=_KINDS), **tables}


def marked(reference: str, output: str) -> str:
    """Return an output whose words are marked that differ: ``[-lacking-]`` and ``{+added+}``."""
    one, other = reference.split(), (output or "").split()
    parts: list[str] = []
    for _, low, high, begin, end in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if one[low:high] == other[begin:end]:
            parts += other[begin:end]
        else:
            parts += [f"[-{word}-]" for word in one[low:high]]
            parts += [f"{{+{word}+}}" for word in other[begin:end]]
    return " ".join(parts)


def views(report: Report, width: int) -> tuple[View, ...]:  # noqa: ARG001
    """Return a list of examples, each with its texts one below the other."""
    frame = report.table("texts")
    if report.leads:
        frame = frame.filter(pl.col("rank") <= _LEADING)
    title = "segments worth a look: [-in the reference alone-] {+in the output alone+}"
    return (Prose("texts", title, tuple(_paragraphs(frame)), marked=True),)


def _paragraphs(frame: pl.DataFrame) -> Iterator[Paragraph]:
    before = 0
    for rank, about, item, who, score, text, _ in frame.iter_rows():
        if rank != before:
            yield Paragraph(f"{rank}  {visible(about)} · segment {item}", "")
        before = rank
        named = visible(who) if score is None else f"{visible(who)} {plain(score)}"
        yield Paragraph("", f"{named}: {visible(text or '')}")
