"""Ways out of SQL, wrapped in other SQL at random: each is refused, and no file is made."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import coleval
from coleval.errors import UsageError
from fuzz.model import Harness
from test_sandbox import ASKED, FILES, GOLD, STATEMENTS, SYSTEM, filled, listed

if TYPE_CHECKING:
    from random import Random

    from coleval.corpus.corpus import Corpus

WRAPPINGS = (
    "select * from {one}",
    "from {one}",
    "select count(*) from (from {one}) as t",
    "with x as materialized (select * from {one}) select * from x, item",
    "select (select max(t) from {one} as t)",
    "select * from item where exists (from {one})",
    "select * from item, lateral (select * from {one}) as t",
    "select * from item union all by name select * from {one}",
    "create temp view v as select * from {one}; from v",
    "create or replace temp macro m() as table select * from {one}; from m()",
    "create temp table t as select * from {one}",
    "prepare p as select * from {one}; execute p",
    "summarize select * from {one}",
    "explain analyze select * from {one}",
    "pivot (select * from {one}) on x using count(*)",
    "begin; select * from {one}; commit",
    "insert into item select * from {one}",
    "select * from query('from {quoted}')",
    "/* {one} */ select * from {one} -- {one}",
)


@cache
def _place() -> Path:
    """Return a folder with a store, a secret and a directory that DuckDB would take for its own."""
    place = Path(mkdtemp(prefix="fuzz.sandbox."))
    for name, text in (("gold", GOLD), ("one", SYSTEM), ("secret.csv", "x,y\n1,2\n")):
        (place / name).write_text(text)
    (place / ".tmp").mkdir()
    (place / ".tmp" / "there.csv").write_text("x,y\n1,2\n")
    coleval.load(place / "gold", {"one": place / "one"}, task="span").save(place / "store")
    return place


@cache
def _corpus() -> Corpus:
    return coleval.open(_place() / "store")


def _query(random: Random) -> str:
    if random.random() < 0.25:
        before = random.choice(("", "select 1; ", "begin; ", "/* */ ", "\n\n"))
        return before + random.choice(STATEMENTS)
    one = random.choice(FILES)
    cased = "".join(c.upper() if random.random() < 0.2 and "{" not in one else c for c in one)
    return random.choice(WRAPPINGS).format(one=cased, quoted=cased.replace("'", "''"))


def _case(random: Random, folder: Path) -> None:
    place, here = _place(), Path.cwd()
    os.chdir(place)
    try:
        before = listed(place)
        text = filled(_query(random), place)
        ask = random.choice([None, *ASKED.values()])
        try:
            if ask is None:
                _corpus().database().frame(text)
            else:
                ask(_corpus(), random.choice((text, f"({text}) is not null", f"exists ({text})")))
        except UsageError:
            assert listed(place) == before, "a file was made or changed"
            return
        raise AssertionError(f"not refused: {text}")
    finally:
        os.chdir(here)


HARNESSES = (Harness("sandbox", "ways out of SQL, wrapped in other SQL", _case, in_ci=5),)
