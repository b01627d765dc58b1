"""Commands that run without root, so that permissions count."""

import os
import shutil


def without_the_rights_of_root() -> list[str]:
    """Root reads everything by a capability that a command can be started without."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    assert setpriv is not None, "setpriv of util-linux is needed to test this as root"
    return [setpriv, "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-all"]
