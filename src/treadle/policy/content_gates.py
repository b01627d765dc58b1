"""File contents that need a person's approval before an agent writes them. Rules as data.

A word alone is no reason to ask: most texts about deployments are harmless. A gate needs a file
that other machines execute with other permissions, or a text that looks like a key.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

# A path inside the project and a text.
Example = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ContentGate:
    """A kind of file, a kind of text in it, and why a person has to approve it."""

    rule: str
    reason: str
    concerns: Callable[[PurePosixPath], bool]
    found: Callable[[str], bool]
    asks: tuple[Example, ...]
    passes: tuple[Example, ...]


_PIPELINES = re.compile(
    r"(\.github/workflows/[^/]+\.ya?ml|(.*/)?\.gitlab-ci\.ya?ml|\.circleci/config\.ya?ml|"
    r"(.*/)?jenkinsfile|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml|"
    r"\.buildkite/[^/]+\.ya?ml|\.travis\.ya?ml|fly\.toml|vercel\.json|netlify\.toml|render\.ya?ml|"
    r"app\.yaml|procfile)"
)
_DEPLOYMENT = re.compile(
    r"\b(?:deploy|publish|migrat|production|terraform\s+(?:apply|destroy)|kubectl\s+apply)|"
    r"\bpush\s[^;&|]{0,200}(?:--force|-f\b)"
    # Both options, in one word or in several.
    r"|\brm(?=(?:\s+-\S{1,40}){0,8}?\s+(?:-\w{0,8}r|--recursive\b))"
    r"(?:\s+-\S{1,40}){0,8}?\s+(?:-\w{0,8}f|--force\b)",
    re.IGNORECASE,
)
# Only the beginning of a longer line is searched.
_LONGEST_LINE = 4000
_PRODUCTION = re.compile(
    r"(.*/)?(\.env\.(production|prod|live)|(production|prod)\.env|[^/]*prod[^/]*\.tfvars(\.json)?|"
    r"terraform\.tfvars(\.json)?|credentials/production\.[^/]+|secrets?[.-](production|prod)\.[^/]+)"
)
_TEST_PATH = re.compile(r"(^|/)(tests?|specs?|__tests__|fixtures|testdata|examples?)/|(^|/)test_")
_NAMED_VALUE = re.compile(
    r"(?:(?i:api[_-]?key|secret(?:[_-]?key)?|passw(?:or)?d)|(?<![A-Za-z])(?i:token)|(?<=[a-z])Token)"
    r"[\"']?\s{0,20}(?::|=>?|:=)\s{0,20}[\"']?(?P<value>[A-Za-z0-9+/_=.~-]{20,})"
)
_PLACEHOLDER = re.compile(
    r"example|sample|dummy|fake|mock|test|your|change|replace|placeholder|todo|xxx|process\.env|"
    r"os\.environ|env\.|secrets\.|0123|1234|abcd",
    re.IGNORECASE,
)
# The entropy of words and paths is lower, that of keys is higher.
_LEAST_BITS = 3.5


def _runs_elsewhere(path: PurePosixPath) -> bool:
    return _PIPELINES.fullmatch(str(path).casefold()) is not None


def _is_production(path: PurePosixPath) -> bool:
    return _PRODUCTION.fullmatch(str(path).casefold()) is not None


def _is_not_test(path: PurePosixPath) -> bool:
    return _TEST_PATH.search(str(path).casefold()) is None


def _deploys(text: str) -> bool:
    """Whether a line outside comments deploys, publishes or deletes."""
    lines = (line[:_LONGEST_LINE].partition("#")[0] for line in text.splitlines())
    return any(_DEPLOYMENT.search(line) for line in lines)


def _contains_key(text: str) -> bool:
    return any(_looks_real(match["value"]) for match in _NAMED_VALUE.finditer(text))


def _looks_real(value: str) -> bool:
    if _PLACEHOLDER.search(value) or not re.search(r"\d", value):
        return False
    counts = Counter(value).values()
    bits = -sum(n / len(value) * math.log2(n / len(value)) for n in counts)
    return bits >= _LEAST_BITS


GATES: tuple[ContentGate, ...] = (
    ContentGate(
        rule="gate-pipeline",
        reason="This file makes other machines deploy, publish or delete something.",
        concerns=_runs_elsewhere,
        found=_deploys,
        asks=(
            (".github/workflows/release.yml", "      - run: npm publish\n"),
            (".gitlab-ci.yml", "deploy:\n  script: ./ship\n"),
            ("Jenkinsfile", "sh 'git push --force origin main'\n"),
        ),
        passes=(
            (".github/workflows/ci.yml", "      - run: npm test\n      # deploy comes later\n"),
            ("docs/deploy.md", "How we deploy to production: npm publish.\n"),
            ("src/deploy.py", "def deploy() -> None: ...\n"),
        ),
    ),
    ContentGate(
        rule="gate-production",
        reason="This file configures a production system.",
        concerns=_is_production,
        found=lambda text: True,
        asks=(
            (".env.production", "PORT=80\n"),
            ("infra/prod.tfvars", 'size = "large"\n'),
            ("config/credentials/production.yml.enc", "x"),
        ),
        passes=((".env.example", "PORT=80\n"), ("src/production.py", "line = 1\n")),
    ),
    ContentGate(
        rule="gate-credential",
        reason="This text holds what looks like a real key, password or token.",
        concerns=_is_not_test,
        found=_contains_key,
        asks=(
            ("src/config.py", 'API_KEY = "q8Zr2LmX7vKp4TnB9sWd"\n'),
            (".env", "DB_PASSWORD=Vb7Kq2Xr9Lm4Zt8Np3Ws\n"),
            ("app.json", '{"access_token": "Vb7Kq2Xr9Lm4Zt8Np3Ws"}'),
        ),
        passes=(
            ("src/config.py", 'API_KEY = os.environ["API_KEY"]\n'),
            (".env.example", "API_KEY=your-api-key-goes-here-123\n"),
            ("src/model.py", 'tokenizer = "bert-base-uncased-v2-2019"\n'),
            ("tests/test_login.py", 'password = "Vb7Kq2Xr9Lm4Zt8Np3Ws"\n'),
            ("src/app.ts", "const token = await getAccessTokenForUser2(session);\n"),
        ),
    ),
)


def find_content_gate(path: PurePosixPath, text: str) -> ContentGate | None:
    """The first gate for this text in this file of the project, if any."""
    return next((gate for gate in GATES if gate.concerns(path) and gate.found(text)), None)
