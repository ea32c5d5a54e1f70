#include "analyse/metric/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"

static const struct scale {
    const char *base;
    const char *steps[6]; /* each a thousand times the one before; NULL ends */
} scales[] = {
    {"byte", {"byte", "Kbyte", "Mbyte", "Gbyte", "Tbyte", NULL}},
    {"ns", {"ns", "us", "ms", "s", NULL}},
    {"hz", {"hz", "Khz", "Mhz", "Ghz", NULL}},
    {"flop", {"flop", "Kflop", "Mflop", "Gflop", "Tflop", NULL}},
};

bool wl_unit_scale(double value, const char *unit, double *scaled, char *scaled_unit,
                   size_t scaled_unit_size)
{
    size_t length = strcspn(unit, "/");
    for (size_t i = 0; i < WL_COUNT(scales); i++) {
        const struct scale *scale = &scales[i];
        if (strlen(scale->base) != length || strncmp(scale->base, unit, length) != 0)
            continue;
        size_t step = 0;
        double size = fabs(value);
        while (size >= 1000 && scale->steps[step + 1]) {
            size /= 1000;
            step++;
        }
        *scaled = value < 0 ? -size : size;
        snprintf(scaled_unit, scaled_unit_size, "%s%s", scale->steps[step], unit + length);
        return step > 0;
    }
    *scaled = value;
    snprintf(scaled_unit, scaled_unit_size, "%s", unit);
    return false;
}

/* What people write beside the names that wl_unit_scale gives. */
static const struct {
    const char *name, *base;
    double factor;
} spellings[] = {
    {"%", "%", 1},
    {"B", "byte", 1},
    {"KB", "byte", 1e3},
    {"MB", "byte", 1e6},
    {"GB", "byte", 1e9},
    {"KiB", "byte", 1024},
    {"MiB", "byte", 1024 * 1024},
    {"GiB", "byte", 1024.0 * 1024 * 1024},
    {"Hz", "hz", 1},
    {"kHz", "hz", 1e3},
    {"MHz", "hz", 1e6},
    {"GHz", "hz", 1e9},
};

static bool find_unit(const char *text, const char **base, double *factor)
{
    for (size_t i = 0; i < WL_COUNT(spellings); i++) {
        if (strcmp(spellings[i].name, text) != 0)
            continue;
        *base = spellings[i].base;
        *factor = spellings[i].factor;
        return true;
    }
    for (size_t i = 0; i < WL_COUNT(scales); i++) {
        *factor = 1;
        for (const char *const *step = scales[i].steps; *step; step++, *factor *= 1000) {
            if (strcmp(*step, text) != 0)
                continue;
            *base = scales[i].base;
            return true;
        }
    }
    return false;
}

bool wl_unit_read(const char *text, double *value, const char **unit)
{
    char *end = NULL;
    double factor = 1;
    *value = strtod(text, &end);
    *unit = NULL;
    if (end == text || !isfinite(*value))
        return false;
    end += strspn(end, " ");
    if (*end && !find_unit(end, unit, &factor))
        return false;
    *value *= factor;
    return true;
}
