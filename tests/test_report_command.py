"""The report tells a story: who wins, how sure, how hard, which errors, what changed."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import duckdb
import pytest
from rich.cells import cell_len

import coleval
from coleval.analyses.report.tables import CHAPTERS
from coleval.cli.main import main


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    from coleval.demo import generate, write

    folder = tmp_path_factory.mktemp("demo")
    gold, *systems = write(generate(tokens=4000, systems=4, seed=0, task="span"), folder)
    return coleval.load(str(gold), [str(path) for path in systems]).save(folder / "store")


def test_every_chapter_that_applies_is_told_in_order(demo):
    report = coleval.open(demo).report(replicates=1000, case="sentence")
    story = report.table("story")
    assert story["chapter"].to_list() == [chapter.name for chapter in CHAPTERS]
    assert story["left_out"].null_count() == len(story)
    assert list(dict.fromkeys(name.partition(".")[0] for name in report.tables))[1:] == [
        chapter.name for chapter in CHAPTERS
    ]


def test_tables_of_the_report_are_those_of_the_commands(demo):
    corpus = coleval.open(demo)
    report = corpus.report()
    assert report.table("score.overall").equals(corpus.score().table("overall"))
    assert report.table("bins.tps").equals(corpus.bins().table("tps"))
    assert report.table("oracle.ladder").equals(corpus.oracle().table("ladder"))
    assert report.table("errors.overall").equals(corpus.errors().table("overall"))


def test_the_story_says_what_the_tables_say(demo):
    report = coleval.open(demo).report()
    findings = dict(report.table("story").select("chapter", "finding").rows())
    best = report.table("score.overall").row(0, named=True)
    assert findings["score"].startswith(
        f"{best['system']} ranks first with F1 {100 * best['f1']:.2f}, "
    )
    change = report.table("changes.summary").row(0, named=True)
    assert f"{change['corrections']:,} corrections" in findings["changes"]


def test_changes_are_told_from_the_baseline(demo, capsys):
    corpus = coleval.open(demo)
    best = corpus.score().table("overall")["system"][0]
    other = next(name for name in corpus.systems if name != best)
    assert main(["report", str(demo), "--baseline", other, "--as", "json", "--quiet"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert {row["before"] for row in tables["changes.summary"]} == {other}
    assert main(["report", str(demo), "--baseline", "nobody", "--quiet"]) == 2


def test_what_does_not_apply_is_left_out_and_said_so(write):
    text = "a\tX\nb\tY\n"
    corpus = coleval.load(str(write("g.tsv", text)), {"s": str(write("s.tsv", text))}, task="tag",
                          columns="form=1,gold=2,system=2")  # fmt: skip
    story = corpus.report().table("story")
    left = dict(story.select("chapter", "left_out").rows())
    assert "spans" in left["errors"]
    assert left["compare"] == "there is one system"
    assert left["score"] is None


HEADS = ("overall", "slices", "ladder")


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_the_report_is_a_page(demo, capsys, form):
    assert main(["report", str(demo), "--as", form, "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "ranks first with F1" in out
    # The sentences of the story name slices too: what is looked for are headings.
    heads = [re.search(rf"^(### )?(\w+\.)?{name}\b", out, re.MULTILINE) for name in HEADS]
    places = [head.start() for head in heads if head]
    assert len(places) == len(HEADS)
    assert places == sorted(places)
    if form == "table":
        assert max(map(cell_len, out.splitlines())) <= 100


def test_the_report_is_one_database_that_says_what_was_read(demo, tmp_path):
    file, page = tmp_path / "report.duckdb", tmp_path / "report.json"
    for output in (file, page):
        assert main(["report", str(demo), "-o", str(output), "--quiet"]) == 0
    whole = json.loads(page.read_text(encoding="utf-8"))
    with duckdb.connect(file, read_only=True) as database:
        places = database.sql("select schema_name, table_name from duckdb_tables()").fetchall()
        own = {f"{schema}.{name}".removeprefix("main.") for schema, name in places}
        assert own - {"coleval.report", "coleval.source"} == set(whole["tables"])
        best = "select system, f1 from score.overall order by f1 desc limit 1"
        first = whole["tables"]["score.overall"][0]
        assert database.sql(best).fetchall() == [(first["system"], first["f1"])]
        about = dict(database.table("coleval.report").fetchall())
        read = database.sql("select system, path, sha256 from coleval.source").fetchall()
    assert about["signature"] == whole["signature"]
    assert about["command line"].startswith(f"coleval report {demo} -o ")
    corpus = coleval.open(demo)
    assert read == [(entry.name or None, entry.origin.path, entry.origin.sha256 or None)
                    for entry in (replace(corpus.gold, name=""), *corpus.entries)]  # fmt: skip


def test_a_report_is_shown_in_a_notebook(demo):
    html = coleval.open(demo).score()._repr_html_()
    assert "<table" in html
    assert "coleval:" in html


@pytest.mark.parametrize("folder", ["hipe2022", "compareval-en_gum"])
def test_real_tasks_have_a_report(data, folder, capsys):
    root = data(folder)
    sources = {
        "hipe2022": ["gold/HIPE-2022-v2.1-ajmc-test-en.tsv", "responses/*ajmc_en*"],
        "compareval-en_gum": ["gold.conllu", "systems/*"],
    }[folder]
    assert main(["report", *(str(root / s) for s in sources), "--all", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "What could a combination reach?" in out
    assert max(map(cell_len, out.splitlines())) <= 100


def test_trees_have_a_report_of_different_systems(data):
    folder = data("compareval-en_gum")
    systems = [
        str(next((folder / "systems").glob(f"{name}*"))) for name in ("HIT", "LATTICE", "UniMelb")
    ]
    corpus = coleval.load(str(folder / "gold.conllu"), systems, task="dep")
    report = corpus.report()
    findings = dict(report.table("story").select("chapter", "finding").rows())
    assert findings["score"] == (
        "LATTICE-18 ranks first with LAS 89.27, 1.12 points ahead of HIT-SCIR-18 "
        "(n = 9,375 gold words)."
    )
    change = report.table("changes.summary").row(0, named=True)
    assert change["before"] != change["after"]


def test_a_screen_leads_with_what_matters_and_says_how_to_see_the_rest(demo, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["report", str(demo), "--quiet"]) == 0
    short = capsys.readouterr().out
    assert main(["report", str(demo), "--all", "--quiet"]) == 0
    whole = capsys.readouterr().out
    heads = [re.search(rf"^{name}  ", short, re.MULTILINE) for name in
             ("report", "overall", "ranks", "examples")]  # fmt: skip
    assert all(heads)
    assert "more tables: --all prints them" in short
    assert len(short.splitlines()) < len(whole.splitlines()) / 3
    # Who names a form, or a table, has all of it.
    assert main(["report", str(demo), "--as", "table", "--quiet"]) == 0
    assert capsys.readouterr().out == whole
    assert main(["report", str(demo), "--table", "story", "--quiet"]) == 0
    assert "What could a combination reach?" in capsys.readouterr().out


@pytest.mark.parametrize("width", ["80", "100"])
def test_the_demo_fits_on_a_screen(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    assert main(["demo"]) == 0
    said = capsys.readouterr()
    assert len(said.out.splitlines()) + len(said.err.splitlines()) <= 60
    assert "next: coleval demo --keep demo && coleval report" in said.err
    assert said.out.count("no system solves it") == 3
