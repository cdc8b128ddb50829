-- The latest time of the episodes that a pack has read in a scope: what occurred before it arrives late. As the owner.

ALTER TABLE watermarks ADD COLUMN newest TIMESTAMP WITH TIME ZONE;
COMMENT ON COLUMN watermarks.newest IS 'When the latest of the episodes read occurred; NULL if that is not known yet.';
GRANT UPDATE (newest) ON watermarks TO slowwave_app;
