"""Language profiles: the command families and pkill targets that each one allows."""

from typing import Literal, get_args

Profile = Literal["node", "bun", "python", "ruby", "go", "rust", "php"]
PROFILES: tuple[Profile, ...] = get_args(Profile)

_PKILL: dict[str, str] = {
    "node": "node npm npx vite next yarn pnpm tsx nodemon webpack astro nuxt",
    "bun": "bun bunx",
    "python": "python python3 uvicorn gunicorn flask hypercorn",
    "ruby": "ruby puma unicorn rails",
    "go": "go air",
    "rust": "cargo",
    "php": "php artisan",
}


def active_profiles(profiles: tuple[str, ...]) -> tuple[str, ...]:
    """The named profiles, or all if none is named."""
    return profiles or PROFILES


def pkill_targets(profiles: tuple[str, ...]) -> set[str]:
    return {
        name for profile in active_profiles(profiles) for name in _PKILL.get(profile, "").split()
    }
