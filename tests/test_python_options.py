"""Python and the command line have the same options, described once, and typed."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import get_args

import pytest

import coleval
from coleval.analyses.buckets.views import SCORES as BUCKET_SCORES
from coleval.analyses.measure.spec import BASES
from coleval.analyses.registry import ANALYSES
from coleval.cli.arguments import parser_of
from coleval.cli.overview import COMMANDS
from coleval.corpus.options import Reading, Scoring
from coleval.corpus.schemes import REPAIRS, SCHEMES
from coleval.corpus.tasks import TASKS
from coleval.corpus.tree_metrics import PARTS as TREE_METRICS
from coleval.declare import keywords, kinds
from coleval.declare.counting import BucketRule, Engined, ErrorNames, Keys, TreeCounting
from coleval.declare.options import options_of
from coleval.loading.readers.formats import FORMATS
from coleval.render import FORMS
from coleval.statistics.agreement import CHANCE, DISTANCES, WEIGHTS
from coleval.statistics.paired import CORRECTIONS, TESTS

# What only Python has: several pairs at once, what `--labels union` says, calls back, corpora
# beside this one, how much of RSA is drawn; and the query, which is an argument by its place.
OF_PYTHON = {"pairs", "average", "progress", "name", "sample", "query", "threads"}
READING = options_of(Reading)


def flags(name: str) -> dict[str, str]:
    """Return the options of a command by the keyword they are given as."""
    parser = parser_of(COMMANDS[name])
    return {flag: action.dest for action in parser._actions for flag in action.option_strings}


@pytest.mark.parametrize("name", ANALYSES)
def test_a_command_has_every_declared_option_and_a_method_has_it_too(name):
    there = set(flags(name).values())
    declared = ANALYSES[name].declared
    assert declared.keys() - there <= OF_PYTHON
    shown = inspect.signature(getattr(coleval.Corpus, ANALYSES[name].called)).parameters
    assert shown.keys() == {"corpus", *declared}


@pytest.mark.parametrize("name", ANALYSES)
def test_one_option_has_one_name_everywhere(name):
    # `from`, `all` and `with` are words of Python, and `--dataset` names one of several.
    renamed = {"--from": "label_before", "--to": "label_after", "--dataset": "datasets",
               "--attribute": "attributes", "--all": "every", "--with": "relations"}  # fmt: skip
    for each in ANALYSES[name].declared.values():
        for flag, keyword in flags(name).items():
            if keyword == each.name and flag not in renamed:
                assert flag.replace("--no-", "--") == f"--{keyword.replace('_', '-')}"


@pytest.mark.parametrize("name", ["load", "validate", "score"])
def test_what_reads_files_is_declared_once(name):
    there = set(flags(name).values())
    assert {o.name for o in READING.values() if o.about.shell} <= there
    assert set(READING) <= set(inspect.signature(coleval.load).parameters)


METHODS = [getattr(coleval.Corpus, one.called) for one in ANALYSES.values()]


@pytest.mark.parametrize("method", [*METHODS, coleval.load, coleval.Corpus.with_options])
def test_every_option_is_described_and_in_the_signature(method):
    text = inspect.getdoc(method)
    shown = inspect.signature(method).parameters
    apart = {"corpus", "self", "gold", "systems", "profile", "progress", "memory"}
    for name in shown.keys() - apart:
        assert f"\n  {name}: " in text, name
    assert not [p for p in shown.values() if p.kind is inspect.Parameter.VAR_KEYWORD]


@pytest.mark.parametrize("method", [*METHODS, coleval.load])
def test_no_help_shows_an_option_of_the_shell(method):
    assert "--" not in inspect.getdoc(method)


@pytest.mark.parametrize("name", ANALYSES)
def test_options_of_a_kind_name_their_values(name):
    for each in ANALYSES[name].declared.values():
        assert each.about.help
        assert each.about.group
        assert not each.about.choose or each.about.values


@pytest.mark.parametrize(
    ("kind", "registry"),
    [(kinds.Task, TASKS), (kinds.Format, FORMATS), (kinds.Scheme, SCHEMES),
     (kinds.Repair, REPAIRS), (kinds.Attachment, TREE_METRICS), (kinds.Test, ("", *TESTS)),
     (kinds.Correction, CORRECTIONS), (kinds.Chance, CHANCE), (kinds.LogBase, BASES),
     (kinds.BucketScore, BUCKET_SCORES), (kinds.Form, FORMS), (kinds.Weights, ("", *WEIGHTS)),
     (kinds.Distance, DISTANCES)],
)  # fmt: skip
def test_types_name_all_that_a_registry_has(kind, registry):
    assert sorted(get_args(kind)) == sorted(registry)


def test_typed_keywords_are_those_of_the_options():
    counting = {field.name for field in fields(Scoring)}
    assert set(keywords.AllCounting.__annotations__) == counting
    assert set(keywords.LoadOptions.__annotations__) == counting | set(READING)
    shared = (TreeCounting, Engined, Keys, ErrorNames, BucketRule)
    assert {name for kind in shared for name in options_of(kind)} == counting | {"systems"}
