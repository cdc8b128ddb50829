-- The runs of one version of a pack.
--
-- One scan of the tenant's runs; used only to undo a pack.
SELECT run FROM runs WHERE pack = %(pack)s AND version = %(version)s AND outcome = 'ok' ORDER BY run
