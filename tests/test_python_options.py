"""Python and the command line have the same options, described once, and typed."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import get_args

import pytest

import coleval
from coleval.analyses.buckets.plan import METRICS as BUCKET_SCORES
from coleval.analyses.errors.tables import FOCUS
from coleval.analyses.measure.tables import BASES
from coleval.cli.arguments import COMMANDS
from coleval.corpus.options import METRICS, Reading, Scoring
from coleval.corpus.schemes import REPAIRS, SCHEMES
from coleval.corpus.tasks import TASKS
from coleval.loading.readers.formats import FORMATS
from coleval.python import keywords
from coleval.python.describing import PYTHON, named, texts
from coleval.python.methods import METHODS
from coleval.render import FORMS
from coleval.statistics.agreement import CHANCE
from coleval.statistics.multiple import CORRECTIONS
from coleval.statistics.paired import TESTS

METHOD = {method.__name__: method for method in METHODS}
# What the command line needs to find files, to write them and to talk on the way.
OF_THE_SHELL = {"form", "output", "caption", "tint", "table", "quiet", "threads", "memory",
                "profile", "train", "train_columns", "list", "unsafe", "help"}  # fmt: skip
READING = {field.name for field in fields(Reading)}
# What only Python has: several pairs at once, what `--labels union` says, what one profile sets,
# calls back, corpora beside this one, and how much of RSA is drawn.
OF_PYTHON = {"pairs", "average", "forms", "drop", "progress", "name", "sample"}


@pytest.mark.parametrize("name", METHOD)
def test_a_command_has_no_option_that_its_method_lacks(name):
    there = {option for _, option, _ in texts(name)} - OF_THE_SHELL - READING
    assert there <= set(named(METHOD[name]))


@pytest.mark.parametrize("name", METHOD)
def test_a_method_has_no_option_that_its_command_lacks(name):
    there = {option for _, option, _ in texts(name)}
    assert set(named(METHOD[name])) - there <= OF_PYTHON


def test_what_reads_files_are_the_options_of_load():
    read = {option for _, option, _ in texts("load")} & (READING | {"profile", "memory"})
    assert read <= set(named(coleval.load))
    assert READING | {field.name for field in fields(Scoring)} <= set(named(coleval.load))


@pytest.mark.parametrize("method", [*METHODS, coleval.load, coleval.Corpus.with_options])
def test_every_option_is_described_and_in_the_signature(method):
    text = inspect.getdoc(method)
    for name in named(method):
        assert f"\n  {name}: " in text, name
    shown = inspect.signature(method).parameters
    assert set(named(method)) <= set(shown)
    assert not [p for p in shown.values() if p.kind is inspect.Parameter.VAR_KEYWORD]


@pytest.mark.parametrize("method", [*METHODS, coleval.load])
def test_no_help_shows_an_option_of_the_shell(method):
    assert "--" not in inspect.getdoc(method)


def test_what_is_said_for_python_alone_is_about_options_that_there_are():
    for command, said in PYTHON.items():
        methods = [METHOD[command]] if command in METHOD else [*METHODS, coleval.load]
        assert set(said) <= {name for method in methods for name in named(method)}
    assert all(command in COMMANDS for command in METHOD)


@pytest.mark.parametrize(
    ("kind", "registry"),
    [(keywords.Task, TASKS), (keywords.Format, FORMATS), (keywords.Scheme, SCHEMES),
     (keywords.Repair, REPAIRS), (keywords.Attachment, METRICS), (keywords.Test, ("", *TESTS)),
     (keywords.Correction, CORRECTIONS), (keywords.Chance, CHANCE), (keywords.LogBase, BASES),
     (keywords.Focus, FOCUS), (keywords.BucketScore, BUCKET_SCORES), (keywords.Form, FORMS)],
)  # fmt: skip
def test_types_name_all_that_a_registry_has(kind, registry):
    assert sorted(get_args(kind)) == sorted(registry)


def test_typed_keywords_are_those_of_the_options():
    counting = {field.name for field in fields(Scoring)}
    assert set(keywords.AllCounting.__annotations__) == counting
    assert set(keywords.LoadOptions.__annotations__) == counting | READING
