"""Git directories of an agent that describe another history than the one they hand out.

Each function takes the agent's clone, in which one commit has a secret and the next one takes it
out again, and lets git in that clone see no commit with the secret.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from .real_git import Repository

_HASH = 20

Lie: TypeAlias = Callable[[Repository], None]


def graft_away(agent: Repository) -> None:
    """The last commit has the one before the secret as its parent."""
    tip, before = agent.git("rev-parse", "HEAD", "HEAD~2").splitlines()
    (agent.git_dir / "info/grafts").write_text(f"{tip} {before}\n")


def replace_commit(agent: Repository) -> None:
    """The commit with the secret is replaced by one with the files of the last one."""
    other = agent.git("commit-tree", "HEAD^{tree}", "-p", "HEAD~2", "-m", "Other")
    agent.git("replace", "HEAD~1", other)


def replace_tree(agent: Repository) -> None:
    agent.git("replace", "HEAD~1^{tree}", "HEAD^{tree}")


def replace_blob(agent: Repository) -> None:
    agent.git("replace", "HEAD~1:data", "HEAD:good")


def make_shallow(agent: Repository) -> None:
    """The history begins at the last commit."""
    (agent.git_dir / "shallow").write_text(agent.git("rev-parse", "HEAD") + "\n")


def lie_in_commit_graph(agent: Repository) -> None:
    """The graph of all commits gives the one with the secret the files of the last one."""
    agent.git("commit-graph", "write", "--reachable")
    _lie_in_graph(agent, agent.git_dir / "objects/info/commit-graph")


def lie_in_split_commit_graph(agent: Repository) -> None:
    agent.git("commit-graph", "write", "--reachable", "--split")
    folder = agent.git_dir / "objects/info/commit-graphs"
    [graph] = folder.glob("*.graph")
    name = _lie_in_graph(agent, graph)
    graph.rename(folder / f"graph-{name}.graph")
    (folder / "commit-graph-chain").chmod(0o644)
    (folder / "commit-graph-chain").write_text(f"{name}\n")


def _lie_in_graph(agent: Repository, graph: Path) -> str:
    """Give the commit with the secret another tree; returns the new checksum."""
    content = graph.read_bytes()
    secret, harmless = agent.git("rev-parse", "HEAD~1^{tree}", "HEAD^{tree}").splitlines()
    assert bytes.fromhex(secret) in content
    lying = content[:-_HASH].replace(bytes.fromhex(secret), bytes.fromhex(harmless))
    checksum = hashlib.sha1(lying, usedforsecurity=False)
    graph.chmod(0o644)
    graph.write_bytes(lying + checksum.digest())
    return checksum.hexdigest()


LIES: dict[str, Lie] = {
    "a graft": graft_away,
    "a replaced commit": replace_commit,
    "a replaced tree": replace_tree,
    "a replaced file": replace_blob,
    "a shallow history": make_shallow,
    "a commit graph": lie_in_commit_graph,
    "a commit graph in parts": lie_in_split_commit_graph,
}
