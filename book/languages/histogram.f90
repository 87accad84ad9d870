program histogram
  use iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind) :: bins(0:15)[*] = 0, count
  integer :: me, n, i, bin
  me = this_image() - 1
  n = num_images()
  sync all
  do i = 0, 999
    bin = mod(mod(1000 * me + i, 137), 16)
    call atomic_add(bins(bin / n)[mod(bin, n) + 1], 1)
  end do
  sync all
  if (me == 0) then
    do bin = 0, 15
      call atomic_ref(count, bins(bin / n)[mod(bin, n) + 1])
      write (*, '(i0, 1x)', advance='no') count
    end do
  end if
end program histogram
