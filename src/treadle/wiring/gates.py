"""What a run shares with all others on the database: the service it uses and its quota."""

from datetime import timedelta

from treadle.adapters.stores.breakers import StoredBreakers
from treadle.adapters.stores.quota_gate import StoredQuotaGates
from treadle.domain.ids import RunId, short
from treadle.session.gates import Gates, model_service
from treadle.session.quota_gate import fingerprint
from treadle.settings.environment import credentials
from treadle.wiring.clock import SystemClock
from treadle.wiring.telling import Telling


def spread(run: RunId) -> float:
    """Between 0 and 1, the same for a run each time: runs wake one after the other, and a run that
    has waited does not find that it should have waited a little longer."""
    return int(short(run), 16) / 0xFFFF_FFFF


def gates_of(telling: Telling) -> Gates:
    """Asked before every session. A rehearsal has a service of its own and holds up nobody."""
    ready = telling.ready
    rehearsing = ready.presence.rehearsing
    if rehearsing is None:
        service = model_service(ready.environment.raw.get("ANTHROPIC_BASE_URL", ""))
        # Without one in the environment, it is the login of this home.
        secret = next(iter(credentials(ready.environment.raw)), str(ready.environment.home))
    else:
        service, secret = f"scripted model of {ready.request.run}", ready.request.run
    settings = ready.settings
    return Gates(
        breakers=StoredBreakers(telling.database, clean=telling.clean),
        quota=StoredQuotaGates(telling.database, clean=telling.clean),
        run=ready.request.run,
        service=service,
        credential=fingerprint(service, secret),
        now=SystemClock().now,
        jitter=lambda: spread(ready.request.run),
        margin_s=settings.quota.margin_s,
        rest=timedelta(seconds=settings.deliver.breaker_rest_s),
    )
