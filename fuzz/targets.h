/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Fuzz targets: each takes any bytes, abort()s if a property of the readers fails, and returns 0.
 *
 * The preset `fuzz` builds one program of libFuzzer for each (with clang), and `./run attack` runs them.
 * Without it, tests/io/test_fuzz_smoke.c runs seeded mutations of small inputs and is a
 * ctest like any other. */
#ifndef FUZZ_TARGETS_H
#define FUZZ_TARGETS_H

#include <stddef.h>
#include <stdint.h>

/* Text to number: agrees with strtod, and the number makes the round trip. */
int fuzz_number_text(const uint8_t *data, size_t size);
/* A file: read or refused with a one-line message that names it; what was read makes the round trip. */
int fuzz_csv_reader(const uint8_t *data, size_t size);
/* The same for bytes after the magic of NPY. */
int fuzz_npy_reader(const uint8_t *data, size_t size);
/* The same for bytes after LM=, which a TPS file begins with. */
int fuzz_tps_reader(const uint8_t *data, size_t size);
/* JSON: read or refused, and what was read can be walked through. */
int fuzz_json_reader(const uint8_t *data, size_t size);
/* safetensors: the bytes as a file, and as header and data of one, are read or refused; what was read makes
 * the round trip. */
int fuzz_tensors(const uint8_t *data, size_t size);
/* Signals: the bytes as a file either way round, whole or in windows, are read or refused, and what was read
 * has covariances. It needs the whole library. */
int fuzz_signals(const uint8_t *data, size_t size);
/* A formula file: read, differentiated and used at its start, or refused with a one-line message that tells
 * the place. It needs the whole library; the test beside it runs the others, too. */
int fuzz_formulas(const uint8_t *data, size_t size);
/* A learned manifold, the header of its file, a line feed and its numbers: opened and used, or refused with a
 * message that names the file. It needs the whole library. */
int fuzz_learned(const uint8_t *data, size_t size);
/* A model, as a learned manifold is given: read and asked for a score, or refused with a message that names
 * it. It needs the whole library, as the rest do. */
int fuzz_network(const uint8_t *data, size_t size);
/* A saved result: drawn whole, or refused with a message that names it or says why there is no picture. */
int fuzz_saved(const uint8_t *data, size_t size);
/* A manifold's spec and, after a line feed, the name of a score source: both open or say why not, and the
 * manifold's own spec makes it again. */
int fuzz_specs(const uint8_t *data, size_t size);

#endif
