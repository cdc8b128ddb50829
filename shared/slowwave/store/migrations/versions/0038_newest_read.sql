-- The latest time of the episodes that a pack has read in a scope: what occurred before it arrives late. As the owner.

-- A push locks these tables in this order; 0040 changes the first one, too.
LOCK TABLE scope_heads, watermarks IN ACCESS EXCLUSIVE MODE;
ALTER TABLE watermarks ADD COLUMN newest TIMESTAMP WITH TIME ZONE;
COMMENT ON COLUMN watermarks.newest IS 'When the latest of the episodes read occurred; NULL if that is not known yet.';
GRANT UPDATE (newest) ON watermarks TO slowwave_app;
