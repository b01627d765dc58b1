"""What a run shares with all others: the health of its service and its quota, from the settings."""

from datetime import timedelta

from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.service_health import DatabaseBreakers, DatabaseQuotaBlocks
from treadle.domain.ids import RunId, short_id
from treadle.session.credential_quota import credential_fingerprint
from treadle.session.session_admission import SessionAdmission, model_service_name
from treadle.wiring.run_context import RunContext


def spread(run: RunId) -> float:
    """Between 0 and 1, the same for a run each time: runs wake one after the other, and a run that
    has waited does not find that it should have waited a little longer."""
    return int(short_id(run), 16) / 0xFFFF_FFFF


def session_admission(context: RunContext) -> SessionAdmission:
    """Asked before every session. A rehearsal or a recording has a service of its own and
    holds up nobody."""
    checked = context.checked
    variables, given = checked.agent_kind.variables, checked.environment.raw
    if checked.host.rehearsing is None and checked.agent_kind.model is not None:
        service = model_service_name(given.get(variables.model_address, ""))
        # Without one in the environment, it is the login in a file, which is known by its place.
        names = (*variables.secrets, *variables.host)
        secrets = (given[name] for name in names if given.get(name))
        secret = next(secrets, str(checked.environment.home))
    else:
        service, secret = f"scripted model of {checked.request.run}", checked.request.run
    settings = checked.settings
    return SessionAdmission(
        breakers=DatabaseBreakers(context.database, clean=context.redact),
        quota=DatabaseQuotaBlocks(context.database, clean=context.redact),
        run=checked.request.run,
        service=service,
        credential=credential_fingerprint(service, secret),
        clock=SystemClock(),
        jitter=lambda: spread(checked.request.run),
        margin_s=settings.quota.margin_s,
        rest=timedelta(seconds=settings.deliver.breaker_rest_s),
    )
