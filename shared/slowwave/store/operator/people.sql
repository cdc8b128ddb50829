-- A page of the people with memories, in order of name, after a given name. Each person has the number of scopes, the
-- number of episodes, and the time of the last episode.
--
-- Served by scope_heads_tenant_user_id_agent_channel_key, in its order. A page reads only the heads of its people.
SELECT user_id AS name, count(*) AS scopes, sum(head)::bigint AS episodes, max(touched) AS heard
FROM scope_heads
WHERE tenant = %(tenant)s AND erased IS NULL AND user_id > coalesce(%(after)s::text, '')
GROUP BY user_id
ORDER BY user_id
LIMIT %(most)s;
