"""What came out of a push, by what git printed."""

import pytest

from treadle.workspace.push_outcome import (
    AlreadyPushed,
    Pushed,
    PushNotPermitted,
    PushOutcome,
    PushRefused,
    RemoteMoved,
    RemoteUnreachable,
    read_outcome,
)

TO = "To https://github.com/ada/engine.git\n"
REF = "c0ffee:refs/heads/b"


@pytest.mark.parametrize(
    ("code", "output", "stderr", "outcome"),
    [
        (0, f"{TO}*\t{REF}\t[new branch]\nDone\n", "", Pushed("c0ffee")),
        (0, f"{TO} \t{REF}\t1..2\nDone\n", "", Pushed("c0ffee")),
        (0, f"{TO}=\t{REF}\t[up to date]\nDone\n", "", AlreadyPushed("c0ffee")),
        (
            1,
            f"{TO}!\t{REF}\t[rejected] (fetch first)\nDone\n",
            "error: failed to push",
            RemoteMoved("[rejected] (fetch first)"),
        ),
        (
            1,
            f"{TO}!\t{REF}\t[rejected] (non-fast-forward)\nDone\n",
            "",
            RemoteMoved("[rejected] (non-fast-forward)"),
        ),
        (
            1,
            f"{TO}!\t{REF}\t[remote rejected] (protected branch hook declined)\nDone\n",
            "remote: GH006: Protected branch\nremote: ask ada\n",
            PushRefused(
                "[remote rejected] (protected branch hook declined) GH006: Protected branch ask ada"
            ),
        ),
        (
            1,
            f"{TO}!\t{REF}\t[remote failure] (remote failed to report status)\n",
            "",
            RemoteUnreachable("[remote failure] (remote failed to report status)"),
        ),
        (
            128,
            "",
            "fatal: Authentication failed for 'https://ada:secret@github.com/ada/engine.git/'",
            PushNotPermitted(
                "fatal: Authentication failed for 'https://github.com/ada/engine.git/'"
            ),
        ),
        (
            128,
            "",
            "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote",
            PushNotPermitted("fatal: Could not read from remote"),
        ),
        (
            128,
            "",
            "ERROR: Repository not found.\nfatal: Could not read from remote repository.",
            PushNotPermitted(
                "ERROR: Repository not found.; fatal: Could not read from remote repository."
            ),
        ),
        (
            128,
            "",
            "fatal: unable to access 'https://x/': The requested URL returned error: 403",
            PushNotPermitted(
                "fatal: unable to access 'https://x/': The requested URL returned error: 403"
            ),
        ),
        (
            128,
            "",
            "fatal: unable to access 'https://x/': Could not resolve host: x",
            RemoteUnreachable("fatal: unable to access 'https://x/': Could not resolve host: x"),
        ),
        (
            128,
            "",
            "fatal: unable to access 'https://x/': The requested URL returned error: 503",
            RemoteUnreachable(
                "fatal: unable to access 'https://x/': The requested URL returned error: 503"
            ),
        ),
        (
            128,
            "",
            "Host key verification failed.",
            RemoteUnreachable("Host key verification failed."),
        ),
        (1, "", "", RemoteUnreachable("git push ended with exit code 1")),
    ],
)
def test_what_git_prints_is_what_came_out(
    code: int, output: str, stderr: str, outcome: PushOutcome
) -> None:
    assert read_outcome(code, output, stderr, "c0ffee") == outcome
