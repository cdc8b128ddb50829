-- Marks a claimed intent as running, with its window and fence, and inserts the run; returns its number, and the
-- version of the pack if it reads in the scope as a canary. The intent's due time becomes now, so an intent whose
-- workers keep vanishing queues behind the scope's other intents.
--
-- Served by intents_pkey, packs_pkey and canaries_pkey.
WITH started AS (
    UPDATE intents
    SET
        state = 'running',
        lo = %(lo)s,
        hi = %(hi)s,
        fence = %(fence)s,
        vanished = %(vanished)s,
        strikes = %(strikes)s,
        model_window = %(model_window)s,
        due = slowwave_now()
    WHERE intent = %(intent)s
),
chosen AS MATERIALIZED (SELECT slowwave_canary(%(scope)s, %(pack)s) AS canary),
begun AS (
    INSERT INTO runs (scope, tenant, job, pack, version, intent, lo, hi, fence, owner, settings, task)
    SELECT
        %(scope)s, %(tenant)s, %(job)s, %(pack)s, coalesce(chosen.canary, p.version), %(intent)s, %(lo)s, %(hi)s,
        %(fence)s, %(owner)s, %(settings)s::jsonb, nullif(%(task)s, '')
    FROM packs p
    CROSS JOIN chosen
    WHERE p.pack = %(pack)s
    RETURNING run
)
SELECT begun.run, chosen.canary FROM begun CROSS JOIN chosen
