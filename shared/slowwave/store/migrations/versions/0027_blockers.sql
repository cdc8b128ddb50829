-- The goal that blocks another. As the owner.

ALTER TABLE goals ADD COLUMN blocked_by UUID;
COMMENT ON COLUMN goals.blocked_by IS 'The goal of the same scope that blocks it; null where it is none, or nothing blocks.';

GRANT UPDATE (blocked_by) ON goals TO slowwave_app;
