"""What there is to choose from, a report each: formats, attributes, profiles, shipped queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from coleval.corpus.report import Report
from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from coleval.annotate.attributes import Attribute
    from coleval.query.shipped import Query


def listed(registry: str) -> Report:
    """Return the report on a registry of ``LISTED``; its tables say what each entry is for."""
    return Report(registry, LISTED[registry](), f"coleval:{__version__}")


def _formats() -> dict[str, pl.DataFrame]:
    from coleval.loading.readers.formats import FORMATS

    rows = [
        {"name": f.name, "task": f.task, "about": f.about, "suffixes": " ".join(f.suffixes)}
        for f in FORMATS.values()
    ]
    return {"formats": pl.DataFrame(rows)}


def _profiles() -> dict[str, pl.DataFrame]:
    from coleval.corpus.profiles import PROFILES

    rows = [
        {
            "name": p.name,
            "about": p.about,
            "options": ", ".join(f"{k}={_shown(v)}" for k, v in p.options.items()),
        }
        for p in PROFILES.values()
    ]
    return {"profiles": pl.DataFrame(rows)}


def _shown(value: Any) -> str:
    return "/".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _attributes() -> dict[str, pl.DataFrame]:
    from coleval.annotate.attributes import ATTRIBUTES
    from coleval.counts.coref_classes import CRITERIA

    rows = [
        {
            "name": a.name,
            "about": a.about,
            "applies_to": "mention"
            if a.levels == CRITERIA
            else ", ".join(level for level in a.levels if level in _levels(a))
            + (" …" if "instance" in a.levels else ""),
            "needs": {"words": "training", "sentences": "training", "": None}.get(a.needs, a.needs),
            "buckets": a.buckets,
        }
        for a in ATTRIBUTES.values()
    ]
    return {"attributes": pl.DataFrame(rows)}


def _levels(attribute: Attribute) -> tuple[str, ...]:
    """Return the units that are worth naming: words only where they are the one unit."""
    return attribute.levels if len(attribute.levels) == 1 else ("span", "token")


def _with_defaults(query: Query) -> str | None:
    """Return the parameters of a query with their defaults, None if it has none."""
    texts = (
        name if default is None else f"{name}={str(default).lower()}"
        for name, default in query.defaults.items()
    )
    return ", ".join(texts) or None


def _queries() -> dict[str, pl.DataFrame]:
    from coleval.query.database import ABOUT, VIEWS
    from coleval.query.dictionary import meanings
    from coleval.query.shipped import names, query

    # Questions come before the definitions of tables, and what engines alone run is not listed.
    listed_names = sorted(names(), key=lambda name: (not name.startswith("questions/"), name))
    rows = [query(name) for name in listed_names if not name.startswith("views/")]
    queries = [
        {
            # A question is asked for by its name alone.
            "name": q.name.removeprefix("questions/"),
            "about": q.about,
            "params": _with_defaults(q),
            "returns": " ".join(q.returns),
        }
        for q in rows
    ]
    views = {name: query(f"views/{name}").about for name in VIEWS}
    tables = [{"name": name, "about": about} for name, about in (ABOUT | views).items()]
    columns = [
        {"table": table, "column": column, "meaning": text}
        for (table, column), text in meanings().items()
    ]
    return {
        "queries": pl.DataFrame(queries),
        "tables": pl.DataFrame(tables),
        "columns": pl.DataFrame(columns),
    }


LISTED: Mapping[str, Callable[[], dict[str, pl.DataFrame]]] = {
    "formats": _formats,
    "profiles": _profiles,
    "attributes": _attributes,
    "sql": _queries,
}
