-- Inserts a window that waits for a model; returns its number.
--
-- Served by model_windows_begin, which lets no two windows begin at one position.
INSERT INTO model_windows (scope, tenant, pack, edition, lo, hi, chosen)
VALUES (%(scope)s, %(tenant)s, %(pack)s, %(edition)s, %(lo)s, %(hi)s, %(chosen)s::bigint[])
RETURNING model_window
