"""Errors raised in Python speak Python; the same ones on the command line speak options."""

from __future__ import annotations

import pytest

import coleval
from coleval.cli.main import main
from coleval.declare.wording import in_python, notes_in_python
from coleval.errors import UsageError, unknown


@pytest.fixture
def files(write):
    names = {"gold": "B-A O B-B", "a": "B-A O B-A", "b": "O O B-B", "c": "B-A B-B O"}
    return {
        name: write(f"{name}.conll", "".join(f"w {tag}\n" for tag in tags.split()) + "\n")
        for name, tags in names.items()
    }


@pytest.fixture
def corpus(files):
    return coleval.load(files["gold"], {n: p for n, p in files.items() if n != "gold"})


@pytest.mark.parametrize(
    ("shell", "python"),
    [("--unit", "unit="),
     ("--log-base e", 'log_base="e"'),
     ("--least: 1 or more", "least=: 1 or more"),
     ("--rows, --cols", "rows=, cols="),
     ("name both: --rows difficulty --cols gold; or --find SYSTEM",
      'name both: rows="difficulty", cols="gold"; or find="SYSTEM"'),
     ("--pair A B", 'pair=("A", "B")'),
     ("say --merged", "say merged=True"),
     ("without --merged the first file is gold", "without merged=True the first file is gold"),
     ("--no-punct", "punct=False"),
     ("--task label --separator '|'", 'task="label", separator="|"'),
     ("read it (--format conllu), or say: --columns form=2,head=7",
      'read it (format="conllu"), or say: columns="form=2,head=7"'),
     ("choose a policy: --repair begin, discard or extend",
      'choose a policy: repair="begin", discard or extend'),
     ("is it another --scheme?", "is it another scheme=?"),
     ("UPOS unless --columns says otherwise", "UPOS unless columns= says otherwise"),
     ("of what --rank looks for", "of what rank= looks for"),
     ("--from: no label", "label_before=: no label"),
     ("--replicates 2000 would", "replicates=2000 would"),
     ("coleval compare --metric las gives them", 'corpus.compare(metric="las") gives them'),
     ("load it again with --fresh", "load it again with coleval.load(…).save(…)"),
     ("--memory and --threads set limits", "memory= and threads= set limits"),
     ("--unit nominal for nominal antecedents", 'unit="nominal" for nominal antecedents'),
     ("--verbose and -- are none of ours", "--verbose and -- are none of ours"),
     ("--where `x -- all --unit token`: no", "where= `x -- all --unit token`: no")],
)  # fmt: skip
def test_options_become_keywords(shell, python):
    assert in_python(shell) == python


def test_an_error_speaks_python_in_python_and_options_on_the_command_line(corpus, files, capsys):
    with pytest.raises(UsageError, match=r"^unit=: no unit is called `tokn`\n  did you mean"):
        corpus.score(unit="tokn")
    paths = [str(files[name]) for name in ("gold", "a")]
    assert main(["score", *paths, "--unit", "tokn"]) == 2
    assert capsys.readouterr().err.startswith("error: --unit: no unit is called `tokn`")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [({"replicate": 5}, "corpus.compare: unknown option 'replicate'\n  did you mean 'replicates'?"),
     ({"taxonomy": "hipe"}, "'taxonomy'\n  it is an option of corpus.errors"),
     ({"scheme": "io"}, "`scheme` sets how files are read\n  give it to coleval.load"),
     ({"zzz": 1}, "unknown option 'zzz'\n  there is: above, alpha, average, baseline")],
)  # fmt: skip
def test_a_wrong_keyword_is_named_with_what_it_may_have_been(corpus, wrong, said):
    with pytest.raises(UsageError) as error:
        corpus.compare(**wrong)
    assert said in str(error.value)


def test_load_and_with_options_name_wrong_keywords_too(corpus, files):
    with pytest.raises(UsageError, match=r"coleval.load: unknown option 'shceme'\n.*'scheme'"):
        coleval.load(files["gold"], shceme="io")
    with pytest.raises(UsageError, match=r"corpus.with_options: .*'exlude'\n.*'exclude'"):
        corpus.with_options(exlude="A")


def test_a_value_of_another_type_is_an_error_that_says_so(corpus):
    with pytest.raises(UsageError, match="value for undefined scores is called `3`"):
        corpus.score(undefined=3)
    assert str(unknown("unit", 3, ["token"])).startswith("no unit is called `3`")


def test_one_name_is_a_list_of_one(corpus):
    assert corpus.score(exclude="A")["overall"].equals(corpus.score(exclude=["A"])["overall"])
    assert corpus.score(exclude="A,B").signature == corpus.score(exclude=("A", "B")).signature
    assert corpus.score(undefined=0).signature == corpus.score(undefined="0").signature
    assert corpus.bins(bins_from=["a"])["bins"].equals(corpus.bins(bins_from="a")["bins"])


def test_intervals_are_asked_for_before_how_they_are_drawn(corpus):
    with pytest.raises(UsageError, match=r"seed=: .*\n  add intervals=True"):
        corpus.score(seed=1)


def test_systems_are_chosen_in_every_method(corpus):
    found = corpus.score(systems="a,b")
    assert set(found["overall"]["system"]) == {"a", "b"}
    assert found["overall"].equals(corpus.chosen("a,b").score()["overall"])
    assert corpus.compare(systems=["a", "b"])["pairs"].height == 1


def test_what_keywords_were_called_keeps_working(corpus):
    assert corpus.bins(profile=True)["profile"].equals(corpus.bins(profile_bins=True)["profile"])


def test_notes_of_a_view_speak_python_and_tables_stay_as_they_are():
    view = "a   --unit   3\n… and 3 more labels: --as\ncsv --table labels"
    assert notes_in_python(view, 40) == 'a   --unit   3\n… and 3 more labels:\nreport["labels"]'


def test_named_queries_are_those_of_the_command_line(corpus):
    from coleval.query.shipped import names, query

    name = next(n for n in names() if n.startswith("views/"))
    assert corpus.sql(name).equals(corpus.sql(query(name).text))
