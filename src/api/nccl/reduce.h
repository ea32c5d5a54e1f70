/* Reductions of numbers on the host, by NCCL's numbers for types and operations. */
#ifndef WL_API_NCCL_REDUCE_H
#define WL_API_NCCL_REDUCE_H

#include <stdbool.h>
#include <stddef.h>

enum wl_nccl_operation {
    WL_NCCL_SUM,
    WL_NCCL_PRODUCT,
    WL_NCCL_MAXIMUM,
    WL_NCCL_MINIMUM,
    WL_NCCL_AVERAGE,   /* of floats: the sum of multiples by the inverse of how many there are; of
                        * integers: the sum, divided */
    WL_NCCL_FIRST_OWN, /* operations that programs make: sums of multiples */
};

/* Bytes of an element; 0: there is no such type. */
size_t wl_nccl_type_bytes(int type);
bool wl_nccl_can_reduce(int type); /* all but floats of 8 bits */
/* to = to and from, element by element, rounded to the type each time. */
void wl_nccl_combine(int type, int operation, void *to, const void *from, size_t count);
/* to = to * scalar, which is of the type. */
void wl_nccl_multiply(int type, void *to, const void *scalar, size_t count);
/* 1 / ranks as one element of at most 8 bytes; false: the type is of integers. */
bool wl_nccl_inverse(int type, int ranks, void *inverse);
/* to = to / ranks of integers; floats stay. */
void wl_nccl_divide(int type, void *to, int ranks, size_t count);

#endif
