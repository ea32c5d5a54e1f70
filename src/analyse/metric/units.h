/* Units as Nsight Compute prints them: values are kept in base units (byte, ns, hz) and scaled by
 * thousands for people. */
#ifndef WL_ANALYSE_METRIC_UNITS_H
#define WL_ANALYSE_METRIC_UNITS_H

#include <stdbool.h>
#include <stddef.h>

/* Scales value for reading: 65536 "byte" gives 65.536 "Kbyte". What follows a '/' stays
 * ("byte/block" gives "Kbyte/block"). Returns false and copies where the unit is not one to scale.
 */
bool wl_unit_scale(double value, const char *unit, double *scaled, char *scaled_unit,
                   size_t scaled_unit_size);

/* Reads a number that may have a unit behind it, with or without a space: "4us", "1.5Gbyte", "2
 * GiB", "80%", "700000". value is in base units, unit the base unit ("ns", "byte", "hz", "flop",
 * "%"), NULL where the text names none. False: it is no number, or has a unit that is not known. */
bool wl_unit_read(const char *text, double *value, const char **unit);

#endif
