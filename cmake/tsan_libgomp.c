/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Part of thread-sanitizer builds only. libgomp is not instrumented, so the sanitizer does not see that its
 * parallel regions begin after what stands before them, end before what stands after them, and that critical
 * sections exclude each other. The linker (--wrap) sends the calls through here, where this is said. */

void __tsan_acquire(void *address);
void __tsan_release(void *address);

typedef void region(void *data);
void __real_GOMP_parallel(region *run, void *data, unsigned threads, unsigned flags);
void __wrap_GOMP_parallel(region *run, void *data, unsigned threads, unsigned flags);
void __real_GOMP_critical_name_start(void **name);
void __wrap_GOMP_critical_name_start(void **name);
void __real_GOMP_critical_name_end(void **name);
void __wrap_GOMP_critical_name_end(void **name);

typedef struct call {
    region *run;
    void *data;
} call;

static void run_region(void *data)
{
    call *c = data;
    __tsan_acquire(c);
    c->run(c->data);
    __tsan_release(c);
}

void __wrap_GOMP_parallel(region *run, void *data, unsigned threads, unsigned flags)
{
    call c = {run, data};
    __tsan_release(&c);
    __real_GOMP_parallel(run_region, &c, threads, flags);
    __tsan_acquire(&c);
}

void __wrap_GOMP_critical_name_start(void **name)
{
    __real_GOMP_critical_name_start(name);
    __tsan_acquire(name);
}

void __wrap_GOMP_critical_name_end(void **name)
{
    __tsan_release(name);
    __real_GOMP_critical_name_end(name);
}
