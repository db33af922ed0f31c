#!/usr/bin/env python3
"""Makes docs/report.png and docs/terminal.png from a built kata. Needs chromium.

    docs/make_pictures.py
"""

import fcntl
import html
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import tempfile
import termios

ROOT = pathlib.Path(__file__).resolve().parents[1]
KATA = ROOT / "build/kata"
ROWS, COLUMNS = 24, 80
COLORS = {"31": "#f85149", "32": "#3fb950", "33": "#d29922", "34": "#58a6ff", "35": "#bc8cff",
          "36": "#39c5cf", "90": "#8b949e"}
PAGE = """<meta charset="utf-8"><style>
body {{ margin: 0; background: #0d1117; color: #e6edf3; }}
pre {{ margin: 16px; font: 15px/1.3 "DejaVu Sans Mono", monospace; }}
</style><pre>{}</pre>"""

# A relu whose author forgot the bounds check.
WRONG = """#include <kata/kata.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = fmaxf(x[i], 0.0f);
}

extern "C" void relu(const float* x, float* y, int n) {
  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
"""


def tree(folder):
    """A clone as a person has it, whose exercises may be written: the paths on the picture are short."""
    (folder / "harness").mkdir(parents=True)
    for entry in (ROOT / "harness").iterdir():
        if entry.name != "kata":
            (folder / "harness" / entry.name).symlink_to(entry)
    shutil.copy(ROOT / "harness/kata", folder / "harness/kata")
    for name in ("exercises", "solutions"):
        shutil.copytree(ROOT / name, folder / name)


def environment(folder):
    return {**os.environ, "KATA_ROOT": str(folder), "KATA_HOME": str(folder / "home"),
            "TERM": "xterm-256color"}


def in_terminal(arguments, folder):
    """What kata prints in a terminal of 80x24, behind the command as a person types it."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve(KATA, ["kata", *arguments], environment(folder))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    output = b""
    try:
        while chunk := os.read(terminal, 65536):
            output += chunk
    except OSError:  # the program has ended
        pass
    os.waitpid(child, 0)
    text = output.decode(errors="replace").replace("\r\n", "\n")
    return f"$ harness/kata {' '.join(arguments)}\n{text}\n"


def styled(text):
    """Escape sequences for colours as HTML; all others are dropped."""
    text = re.sub(r"[^\n]*\r", "", text)  # progress lines that were written over
    text = re.sub(r"\x1b\[[0-9;?]*[A-HJ-Za-ln-z]", "", text)
    result, opened = "", False
    for part in re.split(r"(\x1b\[[0-9;]*m)", text):
        if not part.startswith("\x1b"):
            result += html.escape(part)
            continue
        result += "</span>" if opened else ""
        codes = [code for code in part[2:-1].split(";") if code not in ("", "0")]
        opened = bool(codes)
        if opened:
            style = "".join("font-weight:bold;" if code == "1" else "opacity:.7;" if code == "2"
                            else f"color:{COLORS.get(code, 'inherit')};" for code in codes)
            result += f'<span style="{style}">'
    return result + ("</span>" if opened else "")


def screenshot(page, picture, width, height):
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    f"--window-size={width},{height}", f"--screenshot={picture}", page.as_uri()],
                   check=True, capture_output=True)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "kata"
        tree(folder)
        (folder / "exercises/relu/relu.cu").write_text(WRONG)
        text = in_terminal(["check", "relu", "--seed", "1"], folder)
        text += in_terminal(["check", "softmax_rows", "--solution", "--seed", "1"], folder)
        page = folder / "terminal.html"
        page.write_text(PAGE.format(styled(text.rstrip())))
        screenshot(page, ROOT / "docs/terminal.png", 800, 32 + 20 * (text.rstrip().count("\n") + 1))

        page = folder / "report.html"
        subprocess.run([KATA, "report", "softmax_rows", "--out", page], check=True,
                       capture_output=True, env=environment(folder))
        screenshot(page, ROOT / "docs/report.png", 1000, 1060)


if __name__ == "__main__":
    main()
