"""A task: what the program asks of one instead of comparing names.

Facts are fields; behaviour is a field too, a function or the name of one (``ByName``) in the room
that it belongs to, which is imported when it is called. The tasks are in ``corpus.tasks``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from coleval.corpus.corpus import Corpus
    from coleval.corpus.items import Items
    from coleval.corpus.options import Scoring
    from coleval.statistics.measure import UnitSums

Tables = Mapping[str, "pl.DataFrame"]
# Items as they are compared, as tables show their answers, and with the answers in full.
Views = tuple["Items", "Items", "Items"]


@dataclass(frozen=True, slots=True)
class ByName:
    """A function ``module:name`` of coleval, imported when it is first called."""

    path: str

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Return what the function returns."""
        module, _, name = self.path.partition(":")
        return getattr(import_module(f"coleval.{module}"), name)(*arguments, **options)


def _accuracy(_corpus: Corpus, _items: Items) -> str:
    return "accuracy"


def _as_it_is(_corpus: Corpus, items: Items) -> Items:
    return items


def _one_view(_corpus: Corpus, items: Items) -> Views:
    return items, items, items


def _labels(_corpus: Corpus, items: Items, _words: Items) -> Sequence[str]:
    return items.labels


def _not_signed(_corpus: Corpus) -> dict[str, str]:
    return {}


def _not_counted_so(_scoring: Scoring) -> dict[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Task:
    """One task: its facts, and the functions that do what it does in a way of its own.

    Only the name is needed: a task without anything else has items with labels of their own.
    """

    name: str
    # The units items come in, the first by default.
    units: tuple[str, ...] = ("token",)

    # The one of them that is the running text, where files have it.
    text_unit: str = ""

    # What the answers are.
    # Files have tags with positions (B-PER), and the items are the spans that these mean.
    spans_of_tags: bool = False
    # An answer is the head and the relation of a word.
    trees: bool = False
    # An answer is the chain of a mention.
    mentions: bool = False
    # An answer is a label as files have it: --labels names answers, --fold ignores their case.
    own_labels: bool = False
    # An item may have a set of labels; one without any was not rated.
    label_sets: bool = False
    # An answer is a number, whose labels are the numbers that there are.
    numeric: bool = False
    # An answer is a text, whose metrics are functions of what is counted of it.
    texts: bool = False
    # What makes numbers of answers, for analyses that have no other use for these.
    as_numbers: Callable[[Corpus], Corpus] | None = None
    # Why there is no confusion of labels.
    unlabelled: str = ""

    # How files become items, and where those are kept.
    # Every token of the text is an item, whether or not gold labels it.
    covers_text: bool = False
    # Files are text with a tag a token: training data, and files that are read one by one.
    tagged_text: bool = False
    # Items are rows of tables.
    of_tables: bool = False
    # What makes the corpus of token files: (reading, reader, layers, origins, progress).
    of_token_files: Callable[..., Corpus] = ByName("loading.tasks.tokens:token_corpus")
    # What a unit makes another task of, as words do of texts.
    by_unit: Mapping[str, Task] = field(default_factory=dict)
    # The one unit that a store keeps, and what makes all units of it; all are kept where none is.
    source_unit: str = ""
    derived_units: Callable[[Callable[[], Items]], Mapping[str, Items]] | None = None

    # How answers are counted and shown.
    # The items that are counted at all.
    counted: Callable[[Corpus, Items], Items] = _as_it_is
    # The items reduced to what makes answers equal.
    compared: Callable[[Corpus, Items], Items] = _as_it_is
    views: Callable[[Corpus, Items], Views] = _one_view
    # The part of an answer that --labels names, where that is not all of it.
    label_part: Callable[[Corpus], Callable[[str], str]] | None = None
    # What tables call each label of some items, which are among all these words.
    label_names: Callable[[Corpus, Items, Items], Sequence[str]] = _labels
    # Scoring options that nobody chose, by analysis; "" is for several analyses at once.
    conventions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    # The attributes of buckets where none is named (none: those of Fu et al.), and those that
    # training data add.
    attributes: tuple[str, ...] = ()
    trained_attributes: tuple[str, ...] = ()

    # What analyses do.
    # The score that a leaderboard of some items is ranked by.
    headline: Callable[[Corpus, Items], str] = _accuracy
    # Scores to compare systems by, beside those of all tasks.
    metrics: tuple[str, ...] = ()
    leaderboard: Callable[[Corpus], Tables] = ByName("analyses.score.tables:leaderboard")
    confusion: Callable[[Corpus], pl.DataFrame] = ByName("analyses.confusion.tables:of_labels")
    # What intervals of a leaderboard with several metrics are drawn from: UnitSums of a corpus and
    # a kind of unit.
    unit_sums: Callable[[Corpus, str], Iterable[UnitSums]] | None = None

    # What the signature adds of how files were read, and of how items were counted.
    reading_signature: Callable[[Corpus], dict[str, str]] = _not_signed
    scoring_signature: Callable[[Scoring], dict[str, str]] = _not_counted_so
