"""The Celery process: one thin task a job. The work itself is in `slowwave.jobs`."""
