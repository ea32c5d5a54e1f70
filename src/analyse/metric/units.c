#include "analyse/metric/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
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
