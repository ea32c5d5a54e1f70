/* An MPI library of one rank in the manner of the MPICH family: handles are ints, source and tag
 * stand third and fourth in a status. Beside it a recorder that prints what it is given (struct
 * wl_timeline_engine). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/engine.h"

/* ---- MPI ---- */

enum { WORLD = 0x44000000, DOUBLE = 0x4c00080b, UNNAMED = 0x44000001 };

int PMPI_Init(int *count, char ***words)
{
    (void)count, (void)words;
    return 0;
}

int PMPI_Comm_rank(int communicator, int *rank)
{
    (void)communicator;
    *rank = 1;
    return 0;
}

int PMPI_Comm_size(int communicator, int *size)
{
    *size = communicator == UNNAMED ? 2 : 4;
    return 0;
}

int PMPI_Comm_get_name(int communicator, char *name, int *length)
{
    strcpy(name, communicator == WORLD ? "MPI_COMM_WORLD" : "");
    *length = (int)strlen(name);
    return 0;
}

int PMPI_Type_size(int type, int *size)
{
    *size = type == DOUBLE ? 8 : 0;
    return type != DOUBLE;
}

int PMPI_Get_count(const int *status, int type, int *count)
{
    (void)type;
    *count = status[0] / 8;
    return 0;
}

int PMPI_Send(const void *buffer, int count, int type, int to, int tag, int communicator)
{
    (void)buffer, (void)count, (void)type, (void)to, (void)tag, (void)communicator;
    return 0;
}

int PMPI_Recv(void *buffer, int count, int type, int from, int tag, int communicator, int *status)
{
    (void)buffer, (void)count, (void)type, (void)from, (void)tag, (void)communicator;
    status[0] = 5 * 8; /* bytes */
    status[2] = 3;     /* source */
    status[3] = 42;    /* tag */
    return 0;
}

int PMPI_Bcast(void *buffer, int count, int type, int root, int communicator)
{
    (void)buffer, (void)count, (void)type, (void)root, (void)communicator;
    return 0;
}

int PMPI_Alltoall(const void *out, int out_count, int out_type, void *in, int in_count, int in_type,
                  int communicator)
{
    (void)out, (void)out_count, (void)out_type, (void)in, (void)in_count, (void)in_type;
    (void)communicator;
    return 0;
}

int PMPI_Barrier(int communicator)
{
    return communicator == WORLD ? 0 : 5;
}

/* ---- what records ---- */

static const char *names[64];
static uint32_t name_count;

static bool is_wanted(enum wl_timeline_category category)
{
    return category == WL_TIMELINE_MPI;
}

static uint64_t ticks;

static uint64_t now(void)
{
    return ++ticks;
}

/* A simulated clock, where MOCK_CLOCK is set. */
static void hold(bool is_held)
{
    printf("%s", is_held ? "[" : "] ");
}

static void reach(uint64_t time_ns)
{
    ticks = time_ns;
}

static uint32_t name(const char *text)
{
    for (uint32_t i = 0; i < name_count; i++)
        if (strcmp(names[i], text) == 0)
            return i + 1;
    names[name_count++] = strdup(text);
    return name_count;
}

static void put(const struct wl_timeline_record *record)
{
    printf("%s %llu-%llu sent %llu received %llu peer %lld tag %lld in %s result %llu%s\n",
           names[record->name - 1], (unsigned long long)record->start,
           (unsigned long long)record->end, (unsigned long long)record->words[0],
           (unsigned long long)record->words[1], (long long)record->words[2],
           (long long)record->words[3], record->words[4] ? names[record->words[4] - 1] : "none",
           (unsigned long long)record->words[5],
           record->flags & WL_TIMELINE_FAILED ? " failed" : "");
}

const struct wl_timeline_engine *wl_timeline_engine(void)
{
    static struct wl_timeline_engine engine = {
        .version = WL_TIMELINE_ENGINE_VERSION,
        .is_wanted = is_wanted,
        .now = now,
        .name = name,
        .put = put,
    };
    if (getenv("MOCK_CLOCK")) {
        engine.hold = hold;
        engine.reach = reach;
    }
    return &engine;
}
