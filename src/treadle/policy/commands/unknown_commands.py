"""Advice for commands without a rule, and the commands that no setting may allow."""

from treadle.policy.commands.rule_syntax import names

NOT_KNOWN = (
    "No rule knows it. Use the tools of the project's languages, or the Read, Edit and Grep tools; "
    "a person can add it to allow_commands."
)

# Tools of projects that remove files, as `rm` does.
REMOVES = names("rimraf del-cli trash shx")
# Commands that start others unchecked or leave the sandbox: no setting allows these.
NEVER = names(
    "sudo su doas bash sh dash zsh ksh fish csh tcsh eval exec source . builtin command env xargs"
    " chroot nsenter unshare bwrap setpriv busybox toybox trap alias enable"
)

_SHELL = "Write the commands themselves; they are judged one by one."
_EDITOR = "Use the Edit or Write tool."
_PAGER = "Print with cat, head or tail."
_NETWORK = "The network is not for commands. Use what is in the project, or report what is missing."
_WRAPPER = "Run the inner command by itself."
_OTHER = "Leave the machine as it is, and report what is missing."

INSTEAD: dict[str, str] = {
    **dict.fromkeys(names("bash sh dash zsh ksh fish csh tcsh eval exec builtin"), _SHELL),
    **dict.fromkeys(names("vi vim nano emacs ed ex code subl"), _EDITOR),
    **dict.fromkeys(names("less more most man info view"), _PAGER),
    **dict.fromkeys(
        names("wget ncat telnet ssh scp sftp ftp rsync ping dig nslookup host"), _NETWORK
    ),
    **dict.fromkeys(names("watch script ionice setsid stdbuf flock parallel at batch"), _WRAPPER),
    **dict.fromkeys(
        names("sudo su doas apt apt-get brew yum dnf apk systemctl service crontab"), _OTHER
    ),
    "printenv": "Variables are not printed: they may be secrets.",
    "history": "It may hold secrets. `git log` tells what was done.",
    "unlink": "Leave the file, and say in your report what to remove.",
    "truncate": "Write the whole file with the Write tool.",
    "killall": "End a server of yours by name: pkill vite.",
    "yes": "Give the program its own option for that, such as --yes.",
    **dict.fromkeys(REMOVES, "Leave the file, and say in your report what to remove."),
    "irb": "Give the code: ruby -e '…'.",
    "gh": "Commit your work; a person publishes it.",
}
