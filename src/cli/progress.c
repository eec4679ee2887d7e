/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "common.h"
#include "util/clock.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { GRACE_SECONDS = 2, INTERRUPTED_EXIT = 130 };

static volatile sig_atomic_t stop_requested, slow_stop;

static void request_stop(int signal_number)
{
    (void)signal_number;
    stop_requested = 1;
    if (!slow_stop)
        alarm(GRACE_SECONDS);
}

/* The work did not come to a report in time. */
static void give_up(int signal_number)
{
    (void)signal_number;
    static const char message[] = "manistat: interrupted; no file was written\n";
    ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written; /* there is nobody left to tell */
    _exit(INTERRUPTED_EXIT);
}

static void handle(int signal_number, void (*handler)(int), unsigned flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = (int)flags};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

static bool is_ignored(int signal_number)
{
    struct sigaction action;
    return sigaction(signal_number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void catch_signals(void)
{
    /* Without SA_RESTART, so that a read from a terminal or pipe ends too. */
    handle(SIGINT, request_stop, SA_RESETHAND);
    handle(SIGTERM, request_stop, SA_RESETHAND);
    if (!is_ignored(SIGHUP)) /* as it is after nohup */
        handle(SIGHUP, request_stop, SA_RESETHAND);
    handle(SIGALRM, give_up, 0);
    /* Writing then fails, which is reported. */
    handle(SIGPIPE, SIG_IGN, 0);
    handle(SIGXFSZ, SIG_IGN, 0);
}

bool interrupted(void)
{
    return stop_requested != 0;
}

void allow_slow_stop(void)
{
    slow_stop = 1;
    alarm(0);
}

progress progress_start(const invocation *inv, const char *unit, double total)
{
    return (progress){
        .inv = inv,
        .unit = unit,
        .total = total,
        .last = inv->started,
        .visible = isatty(STDERR_FILENO) && !option_given(inv, &option_quiet),
    };
}

const char *duration_text(double seconds, char text[DURATION_TEXT])
{
    double whole = ceil(seconds);
    int hours = whole < 3.6e6 ? (int)(whole / 3600) : 999;
    int minutes = (int)fmod(whole / 60, 60), rest = (int)fmod(whole, 60);
    if (hours > 0)
        snprintf(text, DURATION_TEXT, "%d:%02d:%02d", hours, minutes, rest);
    else
        snprintf(text, DURATION_TEXT, "%d:%02d", minutes, rest);
    return text;
}

static void draw(progress *p, double done)
{
    const double interval = 0.2; /* seconds between two drawings */
    double now = mst_clock_seconds();
    if (!p->visible || now - p->last < interval)
        return;
    p->last = now;
    double elapsed = now - p->inv->started, rate = done / elapsed;
    if (p->total > 0 && done > 0) {
        char left[DURATION_TEXT];
        fprintf(stderr, "\r\033[K%s: %.0f%%, %.3g %s/s, %s left", p->inv->command->name,
                floor(100 * done / p->total), rate, p->unit,
                duration_text((p->total - done) / rate, left));
    } else {
        fprintf(stderr, "\r\033[K%s: %.0f %s, %.3g/s", p->inv->command->name, done, p->unit, rate);
    }
    fflush(stderr);
    p->drawn = true;
}

static int report(void *user, double done, double total)
{
    progress *p = user;
    draw(p, p->base + p->piece * (total > 0 ? done / total : 0));
    return interrupted();
}

mst_progress progress_callback(progress *p, double piece)
{
    p->piece = piece;
    return (mst_progress){.report = report, .user = p};
}

mst_status progress_advance(progress *p, double amount)
{
    p->base += amount;
    draw(p, p->base);
    return interrupted() ? mst_fail(MST_INTERRUPTED, "interrupted") : MST_OK;
}

void progress_line(progress *p, const char *format, ...)
{
    if (!p->visible)
        return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "\r\033[K%s: ", p->inv->command->name);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
    p->drawn = true;
}

void progress_end(progress *p)
{
    if (p->drawn)
        fprintf(stderr, "\r\033[K");
    p->drawn = false;
}
