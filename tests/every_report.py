"""What every command gives back on small data whose labels and names no form may obey."""

from __future__ import annotations

import json
import random
import shlex
from typing import TYPE_CHECKING
from unittest import mock

import polars as pl

import coleval
from coleval.analyses.registry import ANALYSES
from coleval.cli import commands
from coleval.cli import sql as query_commands
from coleval.cli.main import main
from coleval.corpus.report import Report

if TYPE_CHECKING:
    from pathlib import Path

LABELS = ("a_b", "50%", "≥", "#&$", r"\input{x}", "--", '"', "x/y", "{~^}")
SYSTEMS = ("first_run", "50% & more", "a–b ½ | κ", "back\\slash", "fifty-letters-" + "long-" * 8)
# Columns that are named after systems, values and groups.
DATA = {*SYSTEMS, *map(str, range(6)), "∅", "total"}
A, B = "first_run", "'50% & more'"
SPANS = (
    "score", "score --intervals --replicates 50", "score --unit token", "confusion", "agree",
    "score --leaderboard --by sentence%2 --replicates 50",
    f"confusion --systems {A}", "measure", "compare --replicates 50",
    f"compare --baseline {A} --test mcnemar --metric accuracy --unit token",
    "compare --replicates 50 --group '^[a-f]'", "compare --replicates 50 --folds sentence",
    f"bins --words-top 5 --profile-bins --items --pair {A} {B}", "bins --percent",
    "bins --order given", "score --order given",
    f"buckets --pair {A} {B} --cross eLen label", f"buckets --systems {A}",
    "buckets --attributes eLen,label --versions first_run,'50% & more' --gaps",
    f"errors --pair {A} {B} --items", "errors --taxonomy nervaluate", f"errors --systems {A}",
    "changes", f"changes --pair {A} {B} --items",
    f"changes --baseline {A} --gate max_new_errors=1000", "oracle --by gold",
    "oracle --systems 'f*'",
    "pivot --rows gold --cols difficulty", "pivot --rows gold --cols difficulty --third sentence%3",
    "pivot --rows gold --cols difficulty --wide", f"pivot --find {A} --least 5", "show --limit 3",
    "report --replicates 50", "validate", "score --by sentence%2", "bins --by gold",
    "confusion --by sentence%2", "agree --by sentence%2", "changes --by sentence%2",
    f"changes --pair {A} {B} --by sentence%2", "errors --by sentence%2",
    "compare --by sentence%2 --replicates 50", "buckets --over sentence%3 --attributes eLen",
    "report --by sentence%3 --replicates 50",
    f"measure --correlate {A} {B}",
    "behaviour --capability sentence --test sentence --groups sentence --gate max_failed=99",
    "items --subset 20 --patterns --by sentence%2", f"audit --least 1 --against {B}",
)  # fmt: skip
TREES = (
    "score", "score --intervals --replicates 50", "changes", "changes --pair one two", "bins",
    "oracle", "report --replicates 50",
)  # fmt: skip
CHAINS = (
    "score --key all", "score --intervals --replicates 50",
    "changes --pair one two --columns pos=5", "report --replicates 50",
)  # fmt: skip
SCORES = (
    "score", "score --intervals --replicates 50", "score --by topic", "compare --replicates 50",
    "score --leaderboard --by topic --replicates 50", "compare --lower --replicates 50",
    "bins", "buckets --attributes topic --intervals --replicates 50", "oracle",
    "changes --items --gate max_drop=9", "items", "items --above 0.5 --model 2pl",
    "pivot --rows topic --cols item%2 --value mean", "examples --limit 2",
    "report --replicates 50",
)  # fmt: skip
TEXTS = (
    "score", "score --intervals --replicates 50", "compare --metric chrf --replicates 50", "bins",
    "changes --items", "oracle", "buckets --attributes reference_words", "examples --limit 2",
    "items", "report --replicates 50",
)  # fmt: skip
# An analysis that is not named above runs as it is.
OTHERS = tuple(name for name in ANALYSES if name != "sql" and name not in
               {line.split()[0] for line in SPANS})  # fmt: skip
ALONE = ("formats", "attributes", "profiles", "sql --list", "demo --tokens 600 --systems 3 --quiet")


def reports(folder: Path) -> dict[str, Report]:
    """Return the report of each command line, and of tables that need more than small files."""
    spans, trees, chains = _spans(folder), _trees(folder), _chains(folder)
    query = "select gold, difficulty / 3 as a_third, null as nothing from item"
    return {
        **{line: _of(line, spans) for line in (*SPANS, *OTHERS)},
        **{f"{line} (trees)": _of(line, trees) for line in TREES},
        **{f"{line} (chains)": _of(line, chains) for line in CHAINS},
        **{f"{line} (scores)": _of(line, _scores(folder)) for line in SCORES},
        **{f"{line} (texts)": _of(line, _texts(folder)) for line in TEXTS},
        "measure (people)": _of(f"measure --meta {_people(folder)}", _texts(folder)),
        "score (metric)": _of("score --metric macro_f1 --intervals --replicates 50", spans),
        "score (confidences)": _of("score", _confidences(folder)),
        "compare (gaps)": _of("compare --missing leave-out --replicates 50", _gaps(folder)),
        "sql": _captured(["sql", *spans, query, "--quiet"]),
        "load": _captured(["load", *spans, "-o", str(folder / "store"), "--quiet"]),
        **{line: _captured(shlex.split(line)) for line in ALONE},
        "score (lists)": _of("score --place interval", _lists(folder)),
        "validate (lists)": _of("validate", _lists(folder)),
        "score (grid)": _of("score --by dataset --missing wrong", _grid(folder)),
        "audit (decisions)": _decided(folder, spans),
        "measure (columns)": _columns(),
        "measure (means)": _means(),
        "bench": _bench(),
        "help": _captured(["help", "ranking"]),
    }


def _of(line: str, sources: list[str]) -> Report:
    command, *options = shlex.split(line)
    return _captured([command, *sources, *options, "--quiet"])


def _captured(argv: list[str]) -> Report:
    with (
        mock.patch.object(commands, "emit") as one,
        mock.patch.object(query_commands, "emit") as other,
    ):
        assert main(argv) == 0, argv
    (call,) = one.call_args_list + other.call_args_list
    report = call.args[0]
    assert isinstance(report, Report)
    return report


def _spans(folder: Path) -> list[str]:
    """Write gold and five systems that err at random, and return what names them."""
    chance = random.Random(7)
    gold = [[_tag(chance) for _ in range(8)] for _ in range(60)]
    sources = [str(_written(folder / "gold.conll", gold))]
    for at, name in enumerate(SYSTEMS):
        odds = 0.1 + 0.1 * at
        answers = [[_tag(chance) if chance.random() < odds else t for t in row] for row in gold]
        sources.append(f"{name}={_written(folder / f'{at}.conll', answers)}")
    return sources


def _scores(folder: Path) -> list[str]:
    """Write a table of numbers of three systems, and return what names it."""
    chance = random.Random(9)
    columns = {f"score_{name}": [round(chance.random(), 2) for _ in range(40)]
               for name in SYSTEMS[:3]}  # fmt: skip
    ids, topics = [f"i{k}" for k in range(40)], [chance.choice(LABELS[:3]) for _ in range(40)]
    pl.DataFrame({"id": ids, "topic": topics, **columns}).write_csv(folder / "scores.csv")
    return [str(folder / "scores.csv"), "--task", "score"]


def _texts(folder: Path) -> list[str]:
    """Write references and the outputs of three systems, and return what names them."""
    chance = random.Random(17)
    words = [*LABELS, "the", "cat", "sat", "on", "a", "mat"]
    gold = [[chance.choice(words) for _ in range(8)] for _ in range(30)]
    sources = []
    for name, odds in (("reference", 0.0), *zip(SYSTEMS[:3], (0.1, 0.3, 0.5), strict=True)):
        rows = [[chance.choice(words) if chance.random() < odds else w for w in r] for r in gold]
        path = folder / f"texts-{odds}.txt"
        path.write_text("".join(f"{' '.join(row)}\n" for row in rows), encoding="utf-8")
        sources.append(f"{name}={path}" if odds else str(path))
    return [*sources, "--task", "text"]


def _people(folder: Path) -> Path:
    """Write what people think of each text, and return the file."""
    chance = random.Random(19)
    columns = {name: [chance.randint(1, 5) for _ in range(30)] for name in SYSTEMS[:3]}
    pl.DataFrame({"id": range(1, 31), **columns}).write_csv(folder / "people.csv")
    return folder / "people.csv"


def _confidences(folder: Path) -> list[str]:
    """Write labels of two systems with a confidence each, and return what names them."""
    chance, names = random.Random(13), SYSTEMS[:2]
    columns: dict[str, list[object]] = {"id": [f"i{k}" for k in range(50)]}
    columns["gold"] = [chance.choice(LABELS) for _ in range(50)]
    for name in names:
        columns[name] = [chance.choice(LABELS) for _ in range(50)]
        columns[f"confidence_{name}"] = [chance.random() for _ in range(50)]
    pl.DataFrame(columns).write_csv(folder / "confidences.csv")
    picks = ",".join(["gold=gold", *(f"system={name}" for name in names)])
    return [str(folder / "confidences.csv"), "--columns", picks]


def _gaps(folder: Path) -> list[str]:
    """Write a matrix in which no item was answered by all systems, and return what names it."""
    rows = {name: [k % (at + 2) % 2 if k % 3 != at else None for k in range(60)]
            for at, name in enumerate(SYSTEMS[:3])}  # fmt: skip
    path = folder / "gaps.csv"
    pl.DataFrame({"id": [f"i{k}" for k in range(60)], **rows}).write_csv(path)
    return [str(path), "--task", "matrix"]


def _lists(folder: Path) -> list[str]:
    """Write two systems that list strings, some of which are not in the text; return the sources.

    Gold is that of the spans, which have been written.
    """
    chance = random.Random(5)
    words = ("the", "_%&#", "Ωmega", "10,000", "nowhere", "")
    sources = [str(folder / "gold.conll")]
    for at, name in enumerate(SYSTEMS[:2]):
        path = folder / f"lists-{at}.jsonl"
        entries = [
            [[chance.choice(words), chance.choice(LABELS)] for _ in range(4)] for _ in range(60)
        ]
        path.write_text(
            "".join(json.dumps({"id": k, "entities": e}) + "\n" for k, e in enumerate(entries))
        )
        sources.append(f"{name}={path}")
    return sources


def _decided(folder: Path, spans: list[str]) -> Report:
    """Return an audit whose first suspects are decided as the systems say."""
    path = folder / "decided.tsv"
    table = _of("audit --least 1 --limit 5", spans)["suspects"]
    decided = table.with_columns(pl.lit("systems").alias("decision"))
    decided.write_csv(path, separator="\t", quote_style="never")
    return _of(f"audit --decisions {path}", spans)


def _grid(folder: Path) -> list[str]:
    """Write two datasets, of which one system has run on one alone, and one without any span."""
    chance = random.Random(11)
    for dataset in ("50%_a", "b#", "c"):
        gold = [[_tag(chance) if dataset != "c" else "O" for _ in range(8)] for _ in range(5)]
        (folder / dataset).mkdir()
        _written(folder / dataset / "gold.conll", gold)
        for system in SYSTEMS[:2] if dataset == "b#" else SYSTEMS[:1]:
            answers = [[_tag(chance) for _ in row] for row in gold]
            _written(folder / dataset / f"{system}.run", answers)
    return [str(folder / "{dataset}" / "gold.conll"), str(folder / "{dataset}" / "{system}.run")]


def _tag(chance: random.Random) -> str:
    return f"{chance.choice('BI')}-{chance.choice(LABELS)}" if chance.random() < 0.4 else "O"


def _written(path: Path, rows: list[list[str]]) -> Path:
    words = ("the", "_%&#", "Ωmega", "naïve", "10,000", "…", "well--known", '"so"')
    lines = (
        "\n".join(f"{word}\t{tag}" for word, tag in zip(words, tags, strict=True)) for tags in rows
    )
    path.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    return path


def _trees(folder: Path) -> list[str]:
    chance = random.Random(3)
    relations = ("nsubj:a_b", "obj", "50%", "punct")
    paths = []
    for name in ("tree-gold", "one", "two", "three"):
        sentences = []
        for _ in range(12):
            rows = [(1, 0, "root")] + [(k, 1, chance.choice(relations)) for k in (2, 3, 4)]
            lines = [f"{k}\tw{k}\t_\tX\t_\t_\t{head}\t{rel}\t_\t_" for k, head, rel in rows]
            sentences.append("\n".join(lines) + "\n")
        path = folder / f"{name}.conllu"
        path.write_text("\n".join(sentences) + "\n", encoding="utf-8")
        paths.append(str(path))
    return [*paths, "--task", "dep"]


def _chains(folder: Path) -> list[str]:
    answers = {
        "chain-gold": ("(1)", "-", "(1)", "(2)", "(2)", "(1)"),
        "one": ("(1)", "-", "(1)", "(2)", "(1)", "(2)"),
        "two": ("(1)", "(1)", "-", "(2)", "(2)", "(1)"),
    }
    paths = []
    for name, fields in answers.items():
        lines = [f"doc\t0\t{k}\tw{k}\tNN\t{field}\n" for k, field in enumerate(fields)]
        path = folder / f"{name}.conll"
        path.write_text(
            f"#begin document (doc); part 000\n{''.join(lines)}\n#end document\n", encoding="utf-8"
        )
        paths.append(str(path))
    return [*paths, "--task", "coref"]


def _columns() -> Report:
    """Return the measures of columns, which these files have not."""
    perplexity = {"column": ["p_x"], "items": [9], "lacking": [1], "cross_entropy": [1.25],
                  "perplexity": [2.5], "note": ["a | b"]}  # fmt: skip
    ranking = {"column": ["p_x"], "k": [5], "queries": [2], "hits": [3.0], "precision": [0.6],
               "recall": [0.75], "note": [None], "ndcg": [0.5]}  # fmt: skip
    whole = {"column": ["p_x"], "queries": [2], "items": [9], "relevant": [3],
             "relevant_returned": [2], "map": [0.5],
             "mrr": [0.75], "ndcg": [0.625], "note": [None]}  # fmt: skip
    scores = {"column": ["p_x"], "items": [9], "lacking": [1], "relevant": [3],
              "average_precision": [0.5], "break_even": [0.75], "roc_auc": [0.625],
              "note": [None]}  # fmt: skip
    levels = {"column": ["p_x"], "recall": [0.1], "precision": [0.75]}
    curve = {"column": ["p_x"], "threshold": [0.5], "selected": [4], "tp": [3], "fp": [1],
             "precision": [0.75], "recall": [1.0], "fpr": [0.125]}  # fmt: skip
    flips = {"system": ["p_x"], "pairs": [4], "gold_flips": [2], "flips": [3],
             "needless_flips": [1], "missed_flips": [0], "right_originals": [3],
             "right_perturbed": [2], "both_right": [2], "consistency": [0.5]}  # fmt: skip
    tables = {"perplexity": pl.DataFrame(perplexity), "ranking": pl.DataFrame(ranking),
              "ranked_lists": pl.DataFrame(whole), "scores": pl.DataFrame(scores),
              "pr_levels": pl.DataFrame(levels), "pr_curve": pl.DataFrame(curve),
              "minimal_pairs": pl.DataFrame(flips),
              "by": pl.DataFrame({"by": ["p_x"], **flips})}  # fmt: skip
    return Report("measure", tables, "coleval:x")


def _means() -> Report:
    """Return means of item scores that have names like the others."""
    frame = pl.DataFrame({"gold": list("abab"), "s": list("aabb"), "p_x": [0.5, 1.5, 3.0, None],
                          "50%": [1.0, 0.25, 2.0, 4.0]})  # fmt: skip
    columns = {"gold": "gold", "system": "s"}
    return coleval.load(frame, task="label", columns=columns).measure(means=["p_x", "50%"])


def _bench() -> Report:
    """Return times as if they had been taken."""
    steps = [("coleval", "reading", 0.5), ("coleval", "score", 0.25), ("peer_1", "reading", 2.0)]
    rows = [
        {"program": program, "step": step, "seconds": seconds, "answers": 1000, "note": None,
         "answers_per_second": 1000 / seconds, "ratio": 4.0, "noise": 0.1}
        for program, step, seconds in steps
    ]  # fmt: skip
    return Report("bench", {"bench": pl.DataFrame(rows)}, "coleval:x")
