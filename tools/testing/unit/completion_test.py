# SPDX-License-Identifier: GPL-2.0-only
"""Completion of the program's command line by real shells, on the machine of program_test.py."""

import os
import pty
import re
import select
import subprocess
import unittest

from program_test import PROGRAM, TOP, Machine

COMPLETION = TOP / "tools/pcounter/completion"
FISH = TOP / "tools/pcounter/completion.fish"

# Lines, and their rest: a Tab adds it. "": there is no such word.
LINES = {
    "expl": "ain", "rep": "ort", "sel": "ftest", "doc": "tor", "mar": "k", "--ver": "sion",
    "top --op": "enmetrics", "stat --rep": "eat", "record --mm": "ap-pages",
    "report --tr": "ace", "scan --tol": "erance",
    "top -e shader_b": "usy", "top --event pgraph_idl": "e",
    "record -e pgraph_idle,shader_b": "usy",
    "stat -M gpu_busy,triangles_p": "er_second", "stat -M setup_tri": "angle_count", "stat -M pea": "k",
    "explain setup_tri": "angle_count",
    "stat -M pgraph_idl": "", "top -e triangles_p": "", "record --ti": "me",
}


class Shells(Machine):
    """A Tab prints words of the program, and nothing else."""

    BASH = """. ./completion; PS1=; bind 'set bell-style none'; stty -echo
bind -x '"\\C-x": printf "<%s>\\n" "$READLINE_LINE"; READLINE_LINE='; bind '"\\C-t": complete'
printf 're%s\\n' ady
"""
    # A key completes the line, prints it and clears it.
    ZSH = """autoload -Uz compinit; fpath=($PWD $fpath); compinit -D -u
show() { print -r -- "<$BUFFER>"; BUFFER= }
zle -N show; bindkey '^T' complete-word; bindkey '^X' show; PS1=
unsetopt beep prompt_sp; stty -echo; print re''ady
"""

    def setUp(self):
        super().setUp()
        self.tool("list")       # make the fake machine's files
        (self.folder / "pcounter").symlink_to(PROGRAM)
        for name in ("completion", "_pcounter"):
            (self.folder / name).symlink_to(COMPLETION)
        self.env = {"PATH": f"{self.folder}:{os.environ['PATH']}", "TERM": "dumb",
                    "HOME": str(self.folder), "FAKE_ROOT": f"{self.folder}/root",
                    "FAKE_SCRIPT": f"{self.folder}/script"}

    def read_until(self, fd, pattern):
        out, found = b"", None
        while not found:
            self.assertTrue(select.select([fd], [], [], 120)[0], out)
            out += os.read(fd, 65536)
            found = re.search(pattern, out)
        return out[:found.start()], found

    def on_terminal(self, shell, begin, lines):
        """Yield what a shell on a terminal prints for each line, and the line afterwards."""
        (self.folder / "rc").write_text(begin, encoding="ascii")
        pid, fd = pty.fork()
        if not pid:
            os.chdir(self.folder)
            os.execvpe(shell[0], shell, self.env)
        try:
            os.write(fd, b". ./rc\n")
            self.read_until(fd, rb"\nready")
            for line in lines:
                os.write(fd, line.encode() + b"\x14\x18")
                printed, found = self.read_until(fd, rb"<([^<>]*)>\r?\n")
                yield printed.decode(), found[1].decode().rstrip()
        finally:
            os.close(fd)
            os.waitpid(pid, 0)

    def check_terminal(self, shell, begin):
        want = {f"pcounter {line}": f"pcounter {line}{rest}" for line, rest in LINES.items()}
        for line, (printed, after) in zip(want, self.on_terminal(shell, begin, want)):
            self.assertEqual(after, want[line])
            # the terminal shows parts of the line, and nothing else
            for part in re.split(r"[\r\n\b\x07]+", re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", printed)):
                self.assertIn(part.strip(), want[line])

    def test_bash(self):
        self.check_terminal(["bash", "--norc", "--noprofile", "-i"], self.BASH)

    def test_zsh(self):
        self.check_terminal(["zsh", "-f", "-i"], self.ZSH)

    def test_fish(self):
        """fish prints the words that it would offer, each with a Tab and its description."""
        vendor = self.folder / "share/fish/vendor_completions.d"
        bash = self.folder / "share/bash-completion/completions"
        vendor.mkdir(parents=True)
        bash.mkdir(parents=True)
        (vendor / "pcounter.fish").write_bytes(FISH.read_bytes())
        (bash / "pcounter").symlink_to(COMPLETION)
        for line, rest in LINES.items():
            done = subprocess.run(
                ["fish", "--no-config", "-c", f"set fish_complete_path {vendor}; "
                 f"complete -C 'pcounter {line}'"], check=True, text=True, cwd=self.folder,
                env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            words = [word.split("\t")[0] for word in done.stdout.splitlines()]
            self.assertEqual((words, done.stderr),
                             ([line.split()[-1] + rest] if rest else [], ""), line)


if __name__ == "__main__":
    unittest.main()
