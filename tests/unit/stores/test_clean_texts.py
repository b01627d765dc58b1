"""What runs share on the database is stored without secrets, too."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from tests.unit.policy.secret_samples import GITHUB
from treadle.adapters.stores.approvals import Approvals
from treadle.adapters.stores.breakers import StoredBreakers
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.quota_gate import StoredQuotaGates
from treadle.domain.approval import Question, asked
from treadle.domain.gates import Breaker, QuotaGate
from treadle.domain.ids import run_id
from treadle.domain.storage import Storage
from treadle.policy.redaction import redactor

NOW = datetime(2026, 5, 4, tzinfo=UTC)
RUN = run_id(unix_ms=1_700_000_000_000, random_bits=7)


def test_reasons_and_questions_are_stored_clean(tmp_path: Path) -> None:
    clean = redactor([])
    with closing(open_database(Storage(tmp_path))) as database:
        breakers = StoredBreakers(database, clean=clean)
        gates = StoredQuotaGates(database, clean=clean)
        desk = Approvals(database, clean=clean)

        breakers.swap(Breaker("model"), Breaker("model", failures=1, reason=f"no {GITHUB}"))
        gates.close(None, QuotaGate("account", NOW, f"no {GITHUB}", NOW))
        question = Question("gate", f"use {GITHUB}?", f"curl {GITHUB}", "hash")
        put = desk.ask(asked(question, run=RUN, step="1: gate", now=NOW))

        gate = gates.read("account")
        assert (breakers.read("model").reason, gate and gate.reason) == ("no ***", "no ***")
        assert (put.question, put.subject, put.subject_hash) == ("use ***?", "curl ***", "hash")
