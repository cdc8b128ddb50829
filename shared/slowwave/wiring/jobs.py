"""All jobs: the jobs that run rule packs, the jobs of the installation, and the writer of night reports."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

from slowwave.core.policy import Policies
from slowwave.core.predicates import Predicates
from slowwave.core.summaries.model_summary import ModelSummariser
from slowwave.domain.job_table import (
    ARCHIVE,
    BUILT_IN,
    CHECK,
    CONSOLIDATE,
    DECAY,
    DETECT_PATTERNS,
    GROW,
    PARTITIONS,
    PLAN,
    PREPARE,
    PROMOTE,
    RECONCILE,
    RECONSIDER,
    REEMBED,
    REPORT,
    RETELL,
    RETRY,
    SEAL,
    SUMMARISE,
    SWEEP,
    WINDOWED,
    pack_of,
)
from slowwave.domain.night_report import NightReport
from slowwave.inference.word_similarity import shipped
from slowwave.jobs.consolidate import Consolidate
from slowwave.jobs.lifecycle import Archive, Decay, Promote, Sweep
from slowwave.jobs.maintenance import Check, Partitions, Reconcile, Report, Seal
from slowwave.jobs.model_calls.window import PlanWindow, Replies
from slowwave.jobs.patterns import DetectPatterns
from slowwave.jobs.prepare import Prepare
from slowwave.jobs.reconsideration.reconsider import ModelJudging, Reconsider
from slowwave.jobs.reembed import Reembed
from slowwave.jobs.retry_dead_letters import Retry
from slowwave.jobs.run import Job
from slowwave.jobs.summaries.grow import Grow, tree
from slowwave.jobs.summaries.retell import Retell
from slowwave.jobs.summaries.summarise import Summarise, Summariser
from slowwave.ports import Embedder, Extractor
from slowwave.ports.context import Ahead
from slowwave.ports.model_calls import ModelExtractor
from slowwave.ports.recall import is_slow
from slowwave.rules import Pack
from slowwave.rules.canaries import Canary
from slowwave.rules.languages import languages_of
from slowwave.rules.model_packs.judge import Judge
from slowwave.settings import Settings
from slowwave.store.database import Database
from slowwave.store.goals import goals  # noqa: F401  # it registers what runs write about goals
from slowwave.store.model_requests import PostgresModelRequests
from slowwave.store.night_report import PostgresNightReports
from slowwave.store.operator.check import PostgresChecks
from slowwave.store.patterns.records import PostgresPatterns
from slowwave.store.patterns.segments import PostgresSegments
from slowwave.store.promotion import PostgresPromotions
from slowwave.store.reconsideration.judgements import PostgresJudgements
from slowwave.store.reconsideration.new_facts import PostgresNewFacts
from slowwave.store.reembed import PostgresSpaces
from slowwave.store.retention.archive import PostgresArchive
from slowwave.store.retention.partitions import PostgresPartitions
from slowwave.store.runs.runs import PostgresRuns
from slowwave.store.schedule.schedule import PostgresSchedule
from slowwave.store.seals import PostgresSeals
from slowwave.store.summaries.model_summaries import PostgresModelSummaries, PostgresSummaries
from slowwave.store.summaries.tree import PostgresBranches, PostgresTrees
from slowwave.store.tiers.decay import PostgresDecay
from slowwave.store.tiers.sweep import PostgresSweep
from slowwave.wiring.packs import news_beside, predicates_of, unread_by

SLOWLY = 100
"""The maximum number of episodes of one preparing run with a slow embedder.

Such a run takes about 5 s for turns, and two minutes for long texts. With this limit, a run stays within its time
limit, and recall finds new episodes by meaning sooner.
"""


def page_writer(folder: Path | None) -> Callable[[NightReport, date | None], object] | None:
    """Return a function that writes pages to *folder*, or None without a folder.

    Raises `Incorrect` if a package is missing.
    """
    if folder is None:
        return None

    def write(report: NightReport, oldest: date | None) -> object:
        from slowwave.night_report import Pages  # only a writer of pages needs jinja2

        return Pages(folder).write(report, oldest)

    return write


def every_job(
    packs: Collection[Pack],
    embedder: Embedder,
    own: Mapping[str, Job],
    models: Mapping[str, ModelExtractor],
    model_requests: PostgresModelRequests,
    ahead: Ahead | None = None,
    canaries: Mapping[str, Canary] | None = None,
) -> dict[str, Job]:
    """Return every job by name: the jobs for *packs*, the jobs for *models*, and the installation's *own* jobs.

    The job that owns a pack also retries the pack's dead letters. *ahead* reads the next windows in advance, but not of
    packs with *canaries*, because only the beginning of a run decides which version reads.
    """
    extractors: dict[str, Extractor] = {pack.pack: pack for pack in packs}
    tried = {name: one.pack for name, one in (canaries or {}).items()}
    consolidate = Consolidate(
        extractors,
        embedder,
        predicates_of([*packs, *models.values(), *tried.values()]),
        Replies(models, model_requests, news_beside(packs, models)),
        unread_by(packs, list(models.values())).turns,
        {**{pack.pack: languages_of(pack) for pack in packs}, **{name: languages_of(models[name]) for name in models}},
        ahead,
        tried,
    )
    plan = PlanWindow(models, model_requests)
    if isinstance(prepare := own.get(PREPARE), Prepare):
        readers = {name: pack for name, pack in extractors.items() if name not in tried}
        own = {**own, PREPARE: replace(prepare, ahead=ahead, readers=readers)}
    owners: dict[str, Job] = {pack_of(job): own[job] for job in (*WINDOWED, RETELL) if job in own}
    retry = Retry({**owners, **dict.fromkeys(models, plan)}, consolidate)
    return {CONSOLIDATE: consolidate, PLAN: plan, RETRY: retry, **own}


def run_protocol(
    database: Database, settings: Settings, embedder: Embedder, made_by: Callable[[str], str]
) -> PostgresRuns:
    """Return the run protocol with the window sizes of *settings*.

    *made_by* maps a pack's name to the name of its edition, which is stored with each run.
    """
    prepared = min(settings.prepare_window, SLOWLY) if is_slow(embedder) else settings.prepare_window
    return PostgresRuns(
        database,
        lease_seconds=settings.lease_seconds,
        largest={**dict.fromkeys((*WINDOWED, RETRY), settings.window), PREPARE: prepared},
        space=(embedder.space, embedder.dimensions),
        ahead=settings.model_ahead,
        made_by=made_by,
    )


def built_in(
    database: Database,
    embedder: Embedder,
    summariser: Summariser,
    model_summariser: ModelSummariser | None,
    judge: Judge | None,
    schedule: PostgresSchedule,
    policies: Policies,
    predicates: Predicates,
    reports: Path | None,
) -> dict[str, Job]:
    """Return the jobs of every installation, by name. *predicates* turn the facts of these jobs into sentences."""
    space, summaries = (embedder.space, embedder.dimensions), PostgresSummaries(database)
    return {
        PREPARE: Prepare(embedder, PostgresSegments(database, embedder.space)),
        DECAY: Decay(PostgresDecay(database)),
        SWEEP: Sweep(PostgresSweep(database, space=space), embedder),
        SUMMARISE: Summarise(summariser, embedder, summaries, retold=model_summariser is not None),
        RETELL: Retell(
            model_summariser,
            PostgresModelRequests(database),
            PostgresModelSummaries(database),
            summaries,
            PostgresBranches(database),
            embedder,
        ),
        GROW: Grow(PostgresTrees(database, embedder), embedder, retold=model_summariser is not None),
        REEMBED: Reembed(PostgresSpaces(database), embedder, lambda scope, leaves, of: tree(scope, leaves, (), of)),
        DETECT_PATTERNS: DetectPatterns(PostgresPatterns(database), embedder, predicates),
        RECONSIDER: Reconsider(
            PostgresNewFacts(database),
            predicates,
            embedder,
            shipped(),
            ModelJudging(judge, PostgresModelRequests(database), PostgresJudgements(database)) if judge else None,
        ),
        PROMOTE: Promote(PostgresPromotions(database), policies),
        PARTITIONS: Partitions(PostgresPartitions(database), policies.audit_kept, policies.bookkeeping_kept),
        ARCHIVE: Archive(PostgresArchive(database)),
        CHECK: Check(checks(database)),
        RECONCILE: Reconcile(schedule),
        SEAL: Seal(PostgresSeals(database)),
        REPORT: Report(
            PostgresNightReports(database),
            page_writer(reports),
            policies.audit_kept,
            PostgresPartitions(database).under_legal_hold,
        ),
    }


def checks(database: Database) -> PostgresChecks:
    """Return the store of `slowwave check`."""
    return PostgresChecks(database, jobs=BUILT_IN)
