"""Gold and systems in many files: by templates, by folders of files of one name, by mappings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from coleval.corpus.grid import natural
from coleval.corpus.items import check_name
from coleval.corpus.options import Reading
from coleval.corpus.paths import is_folder
from coleval.corpus.problems import Problem
from coleval.errors import DataError, UsageError
from coleval.loading.readers.source import Source
from coleval.loading.sources import Inputs, is_log, name_and_path, of_logs, python_source, stem
from coleval.loading.templates import (
    Place,
    Template,
    check_system,
    few,
    further_files,
    gold_files,
    is_template,
    natural_place,
    no_file,
    place_of,
    runs_without_gold,
    system_files,
    two_files,
    unread_files,
)

# The kind of notes about files that match no template, and what became of these.
UNREAD = "unread files"
NOT_READ = "not read; if they are answers or gold, name them as the template says"
_Files = Mapping[Place, Any]


@dataclass(frozen=True, slots=True)
class Cells:
    """The inputs of every gold file, in order; the paths by which gold ("") and systems came.

    ``unread`` are files by the folders of those paths that none of them stands for.
    """

    inputs: Mapping[Place, Inputs]
    systems: tuple[str, ...]
    paths: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Problem, ...] = ()
    unread: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def logs(self) -> bool:
        """Tell whether gold is in the logs themselves."""
        return any(inputs.logs for inputs in self.inputs.values())

    @property
    def steps(self) -> int:
        """Return how many steps reading them takes."""
        return len(self.inputs)


def are_cells(texts: Collection[str]) -> bool:
    """Tell whether sources are templates, or folders of which the first is gold."""
    paths = [name_and_path(text)[1] for text in texts]
    if any(map(is_template, paths)):
        return True
    return len(paths) > 1 and all(is_folder(path) for path in paths)


def cells_of(texts: Iterable[str], encoding: str, reading: Reading | None = None) -> Cells:
    """Return the cells of gold's template or folder, and of those of the systems after it."""
    gold, *others = texts
    named = [name_and_path(text) for text in others]
    return cells_of_paths(gold, named, encoding, reading)


def cells_of_paths(
    gold: str,
    others: Collection[tuple[str, str]],
    encoding: str,
    reading: Reading | None = None,
) -> Cells:
    """Return the same of paths that have names already, "" where the path says it."""
    first = name_and_path(gold)
    if is_template(first[1]) and (first[0] or Template(first[1]).system_names):
        logs = _of_logs([first, *others], encoding)
        if is_log(next(iter(logs.inputs.values())).gold, reading or Reading()):
            return logs
    if not is_template(gold):
        if not is_folder(gold):
            other = next(path for _, path in others if is_template(path))
            raise UsageError(
                f"gold is one file, but {other} is a template",
                where=gold,
                remedy="write gold as a template too: gold/{dataset}.conllu",
            )
        return _of_folders(gold, others, encoding)
    of_texts = reading is not None and reading.task_kind.texts
    files = gold_files(Template(gold), several=of_texts)
    references = further_files(Template(gold), files) if of_texts else {}
    found: dict[str, _Files] = {}
    paths, without_gold = {"": gold}, {}
    for name, path in others:
        template = _template(path)
        check_system(template, name)
        for system, runs in system_files(template, name, files).items():
            _add(found, system, runs, path)
            paths[system] = path
        without_gold[path] = runs_without_gold(template, files)
    return _cells(files, found, paths, encoding, without_gold, references)


def _of_logs(templates: Collection[tuple[str, str]], encoding: str) -> Cells:
    """Return the cells of logs: no gold is named, for each has its own."""
    found: dict[Place, dict[str, Source]] = {}
    paths: dict[str, str] = {}
    for name, path in templates:
        template = _template(path)
        check_system(template, name)
        for file, names in template.files({}):
            place = place_of(names)
            system = name or "_".join(names[n] for n in template.system_names)
            source = Source(file, check_name(system, path), encoding, given=True)
            other = found.setdefault(place, {}).setdefault(system, source)
            if other is not source:
                raise two_files(str(place), system, other.path, file)
            paths[system] = path
    if not found:
        raise no_file(Template(next(iter(templates))[1]))
    inputs = {place: of_logs(found[place].values()) for place in sorted(found, key=natural_place)}
    return _with_unread(Cells(inputs, tuple(sorted(paths, key=natural)), paths), ())


def no_gold(inputs: Inputs, form: str) -> None:
    """Raise for files without gold that no file of gold was named for."""
    if inputs.logs:
        raise UsageError(
            f"is of format `{form}`, which has no gold of its own, as the other files do",
            where=inputs.gold.path,
            remedy="name gold's template first: gold/{dataset}.csv 'runs/{system}/{dataset}.csv'",
        )


def cells_of_mappings(gold: Mapping[str, Any], systems: Any, encoding: str) -> Cells:
    """Return the cells of mappings: a gold for each dataset, and of each system one for each."""
    if not isinstance(systems, Mapping):
        raise UsageError(
            "gold is a mapping of datasets, so systems have to be one as well",
            where="systems",
            remedy='{"system": {"dataset": "path", …}, …}, or a template for each system; for one '
            'dataset that has the systems too: gold["test"]',
        )
    files = {Place(dataset=str(name)): value for name, value in gold.items()}
    found: dict[str, _Files] = {}
    paths, without_gold = {}, {}
    for key, runs in systems.items():
        name = str(key)
        if isinstance(runs, Mapping):
            there = {Place(dataset=str(at)): value for at, value in runs.items()}
            without_gold[name] = sorted(map(str, there.keys() - files.keys()))
            found[name] = {at: there[at] for at in files if at in there}
        else:
            template = _template(str(runs))
            found[name] = system_files(template, name, files)[name]
            paths[name] = template.text
            without_gold[template.text] = runs_without_gold(template, files)
    return _cells(files, found, paths, encoding, without_gold)


def _template(path: str) -> Template:
    if not is_template(path):
        raise UsageError(
            "is one path, but gold is a template",
            where=path,
            remedy="name the dataset in its path too: runs/{system}/{dataset}.conllu",
        )
    return Template(path)


def _add(found: dict[str, _Files], system: str, runs: _Files, path: str) -> None:
    if system in found:
        raise UsageError(
            f"two templates have files of `{system}`",
            where=path,
            remedy=f"give one another name: NAME={path}",
        )
    found[check_name(system, path)] = runs


def _of_folders(gold: str, others: Collection[tuple[str, str]], encoding: str) -> Cells:
    """Return the cells of folders with a file a document, which are paired by their names."""
    files = _folder(gold)
    found: dict[str, _Files] = {}
    paths, without_gold = {"": gold}, {}
    for name, path in others:
        there = _folder(path)
        system = name or Path(path).resolve().name
        _add(found, system, {at: there[at] for at in files if at in there}, path)
        paths[system] = path
        without_gold[path] = [there[at] for at in there if at not in files]
        if not found[system]:
            raise DataError(
                f"no file is called as one in {gold}",
                where=path,
                remedy="files are paired by their names without suffixes",
            )
    return _cells(files, found, paths, encoding, without_gold)


def _folder(path: str) -> dict[Place, str]:
    every = [p for p in Path(path).iterdir() if p.is_file() and not p.name.startswith(".")]
    if not every:
        raise DataError("the directory holds no files", where=path, remedy="check the path")
    spans = {p.with_suffix("") for p in every if p.suffix == ".ann"}
    found: dict[Place, str] = {}
    for file in every:
        # The text of a file of brat's is no file of its own.
        if file.suffix == ".txt" and file.with_suffix("") in spans:
            continue
        name = stem(str(file))
        if Place(part=name) in found:
            raise UsageError(
                f"several files are called `{name}` but for their suffixes",
                where=path,
                remedy=f"use a template: {path.rstrip('/')}/{{part}}.SUFFIX",
            )
        found[Place(part=name)] = str(file)
    return {place: found[place] for place in sorted(found, key=natural_place)}


def _cells(
    gold: _Files, systems: Mapping[str, _Files], paths: Mapping[str, str], encoding: str,
    without_gold: Mapping[str, list[str]], references: Mapping[Place, list[str]] | None = None,
) -> Cells:  # fmt: skip
    if not systems:
        raise UsageError(
            "there is gold but no system to compare with it",
            where=paths.get("", "systems"),
            remedy="name the systems' template after gold's: runs/{system}/{dataset}.conllu",
        )
    beside = references or {}
    inputs = {
        place: Inputs(
            python_source(file, "gold", encoding),
            {
                n: python_source(runs[place], n, encoding)
                for n, runs in systems.items()
                if place in runs
            },
            alone=True,
            references=tuple(python_source(one, "", encoding) for one in beside.get(place, ())),
            place=place._asdict(),
        )
        for place, file in gold.items()
    }
    notes = [
        Problem(
            where, None, "runs without gold",
            f"{len(names):,} {'run is' if len(names) == 1 else 'runs are'} for no gold file: "
            f"{few(names)}", "not read", fatal=False,
        )
        for where, names in without_gold.items() if names
    ]  # fmt: skip
    cells = Cells(inputs, tuple(systems), paths, tuple(notes))
    return _with_unread(cells, chain.from_iterable(without_gold.values()))


# What readers open beside a file: texts of brat's, what HELM and lm-eval say of a run.
_BESIDE_LOGS = re.compile(
    r"/(results_[^/]*|instances|run_spec|scenario_state|display_predictions|scenario|stats)\.json$"
)


def _with_unread(cells: Cells, listed: Iterable[str]) -> Cells:
    """Return cells with the files around them that nothing reads and no note has ``listed``."""
    sources = [
        s for i in cells.inputs.values() for s in (i.gold, *i.references, *i.systems.values())
    ]
    read = {source.path for source in sources if source.frame is None}
    texts = {re.sub(r"\.ann(\.\w+)?$", ".txt", path) for path in read}
    unread = unread_files(cells.paths.values(), chain(read, texts, listed))
    if cells.logs:
        unread = {
            base: rest
            for base, files in unread.items()
            if (rest := [path for path in files if not _BESIDE_LOGS.search(path)])
        }
    notes = tuple(
        Problem(
            base, None, UNREAD,
            f"{len(files):,} {'file matches' if len(files) == 1 else 'files match'} no template: "
            f"{few(files, 3)}", NOT_READ, fatal=False,
        )
        for base, files in unread.items()
    )  # fmt: skip
    return replace(cells, notes=cells.notes + notes, unread=unread)
