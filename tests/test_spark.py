"""Spark on a real cluster: a master and two workers on 127.0.0.1, and a store of 40 parts and more.

What is counted in parts is tested in ``test_parts``; here it is that workers do it, on their own.
"""

from __future__ import annotations

import os
import random
import threading
import time
from functools import partial

import duckdb
import polars as pl
import pytest

import coleval
from coleval.cli.main import main
from coleval.corpus.spread import Asked, Work
from coleval.counts.blocks import added
from coleval.counts.spark import SparkRunner, on_session, session_of
from grids import save
from parts_compared import differences, outcome
from slow_parts import slow_bins
from spark_cluster import cluster, kill_executor

# Libraries of others warn of what they will do about one another.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.nightly]
SYSTEMS = ("a", "b", "c")
TAGS = ("O", "O", "B-P", "I-P", "B-L", "I-L")


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    before = dict(os.environ)
    with cluster(tmp_path_factory.mktemp("cluster")) as found:
        for name in ("JAVA_HOME", "PYSPARK_PYTHON", "SPARK_LOCAL_IP"):
            os.environ[name] = found.environment[name]
        session = session_of(found.url)
        try:
            yield found, session
        finally:
            session.stop()
            session_of.cache_clear()
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def session(running):
    return running[1]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store of 40 datasets, which is at least 40 parts."""
    folder, rng = tmp_path_factory.mktemp("task"), random.Random(3)
    for at in range(40):
        text = [[(rng.choice("wxyz"), rng.choice(TAGS)) for _ in range(rng.randint(1, 9))]
                for _ in range(rng.randint(5, 15))]  # fmt: skip
        save(folder / "gold" / f"d{at}.conll", tagged(text))
        for name in SYSTEMS:
            own = [[(f, t if rng.random() < 0.8 else rng.choice(TAGS)) for f, t in one]
                   for one in text]  # fmt: skip
            save(folder / "runs" / name / f"d{at}.conll", tagged(own))
    corpus = coleval.load(
        f"{folder}/gold/{{dataset}}.conll", f"{folder}/runs/{{system}}/{{dataset}}.conll",
        task="span",
    )  # fmt: skip
    return corpus.save(folder / "store")


QUESTIONS = (
    "select gold, count(*) as n from item where gold is not null group by gold order by gold",
    "select dataset, sum(cast(a = gold as int)) as correct from item group by dataset order by all",
    "select a, b, count(*) as n from token group by a, b order by a nulls first, b nulls first",
    "select system, count(*) as runs from run where status = 'run' group by system order by system",
    "select count(*) as n from item join token using (dataset, sentence)",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_spark_sql_answers_as_bare_duckdb_does_over_the_same_parquet(session, store, question):
    corpus = coleval.open(store)
    theirs = duckdb.connect()
    for name, files in corpus.source.tables().items():
        theirs.execute(f"create view {name} as from read_parquet({files!r}, union_by_name = true)")
    found = corpus.sql(question, engine="spark", master=session.sparkContext.master)
    assert found.rows() == theirs.sql(question).fetchall()


def test_a_query_that_spark_cannot_read_names_the_tables(session, store, capsys):
    master = session.sparkContext.master
    assert main(["sql", str(store), "select x from items", "--engine", "spark",
                 "--master", master]) == 2  # fmt: skip
    said = capsys.readouterr().err
    assert "items" in said
    assert "run, " in said


def tagged(sentences):
    return "\n".join("".join(f"{f}\t{t}\n" for f, t in one) for one in sentences)


CALLS = (
    ("score", {}), ("confusion", {}), ("bins", {}), ("changes", {"pair": ("a", "b")}),
    ("oracle", {}), ("errors", {}), ("buckets", {}), ("agree", {}),
    ("compare", {"replicates": 200}), ("pivot", {"rows": "difficulty", "cols": "gold"}),
)  # fmt: skip


def test_every_analysis_on_a_cluster_is_that_of_one_machine(session, store):
    whole, parts = coleval.open(store), coleval.open(store, engine=session)
    assert len(parts.spread.parts) >= 40
    found = {
        call: differences(outcome(whole, call, options), outcome(parts, call, options))
        for call, options in CALLS
    }
    assert {call: differ for call, differ in found.items() if differ} == {}


def test_a_store_that_workers_have_written_is_that_of_one_machine(
    running, store, tmp_path, monkeypatch, capsys
):
    folder = store.parent
    sources = [f"{folder}/gold/{{dataset}}.conll", f"{folder}/runs/{{system}}/{{dataset}}.conll"]
    monkeypatch.setattr("coleval.store.loading_apart._LARGE", 2_000)
    command = ["load", *sources, "--task", "span", "--quiet", "--engine", "spark", "--master",
               running[0].url, "-o", str(tmp_path / "store")]  # fmt: skip
    assert main(command) == 0
    assert len(list((tmp_path / "store").glob("item/span/*"))) == 40
    for call in ("score", "errors"):
        one, other = (outcome(coleval.open(s), call, {}) for s in (store, tmp_path / "store"))
        assert differences(one, other) == []
    assert main([*command[:-1], str(tmp_path / "store")]) == 2
    assert "grows on one machine only" in capsys.readouterr().err


def frame_of(store, session, rng):
    """Return the same sentences as a data frame of Spark, in any order and division."""
    items = coleval.open(store).at("token")
    columns = {"gold": items.gold, **items.answers}
    names = pl.Series(["O", *items.labels])
    tokens = items.context.select("sentence").with_columns(
        items.form().cast(pl.String).alias("tokens"),
        *(names.gather(pl.Series(codes)).alias(name) for name, codes in columns.items()),
    )
    rows = tokens.group_by("sentence", maintain_order=True).agg(pl.all()).to_dicts()
    rng.shuffle(rows)
    made = [{**row, "id": str(row["sentence"])} for row in rows]
    kinds = "id string, tokens array<string>, gold array<string>"
    more = "".join(f", {name} array<string>" for name in SYSTEMS)
    wide = [tuple(row[name] for name in ("id", "tokens", "gold", *SYSTEMS)) for row in made]
    return session.createDataFrame(wide, kinds + more)


def test_a_data_frame_in_any_division_is_counted_the_same(session, store):
    frame = frame_of(store, session, random.Random(1))
    local = coleval.load(pl.from_arrow(frame.toArrow()), task="span", columns={"id": "id"})
    calls = (
        ("score", {}),
        ("errors", {}),
        ("compare", {"unit_of_resampling": "id", "replicates": 200}),
    )
    whole = [outcome(local, call, options) for call, options in calls]
    signatures = set()
    for parts, asked in ((7, calls), (1, calls[:1])):
        far = coleval.load(frame.repartition(parts), task="span", columns={"id": "id"})
        for expected, (call, options) in zip(whole, asked, strict=False):
            found = outcome(far, call, options)
            assert not isinstance(found, str), found
            # The rows of Spark are in no order, and hashed so; those of a frame here are in theirs.
            told = [line for line in differences(expected, found)
                    if not line.startswith(("(", "signature"))]  # fmt: skip
            assert told == []
        signatures.add(far.score().signature)
    assert len(signatures) == 1


def test_a_sentence_in_several_rows_is_refused(session, store):
    frame = frame_of(store, session, random.Random(2))
    with pytest.raises(coleval.ColevalError, match="is in several rows"):
        coleval.load(frame.union(frame), task="span", columns={"id": "id"})
    from pyspark.sql import functions as f

    tokens = frame.select(f.explode("gold").alias("gold"), f.lit("O").alias("a"),
                          f.lit("x").alias("form"))  # fmt: skip
    with pytest.raises(coleval.ColevalError, match="rows are tokens"):
        coleval.load(tokens, task="span")


def test_a_part_that_changed_is_refused_by_the_worker(session, store, tmp_path):
    import shutil

    copied = shutil.copytree(store, tmp_path / "store")
    corpus = coleval.open(copied, engine=session)
    column = next(copied.glob("item/span/*.parquet"))
    column.write_bytes(column.read_bytes() + b" ")
    with pytest.raises(coleval.ColevalError, match="has changed since the count began"):
        corpus.score()


def test_a_path_that_workers_cannot_read_is_told_with_what_to_do(session, store, tmp_path):
    import shutil

    copied = shutil.copytree(store, tmp_path / "store")
    corpus = coleval.open(copied, engine=session)
    shutil.rmtree(copied)
    with pytest.raises(coleval.ColevalError, match="every worker has to see the store"):
        corpus.score()


def test_what_is_too_large_to_send_is_refused_before_any_task(session, store, monkeypatch):
    monkeypatch.setattr("coleval.counts.spark.LARGEST", 100)
    with pytest.raises(coleval.ColevalError, match="would go to every worker"):
        coleval.open(store, engine=session).score()


def test_workers_of_another_version_are_refused(session, store, monkeypatch):
    monkeypatch.setattr("coleval.counts.spark.__version__", "9.9")
    # Workers are looked at once in a session: here they are looked at again.
    monkeypatch.setattr("coleval.counts.spark._runner", SparkRunner)
    corpus = coleval.open(store)
    with pytest.raises(coleval.ColevalError, match="workers have coleval"):
        on_session(corpus, session)


def test_an_interrupted_job_is_cancelled_on_the_cluster(session, store, tmp_path):
    corpus = coleval.open(store, engine=session)
    work = slow_work(corpus, tmp_path, 0.5)
    tracker = session.sparkContext.statusTracker()
    timer = threading.Timer(1.0, interrupted, (tmp_path,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        corpus.spread.runner.run(work, corpus.spread.parts, added)
    end = time.monotonic() + 20
    while tracker.getActiveJobsIds() and time.monotonic() < end:
        time.sleep(0.1)
    assert not tracker.getActiveJobsIds()


def interrupted(marks):
    import signal

    begun(marks)
    os.kill(os.getpid(), signal.SIGINT)


def begun(marks):
    """Wait until a part is being counted; return the process that does it."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for mark in marks.iterdir():
            return int(mark.name.partition("-")[2])
        time.sleep(0.05)
    raise AssertionError("no part was begun within a minute")


def slow_work(corpus, marks, seconds):
    asked = Asked(corpus.scoring, "", corpus.systems, None, ())
    return Work(asked, partial(slow_bins, marks=str(marks), seconds=seconds))


def test_the_counts_are_the_same_when_a_worker_is_killed_in_the_middle(running, store, tmp_path):
    found, session = running
    corpus = coleval.open(store, engine=session)
    work = slow_work(corpus, tmp_path, 0.1)

    killed = []

    def kill():
        # The other worker may not have begun yet, and then nothing would be counted again.
        killed.append(found.worker_of(begun(tmp_path)))
        kill_executor(killed[0])

    killer = threading.Thread(target=kill)
    killer.start()
    sums = added(SparkRunner(session).run(work, corpus.spread.parts, added))
    killer.join()
    assert killed[0].poll() is not None
    # Parts that were being counted were counted again.
    assert len(list(tmp_path.iterdir())) > len(corpus.spread.parts)
    whole = coleval.open(store).bins()
    assert sums.items.tolist() == whole["bins"]["items"].to_list()
