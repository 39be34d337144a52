"""What is the same in every test that ends an ingesting process while somebody reads.

`RAGSTONE_TEST_KILLS` is the number of kills at random moments in each of these tests [default: 4]; `make kills` asks
for hundreds.
"""

import os
import subprocess
import time
from collections.abc import Callable

from tests.forked import Forked

KILLS = int(os.environ.get("RAGSTONE_TEST_KILLS", "4"))


def killed_while_read(child: "subprocess.Popen[str] | Forked", look: Callable[[], int], *, seconds: float) -> int:
    """Look at a store again and again, then kill the process that writes; what is seen never goes back.

    `look` checks that everything is whole and says how far it is; returns the most that was seen.
    """
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    end, most = time.monotonic() + seconds, look()
    while time.monotonic() < end and child.poll() is None:
        now = look()
        assert now >= most
        most = now
    child.kill()
    child.communicate()
    return most
