"""Messages name the tag, the edge or the place that is wrong, not one beside it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.cli.main import main
from coleval.corpus.output import unwritable
from coleval.corpus.schemes import SCHEMES
from coleval.errors import DataError
from test_schemes import TAG


def conll(path, tags):
    path.write_text("".join(f"w{k} {tag}\n" for k, tag in enumerate(tags)))
    return str(path)


@pytest.mark.parametrize("repair", ["begin", "discard", "extend"])
@pytest.mark.parametrize("command", ["score", "validate"])
def test_the_illegal_tag_is_named_whatever_becomes_of_it(tmp_path, capsys, repair, command):
    gold = conll(tmp_path / "g", ["O", "B-X", "O"])
    system = conll(tmp_path / "w", ["O", "B-X", "I-Y"])
    main([command, gold, system, "--repair", repair])
    told = "".join(capsys.readouterr())
    assert "`I-Y` on `w2` after `B-X`" in " ".join(told.split())


def places(tmp_path, tags, scheme, repair):
    gold = conll(tmp_path / "g", ["B-X" if scheme != "io" else "I-X"] + ["O"] * (len(tags) - 1))
    system = conll(tmp_path / "s", tags)
    corpus = coleval.load(gold, {"s": system}, task="span", scheme=scheme, repair=repair)
    notes = [n for entry in corpus.entries[1:] for n in entry.notes if n.kind == "tag scheme"]
    return notes[0].line if notes else None


@pytest.mark.parametrize("scheme", SCHEMES)
@given(tags=st.lists(TAG, min_size=1, max_size=7))
def test_extend_names_the_place_that_begin_names(tmp_path_factory, scheme, tags):
    root = tmp_path_factory.getbasetemp()
    begin = places(root, tags, scheme, "begin")
    if begin is not None:
        assert places(root, tags, scheme, "extend") <= begin
    if begin is not None and scheme == "iob2":
        assert places(root, tags, scheme, "extend") == begin


@given(record=st.integers(0, 4), span=st.integers(0, 2), part=st.sampled_from(["start", "end"]))
def test_the_span_that_is_wrong_is_named_by_record_and_number(tmp_path_factory, record, span, part):
    root = tmp_path_factory.getbasetemp()
    rows = [
        {"text": "abcdef", "spans": [{"start": k, "end": k + 2, "label": "X"} for k in range(3)]}
        for _ in range(5)
    ]
    (root / "good.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    rows[record]["spans"][span][part] = {"start": -1, "end": 7}[part]
    (root / "bad.jsonl").write_text("\n".join(json.dumps(row) + "\n" for row in rows))
    where = f"bad.jsonl:{2 * record + 1} (record {record + 1}) spans[{span}].{part}: "
    with pytest.raises(DataError) as caught:
        coleval.load(root / "good.jsonl", {"s": root / "bad.jsonl"})
    assert where in str(caught.value)


@pytest.mark.parametrize("edges", ["2:", "2:nsubj|1:", "2: ", "2::x", "2.1:"])
def test_an_edge_without_a_relation_is_refused(tmp_path, edges):
    words = [f"1\ta\t_\t_\t_\t_\t2\tdep\t{edges}\t_", "2\tb\t_\t_\t_\t_\t0\troot\t0:root\t_"]
    nodes = ["2.1\tc\t_\t_\t_\t_\t_\t_\t2:dep\t_"]
    good, bad = tmp_path / "good.conllu", tmp_path / "bad.conllu"
    bad.write_text("\n".join([*words, *nodes]) + "\n\n")
    good.write_text(bad.read_text().replace(f"\t{edges}\t", "\t2:dep\t"))
    with pytest.raises(DataError, match=r"bad\.conllu:1: .* is not an edge"):
        coleval.load(str(good), {"s": str(bad)}, task="dep")


def test_an_empty_node_without_a_relation_is_refused(tmp_path):
    path = tmp_path / "a.conllu"
    lines = ["1\ta\t_\t_\t_\t_\t0\troot\t0:root\t_", "1.1\tc\t_\t_\t_\t_\t_\t_\t1:\t_"]
    path.write_text("\n".join(lines) + "\n\n")
    with pytest.raises(DataError, match=r"a\.conllu:2: `1:` in DEPS is not an edge"):
        coleval.load(str(path), {"s": str(path)}, task="dep")


def test_a_directory_that_takes_no_files_is_not_one_that_is_missing(tmp_path):
    error = unwritable(tmp_path / "x.html", FileNotFoundError(2, "No such file"))
    assert f"`{tmp_path}` takes no new files" in error.problem
    assert "mkdir" not in error.remedy
    missing = unwritable(tmp_path / "no" / "x.html", FileNotFoundError(2, "No such file"))
    assert "mkdir -p" in missing.remedy


@pytest.mark.parametrize("command", [
    "score {g} a={g} -o /proc/x.html", "load {g} a={g} -o /proc/x",
    "demo --tokens 300 --keep /proc/x/y",
    "score {g} a={g} -o /proc/x/ --as csv", "buckets {g} a={g} --save-edges /proc/x.json",
])  # fmt: skip
def test_nothing_advises_to_make_proc(tmp_path, capsys, command):
    path = conll(tmp_path / "g", ["B-X", "O"])
    assert main([*command.format(g=path).split(), "--quiet"]) == 1
    told = capsys.readouterr().err
    assert "/proc" in told
    assert "mkdir" not in told
    assert "does not exist" not in told
