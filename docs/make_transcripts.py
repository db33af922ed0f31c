#!/usr/bin/env python3
"""Writes what a built kata prints: the transcripts in README.md and docs/drills.md,
docs/commands.md, docs/terminal.png and docs/report.png. The pictures need chromium.

    docs/make_transcripts.py
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
README = ROOT / "README.md"
DRILLS = ROOT / "docs/drills.md"
ROWS, COLUMNS = 24, 80
COLORS = {"31": "#f85149", "32": "#3fb950", "33": "#d29922", "34": "#58a6ff", "35": "#bc8cff",
          "36": "#39c5cf", "90": "#8b949e"}
PAGE = """<meta charset="utf-8"><style>
body {{ margin: 0; background: #0d1117; color: #e6edf3; }}
pre {{ margin: 16px; font: 15px/20px "DejaVu Sans Mono", monospace; }}
</style><pre>{}</pre>"""


def tree(folder):
    """A clone, as a person has it, with exercises that may be changed."""
    (folder / "harness").mkdir(parents=True)
    for entry in (ROOT / "harness").iterdir():
        if entry.name != "kata":
            (folder / "harness" / entry.name).symlink_to(entry)
    shutil.copy(ROOT / "harness/kata", folder / "harness/kata")
    for name in ("exercises", "solutions"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "tests").symlink_to(ROOT / "tests")  # faults are planted in tests/accepted, too


def environment(folder):
    return {**os.environ, "KATA_ROOT": str(folder), "KATA_HOME": str(folder / "home"),
            "TERM": "xterm-256color"}


def in_terminal(arguments, folder, answers=()):
    """What kata prints in a terminal of 80x24. An answer is typed at each prompt; a function is
    called then, and types nothing."""
    answers = list(answers)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve(KATA, ["kata", *arguments], environment(folder))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    output = b""
    try:
        while chunk := os.read(terminal, 65536):
            output += chunk
            if answers and output.endswith(b" > "):
                answer = answers.pop(0)
                if callable(answer):
                    answer = answer() or ""
                os.write(terminal, answer.encode() + b"\n")
    except OSError:  # the program has ended
        pass
    os.waitpid(child, 0)
    text = output.decode(errors="replace").replace("\r\n", "\n")
    text = re.sub(r"\x1b\[[0-9;?]*[A-HJ-Za-ln-z]", "\r", text)  # all but colours
    return re.sub(r"[^\n]*\r", "", text).strip("\n")  # progress lines that were written over


def styled(text):
    """Escape sequences for colours as HTML."""
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


def checks(folder):
    """The check of README's kernel without its bounds check, and with it."""
    exercise = folder / "exercises/relu/relu.cu"
    stub = exercise.read_text()
    body = re.search(r"```c\+\+\n(.*?)```", README.read_text(), re.DOTALL)[1]
    for code in (body, body.replace("  y[i]", "  if (i < n) y[i]")):
        exercise.write_text(stub.replace("  // your code\n", code))
        arguments = ["check", "relu", "--seed", "1"]
        yield f"$ harness/kata {' '.join(arguments)}\n{in_terminal(arguments, folder)}\n"


def drills(folder):
    """One drill of each kind: what is typed is right, more or less."""
    def rung(name, path):
        shutil.copy(ROOT / "solutions" / name, folder / path)

    rung("transpose/4_padded_tile.cu", "exercises/transpose/transpose.cu")
    in_terminal(["check", "transpose", "--no-ladder"], folder)
    repair = lambda: rung("relu/1_thread_per_element.cu", "drills/relu.cu")
    for kind, operator, seed, answers in (
            ("bug", "relu", 1, ["line 11", "launch", "n = 300", repair]),
            ("maths", "", 7, ["one", "0"]),
            ("which", "softmax_rows", 3, ["the second", "about 6"]),
            ("why", "transpose", 2, ["not coalesced", "the other way round", "2x"]),
            ("viva", "transpose", 2, ["right"])):
        arguments = ["drill", kind, *([operator] if operator else []), "--seed", str(seed),
                     "--untimed"]
        text = in_terminal(arguments, folder, answers)
        yield f"$ harness/kata {' '.join(arguments)}\n{text}\n"


def with_transcripts(page, transcripts):
    """Its ```console blocks, in their order."""
    plain = iter([re.sub(r"\x1b\[[0-9;]*m", "", text) for text in transcripts])
    page.write_text(re.sub(r"```console\n.*?```", lambda _: f"```console\n{next(plain)}```",
                           page.read_text(), flags=re.DOTALL))


def commands():
    """docs/commands.md: the help of each command."""
    def help_of(*command):
        return subprocess.run([KATA, *command, "--help"], check=True, capture_output=True,
                              text=True).stdout.strip()

    page = ROOT / "docs/commands.md"
    introduction = page.read_text().split("```")[0]
    names = re.findall(r"^  (\w+)  ", help_of().split("Subcommands:")[1], re.MULTILINE)
    parts = [f"## kata {name}\n\n```text\n{help_of(name)}\n```\n" for name in names]
    page.write_text("\n".join([f"{introduction}```text\n{help_of()}\n```\n", *parts]))


def screenshot(page, picture, width, height):
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    f"--window-size={width},{height}", f"--screenshot={picture}", page.as_uri()],
                   check=True, capture_output=True)


def main():
    commands()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "kata"
        tree(folder)
        transcripts = list(checks(folder))
        with_transcripts(README, transcripts)
        with_transcripts(DRILLS, list(drills(folder)))

        text = "\n".join(transcripts).rstrip()
        page = folder / "terminal.html"
        page.write_text(PAGE.format(styled(text)))
        screenshot(page, ROOT / "docs/terminal.png", 800, 32 + 20 * (text.count("\n") + 1))

        page = folder / "report.html"
        subprocess.run([KATA, "report", "softmax_rows", "--out", page], check=True,
                       capture_output=True, env=environment(folder))
        screenshot(page, ROOT / "docs/report.png", 1000, 1060)


if __name__ == "__main__":
    main()
