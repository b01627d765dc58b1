"""What a role may do besides reading: today, whether it may change files."""

from treadle.domain.signal import Role

# Roles that judge or plan do not change what they look at.
READ_ONLY_ROLES: frozenset[Role] = frozenset({"planner", "reviewer", "auditor", "verifier"})
