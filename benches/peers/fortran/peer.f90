! The peer in Coarray Fortran: small works over OpenCoarrays, asked for over a socket: see ../README.md.
!
!     gfortran -O3 -fcoarray=lib conductor.c peer.f90 -lcaf_openmpi -o peer
program peer
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, error_unit, event_type, int64, real64
  implicit none

  interface
    integer(c_int) function bench_connect(pe, n_pes) bind(c)
      import :: c_int
      integer(c_int), value :: pe, n_pes
    end function
    integer(c_int) function bench_read(line, size) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(out) :: line(*)
      integer(c_int), value :: size
    end function
    integer(c_int) function bench_answer(nanoseconds) bind(c)
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: nanoseconds
    end function
    integer(c_int64_t) function bench_nanoseconds() bind(c)
      import :: c_int64_t
    end function
  end interface

  ! The words of each of the large arrays, those that are put one by one, those of a list, what the list is of,
  ! and the rows and columns of a plane, of a block of it, and of the array that has halos.
  integer, parameter :: room = 2097152, words = 1024, listed = 1024, among = 65536
  integer, parameter :: plane_side = 64, side = 32, square = 512

  ! What collectives and the transfers of image 1 write, and what they take; private memory.
  real(real64), allocatable :: to(:)[:], from(:)[:], own(:)
  integer(int64) :: row(0:words - 1)[*] = 0
  real(real64) :: plane(plane_side, plane_side)[*] = 0, tile(side, side), line_of_plane(plane_side), four(4)
  ! Cells of atomic updates: one, and a table. They have 32 bits.
  integer(atomic_int_kind) :: cell[*] = 0, counted = 0
  integer(atomic_int_kind), allocatable :: table(:)[:], found(:)
  type(event_type) :: came[*]
  ! A part of an array, with a frame around it.
  real(real64), allocatable :: frame(:, :)[:]
  integer :: rows, columns, down, across, my_row, my_column
  integer, allocatable :: neighbours(:), ring(:)

  integer :: me, n, i, j, list(listed), list_of_rows(side), list_of_columns(side)
  integer(int64) :: state, total = 0
  character(len=128) :: line

  me = this_image()
  n = num_images()
  call prepare()
  call try_all()
  if (bench_connect(me - 1, n) /= 0) error stop 1
  do while (next(line))
    call answer(line)
  end do

contains

  ! Allocates everything, and deals out what each image has of the array with halos.
  subroutine prepare()
    integer :: k
    allocate (to(room)[*], from(room)[*], table(0:room - 1)[*])
    allocate (own(room), found(0:room - 1))
    to = 0
    from = 0
    table = 0
    own = 0
    found = 0
    ! 40503 is odd, and so has no divisor in common with `among`.
    list = [(1 + int(mod(int(i, int64)*40503, int(among, int64))), i=0, listed - 1)]
    list_of_rows = [(1 + mod(i*37, plane_side), i=0, side - 1)]
    list_of_columns = [(1 + mod(i*11, plane_side), i=0, side - 1)]
    state = ior(int(me, int64)*7046029254386353131_int64, 1_int64)

    ! Each image names itself at most once, and not itself.
    if (n == 2) then
      ring = [3 - me]
    else
      ring = [1 + mod(me + n - 2, n), 1 + mod(me, n)]
    end if
    across = 1
    do k = 1, n
      if (k*k <= n .and. mod(n, k) == 0) across = k
    end do
    down = n/across
    my_row = (me - 1)/across
    my_column = mod(me - 1, across)
    rows = square/down
    columns = square/across
    allocate (frame(0:rows + 1, 0:columns + 1)[*])
    frame = 0
    allocate (neighbours(0))
    do i = -1, 1
      do j = -1, 1
        if ((i /= 0 .or. j /= 0) .and. is_there(i, j)) neighbours = [neighbours, beside(i, j)]
      end do
    end do
  end subroutine

  logical function is_there(i, j)
    integer, intent(in) :: i, j
    is_there = my_row + i >= 0 .and. my_row + i < down .and. my_column + j >= 0 .and. my_column + j < across
  end function

  integer function beside(i, j)
    integer, intent(in) :: i, j
    beside = 1 + (my_row + i)*across + my_column + j
  end function

  logical function next(line)
    character(len=*), intent(out) :: line
    next = bench_read(line, len(line)) >= 0
  end function

  ! A random index from 0 on, below `count`: Marsaglia's xorshift.
  integer function random_index(count)
    integer, intent(in) :: count
    state = ieor(state, shiftl(state, 13))
    state = ieor(state, shiftr(state, 7))
    state = ieor(state, shiftl(state, 17))
    ! There is no product of 128 bits: the upper 32 bits of the number are enough.
    random_index = int(shiftr(shiftr(state, 32)*int(count, int64), 32))
  end function

  subroutine answer(line)
    character(len=*), intent(in) :: line
    character(len=32) :: name
    integer(int64) :: bytes, stride, repeats, taken
    integer :: wrong
    read (line, *, iostat=wrong) name, bytes, stride, repeats
    if (wrong /= 0 .or. repeats < 1) then
      write (error_unit, '(3a)') 'peer: this is not an operation, its bytes, stride and repeats: ', trim(line)
      error stop 1
    end if
    taken = -1
    if (can(name, bytes, stride)) then
      sync all
      taken = bench_nanoseconds()
      if (.not. is_of_one(name)) then
        call together(name, int(bytes/8), repeats)
      else if (me == 1) then
        call alone(name, int(bytes/8), int(stride), repeats)
      end if
      taken = bench_nanoseconds() - taken
      ! An image that has nothing to do helps the library from here, while image 1 works on its memory.
      if (is_of_one(name)) sync all
      if (me /= 1) taken = 0
    end if
    if (bench_answer(taken) /= 0) error stop 1
  end subroutine

  logical function is_of_one(name)
    character(len=*), intent(in) :: name
    select case (name)
    case ('p', 'p_quiet', 'g', 'put', 'get', 'fetch_add', 'add', 'compare_swap', 'gather_constant', 'gather', &
          'scatter', 'outer', 'reversed', 'column', 'block')
      is_of_one = .true.
    case default
      is_of_one = .false.
    end select
  end function

  ! Whether there is such a work of this size here.
  logical function can(name, bytes, stride)
    character(len=*), intent(in) :: name
    integer(int64), intent(in) :: bytes, stride
    logical :: fits
    select case (name)
    case ('p', 'p_quiet', 'g', 'fetch_add', 'add', 'compare_swap')
      fits = bytes == 8
    case ('put', 'get')
      fits = bytes >= 8 .and. mod(bytes, 8_int64) == 0 .and. stride >= 1 .and. bytes/8*stride <= room
    case ('gather_constant')
      fits = bytes == 32
    case ('gather', 'scatter', 'reversed')
      fits = bytes == 8*listed
    case ('outer', 'block')
      fits = bytes == 8*side*side
    case ('column')
      fits = bytes == 8*plane_side
    case ('barrier', 'sync', 'sync_with', 'barrier_with')
      fits = bytes == 0
    case ('halo')
      fits = bytes == 8*square
    case ('fcollect', 'alltoall')
      fits = bytes >= 8 .and. mod(bytes, 8_int64) == 0 .and. bytes/8*n <= room
    case ('ping_pong', 'reduce', 'broadcast', 'updates', 'updates_batch', 'lookups', 'lookups_batch')
      fits = bytes >= 8 .and. mod(bytes, 8_int64) == 0 .and. bytes/8 <= room
    case default
      fits = .false.
    end select
    can = fits .and. n > 1 .and. (stride == 1 .or. name == 'put' .or. name == 'get')
  end function

  ! What image 1 does, on the memory of image 2.
  subroutine alone(name, count, stride, repeats)
    character(len=*), intent(in) :: name
    integer, intent(in) :: count, stride
    integer(int64), intent(in) :: repeats
    integer(int64) :: k
    integer :: item
    real(real64) :: whole(plane_side)
    integer(atomic_int_kind) :: old
    select case (name)
    case ('p')
      do k = 0, repeats - 1
        row(iand(k, int(words - 1, int64)))[2] = k
      end do
    case ('p_quiet')
      do k = 0, repeats - 1
        row(iand(k, int(words - 1, int64)))[2] = k
        sync memory
      end do
    case ('g')
      do k = 0, repeats - 1
        total = total + row(iand(k, int(words - 1, int64)))[2]
      end do
    case ('put')
      do k = 1, repeats
        if (stride == 1) then
          to(1:count)[2] = own(1:count)
        else
          to(1:(count - 1)*stride + 1:stride)[2] = own(1:count)
        end if
      end do
    case ('get')
      do k = 1, repeats
        if (stride == 1) then
          own(1:count) = to(1:count)[2]
        else
          own(1:count) = to(1:(count - 1)*stride + 1:stride)[2]
        end if
      end do
    case ('fetch_add')
      do k = 1, repeats
        call atomic_fetch_add(cell[2], 1, old)
      end do
      counted = counted + int(repeats, atomic_int_kind)
    case ('add')
      do k = 1, repeats
        call atomic_add(cell[2], 1)
      end do
      counted = counted + int(repeats, atomic_int_kind)
    case ('compare_swap')
      do k = 1, repeats
        call atomic_cas(cell[2], old, counted, counted + 1)
        counted = counted + 1
      end do
    case ('gather_constant')
      do k = 1, repeats
        four = to([3, 4, 6, 8])[2]
      end do
    case ('gather')
      do k = 1, repeats
        own(1:listed) = to(list)[2]
      end do
    case ('scatter')
      ! OpenCoarrays 2.10 fails in `to(list)[2] = own(1:listed)`.
      do k = 1, repeats
        do item = 1, listed
          to(list(item))[2] = own(item)
        end do
      end do
    case ('outer')
      ! It fails in two lists too, and in a list beside an index it takes the wrong column.
      do k = 1, repeats
        do item = 1, side
          whole = plane(:, list_of_rows(item))[2]
          tile(:, item) = whole(list_of_columns)
        end do
      end do
    case ('reversed')
      do k = 1, repeats
        own(1:listed) = to(listed:1:-1)[2]
      end do
    case ('column')
      ! Arrays are laid out column by column: what lies apart in memory is a row.
      do k = 1, repeats
        plane(plane_side, :)[2] = line_of_plane
      end do
    case ('block')
      do k = 1, repeats
        plane(17:48, 17:48)[2] = tile
      end do
    end select
    sync memory
  end subroutine

  ! What all images do. Of what a collective brings, and of a halo, each reads a word of each cache line: what nobody reads
  ! has not come. And each writes a word of each line of what it gives: what has not changed need not be sent.
  subroutine together(name, count, repeats)
    character(len=*), intent(in) :: name
    integer, intent(in) :: count
    integer(int64), intent(in) :: repeats
    integer(int64) :: k
    integer :: image, item, index
    do k = 1, repeats
      select case (name)
      case ('ping_pong')
        if (me == 1) then
          to(1:count)[2] = own(1:count)
          event post (came[2])
          event wait (came)
        else if (me == 2) then
          event wait (came)
          to(1:count)[1] = own(1:count)
          event post (came[1])
        end if
      case ('barrier', 'sync')
        sync all
      case ('sync_with', 'barrier_with')
        sync images (ring)
      case ('reduce')
        call renew(to(1:count:8))
        call co_sum(to(1:count))
        call look(to(1:count:8))
      case ('broadcast')
        if (me == 1) call renew(to(1:count:8))
        call co_broadcast(to(1:count), 1)
        call look(to(1:count:8))
      case ('fcollect')
        call renew(from(1:count:8))
        do image = 1, n
          to((me - 1)*count + 1:me*count)[image] = from(1:count)
        end do
        sync all
        call look(to(1:n*count:8))
      case ('alltoall')
        call renew(from(1:n*count:8))
        do image = 1, n
          to((me - 1)*count + 1:me*count)[image] = from((image - 1)*count + 1:image*count)
        end do
        sync all
        call look(to(1:n*count:8))
      case ('updates', 'updates_batch')
        do item = 1, count
          index = random_index(room*n)
          call atomic_add(table(mod(index, room))[1 + index/room], 1)
        end do
        sync all
      case ('lookups', 'lookups_batch')
        do item = 0, count - 1
          index = random_index(room*n)
          found(item) = table(mod(index, room))[1 + index/room]
        end do
        sync all
      case ('halo')
        call exchange()
      end select
    end do
  end subroutine

  ! Each image puts its borders to the frames of its neighbours, and meets them before and after.
  subroutine exchange()
    sync images (neighbours)
    if (is_there(-1, 0)) frame(rows + 1, 1:columns)[beside(-1, 0)] = frame(1, 1:columns)
    if (is_there(1, 0)) frame(0, 1:columns)[beside(1, 0)] = frame(rows, 1:columns)
    if (is_there(0, -1)) frame(1:rows, columns + 1)[beside(0, -1)] = frame(1:rows, 1)
    if (is_there(0, 1)) frame(1:rows, 0)[beside(0, 1)] = frame(1:rows, columns)
    if (is_there(-1, -1)) frame(rows + 1, columns + 1)[beside(-1, -1)] = frame(1, 1)
    if (is_there(-1, 1)) frame(rows + 1, 0)[beside(-1, 1)] = frame(1, columns)
    if (is_there(1, -1)) frame(0, columns + 1)[beside(1, -1)] = frame(rows, 1)
    if (is_there(1, 1)) frame(0, 0)[beside(1, 1)] = frame(rows, columns)
    sync images (neighbours)
    if (is_there(-1, 0)) call look(frame(0, 1:columns))
    if (is_there(1, 0)) call look(frame(rows + 1, 1:columns))
    if (is_there(0, -1)) call look(frame(1:rows:8, 0))
    if (is_there(0, 1)) call look(frame(1:rows:8, columns + 1))
    if (is_there(-1, -1)) call look(frame(0:0, 0))
    if (is_there(-1, 1)) call look(frame(0:0, columns + 1))
    if (is_there(1, -1)) call look(frame(rows + 1:rows + 1, 0))
    if (is_there(1, 1)) call look(frame(rows + 1:rows + 1, columns + 1))
  end subroutine

  ! Reads each of the words.
  subroutine look(at)
    real(real64), intent(in) :: at(:)
    real(real64), volatile :: seen
    integer :: k
    do k = 1, size(at)
      seen = at(k)
    end do
  end subroutine

  ! Writes each of the words, the value that it has already.
  subroutine renew(at)
    real(real64), intent(inout) :: at(:)
    real(real64), volatile :: seen
    integer :: k
    do k = 1, size(at)
      seen = at(k)
      at(k) = seen
    end do
  end subroutine

  subroutine expect(found, expected, what)
    real(real64), intent(in) :: found, expected
    character(len=*), intent(in) :: what
    if (abs(found - expected) > 0) then
      write (error_unit, '(a, i0, 3a, 2f12.2)') 'peer: PE ', me - 1, ': ', what, ' does not do what it says', found, expected
      error stop 1
    end if
  end subroutine

  ! Each work once, with a look at what it did.
  subroutine try_all()
    real(real64) :: held
    if (n < 2) return
    if (me == 1) then
      own(1:8) = [(i, i=1, 8)]
      call alone('put', 8, 3, 2_int64)
      call alone('get', 24, 1, 2_int64)
      call expect(own(4), 2d0, 'put with a stride, or get')
      call expect(own(5), 0d0, 'put with a stride, or get')
      call alone('get', 8, 3, 1_int64)
      call expect(own(8), 8d0, 'get with a stride')
      call alone('p', 1, 1, 4_int64)
      call alone('p_quiet', 1, 1, 4_int64)
      call alone('g', 1, 1, 4_int64)
      call expect(real(total, real64), 6d0, 'p or g')
      call alone('fetch_add', 1, 1, 2_int64)
      call alone('add', 1, 1, 3_int64)
      call alone('compare_swap', 1, 1, 4_int64)
      own(1:listed) = [(i, i=1, listed)]
      call alone('scatter', listed, 1, 1_int64)
      own(1:listed) = 0
      call alone('gather', listed, 1, 1_int64)
      call expect(own(listed), real(listed, real64), 'scatter or gather')
      line_of_plane = [(i, i=1, plane_side)]
      tile = 7
      call alone('column', plane_side, 1, 1_int64)
      call alone('block', side*side, 1, 1_int64)
      call alone('outer', side*side, 1, 1_int64)
      call expect(tile(3, 2), 7d0, 'outer')
      own(1:listed) = [(i, i=1, listed)]
      call alone('put', listed, 1, 1_int64)
      call alone('reversed', listed, 1, 1_int64)
      call expect(own(1), real(listed, real64), 'reversed')
      call alone('gather_constant', 4, 1, 1_int64)
      call expect(four(4), 8d0, 'gather_constant')
    end if
    sync all
    if (me == 2) then
      call expect(real(cell, real64), 9d0, 'an atomic update')
      call expect(plane(plane_side, 5), 5d0, 'column')
      call expect(plane(48, 48), 7d0, 'block')
      call expect(plane(49, 48), 0d0, 'block')
    end if
    own(1) = 20 + me
    call together('ping_pong', 1, 3_int64)
    if (me <= 2) call expect(to(1), real(23 - me, real64), 'ping_pong')
    sync all
    to(1) = me
    call together('reduce', 1, 1_int64)
    call expect(to(1), real(n*(n + 1)/2, real64), 'reduce')
    to(1) = me + 29
    call together('broadcast', 1, 1_int64)
    call expect(to(1), 30d0, 'broadcast')
    sync all
    from(1:n) = [((me - 1)*n + i, i=1, n)]
    call together('alltoall', 1, 1_int64)
    call expect(to(n), real((n - 1)*n + me, real64), 'alltoall')
    sync all
    call together('fcollect', 1, 1_int64)
    call expect(to(n), real((n - 1)*n + 1, real64), 'fcollect')
    sync all
    call together('updates', 1000, 2_int64)
    held = sum(real(table, real64))
    call co_sum(held)
    call expect(held, 2000d0*n, 'updates')
    call together('lookups', 1000, 1_int64)
    call together('barrier', 0, 2_int64)
    call together('sync_with', 0, 3_int64)
    frame = me
    call together('halo', square, 2_int64)
    if (me == 1) then
      call expect(frame(rows + 1, 1), real(1 + across, real64), 'halo, below')
      call expect(frame(0, 0), 1d0, 'halo, outside')
      if (across > 1) call expect(frame(1, columns + 1), 2d0, 'halo, to the right')
    end if
    sync all
    to = 0
    from = 0
    own = 0
    sync all
  end subroutine

end program peer
