program halo
  implicit none
  real(8) :: grid(4, 0:9)[*]
  integer :: me, n, left, right, row
  me = this_image() - 1
  n = num_images()
  left = mod(me + n - 1, n) + 1
  right = mod(me + 1, n) + 1
  do row = 1, 4
    grid(row, 1:8) = 10 * me + row - 1
  end do
  grid(:, 9)[left] = grid(:, 1)
  grid(:, 0)[right] = grid(:, 8)
  sync all
  if (me == 0) then
    do row = 1, 4
      write (*, '(i0, 1x, i0, 1x)', advance='no') nint(grid(row, 0)), nint(grid(row, 9))
    end do
  end if
end program halo
