-- Cuts a waiting window off after a position. The later part becomes a window of its own, to be planned again.
--
-- Served by model_windows_pkey. A window that ends at the position is not changed.
WITH old AS MATERIALIZED (
    SELECT w.* FROM model_windows w WHERE w.model_window = %(model_window)s AND w.hi > %(hi)s FOR UPDATE
),
rest AS (
    INSERT INTO model_windows (scope, tenant, pack, edition, lo, hi, chosen, stale)
    SELECT
        scope, tenant, pack, edition,
        coalesce((SELECT min(p) FROM unnest(chosen) AS p WHERE p > %(hi)s), %(hi)s + 1), hi,
        CASE WHEN chosen IS NOT NULL THEN ARRAY(SELECT p FROM unnest(chosen) AS p WHERE p > %(hi)s ORDER BY p) END,
        true
    FROM old
)
UPDATE model_windows w
SET
    hi = %(hi)s,
    chosen = CASE
        WHEN old.chosen IS NOT NULL THEN ARRAY(SELECT p FROM unnest(old.chosen) AS p WHERE p <= %(hi)s ORDER BY p)
    END
FROM old
WHERE w.model_window = old.model_window
