"""Tables of databases and files of the web as sources of every command."""

from __future__ import annotations

import io
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import duckdb
import polars as pl
import pytest
from pyarrow import fs

import coleval
from coleval.cli.main import main
from coleval.errors import DataError

ROWS = "(1, 'pos', 'pos', 'neg'), (2, 'neg', 'pos', 'neg'), (3, 'pos', 'pos', 'pos')"
CSV = "id,gold,one,two\n1,pos,pos,neg\n2,neg,pos,neg\n3,pos,pos,pos\n"


@pytest.fixture
def databases(tmp_path, monkeypatch):
    """Make task.duckdb and task.db: gold, one in it, and both side by side as `answers`."""
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("task.duckdb") as connection:
        connection.execute(f"create table answers as from (values {ROWS}) t(id, gold, one, two)")
        connection.execute("create view gold as select id, gold from answers")
        connection.execute("create schema runs")
        connection.execute("create table runs.one as select id, one as label from answers")
        connection.execute("create view two as select id, two as label from answers")
        connection.execute("create table odd as select id, map {gold: 1} as gold, one from answers")
        connection.execute("create table timed as select *, interval 3 day as took from answers")
    with sqlite3.connect("task.db") as connection:
        connection.execute("create table answers (id integer, gold text, one text, two text)")
        connection.execute(f"insert into answers values {ROWS}")
        connection.execute("create view gold as select id, gold from answers")
        connection.execute("create view one as select id, one as label from answers")
        connection.execute("create view two as select id, two as label from answers")
        connection.execute("create table mixed as select id, case id when 2 then 7 else gold end x "
                           "from answers")  # fmt: skip
    connection.close()
    Path("answers.csv").write_text(CSV, encoding="utf-8")
    return tmp_path


@contextmanager
def web(folder):
    """Serve a folder; yield its address and the paths that are asked for."""
    asked = []

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            super().do_GET()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("localhost", 0), partial(Handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}", asked
        server.shutdown()


def run(capsys, *words):
    code = main([*words])
    out = capsys.readouterr()
    return code, out.out, out.err


def overall(capsys, *sources):
    code, out, err = run(capsys, "score", *sources, "--as", "csv", "--table", "overall")
    assert code == 0, err
    return out


@pytest.mark.parametrize(
    "sources",
    [
        ["duckdb:task.duckdb#answers"],
        ["sqlite:task.db#answers"],
        ["duckdb:task.duckdb#timed"],
        ["duckdb:task.duckdb#gold", "duckdb:task.duckdb#runs.one", "duckdb:task.duckdb#main.two"],
        ["sqlite:task.db#gold", "one=duckdb:task.duckdb#runs.one", "sqlite:task.db#two"],
    ],
    ids=" ".join,
)
def test_a_table_of_a_database_scores_as_its_csv(databases, capsys, sources):
    assert overall(capsys, *sources) == overall(capsys, "answers.csv")


def test_a_system_is_called_like_its_table_without_the_schema(databases):
    corpus = coleval.load("duckdb:task.duckdb#gold", ["duckdb:task.duckdb#runs.one"])
    assert corpus.systems == ("one",)


def test_files_of_any_format_are_read_from_the_web_once_and_count_as_on_disk(write, capsys):
    folder = write("gold.conll", "Ann B-PER\nsaw O\nBob B-PER\n\n").parent
    write("bert.conll", "Ann B-PER\nsaw O\nBob O\n\n")
    write("crf.conll", "Ann B-PER\nsaw O\nBob B-LOC\n\n")
    here = [str(folder / name) for name in ("gold.conll", "bert.conll", "crf.conll")]
    with web(folder) as (root, asked):
        there = [f"{root}/gold.conll", f"{root}/bert.conll?raw=true", here[2]]
        for words in (["bins"], ["validate"], ["score", "--memory", "1GB"]):
            asked.clear()
            code, out, err = run(capsys, *words, *there, "--as", "csv")
            assert code == 0, err
            same = out.replace(root, str(folder)).replace("?raw=true", "")
            assert same == run(capsys, *words, *here, "--as", "csv")[1]
            assert sorted(asked) == ["/bert.conll?raw=true", "/gold.conll"]


def test_a_store_takes_tables_and_grows_by_them(databases, capsys):
    sources = ["duckdb:task.duckdb#gold", "duckdb:task.duckdb#runs.one"]
    assert run(capsys, "load", *sources, "-o", "store")[0] == 0
    code, out, err = run(capsys, "load", *sources, "two=sqlite:task.db#one", "-o", "store",
                         "--as", "csv")  # fmt: skip
    assert code == 0, err
    assert [line.split(",")[0] for line in out.splitlines()] == ["system", "one", "two"]


def test_a_store_does_not_grow_by_a_table_whose_gold_has_changed(databases, capsys):
    sources = ["duckdb:task.duckdb#gold", "duckdb:task.duckdb#runs.one"]
    assert run(capsys, "load", *sources, "-o", "store")[0] == 0
    with duckdb.connect("task.duckdb") as connection:
        connection.execute("update answers set gold = 'pos' where id = 2")
    code, _, err = run(capsys, "load", *sources, "two=sqlite:task.db#one", "-o", "store")
    assert code == 2
    assert "gold" in err


@pytest.mark.parametrize(
    ("address", "code", "message"),
    [
        ("duckdb:tusk.duckdb#gold", 1,
         "tusk.duckdb: no such file\n  did you mean task.duckdb or task.db?"),
        ("sqlite:.#gold", 1, ".: is a directory"),
        ("duckdb:task.duckdb", 2,
         "named\n  add #TABLE: it has `answers`, `gold`, `odd`, `timed`, `two`, `runs.one`"),
        ("duckdb:task.duckdb#golt", 2,
         "duckdb:task.duckdb#golt: no table is called `golt`\n  did you mean `gold`?"),
        ("sqlite:task.db#xyz", 2,
         "no table is called `xyz`\n  there is: answers, gold, mixed, one, two"),
        ("sqlite:task.duckdb#gold", 1,
         "cannot be read (file is not a database)\n  which program wrote it?"),
        ("duckdb:answers.csv#gold", 1,
         "it is not a valid DuckDB database file!)\n  which program"),
        ("sqlite:task.db#mixed", 1,
         "`x` has values of several types (int, str)\n  read a view of it: create view"),
        ("duckdb:task.duckdb#odd", 1,
         "column `gold` holds values that are not text\n  choose another column with --columns"),
        ("https://localhost/{dataset}.csv", 1,
         "an address is not a template\n  a server or database"),
        ("http://localhost:1/a.csv", 1,
         "http://localhost:1/a.csv: cannot be fetched ([Errno 111] Connection refused)\n  check"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said_with_what_to_do(databases, capsys, address, code, message):
    found, _, err = run(capsys, "score", address, "answers.csv")
    assert found == code
    assert message in err


def test_a_database_that_another_program_writes_to_is_said_to_be_locked(databases, capsys):
    write = "import duckdb, sys; c = duckdb.connect('task.duckdb'); print(); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", write], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as program:  # fmt: skip
        program.stdout.readline()
        code, _, err = run(capsys, "score", "duckdb:task.duckdb#answers")
        program.stdin.close()
    assert (code, err.splitlines()[-1]) == (
        1, "  another program has it open for writing: close it there, or name a copy of the file"
    )  # fmt: skip
    with duckdb.connect("task.duckdb"), pytest.raises(DataError, match=r"pass the table itself"):
        coleval.load("duckdb:task.duckdb#answers")
    with sqlite3.connect("task.db") as connection:
        connection.execute("begin exclusive")
        code, _, err = run(capsys, "score", "sqlite:task.db#answers")
    connection.close()
    assert code == 1
    assert "(database is locked)\n  another program has it open for writing" in err


def test_a_page_and_a_lacking_file_of_the_web_are_no_data(write, capsys):
    folder = write("blob.html", "<!DOCTYPE html><p>gold.csv</p>").parent
    with web(folder) as (root, _):
        assert (
            "/blob.html: is a page for people, not data\n  name the address of the file"
            in run(capsys, "score", f"{root}/blob.html")[2]
        )
        assert (
            "/gold.csv: the server answers 404 File not found\n  check the address"
            in run(capsys, "score", f"{root}/gold.csv")[2]
        )


def test_objects_of_s3_are_read_by_the_settings_of_aws(write, capsys, monkeypatch):
    own = write("bucket/answers.csv", CSV)
    with web(own.parents[1]) as (root, _):
        for name, value in (("ENDPOINT_URL", root), ("ACCESS_KEY_ID", "a"), ("REGION", "x"),
                            ("SECRET_ACCESS_KEY", "b")):  # fmt: skip
            monkeypatch.setenv(f"AWS_{name}", value)
        assert overall(capsys, "s3://bucket/answers.csv") == overall(capsys, str(own))
        code, _, err = run(capsys, "score", "s3://bucket/other.csv")
    assert (code, err) == (
        1, "error: s3://bucket/other.csv: no such object\n  check bucket and key\n"
    )  # fmt: skip


def test_what_postgresql_lacks_is_said_and_a_password_is_not(databases, capsys):
    address = "postgres://ann:secret@localhost:1/db#gold"
    code, _, err = run(capsys, "score", address, "answers.csv")
    assert code == 1
    assert err.startswith("error: postgres://ann:***@localhost:1/db#gold: ")
    # Where DuckDB has or can fetch its extension, the server is what is lacking.
    assert "is the server running" in err or (
        "DuckDB 2" in err and "install postgres" in err and "\\copy TABLE" in err
    )
    assert "secret" not in err


def test_a_password_is_on_no_page_and_in_no_store(write, capsys):
    folder = write("answers.csv", CSV).parent
    with web(folder) as (root, _):
        address = f"{root}/answers.csv?user=ann&password=secret&X-Amz-Signature=secret"
        page, store = folder / "page.html", folder / "store"
        assert run(capsys, "report", address, "-o", str(page))[0] == 0
        assert run(capsys, "load", address, "-o", str(store))[0] == 0
    assert "password=***&amp;X-Amz-Signature=***" in page.read_text(encoding="utf-8")
    for path in (page, *store.rglob("*")):
        assert path.is_dir() or b"secret" not in path.read_bytes(), path


# ---------------------------------------------------------------- a real server, at night


@pytest.fixture(scope="module")
def server():
    """Start Debian's PostgreSQL with table answers and runs.one; yield where it listens."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs:
        pytest.skip("no PostgreSQL here: apt-get install postgresql")
    user = {"user": "postgres"} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("localhost", 0))
        port = str(free.getsockname()[1])
        free.close()
        Path(folder, "password").write_text("right", encoding="utf-8")
        if user:
            shutil.chown(folder, "postgres")

        def control(program, *words):
            subprocess.run([programs[-1] / program, *words], check=True, cwd=folder,
                           stdout=subprocess.DEVNULL, **user)  # fmt: skip

        control("initdb", "-D", "data", "-U", "ann", "-A", "scram-sha-256", "--pwfile=password")
        options = f"-p {port} -k {folder} -c listen_addresses=localhost"
        control("pg_ctl", "-D", "data", "-o", options, "-l", "log", "-w", "start")
        try:
            make = f"""
                create table answers (id int, gold text, one text, two text, took interval);
                insert into answers select *, interval '3 days' from (values {ROWS}) t;
                create schema runs;
                create view runs.one as select id, one as label from answers"""
            place = f"postgresql://ann@localhost:{port}/postgres"
            subprocess.run([programs[-1] / "psql", "-q", place, "-c", make], check=True,
                           env={**os.environ, "PGPASSWORD": "right"})  # fmt: skip
            yield f"postgres://ann@localhost:{port}/postgres"
        finally:
            control("pg_ctl", "-D", "data", "-m", "fast", "stop")


@pytest.fixture(scope="module")
def postgres_reader(tmp_path_factory):
    """Return an environment in which DuckDB has its extension for PostgreSQL.

    Where the extension of this DuckDB cannot be fetched, it is that of an older DuckDB from PyPI.
    """
    with suppress(duckdb.Error), duckdb.connect() as connection:
        connection.install_extension("postgres")
        return dict(os.environ)
    home, version = tmp_path_factory.mktemp("home"), "1.5.5"
    names = (f"duckdb=={version}", f"duckdb-extension-postgres-scanner=={version}")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", home, *names]
    if subprocess.run(pip, check=False, capture_output=True).returncode:
        pytest.skip("neither DuckDB's extension nor PyPI can be had")
    own = {**os.environ, "HOME": str(home), "PYTHONPATH": str(home)}
    file = next(home.rglob("postgres_scanner.duckdb_extension"))
    install = f"import duckdb; duckdb.sql(\"install '{file}'\")"
    subprocess.run([sys.executable, "-c", install], check=True, env=own)
    return own


@pytest.mark.nightly
def test_tables_of_a_postgresql_server_score_as_their_csv(databases, server, postgres_reader):
    def score(*sources, password="right"):  # noqa: S107
        words = [sys.executable, "-m", "coleval", "score", *sources, "--as", "csv"]
        own = {**postgres_reader, "PGPASSWORD": password}
        return subprocess.run(words, check=False, capture_output=True, text=True, env=own)

    here = score("answers.csv", "--table", "overall").stdout
    assert here.startswith("system,")
    assert score(f"{server}#answers", "--table", "overall").stdout == here
    host, port = server.rpartition("@")[2].partition("/")[0].split(":")
    dsn = f"postgres:host={host} port={port} user=ann dbname=postgres#runs.one"
    beside = ("sqlite:task.db#gold", dsn, "sqlite:task.db#two", "--table", "overall")
    assert score(*beside).stdout == here
    for sources, password, message in (
        ([f"{server}#answers"], "wrong", 'password authentication failed for user "ann")\n  set '),
        ([f"{server}#answer"], "right", "no table is called `answer`\n  did you mean `answers`?"),
        ([f"{server}x#answers"], "right", "does not exist)\n  check the name of the database"),
        ([server.replace(port, "1") + "#a"], "right", "refused)\n  is the server running"),
    ):
        assert message in score(*sources, password=password).stderr


@pytest.mark.nightly
def test_an_object_in_a_bucket_of_a_server_of_s3_is_read(
    write, capsys, tmp_path_factory, monkeypatch
):
    home = tmp_path_factory.mktemp("moto")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--target", home, "moto[server,s3]"]
    if subprocess.run(pip, check=False, capture_output=True).returncode:
        pytest.skip("moto cannot be had from PyPI")
    serve = "from moto.server import ThreadedMotoServer as S; s = S('localhost', 0, verbose=False);"
    serve += "s.start(); print(s.get_host_and_port()[1], flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", serve], stdin=subprocess.PIPE, text=True,
                          stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(home)}
                          ) as program:  # fmt: skip
        root = f"localhost:{program.stdout.readline().strip()}"
        for name, value in (("ENDPOINT_URL", f"http://{root}"), ("ACCESS_KEY_ID", "a"),
                            ("SECRET_ACCESS_KEY", "b")):  # fmt: skip
            monkeypatch.setenv(f"AWS_{name}", value)
        system = fs.S3FileSystem(endpoint_override=root, scheme="http", allow_bucket_creation=True)
        system.create_dir("bucket")
        answers = pl.read_csv(io.StringIO(CSV))
        with system.open_output_stream("bucket/2026/answers.parquet") as stream:
            answers.write_parquet(stream)
        own = write("answers.csv", CSV)
        assert overall(capsys, "s3://bucket/2026/answers.parquet") == overall(capsys, str(own))
        assert "no such object" in run(capsys, "score", "s3://bucket/2025/answers.parquet")[2]
        assert "bucket and key" in run(capsys, "score", "s3://pail/answers.parquet")[2]
        program.stdin.close()
