"""What exit-codes.md says beyond the tables of the code."""

COMMAND_NOTES = """\
`treadle doctor` exits with 1 when it found something that must be put right, `treadle verify`
when any evidence does not agree with what is found now. `treadle land` exits with 3 when it
touched nothing. `treadle policy check` exits with 0 for a command that may run, with 1 for one
that may not, and with 3 for one before which a person is asked. `treadle attach` exits with the
code of the run it watched, with 1 if that run lost its process, and with 0 if you left it by
Ctrl-C. A command that detaches exits with 0 once the run is queued. Where the sandbox does not
hold, it queues none and exits with 7."""

REASONS_HEAD = """\
Why a run of `deliver`, `focus` or `sync` ended: in the summary, in the event `run.ended` and
in `treadle ls`. Where several hold, the [first of the table](../concepts/deliver.md#the-end)
counts."""

REASONS_FOOT = """\
A run that is *lost* has no reason: its process is gone without a word. `treadle resume` goes on
with it.

Work that was committed before the end is on the run's branch, whatever the reason."""

WHAT_TO_DO = {
    "all_passed": (
        "read what judges the work and was changed, then the diff; the summary says which "
        "passes are proven and which claimed. If the work did not land: `treadle land`"
    ),
    "approved": "read the diff, and what is left in `.treadle/backlog`",
    "synced": "see with `treadle status` how the deliverables stand now",
    "error": "the message says what to put right; then `treadle resume`",
    "all_blocked": (
        "read `.treadle-notes.md` for what is missing, provide it, then `treadle retry`: it "
        "sets what is blocked back to pending"
    ),
    "spec_issue": (
        "read the file in `.treadle/spec-issues`, settle it in the specifications, bring the "
        "work in with `treadle land` or delete its branch, and start a new run"
    ),
    "plan_denied": (
        "the answer says why; start again with other words, or answer the next plan with "
        "`treadle reply` to have it changed"
    ),
    "tests_failed": (
        "the [test gate](../concepts/checks-and-tests.md#the-test-gate) objects; of `deliver`, "
        "nobody accepted that within a day, of `focus`, the last review has been. The summary "
        "names the tests; `treadle retry` tries again to mend them"
    ),
    "unproven": (
        "the summary says what is below [`verify.require`](../concepts/verification.md) and why. "
        "Look at `treadle diff`; take the work with `treadle land`, accept an agent's check with "
        "`treadle check accept`, or start a new run"
    ),
    "authentication": (
        "set `ANTHROPIC_API_KEY`, or run Claude Code once by hand and log in; then `treadle resume`"
    ),
    "budget_exceeded": (
        "look at the diff; `treadle resume --max-cost USD`, or make the specification smaller. "
        "For the day's money: wait for midnight, or raise `limits.day_cost_usd`"
    ),
    "time_exceeded": "`treadle resume --max-minutes N`",
    "max_iterations": (
        "`treadle resume --max-iterations N`; of `focus` also: a blocker is left after the last "
        "review (`focus.max_reviews`), and `treadle resume` plans once more"
    ),
    "service_unavailable": (
        "the message has the last failure and `treadle show` the address; once it answers again, "
        "`treadle resume`. To wait longer, raise `limits.outage_hours`"
    ),
    "max_retries_exceeded": (
        "the message says what failed last; `treadle logs` shows it. Then `treadle retry`"
    ),
    "stuck": (
        "the message says by which [facts](../concepts/limits.md#stuck); see what it kept "
        "trying, change the specification or the criteria, then `treadle retry`"
    ),
    "hung": (
        "see with `treadle logs` where sessions [hung](../concepts/limits.md#hung), then "
        "`treadle retry`"
    ),
    "quota_exceeded": (
        "wait for the reset that is shown and `treadle resume`, or `treadle resume "
        "--wait-for-quota`"
    ),
    "setup_failed": (
        "the message has the lines that name the cause; correct `project.setup` or "
        "`project.test` in treadle.toml, try it with `treadle doctor --setup`, then "
        "`treadle resume`. After a change of other files start a new run"
    ),
    "sandbox_error": (
        "nothing ran outside the sandbox; `treadle doctor` tries it out and names the remedy, "
        "then `treadle resume`"
    ),
    "unguarded_tool": "do not trust what the agent did before you have read `treadle logs`",
    "interrupted": "`treadle resume`",
    "cancelled": "`treadle resume` goes on after all",
}
