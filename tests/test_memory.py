"""A corpus larger than memory: the same numbers from blocks, and no more in memory than a block."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.cli.main import main
from coleval.corpus import limit as limits
from coleval.corpus.disk import DiskCodes, on_disk, shelf
from coleval.corpus.items import Items
from coleval.corpus.limit import MemoryLimit, limit_of, size_of
from coleval.corpus.selection import Selection
from coleval.counts.patterns import patterns
from coleval.counts.systems import bin_counts, ladder
from coleval.demo import generate
from coleval.demo import write as write_demo
from coleval.errors import GateError, UsageError
from coleval.loading.readers import columns as reader
from coleval.loading.readers.source import Source
from coleval.store import reading
from coleval.store import tables as store_tables

LARGE = "1TB"
COMMANDS = (
    "score", "confusion", "bins", "changes", "oracle", "compare", "buckets", "errors", "report",
)  # fmt: skip


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let blocks hold seven items, or the next whole sentence; stores are unpacked as few rows."""
    monkeypatch.setattr(reading, "_PIECE", 7)
    monkeypatch.setattr(store_tables, "_PIECE", 3)
    monkeypatch.setattr(limits, "_FEWEST", 7)
    monkeypatch.setattr(limits, "_SHARE", 10**15)


def written(folder: Path, task: str = "span", tokens: int = 1500) -> list[str]:
    """Write gold and four systems of a generated corpus; return their paths."""
    corpus = generate(tokens=tokens, systems=4, seed=5, task=task)
    return [str(path) for path in write_demo(corpus, folder)]


def same(one: coleval.Report, other: coleval.Report) -> bool:
    assert list(one.tables) == list(other.tables)
    return all(one.table(name).equals(other.table(name)) for name in one.tables)


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("task", ["span", "tag"])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_table_of_every_command_is_the_same_from_blocks(tmp_path, task, command):
    if (task, command) == ("tag", "errors"):
        pytest.skip("tags have no span errors")
    gold, *systems = written(tmp_path, task)
    options = {"replicates": 64} if command in ("compare", "report") else {}
    whole = getattr(coleval.load(gold, systems), command)(**options)
    blocks = getattr(coleval.load(gold, systems, memory=LARGE), command)(**options)
    assert same(whole, blocks)


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    "options",
    [
        {"where": "sentence % 3 = 1 and difficulty < 3"},
        {"exclude": "PER"},
        {"labels": "LOC,ORG"},
        {"bins_from": "bert*"},
    ],
)
def test_items_that_are_chosen_are_the_same_from_blocks(tmp_path, options):
    gold, *systems = written(tmp_path)
    options |= {"exclude": ("PER",)} if "exclude" in options else {}
    # Difficulty is what bins alone ask for.
    for command in ["bins"] if "bins_from" in options else ["score", "bins", "oracle", "buckets"]:
        whole = getattr(coleval.load(gold, systems), command)(**options)
        blocks = getattr(coleval.load(gold, systems, memory=LARGE), command)(**options)
        assert same(whole, blocks)


def test_a_store_written_under_a_limit_is_the_same_byte_for_byte(tmp_path):
    gold, *systems = written(tmp_path)
    coleval.load(gold, systems).save(tmp_path / "one")
    coleval.load(gold, systems, memory=LARGE).save(tmp_path / "two")
    files = sorted(p.relative_to(tmp_path / "one") for p in (tmp_path / "one").rglob("*.parquet"))
    assert files == sorted(
        p.relative_to(tmp_path / "two") for p in (tmp_path / "two").rglob("*.parquet")
    )
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("task", ["span", "tag"])
def test_a_store_opened_under_a_limit_is_the_same(tmp_path, task):
    gold, *systems = written(tmp_path, task)
    coleval.load(gold, systems).save(tmp_path / "store")
    whole, blocks = (coleval.open(tmp_path / "store", memory=m) for m in (None, LARGE))
    for unit in whole.units:
        assert whole.at(unit).frame().equals(blocks.at(unit).frame())
    for command in ("score", "bins", "changes", "compare", "buckets"):
        assert same(getattr(whole, command)(), getattr(blocks, command)())


@pytest.mark.usefixtures("tiny")
def test_a_store_that_grew_is_the_same_from_blocks(tmp_path):
    gold, *systems = written(tmp_path)
    for part in (systems[:1], systems[1:]):
        assert (
            main(["load", gold, *part, "-o", str(tmp_path / "s"), "--quiet", "--memory", LARGE])
            == 0
        )
    whole, blocks = coleval.open(tmp_path / "s"), coleval.open(tmp_path / "s", memory=LARGE)
    assert isinstance(blocks.at().answers, DiskCodes)
    assert whole.items.equals(blocks.items)
    for command in ("score", "oracle", "errors"):
        assert same(getattr(whole, command)(), getattr(blocks, command)())


MATRIX = "id,a,b,c\n" + "".join(f"{k},{k % 2},{k % 3 % 2},{(k * 7) % 5 % 2}\n" for k in range(40))


def instances(*labels: str) -> str:
    """Return forty instances that take turns with some labels."""
    rows = (f"{k},{labels[k % len(labels)]}\n" for k in range(40))
    return "id,label\n" + "".join(rows)


LABELS = {
    "gold.csv": instances("x|y", "z", "x"),
    "a.csv": instances("x", "x|z", "z", "x|y"),
    "b.csv": instances("z|y", "q", "x", "x|y", "z"),
}


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    ("texts", "options"),
    [
        ({"m.csv": MATRIX}, {"task": "matrix"}),
        (LABELS, {"task": "label", "separator": "|"}),
    ],
)
@pytest.mark.parametrize("command", ["score", "bins", "oracle", "changes"])
def test_other_tasks_are_the_same_from_blocks(write, texts, options, command):
    gold, *systems = (str(write(name, text)) for name, text in texts.items())
    whole = getattr(coleval.load(gold, systems, **options), command)()
    limited = coleval.load(gold, systems, memory=LARGE, **options)
    assert isinstance(limited.at().answers, DiskCodes)
    assert same(whole, getattr(limited, command)())


@st.composite
def tables(draw: st.DrawFn) -> Items:
    """Return items in sentences, with gold and up to four systems of few labels."""
    n = draw(st.integers(0, 30))
    codes = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    sentence = np.sort(
        np.array(draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)), np.uint32)
    )
    columns = [np.array(draw(codes), np.uint8) for _ in range(draw(st.integers(2, 5)))]
    return Items(
        "token",
        pl.DataFrame({"sentence": sentence}),
        ("A", "B", "C"),
        columns[0],
        {f"s{k}": column for k, column in enumerate(columns[1:])},
        empty_is_answer=draw(st.booleans()),
        group_count=10,
    )


@given(tables(), st.integers(1, 12))
def test_blocks_are_whole_sentences_and_all_items_in_order(items, block):
    blocks = list(on_disk(items, shelf(MemoryLimit(10**12, block=block))).blocks())
    sentences = [set(part.groups.tolist()) for part in blocks]
    assert all(a.isdisjoint(b) for k, a in enumerate(sentences) for b in sentences[k + 1 :])
    assert np.concatenate([part.gold for part in blocks]).tolist() == items.gold.tolist()
    for name, codes in items.answers.items():
        parts = [part.answers[name] for part in blocks]
        assert np.concatenate(parts).tolist() == codes.tolist()


@given(tables(), st.data())
def test_rows_and_labels_are_chosen_on_disk_as_in_memory(items, data):
    rows = np.array(data.draw(st.permutations(range(len(items)))), np.intp)[: len(items) // 2]
    limited = on_disk(items, shelf(MemoryLimit(10**12, block=3)))
    chosen = items.chosen(["s0"]).where(rows).restricted(["A", "B"], ["B"]).renamed(["C", "A", "A"])
    same_ = (
        limited.chosen(["s0"]).where(rows).restricted(["A", "B"], ["B"]).renamed(["C", "A", "A"])
    )
    assert same_.systems == ("s0",)
    assert same_.answers["s0"].tolist() == chosen.answers["s0"].tolist()
    pieces = [part.answers["s0"] for part in same_.blocks()]
    assert np.concatenate(pieces).tolist() == chosen.answers["s0"].tolist()


def test_a_sweep_holds_a_block_and_not_the_answers():
    n, systems = 400_000, 20
    random = np.random.default_rng(1)
    gold = random.integers(0, 4, n).astype(np.uint8)
    # Systems err where others do, as in real data: patterns are fewer than items.
    hard = random.random(n) < 0.02
    answers = {f"s{k}": np.where(hard & (random.random(n) < 0.5), 1, gold) for k in range(systems)}
    sentence = (np.arange(n) // 20).astype(np.uint32)
    frame = pl.DataFrame({"sentence": sentence})
    items = Items("token", frame, ("A", "B", "C"), gold, answers, empty_is_answer=True)
    limited = on_disk(items, shelf(MemoryLimit(10**12, block=5_000)))
    del answers, items
    tracemalloc.start()
    for count in (bin_counts, ladder):
        count(patterns(limited))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The answers are 8 MB, those of a block 0.1; the rest are patterns.
    assert most < n * systems / 4


def test_answers_of_a_limited_corpus_are_read_when_looked_at_and_not_kept(tmp_path):
    gold, *systems = written(tmp_path)
    items = coleval.load(gold, systems, memory=LARGE).at()
    first = items.answers[items.systems[0]]
    assert first is not items.answers[items.systems[0]]


def test_the_directory_of_a_corpus_goes_with_the_corpus(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = tmp_path / "files"
    folder.mkdir()
    gold, *systems = written(folder)
    corpus = coleval.load(gold, systems, memory=LARGE)
    assert len(list(tmp_path.glob("coleval-*"))) == 1
    del corpus
    gc.collect()
    assert list(tmp_path.glob("coleval-*")) == []


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2 * 10**9), ("1.5GiB", 3 * 2**29), ("300 mb", 3 * 10**8), (4_000_000_000, 4 * 10**9)],
)
def test_sizes_are_read_as_people_write_them(text, size):
    assert size_of(text) == size


@pytest.mark.parametrize("text", ["2GBB", "GB", "-1GB", "0", "50%", "two"])
def test_what_is_no_size_is_named(text):
    with pytest.raises(UsageError, match=r"memory=: `.*` is not a memory size\n  .*2GB"):
        limit_of(text)


def test_a_limit_below_the_program_itself_says_what_it_takes(tmp_path, capsys):
    gold, *systems = written(tmp_path)
    assert main(["score", gold, *systems, "--memory", "10MB"]) == 2
    told = capsys.readouterr().err
    assert "10MB is less than the" in told
    assert "that the program takes before it has read anything" in told
    assert "--memory" in told.splitlines()[-1]


def test_a_limit_that_was_passed_is_an_error_that_names_the_step():
    with pytest.raises(GateError, match=r"memory=: gold takes .*B of memory, and the limit is 1MB"):
        MemoryLimit(10**6, before=0).check("gold")


def test_a_report_is_not_told_without_what_did_not_fit(tmp_path, monkeypatch):
    gold, *systems = written(tmp_path)
    corpus = coleval.load(gold, systems, memory=LARGE)
    monkeypatch.setattr(limits, "peak", lambda: 10**15)
    monkeypatch.setattr(limits, "resident", lambda: 10**15)
    with pytest.raises(GateError, match="of memory, and the limit is"):
        corpus.report(replicates=64)


def test_the_option_is_that_of_every_command_which_counts(tmp_path, capsys):
    gold, *systems = written(tmp_path, tokens=300)
    for command in ("score", "bins", "confusion", "changes", "oracle", "errors", "buckets"):
        assert main([command, gold, *systems, "--as", "json", "--quiet", "--memory", LARGE]) == 0
    assert (
        main(["sql", gold, *systems, "select count(*) from item", "--quiet", "--memory", "1GB"])
        == 0
    )
    assert capsys.readouterr().err == ""


def test_systems_with_tokens_of_their_own_are_read_beside_the_others(write):
    gold = write("gold.conll", "a\tB-X\nb\tO\n\ncd\tB-X\n")
    own = write("own.conll", "a\tB-X\nb\tO\n\nc\tB-X\nd\tI-X\n")
    whole = coleval.load(gold, {"own": own, "same": gold})
    limited = coleval.load(gold, {"own": own, "same": gold}, memory=LARGE)
    assert same(whole.score(), limited.score())


TEXT = "-DOCSTART-\tO\n\na\tO\nb\tB-X\n\n\n\nc\tO\n\n-DOCSTART-\tO\n\nd\tB-Y\n" * 9


@pytest.mark.parametrize(
    "text", [TEXT, TEXT.replace("\n", "\r\n"), TEXT.rstrip("\n"), "\n\n" + TEXT]
)
@pytest.mark.parametrize("piece", [1, 9, 40])
def test_a_large_file_read_in_pieces_is_the_same_tokens(write, monkeypatch, text, piece):
    path = str(write("gold.conll", text))
    whole = reader.read_columns(Source(path), Selection())
    monkeypatch.setattr(reader, "_PIECE", piece)
    assert len(reader._pieces(text.encode())) > 3
    parts = reader.read_columns(Source(path), Selection())
    assert parts.form.to_list() == whole.form.to_list()
    assert parts.columns["gold"].to_list() == whole.columns["gold"].to_list()
    for name in ("line", "sentence", "document"):
        assert getattr(parts, name).tolist() == getattr(whole, name).tolist()


def test_a_bad_byte_in_a_late_piece_has_the_line_of_the_file(write, monkeypatch):
    path = str(write("gold.conll", TEXT.encode() + b"\xff\tO\n"))
    monkeypatch.setattr(reader, "_PIECE", 20)
    line = TEXT.count("\n") + 1
    with pytest.raises(coleval.ColevalError, match=rf"gold.conll:{line}: byte 0xff is not UTF-8"):
        reader.read_columns(Source(path), Selection())


def test_trees_that_have_no_room_are_refused_before_they_are_read(tmp_path, capsys, monkeypatch):
    gold, *systems = written(tmp_path, "dep")
    monkeypatch.setattr(limits, "resident", lambda: 1)
    monkeypatch.setattr(limits, "peak", lambda: 1)
    size = sum(Path(path).stat().st_size for path in (gold, *systems))
    with pytest.raises(GateError, match="trees are read as a whole"):
        coleval.load(gold, systems, task="dep", memory=f"{size - 1}B")
    assert coleval.load(gold, systems, task="dep", memory=f"{size}B").systems
    assert main(["score", gold, *systems, "--task", "dep", "--memory", f"{size - 1}B"]) == 1
    assert "adds those that are new" in capsys.readouterr().err


@pytest.mark.parametrize("task", ["span", "dep"])
def test_what_an_analysis_takes_beyond_its_blocks_is_an_error_too(tmp_path, monkeypatch, task):
    gold, *systems = written(tmp_path, task)
    corpus = coleval.load(gold, systems, task=task, memory=LARGE)
    corpus.score()
    monkeypatch.setattr(MemoryLimit, "check", refused_in("`score`"))
    with pytest.raises(GateError, match="`score`"):
        corpus.score()
    monkeypatch.setattr(MemoryLimit, "check", refused_in("the chapter `pivot`"))
    with pytest.raises(GateError, match="pivot"):
        corpus.report()


def refused_in(what: str) -> Any:
    """Return a check that raises at one step and at no other."""

    def check(_: MemoryLimit, step: str) -> None:
        if step == what:
            raise GateError(f"{step} takes too much", where="--memory")

    return check


def test_files_are_looked_at_one_by_one_while_they_are_read():
    limit, told = MemoryLimit(10**15), []
    limit.watched(told.append)("one")
    small = MemoryLimit(1, before=0)
    with pytest.raises(GateError, match="what was read before two takes"):
        small.watched(told.append)("two")
    assert told == ["one"]


def test_looking_for_slices_holds_a_few_bytes_of_each_item(monkeypatch):
    monkeypatch.setattr("coleval.analyses.pivot.slices._BLOCK", 1 << 12)
    n, more = 40_000, [f"x{k}" for k in range(16)]
    random = np.random.default_rng(4)
    answers = {name: random.choice(["A", "B"], n) for name in ("gold", "one", "two")}
    columns = {name: random.integers(0, 12, n) for name in more}
    table = pl.DataFrame({"id": np.arange(n).astype(str), **answers, **columns})
    named = ",".join(["id=id,gold=gold,system=one,system=two", *(f"{m}={m}" for m in more)])
    corpus = coleval.load(table, task="label", columns=named)
    corpus.score()
    tracemalloc.start()
    found = corpus.pivot(find=("one",), attributes=",".join(more))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found["tried"].item(0, "slices") > 100
    # A byte of each attribute stays, and some eight bytes for a while; it was 90 bytes.
    assert most < 50 * n
