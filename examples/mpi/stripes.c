/* An MPI program in which rank 0 has twice the work of the others: each rank updates its stripe of
 * a field on the GPU with OpenACC, gives its edges to its neighbours, and all agree on a sum.
 * Prints "ok" at rank 0. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 4096, STEPS = 3 };

static void smooth(int count, const double *restrict in, double *restrict out)
{
#pragma acc parallel loop present(in[:count + 2], out[:count + 2])
    for (int i = 1; i <= count; i++)
        out[i] = 0.25 * in[i - 1] + 0.5 * in[i] + 0.25 * in[i + 1];
}

/* Edges of neighbours come into the cells beside our own. */
static void exchange(double *field, int count, int rank, int ranks)
{
    int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    MPI_Request requests[2];
    MPI_Sendrecv(&field[count], 1, MPI_DOUBLE, right, 1, &field[0], 1, MPI_DOUBLE, left, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&field[count + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&field[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argument_count, char **arguments)
{
    int rank, ranks;
    MPI_Init(&argument_count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int count = rank ? WIDTH : 2 * WIDTH;
    double *field = calloc((size_t)count + 2, sizeof *field);
    double *next = calloc((size_t)count + 2, sizeof *next);
    for (int i = 1; i <= count; i++)
        field[i] = 1;
    if (rank + 1 == ranks)
        field[count + 1] = 1; /* so that nothing is lost at the right end */
    if (rank == 0)
        field[0] = 1;
    MPI_Comm halves;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &halves);
    MPI_Comm_set_name(halves, "halves");

    for (int step = 0; step < STEPS; step++) {
        exchange(field, count, rank, ranks);
#pragma acc data copyin(field[:count + 2]) copyout(next[:count + 2])
        smooth(count, field, next);
        double *old = field;
        field = next;
        next = old;
        if (rank == 0)
            field[0] = 1;
        if (rank + 1 == ranks)
            field[count + 1] = 1;
    }
    double sum = 0, total = 0, half = 0;
    for (int i = 1; i <= count; i++)
        sum += field[i];
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(&sum, &half, 1, MPI_DOUBLE, MPI_SUM, 0, halves);
    if (rank == 2)
        MPI_Send(field, 100, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
    if (rank == 0 && ranks > 2)
        MPI_Recv(next, 1000, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (rank == 0)
        printf(fabs(total - (ranks + 1.0) * WIDTH) < 1e-6 ? "ok\n" : "wrong: %g\n", total);
    MPI_Comm_free(&halves);
    MPI_Finalize();
    free(field);
    free(next);
    return 0;
}
