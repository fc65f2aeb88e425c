"""From a number of the page to its items: as many, marked, in the address; any two systems."""

from __future__ import annotations

import random
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

import coleval
from coleval.query.expressions import items_holding
from coleval.render import html_items, save
from test_page_in_a_browser import CHROMIUM, CONTRAST, sync_api

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from coleval.corpus.corpus import Corpus

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no chromium to drive")

ACTING = "<script>document.title=1</script>"
SYSTEMS = ["A", "b", "B", f'{ACTING}"x"']
WORDS = [ACTING, "שלום", "中文", "50%", "plain", "it's", "</template>"]
LABELS = ["PER", "LOC", "<b>it's"]
# What the page and DuckDB must read alike.
CONDITIONS = (
    "gold = 'PER'",
    "gold = 'PER' and difficulty < 2",
    "not gold = 'PER' or \"A\" is null",
    "\"A\" is distinct from \"b\" and outcome_A in ('missed', 'spurious')",
    "outcome_b not in ('correct') and form ilike '%L_I%' or difficulty between 1 and 2",
    "\"B_2\" = gold and form ilike 'PLAIN'",
    "(gold is null or gold <> 'LOC') and not (A = 'LOC' or sentence >= 6)",
    '"A" is not distinct from gold',
    "difficulty = 1 or spurious <> 1",
    "gold in ('PER', null) and A not in ('LOC', null)",
)
COUNTS = """async () => {
  const table = await unpacked(document.querySelector("template.items").dataset);
  return [...document.querySelectorAll("td[data-where]")].map(cell =>
    [cell.textContent, holding(table, condition(cell.dataset.where, table).test).length]);
}"""
HOLDING = """async text => {
  const table = await unpacked(document.querySelector("template.items").dataset);
  return holding(table, condition(text, table).test).map(row => table.value("item", row));
}"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """A few sentences with hostile words, labels and systems, right to left too."""
    draw, folder = random.Random(4), tmp_path_factory.mktemp("items")
    tags = ["O"] * 4 + [f"B-{label}" for label in LABELS]
    words = [draw.choice(WORDS) for _ in range(112)]
    gold = [draw.choice(tags) for _ in words]

    def file(name: str, own: list[str]) -> str:
        lines = [
            f"{w}\t{t}" + "\n" * (k % 8 == 7)
            for k, (w, t) in enumerate(zip(words, own, strict=True))
        ]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return str(folder / name)

    files = {
        name: file(str(k), [draw.choice(tags) if draw.random() < 0.4 else tag for tag in gold])
        for k, name in enumerate(SYSTEMS)
    }
    return coleval.load(file("gold", gold), files, task="span")


@pytest.fixture(scope="module")
def address(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "report.html"
    save(corpus.report(replicates=50), path)
    return path.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def page(browser: Any, address: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    how = {"viewport": {"width": 1400, "height": 900}} | getattr(request, "param", {})
    context = browser.new_context(**how)
    opened, complaints = context.new_page(), []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda said: complaints.append(said.text)
              if said.type in ("error", "warning") else None)  # fmt: skip
    opened.goto(address)
    opened.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    yield opened
    context.close()
    assert complaints == []


def headline(page: Any) -> str:
    page.locator("aside.items h2").wait_for()
    return str(page.locator("aside.items h2").inner_text())


def number(text: str) -> int:
    return int("".join(letter for letter in text if letter.isdigit()))


def test_every_number_has_as_many_items(page: Any) -> None:
    counts = page.evaluate(COUNTS)
    assert page.locator(".coleval-chart [data-where][role=button]").count() > 50
    assert len(counts) > 80
    # Some are shares, which lead to what they are a share of.
    assert [(text, n) for text, n in counts if "." not in text and number(text) != n] == []


def test_a_click_shows_them_and_a_link_shows_them_again(page: Any, address: str) -> None:
    buttons = page.locator("button.number")
    for at in (0, 7, buttons.count() // 2, buttons.count() - 1):
        button = buttons.nth(at)
        n = number(button.inner_text())
        button.click()
        page.wait_for_function("n => document.querySelector('aside.items h2')"
                               ".textContent.startsWith(`${n} span`)", arg=n)  # fmt: skip
        assert page.locator("aside.items .card").count() == min(n, 50)
        assert page.locator("aside.items .card b").count() == min(n, 50)
    link, last = page.url, headline(page)
    page.goto("about:blank")
    page.goto(link)
    assert headline(page) == last
    page.go_back()
    page.goto(address)
    assert not page.locator("aside.items").is_visible()


def test_filters_are_added_and_removed_and_back_undoes_it(page: Any) -> None:
    button = page.locator("[data-table='score.overall'] button.number").first
    button.click()
    every = headline(page)
    assert page.locator(".chips li").count() == 1
    page.get_by_label("Add a filter").select_option("\"gold\" = 'PER'")
    page.locator(".chips li").nth(1).wait_for()
    fewer = headline(page)
    assert 0 < number(fewer) < number(every)
    page.go_back()
    page.locator(".chips li").nth(1).wait_for(state="detached")
    assert headline(page) == every
    page.locator(".chips button").first.click()
    page.locator(".chips li").first.wait_for(state="detached")
    assert number(headline(page)) > number(every)
    word = page.get_by_label("Only items with this word", exact=True)
    word.fill("plain")
    word.press("Enter")
    page.locator(".chips li").first.wait_for()
    assert set(page.locator("aside.items .card b").all_inner_texts()) == {"plain"}


def test_it_can_be_read_by_keyboard(page: Any) -> None:
    button = page.locator("[data-table='bins.bins'] button.number").first
    button.focus()
    page.keyboard.press("Enter")
    headline(page)
    cards = page.locator("aside.items .card")
    focused = "[...document.querySelectorAll('aside.items .card')].indexOf(document.activeElement)"
    assert cards.count() > 2
    for key, at in (("j", 0), ("ArrowDown", 1), ("k", 0)):
        page.keyboard.press(key)
        assert page.evaluate(focused) == at
    page.keyboard.press("Escape")
    assert not page.locator("aside.items").is_visible()
    assert page.evaluate("document.activeElement.className") == "number"


@pytest.mark.parametrize("text", CONDITIONS)
def test_the_page_reads_conditions_as_the_command_does(
    page: Any, corpus: Corpus, text: str
) -> None:
    whole = corpus.score().items
    assert whole is not None
    expected = items_holding(whole._wide, text).tolist()
    assert page.evaluate(HOLDING, text) == expected
    assert len(expected) < len(whole)


def test_what_it_cannot_read_it_says(page: Any) -> None:
    page.locator("button.number").first.click()
    page.locator(".condition summary").click()
    page.locator(".condition input").fill("length(form) > 3")
    page.locator(".condition input").press("Enter")
    page.locator("aside.items .none").wait_for()
    assert "no column “length”" in page.locator("aside.items .none").inner_text()


def test_any_two_systems_are_compared_as_changes_compares_them(page: Any, corpus: Corpus) -> None:
    before, after = SYSTEMS[3], "b"
    page.locator(".versus select").first.select_option(before)
    page.locator(".versus select").nth(1).select_option(after)
    page.locator(".versus table").nth(2).wait_for()
    row = corpus.changes(pair=[(before, after)]).table("summary").to_dicts()[0]
    kinds = dict(page.locator(".versus table").first.evaluate(
        "t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))"))  # fmt: skip
    for kind in ("different", "corrections", "new_errors", "changed_errors"):
        assert int(kinds[kind.replace("_", " ")]) == row[kind]
    for table in range(3):
        button = page.locator(".versus table").nth(table).locator("button.number").first
        n = number(button.inner_text())
        button.click()
        assert number(headline(page)) == n


@pytest.mark.parametrize("page", [{"viewport": {"width": 400, "height": 800}},
                                  {"color_scheme": "dark"}], indirect=True, ids=str)  # fmt: skip
def test_no_name_acts_all_letters_can_be_read_and_nothing_is_too_wide(page: Any) -> None:
    page.locator("button.number").nth(2).click()
    headline(page)
    width = page.evaluate("innerWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.querySelector('aside.items').scrollWidth") <= width
    assert page.title() != "1"
    assert page.locator("aside.items .words", has_text=ACTING).count() > 0
    assert page.locator("aside.items .words[dir=auto]").count() > 0
    found = page.evaluate(CONTRAST)
    assert [(ratio, what) for ratio, what in found if ratio < 4.5] == []


def test_a_folder_has_the_page_and_the_items_that_it_fetches(
    browser: Any, corpus: Corpus, tmp_path: Path
) -> None:
    report = corpus.report(replicates=50)
    save(report, f"{tmp_path / 'board'}/")
    assert sorted(p.name for p in (tmp_path / "board").iterdir()) == ["index.html", "items.bin"]
    quiet = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=tmp_path / "board"))
    Thread(target=server.serve_forever, daemon=True).start()
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{server.server_port}/")
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    button = page.locator("button.number").first
    n = number(button.inner_text())
    button.click()
    page.locator("aside.items .card").first.wait_for()
    assert number(headline(page)) == n
    page.close()
    server.shutdown()
    server.server_close()


def test_a_page_without_room_for_all_says_how_many_it_holds(
    browser: Any, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = corpus.bins()
    assert report.items is not None
    whole = len(html_items.packed_items(report.items.block(())))
    monkeypatch.setattr(html_items, "ROOM", whole - 50)
    save(report, tmp_path / "small.html")
    page = browser.new_page()
    page.goto((tmp_path / "small.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    page.locator("button.number").first.click()
    headline(page)
    said = page.locator("aside.items .none").inner_text()
    held, of = said.removeprefix("This page holds ").split(" items")[0].split(" of ")
    assert 0 < int(held) < int(of) == len(report.items)
    page.close()
