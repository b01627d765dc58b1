"""Examines whether the model's service accepts the login of a run: `treadle doctor --online`."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, assert_never

from treadle.adapters.agents.registry import find_kind
from treadle.domain.agent_kind import AgentKind
from treadle.domain.errors import TreadleError
from treadle.domain.model_access import CloudModel
from treadle.gateway.login_check import LoginAnswer, check_login
from treadle.runs.credentials import login_environment
from treadle.runs.doctor import DoctorFinding, failed_check
from treadle.runs.trust import load_trusted
from treadle.settings.environment import Environment, agent_environment
from treadle.wiring.agent import agent_inputs
from treadle.wiring.gateway import service_behind
from treadle.wiring.search_path import without_project

_NAME = "online"


async def check_login_online(project: Path, environment: Environment) -> list[DoctorFinding]:
    """One request to the service, which costs nothing. A login that has expired is renewed first,
    as in a run."""
    try:
        settings = load_trusted(project, environment).settings
        return [await _check(find_kind(settings.agent.kind), project, environment)]
    except (TreadleError, OSError) as error:
        return [failed_check(_NAME, error)]


async def _check(kind: AgentKind[Any], project: Path, environment: Environment) -> DoctorFinding:
    settings = load_trusted(project, environment).settings.agent
    model = kind.model
    if model is None or kind.login is None:
        return DoctorFinding(_NAME, "good", f"{kind.title} asks no service")
    used = without_project(login_environment(environment, kind), project)
    service = service_behind(model, agent_environment(used.raw, kind.variables.passed), None)
    if isinstance(service, CloudModel):
        text = f"{service.cloud} is not asked: only the agent can"
        return DoctorFinding(_NAME, "warning", text)
    # On the disk of the runs, where the agent's program is linked and not copied.
    environment.root.mkdir(parents=True, exist_ok=True, mode=0o700)
    with TemporaryDirectory(prefix="doctor-", dir=environment.root) as place:
        inputs = agent_inputs(
            kind, settings, used, project, Path(place), learn_secret=lambda secret: None
        )
        agent, _ = kind.make(replace(inputs, attribution=False))
        request = model.check(agent)
        answer = await check_login(service, model.login(agent), request)
    return _finding(answer, f"{service.base_url} was asked {request.question}, which is free")


def _finding(answer: LoginAnswer, question: str) -> DoctorFinding:
    match answer.verdict:
        case "accepted":
            return DoctorFinding(_NAME, "good", f"the login is accepted: {question}")
        case "refused":
            text = f"the login is refused ({answer.text}): {question}"
            return DoctorFinding(_NAME, "bad", text, "log in again, or use another login")
        case "unanswered":
            text = f"could not check the login ({answer.text}): {question}"
            return DoctorFinding(
                _NAME, "warning", text, "check ANTHROPIC_BASE_URL, the proxy and the network"
            )
        case never:
            assert_never(never)
