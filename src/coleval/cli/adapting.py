"""``coleval adapt``: what Codabench, TIRA or EvalAI need to run a shared task.

A platform is a folder of templates in ``bundles/``; gold, the settings, the page for participants
and the container file are the same for all. Gold is scored as a submission before it is written.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from datetime import UTC, datetime
from importlib.metadata import requires, version
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from coleval.cli.console import Progress
from coleval.cli.platforms import Settings, score_submission
from coleval.cli.settings import sources_here
from coleval.cli.sources import inputs_of, say_unless, settings_of, with_profile
from coleval.corpus.options import Reading
from coleval.corpus.output import written
from coleval.errors import UsageError, unknown
from coleval.loading.cells import Cells
from coleval.loading.loading import reading_of
from coleval.loading.templates import few
from coleval.version import __version__

if TYPE_CHECKING:
    import argparse

    from coleval.loading.readers.source import Source
    from coleval.loading.templates import Place

BUNDLES = Path(__file__).parent / "bundles"
# Where each platform has gold; EvalAI has it in one file.
GOLD = {"codabench": "reference_data", "tira": "truth", "evalai": "annotations/gold"}
PROGRAM = {"codabench": "scoring_program", "tira": ".", "evalai": "evaluation_script"}
# Options that are about many submissions, and have no place where there is one.
_OF_MANY = ("skip", "encoding", "merged")


def adapt(arguments: argparse.Namespace) -> Path:
    """Write the bundle of a platform; return its folder."""
    platform, *sources = arguments.source or [""]
    if platform not in GOLD:
        raise unknown("platform", platform, GOLD, where="adapt")
    reading = reading_of(with_profile(arguments))
    inputs = inputs_of(sources or sources_here(), reading)
    places = inputs.inputs if isinstance(inputs, Cells) else {None: inputs}
    files = {place: one.gold for place, one in places.items()}
    given = settings_of(arguments, Reading)
    given |= {"profile": arguments.profile} if arguments.profile else {}
    settings = _settings(list(files), files, given)
    folder = Path(arguments.output)
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError("exists already", where=str(folder), remedy="remove it, or choose -o DIR")
    with written(folder), Progress(quiet=arguments.quiet):
        folder.mkdir(parents=True, exist_ok=True)
        gold = folder / GOLD[platform]
        for place, source in files.items():
            target = gold / _name(settings.gold, place)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.raw)
        settings = _tried(settings, gold)
        names = [_name(settings.submission, place) for place in files]
        _write(platform, folder, settings, arguments.title or Path.cwd().name, names)
    say_unless(
        arguments,
        f"{folder} is written; gold as a submission scores {settings.keys[0]} = 1; "
        f"{folder}/README.md says what to do next",
    )
    return folder


def _settings(
    places: list[Place | None], files: dict[Place | None, Source], options: dict[str, Any]
) -> Settings:
    """Return what files are called in a submission: as gold's datasets and parts are."""
    first = places[0]
    suffix = next(iter(files.values())).suffix or ".txt"
    name = "answers"
    if first is not None:
        name = "/".join(f"{{{part}}}" for part in ("dataset", "part") if getattr(first, part))
    kept = {k: v for k, v in options.items() if k not in _OF_MANY}
    several = first is not None and len({place.dataset for place in places if place}) > 1
    return Settings(f"{name}{suffix}", f"{name}{suffix}", kept, ("dataset",) if several else ())


def _name(template: str, place: Place | None) -> str:
    return template if place is None else template.format(**place._asdict())


def _tried(settings: Settings, gold: Path) -> Settings:
    """Return the settings with the keys of the leaderboard, which gold's own scores have."""
    with tempfile.TemporaryDirectory() as place:
        answers = Path(place, "answers")
        shutil.copytree(gold, answers)
        outcome = score_submission(settings, gold, answers)
    if not outcome.scores:
        raise UsageError(
            f"gold cannot be scored as a submission: {outcome.note}", where=str(gold),
            remedy="a bundle needs gold and answers of one format",
        )  # fmt: skip
    # Scores of trees have the metric before the name.
    main = next(key for key in outcome.scores if key.endswith(outcome.headline))
    ends = [k for k in outcome.scores if k.startswith(f"{main}_")]
    mean = [k for k in ends if k.endswith("_mean_of_datasets")]
    beside = [k for k in ("precision", "recall", "macro_f1") if k in outcome.scores and k != main]
    keys = (*mean, main, *(k for k in ends if k not in mean), *beside)
    return Settings(settings.gold, settings.submission, settings.options, settings.by, keys)


def _write(platform: str, folder: Path, settings: Settings, title: str, names: list[str]) -> None:
    page = _task_page(settings, title, names)
    columns = "\n".join(
        f"      - title: {json.dumps(key)}\n        key: {json.dumps(key)}\n        index: {k}\n"
        f"        sorting: desc\n        precision: 4"
        for k, key in enumerate(settings.keys)
    )
    values = {
        "title": json.dumps(title), "description": json.dumps(f"Scored by coleval {__version__}"),
        "today": datetime.now(UTC).date().isoformat(), "keys": json.dumps(settings.keys),
        "first_key": settings.keys[0], "codabench_columns": columns,
        "image": f"coleval-{platform}:{__version__}",
        "accepted": json.dumps(f".zip, {Path(settings.submission).suffix}"),
    }  # fmt: skip
    base = BUNDLES / platform
    for path in sorted(base.rglob("*.template")):
        target = folder / path.relative_to(base).with_suffix("")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(Template(path.read_text("utf-8")).substitute(values), encoding="utf-8")
    if platform == "evalai":
        gold = folder / GOLD[platform]
        shutil.make_archive(str(gold), "zip", gold)
        shutil.rmtree(gold)
        lines = "".join(f"<p>{line}</p>\n" for line in page.splitlines() if line)
        (folder / "templates/task.html").write_text(lines, encoding="utf-8")
    else:
        (folder / "task.md").write_text(page, encoding="utf-8")
    program = folder / PROGRAM[platform]
    data = {"gold": settings.gold, "submission": settings.submission, "by": settings.by,
            "options": settings.options, "keys": settings.keys}  # fmt: skip
    (program / "settings.json").write_text(json.dumps(data, indent=2), encoding="utf-8")
    docker = f"FROM python:3.12-slim\nRUN pip install --no-cache-dir {' '.join(_pins())}\n"
    docker += "COPY evaluate.py settings.json /evaluator/\n" if platform == "tira" else ""
    (folder / "Dockerfile").write_text(docker, encoding="utf-8")
    if platform != "tira":
        shutil.copyfile(BUNDLES / "logo.png", folder / "logo.png")
    if platform == "evalai":
        (program / "requirements.txt").write_text("\n".join((*_pins(), "")), encoding="utf-8")
        shutil.make_archive(str(program), "zip", program)
    if platform == "codabench":
        packed = shutil.make_archive(str(folder.with_name(f"{folder.name}-bundle")), "zip", folder)
        Path(packed).replace(folder / "bundle.zip")


def _task_page(settings: Settings, title: str, names: list[str]) -> str:
    """Return the page for participants: what to send, how it is scored; nothing of gold."""
    several = "files" if len(names) > 1 else "file"
    given = {k.replace("_", "-"): v for k, v in settings.options.items() if v}
    options = " ".join(f"--{k}" if v is True else f"--{k} {v}" for k, v in given.items())
    check = f"`coleval validate DEV_GOLD YOUR_FILE {options}`".replace(" `", "`")
    listed = few([f"`{name}`" for name in names], 30)
    install = f"`pip install coleval=={__version__}`"
    paragraphs = (
        f"# {title}",
        f"Send a zip with {len(names):,} {several}: {listed}.",
        "Files are UTF-8, in the format of the training data.",
        f"The ranking goes by `{settings.keys[0]}`. Answers that are missing count as wrong.",
        f"Check your files before you send them: {install}, then {check}.",
        "If a submission is invalid, its log says what to mend, in which file and line.",
    )
    return "\n\n".join(paragraphs) + "\n"


def _pins() -> list[str]:
    """Return the versions that gold was tried with: coleval's and those of what it needs."""
    names = [text.split(";")[0].split(">")[0].strip() for text in requires("coleval") or ()
             if "extra ==" not in text]  # fmt: skip
    return [f"coleval=={__version__}", *(f"{name}=={version(name)}" for name in sorted(names))]
