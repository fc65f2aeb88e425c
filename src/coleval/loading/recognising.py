"""``coleval init``: which files of a folder are gold and which are submissions, as their names say.

Gold is known by its folder or name. Whatever varies in its paths are datasets and parts; files
whose paths have the same words belong to it, and what varies besides is the name of a system.
A group of files is taken if some of them can be scored.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coleval.corpus.options import Reading
from coleval.corpus.problems import MISSING
from coleval.errors import ColevalError, UsageError
from coleval.loading.cells import Cells, are_cells, cells_of
from coleval.loading.checking import GOLD, Checked, check_files
from coleval.loading.loading import read
from coleval.loading.readers.source import PACKED
from coleval.loading.sources import Inputs, named, named_sources, stem
from coleval.loading.tasks.settling import format_of
from coleval.loading.templates import few

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_GOLD = {"gold", "gs", "golds", "goldstandard", "reference", "references", "ref", "refs", "key",
         "keys", "truth", "groundtruth", "solution", "solutions"}  # fmt: skip
_NO_DATA = re.compile(
    r"(^|/)(\.|readme|license|provenance|coleval\.toml)|\.(md|pdf|html|py)$", re.IGNORECASE
)
# What says that coleval has made a folder: stores, boards and bundles are no submissions.
_MADE = ("corpus.json", "checked.json", "competition.yaml", "challenge_config.yaml", "evaluate.py")
_PLACES = ("{dataset}", "{part}")
_SCHEMES = ("iob2", "iob1", "bioes", "bilou", "bmes", "io")
# So many files of a group show whether it can be scored.
_SAMPLE = 3
# A suffix that so many of the files have is that of submissions; the others are something else.
_USUAL = 0.8


# How the Conference on Machine Translation calls files: PAIR.ref.A.en, PAIR.hyp.SYSTEM.en.
_OF_WMT = {
    role: re.compile(rf"(?P<folder>.*/|)(?P<dataset>[^/.]+)\.{role}\.[^/]+\.[^/]+")
    for role in ("ref", "hyp")
}


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a folder holds: sources, settings with why they are assumed, and what was not taken."""

    sources: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)
    assumed: tuple[tuple[str, str], ...] = ()
    others: tuple[str, ...] = ()
    # The verdict of each file is worked out for the settings anyhow.
    checked: tuple[Checked, ...] = ()


def recognise(folder: Path) -> Recognised:
    """Return what a folder holds; raise if no gold or no submissions are recognised."""
    files = [path for path in _files(folder) if not _NO_DATA.search(path)]
    if sources := _translations(files):
        return _settled_texts(folder, Recognised(sources))
    tried = ""
    for gold in _gold_groups(files):
        template, keys = _template_of_gold(gold, files)
        tried = tried or template
        groups: dict[str, list[str]] = {}
        datasets = {name for key in keys for name in key.values()}
        for path in files:
            if path not in gold:
                folders = (step for step in path.split("/")[:-1] if step not in datasets)
                groups.setdefault(next(folders, ""), []).append(path)
        fitting = []
        for name, paths in groups.items():
            kind = Path(_unpacked(gold[0])).suffix
            alike = [path for path in paths if Path(_unpacked(path)).suffix == kind]
            sources = (template, *_systems(alike or paths, keys))
            if len(sources) > 1 and (n := _scorable(folder, sources)):
                fitting.append((n, sources, name))
        if fitting:
            _, sources, taken = max(fitting, key=lambda one: one[0])
            others = tuple(f"{name or 'the folder itself'} ({len(paths):,})"
                           for name, paths in groups.items() if name != taken)  # fmt: skip
            return _settled(folder, Recognised(sources, others=others), len(gold))
    problem = (f"gold is {tried}, but no other files can be scored against it" if tried
               else "no file or folder is called gold, reference, key or truth")  # fmt: skip
    raise UsageError(
        problem, where=str(folder),
        remedy="move gold to a folder gold/ and the submissions to runs/, or write coleval.toml: "
        'sources = ["GOLD", "SYSTEMS"]',
    )  # fmt: skip


def _translations(files: Iterable[str]) -> tuple[str, ...]:
    """Return the templates of references and of systems that are called as those of WMT are."""
    places: dict[str, dict[str, set[str]]] = {"ref": {}, "hyp": {}}
    for path in files:
        for role, form in _OF_WMT.items():
            if match := form.fullmatch(path):
                places[role].setdefault(match["folder"], set()).add(match["dataset"])
    if len(places["ref"]) != 1 or len(places["hyp"]) != 1:
        return ()
    ((gold, pairs),), ((systems, of_systems),) = (places[role].items() for role in places)
    if not of_systems <= pairs:
        return ()
    return f"{gold}{{dataset}}.ref.*", f"{systems}{{dataset}}.hyp.{{system}}.*"


def _gold_groups(files: Sequence[str]) -> list[list[str]]:
    """Return the files that may be gold: those of a folder called so, of one name, of one suffix.

    A folder that is called gold comes first, then what has most files.
    """
    groups: dict[tuple[bool, str, str], list[str]] = {}
    names = Counter(_unpacked(path).rpartition("/")[2] for path in files)
    for path in files:
        folder, _, name = _unpacked(path).rpartition("/")
        in_folder, by_name = (bool(_GOLD & {*re.split(r"[\W_]+", text.casefold())})
                              for text in (folder, name))  # fmt: skip
        # Each dataset may have a folder, in which gold is called the same.
        top = path.partition("/")[0] if folder else ""
        top = name if names[name] > 1 and not in_folder else top
        if in_folder or by_name:
            groups.setdefault((not in_folder, top, Path(name).suffix), []).append(path)
    order = sorted(groups, key=lambda key: (key[0], key[2] != ".ann", -len(groups[key]), key))
    return [groups[key] for key in order]


def inputs_in(folder: Path, sources: Sequence[str], reading: Reading) -> Inputs | Cells:
    """Return the inputs that sources of a folder stand for."""
    texts = [os.path.normpath(folder / text) for text in sources]
    if are_cells(texts):
        return cells_of(texts, reading.encoding, reading)
    gold, *systems = named_sources(texts, reading.encoding)
    return Inputs(gold, named(source for source in systems if source.path != gold.path))


# -- paths -----------------------------------------------------------------------------------------
def _files(folder: Path) -> list[str]:
    """Return all files by their paths below the folder, without hidden ones and our own."""
    found = []
    for base, folders, names in os.walk(folder):
        made = {f for f in folders if any((Path(base) / f / name).is_file() for name in _MADE)}
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in made)
        place = Path(base).relative_to(folder)
        found += [(place / name).as_posix() for name in sorted(names)]
    return found


def _unpacked(path: str) -> str:
    """Return a path without the suffix that says how the file is packed."""
    end = Path(path).suffix
    return path.removesuffix(end) if end in PACKED else path


def _packing(paths: Sequence[str]) -> str:
    """Return what stands behind the names of files that may be packed: ``*`` where some are."""
    ends = {path[len(_unpacked(path)) :] for path in paths}
    return ends.pop() if len(ends) == 1 else "*"


def _template_of_gold(
    paths: Sequence[str], files: Iterable[str]
) -> tuple[str, list[dict[str, str]]]:
    """Return gold's template, and what its names stand for in each file; one file is itself.

    If other files are called like a single one, they are a dataset: of submissions that come later
    nobody has to list the files.
    """
    if len(paths) == 1:
        name = Path(_unpacked(paths[0])).name
        stem = name.partition(".")[0]
        if all(Path(_unpacked(path)).name != name for path in files if path != paths[0]):
            return paths[0], [{}]
        start, _, end = paths[0].rpartition(stem)
        return f"{start}{{dataset}}{end}", [{"{dataset}": stem}]
    end, paths = _packing(paths), [*map(_unpacked, paths)]
    words = [re.split(r"([\W_])", path) for path in paths]
    if len({len(one) for one in words}) > 1:
        start = _common_start(paths)
        tail = _common_start([path[::-1] for path in paths])
        keys = [{"{dataset}": path[len(start) : len(path) - len(tail)]} for path in paths]
        return f"{start}{{dataset}}{tail[::-1]}{end}", keys
    varying = [at for at in range(0, len(words[0]), 2) if len({one[at] for one in words}) > 1]
    # Neighbours are one name; so are all if there would be more than two.
    runs = [[varying[0], varying[0]]]
    for at in varying[1:]:
        if at - runs[-1][1] == 2 and words[0][at - 1] != "/":
            runs[-1][1] = at
        else:
            runs.append([at, at])
    runs = runs if len(runs) <= len(_PLACES) else [[varying[0], varying[-1]]]
    names = dict(zip(_PLACES, runs, strict=False))
    keys = [{name: "".join(one[a : b + 1]) for name, (a, b) in names.items()} for one in words]
    text = list(words[0])
    for name, (a, b) in reversed(names.items()):
        text[a : b + 1] = [name]
    return "".join(text) + end, keys


def _common_start(texts: Sequence[str]) -> str:
    """Return what all texts begin with, up to where its last whole word ends."""
    text = os.path.commonprefix(texts)  # noqa: RUF071  - of words, not of folders
    return text[: len(text) - len(re.split(r"[\W_]", text)[-1])]


def _systems(paths: Sequence[str], keys: Sequence[dict[str, str]]) -> tuple[str, ...]:
    """Return the template, pattern or paths of the systems in some files; none if it is unclear."""
    if keys == [{}]:
        ends = Counter("".join(Path(path).suffixes[-2:]) for path in paths)
        flat = len({path.rpartition("/")[0] for path in paths}) == 1
        folder = paths[0].rpartition("/")[0]
        if flat:
            return (f"{folder}/*{ends.most_common(1)[0][0]}".lstrip("/"),)
        return tuple(f"{Path(path).parent.name}={path}" for path in paths)
    end, paths = _packing(paths), [*map(_unpacked, paths)]
    shapes: dict[tuple[str, ...], list[list[str]]] = {}
    longest = sorted(keys, key=lambda key: -sum(map(len, key.values())))
    for path in paths:
        text = next(filter(None, (_with_names(path, key) for key in longest)), "")
        pieces = re.split(r"(\{dataset\}|\{part\}|/)", text)
        if text:
            shapes.setdefault(tuple(pieces[1::2]), []).append(pieces)
    if not shapes:
        return ()
    best = max(shapes.values(), key=len)
    names = iter(("{system}", "{run}", *(f"{{run{k}}}" for k in range(2, 99))))
    merged = [_merged(pieces, names) for pieces in zip(*best, strict=True)]
    if not any("{system}" in piece for piece in merged):
        # A single submission: its folder, or else the start of its name, is what it is called.
        at = 2 if len(merged) > 4 and merged[1] == merged[3] == "/" else 0
        merged[at] = "{system}" if at else re.sub(r"^[^\W_]+", "{system}", merged[at])
    return ("".join(merged) + end,)


def _with_names(path: str, key: dict[str, str]) -> str:
    """Return a path in which names stand for a gold file's words; "" if it lacks one."""
    for name, words in key.items():
        path, n = re.subn(rf"(?<![^\W_]){re.escape(words)}(?![^\W_])", name, path)
        if not n:
            return ""
    return path


def _merged(pieces: Sequence[str], names: Iterable[str]) -> str:
    """Return what stretches of several paths have in common, and a name for what varies."""
    if len(set(pieces)) == 1:
        return pieces[0]
    usual, n = Counter(pieces).most_common(1)[0]
    if usual.startswith(".") and n > _USUAL * len(pieces):
        return usual
    start = _common_start(pieces)
    rest = [piece[len(start) :] for piece in pieces]
    end = _common_start([piece[::-1] for piece in rest])[::-1]
    return f"{start}{next(iter(names))}{end}"


# -- what the files hold ---------------------------------------------------------------------------
def _scorable(folder: Path, sources: Sequence[str]) -> int:
    """Return how many files some sources stand for if one of a sample can be scored, else 0."""
    try:
        inputs = inputs_in(folder, sources, Reading())
    except ColevalError:
        return 0
    cells = inputs.inputs.values() if isinstance(inputs, Cells) else (inputs,)
    full = max(cells, key=lambda one: len(one.systems))
    few_systems = dict(list(full.systems.items())[:_SAMPLE])
    checked = check_files(replace(full, systems=few_systems), Reading(), lambda _: None)
    sound = [one for _, one in checked if one.name != GOLD and _is_sound(one)]
    return sum(len(one.systems) for one in cells) if sound else 0


def _is_sound(one: Checked) -> bool:
    return all(not problem.fatal or problem.kind == MISSING for problem in one.problems)


def _settled(folder: Path, found: Recognised, golds: int) -> Recognised:
    """Return what was recognised with the settings that its files need."""
    inputs = inputs_in(folder, found.sources, Reading())
    first = next(iter(inputs.inputs.values())) if isinstance(inputs, Cells) else inputs
    name = stem(first.gold.path) + "-as-system"
    scheme, corpus = "iob2", None
    repairs = {}
    for scheme in _SCHEMES:
        itself = Inputs(first.gold, {name: first.gold})
        corpus = read(itself, Reading(scheme=scheme), lambda _: None)
        repairs[scheme] = corpus.gold.repairs or 0
        if not repairs[scheme]:
            break
    assert corpus is not None  # noqa: S101  - there are schemes
    scheme = min(repairs, key=repairs.__getitem__)
    settings: dict[str, Any] = {"task": corpus.task}
    why = f"{corpus.task}, by the labels of {first.gold.path}"
    if format_of(first.gold, Reading()).name.startswith("conllu"):
        why = f'{corpus.task}, the tags of trees; for attachment scores write task = "dep"'
    assumed = [("task", why)]
    if corpus.task_kind.spans_of_tags:
        settings["scheme"] = scheme
        n = repairs[scheme]
        assumed.append(("scheme", f"{scheme}: {n:,} invalid tag sequences in gold"))
    reading = Reading(task=corpus.task, scheme=scheme, encoding="auto")
    inputs = inputs_in(folder, found.sources, reading)
    sources = [s for one in (inputs.inputs.values() if isinstance(inputs, Cells) else (inputs,))
               for s in (one.gold, *one.systems.values())]  # fmt: skip
    if odd := [s.path for s in sources if s.encoding != "utf-8"]:
        settings["encoding"] = "auto"
        assumed.append(("encoding", f"auto: {len(odd):,} files are not UTF-8: {few(odd, 2)}"))
    checked = [one for _, one in check_files(inputs, reading, lambda _: None)]
    gold = set().union(*(one.of_gold for one in checked))
    folded = {label.casefold() for label in gold}
    other_case = {one.name for one in checked
                  for label in {*one.labels} - gold if label.casefold() in folded}  # fmt: skip
    if other_case:
        settings["fold"] = True
        why = f"labels of {few(sorted(other_case), 3)} differ from gold's in case alone"
        assumed.append(("fold", why))
    files = f"{golds:,} {'file' if golds == 1 else 'files'}"
    runs = f"{len(sources) - golds:,} files of {len(inputs.systems):,} systems"
    head = [("gold", f"{found.sources[0]} ({files})"),
            ("systems", f"{' '.join(found.sources[1:4])} ({runs})")]  # fmt: skip
    return replace(found, settings=settings, assumed=(*head, *assumed), checked=tuple(checked))


def _settled_texts(folder: Path, found: Recognised) -> Recognised:
    """Return what was recognised as translations, whose files are texts by line."""
    inputs = inputs_in(folder, found.sources, Reading(task="text"))
    checked = tuple(one for _, one in check_files(inputs, Reading(task="text"), lambda _: None))
    cells = inputs.inputs.values() if isinstance(inputs, Cells) else (inputs,)
    golds, runs = len(cells), sum(len(one.systems) for one in cells)
    references = golds + sum(len(one.references) for one in cells)
    assumed = (
        ("gold", f"{found.sources[0]} ({references:,} references of {golds:,} datasets)"),
        ("systems", f"{found.sources[1]} ({runs:,} files of {len(inputs.systems):,} systems)"),
        ("task", "text, by the names of the files"),
        ("missing", "leave-out: systems translate the pairs of languages that they can"),
    )
    return replace(
        found, settings={"task": "text", "missing": "leave-out"}, assumed=assumed, checked=checked
    )
