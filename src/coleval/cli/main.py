"""The command line: arguments to one call of the library, its report to one renderer."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from coleval.cli.overview import COMMANDS, overview
from coleval.errors import ColevalError, unknown
from coleval.version import __version__

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

_LESS_MEMORY = "--memory SIZE keeps answers in temporary files; a store needs less than text does"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return 0, or 1 for bad data, 2 for a wrong call, 130 when interrupted."""
    try:
        return _main(list(sys.argv[1:] if argv is None else argv))
    except ColevalError as error:
        sys.stderr.write(f"error: {error.on_command_line()}\n")
        return error.exit_code
    except MemoryError as error:
        sys.stderr.write(f"error: memory is used up ({error})\n  {_LESS_MEMORY}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    except BrokenPipeError:
        _hush()
        return 0


def _main(argv: list[str]) -> int:
    if not argv or argv[0] in ("-h", "--help", "help"):
        _print(overview())
        return 0 if argv else 2
    if argv[0] in ("-V", "--version"):
        _print(f"coleval {__version__}")
        return 0
    if argv[0] not in COMMANDS:
        raise unknown("command", argv[0], COMMANDS)
    from coleval.cli.arguments import parser_of

    arguments = parser_of(COMMANDS[argv[0]]).parse_intermixed_args(argv[1:])
    if getattr(arguments, "threads", None):
        os.environ["POLARS_MAX_THREADS"] = str(arguments.threads)
    return _run(argv[0], arguments)


def _run(command: str, arguments: argparse.Namespace) -> int:
    from coleval.cli.commands import RUN

    code = RUN[command](command, arguments)
    sys.stdout.flush()
    return code


def _print(text: str) -> None:
    from coleval.corpus.output import written

    with written("standard output", option="a pipe"):
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


def _hush() -> None:
    """Point standard output at nothing, so that Python's last flush finds no broken pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
