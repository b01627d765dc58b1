"""A process that renews a login as Treadle does, so that a test can kill it:
`python -m tests.identity.renewing_process HOME`."""

import sys
from pathlib import Path

from treadle.adapters.agents.claude.binary import bundled_binary
from treadle.adapters.agents.claude.login_renewal import LoginRenewer
from treadle.adapters.agents.claude.subscription_file import SubscriptionFile, credentials_file
from treadle.settings.environment import process_environment

if __name__ == "__main__":
    home = Path(sys.argv[1])
    renewer = LoginRenewer(bundled_binary, home, process_environment())
    renewer.renew(SubscriptionFile(credentials_file({}, home)), "expiring")
