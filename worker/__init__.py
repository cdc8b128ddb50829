"""The Celery process: one thin task per job. The work itself is in `slowwave.jobs`."""
