"""A folder as an organiser gets it: forty submissions, with every kind of fault that was met.

Half of the faults are those of HIPE 2022 and of the novels of Dekker et al. (2019).
"""

from __future__ import annotations

import gzip
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

WORDS = (
    "Ann",
    "Ulm",
    "sees",
    "the",
    "old",
    "town",
    "of",
    "Berne",
    "\u00e9t\u00e9",
    '"',
    "1848",
    "Gr\u00fcn",
)
DATASETS = ("de", "fr")
VALID, WARNED, INVALID, MISSING, LOST = (
    "valid", "valid with warnings", "invalid", "missing", "not matched",
)  # fmt: skip
Sentences = list[list[tuple[str, str]]]


def drawn(seed: int) -> Sentences:
    """Return 14 sentences with their tags; the eleventh has 29 tokens."""
    rng = random.Random(seed)
    sizes = [rng.randint(4, 9) for _ in range(14)]
    sizes[10] = 29
    return [[(rng.choice(WORDS), rng.choice(("O", "O", "B-PER", "B-LOC"))) for _ in range(n)]
            for n in sizes]  # fmt: skip


def erred(sentences: Sentences, seed: int) -> Sentences:
    """Return the sentences with a fifth of their tags drawn again."""
    rng = random.Random(seed)
    return [[(w, rng.choice(("O", "B-PER", "B-LOC")) if rng.random() < 0.2 else t) for w, t in s]
            for s in sentences]  # fmt: skip


def written(sentences: Sentences, line: str = "{0}\t{1}\n", gap: str = "\n") -> str:
    """Return a file of columns."""
    return gap.join("".join(line.format(w, t) for w, t in s) for s in sentences)


def _cut(s: Sentences) -> Sentences:
    return [*s[:10], s[10][:18], *s[11:]]


def _tags(s: Sentences, change) -> Sentences:
    return [[(w, change(t)) for w, t in one] for one in s]


def _words(s: Sentences, change) -> Sentences:
    return [[(change(w), t) for w, t in one] for one in s]


def _unlabelled(s: Sentences) -> str:
    lines = written(s).split("\n")
    for at in (3, 20, 45, 60):
        lines[at] = lines[at].partition("\t")[0] or lines[at]
    return "\n".join(lines)


# What a team made of its answers on `de`, and the verdict; on `fr` it did as it should.
FAULTS = {
    "pdf": (
        lambda _: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj <</Type /Catalog>>\n\x00",
        INVALID,
    ),
    "empty": (lambda _: b"", INVALID),
    "blank": (lambda _: b"\n\n \n", INVALID),
    "latin1": (lambda s: written(s).encode("latin-1"), INVALID),
    "utf16": (lambda s: written(s).encode("utf-16"), INVALID),
    "nul": (lambda s: written(s).replace("old", "o\x00d").encode(), INVALID),
    "zip": (lambda _: b"PK\x03\x04\x14\x00\x00\x00" + bytes(40), INVALID),
    "html": (lambda _: "<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n", INVALID),
    "json": (lambda _: '{"predictions": [[0, 1, 2], [0, 0, 1]]}\n', INVALID),
    "short": (lambda s: written(_cut(s)), INVALID),
    "lost": (lambda s: written([*s[:4], s[4][1:], *s[5:7], s[7][:-2], *s[8:]]), INVALID),
    "half": (lambda s: written(s[:7]), INVALID),
    "twice": (lambda s: written([*s, *s]), INVALID),
    "othertext": (lambda s: written(_words(s, lambda w: f"{w}x")), INVALID),
    "swapped": (lambda s: written(s, "{1}\t{0}\n"), INVALID),
    "unlabelled": (_unlabelled, INVALID),
    "tagsonly": (lambda s: written(s, "{1}\n"), INVALID),
    "header": (lambda s: "TOKEN\tNE\n" + written(s), INVALID),
    "quoted": (lambda s: written(_words(s, lambda w: w.replace('"', '""""'))), WARNED),
    "quotes": (lambda s: written(_words(s, lambda w: w.replace('"', "``"))), WARNED),
    "nobreaks": (lambda s: written(s, gap=""), WARNED),
    "uppercase": (lambda s: written(_tags(s, lambda t: t.replace("PER", "Per"))), WARNED),
    "misspelt": (lambda s: written(_tags(s, lambda t: t.replace("LOC", "LCO"))), WARNED),
    "io": (lambda s: written(_tags(s, lambda t: t.replace("B-", "I-"))), WARNED),
    "bare": (lambda s: written(_tags(s, lambda t: t.replace("B-LOC", "LOCATION"))), WARNED),
    "bioes": (lambda s: written(_tags(s, lambda t: t.replace("B-", "S-"))), WARNED),
    "crlf": (lambda s: written(s).replace("\n", "\r\n"), VALID),
    "bom": (lambda s: b"\xef\xbb\xbf" + written(s).encode(), VALID),
    "spaces": (lambda s: written(s, "{0} {1}\n"), VALID),
}
EXPECTED = {name: verdict for name, (_, verdict) in FAULTS.items()} | {
    "missing": MISSING, "subfolder": LOST, "misnamed": LOST, "folder": MISSING,
    **{f"good{k}": VALID for k in range(1, 6)},
    "leaked": WARNED, "twin": WARNED,
}  # fmt: skip
TEMPLATES = ("gold/{dataset}.conll", "runs/{system}/{dataset}.conll")


def mess(folder: Path) -> tuple[str, ...]:
    """Write gold of two datasets and forty submissions; return the templates."""
    gold = {name: drawn(k) for k, name in enumerate(DATASETS)}
    for name, sentences in gold.items():
        _put(folder / f"gold/{name}.conll", written(sentences))
    first: dict[str, Sentences] = {}
    for seed, team in enumerate(EXPECTED):
        own = {name: erred(sentences, 100 + seed) for name, sentences in gold.items()}
        first = own if team == "good1" else first
        make = FAULTS[team][0] if team in FAULTS else written
        place = folder / "runs" / team
        german = {"subfolder": "final/de.conll", "misnamed": "DE.txt"}.get(team, "de.conll")
        if team == "leaked":
            own = gold
        if team == "twin":
            own = first
        if team == "folder":
            (place / "de.conll").mkdir(parents=True)
        elif team != "missing":
            _put(place / german, make(own["de"]))
        _put(place / "fr.conll", written(own["fr"]))
    _put(folder / "runs/good1/notes.pdf", b"%PDF-1.7\n")
    _put(folder / "runs/good2/de.conll.bak.gz", gzip.compress(b"old"))
    return tuple(str(folder / template) for template in TEMPLATES)


def _put(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
