"""The Celery process: one thin task per job. The module `slowwave.jobs` does the work of each job."""
