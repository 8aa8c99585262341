"""The project from Python: what ``import bench`` gives. docs/api.md has examples.

The command line is parsing and printing over it.
"""

from __future__ import annotations

import contextlib
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.adapters import registry
from bench.adapters.adapter import Decode, Row
from bench.adapters.environments import assign as environments
from bench.datasets import catalogue
from bench.datasets.catalogue import DataSet
from bench.metrics.base import Metric
from bench.model import BenchError, Gold, Limits, Outcome, Page, Sample, UsageError
from bench.report import forms, tables
from bench.runs import new_run, runner
from bench.runs.plan import Plan
from bench.runs.store import runs
from bench.runs.store.manifest import Manifest, now
from bench.runs.store.runs import RunFolder
from bench.scoring import export, metric_catalogue, predictions, run_memory, stored_run
from bench.scoring.compare.arguments import Source
from bench.scoring.compare.rules import Measuring, Rules
from bench.scoring.compare.verdicts import CannotCompare
from bench.scoring.leaderboard import Leaderboard, Mix
from bench.scoring.predictions import Predictions
from bench.scoring.stored_run import Pages
from bench.util import paths
from bench.util.progress import SILENT, Progress

# What computes is imported where it does: a leaderboard that is remembered is shown without.
if TYPE_CHECKING:
    import pandas as pd

    from bench.scoring.compare.check import Checked
    from bench.scoring.compare.comparison import Comparison
    from bench.scoring.scale import Scale
    from bench.scoring.scores import Scores
    from bench.scoring.slice_leaderboard import SliceLeaderboard
    from bench.scoring.survey import Survey
    from bench.scoring.validity import Validity

__all__ = [
    "BenchError",
    "CannotCompare",
    "Rules",
    "Run",
    "Scored",
    "UsageError",
    "check",
    "compare",
    "list_datasets",
    "list_extractors",
    "list_metrics",
    "open_run",
    "run",
    "score",
]


class Scored(ABC):
    """Texts of several rows on a data set, scored when scores are first asked for."""

    def __init__(self, metrics: Sequence[str], progress: Progress = SILENT) -> None:
        self._metric_names = metrics
        self._progress = progress

    # -- what the two kinds differ in

    @abstractmethod
    def _open(self) -> DataSet: ...

    @abstractmethod
    def _score(self, metrics: Sequence[Metric]) -> list[Scores]: ...

    @abstractmethod
    def _rank(self) -> Leaderboard: ...

    @abstractmethod
    def _labels(self) -> Mapping[str, str]:
        """Return the label of each row of the scores."""

    # -- as the command line shows it

    @cached_property
    def data_set(self) -> DataSet:
        """The pages and their gold."""
        return self._open()

    @cached_property
    def metrics(self) -> Sequence[Metric]:
        """The metrics; the first ranks."""
        return metric_catalogue.for_data_set(self.data_set, self._metric_names)

    @cached_property
    def scored(self) -> Sequence[Scores]:
        """The scores of every cell under each metric, as arrays."""
        return self._score(self.metrics)

    @cached_property
    def board(self) -> Leaderboard:
        """The leaderboard with all that is told beside it."""
        return self._rank()

    @cached_property
    def keys(self) -> Mapping[str, str]:
        """The row of the scores that each label means."""
        there = self.scored[0].rows
        return {label: key for key, label in self._labels().items() if key in there}

    def sliced(self, dimension: str) -> SliceLeaderboard:
        """Return the leaderboard slice by slice. Raises what ``page_slices.of`` raises."""
        from bench.scoring import page_slices, slice_leaderboard

        labels = page_slices.of(self.data_set, dimension, self._progress)
        return slice_leaderboard.of(self.board, self.keys, self.scored[0], dimension, labels)

    # -- as pandas has it

    def leaderboard(self, by: str | None = None) -> pd.DataFrame:
        """Return the leaderboard, best first: one line a row.

        Each figure stands beside its standard error and 95 % interval: ``f1``, ``f1_se``,
        ``f1_lo``, ``f1_hi``; then outcomes and cost. ``by`` is a dimension of the pages
        (``page_type``, ``language``, ``length``, ``complexity``, or what the data set says): one
        line for each row and slice, with the figure that ranks as ``value``; the slices ``micro``
        and ``macro`` are averages over pages and over slices.

        Raises ``UsageError`` for a dimension that the data set has not.
        """
        return tables.leaderboard(self.board) if by is None else self.sliced(by).frame()

    def scores(self, metric: str | None = None) -> pd.DataFrame:
        """Return the scores of every row on every page: one line a cell.

        Columns ``label``, ``page``, ``outcome`` and the metric's figures of the page, NaN where
        the page leaves the mean. ``metric`` is a name or the path of a file, by default the
        metric that ranks. Raises ``UsageError`` for a metric that there is not.
        """
        wanted = self.metrics[0] if metric is None else metric_catalogue.chosen([metric])[0]
        known = {of_metric.metric: of_metric for of_metric in self.scored}
        own = known[wanted] if wanted in known else self._score([wanted])[0]
        return own.frame(self._labels())


@dataclass(frozen=True)
class RowOnPage:
    """What one row made of a page: the first repeat of a cell."""

    label: str
    version: str
    kind: str
    outcome: Outcome
    figures: Mapping[str, float | None]
    """Of the metric that ranks, none without gold; None where the page leaves the mean."""
    wall_s: float
    text: str
    diagnostics: str


@dataclass(frozen=True)
class PageOfRun:
    """A page of a run with its gold, and what every row made of it, best first.

    Without gold rows stand in the order of their labels.
    """

    page: Page
    gold: Gold
    rows: Sequence[RowOnPage]


class Run(Scored):
    """A finished run. Data set and texts are read when they are first asked for.

    ``metrics`` are names or paths of files; the first ranks. Without any it is the one that fits
    the data set's gold. ``data_set`` is the run's own, where it is open already.
    """

    def __init__(
        self,
        folder: RunFolder,
        metrics: Sequence[str] = (),
        progress: Progress = SILENT,
        data_set: DataSet | None = None,
        *,
        variants: bool = False,
        mix: Mix | None = None,
    ) -> None:
        super().__init__(metrics, progress)
        self._variants = variants
        self._mix = mix
        self.folder = folder
        self._opened = data_set

    def __repr__(self) -> str:
        return f"<bench.Run {self.id}>"

    @property
    def id(self) -> str:
        """The name of its folder."""
        return self.folder.id

    @property
    def path(self) -> Path:
        """Its folder, which docs/on-disk.md describes."""
        return self.folder.path

    @property
    def manifest(self) -> Manifest:
        """What was run: rows with their versions, machine, conditions, warnings."""
        return self.folder.manifest

    def _open(self) -> DataSet:
        return self._opened or stored_run.data_set(self.folder)

    def _score(self, metrics: Sequence[Metric]) -> list[Scores]:
        from bench.scoring import mix, scores

        scored = scores.of_run(self.folder, self.data_set, metrics, self._progress)
        scores.expect_rows(scored, self.folder)
        if self._mix is None:
            return scored
        weights = mix.weights(self._mix, scored[0], self.data_set, self._progress)
        return [replace(own, weights=weights) for own in scored]

    def _rank(self) -> Leaderboard:
        variants, mix = self._variants, self._mix

        def find() -> Leaderboard:
            from bench.scoring import ranking

            scored = self.scored
            return ranking.of_run(self.folder, self.data_set, scored, variants=variants, mix=mix)

        options = (variants, mix)
        return run_memory.leaderboard(self.folder, self.data_set, self.metrics, options, find)

    def _labels(self) -> Mapping[str, str]:
        return {row.key: row.label for row in self.manifest.rows}

    def at_scale(self, deadline_s: float = Limits.page_s, price: float = forms.PRICE) -> Scale:
        """Return what each row would do on very many pages: rates, cost, memory, losses.

        ``deadline_s`` is the time that a page is given, ``price`` that of a core-hour.
        """
        from bench.scoring import scale

        scored = None
        if self.data_set.reader.has_gold:
            scored = (self.board, self.keys, self.scored[0])
        return scale.of_run(self.folder, scored, deadline_s=deadline_s, price=price)

    def with_kept_metrics(self) -> Run:
        """Return the run also under the metrics whose scores are kept with it."""
        names = [metric.name for metric in self.metrics]
        for path in sorted((self.path / "scores").glob("*.parquet")):
            with contextlib.suppress(BenchError):  # one that is not known any more
                names.append(metric_catalogue.find(path.stem).name)
        return Run(
            self.folder, names, self._progress, self.data_set,
            variants=self._variants, mix=self._mix,
        )  # fmt: skip

    def cells(self) -> pd.DataFrame:
        """Return every cell and repeat with its ``label``, outcome, usage and diagnostics.

        docs/on-disk.md has the columns.
        """
        cells = self.folder.cells()
        cells.insert(0, "label", cells["row"].map(self._labels()))
        return cells

    def texts(self, row: str) -> dict[str, str]:
        """Return what a row, named by its label, returned for each page, by page id.

        A failed cell is the empty text; of several repeats the first counts. Raises ``UsageError``
        for a row that the run has not.
        """
        labels = [facts.label for facts in export.chosen(self.folder, [row])]
        if len(labels) > 1:
            raise UsageError(f"{row} means {len(labels)} rows of run {self.id}; give one")
        return export.texts_of(self.folder, labels[0])

    def has_row(self, word: str) -> bool:
        """Whether a word means a row of the run."""
        return bool(stored_run.rows_named(self.folder, word))

    def page(self, page_id: str, rows: Sequence[str] = ()) -> PageOfRun:
        """Return a page, by its id or the beginning of it, with every row or those that are named.

        Raises ``UsageError`` for a page or row that the run has not.
        """
        page_id = self.data_set.page_id(page_id)
        here = self.folder.cells("row", "wall_s", page=page_id, repeat=0)
        walls = dict(zip(here["row"], here["wall_s"], strict=True))
        chosen = [row for row in export.chosen(self.folder, rows) if row.key in walls]
        if not chosen:
            raise UsageError(f"run {self.id} has no cells of {', '.join(rows) or 'any row'}")
        (item,) = Pages(self.folder, self.data_set, [row.key for row in chosen]).read([page_id])
        ranking = self.scored[0] if self.data_set.reader.has_gold else None

        def figures(row: str) -> Mapping[str, float | None]:
            return (
                ranking.of_cell(ranking.place(row), ranking.pages.index(page_id)) if ranking else {}
            )

        rows_of_page = [
            RowOnPage(
                label=row.label,
                version=row.version or "",
                kind=row.facts.counts_as,
                outcome=Outcome(answer.outcome),
                figures=figures(row.key),
                wall_s=float(walls[row.key]),
                text=answer.text,
                diagnostics=answer.diagnostics,
            )
            for row, answer in zip(chosen, item.answers, strict=True)
        ]

        def order(row: RowOnPage) -> tuple[float, str]:
            value = row.figures[ranking.metric.main] if ranking else None
            return (math.inf if value is None else -value, row.label)

        return PageOfRun(item.page, item.gold, sorted(rows_of_page, key=order))

    @cached_property
    def surveyed(self) -> Survey:
        """What can be said of the run without gold."""
        from bench.scoring import survey

        keys = [row.key for row in export.chosen(self.folder, [])]
        return survey.of_run(Pages(self.folder, self.data_set, keys), self._progress)

    @cached_property
    def validity(self) -> list[Validity]:
        """How each figure of the survey agrees with F1, which there must be gold for."""
        from bench.scoring import validity

        places = {label: self.scored[0].place(key) for label, key in self.keys.items()}
        return validity.of(self.surveyed, self.scored[0], places)

    def survey(self) -> pd.DataFrame:
        """Return what can be said of the run without gold: one line a row.

        docs/your-own-pages.md says what the columns mean.
        """
        return self.surveyed.frame()


class ScoredPredictions(Scored):
    """Other people's outputs, scored."""

    def __init__(
        self,
        systems: Sequence[Predictions],
        gold: str,
        metrics: Sequence[str] = (),
        progress: Progress = SILENT,
    ) -> None:
        super().__init__(metrics, progress)
        counts = Counter(system.name for system in systems)
        double = next((name for name, count in counts.items() if count > 1), None)
        if double is not None:
            raise UsageError(f"two prediction files are called {double}; rename one")
        self.systems = systems
        self._gold = gold

    def _open(self) -> DataSet:
        data_set = catalogue.open_gold(self._gold)
        if warning := data_set.gold_warning():
            self._progress.say(warning)
        return data_set

    def _score(self, metrics: Sequence[Metric]) -> list[Scores]:
        from bench.scoring import scores

        return scores.of_predictions(self.systems, self.data_set, metrics, self._progress)

    def _rank(self) -> Leaderboard:
        from bench.scoring import ranking

        return ranking.of_predictions(self.systems, self.data_set, self.scored)

    def _labels(self) -> Mapping[str, str]:
        return {system.name: system.name for system in self.systems}

    @property
    def left_out(self) -> Mapping[str, Sequence[str]]:
        """Ids of pages that the data set has not, by system: they are not scored."""
        ids = set(self.data_set.ids)
        foreign = {system.name: sorted(set(system.texts) - ids) for system in self.systems}
        return {name: pages for name, pages in foreign.items() if pages}


# -- verbs ------------------------------------------------------------------------------------------


def run(
    extractors: str | Sequence[str],
    gold: str = "starter",
    *,
    results: str | Path | None = None,
    metrics: Sequence[str] = (),
    repeats: int = 1,
    jobs: int = 1,
    page_s: float = Limits.page_s,
    memory_bytes: int = Limits.memory_bytes,
    pin: int | None = None,
    isolate: bool = False,
    build: bool = True,
    fresh: bool = False,
    decode: Decode = "",
    sample: int | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
) -> Run:
    """Run extractors over a data set and return the finished run.

    ``extractors`` are named as on the command line (``trafilatura:precision``, globs);
    ``gold`` is a data set's name or ``folder:PATH``; ``sample`` is of how many of its pages, drawn at
    random by ``seed``. A run that was interrupted goes on where it
    was, and a finished one is found, unless ``fresh``. ``page_s`` and ``memory_bytes`` are what one
    page and one worker may take; ``build`` makes the environments that are missing; ``decode`` says
    whether the ``harness`` decodes pages for all or the ``library`` where its documentation has it.

    Raises ``UsageError`` for a name that there is not, ``BenchError`` where the run cannot be made.
    """
    names = [extractors] if isinstance(extractors, str) else extractors
    rows = environments.prepared(
        registry.rows(names), isolate=isolate, build=build, progress=progress
    )
    limits = Limits(page_s=page_s, memory_bytes=memory_bytes)
    data_set = catalogue.open_gold(gold).sampled(Sample(sample, seed) if sample else None)
    if warning := data_set.gold_warning():
        progress.say(warning)
    plan = Plan(rows, data_set, repeats, jobs, limits, pin, decode)
    folder = None if fresh else new_run.find_same(plan, _results(results))
    if folder is None:
        folder = new_run.start(plan, _results(results), reuse=not fresh)
    if not folder.finished:
        runner.execute(plan, folder, _Events(plan, progress))
    return Run(folder, metrics, progress, plan.data_set)


class _Events:
    """A run's events, told as progress."""

    def __init__(self, plan: Plan, progress: Progress) -> None:
        self._progress = progress
        progress.start("running", plan.cells)

    def row_started(self, row: Row) -> None:
        """Tell nothing: its cells are counted."""

    def cell_done(self, row: Row, page_id: str) -> None:
        """Count a cell."""
        self._progress.advance()

    def row_unavailable(self, row: Row, reason: str) -> None:
        """Say that an extractor cannot be run."""
        self._progress.say(f"{row.label} is not available: {reason}")


def open_run(
    run_id: str | None = None,
    gold: str | None = None,
    *,
    results: str | Path | None = None,
    metrics: Sequence[str] = (),
    variants: bool = False,
    weights: str | None = None,
    progress: Progress = SILENT,
) -> Run:
    """Return a finished run: that of an id, the beginning of one or a tag, by default the latest.

    ``metrics`` are names, the first ranks: ``ngram:page_f1`` by another figure, ``ngram+nfc`` over
    texts in a Unicode form. With ``variants`` those of one program are ranked as well. ``weights``
    is one's own mix of pages, ``page_type=article:0.7,forum:0.3``, or where to find it.

    ``gold`` is the data set that it must be on: without an id, the latest run on it. Raises
    ``UsageError`` where there is none.
    """
    folder = _results(results)
    mix = None
    if weights:
        from bench.scoring import mix as mixes

        mix = mixes.read(weights)
    if gold is not None and run_id in (None, runs.LATEST):
        run = runs.latest(folder, lambda stored: stored.manifest.gold.name == gold)
        if run is None:
            raise UsageError(f"no finished run on {gold} in {folder}; `bench run` makes one")
    else:
        run = stored_run.finished(folder, run_id)
    if gold not in (None, run.manifest.gold.name):
        raise UsageError(f"run {run.id} is on {run.manifest.gold.name}, not on {gold}")
    return Run(run, metrics, progress, variants=variants, mix=mix)


def score(
    outputs: str | Path | Mapping[str, Mapping[str, str]] | Sequence[str | Path],
    gold: str = "starter",
    metrics: Sequence[str] = (),
    *,
    progress: Progress = SILENT,
) -> ScoredPredictions:
    """Score other people's outputs: files, folders of files, or texts by system and page id.

    A page without output counts as the empty text. Raises ``BenchError`` for a file that cannot
    be read, and where none of a system's pages are in the data set.
    """
    if isinstance(outputs, Mapping):
        systems = [Predictions(name, None, texts) for name, texts in outputs.items()]
    else:
        files = [outputs] if isinstance(outputs, str | Path) else outputs
        systems = [system for path in files for system in predictions.read(Path(path))]
    return ScoredPredictions(systems, gold, metrics, progress)


def compare(
    first: str | Run | ScoredPredictions,
    second: str | Run | ScoredPredictions,
    gold: str = "starter",
    *,
    metric: str | None = None,
    by: Sequence[str] = (),
    results: str | Path | None = None,
    progress: Progress = SILENT,
) -> Comparison:
    """Compare two runs, rows or systems on the pages that both have.

    Words are as on the command line: a run, a row, ``RUN/LABEL``, or files of outputs on
    ``gold``. ``by`` are dimensions whose slices are looked at. Raises ``CannotCompare``
    where the two have no common ground, ``UsageError`` for what there is not.
    """
    from bench.scoring.compare import arguments, comparison

    words = [source for source in (first, second) if isinstance(source, str)]
    named = iter(arguments.find(words, _results(results)))
    one, other = (
        next(named) if isinstance(source, str) else _source(source) for source in (first, second)
    )
    metrics = [] if metric is None else [metric]
    return comparison.compare(one, other, gold, metrics, by, progress)


def _source(what: Run | ScoredPredictions) -> Source:
    if isinstance(what, Run):
        return Source(what.id, what.folder)
    return Source(", ".join(what.keys), systems=tuple(what.systems))


def check(
    extractors: Sequence[str] = (),
    gold: str | None = None,
    *,
    baseline: str | Path | None = None,
    run_id: str | None = None,
    results: str | Path | None = None,
    metric: str | None = None,
    rules: Rules | None = None,
    control: str | None = Measuring.control,
    repeats: int = Measuring.repeats,
    page_s: float = Limits.page_s,
    update: bool = False,
    reason: str | None = None,
    against: Sequence[str] = (),
    progress: Progress = SILENT,
) -> Checked | None:
    """Compare extractors with a committed baseline, and say what became worse.

    Runs the extractors (all of the baseline's by default), or takes the stored run ``run_id``.
    ``control`` is the row that costs are measured by, None for quality alone. With ``against`` each
    is compared with another row, run beside it, and no baseline is read. With ``update`` the
    baseline is updated; where that would accept what is worse, it takes a ``reason``. None is
    returned where there was nothing to compare with.

    Raises ``CannotCompare`` where data set or metric is not the baseline's, ``BenchError`` where an
    update would lower it and nobody says why.
    """
    from bench.scoring.compare import baseline as baselines
    from bench.scoring.compare import baseline_update, kept_texts
    from bench.scoring.compare.check import Check

    path = _results(results) / "baseline.json" if baseline is None else Path(baseline)
    new = bool(against) or (update and not path.exists())
    old = None if new else baselines.read(path)

    def execute(plan: Plan) -> RunFolder:
        folder = new_run.start(plan, _results(results), reuse=False, verb="check")
        runner.execute(plan, folder, _Events(plan, progress))
        return folder

    rules = rules or (Rules() if old is None else old.rules)
    prepare = partial(environments.prepared, progress=progress)
    measuring = Measuring(prepare, execute, Limits(page_s=page_s), repeats, control)
    texts = {} if new else kept_texts.read(path)
    work = Check(
        old, extractors, rules, measuring, progress, metric,
        updating=update, against=against, texts=texts,
    )  # fmt: skip
    if run_id is None:
        work.measure(gold)
    else:
        work.take(stored_run.finished(_results(results), run_id), gold)
    checked = work.outcome()
    if update:
        accepted = baseline_update.accepted(path, work, checked, reason, now())
        baseline_update.write(path, accepted, work)
    return checked


def list_datasets() -> pd.DataFrame:
    """Return the data sets that are known, by name: title, pages, licence, whether installed."""
    import pandas as pd

    known = catalogue.all_cards().items()
    facts = [
        {**asdict(card), "name": name, "installed": root.is_dir()} for name, (card, root) in known
    ]
    columns = ["title", "pages", "licence", "installed", "source", "citation", "description"]
    return pd.DataFrame(facts).set_index("name")[columns]


def list_extractors() -> pd.DataFrame:
    """Return every extractor and variant, by label: version, language, licence, whether it can run."""
    import pandas as pd

    shown = ("name", "kind", "language", "licence", "homepage", "description")
    lines = [
        {
            "label": row.label,
            "version": row.adapter.version,
            "available": row.adapter.available,
            **{name: getattr(row.adapter.facts, name) for name in shown},
            "problem": row.adapter.problem,
            "remedy": row.adapter.remedy,
        }
        for row in registry.all_rows()
    ]
    return pd.DataFrame(lines).set_index("label")


def list_metrics() -> pd.DataFrame:
    """Return the metrics, by name: title, figures, the one that ranks, what gold must have, source."""
    import pandas as pd

    columns = ["name", "title", "figures", "main", "needs", "citation"]
    lines = [
        {name: getattr(metric, name) for name in columns}
        for metric in metric_catalogue.every().values()
    ]
    return pd.DataFrame(lines).set_index("name")


def _results(folder: str | Path | None) -> Path:
    return paths.working("results") if folder is None else Path(folder)
