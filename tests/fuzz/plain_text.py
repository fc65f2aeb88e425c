"""Every text format again, line by line: what a file says, or that it says nothing sound.

These parsers are slow and short, and strict where there is a choice. ``Broken`` is raised for what no
reader may accept, ``Unsure`` for what the formats leave open: then only an error, or no
traceback, is asked for.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

DOCSTART = "-DOCSTART-"
HEADS = (
    "token",
    "word",
    "form",
    "tok",
    "input",
    "gold",
    "label",
    "tag",
    "id",
    "item",
    "pred",
    "truth",
)
NUMBER = re.compile(r"[0-9]{1,9}")
Rows = list[tuple[Any, ...]]


class Broken(Exception):  # noqa: N818
    """No reader may accept this file."""


class Unsure(Exception):  # noqa: N818
    """The format does not say what this means."""


def text_of(data: bytes) -> str:
    """Return the text of a file with its line ends as they are, but those of old Macs."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data:
        raise Broken("not text")
    if data[:4] in (b"PAR1", b"PK\x03\x04"):
        raise Unsure("another kind of file")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Broken("not UTF-8") from None
    text = text.lstrip("\ufeff")
    if "\r" in text and "\n" not in text:
        text = text.replace("\r", "\n")
    if not text.strip():
        raise Broken("empty")
    return text


def lines_of(data: bytes) -> list[tuple[int, str]]:
    """Return the lines with their numbers, without the carriage returns at their ends."""
    return [(n, line.rstrip("\r")) for n, line in enumerate(text_of(data).split("\n"), start=1)]


def blank(line: str) -> bool:
    return not line.strip(" \t\r")


def fields_of(line: str) -> list[str]:
    """Return the fields of a line of a column file."""
    return line.split("\t") if "\t" in line else [one for one in line.split(" ") if one]


def whole(text: str) -> int:
    """Return a number that is written as formats write them."""
    if not NUMBER.fullmatch(text):
        raise Broken(f"`{text}` is no number")
    if len(text) > 1 and text[0] == "0":
        raise Unsure("a number with a zero before it")
    return int(text)


def columns(data: bytes, answers: int = 1) -> Rows:
    """Return (sentence, document, line, form, labels …) of each token."""
    rows: Rows = []
    width, sentence, document, ended = 0, -1, 0, True
    for number, line in lines_of(data):
        if blank(line):
            ended = True
            continue
        fields = fields_of(line)
        if fields[0] == DOCSTART:
            ended, document = True, document + (1 if rows else 0)
            continue
        if not width:
            width = len(fields)
            if any(f.strip().casefold() in HEADS for f in fields):
                raise Unsure("a header")
            if width < 2 or (answers > 1 and width < 3):
                raise Broken("too few columns")
        if len(fields) != width:
            raise Broken(f"line {number} has {len(fields)} columns")
        labels = [one.strip(" ") for one in (fields[-1:] if answers == 1 else fields[1:])]
        if not all(labels):
            raise Broken("an empty label")
        if not fields[0].strip():
            raise Unsure("an empty token")
        sentence, ended = sentence + ended, False
        rows.append((sentence, document, number, fields[0], *labels))
    if not rows:
        raise Broken("no tokens")
    return rows


def merged(data: bytes) -> Rows:
    return columns(data, answers=2)


def pairs(data: bytes) -> Rows:
    """Return (line, id, label)."""
    rows: Rows = []
    top = True
    for number, line in lines_of(data):
        if blank(line):
            continue
        if top and line.startswith("#"):
            continue
        fields = [
            f.strip(" ")
            for f in (line.split("\t") if "\t" in line else line.strip(" ").split(" ", 1))
        ]
        if top and fields[0].casefold() in (*HEADS, "labels", "class", "answer"):
            top = False
            if fields[0].casefold() != "id":
                raise Unsure("a header")
            continue
        top = False
        if "\t" not in line:
            match = re.fullmatch(r" *([^ ]+) +(.+?) *", line)
            fields = list(match.groups()) if match else []
        if len(fields) != 2 or not all(fields):
            raise Broken(f"line {number} is no pair")
        rows.append((number, *fields))
    ids = [row[1] for row in rows]
    if not rows or len(set(ids)) != len(ids):
        raise Broken("no pairs, or an id twice")
    return rows


def spans(data: bytes) -> tuple[Rows, int]:
    """Return (sentence, line, label, begin, end, tokens), and the number of sentences."""
    rows: Rows = []
    sentence, ended = -1, True
    for number, line in lines_of(data):
        if blank(line):
            ended = True
            continue
        fields = line.split("\t")
        if len(fields) not in (3, 4):
            raise Broken("width")
        sentence, ended = sentence + ended, False
        label, begin, end = fields[0], whole(fields[1].strip()), whole(fields[2].strip())
        if not label.strip():
            raise Broken("no label")
        given = fields[3].strip() if len(fields) == 4 else ""
        tokens = (
            [whole(one.strip()) for one in given.split(",")] if given else [*range(begin, end + 1)]
        )
        rising = all(a < b for a, b in itertools.pairwise(tokens))
        if begin > end or not rising or (tokens[0], tokens[-1]) != (begin, end):
            raise Broken("tokens")
        if label in ("NONE", "EMPTY") and begin == 999:
            if end != 999 or tokens != [999]:
                raise Broken("a dummy that is none")
            continue
        if label.strip() in ("NONE", "EMPTY"):
            raise Unsure("a dummy that is none")
        rows.append((sentence, number, label, begin, end, tuple(tokens)))
    return rows, sentence + 1


def hipe(data: bytes) -> Rows:
    """Return (sentence, document, line, form, label)."""
    rows: Rows = []
    header: list[str] = []
    sentence, document, started = -1, -1, True
    for number, line in lines_of(data):
        if blank(line):
            continue
        fields = line.split("\t")
        if not header:
            header = fields
            if header.count("NE-COARSE-LIT") != 1 or header[0] != "TOKEN":
                raise Unsure("another header")
            if header.count("MISC") > 1:
                raise Unsure("two columns MISC")
            continue
        if line.startswith("# ") and sum(map(bool, fields)) <= 1:
            if re.match(r"# *([\w-]+:)?document_id *=", line):
                document, started = document + 1, True
            continue
        at = header.index("NE-COARSE-LIT")
        if len(fields) <= at:
            raise Broken("width")
        if len(fields) != len(header):
            raise Unsure("width")
        if not fields[at]:
            raise Unsure("an empty label")
        sentence, started = sentence + started, False
        rows.append((sentence, document, number, fields[0], fields[at]))
        started = "MISC" in header and "EndOfSentence" in fields[header.index("MISC")]
    if not rows:
        raise Broken("no tokens")
    if document < 0:
        return [(row[0], 0, *row[2:]) for row in rows]
    if min(row[1] for row in rows) < 0 <= document:
        raise Unsure("tokens before the first document")
    if len({row[1] for row in rows}) != document + 1:
        raise Unsure("documents without tokens")
    return rows


def conllu(data: bytes) -> Rows:
    """Return (sentence, line, form, upos, head, deprel) of words, checked as the guidelines say."""
    return [row[:3] + tuple(row[3][n] for n in (3, 6, 7)) for row in _conllu_rows(data, 10)]


def conllu_plus(data: bytes, label: str = "UPOS") -> Rows:
    """Return (sentence, line, form, label)."""
    names = _plus_names(text_of(data))
    at, form = names.index(label), names.index("FORM")
    return [
        (s, n, fields[form], fields[at])
        for s, n, _, fields in _conllu_rows(data, len(names), names)
    ]


def _plus_names(text: str) -> list[str]:
    found = re.match(r"# global\.columns = (.*)", text)
    if not found:
        raise Unsure("no header")
    names = found[1].split()
    if len(set(names)) != len(names) or not {"ID", "FORM"} <= set(names):
        raise Broken("columns")
    if names[0] != "ID" or "UPOS" not in names or names[-1] == "ID" or "HEAD" in names:
        raise Unsure("other columns")
    if not re.fullmatch(r"[ -~]+", found[1].rstrip("\r")) or "DEPS" in names:
        raise Unsure("odd columns")
    return names


def _conllu_rows(data: bytes, width: int, names: list[str] | None = None) -> Rows:
    rows: Rows = []
    block: Rows = []
    for number, line in [*lines_of(data), (0, "")]:
        if not blank(line):
            block.append((number, line))
            continue
        if block:
            found = _conllu_sentence(block, width, names)
            sentence = rows[-1][0] + 1 if rows else 0
            rows += [(sentence, *row) for row in found]
        block = []
    if not rows:
        raise Broken("no words")
    return rows


def _conllu_sentence(block: Rows, width: int, names: list[str] | None) -> Rows:
    words: Rows = []
    ranges: list[tuple[int, int]] = []
    form = 1 if names is None else names.index("FORM")
    above, waiting, nodes = True, 0, 0
    for number, line in block:
        if line.startswith("#"):
            if not above:
                raise Broken("a comment inside a sentence")
            continue
        above = False
        fields = line.split("\t")
        if len(fields) != width:
            raise Broken("width")
        if not fields[form]:
            raise Broken("no form")
        if re.fullmatch(r"[0-9]+-[0-9]+", fields[0]):
            low, high = map(whole, fields[0].split("-"))
            if low != len(words) + 1 or high < low or (ranges and low <= ranges[-1][1]):
                raise Broken("a range")
            if waiting or (False):
                raise Broken("two ranges")
            ranges.append((low, high))
            waiting = 1
            continue
        if re.fullmatch(r"[0-9]+\.[0-9]+", fields[0]):
            if waiting:
                raise Unsure("an empty node between a range and its words")
            before, nth = map(whole, fields[0].split("."))
            if before != len(words):
                raise Unsure("an empty node elsewhere")
            nodes = nodes + 1
            if nth != nodes:
                raise Unsure("the number of an empty node")
            continue
        if whole(fields[0]) != len(words) + 1:
            raise Broken("order")
        waiting, nodes = 0, 0
        words.append((number, fields[form], fields))
    if not words:
        raise (
            Broken("no words") if not all(line.startswith("#") for _, line in block) else Unsure("")
        )
    if waiting or any(high > len(words) for _, high in ranges):
        raise Broken("a range beyond the end")
    if names is None:
        for _, _, fields in words:
            if fields[6] != "_" and whole(fields[6]) > len(words):
                raise Broken("head")
            if fields[8] not in ("_", f"{fields[6]}:{fields[7]}") or "" in fields:
                raise Unsure("edges")
    elif any("" in fields for _, _, fields in words):
        raise Unsure("an empty cell")
    return words


def cupt(data: bytes) -> Rows:
    """Return (sentence, category, word numbers) of each expression."""
    names = _plus_names(text_of(data))
    if "PARSEME:MWE" not in names:
        raise Unsure("no expressions")
    at = names.index("PARSEME:MWE")
    found: dict[tuple[int, int], tuple[list[int], list[str]]] = {}
    place: dict[int, int] = {}
    for sentence, _, _, fields in _conllu_rows(data, len(names), names):
        place[sentence] = place.get(sentence, -1) + 1
        if fields[at] in ("*", "_"):
            continue
        for code in fields[at].split(";"):
            match = re.fullmatch(r"([0-9]+)(?::([^;:\s]+))?", code)
            if not match:
                raise Unsure("a code")
            key = sentence, whole(match[1])
            begun = key in found
            if not begun and match[2] is None:
                raise Broken("an expression that has not begun")
            if begun and match[2] is not None:
                raise Unsure("a category twice")
            words, kinds = found.setdefault(key, ([], []))
            if words and words[-1] == place[sentence] + 1:
                raise Broken("a code twice")
            words.append(place[sentence] + 1)
            kinds += [match[2]] if match[2] else []
    return sorted((s, kinds[0], tuple(words)) for (s, _), (words, kinds) in found.items())


def coref(data: bytes) -> Rows:
    """Return (document, begin, end, chain) of each mention, sorted."""
    rows: Rows = []
    names: list[str] = []
    units, opened, inside = 0, {}, False
    for _, line in lines_of(data):
        if line.startswith("#begin document"):
            if inside:
                raise Broken("a document in another")
            match = re.fullmatch(r"#begin document \((.*)\); part (\S+)", line)
            if not match:
                raise Unsure("a header")
            names.append(f"{match[1]}#{match[2]}")
            units, opened, inside = 0, {}, True
        elif line.startswith("#end document"):
            if any(opened.values()):
                raise Broken("open")
            inside = False
        elif line:
            if not inside:
                raise Broken("outside")
            if blank(line) or line[-1] in " \t":
                raise Unsure("white space")
            _bracket_line(line, len(names) - 1, units, opened, rows)
            units += 1
    if any(opened.values()) or len(set(names)) != len(names) or not names:
        raise Broken("open, or twice")
    return sorted(rows)


def _bracket_line(
    line: str, document: int, unit: int, opened: dict[str, list[int]], rows: Rows
) -> None:
    field = re.split(r"[ \t]", line)[-1]
    if field in ("-", "_", "*"):
        return
    if not re.fullmatch(r"\|?(\([^()|]+\)?|[^()|]+\))(\|?(\([^()|]+\)?|[^()|]+\)))*", field):
        raise Broken("brackets")
    for piece in re.findall(r"\([^()|]+\)?|[^()|]+\)", field):
        chain = piece.strip("()")
        if piece[0] == "(" and piece[-1] == ")":
            rows.append((document, unit, unit, chain))
        elif piece[0] == "(":
            opened.setdefault(chain, []).append(unit)
        else:
            if not opened.get(chain):
                raise Broken("closes what is not open")
            rows.append((document, opened[chain].pop(), unit, chain))


def matrix(data: bytes) -> Rows:
    """Return (line, item or None, cells …)."""
    lines = [(n, line) for n, line in lines_of(data) if not blank(line)]
    first = lines[0][1]
    separator = next((s for s in "\t," if s in first), None)
    table = [(n, line.split(separator) if separator else line.split(" ")) for n, line in lines]
    if any(
        '"' in line or "\r" in line or (not separator and "  " in f" {line} ") for _, line in lines
    ):
        raise Unsure("quotes and spaces")
    if any(cell != cell.strip() for _, row in table for cell in row):
        raise Unsure("spaces")
    if len({len(row) for _, row in table}) != 1:
        raise Broken("width")
    head = any(cell not in ("0", "1") for cell in table[0][1][1:])
    if head and any(re.match(r"[+-]?\d", cell) for cell in table[0][1][1:]):
        raise Unsure("a header of numbers")
    rows = table[1:] if head else table
    if not rows:
        raise Broken("no items")
    if head and not table[0][1][0]:
        raise Unsure("a name that is not there")
    named = table[0][1][0].lower() in ("id", "item", "items", "input", "index") if head else False
    named = named or any(row[0] not in ("0", "1") for _, row in rows)
    if any(cell not in ("0", "1") for _, row in rows for cell in row[named:]):
        raise Broken("a cell")
    if named and all(re.fullmatch(r"[+-]?\d+(\.\d*)?", row[0]) for _, row in rows):
        raise Unsure("numbers as names")
    if len(table[0][1]) == 1 or len(table[0][1]) - named < 1:
        raise Unsure("one column")
    ids = [row[0] for _, row in rows]
    if named and "" in ids:
        raise Broken("names")
    return [(n, row[0] if named else None, *map(int, row[named:])) for n, row in rows]


def table(data: bytes) -> tuple[list[str], Rows]:
    """Return the header and the rows, null where a cell is empty."""
    text = text_of(data)
    if text[0] in " \t\r\n" or text[:1] in ("{", "["):
        raise Unsure("the beginning")
    first = re.split(r"\r?\n", text, maxsplit=1)[0]
    separator = next((s for s in "\t,;" if s in first), None)
    if separator is None:
        raise Unsure("one column")
    if separator == "\t":
        rows = [line.split("\t") for _, line in lines_of(data) if not blank(line)]
    else:
        rows = _quoted_rows(text, separator)
    header = [name.strip() for name in rows[0]]
    if len(set(header)) != len(header) or "" in header:
        raise Unsure("names")
    if any(len(row) != len(header) for row in rows):
        raise Broken("width")
    found = [tuple(cell or None for cell in row) for row in rows[1:]]
    kept = [row for row in found if any(cell is not None for cell in row)]
    if not kept:
        raise Broken("no rows")
    return header, kept


def _quoted_rows(text: str, separator: str) -> list[list[str]]:
    """Return the cells of a CSV file, sign by sign (RFC 4180)."""
    rows: list[list[str]] = [[]]
    at, size = 0, len(text)
    while at < size:
        if text[at] == '"':
            cell, at = _quoted_cell(text, at + 1)
        else:
            end = re.compile(rf"[{separator}\n\r]").search(text, at)
            stop = end.start() if end else size
            cell, at = text[at:stop], stop
            if '"' in cell:
                raise Unsure("a quote inside a bare cell")
        rows[-1].append(cell)
        if at < size and text[at] == separator:
            at += 1
            if at == size or text[at] in "\r\n":
                rows[-1].append("")
            else:
                continue
        if at < size:
            at = _line_end(text, at)
            rows.append([])
    return [row for row in rows if len(row) > 1 or "".join(row).strip()]


def _line_end(text: str, at: int) -> int:
    if text.startswith("\r\n", at):
        return at + 2
    if text[at] == "\n":
        return at + 1
    if text[at] == "\r":
        raise Unsure("a carriage return of its own")
    raise Broken("text behind a quoted cell")


def _quoted_cell(text: str, at: int) -> tuple[str, int]:
    cell = ""
    while True:
        end = text.find('"', at)
        if end < 0:
            raise Broken("a quoted cell without end")
        cell += text[at:end]
        if text[end + 1 : end + 2] != '"':
            return cell, end + 1
        cell, at = cell + '"', end + 2
