-- Records a provider's failure: halves the breaker's width, and opens it after the third failure in a row or if the
-- provider asks to wait.
--
-- Served by model_breakers_pkey. A call from before the last change is ignored, so that eight parallel failures count
-- as one failure.
UPDATE model_breakers
SET
    failures = failures + 1, width = greatest(1, least(width, %(slots)s) / 2), since = slowwave_now(),
    open_until = CASE
        WHEN %(wait)s > 0 THEN slowwave_now() + make_interval(secs => least(%(wait)s, %(longest_wait)s))
        WHEN failures + 1 >= 3
            THEN
                slowwave_now() + make_interval(
                    secs => least(%(longest)s, %(first)s * power(2, least(failures - 2, 12))) * (1 + 0.25 * random())
                )
        ELSE open_until
    END
WHERE provider = %(provider)s AND since <= (SELECT c.started FROM model_calls c WHERE c.call = %(call)s)
