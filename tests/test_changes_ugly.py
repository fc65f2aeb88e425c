"""Changes where there is nothing to tell, or too much: odd corpora, names and sizes."""

from __future__ import annotations

import subprocess
import sys

import pytest

import coleval
import oracle_changes as plain
from coleval.errors import GateError, UsageError


def rows(report, name, *columns):
    frame = report.table(name)
    return frame.select(columns).rows() if columns else frame.to_dicts()


def test_one_system_has_nothing_to_change_into(corpus):
    with pytest.raises(UsageError, match="there is one system, `a`"):
        corpus(gold="A", a="A").changes()


def test_identical_systems_do_not_differ(corpus, capsys):
    report = corpus(gold="A B", a="A A", b="A A").changes()
    (row,) = rows(report, "summary")
    assert (row["different"], row["diff"], row["delta"]) == (0, 0.0, 0.0)
    assert report.table("changes").is_empty()
    report.show()
    assert "Both systems give the same 2 answers." in capsys.readouterr().out


@pytest.mark.parametrize("task", ["tag", "span"])
def test_where_nothing_is_left_everything_is_undefined(corpus, task, capsys):
    report = corpus(task=task, gold="B-A B-B", a="B-A B-A", b="B-A B-B").changes(where="false")
    (row,) = rows(report, "summary")
    assert (row["items"], row["diff"], row["accuracy_before"], row["delta"]) == (
        0,
        None,
        None,
        None,
    )
    report.show()
    assert "There are no items to compare." in capsys.readouterr().out


def test_fifty_systems_are_1225_pairs_and_still_a_picture(corpus, capsys):
    systems = {f"s{k:02}": " ".join("AB"[(k >> bit) & 1] for bit in range(6)) for k in range(50)}
    report = corpus(gold="A A A A A A", **systems).changes()
    assert len(report.table("summary")) == 1225
    assert (
        sum(r["different"] for r in rows(report, "summary")) == report.table("changes")["n"].sum()
    )
    report.show()
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100


ODD = ["größe", "日本", "a|b", "A", "a b", "ÄÖ=1", "x'y\"z"]


def test_odd_names_of_systems_and_labels_come_through(write, capsys):
    gold = write("gold.conll", "w ä\nw β|γ\nw 日\n")
    paths = {
        name: write(f"{k}.conll", "w ä\nw ä\nw 日\n" if k % 2 else "w β|γ\nw β|γ\nw 日\n")
        for k, name in enumerate(ODD)
    }
    corpus = coleval.load(gold, paths, task="tag")
    report = corpus.changes()
    assert set(report.table("summary")["after"]) | {ODD[0]} == set(ODD)
    corpus.changes((ODD[0], ODD[1])).show()
    assert "größe → 日本" in capsys.readouterr().out


def test_the_picture_of_24_systems_fits_100_columns(corpus, capsys):
    systems = {
        f"a-rather-long-name-{k}": " ".join("AB"[(k * k + bit) % 3 == 0] for bit in range(40))
        for k in range(24)
    }
    corpus(gold=" ".join("AB" * 20), **systems).changes().show()
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    assert not any("not shown" in line for line in lines)


def test_the_command_line_has_it_all(write):
    paths = [
        write(f"{n}.conll", t)
        for n, t in (("gold", "w A\nv B\n"), ("a", "w A\nv A\n"), ("b", "w B\nv B\n"))
    ]
    command = [sys.executable, "-m", "coleval", "changes", *map(str, paths), "--task", "tag",
               "--pair", "a", "b", "--items", "--kind", "new-error", "--from", "A", "--to", "B",
               "--as", "csv", "--table", "items"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 2
    assert "new error" in done.stdout


def test_a_gate_error_is_no_usage_error():
    assert GateError("x").exit_code == 1


def test_hundreds_of_labels_are_counted_by_sorting(corpus):
    layers = {name: [f"L{(k * step) % 300:03}" for k in range(900)] for name, step in
              {"gold": 7, "a": 11, "b": 13}.items()}  # fmt: skip
    report = corpus(**{name: " ".join(labels) for name, labels in layers.items()}).changes()
    answers = [dict(enumerate(labels)) for labels in layers.values()]
    _, cells, _ = plain.compare(*answers)
    keys = ("kind", "gold", "label_before", "label_after", "n")
    assert {row[:4]: row[4] for row in rows(report, "changes", *keys)} == cells


def test_instances_with_several_labels_change_label_by_label(write):
    gold = write("gold.csv", "id,gold\nx,p|q\ny,q\nz,r\n")
    a = write("a.csv", "id,system\nx,p\ny,q|r\nz,q\n")
    b = write("b.csv", "id,system\nx,p|q\ny,q\nz,q\n")
    corpus = coleval.load(gold, [a, b], task="label", separator="|")
    (row,) = rows(corpus.changes(), "summary")
    counts = [row[name] for name in ("items", "corrections", "new_errors", "changed_errors")]
    assert counts == [6, 2, 0, 0]
    (bound,) = rows(corpus.oracle(), "overall")
    assert (bound["items"], bound["oracle_correct"]) == (4, 3)
