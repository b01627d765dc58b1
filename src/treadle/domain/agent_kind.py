"""What a kind of agent declares about itself, in one record in `adapters/agents/<name>/kind.py`.

Types only. Records are cheap to import: their functions import what they need when they are called.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from treadle.domain.detected_login import DetectedLogin
from treadle.domain.diagnosis import FaultTable
from treadle.domain.model_access import CloudModel, Endpoint, Login, LoginCheckRequest, ModelService
from treadle.domain.price import PriceTable

if TYPE_CHECKING:
    from treadle.domain.agent import SessionBrief
    from treadle.domain.ports import KillableAgent
    from treadle.domain.sandbox import Confinement, Sandbox

A = TypeVar("A", bound="KillableAgent")

# The kinds of credential that the script of a rehearsal can ask for.
ScriptedAuth = Literal["api_key", "subscription"]


@dataclass(frozen=True, slots=True)
class PassedVariables:
    """Variables that an agent gets, and why; with `only_if`, only if that variable is on."""

    reason: str
    names: tuple[str, ...]
    only_if: str = ""


@dataclass(frozen=True, slots=True)
class AgentVariables:
    """The environment variables of an agent."""

    # What it gets of the user's environment, besides what every agent gets.
    passed: tuple[PassedVariables, ...] = ()
    # Those among them whose values are never stored or shown.
    secrets: tuple[str, ...] = ()
    # Those that say where the user's own login is; the agent does not get them.
    host: tuple[str, ...] = ()
    # The one that names its program, and the one that holds the address of its model.
    program: str = ""
    model_address: str = ""


@dataclass(frozen=True, slots=True)
class ModelCredential:
    """A name that a person can set with `treadle auth`, the variable it stands for, and its use."""

    name: str
    variable: str
    purpose: str


@dataclass(frozen=True, slots=True)
class AgentLogin:
    """How a person logs the agent in. Each function takes the variables of the user and the user's
    home."""

    # Of several stored credentials, the first that is there logs the agent in.
    credentials: tuple[ModelCredential, ...]
    # Variables that log it in, and so outrank what is stored.
    variables: tuple[str, ...]
    # Which login the agent would use; never the login itself.
    find: Callable[[Mapping[str, str], Path], DetectedLogin]
    # The variables that the user's own settings of the agent set for it.
    settings_variables: Callable[[Mapping[str, str], Path], Mapping[str, str]]
    # Secrets in the user's own files of the agent.
    stored_secrets: Callable[[Mapping[str, str], Path], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ProgramChoice:
    """What names the agent's program, or the file that stands for one, on this machine."""

    # `agent.binary`, and the value of the variable that comes after it.
    setting: str
    variable: str
    search_path: str
    # The project; a file that a setting names is looked for here.
    project: Path
    # The home that the program is given when it is asked for its version.
    home: Path


@dataclass(frozen=True, slots=True)
class ProgramKeeping:
    """Where the program that a run began with is kept, out of the agent's reach."""

    # The run's own, which is removed with its workspace.
    folder: Path
    # What all runs share: copies of programs that cannot be linked.
    store: Path


@dataclass(frozen=True, slots=True)
class AgentInputs:
    """What the agent of one run is made from."""

    program: ProgramChoice
    keeping: ProgramKeeping
    # The variables that the agent may see.
    environment: Mapping[str, str] = field(repr=False)
    user_home: Path
    private_home: Path
    # Whether commits may name the agent as co-author.
    attribution: bool
    # All variables of the user, for programs that Treadle starts on the host.
    host_environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    # Told every secret that becomes known during the run, so that it is not stored or shown.
    learn_secret: Callable[[str], None] = lambda secret: None


@dataclass(frozen=True, slots=True)
class ScriptedModel:
    """The model of a rehearsal: where it is, and the credential that the agent is to have."""

    base_url: str
    auth: ScriptedAuth


@dataclass(frozen=True, slots=True)
class SessionSandbox:
    """The sandbox of an agent's sessions, and what each of them can reach in it."""

    sandbox: "Sandbox"
    confinement_for: Callable[["SessionBrief"], "Confinement"]
    # The agent's variables as it gets them inside.
    environment_for: Callable[[Mapping[str, str]], Mapping[str, str]] = lambda given: given
    # Sockets outside, by the path that they have inside; those of one session.
    sockets: Mapping[str, Path] = field(default_factory=dict)
    # Becomes the agent after it has made ready what the agent needs inside.
    entry: tuple[str, ...] = ()
    # Told what the limits of a session's sandbox did to its programs.
    tell: Callable[[str], None] = lambda told: None


@dataclass(frozen=True, slots=True)
class ModelAccess(Generic[A]):
    """How a gateway is put between an agent and its model."""

    # The service that the agent would ask with these variables.
    service: Callable[[Mapping[str, str]], ModelService | CloudModel]
    # The login that the gateway holds for the agent.
    login: Callable[[A], Login]
    # The same agent, asking at the gateway's endpoint, and without its login.
    reach: Callable[[A, Endpoint], A]
    # A request that costs nothing, to see whether the service accepts the agent's login.
    check: Callable[[A], LoginCheckRequest]


@dataclass(frozen=True, slots=True)
class AgentKind(Generic[A]):
    """Nothing outside an agent's folder and the registry knows its name or its modules."""

    # As `agent.kind` has it, and as people read it.
    name: str
    title: str
    # The agent for a user's own model, and what a person should know about it.
    make: Callable[[AgentInputs], tuple[A, list[str]]]
    # The program that a run would use, in words, and what a person should know about it.
    describe: Callable[[ProgramChoice], tuple[str, list[str]]]
    variables: AgentVariables = field(default_factory=AgentVariables)
    prices: PriceTable = field(default_factory=PriceTable)
    faults: FaultTable = field(default_factory=FaultTable)
    # The file of a project with instructions to the agent; empty: it reads none.
    instructions_file: str = ""
    # Settings of the agent that a project may contain; none of them is loaded.
    project_settings: tuple[str, ...] = ()
    # Folders below its home that its tools may read.
    readable_folders: tuple[str, ...] = ()
    # Lines of a commit message, in lower case, in which the agent credits itself. Python and awk
    # both read these patterns.
    credit_patterns: tuple[str, ...] = ()
    # None: it needs no login.
    login: AgentLogin | None = None
    # The agent whose model is a script; None: it cannot be rehearsed.
    rehearse: Callable[[AgentInputs, ScriptedModel], A] | None = None
    # The same agent with its sessions confined; None: it starts no process.
    confine: Callable[[A, SessionSandbox], A] | None = None
    # Whether it can be handed a person's terminal.
    takes_terminal: bool = False
    # None: no gateway can stand before it, so its cost is what it reports itself.
    model: ModelAccess[A] | None = None
