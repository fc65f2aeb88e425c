"""One line that pins what was counted and how, and the warnings that go with it."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from coleval.version import __version__

if TYPE_CHECKING:
    from coleval.corpus.corpus import Corpus


def signature(corpus: Corpus, *, extra: dict[str, str] | None = None) -> str:
    """Return the signature: two runs with the same one print the same numbers."""
    parts = {
        "coleval": __version__,
        "task": corpus.task,
        **({"profile": corpus.profile} if corpus.profile else {}),
        **_reading(corpus),
        **_scoring(corpus),
        **(extra or {}),
        "gold": corpus.gold.origin.sha256[:12] or "frame",
        "systems": str(len(corpus.entries)),
    }
    return "|".join(f"{key}:{_plain(value)}" for key, value in parts.items())


def _reading(corpus: Corpus) -> dict[str, str]:
    reading = corpus.reading
    parts: dict[str, str] = {}
    if any(e.repairs is not None for e in (corpus.gold, *corpus.entries)):
        n = sum(e.repairs or 0 for e in (corpus.gold, *corpus.entries))
        parts["scheme"] = reading.scheme + ("+suffix" if reading.suffix else "")
        parts["repair"] = f"{reading.repair}(n={n})"
        parts |= {"within": reading.within} if reading.within != "sentence" else {}
    parts |= {"labels-folded": "yes"} if reading.fold and corpus.task_kind.own_labels else {}
    parts |= {"token-strings": "strict"} if reading.forms else {}
    parts |= {"normalised": reading.normalise} if reading.normalise else {}
    parts |= {"dropped": f"{reading.drop}…"} if reading.drop else {}
    parts |= {"offsets": reading.offsets} if reading.offsets != "codepoints" else {}
    parts |= {"text": "aligned"} if reading.differing_text == "align" else {}
    parts |= {
        name: str(value)
        for name in ("score", "threshold", "epochs", "status")
        if (value := getattr(reading, name)) not in ("", None)
    }
    parts |= {"conflicting": reading.conflicting} if reading.conflicting != "error" else {}
    parts |= {"numbers": "as-values"} if reading.numbers else {}
    parts |= {"multiset": "yes"} if reading.multiset else {}
    parts |= {"names": _hashed(reading.names)} if reading.names else {}
    parts |= {"place": _placement(corpus)} if any(e.places for e in corpus.entries) else {}
    return parts | corpus.task_kind.reading_signature(corpus)


def _placement(corpus: Corpus) -> str:
    """Return where entities without places were put; ``interval`` has them at the first."""
    place = corpus.reading.place
    return (
        place
        + ("(first)" if place == "interval" else "")
        + ("+case" if corpus.reading.place_fold else "")
    )


def _scoring(corpus: Corpus) -> dict[str, str]:
    scoring = corpus.scoring
    parts = {"unit": corpus.unit_named(scoring.unit)}
    parts["labels"] = ",".join(scoring.labels) or scoring.average
    parts |= {"excluded": ",".join(scoring.exclude)} if scoring.exclude else {}
    parts |= {"where": scoring.where} if scoring.where else {}
    parts |= corpus.task_kind.scoring_signature(scoring)
    parts |= {"missing": scoring.missing} if scoring.missing != "error" else {}
    parts |= {"bins-from": scoring.bins_from} if scoring.bins_from else {}
    parts |= {"taxonomy": scoring.taxonomy} if scoring.taxonomy != "fair" else {}
    parts |= {"engine": scoring.engine} if scoring.engine != "kernels" else {}
    parts |= {"bucketing": scoring.bucketing} if scoring.bucketing != "coleval" else {}
    return parts | {"undefined": scoring.undefined}


def _hashed(names: tuple[str, ...]) -> str:
    """Return how many names there are, and what sets them apart from others."""
    return f"{len(names)}/{sha256(chr(10).join(names).encode()).hexdigest()[:8]}"


def _plain(value: str) -> str:
    return value.replace("|", "/").replace("\n", " ")


def warnings(corpus: Corpus) -> tuple[str, ...]:
    """Return one line a system and kind of note: what, how often, where first, what was done."""
    return tuple(
        f"{entry.name or 'gold'}: {note.warning}"
        for entry in (corpus.gold, *corpus.entries)
        for note in entry.notes
    )
