"""A task is asked, not compared by its name; and the rooms that share what tasks share."""

from __future__ import annotations

import ast
import dataclasses
import re
from importlib import import_module
from pathlib import Path

import pytest

import coleval
from coleval.corpus.options import Reading, Scoring
from coleval.corpus.task import ByName, Task
from coleval.corpus.tasks import TASKS, task_named

SRC = Path(__file__).parents[1] / "src" / "coleval"
# Files are recognised by the task, and demo corpora of trees are made in a way of their own.
DISPATCHED = {
    "loading/readers/beginnings.py": 3,
    "loading/readers/formats.py": 2,
    "loading/readers/pubtator.py": 1,
    "demo/corpus.py": 1,
}
COMPARED = re.compile(r"""(?<!for )\btask (?:==|!=|in|not in) [("']""")


def imports(room: str, *, top: bool = False) -> set[str]:
    """Return what the modules of a room import, at module level alone if asked for."""
    found = set()
    for path in (SRC / room).rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body if top else ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module)
    return found


@pytest.mark.parametrize(
    ("room", "other"),
    [
        ("annotate", "coleval.loading"),
        ("loading/tasks", "coleval.annotate"),
        ("annotate", "coleval.query"),
        ("counts", "coleval.annotate"),
        ("counts", "coleval.loading"),
        ("store", "coleval.annotate"),
    ],
)
def test_rooms_that_must_not_know_each_other_do_not(room, other):
    assert not [name for name in imports(room) if name.startswith(other)]


@pytest.mark.parametrize("room", ["loading", "analyses", "query", "annotate", "counts"])
def test_a_corpus_needs_other_rooms_only_when_it_is_asked_for_something(room):
    names = imports("corpus", top=True)
    # What a corpus can be asked are methods with typed options, which their specs declare.
    known = {"coleval.analyses.registry"}
    assert not [name for name in set(names) - known if name.startswith(f"coleval.{room}")]


def test_names_of_tasks_are_compared_only_where_something_is_dispatched_by_name():
    compared = {
        path.relative_to(SRC).as_posix(): len(COMPARED.findall(path.read_text(encoding="utf-8")))
        for path in SRC.rglob("*.py")
    }
    assert {path: n for path, n in compared.items() if n} == DISPATCHED


def test_items_where_systems_err_are_found_in_one_module():
    finding = re.compile(r"flatnonzero\([^()]*(?:!= *\w*\.?gold|gold *!= *\w+\.answers)")
    finders = [
        path.relative_to(SRC).as_posix()
        for path in SRC.rglob("*.py")
        if finding.search(path.read_text(encoding="utf-8"))
    ]
    assert finders == ["counts/active_rows.py"]


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_every_function_that_a_task_names_is_there(task):
    for one in dataclasses.fields(task):
        named = getattr(task, one.name)
        if isinstance(named, ByName):
            module, _, name = named.path.partition(":")
            assert callable(getattr(import_module(f"coleval.{module}"), name)), one.name


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_conventions_are_scoring_options_that_may_be_free(task):
    for options in task.conventions.values():
        assert all(getattr(Scoring(), name) is None for name in options)


def test_facts_of_a_task_have_no_name_that_is_an_option_too():
    """Options of a half are told by its attributes: a property of that name would take one over."""
    given = {one.name for half in (Reading, Scoring) for one in dataclasses.fields(half)}
    public = {n for half in (Reading, Scoring) for n in vars(half) if not n.startswith("_")}
    assert public - given == {"checked", "selection", "task_kind", "zero_division"}


def test_a_task_that_is_not_decided_has_no_facts():
    assert task_named(None) == Task("")
    assert Reading().task_kind == Task("")


FILES = {
    "tag": ("a X\nb Y\n", "a X\nb X\n"),
    "span": ("a B-X\nb O\n", "a B-X\nb B-X\n"),
    "dep": ("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n", "1\ta\t_\tY\t_\t_\t0\troot\t_\t_\n\n"),
    "label": ("1 X\n2 Y\n", "1 X\n2 X\n"),
    "text": ("a b c\nd\n", "a b\nd\n"),
    "coref": (
        "#begin document (d);\nd 0 0 a (0)\nd 0 1 b (0)\n\n#end document\n",
        "#begin document (d);\nd 0 0 a (0)\nd 0 1 b -\n\n#end document\n",
    ),
}


@pytest.fixture
def corpus_of(write):
    def corpus_of(task):
        if task == "matrix":
            return coleval.load(write("m.tsv", "item\ts\tt\n1\t1\t0\n2\t1\t1\n"), task=task)
        if task == "score":
            return coleval.load(write("s.tsv", "id\ts\tt\n1\t0.5\t0.1\n2\t1\t1\n"), task=task)
        gold, system = FILES[task]
        suffix = "conllu" if task == "dep" else "txt"
        systems = {name: write(f"{name}.{suffix}", system) for name in ("s", "t")}
        return coleval.load(write(f"gold.{suffix}", gold), systems, task=task)

    return corpus_of


@pytest.mark.parametrize("name", TASKS)
def test_a_corpus_has_the_units_of_its_task(corpus_of, name):
    corpus = corpus_of(name)
    assert corpus.task_kind is TASKS[name]
    assert tuple(corpus.units) == corpus.task_kind.units


@pytest.mark.parametrize("name", TASKS)
def test_a_store_keeps_what_all_units_of_a_task_follow_from(corpus_of, name, tmp_path):
    corpus = corpus_of(name)
    stored = coleval.open(corpus.save(tmp_path / "store"))
    assert tuple(stored.units) == corpus.task_kind.units
    assert stored.at().frame().equals(corpus.at().frame())


@pytest.mark.parametrize("name", TASKS)
def test_the_headline_ranks_the_leaderboard_and_can_be_compared(corpus_of, name):
    corpus = corpus_of(name)
    headline = corpus.task_kind.headline(corpus, corpus.at())
    overall = corpus.score().table("overall")
    assert corpus.compare().signature.count(f"|metric:{headline}|") == 1
    assert headline in overall.columns or headline in overall["metric"].str.to_lowercase()


def test_a_task_is_added_by_a_declaration_and_a_line_of_the_registry(write, monkeypatch):
    chunk = dataclasses.replace(TASKS["span"], name="chunk", units=("span", "token"))
    monkeypatch.setitem(TASKS, "chunk", chunk)
    gold, system = write("gold.txt", "a B-X\nb I-X\n"), write("s.txt", "a B-X\nb O\n")
    corpus = coleval.load(gold, {"s": system, "t": write("t.txt", "a B-X\nb I-X\n")}, task="chunk")
    assert corpus.task_kind is chunk
    assert corpus.score().table("overall")["f1"].to_list() == [1.0, 0.0]
    assert "task:chunk|scheme:iob2" in corpus.errors().signature
