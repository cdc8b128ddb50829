-- The claims that a replay adds. As the owner.

ALTER TABLE undos ADD COLUMN added UUID[];
COMMENT ON COLUMN undos.added IS
'The claims that a replay, or whoever takes it back, adds; null for any other undo.';
