"""The prompt of ``coleval sql``: history, completion, words that begin with a full stop."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from coleval.cli.console import say
from coleval.errors import ColevalError, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from coleval.query.database import Database

KEYWORDS = (
    "select", "from", "where", "group by", "order by", "limit", "count(*)", "having", "join",
    "distinct", "desc", "nulls last", "with", "using", "case when", "then", "else", "end",
)  # fmt: skip
HELP = """\
a query ends in ; and may take several lines. Commands:
  .tables          tables and views
  .schema [TABLE]  the columns of a table; those of item are made when a query names them
  .help            this
  .quit            leave (or Ctrl-D)
TAB completes names; Ctrl-C ends a query that takes too long."""
# What people type who know other prompts.
WORDS = {"quit": ".quit", "exit": ".quit", "help": ".help", ".exit": ".quit"}
DOTS = (".tables", ".schema", ".help", ".quit")


def converse(database: Database, about: str, answer: Callable[[str], None]) -> int:
    """Read queries and answer them until the end; errors are printed, and the next is read.

    What answers are ``about`` is said once.
    """
    say(about)
    say("`.help` lists the commands; a query ends in ;")
    with _history(database):
        for text in _queries():
            word = WORDS.get(text.lower(), text)
            if word in (".quit", ".exit"):
                break
            with _told():
                dotted(database, word) if word.startswith(".") else answer(text)
    return 0


def has_dots(text: str) -> bool:
    """Tell whether piped text has lines that are words of the prompt."""
    return any(_is_word(line.strip()) for line in text.splitlines())


def script(database: Database, text: str, answer: Callable[[str], None]) -> int:
    """Answer piped text as if it were typed; the first error ends it."""
    for one in _piped(text):
        word = WORDS.get(one.lower(), one)
        if word == ".quit":
            break
        dotted(database, word) if word.startswith(".") else answer(one)
    return 0


def _is_word(line: str) -> bool:
    return line.startswith(".") or line.lower().removesuffix(";") in WORDS


def dotted(database: Database, text: str) -> None:
    """Answer a word that begins with a full stop."""
    word, _, name = text.partition(" ")
    if word == ".tables":
        _write(_tables(database))
    elif word == ".schema":
        _write(_schema(database, name.strip()))
    elif word == ".help":
        _write(HELP)
    else:
        raise unknown("word", word, DOTS)


def completions(database: Database, start: str) -> list[str]:
    """Return what a beginning can become: words of SQL, tables, columns in quotes if need be."""
    names = [n if n.isidentifier() else '"' + n.replace('"', '""') + '"' for n in database.words()]
    known = dict.fromkeys((*KEYWORDS, *DOTS, *names))
    low = start.lower()
    return [word for word in known if word.lower().lstrip('"').startswith(low.lstrip('"'))]


def _tables(database: Database) -> str:
    from coleval.query.database import ABOUT, VIEWS
    from coleval.query.shipped import query

    about = ABOUT | {name: query(f"views/{name}").about for name in VIEWS}
    return "\n".join(f"{name:<10} {about[name]}" for name in database.tables)


def _schema(database: Database, name: str) -> str:
    if name and name not in database.tables:
        raise unknown("table", name, database.tables)
    wanted = [name] if name else list(database.tables)
    return "\n".join(f"{table} ({', '.join(database.columns(table))})" for table in wanted)


@dataclass(slots=True)
class _Typed:
    """The lines of a query that has not ended yet."""

    lines: list[str] = field(default_factory=list)

    def ended(self, line: str) -> str:
        """Return the query or word that ends with a line, nothing if it goes on."""
        self.lines.append(line)
        text = "\n".join(self.lines).strip()
        done = text.endswith(";") or _is_word(text)
        if done or not text:
            self.lines = []
        return text.removesuffix(";").strip() if done else ""

    def rest(self) -> str:
        """Return what was never ended."""
        return "\n".join(self.lines).strip()


def _queries() -> Iterator[str]:
    typed = _Typed()
    while True:
        try:
            line = input("...> " if typed.lines else "sql> ")
        except EOFError:
            say("")
            return
        except KeyboardInterrupt:
            # The terminal shows ^C behind what was typed.
            say("")
            typed = _Typed()
            continue
        if text := typed.ended(line):
            yield text


def _piped(text: str) -> Iterator[str]:
    typed = _Typed()
    yield from filter(None, map(typed.ended, text.splitlines()))
    if rest := typed.rest():
        yield rest


@contextlib.contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except ColevalError as error:
        say(f"error: {error}")
    except KeyboardInterrupt:
        say("interrupted")


@contextlib.contextmanager
def _history(database: Database) -> Iterator[None]:
    try:
        import readline
    except ImportError:
        yield
        return
    path = Path(os.environ.get("COLEVAL_HISTORY") or Path.home() / ".coleval_history")
    with contextlib.suppress(OSError):
        readline.read_history_file(path)
    readline.set_completer_delims(" \t\n,()=<>;")
    readline.set_completer(lambda start, k: ([*completions(database, start), None])[k])
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            readline.write_history_file(path)


def _write(text: str) -> None:
    sys.stdout.write(text + "\n")
