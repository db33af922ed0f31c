#!/usr/bin/env python3
"""Writes nvcc_merges.csv: what nvcc makes of the accesses to shared memory in merges.cu.

    python3 tests/fidelity/nvcc_merges.py > tests/fidelity/nvcc_merges.csv

Reads the machine code of sm_90a itself, as not every CUDA Toolkit has cuobjdump. An instruction
has 16 bytes; NVIDIA does not document them. What is used here was read from kernels with one known
access each: bits 0 to 11 are the opcode, bits 73 to 75 the width.
"""

import datetime
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).with_name("merges.cu")
OPCODES = {0x984: "loads", 0x388: "stores", 0x988: "stores"}  # LDS; STS, its address in two forms
WIDTHS = [1, 1, 2, 2, 4, 8, 16]  # U8, S8, U16, S16, 32, 64, 128, in bytes


def sections(cubin):
    """The sections of an ELF file, by name."""
    (start,) = struct.unpack_from("<Q", cubin, 40)
    size, number, names = struct.unpack_from("<HHH", cubin, 58)
    headers = [struct.unpack_from("<IIQQQQ", cubin, start + i * size) for i in range(number)]
    for name, _, _, _, offset, length in headers:
        at = headers[names][4] + name
        yield cubin[at : cubin.index(b"\0", at)].decode(), cubin[offset : offset + length]


def count(code):
    """Instructions of each kind in a kernel's code, and the bytes that they move together."""
    row = {"loads": 0, "load_bytes": 0, "stores": 0, "store_bytes": 0}
    for low, high in struct.iter_unpack("<QQ", code):
        kind = OPCODES.get(low & 0xFFF)
        if kind:
            row[kind] += 1
            row[kind[:-1] + "_bytes"] += WIDTHS[high >> 9 & 7]
    return row


def main():
    nvcc = sys.argv[1] if len(sys.argv) > 1 else "nvcc"
    version = re.search(r"V([\d.]+)", subprocess.check_output([nvcc, "--version"], text=True))[1]
    options = ["-O3", "-std=c++17", "-arch=sm_90a", "-cubin"]
    with tempfile.TemporaryDirectory() as folder:
        cubin = pathlib.Path(folder, "merges.cubin")
        subprocess.check_call([nvcc, *options, "-o", cubin, SOURCE])
        code = dict(sections(cubin.read_bytes()))
    print(f"# nvcc {version}, {datetime.date.today()}: nvcc {' '.join(options)} merges.cu,")
    print("# read by tests/fidelity/nvcc_merges.py: instructions of each kernel's machine code that load and")
    print("# store shared memory (LDS, STS), and the bytes that they load and store together.")
    print("kernel,loads,load_bytes,stores,store_bytes")
    for kernel in re.findall(r"__global__ void (\w+)", SOURCE.read_text()):
        (body,) = (code[name] for name in code if re.match(rf"\.text\._Z\d+{kernel}P", name))
        print(",".join([kernel, *map(str, count(body).values())]))


if __name__ == "__main__":
    main()
