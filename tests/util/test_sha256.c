/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/isa.h"
#include "support/support.h"
#include "util/sha256.h"

#include <string.h>

/* The examples of FIPS 180-2, appendix B, and the empty text; with the processor's own instructions, where it
 * has them, and without. */
START_TEST(published_examples)
{
    static const struct {
        const char *unit;
        size_t times;
        const char *want;
    } cases[] = {
        {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"}};
    mst_isa_choose(_i == 0 ? "generic" : NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mst_sha256 h = mst_sha256_begin();
        char text[MST_SHA256_TEXT];
        for (size_t i = 0; i < cases[k].times; i++)
            mst_sha256_add(&h, cases[k].unit, strlen(cases[k].unit));
        mst_sha256_end(&h, text);
        ck_assert_str_eq(text, cases[k].want);
    }
}
END_TEST

/* Pieces of every size around a block's give what the whole gives. */
START_TEST(pieces_do_not_matter)
{
    unsigned char data[300];
    char whole[MST_SHA256_TEXT], text[MST_SHA256_TEXT];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(37 * i + 11);
    for (size_t length = 0; length <= sizeof data; length += 7) {
        mst_sha256 h = mst_sha256_begin();
        mst_sha256_add(&h, data, length);
        mst_sha256_end(&h, whole);
        for (size_t piece = 1; piece < 70; piece += 3) {
            h = mst_sha256_begin();
            for (size_t at = 0; at < length; at += piece)
                mst_sha256_add(&h, data + at, length - at < piece ? length - at : piece);
            mst_sha256_end(&h, text);
            ck_assert_str_eq(text, whole);
        }
    }
}
END_TEST

int main(void)
{
    return RUN_SUITE("sha256", 0, {published_examples, 2}, {pieces_do_not_matter, 1});
}
