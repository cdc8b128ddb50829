-- Records a provider's reply: closes the breaker and doubles its width; a healthy breaker is not written.
--
-- Served by model_breakers_pkey. A call from before the last change is ignored.
UPDATE model_breakers
SET
    failures = 0, width = least(%(slots)s, width * 2), since = slowwave_now(),
    open_until = least(open_until, slowwave_now())
WHERE
    provider = %(provider)s AND (failures > 0 OR width < %(slots)s)
    AND since <= (SELECT c.started FROM model_calls c WHERE c.call = %(call)s)
