SELECT count(*) FROM pg_stat_activity
WHERE
    datname = current_database() AND backend_type = 'client backend'
    AND pid <> pg_backend_pid() AND pid <> ALL(%(known)s)
