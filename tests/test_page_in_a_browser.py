"""The page in a browser: sorted, filtered, folded, hovered over; nothing is asked for."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import coleval
from coleval.declare.figures import Figure
from coleval.declare.tables import percent, text
from coleval.demo import generate, write
from coleval.render import save
from coleval.render.html_table import figure
from coleval.render.plots import plotted

if TYPE_CHECKING:
    from collections.abc import Iterator

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no chromium to drive")

# A label, and a system, that would act if a page let them.
HOSTILE = '<img src=x onerror="document.title=1">'


@dataclass
class Visit:
    """An open page, what it complained of and what it asked for."""

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report and a leaderboard of a generated task, one of whose systems has a hostile name."""
    folder = tmp_path_factory.mktemp("pages")
    gold, *systems = write(generate(tokens=6000, systems=5, seed=0, task="span"), folder)
    named = {path.stem: str(path) for path in systems}
    named[HOSTILE] = named.pop("crf", named.popitem()[1])
    corpus = coleval.load(str(gold), named, task="span")
    save(corpus.report(replicates=200), folder / "report.html")
    save(corpus.score(leaderboard=True, replicates=200), folder / "board.html")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def visit(browser: Any, pages: Path) -> Iterator[Any]:
    opened = []

    def open_page(name: str = "report.html", **how: Any) -> Visit:
        how = {"viewport": {"width": 1400, "height": 900}} | how
        context = browser.new_context(accept_downloads=True, **how)
        opened.append(context)
        made = Visit(context.new_page())
        made.page.on("console", lambda message: made.errors.append(message.text)
                     if message.type in ("error", "warning") else None)  # fmt: skip
        made.page.on("pageerror", lambda error: made.errors.append(str(error)))
        made.page.on("request", lambda request: made.requests.append(request.url))
        made.page.goto((pages / name).as_uri())
        return made

    yield open_page
    for context in opened:
        context.close()


def column(page: Any, table: str, at: int) -> list[str]:
    cells = page.locator(f"[data-table='{table}'] tbody tr > :nth-child({at})")
    return [text.strip().rstrip("▲▼") for text in cells.all_inner_texts()]


def test_a_page_asks_for_nothing_complains_of_nothing_and_obeys_no_name(visit: Any) -> None:
    seen = visit()
    assert seen.errors == []
    assert [url for url in seen.requests if not url.startswith("file:")] == []
    assert len(seen.requests) == 1
    assert seen.page.title() != "1"
    assert seen.page.locator("img").count() == 0
    assert seen.page.get_by_text(HOSTILE).count() > 0


def test_what_matters_is_seen_before_scrolling(visit: Any) -> None:
    page = visit().page
    for part in ("h1", ".facts", ".verdict", ".charts svg >> nth=0", ".charts svg >> nth=1"):
        box = page.locator(part).first.bounding_box()
        assert box["y"] + box["height"] <= 900, part
    assert page.locator(".verdict p").count() == 3
    left, right = (page.locator(f".overview svg >> nth={k}").bounding_box() for k in (0, 1))
    assert left["x"] + left["width"] <= right["x"]


@pytest.mark.parametrize("width", [1400, 800, 400])
def test_nothing_is_wider_than_the_window(visit: Any, width: int) -> None:
    page = visit(viewport={"width": width, "height": 900}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_head_sorts_by_mouse_and_by_keyboard(visit: Any) -> None:
    page = visit("board.html").page
    table = "leaderboard"
    head = page.locator(f"[data-table='{table}'] thead th", has_text="R %").first
    at = 1 + head.evaluate("head => head.cellIndex")
    head.click()
    falling = [float(text) for text in column(page, table, at)]
    assert falling == sorted(falling, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    head.press("Enter")
    assert [float(text) for text in column(page, table, at)] == falling[::-1]
    head.press("Enter")
    assert column(page, table, 1) == [str(k) for k in range(1, 1 + len(falling))]


def test_a_filter_leaves_the_rows_with_a_word_and_says_when_there_are_none(visit: Any) -> None:
    page = visit().page
    rows = page.locator("[data-table='score.overall'] tbody tr:visible")
    every = rows.count()
    first = page.locator("[data-table='score.overall'] tbody th").first.inner_text()
    page.get_by_placeholder("Filter rows").fill(first)
    assert 1 <= rows.count() < every
    page.get_by_placeholder("Filter rows").fill("no such word")
    assert rows.count() == every
    assert "No row has “no such word”" in page.locator("nav .none").inner_text()
    page.get_by_placeholder("Filter rows").fill("")
    assert page.locator("nav .none").inner_text() == ""


def test_chapters_fold_one_by_one_and_together_and_a_link_opens_them(visit: Any) -> None:
    page = visit().page
    first = page.locator("details.chapter").first
    first.locator("> summary h2").click()
    assert not first.evaluate("one => one.open")
    page.get_by_role("button", name="Fold all chapters").click()
    assert page.locator("details.chapter[open]").count() == 0
    assert first.locator(".finding").is_visible()
    page.locator("nav.side a").nth(2).click()
    # What opens a chapter hears of the link after the click.
    page.locator("details.chapter[open]").wait_for()
    assert page.locator("details.chapter[open]").count() == 1
    page.locator("nav.side a").nth(2).press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "A"


def test_rows_are_one_click_behind_a_chart(visit: Any) -> None:
    page = visit().page
    part = page.locator("[data-table='bins.tps']")
    assert part.locator("svg").is_visible()
    assert not part.locator("table").is_visible()
    part.locator("summary", has_text="show the numbers").click()
    assert part.locator("table").is_visible()


def test_a_pointer_on_a_mark_shows_its_numbers(visit: Any, pages: Path) -> None:
    page = visit().page
    page.locator(".overview svg circle").first.hover()
    tip = page.locator(".tip")
    assert tip.is_visible()
    assert "score %: " in tip.inner_text()
    assert "rank: 1" in tip.inner_text()


def test_cells_that_are_written_together_have_their_numbers_too(visit: Any) -> None:
    page = visit().page
    # None of this report has so many cells: a heat map of many is made in place of one.

    rows = [(f"row {k}", f"column {j}", (20 * k + j) / 400) for k in range(20) for j in range(20)]
    frame = pl.DataFrame(rows, schema=["row", "column", "share"], orient="row")
    declared = Figure("heat map", "t", text("row"), percent("share", "s"), text("column"))
    markup = figure(plotted(declared, frame, "t"), 1040.0)
    page.evaluate("markup => { document.querySelector('main').innerHTML = markup; }", markup)
    cells = page.locator("g.cells")
    assert page.locator("g.cells title").count() == 0
    left, above, place, high = (float(n) for n in cells.get_attribute("data-grid").split())
    box = page.locator("main svg").bounding_box()
    scale = page.locator("main svg").evaluate("s => s.getScreenCTM().a")
    at = cells.evaluate("c => { const m = c.getScreenCTM(); return [m.e, m.f]; }")
    page.mouse.move(at[0] + scale * (left + 3.5 * place), at[1] + scale * (above + 2.5 * high))
    assert box["width"] > 500
    assert page.locator(".tip").inner_text() == "row 2\ncolumn 3\ns %: 10.75"


def test_a_table_can_be_had_as_csv_without_a_network(visit: Any, pages: Path) -> None:
    page = visit().page
    part = page.locator("[data-table='score.overall']")
    with page.expect_download() as waiting:
        part.get_by_role("button", name="Download csv").click()
    text = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert waiting.value.suggested_filename == "score.overall.csv"
    assert text.startswith("system,items,")
    assert len(text.splitlines()) == 1 + part.locator("tbody tr").count()


def test_items_are_chosen_by_kind_label_system_and_word(visit: Any) -> None:
    page = visit().page
    part, bar = page.locator(".cards"), page.locator(".choose")
    kinds = part.locator(".card:visible").evaluate_all("all => all.map(c => c.dataset.kind)")
    assert set(kinds) == {"hardest"}
    bar.get_by_label("which items").select_option("")
    every = part.locator(".card:visible").count()
    assert every == part.locator(".card").count() > len(kinds)
    bar.get_by_label("gold label").select_option("PER")
    gold = part.locator(".card:visible").evaluate_all("all => all.map(c => c.dataset.gold)")
    assert set(gold) == {"PER"}
    bar.get_by_label("gold label").select_option("")
    bar.get_by_label("a system that is wrong").select_option(label=f"{HOSTILE} is wrong")
    chosen = part.locator(".card:visible").count()
    assert 0 < chosen < every
    bar.get_by_label("Filter items").fill("no such word")
    assert part.locator(".card:visible").count() == 0
    assert "No item fits" in bar.inner_text()


def test_on_paper_everything_is_open(visit: Any) -> None:
    page = visit().page
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert not page.locator("nav.side").is_visible()


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_letters_can_be_read(visit: Any, mode: str) -> None:
    page = visit(color_scheme=mode).page
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    found = page.evaluate(CONTRAST)
    assert len(found) > 300
    bad = [(ratio, what) for ratio, what in found if ratio < 4.5]
    assert bad == []


# The contrast of every piece of text with what is behind it (WCAG 2.1, 1.4.3).
CONTRAST = """() => {
  const rgb = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => {
    const part = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = node => {
    const own = node.closest("svg");
    if (own) {
      const cell = node.parentElement.querySelector(":scope > rect, :scope > path");
      const filled = "g[class^=h], g[class^=v], g[class^=f], g.unsure";
      if (cell && node.parentElement.matches(filled))
        return rgb(getComputedStyle(cell).fill);
      node = own;
    }
    for (; node; node = node.parentElement) {
      const colour = rgb(getComputedStyle(node).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return rgb(getComputedStyle(document.body).backgroundColor);
  };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walk.nextNode(); text; text = walk.nextNode()) {
    const node = text.parentElement;
    if (!text.data.trim() || /^(SCRIPT|STYLE|title)$/.test(node.tagName)) continue;
    if (!node.getClientRects().length) continue;
    const look = getComputedStyle(node);
    const letters = rgb(node.closest("svg") ? look.fill : look.color);
    const [a, b] = [light(letters), light(ground(node))].sort((x, y) => y - x);
    found.push([Math.round(100 * (a + 0.05) / (b + 0.05)) / 100,
      `${text.data.trim().slice(0, 30)} in ${node.tagName}.${node.getAttribute("class")}`]);
  }
  return found;
}"""
