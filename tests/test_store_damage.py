"""A store that was damaged says so, and what: no traceback, and nothing believed that is not so."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from zlib import crc32

import pytest

import coleval
from coleval.cli.main import main
from coleval.corpus import locks
from coleval.errors import ColevalError, DataError
from coleval.store import files
from coleval.store.manifest import manifest_of

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
    """Write something in place of the manifest, as a program would, and open the store."""
    Path("store/corpus.json").write_bytes(signed(data))
    with pytest.raises(DataError, match=match):
        coleval.open("store").score()


def signed(data: object) -> bytes:
    """Return some data with the checksum that a manifest has."""
    text = json.dumps(data)
    if isinstance(data, dict):
        text = f"{text[:-1]}, "
        text += f'"sum": {crc32(text.encode())}}}'
    return text.encode()


def without_sum() -> dict:
    return {key: value for key, value in manifest().items() if key != "sum"}


def test_the_first_fault_of_a_manifest_is_named_with_its_place(here):
    data = without_sum()
    data["units"]["span"]["labels"][1] = None
    refused(data, match=r"at units\.span\.labels\[1\]: str is expected, not null")


def table_of(data: dict, unit: str) -> dict:
    return data["cells"][0]["tables"][unit]


FAULTS = {
    "reading": (lambda d: d.pop("reading"), "`reading` is expected"),
    "empty": (lambda d: table_of(d, "span").update(empty_is_answer=None), "bool is expected"),
    "rows": (lambda d: table_of(d, "span")["item"].update(rows="1"), "int is expected"),
    "scheme": (lambda d: d["reading"].update(scheme="iob3"), "no scheme is called `iob3`"),
    "task": (lambda d: d.update(task="spam"), "spam"),
    "outside": (
        lambda d: table_of(d, "span")["item"].update(path="../x"),
        "not a file of the store",
    ),
    "absolute": (
        lambda d: table_of(d, "span")["item"].update(path="/x"),
        "not a file of the store",
    ),
    "systems": (lambda d: d["systems"].append(d["systems"][0]), "are not the same"),
    "column": (lambda d: d["columns"].clear(), "are not the same"),
    "items": (lambda d: d["cells"].clear(), "items of the task are not there"),
}


def test_what_is_not_as_it_was_written_is_refused(here):
    text = json.dumps(without_sum())
    for change, problem in FAULTS.values():
        data = json.loads(text)
        change(data)
        refused(data, match=f"is damaged .*{problem}")


def test_what_is_no_manifest_is_refused(here):
    for data in (None, [], 3, "x", {}, {"store": None}, {"store": True}, {"store": 7}):
        refused(data, match="is damaged")


@pytest.mark.parametrize("store", [1, 2, 3, 4, 5, 6, 8, 99])
def test_a_store_of_another_version_says_who_wrote_it(here, store):
    refused(
        {**without_sum(), "store": store, "coleval": "9.9"}, match=r"was written by coleval 9\.9"
    )
    assert load("b") == 1
    assert load("b", options=("--fresh",)) == 0
    assert coleval.open("store").systems == ("b",)


@pytest.mark.parametrize("where", ["", "units.span", "cells.0.tables.span.item", "scoring"])
def test_a_key_that_is_not_known_was_written_by_a_newer_coleval(here, where):
    data = place = without_sum()
    for key in filter(None, where.split(".")):
        place = place[int(key) if key.isdigit() else key]
    place["colour"] = "red"
    refused(data, match=r"was written by a newer coleval .*colour")


def test_deep_nesting_is_refused(here):
    Path("store/corpus.json").write_text("[" * 100_000)
    with pytest.raises(DataError, match="is damaged"):
        coleval.open("store")


def test_a_value_that_makes_sense_but_was_not_written_is_noticed(here):
    text = Path("store/corpus.json").read_text()
    Path("store/corpus.json").write_text(text.replace('"iob2"', '"iob1"'))
    with pytest.raises(DataError, match="its checksum is not that of its contents"):
        coleval.open("store")


def test_every_value_of_a_manifest_is_checked(here):
    """Wherever null is put, it is refused, or may be there and is what a store may hold."""
    data = without_sum()
    believed = [path for path in _paths(data) if _passes(_with(data, path, None))]
    assert {path[-1] for path in believed} <= {
        "absent", "overlap", "repairs", "task", "format", "threshold", "outside", "unit", "punct",
        "subtypes", "pattern", "training", "above",
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
        manifest_of(signed(data), Path("store"))
    except DataError:
        return False
    return True


def test_a_file_that_was_swapped_is_noticed(here):
    span, token = (Path(f"store/item/{unit}/0001.parquet") for unit in ("span", "token"))
    expected = span.read_bytes()
    assert load("b", options=("--fresh",), store="other") == 0
    for other in (Path("other/item/span/0001.parquet"), token):
        span.write_bytes(other.read_bytes())
        with pytest.raises(DataError, match=f"{span.name}` is not what was written"):
            coleval.open("store").score()
    span.write_bytes(expected)
    coleval.open("store").score()


@pytest.mark.parametrize("how", [{}, {"memory": "4GB"}, {"engine": "duckdb"}])
def test_every_bit_of_a_column_is_checked(here, how):
    """A bit that flips is noticed or changes no answer: also where nothing else is wrong."""
    path = Path("store/item/span/0001.parquet")
    whole = path.read_bytes()
    for at in range(0, len(whole), max(1, len(whole) // 12)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        corpus = coleval.open("store", memory=how.get("memory"))
        with pytest.raises(DataError):
            corpus.with_options(engine=how.get("engine", "polars")).confusion()


def test_a_store_that_is_gone_while_it_is_read_says_so(here):
    opened = coleval.open("store")
    Path("a.conll").write_text(SYSTEMS["b"])
    assert load("a", options=("--fresh",)) == 0
    shutil.rmtree("store/old")
    with pytest.raises(DataError, match=r"parquet` is missing"):
        opened.score()


def test_duckdb_goes_on_reading_while_the_store_is_loaded_again(here):
    code = (
        "import duckdb, sys\ncon = duckdb.connect('store/corpus.duckdb', read_only=True)\n"
        "for _ in sys.stdin: print(con.sql('select count(a) from token').fetchall(), flush=True)"
    )
    reader = subprocess.Popen([sys.executable, "-c", code], text=True, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE)  # fmt: skip

    def answer() -> str:
        print("?", file=reader.stdin, flush=True)
        return reader.stdout.readline()

    first = answer()
    for more in (("b",), ("a", "--fresh"), ("b",)):
        assert load(more[0], options=more[1:]) == 0
        assert answer() == first
    reader.communicate(timeout=30)
    assert load("b", options=("--fresh",)) == 0
    assert not Path("store/old").exists()


@pytest.mark.parametrize("size", [0, 700, 4_000, 30_000, 600_000])
def test_where_the_disk_is_full_nothing_has_changed_or_everything_has(here, size):
    """As much may be written to each file; the words say what is full, and the store is whole."""
    import duckdb

    code = (
        f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from coleval.cli.main import main\n"
        "sys.exit(main(['load', 'gold.conll', 'b.conll', '-o', 'store', '--quiet']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    systems = ("a", "b") if done.returncode == 0 else ("a",)
    assert done.returncode == 0 or "File too large" in done.stderr
    assert coleval.open("store").systems == systems
    with duckdb.connect("store/corpus.duckdb", read_only=True) as con:
        assert con.sql("select system from system").fetchall() == [(name,) for name in systems]
    assert {str(file) for file in Path("store").rglob(".*")} == set()
    assert len(list(Path("store").rglob("*.parquet"))) == 3


def test_training_data_are_checked_too(here):
    assert load("a", options=("--fresh", "--train", "gold.conll")) == 0
    path = Path("store/training/0002-token.parquet")
    path.write_bytes(path.read_bytes().replace(b"Ann", b"Bob"))
    with pytest.raises(DataError, match=r"token\.parquet` is not what was written"):
        coleval.open("store").buckets(attributes="tCon")


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
    for name in (".corpus.json.22", ".corpus.duckdb.3", ".corpus.duckdb.3.wal",
                 "item/span/0007-x.parquet", "pattern/token/0007-x.pattern.parquet"):  # fmt: skip
        Path("store", name).parent.mkdir(exist_ok=True, parents=True)
        Path("store", name).touch()
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
        "import os, sys; from coleval.store import files; from coleval.cli.main import main\n"
        "files._keep_database = lambda *_: os._exit(9)\n"
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
    with files.loading(Path("new")):
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
    Path("store/corpus.json").write_text('{"store": 7}')
    for command in (["score"], ["report"], ["load", "gold.conll", "b.conll", "-o"]):
        assert main([*command, "store"]) == 1
        assert "is damaged" in capsys.readouterr().err
    assert load("b", options=("--fresh",)) == 0
    with pytest.raises(ColevalError):
        coleval.open(".")


def test_validate_reads_a_store_to_its_end(here, capsys):
    assert main(["validate", "store"]) == 0
    path = Path("store/item/token/0001.parquet")
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    Path("store/item/span/0001.parquet").unlink()
    capsys.readouterr()
    assert main(["validate", "store", "--as", "json"]) == 1
    tables = json.loads(capsys.readouterr().out)["tables"]
    problems = {row["file"]: row["problem"] for row in tables["problems"]}
    assert "is not what was written" in problems["store/item/token/0001.parquet"]
    assert "is missing" in problems["store/item/span/0001.parquet"]
    assert [row["verdict"] for row in tables["systems"]] == ["invalid", "valid"]
