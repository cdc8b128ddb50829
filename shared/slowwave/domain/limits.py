"""Limits on what may be told at once. Sizes are in bytes of UTF-8; what is longer is refused, never cut."""

NAME_CHARACTERS = 255
"""A tenant, user, agent, channel, session, key, speaker, or the name of a tool."""
CONTENT_BYTES = 256 * 1024
"""The content of an episode, a question, and a value of working memory."""
METADATA_BYTES = 16 * 1024
METADATA_DEPTH = 64
DESCRIPTION_BYTES = 32 * 1024
"""A goal, a strategy, a topic, a statement, a note: what is embedded."""
REASON_BYTES = 16 * 1024
"""Why something is so, and what came of it."""
REFUSAL_BYTES = 4 * 1024
"""Why an item was refused or given up, as it is kept and its client is told; of more, only the beginning."""
MESSAGE_BYTES = 1024 * 1024
"""A message of several episodes, as JSON."""
LONE_BYTES = 2 * 1024 * 1024
"""A message of one episode: the largest takes 1.6 MiB, where JSON escapes each byte with six."""
MOST_EPISODES = 10_000
"""Episodes of one message."""
MOST_RESULTS = 1_000
"""Answers to one question, and things listed at once."""
MOST_NAMES = 1_000
"""Sources of a delta, tools of a sequence, tiers or channels asked for."""
MOST_SECONDS = 10 * 365 * 24 * 3600.0
"""A time-out, and how long a value is kept: ten years."""
MOST_HOURS = 10 * 365 * 24
