"""Each job of the job table has its entries in all other places that list jobs."""

from celery import Task

from slowwave.broker.queue import OURS
from slowwave.domain.job_table import CALLS, JOBS
from slowwave.store.schedule.schedule import finds_work
from tests.unit.tables import over
from worker import tasks

TASKS = {one.name for one in (*tasks.TASKS.values(), *vars(tasks).values()) if isinstance(one, Task)}


@over([*JOBS, *sorted(CALLS)])
def test_a_job_has_the_celery_task_that_its_messages_name(job: str) -> None:
    assert f"{OURS}{job}" in TASKS


@over(JOBS)
def test_each_job_has_a_statement_for_its_due_work(job: str) -> None:
    assert finds_work(job)
