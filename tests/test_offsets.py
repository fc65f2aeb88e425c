"""How spans by characters meet: records, texts, tokens, units, stores."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import coleval
from coleval.loading.readers.formats import detect
from coleval.loading.readers.source import Source

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ("Ann Lee went to New York City.", "In Rome\nor Oslo", "Nobody")
GOLD = ([(0, 7, "PER"), (16, 24, "LOC"), (16, 29, "LOC")], [(3, 7, "LOC"), (11, 15, "LOC")], [])
SYSTEM = ([(0, 7, "PER"), (16, 24, "ORG")], [(3, 7, "LOC"), (3, 15, "LOC"), (12, 15, "LOC")], [])


def records(path: Path, spans: Any, texts: Any = TEXTS, **more: Any) -> str:
    """Write records; ``more`` are lists with a value for each, None for no such key."""
    rows = []
    for k, (text, each) in enumerate(zip(texts, spans, strict=True)):
        row = {name: values[k] for name, values in more.items() if values[k] is not None}
        named = [{"start": a, "end": b, "label": label} for a, b, label in each]
        rows.append(row | ({} if text is None else {"text": text}) | {"spans": named})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def counts(corpus: Any, **options: Any) -> tuple[int, ...]:
    return corpus.score(**options)["overall"].select("tp", "fp", "fn").row(0)


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str]:
    return records(tmp_path / "g.jsonl", GOLD), records(tmp_path / "s.jsonl", SYSTEM)


EXPECTED = (2, 3, 3)


def test_spans_are_equal_by_offsets_and_label(pair):
    corpus = coleval.load(pair[0], {"s": pair[1]})
    assert corpus.task == "span"
    assert counts(corpus) == counts(corpus, unit="character") == EXPECTED


def test_records_pair_by_id_by_text_and_by_position(tmp_path):
    ids = {"id": ["a", "b", "c"]}
    gold = records(tmp_path / "g.jsonl", GOLD, **ids)
    other = [2, 0, 1]
    spans, texts = ([side[k] for k in other] for side in (SYSTEM, TEXTS))
    by_id = records(tmp_path / "i.jsonl", spans, [None] * 3, id=["c", "a", "b"])
    by_text = records(tmp_path / "t.jsonl", spans, texts)
    by_place = records(tmp_path / "p.jsonl", SYSTEM, [None] * 3)
    for system in (by_id, by_text, by_place):
        assert counts(coleval.load(gold, {"s": system})) == EXPECTED


def test_white_space_alone_does_not_part_texts(tmp_path, pair):
    spaced = [text.replace(" ", "  ").replace("\n", " ") for text in TEXTS]
    moved = [
        [(a + text[:a].count(" "), b + text[:b].count(" "), label) for a, b, label in spans]
        for text, spans in zip(TEXTS, SYSTEM, strict=True)
    ]
    corpus = coleval.load(pair[0], {"s": records(tmp_path / "w.jsonl", moved, spaced)})
    assert counts(corpus) == counts(corpus, unit="character") == EXPECTED
    assert [(note.kind, note.n) for note in corpus.entries[0].notes] == [("white space", 2)]


def test_a_span_with_more_white_space_is_gold_s_where_texts_differ_in_that(tmp_path):
    gold = records(tmp_path / "g.jsonl", [[(0, 4, "X")]], ["Ann  Lee"])
    same = records(tmp_path / "s.jsonl", [[(0, 3, "X")]], ["Ann  Lee"])
    other = records(tmp_path / "o.jsonl", [[(0, 3, "X")]], ["Ann Lee"])
    assert counts(coleval.load(gold, {"s": same})) == (0, 1, 1)
    assert counts(coleval.load(gold, {"s": other})) == (1, 0, 0)


def test_words_are_the_tokens_of_the_file_and_cuts_are_counted(tmp_path):
    tokens = [[{"start": 0, "end": 7}, {"start": 8, "end": 12}]]
    gold = records(tmp_path / "g.jsonl", [[(0, 7, "PER")]], ["Ann Lee went"], tokens=tokens)
    system = records(tmp_path / "s.jsonl", [[(4, 7, "PER"), (4, 12, "PER")]], ["Ann Lee went"])
    corpus = coleval.load(gold, {"s": system})
    items = corpus.at("span").frame()
    assert corpus.at("token").frame()["form"].to_list() == ["Ann Lee", "went"]
    assert items.select("start", "end", "char_start", "char_end", "cut_at").rows() == [
        (0, 1, 0, 7, None), (0, 1, 4, 7, "start"), (0, 2, 4, 12, "start"),
    ]  # fmt: skip
    assert [(note.kind, note.n) for note in corpus.entries[0].notes] == [("cut", 2)]
    assert counts(corpus) == (0, 2, 1)


def test_tokens_have_the_tags_that_spans_would_be_written_with(pair):
    tokens = coleval.load(pair[0], {"s": pair[1]}).at("token").frame()
    said = {form: (gold, s) for form, gold, s in tokens.select("form", "gold", "s").rows()}
    assert said["New"] == ("B-LOC|B-LOC", "B-ORG")
    assert said["City"] == ("I-LOC", None)
    assert said["Oslo"] == ("B-LOC", "B-LOC|I-LOC")


def test_overlaps_of_characters_are_not_those_of_words(tmp_path):
    gold = records(tmp_path / "g.jsonl", [[(0, 2, "X")]], ["abcdef"])
    system = records(tmp_path / "s.jsonl", [[(3, 6, "X")]], ["abcdef"])
    corpus = coleval.load(gold, {"s": system})
    by_character = corpus.errors(unit="character")["overall"].row(1, named=True)
    assert (by_character["be"], by_character["fn"], by_character["fp"]) == (0, 1, 1)


def test_a_span_over_two_lines_overlaps_with_one_in_the_second(pair):
    corpus = coleval.load(pair[0], {"s": pair[1]})
    for unit in ("span", "character"):
        errors = corpus.errors(unit=unit, items=True)["items"]
        assert errors.filter(pl.col("error") == "FN")["gold"].to_list() == []


def test_gold_in_columns_meets_spans_by_characters(tmp_path):
    gold = tmp_path / "g.conll"
    gold.write_text("Ann\tB-PER\nLee\tI-PER\nis\tO\nin\tO\n\nRome\tB-LOC\n.\tO\n")
    system = records(tmp_path / "s.jsonl", [[(0, 7, "PER"), (11, 13, "LOC"), (15, 19, "LOC")]],
                     ["Ann Lee  is in Rome."])  # fmt: skip
    corpus = coleval.load(gold, {"s": system, "c": str(gold)})
    assert counts(corpus.chosen("s")) == (2, 1, 0)
    assert counts(corpus.chosen("c")) == (2, 0, 0)
    reverse = coleval.load(system, {"c": str(gold)})
    assert counts(reverse) == (2, 0, 1)
    assert "character" not in corpus.units


def test_a_store_gives_back_what_was_read(tmp_path, pair):
    corpus = coleval.load(pair[0], {"s": pair[1]})
    opened = coleval.open(corpus.save(tmp_path / "store"))
    for unit in ("span", "token", "character"):
        assert opened.at(unit).frame().equals(corpus.at(unit).frame())
        assert opened.score(unit=unit)["overall"].equals(corpus.score(unit=unit)["overall"])


def test_limited_memory_changes_nothing(pair):
    corpus = coleval.load(pair[0], {"s": pair[1]})
    limited = coleval.load(pair[0], {"s": pair[1]}, memory="1GB")
    for unit in ("span", "token", "character"):
        assert limited.score(unit=unit)["overall"].equals(corpus.score(unit=unit)["overall"])
    assert limited.errors()["overall"].equals(corpus.errors()["overall"])


def test_metadata_of_records_are_columns(tmp_path, pair):
    gold = records(tmp_path / "m.jsonl", GOLD, topic=["news", "web", "web"])
    corpus = coleval.load(gold, {"s": pair[1]}, columns={"topic": "topic"})
    by = {row["by"]: row["tp"] for row in corpus.score(by="topic")["by"].iter_rows(named=True)}
    assert by == {"news": 1, "web": 1}


@pytest.mark.parametrize("text", [
    '{"text":"a b","label":[[0,1,"X"]]}', '{"text":"a","entities":[{"id":1,"start_offset":0}]}',
    '{"text":"a","ents":[{"start":0,"end":1,"label":"X"}]}', '["a",{"entities":[[0,1,"X"]]}]',
    '{"text":"a","spans":{"sc":[{"start":0}]}}', '{"tokenized_text":["a"],"ner":[]}',
    '[{"id":1,"data":{"text":"a"},"annotations":[{"result":[]}]}]',
])  # fmt: skip
def test_records_are_recognised_by_their_keys(tmp_path, text):
    path = tmp_path / "a.jsonl"
    path.write_text(text + "\n")
    assert detect(Source(str(path)), None).name == "offsets"


@pytest.mark.parametrize("text", [
    '{"id":1,"gold":"A","pred":"B"}', '{"text":"a","label":"X"}', '{"text":"a","labels":["X","Y"]}',
    '{"text":"a","labels":[1,2]}', '{"text":"a b","entities":[["a","X"]]}',
    '{"tokens":["a"],"tags":["B-X"]}',
])  # fmt: skip
def test_other_records_are_not_taken_for_spans(tmp_path, text):
    path = tmp_path / "a.jsonl"
    path.write_text(text + "\n")
    assert detect(Source(str(path)), None).name != "offsets"


def test_compressed_brat_is_read_with_its_compressed_text(tmp_path):
    (tmp_path / "g.ann.gz").write_bytes(gzip.compress(b"T1\tLOC 3 7\tRome\n"))
    (tmp_path / "g.txt.gz").write_bytes(gzip.compress(b"In Rome"))
    path = str(tmp_path / "g.ann.gz")
    assert counts(coleval.load(path, {"s": path})) == (1, 0, 0)


def test_spans_of_training_texts_are_counted(tmp_path, pair):
    corpus = coleval.load(pair[0], {"s": pair[1]}).trained(pair[0])
    assert corpus.training is not None
    assert dict(corpus.training.strings("span").select("string", "n").rows())["new york"] == 1
    assert corpus.buckets(attributes="eFre")["buckets"]["gold"].sum() >= 5
