"""The targets of the foundation in one run: reading, scoring, reopening, memory, start-up.

    python benchmarks/foundation.py                                  # 2M tokens × 24 systems
    python benchmarks/foundation.py --tokens 20000 --systems 3       # does the harness still run?

Answers are compared before a time is told; every figure is a ratio of two sides of this run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from measure import Target, in_turn, machine, work

HERE = Path(__file__).parent


def main() -> None:
    """Measure, show, and leave with 1 if a target is missed and ``--gate`` was given."""
    asked = _arguments()
    directory = asked.data or HERE / "data" / f"span-{asked.tokens}x{asked.systems}"
    _generate(directory, asked)
    targets = [
        *_reading(directory, asked.rounds),
        _peer(directory, asked.rounds),
        *_reopening(directory, asked),
        _start_up(),
    ]
    result = {"tokens": asked.tokens, "systems": asked.systems, "rounds": asked.rounds}
    result |= {"machine": machine(), "targets": [target.plain() for target in targets]}
    if asked.output:
        asked.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    _show(targets, result)
    if asked.gate and not all(target.met for target in targets):
        sys.exit(1)


def _generate(directory: Path, asked: argparse.Namespace) -> None:
    """Make the corpus in another process, so that this one stays small."""
    options = ("--tokens", str(asked.tokens), "--systems", str(asked.systems))
    command = [sys.executable, str(HERE / "generate.py"), *options, "-o", str(directory)]
    subprocess.run(command, check=True)


def _reading(directory: Path, rounds: int) -> list[Target]:
    _say("reading: coleval, wc -l, a plain loop")
    found = work("reading", directory, rounds)
    seconds, n, looped = found["seconds"], found["systems"], found["looped"]
    every, one = min(seconds["all"]), min(seconds["first"])
    ours = (every - one) * n / (n - 1) if n > 1 else one
    how = found["how"] if n > 1 else "load(gold, the only system)"
    count, loop = min(seconds["wc"]), min(seconds["loop"]) * n / looped
    loop_how = f"{how}; the loop reads {looped} of {n} files, × {n}/{looped}, and checks nothing"
    name = f"reading {n} files"
    return [
        Target(f"{name} ÷ wc -l", ours, count, ours / count, 35, how=how, samples=seconds),
        Target(
            f"plain loop ÷ {name}", ours, loop, loop / ours, 4, "s", at_least=True,
            how=loop_how, samples=seconds,
        ),
    ]  # fmt: skip


def _peer(directory: Path, rounds: int) -> Target:
    _say("one system: coleval, seqeval")
    found = work("peer", directory, rounds)
    seconds = found["seconds"]
    ours, theirs = min(seconds["coleval"]), min(seconds["seqeval"])
    how = "files to P, R, F per type, one system; seqeval ran once; imports on neither side"
    return Target(
        "seqeval report ÷ coleval", ours, theirs, theirs / ours, 50, at_least=True, how=how,
        samples=seconds,
    )  # fmt: skip


def _reopening(directory: Path, asked: argparse.Namespace) -> list[Target]:
    _say("first run, reopened run, peak memory")
    with tempfile.TemporaryDirectory(dir=directory) as parent:
        store = Path(parent) / "store"
        kept = work("save", directory, store)
        runs = [(work("first", directory), work("again", store)) for _ in range(asked.rounds)]
    firsts, agains = ([pair[side] for pair in runs] for side in (0, 1))
    if any(run["tables"] != firsts[0]["tables"] for run in (*firsts, *agains)):
        sys.exit("benchmarks: the reopened corpus scores otherwise than the files do")
    cells = asked.tokens * asked.systems
    return [
        _ratio("reopened ÷ first run", agains, firsts, "seconds", 0.15,
               "open + score ÷ load + score, after imports, a process each"),
        _ratio("the same, whole processes", agains, firsts, "wall", None,
               "with the start of Python and all imports; told only"),
        _peak("peak memory of load + score", firsts, cells, 16),
        Target("store on disk", kept["bytes"], cells, kept["bytes"] / cells, None, "B",
               how="bytes per token × system; told only"),
    ]  # fmt: skip


def _ratio(
    name: str, ours: list[dict[str, Any]], other: list[dict[str, Any]], key: str,
    bound: float | None,
    how: str,
) -> Target:  # fmt: skip
    samples = {"ours": [run[key] for run in ours], "other": [run[key] for run in other]}
    low, high = min(samples["ours"]), min(samples["other"])
    return Target(name, low, high, low / high, bound, how=how, samples=samples)


def _peak(name: str, runs: list[dict[str, Any]], cells: int, bound: float) -> Target:
    peaks = [run["peak"] for run in runs]
    how = "bytes per token × system: ru_maxrss of a fresh process, the largest, nothing taken off"
    return Target(name, max(peaks), cells, max(peaks) / cells, bound, "B", how=how,
                  samples={"peak": peaks})  # fmt: skip


def _start_up() -> Target:
    _say("start-up")
    import compileall

    place = [sys.executable, "-c", "import coleval; print(*coleval.__path__)"]
    package = subprocess.run(place, check=True, capture_output=True, text=True).stdout.strip()
    compileall.compile_dir(package, quiet=2)
    script = Path(sys.executable).with_name("coleval")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "coleval"]
    help_, bare = [*command, "--help"], [sys.executable, "-c", "pass"]
    if "score" not in _said(help_):
        sys.exit("benchmarks: `coleval --help` does not tell of `score`")
    seconds = in_turn(15, {"help": lambda: _said(help_), "bare": lambda: _said(bare)})
    ours, other = min(seconds["help"]), min(seconds["bare"])
    how = f"{' '.join(command)} --help ÷ python -c pass, 15 turns each, bytecode compiled"
    return Target("coleval --help ÷ bare Python", ours, other, ours / other, 5, how=how,
                  samples=seconds)  # fmt: skip


def _said(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _show(targets: list[Target], result: dict[str, Any]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, title=f"{result['tokens']:,} tokens × {result['systems']}")
    for heading in ("figure", "coleval", "other", "ratio", "target", "", "noise"):
        table.add_column(heading, justify="left" if heading in {"figure", ""} else "right")
    for target in targets:
        table.add_row(*_row(target))
    console = Console()
    console.print(table)
    for target in targets:
        console.print(f"[dim]{target.name}: {target.how}[/]", highlight=False)
    told = " · ".join(f"{name} {value}" for name, value in result["machine"].items())
    console.print(told, highlight=False)


def _row(target: Target) -> tuple[str, ...]:
    sign = "≥" if target.at_least else "≤"
    other = f"{target.other:,.0f} cells" if target.unit == "B" else f"{target.other:.3f} s"
    ours = f"{target.ours / 2**20:,.0f} MiB" if target.unit == "B" else f"{target.ours:.3f} s"
    bound, verdict = "–", "told"
    if target.bound is not None:
        bound, verdict = f"{sign} {target.bound:g}", "met" if target.met else "missed"
    return (
        target.name, ours, other, f"{target.ratio:.3g}", bound, verdict,
        f"{target.noise:.0%}",
    )  # fmt: skip


def _say(what: str) -> None:
    print(f"… {what}", file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=2_000_000)
    parser.add_argument("--systems", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=Path, help="where the corpus is or goes")
    parser.add_argument("-o", "--output", type=Path, help="write all samples as JSON")
    parser.add_argument("--gate", action="store_true", help="leave with 1 if a target is missed")
    return parser.parse_args()


if __name__ == "__main__":
    main()
