-- Stores the running segment of a session.
--
-- Served by running_segments_pkey.
INSERT INTO running_segments (scope, session, tenant, number, first, recent, before)
VALUES (%(scope)s, %(session)s, slowwave_tenant(), %(number)s, %(first)s, %(recent)s, %(before)s)
ON CONFLICT (scope, session) DO UPDATE
    SET number = excluded.number, first = excluded.first, recent = excluded.recent, before = excluded.before
