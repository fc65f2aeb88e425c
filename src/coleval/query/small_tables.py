"""The tables of a stored database beside the wide one: words, sentences, documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.query.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coleval.query.portable import StoredCorpus, StoredUnit

# Units that are tables of their own, beside the task's items.
UNITS = ("token", "span")


def small_tables(
    corpus: StoredCorpus, main: StoredUnit, columns: Mapping[str, str]
) -> dict[str, str]:
    """Return SQL of the tables beside the wide one, where there is something to make them of."""
    context = main.parts[0].context
    unit = quoted(main.group) if main.group in context else "item"
    own = ", ".join(map(quoted, columns.values()))
    found = {"grouped": f"select {unit} as unit, gold{own and ', ' + own} from item"}
    if "form" in context:
        found["word"] = (
            "select item, form, difficulty as bin from item where difficulty is not null"
        )
    if "sentence" not in context:
        return found
    running = next((u for u in corpus.units if u.name == corpus.text_unit), None)
    if running is None or "form" not in running.parts[0].context:
        return found | {
            "sentence": "select sentence, count(*) as items, count(gold) as gold from item "
            "group by sentence"
        }
    return found | _of_text(running)


def _of_text(running: StoredUnit) -> dict[str, str]:
    """Return SQL of sentences and documents of the running text."""
    document = "document" in running.parts[0].context
    named = "any_value(document) as document, " if document else ""
    source = running.name if running.name in UNITS else "item"
    sentence = (
        f"with read as (select sentence, {named}count(*) as tokens, "
        f"string_agg(form, ' ' order by item) as text from {source} group by sentence), "
        "counted as (select sentence, count(*) as items, count(gold) as gold from item "
        f"group by sentence) select sentence, {'document, ' if document else ''}tokens, text, "
        "coalesce(items, 0) as items, coalesce(gold, 0) as gold "
        "from read left join counted using (sentence)"
    )
    if not document:
        return {"sentence": sentence}
    whole = (
        "select document, count(*) as sentences, sum(tokens)::bigint as tokens, "
        "sum(items)::bigint as items, sum(gold)::bigint as gold from sentence group by document"
    )
    return {"sentence": sentence, "document": whole}
