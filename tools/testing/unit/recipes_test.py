# SPDX-License-Identifier: GPL-2.0-only
"""Files of the recipes whose programs Debian does not have.

usage: recipes_test.py [-v]
"""

import itertools
import json
import os
import re
import shutil
import subprocess
import tomllib
import unittest

from program_test import PROGRAM, TOP, Machine

EXAMPLES = TOP / "Documentation/examples"
# what Grafana puts in place of these
VARIABLES = {"$__rate_interval": "1m", "$instance": ".*", "$gpu": ".*"}
# of the target, not of the program
SCRAPED = {"instance"}
SELECTOR = re.compile(r"\b(pcounter_\w+)(?:\{([^}]*)\})?")


def dashboard():
    """Return Grafana's dashboard."""
    return json.loads((EXAMPLES / "grafana.json").read_text(encoding="utf-8"))


def queries():
    """Return the queries of all panels, as Grafana sends them."""
    found = []
    for panel in dashboard()["panels"]:
        for target in panel["targets"]:
            text = target["expr"]
            for name, value in VARIABLES.items():
                text = text.replace(name, value)
            found.append(text)
    return found


class Recipes(Machine):
    """The dashboard names what the program writes; files are what they say they are."""

    def exported(self):
        """Return the labels of each metric that the program writes."""
        self.script = ["signal 1 189 0.3"]
        text = self.tool("top", "--openmetrics", "-n", "1", "-i", "100ms", env={"FAKE_CHIP": "G84"})
        return {name: set(re.findall(r'(\w+)="', labels))
                for name, labels in re.findall(r"^(pcounter_\w+)\{(.*)\}", text, re.M)}

    def test_grafana_names_what_is_written(self):
        exported = self.exported()
        variables = [row["query"] for row in dashboard()["templating"]["list"]]
        used = set()
        for query in [*queries(), *variables]:
            for name, selectors in SELECTOR.findall(query):
                self.assertIn(name, exported, query)
                used.add(name)
                for label in re.findall(r"(\w+)=", selectors):
                    self.assertIn(label, exported[name] | SCRAPED, query)
        for panel in dashboard()["panels"]:
            for target in panel["targets"]:
                name = SELECTOR.search(target["expr"])[1]
                for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
                    self.assertIn(label, exported[name], panel["title"])
        self.assertLessEqual({"pcounter_engine_busy_ratio", "pcounter_up"}, used)

    def test_grafana_takes_the_dashboard(self):
        board = dashboard()
        names = {row["name"] for row in board["templating"]["list"]}
        self.assertLessEqual({"title", "uid", "schemaVersion", "time", "panels"}, set(board))
        ids = [panel["id"] for panel in board["panels"]]
        self.assertEqual(len(ids), len(set(ids)))
        for panel in board["panels"]:
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            self.assertEqual(panel["datasource"]["uid"], "${datasource}")
            refs = [target["refId"] for target in panel["targets"]]
            self.assertEqual(len(refs), len(set(refs)))
        for one, two in itertools.combinations([panel["gridPos"] for panel in board["panels"]], 2):
            apart = (one["x"] + one["w"] <= two["x"] or two["x"] + two["w"] <= one["x"] or
                     one["y"] + one["h"] <= two["y"] or two["y"] + two["h"] <= one["y"])
            self.assertTrue(apart, f"{one} and {two}")
        used = set(re.findall(r"\$\{?([a-z]+)", json.dumps(board)))
        self.assertEqual(used, names)

    def test_what_stays_is_told(self):
        """The page takes back what a purge of the package does not, and what all users get."""
        page = (TOP / "Documentation/admin-guide/perf/pcounter-recipes.rst").read_text(encoding="utf-8")
        script = (EXAMPLES / "recipe.sh").read_text(encoding="utf-8")
        self.assertNotRegex(script, "setcap|sysctl|paranoid")
        self.assertIn("\n\tpcounter-rights all\n", script)
        self.assertIn("**every user of the machine**", page)
        self.assertIn("\n  sudo pcounter-rights --undo\n", page)

    def test_telegraf(self):
        config = tomllib.loads((EXAMPLES / "telegraf.conf").read_text(encoding="utf-8"))
        job, = config["inputs"]["exec"]
        self.assertEqual(job, {"commands": ["cat /run/pcounter/pcounter.prom"],
                               "data_format": "prometheus"})

    def bar(self, *command, gpus=2, **env):
        """Return what a command of a recipe prints for one or two GPUs, 30 % and 70 % busy."""
        shutil.rmtree(self.folder / "root", ignore_errors=True)
        (self.folder / "bin").mkdir(exist_ok=True)
        if not (self.folder / "bin/pcounter").exists():
            (self.folder / "bin/pcounter").symlink_to(PROGRAM)
        self.script = ["interrupt 2500", "=gpu_idle 0.7", "=gpu_idle@2 0.3"]
        (self.folder / "script").write_text("\n".join(self.script) + "\n")
        second = {"FAKE_SECOND": "G84"} if gpus == 2 else {}
        env = {**os.environ, **second, **env, "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
               "FAKE_ROOT": f"{self.folder}/root", "FAKE_SCRIPT": f"{self.folder}/script"}
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=env).stdout

    def test_collectd(self):
        """A gauge for each GPU."""
        script = EXAMPLES / "collectd-gpu.sh"
        put = 'PUTVAL "here/pcounter%s/percent-gpu_busy" interval=1 N:%s\n'
        env = {"COLLECTD_INTERVAL": "1.0", "COLLECTD_HOSTNAME": "here"}
        self.assertEqual(self.bar("sh", script, gpus=1, **env), (put % ("", "30.0")) * 3)
        self.assertEqual(self.bar("sh", script, **env),
                         (put % ("-0000:01:00.0", "30.0") + put % ("-0000:02:00.0", "70.0")) * 3)

    def test_mangohud(self):
        """The text names the GPU if there are several."""
        line, = re.findall(r"(?m)^exec=(.*)", (EXAMPLES / "MangoHud.conf").read_text())
        for gpus, want in (1, "30 %"), (2, "0000:01:00.0 30 %  0000:02:00.0 70 %"):
            text = self.bar("pcounter", "top", "--openmetrics", "-n", "1", gpus=gpus)
            (self.folder / "prom").write_text(text)
            self.assertEqual(self.bar("sh", "-c", line.replace("/run/pcounter/pcounter.prom",
                                                               str(self.folder / "prom"))).strip(), want)

    def test_netdata(self):
        """Each GPU has a dimension before it has a value, whenever the service and GPUs appear."""
        prom = self.folder / "prom"
        # in place of a second: nothing yet, one GPU, two, the end
        for number, gpus in enumerate((0, 1, 2), 1):
            text = self.bar("pcounter", "top", "--openmetrics", "-n", "1", gpus=gpus) if gpus else ""
            (self.folder / f"prom{number}").write_text(text)
        sleep = self.folder / "bin/sleep"
        sleep.write_text(f"""#!/bin/sh
            echo >>{self.folder}/seconds
            cp {prom}$(wc -l <{self.folder}/seconds) {prom} 2>/dev/null""")
        sleep.chmod(0o755)
        plugin = (EXAMPLES / "gpu.plugin").read_text(encoding="utf-8")
        lines = self.bar("sh", "-c", plugin.replace("/run/pcounter/pcounter.prom", str(prom)))
        known, values = set(), []
        for command, name, *words in (line.split() for line in lines.splitlines() if " " in line):
            if command == "DIMENSION":
                known.add(name)
            elif command == "BEGIN":
                values.append({})
            elif command == "SET":
                self.assertIn(name, known)
                values[-1][name] = words[-1]
        one, two = "0000:01:00.0", "0000:02:00.0"
        self.assertEqual(values, [{}, {one: "3000"}, {one: "3000", two: "7000"}])

    def test_waybar(self):
        text = (EXAMPLES / "waybar.jsonc").read_text(encoding="utf-8")
        lines = [line for line in text.splitlines() if not line.startswith("//")]
        module = json.loads("{" + "\n".join(lines) + "}")["custom/gpu"]
        self.assertEqual(module["exec"], "pcounter stat -I 1000 --line gpu_busy")


if __name__ == "__main__":
    unittest.main()
