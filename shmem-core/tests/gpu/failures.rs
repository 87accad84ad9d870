//! What goes wrong: at once where it can be known, else at the next synchronisation.

use std::panic::{AssertUnwindSafe, catch_unwind};

use shmem::prelude::*;

/// The message of the panic that `f` ends with.
#[track_caller]
pub(crate) fn panics(f: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("it should panic");
    payload
        .downcast_ref::<String>()
        .cloned()
        .unwrap_or_else(|| (*payload.downcast_ref::<&str>().unwrap()).to_owned())
}

#[shmem::test(npes = [2])]
fn mistakes_are_found_when_they_are_issued(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let (array, grid) = (gpu.zeros::<u32, 1>([8])?, gpu.zeros::<u32, 2>([2, 4])?);
    let cells = gpu.zeros::<Atomic<u64>, 1>([2])?;
    let team = gpu.team(world.team())?;
    let (nine, five, one) = (9, 5, 1);
    for (text, expected) in [
        (panics(|| remote!(stream; array[2, ..] = 1)), "there is no PE 2"),
        (panics(|| remote!(stream; array[0, ..nine] = 1)), "out of bounds"),
        (panics(|| remote!(stream; array[0, ..] = &array[..nine])), "out of bounds"),
        (panics(|| remote!(stream; array[0, ..five] = &grid[0, ..])), "the source has 4 elements"),
        (panics(|| remote!(stream; array[0, ..five] = &array[..one])), "the source has 1 element"),
        (panics(|| remote!(stream; array[0, ..] = &[1_u32; 9][..])), "the source has 9 elements"),
        (panics(|| array.copy_from(&stream, &[1; 7])), "the source has 7 elements"),
        (
            panics(|| remote!(stream; array[0, ..] => &mut vec![0; 7])),
            "the buffer to read into has 7 elements",
        ),
        (panics(|| array.copy_to(&stream, &mut [0; 7]).unwrap()), "the buffer to read into has 7 elements"),
        (panics(|| _ = array.peer_ptr(2)), "there is no PE 2"),
        (
            panics(|| collective!(stream; array[..five] = reduce_scatter sum array[..]; on team)),
            "it needs 5 for each of 2 PEs",
        ),
        (
            panics(|| {
                let signal = remote!(stream; &cells[1, 0]);
                remote!(stream; &array[0, ..]).put_signal(1, signal, SignalOp::Set(1));
            }),
            "a put and its signal must go to the same PE",
        ),
        (panics(|| collective!(stream; array[..] = fcollect array[..])), "2 times as long as the source"),
        (
            panics(|| collective!(stream; array[..five] = sum array[..])),
            "the destination of `sum` has 5 elements",
        ),
        (panics(|| collective!(stream; array[..five] = alltoall array[..five])), "no multiple of 2 PEs"),
        (
            panics(|| collective!(stream; array[..] = broadcast array[..] from 2)),
            "the root of a broadcast is 2",
        ),
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let text = panics(|| remote!(stream; grid[0, 2, 0] = 1));
    assert!(text.contains("device array #") && text.contains("DeviceArray<u32, 2> of 2 × 4"), "{text}");
    // Nothing of it was issued.
    stream.synchronize()?;
    world.barrier_all();
    assert_eq!(array.to_vec(&stream)?, [0; 8]);
    Ok(())
}

/// Views of a buffer are inside of it and aligned, and mistakes name their bytes.
#[shmem::test(npes = [2])]
fn views_that_do_not_fit(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (stream, buffer) = (gpu.stream()?, gpu.buffer(64)?);
    let view = buffer.view::<f64, 2>(16, [2, 3]);
    for (text, expected) in [
        (
            panics(|| drop(buffer.view::<f64, 2>(24, [2, 3]))),
            "a view of 2 × 3 elements of `f64`, which have 8 bytes each, ends after the 64 bytes of the buffer",
        ),
        (
            panics(|| drop(buffer.view::<u8, 1>(usize::MAX, [1]))),
            "where it begins at byte 18446744073709551615",
        ),
        (panics(|| drop(buffer.view::<u64, 2>(0, [0, usize::MAX]))), "ends after the 64 bytes"),
        (panics(|| drop(buffer.view::<u32, 1>(6, [2]))), "cannot begin at byte 6 of the buffer"),
        (panics(|| drop(buffer.view::<[u32; 3], 1>(4, [1]))), "write a multiple of 12"),
        (panics(|| remote!(stream; view[2, 0, 0] = 1.0)), "there is no PE 2"),
        (panics(|| remote!(stream; view[0, 0, 3] = 1.0)), "bytes 16 to 64 of device array #"),
        (panics(|| remote!(stream; view[0, 0, 3] = 1.0)), "DeviceArray<f64, 2> of 2 × 3"),
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(buffer.view::<u64, 1>(64, [0]).is_empty());
    stream.synchronize()
}

/// A fetch on a stream that has failed updates nothing, and its value is no value.
#[shmem::test(npes = [1])]
fn fetches_of_a_failed_stream(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (stream, cell, old) = (gpu.stream()?, gpu.zeros::<Atomic<u32>, 1>([1])?, gpu.zeros::<u32, 1>([1])?);
    let text = panics(|| remote!(stream; old[0, 0] = remote!(stream; &cell[1, 0]).fetch_add(1)));
    assert!(text.contains("there is no PE 1"), "{text}");
    world.local_phase(|_| {
        stream.quiet();
        assert!(stream.record().synchronize().is_err());
    });
    remote!(stream; old[0, 0] = remote!(stream; &cell[0, 0]).fetch_add(1));
    let text = panics(|| _ = remote!(stream; &cell[0, 0]).fetch_add(1).get());
    assert!(text.contains("the quiet that was issued at"), "{text}");
    assert!(stream.synchronize().is_err());
    assert_eq!(cell.to_vec(&gpu.stream()?)?, [0]);
    Ok(())
}

/// A local phase is no time for streams. The failure names the line of the operation, and the stream
/// does nothing more.
#[shmem::test(npes = [1, 2])]
fn a_failure_has_the_line_of_its_operation(world: &World) -> Result<(), shmem::Error> {
    let me = world.my_pe();
    let gpu = world.gpu()?;
    let array = gpu.zeros::<u32, 1>([4])?;
    let (stream, other) = (gpu.stream()?, gpu.stream()?);
    let before = stream.record();
    before.synchronize()?;
    let line = world.local_phase(|_| {
        let line = line!() + 1;
        stream.quiet();
        assert!(stream.record().synchronize().is_err());
        line
    });
    let event = stream.record();
    remote!(stream; array[me, ..] = 3); // left out
    let error = stream.synchronize().unwrap_err().to_string();
    let place = format!("the quiet that was issued at {}:{line}:", file!());
    assert!(error.contains(&place) && error.contains("the PE is in a local phase"), "{error}");
    assert_eq!(stream.synchronize().unwrap_err().to_string(), error, "it stays");
    assert_eq!(array.to_vec(&stream).unwrap_err().to_string(), error);
    let text = panics(|| drop(remote!(stream; array[me, ..])));
    assert!(text.contains(&place), "{text}");
    // A stream that waits for one that failed has failed too; an event before it has not.
    other.wait_for(&before);
    other.synchronize()?;
    other.wait_for(&event);
    let error = other.synchronize().unwrap_err().to_string();
    assert!(error.contains("an event of a stream that failed") && error.contains(&place), "{error}");
    assert_eq!(array.to_vec(&gpu.stream()?)?, [0; 4]);
    Ok(())
}

/// A stream that has failed leaves out a call of its team. So the PE makes no later one on whichever
/// stream: it would meet the call that it has left out. Other teams go on.
#[shmem::test(npes = [1, 2])]
fn no_call_of_a_team_follows_one_that_was_left_out(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let team = gpu.team(world.team())?;
    let (one, two, three) = (gpu.stream()?, gpu.stream()?, gpu.stream()?);
    let count = gpu.ones::<usize, 1>([1])?;
    collective!(one; count[..] = sum count[..]); // is made
    one.record().synchronize()?;
    world.local_phase(|_| {
        one.quiet();
        while !one.is_idle() {
            std::thread::yield_now();
        }
    });
    let line = line!();
    collective!(two; count[..] = max count[..]); // is made
    collective!(one; count[..] = sum count[..]); // is left out
    collective!(two; count[..] = sum count[..]); // is refused
    collective!(three; barrier); // is refused
    for (stream, what, line_of_it) in [(&two, "sum", line + 3), (&three, "barrier", line + 4)] {
        let error = stream.synchronize().unwrap_err().to_string();
        for part in [
            format!("the {what} that was issued at {}:{line_of_it}:", file!()),
            format!(
                "after one that failed or was left out, the sum that was issued at {}:{}:",
                file!(),
                line + 2
            ),
            format!("its stream had failed before: the quiet that was issued at {}:{}:", file!(), line - 5),
            "the PE is in a local phase".to_owned(),
        ] {
            assert!(error.contains(&part), "{part}: {error}");
        }
    }
    let fourth = gpu.stream()?;
    collective!(fourth; count[..] = sum count[..]; on team);
    assert_eq!(count.to_vec(&fourth)?, [world.n_pes() * world.n_pes()]);
    assert!(one.synchronize().is_err());
    Ok(())
}

/// So does a call that panics, here because the PEs disagree.
#[cfg(debug_assertions)]
#[shmem::test(npes = [2])]
fn no_call_of_a_team_follows_one_that_failed(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let (one, two) = (gpu.stream()?, gpu.stream()?);
    if world.my_pe() == 0 {
        collective!(one; barrier);
    } else {
        collective!(one; sync);
    }
    collective!(two; barrier);
    let error = two.synchronize().unwrap_err().to_string();
    assert!(error.contains("this PE makes no call of the team after one that failed"), "{error}");
    assert!(error.contains("the PEs disagree on collective call number"), "{error}");
    assert!(one.synchronize().unwrap_err().to_string().contains("the PEs disagree"));
    Ok(())
}

/// A failure that nobody asks for is not lost.
#[shmem::test(npes = [1])]
fn a_dropped_stream_tells_its_failure(world: &World) -> Result<(), shmem::Error> {
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    world.local_phase(|_| {
        stream.quiet();
        while !stream.is_idle() {
            std::thread::yield_now();
        }
    });
    let text = panics(|| drop(stream));
    assert!(text.contains("nobody has synchronised it: the quiet that was issued at"), "{text}");
    Ok(())
}
