"""Templates: ``gold/{dataset}.conllu`` and ``runs/{system}/{dataset}.conllu`` stand for many files.

A name in braces is one stretch of a path without ``/``; ``dataset`` and ``part`` say which gold a
run belongs to, and the system is called as the other names say, joined by ``_``.
"""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from coleval.corpus.grid import cell_order, natural
from coleval.corpus.paths import is_address, is_file, is_folder, is_there
from coleval.errors import DataError, UsageError
from coleval.loading.sources import stem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

PLACES = ("dataset", "part")
# So many cells or files are named, and the others counted.
NAMED = 5
_NAMES = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_VARIES = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\}|[*?]")
_PIECES = re.compile(r"(\{[A-Za-z_][A-Za-z0-9_]*\}|\*|\?)")


class Place(NamedTuple):
    """Where a file belongs: a dataset, and a part of it; "" is that there is no such name."""

    dataset: str = ""
    part: str = ""

    def __str__(self) -> str:
        """Return the place as messages call it."""
        return "/".join(filter(None, (self.dataset, self.part)))


@dataclass(frozen=True)
class Template:
    """A path with names in braces."""

    text: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names in braces, each once, in their order."""
        return tuple(dict.fromkeys(_NAMES.findall(self.text)))

    @property
    def system_names(self) -> tuple[str, ...]:
        """Return the names that make up what a system is called."""
        return tuple(name for name in self.names if name not in PLACES)

    @property
    def fixed_name(self) -> str:
        """Return what the one system of a template without a name for it is called.

        That is the file if it is called alike everywhere (``{dataset}/new.conllu``), else the next
        folder above that is (``runs/new/{dataset}.conllu``), as for folders without braces.
        """
        path = PurePath(self.text)
        named = [stem(path.name), *(folder.name for folder in path.parents)]
        return next((n for n in named if n not in ("", "..") and not _PIECES.search(n)), "")

    def files(self, known: Mapping[str, Collection[str]]) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield every file that the template stands for, with what its names stand for.

        A ``known`` name stands for one of its values only, the longest that fits.
        """
        if not known or self.is_clear:
            fit = self._every
            for name in (name for name in self.names if known.get(name)):
                fit = [one for one in fit if one[1][name] in known[name]]
            yield from fit
            return
        pattern = re.compile(self.expression(known))
        for path, _ in self._every:
            if match := pattern.fullmatch(path):
                yield path, match.groupdict()

    @property
    def is_clear(self) -> bool:
        """Tell whether each file has one reading: nothing stands beside a name that varies too."""
        return all(len(_VARIES.findall(step)) <= 1 for step in self.text.split("/"))

    @cached_property
    def _every(self) -> list[tuple[str, dict[str, str]]]:
        """Return all files in natural order, each with what its names stand for if any may."""
        pieces = _PIECES.split(self.text)
        varies = ["*" if p == "*" or _NAMES.fullmatch(p) else p for p in pieces]
        paths = glob.glob("".join(p if p in ("*", "?") else glob.escape(p) for p in varies))  # noqa: PTH207
        # What all have in common does not change their order.
        start = os.path.commonprefix(paths).rfind("/") + 1  # noqa: RUF071
        paths.sort(key=lambda path: natural(path[start:]))
        pattern = re.compile(self.expression({}))
        matches = ((path, pattern.fullmatch(path)) for path in paths)
        return [(path, match.groupdict()) for path, match in matches if match and is_file(path)]

    def expression(self, known: Mapping[str, Collection[str]]) -> str:
        """Return the regular expression of its paths; a ``known`` name has one of its values."""
        seen: set[str] = set()
        found = ""
        for piece in _PIECES.split(self.text):
            name = _NAMES.fullmatch(piece)
            if name is None:
                found += {"*": "[^/]*", "?": "[^/]"}.get(piece) or re.escape(piece)
            elif name[1] in seen:
                found += f"(?P={name[1]})"
            else:
                values = sorted(known.get(name[1], ()), key=len, reverse=True)
                found += f"(?P<{name[1]}>{'|'.join(map(re.escape, values)) or '[^/]+?'})"
                seen.add(name[1])
        return found


def is_template(text: str) -> bool:
    """Tell whether a text is a template: it has a name in braces and is no file as it is."""
    return bool(_NAMES.search(text)) and not is_there(text)


def gold_files(template: Template, *, several: bool = False) -> dict[Place, str]:
    """Return the gold file of every place, in natural order: the first where it has ``several``."""
    if template.system_names:
        raise UsageError(
            f"gold cannot depend on {{{template.system_names[0]}}}",
            where=template.text,
            remedy="gold's template has only {dataset} and {part}; the systems' come after it",
        )
    found: dict[Place, str] = {}
    for path, names in template.files({}):
        if not (several and Place(**names) in found):
            _take(found, Place(**names), path)
    if not found:
        raise no_file(template)
    return {place: found[place] for place in sorted(found, key=natural_place)}


def further_files(template: Template, gold: Mapping[Place, str]) -> dict[Place, list[str]]:
    """Return the files that a template has for the places of gold beside gold's own."""
    found: dict[Place, list[str]] = {}
    for path, names in template.files({}):
        if path != gold[Place(**names)]:
            found.setdefault(Place(**names), []).append(path)
    return found


def system_files(
    template: Template, name: str, gold: Mapping[Place, str]
) -> dict[str, dict[Place, str]]:
    """Return the files of every system that a template stands for, by the places of gold.

    A template without a name of its own for the system is of the one that is called ``name``, or as
    the path says. Gold's own files are no system's, as in ``gold.conll *.conll``.
    """
    _same_places(template, gold)
    known = {part: {getattr(place, part) for place in gold} for part in PLACES}
    found: dict[str, dict[Place, str]] = {}
    gold_paths = set() if name else set(gold.values())
    for path, names in template.files(known):
        if path in gold_paths:
            continue
        place = place_of(names)
        system = name or "_".join(names[n] for n in template.system_names) or template.fixed_name
        _take(found.setdefault(system, {}), place, path, system)
    if not found:
        _explain_nothing(template, gold)
    return {system: found[system] for system in sorted(found, key=natural)}


def runs_without_gold(template: Template, gold: Collection[Place]) -> list[str]:
    """Return the files that a template stands for in places where gold has nothing."""
    if template.is_clear:
        files = template.files({})
        return [path for path, names in files if place_of(names) not in gold]
    every = {path for path, _ in template.files({})}
    known = {part: {getattr(place, part) for place in gold} for part in PLACES}
    there = {path for path, names in template.files(known) if place_of(names) in gold}
    return sorted(every - there, key=natural)


def unread_files(sources: Iterable[str], read: Iterable[str]) -> dict[str, list[str]]:
    """Return the files that nothing reads, by the folder where templates and folders begin.

    Hidden ones are left out. The working directory and those that it is in hold much that is no
    answer: of these only the folders that hold something read are looked through.
    """
    known = set(map(os.path.normpath, read))
    unread: dict[str, list[str]] = {}
    bases = (
        source if is_folder(source)
        else os.path.dirname(_VARIES.split(source, maxsplit=1)[0]) or "."  # noqa: PTH120
        for source in sources
    )  # fmt: skip
    for base in sorted(dict.fromkeys(bases), key=len, reverse=True):
        files, start = [], os.path.normpath(base)
        walk = os.walk(start)
        if Path.cwd().is_relative_to(Path(start).resolve()):
            _, folders, _ = next(walk)
            holding = {os.path.relpath(path, start).partition("/")[0] for path in known}
            folders[:] = holding.intersection(folders)
        for folder, folders, names in walk:
            folders[:] = [name for name in folders if not name.startswith(".")]
            paths = (os.path.normpath(f"{folder}/{n}") for n in names if not n.startswith("."))
            files += [path for path in paths if path not in known]
        if files:
            unread[base] = sorted(files, key=natural)
            # What is below two of them is listed below the nearer one.
            known.update(files)
    return unread


def few(names: list[str], shown: int = NAMED) -> str:
    """Return the first names, and how many there are besides."""
    more = f" and {len(names) - shown:,} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more


def check_system(template: Template, name: str) -> None:
    """Raise if nothing says what the systems of a template are called."""
    if not name and not template.system_names and not template.fixed_name:
        raise UsageError(
            "does not say what the system is called",
            where=template.text,
            remedy="put {system} where its name is in the path, or give it one: "
            f"NAME={template.text}",
        )
    if name and template.system_names:
        raise UsageError(
            f"`{name}` would name every {{{template.system_names[0]}}}",
            where=template.text,
            remedy="leave the name out, or the braces",
        )


def place_of(names: Mapping[str, str]) -> Place:
    """Return the place that the names of a path say."""
    return Place(names.get("dataset", ""), names.get("part", ""))


def natural_place(place: Place) -> tuple[object, object]:
    """Return what places are sorted by."""
    return cell_order(place.dataset, place.part)


def _take(found: dict[Place, str], place: Place, path: str, system: str = "") -> None:
    if place in found:
        raise two_files(str(place), system, found[place], path)
    found[place] = path


def two_files(place: str, system: str, first: str, second: str) -> UsageError:
    """Return the error for two files that a template has for one place."""
    what = f"{place} of `{system}`" if system and place else place or f"`{system}`"
    return UsageError(
        f"two files are for {what}: {first} and {second}",
        where=second,
        remedy="make the template match one of them, or name in braces what differs: {run}",
    )


def _same_places(template: Template, gold: Collection[Place]) -> None:
    """Raise if a template lacks one of gold's names: its files could not be told apart."""
    for part in PLACES:
        ours = any(getattr(place, part) for place in gold)
        if ours != (part in template.names):
            wrong, right = (template.text, "gold") if ours else ("gold's template", template.text)
            raise UsageError(
                f"{right} has {{{part}}}, but {wrong} does not",
                where=template.text,
                remedy=f"name {{{part}}} in both",
            )


def no_file(template: Template) -> DataError:
    """Return the error for a template that stands for no file."""
    if is_address(template.text):
        remedy = "a server or database is not searched: name each file or table"
        return DataError("an address is not a template", where=template.text, remedy=remedy)
    return DataError(
        "no file matches",
        where=template.text,
        remedy="a name in braces is any text without `/`, and so is `*`: {dataset}.conllu*",
    )


def _explain_nothing(template: Template, gold: Collection[Place]) -> None:
    others = runs_without_gold(template, gold)
    if not others:
        raise no_file(template)
    raise DataError(
        f"no file belongs to a gold file ({few([str(place) for place in gold])})",
        where=template.text,
        remedy=f"it matches {len(others):,} others, such as {others[0]}: do datasets have the "
        "same names?",
    )
