/* A program of the mock MPI library, whose handles are ints. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

int MPI_Init(int *count, char ***words);
int MPI_Send(const void *buffer, int count, int type, int to, int tag, int communicator);
int MPI_Recv(void *buffer, int count, int type, int from, int tag, int communicator, int *status);
int MPI_Bcast(void *buffer, int count, int type, int root, int communicator);
int MPI_Alltoall(const void *out, int out_count, int out_type, void *in, int in_count, int in_type,
                 int communicator);
int MPI_Barrier(int communicator);
int MPI_Win_fence(int hints, int window);

enum { WORLD = 0x44000000, DOUBLE = 0x4c00080b, OTHER_TYPE = 1, UNNAMED = 0x44000001 };

int main(void)
{
    double values[8] = {0};
    int status[5] = {0};
    errno = 123;
    MPI_Init(NULL, NULL);
    MPI_Send(values, 8, DOUBLE, 2, 7, WORLD);
    MPI_Send(values, 8, OTHER_TYPE, 2, 7, UNNAMED);
    MPI_Recv(values, 8, DOUBLE, -2, -1, WORLD, (int *)1); /* MPI_STATUS_IGNORE */
    MPI_Recv(values, 8, DOUBLE, -2, -1, WORLD, status);
    MPI_Bcast(values, 4, DOUBLE, 1, WORLD);
    MPI_Bcast(values, 4, DOUBLE, 0, WORLD);
    MPI_Alltoall(values, 1, DOUBLE, values, 2, DOUBLE, WORLD);
    int good = MPI_Barrier(WORLD), bad = MPI_Barrier(UNNAMED);
    int absent = MPI_Win_fence(0, 1);
    printf("status %d %d, barriers %d %d, absent %d, errno %d\n", status[2], status[3], good, bad,
           absent, errno);
    return 0;
}
