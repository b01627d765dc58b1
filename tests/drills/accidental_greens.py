"""Work whose check says nothing before it: the check is green afterwards, and proves nothing."""

from dataclasses import replace

from tests.drills.trick import BaseProject, Trick

_CHECK_SH = "test -s app.txt\n"
_BASE = BaseProject({"check.sh": _CHECK_SH}, "sh check.sh")
_WORK = {"app.txt": "42\n"}
_BRIEF = {"verify.check_minutes": "0.03"}
# A setup that installs what a manifest lists, as from an index.
_SETUP_SH = """\
mkdir -p .venv/bin
while read name; do
  printf '#!/bin/sh\\nexit 0\\n' > ".venv/bin/$name"
  chmod +x ".venv/bin/$name"
done < requirements.txt
"""
_TOOLS = BaseProject(
    {"setup.sh": _SETUP_SH, "requirements.txt": "", ".gitignore": ".venv/\n"},
    ".venv/bin/judge app.txt",
    setup="sh setup.sh",
)


def _accident(name: str, base: BaseProject, files: dict[str, str], why: str) -> Trick:
    return Trick(name, base, files, grade="claimed", why=why, reason="unproven")


ACCIDENTAL_GREENS = (
    _accident(
        "a check that hangs before the work",
        replace(_BASE, files={"check.sh": "test -s app.txt || sleep 600\n"}, settings=_BRIEF),
        _WORK,
        "it could not be run before the work: it ran out of time",
    ),
    _accident(
        "a check that is killed before the work",
        replace(_BASE, files={"check.sh": "test -s app.txt || kill -9 $$\n"}),
        _WORK,
        "it could not be run before the work: it was ended by signal 9 (exit code 137)",
    ),
    _accident(
        "a check whose tool is installed by the work",
        _TOOLS,
        {**_WORK, "requirements.txt": "judge\n"},
        "it could not be run before the work: .venv/bin/judge was not found (exit code 127)",
    ),
    _accident(
        "a script whose tool is installed by the work",
        replace(
            _TOOLS,
            files={**_TOOLS.files, "check.sh": 'PATH="$PWD/.venv/bin:$PATH"\njudge app.txt\n'},
            check="sh check.sh",
        ),
        {**_WORK, "requirements.txt": "judge\n"},
        "it could not be run before the work: judge was not found (exit code 127)",
    ),
)
