-- A claim that came late stands where it would have been decided; what was decided again names the first decision.
-- As the owner.

ALTER TABLE deltas ADD COLUMN again uuid;
ALTER TABLE deltas ADD COLUMN stands_at timestamptz;

COMMENT ON COLUMN deltas.again IS 'The first decision about the same claim, where a late claim led to another.';
COMMENT ON COLUMN deltas.stands_at IS 'When it would have been recorded, had its claim not come late.';

CREATE INDEX deltas_again ON deltas (scope, again, recorded) WHERE again IS NOT NULL;
CREATE INDEX deltas_late ON deltas (scope, stands_at) WHERE stands_at IS NOT NULL;
