"""The whole numbers of each segment that metrics of text are made of, by the metrics' libraries.

Tokenisers, n-grams and edits are those of sacreBLEU, rouge-score, rapidfuzz and nltk, which
``pip install 'coleval[text]'`` brings. Python counts n-grams on one core, so long jobs are dealt
out to processes of their own (``extraction_worker``): they need no guard in the program that calls.
"""

from __future__ import annotations

import os
import pickle
import re
import string
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from coleval.errors import UsageError, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

# Scores that are means of segments are summed as so many parts of one: exact to the rounding of
# floats, and no sum of ten million segments is too large for 64 bits.
PARTS = 10**12
# TER goes by the mean length of the references: whole numbers for up to twelve of them.
REFERENCES = 27_720
# What one segment has: the distinct outputs of systems, and its references.
Segment = tuple[list[str], list[str]]
# Outputs that are counted here, and those that another process gets at a time.
_FEW, _CHUNK = 500, 1_000
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class Extractor:
    """How a library counts: what it makes of references, and of an output beside these."""

    signature: str
    prepare: Callable[[list[str]], Any]
    count: Callable[[str, Any], Sequence[float]]


def _library(name: str) -> Any:
    """Return a library that the extra brings; raise if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise UsageError(
            f"metrics of generated text need {name.partition('.')[0]}, which is not installed",
            where="--task text",
            remedy="pip install 'coleval[text]'",
        ) from None


def _of_sacrebleu(metric: Any, scale: int = 1) -> Extractor:
    # What the library sums up for a corpus score is not public; sacrebleu 2 has had it all along.
    segment = metric._preprocess_segment  # noqa: SLF001
    prepare, count = metric._extract_reference_info, metric._compute_segment_statistics  # noqa: SLF001
    # How many references there are is said of the corpus.
    metric.num_refs = 1
    signature = metric.get_signature().format().removeprefix("nrefs:1|").replace("|", ",")
    return Extractor(
        signature,
        lambda references: prepare([segment(one) for one in references]),
        lambda output, known: [round(n * scale) for n in count(segment(output), known)],
    )


def _bleu(tokenize: str) -> Extractor:
    module = _library("sacrebleu.metrics.bleu")
    known = module._TOKENIZERS  # noqa: SLF001  - what its command line offers
    if tokenize and tokenize not in known:
        raise unknown("tokeniser", tokenize, known, where="--tokenize")
    try:
        return _of_sacrebleu(module.BLEU(tokenize=tokenize or None))
    except (ImportError, RuntimeError) as error:
        said = " ".join(str(error).split())
        raise UsageError(f"sacreBLEU cannot use `{tokenize}` ({said})", where="--tokenize",
                         remedy=f"pip install 'sacrebleu[{tokenize[:2]}]'") from None  # fmt: skip


def _chrf(tokenize: str) -> Extractor:  # noqa: ARG001  - of characters
    return _of_sacrebleu(_library("sacrebleu.metrics").CHRF())


def _chrf_words(tokenize: str) -> Extractor:  # noqa: ARG001
    return _of_sacrebleu(_library("sacrebleu.metrics").CHRF(word_order=2))


def _ter(tokenize: str) -> Extractor:  # noqa: ARG001
    return _of_sacrebleu(_library("sacrebleu.metrics").TER(), REFERENCES)


def _rouge(tokenize: str) -> Extractor:  # noqa: ARG001
    kinds = ["rouge1", "rouge2", "rougeL"]
    scorer = _library("rouge_score.rouge_scorer").RougeScorer(kinds)

    def count(output: str, references: list[str]) -> list[int]:
        found = scorer.score_multi(references, output)
        return [*(round(PARTS * found[kind].fmeasure) for kind in kinds), 1]

    return Extractor(f"rouge-score:{version('rouge-score')},stemmer:no", list, count)


def _meteor(tokenize: str) -> Extractor:  # noqa: ARG001
    meteor = _library("nltk.translate.meteor_score").meteor_score
    words = _library("nltk.tokenize").TreebankWordTokenizer().tokenize
    try:
        _library("nltk.corpus").wordnet.ensure_loaded()
    except LookupError:
        raise UsageError(
            "METEOR needs WordNet, which nltk has not here",
            where="--metric meteor",
            remedy="python -m nltk.downloader wordnet; or compare METEOR scores that another "
            "program has computed as numbers: --task score",
        ) from None
    return Extractor(
        f"nltk:{version('nltk')},tok:treebank",
        lambda references: [words(one) for one in references],
        lambda output, known: [round(PARTS * meteor(known, words(output))), 1],
    )


def _edits(split: Callable[[str], Sequence[str]], name: str) -> Extractor:
    """Return the edits of words or characters; of several references the nearest one counts."""
    distance = _library("rapidfuzz.distance.Levenshtein").distance

    def count(output: str, references: list[Sequence[str]]) -> tuple[int, int]:
        units = split(output)
        pairs = [(distance(units, one), len(one)) for one in references]
        return min(pairs, key=lambda pair: pair[0] / max(pair[1], 1))

    return Extractor(
        f"rapidfuzz:{version('rapidfuzz')},unit:{name}",
        lambda references: [split(one) for one in references],
        count,
    )


def _wer(tokenize: str) -> Extractor:  # noqa: ARG001
    return _edits(str.split, "word")


def _cer(tokenize: str) -> Extractor:  # noqa: ARG001
    return _edits(str.strip, "character")


def normalised_answer(text: str) -> list[str]:
    """Return the words of an answer as SQuAD compares them: lower case, no articles, no signs."""
    return _ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split()


def _answer(tokenize: str) -> Extractor:  # noqa: ARG001
    def f1(one: list[str], other: list[str]) -> float:
        if not one or not other:
            return float(one == other)
        return 2 * (Counter(one) & Counter(other)).total() / (len(one) + len(other))

    def count(output: str, references: list[list[str]]) -> list[int]:
        words = normalised_answer(output)
        best = max(f1(words, one) for one in references)
        return [PARTS * (words in references), round(PARTS * best), 1]

    return Extractor(
        "normalised:squad", lambda references: [normalised_answer(r) for r in references], count
    )


EXTRACTORS: dict[str, Callable[[str], Extractor]] = {
    "bleu": _bleu, "chrf": _chrf, "chrf++": _chrf_words, "ter": _ter, "rouge": _rouge,
    "meteor": _meteor, "wer": _wer, "cer": _cer, "answer": _answer,
}  # fmt: skip


def extract(
    statistic: str,
    segments: Sequence[Segment],
    tokenize: str = "",
    progress: Callable[[str], None] | None = None,
) -> NDArray[np.int64]:
    """Return the numbers of all outputs, a row each, in the order of segments and outputs."""
    extractor = EXTRACTORS[statistic](tokenize)
    outputs = sum(len(outputs) for outputs, _ in segments)
    cores = min(os.cpu_count() or 1, outputs // _FEW + 1)
    chunks = list(_chunks(segments))
    if cores == 1:
        parts = [count_chunk(extractor, chunk) for chunk in chunks]
    else:
        said = progress or (lambda _: None)
        parts = _dealt_out(extractor, (statistic, tokenize), chunks, cores, said)
    return np.concatenate(parts) if parts else np.zeros((0, 1), np.int64)


def count_chunk(extractor: Extractor, segments: Sequence[Segment]) -> NDArray[np.int64]:
    """Return the numbers of the outputs of some segments; references are prepared once for all."""
    rows = []
    for outputs, references in segments:
        known = extractor.prepare(references)
        rows += [extractor.count(output, known) for output in outputs]
    return np.array(rows, np.int64)


def _chunks(segments: Sequence[Segment]) -> Iterator[Sequence[Segment]]:
    """Yield runs of segments with about as many outputs each."""
    ends = np.cumsum([len(outputs) for outputs, _ in segments])
    low = 0
    while low < len(segments):
        done = int(ends[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(ends, done + _CHUNK, side="right")))
        yield segments[low:high]
        low = high


def _dealt_out(
    extractor: Extractor, named: tuple[str, str], chunks: list[Sequence[Segment]], cores: int,
    progress: Callable[[str], None],
) -> list[NDArray[np.int64]]:  # fmt: skip
    """Return the numbers of chunks, counted by processes that take the next one when free."""
    found: list[Any] = [None] * len(chunks)
    waiting = iter(enumerate(chunks))

    def work(_: int) -> None:
        command = [sys.executable, "-m", "coleval.counts.extraction_worker", *named]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:  # noqa: S603
            assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018
            # Both ends of an iterator are taken under the lock of the interpreter.
            for at, chunk in waiting:
                try:
                    pickle.dump(chunk, process.stdin)
                    process.stdin.flush()
                    found[at] = pickle.load(process.stdout)  # noqa: S301  - of our own process
                except (EOFError, OSError):
                    # No other process may be started here, or it was ended: it is done by this one.
                    found[at] = count_chunk(extractor, chunk)
                done = sum(one is not None for one in found)
                progress(f"{named[0]} {100 * done // len(chunks)} %")
            with suppress(OSError):
                process.stdin.close()

    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(work, range(cores)))
    return found
