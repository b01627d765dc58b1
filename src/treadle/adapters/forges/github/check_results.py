"""CI results and logs in GitHub's forms. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from treadle.domain.forge import MAX_LOG_CHARS, CheckLog, CheckState, CiCheck

_ACTIONS = "github-actions"
_JOB_URL = re.compile(r"/job/(\d+)")
_MOST_SUMMARY = 300
_STATES: dict[str, CheckState] = {
    "success": "passed",
    "failure": "failed",
    "timed_out": "failed",
    "startup_failure": "failed",
    "error": "failed",
    "neutral": "skipped",
    "skipped": "skipped",
    "stale": "cancelled",
    "cancelled": "cancelled",
    "action_required": "blocked",
}
_LINE = re.compile(r"\ufeff?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z ?(.*)", re.DOTALL)
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class JobStep:
    """The step of a job that failed first, and when it ran."""

    name: str
    started_at: datetime | None
    completed_at: datetime | None


def read_check_runs(data: Any) -> list[CiCheck]:
    return [_check_run(each) for each in data["check_runs"]]


def _check_run(data: Any) -> CiCheck:
    output = data.get("output") or {}
    url = str(data.get("details_url") or data.get("html_url") or "")
    return CiCheck(
        name=str(data["name"]),
        state=_state(data),
        url=url,
        summary=_one_line(output.get("title") or ""),
        log_id=_log_id(data, url),
    )


def _log_id(data: Any, url: str) -> str:
    if (data.get("app") or {}).get("slug") != _ACTIONS:
        return f"output:{int(data['id'])}"
    job = _JOB_URL.search(url)
    return f"job:{job[1] if job else int(data['id'])}"


def read_run_ids(data: Any) -> list[int]:
    """The runs of workflows."""
    return [int(each["id"]) for each in data["workflow_runs"]]


def read_jobs(data: Any) -> list[CiCheck]:
    return [
        CiCheck(
            name=str(each["name"]),
            state=_state(each),
            url=str(each.get("html_url") or ""),
            log_id=f"job:{int(each['id'])}",
        )
        for each in data["jobs"]
    ]


def _state(data: Any) -> CheckState:
    if data["status"] != "completed":
        return "pending"
    return _STATES.get(str(data.get("conclusion")), "failed")


def read_statuses(data: Any) -> list[CiCheck]:
    """Those of a combined status: the newest of each context."""
    return [
        CiCheck(
            name=str(each["context"]),
            state=_STATES.get(str(each["state"]), "pending"),
            url=str(each.get("target_url") or ""),
            summary=_one_line(each.get("description") or ""),
        )
        for each in data["statuses"]
    ]


def read_failed_step(data: Any) -> JobStep | None:
    steps: Sequence[Any] = data.get("steps") or ()
    for step in steps:
        if _STATES.get(str(step.get("conclusion"))) == "failed":
            return JobStep(
                str(step["name"]),
                _moment(step.get("started_at")),
                _moment(step.get("completed_at")),
            )
    return None


def read_output(data: Any) -> CheckLog:
    """What a service that keeps no log with GitHub has written about its result."""
    output = data.get("output") or {}
    texts = [output.get(name) or "" for name in ("title", "summary", "text")]
    return CheckLog(log_end("\n\n".join(text for text in texts if text)))


def step_log(log: str, step: JobStep | None) -> CheckLog:
    """The lines of the failed step: a job's log has a time on each line, and no names of steps."""
    if step is None:
        return CheckLog(log_end(_without_times(log)))
    lines = []
    inside = False
    for line in _lines(log):
        match = _LINE.fullmatch(line)
        if match is not None and (moment := _time_of_line(match[1])) is not None:
            inside = _is_in_step(moment, step)
        if inside:
            lines.append(match[2] if match else line)
    text = "\n".join(lines) if lines else _without_times(log)
    return CheckLog(log_end(text), step.name)


def _is_in_step(moment: datetime, step: JobStep) -> bool:
    """By whole seconds, as the times of steps are."""
    after = step.started_at is None or moment >= step.started_at
    return after and (step.completed_at is None or moment < step.completed_at + _SECOND)


def _lines(log: str) -> list[str]:
    """At line breaks alone: what else Python takes for one, a program may have written."""
    return log.replace("\r\n", "\n").split("\n")


def _time_of_line(text: str) -> datetime | None:
    """None for what has the form of a time and is none: a program may have written it."""
    try:
        return datetime.fromisoformat(f"{text}+00:00")
    except ValueError:
        return None


def _without_times(log: str) -> str:
    lines = [(_LINE.fullmatch(line), line) for line in _lines(log)]
    return "\n".join(match[2] if match else line for match, line in lines)


def log_end(text: str) -> str:
    """Whole lines of the end, without colours and control characters."""
    plain = _CONTROL.sub("", text.replace("\r\n", "\n")).strip("\n")
    if len(plain) <= MAX_LOG_CHARS:
        return plain
    end = plain[-(MAX_LOG_CHARS - 2) :]
    _, newline, whole = end.partition("\n")
    return f"…\n{whole}" if newline and whole else f"…\n{end}"


def _moment(text: Any) -> datetime | None:
    return datetime.fromisoformat(str(text)) if text else None


def _one_line(text: Any) -> str:
    return " ".join(str(text).split())[:_MOST_SUMMARY]
