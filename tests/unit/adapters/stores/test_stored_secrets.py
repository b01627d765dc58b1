"""What runs share on the database is stored without secrets, too."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from tests.unit.policy.secret_samples import GITHUB
from treadle.adapters.stores.approval_store import DatabaseApprovals
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.service_health import DatabaseBreakers, DatabaseQuotaBlocks
from treadle.domain.approval import ApprovalQuestion, make_approval
from treadle.domain.ids import make_run_id
from treadle.domain.service_health import CircuitBreaker, QuotaBlock
from treadle.domain.storage import Storage
from treadle.policy.redaction import make_redactor

NOW = datetime(2026, 5, 4, tzinfo=UTC)
RUN = make_run_id(unix_ms=1_700_000_000_000, random_bits=7)


def test_reasons_and_questions_are_stored_clean(tmp_path: Path) -> None:
    clean = make_redactor([])
    with closing(open_database(Storage(tmp_path))) as database:
        breakers = DatabaseBreakers(database, clean=clean)
        gates = DatabaseQuotaBlocks(database, clean=clean)
        approvals = DatabaseApprovals(database, clean=clean)

        breakers.swap(
            CircuitBreaker("model"), CircuitBreaker("model", failures=1, reason=f"no {GITHUB}")
        )
        gates.block(None, QuotaBlock("account", NOW, f"no {GITHUB}", NOW))
        question = ApprovalQuestion("gate", f"use {GITHUB}?", f"curl {GITHUB}", "hash")
        put = approvals.ask(make_approval(question, run=RUN, step="1: gate", now=NOW))

        gate = gates.read("account")
        assert (breakers.read("model").reason, gate and gate.reason) == ("no ***", "no ***")
        assert (put.question, put.subject, put.subject_hash) == ("use ***?", "curl ***", "hash")
