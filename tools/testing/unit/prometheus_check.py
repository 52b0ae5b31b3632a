# SPDX-License-Identifier: GPL-2.0-only
"""Let Debian's prometheus and node_exporter read the output of "pcounter top".

usage: prometheus_check.py [-v]

It needs the packages prometheus and prometheus-node-exporter, takes half a
minute, and is not part of "make check".
"""

import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from program_test import A, Machine
from recipes_test import queries

SIGNAL = 'signal="dom=1,sig=0x10"'
PATIENCE = 120


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as spare:
        return spare.getsockname()[1]


class Prometheus(Machine):
    """Samples arrive, shares are right, and a GPU that leaves goes stale."""

    def setUp(self):
        super().setUp()
        self.script = ["signal 1 16 0.25", "real 1"]
        self.web = free_port()

    @contextlib.contextmanager
    def prometheus(self, job, port):
        config = self.folder / "prometheus.yml"
        config.write_text(f"global: {{scrape_interval: 1s}}\n"
                          f"scrape_configs: [{{job_name: {job}, static_configs: "
                          f"[{{targets: ['127.0.0.1:{port}']}}]}}]\n", encoding="ascii")
        with self.process("prometheus", f"--config.file={config}",
                          f"--storage.tsdb.path={self.folder}/data",
                          f"--web.listen-address=127.0.0.1:{self.web}"):
            yield

    @contextlib.contextmanager
    def process(self, *args):
        with subprocess.Popen(args, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as program:
            try:
                yield
            finally:
                program.terminate()

    def query(self, text):
        url = f"http://127.0.0.1:{self.web}/api/v1/query?" + urllib.parse.urlencode({"query": text})
        try:
            with urllib.request.urlopen(url, timeout=20) as answer:
                result = json.load(answer)["data"]["result"]
        except (OSError, urllib.error.HTTPError):
            return None
        return [float(each["value"][1]) for each in result]

    def wait_for(self, text, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition(self.query(text)):
            self.assertLess(time.monotonic(), deadline, f"{text}: {self.query(text)}")
            time.sleep(0.2)

    def check_all(self):
        self.wait_for("pcounter_up", lambda got: got == [1])
        self.wait_for(f"rate(pcounter_signal_clocks_total{{{SIGNAL}}}[10s]) / "
                      f"rate(pcounter_signal_observed_clocks_total{{{SIGNAL}}}[10s])",
                      lambda got: got and abs(got[0] - 0.25) < 0.001)
        self.assertEqual(len(self.query("pcounter_domain_clock_hertz")), 8)
        for what in ("scrape_samples_scraped", "scrape_duration_seconds"):
            print(f"# {what}: {self.query(what)}")
        shutil.rmtree(self.folder / "root/sys/bus/pci/devices/0000:01:00.0")
        self.wait_for("pcounter_up", lambda got: got == [0])
        self.wait_for("pcounter_domain_clock_hertz", lambda got: got == [])

    def test_textfile(self):
        port = free_port()
        folder = pathlib.Path(self.folder) / "textfiles"
        folder.mkdir()
        with self.started("top", "--openmetrics", "-o", str(folder / "pcounter.prom"), "-i",
                          "500ms", "-e", A), \
                self.process("prometheus-node-exporter", "--collector.disable-defaults",
                             "--collector.textfile", f"--collector.textfile.directory={folder}",
                             f"--web.listen-address=127.0.0.1:{port}"), \
                self.prometheus("node", port):
            self.wait_for("node_textfile_scrape_error", lambda got: got == [0])
            with open(folder / "pcounter.prom", "rb") as file:
                done = subprocess.run(["promtool", "check", "metrics"], check=False, stdin=file,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual((done.returncode, done.stdout), (0, b""))
            for query in queries():
                self.wait_for(query, lambda got: got)
            self.check_all()


if __name__ == "__main__":
    unittest.main()
