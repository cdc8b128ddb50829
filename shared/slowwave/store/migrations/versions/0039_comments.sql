-- Comments on tables and columns in plain sentences. As the owner.

COMMENT ON TABLE api_buckets IS
'The rate-limit tokens that a key had left for a verb at its last request; they refill every second.';
COMMENT ON TABLE api_keys IS
'Keys of HTTP callers, each with its tenant and allowed verbs. Revoked keys stay.';
COMMENT ON COLUMN api_keys.hash IS
'SHA-256 of the key. The key has 256 random bits, so nobody can recover it from the hash.';
COMMENT ON TABLE audit_log IS
'The audit log, written in the transaction of each change, partitioned by day.';
COMMENT ON TABLE beliefs IS
'A number for each belief. The digest is keyed, because facts can be guessed.';
COMMENT ON COLUMN beliefs.worded IS
'True if its words are in belief_words; false for beliefs older than that table.';
COMMENT ON TABLE consensus IS
'Consensus of agents, and their dissent. Append-only by grant.';
COMMENT ON TABLE conversations IS
'Sessions of a scope: begin, end and archive state.';
COMMENT ON COLUMN conversations.archived IS
'Default recall omits episodes received up to this time.';
COMMENT ON COLUMN conversations.tombstoned IS
'Episodes received up to this time are expired, and their partition may be dropped.';
COMMENT ON COLUMN conversations.touched IS
'The time of its last episode or restore; the archive measures its age from here.';
COMMENT ON TABLE dead_letters IS
'Episodes, messages and deltas that could not be processed, each with the reason.';
COMMENT ON TABLE delta_origins IS
'The memories from which a delta was made: the sources of a promotion or a summary.';
COMMENT ON TABLE delta_payloads IS
'The texts of deltas. They can be erased without breaking the fold.';
COMMENT ON TABLE delta_sources IS
'The words that support a delta: a range of characters of an episode''s content, end exclusive.';
COMMENT ON TABLE deltas IS
'All applied deltas, without texts. Append-only by grant.';
COMMENT ON COLUMN deltas.again IS
'The first decision about the same claim, if a late claim led to a new one.';
COMMENT ON COLUMN deltas.stands_at IS
'The time at which it would have been recorded if its claim had not come late.';
COMMENT ON TABLE edges IS
'Facts as edges, from the subject of a fact to the entity that it names. A projection of the ledger.';
COMMENT ON COLUMN edges.target IS
'The entity of the object; null if the object is a property of the source.';
COMMENT ON COLUMN edges.kind IS
'The type of the object, if the registry of predicates defines it.';
COMMENT ON COLUMN edges.valid IS
'When it is believed to be true; empty once it is no longer believed.';
COMMENT ON COLUMN edges.weight IS
'One, plus one for each episode that repeated it.';
COMMENT ON TABLE embedding_moves IS
'Scopes that moved to another embedding space, or are moving. Others use that of their first memory.';
COMMENT ON COLUMN embedding_moves.toward IS
'The space to which the scope changes as soon as all vectors exist.';
COMMENT ON COLUMN embedding_moves.since IS
'The start of the move; null for moves that began before this column existed.';
COMMENT ON TABLE embedding_spaces IS
'Embedding spaces: model, version and dimensions. Vectors of two spaces are never compared.';
COMMENT ON TABLE entities IS
'Entities that facts mention, one row per name. The next fact about a tombstoned entity restores it.';
COMMENT ON COLUMN entities.due IS
'The next check by the archive; null while there is a current fact about it.';
COMMENT ON COLUMN entities.frequency IS
'The number of current facts that mention it by this name.';
COMMENT ON COLUMN entities.same_as IS
'The entity of which this is an alias; null if it is no alias.';
COMMENT ON COLUMN entities.near IS
'The older entity with a similar name, into which it was merged when first mentioned.';
COMMENT ON COLUMN entities.spelled IS
'The normalised name, by which possibly equal names are compared.';
COMMENT ON TABLE entity_vectors IS
'The vector of the name of an entity.';
COMMENT ON TABLE episode_keys IS
'The keys of known episodes, with position and content digest. Narrow and unpartitioned.';
COMMENT ON TABLE episode_vectors IS
'The vectors of episodes, computed after the episodes are stored.';
COMMENT ON TABLE episodes IS
'Episodes: immutable, partitioned by month of receipt.';
COMMENT ON TABLE fact_vectors IS
'The vectors of facts.';
COMMENT ON TABLE facts IS
'Facts: versions that open and close in valid and in recorded time. The fold of the ledger.';
COMMENT ON TABLE firings IS
'Firings: a schedule came due for a scope and window, once, however many schedulers run.';
COMMENT ON TABLE goals IS
'Goals of agents for a user, and their outcomes.';
COMMENT ON COLUMN goals.blocked_by IS
'The goal of the same scope that blocks it; null if no goal does.';
COMMENT ON TABLE graph_versions IS
'The versions of the graph of a scope: one for each run that wrote a decision.';
COMMENT ON COLUMN graph_versions.at IS
'The last recorded time of the version; the facts of that time are its graph.';
COMMENT ON TABLE holds IS
'Legal holds on a scope or a whole tenant. While one is in force, nothing fades or is archived.';
COMMENT ON TABLE intents IS
'Pending and running work. Finished work leaves this table; its runs stay.';
COMMENT ON COLUMN intents.upto IS
'The last requested position; work beyond it keeps waiting.';
COMMENT ON COLUMN intents.idle_due IS
'The next time to check whether the scope is idle.';
COMMENT ON COLUMN intents.faulted IS
'The time of the last attempt that a Slowwave fault ended; `faults` counts consecutive ones.';
COMMENT ON COLUMN intents.model_window IS
'The model window that a running intent reads or plans again.';
COMMENT ON TABLE model_batches IS
'Batches of requests that were exported in a file, and how long to wait for their replies.';
COMMENT ON TABLE model_breakers IS
'The number of usable slots of a provider, and the earliest time of the next call.';
COMMENT ON TABLE model_budgets IS
'The daily model budget of a tenant, in tokens and millionths of the currency; null means no limit.';
COMMENT ON TABLE model_calls IS
'Calls to models, with their costs. *looks* counts the attempts to read the reply.';
COMMENT ON TABLE model_chunks IS
'The requests for which a window waits, per plan.';
COMMENT ON TABLE model_payloads IS
'The messages of a request to a model.';
COMMENT ON COLUMN model_payloads.words IS
'Messages, schema and notes of the extractor; null if erased.';
COMMENT ON COLUMN model_rejected.said IS
'The claim of the model; null if erased.';
COMMENT ON TABLE model_replies IS
'Replies of models, stored before a run reads them.';
COMMENT ON COLUMN model_replies.n IS
'0 for the reply that is used, 1 or more for unused ones, null until a run has read it.';
COMMENT ON COLUMN model_replies.raw IS
'The raw reply; null if erased.';
COMMENT ON COLUMN model_replies.complaint IS
'The reason why it is unreadable, as sent to the model.';
COMMENT ON TABLE model_requests IS
'Requests to a model, one per content, without texts: the positions that they cover and quote.';
COMMENT ON COLUMN model_requests.last IS
'The outcome of the last call that was none of these for certain.';
COMMENT ON COLUMN model_requests.reason IS
'The reason why the request is dead.';
COMMENT ON TABLE model_slots IS
'The running calls at a provider, each with its lease.';
COMMENT ON TABLE model_windows IS
'Windows planned for a model; each waits until all requests of its current plan are closed.';
COMMENT ON TABLE places IS
'The slices of a tenant on which a standing job works. Their leases are in scope_leases.';
COMMENT ON TABLE predicates IS
'The number of values of each predicate name, as declared when its facts were written.';
COMMENT ON TABLE processes IS
'Schedulers and workers, with the time of their last progress.';
COMMENT ON TABLE promotions IS
'Promotions of facts from a project channel to `_global`, with start and revocation.';
COMMENT ON TABLE reconsiderations IS
'How far a model was asked which facts of a scope the newer facts have ended.';
COMMENT ON COLUMN reconsiderations.told IS
'The model was asked about everything recorded up to this time.';
COMMENT ON COLUMN reconsiderations.since IS
'The value of told before the last request.';
COMMENT ON COLUMN reconsiderations.waiting IS
'The request whose reply has not been read yet.';
COMMENT ON TABLE registrations IS
'The last complete registration of packs and schedules by an installation.';
COMMENT ON TABLE revisions IS
'The applied revisions of the schema, and their times.';
COMMENT ON TABLE runs IS
'All attempts at intents: worker, window and outcome.';
COMMENT ON COLUMN runs.task IS
'The id of the Celery task that claimed it; null for a worker without Celery.';
COMMENT ON TABLE schedules IS
'The schedules of the jobs of packs.';
COMMENT ON COLUMN schedules.reference IS
'The segment from which a semantic shift is measured: the running one, or the last consolidated one.';
COMMENT ON COLUMN schedules.rung IS
'The tier whose overflow triggers the schedule; null for any tier.';
COMMENT ON TABLE scope_leases IS
'The worker that holds a scope, and the end of its lease. Locked by claim, heartbeat and apply only.';
COMMENT ON TABLE segments IS
'The finished topics of a session: first and last position, and the distance of the next topic.';
COMMENT ON TABLE sightings IS
'Evidence for patterns that are no facts yet: a success of a strategy, a week of a routine.';
COMMENT ON TABLE standing IS
'The tier, strength and accesses of a memory: derived and mutable.';
COMMENT ON TABLE strategies IS
'Strategies for tasks, each with its successes and failures. Counts are derived from episodes.';
COMMENT ON TABLE tallies IS
'Hourly counts of events; for durations per bucket of a histogram.';
COMMENT ON TABLE tellings IS
'Model summaries of sessions (by subject) and of tree nodes (by id). Quotes replace missing ones.';
COMMENT ON COLUMN tellings.reached IS
'The last position of the session with a message to summarise.';
COMMENT ON COLUMN tellings.covered IS
'The last position that is summarised or skipped.';
COMMENT ON COLUMN tellings.upto IS
'The last position that the pending request covers.';
COMMENT ON COLUMN tellings.waiting IS
'The pending request.';
COMMENT ON COLUMN tellings.request IS
'The last request that was applied or rejected.';
COMMENT ON COLUMN tellings.lines IS
'Sentences, each with its supporting words; null if quotes are used.';
COMMENT ON COLUMN tellings.rests IS
'The positions of all supporting words.';
COMMENT ON TABLE tenants IS
'The tenants, each with the key that fingerprints its facts.';
COMMENT ON TABLE tier_moves IS
'All tier moves of memories. Append-only by grant.';
COMMENT ON TABLE tool_stats IS
'Calls, successes and total duration per tool.';
COMMENT ON TABLE topics IS
'The running topic of a session: its first position, its newest events, and those of the previous topic.';
COMMENT ON TABLE tree_nodes IS
'The tree over the summaries of a scope: summary facts at level 0, the best lines of the children above.';
COMMENT ON COLUMN tree_nodes.space IS
'The embedding space in which the similarity of nodes was measured.';
COMMENT ON COLUMN tree_nodes.facts IS
'The summary that contains each line of the text.';
COMMENT ON COLUMN tree_nodes.places IS
'The index of the line in that summary, from 0.';
COMMENT ON TABLE unread_turns IS
'Turns of users in languages that no pack or model read on arrival; they yielded no facts.';
COMMENT ON TABLE vector_blocks IS
'The vectors of 256 positions in one space: their mean, and the signs of the differences. Derived, too.';
COMMENT ON COLUMN vector_blocks.edition IS
'A new value at each packing.';
COMMENT ON COLUMN vector_blocks.codes IS
'The mean and one scale per position, both float32, then the sign bits, plane by plane.';
COMMENT ON TABLE watermarks IS
'How far a pack has consolidated and planned a scope. Windows stay small up to *suspect*.';
COMMENT ON TABLE webhooks IS
'Webhooks of a tenant, each with its last delivered delta. Removed ones stay, without secret.';
COMMENT ON COLUMN webhooks.secret IS
'The signing key, in clear text. Only the role that delivers may read it, no tenant.';
COMMENT ON COLUMN webhooks.delta IS
'The last delta that was delivered or filtered out; no earlier delta is pending.';
COMMENT ON TABLE word_blocks IS
'Hashed words of 256 positions of a scope, with their positions. Derived from episodes, erased with them.';
COMMENT ON COLUMN word_blocks.block IS
'The block with the positions from 256 times this number, plus one.';
COMMENT ON COLUMN word_blocks.edition IS
'A new value at each packing, by which processes check their caches.';
COMMENT ON COLUMN word_blocks.received IS
'Microseconds since 1970, one int64 per position, or the smallest int64.';
COMMENT ON COLUMN word_blocks.occurred IS
'Microseconds since 1970, one int64 per position.';
COMMENT ON COLUMN word_blocks.sessions IS
'The hash of the session, one uint64 per position.';
COMMENT ON COLUMN word_blocks.roles IS
'The role of the speaker, one uint8 per position.';
COMMENT ON COLUMN word_blocks.lengths IS
'The number of different words, one uint32 per position.';
COMMENT ON COLUMN word_blocks.words IS
'The sorted hashes of the different words of the block, uint32.';
COMMENT ON COLUMN word_blocks.starts IS
'The offset of each word in docs, and the end of the last one, uint32.';
COMMENT ON COLUMN word_blocks.docs IS
'The positions in the block that contain each word, word by word, uint8.';
COMMENT ON COLUMN word_blocks.first_user IS
'The alphabetically first speaker with the role user.';
COMMENT ON COLUMN word_blocks.last_user IS
'The alphabetically last speaker with the role user.';
