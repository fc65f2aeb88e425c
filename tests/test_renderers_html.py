"""The page: whole, closed in itself, obeying nothing in a name, readable by day and by night."""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import types
from dataclasses import replace
from html.parser import HTMLParser

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coleval
from coleval.corpus.report import Report
from coleval.render import FORMS, save, show
from coleval.render.html_assets import style
from coleval.render.html_table import drawn, untinted
from coleval.render.sheet import PAGE, STEPS, Sheet, step
from coleval.render.views import views
from coleval.render.visible import visible

VOID = {"meta", "br", "wbr", "input", "img", "link", "hr"}
# What a start tag ends that has no end tag of its own, and an end tag within its element.
CELLS = ("td", "th")
ENDED_BY = {
    "td": CELLS, "th": CELLS, "tr": (*CELLS, "tr"), "tbody": (*CELLS, "tr", "thead"),
    "li": ("li",), "dt": ("dt", "dd"), "dd": ("dt", "dd"),
}  # fmt: skip
ENDED_WITHIN = {
    "tr": CELLS, "thead": (*CELLS, "tr"), "tbody": (*CELLS, "tr"),
    "table": (*CELLS, "tr", "tbody", "thead"), "ul": ("li",), "ol": ("li",), "dl": ("dt", "dd"),
}  # fmt: skip
HOSTILE = (
    "<script>alert(1)</script>", '" onmouseover="alert(1)', "'><img src=x onerror=alert(1)>",
    "</style></title></table>", "&lt;b&gt;", "two\nlines\x00\x1b[31m", "\u202eevil", "", "规则_🚀",
    "שלום עולם", "نظام ٣"
)  # fmt: skip


class Page(HTMLParser):
    """What a page holds; that it is well nested is checked while it is read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str]]] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[list[str], str]] = []
        self.rows: list[list[str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.end_what_ends_itself(ENDED_BY.get(tag, ()))
        assert len(dict(attributes)) == len(attributes), tag
        self.tags.append((tag, dict(attributes)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(self.tags[-1])

    def end_what_ends_itself(self, tags):
        """Close elements whose end tags HTML lets a page leave out here (13.1.2.4)."""
        while self.open and self.open[-1][0] in tags:
            self.open.pop()

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        self.end_what_ends_itself(ENDED_WITHIN.get(tag, ()))
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        path = [tag for tag, _ in self.open]
        self.texts.append((path, data))
        if "td" in path or "th" in path:
            self.rows[-1][-1] += data

    def values(self, name: str) -> list[str]:
        return [attributes[name] for _, attributes in self.tags if name in attributes]

    def text(self, within: str = "body") -> str:
        return "".join(text for path, text in self.texts if within in path)

    def column(self, at: int) -> list[str]:
        return [row[at] for row in self.rows[1:]]


def page(report: Report, table: str | None = None) -> Page:
    text = FORMS["html"].render(report, table)
    assert isinstance(text, str)
    text.encode()
    return Page(text)


def leaderboard(*systems: str) -> Report:
    n = len(systems)
    frame = pl.DataFrame(
        {
            "system": systems,
            "f1": [(n - at) / (n + 1) for at in range(n)],
            "tp": 90, "fp": 1234, "repairs": 0,
        }
    )  # fmt: skip
    return Report("score", {"overall": frame}, "coleval:0|task:span")


def by_label(systems: int, labels: list[str]) -> Report:
    rows = [
        (f"system-{s}", label, (s * 7 + at * 13) % 100 / 100, 1000 - at)
        for s in range(systems)
        for at, label in enumerate(labels)
    ]
    frame = pl.DataFrame(rows, schema=["system", "label", "f1", "support"], orient="row")
    return Report("score", {"labels": frame.with_columns(precision="f1", recall="f1")}, "s")


def confusion(*rows: tuple[str, str | None, str | None, int]) -> Report:
    schema = {"system": pl.String, "gold": pl.String, "answer": pl.String, "n": pl.Int64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return Report("confusion", {"confusion": frame}, "s")


def story(*rows: tuple[str, str, str | None, str | None], **tables: pl.DataFrame) -> Report:
    schema = dict.fromkeys(("chapter", "question", "finding", "left_out"), pl.String)
    told = {"story": pl.DataFrame(rows, schema=schema, orient="row")}
    named = {name.replace("__", "."): frame for name, frame in tables.items()}
    return Report("report", told | named, "s", warnings=("one & only",))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_read_as_it_is_and_nothing_in_it_acts(name: str) -> None:
    read = page(leaderboard(name, "b"))
    assert read.column(1) == [visible(name), "b"]
    assert [tag for tag, _ in read.tags].count("script") == 1
    assert {tag for tag, _ in read.tags} & {"img", "b"} == set()
    assert [key for _, found in read.tags for key in found if key.startswith("on")] == []


@given(st.lists(st.text(max_size=40), min_size=1, max_size=6))
def test_any_names_make_a_sound_page(names: list[str]) -> None:
    taken = [(names[0], name, names[-1], at + 1) for at, name in enumerate(names)]
    told = story(("score", names[0], names[-1], None), score__overall=leaderboard(*names).table())
    assert page(leaderboard(*names)).column(len(names) > 1) == [visible(n).strip() for n in names]
    for report in (confusion(*taken), told, Report("x", {n: pl.DataFrame() for n in names}, "")):
        page(report)


def test_control_characters_and_directions_are_shown_wherever_text_stands() -> None:
    told = story(("score", "who \x1b", "it is \u202ex", None), ("b", "c", None, "no \x07"))
    told = replace(told, warnings=("file \udcff",))
    text = page(told).text()
    shown = (r"who \x1b", r"it is \u202ex", r"no \x07", r"file \udcff")
    assert all(part in text for part in shown)
    assert not re.search("[\x00-\x08\x1b\u202e]", text)


def test_a_run_of_words_from_right_to_left_is_set_apart() -> None:
    report = Report("changes", {"summary": one_pair("שלום עולם", "new")}, "")
    markup = str(FORMS["html"].render(report))
    assert "<dt><bdi>שלום עולם</bdi> → new" in markup


def one_pair(before: str, after: str) -> pl.DataFrame:
    counts = ("items", "different", "corrections", "new_errors", "changed_errors", "net")
    scores = ("diff", "accuracy_before", "accuracy_after", "delta", "f1_before", "f1_after")
    row: dict[str, object] = {"before": before, "after": after}
    row |= dict.fromkeys(counts, 4) | dict.fromkeys(scores, 0.5)
    return pl.DataFrame([row | {"f1_delta": 0.1, "sentences": 0}])


def test_a_token_of_ten_thousand_characters_opens_on_demand() -> None:
    read = page(leaderboard("a" * 10_000, "b"))
    assert "10,000 characters" in read.text("summary")
    assert len(read.text("summary")) < 200
    assert "a" * 10_000 in read.text("details")


def test_the_page_asks_for_nothing_from_elsewhere() -> None:
    read = page(leaderboard("a", "b"))
    assert read.values("src") == []
    assert {tag for tag, _ in read.tags} & {"link", "img", "iframe", "object"} == set()
    assert not re.search(r"url\(|@import|https?:", read.text("style") + read.text("script"))
    (policy,) = [a["content"] for _, a in read.tags if "http-equiv" in a]
    assert policy.startswith("default-src 'none';")


def test_the_browser_is_told_which_script_is_ours() -> None:
    read = page(leaderboard("a"))
    digest = base64.b64encode(hashlib.sha256(read.text("script").encode()).digest()).decode()
    (policy,) = [a["content"] for _, a in read.tags if "http-equiv" in a]
    assert f"'sha256-{digest}'" in policy


def test_without_a_script_there_is_no_dead_control() -> None:
    tags = {tag for tag, _ in page(leaderboard("a", "b")).tags}
    assert tags & {"input", "button", "select"} == set()


def test_best_and_worst_are_marked_without_colour_and_explained() -> None:
    read = page(leaderboard("a", "b", "c"))
    assert [row[2] for row in read.rows[1:]] == ["75.00▲", "50.00", "25.00▼"]
    assert "▲ best, ▼ worst of its column" in read.text()


def test_numbers_stand_right_and_names_left() -> None:
    cells = [found for tag, found in page(leaderboard("a")).tags if tag == "td"]
    (name,) = [found for tag, found in page(leaderboard("a")).tags if found.get("scope") == "row"]
    # The style has heads of rows on the left, unless they are told to stand right.
    assert "class" not in name
    assert all("t" not in found.get("class", "").split() for found in cells)


def test_what_a_screen_leaves_out_for_width_is_in() -> None:
    names = [f"a-rather-long-name-of-label-{at}" for at in range(40)]
    read = page(by_label(8, names))
    assert all(name in " ".join(read.rows[0]) for name in names)
    assert "not shown" not in read.text()


def test_a_matrix_of_forty_labels_has_them_all() -> None:
    labels = [f"L{at}" for at in range(40)]
    read = page(confusion(*(("s", label, label, 1) for label in labels)))
    assert sorted(read.rows[0][1:-1]) == sorted(labels)


@pytest.mark.parametrize(("asked", "first", "last"), [("show", 0, 24), ("bins", 8, 16)])
def test_words_far_from_an_item_are_in(asked: str, first: int, last: int, write) -> None:
    words = [f"word-number-{at}" for at in range(25)]
    gold = "".join(f"{word}\t{'B-X' if at == 12 else 'O'}\n" for at, word in enumerate(words))
    files = write("g.tsv", gold), write("s.tsv", gold.replace("B-X", "O"))
    corpus = coleval.load(str(files[0]), {"s": str(files[1])}, task="span")
    read = page(corpus.show() if asked == "show" else corpus.bins(items=True), "items")
    told = " ".join(cell for row in read.rows for cell in row).split()
    assert {f"word-number-{first}", f"word-number-{last}"} <= set(told)


def test_there_is_an_end_to_the_width_and_it_is_told() -> None:
    read = page(by_label(8, [f"LABEL-{at}" for at in range(400)]))
    assert len(read.rows[0]) < PAGE / 8
    assert "labels with less support not shown (--as csv --table labels)" in read.text()


def test_a_long_table_is_cut_and_says_how_to_get_all() -> None:
    read = page(Report("sql", {"result": pl.DataFrame({"x": range(100)})}, "s"))
    assert len(read.rows) == 1 + 60
    assert "… and 40 more rows: --as csv --table result" in read.text()
    assert "100 rows × 1 column: coleval sql … --as csv --table result" in read.text()


def test_notes_call_a_table_what_the_report_calls_it() -> None:
    frame = by_label(2, [f"L{at}" for at in range(100)]).table()
    read = page(story(("score", "who wins", "a", None), score__labels=frame))
    assert "… and 40 more labels: --as csv --table score.labels" in read.text()


def test_a_confusion_matrix_is_tinted_and_its_numbers_stay() -> None:
    read = page(confusion(("s", "PER", "PER", 9), ("s", "PER", "LOC", 3), ("s", "PER", "ORG", 1)))
    assert read.rows[1] == ["PER", "9", "3", "1", "13"]
    # The cells of its heat map have the shades, by the root of the count; its rows do not again.
    classes = [found.get("class") for tag, found in read.tags if tag == "td"][:4]
    assert classes == ["d", None, None, "d"]
    shades = [found["class"] for tag, found in read.tags if tag == "g" and "class" in found]
    assert shades.count(f"h{STEPS}") == 1
    assert len(set(shades)) == 3


def test_rows_without_a_heat_map_keep_their_shades() -> None:
    frame = confusion(("s", "PER", "LOC", 3), ("s", "PER", "ORG", 1)).table()
    (view,) = (v for v in views(Report("confusion", {"confusion": frame}, ""), "confusion", PAGE)
               if isinstance(v, Sheet))  # fmt: skip
    assert f'class="h{STEPS * 3 // 4}"' in drawn(view, "confusion")
    assert 'class="h' not in drawn(untinted(view), "confusion")


def test_a_bar_is_as_long_as_its_share() -> None:
    bins = pl.DataFrame({"bin": [0, 1], "items": [20, 80], "share": [0.2, 0.8]})
    read = page(Report("bins", {"bins": bins}, ""))
    assert read.values("style") == ["left:0%;width:25%", "left:0%;width:100%"]
    assert "█" not in read.text()


def test_an_interval_is_a_line_with_a_dot_at_the_score() -> None:
    row = {"rank": 1, "rank_low": 1, "rank_high": 1, "p_best": None, "group": 1, "note": None,
           "better_than": 0, "worse_than": 0, "metric": "f1"}  # fmt: skip
    first = {"system": "a", "value": 0.8, "low": 0.6, "high": 1.0}
    last = {"system": "b", "value": 0.5, "low": 0.5, "high": 0.6}
    frame = pl.DataFrame([first | row, last | row])
    read = page(Report("compare", {"ranks": frame}, ""))
    assert read.values("style")[:2] == ["left:20%;width:80%", "left:60%;width:0%"]
    assert read.values("class").count("dot") == 2


def test_an_error_profile_names_every_kind_and_its_count() -> None:
    rows = [("a", "le", 30), ("a", "fn", 70), ("b", "fn", 50)]
    frame = pl.DataFrame(rows, schema=["system", "error", "n"], orient="row")
    read = page(Report("errors", {"profile": frame}, ""))
    titles = [t for t in read.values("title") if ":" in t]
    assert titles == ["wrong label: 30", "missed: 70", "missed: 50"]
    assert read.values("style") == [
        "left:0%;width:30%", "left:30%;width:70%", "left:0%;width:50%",
    ]  # fmt: skip
    assert read.rows[1] == ["a", "100", "L 30- 70"]
    assert "L wrong label" in read.text("ul")


def test_a_square_of_systems_calls_them_by_name() -> None:
    pairs = [("first-system", "second-system"), ("first-system", "third-system"),
             ("second-system", "third-system")]  # fmt: skip
    frame = pl.concat([one_pair(a, b).with_columns(diff=0.25) for a, b in pairs])
    read = page(Report("changes", {"summary": frame.with_columns(f1_delta=0.1)}, ""))
    assert [head[2:] for head in read.rows[0][1:]] == [row[0][2:] for row in read.rows[1:4]]


def test_prose_has_its_remedy() -> None:
    row = ("a.conll", 17, "columns", "a TAB too many", "mend the file", 3)
    schema = ["file", "line", "kind", "problem", "remedy", "n"]
    frame = pl.DataFrame([row], schema=schema, orient="row")
    read = page(Report("validate", {"problems": frame}, ""))
    assert read.text("dt") == "a.conll:17  columns  (3 times)"
    assert read.text("dd") == "a TAB too many→ mend the file"


def test_lists_side_by_side_are_not_sorted_one_by_the_other() -> None:
    kinds = ["correction", "new error", "changed error"]
    frame = pl.DataFrame(
        {"before": "a", "after": "b", "kind": kinds, "gold": [None, None, "X"],
         "label_before": ["X", "Y", "Y"], "label_after": ["Y", "X", "Z"], "n": [3, 2, 1],
         "share_of_kind": 1.0}
    )  # fmt: skip
    tables = {"summary": one_pair("a", "b"), "changes": frame}
    assert "fixed" in page(Report("changes", tables, ""), "changes").values("class")
    assert "fixed" not in page(leaderboard("a", "b")).values("class")


def test_a_table_without_a_picture_can_be_opened() -> None:
    frame = pl.DataFrame({"label": [None], "system": ["a"], "accuracy": [0.5]})
    read = page(Report("oracle", {"systems": frame}, ""), "systems")
    assert "for programs" in read.text("summary")
    assert read.rows == [["system", "accuracy %"], ["a", "50.00"]]


def test_an_empty_table_says_so() -> None:
    assert "no rows" in page(Report("sql", {"result": pl.DataFrame({"x": []})}, "")).text()
    assert "no rows" in page(confusion()).text()


def test_chapters_have_their_question_and_finding_before_their_tables() -> None:
    told = story(
        ("score", "who wins", "a wins", None), ("errors", "what kinds", None, "no spans"),
        ("bins", "how hard", "hard", None),
        score__overall=leaderboard("a", "b").table(),
        bins__bins=pl.DataFrame({"bin": [0], "items": [1], "share": [1.0]}),
    )  # fmt: skip
    read = page(told)
    assert read.text("h2") == "who winshow hardGlossarywarnings"
    # The head of the page has the findings too.
    assert read.text("p").count("a wins") == 2
    assert read.text("summary").count("a wins") == 1
    assert "left out — what kinds: no spans" in read.text("ul")
    places = [read.text("main").rindex(w) for w in ("66.67", "100.00", "no spans", "one & only")]
    assert places == sorted(places)


def test_every_link_leads_to_one_place_on_the_page() -> None:
    tables = {"a b": pl.DataFrame({"x": [1]}), "a-b": pl.DataFrame({"x": [1]}), "<": pl.DataFrame()}
    read = page(Report("sql", tables, ""))
    ids = read.values("id")
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in read.values("href")} == set(ids) - {"top"}


def test_signature_and_warnings_end_the_page_and_very_many_are_counted() -> None:
    report = Report("score", leaderboard("a").tables, "the|<signature>", ("w <1>",) * 1000)
    text = page(report).text("footer")
    assert text.count("w <1>") == 200
    assert "800 more: coleval validate lists them all" in text
    assert text.rstrip().endswith("the|<signature>")


def test_one_table_can_be_had_alone() -> None:
    tables = {"overall": pl.DataFrame({"x": [1]}), "labels": pl.DataFrame({"x": [2]})}
    assert page(Report("sql", tables, ""), "labels").values("data-table") == ["labels"]


@pytest.mark.parametrize("time", [0, 1], ids=["day", "night"])
@pytest.mark.parametrize("letters", ["ink", "dim", "link", "best", "worst"])
@pytest.mark.parametrize("ground", ["page", "band"])
def test_letters_can_be_read_by_day_and_by_night(time: int, letters: str, ground: str) -> None:
    first, second = (re.findall(rf"--{n}: (#\w+)", style())[time] for n in (letters, ground))
    assert contrast(first, second) >= 4.5


def test_letters_can_be_read_on_bars() -> None:
    colors = re.findall(r"i\.s\d \{ background: (#\w+); color: #000; \}", style())
    assert len(colors) == 8
    assert min(contrast(color, "#000") for color in colors) >= 4.5


def contrast(first: str, second: str) -> float:
    dark, light = sorted(map(luminance, (first, second)))
    return (light + 0.05) / (dark + 0.05)


def luminance(color: str) -> float:
    full = color if len(color) == 7 else "#" + "".join(2 * c for c in color[1:])
    parts = [int(full[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_steps_of_a_tint_go_from_the_palest_to_the_strongest() -> None:
    assert [step(share) for share in (-1.0, 0.0, 0.5, 1.0, 2.0)] == [0, 0, 10, 20, 20]


def test_the_style_leaves_the_rest_of_a_notebook_alone() -> None:
    rules = re.sub(r"/\*.*?\*/", "", style(), flags=re.DOTALL)
    bare = re.sub(r"\{[^{}]*\}", "", re.sub(r"@\w+[^{]*\{", "", rules))
    selectors = [part.strip(" }\n") for part in re.split(r"[,\n]", bare)]
    assert [s for s in selectors if s and ".coleval" not in s] == []


def test_a_notebook_gets_the_tables_without_a_page_around_them() -> None:
    read = Page(leaderboard("<a>", "b")._repr_html_())
    assert read.column(1) == ["<a>", "b"]
    assert {tag for tag, _ in read.tags} & {"html", "body", "head", "script", "meta"} == set()


class Shell:
    """An IPython that has a kernel if it is a notebook's."""

    def __init__(self, kernel: object) -> None:
        self.kernel = kernel


@pytest.mark.parametrize("kernel", [None, "a notebook's"])
def test_show_shows_html_in_a_notebook_and_text_elsewhere(kernel, monkeypatch, capsys) -> None:
    seen: list[Report] = []
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: Shell(kernel)
    display = types.ModuleType("IPython.display")
    display.display = seen.append
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    report = leaderboard("a", "b")
    show(report)
    assert seen == ([report] if kernel else [])
    assert ("66.67" in capsys.readouterr().out) == (not kernel)


REAL = {
    "wnut17": ["gold/emerging.test.annotated", "submissions/*"],
    "hipe2022": ["gold/HIPE-2022-v2.1-ajmc-test-en.tsv", "responses/*ajmc_en*"],
    "conll18-ud/en_gum": ["gold.conllu", "systems/*"],
}


@pytest.mark.parametrize("folder", REAL)
def test_the_report_of_a_real_task_is_one_sound_page_with_every_table(data, folder, tmp_path):
    gold, systems = (data(folder) / part for part in REAL[folder])
    task = "dep" if folder.startswith("conll18") else "span"
    corpus = coleval.load(str(gold), str(systems), task=task)
    report = corpus.report()
    save(report, tmp_path / "report.html")
    read = Page((tmp_path / "report.html").read_text("utf-8"))
    assert read.values("data-table") == list(report.tables)[1:]
    findings = [finding for finding in report.table("story")["finding"] if finding]
    assert all(finding in read.text("summary") for finding in findings)
    assert all(
        link.startswith("#") and link[1:] in read.values("id") for link in read.values("href")
    )
    assert read.values("src") == []
    best = report.table("score.overall")["system"][0]
    assert best in read.column(1)[:1] + read.column(0)[:1]


def test_heads_say_what_their_columns_mean() -> None:
    heads = [found for tag, found in page(leaderboard("a", "b")).tags if tag == "th"]
    titles = [found["title"] for found in heads if "title" in found]
    assert any("false positives" in title or "predicted" in title for title in titles), titles
    assert all(titles)
