program list_of_indices
  implicit none
  integer :: table(0:999)[*], list(5) = [3, 900, 17, 512, 77], got(5), me, n, i
  me = this_image() - 1
  n = num_images()
  table = [(1000 * me + i, i = 0, 999)]
  sync all
  got = table(list)[mod(me + 1, n) + 1]
  if (me == 0) print '(a, i0)', 'five elements of the next PE: ', sum(got)
  sync all
end program list_of_indices
