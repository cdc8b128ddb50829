-- Ends all canaries but the declared ones.
--
-- One scan of canaries, a few rows.
UPDATE canaries SET declared = FALSE
WHERE
    declared AND (pack, version) NOT IN (
        SELECT pack, version FROM unnest(%(packs)s::text[], %(versions)s::integer[]) AS said (pack, version)
    )
