-- The indexes of what is due begin with the slice: no statement that names a tenant alone is led to them. As the owner.

DROP INDEX standing_decay_due;
DROP INDEX standing_sweep_due;
CREATE INDEX standing_decay_due ON standing (slice, tenant, decay_due);
CREATE INDEX standing_sweep_due ON standing (slice, tenant, sweep_due) WHERE sweep_due IS NOT NULL;
