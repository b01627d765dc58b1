"""Makes Claude Code for a run: with the user's login, or with a scripted model."""

from dataclasses import replace
from pathlib import Path

from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.agents.claude.api_key_command import HelperKey, helper_command
from treadle.adapters.agents.claude.binary import (
    TESTED_FROM,
    TESTED_TO,
    ClaudeBinary,
    bundled_binary,
)
from treadle.adapters.agents.claude.login import require_login
from treadle.adapters.agents.claude.login_renewal import LoginRenewer
from treadle.adapters.agents.claude.run_binary import binary_of_run, checked_binary, find_program_of
from treadle.adapters.agents.claude.subscription_file import SubscriptionFile, credentials_file
from treadle.adapters.agents.claude.subscription_token import SubscriptionToken
from treadle.adapters.agents.claude.user_files import UserFiles, read_user_files
from treadle.adapters.agents.claude.variables import API_KEY, AUTH_TOKEN, BASE_URL, OAUTH_TOKEN
from treadle.domain.agent import SessionBrief
from treadle.domain.agent_kind import (
    AgentInputs,
    ProgramChoice,
    ScriptedAuth,
    ScriptedModel,
    SessionSandbox,
)
from treadle.domain.detected_login import DetectedLogin
from treadle.domain.errors import AgentUnavailable, LoginMissing
from treadle.domain.model_access import SecretMissing, SecretSource, StaticSecret
from treadle.domain.sandbox import Confinement

ATTRIBUTION = "Co-Authored-By: Claude <noreply@anthropic.com>"

# The variable that carries each kind of credential a script can ask for.
CREDENTIAL_OF: dict[ScriptedAuth, str] = {"api_key": API_KEY, "subscription": OAUTH_TOKEN}

# How a scripted API knows which of its scripts a session plays.
REHEARSAL_HEADERS = ("x-treadle-role: {role}", "x-treadle-workspace: {workspace}")

# How often the agent repeats a failed request itself: for about three minutes in a run. A script's
# outage should not take that long.
MAX_RETRIES = "CLAUDE_CODE_MAX_RETRIES"
RETRIES = "10"
REHEARSAL_RETRIES = "2"

# What a rehearsed agent needs of the user's environment: programs and language, nothing else.
REHEARSAL_PASSED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME", "SHELL")


def make_agent(inputs: AgentInputs) -> tuple[ClaudeAgent, list[str]]:
    """The user's own binary with the user's login, and what a person should know about it."""
    binary, changes = binary_of_run(inputs.program, inputs.keeping)
    login = require_login(inputs.host_environment, inputs.user_home)
    agent = ClaudeAgent(
        binary.path,
        {**inputs.environment, MAX_RETRIES: RETRIES},
        _attribution(inputs),
        verbatim=binary.takes_verbatim,
        login_sources=_login_sources(inputs, login),
    )
    return agent, [*changes, *_version_warnings(binary)]


def _login_sources(inputs: AgentInputs, login: DetectedLogin) -> dict[str, SecretSource]:
    """The logins that are in no variable, by the variable that carries each of them to the agent.
    With two keys Claude Code sends both."""
    files = read_user_files(inputs.host_environment, inputs.user_home)
    match login.kind:
        case "subscription":
            return {OAUTH_TOKEN: _subscription_token(inputs)}
        case "key helper":
            helper = _helper_key(inputs, files)
            return {AUTH_TOKEN: helper} | _unless_set(inputs, helper)
        case "auth token" if files.key_helper:
            return _unless_set(inputs, _helper_key(inputs, files))
        case "auth token" | "Console key" if files.console_key:
            inputs.learn_secret(files.console_key)
            return _unless_set(inputs, StaticSecret(files.console_key.strip().encode()))
        case _:
            return {}


def _unless_set(inputs: AgentInputs, key: SecretSource) -> dict[str, SecretSource]:
    return {} if inputs.environment.get(API_KEY, "").strip() else {API_KEY: key}


def _helper_key(inputs: AgentInputs, files: UserFiles) -> HelperKey:
    """The key of the helper, which is asked now: at the start a person can still put it right."""
    command = helper_command(files, inputs.host_environment, inputs.user_home)
    helper = HelperKey(command, learn_secret=inputs.learn_secret)
    key = helper.ask()
    if isinstance(key, SecretMissing):
        raise LoginMissing(key.message, hint=f"see apiKeyHelper in {files.settings}")
    return helper


def _subscription_token(inputs: AgentInputs) -> SubscriptionToken:
    """The token in the user's own file, renewed by the user's own binary as it is then, and not by
    the one that the run keeps. One that the project, or a run, could have changed is not started
    outside a sandbox."""
    theirs = (inputs.program.project.resolve(), inputs.program.home.resolve())

    def find_program() -> Path | None:
        try:
            path, _ = find_program_of(inputs.program)
        except AgentUnavailable:
            return None
        resolved = path.resolve()
        places = (resolved, path.parent.resolve())
        is_theirs = any(place.is_relative_to(folder) for place in places for folder in theirs)
        return None if is_theirs else resolved

    renewer = LoginRenewer(find_program, inputs.user_home, inputs.host_environment)
    return SubscriptionToken(
        SubscriptionFile(credentials_file(inputs.host_environment, inputs.user_home)),
        renewer.renew,
        learn_secret=inputs.learn_secret,
    )


def rehearsal_agent(inputs: AgentInputs, model: ScriptedModel) -> ClaudeAgent:
    """The bundled binary, whose model is a script; its credential opens nothing."""
    given = inputs.environment
    environment = {
        **{name: given[name] for name in REHEARSAL_PASSED if name in given},
        CREDENTIAL_OF[model.auth]: "rehearsal",
        BASE_URL: model.base_url,
        MAX_RETRIES: REHEARSAL_RETRIES,
    }
    # The bundled binary is of a release that takes prompts verbatim.
    return ClaudeAgent(
        bundled_binary(), environment, _attribution(inputs), REHEARSAL_HEADERS, verbatim=True
    )


def describe_binary(program: ProgramChoice) -> tuple[str, list[str]]:
    """The binary that a run would use, in words, and what a person should know about it."""
    binary = checked_binary(program)
    text = f"Claude Code {binary.version} from {binary.origin}: {binary.path}"
    return text, _version_warnings(binary)


def confine(agent: ClaudeAgent, sessions: SessionSandbox) -> ClaudeAgent:
    """The same agent with each of its sessions confined, and its binary in reach."""

    def within(brief: SessionBrief) -> Confinement:
        confinement = sessions.confinement_for(brief)
        return replace(confinement, readable=(agent.binary, *confinement.readable))

    return replace(
        agent,
        environment=sessions.environment_for(agent.environment),
        sandbox=replace(sessions, confinement_for=within),
    )


def _attribution(inputs: AgentInputs) -> str:
    return ATTRIBUTION if inputs.attribution else ""


def _version_warnings(binary: ClaudeBinary) -> list[str]:
    """A version out of the tested range is worth a warning when newer, and refused when older."""
    tested = "–".join(".".join(map(str, version)) for version in (TESTED_FROM, TESTED_TO))
    match binary.support:
        case "tested":
            return []
        case "newer":
            return [f"Claude Code {binary.version} is newer than the tested range {tested}"]
        case "older":
            raise AgentUnavailable(
                f"Claude Code {binary.version} is older than the tested range {tested}",
                hint="update it with `claude update`, or remove agent.binary and CLAUDE_BIN",
            )
