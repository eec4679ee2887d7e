#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the manistat authors
"""Writes powers_of_ten.c beside this script: the leading 128 bits of 10^k, rounded down.

Entry k is floor(10^k / 2^(e - 127)) with e = floor(log2(10^k)), so its top bit is set. It is exact for
0 <= k <= 55, where 5^k has at most 128 bits. Run it again only if the range changes.
"""

import pathlib

FIRST, LAST = -342, 324


def leading_bits(k):
    if k >= 0:
        n = 10**k
        shift = 128 - n.bit_length()
        return n << shift if shift >= 0 else n >> -shift
    n = 10**-k
    # 2^(b + 127) / n lies in [2^127, 2^128) for b the number of bits of n, which is no power of two.
    return (1 << (n.bit_length() + 127)) // n


def main():
    rows = []
    for k in range(FIRST, LAST + 1):
        bits = leading_bits(k)
        assert bits >> 127 == 1
        rows.append(f"{{0x{bits >> 64:016x}, 0x{bits & (2**64 - 1):016x}}}")
    lines = [", ".join(rows[i : i + 2]) for i in range(0, len(rows), 2)]
    text = (
        "/* SPDX-License-Identifier: MIT\n"
        " * Copyright (c) 2026 the manistat authors */\n\n"
        "/* Written by powers_of_ten.py: the leading 128 bits of 10^k, rounded down. */\n"
        '#include "util/number_text.h"\n\n'
        "const mst_power_of_ten mst_powers_of_ten[MST_POWER_LAST - MST_POWER_FIRST + 1] = {\n"
        + "".join(f"    {line},\n" for line in lines)
        + "};\n"
    )
    pathlib.Path(__file__).with_suffix(".c").write_text(text)


if __name__ == "__main__":
    main()
