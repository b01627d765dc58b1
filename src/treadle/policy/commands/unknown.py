"""What to do in place of commands that no rule knows, and which none may ever allow."""

NOT_KNOWN = (
    "No rule knows it. Use the tools of the project's languages, or the Read, Edit and Grep tools; "
    "a person can add it to allow_commands."
)

# What starts other commands unseen, or rises above the sandbox: no setting opens these.
NEVER = frozenset(
    "sudo su doas bash sh dash zsh ksh fish csh tcsh eval exec source . builtin command env xargs"
    " chroot nsenter unshare bwrap setpriv busybox toybox trap alias enable".split()
)

_SHELL = "Write the commands themselves; they are judged one by one."
_EDITOR = "Use the Edit or Write tool."
_PAGER = "Print with cat, head or tail."
_NETWORK = "The network is not for commands. Use what is in the project, or report what is missing."
_WRAPPER = "Run the inner command by itself."
_OTHER = "Leave the machine as it is, and report what is missing."

INSTEAD: dict[str, str] = {
    **dict.fromkeys("bash sh dash zsh ksh fish csh tcsh eval source . exec builtin".split(), _SHELL),
    **dict.fromkeys("vi vim nano emacs ed ex code subl".split(), _EDITOR),
    **dict.fromkeys("less more most man info view".split(), _PAGER),
    **dict.fromkeys("wget nc ncat telnet ssh scp sftp ftp rsync ping dig nslookup host".split(), _NETWORK),
    **dict.fromkeys("xargs watch script ionice setsid stdbuf flock parallel at batch".split(), _WRAPPER),
    **dict.fromkeys("sudo su doas apt apt-get brew yum dnf apk systemctl service crontab".split(), _OTHER),
    "printenv": "Variables are not printed: they may be secrets.",
    "history": "It may hold secrets. `git log` tells what was done.",
    "unlink": "Leave the file, and say in your report what to remove.",
    "truncate": "Write the file anew with the Write tool.",
    "killall": "End a server of yours by name: pkill vite.",
    "yes": "Give the program its own option for that, such as --yes.",
    "perl": "Use sed or awk, or a script in one of the project's languages.",
    "gh": "Commit your work; a person publishes it.",
}
