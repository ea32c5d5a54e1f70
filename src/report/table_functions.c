#include "report/table_functions.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/kernel_name.h"
#include "base/memory.h"
#include "base/python_stack.h"
#include "report/launch_origins.h"

/* ---- median(), deviation() ---- */

struct values {
    WL_VECTOR_FIELDS(double);
};

/* SQLite keeps a few bytes for each group. */
static struct values *values_of(sqlite3_context *context)
{
    struct values **place = sqlite3_aggregate_context(context, sizeof *place);
    if (place && !*place)
        *place = wl_alloc_zero(1, sizeof **place);
    return place ? *place : NULL;
}

static void gather(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct values *kept = values_of(context);
    if (kept && sqlite3_value_type(values[0]) != SQLITE_NULL)
        WL_PUSH(kept, sqlite3_value_double(values[0]));
}

static int compare(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

static void free_values(struct values *values)
{
    free(values->items);
    free(values);
}

static void end_median(sqlite3_context *context)
{
    struct values *kept = values_of(context);
    if (!kept)
        return;
    size_t middle = kept->count / 2;
    if (kept->count)
        qsort(kept->items, kept->count, sizeof *kept->items, compare);
    if (kept->count % 2)
        sqlite3_result_double(context, kept->items[middle]);
    else if (kept->count)
        sqlite3_result_double(context, (kept->items[middle - 1] + kept->items[middle]) / 2);
    free_values(kept);
}

/* Of a sample: divided by one less than there are, as in nsys; 0 of one. */
static void end_deviation(sqlite3_context *context)
{
    struct values *kept = values_of(context);
    if (!kept)
        return;
    double mean = 0, sum = 0;
    for (size_t i = 0; i < kept->count; i++)
        mean += kept->items[i] / (double)kept->count;
    for (size_t i = 0; i < kept->count; i++)
        sum += (kept->items[i] - mean) * (kept->items[i] - mean);
    if (kept->count)
        sqlite3_result_double(context, kept->count > 1 ? sqrt(sum / (double)(kept->count - 1)) : 0);
    free_values(kept);
}

/* python_line(stack, folder): the line that a stack is about; files in the folder by their names
 * within. NULL: there is no Python in it. */
static void find_python_line(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *stack = (const char *)sqlite3_value_text(values[0]);
    const char *folder = (const char *)sqlite3_value_text(values[1]);
    size_t length = 0;
    const char *line = stack ? wl_python_line_of(stack, folder, &length) : NULL;
    if (line)
        sqlite3_result_text(context, line, (int)length, SQLITE_TRANSIENT);
}

/* kernel_short(demangled) */
static void shorten_kernel(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *name = (const char *)sqlite3_value_text(values[0]);
    if (!name)
        return;
    char *function = wl_kernel_function_of(name),
         *short_name = wl_kernel_short_name(name, function);
    free(function);
    sqlite3_result_text(context, short_name, -1, free);
}

/* ---- what led to a launch; read when it is first asked for ---- */

struct origins {
    struct wl_launch_origins *read;
    bool is_tried;
};

static void free_origins(void *self)
{
    struct origins *origins = self;
    wl_launch_origins_free(origins->read);
    free(origins);
}

/* launch_origin(process_id, correlation, part): the id of a name; NULL: none. Parts: 0 the
 * operator, 1 the node of the backward pass, 2 the module, 3 the stack of the forward operator. */
static void find_origin(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    struct origins *origins = sqlite3_user_data(context);
    if (!origins->is_tried)
        origins->read = wl_launch_origins_read(sqlite3_context_db_handle(context));
    origins->is_tried = true;
    const struct wl_launch_origin *origin =
        origins->read ? wl_launch_origins_find(origins->read, sqlite3_value_int64(values[0]),
                                               sqlite3_value_int64(values[1]))
                      : NULL;
    int part = sqlite3_value_int(values[2]);
    if (!origin || part < 0 || part > 3)
        return;
    const int64_t names[] = {origin->operator_name, origin->backward_name, origin->module_name,
                             origin->stack_name};
    if (names[part])
        sqlite3_result_int64(context, names[part]);
}

void wl_table_functions_add(sqlite3 *database)
{
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    sqlite3_create_function_v2(database, "launch_origin", 3, flags,
                               wl_alloc_zero(1, sizeof(struct origins)), find_origin, NULL, NULL,
                               free_origins);
    sqlite3_create_function_v2(database, "median", 1, flags, NULL, NULL, gather, end_median, NULL);
    sqlite3_create_function_v2(database, "deviation", 1, flags, NULL, NULL, gather, end_deviation,
                               NULL);
    sqlite3_create_function_v2(database, "python_line", 2, flags, NULL, find_python_line, NULL,
                               NULL, NULL);
    sqlite3_create_function_v2(database, "kernel_short", 1, flags, NULL, shorten_kernel, NULL, NULL,
                               NULL);
}
