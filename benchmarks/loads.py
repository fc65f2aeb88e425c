"""Load to hold: sizes at the ends of what comes, and machines that fail; told with time and peak.

    python benchmarks/loads.py                    # all of it: some minutes, 2 GB of disk
    python benchmarks/loads.py --only "20 M"      # rows whose name has this in it
    python benchmarks/loads.py --scale 0.01       # each size so much smaller

Each row is a fresh process: wall time, the most memory it had resident, its exit code, and the
files it left in its temporary directory. The table is Markdown, as RESULTS.md has it.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

COLEVAL = [sys.executable, "-m", "coleval"]
_TAGS = ("O", "O", "O", "O", "O", "O", "B-PER", "B-LOC", "B-ORG", "I-PER")


@dataclass(frozen=True, slots=True)
class Row:
    """A case: its name, what makes its files, its command, how it is disturbed, what it may be.

    ``disturbed`` is a signal and after how many seconds it comes, a limit on addresses in bytes, or
    where standard output goes. ``codes`` are the exit codes that are right.
    """

    name: str
    make: Callable[[Path, float], None]
    command: str
    codes: tuple[int, ...] = (0,)
    disturbed: tuple[str, float] = ("", 0.0)


def corpus(
    tokens: int, systems: int, sentence: int = 25, labels: int = 0, document: int = 0
) -> Callable[[Path, float], None]:
    """Return what writes gold and systems, one in ten answers of which is another."""

    def make(folder: Path, scale: float) -> None:
        import numpy as np

        n = max(10, int(tokens * scale))
        random = np.random.default_rng(1)
        names = [f"L{k}" for k in range(max(2, int(labels * scale)))]
        tags = np.array(names if labels else _TAGS)
        words = np.char.add("w", random.integers(0, 50_000, n).astype(str))
        gold = random.integers(0, len(tags), n)
        if labels:
            gold[: len(tags)] = np.arange(len(tags))[:n]
        for k in range(systems + 1):
            own = np.where(random.random(n) < 0.1, random.integers(0, len(tags), n), gold)
            own = own if k else gold
            name = f"s{k:03d}" if k else "gold"
            _write(folder / f"{name}.conll", words, tags[own], sentence, document)

    return make


def _write(path: Path, words: np.ndarray, tags: np.ndarray, sentence: int, document: int) -> None:
    import polars as pl

    lines = pl.DataFrame({"w": words, "t": tags}).select(
        line=pl.concat_str("w", "t", separator="\t"), at=pl.int_range(pl.len())
    )
    first = pl.lit("")
    if document:
        start = (pl.col("at") % document == 0) & (pl.col("at") > 0)
        first = pl.when(start).then(pl.lit("\n-DOCSTART-\tO\n\n")).otherwise(first)
    blank = (pl.col("at") % sentence == 0) & (pl.col("at") > 0)
    first = pl.when(blank & (first == "")).then(pl.lit("\n")).otherwise(first)
    path.write_text("\n".join(lines.select(first + pl.col("line")).to_series()) + "\n")


def wide(folder: Path, scale: float) -> None:
    """Write a merged file of 60,000 columns."""
    import numpy as np

    n = max(60, int(60_000 * scale))
    random = np.random.default_rng(1)
    rows = ("\t".join(["w", *random.choice(_TAGS[5:9], n - 1)]) for _ in range(40))
    (folder / "wide.tsv").write_text("\n".join(rows) + "\n")


_SMALL = corpus(20_000, 2)
_LONG = "n" * 10_000
_LARGE = corpus(20_000_000, 1)
ROWS = (
    Row("200 systems × 100 k tokens, load", corpus(100_000, 200), "load {all} -o st"),
    Row("the same, score from the store", corpus(0, 0), "score st"),
    Row("the same, bins from the store", corpus(0, 0), "bins st"),
    Row("the same, changes of all 19,900 pairs", corpus(0, 0), "changes st"),
    Row("20 M tokens × 1 system", _LARGE, "score {all}"),
    Row("the same, load --memory 2GB", corpus(0, 0), "load {all} -o st --memory 2GB"),
    Row("the same, addresses limited to 3 GB", corpus(0, 0), "load {all} -o st --fresh", (1, 0),
        ("addresses", 3e9)),
    Row("the same, SIGTERM after 2 s", corpus(0, 0), "load {all} -o st --fresh --memory 2GB",
        (143,), ("SIGTERM", 2.0)),
    Row("the same, SIGINT after 2 s", corpus(0, 0), "load {all} -o st --fresh --memory 2GB",
        (130,), ("SIGINT", 2.0)),
    Row("5,000 labels, 300 k tokens × 3", corpus(300_000, 3, labels=5_000),
        "score {all} --task tag"),
    Row("the same, confusion", corpus(0, 0), "confusion {all} --task tag"),
    Row("100,000 labels, 300 k tokens × 3", corpus(300_000, 3, labels=100_000),
        "score {all} --task tag"),
    Row("the same, changes", corpus(0, 0), "changes {all} --task tag"),
    Row("1 M sentences of one token × 2", corpus(1_000_000, 2, sentence=1), "score {all}"),
    Row("the same, compare", corpus(0, 0), "compare {all}"),
    Row("one sentence of 2 M tokens × 2", corpus(2_000_000, 2, sentence=10**9), "score {all}"),
    Row("the same, errors", corpus(0, 0), "errors {all}"),
    Row("the same, show", corpus(0, 0), "show {all}"),
    Row("100,000 documents of 10 tokens × 2", corpus(1_000_000, 2, 5, document=10), "score {all}"),
    Row("the same, compare --by document", corpus(0, 0), "compare {all}"),
    Row("names of 10,000 characters", _SMALL, f"score {{gold}} {_LONG}={{one}} {_LONG}x={{two}}"),
    Row("the same, report as a page", corpus(0, 0),
        f"report {{gold}} {_LONG}={{one}} {_LONG}x={{two}} -o r.html"),
    Row("a merged file of 60,000 columns", wide,
        "score --merged wide.tsv --columns form=1,gold=2,system=3"),
    Row("standard output is closed (`| head -1`)", _SMALL, "score {all} --as json", (0,),
        ("closed", 0.0)),
    Row("standard output is /dev/full", _SMALL, "score {all} --as json", (1,), ("full", 0.0)),
    Row("-o /dev/full", _SMALL, "score {all} -o /dev/full --as json", (1,)),
)  # fmt: skip


def _apart(make: Callable[[Path, float], None], folder: Path, scale: float) -> None:
    """Make files in another process: what it had resident would be said of those after it."""
    child = os.fork()
    if not child:
        make(folder, scale)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        raise RuntimeError(f"no files could be made in {folder}")


def measured(row: Row, folder: Path, tmp: Path) -> tuple[float, int, int, int, str]:
    """Return seconds, the peak in bytes, the exit code, files left behind, and what it said."""
    systems = sorted(folder.glob("s[0-9]*.conll"))
    names = {"gold": "gold.conll", "all": " ".join(["gold.conll", *(p.name for p in systems)])}
    names |= dict(zip(("one", "two"), (p.name for p in systems), strict=False))
    words = [*COLEVAL, *row.command.format(**names).split(), "--quiet"]
    kind, value = row.disturbed
    with (tmp / "said").open("w+") as said:
        begun = time.perf_counter()
        process = subprocess.Popen(
            words, cwd=folder, stdout=cast("IO[str]", _output(kind, said)), stderr=said,
            env={**os.environ, "TMPDIR": str(folder / "tmp")},
            preexec_fn=_limit(value) if kind == "addresses" else None,  # noqa: PLW1509
        )  # fmt: skip
        if kind.startswith("SIG"):
            time.sleep(value)
            process.send_signal(getattr(signal, kind))
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
        process.returncode = code = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read()
    left = len(list((folder / "tmp").iterdir()))
    return seconds, used.ru_maxrss * 1024, code, left, text


def _output(kind: str, said: object) -> object:
    if kind == "full":
        return Path("/dev/full").open("w")
    if kind == "closed":
        ours, theirs = os.pipe()
        os.close(ours)
        return theirs
    return said


def _limit(size: float) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (int(size), int(size)))


def main() -> int:
    """Print the table; return 1 if an exit code was wrong, a traceback was seen, or files stay."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--scale", type=float, default=1.0)
    asked = parser.parse_args()
    wrong = 0
    print("| what | time | peak | exit code |\n| --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as made:
        folder = tmp = Path(made)
        for row in ROWS:
            again = row.name.startswith("the same")
            if not again:
                skipped = asked.only not in row.name
                folder = Path(tempfile.mkdtemp(dir=made))
            if skipped:
                continue
            (folder / "tmp").mkdir(exist_ok=True)
            if not again:
                _apart(row.make, folder, asked.scale)
            seconds, peak, code, left, text = measured(row, folder, tmp)
            fine = code in row.codes and not left and "Traceback" not in text
            note = "" if fine else f" WRONG, {left} files left: {text[-300:]!r}"
            wrong += not fine
            print(f"| {row.name} | {seconds:.2f} s | {peak / 2**20:,.0f} MiB | {code}{note} |",
                  flush=True)  # fmt: skip
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
