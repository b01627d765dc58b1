"""Before which commands a person is asked: the built-in gates, and patterns of the user. Pure."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise

from treadle.policy.commands.language import words
from treadle.policy.shell.syntax import Command

_PIECES = re.compile(r"[:_\-./]")


@dataclass(frozen=True, slots=True)
class Gate:
    """Asks if one of the commands is run; with `flags` or `operand`, only if one of those is there.

    A command is given by its first words; options between them do not matter.
    """

    name: str
    reason: str
    commands: tuple[str, ...]
    flags: frozenset[str] = frozenset()
    operand: str = ""


GATES: tuple[Gate, ...] = (
    Gate(
        "gate-force-push",
        "It rewrites or deletes what others may have fetched.",
        ("git push",),
        words("-f --force --force-with-lease --force-if-includes --mirror --delete -d --prune"),
        r"[+:].*",
    ),
    Gate(
        "gate-publish",
        "It publishes to people outside this project.",
        (
            "npm publish",
            "pnpm publish",
            "yarn publish",
            "yarn npm publish",
            "bun publish",
            "lerna publish",
            "cargo publish",
            "gem push",
            "uv publish",
            "poetry publish",
            "flit publish",
            "hatch publish",
            "pdm publish",
            "twine upload",
            "goreleaser release",
            "docker push",
            "gh release create",
            "npx semantic-release",
            "semantic-release",
            "rake release",
            "npm unpublish",
            "npm deprecate",
            "composer publish",
            "changeset publish",
            "deno publish",
            "jsr publish",
            "helm push",
            "cargo yank",
            "gem yank",
            "release-it",
        ),
    ),
    Gate(
        "gate-deploy",
        "It changes what runs for others.",
        (
            "vercel",
            "netlify deploy",
            "fly deploy",
            "flyctl deploy",
            "heroku",
            "firebase deploy",
            "wrangler deploy",
            "wrangler publish",
            "terraform apply",
            "terraform destroy",
            "pulumi up",
            "pulumi destroy",
            "cdk deploy",
            "cdk destroy",
            "sls deploy",
            "serverless deploy",
            "kubectl apply",
            "kubectl delete",
            "helm install",
            "helm upgrade",
            "cap deploy",
            "eb deploy",
            "gcloud app deploy",
            "railway up",
            "render deploy",
            "surge",
            "gh-pages",
            "ansible-playbook",
            "kamal deploy",
            "amplify publish",
            "sst deploy",
            "dep deploy",
            "rails deploy",
            "mina deploy",
            "npx vercel",
            "tofu apply",
            "deployctl deploy",
            "bundle exec cap",
            "gh workflow run",
            "gh pr merge",
            "next deploy",
            "convex deploy",
            "expo publish",
            "eas submit",
        ),
    ),
    Gate(
        "gate-database",
        "It changes the shape or the contents of a database.",
        (
            "prisma migrate",
            "prisma db push",
            "prisma db execute",
            "knex migrate:*",
            "sequelize db:*",
            "drizzle-kit push",
            "drizzle-kit migrate",
            "typeorm migration:*",
            "supabase db *",
            "alembic upgrade",
            "alembic downgrade",
            "flask db upgrade",
            "flask db downgrade",
            "manage.py migrate",
            "manage.py flush",
            "manage.py reset_db",
            "django-admin migrate",
            "django-admin flush",
            "artisan migrate*",
            "artisan db:wipe",
            "rails db:migrate*",
            "rails db:drop*",
            "rails db:reset*",
            "rails db:rollback*",
            "rails db:setup*",
            "rails db:schema:load*",
            "rails db:purge*",
            "rails db:truncate*",
            "rake db:migrate*",
            "rake db:drop*",
            "rake db:reset*",
            "rake db:rollback*",
            "rake db:setup*",
            "rake db:purge*",
            "rake db:schema:load*",
            "rake db:truncate*",
            "diesel migration *",
            "sqlx migrate *",
            "sqlx database *",
            "sea-orm-cli migrate*",
            "goose *",
            "migrate *",
            "dropdb",
            "hanami db *",
            "bundle exec hanami db *",
            "symfony console doctrine:*",
            "console doctrine:*",
            "mix ecto.*",
            "node-pg-migrate",
            "db-migrate",
            "migrate-mongo",
        ),
    ),
    Gate(
        "gate-recursive-removal",
        "It removes a whole tree without a question.",
        ("rm",),
    ),
)

# Words in the name of a project's script that say it reaches beyond the project.
_TELLING = words("deploy deployment publish release migrate migration migrations rollback")
_OF_DATABASE = words("drop reset truncate purge wipe destroy")
_PRODUCTION = frozenset({"production", "prod", "live"})
_REHEARSED = words("build test tests lint check preview dry")
# Who runs scripts by name: after `run`, or after nothing at all; or several at once.
_AFTER_RUN = words("npm yarn pnpm bun composer deno")
_AT_ONCE = words("yarn pnpm bun composer")
_SEVERAL = words("make rake just task invoke gulp grunt nx turbo")
_BUNDLERS = words("webpack vite next rollup parcel esbuild tsup")
_TARGET_FLAGS = words("-e --env --environment --stage --target --context --profile")


@dataclass(frozen=True, slots=True)
class Gated:
    name: str
    reason: str


def gate_of(command: Command, asked: tuple[str, ...]) -> Gated | None:
    """The gate that this command stands before, its known variables already put in."""
    words = [word.text for word in command.words]
    if not words:
        return None
    words[0] = words[0].rsplit("/", 1)[-1]
    for pattern in asked:
        if matches(pattern, words):
            return Gated("gate-by-settings", f"The settings ask before: {pattern}.")
    for gate in GATES:
        if _stands_before(gate, words):
            return Gated(gate.name, gate.reason)
    if _for_production(command, words):
        return Gated("gate-production", "It works on production.")
    if any(_telling(script) for script in _scripts(words)):
        return Gated("gate-script", "By its name, the script reaches beyond this project.")
    return None


def matches(pattern: str, words: list[str]) -> bool:
    """A pattern of the user, word by word; `*` stands for anything in a word, or for the rest."""
    wanted = pattern.split()
    if not wanted:
        return False
    plain = [words[0], *(word for word in words[1:] if not word.startswith("-"))]
    return _begins(wanted, words) or _begins(wanted, plain)


def _begins(wanted: list[str], words: list[str]) -> bool:
    if wanted[-1] == "*":
        wanted = wanted[:-1]
    pairs = zip(words, wanted, strict=False)
    return len(words) >= len(wanted) and all(fnmatchcase(word, like) for word, like in pairs)


def _stands_before(gate: Gate, words: list[str]) -> bool:
    if not any(matches(command, words) for command in gate.commands):
        return False
    if gate.commands == ("rm",):
        return _removes_tree(words)
    if gate.flags or gate.operand:
        return any(
            bool({word.partition("=")[0], *_letters(word)} & gate.flags)
            or bool(gate.operand and re.fullmatch(gate.operand, word))
            for word in words[1:]
        )
    return True


def _letters(word: str) -> list[str]:
    """`-fu` is `-f` and `-u`."""
    return [f"-{letter}" for letter in word[1:]] if re.fullmatch(r"-[A-Za-z]{2,}", word) else []


def _removes_tree(words: list[str]) -> bool:
    options = [word for word in words[1:] if word.startswith("-")]
    letters = "".join(word[1:] for word in options if not word.startswith("--"))
    recursive = "r" in letters.lower() or any(word.startswith("--r") for word in options)
    return recursive and ("f" in letters or any(word.startswith("--f") for word in options))


def _for_production(command: Command, words: list[str]) -> bool:
    for given in command.assignments:
        if given.name.endswith(("_ENV", "ENVIRONMENT")) and given.value.text.lower() in _PRODUCTION:
            return given.name != "NODE_ENV" or not _builds(words)
    pairs = pairwise(words[1:])
    named = any(flag in _TARGET_FLAGS and value.lower() in _PRODUCTION for flag, value in pairs)
    joined = {f"{flag}={value}" for flag in _TARGET_FLAGS for value in _PRODUCTION}
    return (named or bool(joined & set(words))) and not _builds(words)


def _builds(words: list[str]) -> bool:
    return words[0] in _BUNDLERS or any(
        piece in _REHEARSED for word in words for piece in _PIECES.split(word.lower())
    )


def _scripts(words: list[str]) -> list[str]:
    """The names of the project's scripts that the command runs; what they are handed is data."""
    said = words[: words.index("--")] if "--" in words else words
    named = [word for word in said[1:] if not word.startswith("-")]
    if words[0] in _SEVERAL:
        return named
    if words[0] not in _AFTER_RUN or not named:
        return []
    if named[0] in ("run", "run-script", "task"):
        return named[1:2]
    return named[:1] if words[0] in _AT_ONCE else []


def _telling(word: str) -> bool:
    if word.startswith("-"):
        return False
    pieces = set(_PIECES.split(word.lower()))
    if pieces & _REHEARSED:
        return False
    if pieces & {"db", "database"} and pieces & _OF_DATABASE:
        return True
    return bool(pieces & _TELLING) or bool(pieces & _PRODUCTION)
