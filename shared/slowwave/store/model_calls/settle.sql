-- Settles a call once: the reservation becomes the actual cost. A late reply corrects the presumed cost.
--
-- Served by model_calls_pkey and model_budgets_pkey. The caller has locked the call.
WITH ended AS (
    UPDATE model_calls
    SET
        finished = coalesce(finished, slowwave_now()), outcome = %(outcome)s, spent_tokens = %(tokens)s,
        spent_micros = %(micros)s
    WHERE call = %(call)s
)
UPDATE model_budgets
SET
    reserved_tokens = reserved_tokens - %(free_tokens)s, reserved_micros = reserved_micros - %(free_micros)s,
    spent_tokens = spent_tokens + %(more_tokens)s, spent_micros = spent_micros + %(more_micros)s
WHERE tenant = %(tenant)s AND day = %(day)s
