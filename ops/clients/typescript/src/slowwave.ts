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
 * A delta as the ledger keeps it; its `promotion_ts` is when it was applied.
 *
 * *fact* is the fact that it made, ended or confirmed; *run* is None for a delta applied by hand. *said* is the
 * subject, predicate and object that it decided about, *text* the same in words. After erasure *said* is None, *text*
 * is empty, and so is the payload.
 */
export type AppliedDelta = {
  id: string;
  scope: Scope;
  run: number | null;
  pack: string;
  fact: string | null;
  said: [string, string, string] | null;
  text: string;
  delta: AddDelta | UpdateDelta | DeleteDelta | NoopDelta;
};

/** A question, and filters for its answers; see `recall` of the library. */
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

/** A belief in words, as it was before an undo or is after it, with the scope that has it. */
export type Belief = {
  fact: string;
  text: string;
  valid_from: string | null;
  valid_to: string | null;
  scope: Scope;
};

/** The reason why a goal is blocked, and the goal that blocks it, if there is one. */
export type BlockedGoal = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  reason: string;
  by?: string | null;
};

/**
 * The cache's memory in bytes: *used* and *most* (None without a limit); *evicted* counts keys.
 *
 * *policy* is its `maxmemory-policy`. The server reports these for all tenants, since it started.
 */
export type CacheMemory = {
  used: number;
  most: number | null;
  policy: string;
  evicted: number;
};

/** A belief that is held before and after an undo, for another time or on other words. */
export type ChangedBelief = {
  before: Belief;
  after: Belief;
};

/** One schedule of a pack's job, and its next runs. */
export type Coming = {
  name: string;
  job: string;
  pack: string;
  kind: string;
  paused: boolean;
  last_fired: string | null;
  next_runs: Array<string>;
};

/**
 * A dead letter, of one of five categories.
 *
 * An episode that a pack could not read (`incorrect`), whose workers vanished (`vanished`), or on which our own code
 * failed (`fault`); a message that was not a task (`malformed`); or a claim whose meaning is ambiguous (`conflict`).
 * *item* is the message or claim itself, *seen* the least number of times it arrived; *content* is the episode's, if
 * there is one.
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

/** A person's decision of a review; *by* names the person. */
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

/**
 * A tenant's model requests: *pending* and *asked* ones, the windows that wait for them, and today's cost.
 *
 * *paused_until* is when the next day's budget starts, if today's cannot cover the oldest request. Of the *replies*
 * read within a day, *silent* ones had no claim that the text supports.
 */
export type DeskOverview = {
  pending: number;
  asked: number;
  windows: number;
  spent_tokens: number;
  spent_money: number;
  cap_tokens: number | null;
  cap_money: number | null;
  paused_until: string | null;
  replies?: number;
  silent?: number;
  providers?: Array<ProviderState>;
};

/** Work that a worker could claim now, and since when. */
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

/** Entries of an index. *failed* has the external memories that did not answer, with the reasons. */
export type Entries = {
  items: Array<IndexEntry>;
  failed?: Record<string, string>;
};

/**
 * The receipt of an erasure, which holds no content; or, as a *preview*, all that it would remove.
 *
 * *counts* are rows by table. A preview has the first *episodes* and *facts* in words, whether a legal hold refuses it
 * (*held*), and a *token* with which exactly this is confirmed. In a receipt, *erased* is when the last content was
 * gone from every row, *rewritten* when dead rows, index entries, statistics and the write-ahead log were gone too:
 * until then *todo* says what is left. *calls* are the numbers of the model calls that a provider was sent. *beyond*
 * says what no erasure reaches. *signature* proves the receipt under the tenant's key: see `Memory.verify_erasure`.
 */
export type Erasure = {
  kind: "user" | "session" | "fact" | "matching" | "scope";
  scopes: number;
  counts: Record<string, number>;
  preview?: boolean;
  held?: boolean;
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
 * The words of an episode that a delta rests on, and the episode's whole content.
 *
 * The *words* are the characters of *content* from *start* on. *channel* is set if they were said in another channel
 * than the delta's.
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
 * A fact in words, its form, whether it is held now, and every delta that made, confirmed, changed or ended it.
 *
 * *scope* is where it is or was believed. If *until* is set, it was true only until then.
 */
export type Explanation = {
  fact: string;
  text: string;
  held: boolean;
  steps: Array<Step>;
  form?: "typed" | "statement";
  tense?: "current" | "past" | "future";
  scope?: Scope | null;
  until?: string | null;
};

/**
 * One version of a belief.
 *
 * *id* is the id of the delta that asserted it; it stays the same when a part of its valid time is cut off.
 * *valid_from* to *valid_to* is when it was true in the world, *recorded_from* to *recorded_to* when we believed it;
 * an end of None is open. *confidence* is P(true) when it was asserted and never changes. *session* is where it was
 * said, *scope* which agent believes it, in which channel. *text* is the fact in words, as asserted; *tense* says
 * whether it was true when it was said. A fact of *form* `statement` is identified by its text.
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

/** The usefulness of a recollection: its id and score, and the feedback. */
export type Feedback = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  id: string;
  score: number;
  useful: number | boolean;
};

/** The answer about a receipt, which is genuine if nobody changed it after it was signed. */
export type Genuine = {
  genuine: boolean;
};

/**
 * One goal. A higher *priority* comes first; *embedding* is its vector, if it has one.
 *
 * *completed_at* is when it ended, in success or not; *result* is its result, or what blocks it; *blocked_by* is the
 * blocking goal, if a goal blocks it.
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
 * One memory in an index: *preview* is its first 80 characters, *tokens* an estimate of its full size.
 *
 * *tier* is its memory tier; a memory that was never returned is on the first tier. *score* is how well it answers,
 * None without a question; *strength* is the remaining strength, in [0, 1], None if it was never returned. *source*
 * names the external memory it comes from, None for this one: *id* and *score* are then that memory's, *occurred* may
 * be unknown, and `entries` cannot fetch it.
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

/** The lag of the work over all tenants: the wait of the oldest due work, and the time since the last tick. */
export type Keeping = {
  lag_seconds: number;
  ticked_seconds_ago: number | null;
  keeps_up: boolean;
};

/** The time from a conversation's end to its consolidation; *unread* is the age of the oldest unread episode. */
export type Lag = {
  conversations: number;
  median: string | null;
  longest: string | null;
  unread: string;
};

/** Percentiles of recall times in milliseconds: median, 95th and 99th. None without recalls. */
export type Latency = {
  count: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
};

/** A later run that built on what is undone: it confirmed, replaced, promoted or summarised it. */
export type LaterRun = {
  run: number;
  job: string;
  pack: string;
  started: string;
};

/** The strategy that the attempt counts for. */
export type Learned = {
  strategy: string;
};

/** Dead letters, by number. */
export type Letters = {
  letters: Array<number>;
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

/** A new goal. Adding it again with its key changes nothing. */
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

/** A delta that changes nothing, with the reason. */
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

/** Unread turns. *languages* counts all of them; *reason* is why they were not read, *remedy* what to set. */
export type NotRead = {
  items: Array<UnreadTurn>;
  next?: string | null;
  languages: Record<string, number>;
  reason: string;
  remedy: string;
};

/** A memory that a claim was made from: the original of a promoted copy, or one that a summary covers. */
export type Origin = {
  relation: "promoted_from" | "summarises";
  scope: string;
  memory: string;
};

/**
 * The size of a tenant's memory, and the progress of the work on it.
 *
 * *waiting* counts pending work, due or not; *queue* lists it by job. *behind* is how many episodes the slowest pack
 * of each scope still has to read; *lag* is how long the oldest due work has been due. *partitions* gives the time up
 * to which each partitioned table has partitions, *ticked* the last completed scheduler tick. *desk* is the state of
 * the model calls. *unread* counts a day's turns by language code, for the languages that no pack reads.
 */
export type Overview = {
  scopes: number;
  episodes: number;
  behind: number;
  facts: number;
  deltas: Record<string, number>;
  waiting: number;
  running: number;
  lag: string;
  dead_letters: Record<string, number>;
  partitions: Record<string, string>;
  ticked: string | null;
  queue?: Array<Waiting>;
  desk?: DeskOverview | null;
  unread?: Record<string, number>;
};

export type PageAppliedDelta = {
  items: Array<AppliedDelta>;
  next?: string | null;
};

export type PageComing = {
  items: Array<Coming>;
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

export type PageGoal = {
  items: Array<Goal>;
  next?: string | null;
};

export type PagePastRun = {
  items: Array<PastRun>;
  next?: string | null;
};

export type PageReview = {
  items: Array<Review>;
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

/** The goal that another one serves, or that blocks it. */
export type ParentGoal = {
  goal_id: string;
  description: string;
  status: "active" | "completed" | "abandoned" | "blocked";
};

/**
 * One part of a context. *content* is the memory itself, `shown` its text in a prompt.
 *
 * *score* and *reasons* are those of a recollection, *sources* the episodes behind the part; *id* is the memory's, or
 * for a turn its episode's. *tokens* is the size of its message, by the counter in use. If *until* is set, the memory
 * held until then and holds no longer.
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
 * A run as the history keeps it. *outcome* and *finished* are None while it goes on.
 *
 * A job that reads no episodes has no *scope*: it worked on a *slice* of the tenant, or on the installation. *task* is
 * the id of the Celery task that ran it. *version* is the pack's, *reader* the version of the pack's extractor, if
 * that has versions.
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

/** A problem: what went wrong, who must act, and what to do about it. */
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
 * The context of a question, never more than *max_tokens*: *parts* in prompt order, and their token sum.
 *
 * The order is: prompt and tools, then retrieved memories (the summary first, recollections best first, the graph),
 * then the turns, oldest first. *left_out* counts the recollections and turns that did not fit. *reused* is the share
 * of the retrieved memories that were available before the question: in working memory, returned just before, or
 * prefetched; None if nothing was retrieved.
 */
export type PromptContext = {
  question: string;
  parts: Array<Part>;
  tokens: number;
  max_tokens: number;
  left_out?: number;
  reused?: number | null;
};

/** A question, and the limits of its context; see `context` of the library. */
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
 * A provider: calls *under_way*, their limit (*width*), and consecutive *failures*.
 *
 * If *open_until* is set, the circuit breaker is open: no calls are made before then.
 */
export type ProviderState = {
  name: string;
  under_way: number;
  width: number;
  failures: number;
  open_until: string | null;
};

/** An episode, and the memory it belongs to. A repeat with the same `key` is stored once. */
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

/** A process that can serve: Postgres is reachable with this version's schema. */
export type Ready = {
  ready?: boolean;
};

/**
 * The best recollections, best first.
 *
 * *by_words_alone* counts episodes found by keywords only; *embedder_away* says that all were.
 */
export type Recalled = {
  items: Array<Recollection>;
  by_words_alone?: number;
  embedder_away?: boolean;
};

/** A receipt for each episode of a batch, in order. */
export type Receipts = {
  items: Array<Told>;
};

/**
 * One answer to a question.
 *
 * *score* lies in [0, 1] and means the same for every question: of a hundred memories with this score, so many answer,
 * measured on dialogue with the default weights. *reasons* are the parts of the score by name (`similarity`,
 * `keyword`, `recency`, `contiguity`, `speaker`, …), each in [0, 1] before weighting. *sources* are the words of the
 * episodes behind it; for an episode, the episode itself. An episode that no worker has prepared yet has the reason
 * `embedded_at_recall`, and a memory found while the embedder is unavailable has `embedder_away`; each is 1.0 and adds
 * nothing to the score. *scope* says which agent remembers it, in which channel. *form* distinguishes a typed fact
 * from a statement. *session* is where it was said or learned; *role* is an episode's speaker. *match* is how well it
 * matches this question compared with the other memories, in [0, 1]: the score is computed from it. If *until* is set,
 * all beliefs from this episode ended then; the memory that ended them ranks above it, unless the question asks about
 * the past.
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
 * *key* is the agent's own name for it, *position* its number in its *scope*. It *occurred* by the speaker's own
 * clock, and was *received* when it was stored, in UTC. *speaker* is the speaker's name, if the agent gave one.
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

/** A fact that was replaced, in words, with the *rule* that supported it from *recorded* on. */
export type Replaced = {
  fact: string;
  text: string;
  rule: string;
  recorded: string;
};

/**
 * A claim that could not be decided with certainty and waits for a person.
 *
 * *among* are the facts that it could replace: an assertion replaces all of them, a correction or an end (*mode*) one;
 * *beliefs* are their texts, in the same order.
 * *said* is the episode's content. *valid_from* is the start of its valid time.
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
  said: string;
  created: string;
};

/** The number of erasures whose second step was done. */
export type Rewritten = {
  rewritten: number;
};

/**
 * A tenant's user, as one agent knows them in one channel. Facts belong to no session.
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

/** A session to end. */
export type Session = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  session: string;
};

/** Hits and misses. *rate* is hits / (hits + misses), None if both are zero. */
export type Share = {
  hits: number;
  misses: number;
};

/**
 * The words that a claim rests on: characters *start* to *end* (exclusive) of an episode's content.
 *
 * *scope* is set if the episode is in another scope than the claim: a promoted fact cites another channel.
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
 * A current move to a model's space, by *name* and *dimensions*, of *scopes* scopes.
 *
 * Of their *episodes*, *made* have a vector there already. The first scope's move began at *since*, None if unknown.
 */
export type SpaceMove = {
  name: string;
  dimensions: number;
  scopes: number;
  episodes: number;
  made: number;
  since: string | null;
};

/**
 * The standing of one memory.
 *
 * *kind* is `semantic` (a fact), `episodic`, `procedural`, `entity` or others; *source* says whether it was `stated`
 * explicitly, `inferred`, or is a `statement`. *base* is its value when it was written, in [0, 1]; for a fact its
 * confidence. *accesses* are the last few times it was returned, oldest first, and *access_count* counts all of them.
 * *frequency* counts the episodes that confirmed it, *successes* the times it helped; *surprise* says how much more
 * useful it was than expected, in [0, 1]. *evidence* is the last access or feedback, *moved* the last change of tier;
 * *reinforced* the last confirmation. *strength* is the remaining strength when it was read, in [0, 1]: for a fact,
 * how certain it still is. None if not read.
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
 * Statistics of one tenant. Values cover the last *hours* unless they are said to be of now.
 *
 * *nodes* and *relationships* count the current memory by kind, without the tools and strategies of the newest
 * *unlearned* episodes, which `detect_patterns` has not read yet. *decayed* gives the decay job's counts a day;
 * *recalls* are those that found something and those that did not; *cache* are the reads of working memory.
 * *anticipated* are the memories found for later contexts of conversations, by whether they had been prefetched.
 * *cache_memory* is None if no cache reports it. *moves* are the current moves of scopes to other embedding spaces.
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

/** One delta in the life of a fact: its belief in words, and the facts that it replaced. */
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
};

/**
 * A way of doing a task, and its success counts.
 *
 * *bound* is the lower bound of its success rate, given these counts. *standing* is `learned` (believed, by the fact
 * *fact*), `tried` (too few uses to judge), `failing` (known to fail) or `withdrawn` (dropped for another reason: it
 * was forgotten on request, or has faded). *similarity* is to the queried task, and *score* is similarity times bound;
 * both are None without a query. *scope* says which agent learned it, in which channel.
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
 * The number of memories on each tier, and their moves in the last hour.
 *
 * *promotions_last_hour* and *demotions_last_hour* are moves up and down the tiers. *hit_rate* is the share of recalls
 * that found something, None without recalls.
 */
export type Tiering = {
  tier_counts: Record<string, number>;
  promotions_last_hour: number;
  demotions_last_hour: number;
  hit_rate: number | null;
  avg_surprise_score: number | null;
};

/** A correction: the right object, or none if the fact is only wrong. */
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

/** A request to forget, anywhere in the tenant or of one user. */
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

/** A request to forget in one memory. */
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

/** A request to read the episodes of one memory again with an installed pack. */
export type ToReplay = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  by?: string | null;
  reason?: string;
  preview?: boolean;
  timeout?: number;
  pack: string;
};

/** A request to undo something, in one memory or, without a user, in the whole tenant. */
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

/** The receipt of one episode: `stored` once it is committed, `spooled` while this host keeps it, or `refused`. */
export type Told = {
  id: string | null;
  key: string;
  state: "stored" | "queued" | "spooled" | "refused";
  position?: number | null;
  repeated?: boolean;
  problem?: Problem | null;
  masked?: Array<string>;
};

/** The response of a tested receiver: its status, null if there was none, and whether it accepted the delivery. */
export type Tried = {
  status: number | null;
  taken: boolean;
  said: string;
};

/**
 * An undo: what it did, or would do if it is a *preview*.
 *
 * *withdrawn* beliefs are held no longer, *restored* ones are held again, *changed* ones are held for another time or
 * on other words. *built_on* are the later runs that built on what was undone; what they decided was decided again.
 * *unsure* counts beliefs that could not be decided again, as words behind them were erased: of these only what was
 * undone is closed. *runs* wrote the deltas: undo one of them, or the *id*, to take the undo back. An undo that takes
 * another back *withdraws* it. A correction names the fact that it put in place as *corrected*.
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
};

/** A user's turn, and the code of its *language*, such as `de`, which no pack could read when it arrived. */
export type UnreadTurn = {
  episode: RememberedEpisode;
  language: string;
};

/** A delta that adds a belief and closes those that it replaces. */
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
 * Pending work of one *job*: in how many scopes or slices, and when the *first* starts.
 *
 * It starts when it is due, or when its scope has been idle long enough for an idle schedule, whichever is sooner.
 */
export type Waiting = {
  job: string;
  count: number;
  first: string;
};

/** A new webhook: its address, and the deltas it receives. */
export type Wanted = {
  url: string;
  kinds?: Array<"add" | "update" | "delete" | "noop">;
  user?: string | null;
  agent?: string | null;
  channel?: string | null;
};

/**
 * A webhook as it is listed, without its secret: only its owner and the code that signs know that.
 *
 * It receives the deltas of these *kinds*, of one *user*, *agent* and *channel* if they are set. *trouble* is the
 * error of the last attempt, *failing* the time since which all attempts failed, *disabled* when it was switched off
 * because of that.
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

/** A memory of a user, by agent and channel. Without an agent, the memories of all agents answer. */
export type Whose = {
  user: string;
  agent?: string | null;
  channel?: string | null;
};

/** A server of Slowwave, asked with a key. */
export class Slowwave extends Wire {
  constructor(url: string, options: Options = {}) {
    super(url, options);
  }

  /** Return at once, without checking Postgres: a restart of the process would not repair that. */
  live(): Promise<Live> {
    return this.ask("GET", `/health/live`);
  }

  /** Return 200 if Postgres is reachable and has this version's schema, else 503 with Retry-After. */
  ready(): Promise<Ready> {
    return this.ask("GET", `/health/ready`);
  }

  /** Return how long the oldest due work has waited: with 503 if that is more than *late_seconds*. */
  progress(query: {
    late_seconds?: number;
  } = {}): Promise<Keeping> {
    return this.ask("GET", `/health/progress`, { query });
  }

  /** Store one episode durably. 201 means that it is committed; a repeat of its key returns the same, `repeated`. */
  push(body: Pushed): Promise<Told> {
    return this.ask("POST", `/v1/push`, { body });
  }

  /** Store episodes in order, with a receipt for each: 201 if all are stored, 207 if some were refused. */
  pushBatch(body: Batch): Promise<Receipts> {
    return this.ask("POST", `/v1/push/batch`, { body });
  }

  /** Return the facts and episodes that answer the question best, with reasons and sources. */
  recall(body: Asking): Promise<Recalled> {
    return this.ask("POST", `/v1/recall`, { body });
  }

  /** Return the context for answering the question, each part with its sources, within the token limit. */
  context(body: Prompting): Promise<PromptContext> {
    return this.ask("POST", `/v1/context`, { body });
  }

  /** Return the facts believed about a user, for any time in the world and as known at any time. */
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

  /** Return a user's turns in languages that no pack or model read on arrival, newest first. */
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

  /** Return why a fact is or was believed, with the original words; *fact* is an id or a unique prefix of one. */
  why(fact: string, query: {
    session?: string | null;
  } = {}): Promise<Explanation> {
    return this.ask("GET", `/v1/facts/${encodeURIComponent(fact)}/why`, { query });
  }

  /** Return the deltas of the tenant, in the order of application; of one memory if a user is named. */
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

  /** Return goals, of one status or any: by descending priority, then oldest first. */
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
  resumeGoal(goal: string, body: Whose): Promise<Goal> {
    return this.ask("POST", `/v1/goals/${encodeURIComponent(goal)}/resume`, { body });
  }

  /** Return the strategies for a task, best first; without a task, every strategy. */
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

  /** Store that a sequence of tools succeeded or failed; a repeat with the same key is stored once. */
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

  /** Report how useful a recollection was; return its new standing. */
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

  /** Accept a review's claim, reject it, or edit its object; return the delta's id. */
  decide(number: number, body: Decision): Promise<Decided> {
    return this.ask("POST", `/v1/review/${encodeURIComponent(number)}`, { body });
  }

  /** Undo a run, a delta, a pack's version or everything since a time; return what changed, or would change. */
  undo(body: ToUndo): Promise<Undone> {
    return this.ask("POST", `/v1/undo`, { body });
  }

  /** Read all episodes here again with an installed pack, and replace its claims; return the changes or a preview. */
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

  /** Undo one wrong fact with all that was derived from it, and add the right fact, if it is given. */
  correct(fact: string, body: ToCorrect): Promise<Undone> {
    return this.ask("POST", `/v1/facts/${encodeURIComponent(fact)}/correct`, { body });
  }

  /** Forget a user, a session, a fact or every match of a text for good; return the receipt or preview. */
  forget(body: ToForget): Promise<Erasure> {
    return this.ask("POST", `/v1/forget`, { body });
  }

  /** Forget a session, a fact, every match of a text or a whole memory; return the receipt or preview. */
  forgetHere(body: ToForgetHere): Promise<Erasure> {
    return this.ask("POST", `/v1/scopes/forget`, { body });
  }

  /** Return the receipts of the latest erasures, newest first; they hold no content. */
  erasures(query: {
    limit?: number;
  } = {}): Promise<PageErasure> {
    return this.ask("GET", `/v1/erasures`, { query });
  }

  /** Rewrite tables, indexes, statistics and log without what was erased; return how many erasures waited for it. */
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

  /** Return the pending work by job, and when the first of each is due. */
  intents(): Promise<PageWaiting> {
    return this.ask("GET", `/v1/intents`);
  }

  /** Return every schedule of the installation, and its next two runs. */
  schedule(): Promise<PageComing> {
    return this.ask("GET", `/v1/schedule`);
  }

  /** Return the open dead letters, oldest first; with *everything* also those retried or dropped. */
  deadLetters(query: {
    limit?: number;
    after?: number | null;
    everything?: boolean;
  } = {}): Promise<PageDeadLetter> {
    return this.ask("GET", `/v1/dead-letters`, { query });
  }

  /** Reprocess the episodes of open dead letters, and store messages that can now be parsed. */
  retry(body: Letters): Promise<Taken> {
    return this.ask("POST", `/v1/dead-letters/retry`, { body });
  }

  /** Return the pending model calls, today's spending and budget, and each provider's circuit breaker. */
  budget(): Promise<DeskOverview> {
    return this.ask("GET", `/v1/budget`);
  }

  /** End a session; return the work that is due because of it, once for the episodes stored now. */
  endSession(body: Session): Promise<Ended> {
    return this.ask("POST", `/v1/sessions/end`, { body });
  }

  /** Return an index of memories relevant to the question: id, first 80 characters, token count and tier of each. */
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

  /** Return the episodes before and after an episode or fact, with it in between, in the order stored. */
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

  /** Return the episodes and facts with these ids, in that order, each in full. */
  entries(query: {
    ids: Array<string>;
    session?: string | null;
    user: string;
    agent?: string | null;
    channel?: string | null;
  }): Promise<InFull> {
    return this.ask("GET", `/api/v1/memory/entries`, { query });
  }

  /** Return every webhook of the tenant, oldest first, with its delivery position and its current error. */
  listing(): Promise<PageWebhook> {
    return this.ask("GET", `/v1/webhooks`);
  }

  /** Send each delta from now on to an address, signed; return the secret once. */
  create(body: Wanted): Promise<Made> {
    return this.ask("POST", `/v1/webhooks`, { body });
  }

  /** Remove a webhook and its secret permanently. */
  remove(webhook: string): Promise<Webhook> {
    return this.ask("DELETE", `/v1/webhooks/${encodeURIComponent(webhook)}`);
  }

  /** Resume deliveries to a failed webhook at once, from where they stopped. */
  enable(webhook: string): Promise<Webhook> {
    return this.ask("POST", `/v1/webhooks/${encodeURIComponent(webhook)}/enable`);
  }

  /** Send the receiver a signed `webhook.test` once, and return its response. */
  test(webhook: string): Promise<Tried> {
    return this.ask("POST", `/v1/webhooks/${encodeURIComponent(webhook)}/test`);
  }
}
