"""The command line: arguments to one call of the library, its report to one renderer."""

from __future__ import annotations

import os
import re
import sys
import warnings
from typing import TYPE_CHECKING

from coleval.cli.overview import COMMANDS, overview
from coleval.errors import ColevalError, ColevalWarning, GateError, UsageError, unknown
from coleval.plugins import COMPLAINTS, entry_points, package_of
from coleval.version import __version__

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

_LESS_MEMORY = "--memory SIZE keeps answers in temporary files; a store needs less than text does"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return 0, or 1 for bad data, 2 for a wrong call, 130 when interrupted."""
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        with warnings.catch_warnings():
            # They are printed in the words of the command line.
            warnings.simplefilter("ignore", ColevalWarning)
            try:
                return _main(given)
            finally:
                for text in COMPLAINTS:
                    sys.stderr.write(f"warning: {text}\n")
    except ColevalError as error:
        sys.stderr.write(f"error: {error.on_command_line()}\n")
        _annotate(error, given)
        return error.exit_code
    except MemoryError as error:
        sys.stderr.write(f"error: memory is used up ({error})\n  {_LESS_MEMORY}\n")
        _print_json("memory", "", f"memory is used up ({error})", _LESS_MEMORY, given)
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    except BrokenPipeError:
        _hush()
        return 0


def _main(argv: list[str]) -> int:
    if not argv or argv[0] in ("-h", "--help") or argv == ["help"]:
        _print(overview())
        return 0 if argv else 2
    if argv[0] in ("-V", "--version"):
        _print("\n".join((f"coleval {__version__}", *_added())))
        return 0
    if argv[0] not in COMMANDS:
        raise unknown("command", argv[0], COMMANDS)
    _check_text(argv)
    if _asks_for_help(argv):
        return 0
    from coleval.cli.arguments import parser_of
    from coleval.cli.settings import with_settings

    parser = parser_of(COMMANDS[argv[0]])
    arguments = with_settings(argv[0], parser, parser.parse_intermixed_args(argv[1:]))
    if COMMANDS[argv[0]].least == "+" and getattr(arguments, "source", None) == []:
        parser.error("the following arguments are required: SOURCE")
    if getattr(arguments, "threads", None):
        os.environ["POLARS_MAX_THREADS"] = str(arguments.threads)
    arguments.command_line = argv
    return _run(argv[0], arguments)


def _added() -> Iterator[str]:
    """Yield what other packages add, a line each."""
    for entry in entry_points():
        kind = entry.group.removeprefix("coleval.")
        yield f"  {kind}: {entry.name} ({package_of(entry)})"


def _check_text(argv: list[str]) -> None:
    """Raise for an argument that is no text in UTF-8, and no file that is called so."""
    for given in argv:
        if given.isprintable():
            continue
        from coleval.corpus.paths import is_there
        from coleval.corpus.plain_names import is_text, visible_name

        if not is_text(given) and not is_there(given) and not is_there(given.partition("=")[2]):
            raise UsageError(
                f"`{visible_name(given)}` has bytes that are not UTF-8, or half a character",
                remedy="only the names of files may have such",
            )


def _asks_for_help(argv: list[str]) -> bool:
    """Print the help of a command, or of an option, if that is what is asked; say whether."""
    before = argv[: argv.index("--")] if "--" in argv else argv
    if argv[0] == "help" and argv[1].startswith("--") and argv[1] != "--help":
        from coleval.cli.help import about_option

        _print(about_option(argv[1]))
        return True
    if "--help-all" in before:
        from coleval.cli.arguments import parser_of

        _print(parser_of(COMMANDS[argv[0]]).format_help().rstrip())
        return True
    if {"-h", "--help"} & set(before):
        from coleval.cli.help import about_command

        _print(about_command(argv[0]))
        return True
    return False


def _run(command: str, arguments: argparse.Namespace) -> int:
    from coleval.cli.commands import run

    code = run(command, arguments)
    if getattr(arguments, "strict", False) and getattr(arguments, "warned", False):
        code = code or 1
    sys.stdout.flush()
    return code


def _print(text: str) -> None:
    from coleval.corpus.output import written

    with written("standard output", option="a pipe"):
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


def _annotate(error: ColevalError, argv: list[str]) -> None:
    """Say an error in JSON or as an annotation too, where these are asked for.

    A gate has printed its tables, which say what failed.
    """
    if isinstance(error, GateError):
        return
    kind = "usage" if isinstance(error, UsageError) else "data"
    _print_json(kind, error.where, error.problem, error.remedy, argv)
    if not _has_form("github", argv):
        return
    from coleval.render.annotations import annotation
    from coleval.render.checks import Remark

    place = re.fullmatch(r"(.+?):(\d+)(?::.*)?", error.where)
    file, line = (place[1], int(place[2])) if place else ("", None)
    head = error.problem if place or not error.where else f"{error.where}: {error.problem}"
    remark = Remark(f"{head}\n{error.remedy}".rstrip(), is_error=True, file=file, line=line)
    sys.stdout.write(f"{annotation(remark, f'coleval {argv[0]}')}\n")


def _print_json(kind: str, where: str, problem: str, remedy: str, argv: list[str]) -> None:
    """Print an error as one JSON object where JSON is asked for: a program reads no prose."""
    if _has_form("json", argv):
        import json

        error = {"kind": kind, "where": where, "problem": problem, "remedy": remedy}
        sys.stdout.write(json.dumps({"error": error}, ensure_ascii=False) + "\n")


def _has_form(form: str, argv: list[str]) -> bool:
    return re.search(rf"(^| )--as[ =]{form}( |$)", " ".join(argv)) is not None


def _hush() -> None:
    """Point standard output at nothing, so that Python's last flush finds no broken pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
