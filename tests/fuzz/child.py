"""A process that runs one command after the other, each in a fork that ends at a file-system call.

It is fed a JSON object a line and answers with the exit code and how many calls there were. Nothing
but imports has happened before a fork: libraries with threads may not be forked later.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import resource
import signal
import sys
from typing import Any

# What a load imports, at the latest while it runs.
MODULES = (
    "coleval.__main__", "coleval.cli.load", "coleval.cli.commands", "coleval.loading.loading",
    "coleval.loading.grid", "coleval.loading.sequences", "coleval.store.growing",
    "coleval.store.views", "coleval.query.portable", "coleval.render",
    "coleval.analyses.score.tables", "duckdb", "pyarrow.parquet", "polars",
)  # fmt: skip
EVENTS = {
    "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "os.symlink",
    "shutil.rmtree", "fcntl.flock", "os.utime",
}  # fmt: skip
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Hook:
    """Counts calls that change files; at the one that is due, it ends the process or fails."""

    def __init__(self, due: int, how: str, counter: int) -> None:
        """Set which call it is, and the file that has the number of calls so far."""
        self.due, self.how, self.counter, self.calls = due, how, counter, 0

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            if not isinstance(arguments[2], int) or not arguments[2] & _WRITES:
                return
        elif event not in EVENTS:
            return
        if self.how == "full":
            return
        self.calls += 1
        os.pwrite(self.counter, b"%d" % self.calls, 0)
        if self.calls != self.due:
            return
        if self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        number = getattr(errno, self.how)
        raise OSError(number, os.strerror(number))


def run(job: dict[str, Any], said: int) -> None:
    """Run a command in this process, which ends with it."""
    from coleval import __main__

    os.chdir(job["folder"])
    os.environ["TMPDIR"] = job["tmp"]
    os.dup2(said, 1)
    os.dup2(said, 2)
    if job["how"] == "full":
        # No file may be larger: writes of native libraries fail too.
        resource.setrlimit(resource.RLIMIT_FSIZE, (job["due"], job["due"]))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    counter = os.open(job["counter"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    sys.argv = ["coleval", *job["command"]]
    sys.addaudithook(Hook(job["due"], job["how"], counter))
    __main__.run()


def main() -> None:
    """Answer jobs until there are no more."""
    for name in MODULES:
        with contextlib.suppress(ImportError):
            __import__(name)
    for line in sys.stdin:
        job = json.loads(line)
        ours, theirs = os.pipe()
        child = os.fork()
        if not child:
            try:
                run(job, theirs)
            except BaseException:
                import traceback

                traceback.print_exc()
                sys.stderr.flush()
            os._exit(70)
        os.close(theirs)
        with open(ours, "rb") as said:  # noqa: PTH123
            text = said.read()
        with open(job["said"], "wb") as file:  # noqa: PTH123
            file.write(text)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
