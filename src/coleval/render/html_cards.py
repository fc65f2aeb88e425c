"""Items in their sentences on a page, with who says what; a script filters them, none is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coleval.render.html_text import clipped, quoted, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coleval.render.sheet import Card, CardAnswer

WRONG_SIGN = "✗ differs from gold"
# Names of systems that are shown of one answer; a script has all of them as a tooltip.
_NAMES = 6


def cards(every: Sequence[Card]) -> str:
    """Return the items by why they are shown."""
    systems = list(dict.fromkeys(n for card in every for a in card.answers for n in a.systems))
    numbers = {name: k for k, name in enumerate(systems)}
    named = "\n".join(systems)
    told = "".join(_card(card, numbers) for card in every)
    return f'<div class="cards" data-systems="{_lines(named)}">\n{told}</div>\n'


def _lines(text: str) -> str:
    return "&#10;".join(quoted(line) for line in text.split("\n"))


def _card(card: Card, numbers: dict[str, int]) -> str:
    before, item, behind = card.words
    words = f"{safe(before)} <b>{clipped(item)}</b> {safe(behind)}".strip()
    solved = f" · {safe(card.solved)}" if card.solved else ""
    rows = "".join(_answer(answer, card.gold, numbers) for answer in card.answers)
    gold = f'<tr class="gold"><td>{clipped(card.gold)}</td><td>gold{solved}</td></tr>\n'
    place = f'<p class="place">{safe(card.place)}</p>\n' if card.place else ""
    why = f'<p class="why">{safe(card.about)}</p>\n' if card.about else ""
    facts = (
        ("kind", card.kind), ("gold", card.gold), ("dataset", card.dataset),
    )  # fmt: skip
    data = "".join(f' data-{name}="{quoted(value)}"' for name, value in facts if value)
    return (
        f'<article class="card"{data}>\n{why}<p class="words">{words}</p>\n'
        f'<table class="fixed">\n<tbody>\n{gold}{rows}</tbody>\n'
        f"</table>\n{place}</article>\n"
    )


def _answer(answer: CardAnswer, gold: str, numbers: dict[str, int]) -> str:
    sign = "" if answer.right else '<i class="m">✗</i>'
    look = "right" if answer.right else "wrong"
    names = ", ".join(safe(name) for name in answer.systems[:_NAMES])
    rest = len(answer.systems) - _NAMES
    more = f" and {rest:,} more" if rest > 0 else ""
    who = " ".join(str(numbers[name]) for name in answer.systems)
    text = "the same" if answer.right and answer.text == gold else clipped(answer.text)
    many = f"<b>{len(answer.systems):,}</b> "
    told = f"<td>{text}{sign}</td><td>{many}{names}{more}</td>"
    return f'<tr class="{look}" data-by="{who}">{told}</tr>\n'
