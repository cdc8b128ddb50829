-- Inserts an exported batch with its deadline for replies; returns its number.
--
-- Appends to model_batches.
INSERT INTO model_batches (tenant, provider, requests, until)
VALUES (
    %(tenant)s, %(provider)s, %(requests)s, slowwave_now() + make_interval(secs => %(seconds)s::double precision)
)
RETURNING batch
