"""The triggers of a schedule, in words."""

from slowwave.formatting import counted, seconds
from slowwave.ports import Schedule


def in_words(schedule: Schedule) -> str:
    """Return in words when *schedule* fires.

    >>> in_words(Schedule("night/cron", "consolidate", "night", "cron", cron="0 3 * * *", zone="Europe/Oslo"))
    '0 3 * * * in Europe/Oslo'
    >>> in_words(Schedule("night/shift", "consolidate", "night", "semantic_shift", threshold=0.3, min_events=3))
    'when an event lies further than 0.30 from a topic of 3 events or more'
    """
    match schedule.kind:
        case "count":
            return f"every {counted(schedule.every or 0, 'episodes')}"
        case "age":
            return f"after {seconds(schedule.seconds)} at the latest"
        case "cron":
            return f"{schedule.cron} in {schedule.zone or 'UTC'}"
        case "interval":
            return f"every {seconds(schedule.seconds)}"
        case "idle":
            return f"when no event has arrived for {seconds(schedule.seconds)}"
        case "semantic_shift":
            topic = "the last consolidated topic" if schedule.reference == "consolidated" else "a topic"
            return (
                f"when an event lies further than {schedule.threshold or 0:.2f} from {topic} "
                f"of {counted(schedule.min_events or 0, 'events')} or more"
            )
        case "token_pressure":
            return f"when a working memory holds more than {counted(schedule.every or 0, 'tokens')}"
        case "capacity":
            return f"when the tier {schedule.tier} overflows" if schedule.tier else "when a tier overflows"
        case "session_end":
            return "when a session ends"
        case "manual":
            return "by hand"
