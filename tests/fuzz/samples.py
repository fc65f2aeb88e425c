"""Small sound files of every format, made at random: what mutations start from."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import logs_written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

FORMS = (
    "a",
    "the",
    "New",
    "York",
    "#",
    "O",
    "-",
    "'s",
    "é",
    "日本",
    "1",
    "3.5",
    "x|y",
    "a/b",
    ":)",
)
TAGS = ("O", "O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC")
WORDS = ("NOUN", "VERB", "DET", "ADJ")
LABELS = ("yes", "no", "maybe")
Files = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Sample:
    """Sound files: gold's name, the systems', and how they are loaded."""

    files: Mapping[str, bytes]
    gold: str
    systems: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)


def _sentences(random: Random) -> list[list[str]]:
    return [random.choices(FORMS, k=random.randint(1, 6)) for _ in range(random.randint(1, 4))]


def _noisy(random: Random, values: list[str], others: tuple[str, ...]) -> list[str]:
    return [random.choice(others) if random.random() < 0.3 else value for value in values]


def _columns_of(random: Random, separator: str, answers: int) -> list[str]:
    """Return files with one answer each, or one file with all of them."""
    blocks = [[] for _ in range(answers)]
    for forms in _sentences(random):
        gold = random.choices(TAGS, k=len(forms))
        for k in range(answers):
            tags = gold if k == 0 else _noisy(random, gold, TAGS)
            blocks[k].append((forms, tags))
    return [
        "\n".join("".join(f"{f}{separator}{t}\n" for f, t in zip(*b, strict=True)) for b in block)
        for block in blocks
    ]


def columns(random: Random) -> Sample:
    gold, system = _columns_of(random, random.choice(("\t", " ")), 2)
    return _pair("g.conll", gold, "s.conll", system)


def merged(random: Random) -> Sample:
    separator = random.choice(("\t", " "))
    rows = []
    for forms in _sentences(random):
        for form in forms:
            rows.append(separator.join((form, *random.choices(TAGS, k=3))))
        rows.append("")
    header = separator.join(("token", "gold", "one", "two")) + "\n"
    text = random.choice(("", header)) + "\n".join(rows)
    return Sample({"m.conll": text.encode()}, "m.conll", (), {"merged": True})


def hipe(random: Random) -> Sample:
    head = "TOKEN\tNE-COARSE-LIT\tNE-FINE-LIT\tMISC\n"
    gold, system = head, head
    for number in range(random.randint(1, 3)):
        top = f"# hipe2022:document_id = d{number}\n# date = 1900\n"
        gold, system = gold + top, system + top
        for forms in _sentences(random):
            tags = random.choices(TAGS, k=len(forms))
            for k, (form, tag) in enumerate(zip(forms, tags, strict=True)):
                misc = "EndOfSentence" if k == len(forms) - 1 else "_"
                gold += f"{form}\t{tag}\t{tag}\t{misc}\n"
                system += f"{form}\t{random.choice(TAGS)}\t{tag}\t{misc}\n"
    return _pair("g.tsv", gold, "s.tsv", system)


def _held(random: Random, size: int) -> dict[int, int]:
    """Return which words are one token with the next: the last word by the first."""
    found, at = {}, 1
    while at < size:
        if random.random() < 0.15:
            found[at] = at + 1
            at += 1
        at += 1
    return found


def _conllu_block(
    random: Random,
    forms: list[str],
    misc: list[str] | None = None,
    held: Mapping[int, int] = MappingProxyType({}),
) -> str:
    lines = [f"# sent_id = {random.randint(1, 99)}\n"] if random.random() < 0.5 else []
    for k, form in enumerate(forms, start=1):
        if k in held:
            lines.append(f"{k}-{held[k]}\t{form}{forms[k]}" + "\t_" * 8 + "\n")
        head = 0 if k == 1 else random.randint(1, k - 1)
        relation = "root" if head == 0 else random.choice(("obj", "nsubj", "det:poss"))
        deps = f"{head}:{relation}" if random.random() < 0.5 else "_"
        last = "_" if misc is None else misc[k - 1]
        fields = (str(k), form, form.lower(), random.choice(WORDS), "X", "Case=Nom", str(head),
                  relation, deps, last)  # fmt: skip
        lines.append("\t".join(fields) + "\n")
        inside = any(first <= k < end for first, end in held.items())
        if misc is None and not inside and random.random() < 0.1:
            lines.append(f"{k}.1\t_\tit\tPRON\t_\t_\t_\t_\t{k}:obj\t_\n")
    return "".join(lines) + "\n"


def conllu(random: Random) -> Sample:
    blocks = _sentences(random)
    newdoc = "# newdoc id = one\n" if random.random() < 0.3 else ""
    held = [_held(random, len(forms)) for forms in blocks]
    gold, system = (
        newdoc
        + "".join(_conllu_block(random, b, held=h) for b, h in zip(blocks, held, strict=True))
        for _ in range(2)
    )
    task = random.choice((None, "dep", "tag"))
    return _pair("g.conllu", gold, "s.conllu", system, **({"task": task} if task else {}))


def conllu_plus(random: Random) -> Sample:
    names = random.sample(("FORM", "UPOS", "LEMMA", "X:NER"), k=4)
    texts = []
    blocks = _sentences(random)
    for _ in range(2):
        text = f"# global.columns = ID {' '.join(names)}\n"
        for forms in blocks:
            for k, form in enumerate(forms, start=1):
                cells = {"FORM": form, "UPOS": random.choice(WORDS), "LEMMA": form.lower(),
                         "X:NER": random.choice(TAGS)}  # fmt: skip
                text += "\t".join((str(k), *(cells[name] for name in names))) + "\n"
            text += "\n"
        texts.append(text)
    return _pair("g.conllup", texts[0], "s.conllup", texts[1])


def cupt(random: Random) -> Sample:
    texts = []
    blocks = _sentences(random)
    for _ in range(2):
        text = "# global.columns = ID FORM UPOS PARSEME:MWE\n"
        for forms in blocks:
            cells: list[list[str]] = [[] for _ in forms]
            for number in range(1, random.randint(1, 3)):
                at = sorted(random.sample(range(len(forms)), k=random.randint(1, len(forms))))
                for k in at:
                    kind = random.choice(("VID", "LVC.full"))
                    cells[k].append(f"{number}:{kind}" if k == at[0] else str(number))
            for k, (form, cell) in enumerate(zip(forms, cells, strict=True), start=1):
                text += f"{k}\t{form}\t{random.choice(WORDS)}\t{';'.join(cell) or '*'}\n"
            text += "\n"
        texts.append(text)
    return _pair("g.cupt", texts[0], "s.cupt", texts[1])


def spans(random: Random) -> Sample:
    texts = []
    sentences = random.randint(1, 4)
    for _ in range(2):
        text = ""
        for _ in range(sentences):
            found = set()
            for _ in range(random.randint(0, 3)):
                begin = random.randint(0, 9)
                end = begin + random.randint(0, 3)
                numbers = list(range(begin, end + 1))
                if len(numbers) > 2 and random.random() < 0.4:
                    del numbers[1]
                joined = random.choice((",", ", ")).join(map(str, numbers))
                found.add(f"{random.choice(('NP', 'PP', 'V X'))}\t{begin}\t{end}\t{joined}\n")
            text += ("".join(sorted(found)) or "NONE\t999\t999\t999\n") + "\n"
        texts.append(text)
    return _pair("g.csv", texts[0], "s.csv", texts[1])


def pairs(random: Random) -> Sample:
    separator = random.choice(("\t", " "))
    numbers = list(range(random.randint(1, 8)))
    gold = "".join(f"q{k}{separator}{random.choice(LABELS)}\n" for k in numbers)
    random.shuffle(numbers)
    system = "".join(f"q{k}{separator}{random.choice(LABELS)}\n" for k in numbers)
    head = random.choice(("", "# made\n", f"id{separator}label\n"))
    return _pair("g.txt", head + gold, "s.txt", system, task="label")


def _cell(random: Random, text: str, separator: str) -> str:
    quoted = any(sign in text for sign in (separator, '"', "\n", "\r"))
    if separator != "\t" and (quoted or random.random() < 0.1):
        return '"' + text.replace('"', '""') + '"'
    return text


def table(random: Random) -> Sample:
    separator, suffix = random.choice(((",", "csv"), ("\t", "tsv"), (";", "csv"), ("", "jsonl")))
    texts = ["a b", "x"] if separator == "\t" else ["a b", 'say "x"', "a,b", "two\nlines", "é;"]
    rows = [
        {"id": f"q{k}", "gold": random.choice(LABELS), "pred": random.choice(LABELS),
         "text": random.choice(texts), "genre": random.choice(("news", "web"))}
        for k in range(random.randint(1, 7))
    ]  # fmt: skip
    if not separator:
        whole = "".join(json.dumps(row) + "\n" for row in rows)
        other = "".join(json.dumps({"id": r["id"], "pred": r["pred"]}) + "\n" for r in rows)
        return _either(random, f"g.{suffix}", whole, f"s.{suffix}", other)
    whole = _table_text(random, rows, separator)
    other = _table_text(random, [{"id": r["id"], "pred": r["pred"]} for r in rows], separator)
    return _either(random, f"g.{suffix}", whole, f"s.{suffix}", other)


def _table_text(random: Random, rows: list[dict[str, str]], separator: str) -> str:
    names = list(rows[0])
    lines = [separator.join(names)]
    lines += [separator.join(_cell(random, row[n], separator) for n in names) for row in rows]
    return "\n".join(lines) + "\n"


def matrix(random: Random) -> Sample:
    separator, suffix = random.choice(((",", "csv"), ("\t", "tsv"), (" ", "txt")))
    systems = random.randint(2, 4)
    rows = [[f"i{k}", *random.choices("01", k=systems)] for k in range(random.randint(1, 7))]
    named = random.random() < 0.7
    header = [["item", *(f"s{k}" for k in range(systems))]] if random.random() < 0.7 else []
    lines = [row if named else row[1:] for row in [*header, *rows]]
    text = "".join(separator.join(row) + "\n" for row in lines)
    return Sample({f"m.{suffix}": text.encode()}, f"m.{suffix}", (), {"task": "matrix"})


def _chains(random: Random, size: int) -> list[list[tuple[int, int]]]:
    """Return two chains at most; mentions of one chain do not overlap, as brackets need it."""
    chains: list[list[tuple[int, int]]] = []
    used: set[tuple[int, int]] = set()
    for _ in range(2):
        at, chain = random.randint(0, 1), []
        while at < size:
            end = min(size - 1, at + random.randint(0, 2))
            if random.random() < 0.5 and (at, end) not in used:
                chain.append((at, end))
                used.add((at, end))
            at = end + 1
        chains += [chain] if chain else []
    return chains


def coref(random: Random) -> Sample:
    texts = ["", ""]
    for number in range(random.randint(1, 3)):
        forms = random.choices(FORMS, k=random.randint(2, 8))
        for k in range(2):
            texts[k] += f"#begin document (d{number}); part 000\n"
            cells: list[list[str]] = [[] for _ in forms]
            for chain, mentions in enumerate(_chains(random, len(forms))):
                for begin, end in mentions:
                    if begin == end:
                        cells[begin].append(f"({chain})")
                    else:
                        cells[begin].append(f"({chain}")
                        cells[end].append(f"{chain})")
            for at, (form, cell) in enumerate(zip(forms, cells, strict=True)):
                texts[k] += f"d{number}\t0\t{at}\t{form}\t{'|'.join(cell) or '-'}\n"
            texts[k] += "\n#end document\n"
    return _pair("g.conll", texts[0], "s.conll", texts[1], task="coref")


def coref_json(random: Random) -> Sample:
    texts = ["", ""]
    for number in range(random.randint(1, 3)):
        forms = random.choices(FORMS, k=random.randint(2, 8))
        for k in range(2):
            chains = [[list(m) for m in chain] for chain in _chains(random, len(forms))]
            clusters: Any = chains
            if random.random() < 0.2:
                clusters = {f"c{n}": chain for n, chain in enumerate(chains)}
            record = {"id": f"d{number}", "tokens": forms, "clusters": clusters}
            texts[k] += json.dumps(record) + "\n"
    return _pair("g.jsonl", texts[0], "s.jsonl", texts[1], task="coref")


def corefud(random: Random) -> Sample:
    blocks = _sentences(random)
    texts = []
    for _ in range(2):
        text = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"
        for forms in blocks:
            misc = ["_"] * len(forms)
            for k in range(len(forms)):
                if random.random() < 0.4:
                    number = random.randint(1, 3)
                    misc[k] = f"Entity=(e{number}-x-1-)"
            if len(forms) > 2 and random.random() < 0.5 and misc[0] == misc[2] == "_":
                misc[0], misc[2] = "Entity=(e9-x-2-", "Entity=e9)"
            text += _conllu_block(random, forms, misc)
        texts.append(text)
    return _pair("g.conllu", texts[0], "s.conllu", texts[1])


def _texts(random: Random) -> list[str]:
    words = ("In", "Rome", "Peter", "é", "日本", "😀", "met", "x-y", "the\nend")
    return [
        " ".join(random.choices(words, k=random.randint(2, 7))) for _ in range(random.randint(1, 3))
    ]


def _places(random: Random, text: str) -> list[tuple[int, int, str]]:
    found = set()
    words, at = text.split(" "), 0
    for word in words:
        if at == 0 or random.random() < 0.5:
            found.add((at, at + len(word), random.choice(("PER", "LOC"))))
        at += len(word) + 1
    return sorted(found)


def offsets(random: Random) -> Sample:
    kind = random.choice(("doccano", "spacy", "prodigy", "pair", "studio", "gliner"))
    texts = _texts(random)
    sides = [
        [_offset_record(random, kind, n, text) for n, text in enumerate(texts)] for _ in (0, 1)
    ]
    whole = random.random() < 0.3 or kind == "studio"
    gold, system = (
        json.dumps(side) if whole else "".join(json.dumps(r) + "\n" for r in side) for side in sides
    )
    suffix = "json" if whole else "jsonl"
    return _pair(f"g.{suffix}", gold, f"s.{suffix}", system)


def _offset_record(random: Random, kind: str, number: int, text: str) -> Any:
    found = _places(random, text)
    spans = [{"start": b, "end": e, "label": label} for b, e, label in found]
    if kind == "doccano":
        return {"id": number, "text": text, "label": [list(one) for one in found]}
    if kind == "spacy":
        return {"text": text, "ents": spans}
    if kind == "prodigy":
        return {"text": text, "spans": spans}
    if kind == "pair":
        return [text, {"entities": [list(one) for one in found]}]
    if kind == "studio":
        value = [
            {"type": "labels", "value": {"start": b, "end": e, "labels": [n]}} for b, e, n in found
        ]
        return {"id": number, "data": {"text": text}, "annotations": [{"result": value}]}
    words = text.split()
    ner = [[k, k, "PER"] for k in range(len(words)) if k == 0 or random.random() < 0.4]
    return {"tokenized_text": words, "ner": ner}


def brat(random: Random) -> Sample:
    text = "\n".join(_texts(random))
    sides = []
    for _ in range(2):
        lines = [
            f"T{n}\t{label} {begin} {end}\t{text[begin:end]}\n".replace("the\nend", "the end")
            for n, (begin, end, label) in enumerate(_places(random, text.replace("\n", " ")), 1)
        ]
        if random.random() < 0.4:
            lines.append("#1\tAnnotatorNotes T1\tnote\n")
        sides.append("".join(lines) or "T1\tPER 0 2\tIn\n")
    files = {"g.ann": sides[0], "g.txt": text, "s.ann": sides[1], "s.txt": text}
    return Sample({k: v.encode() for k, v in files.items()}, "g.ann", ("s.ann",))


def entities(random: Random) -> Sample:
    blocks = _sentences(random)
    gold, system = "", ""
    for number, forms in enumerate(blocks):
        tags = ["B-PER" if random.random() < 0.4 else "O" for _ in forms]
        gold += "".join(f"{f}\t{t}\n" for f, t in zip(forms, tags, strict=True)) + "\n"
        listed = [[f, "PER"] for f, t in zip(forms, tags, strict=True) if t != "O"]
        shapes = (
            listed,
            [{"text": f, "label": y} for f, y in listed],
            {"PER": [f for f, _ in listed]},
        )
        system += json.dumps({"id": number, "entities": random.choice(shapes)}) + "\n"
    gold = gold.replace("\tO", "\tB-LOC", 1) if "B-" not in gold else gold
    return _pair("g.conll", gold, "s.jsonl", system)


def sequences(random: Random) -> Sample:
    rows = [
        {"id": str(k), "tokens": forms, "ner_tags": random.choices(TAGS, k=len(forms)),
         "bert": random.choices(TAGS, k=len(forms))}
        for k, forms in enumerate(_sentences(random))
    ]  # fmt: skip
    text = "".join(json.dumps(row) + "\n" for row in rows)
    return Sample({"m.jsonl": text.encode()}, "m.jsonl", ())


def long(random: Random) -> Sample:
    separator, suffix = random.choice(((",", "csv"), ("\t", "tsv"), ("", "jsonl")))
    gold = [random.choice(LABELS) for _ in range(random.randint(1, 5))]
    rows = [
        {"id": f"q{k}", "system": name, "gold": label, "answer": random.choice(LABELS)}
        for name in ("one", "two") for k, label in enumerate(gold)
    ]  # fmt: skip
    random.shuffle(rows)
    if separator:
        text = _table_text(random, rows, separator)
    else:
        text = "".join(json.dumps(row) + "\n" for row in rows)
    return Sample({f"l.{suffix}": text.encode()}, f"l.{suffix}", ())


def every_eval(random: Random) -> Sample:
    rows = [
        logs_written.every_eval(f"q{k}", ["4"], random.choice("45"), right=random.random() < 0.5)
        for k in range(random.randint(1, 4))
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    return Sample({"a_samples.jsonl": text.encode()}, "a_samples.jsonl", ())


def lm_eval(random: Random) -> Sample:
    rows = [
        logs_written.lm_eval(k, "A", random.choice("AB"), float(random.random() < 0.5))
        for k in range(random.randint(1, 4))
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    name = "samples_arc_2025-01-01T00-00-00.000.jsonl"
    return Sample({name: text.encode()}, name, ())


def inspect(random: Random) -> Sample:
    samples = [
        logs_written.sample(k, "A", random.choice("CI"), random.choice("AB"))
        for k in range(1, random.randint(2, 5))
    ]
    if random.random() < 0.7:
        return Sample({"l.json": logs_written.inspect_json(samples).encode()}, "l.json", ())
    whole = logs_written.inspect_zip(samples, method=random.choice((0, 8, 93)))
    return Sample({"l.eval": whole}, "l.eval", ())


def helm(random: Random) -> Sample:
    stats = [
        logs_written.helm_stats(f"id{k}", exact_match=float(random.random() < 0.5))
        for k in range(random.randint(1, 4))
    ]
    name = "run/per_instance_stats.json"
    return Sample({name: json.dumps(stats, indent=1).encode()}, name, ())


def _pair(gold: str, text: str, system: str, answers: str, **options: Any) -> Sample:
    return Sample({gold: text.encode(), system: answers.encode()}, gold, (system,), options)


def _either(random: Random, gold: str, text: str, system: str, answers: str) -> Sample:
    """Return two files, or gold alone, which has a system too."""
    if random.random() < 0.5:
        return Sample({gold: text.encode()}, gold, ())
    return _pair(gold, text, system, answers, columns="gold=gold,system=pred")


SAMPLES: dict[str, Callable[[Random], Sample]] = {
    "columns": columns, "merged": merged, "hipe": hipe, "coref": coref, "coref-json": coref_json,
    "corefud": corefud, "cupt": cupt, "conllu-plus": conllu_plus, "conllu": conllu, "spans": spans,
    "entities": entities, "brat": brat, "offsets": offsets, "sequences": sequences, "pairs": pairs,
    "every-eval-ever": every_eval, "helm": helm, "inspect": inspect, "lm-eval": lm_eval,
    "long": long, "table": table, "matrix": matrix,
}  # fmt: skip
