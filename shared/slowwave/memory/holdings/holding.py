"""`scope.profile`: what is known of a user, by what it is good for."""

from dataclasses import dataclass
from typing import Any

from slowwave.core.profile import profile_of
from slowwave.domain.arguments import Limit, Name, checked, checked_type
from slowwave.domain.fact import Fact
from slowwave.domain.limits import MOST_RESULTS
from slowwave.domain.reading.profile import Profile
from slowwave.memory.reading import Reading
from slowwave.memory.reading.handing import handed_out
from slowwave.rules.profile import load_profile
from slowwave.store.reading.profile import of_user


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Holding(Reading):
    """A face on which what is known of a user is told as a whole."""

    @checked
    def profile(self, *, limit: Limit = 20, session: Name | None = None) -> Profile:
        """Return the user's profile: preferences, expertise areas, communication style, and what else is known.

        It is made of the typed facts that are believed of the user in `reach` now, at most 1 000 of them, those told
        last, and at most *limit* in each part: by strength, the newest first. Each entry has its fact and its reasons;
        `policies/profile.yaml` says which facts stand where. *session* is the one in which you ask, for the audit.
        """
        reach, takes = self.reach, load_profile(self._parts.settings.rules)
        made: list[Profile] = []

        def read(connection: Any) -> list[Fact]:
            held = of_user(connection, reach, most=MOST_RESULTS)
            made.append(profile_of(self.scope.user, takes, held, limit))
            return [entry.fact for entry in made[0].entries]

        handed_out(self._parts, reach, read, verb="profile", session=session)
        return made[0]
