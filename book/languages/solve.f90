program solve
  implicit none
  integer, parameter :: cells = 16
  ! The direction of the search, with a ghost cell at each end.
  real(8) :: p(0:cells + 1)[*]
  real(8) :: x(cells), r(cells), q(cells), length, old, step, middle
  integer :: me, n, steps
  me = this_image()
  n = num_images()
  x = 0
  r = 1
  p = 0
  p(1:cells) = r
  length = dot(r, r)
  steps = 0
  do while (length > 1d-9)
    sync all
    if (me > 1) p(0) = p(cells)[me - 1]
    if (me < n) p(cells + 1) = p(1)[me + 1]
    sync all
    q = 2 * p(1:cells) - p(0:cells - 1) - p(2:cells + 1)
    step = length / dot(p(1:cells), q)
    x = x + step * p(1:cells)
    r = r - step * q
    old = length
    length = dot(r, r)
    p(1:cells) = r + length / old * p(1:cells)
    steps = steps + 1
  end do
  middle = maxval(x)
  call co_max(middle)
  if (me == 1) print '(i0, a, f0.3)', steps, ' steps, in the middle ', middle

contains

  function dot(a, b) result(all)
    real(8), intent(in) :: a(:), b(:)
    real(8) :: all
    all = dot_product(a, b)
    call co_sum(all)
  end function dot

end program solve
