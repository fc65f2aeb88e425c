"""What hatchling runs when a wheel is built: the C files, compiled if there is a compiler.

A wheel with them is for one kind of machine and any Python; else it is for all. The functions are
called by ctypes, so that neither needs a Python of some version. ``COLEVAL_NATIVE=0`` leaves
them out.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from shutil import which
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_FOLDER = Path("src", "coleval", "native")
_OPTIONS = ("-O3", "-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra")


class NativeBuild(BuildHookInterface[Any]):
    """Compiles the C files into the folder of the package, from where wheels take them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say for which machines the wheel then is."""
        del version
        folder = Path(self.root, _FOLDER)
        target = folder / "_native.so"
        target.unlink(missing_ok=True)
        problem = _compiled(sorted(folder.glob("*.c")), target)
        if problem:
            self.app.display_warning(f"coleval is built without its loops in C: {problem}")
            return
        build_data["artifacts"].append(f"/{_FOLDER.as_posix()}/{target.name}")
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"


def _compiled(sources: list[Path], target: Path) -> str:
    """Compile, and return why not, which is empty if it worked."""
    if os.environ.get("COLEVAL_NATIVE") == "0":
        return "COLEVAL_NATIVE is 0"
    compiler = os.environ.get("CC") or which("cc") or which("gcc") or which("clang")
    if compiler is None or sys.platform == "win32":
        return "there is no C compiler"
    command = [*compiler.split(), *_OPTIONS, *map(str, sources), "-o", str(target), "-lpthread"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError as error:
        return str(error)
    if done.returncode:
        target.unlink(missing_ok=True)
        return (done.stderr.strip().splitlines() or ["the compiler failed"])[-1]
    return ""
