program sum_of_squares
  implicit none
  integer :: i
  real(8) :: x(1000), all
  x = [(1000 * (this_image() - 1) + i, i = 0, 999)]
  all = sum(x * x)
  call co_sum(all)
  if (this_image() == 1) print '(a, i0)', 'the sum of squares is ', int(all, 8)
end program sum_of_squares
