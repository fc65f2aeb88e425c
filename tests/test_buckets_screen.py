"""What a person sees of buckets, and what the command line takes."""

from __future__ import annotations

import json

import pytest

import coleval
from coleval.annotate.attributes import ATTRIBUTES
from coleval.cli.main import main
from coleval.render.console import render
from coleval.render.listing import BAR

GOLD = "a B-X\n\nb B-X\nc I-X\n\nd B-Y\ne I-Y\nf I-Y\n\ng O\nh B-X\n"
SHORT = "a B-X\n\nb O\nc O\n\nd O\ne O\nf O\n\ng B-Y\nh B-X\n"


@pytest.fixture
def gold(write):
    return str(write("gold.conll", GOLD))


@pytest.fixture
def short(write):
    return str(write("short.conll", SHORT))


def run(capsys, *words):
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def told(capsys, *words):
    return json.loads(run(capsys, *words, "--as", "json"))


def test_the_reader_sees_at_once_where_systems_are_weak(gold, short):
    text = render(coleval.load(gold, {"short": short}).buckets(attributes="eLen"))
    assert "lowest at 2: -80.0 F1 compared with 1" in text
    lines = text.splitlines()
    assert lines[1].split() == ["1", "2", "3", "≥4"]
    assert lines[2].split() == ["system", "2", "1", "1", "0"]
    assert lines[4].split() == ["short", "80.00", "0.00", "0.00", "–"]


def test_a_bar_is_as_long_as_the_gap(gold, short):
    text = render(coleval.load(gold, {"short": short}).buckets(attributes=["eLen", "sLen"]))
    bars = {
        line.split()[0]: line.count("█")
        for line in text[text.index("self_diagnosis") :].splitlines()
        if "█" in line
    }
    assert bars["eLen"] == BAR
    assert 0 < bars["sLen"] <= BAR


def test_fifty_systems_fit_a_hundred_columns_without_colour(gold, short, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    systems = {f"a-system-with-a-rather-long-name-{k}": (gold, short)[k % 2] for k in range(50)}
    text = render(coleval.load(gold, systems).buckets())
    assert max(map(len, text.splitlines())) <= 100
    assert text.count("name-49") >= 4
    assert "\x1b" not in text


def test_what_was_not_tested_is_said_below(gold, short):
    text = render(coleval.load(gold, {"short": short}).buckets(attributes="eLen"))
    assert "not tested: 1 block of 3 cannot give p ≤ 0.05 (eLen)" in text


def test_names_of_strangers_do_nothing_to_the_terminal(gold, write):
    wild = str(write("wild", "a B-\x1b[31mX\n\nb O\nc O\n\nd O\ne O\nf O\n\ng O\nh O\n"))
    text = render(coleval.load(wild, {"s": wild}, task="span").buckets(attributes="label"))
    assert "\x1b" not in text


def test_attributes_lists_the_registry(capsys):
    rows = told(capsys, "attributes")["tables"]["attributes"]
    assert [row["name"] for row in rows] == list(ATTRIBUTES)


def test_buckets_from_the_command_line(capsys, gold, short, write, tmp_path):
    train = write("train.conll", "a B-X\n\nb B-Y\n")
    data = told(
        capsys, "buckets", gold, f"s={short}", f"t={gold}", "--train", train,
        "--attributes", "eLen,eFre",
        "--attribute", 'late="start" > 0', "--buckets", "eLen=quantile 2", "--cross", "eLen",
        "label", "--pair", "s", "t", "--by", "recall", "--save-edges", tmp_path / "e.json",
        "--quiet",
    )  # fmt: skip
    assert list(data["tables"]) == [
        "buckets", "attributes", "self_diagnosis", "systems", "comparison", "heat_map",
        "differences", "tests",
        "crossed",
    ]  # fmt: skip
    assert {row["attribute"] for row in data["tables"]["buckets"]} == {"eLen", "eFre", "late"}
    assert "best_recall" in data["tables"]["self_diagnosis"][0]
    assert (tmp_path / "e.json").is_file()
    assert "buckets:eLen=quantile 2" in data["signature"]


def test_a_store_brings_its_training_data(capsys, gold, short, write, tmp_path):
    train = write("train.conll", "a B-X\n\nb B-Y\n")
    main(["load", gold, short, "-o", str(tmp_path / "store"), "--train", str(train), "--quiet"])
    capsys.readouterr()
    rows = told(capsys, "buckets", tmp_path / "store", "--quiet")["tables"]["attributes"]
    assert {"eCon", "tFre", "oDen"} <= {row["attribute"] for row in rows}


def test_a_system_that_is_added_leaves_training_data_where_they_are(
    capsys, gold, short, write, tmp_path
):
    train, store = write("train.conll", "a B-X\n"), str(tmp_path / "store")
    main(["load", gold, short, "-o", store, "--train", str(train), "--quiet"])
    main(["load", gold, str(write("late", SHORT)), "-o", store, "--quiet"])
    capsys.readouterr()
    data = told(capsys, "buckets", store, "--quiet", "--attributes", "eFre")
    assert {row["system"] for row in data["tables"]["buckets"]} == {"short", "late"}


def test_several_corpora_from_the_command_line(capsys, gold, short, write):
    train = write("train.conll", "a B-X\n")
    data = told(
        capsys, "buckets", "--dataset", f"one={gold}", f"s={short}", f"train={train}",
        "--dataset", f"two={short}", f"s={gold}", "--quiet", "--attributes", "eLen,eFre",
    )  # fmt: skip
    rows = data["tables"]["attributes"]
    assert [(row["corpus"], row["attribute"]) for row in rows] == [
        ("one", "eLen"), ("one", "eFre"), ("two", "eLen"),
    ]  # fmt: skip
    assert any(line.startswith("two: eFre is left out") for line in data["warnings"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--dataset", "gold.conll"], "has no name"),
        ([], "no corpus is named"),
        (["{gold}", "{short}", "--edges", "nowhere.json"], "does not exist"),
        (["{gold}", "{short}", "--attributes", "eLenn"], "did you mean `eLen`"),
        (["{gold}", "{short}", "--attribute", "x=nothing + 1"], "nothing"),
        (["{gold}", "{short}", "--buckets", "eLen"], "does not name an attribute"),
        (["{gold}", "{short}", "--vocabulary", "nowhere"], "one word per line"),
    ],
)
def test_a_wrong_call_says_what_to_do(capsys, gold, short, words, said):
    assert main(["buckets", *(word.format(gold=gold, short=short) for word in words)]) in (1, 2)
    assert said in capsys.readouterr().err
