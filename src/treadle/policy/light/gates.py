"""Finds the commands before which a person is asked under the light policy. Pure."""

from posixpath import basename, splitext

from treadle.domain.agent import Ask
from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.command_gates import (
    GateMatch,
    find_command_gates,
    removes_tree,
    script_topic,
)
from treadle.policy.judging.databases import DatabasePlace, find_database
from treadle.policy.judging.paths import lies_in, relative_parts
from treadle.policy.judging.shell_context import CommandLocation, absolute
from treadle.policy.light.tables import SHELLS
from treadle.policy.shell.syntax import ShellCommand

_REHEARSES = names("--dry-run --dry --noop")
_REHEARSES_OF = {"goreleaser": names("--snapshot")}
_SWITCHES_OFF = names("false none no off 0")
# Options that take the next word, whatever it looks like.
_NPM_VALUES = names(
    "--tag --otp --registry --access --workspace -w --userconfig --prefix -C --scope --filter -F"
)
_KUBERNETES_VALUES = names(
    "-f --filename -k --kustomize -n --namespace -l --selector --context --kubeconfig --values"
    " --set --version"
)
_TAKES_NEXT = {
    "git": names("-o --push-option --repo --receive-pack --exec -c -C --git-dir --work-tree"),
    **dict.fromkeys(names("npm pnpm yarn bun"), _NPM_VALUES),
    **dict.fromkeys(names("kubectl oc helm"), _KUBERNETES_VALUES),
    "cargo": names(
        "--token --index --registry -p --package -F --features --target --target-dir"
        " --manifest-path --config -Z -j --jobs"
    ),
}
_SCRIPT = GateMatch(
    "gate-script", "By its name, the script reaches beyond this project.", topic="others"
)

_OUTSIDE = GateMatch(
    "gate-recursive-removal",
    "It removes a whole tree outside the project.",
    topic="removal",
)
_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108  named, not used


def find_gate(
    command: ShellCommand, name: str, patterns: tuple[str, ...], *, reachable: bool
) -> Ask | None:
    """The question for this command. `reachable`: databases elsewhere are."""
    place = find_database(command)
    for match in find_command_gates(command, patterns):
        if _concerns(match, command, place, reachable=reachable):
            return _ask(match)
    return _ask(_SCRIPT) if _runs_risky_script(command, name) else None


def find_outside_removal(command: ShellCommand, location: CommandLocation) -> Ask | None:
    """The question before whole trees outside the project are removed, except temporary ones."""
    words = [word.text for word in command.words]
    match words[0].rpartition("/")[2]:
        case "rm":
            named = words[1:] if removes_tree(words) else []
        case "find" if "-delete" in words:
            named = words[1:2]
        case _:
            return None
    trees = (text for text in named if not text.startswith("-"))
    return _ask(_OUTSIDE) if any(_is_outside(text, location) for text in trees) else None


def _is_outside(text: str, location: CommandLocation) -> bool:
    if text.startswith(("~", "$HOME", "${HOME}")):
        return True
    if "$" in text or "`" in text:
        return False
    paths = [absolute(directory, text) for directory in location.directories]
    return any(
        relative_parts(path, location.root) is None and not lies_in(path, _TEMPORARY)
        for path in paths
    )


def _ask(match: GateMatch) -> Ask:
    return Ask(f"A person must agree: {match.reason}", subject="", rule=match.name)


def _concerns(
    match: GateMatch, command: ShellCommand, place: DatabasePlace, *, reachable: bool
) -> bool:
    match match.topic:
        case "settings":
            return True
        case "others":
            return not _rehearses([word.text for word in command.words], match)
        case "database":
            return place == "elsewhere" or (reachable and place == "unknown")
        case "production":
            return reachable
        case "removal":
            return False


def _rehearses(words: list[str], match: GateMatch) -> bool:
    """Whether an option says that nothing is to happen, and none takes it back."""
    # What follows `--` is for the script of a runner, and no option for other programs.
    if "--" in words and match.name != _SCRIPT.name:
        words = words[: words.index("--")]
    name = basename(words[0])
    options = _REHEARSES | _REHEARSES_OF.get(name, frozenset())
    takes_next = _TAKES_NEXT.get(name, frozenset())
    said: list[bool] = []
    for before, word, after in zip(words, words[1:], [*words[2:], ""], strict=False):
        option, sign, value = word.partition("=")
        if option.replace("--no-", "--", 1) not in options or before in takes_next:
            continue
        said.append(option in options and (value if sign else after).lower() not in _SWITCHES_OFF)
    return bool(said) and all(said)


def _runs_risky_script(command: ShellCommand, name: str) -> bool:
    """`./deploy.sh`, `bash scripts/release.sh`: a file of the project, by its name."""
    if name not in SHELLS:
        return "/" in name and _is_risky(name)
    operands = [word.text for word in command.arguments if not word.text.startswith("-")]
    runs_file = bool(operands) and all(word.text != "-c" for word in command.arguments)
    return runs_file and _is_risky(operands[0])


def _is_risky(path: str) -> bool:
    return script_topic(splitext(basename(path))[0]) == "others"
