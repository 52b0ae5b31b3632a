# SPDX-License-Identifier: GPL-2.0-only
"""Memory leaks, where the kernel can detect them."""

import time

from support import KMEMLEAK, case, insmod, loaded, rmmod, same

ABOUT = "memory"

# younger objects are not reported
YOUNG_SECONDS = 6


@case("leaks: none, after all that, without the module", lambda lab: KMEMLEAK.exists())
def leaks(lab):
    if loaded():
        rmmod()
    time.sleep(YOUNG_SECONDS)
    # a leak found only once may be temporary
    for _ in range(2):
        KMEMLEAK.write_text("scan", encoding="ascii")
    try:
        same(KMEMLEAK.read_text(encoding="ascii"), "", "leaks")
    finally:
        insmod(lab.module)
