"""The Celery process: one thin task a job."""
