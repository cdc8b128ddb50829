/** Made by ops/typescript.py of the OpenAPI document: edit the API. */

import { type Options, Wire } from "./wire.js";

export { type Options, SlowwaveError } from "./wire.js";

/** A delta that adds a belief. */
export type AddDelta = {
  source_episode_ids: Array<string>;
  promotion_ts: string;
  rule_id: string;
  confidence: number;
  reason?: string;
  valid_from?: string | null;
  valid_to?: string | null;
  kind?: "add";
  fact_payload: Record<string, unknown>;
};

/**
 * A delta in the ledger. *promotion_ts* is the time when the delta was applied.
 *
 * *fact* is the fact that the delta made, ended or confirmed. *run* is None for a delta that was applied by hand.
 * *claim* is the subject, predicate and object of the decided claim, and *text* is the claim in words. After an
 * erasure, *claim* is None, and *text* and the payload are empty.
 */
export type AppliedDelta = {
  id: string;
  scope: Scope;
  run: number | null;
  pack: string;
  fact: string | null;
  claim: [string, string, string] | null;
  text: string;
  delta: AddDelta | UpdateDelta | DeleteDelta | NoopDelta;
};

/** A question, and filters for the answers; see `recall` of the library. */
export type Asking = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  question: string;
  limit?: number;
  as_of?: string | null;
  archived?: boolean;
  kinds?: Array<"fact" | "typed" | "statement" | "episode"> | null;
  roles?: Array<"user" | "assistant" | "system" | "tool"> | null;
  sessions?: Array<string> | null;
  exclude_sessions?: Array<string> | null;
  since?: string | null;
  until?: string | null;
  channels?: Array<string> | null;
  agents?: Array<string> | null;
  session?: string | null;
  min_score?: number;
};

/** Episodes of one memory, in order. */
export type Batch = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  episodes: Array<Record<string, unknown> | string>;
};

/** A belief in words, before or after an undo, with its scope. */
export type Belief = {
  fact: string;
  text: string;
  valid_from: string | null;
  valid_to: string | null;
  scope: Scope;
};

/** The reason why a goal is blocked, and the blocking goal, if there is one. */
export type BlockedGoal = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  reason: string;
  by?: string | null;
};

/**
 * The cache's memory in bytes: the *used* memory, and its limit *most* (None without a limit).
 *
 * *evicted* counts keys. *policy* is the `maxmemory-policy` of the cache. The server reports these values for all
 * tenants, since the start of the server.
 */
export type CacheMemory = {
  used: number;
  most: number | null;
  policy: string;
  evicted: number;
};

/**
 * A *canary* beside the *installed* version of its pack.
 *
 * *shared* is the number of scopes in its share. *read* is the number of scopes in which it has read, in *runs* runs,
 * and *replayed* the number of scopes in which its replays are in force. *difference* holds the changes that a
 * roll-back would make. *undecided* are other canaries of the pack: they are not declared any more, and what they have
 * read stays until they are rolled back.
 */
export type CanaryStatus = {
  canary: StoredCanary;
  installed: number;
  shared: number;
  read: number;
  runs: number;
  difference: Undone;
  replayed?: number;
  undecided?: Array<StoredCanary>;
};

/** A belief that is held before and after an undo. The undo changes the belief's valid time or its sources. */
export type ChangedBelief = {
  before: Belief;
  after: Belief;
};

/** One schedule of a job, and the times of the next runs. */
export type Coming = {
  name: string;
  job: string;
  pack: string;
  kind: string;
  paused: boolean;
  last_fired: string | null;
  next_runs: Array<string>;
};

/** A data key of a tenant, without the key itself. */
export type DataKey = {
  key: number;
  master: string;
  made: string;
  used_from: string;
  in_use: boolean;
};

/**
 * A dead letter, of one of five categories.
 *
 * `incorrect`: a pack could not read the episode. `vanished`: workers crashed or were killed while they read the
 * episode. `fault`: code of Slowwave failed on the episode. `malformed`: a message was not a task. `conflict`: a claim
 * is ambiguous. *item* is the message or claim. The item arrived at least *seen* times. *content* is the content of
 * the episode, if there is an episode.
 */
export type DeadLetter = {
  letter: number;
  category: string;
  reason: string;
  state: "open" | "retried" | "dropped" | "decided";
  created: string;
  scope?: Scope | null;
  pack?: string | null;
  episode?: string | null;
  key?: string | null;
  position?: number | null;
  item?: unknown;
  seen?: number;
  content?: string | null;
};

/** The delta of a decided review. */
export type Decided = {
  delta: string;
};

/**
 * The *verdict* about a canary, and the replays that followed, by tenant.
 *
 * *undecided* are other canaries of the pack, as in `CanaryStatus`.
 */
export type DecidedCanary = {
  canary: StoredCanary;
  verdict: "promoted" | "rolled back";
  replays?: Record<string, Undone>;
  undecided?: Array<StoredCanary>;
};

/** A person's decision of a review. *by* is the name of the person. */
export type Decision = {
  verdict: "accept" | "reject" | "edit";
  by: string;
  object?: string | null;
  replaces?: string | null;
};

/** A delta that closes beliefs. */
export type DeleteDelta = {
  source_episode_ids: Array<string>;
  promotion_ts: string;
  rule_id: string;
  confidence: number;
  reason?: string;
  valid_from?: string | null;
  valid_to?: string | null;
  kind?: "delete";
  replaces: Array<string>;
};

/** Work that a worker could claim now, and the time when it came due (*since*). */
export type Due = {
  scope: string;
  job: string;
  since: string;
};

/** The work that is due because a session ended. */
export type Ended = {
  due: Array<Due>;
};

/** The end of a goal, as `completed` or `abandoned`. */
export type EndedGoal = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  status?: "active" | "completed" | "abandoned" | "blocked";
  result?: string | null;
};

/** Entries of an index. *failed* has the reasons why external memories did not answer, by name. */
export type Entries = {
  items: Array<IndexEntry>;
  failed?: Record<string, string>;
};

/** The receipt of one episode: `stored` in Postgres, `spooled` in the host's outbox, or `refused`. */
export type EpisodeReceipt = {
  id: string | null;
  key: string;
  state: "stored" | "queued" | "spooled" | "refused";
  position?: number | null;
  repeated?: boolean;
  problem?: Problem | null;
  masked?: Array<string>;
};

/**
 * The receipt of an erasure, without content, or a *preview* of an erasure.
 *
 * *counts* has the number of rows by table. A preview has the first *episodes* and *facts* in words, and a *token* to
 * confirm exactly this erasure. *under_legal_hold* says whether a legal hold forbids the erasure. In a receipt,
 * *erased* is the time when no row had the content any more. *rewritten* is the time when dead rows, index entries,
 * statistics and the write-ahead log had been rewritten too. Before that time, *todo* lists the open steps. *calls*
 * are the ids of the model calls that sent erased words to a provider. *beyond* lists copies that no erasure reaches.
 * *signature* is made with the tenant's key (see `Memory.verify_erasure`).
 */
export type Erasure = {
  kind: "user" | "session" | "fact" | "matching" | "scope";
  scopes: number;
  counts: Record<string, number>;
  preview?: boolean;
  under_legal_hold?: boolean;
  episodes?: Array<string>;
  facts?: Array<string>;
  token?: string | null;
  id?: string | null;
  asked?: string | null;
  erased?: string | null;
  rewritten?: string | null;
  calls?: Array<number>;
  todo?: Array<string>;
  beyond?: Array<string>;
  signature?: string;
};

/**
 * The words of an episode that support a delta, and the episode's whole content.
 *
 * The *words* begin at the character *start* of *content*. *channel* is set only if the episode and the delta are in
 * different channels.
 */
export type Evidence = {
  episode: string;
  key: string;
  position: number;
  occurred: string;
  session: string;
  speaker: string;
  content: string;
  words: string;
  channel?: string | null;
  start?: number;
};

/**
 * The explanation of a fact: its words, its form, whether it is *believed* now, and all deltas about it.
 *
 * *scope* is the scope that believes or believed the fact. If *until* is set, the fact was true only until that time.
 */
export type Explanation = {
  fact: string;
  text: string;
  believed: boolean;
  steps: Array<Step>;
  form?: "typed" | "statement";
  tense?: "current" | "past" | "future";
  scope?: Scope | null;
  until?: string | null;
};

/**
 * One version of a belief.
 *
 * *id* is the id of the delta that asserted the fact. It stays the same when a part of the valid time is cut off. The
 * fact is true in the world from *valid_from* to *valid_to*, and believed from *recorded_from* to *recorded_to*. If an
 * end is None, the range is open. *confidence* is the probability that the fact is true. It was estimated at the
 * assertion and never changes. *session* is the session of the assertion, and *scope* is the scope that believes the
 * fact. *text* is the fact in words, as it was asserted. *tense* says whether the fact was true at the time of the
 * assertion. The text identifies a fact of *form* `statement`.
 */
export type Fact = {
  id: string;
  subject: string;
  predicate: string;
  object: string;
  valid_from: string;
  valid_to: string | null;
  recorded_from: string;
  recorded_to: string | null;
  confidence: number;
  rule: string;
  session: string;
  sources: Array<Source>;
  scope: Scope;
  text: string;
  form?: "typed" | "statement";
  tense?: "current" | "past" | "future";
};

/** A rating of a recollection: the recollection's id and score, and how useful it was. */
export type Feedback = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  id: string;
  score: number;
  useful: number | boolean;
};

/** A violation of an *invariant*, and the *remedy*. Only ids and numbers describe the violation. */
export type Finding = {
  invariant: string;
  subject: string;
  remedy: string;
  tenant: string;
  scope?: string | null;
};

/** The check of a receipt. A receipt is genuine if this tenant's key signed it and nobody changed it. */
export type Genuine = {
  genuine: boolean;
};

/**
 * One goal. A goal with a higher *priority* comes first. *embedding* is the vector of the goal, or None.
 *
 * *completed_at* is the time when the goal ended, with or without success. *result* is the result, or the reason why
 * the goal is blocked. *blocked_by* is the blocking goal, or None.
 */
export type Goal = {
  goal_id: string;
  user_id: string;
  agent: string;
  channel: string;
  description: string;
  status: "active" | "completed" | "abandoned" | "blocked";
  priority: number;
  created_at: string;
  completed_at: string | null;
  result: string | null;
  deadline: string | null;
  parent: ParentGoal | null;
  blocked_by?: ParentGoal | null;
  embedding?: Array<number> | null;
};

/** Memories in full, in the order requested. */
export type InFull = {
  items: Array<RememberedEpisode | Fact>;
};

/**
 * One memory in an index. *preview* has the first 80 characters, and *tokens* is an estimate of the size of the
 * full text.
 *
 * *tier* is the memory tier. A memory that was never returned is on the first tier. *score* says how well the memory
 * answers the question; it is None without a question. *strength* is the remaining strength, in [0, 1], or None if the
 * memory was never returned. *source* is the name of an external memory, or None for Slowwave's own memories. An
 * external entry has the *id* and *score* of the external memory, and *occurred* may be None. `entries` cannot fetch
 * an external entry.
 */
export type IndexEntry = {
  id: string;
  kind: "fact" | "episode" | "external";
  preview: string;
  tokens: number;
  tier: string;
  occurred: string | null;
  scope: Scope;
  session?: string | null;
  role?: "user" | "assistant" | "system" | "tool" | null;
  score?: number | null;
  strength?: number | null;
  source?: string | null;
};

/**
 * The lag of the work of all tenants: how long the oldest due work has waited, and the time since the scheduler's
 * last tick.
 */
export type Keeping = {
  lag_seconds: number;
  ticked_seconds_ago: number | null;
  keeps_up: boolean;
};

/**
 * The times from the end of conversations to their consolidation.
 *
 * *unread* is the age of the oldest unread episode.
 */
export type Lag = {
  conversations: number;
  median: string | null;
  longest: string | null;
  unread: string;
};

/** Percentiles of recall times in milliseconds (median, 95th and 99th). All are None if there was no recall. */
export type Latency = {
  count: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
};

/** A later run that built on undone beliefs by confirming, replacing, promoting or summarising them. */
export type LaterRun = {
  run: number;
  job: string;
  pack: string;
  started: string;
};

/** The id of the strategy that counts the reported success or failure. */
export type Learned = {
  strategy: string;
};

/** The dead letters to retry, by number. */
export type Letters = {
  letters: Array<number>;
};

/** The new limit of a tenant, of each user, or of one user. */
export type Limited = {
  tenant?: string | null;
  most: number;
  user?: string | null;
  each_user?: boolean;
};

/** A live process. */
export type Live = {
  live?: boolean;
};

/** A created webhook, and its signing secret, which is shown only once. */
export type Made = {
  webhook: Webhook;
  secret: string;
};

/**
 * An episode that a delta cites and that is not stored any more.
 *
 * If *erased* is False, retention dropped the month in which the episode was *received*.
 */
export type MissingEpisode = {
  episode: string;
  position: number;
  received: string;
  erased: boolean;
};

/**
 * A tenant's model requests: how many are *pending* and *asked* (sent), how many windows wait, and today's cost.
 *
 * *windows* wait for replies. *paused_until* is the start of the next day, if the rest of today's budget cannot pay
 * for the oldest request. *replies* is the number of replies read within a day. *without_claims* is the number of
 * these replies from which no claim was accepted.
 */
export type ModelCallsOverview = {
  pending: number;
  asked: number;
  windows: number;
  spent_tokens: number;
  spent_money: number;
  cap_tokens: number | null;
  cap_money: number | null;
  paused_until: string | null;
  replies?: number;
  without_claims?: number;
  providers?: Array<ProviderState>;
};

/** A new goal. A repeat with the same key changes nothing. */
export type NewGoal = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  description: string;
  priority?: number;
  deadline?: string | null;
  parent?: string | null;
  key?: string | null;
};

/** A sequence of tools that succeeded or failed in a conversation. */
export type NewStrategy = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  description: string;
  context_pattern: string;
  tool_sequence: Array<string>;
  conversation: string;
  success: boolean;
  task?: string;
  key?: string | null;
};

/** A delta that changes nothing. It gives the reason. */
export type NoopDelta = {
  source_episode_ids: Array<string>;
  promotion_ts: string;
  rule_id: string;
  confidence: number;
  reason?: string;
  valid_from?: string | null;
  valid_to?: string | null;
  kind?: "noop";
};

/**
 * Unread turns.
 *
 * *languages* has the number of all unread turns by language. *reason* explains why no pack or model reads these
 * languages, and *remedy* is the setting to change.
 */
export type NotRead = {
  items: Array<UnreadTurn>;
  next?: string | null;
  languages: Record<string, number>;
  reason: string;
  remedy: string;
};

/** The tenant of an operation. */
export type OfTenant = {
  tenant?: string | null;
};

/** A memory from which a job made a claim: the original of a promoted fact, or a memory that a summary covers. */
export type Origin = {
  relation: "promoted_from" | "summarises";
  scope: string;
  memory: string;
};

/**
 * The size of a tenant's memory, and the progress of the work on it.
 *
 * *waiting* counts all pending work, and *queue* lists pending work by job. *unread_episodes* is the number of unread
 * episodes, summed over scopes, for the slowest pack of each scope. *lag* is the time since the oldest due work came
 * due. *partitions* has, for each partitioned table, the time up to which the table has partitions. *ticked* is the
 * time of the last completed tick of a scheduler. *model_calls* is the state of the model calls; *desk* is the former
 * name of this field, and has the same value. *unread* counts the turns of the last day in languages that no pack
 * reads, by language code. *retries* is the work that waits after a failure, the longest wait first; at most a
 * thousand are listed.
 */
export type Overview = {
  scopes: number;
  episodes: number;
  unread_episodes: number;
  facts: number;
  deltas: Record<string, number>;
  waiting: number;
  running: number;
  lag: string;
  dead_letters: Record<string, number>;
  partitions: Record<string, string>;
  ticked: string | null;
  queue?: Array<Waiting>;
  desk?: ModelCallsOverview | null;
  unread?: Record<string, number>;
  retries?: Array<Retry>;
  model_calls?: ModelCallsOverview | null;
};

export type PageAppliedDelta = {
  items: Array<AppliedDelta>;
  next?: string | null;
};

export type PageComing = {
  items: Array<Coming>;
  next?: string | null;
};

export type PageDataKey = {
  items: Array<DataKey>;
  next?: string | null;
};

export type PageDeadLetter = {
  items: Array<DeadLetter>;
  next?: string | null;
};

export type PageErasure = {
  items: Array<Erasure>;
  next?: string | null;
};

export type PageFact = {
  items: Array<Fact>;
  next?: string | null;
};

export type PageFinding = {
  items: Array<Finding>;
  next?: string | null;
};

export type PageGoal = {
  items: Array<Goal>;
  next?: string | null;
};

export type PagePastRun = {
  items: Array<PastRun>;
  next?: string | null;
};

export type PageQuota = {
  items: Array<Quota>;
  next?: string | null;
};

export type PageReview = {
  items: Array<Review>;
  next?: string | null;
};

export type PageStaleRows = {
  items: Array<StaleRows>;
  next?: string | null;
};

export type PageStoredCanary = {
  items: Array<StoredCanary>;
  next?: string | null;
};

export type PageStrategy = {
  items: Array<Strategy>;
  next?: string | null;
};

export type PageUndone = {
  items: Array<Undone>;
  next?: string | null;
};

export type PageWaiting = {
  items: Array<Waiting>;
  next?: string | null;
};

export type PageWebhook = {
  items: Array<Webhook>;
  next?: string | null;
};

/** A goal that another goal serves, or that blocks another goal. */
export type ParentGoal = {
  goal_id: string;
  description: string;
  status: "active" | "completed" | "abandoned" | "blocked";
};

/**
 * One part of a context. *content* is the memory itself, and `shown` is the text of the memory in a prompt.
 *
 * *score* and *reasons* are the score and reasons of a recollection. *sources* are the episodes that support the part.
 * *id* is the id of the memory, or of a turn's episode. *tokens* is the size of the part's message, counted by the
 * caller's counter or estimated. If *until* is set, the memory was true only until that time.
 */
export type Part = {
  type: "system" | "tools" | "summary" | "graph" | "fact" | "episode" | "turn";
  content: string;
  role?: "user" | "assistant" | "system" | "tool";
  tokens?: number;
  score?: number | null;
  reasons?: Record<string, number>;
  sources?: Array<Source>;
  id?: string | null;
  scope?: Scope | null;
  session?: string | null;
  occurred?: string | null;
  until?: string | null;
};

/**
 * A run in the history. *outcome* and *finished* are None while the run goes on.
 *
 * A run of a job that reads no episodes has no *scope*. Such a run worked on a *slice* of the tenant, or on the
 * installation. *task* is the id of the Celery task that did the run. *version* is the version of the pack. *reader*
 * is the version of the pack's extractor, if the extractor has versions.
 */
export type PastRun = {
  run: number;
  scope: Scope | null;
  slice: number | null;
  job: string;
  pack: string;
  version: number;
  reader: string | null;
  lo: number;
  hi: number;
  owner: string;
  started: string;
  finished: string | null;
  outcome: string | null;
  counts: Record<string, number>;
  error: string | null;
  task: string | null;
};

/** A problem: a description, the party that must act, and a hint. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  hint?: string | null;
  problems?: Array<string>;
  retry_after_seconds?: number | null;
};

/**
 * The context of a question: its *parts* in prompt order, at most *max_tokens* long; *tokens* is the actual length.
 *
 * Prompt and tools come first. The retrieved memories follow: the summary, the recollections (best first), and the
 * graph. The turns come last, oldest first. *left_out* counts the recollections and turns that did not fit. *reused*
 * is the share of the retrieved memories that were available before the question, because they were in working memory,
 * returned just before, or prefetched. *reused* is None if nothing was retrieved.
 */
export type PromptContext = {
  question: string;
  parts: Array<Part>;
  tokens: number;
  max_tokens: number;
  left_out?: number;
  reused?: number | null;
};

/** A question, and the limits of the context; see `context` of the library. */
export type Prompting = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  question: string;
  session?: string | null;
  max_tokens?: number;
  limit?: number;
  include_summary?: boolean;
  include_graph?: boolean | null;
  stop_at_overflow?: boolean;
  anticipate?: boolean;
};

/**
 * A provider, with the number of calls *under_way*, the limit of this number (*width*), and the consecutive
 * *failures*.
 *
 * If *open_until* is set, the circuit breaker is open until that time, and no calls are made.
 */
export type ProviderState = {
  name: string;
  under_way: number;
  width: number;
  failures: number;
  open_until: string | null;
};

/** An episode, and the memory in which it is stored. A second push with the same `key` stores nothing. */
export type Pushed = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  content?: string | null;
  key?: string;
  session?: string;
  role?: "user" | "assistant" | "system" | "tool";
  kind?: "message" | "model_call" | "tool_call" | "memory_read" | "outcome";
  occurred_at?: string | null;
  speaker?: string | null;
  metadata?: Record<string, unknown>;
  tool_calls?: Array<Record<string, unknown>> | null;
  tool_call_id?: string | null;
};

/**
 * A limit for a tenant, for each user, or for one *user*: at most the amount *most* of *what* may be used.
 *
 * *left* is the amount that is unused now. *left* is None for a limit of each user, and for `runs-in-turn`, which is
 * not used up.
 */
export type Quota = {
  what: string;
  most: number;
  left: number | null;
  applies?: "tenant" | "each user" | "user";
  user?: string | null;
};

/** A process that can serve requests: Postgres is reachable, and has the schema of this version. */
export type Ready = {
  ready?: boolean;
};

/**
 * The best recollections, best first.
 *
 * *by_words_alone* is the number of episodes that only a keyword search covered, because they have no vector yet. If
 * *embedder_away* is true, the embedder did not answer, and the keyword search covered all episodes.
 */
export type Recalled = {
  items: Array<Recollection>;
  by_words_alone?: number;
  embedder_away?: boolean;
};

/** A receipt for each episode of a batch, in order. */
export type Receipts = {
  items: Array<EpisodeReceipt>;
};

/**
 * One answer to a question.
 *
 * *score*, in [0, 1], is the estimated probability that the memory answers the question. The estimate was measured on
 * dialogue with the default weights, and scores of different questions are comparable. *match*, in [0, 1], says how
 * well the memory matches this question compared with other memories. The score is computed from the match. *reasons*
 * are the parts of the match by name (`similarity`, `keyword`, `recency`, `contiguity`, `speaker`, …), each in [0, 1]
 * before weighting. An episode that no worker has embedded yet has the reason `embedded_at_recall`. A memory that was
 * found while the embedder was unavailable has the reason `embedder_away`. Both reasons are 1.0 and add nothing.
 * *sources* are the words of a fact's source episodes; for an episode, it is the episode itself. *scope* has the agent
 * and channel of the memory. *form* distinguishes a typed fact from a statement. *session* is the session of the
 * source. *role* is the role of an episode's speaker. If *until* is set, all beliefs from this episode ended at that
 * time. The memory that ended the beliefs ranks above this episode, unless the question asks about the past.
 */
export type Recollection = {
  kind: "fact" | "episode";
  id: string;
  text: string;
  score: number;
  reasons: Record<string, number>;
  sources: Array<Source>;
  occurred: string;
  confidence?: number | null;
  scope?: Scope | null;
  form?: "typed" | "statement" | null;
  session?: string | null;
  role?: "user" | "assistant" | "system" | "tool" | null;
  match?: number | null;
  until?: string | null;
};

/**
 * An episode word for word, as it was pushed.
 *
 * *key* is the agent's own name for the episode, and *position* is the number of the episode in its *scope*.
 * *occurred* is the time of the episode by the speaker's own clock. *received* is the time of storage, in UTC.
 * *speaker* is the speaker's name, if the agent gave a name.
 */
export type RememberedEpisode = {
  id: string;
  key: string;
  scope: Scope;
  position: number;
  session: string;
  role: "user" | "assistant" | "system" | "tool";
  kind: "message" | "model_call" | "tool_call" | "memory_read" | "outcome";
  content: string;
  occurred: string;
  received: string;
  speaker: string | null;
  metadata: Record<string, unknown>;
};

/** A replaced fact in words. *rule* is the rule that found the fact, and *recorded* is its recording time. */
export type Replaced = {
  fact: string;
  text: string;
  rule: string;
  recorded: string;
};

/**
 * Work of one *job* that waits after a failure, at the longest *until* the given time.
 *
 * *scope* is None for work that belongs to no user.
 */
export type Retry = {
  job: string;
  until: string;
  scope?: Scope | null;
};

/**
 * A claim that waits for a person, because Slowwave could not decide it with certainty.
 *
 * *among* are the facts that the claim could replace. An assertion replaces all these facts; a correction or an end
 * (see *mode*) replaces one of these facts. *beliefs* are the texts of the facts, in the same order. *content* is the
 * episode's content. *valid_from* is the start of the claim's valid time.
 */
export type Review = {
  number: number;
  reason: string;
  scope: Scope;
  subject: string;
  predicate: string;
  object: string;
  mode: "assert" | "correct" | "end" | "forget" | "withdraw";
  confidence: number;
  valid_from: string;
  single_valued: boolean;
  text: string;
  among: Array<string>;
  beliefs: Array<string>;
  episode: string;
  content: string;
  created: string;
};

/** The number of erasures whose second step (the rewrite of tables, statistics and log) was done. */
export type Rewritten = {
  rewritten: number;
};

/**
 * A tenant's user, as one agent knows the user in one channel. Facts belong to a scope, and not to a session.
 *
 * >>> Scope("default", "Alice", "rag").key
 * '/tenant/default/user/Alice/agent/rag/channel/_global/'
 */
export type Scope = {
  tenant: string;
  user: string;
  agent: string;
  channel?: string;
};

/** The user, agent and channel of a memory. Without an agent, the memories of all agents are searched. */
export type ScopeNames = {
  user: string;
  agent?: string | null;
  channel?: string | null;
};

/** A session to end. */
export type Session = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  session: string;
};

/** Hits and misses, and the *rate* of hits, which is hits / (hits + misses), or None if both are zero. */
export type Share = {
  hits: number;
  misses: number;
};

/** A scope that the replay of a tenant left unchanged, with the *problem* and a *hint*. */
export type Skipped = {
  scope: Scope;
  problem: string;
  hint: string;
};

/**
 * The words that support a claim: characters *start* to *end* (exclusive) of an episode's content.
 *
 * *scope* is set only if the episode and the claim are in different scopes, for example for a promoted fact.
 */
export type Source = {
  episode: string;
  key: string;
  position: number;
  start: number;
  end: number;
  scope?: string | null;
};

/**
 * A current move of scopes to a model's space, which has a *name* and *dimensions*.
 *
 * *scopes* is the number of scopes. *episodes* is the number of episodes of these scopes, and *made* is the number of
 * these episodes that already have a vector in the space. *since* is the time at which the first move began, or None
 * if it is unknown.
 */
export type SpaceMove = {
  name: string;
  dimensions: number;
  scopes: number;
  episodes: number;
  made: number;
  since: string | null;
};

/** The rows of one *table* that are to be encrypted: with *readable* words, and with words under an *older* key. */
export type StaleRows = {
  table: string;
  readable: number;
  older: number;
};

/**
 * The standing of one memory.
 *
 * *kind* is `semantic` (a fact), `episodic`, `procedural`, `entity` or another kind. *source* says whether the memory
 * was `stated` explicitly, was `inferred`, or is a `statement`. *base* is the initial value, in [0, 1]; for a fact, it
 * is the confidence. *accesses* are the times of the last few accesses, oldest first, and *access_count* counts all
 * accesses. *frequency* counts the episodes that confirmed the memory. *successes* counts the times when the memory
 * helped. *surprise*, in [0, 1], says how much more useful the memory was than expected. *evidence* is the time of the
 * last access or feedback, *moved* is the time of the last change of tier, and *reinforced* is the time of the last
 * confirmation. *strength* is the remaining strength at the time of the query, in [0, 1], or None if the query left
 * out the strength. For a fact, the strength is the remaining certainty.
 */
export type Standing = {
  kind: string;
  source: string;
  tier: string;
  base: number;
  created: string;
  last_access?: string | null;
  reinforced?: string | null;
  access_count?: number;
  accesses?: Array<string>;
  frequency?: number;
  surprise?: number;
  successes?: number;
  evidence?: string | null;
  moved?: string | null;
  pinned?: boolean;
  strength?: number | null;
};

/**
 * Statistics of one tenant. Counts of events cover the last *hours*; sizes are current.
 *
 * *nodes* and *relationships* count the current memory by kind. *unlearned* is the number of newest episodes that the
 * job `detect_patterns` has not read yet; their tools and strategies are not counted. *decayed* has the decay job's
 * counts per day. A hit of *recalls* is a recall that found something. A hit of *cache* is a read of working memory
 * that found something. A hit of *anticipated* is a prefetched memory that a later context of its conversation used.
 * *cache_memory* is None if no cache reports its memory. *moves* has the scopes that are being moved to another
 * embedding space.
 */
export type Stats = {
  hours: number;
  nodes: Record<string, number>;
  relationships: Record<string, number>;
  latency: Latency;
  lag: Lag;
  recalls: Share;
  cache: Share;
  anticipated: Share;
  decayed: Record<string, Record<string, number>>;
  tiering: Tiering;
  unlearned?: number;
  cache_memory?: CacheMemory | null;
  moves?: Array<SpaceMove>;
};

/**
 * One delta in the history of a fact, with the belief in words, and the facts that the delta replaced.
 *
 * *evidence* has the cited words that are still stored, and *missing* the cited episodes that are not.
 */
export type Step = {
  delta: string;
  kind: string;
  text: string;
  rule: string;
  reason: string;
  confidence: number;
  recorded: string;
  run: number | null;
  replaces: Array<Replaced>;
  evidence: Array<Evidence>;
  origins?: Array<Origin>;
  missing?: Array<MissingEpisode>;
};

/**
 * A version of a pack that reads, or once read, in a *share* of the scopes.
 *
 * It reads only while it is *declared* and not rolled back; after its promotion, it reads in all scopes.
 */
export type StoredCanary = {
  pack: string;
  version: number;
  share: number;
  declared: boolean;
  verdict: "promoted" | "rolled back" | null;
  by: string | null;
  reason: string | null;
  decided: string | null;
};

/**
 * A way of doing a task, and its success counts.
 *
 * *bound* is the lower bound of the success rate, given these counts. *standing* is `learned` (believed as the fact
 * *fact*), `tried` (too few uses to judge), `failing` (known to fail) or `withdrawn` (forgotten on request, or faded).
 * *similarity* is the similarity to the queried task, and *score* is similarity times bound. Both are None without a
 * query. *scope* has the agent and channel that learned the strategy.
 */
export type Strategy = {
  id: string;
  scope: Scope;
  task: string;
  description: string;
  context_pattern: string;
  tool_sequence: Array<string>;
  success_count: number;
  failure_count: number;
  bound: number;
  standing: "learned" | "tried" | "failing" | "withdrawn";
  created_at: string;
  last_used: string | null;
  fact: string | null;
  embedding?: Array<number> | null;
  similarity?: number | null;
  score?: number | null;
};

/** The number of retried letters. */
export type Taken = {
  retried: number;
};

/**
 * The number of memories on each tier, and the number of moves between tiers in the last hour.
 *
 * *promotions_last_hour* counts moves to a hotter tier, and *demotions_last_hour* counts moves to a colder tier.
 * *hit_rate* is the share of recalls that found something, or None without recalls.
 */
export type Tiering = {
  tier_counts: Record<string, number>;
  promotions_last_hour: number;
  demotions_last_hour: number;
  hit_rate: number | null;
  avg_surprise_score: number | null;
};

/** The extent of a check. */
export type ToCheck = {
  rebuild?: boolean;
};

/** A correction: the right object. Without an object, the fact is only undone. */
export type ToCorrect = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  by?: string | null;
  reason?: string;
  preview?: boolean;
  timeout?: number;
  object?: string | null;
};

/** A request to erase in the whole tenant, or for one user. */
export type ToForget = {
  session?: string | null;
  fact?: string | null;
  matching?: string | null;
  preview?: boolean;
  confirm?: string | null;
  learn_again?: boolean;
  rewrite?: boolean;
  timeout?: number;
  user?: string | null;
};

/** A request to erase content of one scope. */
export type ToForgetHere = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  session?: string | null;
  fact?: string | null;
  matching?: string | null;
  preview?: boolean;
  confirm?: string | null;
  learn_again?: boolean;
  rewrite?: boolean;
  timeout?: number;
};

/** A decision to let a canary read in all scopes. */
export type ToPromote = {
  by?: string | null;
  reason?: string;
  timeout?: number;
  replay?: boolean;
};

/** A request to read the episodes of one memory, or of all users, again with an installed pack. */
export type ToReplay = {
  by?: string | null;
  reason?: string;
  preview?: boolean;
  timeout?: number;
  pack: string;
  user?: string | null;
  agent?: string | null;
  channel?: string | null;
  all_users?: boolean;
  ask?: boolean;
};

/** A decision to end a canary. */
export type ToRollBack = {
  by?: string | null;
  reason?: string;
  timeout?: number;
};

/** A request to undo decisions in one memory or, without a user, in the whole tenant. */
export type ToUndo = {
  by?: string | null;
  reason?: string;
  preview?: boolean;
  timeout?: number;
  what?: number | string | null;
  since?: string | null;
  user?: string | null;
  agent?: string | null;
  channel?: string | null;
};

/**
 * The response of a tested receiver: the status (null without a response), whether the receiver accepted the
 * delivery, and a description.
 */
export type Tried = {
  status: number | null;
  accepted: boolean;
  description: string;
};

/**
 * An undo with its changes. If *preview* is True, these are the changes that the undo would make.
 *
 * The beliefs in *withdrawn* are no longer held. The beliefs in *restored* are held again. The beliefs in *changed*
 * stay held, with another valid time or other sources. *built_on* has the later runs that built on undone beliefs;
 * Slowwave decided the claims of these runs again. *unsure* counts the beliefs that could not be decided again,
 * because an erasure removed the words behind these beliefs. The undo ends such a belief only if an undone claim
 * supports the belief. *runs* are the runs that wrote the deltas. To revert the undo, pass one of these runs or the
 * *id* to `undo`. *withdraws* is the id of the earlier undo that this undo reverts, if any. *corrected* is the new
 * fact of a correction.
 */
export type Undone = {
  what: string;
  by: string;
  reason: string;
  withdrawn?: Array<Belief>;
  restored?: Array<Belief>;
  changed?: Array<ChangedBelief>;
  built_on?: Array<LaterRun>;
  unsure?: number;
  scopes?: Array<Scope>;
  runs?: Array<number>;
  id?: string | null;
  at?: string | null;
  preview?: boolean;
  withdraws?: string | null;
  state?: "done" | "pending" | "taken back";
  corrected?: string | null;
  skipped?: Array<Skipped>;
};

/**
 * A user's turn, and the code of its *language*, such as `de`.
 *
 * No pack could read the language when the turn arrived.
 */
export type UnreadTurn = {
  episode: RememberedEpisode;
  language: string;
};

/** A delta that adds a belief, and closes the beliefs that the added belief replaces. */
export type UpdateDelta = {
  source_episode_ids: Array<string>;
  promotion_ts: string;
  rule_id: string;
  confidence: number;
  reason?: string;
  valid_from?: string | null;
  valid_to?: string | null;
  kind?: "update";
  replaces: Array<string>;
  fact_payload: Record<string, unknown>;
};

/**
 * Pending work of one *job*: the number of scopes or slices with such work, and the time when the first work
 * starts.
 *
 * Work starts when it is due, or earlier if its scope has been idle long enough for an idle schedule.
 */
export type Waiting = {
  job: string;
  count: number;
  first: string;
};

/** A new webhook: its address, and the selection of deltas. */
export type Wanted = {
  url: string;
  kinds?: Array<"add" | "update" | "delete" | "noop">;
  user?: string | null;
  agent?: string | null;
  channel?: string | null;
};

/**
 * A webhook as lists show it, without the secret.
 *
 * The webhook receives the deltas of its *kinds*. If *user*, *agent* or *channel* is set, the webhook receives only
 * the deltas of this user, agent or channel. *trouble* is the error of the last attempt. *failing* is the start of an
 * unbroken series of failures. *disabled* is the time when the webhook was disabled because of the failures.
 */
export type Webhook = {
  webhook: string;
  url: string;
  kinds: Array<"add" | "update" | "delete" | "noop">;
  user: string | null;
  agent: string | null;
  channel: string | null;
  created: string;
  delivered: number;
  attempts: number;
  due: string;
  failing?: string | null;
  trouble?: string | null;
  disabled?: string | null;
};

/** A server of Slowwave, asked with a key. */
export class Slowwave extends Wire {
  constructor(url: string, options: Options = {}) {
    super(url, options);
  }

  /**
   * Return at once that the process lives.
   *
   * Postgres is not checked, because a restart of this process would not repair Postgres.
   */
  live(): Promise<Live> {
    return this.ask("GET", `/health/live`);
  }

  /** Return 200 if Postgres is reachable and has the schema of this version. Otherwise return 503 with Retry-After. */
  ready(): Promise<Ready> {
    return this.ask("GET", `/health/ready`);
  }

  /** Return the waiting time of the oldest due work. The status is 503 if this time exceeds *late_seconds*. */
  progress(query: {
    late_seconds?: number;
  } = {}): Promise<Keeping> {
    return this.ask("GET", `/health/progress`, { query });
  }

  /**
   * Store one episode durably. 201 means that Postgres has the episode, and 202 that this host's outbox has it.
   *
   * A repeated key returns 201 with `repeated`.
   */
  push(body: Pushed): Promise<EpisodeReceipt> {
    return this.ask("POST", `/v1/push`, { body });
  }

  /**
   * Store episodes in order; return one receipt per episode.
   *
   * The status is 207 if some episodes were refused, 202 if some are in this host's outbox, else 201.
   */
  pushBatch(body: Batch): Promise<Receipts> {
    return this.ask("POST", `/v1/push/batch`, { body });
  }

  /** Return the facts and episodes that answer the question best, with reasons and sources. */
  recall(body: Asking): Promise<Recalled> {
    return this.ask("POST", `/v1/recall`, { body });
  }

  /** Return the context for an answer to the question, within the token limit. Each part has its sources. */
  context(body: Prompting): Promise<PromptContext> {
    return this.ask("POST", `/v1/context`, { body });
  }

  /** Return the facts believed about a user. By default, these are the current beliefs about the present. */
  facts(query: {
    as_of?: string | null;
    known_at?: string | null;
    form?: "typed" | "statement" | null;
    limit?: number;
    after?: string | null;
    session?: string | null;
    user: string;
    agent?: string | null;
    channel?: string | null;
  }): Promise<PageFact> {
    return this.ask("GET", `/v1/facts`, { query });
  }

  /**
   * Return a user's unread turns, newest first.
   *
   * No pack or model could read the language of such a turn when it arrived.
   */
  unread(query: {
    limit?: number;
    before?: string | null;
    session?: string | null;
    user: string;
    agent?: string | null;
    channel?: string | null;
  }): Promise<NotRead> {
    return this.ask("GET", `/v1/unread`, { query });
  }

  /** Return why a fact is or was believed, with the original words. *fact* is an id or a unique prefix of an id. */
  why(fact: string, query: {
    session?: string | null;
  } = {}): Promise<Explanation> {
    return this.ask("GET", `/v1/facts/${encodeURIComponent(fact)}/why`, { query });
  }

  /** Return the deltas of the tenant, or of one memory if a user is named, in the order of application. */
  deltas(query: {
    user?: string | null;
    agent?: string | null;
    channel?: string | null;
    run?: number | null;
    since?: string | null;
    kind?: "add" | "update" | "delete" | "noop" | null;
    after?: string | null;
    limit?: number;
  } = {}): Promise<PageAppliedDelta> {
    return this.ask("GET", `/v1/deltas`, { query });
  }

  /** Return the goals with a status, or all goals, sorted by descending priority, then oldest first. */
  goals(query: {
    status?: "active" | "completed" | "abandoned" | "blocked" | null;
    limit?: number;
    session?: string | null;
    user: string;
    agent?: string | null;
    channel?: string | null;
  }): Promise<PageGoal> {
    return this.ask("GET", `/v1/goals`, { query });
  }

  /** Store a goal. */
  addGoal(body: NewGoal): Promise<Goal> {
    return this.ask("POST", `/v1/goals`, { body });
  }

  /** Return one goal, with its parent. */
  showGoal(goal: string, query: {
    session?: string | null;
    user: string;
    agent?: string | null;
    channel?: string | null;
  }): Promise<Goal> {
    return this.ask("GET", `/v1/goals/${encodeURIComponent(goal)}`, { query });
  }

  /** End a goal as completed or abandoned; a repeat changes nothing. */
  endGoal(goal: string, body: EndedGoal): Promise<Goal> {
    return this.ask("POST", `/v1/goals/${encodeURIComponent(goal)}/end`, { body });
  }

  /** Mark a goal as blocked. */
  blockGoal(goal: string, body: BlockedGoal): Promise<Goal> {
    return this.ask("POST", `/v1/goals/${encodeURIComponent(goal)}/block`, { body });
  }

  /** Mark a blocked goal as active again. */
  resumeGoal(goal: string, body: ScopeNames): Promise<Goal> {
    return this.ask("POST", `/v1/goals/${encodeURIComponent(goal)}/resume`, { body });
  }

  /** Return the strategies for a task, best first. Without a task, return every strategy. */
  strategies(query: {
    task?: string | null;
    limit?: number;
    session?: string | null;
    user: string;
    agent?: string | null;
    channel?: string | null;
  }): Promise<PageStrategy> {
    return this.ask("GET", `/v1/strategies`, { query });
  }

  /**
   * Store that a sequence of tools succeeded or failed; return the strategy's id.
   *
   * A repeat with the same key is stored once.
   */
  learnStrategy(body: NewStrategy): Promise<Learned> {
    return this.ask("POST", `/v1/strategies`, { body });
  }

  /** Return one strategy. */
  showStrategy(strategy: string, query: {
    session?: string | null;
    user: string;
    agent?: string | null;
    channel?: string | null;
  }): Promise<Strategy> {
    return this.ask("GET", `/v1/strategies/${encodeURIComponent(strategy)}`, { query });
  }

  /** Report how useful a recollection was; return the new tier and usage of the recalled memory. */
  feedback(body: Feedback): Promise<Standing> {
    return this.ask("POST", `/v1/feedback`, { body });
  }

  /** Return the claims that need a person's decision, oldest first. */
  review(query: {
    limit?: number;
    after?: number | null;
  } = {}): Promise<PageReview> {
    return this.ask("GET", `/v1/review`, { query });
  }

  /** Accept the claim of a review, reject the claim, or edit its object; return the id of the delta. */
  decide(number: number, body: Decision): Promise<Decided> {
    return this.ask("POST", `/v1/review/${encodeURIComponent(number)}`, { body });
  }

  /** Undo a run, a delta, a pack's version or all decisions since a time; return the changes, or a preview. */
  undo(body: ToUndo): Promise<Undone> {
    return this.ask("POST", `/v1/undo`, { body });
  }

  /**
   * Read all episodes of a memory, or of all users, again with an installed pack, and replace the pack's claims.
   *
   * Return the changes, or a preview.
   */
  replay(body: ToReplay): Promise<Undone> {
    return this.ask("POST", `/v1/replay`, { body });
  }

  /** Return the latest undos of the tenant, or of one memory if a user is named, newest first. */
  undos(query: {
    user?: string | null;
    agent?: string | null;
    channel?: string | null;
    limit?: number;
  } = {}): Promise<PageUndone> {
    return this.ask("GET", `/v1/undos`, { query });
  }

  /**
   * Undo a wrong fact and everything derived from the fact; if an object is given, add the right fact.
   *
   * Return the changes.
   */
  correct(fact: string, body: ToCorrect): Promise<Undone> {
    return this.ask("POST", `/v1/facts/${encodeURIComponent(fact)}/correct`, { body });
  }

  /** Return the present and past canaries of all packs: declared ones first. */
  canaries(): Promise<PageStoredCanary> {
    return this.ask("GET", `/v1/canaries`);
  }

  /**
   * Return how the canary of a pack has read in the tenant, compared with the installed version.
   *
   * For an earlier canary, *pack* is NAME@VERSION.
   */
  showCanary(pack: string): Promise<CanaryStatus> {
    return this.ask("GET", `/v1/canaries/${encodeURIComponent(pack)}`);
  }

  /**
   * Let a canary read in all scopes of all tenants.
   *
   * The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
   */
  promote(pack: string, body: ToPromote): Promise<DecidedCanary> {
    return this.ask("POST", `/v1/canaries/${encodeURIComponent(pack)}/promote`, { body });
  }

  /**
   * End a canary in all tenants, and take back what it has read, also in replays.
   *
   * For an earlier canary, *pack* is NAME@VERSION. The installed version reads again what the canary has read. The
   * result names the scopes that are not rolled back, with what to do.
   *
   * The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
   */
  rollBack(pack: string, body: ToRollBack): Promise<DecidedCanary> {
    return this.ask("POST", `/v1/canaries/${encodeURIComponent(pack)}/roll-back`, { body });
  }

  /** Erase a user, a session, a fact or every match of a text; return the receipt, or a preview. */
  forget(body: ToForget): Promise<Erasure> {
    return this.ask("POST", `/v1/forget`, { body });
  }

  /** Erase a session, a fact, every match of a text or a whole memory; return the receipt, or a preview. */
  forgetHere(body: ToForgetHere): Promise<Erasure> {
    return this.ask("POST", `/v1/scopes/forget`, { body });
  }

  /** Return the receipts of the latest erasures, newest first. Receipts contain no erased content. */
  erasures(query: {
    limit?: number;
  } = {}): Promise<PageErasure> {
    return this.ask("GET", `/v1/erasures`, { query });
  }

  /** Rewrite tables, indexes, statistics and log without erased content; return the number of finished erasures. */
  rewrite(): Promise<Rewritten> {
    return this.ask("POST", `/v1/erasures/rewrite`);
  }

  /** Return whether a receipt was signed with the tenant's key and is unchanged. */
  verify(body: Record<string, unknown>): Promise<Genuine> {
    return this.ask("POST", `/v1/erasures/verify`, { body });
  }

  /** Return the amount of stored data, and the state of the work on it. */
  status(): Promise<Overview> {
    return this.ask("GET", `/v1/status`);
  }

  /** Return sizes, recall latency, work lag, tiers and hit rates of the last hours. */
  stats(query: {
    hours?: number;
  } = {}): Promise<Stats> {
    return this.ask("GET", `/v1/stats`, { query });
  }

  /** Return the latest runs of the tenant and of the installation, newest first. */
  runs(query: {
    limit?: number;
    before?: number | null;
  } = {}): Promise<PagePastRun> {
    return this.ask("GET", `/v1/runs`, { query });
  }

  /** Return one run. */
  showRun(run: number): Promise<PastRun> {
    return this.ask("GET", `/v1/runs/${encodeURIComponent(run)}`);
  }

  /** Return the pending work by job, with the time when each job's first work is due. */
  intents(): Promise<PageWaiting> {
    return this.ask("GET", `/v1/intents`);
  }

  /** Return every schedule of the installation, with the times of the next two runs. */
  schedule(): Promise<PageComing> {
    return this.ask("GET", `/v1/schedule`);
  }

  /** Return the open dead letters, oldest first. With *everything*, include retried and dropped letters. */
  deadLetters(query: {
    limit?: number;
    after?: number | null;
    everything?: boolean;
  } = {}): Promise<PageDeadLetter> {
    return this.ask("GET", `/v1/dead-letters`, { query });
  }

  /**
   * Retry open dead letters; return their number.
   *
   * Workers read the episodes of the letters again. If a letter has a message that could not be parsed and now can be,
   * the message is stored.
   */
  retry(body: Letters): Promise<Taken> {
    return this.ask("POST", `/v1/dead-letters/retry`, { body });
  }

  /** Return the pending model calls, today's spending and budget, and each provider's circuit breaker. */
  budget(): Promise<ModelCallsOverview> {
    return this.ask("GET", `/v1/budget`);
  }

  /**
   * Return the quotas of the tenant and its users, each with the amount that is left.
   *
   * To name another tenant than that of the key, the caller needs a key of the tenant SLOWWAVE_TENANT.
   */
  quotas(query: {
    tenant?: string | null;
  } = {}): Promise<PageQuota> {
    return this.ask("GET", `/v1/quotas`, { query });
  }

  /**
   * Set a quota of a tenant, of each user or of one user; return the quotas of the tenant.
   *
   * The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
   */
  setQuota(what: string, body: Limited): Promise<PageQuota> {
    return this.ask("PUT", `/v1/quotas/${encodeURIComponent(what)}`, { body });
  }

  /**
   * Remove a quota of a tenant, of each user or of one user; return the quotas of the tenant.
   *
   * The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
   */
  removeQuota(what: string, query: {
    user?: string | null;
    each_user?: boolean;
    tenant?: string | null;
  } = {}): Promise<PageQuota> {
    return this.ask("DELETE", `/v1/quotas/${encodeURIComponent(what)}`, { query });
  }

  /**
   * Return the data keys of a tenant, oldest first, without the keys themselves.
   *
   * The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
   */
  dataKeys(query: {
    tenant?: string | null;
  } = {}): Promise<PageDataKey> {
    return this.ask("GET", `/v1/encryption`, { query });
  }

  /**
   * Count the rows of a tenant with readable words, and with words under an older data key. Reads every row.
   *
   * The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
   */
  encryptionStatus(query: {
    tenant?: string | null;
  } = {}): Promise<PageStaleRows> {
    return this.ask("GET", `/v1/encryption/status`, { query });
  }

  /**
   * Add a data key of a tenant, which is used after a minute; return its number and times, without the key itself.
   *
   * The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
   */
  rotate(body: OfTenant): Promise<DataKey> {
    return this.ask("POST", `/v1/encryption/rotate`, { body });
  }

  /**
   * Return the violations of invariants in all tenants, as ids and numbers. Writes nothing.
   *
   * The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
   */
  check(body: ToCheck): Promise<PageFinding> {
    return this.ask("POST", `/v1/check`, { body });
  }

  /** End a session; return the work that is now due because the session ended. */
  endSession(body: Session): Promise<Ended> {
    return this.ask("POST", `/v1/sessions/end`, { body });
  }

  /**
   * Return an index of the memories relevant to the question: each entry has the id, the first 80 characters, the
   * number of tokens and the tier.
   */
  searchIndex(query: {
    question: string;
    limit?: number;
    archived?: boolean;
    kinds?: Array<"fact" | "typed" | "statement" | "episode"> | null;
    exclude_sessions?: Array<string> | null;
    since?: string | null;
    until?: string | null;
    include_external?: boolean;
    session?: string | null;
    user: string;
    agent?: string | null;
    channel?: string | null;
  }): Promise<Entries> {
    return this.ask("GET", `/api/v1/memory/search-index`, { query });
  }

  /**
   * Return index entries for the episode *anchor* and its neighbours, in the order stored. If *anchor* is a fact, its
   * source episode is used.
   */
  searchTimeline(query: {
    anchor: string;
    before?: number;
    after?: number;
    session?: string | null;
    user: string;
    agent?: string | null;
    channel?: string | null;
  }): Promise<Entries> {
    return this.ask("GET", `/api/v1/memory/search-timeline`, { query });
  }

  /** Return the episodes and facts with these *ids* in full, in the order of *ids*. */
  entries(query: {
    ids: Array<string>;
    session?: string | null;
    user: string;
    agent?: string | null;
    channel?: string | null;
  }): Promise<InFull> {
    return this.ask("GET", `/api/v1/memory/entries`, { query });
  }

  /** Return every webhook of the tenant, oldest first, each with its last delivered delta and its current error. */
  listing(): Promise<PageWebhook> {
    return this.ask("GET", `/v1/webhooks`);
  }

  /**
   * Create a webhook that sends each new delta, signed, to an address; return the secret, which is shown
   * only once.
   */
  create(body: Wanted): Promise<Made> {
    return this.ask("POST", `/v1/webhooks`, { body });
  }

  /** Remove a webhook and its secret permanently. */
  remove(webhook: string): Promise<Webhook> {
    return this.ask("DELETE", `/v1/webhooks/${encodeURIComponent(webhook)}`);
  }

  /** Resume deliveries to a failed webhook at once, beginning with the first delta that was not delivered. */
  enable(webhook: string): Promise<Webhook> {
    return this.ask("POST", `/v1/webhooks/${encodeURIComponent(webhook)}/enable`);
  }

  /** Send the receiver a signed `webhook.test` once, and return its response. */
  test(webhook: string): Promise<Tried> {
    return this.ask("POST", `/v1/webhooks/${encodeURIComponent(webhook)}/test`);
  }
}
