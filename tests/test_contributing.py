"""The worked examples of CONTRIBUTING.md do what it says, in a copy of the repository."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from worked_examples import ROOT, applied, steps

if TYPE_CHECKING:
    from collections.abc import Callable

Outputs = dict[str, tuple[int, str, str]]
# Runs command lines of standard input in one process: what each printed, and how it ended.
DRIVER = """
import io, json, sys
from coleval.cli.main import main

def run(argv):
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in "ab")
    kept, (sys.stdout, sys.stderr) = (sys.stdout, sys.stderr), (out, err)
    try:
        code = main(argv)
    except SystemExit as left:
        code = left.code
    finally:
        sys.stdout, sys.stderr = kept
    return [code, *(s.buffer.getvalue().decode() for s in (out, err))]

commands = json.load(sys.stdin)
print(json.dumps({name: run(argv) for name, argv in commands.items()}))
"""
FILES = ["gold.conll", "good=good.conll", "bad=bad.conll"]
LINES = {
    "help": ["--help"],
    "longest --help": ["longest", "--help"],
    "longest json": ["longest", *FILES, "--as", "json"],
    "longest org": ["longest", *FILES, "--as", "org"],
    "longest half": ["longest", *FILES, "--fraction", "0.5", "--as", "json"],
    "report": ["report", *FILES, "--as", "json", "--replicates", "50"],
    "formats": ["formats", "--as", "json"],
    "slashes": ["score", "gold.pos", "tagged.txt", "--as", "json"],
    "slashes named": ["score", "gold.pos", "tagged.txt", "--as", "json", "--format", "slashes"],
    "slashes broken": ["score", "gold.pos", "broken.pos"],
    "attributes": ["attributes", "--as", "json"],
    "buckets": ["buckets", *FILES, "--attributes", "digits", "--as", "json"],
    "pivot": ["pivot", *FILES, "--rows", "digits", "--cols", "gold", "--as", "json"],
    "near": ["score", "near.csv", "--task", "score", "--metric", "near", "--as", "json"],
    "near compared": ["compare", "near.csv", "--task", "score", "--metric", "near", "--as", "json"],
    "profiles": ["profiles", "--as", "json"],
    "our-task": ["score", "tags.iob", "s=tags.iob", "--profile", "our-task", "--as", "json"],
    "score --help": ["score", "--help-all"],
    "org file": ["longest", *FILES, "-o", "made.org", "--caption", "A | B"],
    "csv caption": ["longest", *FILES, "--as", "csv", "--caption", "A"],
    "load": ["load", *FILES, "-o", "store", "--quiet"],
    "sql --list": ["sql", "--list", "--as", "json"],
    "question": ["sql", "store", "label-difficulty", "--as", "json"],
    "question in full": ["sql", "store", "questions/label-difficulty", "--as", "json"],
}
PYTHON = """
import inspect, json
import coleval
corpus = coleval.load("gold.conll", {"good": "good.conll", "bad": "bad.conll"})
report = corpus.longest(fraction=0.5)
print(json.dumps({
    "signature": str(inspect.signature(corpus.longest)),
    "help": inspect.getdoc(corpus.longest),
    "rows": report["longest"].rows(), "shown": repr(report),
    "labels": corpus.sql("label-difficulty")["label"].to_list(),
}))
"""


def corpus_of(seed: int) -> tuple[list[list[str]], dict[str, list[list[str]]]]:
    """Return the gold tags of 40 sentences of different lengths, and those of two systems."""
    chance = random.Random(seed)
    gold = [[chance.choice("NVD") for _ in range(chance.randint(1, 12))] for _ in range(40)]
    systems = {
        name: [[tag if chance.random() < odds else "X" for tag in tags] for tags in gold]
        for name, odds in {"good": 0.9, "bad": 0.5}.items()
    }
    return gold, systems


GOLD, SYSTEMS = corpus_of(5)


def plain_longest(fraction: float) -> dict[str, tuple[int, int, int, float, float]]:
    """Return sentences, items, those right, and both shares, by loops over lists."""
    ranked = sorted(range(len(GOLD)), key=lambda k: (-len(GOLD[k]), k))
    chosen = ranked[: max(1, round(fraction * len(GOLD)))]
    found = {}
    for name, answers in SYSTEMS.items():
        right, items = [0, 0], [0, 0]
        for k, tags in enumerate(GOLD):
            for gold, answer in zip(tags, answers[k], strict=True):
                for at in range(1 + (k in chosen)):
                    items[at] += 1
                    right[at] += gold == answer
        found[name] = (len(chosen), items[1], right[1], right[1] / items[1], right[0] / items[0])
    return found


def written(folder: Path) -> None:
    for name, tagged in {"gold": GOLD, **SYSTEMS}.items():
        words = [[(f"w{k}" if k % 3 else "word", tag) for k, tag in enumerate(tags)]
                 for tags in tagged]  # fmt: skip
        text = "\n\n".join("\n".join(f"{w}\t{t}" for w, t in sentence) for sentence in words)
        (folder / f"{name}.conll").write_text(text + "\n", encoding="utf-8")
    others = {
        "gold.pos": "the/DT dog/NN\n\nand/or/CC dogs/NNS bark/VBP\n",
        "tagged.txt": "the/DT dog/VB\n\nand/or/CC dogs/NNS bark/NN\n",
        "broken.pos": "the/DT dog/NN\n\nand/or/CC dogs bark/VBP\n",
        "tags.iob": "a O\nb I-X\n\nc O\n",
        "near.csv": "id,gold,score_s,score_t\n1,1.0,1.2,3.0\n2,2.0,3.0,2.1\n3,3,3,3\n",
    }
    for name, text in others.items():
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return applied(tmp_path_factory.mktemp("copy"))


@pytest.fixture(scope="module")
def run(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Return what runs Python in a folder of small files, with the copy as its coleval."""
    folder = tmp_path_factory.mktemp("files")
    written(folder)

    def run(*arguments: str, given: str = "", cwd: Path = folder) -> str:
        environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "COLUMNS": "100"}
        done = subprocess.run(
            [sys.executable, *arguments], cwd=cwd, env=environment, input=given,
            capture_output=True, check=False, text=True, encoding="utf-8",
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    return run


@pytest.fixture(scope="module")
def outputs(run: Callable[..., str]) -> Outputs:
    printed = json.loads(run("-c", DRIVER, given=json.dumps(LINES)))
    return {name: tuple(one) for name, one in printed.items()}


@pytest.fixture(scope="module")
def python(run: Callable[..., str]) -> dict[str, str]:
    found: dict[str, str] = json.loads(run("-c", PYTHON))
    return found


def table(outputs: Outputs, line: str, name: str) -> list[dict[str, object]]:
    code, out, err = outputs[line]
    assert code == 0, err
    rows: list[dict[str, object]] = json.loads(out)["tables"][name]
    return rows


# ------------------------------------------------------------------------------------ the text


def test_an_analysis_is_one_folder_and_one_place_of_one_registry() -> None:
    own = [step for step in steps() if step.heading == "An analysis"]
    assert {str(Path(s.path).parent) for s in own if s.where == "new"} == {
        "src/coleval/analyses/longest"
    }
    changed = [step for step in own if step.where != "new"]
    assert {step.path for step in changed} == {"src/coleval/analyses/registry.py"}
    assert sum(len(step.block.splitlines()) for step in changed) == 2


def test_each_kind_of_addition_is_shown() -> None:
    assert list(dict.fromkeys(step.heading for step in steps())) == [
        "An analysis", "An input format", "An attribute", "A metric", "A profile", "An output form",
        "A question in SQL",
    ]  # fmt: skip


def test_the_examples_are_clean_code(copy: Path, run: Callable[..., str]) -> None:
    paths = sorted({step.path for step in steps() if step.path.endswith(".py")})
    run("-m", "ruff", "check", "--no-cache", *paths, cwd=copy)
    run("-m", "ruff", "format", "--check", "--no-cache", *paths, cwd=copy)


# ---------------------------------------------------------------------------------- an analysis


def test_the_command_is_listed_and_shows_its_options(outputs: Outputs) -> None:
    assert "  longest     how good systems are on the longest sentences" in outputs["help"][1]
    shown = outputs["longest --help"][1]
    assert "--fraction F" in shown
    assert "the part of all sentences that counts as long (default 0.1)" in " ".join(shown.split())
    assert "--where SQL" in shown


@pytest.mark.parametrize(("line", "fraction"), [("longest json", 0.1), ("longest half", 0.5)])
def test_the_numbers_are_those_of_a_plain_loop(
    outputs: Outputs, line: str, fraction: float
) -> None:
    rows = table(outputs, line, "longest")
    expected = plain_longest(fraction)
    assert {str(row.pop("system")): tuple(row.values()) for row in rows} == expected
    shares = [values[3] for values in expected.values()]
    assert [row["share"] for row in rows] == sorted(shares, reverse=True)


def test_the_method_is_typed_and_describes_itself(python: dict[str, str]) -> None:
    assert "fraction: float = 0.1" in python["signature"]
    assert python["signature"].endswith("-> Report")
    assert "  fraction: the part of all sentences that counts as long" in python["help"]
    assert "--" not in python["help"]
    assert "items of the longest sentences" in python["shown"]
    rows = {name: tuple(values) for name, *values in python["rows"]}  # type: ignore[misc]
    assert rows == plain_longest(0.5)


def test_the_report_has_its_chapter_with_a_finding(outputs: Outputs) -> None:
    story = {row["chapter"]: row for row in table(outputs, "report", "story")}
    sentences, items, _, share, overall = plain_longest(0.1)["good"]
    assert story["longest"]["finding"] == (
        f"In the {sentences} longest sentences, good is right on {100 * share:.1f} % of {items} "
        f"items; in all sentences, on {100 * overall:.1f} %."
    )
    assert len(table(outputs, "report", "longest.longest")) == 2


def test_a_metric_ranks_and_is_tested(outputs: Outputs) -> None:
    rows = table(outputs, "near", "overall")
    assert {row["system"]: row["value"] for row in rows} == {"s": 2 / 3, "t": 2 / 3}
    assert table(outputs, "near compared", "pairs")[0]["metric"] == "near"


CALLS = {
    "right.py": 'frame = corpus.longest(fraction=0.2, systems="a*")["longest"].height\n',
    "wrong.py": 'corpus.longest(fraction="0.2")\ncorpus.longest(fracton=0.2)\n',
}


@pytest.mark.nightly
def test_a_type_checker_knows_its_options(
    copy: Path, run: Callable[..., str], tmp_path: Path
) -> None:
    pytest.importorskip("mypy")
    for name, text in CALLS.items():
        begin = 'import coleval\ncorpus = coleval.load("g")\n'
        (tmp_path / name).write_text(begin + text, encoding="utf-8")
    cache = tmp_path / "cache"
    if (ROOT / ".mypy_cache").is_dir():  # what was checked here need not be checked there
        shutil.copytree(ROOT / ".mypy_cache", cache)
    call = "import sys; from mypy import api; print(api.run(sys.argv[1:])[0])"
    files = [str(tmp_path / name) for name in CALLS]
    config = str(copy / "pyproject.toml")
    out = run("-c", call, "--config-file", config, "--cache-dir", str(cache), *files, cwd=copy)
    wrong = re.findall(r"(\w+)\.py:(\d+): error", out)
    assert wrong == [("wrong", "3"), ("wrong", "4")], out


# The tests that read registries, tables of the README, or a value that an example adds.
OF_REGISTRIES = (
    "test_architecture.py::test_the_docs_have_a_row_for_everything_in_a_registry",
    "test_architecture.py::test_every_command_is_run_by_something",
    "test_analysis_folders.py",
    "test_attributes.py::test_figure_3_of_the_paper",
    "test_python_options.py",
    "test_queries.py::test_a_query_has_a_whole_header",
)


@pytest.mark.nightly
def test_the_tests_that_read_registries_pass_in_the_copy(
    copy: Path, run: Callable[..., str]
) -> None:
    chosen = [str(copy / "tests" / name) for name in OF_REGISTRIES]
    chosen += map(str, (copy / "tests").glob("test_readme*.py"))
    run("-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen, cwd=copy)


# --------------------------------------------------------------------------- everything else


def test_the_format_is_recognised_and_read(outputs: Outputs) -> None:
    names = [row["name"] for row in table(outputs, "formats", "formats")]
    assert names.count("slashes") == 1
    for line in ("slashes", "slashes named"):
        (row,) = table(outputs, line, "overall")
        assert (row["items"], row["correct"], row["sentences"]) == (5, 3, 2)
    code, _, err = outputs["slashes broken"]
    assert (code, "broken.pos:3" in err, "`dogs` has no tag" in err) == (1, True, True)


def test_the_attribute_divides_the_items(outputs: Outputs) -> None:
    assert "digits" in [row["name"] for row in table(outputs, "attributes", "attributes")]
    there = sum(k % 3 != 0 for tags in GOLD for k in range(len(tags)))
    rows = table(outputs, "buckets", "buckets")
    counted = {(row["system"], row["bucket"]): row["gold"] for row in rows}
    assert counted["good", "yes"] == there
    assert counted["good", "no"] == sum(map(len, GOLD)) - there
    pivoted = table(outputs, "pivot", "pivot")
    assert sum(int(str(row["n"])) for row in pivoted if row["row"] == "yes") == there


def test_the_profile_counts_as_it_says(outputs: Outputs) -> None:
    assert "our-task" in [row["name"] for row in table(outputs, "profiles", "profiles")]
    (row,) = table(outputs, "our-task", "overall")
    assert (row["tp"], row["f1"]) == (1, 1.0)
    signature = json.loads(outputs["our-task"][1])["signature"]
    assert "|profile:our-task|scheme:iob1|repair:discard(n=0)|" in signature


def test_the_form_is_chosen_by_name_and_by_suffix(outputs: Outputs) -> None:
    assert "latex, html, org, parquet" in " ".join(outputs["score --help"][1].split())
    lines = outputs["longest org"][1].splitlines()
    assert lines[0] == "#+CAPTION: items of the longest sentences, best system first"
    assert re.fullmatch(r"\|(---\+)+---\|", lines[3])
    assert lines[-1].startswith("# coleval:")
    assert outputs["org file"][0] == 0
    assert "choose latex or markdown or org" in outputs["csv caption"][2]


def test_the_question_is_listed_and_answers_by_both_its_names(
    outputs: Outputs, python: dict[str, str]
) -> None:
    listed = [row["name"] for row in table(outputs, "sql --list", "queries")]
    assert "label-difficulty" in listed
    rows = table(outputs, "question", "result")
    assert rows == table(outputs, "question in full", "result")
    assert [row["label"] for row in rows] == python["labels"]
    tokens = [(tag, sum(answers[k][at] == tag for answers in SYSTEMS.values()))
              for k, tags in enumerate(GOLD) for at, tag in enumerate(tags)]  # fmt: skip
    for row in rows:
        solved = [n for tag, n in tokens if tag == row["label"]]
        assert row["items"] == len(solved)
        assert row["solved_by"] == pytest.approx(sum(solved) / len(solved))
    assert [row["solved_by"] for row in rows] == sorted(row["solved_by"] for row in rows)  # type: ignore[type-var]
