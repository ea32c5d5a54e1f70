! Two ranks of a Fortran program; compiled once with `use mpi`, once (-DF08) with `use mpi_f08`.
program messages
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer :: error, rank, i
  double precision :: x(100), total
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  x = rank
  !$acc parallel loop copy(x)
  do i = 1, 100
    x(i) = x(i) + 1
  end do
  if (rank == 0) call MPI_Send(x, 100, MPI_DOUBLE_PRECISION, 1, 5, MPI_COMM_WORLD, error)
  if (rank == 1) call MPI_Recv(x, 100, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &
                               MPI_STATUS_IGNORE, error)
  call MPI_Bcast(x, 10, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, error)
  call MPI_Allreduce(x(1), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0 .and. total == 2) print '(a)', 'ok'
  call MPI_Finalize(error)
end program
