"""Names of integer codes: in the metadata of Hugging Face ``datasets``, or as the user gives them.

``datasets`` need not be installed: what it writes is JSON, and its objects are known by what they
have.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from coleval.corpus.paths import is_file
from coleval.errors import DataError, UsageError

_KEY = b"huggingface"


def names_in_metadata(metadata: Mapping[bytes, bytes] | None) -> dict[str, tuple[str, ...]]:
    """Return the names of the codes of each column that has some in a schema's metadata."""
    try:
        known = json.loads((metadata or {}).get(_KEY, b"{}"))
        features = known["info"]["features"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return _by_column(features)


def names_in_features(frame: Any) -> dict[str, tuple[str, ...]]:
    """Return the same of an object that has ``features``, as a dataset of ``datasets`` has."""
    return _by_column(getattr(frame, "features", None))


def _by_column(features: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(features, Mapping):
        return {}
    found = {str(name): _names(feature) for name, feature in features.items()}
    return {name: names for name, names in found.items() if names}


def _names(feature: Any) -> tuple[str, ...]:
    """Return the names of a ClassLabel, however deep: Sequence, List and [ClassLabel] hold one."""
    for _ in range(8):
        if isinstance(feature, list):
            feature = feature[0] if len(feature) == 1 else None
            continue
        names = _part(feature, "names")
        if isinstance(names, (list, tuple)):
            return tuple(str(name) for name in names)
        feature = _part(feature, "feature")
    return ()


def _part(feature: Any, name: str) -> Any:
    if isinstance(feature, Mapping):
        return feature.get(name)
    return getattr(feature, name, None)


def given_names(given: Any) -> tuple[str, ...]:
    """Return the names that ``--names`` or ``names=`` gives: a text with commas, a file, a list.

    A file has a name a line, or is JSON: a list, or a configuration with ``id2label``. An object
    may have its names in ``names``, as a ClassLabel has, or be a feature that holds one.
    """
    if isinstance(given, (str, Path)):
        names = _of_text(str(given))
    elif isinstance(given, Iterable) and not isinstance(given, Mapping):
        names = tuple(str(name) for name in given)
    else:
        names = _names(given) or _of_json(given, "names")
    return _checked(names)


def _of_text(text: str) -> tuple[str, ...]:
    path = Path(text)
    if "," in text and not is_file(path):
        return tuple(name.strip() for name in text.split(","))
    if not is_file(path):
        if path.suffix or "/" in text:
            raise DataError("no such file", where=text, remedy="--names O,B-PER,I-PER or a file")
        return (text.strip(),)
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read ({error})", where=text, remedy=_EXAMPLE) from None
    if content.lstrip()[:1] not in ("[", "{"):
        return tuple(line.strip() for line in content.strip("\r\n").splitlines())
    try:
        return _of_json(json.loads(content), text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"is not JSON ({error})", where=text, remedy=_EXAMPLE) from None


_EXAMPLE = 'a file has one name a line, or is a JSON list, or has {"id2label": {"0": "O", …}}'


def _of_json(value: Any, where: str) -> tuple[str, ...]:
    """Return the names in a list, or in a mapping of numbers from 0 to names."""
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return tuple(value)
    codes = value.get("id2label", value) if isinstance(value, Mapping) else None
    if isinstance(codes, Mapping) and codes:
        known = {str(code): name for code, name in codes.items()}
        names = [known.get(str(code)) for code in range(len(known))]
        if all(isinstance(name, str) for name in names):
            return tuple(str(name) for name in names)
    raise UsageError("has no names of the codes from 0 on", where=where, remedy=_EXAMPLE)


def _checked(names: tuple[str, ...]) -> tuple[str, ...]:
    again = sorted({name for name in names if names.count(name) > 1})
    if not names or not all(names) or again:
        problem = f"`{again[0]}` is given twice" if again and all(names) else "a name is empty"
        raise UsageError(problem, where="--names", remedy="--names O,B-PER,I-PER, or a file")
    return names
