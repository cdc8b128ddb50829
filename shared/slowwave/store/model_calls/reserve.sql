-- Reserves the highest possible cost of a call in a tenant's budget of the day. Changes no row if the cost exceeds the
-- budget.
--
-- Served by model_budgets_pkey.
UPDATE model_budgets
SET
    reserved_tokens = reserved_tokens + %(tokens)s, reserved_micros = reserved_micros + %(micros)s,
    served = slowwave_now()
WHERE
    tenant = %(tenant)s AND day = (slowwave_now() AT TIME ZONE 'UTC')::date
    AND (cap_tokens IS NULL OR spent_tokens + reserved_tokens + %(tokens)s <= cap_tokens)
    AND (cap_micros IS NULL OR spent_micros + reserved_micros + %(micros)s <= cap_micros)
