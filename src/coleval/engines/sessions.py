"""Sessions of Spark: one for each master, begun when it is first needed."""

from __future__ import annotations

import os
import socket
import sys
import warnings
from functools import cache
from typing import Any

from coleval.engines.java import set_java_home
from coleval.errors import UsageError

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
