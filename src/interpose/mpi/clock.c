#include "interpose/mpi/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/count.h"
#include "interpose/mpi/board.h"
#include "timeline/engine.h"

enum { WORLD_ID = 1 };
enum { COMMUNICATORS_MAX = 64, FLOWS_MAX = 4096, REQUESTS_MAX = 1024, KEPT_MEETINGS = 64 };

static const struct wl_timeline_engine *engine; /* NULL: times are those of a real clock */
static bool is_open_mpi;

/* What follows is of all threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct communicator {
    wl_mpi_handle handle;
    uint64_t id, meetings, children;
} communicators[COMMUNICATORS_MAX];
static size_t next_communicator;

/* How many messages went from whom to whom, by key. */
static struct flow {
    uint64_t key, count;
} flows[FLOWS_MAX];

static struct {
    const void *request;
    wl_mpi_handle comm;
} expected[REQUESTS_MAX];
static size_t next_expected;

/* ---- communicators ---- */

/* With the lock; NULL: not known. */
static struct communicator *find_communicator(wl_mpi_handle handle)
{
    handle = wl_mpi_normal(handle);
    for (size_t i = 0; i < COMMUNICATORS_MAX; i++)
        if (communicators[i].id && communicators[i].handle == handle)
            return &communicators[i];
    return NULL;
}

static void add_communicator(wl_mpi_handle handle, uint64_t id)
{
    struct communicator *known = find_communicator(handle);
    if (!known) {
        known = &communicators[next_communicator];
        next_communicator = (next_communicator + 1) % COMMUNICATORS_MAX;
    }
    *known = (struct communicator){.handle = wl_mpi_normal(handle), .id = id};
}

void wl_mpi_clock_add(wl_mpi_handle parent, wl_mpi_handle made, int color)
{
    if (!engine)
        return;
    pthread_mutex_lock(&lock);
    struct communicator *from = find_communicator(parent);
    if (from) {
        const uint64_t numbers[] = {from->id, ++from->children, (uint64_t)color};
        add_communicator(made, wl_mpi_board_key(numbers, 3));
    }
    pthread_mutex_unlock(&lock);
}

/* ---- the clock ---- */

/* The names that launchers give a job; NULL: not known, and no rank is known. */
static const char *job_name(void)
{
    static const char *const names[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID",
                                        "SLURM_JOB_ID"};
    for (size_t i = 0; i < WL_COUNT(names); i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return value;
    }
    return NULL;
}

void wl_mpi_clock_start(const struct wl_timeline_engine *with, bool open_mpi)
{
    char name[96];
    const char *job = with->hold ? job_name() : NULL;
    if (!job)
        return;
    size_t length = 0;
    for (; job[length] && length + 1 < sizeof name; length++)
        name[length] = job[length] == '/' ? '_' : job[length];
    name[length] = '\0';
    if (!wl_mpi_board_open(name))
        return;
    engine = with;
    is_open_mpi = open_mpi;
    add_communicator(wl_mpi_world(), WORLD_ID);
}

bool wl_mpi_clock_is_simulated(void)
{
    return engine;
}

void wl_mpi_clock_hold(void)
{
    if (engine)
        engine->hold(true);
}

void wl_mpi_clock_release(uint64_t to_ns)
{
    if (!engine)
        return;
    engine->reach(to_ns);
    engine->hold(false);
}

/* ---- point to point ---- */

/* The key of the next message on its way, and on which side we count it. With the lock; 0: the
 * table is full. */
static uint64_t next_message(uint64_t id, uint64_t from, uint64_t to, uint64_t tag,
                             bool is_received)
{
    const uint64_t numbers[] = {id, from, to, tag, is_received};
    uint64_t key = wl_mpi_board_key(numbers, 5);
    for (uint64_t i = 0; i < 64; i++) {
        struct flow *flow = &flows[(key + i) % FLOWS_MAX];
        if (flow->key && flow->key != key)
            continue;
        flow->key = key;
        const uint64_t message[] = {id, from, to, tag, ++flow->count, 2};
        return wl_mpi_board_key(message, 6);
    }
    return 0;
}

/* 0: of a communicator or peer that is not known. */
static uint64_t message_key(wl_mpi_handle comm, int64_t peer, int64_t tag, bool is_received)
{
    uint64_t key = 0;
    pthread_mutex_lock(&lock);
    const struct communicator *known = find_communicator(comm);
    uint64_t own = known && peer >= 0 ? (uint64_t)wl_mpi_rank(comm) : 0;
    if (known && peer >= 0)
        key = next_message(known->id, is_received ? (uint64_t)peer : own,
                           is_received ? own : (uint64_t)peer, (uint64_t)tag, is_received);
    pthread_mutex_unlock(&lock);
    return key;
}

void wl_mpi_clock_send(wl_mpi_handle comm, int to, int tag, uint64_t now_ns)
{
    uint64_t key = engine ? message_key(comm, to, tag, false) : 0;
    if (key)
        wl_mpi_board_put(key, now_ns);
}

uint64_t wl_mpi_clock_receive(wl_mpi_handle comm, int64_t from, int64_t tag)
{
    uint64_t key = engine ? message_key(comm, from, tag, true) : 0;
    uint64_t sent_ns = key ? wl_mpi_board_read(key) : 0;
    if (sent_ns)
        wl_mpi_board_remove(key);
    return sent_ns;
}

/* Requests and statuses are arrays whose layout is Open MPI's; of others nothing is known. */
enum { STATUS_BYTES = 24 };

void wl_mpi_clock_expect(const void *request, wl_mpi_handle comm)
{
    if (!engine || !is_open_mpi)
        return;
    pthread_mutex_lock(&lock);
    expected[next_expected].request = *(const void *const *)request;
    expected[next_expected].comm = comm;
    next_expected = (next_expected + 1) % REQUESTS_MAX;
    pthread_mutex_unlock(&lock);
}

void wl_mpi_clock_wait_for(struct wl_mpi_waiting *waiting, int count, const void *requests)
{
    const int most = WL_COUNT(waiting->requests);
    waiting->count = 0;
    if (!engine || !is_open_mpi || count > most)
        return;
    for (int i = 0; i < count; i++)
        waiting->requests[waiting->count++] = ((const void *const *)requests)[i];
}

uint64_t wl_mpi_clock_waited(const struct wl_mpi_waiting *waiting, const void *statuses)
{
    uint64_t latest_ns = 0;
    for (int i = 0; i < waiting->count; i++) {
        const void *status = (const char *)statuses + (size_t)i * STATUS_BYTES;
        wl_mpi_handle comm = NULL;
        pthread_mutex_lock(&lock);
        for (size_t k = 0; waiting->requests[i] && !comm && k < REQUESTS_MAX; k++)
            if (expected[k].request == waiting->requests[i]) {
                comm = expected[k].comm;
                expected[k].request = NULL;
            }
        pthread_mutex_unlock(&lock);
        uint64_t sent_ns =
            comm ? wl_mpi_clock_receive(comm, wl_mpi_source(status), wl_mpi_tag(status)) : 0;
        if (sent_ns > latest_ns)
            latest_ns = sent_ns;
    }
    return latest_ns;
}

/* ---- collectives ---- */

static uint64_t meeting_key(struct wl_mpi_met met, int rank)
{
    const uint64_t numbers[] = {met.communicator, met.number, (uint64_t)rank, 3};
    return wl_mpi_board_key(numbers, 4);
}

struct wl_mpi_met wl_mpi_clock_come(wl_mpi_handle comm, uint64_t now_ns)
{
    struct wl_mpi_met met = {0, 0};
    if (!engine)
        return met;
    pthread_mutex_lock(&lock);
    struct communicator *known = find_communicator(comm);
    if (known)
        met = (struct wl_mpi_met){known->id, ++known->meetings};
    pthread_mutex_unlock(&lock);
    if (!met.communicator)
        return met;
    int rank = wl_mpi_rank(comm);
    wl_mpi_board_put(meeting_key(met, rank), now_ns);
    if (met.number > KEPT_MEETINGS) /* nobody is that far behind */
        wl_mpi_board_remove(
            meeting_key((struct wl_mpi_met){met.communicator, met.number - KEPT_MEETINGS}, rank));
    return met;
}

uint64_t wl_mpi_clock_meet(struct wl_mpi_met met, wl_mpi_handle comm, enum wl_mpi_meeting meeting,
                           int root)
{
    uint64_t latest_ns = 0;
    if (!met.communicator)
        return 0;
    int own = wl_mpi_rank(comm), first = 0, last = wl_mpi_size(comm) - 1;
    if (meeting == WL_MPI_MEET_ROOT)
        first = last = root;
    else if (meeting == WL_MPI_MEET_BEFORE)
        last = own;
    else if (meeting == WL_MPI_MEET_FOR_ROOT && own != root)
        first = last = own;
    for (int rank = first; rank <= last; rank++) {
        uint64_t came_ns = wl_mpi_board_read(meeting_key(met, rank));
        if (came_ns > latest_ns)
            latest_ns = came_ns;
    }
    if (met.communicator == WORLD_ID && meeting == WL_MPI_MEET_ALL)
        wl_mpi_board_unlink(); /* everybody has it open by now */
    return latest_ns;
}
