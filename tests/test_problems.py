"""What is wrong with files is one kind of thing, made, counted and worded in one place."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import coleval
from coleval.corpus.options import Reading
from coleval.corpus.problems import Problem, raise_earliest, raise_first, scorable, unreadable
from coleval.errors import DataError
from coleval.loading.readers.source import Source
from coleval.loading.sources import Inputs
from coleval.loading.validating import validate

SRC = Path(__file__).parents[1] / "src" / "coleval"


def defined(tree: ast.Module) -> set[str]:
    """Return the classes and other names that a module defines at its start."""
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    assigned = (node.targets for node in tree.body if isinstance(node, ast.Assign))
    return classes | {ast.unparse(target) for targets in assigned for target in targets}


def test_one_module_defines_what_a_problem_is():
    found = [
        path.relative_to(SRC).as_posix()
        for path in sorted(SRC.rglob("*.py"))
        if {"Problem", "_Problem"} & defined(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == ["corpus/problems.py"]


def test_one_place_words_how_often_there_is_more():
    found = [
        path.relative_to(SRC).as_posix()
        for path in sorted(SRC.rglob("*.py"))
        if re.search(r"more like it|lists them all`?\)\"", path.read_text(encoding="utf-8"))
    ]
    assert found == ["corpus/problems.py"]


def test_a_warning_says_what_how_often_where_first_and_what_was_done():
    problem = Problem("a.txt", 3, "tags", "`B` has no type", "it is outside", n=2001, fatal=False)
    assert problem.warning == "`B` has no type, and 2,000 more like it (a.txt:3); it is outside"
    assert Problem("a", None, "k", "odd", "kept").warning == "odd (a); kept"


def test_the_first_fatal_problem_is_raised_and_counts_the_others():
    fatal = [Problem("a.txt", line, "k", f"wrong {line}", "mend it") for line in (7, 3)]
    note = Problem("a.txt", 1, "k", "odd", "kept", fatal=False)
    with pytest.raises(DataError) as error:
        raise_first([note, *fatal])
    assert error.value.where == "a.txt:7"
    assert error.value.problem == "wrong 7 (and 1 more; `coleval validate` lists them all)"
    raise_first([note])
    assert (scorable([note]), scorable([note, *fatal])) == (True, False)


def test_a_reader_raises_the_problem_of_the_earliest_line_whatever_it_looked_for_first():
    with pytest.raises(DataError) as error:
        raise_earliest([unreadable(9, "nine", "a"), unreadable(4, "four", "b")], "a.txt")
    assert (error.value.where, error.value.problem) == ("a.txt:4", "four")
    raise_earliest([], "a.txt")


def test_validate_lists_the_same_problem_that_loading_raises(tmp_path):
    gold = tmp_path / "gold.conllu"
    line = "{0}\tw\t_\t_\t_\t_\t{1}\tx\t_\t_\n"
    gold.write_text(line.format(1, 9) + line.format(3, 0) + "\n", encoding="utf-8")
    system = tmp_path / "a.conllu"
    system.write_text(gold.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(DataError, match="not a word of this sentence") as error:
        coleval.load(gold, [system])
    sources = Inputs(Source(str(gold)), {"a": Source(str(system))})
    report = validate(sources, Reading(), lambda _: None)
    row = report["problems"].row(0, named=True)
    assert (row["problem"], f"{row['file']}:{row['line']}") == (
        error.value.problem,
        error.value.where,
    )


def test_validate_lists_all_that_can_be_known_of_a_file_in_one_run(write):
    """Of the README's demo the broken tag was not listed while the number of tokens was wrong."""
    rows = ["a\tB-PER", "b\tO", "", "c\tB-LOC", "d\tO", "", "e\tO", "f\tO", ""]
    gold = write("gold.conll", "\n".join(rows))
    short = write("short.conll", "\n".join(["a\tB_PER", *rows[1:4], *rows[5:]]))
    ragged = write("ragged.conll", "a\tO\nb\n\nc\t\nd\tO\n\ne\nf\tO")
    odd = write("odd.conll", "\n".join(rows).replace("\tO", "\tB-preson"))
    files = {"short": short, "ragged": ragged, "odd": odd, "same": gold, "more": odd}
    sources = Inputs(Source(str(gold)), {n: Source(str(p), name=n) for n, p in files.items()})
    table = validate(sources, Reading(), lambda _: None)["problems"]
    found = [(Path(row["file"]).stem, row["line"], row["problem"], row["n"])
             for row in table.to_dicts()]  # fmt: skip
    assert [row[:2] for row in found if row[0] in ("short", "ragged")] == [
        ("short", 6), ("short", 1), ("ragged", 2), ("ragged", 4), ("ragged", 7),
    ]  # fmt: skip
    assert ("odd", 2, "`preson` is a label that gold never has", 4) in found
    assert ("gold", None, "every answer is that of gold", 1) in found
    broken = Inputs(Source(str(ragged)), {"a": Source(str(write("a.conll", "a\tO\nb\n")))})
    listed = validate(broken, Reading(), lambda _: None)["problems"]
    assert [Path(file).stem for file in listed["file"]] == ["ragged", "ragged", "ragged", "a"]


def test_identical_answers_of_tables_are_flagged_whatever_the_order_of_their_rows(write):
    gold = write("gold.csv", "id,label\n1,a\n2,b\n3,a\n")
    files = {"a": write("a.csv", "id,label\n1,a\n2,a\n3,c\n"),
             "b": write("b.csv", "id,label\n3,c\n1,a\n2,a\n"),
             "c": write("c.csv", "id,label\n3,a\n1,a\n2,b\n")}  # fmt: skip
    sources = Inputs(Source(str(gold)), {n: Source(str(p), name=n) for n, p in files.items()})
    table = validate(sources, Reading(task="label"), lambda _: None)["problems"]
    assert table["problem"].to_list() == [
        "`c` is a label that gold never has", "`c` is a label that gold never has",
        f"every answer is that of `a` ({files['a']})", "every answer is that of gold",
    ]  # fmt: skip


def test_a_misspelt_label_is_named_beside_the_scores(write):
    gold = write("gold.conll", "a\tB-PER\nb\tB-PER\n\nc\tO\n")
    system = write("a.conll", "a\tB-PER\nb\tB-PRE\n\nc\tB-PRE\n")
    (warning,) = coleval.load(gold, {"a": system}).score().warnings
    assert warning.startswith("a: gold never has `PRE` (2 ×)")
