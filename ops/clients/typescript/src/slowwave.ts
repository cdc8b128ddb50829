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
 * A delta as the ledger keeps it: when it was applied is its `promotion_ts`.
 *
 * *fact* is the one it made, ended or confirmed; *run* is None for what was applied by hand. *said* is the subject,
 * predicate and object it decided about, and *text* those in words: None and nothing once they were erased, and its
 * payload is empty then.
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

/** A question, and what to leave out of its answers; see `recall` of the library. */
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

/** Episodes of one memory, in their order. */
export type Batch = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  episodes: Array<Record<string, unknown> | string>;
};

/** The reason for which a goal waits, and the goal it waits for where that is one. */
export type BlockedGoal = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  reason: string;
  by?: string | null;
};

/**
 * The memory of the cache in bytes: *used*, and at *most*, None without a bound. What is *evicted* counts keys.
 *
 * *policy* is its `maxmemory-policy`. It is told by the server, of all tenants and since it was started.
 */
export type CacheMemory = {
  used: number;
  most: number | null;
  policy: string;
  evicted: number;
};

/** One way in which a job of a pack comes due, and when it does next. */
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
 * An episode a pack could not read (`incorrect`), whose workers vanished (`vanished`), on which our own code broke
 * (`fault`), a message that was none (`malformed`), or a claim whose meaning cannot be told for certain (`conflict`).
 *
 * *item* is the message or the claim itself, *seen* how often it came, at least; *content* is what the episode says,
 * where there is one.
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

/** The delta by which a review was decided. */
export type Decided = {
  delta: string;
};

/** A person's word about a review; *by* says whose. */
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
 * Requests of a tenant that wait (*pending*) or are being *asked*, windows that wait for them, and today's cost.
 *
 * *paused_until* is when the next day's budget begins, where today's does not take the oldest request any more. Of
 * the *replies* read within a day so many were *silent*: no claim of theirs stood against the words.
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

/** Work that a worker could take up at once, and since when it could. */
export type Due = {
  scope: string;
  job: string;
  since: string;
};

/** The work that is due because a session is over. */
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

/** Entries of an index. *failed* names the other memories that did not answer, and says why. */
export type Entries = {
  items: Array<IndexEntry>;
  failed?: Record<string, string>;
};

/**
 * The words of an episode that a delta rests on, and the whole of it around them.
 *
 * The *words* are the characters of the *content* from *start* on. *channel* is where they were said, if that is
 * another than where the delta is believed.
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
 * *scope* is where it is or was believed. What is held of the past alone was so *until* then.
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
 * *id* is the id of the delta that asserted it, and stays the same when a part of its time is carved away.
 * *valid_from* to *valid_to* is when it was so in the world, *recorded_from* to *recorded_to* when we believed it;
 * an end of None is open. *confidence* is P(true) when it was asserted and never changes. *session* is the one in
 * which it was said, *scope* says which agent believes it, in which channel. *text* is the fact in words, as it was
 * asserted; *tense* tells whether it was so when it was said. A fact of *form* `statement` is known by its text.
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

/** The use that an answer of recall was of: its id and score, and what is said of it. */
export type Feedback = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  id: string;
  score: number;
  useful: number | boolean;
};

/**
 * One goal. The higher its *priority*, the sooner; *embedding* is what it means to the embedder, if anything.
 *
 * *completed_at* is when it ended, one way or the other; *result* is what came of it, or what blocks it;
 * *blocked_by* is the goal that does, if it is one.
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

/** Memories in full, in the order in which they were asked for. */
export type InFull = {
  items: Array<RememberedEpisode | Fact>;
};

/**
 * One memory in an index: the *preview* is its first 80 characters, *tokens* an estimate of what all of it takes.
 *
 * *tier* is where it stands on the ladder; what was never returned stands where memories begin. *score* is how well it
 * answers, None where nothing was asked; *strength* how much of it is left, in [0, 1], None if it was never returned.
 * *source* names the other memory it stands in, None for this one: *id* and *score* are that memory's, *occurred* may
 * be unknown, and `entries` does not know it.
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

/** The lag of the work over all tenants: how long the oldest has waited, and since when no scheduler ticked. */
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

/** Percentiles of recalls in milliseconds: half, 95 % and 99 % took no longer. None where there were none. */
export type Latency = {
  count: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
};

/** The strategy that something counts for. */
export type Learned = {
  strategy: string;
};

/** Dead letters, by their numbers. */
export type Letters = {
  letters: Array<number>;
};

/** A process that lives. */
export type Live = {
  live?: boolean;
};

/** A webhook that was made, and the secret it signs with, which is told this once. */
export type Made = {
  webhook: Webhook;
  secret: string;
};

/** A goal to be. Adding it again by its key changes nothing. */
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

/** A way of doing things that worked, or did not, in a conversation. */
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

/** A delta that changes nothing, and says why. */
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

/** Turns that were not read. *languages* counts all there are; *reason* says why, and *remedy* what to set. */
export type NotRead = {
  items: Array<UnreadTurn>;
  next?: string | null;
  languages: Record<string, number>;
  reason: string;
  remedy: string;
};

/** A memory a claim was made from: what a promotion copies, or one of those a summary stands for. */
export type Origin = {
  relation: "promoted_from" | "summarises";
  scope: string;
  memory: string;
};

/**
 * The size of a tenant's memory, and how far the work on it has come.
 *
 * *waiting* counts the work that is asked for and not begun, whether its time has come or not; *queue* says which it
 * is. *behind* is how many episodes the slowest pack of each scope has yet to read; *lag* is how long the work that
 * has waited longest has been due. *partitions* say up to when each partitioned table has room of its own, *ticked*
 * when a scheduler last came through a tick. *desk* is what waits for language models. *unread* counts the turns of a
 * day, by the codes of languages that no pack reads.
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
 * One part of a context. *content* is the memory by itself, `shown` what a prompt says of it.
 *
 * *score* and *reasons* are those of a recollection, *sources* the episodes behind a part; *id* is that of the memory,
 * of a turn that of its episode. *tokens* is what its message takes, by whoever counted. What it tells was so *until*
 * then, and holds no longer.
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
 * A run as it is looked at afterwards. *outcome* and *finished* are None while it goes on.
 *
 * A job that reads no episodes has no *scope*: it worked on a *slice* of the tenant, or for the installation. *task*
 * is the id of the Celery task that did it. *version* is that of its pack, *reader* says what that read with, where it
 * has versions of its own.
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
 * The context of a question, never more than *max_tokens*: the *parts* in the order of the prompt, and their sum.
 *
 * Prompt and tools, then what is remembered (the summary first, recollections best first, the graph), then the turns,
 * oldest first. *left_out* counts the recollections and turns for which there was no room. *reused* is the share of
 * what the question brought to mind that was at hand before it was asked: in mind, told just before, or anticipated;
 * None where it brought nothing.
 */
export type PromptContext = {
  question: string;
  parts: Array<Part>;
  tokens: number;
  max_tokens: number;
  left_out?: number;
  reused?: number | null;
};

/** A question, and the room that its context has; see `context` of the library. */
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
 * A provider: calls *under_way*, how many may be (*width*), *failures* in a row.
 *
 * Nobody asks before *open_until*, where it is set: the breaker is open.
 */
export type ProviderState = {
  name: string;
  under_way: number;
  width: number;
  failures: number;
  open_until: string | null;
};

/** An episode, and whose memory it goes to. Push it again by the same `key`: it is stored once. */
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

/** A process that can serve: Postgres is there, and its schema is this version's. */
export type Ready = {
  ready?: boolean;
};

/**
 * The memories that answer best, best first.
 *
 * *by_words_alone* counts episodes that were found by their words only; *embedder_away* says that all were.
 */
export type Recalled = {
  items: Array<Recollection>;
  by_words_alone?: number;
  embedder_away?: boolean;
};

/** A receipt for each episode of a batch, in their order. */
export type Receipts = {
  items: Array<Told>;
};

/**
 * One answer to a question.
 *
 * *score* lies in [0, 1] and means the same for every question: so many of a hundred memories that score as much
 * answer, measured on dialogue with the default weights. *reasons* are the parts it was made of, by name
 * (`similarity`, `keyword`, `recency`, `contiguity`, `speaker`, …), each in [0, 1] before weighting. *sources* point
 * at the episodes behind it; for an episode that is the episode itself. An episode that no worker has prepared yet has
 * the reason `embedded_at_recall`, and what is found while the embedder is away has `embedder_away`, each 1.0, which
 * counts for nothing. *scope* is where it is remembered: by which agent, in which channel. *form* tells a typed fact
 * from a statement. *session* is where it was said or learned; *role* is who spoke, of an episode. *match* is how well
 * it matches this question among others, in [0, 1]: the score is made of it. All that was believed of an episode held
 * *until* then, and holds no longer; what ended it stands above it, unless the question asks for what was.
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
 * An episode as it was told, word for word.
 *
 * *key* is the agent's own name for it, *position* its place in its *scope*. It *occurred* by the speaker's own clock,
 * and was *received* when it was stored, in UTC. *speaker* is who spoke, where the agent said so by name.
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

/** A fact that another replaced, in words, with the *rule* by which it was believed since *recorded*. */
export type Replaced = {
  fact: string;
  text: string;
  rule: string;
  recorded: string;
};

/**
 * A claim that nobody could decide for certain, and that waits for a person.
 *
 * *among* are the facts that would give way: all of them to an assertion, one to what corrects or ends (*mode*).
 * *said* is what the episode says. *valid_from* is since when it would be so.
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
  episode: string;
  said: string;
  created: string;
};

/**
 * A tenant's user as one agent knows them in one channel. Facts have no session.
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

/** A session that is over. */
export type Session = {
  user: string;
  agent?: string | null;
  channel?: string | null;
  session: string;
};

/** Hits and misses of what was asked for. *rate* is hits / (hits + misses), None where nothing was asked. */
export type Share = {
  hits: number;
  misses: number;
};

/**
 * The words a claim rests on: characters *start* to *end* of an episode's content, end exclusive.
 *
 * *scope* is the episode's, where that is another than the claim's own: a promoted fact rests on what was said in
 * another channel.
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
 * A move under way to a model's space, by *name* and *dimensions*, of so many *scopes*, the first since *since*.
 *
 * Of the *episodes* they have to take along, the vectors of so many are *made*. *since* is None where nobody knows.
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
 * One memory's standing.
 *
 * *kind* is what it is: `semantic` (a fact), `episodic`, `procedural`, `entity` and others; *source* says whether it
 * was `stated` in so many words, `inferred`, or is a `statement`. *base* is what it was worth when it was written, in
 * [0, 1]; for a fact its confidence. *accesses* are the last few times it was returned to somebody, oldest first,
 * and *access_count* counts all of them. *frequency* counts the episodes that confirmed it, *successes* the times it
 * helped; *surprise* says how much more useful it was than expected, in [0, 1]. *evidence* is the last access or
 * feedback, *moved* the last change of tier; *reinforced* the last confirmation. *strength* is how much of the memory
 * was left when it was asked for, in [0, 1]: of a fact, how sure it still is. None where nobody asked.
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
 * Everything counted of one tenant. What is not said to be of now is of the last *hours*.
 *
 * *nodes* and *relationships* are what memory consists of now, by kind; tools and strategies of the newest *unlearned*
 * episodes are not among them before `detect_patterns` has read those. *decayed* says, a day, what the decay job
 * counted; *recalls* are those that found something and those that did not, *cache* the reads of working memory.
 * *anticipated* are the memories found for later contexts of conversations, by whether they had been looked up ahead.
 * *cache_memory* is None where there is no cache that tells. *moves* are those of scopes to other embedding
 * spaces that are under way now.
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

/** One delta in the life of a fact: the belief that it is about, in words, and the facts that replaced. */
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
 * A way of doing a task, and how often it has worked.
 *
 * *bound* is the success rate that these counts warrant, *standing* whether it is believed (`learned`, by the fact
 * *fact*), too new to tell (`tried`), known to fail (`failing`) or given up for another reason (`withdrawn`: it was
 * forgotten on request, or has faded). *similarity* is to the task that was asked for, and
 * *score* similarity times bound; both are None where nothing was asked for. *scope* says whose it is, and where.
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

/** The number of letters that were taken up again. */
export type Taken = {
  retried: number;
};

/**
 * The number of memories on each tier, and how they moved in the last hour.
 *
 * *promotions_last_hour* and *demotions_last_hour* are steps up and down the ladder. *hit_rate* is the share of
 * recalls that found something, None where there were none.
 */
export type Tiering = {
  tier_counts: Record<string, number>;
  promotions_last_hour: number;
  demotions_last_hour: number;
  hit_rate: number | null;
  avg_surprise_score: number | null;
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

/** The answer of a receiver that was tried: its status, null where none came, and whether it took what was sent. */
export type Tried = {
  status: number | null;
  taken: boolean;
  said: string;
};

/** A turn of a user, and the code of its *language*, such as `de`, which nothing read when the turn came. */
export type UnreadTurn = {
  episode: RememberedEpisode;
  language: string;
};

/** A delta that adds a belief and closes those it replaces. */
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
 * Work of one *job* that is asked for and not begun: in how many scopes or slices, and when the *first* goes.
 *
 * It goes when it is due, or when its scope has been silent for as long as a schedule waits for, if that is sooner.
 */
export type Waiting = {
  job: string;
  count: number;
  first: string;
};

/** A webhook to be made: its address, and what it is told of. */
export type Wanted = {
  url: string;
  kinds?: Array<"add" | "update" | "delete" | "noop">;
  user?: string | null;
  agent?: string | null;
  channel?: string | null;
};

/**
 * A webhook as it is listed: its secret is known to nobody but who was handed it, and to who signs.
 *
 * It is told the deltas of these *kinds*, of one *user*, *agent* and *channel* where they are named. *trouble* says
 * why the last attempt failed, *failing* since when all have, and *disabled* when it was given up for it.
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

/** A memory: of a user, in an agent's hand, in a channel. Without an agent, all agents' answer. */
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

  /** Answer: asking Postgres is none of it, or a process would be restarted for what it cannot mend. */
  live(): Promise<Live> {
    return this.ask("GET", `/health/live`);
  }

  /** Answer 200 when Postgres is reachable and its schema is this version's, and 503 with Retry-After when not. */
  ready(): Promise<Ready> {
    return this.ask("GET", `/health/ready`);
  }

  /** Answer how long the oldest due work has waited: 503 when that is more than *late_seconds*. */
  progress(query: {
    late_seconds?: number;
  } = {}): Promise<Keeping> {
    return this.ask("GET", `/health/progress`, { query });
  }

  /** Store one episode durably. 201 says that it is committed; pushing its key again answers the same, `repeated`. */
  push(body: Pushed): Promise<Told> {
    return this.ask("POST", `/v1/push`, { body });
  }

  /** Store episodes in their order, with a receipt for each: 201 where all are stored, 207 where some were refused. */
  pushBatch(body: Batch): Promise<Receipts> {
    return this.ask("POST", `/v1/push/batch`, { body });
  }

  /** Answer with the facts and episodes that answer the question best, with reasons and sources. */
  recall(body: Asking): Promise<Recalled> {
    return this.ask("POST", `/v1/recall`, { body });
  }

  /** Answer with what a prompt needs to know before the question, each part with its sources, within the tokens. */
  context(body: Prompting): Promise<PromptContext> {
    return this.ask("POST", `/v1/context`, { body });
  }

  /** Answer with what is believed of a user, as of any time in the world and as known at any time. */
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

  /** Answer with the turns of a user in languages that nothing read when they came, the newest first. */
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

  /** Answer why a fact is or was believed, down to the words, by its id or a beginning that is no other's. */
  why(fact: string, query: {
    session?: string | null;
  } = {}): Promise<Explanation> {
    return this.ask("GET", `/v1/facts/${encodeURIComponent(fact)}/why`, { query });
  }

  /** Answer with the deltas that changed beliefs, in the order applied: of one memory where a user is named. */
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

  /** Answer with goals, of one status or of any: those of the highest priority first, then the oldest. */
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

  /** Answer with one goal, with its parent. */
  showGoal(goal: string, query: {
    session?: string | null;
    user: string;
    agent?: string | null;
    channel?: string | null;
  }): Promise<Goal> {
    return this.ask("GET", `/v1/goals/${encodeURIComponent(goal)}`, { query });
  }

  /** End a goal one way or the other; ending it so again changes nothing. */
  endGoal(goal: string, body: EndedGoal): Promise<Goal> {
    return this.ask("POST", `/v1/goals/${encodeURIComponent(goal)}/end`, { body });
  }

  /** Mark a goal as blocked for now. */
  blockGoal(goal: string, body: BlockedGoal): Promise<Goal> {
    return this.ask("POST", `/v1/goals/${encodeURIComponent(goal)}/block`, { body });
  }

  /** Mark a blocked goal as active again. */
  resumeGoal(goal: string, body: Whose): Promise<Goal> {
    return this.ask("POST", `/v1/goals/${encodeURIComponent(goal)}/resume`, { body });
  }

  /** Answer with the best strategies for a task, best first; without one with every strategy there is. */
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

  /** Store in your own words that a sequence of tools worked or not; by the same key it is stored once. */
  learnStrategy(body: NewStrategy): Promise<Learned> {
    return this.ask("POST", `/v1/strategies`, { body });
  }

  /** Answer with one strategy. */
  showStrategy(strategy: string, query: {
    session?: string | null;
    user: string;
    agent?: string | null;
    channel?: string | null;
  }): Promise<Strategy> {
    return this.ask("GET", `/v1/strategies/${encodeURIComponent(strategy)}`, { query });
  }

  /** Tell how useful a recollection was, and hear its standing then. */
  feedback(body: Feedback): Promise<Standing> {
    return this.ask("POST", `/v1/feedback`, { body });
  }

  /** Answer with the claims that nobody could decide for certain, oldest first. */
  review(query: {
    limit?: number;
    after?: number | null;
  } = {}): Promise<PageReview> {
    return this.ask("GET", `/v1/review`, { query });
  }

  /** Accept what a review claims, reject it, or believe another object; hear the delta's id. */
  decide(number: number, body: Decision): Promise<Decided> {
    return this.ask("POST", `/v1/review/${encodeURIComponent(number)}`, { body });
  }

  /** Answer how much there is, and how far the work on it has come. */
  status(): Promise<Overview> {
    return this.ask("GET", `/v1/status`);
  }

  /** Answer with sizes, latency of recalls, lag of the work, tiers and hit rates of the last hours. */
  stats(query: {
    hours?: number;
  } = {}): Promise<Stats> {
    return this.ask("GET", `/v1/stats`, { query });
  }

  /** Answer with the latest runs of the tenant and of the installation, newest first. */
  runs(query: {
    limit?: number;
    before?: number | null;
  } = {}): Promise<PagePastRun> {
    return this.ask("GET", `/v1/runs`, { query });
  }

  /** Answer with one run. */
  showRun(run: number): Promise<PastRun> {
    return this.ask("GET", `/v1/runs/${encodeURIComponent(run)}`);
  }

  /** Answer with the work that is asked for and not begun, job by job, and when the first of it is due. */
  intents(): Promise<PageWaiting> {
    return this.ask("GET", `/v1/intents`);
  }

  /** Answer with every schedule of the installation, and its next two runs. */
  schedule(): Promise<PageComing> {
    return this.ask("GET", `/v1/schedule`);
  }

  /** Answer with the open dead letters, oldest first; with *everything* also those retried or dropped. */
  deadLetters(query: {
    limit?: number;
    after?: number | null;
    everything?: boolean;
  } = {}): Promise<PageDeadLetter> {
    return this.ask("GET", `/v1/dead-letters`, { query });
  }

  /** Have the episodes of open dead letters read again, and messages stored that can be read by now. */
  retry(body: Letters): Promise<Taken> {
    return this.ask("POST", `/v1/dead-letters/retry`, { body });
  }

  /** Answer with the requests that wait for models, what was spent today of what budget, each provider's breaker. */
  budget(): Promise<DeskOverview> {
    return this.ask("GET", `/v1/budget`);
  }

  /** Say that a session is over; hear the work that is due because of it, once for what is stored now. */
  endSession(body: Session): Promise<Ended> {
    return this.ask("POST", `/v1/sessions/end`, { body });
  }

  /** Answer with what bears on the question as an index: an id, the first 80 characters, tokens and tier of each. */
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

  /** Answer with what was told before and after an episode or fact, with it in between, in the order told. */
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

  /** Answer with the episodes and facts of these ids, in that order, each in full. */
  entries(query: {
    ids: Array<string>;
    session?: string | null;
    user: string;
    agent?: string | null;
    channel?: string | null;
  }): Promise<InFull> {
    return this.ask("GET", `/api/v1/memory/entries`, { query });
  }

  /** Answer with every webhook of the tenant, oldest first: how far each was told, and what is in its way. */
  listing(): Promise<PageWebhook> {
    return this.ask("GET", `/v1/webhooks`);
  }

  /** Have each delta that is applied from now on sent to an address, signed; hear the secret, this once. */
  create(body: Wanted): Promise<Made> {
    return this.ask("POST", `/v1/webhooks`, { body });
  }

  /** Remove a webhook, and its secret, for good. */
  remove(webhook: string): Promise<Webhook> {
    return this.ask("DELETE", `/v1/webhooks/${encodeURIComponent(webhook)}`);
  }

  /** Have a webhook that failed told again, at once and from where it was left. */
  enable(webhook: string): Promise<Webhook> {
    return this.ask("POST", `/v1/webhooks/${encodeURIComponent(webhook)}/enable`);
  }

  /** Send the receiver a signed `webhook.test` once, and answer with what it said. */
  test(webhook: string): Promise<Tried> {
    return this.ask("POST", `/v1/webhooks/${encodeURIComponent(webhook)}/test`);
  }
}
