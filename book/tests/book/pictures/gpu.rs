//! The pictures of a GPU's arrays and streams. The programs are run by the back end `host`.

use shmem::SignalOp;
use shmem::prelude::*;

use super::check;
use super::order::Lanes;
use super::svg::Picture;

#[symmetric]
static MINE: PerPe<[i64; 4]> = PerPe::new([0; 4]);
#[symmetric]
static HALO: PerPe<[i64; 4]> = PerPe::new([0; 4]);

#[shmem::test(npes = 2)]
fn who_owns_what(world: &World) -> Result<(), shmem::Error> {
    let me = world.my_pe();
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let mine = gpu.from_fn([4], |[j]| (10 * me + j + 1) as i64)?;
    let halo = gpu.zeros::<i64, 1>([4])?;
    if me == 0 {
        remote!(stream; halo[1, ..] = &mine[..]);
    }
    collective!(stream; barrier);
    // For the PE that draws.
    for (array, on) in [(&mine, &MINE), (&halo, &HALO)] {
        remote!(on[0, me, ..]) = array.to_vec(&stream)?.as_slice();
    }
    world.barrier_all();
    if me == 0 {
        draw(world.n_pes());
    }
    stream.synchronize()
}

fn draw(npes: usize) {
    let mut picture = Picture::new(
        "gpu",
        "Who owns what, with a GPU",
        "Two PEs. Each has host memory, with its variables and the handles of its arrays, and the memory of its GPU, \
         with its copies of the arrays mine and halo. The host of PE 0 issues a put on its stream, and does not wait. \
         The stream copies mine of PE 0 to halo of PE 1. PE 1 takes no part in that.",
    );
    picture.text(4.0, 14.0, "pale", "The host of PE 0 issues, and goes on:");
    picture.text(4.0, 32.0, "code", "remote!(stream; halo[1, ..] = &mine[..])");
    let top = |pe: usize| 44.0 + 176.0 * pe as f64;
    for pe in 0..npes {
        let y = top(pe);
        picture.frame((1.0, y), (318.0, 150.0), "frame");
        picture.text(10.0, y + 19.0, "strong", format_args!("PE {pe}"));
        picture.frame((8.0, y + 28.0), (108.0, 114.0), "plain");
        picture.text(16.0, y + 46.0, "", "host memory");
        for (at, line) in ["Vec, statics,", "the handles of", "mine and halo"]
            .into_iter()
            .enumerate()
        {
            let y = y + 66.0 + 17.0 * at as f64;
            picture.text(16.0, y, "number pale", line);
        }
        picture.frame((182.0, y + 28.0), (130.0, 114.0), "plain");
        picture.text(189.0, y + 46.0, "", "GPU memory");
        let arrays = [
            ("halo", local!(HALO[pe, ..]), 1 - pe),
            ("mine", local!(MINE[pe, ..]), pe),
        ];
        for (at, (name, values, from)) in arrays.into_iter().enumerate() {
            let y = y + 64.0 + 43.0 * at as f64;
            picture.text(189.0, y, "code", name);
            for (i, value) in values.into_iter().enumerate() {
                let class = match value {
                    0 => "frame".to_owned(),
                    _ => format!("pe{from}"),
                };
                let corner = (189.0 + 29.0 * i as f64, y + 5.0);
                picture.cell(corner, (29.0, 22.0), &class, value);
            }
        }
    }
    let y = top(0) + 70.0;
    picture.text(149.0, y - 7.0, "number middle", "stream");
    picture.cell((126.0, y), (46.0, 22.0), "on", "put");
    picture.arrow((116.0, y + 11.0), (126.0, y + 11.0), "");
    picture.arrow((172.0, y + 11.0), (189.0, y + 53.0), "move");
    let last = 189.0 + 3.5 * 29.0;
    picture.arrow((last, top(0) + 134.0), (last, top(1) + 68.0), "move");
    let between = top(1) - 9.0;
    picture.text(last - 8.0, between, "move strong end", "put, by the stream");
    check(&picture);
}

/// The stream of PE 0 waits while its host does not: PE 1 sends after the host of PE 0 has come to the
/// barrier.
#[shmem::test(npes = 2)]
fn put_signal_and_wait(world: &World) -> Result<(), shmem::Error> {
    let (me, other) = (world.my_pe(), 1 - world.my_pe());
    let gpu = world.gpu()?;
    let stream = gpu.stream()?;
    let heat = gpu.from_fn([2], |[i]| if i == 1 { me + 1 } else { 0 })?;
    let came = gpu.zeros::<Atomic<u64>, 1>([1])?;
    let send = || {
        remote!(stream; &heat[other, 0]).put_signal(
            remote!(stream; &heat[me, 1]),
            remote!(stream; &came[other, 0]),
            SignalOp::Set(1),
        );
        wait!(stream; came[0] >= 1);
        stream.record()
    };
    if me == 0 {
        let waited = send();
        assert!(!waited.is_over(), "PE 1 has sent nothing");
        world.barrier_all();
    } else {
        world.barrier_all();
        send();
    }
    assert_eq!(heat.to_vec(&stream)?, [other + 1, me + 1]);
    if me == 0 {
        draw_signals();
    }
    stream.synchronize()
}

fn draw_signals() {
    let mut picture = Picture::new(
        "gpu-signals",
        "A put with a signal, between two streams",
        "The streams of two PEs. Each runs the kernel step, puts its heat with a signal to the other one, and waits \
         for the signal of the other one. The kernel of PE 1 takes longer. So the stream of PE 0 waits, and the signal \
         of PE 0 is there before PE 1 asks for it. Then both streams run the next step. No host waits.",
    );
    picture.text(4.0, 14.0, "pale", "Each host has issued this, and goes on:");
    for (at, line) in ["step.launch(…)", "….put_signal(…)", "wait!(stream; …)"]
        .into_iter()
        .enumerate()
    {
        picture.text(4.0, 32.0 + 17.0 * at as f64, "code", line);
    }
    picture.text(96.0, 90.0, "number middle", "stream of");
    picture.text(222.0, 90.0, "number middle", "stream of");
    let mut lanes = Lanes::new(picture, [96.0, 222.0], 112.0, 274.0);
    lanes.during(0, 6.0, 34.0, "pe0");
    lanes.label(0, 24.0, "pale", "step");
    lanes.message(0, 38.0, 58.0, "move");
    lanes.label(0, 46.0, "move", "put_signal");
    lanes.during(0, 50.0, 112.0, "plain dashed");
    lanes.label(0, 84.0, "", "wait!");
    lanes.during(0, 118.0, 156.0, "pe0");
    lanes.label(0, 140.0, "pale", "next step");
    lanes.during(1, 6.0, 82.0, "pe1");
    lanes.label(1, 36.0, "pale", "step");
    lanes.label(1, 62.0, "move", "heat, signal");
    lanes.message(1, 88.0, 110.0, "move");
    lanes.label(1, 92.0, "move", "put_signal");
    lanes.label(1, 111.0, "", "wait!");
    lanes.label(1, 126.0, "good", "at once");
    lanes.during(1, 118.0, 156.0, "pe1");
    lanes.label(1, 146.0, "pale", "next step");
    check(&lanes.picture);
}
