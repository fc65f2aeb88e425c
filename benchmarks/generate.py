"""Write a made-up shared task to a directory, unless that very corpus is there already.

python benchmarks/generate.py --tokens 2000000 --systems 24 -o benchmarks/data/span-2000000x24
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"


def main() -> None:
    """Generate what the command line asks for and say where it is."""
    asked = _arguments()
    directory = Path(str(asked.pop("output") or _place(asked)))
    made = ensure(directory, **asked)
    print(f"{'wrote' if made else 'already there:'} {directory}", file=sys.stderr)


def ensure(directory: Path, **options: Any) -> bool:
    """Write the corpus of these options; return whether it had to be written."""
    wanted = _fingerprint(options)
    if _found(directory) == wanted:
        return False
    _clear(directory)
    sizes = _write(directory, options)
    manifest = {**wanted, "bytes": sizes}
    (directory / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return True


def files(directory: Path) -> tuple[Path, dict[str, Path]]:
    """Return gold and the systems by name, in the order they were made."""
    names = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))["bytes"]
    paths = {Path(name).stem: directory / name for name in names}
    return paths.pop("gold"), paths


def _write(directory: Path, options: dict[str, Any]) -> dict[str, int]:
    from coleval.demo import generate, write

    return {path.name: path.stat().st_size for path in write(generate(**options), directory)}


def _fingerprint(options: dict[str, Any]) -> dict[str, object]:
    """Return what decides the bytes: the options, the generator's own source, and numpy."""
    from hashlib import sha256

    import numpy as np

    import coleval.demo

    source = sorted(Path(coleval.demo.__file__).parent.glob("*.py"))
    digest = sha256(b"".join(path.read_bytes() for path in source)).hexdigest()[:12]
    return {"options": options, "generator": digest, "numpy": np.__version__}


def _found(directory: Path) -> dict[str, object] | None:
    """Return the fingerprint of what is there, or None if a file is missing or has another size."""
    try:
        manifest = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
        sizes = manifest.pop("bytes")
        whole = all((directory / n).stat().st_size == b for n, b in sizes.items())
    except (OSError, ValueError, KeyError):
        return None
    return manifest if whole else None


def _clear(directory: Path) -> None:
    """Remove the files of another corpus, whose systems would otherwise stay; nothing else."""
    manifest = directory / MANIFEST
    if manifest.exists():
        gold, systems = files(directory)
        for path in (manifest, gold, *systems.values()):
            path.unlink(missing_ok=True)


def _place(asked: dict[str, float | str]) -> str:
    name = f"{asked['task']}-{asked['tokens']}x{asked['systems']}-seed{asked['seed']}"
    name += "" if asked["alike"] == 0.75 else f"-alike{asked['alike']}"
    return str(Path(__file__).parent / "data" / name)


def _arguments() -> dict[str, float | str]:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=2_000_000)
    parser.add_argument("--systems", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--task", choices=("span", "tag", "dep"), default="span")
    parser.add_argument("--alike", type=float, default=0.75, help="0: errors apart, 1: the same")
    parser.add_argument("-o", "--output", help="default: a directory under benchmarks/data")
    return vars(parser.parse_args())


if __name__ == "__main__":
    main()
