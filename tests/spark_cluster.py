"""A standalone Spark cluster on 127.0.0.1: a master and workers of one core, on free ports.

Every process is known by its handle, and ended by it.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

from coleval.counts.spark import packaged_java

if TYPE_CHECKING:
    from collections.abc import Iterator

DEPLOY = "org.apache.spark.deploy"
PATIENCE = 120.0


@dataclass
class Cluster:
    """Where the master is, and the processes."""

    url: str
    folder: Path
    environment: dict[str, str]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def begin(self, *command: str) -> subprocess.Popen[bytes]:
        home = Path(self.environment["SPARK_HOME"])
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [str(home / "bin" / "spark-class"), *command],
                env=self.environment, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def worker_of(self, process: int) -> subprocess.Popen[bytes]:
        """Return the worker that a process of tasks was begun by, however many lie between."""
        by_number = {worker.pid: worker for worker in self.workers}
        while process not in by_number:
            process = parent(process)
        return by_number[process]

    def begin_worker(self) -> subprocess.Popen[bytes]:
        worker = self.begin(
            f"{DEPLOY}.worker.Worker", "--host", "127.0.0.1", "--webui-port", str(free_port()),
            "--cores", "1", "--memory", "1g",
            "--work-dir", str(self.folder / f"worker-{len(self.workers)}"), self.url,
        )  # fmt: skip
        self.workers.append(worker)
        return worker


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """Yield a cluster that runs; all its processes have ended behind it."""
    port = free_port()
    environment = {
        **os.environ,
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "JAVA_HOME": packaged_java(),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
        "OMP_NUM_THREADS": "1",
        "POLARS_MAX_THREADS": "1",
        # Workers find what tests have them do.
        "PYTHONPATH": str(Path(__file__).parent),
    }
    found = Cluster(f"spark://127.0.0.1:{port}", folder, environment)
    with ExitStack() as stack:
        master = found.begin(
            f"{DEPLOY}.master.Master", "--host", "127.0.0.1", "--port", str(port),
            "--webui-port", str(free_port()),
        )  # fmt: skip
        stack.callback(ended, master)
        wait_for(port, master)
        for _ in range(workers):
            stack.callback(ended, found.begin_worker())
        yield found


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None, "the master has ended"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the master does not answer")


def ended(process: subprocess.Popen[bytes]) -> None:
    """End a process, and wait until it has."""
    process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=20)


def children(process: int) -> list[int]:
    """Return the processes that a process has begun."""
    found = []
    for task in Path(f"/proc/{process}/task").iterdir():
        found += [int(one) for one in (task / "children").read_text().split()]
    return found


def parent(process: int) -> int:
    """Return the process that has begun this one."""
    # The name before the last bracket may hold anything, the state and the parent follow it.
    told = Path(f"/proc/{process}/stat").read_text()
    return int(told.rpartition(")")[2].split()[1])


def kill_executor(worker: subprocess.Popen[bytes]) -> None:
    """Kill what a worker has begun to run tasks, with SIGKILL, and then the worker itself."""
    for child in children(worker.pid):
        os.kill(child, signal.SIGKILL)
    worker.kill()
    worker.wait(timeout=20)
