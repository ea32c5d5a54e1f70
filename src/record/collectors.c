#include <string.h>

#include "record/collectors.h"

const struct wl_collector_facts wl_collector_facts[WL_COLLECTOR_ID_OTHER + 1] = {
#define R(id, name, is_simulated, joins_another, code, absent) \
    {name, is_simulated, joins_another, code, absent},
#include "record/collectors.def"
#undef R
    {"", false, false, "SASS", ""},
};

const struct wl_collector_facts *wl_collector_facts_of(const char *collector)
{
    size_t i = 0;
    while (i < WL_COLLECTOR_ID_OTHER &&
           (!collector || strcmp(collector, wl_collector_facts[i].name) != 0))
        i++;
    return &wl_collector_facts[i];
}
