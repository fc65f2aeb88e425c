"""A query reaches nothing but the corpus: a hundred ways out, each refused, whoever asks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import coleval
from coleval.errors import UsageError

GOLD = "a\tB-PER\nb\tI-PER\nc\tO\n\nd\tB-LOC\ne\tO\n"
SYSTEM = "a\tB-PER\nb\tO\nc\tO\n\nd\tO\ne\tB-LOC\n"
# What is asked for: {secret} is a file that is there, {new} one that is not, {store} the corpus.
FILES = """
read_text('{secret}')
read_blob('{secret}')
read_csv('{secret}')
read_csv(['{secret}'])
read_csv_auto('{secret}')
read_csv('/dev/stdin')
read_csv('/proc/self/environ')
read_json('{secret}')
read_json_auto('{secret}')
read_json_objects('{secret}')
read_json_objects_auto('{secret}')
read_ndjson('{secret}')
read_ndjson_auto('{secret}')
read_ndjson_objects('{secret}')
read_parquet('{parquet}')
read_parquet('{store}/*/*.parquet')
parquet_scan('{parquet}')
parquet_schema('{parquet}')
parquet_metadata('{parquet}')
parquet_file_metadata('{parquet}')
parquet_kv_metadata('{parquet}')
parquet_bloom_probe('{parquet}', 'gold', 'x')
sniff_csv('{secret}')
read_duckdb('{store}/corpus.duckdb')
glob('{folder}/*')
glob('/*')
glob('*')
glob('.tmp/*')
'{secret}'
'{parquet}'
'.tmp/there.csv'
'{folder}/*.csv'
'http://localhost:1/a.csv'
'https://localhost:1/a.parquet'
's3://bucket/a.parquet'
'hf://datasets/a/b.csv'
'file://{secret}'
query('from read_text(''{secret}'')')
query('copy (select 1) to ''{new}''')
query_table('{secret}')
json_execute_serialized_sql(json_serialize_sql('from read_text(''{secret}'')'))
duckdb_secrets()
duckdb_extensions()
which_secret('s3://x', 's3')
pandas_scan(140000000000000)
arrow_scan(140000000000000, 140000000000000, 140000000000000)
arrow_scan_dumb(140000000000000, 140000000000000, 140000000000000)
python_arrow_scan(140000000000000, 140000000000000, 140000000000000)
python_map_function()
sqlite_scan('{new}', 't')
postgres_scan('host=localhost', 'public', 't')
st_read('{secret}')
read_xlsx('{secret}')
""".strip().splitlines()
STATEMENTS = """
copy (select 1) to '{new}'
copy (select 1 as a) to '{new}' (format parquet)
copy (select 1 as a, 2 as b) to '{new}' (format parquet, partition_by (a))
copy (select 1) to '.tmp/new.csv'
copy (select 1) to '/dev/stdout'
copy (select 1) to '-'
create table t (a varchar); copy t from '{secret}'
create table t as from read_text('{secret}')
create view v as from read_text('{secret}')
create macro m() as table from read_text('{secret}'); from m()
create macro n() as (select max(content) from read_text('{secret}')); select n()
create type e as enum (select content from read_text('{secret}'))
attach '{new}' as other
attach '.tmp/new.db' as other
attach '{store}/corpus.duckdb' as other
attach '{store}/corpus.duckdb' as other (read_only)
attach 'http://localhost:1/a.db' as other
attach '{new}' as other (type sqlite)
attach 'host=localhost' as other (type postgres)
export database '{new}'
import database '{folder}'
pragma import_database('{folder}')
install httpfs
install httpfs from 'http://localhost:1'
force install httpfs
load httpfs
load '{secret}'
update extensions
set enable_external_access = true
reset enable_external_access
pragma enable_external_access = true
set lock_configuration = false
set memory_limit = '100GB'
reset memory_limit
set threads = 99
set temp_directory = '{folder}'
set session temp_directory = '{folder}'
set global temp_directory = '{folder}'
pragma temp_directory = '{folder}'
set allowed_directories = ['/']
set allowed_paths = ['{secret}']
set home_directory = '{folder}'
set file_search_path = '{folder}'
set secret_directory = '{folder}'
set extension_directory = '{folder}'
set custom_extension_repository = 'http://localhost:1'
set autoinstall_known_extensions = true
set autoload_known_extensions = true
set allow_unsigned_extensions = true
set allow_community_extensions = true
set python_enable_replacements = true
set profiling_output = '{new}'
pragma enable_profiling = 'json'
pragma profiling_output = '{new}'
pragma log_query_path = '{new}'
call enable_logging(storage = 'file', storage_config = {{'path': '{new}'}})
create persistent secret s (type s3, key_id 'x', secret 'y')
select getenv('HOME')
explain analyze copy (select 1) to '{new}'
prepare p as copy (select 1) to '{new}'; execute p
select 1; copy (select 1) to '{new}'
select (select content from read_text('{secret}'))
with x as (from read_text('{secret}')) from x
from secret_frame
""".strip().splitlines()
WAYS = [*(f"select * from {one}" for one in FILES), *STATEMENTS]
# Conditions, attributes, keys of a pivot and orders are expressions: other ways to say the same.
EXPRESSIONS = [
    *(f"exists (select 1 from {one})" for one in FILES),
    "(select content from read_text('{secret}')) is not null",
    "getenv('HOME') is not null",
    "true); copy (select 1) to '{new}'; select (true",
    "true; copy (select 1) to '{new}'",
    "true) union all (select 1 from read_text('{secret}')",
    "gold = 'PER'; set memory_limit = '100GB'",
]
ASKED = {
    "--where": lambda corpus, text: corpus.score(where=text),
    "--rows": lambda corpus, text: corpus.pivot(rows=text, cols="gold"),
    "--attribute": lambda corpus, text: corpus.buckets(attributes={"x": text}),
    "--order": lambda corpus, text: corpus.show(order=text),
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A store, a secret, and a directory `.tmp`, which DuckDB takes for its own."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("gold", GOLD), ("one", SYSTEM), ("secret.csv", "x,y\n1,2\n")):
        Path(name).write_text(text)
    coleval.load("gold", {"one": "one"}, task="span").save("store")
    Path(".tmp").mkdir()
    Path(".tmp/there.csv").write_text("x,y\n1,2\n")
    return tmp_path


def filled(text: str, place: Path) -> str:
    parquet = next((place / "store").glob("item/*/0001.parquet"))
    return text.format(
        secret=place / "secret.csv", new=place / "new", folder=place, store=place / "store",
        parquet=parquet,
    )  # fmt: skip


def listed(place: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def test_there_are_a_hundred_ways_out():
    assert len(set(WAYS)) > 100


def test_every_way_out_of_a_query_is_refused(place):
    import polars as pl

    secret_frame = pl.DataFrame({"a": [1]})  # noqa: F841  - a query would find it
    before = listed(place)
    database, open_ = coleval.open(place / "store").database(), []
    for text in WAYS:
        try:
            database.frame(filled(text, place))
            open_.append(text)
        except UsageError:
            continue
    assert open_ == []
    assert listed(place) == before


@pytest.mark.parametrize("option", ASKED)
def test_every_way_out_of_an_expression_is_refused(place, option):
    before = listed(place)
    corpus = coleval.open(place / "store")
    open_ = []
    for text in EXPRESSIONS:
        try:
            ASKED[option](corpus, filled(text, place))
            open_.append(text)
        except UsageError:
            continue
    assert open_ == []
    assert listed(place) == before


def test_an_order_is_one_statement(place):
    with pytest.raises(UsageError, match="several statements"):
        coleval.open("store").show(order="item; select item from item")


def test_a_query_that_memory_has_no_room_for_leaves_no_file(place):
    before = listed(place)
    query = "create table t as select repeat(range::varchar, 9) as x from range(3000000)"
    with pytest.raises(UsageError, match="Out of Memory"):
        coleval.open("store").sql(query, memory="30MB")
    assert listed(place) == before


RUNAWAYS = {
    "join": "select sum(a.range * b.range) from range(1000000) a, range(10000000) b",
    "recursion": "with recursive r as (select 1 n union all select n + 1 from r) from r",
    "sleep": "select sleep_ms(60000)",
}


@pytest.mark.parametrize("runaway", RUNAWAYS)
def test_a_query_ends_with_its_time(place, runaway):
    corpus = coleval.open("store")
    begun = time.monotonic()
    with pytest.raises(UsageError, match=r"stopped after 0\.3 s"):
        corpus.sql(RUNAWAYS[runaway], timeout=0.3)
    assert time.monotonic() - begun < 5
    assert corpus.sql("select count(*) as n from item", timeout=60).item() == 4


def test_a_function_that_does_not_listen_is_left_behind(place):
    """One call over two long strings: a process that runs a command ends nevertheless."""
    query = "select levenshtein(repeat('a', 200000), repeat('b', 200000))"
    command = [sys.executable, "-m", "coleval", "sql", "store", query, "--timeout", "0.5"]
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2, done.stderr
    assert "stopped after 0.5 s" in done.stderr
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_a_time_that_is_none_is_refused(place, capsys, seconds):
    from coleval.cli.main import main

    assert main(["sql", "store", "select 1 as a", f"--timeout={seconds}"]) == 2
    assert "--timeout" in capsys.readouterr().err


def test_a_process_that_is_told_to_end_leaves_no_temporary_file(place):
    """A condition that runs away, in a corpus whose answers are in temporary files."""
    tmp = place / "own"
    tmp.mkdir()
    where = "(select count(*) from range(10000000) a, range(10000000) b where a.range = item) > 0"
    process = subprocess.Popen(
        [sys.executable, "-m", "coleval", "score", "store", "--memory", "4GB", "--where", where],
        env={**os.environ, "TMPDIR": str(tmp)},
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 20
    while not list(tmp.glob("coleval-*/shelf-*/*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(tmp.glob("coleval-*/shelf-*/*"))
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode == 143
    assert list(tmp.iterdir()) == []
