"""What exit-codes.md says beyond the tables of the code."""

COMMAND_NOTES = """\
| command | exits with |
| --- | --- |
| `treadle doctor` | 1 if something needs a fix |
| `treadle verify` | 1 if any evidence differs |
| `treadle land` | 3 if it changed nothing |
| `treadle policy check` | 0 for allow, 1 for deny, 3 for ask |
| `treadle attach` | the code of the run; 1 if it lost its process; 0 after Ctrl-C |
| with `--detach` | 0 once the run is queued; 4 without a login; 7 if the sandbox does not work |"""

REASONS_HEAD = """\
Why a run ended, as in the summary, the event `run.ended` and `treadle ls`."""

REASONS_FOOT = """\
A *lost* run has no reason, because its process is gone. `treadle resume` continues it.

Committed work is on the run's branch, whatever the reason."""

WHAT_TO_DO = {
    "all_passed": (
        "read the changed tests and checks, then `treadle diff`. If the work did not land: "
        "`treadle land`"
    ),
    "approved": "read `treadle diff`, and what is left in `.treadle/backlog`",
    "synced": "see the deliverables with `treadle status`",
    "queue_done": "add an item to `.treadle/backlog`; without `--once` the run waits for one",
    "planned": "read what landed, then start `treadle watch` or `treadle deliver`",
    "audited": "settle the findings with `treadle discuss`",
    "error": "fix what the message names, then `treadle resume`",
    "all_blocked": (
        "read `.treadle-notes.md`, provide what is missing, then `treadle retry`: it sets "
        "blocked deliverables back to pending"
    ),
    "spec_issue": (
        "read the file in `.treadle/spec-issues`, settle it in the specifications, `treadle land` "
        "or `treadle drop`, and start a new run"
    ),
    "plan_denied": (
        "start again with other words; next time, `treadle reply` asks for a changed plan"
    ),
    "tests_failed": (
        "the summary names the tests; `treadle retry` tries again "
        "([test gate](../concepts/checks-and-tests.md#the-test-gate))"
    ),
    "unproven": (
        "the summary shows what is below [`verify.require`](../concepts/verification.md). Look at "
        "`treadle diff`; then `treadle land`, `treadle check accept`, or a new run"
    ),
    "authentication": "set `ANTHROPIC_API_KEY` or log in to Claude Code, then `treadle resume`",
    "budget_exceeded": (
        "`treadle resume --max-cost USD`. If the day's money is spent: wait for midnight, or raise "
        "`limits.day_cost_usd`"
    ),
    "time_exceeded": "`treadle resume --max-minutes N`",
    "max_iterations": (
        "`treadle resume --max-iterations N`. If `focus` has a blocker left after its last review: "
        "`treadle resume` plans once more"
    ),
    "service_unavailable": (
        "`treadle resume` once the service answers. To wait longer, raise `limits.outage_hours`"
    ),
    "max_retries_exceeded": "`treadle logs` shows what failed; then `treadle retry`",
    "stuck": (
        "the message has the [facts](../concepts/limits.md#stuck). Change the specification or the "
        "criteria, then `treadle retry`"
    ),
    "hung": (
        "`treadle logs` shows where sessions [hung](../concepts/limits.md#hung); then "
        "`treadle retry`"
    ),
    "items_left": (
        "read the `.failed.txt` beside each item, then change the item, or remove that file to try "
        "it again"
    ),
    "quota_exceeded": (
        "wait for the reset and `treadle resume`, or `treadle resume --wait-for-quota`"
    ),
    "setup_failed": (
        "correct `project.setup` or `project.test` in treadle.toml, try it with "
        "`treadle doctor --setup`, then `treadle resume`. After other changes start a new run"
    ),
    "sandbox_error": "`treadle doctor` shows the fix; then `treadle resume`",
    "unguarded_tool": "read `treadle logs` before you trust the agent's work",
    "interrupted": "`treadle resume`",
    "cancelled": "`treadle resume`",
}
