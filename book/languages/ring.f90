program ring
  implicit none
  integer :: got[*], me, n
  me = this_image() - 1
  n = num_images()
  got[mod(me + 1, n) + 1] = me
  sync all
  if (me == 0) print '(a, i0)', 'PE 0 got ', got
end program ring
