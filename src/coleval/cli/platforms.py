"""Scoring one submission as Codabench, TIRA and EvalAI call it; ``coleval adapt`` writes the rest.

A submission is a folder with a file for each of gold's, called as the page for participants says.
What is wrong with it is said in sentences, on the standard output and on its page.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coleval.analyses.score.grouped import headline
from coleval.corpus.profiles import profile_named
from coleval.errors import ColevalError
from coleval.loading.loading import inputs_of, load, reading_of
from coleval.loading.validating import INVALID, of_team, validate
from coleval.render.exports import scores_of
from coleval.render.html_text import safe
from coleval.render.team_note import team_note

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "submission"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a bundle scores by: templates below the folders of gold and of a submission, options."""

    gold: str
    submission: str
    options: Mapping[str, Any]
    by: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: Path) -> Settings:
        """Return the settings of a bundle."""
        data = json.loads(path.read_text(encoding="utf-8"))
        return cls(data["gold"], data["submission"], data["options"], tuple(data["by"]),
                   tuple(data["keys"]))  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScoredSubmission:
    """The scores of a submission by name, none if it is invalid; what to say of it; its page.

    Systems are ranked by the score that is the ``headline``.
    """

    scores: Mapping[str, float] = field(default_factory=dict)
    note: str = ""
    page: str = ""
    headline: str = ""


def score_submission(settings: Settings, gold: Path, folder: Path) -> ScoredSubmission:
    """Return the scores of a submission in a folder, or why it has none."""
    folder = _inner(folder, settings)
    sources = str(gold / settings.gold), {NAME: str(folder / settings.submission)}
    options = {**settings.options, "encoding": "auto"}
    name = options.pop("profile", "")
    reading = reading_of({**(profile_named(name).options if name else {}), **options})
    try:
        report = validate(inputs_of(*sources, reading), reading, _silent)
        team = of_team(report, NAME)
        note = _own_paths(team_note(team, NAME), gold, folder)
        if INVALID in team.table("verdicts")["verdict"].to_list():
            return ScoredSubmission(note=note, page=_page(note))
        scored = load(*sources, profile=name, **options).score(missing="wrong", by=settings.by)
    except ColevalError as error:
        names = sorted(path.relative_to(folder).as_posix()
                       for path in folder.rglob("*") if path.is_file())  # fmt: skip
        note = (f"{error.problem}.\n\nThe submission has: {', '.join(names) or 'no files'}. "
                f"Expected: {settings.submission}.")  # fmt: skip
        note = _own_paths(note, gold, folder)
        return ScoredSubmission(note=note, page=_page(note))
    found = scores_of(scored)[NAME]
    # What is undefined, as F1 without any answer, is 0 on a leaderboard.
    scores = {key: found.get(key, 0.0) for key in settings.keys or found}
    head = re.sub(r"(<body[^>]*>)", lambda m: m[1] + _block(note), scored.to_html(), count=1)
    return ScoredSubmission(scores, note, head, headline(scored.table("overall")))


def codabench(settings: Path, given: Path, output: Path) -> int:
    """Score ``input/res`` against ``input/ref``; write ``scores.json`` and the detailed results."""
    outcome = score_submission(Settings.read(settings), given / "ref", given / "res")
    output.mkdir(parents=True, exist_ok=True)
    (output / "detailed_results.html").write_text(outcome.page, encoding="utf-8")
    if outcome.scores:
        scores = json.dumps(outcome.scores)
        (output / "scores.json").write_text(scores, encoding="utf-8")
    return _said(outcome)


def tira(settings: Path, truth: Path, run: Path, output: Path) -> int:
    """Score a run against the truth; write ``evaluation.prototext``."""
    outcome = score_submission(Settings.read(settings), truth, run)
    output.mkdir(parents=True, exist_ok=True)
    measures = (f'measure{{\n  key: "{key}"\n  value: "{value}"\n}}\n'
                for key, value in outcome.scores.items())  # fmt: skip
    if outcome.scores:
        (output / "evaluation.prototext").write_text("".join(measures), encoding="utf-8")
    (output / "evaluation.html").write_text(outcome.page, encoding="utf-8")
    return _said(outcome)


def evalai(settings: Path, annotations: str, submission: str) -> dict[str, Any]:
    """Return what EvalAI shows of a submission: a zip, or the one file; raise if it is invalid."""
    known = Settings.read(settings)
    with tempfile.TemporaryDirectory() as place:
        gold, answers = Path(place, "gold"), Path(place, "answers")
        _unpacked(Path(annotations), gold, known.gold)
        _unpacked(Path(submission), answers, known.submission)
        outcome = score_submission(known, gold, answers)
    if not outcome.scores:
        raise ValueError(outcome.note)
    return {"result": [{"test": dict(outcome.scores)}], "submission_result": dict(outcome.scores)}


def _inner(folder: Path, settings: Settings) -> Path:
    """Return the folder that the files are in: many zips have all in a folder of their own."""
    held = [path for path in folder.iterdir() if path.name not in ("__MACOSX", ".DS_Store")]
    first = settings.submission.partition("/")[0]
    own_folder = len(held) == 1 and held[0].is_dir() and held[0].name != first
    if own_folder and not ("{" in first and "/" in settings.submission):
        return held[0]
    return folder


def _unpacked(path: Path, folder: Path, name: str) -> None:
    folder.mkdir()
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            packed.extractall(folder)
    else:
        shutil.copyfile(path, folder / name.replace("{dataset}", path.stem))


def _own_paths(note: str, gold: Path, folder: Path) -> str:
    """Return a note whose paths are those of a submission; nothing is quoted of gold's files."""
    note = re.sub(rf" ?\(?{re.escape(str(gold))}[^\s;,)]*\)?", "", note)
    return note.replace(f"{folder}/", "").replace(str(folder), "the submission")


def _block(note: str) -> str:
    return f'<pre style="white-space: pre-wrap">{safe(note)}</pre>'


def _page(note: str) -> str:
    head = '<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8">'
    return f"{head}<body>{_block(note)}</body></html>\n"


def _silent(_: str) -> None:
    """Say nothing of the files: the platform shows all that is printed."""


def _said(outcome: ScoredSubmission) -> int:
    # Participants see what is written here.
    sys.stdout.write(f"{outcome.note}\n")
    if not outcome.scores:
        sys.stderr.write("The submission has not been scored.\n")
        return 1
    return 0
