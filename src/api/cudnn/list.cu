/* The kernel behind list.h. list.ptx is made from this file (see the command in its first line) and embedded in the
 * library.
 */
#include "../common/complex.cuh"
#include "list.h"

GLOBAL void warplens_dnn_list_f(wl_dnn_list list)
{
    for (i64 at = first(); at < list.count; at += step())
        list.to[at] = list.values[at];
}
