-- A page of the people of whom anything is remembered, by name, behind one: in how many scopes, of how many episodes,
-- and when one was last received.
--
-- Served by scope_heads_tenant_user_id_agent_channel_key, in its order: a page reads the heads of its people alone.
SELECT user_id AS name, count(*) AS scopes, sum(head)::bigint AS episodes, max(touched) AS heard
FROM scope_heads
WHERE tenant = %(tenant)s AND user_id > coalesce(%(after)s::text, '')
GROUP BY user_id
ORDER BY user_id
LIMIT %(most)s;
