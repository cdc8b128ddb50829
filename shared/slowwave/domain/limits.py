"""Limits on the size of input values, in bytes of UTF-8. Longer input is refused, never cut."""

NAME_CHARACTERS = 255
"""The longest name of a tenant, user, agent, channel, session, key, speaker, or tool."""
CONTENT_BYTES = 256 * 1024
"""The largest content of an episode, question, or value of working memory."""
METADATA_BYTES = 16 * 1024
METADATA_DEPTH = 64
DESCRIPTION_BYTES = 32 * 1024
"""The largest goal, strategy, topic, statement or note: texts that are embedded."""
REASON_BYTES = 16 * 1024
"""The largest reason, and the largest result of a goal."""
REFUSAL_BYTES = 4 * 1024
"""The largest stored and reported reason why an item was refused; a longer reason is cut."""
MESSAGE_BYTES = 1024 * 1024
"""The largest message with several episodes, as JSON."""
LONE_BYTES = 2 * 1024 * 1024
"""The largest message with one episode: the largest episode takes 1.6 MiB if JSON escapes each byte as six."""
MOST_EPISODES = 10_000
"""The most episodes of one message."""
MOST_RESULTS = 1_000
"""The most answers to one question, and the most items of one list."""
MOST_NAMES = 1_000
"""The most sources of a delta, tools of a sequence, and tiers or channels of a query."""
MOST_SECONDS = 10 * 365 * 24 * 3600.0
"""The longest timeout, and the longest time to live of a value: ten years."""
MOST_HOURS = 10 * 365 * 24
