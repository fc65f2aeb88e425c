"""``coleval board``: from a folder of submissions to pages of scores, again after each submission.

Files that have not changed are neither checked nor read again, and without any that is new the
pages stay as they are; so it can run in a cron job or a workflow.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.cli.console import say, warn
from coleval.cli.organise import validated
from coleval.cli.sources import say_unless
from coleval.corpus.output import write_whole, written
from coleval.render import save
from coleval.render.team_note import team_note
from coleval.store.manifest import FILE, read_manifest
from coleval.store.opening import open_store

if TYPE_CHECKING:
    import argparse

    from coleval.corpus.report import Report

STORE, PAGES = "store", ("index.html", "compare.html", "scores.json")


def board(arguments: argparse.Namespace) -> int:
    """Write the folder of pages; return 0, or 1 under ``--strict`` if a submission is not valid."""
    from coleval.cli.load import load
    from coleval.loading.checking import GOLD
    from coleval.loading.validating import of_team

    folder = Path(arguments.output)
    store = folder / STORE
    with written(folder):
        folder.mkdir(parents=True, exist_ok=True)
    arguments.skip = arguments.skip or "invalid"
    arguments.team, arguments.earlier = "", ""
    arguments.memory_file = str(folder / "checked.json")
    report, _ = validated(arguments)
    save(report, folder / "validate.html")
    notes = folder / "notes"
    shutil.rmtree(notes, ignore_errors=True)
    notes.mkdir()
    verdicts = report.table("verdicts")
    teams = verdicts.filter((verdicts["verdict"] != "valid") & (verdicts["system"] != GOLD))
    for team in teams["system"].unique().to_list():
        note = team_note(of_team(report, team), team)
        write_whole(notes / f"{team.replace('/', '_')}.md", note.encode())
    before = read_manifest(store).load if (store / FILE).is_file() else 0
    arguments.store, arguments.fresh, arguments.engine = str(store), False, "polars"
    quiet = arguments.quiet
    # What it would say of files is in the page of validation, and below every table.
    arguments.quiet = True
    load(arguments)
    arguments.quiet = quiet
    pages = [folder / name for name in PAGES]
    if read_manifest(store).load != before or not all(page.is_file() for page in pages):
        _write_pages(folder, store)
        say_unless(arguments, f"written: {', '.join(map(str, pages))}")
    else:
        say_unless(arguments, f"nothing is new: {', '.join(PAGES)} are as they were")
    _say_verdicts(report, folder, quiet=arguments.quiet)
    corpus = open_store(store)
    warn(() if quiet else corpus.warnings)
    arguments.warned = bool(corpus.warnings)
    return 0


def _write_pages(folder: Path, store: Path) -> None:
    """Write the leaderboard, the comparison and the scores of a store."""
    corpus = open_store(store)
    datasets = {cell.dataset for cell in corpus.grid.cells} if corpus.grid else set()
    by = ("dataset",) if len(datasets) > 1 else ()
    scored = corpus.score(by=by, leaderboard=True)
    save(scored, folder / "index.html")
    save(scored, folder / "scores.json", form="json")
    if len(corpus.systems) > 1:
        save(corpus.compare(by=by).without_items(), folder / "compare.html")
    else:
        save(scored, folder / "compare.html", table="overall")


def _say_verdicts(report: Report, folder: Path, *, quiet: bool) -> None:
    """Say how many submissions have which verdict, each with the worst over its datasets."""
    from coleval.loading.validating import VERDICTS

    worst: dict[str, str] = {}
    for row in report.table("verdicts").to_dicts():
        verdict = worst.get(row["system"], row["verdict"])
        worst[row["system"]] = max(verdict, row["verdict"], key=VERDICTS.index)
    worst.pop("gold", None)
    counts = (f"{n:,} {verdict}" for verdict in VERDICTS
              if (n := sum(one == verdict for one in worst.values())))  # fmt: skip
    if not quiet:
        say(f"{len(worst):,} submissions: {', '.join(counts)}; see {folder}/validate.html, and "
            f"{folder}/notes/ for what to write to teams")  # fmt: skip
