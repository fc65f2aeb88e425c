"""A store that was damaged says so, and what: no traceback, and nothing believed that is not so."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import coleval
from coleval.cli.main import main
from coleval.corpus import locks
from coleval.errors import ColevalError, DataError
from coleval.store import placing
from coleval.store.schema import Fault, check_manifest

GOLD = "Ann\tB-PER\nsees\tO\nRome\tB-LOC\n"
SYSTEMS = {"a": "Ann\tO\nsees\tO\nRome\tB-LOC\n", "b": "Ann\tB-PER\nsees\tB-X\nRome\tO\n"}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Gold and two systems, and a store of gold and the first."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"gold": GOLD, **SYSTEMS}.items():
        Path(f"{name}.conll").write_text(text)
    assert load("a") == 0
    return tmp_path


def load(*systems: str, store: str = "store", options: tuple[str, ...] = ()) -> int:
    files = [f"{name}.conll" for name in systems]
    return main(["load", "gold.conll", *files, "-o", store, "--quiet", *options])


def manifest() -> dict:
    return json.loads(Path("store/corpus.json").read_text())


def refused(data: object, *, match: str) -> None:
    """Write something in place of the manifest, as a hand would, and open the store."""
    Path("store/corpus.json").write_text(json.dumps(data))
    with pytest.raises(DataError, match=match):
        coleval.open("store").score()


def without_sum() -> dict:
    return {key: value for key, value in manifest().items() if key != "sum"}


def test_the_first_fault_of_a_manifest_is_named_with_its_place(here):
    data = without_sum()
    data["units"]["span"]["labels"][1] = None
    refused(data, match=r"at units\.span\.labels\[1\]: text is expected, not null")


FAULTS = {
    "reading": (lambda d: d.pop("reading"), "`reading` is expected"),
    "everything": (lambda d: d["units"]["span"].update(everything=None), "true or false"),
    "rows": (lambda d: d["units"]["span"]["parts"][0].__setitem__(1, -1), "whole number"),
    "scheme": (lambda d: d["reading"].update(scheme="iob3"), "no scheme is called `iob3`"),
    "task": (lambda d: d.update(task="spam"), "spam"),
    "option": (lambda d: d["scoring"].update(colour="red"), "one of `unit`"),
    "outside": (lambda d: d["units"]["span"]["columns"].update(a="../x"), "a file of the store"),
    "absolute": (lambda d: d["units"]["span"]["columns"].update(a="/etc/x"), "a file of the store"),
    "twice": (lambda d: d["units"]["span"].update(labels=["LOC", "LOC"]), "not there already"),
    "systems": (lambda d: d["systems"].append(d["systems"][0]), "not there already"),
    "column": (lambda d: d["units"]["token"]["columns"].clear(), "`a` too"),
    "surrogate": (lambda d: d["systems"][0].update(name="\ud800"), "whole characters"),
}


def test_what_is_not_as_it_was_written_is_refused(here):
    text = json.dumps(without_sum())
    for change, problem in FAULTS.values():
        data = json.loads(text)
        change(data)
        refused(data, match=problem)


def test_what_is_no_manifest_is_refused(here):
    numbers = [{"store": number} for number in (None, True, 3, 4)]
    others = [{"store": 3, "segments": []}, {"store": 5, "live": ".."}]
    for data in (None, [], 3, "x", {}, *numbers, *others):
        refused(data, match="is damaged")


def test_deep_nesting_is_refused(here):
    Path("store/corpus.json").write_text("[" * 100_000)
    with pytest.raises(DataError, match="is damaged"):
        coleval.open("store")


def test_a_value_that_makes_sense_but_was_not_written_is_noticed(here):
    text = Path("store/corpus.json").read_text()
    Path("store/corpus.json").write_text(text.replace('"iob2"', '"iob1"'))
    with pytest.raises(DataError, match="its checksum is not that of its contents"):
        coleval.open("store")


def test_a_store_without_checksums_is_read_as_it_was(here):
    expected = coleval.open("store").score().table()
    data = without_sum()
    data["store"] = 2
    for unit in data["units"].values():
        unit.pop("sums", None)
    Path("store/corpus.json").write_text(json.dumps(data))
    assert coleval.open("store").score().table().equals(expected)


def test_every_value_of_a_manifest_is_checked(here):
    """Wherever null is put, it is refused, or may be there and is what a store may hold."""
    data = without_sum()
    believed = [path for path in _paths(data) if _passes(_with(data, path, None))]
    assert {path[-1] for path in believed} <= {
        "absent", "overlap", "repairs", "task", "format", "threshold", "outside", "unit", "punct",
        "subtypes",
    }  # fmt: skip


def _paths(value: object, path: tuple = ()) -> list[tuple]:
    pairs = value.items() if isinstance(value, dict) else ()
    pairs = enumerate(value) if isinstance(value, list) else pairs
    below = [found for key, one in pairs for found in _paths(one, (*path, key))]
    return [*([path] if path else []), *below]


def _with(data: dict, path: tuple, value: object) -> dict:
    changed = json.loads(json.dumps(data))
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return changed


def _passes(data: dict) -> bool:
    try:
        check_manifest(data)
    except Fault:
        return False
    return True


def test_a_file_that_was_swapped_is_noticed(here):
    span, token = (next(Path("store", unit).glob("*-a.parquet")) for unit in ("span", "token"))
    expected = span.read_bytes()
    assert load("b", options=("--fresh",), store="other") == 0
    for other in (Path("other/span/0000-b.parquet"), token, Path("store/span/base-000.parquet")):
        span.write_bytes(other.read_bytes())
        with pytest.raises(DataError, match=f"{span.name}` is not what was written"):
            coleval.open("store").score()
    span.write_bytes(expected)
    coleval.open("store").score()


@pytest.mark.parametrize("how", [{}, {"memory": "4GB"}, {"engine": "duckdb"}])
def test_every_bit_of_a_column_is_checked(here, how):
    """A bit that flips is noticed or changes no answer: also where nothing else is wrong."""
    path = next(Path("store/span").glob("*-a.parquet"))
    whole = path.read_bytes()
    for at in range(0, len(whole), max(1, len(whole) // 12)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        corpus = coleval.open("store", memory=how.get("memory"))
        with pytest.raises(DataError):
            corpus.with_options(engine=how.get("engine", "polars")).confusion()


def test_a_store_that_was_replaced_while_it_was_read_says_so(here):
    """The files of the new store have the names of the old ones, but other answers."""
    opened = coleval.open("store")
    Path("a.conll").write_text(SYSTEMS["b"])
    assert load("a", options=("--fresh",)) == 0
    with pytest.raises(DataError, match="another load has replaced it"):
        opened.score()


def test_training_data_are_checked_too(here):
    assert load("a", options=("--fresh", "--train", "gold.conll")) == 0
    path = Path("store/training/token.parquet")
    path.write_bytes(path.read_bytes().replace(b"Ann", b"Bob"))
    with pytest.raises(DataError, match=r"token\.parquet` is not what was written"):
        coleval.open("store").buckets(attributes="tCon")


def test_where_directories_cannot_be_exchanged_a_pointer_names_the_live_one(here, monkeypatch):
    monkeypatch.setattr(placing, "exchanged", lambda *_: False)
    for system in ("b", "a", "b"):
        assert load(system, options=("--fresh",)) == 0
        assert coleval.open("store").systems == (system,)
        assert len(list(Path("store").iterdir())) == 2
    assert load("a") == 0
    assert coleval.open("store").systems == ("b", "a")
    assert main(["score", "store", "--quiet"]) == 0
    assert main(["sql", "store", "select count(*) as n from item", "--quiet"]) == 0


def test_a_store_behind_a_link_stays_behind_it(here):
    Path("store").rename("elsewhere")
    Path("store").symlink_to("elsewhere")
    assert load("b", options=("--fresh",)) == 0
    assert Path("store").is_symlink()
    assert coleval.open("elsewhere").systems == ("b",)
    assert {one.name for one in here.iterdir() if one.name.startswith(".")} == set()


def test_what_killed_loads_left_is_removed_by_the_next(here):
    before = {str(path) for path in here.rglob("*")}
    for name in (".store.coleval-1/token", ".store.coleval-22"):
        Path(name).mkdir(parents=True)
    for name in ("corpus.json.1", ".corpus.json.22", ".corpus.duckdb.3", ".corpus.duckdb.3.wal",
                 "span/0007-x.parquet", "token/0007-x.parquet"):  # fmt: skip
        Path("store", name if "/" in name or name.startswith(".") else f".{name}").touch()
    assert load("a") == 0
    assert {str(path) for path in here.rglob("*")} == before


def test_what_is_like_the_remains_of_another_store_stays(here):
    for name in (".other.coleval-1", ".store.backup", ".store.coleval-x", ".store.1"):
        Path(name).mkdir()
    assert load("a") == 0
    assert sum(one.name.startswith(".") for one in here.iterdir()) == 4


def test_a_database_that_a_killed_load_left_behind_is_written_by_the_next(here):
    import duckdb

    code = (
        "import os, sys; from coleval.store import writing; from coleval.cli.main import main\n"
        "writing.refresh_views = lambda _: os._exit(9)\n"
        "main(['load', 'gold.conll', 'b.conll', '-o', 'store', '--quiet'])"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    assert coleval.open("store").systems == ("a", "b")
    assert load("a") == 0
    with duckdb.connect("store/corpus.duckdb", read_only=True) as con:
        assert con.sql("select system from system").fetchall() == [("a",), ("b",)]


def test_two_loads_to_one_store_queue(here):
    """A load waits for one that is at it, says so, and adds to what that one has written."""
    code = "import sys; from coleval.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "load", "gold.conll", "b.conll", "-o", "new"]
    with placing.loading(Path("new")):
        waiting = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        assert b"waiting for another load" in waiting.stderr.readline()
        assert load("a", store="new") == 0
        assert waiting.poll() is None
    _, said = waiting.communicate(timeout=30)
    assert waiting.returncode == 0, said
    assert coleval.open("new").systems == ("a", "b")
    assert not list(here.glob(".new*"))


def test_threads_that_load_into_one_store_queue(here):
    Path("c.conll").write_text(GOLD)
    corpora = [coleval.load("gold.conll", [f"{name}.conll"]) for name in "abc"]
    threads = [threading.Thread(target=one.save, args=("new",)) for one in corpora]
    for one in threads:
        one.start()
    for one in threads:
        one.join(30)
    assert coleval.open("new").systems[0] in "abc"
    assert not list(here.glob(".new*"))


def test_where_there_are_no_locks_a_store_is_written_too(here, monkeypatch):
    monkeypatch.setattr(locks, "fcntl", None)
    assert load("b") == 0
    assert coleval.open("store").systems == ("a", "b")


def test_damage_is_an_error_of_every_command(here, capsys):
    Path("store/corpus.json").write_text('{"store": 4}')
    for command in (["score"], ["report"], ["load", "gold.conll", "b.conll", "-o"]):
        assert main([*command, "store"]) == 1
        assert "is damaged" in capsys.readouterr().err
    assert load("b", options=("--fresh",)) == 0
    with pytest.raises(ColevalError):
        coleval.open(".")


def test_validate_reads_a_store_to_its_end(here, capsys):
    assert main(["validate", "store"]) == 0
    path = next(Path("store/token").glob("*-a.parquet"))
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    Path("store/span/base-000.parquet").unlink()
    capsys.readouterr()
    assert main(["validate", "store", "--as", "json"]) == 1
    tables = json.loads(capsys.readouterr().out)["tables"]
    problems = {Path(row["file"]).name: row["problem"] for row in tables["problems"]}
    assert "is not what was written" in problems["0000-a.parquet"]
    assert "is missing" in problems["base-000.parquet"]
    assert [row["verdict"] for row in tables["systems"]] == ["problem", "problem"]
