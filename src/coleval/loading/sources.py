"""What the command line or a caller names as SOURCE: files, globs, directories, frames, names."""

from __future__ import annotations

import glob
import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from io import FileIO
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any

from coleval.corpus.corpus import Origin
from coleval.corpus.items import check_name
from coleval.corpus.paths import address_name, is_address, is_file, is_folder, is_there
from coleval.corpus.plain_names import visible_name
from coleval.errors import ColevalError, DataError, UsageError
from coleval.loading.readers.source import Source
from coleval.loading.tasks.settling import format_of

if TYPE_CHECKING:
    from coleval.corpus.options import Reading

_BLOCK = 1 << 16
_ZIPPED = (".gz", ".zst", ".bz2", ".xz")


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything to be read, in order: gold (or the first merged file) and the systems by name.

    Gold may be ``alone`` where it is one of several, which other systems have run on. Of ``logs``
    each has gold of its own: the first of them stands in its place. All files are ``hashed`` while
    they are read, not gold alone, where somebody is going to keep what is read. Of generated text
    there may be more ``references``, and files that are named by the ``place`` of gold.
    """

    gold: Source
    systems: Mapping[str, Source]
    alone: bool = False
    logs: bool = False
    hashed: bool = False
    references: tuple[Source, ...] = ()
    place: Mapping[str, str] = field(default_factory=dict)

    @property
    def steps(self) -> int:
        """Return how many steps reading them takes."""
        return len(self.systems) + 2


def named_sources(given: Iterable[str], encoding: str) -> list[Source]:
    """Return a source for every PATH, NAME=PATH, glob or directory, in order."""
    sources: list[Source] = []
    for text in given:
        name, path = name_and_path(text)
        paths = _expanded(path)
        if name and len(paths) > 1:
            raise UsageError(
                f"`{name}` would name {len(paths)} files",
                where=text,
                remedy="name one file, or leave the name out",
            )
        sources += [
            Source(p, name or stem(p), encoding, given=bool(name), listed=p != path) for p in paths
        ]
    return sources


def paired(gold: Source, systems: list[Source], reading: Reading) -> Inputs:
    """Return gold with its systems, or logs, which bring their gold along."""
    if is_log(gold, reading):
        return of_logs([gold, *systems])
    return Inputs(gold, named(without_gold(gold, systems)))


def of_logs(sources: Iterable[Source]) -> Inputs:
    """Return logs as inputs, each by its path: their systems are named in them."""
    every = {source.path: source for source in sources}
    first = next(iter(every.values()))
    others = {path: source for path, source in every.items() if source is not first}
    return Inputs(first, others, logs=True)


def is_log(source: Source, reading: Reading) -> bool:
    """Tell whether a source is a log; what cannot be read raises when it is read."""
    try:
        return format_of(source, reading).long is not None
    except ColevalError:
        if source.address:
            # It would be fetched again only to fail again.
            raise
        return False


def named(sources: Iterable[Source]) -> dict[str, Source]:
    """Return the sources by their names; raise for a name that is taken twice."""
    every, found = list(sources), dict[str, Source]()
    stems = Counter(source.name for source in every)
    for one in every:
        # Whole file names where names without suffixes would be the same.
        alike = stems[one.name] > 1 and one.name == stem(one.path)
        source = replace(one, name=Path(one.path).name) if alike else one
        check_name(source.name, source.path)
        if source.name in found:
            raise UsageError(
                f"two systems are called `{source.name}`: {found[source.name].path} and "
                f"{source.path}",
                where=source.path,
                remedy=f"give one another name: {source.name}2={source.path}",
            )
        found[source.name] = source
    return found


def without_gold(gold: Source, sources: list[Source]) -> list[Source]:
    """Return the sources without gold itself, which a glob or a directory brings along.

    Named in so many words as the only system, gold is one, by another name: ``score X X``.
    """
    others = [s for s in sources if s.path != gold.path or s.name != stem(s.path)]
    return others or [replace(s, name=f"{s.name}2") for s in sources if not s.listed]


def from_python(given: Any, encoding: str) -> list[Source]:
    """Return sources for what ``coleval.load`` accepts as systems: paths, a mapping, frames."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        return [python_source(v, name, encoding, given=True) for name, v in given.items()]
    if isinstance(given, (str, Path)):
        return named_sources([str(given)], encoding)
    if is_table(given) or not isinstance(given, Iterable):
        raise _unnamed(given)
    paths = list(given)
    for path in paths:
        if not isinstance(path, (str, Path)):
            raise _unnamed(path)
    return named_sources([str(path) for path in paths], encoding)


def is_table(given: Any) -> bool:
    """Tell whether something is a data frame or a dataset, whose rows or columns are no sources."""
    return any(hasattr(given, name) for name in ("columns", "column_names", "__arrow_c_stream__"))


def listed(systems: Any) -> list[Any]:
    """Return the sources among systems, whatever they are called."""
    if isinstance(systems, Mapping):
        return list(systems.values())
    if systems is None:
        return []
    several = isinstance(systems, Iterable) and not isinstance(systems, str)
    return list(systems) if several and not is_table(systems) else [systems]


def with_names(systems: Any) -> list[tuple[str, str]]:
    """Return the templates or folders of systems with the names that they are given."""
    if isinstance(systems, Mapping):
        return [(str(name), str(path)) for name, path in systems.items()]
    return [name_and_path(str(text)) for text in listed(systems)]


def _unnamed(given: Any) -> UsageError:
    return UsageError(
        f"a {type(given).__name__} is not a path, and has no name",
        where="systems",
        remedy='give it a name: {"name": frame}',
    )


def gold_source(given: Any, encoding: str) -> Source:
    """Return the source of gold: a path or a frame."""
    name = stem(str(given)) if isinstance(given, (str, Path)) else "gold"
    return python_source(given, name, encoding)


def python_source(value: Any, name: str, encoding: str, *, given: bool = False) -> Source:
    """Return the source of a path or a frame."""
    if isinstance(value, (str, Path)):
        return Source(str(value), name, encoding, given=given)
    return Source(f"<{name}>", name, encoding, frame=value, given=given)


def stem(path: str) -> str:
    """Return the name of a file without its suffixes; all of it if nothing else is left."""
    name = address_name(path) if is_address(path) else Path(path).name
    if name.lower().endswith(_ZIPPED):
        name = name.rpartition(".")[0]
    return name.rpartition(".")[0] or name if "." in name else name


def name_and_path(text: str) -> tuple[str, str]:
    """Return the name that a source is given, and its path."""
    name, equals, path = text.partition("=")
    if equals and name and "/" not in name and not is_address(text) and not is_there(text):
        return name, path
    return "", text


def origin(source: Source, *, hashed: bool = False) -> Origin:
    """Return where a source is and the state it is in; what is no file is always hashed."""
    if source.is_stream:
        return Origin(source.path, len(source.raw), 0, hashlib.sha256(source.raw).hexdigest())
    try:
        state = source.state
    except (OSError, ValueError):
        return Origin(source.path)
    if not S_ISREG(state.st_mode):
        return Origin(source.path)
    digest = sha256_of(Path(source.path)) if hashed else ""
    folder, name = os.path.split(source.path)
    path = f"{_absolute(os.getcwd(), folder).rstrip('/')}/{name}"  # noqa: PTH109
    return Origin(visible_name(path), state.st_size, state.st_mtime_ns, digest)


def size_of(source: Source) -> int:
    """Return the size that ``origin`` would say a file has, 0 if it is none."""
    try:
        state = source.state
    except (OSError, ValueError):
        return 0
    return state.st_size if S_ISREG(state.st_mode) else 0


@lru_cache(maxsize=1024)
def _absolute(_here: str, folder: str) -> str:
    """Return the whole path of a folder, which depends on where the process is."""
    return str(Path(folder).absolute())


def sha256_of(path: Path) -> str:
    """Return the hash of a file, of which little is in memory at a time."""
    found = hashlib.sha256()
    with FileIO(path) as file:
        # Room for a block costs more than to read a small file.
        while block := file.read(_BLOCK):
            found.update(block)
    return found.hexdigest()


def _expanded(path: str) -> list[str]:
    if path == "-" or is_address(path) or is_file(path):
        return [path]
    if is_folder(path):
        inside = (p for p in Path(path).iterdir() if p.is_file() and not p.name.startswith("."))
        if found := sorted(map(str, inside)):
            return found
        raise DataError("the directory holds no files", where=path, remedy="check the path")
    if any(c in path for c in "*?["):
        found = sorted(p for p in glob.glob(path) if is_file(p))  # noqa: PTH207
        if not found:
            raise DataError("no file matches", where=path, remedy="check the pattern")
        return found
    return [path]
