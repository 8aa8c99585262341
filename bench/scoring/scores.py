"""Scores a run's texts, or predictions, under any metrics: a few numbers for each cell.

Scores are derived: kept with the run, computed again when the texts or the computation changed,
and no extractor ever runs for them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bench.datasets.catalogue import DataSet
from bench.metrics.base import Metric
from bench.metrics.texts.unicode import normalised
from bench.model import FAILED, BenchError, Gold, GoldPage, Outcome
from bench.scoring import metric_catalogue
from bench.scoring.predictions import Predictions
from bench.stats.estimate import MIN_PAGES
from bench.stats.figure import Figure, Floats, Ints, Weights
from bench.stats.paired import TIE
from bench.util import pool
from bench.util.progress import SILENT, Progress

if TYPE_CHECKING:
    import pandas as pd

    from bench.runs.store.runs import RunFolder

_CHARS_AT_ONCE = 4_000_000
"""Texts in memory at a time, for each process."""
_PAGES_AT_ONCE = 32
_WORTH_IT = 10_000
"""Cells from which on starting processes costs less than it saves."""


@dataclass(frozen=True)
class Scores:
    """What a metric counted of every cell (its first repeat): arrays of shape (rows, pages)."""

    metric: Metric
    rows: tuple[str, ...]
    """Keys of a run's rows, or names of systems."""
    pages: tuple[str, ...]
    outcomes: npt.NDArray[np.object_]
    columns: Mapping[str, Floats]
    sites: Ints | None = None
    """The number of each page's site, shape (pages,): pages of one site resemble each other."""
    weights: Weights | None = None
    """What pages weigh in figures; None where they all weigh the same."""

    @cached_property
    def figures(self) -> dict[str, Figure]:
        """The metric's figures, by name, row by row in the order of ``rows``.

        Raises ``BenchError`` where the metric fails.
        """
        failed = np.isin(self.outcomes, FAILED)
        try:
            figures = self.metric.fold(self.columns, failed)
            for name in self.metric.figures:
                _expect_range(name, figures[name].by_page)
        except Exception as error:
            raise _failure(self.metric, "the data set", error) from error
        figures = {name: replace(figure, sites=self.sites) for name, figure in figures.items()}
        if self.weights is None:
            return figures
        return {name: figure.weighed(self.weights) for name, figure in figures.items()}

    def of_cell(self, row: int, page: int) -> dict[str, float | None]:
        """Return the figures of one cell; None where the page leaves the mean."""
        values = {name: float(own.by_page[row, page]) for name, own in self._by_page.items()}
        return {name: None if np.isnan(value) else value for name, value in values.items()}

    @property
    def main(self) -> Figure:
        """The figure that ranks."""
        return self.figures[self.metric.main]

    def frame(self, labels: Mapping[str, str]) -> pd.DataFrame:
        """Return one line a cell of the rows that have labels: figures of the page."""
        import pandas as pd

        rows = [at for at, row in enumerate(self.rows) if row in labels]
        return pd.DataFrame(
            {
                "label": np.repeat([labels[self.rows[at]] for at in rows], len(self.pages)),
                "page": np.tile(self.pages, len(rows)),
                "outcome": self.outcomes[rows].ravel(),
                **{name: own.by_page[rows].ravel() for name, own in self._by_page.items()},
            }
        )

    @property
    def _by_page(self) -> dict[str, Figure]:
        """The figures that a page has: it has one F1, so what only data sets have is left out."""
        both = {"f1", "page_f1"} <= self.figures.keys()
        return {name: own for name, own in self.figures.items() if not both or name != "page_f1"}

    def place(self, row: str) -> int:
        """Return a row's place in the arrays."""
        return self.rows.index(row)


def of_run(
    run: RunFolder,
    data_set: DataSet,
    metrics: Sequence[Metric],
    progress: Progress = SILENT,
) -> list[Scores]:
    """Return the scores of a finished run: those kept with it, and the others computed and kept.

    Raises ``BenchError`` where no gold of the data set is of the kind that a metric needs.
    """
    kept = {metric.name: _kept(run, metric, data_set) for metric in metrics}
    wanted = [metric for metric in metrics if kept[metric.name] is None]
    if wanted:
        for scores in _computed(_Stored(run), data_set, wanted, progress):
            kept[scores.metric.name] = scores
            _keep(run, scores, key(scores.metric, data_set))
    return [own for metric in metrics if (own := kept[metric.name]) is not None]


def of_predictions(
    systems: Sequence[Predictions],
    data_set: DataSet,
    metrics: Sequence[Metric],
    progress: Progress = SILENT,
) -> list[Scores]:
    """Return the scores of each system on every page; a page without output is the empty text.

    Raises ``BenchError`` when a system's page ids have nothing in common with the data set's.
    """
    ids = set(data_set.ids)
    for system in systems:
        if not ids & set(system.texts):
            example = next(iter(system.texts), "none")
            raise BenchError(
                f"{system.name}: none of its pages are in {data_set.name} (it has, for example, "
                f"{example!r}); give the data set that it was made on with --gold"
            )
    return _computed(_Given(systems), data_set, metrics, progress)


def of_page(
    metric: Metric, item: GoldPage, language: str | None, outcome: Outcome, text: str
) -> Scores:
    """Return the scores of one text on one page in its language: one row, one page."""
    columns = {
        name: own[:, None]
        for name, own in counted(metric, item.page.id, item.gold, language, [text]).items()
    }
    outcomes = np.array([[outcome.value]], object)
    return Scores(metric, ("",), (item.page.id,), outcomes, columns)


def sites(data_set: DataSet) -> Ints | None:
    """Return the number of each page's site; None where there are too few sites to count by them.

    A page without an address is a site of its own.
    """
    stated = data_set.stated
    numbers: dict[str, int] = {}
    names = [page.site or f"page {page_id}" for page_id, page in stated.items()]
    numbered = np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64)
    return numbered if MIN_PAGES <= len(numbers) < len(names) else None


def languages(data_set: DataSet) -> dict[str, str | None]:
    """Return the language in which each page is scored, by id; None counts words."""
    if data_set.card.counts_words:
        return dict.fromkeys(data_set.ids)
    stated = data_set.stated
    return {page_id: page.scored_language for page_id, page in stated.items()}


def key(metric: Metric, data_set: DataSet) -> str:
    """Return what scores depend on beside texts and gold: the computation, and pages' languages."""
    known = list(languages(data_set).values())
    digest = hashlib.sha256(json.dumps(known).encode()).hexdigest()[:12]
    return f"{metric.scorer}+{digest}"


def expect_rows(scores: Sequence[Scores], run: RunFolder) -> None:
    """Raise ``BenchError`` with every row's reason when a run has no cell at all."""
    if not scores or not scores[0].rows:
        reasons = "; ".join(f"{r.label}: {r.problem}" for r in run.manifest.rows)
        raise BenchError(f"no extractor could be run ({reasons})")


@dataclass(frozen=True)
class ShardScorer:
    """Scores shards where they ran, so that their texts can stay there; it goes there as data."""

    metrics: tuple[str, ...]
    """Names, or paths of files that lie there too."""
    keys: Mapping[str, str]
    """What kept scores depend on, by metric: the languages of all pages, so that shards agree."""
    languages: Mapping[str, str | None]

    @classmethod
    def of(cls, metrics: Sequence[Metric], data_set: DataSet) -> ShardScorer:
        """Return what scores shards of this data set."""
        keys = {metric.name: key(metric, data_set) for metric in metrics}
        words = tuple(str(metric.source or metric.name) for metric in metrics)
        return cls(words, keys, languages(data_set))

    @property
    def files(self) -> list[str]:
        """Where scores are kept, relative to a run."""
        return [f"scores/{name}.parquet" for name in self.keys]

    def only(self, pages: Iterable[str]) -> ShardScorer:
        """Return what scores some of the pages."""
        return replace(self, languages={page_id: self.languages[page_id] for page_id in pages})

    def score(self, shard: RunFolder, data_set: DataSet) -> None:
        """Compute the scores of a finished shard, and keep them with it."""
        metrics = metric_catalogue.chosen(self.metrics)
        source, pages = _Stored(shard), [*self.languages]
        by_page = _score((source, data_set, self.languages, metrics), pages)
        for scores in _whole(source.rows, pages, metrics, by_page):
            _keep(shard, scores, self.keys[scores.metric.name])


# -- where texts come from ------------------------------------------------------------------------

_Answers = tuple[str, list[tuple[str, str]]]
"""A page's id, and outcome and text of each row, in the order of rows."""


class _Given:
    """Predictions, all in memory already."""

    def __init__(self, systems: Sequence[Predictions]) -> None:
        self._systems = systems
        self.rows = tuple(system.name for system in systems)

    def pages(self, ids: Sequence[str]) -> Iterator[_Answers]:
        for page_id in ids:
            texts = [system.texts.get(page_id, "") for system in self._systems]
            yield page_id, [(Outcome.OK if t.strip() else Outcome.EMPTY, t) for t in texts]


class _Stored:
    """A run's cells; their texts are read a bounded amount at a time."""

    def __init__(self, run: RunFolder) -> None:
        from bench.runs.store.tables import Texts

        self._texts = Texts(run.path)
        columns = ("row", "page", "outcome", "text_hash", "text_chars")
        self._cells = run.cells(*columns, repeat=0)
        self.rows = tuple(dict.fromkeys(self._cells["row"]))

    def pages(self, ids: Sequence[str]) -> Iterator[_Answers]:
        some_cells = self._cells[self._cells["page"].isin(ids)]
        by_page = {str(k): own for k, own in some_cells.groupby("page", sort=False)}
        for some in _bounded(ids, by_page):
            texts = self._texts.get(
                {name for page_id in some for name in by_page[page_id]["text_hash"]}
            )
            for page_id in some:
                own = by_page[page_id].set_index("row")[["outcome", "text_hash"]].loc[[*self.rows]]
                yield page_id, [(o, texts[name]) for o, name in own.itertuples(index=False)]


def _bounded(ids: Iterable[str], by_page: Mapping[str, pd.DataFrame]) -> Iterator[list[str]]:
    some: list[str] = []
    chars = 0
    for page_id in ids:
        own = by_page[page_id].drop_duplicates("text_hash")
        more = int(own["text_chars"].sum())
        if some and chars + more > _CHARS_AT_ONCE:
            yield some
            some, chars = [], 0
        some.append(page_id)
        chars += more
    if some:
        yield some


# -- computing ------------------------------------------------------------------------------------


def _computed(
    source: _Given | _Stored, data_set: DataSet, metrics: Sequence[Metric], progress: Progress
) -> list[Scores]:
    if not data_set.reader.has_gold:
        raise BenchError(
            f"{data_set.name} has no gold; `bench survey` shows what can be said of a run without"
        )
    by_page: Iterable[_OfPage] = ()
    if source.rows:
        by_page = chain.from_iterable(_parts(source, data_set, metrics))
        progress.start("scoring", len(data_set))
    whole = _whole(source.rows, data_set.ids, metrics, by_page, progress)
    if source.rows:
        for scores in whole:
            _expect_some(scores.columns, scores.metric, data_set)
    by_site = sites(data_set)
    return [replace(scores, sites=by_site) for scores in whole]


_OfPage = tuple[list[str], list[dict[str, Floats]]]
"""The outcomes of all rows, and for each metric its columns."""


def _whole(
    rows: Sequence[str],
    pages: Sequence[str],
    metrics: Sequence[Metric],
    by_page: Iterable[_OfPage],
    progress: Progress = SILENT,
) -> list[Scores]:
    """Return what pages' scores, in their order, are together; nothing is known where they end."""
    shape = (len(rows), len(pages))
    outcomes = np.full(shape, "", object)
    columns = [{name: np.full(shape, np.nan) for name in metric.columns} for metric in metrics]
    for at, (answered, values) in enumerate(by_page):
        outcomes[:, at] = answered
        for of_metric, of_page in zip(columns, values, strict=True):
            for name, column in of_metric.items():
                column[:, at] = of_page[name]
        progress.advance()
    return [
        Scores(metric, tuple(rows), tuple(pages), outcomes, of_metric)
        for metric, of_metric in zip(metrics, columns, strict=True)
    ]


def _parts(
    source: _Given | _Stored, data_set: DataSet, metrics: Sequence[Metric]
) -> Iterator[list[_OfPage]]:
    """Yield the scores of a few pages at a time, in order; large runs keep every core busy."""
    ids = data_set.ids
    parts = [ids[at : at + _PAGES_AT_ONCE] for at in range(0, len(ids), _PAGES_AT_ONCE)]
    given = (source, data_set, languages(data_set), metrics)
    few = isinstance(source, _Given) or len(source.rows) * len(ids) < _WORTH_IT
    with pool.begun(_score, given, parts, alone=few) as scored:
        yield from scored


def _score(
    given: tuple[_Given | _Stored, DataSet, Mapping[str, str | None], Sequence[Metric]],
    ids: Sequence[str],
) -> list[_OfPage]:
    source, data_set, known, metrics = given
    scored: list[_OfPage] = []
    for page_id, answers in source.pages(ids):
        gold = data_set.gold(page_id)
        texts = [text for _, text in answers]
        values = [counted(metric, page_id, gold, known[page_id], texts) for metric in metrics]
        scored.append(([str(outcome) for outcome, _ in answers], values))
    return scored


def counted(
    metric: Metric, page_id: str, gold: Gold, language: str | None, texts: Sequence[str]
) -> dict[str, Floats]:
    """Return the columns of one page's texts, in its language: what all scores are made of.

    Each different text is scored once. Raises ``BenchError`` where the metric fails.
    """
    values = np.full((len(texts), len(metric.columns)), np.nan)
    if metric.applies(gold):
        try:
            form = metric.normalise
            different = list(dict.fromkeys(texts))
            counts = metric.count(
                _normalised(gold, form) if form else gold,
                language,
                [normalised(text, form) for text in different],
            )
            by_text = dict(zip(different, map(tuple, counts), strict=True))
            scored = np.array([by_text[text] for text in texts], np.float64)
            values = scored.reshape(values.shape)
            if not np.isfinite(values).all():
                raise ValueError("a column is not finite")
        except Exception as error:
            raise _failure(metric, f"page {page_id}", error) from error
    return dict(zip(metric.columns, values.T, strict=True))


def _normalised(gold: Gold, form: str) -> Gold:
    snippets = (gold.with_snippets, gold.without_snippets)
    present, absent = (tuple(normalised(one, form) for one in own) for own in snippets)
    return Gold(None if gold.text is None else normalised(gold.text, form), present, absent)


def _failure(metric: Metric, where: str, error: Exception) -> BenchError:
    """Return what to tell of a metric that fails: others write metrics, too."""
    file = f" ({metric.source})" if metric.source else ""
    what = " ".join(f"{type(error).__name__}: {error}".split())[:500]
    return BenchError(f"the metric {metric.name}{file} failed on {where}: {what}; fix the metric")


def _expect_range(name: str, values: Floats) -> None:
    known = values[~np.isnan(values)]
    if known.size and not (known.min() >= -TIE and known.max() <= 1 + TIE):
        raise ValueError(f"{name} is {known.min():g} to {known.max():g}, not within 0 to 1")


def _expect_some(columns: Mapping[str, Floats], metric: Metric, data_set: DataSet) -> None:
    if all(np.isnan(column).all() for column in columns.values()):
        lacks = "snippets" if metric.needs == "snippets" else "full gold text"
        other = "ngram" if metric.needs == "snippets" else "snippets"
        raise BenchError(
            f"{data_set.name} has no {lacks}, which the metric {metric.name} needs; "
            f"choose another, for example --metric {other}"
        )


# -- keeping --------------------------------------------------------------------------------------


def _keep(run: RunFolder, scores: Scores, scorer: str) -> None:
    """Write ``scores/<metric>.parquet``, one row per cell."""
    if not scores.rows:
        return
    columns = {
        "row": np.repeat(scores.rows, len(scores.pages)),
        "page": np.tile(scores.pages, len(scores.rows)),
        "outcome": scores.outcomes.ravel(),
        **{name: values.ravel() for name, values in scores.columns.items()},
    }
    run.write_scores(scores.metric.name, columns, scorer)


def _kept(run: RunFolder, metric: Metric, data_set: DataSet) -> Scores | None:
    """Return the scores that are kept; None if there are none, an older computation's or a part."""
    scorer = key(metric, data_set)
    cells = run.scores(metric.name, scorer, "row", "page", "outcome")
    if cells is None:
        return None
    rows, pages = tuple(map(str, cells["row"].unique().to_pylist())), tuple(data_set.ids)
    shape = (len(rows), len(pages))
    if len(cells) != len(rows) * len(pages) or cells["page"][: len(pages)].to_pylist() != [*pages]:
        return None
    # A text of its own for each cell would take more memory than its numbers.
    encoded = cells["outcome"].combine_chunks().dictionary_encode()
    words = np.array(encoded.dictionary.to_pylist(), object)
    outcomes = words[encoded.indices.to_numpy()].reshape(shape)
    del cells, encoded
    numbers = run.scores(metric.name, scorer, *metric.columns)
    if numbers is None:
        return None
    columns = {name: numbers[name].to_numpy().reshape(shape) for name in metric.columns}
    return Scores(metric, rows, pages, outcomes, columns, sites(data_set))
