"""Random CoNLL-U of one text: some files share their words, and nothing else need be alike."""

from __future__ import annotations

import random

LETTERS = "abcä中"
TAGS = ("N", "V", "_", "P")
RELATIONS = ("obj", "nsubj:pass", "det", "conj", "root")


def sentences(rng: random.Random) -> list[str]:
    """Return a text as sentences without spaces."""
    return ["".join(rng.choices(LETTERS, k=rng.randint(1, 9))) for _ in range(rng.randint(1, 6))]


def cut(rng: random.Random, text: list[str]) -> list[list[list[str]]]:
    """Return sentences of tokens, each of which is one word or several."""
    whole = "".join(text)
    ends = set(range(len(whole) + 1)) if rng.random() < 0.3 else set()
    at = 0
    for sentence in text:
        at += len(sentence)
        ends.add(at)
    moved = {
        e if rng.random() < 0.9 else min(max(e + rng.choice((-1, 1)), 1), len(whole)) for e in ends
    }
    breaks = sorted({len(whole), *(e for e in moved if rng.random() < 0.5 or e in ends)} - {0})
    found, low = [], 0
    for high in breaks:
        tokens = []
        while low < high:
            size = min(rng.randint(1, 3), high - low)
            token = whole[low : low + size]
            words = (
                [token]
                if rng.random() < 0.8
                else rng.choices(["x", "y", token], k=rng.randint(1, 3))
            )
            tokens.append([token, *words])
            low += size
        found.append(tokens)
    return found


def conllu(
    rng: random.Random, cutting: list[list[list[str]]], like: list[str] | None = None
) -> str:
    """Return a file of some words; columns are random, or those of another file but for a few."""
    out, known = [], iter(like or [])
    for tokens in cutting:
        out += [f"# {rng.choice(('newdoc', 'newdoc id = d', 'text', 'sent_id = 4'))}"] * rng.choice(
            (0, 0, 1, 2)
        )
        n = sum(len(words) - 1 for words in tokens)
        number = 1
        for token, *words in tokens:
            if len(words) > 1 or words[0] != token:
                out.append("\t".join([f"{number}-{number + len(words) - 1}", token, *"________"]))
            for word in words:
                row = next(known, None)
                if row is None or rng.random() < 0.2:
                    head = rng.randint(0, n)
                    deps = rng.choice(("_", "_", f"{rng.randint(0, n)}:dep|{rng.randint(0, n)}:x"))
                    row = "\t".join(
                        [
                            rng.choice(("_", "l", word)),
                            rng.choice(TAGS),
                            rng.choice(TAGS),
                            rng.choice(("_", "A=1")),
                            str(head),
                            rng.choice(RELATIONS),
                            deps,
                            rng.choice(("_", "SpaceAfter=No")),
                        ]
                    )
                out.append(f"{number}\t{word}\t{row}")
                number += 1
        out.append("")
    return "\n".join(out) + "\n"


def rows_of(text: str) -> list[str]:
    """Return the columns behind the form of each word."""
    lines = (line.split("\t", 2) for line in text.splitlines() if line[:1].isdigit())
    return [line[2] for line in lines if line[0].isdigit()]


def files(seed: int) -> dict[str, str]:
    """Return gold and some systems: most have the words of one tool."""
    rng = random.Random(seed)
    text = sentences(rng)
    gold, tool = cut(rng, text), cut(rng, text)
    found = {"gold": conllu(rng, gold)}
    first = conllu(rng, tool)
    for k in range(rng.randint(2, 6)):
        kind = rng.random()
        words = tool if kind < 0.7 else gold if kind < 0.85 else cut(rng, text)
        like = rows_of(first) if kind < 0.6 and rng.random() < 0.8 else None
        found[f"s{k}"] = conllu(rng, words, like)
        if rng.random() < 0.05:
            found[f"s{k}"] = spoilt(rng, found[f"s{k}"])
    return found


def spoilt(rng: random.Random, text: str) -> str:
    """Return a file with one line that is wrong."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    lines[at] = rng.choice(("# late", "9\tx", "", lines[at] + "\tmore", lines[at][:-1]))
    return "\n".join(lines)


PIECES = (
    "\t", "\n", "\r", "\r\n", " ", "\u00a0", "\u3000", "\u180e", "_", "#", "# newdoc id = x\ty",
    "# global.columns = ID FORM", "-", "0", "1", "2", "1-2", "1.1", "+1", "-0", "01", "9999999999",
    "1:det", "1:det|2:x", "0:root", "1.1:dep", "\x00", "\x85", "\u2028", "\ufeff", '"', "A|B=c",
    "\n\n", "\n \n", "É", "ß", "İ", "@", "?x", "root", "1\ta\t_\t_\t_\t_\t0\troot\t_\t_", "",
)  # fmt: skip


def damaged(rng: random.Random, text: str) -> str:
    """Return a file with some places changed: most are no CoNLL-U then."""
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        kind, at = rng.random(), rng.randrange(len(text) + 1)
        lines = text.split("\n")
        one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        if kind < 0.3:
            text = text[:at] + rng.choice(PIECES) + text[at:]
        elif kind < 0.5:
            text = text[:at] + text[at + rng.randint(1, 4) :]
        elif kind < 0.8:
            fields = lines[one].split("\t")
            fields[rng.randrange(len(fields))] = rng.choice(PIECES)
            lines[one] = "\t".join(fields)
            text = "\n".join(lines)
        else:
            lines[one], lines[other] = lines[other], rng.choice((lines[one], lines[other]))
            text = "\n".join(lines)
    return text


def as_bytes(rng: random.Random, text: str) -> bytes:
    """Return a file as bytes: some begin with a mark, lack the last line feed, or are no UTF-8."""
    data = text.encode()
    if rng.random() < 0.05:
        data = b"\xef\xbb\xbf" + data
    if rng.random() < 0.05:
        data = data.rstrip(b"\n")
    if rng.random() < 0.05:
        at = rng.randrange(len(data) + 1)
        data = data[:at] + bytes([rng.randrange(128, 256)]) + data[at:]
    return data
