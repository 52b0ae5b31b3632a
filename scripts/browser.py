#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check that a browser finds the texts of a picture, and shows the values at a point.

usage: browser.py

The browser is Debian's chromium without a screen, in a system of its own. It opens the
picture that is in Documentation.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[1]
SYSTEM = TOP / "scripts/system.sh"
PICTURE = TOP / "Documentation/admin-guide/perf/pcounter-square.svg"
ROOT = TOP / "build/browser"
SECONDS = 120

# A page that shows the picture, searches it, and asks for the titles of points in it.
PAGE = """<!DOCTYPE html>
<iframe src="picture.svg" width="1100" height="300" style="border: 0"></iframe>
<pre></pre>
<script>
onload = () => {
	const view = frames[0], picture = view.document;
	const title = (x, y) =>
		picture.elementFromPoint(x, y).querySelector("title")?.textContent ?? null;
	document.querySelector("pre").textContent = JSON.stringify({
		found: %s.map(text => view.find(text, true, false, true)),
		titles: %s.map(point => title(...point)),
	});
};
</script>
"""
# texts of the picture, and one that is not in it
TEXTS = {"dom=1,sig=0x11": True, "up to the least share of a packet": True,
         "s since the capture began": True, "dom=1,sig=0x13": False}
# c0 in its first and second ms, c1 in the lost ms, c2; and a point beside all
POINTS = {(60, 110): r"0\.000.* s: mean 0\.0 %, .*", (120, 110): r"0\.001.* s: mean 100\.0 %, .*",
          (520, 165): "no data", (700, 230): r"0\.0.* s: mean 25\.0 %, .*", (20, 270): None}


def shown(folder):
    """Return what the browser finds."""
    shutil.copy(PICTURE, folder / "picture.svg")
    (folder / "page.html").write_text(PAGE % (json.dumps(list(TEXTS)), json.dumps(list(POINTS))),
                                      encoding="ascii")
    done = subprocess.run(
        [SYSTEM, "run", "--bind", folder, ROOT, "env", "HOME=/tmp", "chromium", "--headless",
         "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--allow-file-access-from-files", "--virtual-time-budget=10000", "--dump-dom",
         "file:///mnt/page.html"],
        check=False, capture_output=True, text=True, timeout=SECONDS)
    said = re.search(r"<pre>(\{.*\})</pre>", done.stdout)
    if not said:
        sys.exit(f"the browser shows nothing: {done.returncode} {done.stdout}{done.stderr}")
    return json.loads(said[1].replace("&amp;", "&"))


def main():
    if not (ROOT / "usr/bin/chromium").exists():
        shutil.rmtree(ROOT, ignore_errors=True)
        subprocess.run([SYSTEM, "make", ROOT, "chromium", "fonts-dejavu-core"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        seen = shown(pathlib.Path(folder))
    wrong = [f'"{text}" is {"" if found else "not "}found'
             for (text, expected), found in zip(TEXTS.items(), seen["found"]) if found != expected]
    for (point, expected), title in zip(POINTS.items(), seen["titles"]):
        if title is None or expected is None:
            good = title is expected
        else:
            good = re.fullmatch(expected, title)
        if not good:
            wrong.append(f"at {point} there is {title}, not {expected}")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    sys.exit(bool(wrong))


main()
