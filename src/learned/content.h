/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a learned manifold has in its file, as tensors, and as a text that can stand in the metadata of
 * another: the bytes of the file in base64. */
#ifndef MST_LEARNED_CONTENT_H
#define MST_LEARNED_CONTENT_H

#include "learned/learned.h"

/* Release p->list, also after a failure. */
MST_MUST_USE mst_status content_pack(const learned *l, learned_pack *p);
MST_MUST_USE mst_status content_write(const learned *l, char **text);

/* The options of a spec. */
typedef struct content_options {
    double uncertainty;
} content_options;
/* A manifold from the tensors of a file, and from a text; `name` for messages. */
MST_MUST_USE mst_status content_read(mst_manifold **out, const tensors *t, const char *name,
                                     const char *spec, const content_options *options);
MST_MUST_USE mst_status content_parse(mst_manifold **out, const char *text, const char *name,
                                      const char *spec, const content_options *options);

#endif
