// Written by generate.rs, which says how; nothing here is written by hand.

#[shmem::gpu::kernel]
fn helper_0(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1 = ((((g as u16)) & ((((((g as usize)) >> (((p as isize)) & 7))) as u16)))) as u16;
    let mut v2 = (g) as f32;
    (trace as i32).wrapping_add((if (if (((v1 as u32)) != ((v1 as u32))) { (((v1 as u32)) > ((p as u32))) } else { (((g as u32)) > ((v2 as u32))) }) { (((v2 as i32)).wrapping_mul((v2 as i32))).min((((v1 as u32)) as i32)) } else { !(((g as i32)).wrapping_sub((v1 as i32))) }))
}

#[shmem::gpu::kernel]
fn kernel_0(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut tile = shared::<[i16; 8]>();
    trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);
    block_barrier();
    for q1 in (3_u16..=3).step_by(1) {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        let mut v2 = (((((((i) as u16)) >> ((((x) as u64)) & 7))) == (((q1) ^ (q1))))) as bool;
    }
    if (((i as f64)) > (((r) + (r)))) {
        let mut a3: [i32; 4] = [((!((n as isize))) as i32); 4];
    }
    if ((((true) as u8)) == (((r) as u8))) {
        let mut a4: [isize; 4] = [(!(55_isize)).min((i as isize)); 4];
        if !(((true) <= (false))) {
            let mut a5: [i32; 4] = [((a) | ((a).wrapping_add(1_i32))); 4];
        }
        for q6 in (0..2_u64).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q6 as i64);
            if ((x) > (x)) { continue; }
            a4[(((n) ^ ((i as usize)))) % 4] = isize::MIN;
        }
    }
    for q7 in (2_isize..=2).step_by(3) {
        trace = trace.wrapping_mul(31).wrapping_add(q7 as i64);
        let mut a8: [isize; 4] = [((((q7) | (q7))) / (((((q7) >> (((n as u32)) & 7))) & 7) | 1)); 4];
    }
    let mut vh = helper_0(s, x);
    local!(tile[thread_index()]) = (((61_i16) % ((((((r as i16)) >> (((i as i16)) & 7))) & 7) | 1))).wrapping_sub((((-(((x as i16)) >> 1)).abs()) ^ ((((r as i16)) % ((((n as i16)) & 7) | 1)))));
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 1) % block_size()]);
    vh |= a;
    for q9 in (3_i8..4).step_by(1) {
        trace = trace.wrapping_mul(31).wrapping_add(q9 as i64);
        if false { break; }
        let mut w10 = 0_u32;
        while w10 < 2 {
            w10 += 1;
            let mut v11 = (((r as f32)).mul_add((q9 as f32), 0.1)) as f32;
        }
    }
    let mut w12 = 0_u32;
    while w12 < 2 {
        w12 += 1;
        if false {
            let mut a13: [isize; 4] = [(vh as isize); 4];
            let mut v14: i8 = (-((((((r as i8)) >> (((a as u8)) & 7))).wrapping_sub((60_i8).wrapping_mul(7_i8))) >> 1)).abs();
        } else {
            let mut v15 = ((((0.1_f32).min(2.5)) - ((((65_u32).max(u32::MIN)) as f32)))) as f32;
            vt |= (((-((vt) >> 1))) & ((((-((vt) >> 1)).abs()) % ((((((vt) & 7) + ((vt) & 7))) & 7) | 1))));
        }
        if true {
            let mut v16 = (((((((s) >> ((s) & 7))).wrapping_sub(((x) as i64))) & 7) + ((!((s).wrapping_mul(s))) & 7))) as i64;
        } else {
            let mut v17 = ((((((x as f32 - 1.5)) * ((x).mul_add(0.1_f32, 0.1)))) as f64)) as f64;
            let mut vh: i64 = s;
            let mut v18: u64 = (!(((x) as u64))).max(50_u64);
        }
        for q19 in (0_usize..=3).step_by(3) {
            trace = trace.wrapping_mul(31).wrapping_add(q19 as i64);
            if !(true) { break; }
            let mut v20 = ((if (((((55_i64) & 7) * ((s) & 7))) == (((i as i64)).wrapping_mul(s))) { ((((vh) >> (((s as i64)) & 7))) as i16) } else { ((((vt) >> ((30_i8) & 7))) | ((if false { vt } else { vt }))) })) as i16;
            vh ^= (if (((((77_isize) & 7) * ((isize::MIN) & 7))) < ((-(((n as isize)) >> 1)).abs())) { (((((vh) as i32)) & 7) * ((((a) | (vh))) & 7)) } else { (i as i32) });
            let mut a21: [i32; 4] = [((((a) << ((s) & 7))) ^ (!((vh as i32)))); 4];
        }
    }
    let mut vh: f64 = (local!(reals[(n) % n])).mul_add(((((r) % (r))) * (((vh as f64)).max(2.5))), 0.1);
    remote!(block; moved[(my_pe() + 2) % n_pes(), my_pe(), 2..=3] = &source[n - 2..]);
    remote!(block; source[(my_pe() + 0) % n_pes(), 4..5] => &mut moved[my_pe(), 1 + block_index() * 2..2 + block_index() * 2]);
    if thread_index() == 0 {
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 0 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add(((((((((s) & 7) + ((s) & 7))) << ((72_usize) & 7))).wrapping_mul((((((s) >> (((x as u64)) & 7))) & 7) + ((((s as i64)).min(s)) & 7)))) << (((((((((r as u32)) as i8)) % (((46_i8) & 7) | 1))) as i64)) & 7)));
    local!(real_out[i]) = r;
    remote!(cells[(my_pe() + 0) % n_pes(), ((((((x as usize)) % ((((x as usize)) & 7) | 1))) / ((((if true { (s as usize) } else { n })) & 7) | 1))) % 4]) += (((((vt) ^ (vt))).min((((vt) & 7) * ((vt) & 7)))) as u32);
}

#[shmem::gpu::kernel]
fn helper_1(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1: i16 = ((((-(1.5_f64)) as i16)) | (((((g as f32)).ceil()) as i16)));
    let mut v1 = (((((((p) >> (((g as u16)) & 7))) as u64)) >> ((((((p as i16)).wrapping_add(v1)) % (((80_i16) & 7) | 1))) & 7))) as u64;
    (trace as i32).wrapping_add(!((((v1 as i32)).max(59_i32)).wrapping_sub((p as i32))))
}

#[shmem::gpu::kernel]
fn kernel_1(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    if false {
        let mut v1: usize = (((((((s as usize)) & (i))) >> ((((((s as u32)) & 7) * (((n as u32)) & 7))) & 7))) % (((((x) as usize)) & 7) | 1));
    }
    for q2 in 0_i16..2 {
        trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
        let mut v3: u16 = (((((u32::MAX + (((r as u32)) & 1))) as u16)) << (((((((r as u64)) & ((x as u64)))) ^ ((((q2 as u64)) | (u64::MIN))))) & 7));
        let mut w4 = 0_u32;
        while w4 < 2 {
            w4 += 1;
            let mut v5 = (((q2 as usize)).wrapping_mul((((40_u64).min((v3 as u64))) as usize))) as usize;
        }
        for q6 in (3..6_u16).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q6 as i64);
            let mut a7: [f64; 4] = [-(local!(reals[(n) % n])); 4];
            v3 ^= (((((((v3) ^ (q6))) & 7) + ((v3) & 7))) & (v3));
        }
    }
    let mut vh = helper_1(s, x);
    for q8 in 0_i16..=5 {
        trace = trace.wrapping_mul(31).wrapping_add(q8 as i64);
        if (if false { false } else { false }) { continue; }
        vh &= (((if ((s) < (s)) { (48_isize).wrapping_sub(10_isize) } else { (((54_isize) & 7) * (((vh as isize)) & 7)) })) as i32);
        let mut a9: [i64; 4] = [s; 4];
    }
    for q10 in 0_u8..=7 {
        trace = trace.wrapping_mul(31).wrapping_add(q10 as i64);
        if true { break; }
        for q11 in 2_u16..=6 {
            trace = trace.wrapping_mul(31).wrapping_add(q11 as i64);
            if ((false) ^ (true)) { continue; }
            let mut v12 = (i) as usize;
            v12 = (if ((((x) - (x))) <= (x)) { ((q11) as usize) } else { n });
            let mut vh: i16 = (if (((((n as i16)) as usize)) < ((((s as usize)) << ((82_u64) & 7)))) { ((((x) + (x))) as i16) } else { ((-(r)) as i16) });
        }
    }
    for q13 in (i64::MIN..=i64::MIN + 0).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q13 as i64);
        vh &= vh;
        for q14 in 0_i16..=4 {
            trace = trace.wrapping_mul(31).wrapping_add(q14 as i64);
            let mut a15: [f64; 4] = [local!(reals[(((i) >> (((s as i8)) & 7))) % n]); 4];
            vh |= ((((((q14) != (q14))) as u64)) as i32);
            let mut vh: isize = ((((x).ceil() as f32 - 1.5)) as isize);
        }
        let mut a16: [u64; 4] = [(((((true) as u64)) & 7) * (((if true { (a as u64) } else { (s as u64) })) & 7)); 4];
    }
    if false {
        for q17 in u32::MAX - 0..=u32::MAX {
            trace = trace.wrapping_mul(31).wrapping_add(q17 as i64);
            vh &= !(((((x as i32)) as i32)).wrapping_sub((if true { a } else { vh })));
            let mut a18: [i64; 4] = [(((((52_u32) & 7) + ((q17) & 7))) as i64); 4];
            let mut a19: [i8; 4] = [(((if true { (n as i8) } else { (vh as i8) })) << ((((a as i8)).wrapping_sub((n as i8))) & 7)); 4];
        }
        vh &= (vh as i32);
        vh |= (s as i32);
    } else {
        if ((((64_u8) as u16)) == (((50_u16) | (u16::MIN)))) {
            vh |= a;
            let mut a20: [i32; 4] = [(((((n as u16)) as i32)) >> ((!(31_usize)) & 7)); 4];
        }
        let mut v21: u16 = ((((((s as u16)) | ((s as u16)))).min((u16::MIN).min((a as u16)))) << ((((((n) ^ (usize::MIN))) ^ ((((r as i8)) as usize)))) & 7));
    }
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 0) % n_pes(), my_pe(), 0..=3] = &source[5..9]);
        remote!(source[(my_pe() + 0) % n_pes(), 0..3] => &mut moved[my_pe(), ..3]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 0 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add((n as i64));
    local!(real_out[i]) = (((((((!(false)) as usize)) & 7) + ((((((n) & (i))) % (((!(n)) & 7) | 1))) & 7))) as f64);
    remote!(cells[(my_pe() + 0) % n_pes(), ((((n).wrapping_sub(n)) ^ ((((n) & 7) + ((i) & 7))))) % 4]) -= ((((-((vh as f32))) as u32)) | ((((((84_u32) & ((s as u32)))) & 7) + (((if false { (n as u32) } else { (r as u32) })) & 7))));
}

#[shmem::gpu::kernel]
fn helper_2(p: i64, g: f32) -> i32 {
    let mut trace = p;
    if ((((((g as i32)) & 7) + (((p as i32)) & 7))) == ((((g as i32)) % ((((g as i32)) & 7) | 1)))) {
        let mut v1 = ((g as f64)) as f64;
        let mut v2: usize = (p as usize);
        let mut v3: i8 = ((if ((g) <= ((g as f32))) { ((((p as i8)) & 7) + ((99_i8) & 7)) } else { (((g as i8)) / ((((p as i8)) & 7) | 1)) })).min(((((v2 as i8)).min((g as i8))) | (((1_i8) & ((v1 as i8))))));
    }
    for q4 in u8::MAX - 1..=u8::MAX {
        trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
        if ((q4) < ((g as u8))) { continue; }
        let mut v5 = (q4) as u8;
        let mut v6 = ((((if ((g) > ((p as f32))) { (if false { 32_u64 } else { 39_u64 }) } else { (if false { (g as u64) } else { u64::MAX }) })) << ((((((((v5 as u64)) & 7) + (((g as u64)) & 7))) >> (((u16::MAX + (((g as u16)) & 1))) & 7))) & 7))) as u64;
    }
    (trace as i32).wrapping_add(!(((((if true { 36_i32 } else { (p as i32) })) & 7) + ((((g as i32)).wrapping_mul((p as i32))) & 7))))
}

#[shmem::gpu::kernel]
fn kernel_2(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    if ((((false) ^ (false))) >= (((true) >= (true)))) {
        for q1 in u32::MAX - 1..=u32::MAX {
            trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
            let mut v2 = (((((((s as i8)) & 7) * (((((x as i8)) >> (((i as i8)) & 7))) & 7))) as u8)) as u8;
        }
    } else {
        for q3 in (i32::MIN..=i32::MIN + 0).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q3 as i64);
            let mut v4 = ((((((s).max(s)) / ((((s).min(33_i64)) & 7) | 1))) == (((((67_i64) >> ((53_i32) & 7))) >> ((((a as isize)).wrapping_sub(17_isize)) & 7))))) as bool;
            let mut a5: [u32; 4] = [(15_u32).wrapping_add((a as u32)); 4];
        }
    }
    let mut a6: [f64; 4] = [local!(reals[((((n as usize)) % (((i) & 7) | 1))) % n]); 4];
    for q7 in (1_i16..=3).step_by(2) {
        trace = trace.wrapping_mul(31).wrapping_add(q7 as i64);
        if true { break; }
        let mut v8: u32 = (a as u32);
    }
    let mut vh = helper_2(s, x);
    a6[(((n) << (((a as u32)) & 7))) % 4] = ((((i as f64)) * (r))).min(2.5);
    if ((((false) | (true))) | (((u32::MIN) <= ((s as u32))))) {
        a6[((((r as usize)) << ((41_i16) & 7))) % 4] = (if false { r } else { ((r) - (r)) });
        let mut a9: [f64; 4] = [((r) * ((r).mul_add(0.375_f64, 0.1))); 4];
        let mut a10: [i32; 4] = [(((((x as i32)) << ((s) & 7))) / ((((((a) & 7) + ((a) & 7))) & 7) | 1)); 4];
    } else {
        for q11 in (u32::MIN..=u32::MIN + 2).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q11 as i64);
            vh &= (((((s).max(s)) >= (((51_isize) as i64)))) as i32);
            vh = (x as i32);
        }
        vh ^= (((((((a) & 7) + ((a) & 7))).max((-((vh) >> 1)))) & 7) * ((a) & 7));
        a6[(((s) as usize)) % 4] = ((r) + (a6[((s as usize)) % 4]));
    }
    for q12 in (3_u8..4).step_by(1) {
        trace = trace.wrapping_mul(31).wrapping_add(q12 as i64);
        if ((false) & (true)) { break; }
        let mut a13: [i16; 4] = [((62_i64) as i16); 4];
        vh |= ((((((a) + (vh))) & ((a).max((q12 as i32))))) / ((((i as i32)) & 7) | 1));
        vh ^= ((((vh as i32)).wrapping_mul(((vh as i32)).wrapping_mul(96_i32))) >> ((((((a as i64)).max((r as i64))) / (((s) << (((i as u32)) & 7))))) & 7));
    }
    let mut w14 = 0_u32;
    while w14 < 4 {
        w14 += 1;
        vh &= (if false { (if (if true { true } else { true }) { vh } else { (((a) & 7) + ((41_i32) & 7)) }) } else { ((((a) >> ((vh) & 7))) << ((((true) as u16)) & 7)) });
    }
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 1) % n_pes(), my_pe(), 2 + block_index() * 3..3 + block_index() * 3] = &source[4..5]);
        remote!(source[(my_pe() + 0) % n_pes(), 0..4] => &mut moved[my_pe(), 0 + block_index() * 3..4 + block_index() * 3]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 1 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add(s);
    local!(real_out[i]) = a6[((((if ((true) & (true)) { ((n) / (((96_usize) & 7) | 1)) } else { n })) & (((((x) as usize)) / ((((if false { n } else { i })) & 7) | 1))))) % 4];
    remote!(cells[(my_pe() + 0) % n_pes(), (((((n).wrapping_mul((x as usize))) & 7) * (((if true { (x as usize) } else { i })) & 7))) % 4]) ^= ((82_u32) ^ ((n as u32)));
}

#[shmem::gpu::kernel]
fn helper_3(p: i64, g: f32) -> i32 {
    let mut trace = p;
    if false {
        let mut v1: bool = (((if ((83_isize) < (isize::MAX)) { ((g) % (g)) } else { g })) >= (((((p as i8)) as f32) as f32 - 1.5)));
        v1 = (((((if v1 { 23_u16 } else { (v1 as u16) })) != (((0.375_f64) as u16)))) & ((((2e3_f64 as f64 - 1.5)) > (((1e-7_f64) / ((g as f64)))))));
    } else {
        let mut a2: [f32; 4] = [(((((g as f64)) - ((g as f64)))) as f32); 4];
        let mut a3: [f64; 4] = [((((g as i8)).min(35_i8)) as f64); 4];
    }
    let mut v4: f32 = (g as f32);
    (trace as i32).wrapping_add(((((((true) & (false))) && ((((v4 as u32)) == ((v4 as u32)))))) as i32))
}

#[shmem::gpu::kernel]
fn kernel_3(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut tile = shared::<[u64; 8]>();
    trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);
    block_barrier();
    let mut w1 = 0_u32;
    while w1 < 4 {
        w1 += 1;
        for q2 in (0_u8..3).step_by(1) {
            trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
            let mut a3: [usize; 4] = [(((q2) as usize)).wrapping_mul(((n) % (((n) & 7) | 1))); 4];
            let mut v4: f64 = (((a as i16)) as f64);
        }
    }
    if true {
        let mut v5: u32 = 73_u32;
    } else {
    }
    if !(false) {
        let mut v6 = (((x) <= (((if true { x } else { x })).max(2.5)))) as bool;
        let mut a7: [f64; 4] = [((if v6 { r } else { r }) as f64 - 1.5); 4];
    }
    if (((((n as i64)) == (s))) || (true)) {
        if !(((r) < (r))) {
            let mut v8 = ((if (((((s as isize)) & ((x as isize)))) < (((19_isize) / ((((n as isize)) & 7) | 1)))) { i } else { ((((n) / ((((s as usize)) & 7) | 1))) as usize) })) as usize;
            v8 |= !((((if true { v8 } else { (n as usize) })) >> ((i) & 7)));
            let mut v9 = ((((r).mul_add(r, 0.1) as f64 - 1.5)).trunc()) as f64;
        } else {
        }
    } else {
        if !(((true) == (false))) {
            let mut v10: i16 = ((((true) as u64)) as i16);
            v10 &= ((((((if false { (v10 as i16) } else { v10 })) & 7) + (((((v10) & 7) * ((v10) & 7))) & 7))) ^ (v10));
        } else {
        }
        for q11 in (2_u8..4).step_by(1) {
            trace = trace.wrapping_mul(31).wrapping_add(q11 as i64);
            let mut v12: u32 = 60_u32;
            v12 = ((((v12) / (((((v12) & (v12))) & 7) | 1))) * ((((v12).wrapping_mul(v12)) << (((if false { (s as u16) } else { (x as u16) })) & 7))));
        }
    }
    let mut vh = helper_3(s, x);
    local!(tile[thread_index()]) = ((((((r as u64)) << (((vh as u64)) & 7))).wrapping_mul((((37_u64) & 7) + (((x as u64)) & 7)))) as u64);
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 4) % block_size()]);
    let mut a13: [u32; 4] = [(if ((r) > (r)) { 11_u32 } else { (i as u32) }); 4];
    let mut w14 = 0_u32;
    while w14 < 4 {
        w14 += 1;
        a13[(((usize::MIN) ^ (i))) % 4] = ((a13[(i) % 4]) as u32);
        if true {
            let mut v15: u8 = ((((((vh as i16)).wrapping_mul((vh as i16))) as u8)) >> ((((((vh as isize)).wrapping_add((i as isize))) | (((r) as isize)))) & 7));
            let mut v16 = ((vt as u16)) as u16;
        } else {
            vh |= (((if ((n) >= ((x as usize))) { ((11_u8) as i32) } else { (if true { (s as i32) } else { vh }) })) as i32);
            vh |= ((-(((((vh) & 7) + ((a) & 7))) >> 1)).abs()).wrapping_sub(((((88_i32) << ((n) & 7))) | ((a).wrapping_sub((a as i32)))));
            let mut a17: [f64; 4] = [(((r) - (r)) as f64 - 1.5); 4];
        }
        vt ^= (((((n as u64)).wrapping_add(vt)).min(((vt) >> (((n as usize)) & 7)))) << (((s as u32)) & 7));
    }
    if (((r).floor()) != (((r) + (r)))) {
        let mut a18: [i8; 4] = [!(((x) as i8)); 4];
        let mut a19: [u16; 4] = [((((i) > (i))) as u16); 4];
    } else {
        if ((((x) <= ((i as f32)))) != (false)) {
            let mut a20: [f64; 4] = [(((r) * (r)) as f64 - 1.5); 4];
            let mut a21: [f64; 4] = [((local!(source[(i) % n])) as f64); 4];
        }
    }
    let mut a22: [f32; 4] = [((((n as f64)) as f32)).mul_add((x).max(2.5), 0.1); 4];
    remote!(warp; moved[(my_pe() + 0) % n_pes(), my_pe(), ..1] = &source[n - 1..]);
    remote!(warp; source[(my_pe() + 2) % n_pes(), 2..5] => &mut moved[my_pe(), ..3]);
    if thread_index() == 0 {
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 2 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add((((((((((1e-7_f64) as i64)) / (((((s) >> ((80_i8) & 7))) & 7) | 1))) & 7) * ((((((s) ^ ((a as i64)))) % (((s) & 7) | 1))) & 7))) % ((((((a as f64)) as i64)) & 7) | 1)));
    local!(real_out[i]) = local!(reals[(((i16::MAX) as usize)) % n]);
    remote!(cells[(my_pe() + 0) % n_pes(), ((if true { ((i) >> (((vt as isize)) & 7)) } else { i })) % 4]) += (((((-((vh) >> 1)).abs()) as f32)) as u32);
}

#[shmem::gpu::kernel]
fn helper_4(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1 = ((p as i32)) as i32;
    v1 = (if !(((1.5_f64) <= ((v1 as f64)))) { v1 } else { (((((v1) as i32)) & 7) + (((v1).min(v1)) & 7)) });
    (trace as i32).wrapping_add(3_i32)
}

#[shmem::gpu::kernel]
fn kernel_4(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut v1: bool = !((if (if true { false } else { false }) { !(true) } else { (if true { false } else { false }) }));
    let mut v2: f64 = ((if (((v1 as i8)) > ((a as i8))) { 123456.78_f64 } else { r })).mul_add(((((68_i8) as f64)) % ((((i as f64)) + ((i as f64))))), 0.1);
    v1 ^= !(!(!(v1)));
    let mut v3 = (false) as bool;
    let mut vh = helper_4(s, x);
    let mut a4: [f32; 4] = [((0.375_f32 as f32 - 1.5) as f32 - 1.5); 4];
    let mut v5: f64 = ((if !(v1) { (0.375_f64).min(2.5) } else { ((i16::MAX) as f64) })).mul_add(-((v2).mul_add(r, 0.1)), 0.1);
    for q6 in (2..2_isize).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q6 as i64);
        v2 -= -((((v2) - (v2))).mul_add(0.375_f64, 0.1));
        a4[((if v1 { n } else { i })) % 4] = a4[(((n) << ((91_u16) & 7))) % 4];
        v3 = !((((((v3 as u64)) != (84_u64))) || (!(v1))));
    }
    let mut v7: usize = 18_usize;
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 0) % n_pes(), my_pe(), 0 + block_index() * 4..1 + block_index() * 4] = &source[0..1]);
        remote!(source[(my_pe() + 0) % n_pes(), n - 1..] => &mut moved[my_pe(), 0..=0]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(0, 0 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add((((((((((s) / (((s) & 7) | 1))) / (((!((a as i64))) & 7) | 1))) / (((((((s) << (((v5 as u64)) & 7))) << (((((v2 as u64)) ^ ((vh as u64)))) & 7))) & 7) | 1))) & 7) + ((s) & 7)));
    local!(real_out[i]) = (((-(((a) as f64)) as f64 - 1.5)) * (v5));
    remote!(cells[(my_pe() + 1) % n_pes(), (((((false) >= (v3))) as usize)) % 4]) -= ((((((((v7 as u16)) as u16)) & 7) + (((if false { 70_u16 } else { 8_u16 })) & 7))) as u32);
}

#[shmem::gpu::kernel]
fn helper_5(p: i64, g: f32) -> i32 {
    let mut trace = p;
    for q1 in (3_u32..7).step_by(1) {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        let mut v2: u16 = (if false { (((if false { 34_i8 } else { (q1 as i8) })) as u16) } else { ((!(56_i32)) as u16) });
    }
    (trace as i32).wrapping_add((if true { (-(((if true { (p as i32) } else { 71_i32 })) >> 1)).abs() } else { ((!(16_i32)) & ((if false { 51_i32 } else { (g as i32) }))) }))
}

#[shmem::gpu::kernel]
fn kernel_5(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut v1: u8 = (x as u8);
    v1 = (((((s) & (s))) as u8)).wrapping_add((((v1) >> (((r as u32)) & 7))).wrapping_sub((((n as i64)) as u8)));
    v1 ^= (((((x) * (x))).floor()) as u8);
    v1 &= ((((((s as f64)).ceil()) + (local!(reals[(n) % n])))) as u8);
    let mut vh = helper_5(s, x);
    let mut a2: [isize; 4] = [((((r as isize)) % (((isize::MIN) & 7) | 1))).max((-((22_isize) >> 1))); 4];
    a2[(i) % 4] = ((((71_i16) >> ((34_isize) & 7))) as isize);
    for q3 in (3_isize..2).step_by(1) {
        trace = trace.wrapping_mul(31).wrapping_add(q3 as i64);
        let mut w4 = 0_u32;
        while w4 < 4 {
            w4 += 1;
            let mut v5: u64 = ((((vh) as u64)) >> (((if false { 63_i8 } else { ((x) as i8) })) & 7));
        }
    }
    a2[((((r as u16)) as usize)) % 4] = (if ((true) || (false)) { ((((vh as isize)) & 7) * ((isize::MAX) & 7)) } else { ((16_u16) as isize) });
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 2) % n_pes(), my_pe(), ..3] = &source[n - 3..]);
        remote!(source[(my_pe() + 0) % n_pes(), 4..7] => &mut moved[my_pe(), 0 + block_index() * 3..3 + block_index() * 3]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(0, 0 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add(((!(((s) ^ ((((vh as u64)) as i64))))) & (!(s))));
    local!(real_out[i]) = (if ((((((if false { (vh as isize) } else { (i as isize) })) & 7) + (((((a as isize)) ^ ((r as isize)))) & 7))) < (!(a2[((s as usize)) % 4]))) { (-((((n as f64)) / ((r as f64))))).min(2.5) } else { (n as f64) });
    remote!(cells[(my_pe() + 0) % n_pes(), (((((if false { n } else { 83_usize })) & 7) + ((i) & 7))) % 4]) ^= ((!(!((v1 as usize)))) as u32);
}

#[shmem::gpu::kernel]
fn helper_6(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut w1 = 0_u32;
    while w1 < 3 {
        w1 += 1;
        let mut a2: [i8; 4] = [(((if false { (p as i8) } else { (g as i8) })) % (((((true) as i8)) & 7) | 1)); 4];
    }
    let mut v3 = (((((((62_i64) as i8)) as i8)) as i16)) as i16;
    (trace as i32).wrapping_add((((-(g)).max(2.5)) as i32))
}

#[shmem::gpu::kernel]
fn kernel_6(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut tile = shared::<[f32; 8]>();
    trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);
    block_barrier();
    for q1 in (i16::MIN..=i16::MIN + 2).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        if ((true) & (((r) <= (r)))) {
        } else {
            let mut v2 = (((s) << (((if (((n as i8)) != (8_i8)) { ((s) | (s)) } else { ((r) as i64) })) & 7))) as i64;
            let mut v3 = (true) as bool;
            v2 ^= (local!(source[((if v3 { i } else { i })) % n])).max(((((((s) & 7) * ((s) & 7))) & 7) * ((((v2) >> ((83_u16) & 7))) & 7)));
        }
        if (((((n as u16)) as u64)) != ((if true { (s as u64) } else { (n as u64) }))) {
            let mut v4: f64 = (if (((if true { false } else { true })) && (((true) || (false)))) { (if (((r as u64)) > ((r as u64))) { (r).mul_add((i as f64), 0.1) } else { (r).mul_add(r, 0.1) }) } else { (if ((63_i8) != ((s as i8))) { ((r) % (r)) } else { local!(reals[(i) % n]) }) });
        }
        let mut v5: f32 = ((-(x)).mul_add(((x) as f32), 0.1)).mul_add((if true { x } else { ((2e3_f32) / (x)) }), 0.1);
    }
    if (if true { ((false) && (true)) } else { !(true) }) {
    } else {
        let mut v6 = (((if (((x as i16)) < (18_i16)) { (if true { x } else { x }) } else { ((x) / (x)) })).mul_add((((((n as i8)) as f32)) / (((s as f32)).min(2.5))), 0.1)) as f32;
        let mut v6 = (local!(reals[(((((((s as u8)) & 7) + ((61_u8) & 7))) as usize)) % n])) as f64;
        v6 -= -(((r) * ((if false { r } else { r }))));
    }
    let mut v7: u16 = ((((35_u16) & 7) + (((((s as u16)) ^ ((x as u16)))) & 7))).wrapping_mul(((((n) >> ((s) & 7))) as u16));
    v7 = ((!(((true) as u16))) >> ((((((u8::MIN) | (9_u8))) ^ ((((a as u8)) | (70_u8))))) & 7));
    let mut vh = helper_6(s, x);
    local!(tile[thread_index()]) = (if !(!(true)) { (a as f32) } else { -(((x) * (x))) });
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 0) % block_size()]);
    for q8 in (i64::MIN..=i64::MIN + 2).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q8 as i64);
        vh |= (-((!(((a) | ((i as i32))))) >> 1));
        if (if !(false) { (((q8 as u8)) < ((x as u8))) } else { ((true) & (true)) }) {
            v7 ^= ((!((((a as isize)) << (((x as i32)) & 7)))) as u16);
            let mut v9 = ((((((((if false { (v7 as u8) } else { 54_u8 })) & 7) * (((if true { (a as u8) } else { (a as u8) })) & 7))) & 7) * (((((((27_u8) | ((a as u8)))) & 7) + (((v7 as u8)) & 7))) & 7))) as u8;
        }
    }
    v7 &= (((((58_u32) % ((((n as u32)) & 7) | 1))) as u16)).min(((((r) - (r))) as u16));
    for q10 in (i8::MIN..=i8::MIN + 0).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q10 as i64);
        for q11 in (u8::MIN..=u8::MIN + 3).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q11 as i64);
            if ((68_u32) == ((q10 as u32))) { continue; }
            vh = (if (if !(false) { (if true { true } else { true }) } else { (if true { true } else { false }) }) { ((a) << (((((vt as i16)) ^ ((vt as i16)))) & 7)) } else { ((vh) | (((vh) << (((a as isize)) & 7)))) });
            let mut a12: [i16; 4] = [(((((59_i16) & 7) * ((67_i16) & 7))) << ((((vh as i64)).wrapping_sub(s)) & 7)); 4];
        }
        let mut vt = ((((((vt) * (x))).sqrt()) < (((((vt) * ((v7 as f32)))) + (vt))))) as bool;
    }
    if !((if false { true } else { true })) {
        let mut v13: f32 = (((if ((true) || (true)) { ((vt) * (x)) } else { -(vt) })) * (((vt).mul_add(x, 0.1)).max(2.5)));
        let mut a14: [f32; 4] = [(((x) + (x))).mul_add((v13).ceil(), 0.1); 4];
    }
    remote!(block; moved[(my_pe() + 2) % n_pes(), my_pe(), ..2] = &source[5..7]);
    remote!(warp; source[(my_pe() + 0) % n_pes(), 0..1] => &mut moved[my_pe(), 1..=1]);
    if thread_index() == 0 {
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 0 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add((if !(((((vt as isize)).wrapping_mul((s as isize))) >= (!((vh as isize))))) { (((s).wrapping_mul(s)).wrapping_add((if false { s } else { s }))).max((s).wrapping_add(((s) << ((s) & 7)))) } else { s }));
    local!(real_out[i]) = ((((vh) as f64)) % (local!(reals[((((r) as usize)).wrapping_mul(((i) | (i)))) % n])));
    remote!(cells[(my_pe() + 0) % n_pes(), ((((v7 as u16)) as usize)) % 4]) += 9_u32;
}

#[shmem::gpu::kernel]
fn helper_7(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1: i16 = ((!((-(((g as i16)) >> 1)).abs())) ^ ((((0.375_f64).sqrt()) as i16)));
    let mut v2 = (-((((if true { 27_isize } else { (p as isize) })) as f64))) as f64;
    (trace as i32).wrapping_add((if (if ((v2) == (1.5_f64)) { !(false) } else { !(true) }) { (((((v1 as i32)) & ((g as i32)))) & (3_i32)) } else { (if (((v2 as isize)) <= (85_isize)) { !((p as i32)) } else { ((((v1 as i32)) & 7) + (((v1 as i32)) & 7)) }) }))
}

#[shmem::gpu::kernel]
fn kernel_7(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    if ((-((s as f64))) == ((r).ceil())) {
        let mut v1 = ((((((x as f32 - 1.5)) - ((x).abs()))) as f32)) as f32;
    }
    let mut vh = helper_7(s, x);
    vh |= 4_i32;
    let mut v2 = (((((!(false)) == ((((r as isize)) == ((r as isize)))))) >= ((((((a as u32)) as u32)) <= ((((vh as u32)) | ((s as u32)))))))) as bool;
    let mut v3 = (local!(reals[((if v2 { ((i) >> ((56_u16) & 7)) } else { ((88_i16) as usize) })) % n])) as f64;
    for q4 in 1_u32..=2 {
        trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
        v3 = (if (((((x as u8)) == (u8::MIN))) | ((((a as u16)) != ((v3 as u16))))) { (-((n as f64))).min(2.5) } else { v3 });
        vh ^= ((vh) % (((((((96_i32) >> (((i as isize)) & 7))) % (((((vh) & (a))) & 7) | 1))) & 7) | 1));
        let mut w5 = 0_u32;
        while w5 < 4 {
            w5 += 1;
            let mut v6: usize = (if ((((22_u64) > (43_u64))) ^ ((((q4 as isize)) < (30_isize)))) { ((((i) / (((i) & 7) | 1))) | ((((n as isize)) as usize))) } else { n });
            let mut v2: usize = v6;
        }
    }
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 2) % n_pes(), my_pe(), ..4] = &source[4..8]);
        remote!(source[(my_pe() + 1) % n_pes(), 4..5] => &mut moved[my_pe(), ..1]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(0, 0 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add(((((((((((v2 as isize)) & 7) * (((vh as isize)) & 7))) as i64)) % (((((78_u32) as i64)) & 7) | 1))) ^ ((if ((local!(reals[(98_usize) % n])) == (local!(reals[(i) % n]))) { s } else { (((((s) & 7) * ((s) & 7))) & (((91_i64) << (((i as i32)) & 7)))) }))));
    local!(real_out[i]) = local!(reals[(((((v3 as usize)) & 7) + ((((((i) / (((7_usize) & 7) | 1))) >> ((((i32::MAX) >> (((i as u16)) & 7))) & 7))) & 7))) % n]);
    remote!(cells[(my_pe() + 1) % n_pes(), (((((13_i8) as usize)) ^ (((n) & ((v2 as usize)))))) % 4]) -= ((v2) as u32);
}

#[shmem::gpu::kernel]
fn helper_8(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut a1: [isize; 4] = [(-(((((g as isize)) >> ((81_i8) & 7))) >> 1)); 4];
    for q2 in (3_u64..=7).step_by(2) {
        trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
        let mut v3 = (((((p) as f32)) % (((g).min(2.5)).mul_add((((q2 as f64)) as f32), 0.1)))) as f32;
    }
    (trace as i32).wrapping_add(46_i32)
}

#[shmem::gpu::kernel]
fn kernel_8(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    for q1 in (3..4_i64).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        if ((false) && (false)) { continue; }
        let mut v2: f32 = (if true { -((if false { (n as f32) } else { x })) } else { (((((r as u64)) >> ((92_i16) & 7))) as f32) });
        let mut w3 = 0_u32;
        while w3 < 4 {
            w3 += 1;
            v2 += (-((((s as usize)) as f32)) as f32 - 1.5);
            v2 += -(((((((s as i8)) & 7) + ((65_i8) & 7))) as f32));
            v2 += ((((if false { v2 } else { x }) as f32 - 1.5)) - ((if (if true { false } else { true }) { (if false { v2 } else { x }) } else { ((x) % ((v2 as f32))) })));
        }
    }
    for q4 in (0_u64..4).step_by(3) {
        trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
        if ((x) <= (x)) { continue; }
    }
    if true {
        if (((((n as i8)) & (58_i8))) > ((s as i8))) {
            let mut v5: i16 = (((((((((x as i16)) & 7) + (((r as i16)) & 7))) << (((((a) & 7) + ((a) & 7))) & 7))) & 7) * (((((69_i16).wrapping_add(19_i16)) as i16)) & 7));
            let mut v6: bool = !(((((v5) != ((n as i16)))) && ((((r as isize)) <= ((v5 as isize))))));
            let mut v7: i32 = ((((((a).min(a)) & 7) + ((((a) ^ (a))) & 7))) % ((((((if v6 { a } else { a })) / ((((((i as usize)) as i32)) & 7) | 1))) & 7) | 1));
        } else {
        }
    }
    for q8 in 3_usize..6 {
        trace = trace.wrapping_mul(31).wrapping_add(q8 as i64);
        let mut v9 = ((((((if true { a } else { 47_i32 })) as usize)) as isize)) as isize;
        v9 |= ((((((v9) << (((i as u8)) & 7))) >> (((((s as u64)) as u8)) & 7))) << (((x as i32)) & 7));
        let mut v10 = ((((((x).max(2.5)) as f32)) * (((((r) as f32)) * (((n) as f32)))))) as f32;
    }
    let mut vh = helper_8(s, x);
    let mut v11 = ((((if true { x } else { (vh as f32) }) as f32 - 1.5)).min(2.5)) as f32;
    let mut v12 = (v11) as f32;
    if ((((49_u8) as isize)) == ((x as isize))) {
        let mut v13: u32 = (((((if true { (v11 as u32) } else { (n as u32) })) << ((i) & 7))) / ((((v12 as u32)) & 7) | 1));
        let mut w14 = 0_u32;
        while w14 < 4 {
            w14 += 1;
            v11 -= (if !(((v12) >= (v12))) { x } else { (v12 as f32 - 1.5) });
            v12 += (((((v12) * (0.375_f32))) + ((i as f32)))).min(2.5);
        }
    }
    let mut a15: [f64; 4] = [(-(1.5_f64)).abs(); 4];
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 0) % n_pes(), my_pe(), ..3] = &source[n - 3..]);
        remote!(source[(my_pe() + 0) % n_pes(), 4..7] => &mut moved[my_pe(), 1 + block_index() * 1..4 + block_index() * 1]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 2 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add(s);
    local!(real_out[i]) = ((a15[((((if true { (vh as usize) } else { n })) / ((((((i) & 7) + ((i) & 7))) & 7) | 1))) % 4]) / (((((-((a) >> 1)).abs()) as f64)).max(2.5)));
    remote!(cells[(my_pe() + 0) % n_pes(), (((i) % (((((n) ^ ((v12 as usize)))) & 7) | 1))) % 4]) ^= !(((((r) + (r))) as u32));
}

#[shmem::gpu::kernel]
fn helper_9(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1 = ((((((if true { g } else { (p as f32) })) as u64)) ^ ((((((g as u64)) >> (((g as u32)) & 7))) & ((((p as u32)) as u64)))))) as u64;
    (trace as i32).wrapping_add((g as i32))
}

#[shmem::gpu::kernel]
fn kernel_9(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut tile = shared::<[u64; 8]>();
    trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);
    block_barrier();
    for q1 in (1_usize..=2).step_by(2) {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        let mut v2 = (((true) ^ ((if ((false) && (false)) { !(false) } else { ((true) & (true)) })))) as bool;
        if v2 {
            let mut v3: u8 = !(((((q1 as u8)) & 7) * ((((i) as u8)) & 7)));
            let mut v4 = ((((x).mul_add(((65_u32) as f32), 0.1)) as u8)) as u8;
        }
    }
    let mut vh = helper_9(s, x);
    local!(tile[thread_index()]) = ((((((((vh as u64)) as u64)) >> (((((u32::MAX) & 7) + ((79_u32) & 7))) & 7))) & 7) + ((((((x) as u64)) & (((5_u64) << (((vh as i16)) & 7))))) & 7));
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 3) % block_size()]);
    let mut v5 = ((i as u8)) as u8;
    if ((((r) % (r))) >= ((if false { r } else { r }))) {
        let mut a6: [isize; 4] = [(((((vh as u32)) as f32)) as isize); 4];
        let mut v7: f32 = ((((((i as u16)) as f32)) % ((((vh as u8)) as f32)))).mul_add((if ((false) && (false)) { (if false { x } else { 2e3_f32 }) } else { (n as f32) }), 0.1);
        for q8 in (1..6_i8).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q8 as i64);
            v7 = ((r) as f32);
        }
    }
    let mut v9: f32 = ((((s as f32)).abs()).min(2.5)).min(2.5);
    if ((false) & (!(false))) {
        v9 += (((a as f32)) * ((((v9) + ((r as f32)))).abs()));
        v5 = v5;
    }
    remote!(block; moved[(my_pe() + 0) % n_pes(), my_pe(), 0 + block_index() * 2..2 + block_index() * 2] = &source[n - 2..]);
    remote!(block; source[(my_pe() + 2) % n_pes(), n - 3..] => &mut moved[my_pe(), 1..=3]);
    if thread_index() == 0 {
        let found = remote!(&cells[my_pe(), 4]).compare_swap(0, 1 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add((((((s) % (((s) & 7) | 1))).min((s).min(s))).wrapping_mul(((((vh as i64)) & 7) * ((((false) as i64)) & 7)))).wrapping_add(((((((v5) as u8)) ^ ((v5).wrapping_add(56_u8)))) as i64)));
    local!(real_out[i]) = (-(local!(reals[((if true { usize::MAX } else { i })) % n]))).mul_add(r, 0.1);
    remote!(cells[(my_pe() + 0) % n_pes(), (i) % 4]) += (((((61_u32) >> ((((r) as u32)) & 7))) & 7) * ((32_u32) & 7));
}

#[shmem::gpu::kernel]
fn helper_10(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut w1 = 0_u32;
    while w1 < 4 {
        w1 += 1;
    }
    (trace as i32).wrapping_add(!((((((p as u8)) as u32)) as i32)))
}

#[shmem::gpu::kernel]
fn kernel_10(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    for q1 in (0..2_i16).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        let mut w2 = 0_u32;
        while w2 < 1 {
            w2 += 1;
            let mut v3 = (((q1) as isize)) as isize;
        }
    }
    if !(false) {
        let mut w4 = 0_u32;
        while w4 < 3 {
            w4 += 1;
            let mut v5: i16 = ((!(((a as i16)).min((s as i16)))) as i16);
            let mut a6: [isize; 4] = [(((if true { (r as isize) } else { (a as isize) })) / (((((s as isize)).wrapping_add((i as isize))) & 7) | 1)); 4];
        }
    } else {
    }
    let mut w7 = 0_u32;
    while w7 < 1 {
        w7 += 1;
        let mut v8: isize = (((!((if false { (n as isize) } else { (i as isize) }))) & 7) + ((((((if true { (n as isize) } else { (i as isize) })) & 7) * (((((n as isize)) | ((a as isize)))) & 7))) & 7));
    }
    let mut vh = helper_10(s, x);
    let mut w9 = 0_u32;
    while w9 < 3 {
        w9 += 1;
        vh &= ((((vh) as i32)) >> (((((((i as u32)) << (((x as i8)) & 7))) as i8)) & 7));
        if !(false) {
            let mut vh = (((((((48_i16) % ((((r as i16)) & 7) | 1))) as u32)) as u16)) as u16;
        }
        vh ^= ((((((if true { vh } else { a })) & ((if true { vh } else { a })))) & 7) + ((a) & 7));
    }
    for q10 in u32::MAX - 2..=u32::MAX {
        trace = trace.wrapping_mul(31).wrapping_add(q10 as i64);
        vh |= ((vh) >> (((((((x as isize)) & (84_isize))) >> ((q10) & 7))) & 7));
        for q11 in 1_u64..7 {
            trace = trace.wrapping_mul(31).wrapping_add(q11 as i64);
            vh |= (-(((((a) & 7) + ((((a) ^ (a))) & 7))) >> 1)).abs();
            vh ^= ((((((-((a) >> 1)).abs()) & 7) * ((vh) & 7))) | ((if ((usize::MAX) > ((a as usize))) { (((q11 as i32)) | (i32::MAX)) } else { (if false { vh } else { vh }) })));
            let mut a12: [i16; 4] = [(a as i16); 4];
        }
    }
    let mut w13 = 0_u32;
    while w13 < 3 {
        w13 += 1;
        vh |= ((!(((n as i32)).wrapping_sub((n as i32)))) >> (((((x as i16)) as i8)) & 7));
    }
    if !(true) {
        vh |= vh;
        let mut a14: [i8; 4] = [((((if false { (n as i8) } else { (a as i8) })) & 7) + ((((x as i8)).wrapping_mul((vh as i8))) & 7)); 4];
    }
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 1) % n_pes(), my_pe(), 1 + block_index() * 3..2 + block_index() * 3] = &source[n - 1..]);
        remote!(source[(my_pe() + 1) % n_pes(), n - 3..] => &mut moved[my_pe(), 2 + block_index() * 3..5 + block_index() * 3]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 0 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add(local!(source[(((false) as usize)) % n]));
    local!(real_out[i]) = (((if ((((i as i8)).wrapping_sub((x as i8))) != ((((s as i8)) << ((91_i8) & 7)))) { s } else { (n as i64) })) as f64);
    remote!(cells[(my_pe() + 0) % n_pes(), ((((((n) % (((n) & 7) | 1))) & 7) + (((if false { n } else { i })) & 7))) % 4]) -= (if !((if true { false } else { false })) { (s as u32) } else { (if false { !((x as u32)) } else { ((n as u32)).wrapping_add((s as u32)) }) });
}

#[shmem::gpu::kernel]
fn helper_11(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1 = (((((g) / ((g).sqrt()))) + (((((61_i32) as u8)) as f32)))) as f32;
    let mut v2: isize = (((((u16::MAX + ((41_u16) & 1))) as isize)) ^ ((if (((g as i16)) > ((g as i16))) { (v1 as isize) } else { (if false { (g as isize) } else { isize::MIN }) })));
    (trace as i32).wrapping_add((((((((g as u64)) > ((v1 as u64)))) as u64)) as i32))
}

#[shmem::gpu::kernel]
fn kernel_11(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    if false {
        for q1 in (3..5_u64).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
            let mut v2: i64 = (((s) & 7) * ((local!(source[(((n) << ((s) & 7))) % n])) & 7));
            v2 = (if (((((90_u16) & 7) * (((n as u16)) & 7))) >= (((x as u16)).wrapping_add((s as u16)))) { ((((s) % (((v2) & 7) | 1))) % (((!((a as i64))) & 7) | 1)) } else { s });
            v2 = ((((((i16::MIN) as u32)) >> (((if false { i } else { i })) & 7))) as i64);
        }
    } else {
        for q3 in (usize::MIN..=usize::MIN + 2).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q3 as i64);
            if ((true) == (false)) { break; }
            let mut v4: u8 = u8::MAX;
        }
    }
    let mut v5 = (u8::MIN) as u8;
    let mut v6 = ((r as f64 - 1.5)) as f64;
    let mut w7 = 0_u32;
    while w7 < 2 {
        w7 += 1;
        let mut a8: [f64; 4] = [(((v6 as f64 - 1.5)) / (v6)); 4];
        if ((((s as i8)).wrapping_sub((a as i8))) != ((((a as i8)) / ((((v5 as i8)) & 7) | 1)))) {
            let mut v6: u32 = (v5 as u32);
            let mut v6: bool = (((-(r)).mul_add((r).max(2.5), 0.1)) < (((r).max(2.5) as f64 - 1.5)));
            v5 = (((v5) & 7) * ((((((((v5 as i32)) as u8)) & 7) * (((((v5) & 7) + ((v5) & 7))) & 7))) & 7));
        }
        let mut a9: [u8; 4] = [!(((37_u8) << (((i as i16)) & 7))); 4];
    }
    let mut vh = helper_11(s, x);
    let mut a10: [isize; 4] = [!(((a as isize)).max((s as isize))); 4];
    v5 ^= v5;
    for q11 in (1_i32..7).step_by(2) {
        trace = trace.wrapping_mul(31).wrapping_add(q11 as i64);
        let mut v12 = (!((((false) as u8)).min(((v5) >> ((75_u64) & 7))))) as u8;
        a10[(n) % 4] = (((((v12 as f32)) / (x))) as isize);
        for q13 in 1_i8..=6 {
            trace = trace.wrapping_mul(31).wrapping_add(q13 as i64);
            if !(true) { break; }
            a10[(n) % 4] = (if (((vh as u32)) == ((v12 as u32))) { a10[(i) % 4] } else { a10[(58_usize) % 4] });
            a10[(n) % 4] = a10[(((i) << (((x as i16)) & 7))) % 4];
            let mut v14: f64 = v6;
        }
    }
    vh = (x as i32);
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 0) % n_pes(), my_pe(), 2..=4] = &source[0..3]);
        remote!(source[(my_pe() + 1) % n_pes(), 5..7] => &mut moved[my_pe(), 1..=2]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 2 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add(!((s).wrapping_sub(s)));
    local!(real_out[i]) = (((((r).mul_add((a as f64), 0.1)).mul_add(local!(reals[(n) % n]), 0.1)) + ((x as f64)))).mul_add(local!(reals[(((!(i)) << ((a10[(i) % 4]) & 7))) % n]), 0.1);
    remote!(cells[(my_pe() + 0) % n_pes(), ((((n) % (((n) & 7) | 1))).wrapping_mul((((r as usize)) & (i)))) % 4]) ^= u32::MAX;
}

#[shmem::gpu::kernel]
fn helper_12(p: i64, g: f32) -> i32 {
    let mut trace = p;
    if ((((90_usize) as i32)) != (!(80_i32))) {
    } else {
        let mut v1 = ((g as i16)) as i16;
        v1 ^= (if ((((57_i8) < (28_i8))) || (((g) > (g)))) { ((((80_i8) as i16)) ^ (((v1) >> (((p as u32)) & 7)))) } else { ((((v1) ^ (v1))) | (((18_i16) | (v1)))) });
    }
    if (if ((123456.78_f64) >= ((p as f64))) { ((true) || (true)) } else { true }) {
        let mut v2: f32 = ((g).max(2.5)).ceil();
        v2 = (((((((p as u8)) as u8)) ^ ((g as u8)))) as f32);
        v2 *= ((((46_usize).max(51_usize)) as f32)).floor();
    }
    (trace as i32).wrapping_add(78_i32)
}

#[shmem::gpu::kernel]
fn kernel_12(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut tile = shared::<[i16; 8]>();
    trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);
    block_barrier();
    let mut v1 = ((((((if false { s } else { s })) as u64)) as i32)) as i32;
    for q2 in (2..2_u16).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
        v1 |= (((if true { (if false { v1 } else { v1 }) } else { ((18_u32) as i32) })) * ((n as i32)));
        v1 &= (r as i32);
        v1 ^= !(!(v1));
    }
    let mut v3: isize = !((r as isize));
    v1 |= (if (((((r as i8)) <= ((x as i8)))) || (((i) != (i)))) { ((((v1) ^ (v1))) as i32) } else { ((((55_u64) as f32)) as i32) });
    let mut vh = helper_12(s, x);
    local!(tile[thread_index()]) = (((((((i as i8)) ^ ((vh as i8)))) % (((((90_i32) as i8)) & 7) | 1))) as i16);
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 4) % block_size()]);
    for q4 in (0_usize..7).step_by(1) {
        trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
        if ((((0.1_f64) - (r))) <= ((if true { r } else { 123456.78_f64 }))) {
            let mut a5: [u8; 4] = [(((((q4 as f32)) + (x))) as u8); 4];
            let mut v6 = (((if ((false) & (true)) { (r as f64 - 1.5) } else { ((x) as f64) })).mul_add(((((r) / (r))) * ((r as f64 - 1.5))), 0.1)) as f64;
            v1 = (v6 as i32);
        }
        let mut v7 = ((if ((((true) && (false))) == (!(false))) { ((((a as u8)) & 7) + (((((a as u32)) as u8)) & 7)) } else { (v3 as u8) })) as u8;
    }
    let mut v8: f64 = (((n as u8)) as f64);
    for q9 in i64::MAX - 0..=i64::MAX {
        trace = trace.wrapping_mul(31).wrapping_add(q9 as i64);
        let mut a10: [i16; 4] = [((((i16::MIN) >> ((51_i8) & 7))) >> ((((93_i16) >> (((s as usize)) & 7))) & 7)); 4];
    }
    if false {
        v3 &= v3;
        let mut v8 = ((if true { (v3 as u32) } else { (((if true { (v8 as i8) } else { (s as i8) })) as u32) })) as u32;
    }
    remote!(block; moved[(my_pe() + 0) % n_pes(), my_pe(), 2..=3] = &source[n - 2..]);
    remote!(warp; source[(my_pe() + 2) % n_pes(), 2..5] => &mut moved[my_pe(), ..3]);
    if thread_index() == 0 {
        let found = remote!(&cells[my_pe(), 4]).compare_swap(0, 2 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add((((vt as u16)) as i64));
    local!(real_out[i]) = local!(reals[(((((!(i)) & 7) + (((n).min(n)) & 7))).max(n)) % n]);
    remote!(cells[(my_pe() + 1) % n_pes(), (((i) / (((((n) | (n))) & 7) | 1))) % 4]) += (((((i as u32)).max((a as u32))).wrapping_add(((v8) as u32))) & (((vt as u32)).min(((vt) as u32))));
}

#[shmem::gpu::kernel]
fn helper_13(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1: usize = (((((((g as i16)).wrapping_mul((g as i16))) as usize)) & 7) * (((((g as f32 - 1.5)) as usize)) & 7));
    let mut v2: i32 = (92_i32).wrapping_sub((((true) as i32)).min((((g as i32)) >> (((p as i32)) & 7))));
    (trace as i32).wrapping_add((if (if !(true) { ((false) || (true)) } else { !(false) }) { (((((v1 as i32)) & 7) * (((g as i32)) & 7))).wrapping_add(v2) } else { (if ((true) <= (true)) { ((g as i32)).wrapping_sub((p as i32)) } else { v2 }) }))
}

#[shmem::gpu::kernel]
fn kernel_13(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    for q1 in usize::MAX - 2..=usize::MAX {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        if !(false) {
        } else {
        }
        let mut w2 = 0_u32;
        while w2 < 3 {
            w2 += 1;
            let mut v3 = (((((((((n as u64)) >> ((42_i8) & 7))) & 7) + ((((x) as u64)) & 7))) < ((((if true { (r as u64) } else { 60_u64 })) ^ (((10_u64) << ((s) & 7))))))) as bool;
        }
    }
    let mut w4 = 0_u32;
    while w4 < 3 {
        w4 += 1;
        let mut v5: f32 = (((-((r as f32))) - ((((a as i16)) as f32)))).mul_add((if ((true) == (false)) { ((r as f32)).trunc() } else { (x as f32 - 1.5) }), 0.1);
    }
    let mut vh = helper_13(s, x);
    vh &= ((vh) | ((((123456.78_f32 as f32 - 1.5)) as i32)));
    let mut w6 = 0_u32;
    while w6 < 1 {
        w6 += 1;
        let mut a7: [i32; 4] = [(((if false { a } else { vh })) | ((84_i32).min(vh))); 4];
        vh &= ((((((u32::MAX) >> (((s as i8)) & 7))) as usize)) as i32);
        if ((((true) & (true))) ^ ((((a as u64)) != ((a as u64))))) {
            vh = vh;
            vh ^= a7[((((((n) ^ (i))) & 7) * ((((i) ^ (i))) & 7))) % 4];
        }
    }
    let mut v8 = (((((((s as usize)) as i8)) & (((((r as i8)) & 7) + (((r as i8)) & 7))))).wrapping_add((if ((r) >= (r)) { (((vh as u16)) as i8) } else { (((x as i8)) % (((73_i8) & 7) | 1)) }))) as i8;
    let mut v9 = (((!((if false { false } else { false }))) & ((if ((false) && (false)) { ((v8) != ((v8 as i8))) } else { ((r) == (r)) })))) as bool;
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 1) % n_pes(), my_pe(), ..4] = &source[n - 4..]);
        remote!(source[(my_pe() + 1) % n_pes(), 3..5] => &mut moved[my_pe(), 0..=1]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 0 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add((97_i64).max(s));
    local!(real_out[i]) = (((r) * (((r).max(2.5)).mul_add((s as f64), 0.1)))).floor();
    remote!(cells[(my_pe() + 1) % n_pes(), (((((((83_usize) & 7) + ((i) & 7))) & 7) * (((vh as usize)) & 7))) % 4]) -= ((((if v9 { (v9 as u16) } else { (r as u16) })) as u32)).min(86_u32);
}

#[shmem::gpu::kernel]
fn helper_14(p: i64, g: f32) -> i32 {
    let mut trace = p;
    for q1 in (3_u64..4).step_by(2) {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        let mut v2: f32 = ((((g as i8)) as f32) as f32 - 1.5);
        let mut v3: u64 = !((((((true) as u64)) & 7) * ((((q1) % (((q1) & 7) | 1))) & 7)));
    }
    let mut v4 = ((((((((p as i16)) & 7) * ((72_i16) & 7))).wrapping_add(((((p as i16)) & 7) * (((p as i16)) & 7)))) as u16)) as u16;
    (trace as i32).wrapping_add(((if (((p as i16)) < ((v4 as i16))) { ((v4 as i32)).wrapping_add(i32::MIN) } else { (((g as f64)) as i32) })).max((((((p as i32)) & (i32::MIN))) ^ (!((p as i32))))))
}

#[shmem::gpu::kernel]
fn kernel_14(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut w1 = 0_u32;
    while w1 < 3 {
        w1 += 1;
        for q2 in 2_u32..4 {
            trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
            let mut a3: [u8; 4] = [((58_u8) >> ((((((n as u64)) & 7) * (((x as u64)) & 7))) & 7)); 4];
        }
        let mut a4: [u64; 4] = [(a as u64); 4];
    }
    for q5 in (1..6_i64).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q5 as i64);
        if !(!(true)) {
            let mut v6 = ((((r) + ((3.0_f64).mul_add((r as f64), 0.1)))).max(2.5)) as f64;
            v6 += (((if ((false) < (false)) { (((v6 as u32)) as u64) } else { (((v6 as u64)) & ((v6 as u64))) })) as f64);
        } else {
            let mut v7: u16 = (((((92_u16).max(72_u16)) & 7) * (((s as u16)) & 7))).wrapping_mul((((29_u16) & 7) * (((r as u16)) & 7)));
            v7 = (((v7).max(((i) as u16))) >> ((((!(a)) as u64)) & 7));
        }
        for q8 in u32::MAX - 0..=u32::MAX {
            trace = trace.wrapping_mul(31).wrapping_add(q8 as i64);
            let mut a9: [f32; 4] = [(((x) % (x))).mul_add((((q8 as isize)) as f32), 0.1); 4];
            let mut a10: [u32; 4] = [q8; 4];
            let mut v11 = (a9[((if (if true { false } else { true }) { ((17_u64) as usize) } else { ((((n as usize)) & 7) * ((n) & 7)) })) % 4]) as f32;
        }
    }
    let mut vh = helper_14(s, x);
    let mut v12: usize = ((((((i) | ((a as usize)))) >> (((((n as u64)) as i32)) & 7))) << ((((92_u8) as usize)) & 7));
    if (((((n as isize)) / (((19_isize) & 7) | 1))) < (7_isize)) {
        if ((((x) as i8)) <= (!(43_i8))) {
            vh ^= (!((r as i32))).max((((((v12 as isize)) as u64)) as i32));
            let mut a13: [isize; 4] = [isize::MIN; 4];
        } else {
            v12 &= 79_usize;
        }
        if ((((x) - ((s as f32)))) == ((x as f32 - 1.5))) {
            let mut v14 = ((if (((((x as u8)) as i32)) >= (29_i32)) { ((((98_i8) >> ((45_i32) & 7))) % (((!((vh as i8))) & 7) | 1)) } else { (((r as f64 - 1.5)) as i8) })) as i8;
        }
        let mut v15: f64 = ((((if true { s } else { s })) as f64)).ceil();
    }
    v12 |= (((v12) ^ ((((i as u8)) as usize)))).max(n);
    vh &= (((if ((true) || (false)) { (((vh) & 7) * ((vh) & 7)) } else { (((i as i64)) as i32) })) % ((((-((a) >> 1)).abs()) & 7) | 1));
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 1) % n_pes(), my_pe(), 1..=1] = &source[4..5]);
        remote!(source[(my_pe() + 0) % n_pes(), n - 2..] => &mut moved[my_pe(), 0..=1]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 0 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add((if (if ((((r) * (r))) > (local!(reals[(v12) % n]))) { (if ((0.1_f32) != ((n as f32))) { true } else { (if false { true } else { true }) }) } else { !(true) }) { ((s) ^ (((((r) as f64)) as i64))) } else { (((vh as u16)) as i64) }));
    local!(real_out[i]) = (((((((1.5_f64) as f64)) - ((if false { (i as f64) } else { (a as f64) })))) - (((((15_u16) as f64)) * ((if false { 1e-7_f64 } else { r }))))) as f64 - 1.5);
    remote!(cells[(my_pe() + 0) % n_pes(), ((((if false { x } else { x })) as usize)) % 4]) ^= (((((vh) as u32)) << ((((47_u64) as i32)) & 7))).wrapping_sub(!((((v12 as u32)) | (93_u32))));
}

#[shmem::gpu::kernel]
fn helper_15(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1 = (((((p as f32) as f32 - 1.5)) as isize)) as isize;
    let mut v2 = (((((if false { (g as f64) } else { (p as f64) })) / ((((g as i32)) as f64))) as f64 - 1.5)) as f64;
    (trace as i32).wrapping_add((-((((((34_i32) & 7) + ((4_i32) & 7))).max((if true { (g as i32) } else { (p as i32) }))) >> 1)))
}

#[shmem::gpu::kernel]
fn kernel_15(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut tile = shared::<[i16; 8]>();
    trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);
    block_barrier();
    let mut v1: bool = !(false);
    for q2 in (1_i32..2).step_by(3) {
        trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
        v1 ^= (((((((a as u64)) >> (((v1 as u32)) & 7))) / (((((43_i8) as u64)) & 7) | 1))) <= ((((((v1 as u16)) as u64)) << ((((30_i8) % ((((x as i8)) & 7) | 1))) & 7))));
        let mut v3: i8 = (((if ((95_u16) == (11_u16)) { ((i) << ((s) & 7)) } else { ((v1) as usize) })) as i8);
    }
    if !((((n as isize)) == ((r as isize)))) {
        let mut v4: i32 = (((((((a) >> (((r as u16)) & 7))) & 7) * ((((n) as i32)) & 7))) >> ((!((n as isize))) & 7));
    }
    let mut v5: i16 = (if ((!((s as u32))) == (((94_u32) % ((((s as u32)) & 7) | 1)))) { ((((((s as i16)) ^ ((i as i16)))) & 7) * ((((r) as i16)) & 7)) } else { (((a as u32)) as i16) });
    let mut vh = helper_15(s, x);
    local!(tile[thread_index()]) = ((((v5) & (((v5) ^ (v5))))) << ((((60_isize).wrapping_sub((v5 as isize))).wrapping_mul((r as isize))) & 7));
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 4) % block_size()]);
    vh = !((((-((vh) >> 1)).abs()) % (((((x) as i32)) & 7) | 1)));
    if ((v1) ^ ((if v1 { v1 } else { v1 }))) {
        vt ^= (s as i16);
        vt ^= ((((if (((v1 as u32)) > (26_u32)) { ((v5) << ((94_usize) & 7)) } else { ((i as i16)).min(v5) })) & 7) + (((if v1 { (if true { vt } else { v5 }) } else { vt })) & 7));
        let mut v6 = (((((((vh as i16)) >> ((95_i16) & 7))) as u32)).wrapping_mul((((((83_u32) | ((a as u32)))) & 7) * ((43_u32) & 7)))) as u32;
    }
    vt |= ((((-(((vh as i16)) >> 1)).abs()) << ((((18_u16) as u32)) & 7))).min(81_i16);
    vt |= (if ((((r) >= (r))) > (v1)) { (((v5) | (vt))).wrapping_mul(15_i16) } else { ((((vt) & 7) + ((v5) & 7))).wrapping_mul(vt) });
    remote!(block; moved[(my_pe() + 2) % n_pes(), my_pe(), 0 + block_index() * 1..3 + block_index() * 1] = &source[5..8]);
    remote!(block; source[(my_pe() + 1) % n_pes(), n - 1..] => &mut moved[my_pe(), 0 + block_index() * 1..1 + block_index() * 1]);
    if thread_index() == 0 {
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 2 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add((((((vt as u8)) << ((!(((i as u64)).wrapping_sub((r as u64)))) & 7))) as i64));
    local!(real_out[i]) = (((((r).min(2.5)).mul_add((r).mul_add(r, 0.1), 0.1)) / (local!(reals[(!(i)) % n])))).max(2.5);
    remote!(cells[(my_pe() + 1) % n_pes(), (n) % 4]) += ((((((82_u32) & 7) + ((u32::MAX) & 7))) | (((v1) as u32)))).wrapping_sub(!(((35_u32) << ((89_u64) & 7))));
}

#[shmem::gpu::kernel]
fn helper_16(p: i64, g: f32) -> i32 {
    let mut trace = p;
    for q1 in (1..5_i64).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        if (((g as u16)) != ((g as u16))) { continue; }
    }
    let mut v2: u16 = ((((((((g as i8)) as u16)) % ((((((g as i32)) as u16)) & 7) | 1))) & 7) * ((((((true) as isize)) as u16)) & 7));
    (trace as i32).wrapping_add((((((if false { 95_usize } else { 32_usize })) as i32)) >> ((((((((v2 as u8)) | ((v2 as u8)))) & 7) * (((((g as f64)) as u8)) & 7))) & 7)))
}

#[shmem::gpu::kernel]
fn kernel_16(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut a1: [isize; 4] = [((if true { (a as isize) } else { 70_isize })).wrapping_sub(32_isize); 4];
    a1[(((i) >> ((a) & 7))) % 4] = (-(((if false { (s as isize) } else { 50_isize })) >> 1));
    let mut a2: [i8; 4] = [(i as i8); 4];
    for q3 in (0..5_usize).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q3 as i64);
    }
    let mut vh = helper_16(s, x);
    let mut a4: [i16; 4] = [(if false { ((45_i16) % ((((s as i16)) & 7) | 1)) } else { (if false { 55_i16 } else { i16::MAX }) }); 4];
    a4[(((n) % (((i) & 7) | 1))) % 4] = a4[(((14_u16) as usize)) % 4];
    let mut a5: [u64; 4] = [(((if true { (s as u64) } else { (x as u64) })) >> (((if true { 6_i8 } else { (s as i8) })) & 7)); 4];
    let mut vh = ((a as u64)) as u64;
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 2) % n_pes(), my_pe(), 0..=2] = &source[n - 3..]);
        remote!(source[(my_pe() + 2) % n_pes(), n - 3..] => &mut moved[my_pe(), 1 + block_index() * 3..4 + block_index() * 3]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 2 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add(((local!(source[(((((n) >> ((n) & 7))) % ((((i).max(n)) & 7) | 1))) % n])) & (((((((vh) as i64)).max(((s) ^ ((s as i64))))) & 7) + (((s).wrapping_sub((if false { s } else { s }))) & 7)))));
    local!(real_out[i]) = (if ((((((r) + (r))) - ((if false { r } else { r })))) <= ((((r) % (r)) as f64 - 1.5))) { (if ((((vh) as usize)) == ((((a as isize)) as usize))) { r } else { (if ((true) >= (false)) { local!(reals[(n) % n]) } else { (r).floor() }) }) } else { r });
    remote!(cells[(my_pe() + 1) % n_pes(), ((usize::MAX + ((((true) as usize)) & 1))) % 4]) -= (((((((vh as u32)) % (((60_u32) & 7) | 1))) & ((i as u32)))) >> ((a) & 7));
}

#[shmem::gpu::kernel]
fn helper_17(p: i64, g: f32) -> i32 {
    let mut trace = p;
    for q6 in 3_u32..4 {
        trace = trace.wrapping_mul(31).wrapping_add(q6 as i64);
        let mut a7: [f64; 4] = [(p as f64); 4];
    }
    (trace as i32).wrapping_add(((((((p as i32)) & 7) * (((((g as i32)) << (((g as u16)) & 7))) & 7))) / ((((((((((p as i32)) & 7) + ((30_i32) & 7))) & 7) + ((((((p as i32)) & 7) + ((i32::MIN) & 7))) & 7))) & 7) | 1)))
}

#[shmem::gpu::kernel]
fn kernel_17(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut v1 = (((s) as usize)) as usize;
    let mut a2: [usize; 4] = [(((0.1_f64 as f64 - 1.5)) as usize); 4];
    v1 &= v1;
    let mut v3: isize = ((((((a as u8)) as isize)) & 7) + (((if (((x as u8)) > ((i as u8))) { ((2e3_f32) as isize) } else { (((r as isize)) << (((i as usize)) & 7)) })) & 7));
    let mut vh = helper_17(s, x);
    let mut v4 = ((local!(reals[((x as usize)) % n])).mul_add(((((0.375_f64) - ((v1 as f64)))) - (((r as f64)).trunc())), 0.1)) as f64;
    let mut a5: [f64; 4] = [0.375_f64; 4];
    let mut a6: [f32; 4] = [(-(x)).floor(); 4];
    let mut a7: [i16; 4] = [(i as i16); 4];
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 2) % n_pes(), my_pe(), ..1] = &source[0..1]);
        remote!(source[(my_pe() + 2) % n_pes(), 4..8] => &mut moved[my_pe(), ..4]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 2 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add(((((((((a as u8)) as u32)).max(!(48_u32))) as i64)) >> ((((a2[(a2[((v1 as usize)) % 4]) % 4]) & (a2[(((i) << (((s as u32)) & 7))) % 4]))) & 7)));
    local!(real_out[i]) = (((-((((vh as f64)) / (r)))).max(2.5)) + (a5[(i) % 4]));
    remote!(cells[(my_pe() + 1) % n_pes(), (a2[((((n as u64)) as usize)) % 4]) % 4]) ^= (((((((vh) & 7) * ((a) & 7))) as u32)) ^ (((a5[(i) % 4]) as u32)));
}

#[shmem::gpu::kernel]
fn helper_18(p: i64, g: f32) -> i32 {
    let mut trace = p;
    (trace as i32).wrapping_add((!((if true { (p as i32) } else { (g as i32) }))).max((-(((((p as i8)) as i32)) >> 1))))
}

#[shmem::gpu::kernel]
fn kernel_18(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut tile = shared::<[i16; 8]>();
    trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);
    block_barrier();
    let mut a1: [f32; 4] = [((((true) as u64)) as f32); 4];
    let mut v2 = (local!(reals[((((x).mul_add((s as f32), 0.1)) as usize)) % n])) as f64;
    v2 -= r;
    for q3 in u8::MAX - 0..=u8::MAX {
        trace = trace.wrapping_mul(31).wrapping_add(q3 as i64);
        a1[(((i) >> (((n as u32)) & 7))) % 4] = (((i) as f32)).mul_add((if false { 1e-7_f32 } else { x }), 0.1);
        let mut v2: f64 = (r).trunc();
    }
    let mut vh = helper_18(s, x);
    local!(tile[thread_index()]) = (((((if false { (a as i16) } else { (v2 as i16) })) | ((if false { 66_i16 } else { 98_i16 })))) >> ((((((false) as usize)) % ((((((i as i8)) as usize)) & 7) | 1))) & 7));
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 4) % block_size()]);
    let mut v4 = (!(((((usize::MAX) % (((i) & 7) | 1))) & (((vt) as usize))))) as usize;
    vh &= ((((((((a) >> (((r as u8)) & 7))) & 7) * (((((a) & 7) + ((a) & 7))) & 7))) & 7) + ((((a) >> ((((vt as u16)).min((r as u16))) & 7))) & 7));
    let mut v5: usize = (if false { (if false { (if true { 89_usize } else { i }) } else { ((n) << ((v4) & 7)) }) } else { (((((1e-7_f64) as usize)) & 7) + ((n) & 7)) });
    for q6 in i64::MAX - 0..=i64::MAX {
        trace = trace.wrapping_mul(31).wrapping_add(q6 as i64);
        v5 ^= ((((v5) ^ ((((i) & 7) * (((v2 as usize)) & 7))))) | (((52_u32) as usize)));
    }
    remote!(block; moved[(my_pe() + 0) % n_pes(), my_pe(), ..2] = &source[3..5]);
    remote!(block; source[(my_pe() + 1) % n_pes(), 0..4] => &mut moved[my_pe(), 2..=5]);
    if thread_index() == 0 {
        let found = remote!(&cells[my_pe(), 4]).compare_swap(0, 0 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add((((if ((((x) != (x))) && (false)) { ((!(false)) as i64) } else { ((((s) << (((s as u16)) & 7))) / ((((s as i64)) & 7) | 1)) })) >> (((((((((n as u16)) / (((60_u16) & 7) | 1))) as f32)) as u8)) & 7)));
    local!(real_out[i]) = (((if ((((x) >= ((v4 as f32)))) > (((s) == (s)))) { ((v2 as f64 - 1.5)).mul_add((if false { v2 } else { r }), 0.1) } else { (((v4 as f64) as f64 - 1.5) as f64 - 1.5) })) % ((((((((x as u64)) % ((((a as u64)) & 7) | 1))) as f64)) / (((((vt) as u8)) as f64)))));
    remote!(cells[(my_pe() + 1) % n_pes(), ((16_usize).min(((i) as usize))) % 4]) += 40_u32;
}

#[shmem::gpu::kernel]
fn helper_19(p: i64, g: f32) -> i32 {
    let mut trace = p;
    for q1 in 1_i8..=4 {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        let mut v2: f32 = (((p as i32)) as f32);
        let mut v3: f64 = ((2e3_f64) * (((((v2) + (g))) as f64)));
    }
    if ((false) | (!(true))) {
        let mut v4: bool = ((((((g) / (0.375_f32))) <= (-((g as f32))))) | ((((if true { 30_usize } else { (p as usize) })) != (((66_usize) ^ (80_usize))))));
    } else {
        let mut a5: [usize; 4] = [((usize::MAX + (((p as usize)) & 1))).wrapping_sub((((g as usize)) & (usize::MIN))); 4];
        let mut a6: [i16; 4] = [((((p) as i16)) ^ (((((p as i16)) & 7) * ((96_i16) & 7)))); 4];
    }
    (trace as i32).wrapping_add((((((g) as i32)).min(((9_i32) & ((g as i32))))) << (((if !(false) { ((g as i16)).wrapping_mul((g as i16)) } else { ((p as i16)).wrapping_add((g as i16)) })) & 7)))
}

#[shmem::gpu::kernel]
fn kernel_19(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut a1: [f64; 4] = [(((s as i8)) as f64); 4];
    let mut vh = helper_19(s, x);
    vh &= 41_i32;
    if (if false { false } else { (if false { false } else { false }) }) {
        if (((((r as u32)) <= (u32::MAX))) | (((93_isize) >= (61_isize)))) {
            let mut v2 = (r) as f64;
        } else {
            a1[(((n) << (((a as usize)) & 7))) % 4] = ((((s as isize)).wrapping_mul(isize::MAX)) as f64);
            let mut v3 = (((r) as u8)) as u8;
        }
        let mut v4: f32 = (if (((-(((vh as i16)) >> 1)).abs()) <= ((if true { 18_i16 } else { (r as i16) }))) { (x as f32) } else { x });
        vh ^= (((vh).wrapping_mul(!(a))) << ((((((71_i16) <= (i16::MAX))) as u16)) & 7));
    } else {
        for q5 in (i16::MIN..=i16::MIN + 2).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q5 as i64);
            if ((s) <= (s)) { break; }
            a1[((((x as usize)) / (((26_usize) & 7) | 1))) % 4] = local!(reals[(i) % n]);
            let mut v6 = (((((((((a as u64)) | ((s as u64)))) % ((((((x as u64)) >> (((vh as i8)) & 7))) & 7) | 1))) & 7) + (((!((x as u64))).max(((q5 as u64)).wrapping_add((r as u64)))) & 7))) as u64;
            vh = (((v6 as i32)) / ((((((a) & 7) + (((((s as i32)) ^ (a))) & 7))) & 7) | 1));
        }
    }
    for q7 in (3_isize..=4).step_by(2) {
        trace = trace.wrapping_mul(31).wrapping_add(q7 as i64);
        for q8 in i32::MAX - 3..=i32::MAX {
            trace = trace.wrapping_mul(31).wrapping_add(q8 as i64);
            if !(false) { continue; }
            let mut v9 = (34_i8) as i8;
        }
        for q10 in 3_usize..=2 {
            trace = trace.wrapping_mul(31).wrapping_add(q10 as i64);
            vh &= (if (if false { false } else { (if false { false } else { true }) }) { (-(((if false { vh } else { (n as i32) })) >> 1)) } else { ((((a).wrapping_sub(71_i32)) & 7) * ((a) & 7)) });
            a1[((if false { n } else { q10 })) % 4] = (a1[(i) % 4]).min(2.5);
            let mut v11 = (((((28_i16) as isize)) as i32)) as i32;
        }
    }
    a1[((((s as i64)) as usize)) % 4] = r;
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 2) % n_pes(), my_pe(), 1..=1] = &source[n - 1..]);
        remote!(source[(my_pe() + 2) % n_pes(), 1..4] => &mut moved[my_pe(), 0..=2]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 2 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add((r as i64));
    local!(real_out[i]) = a1[(((((((if true { s } else { (r as i64) })) as usize)) & 7) + (((if ((false) || (false)) { ((((vh as usize)) & 7) + ((i) & 7)) } else { !(n) })) & 7))) % 4];
    remote!(cells[(my_pe() + 1) % n_pes(), (((i).min(74_usize)).max(((vh as usize)).min(i))) % 4]) -= ((((((5_u64) & (79_u64))) as u32)) >> (((if ((true) | (false)) { (x as u32) } else { ((61_u64) as u32) })) & 7));
}

#[shmem::gpu::kernel]
fn helper_20(p: i64, g: f32) -> i32 {
    let mut trace = p;
    (trace as i32).wrapping_add(((((p as i32)) & 7) + (((-((((i32::MIN) ^ ((p as i32)))) >> 1))) & 7)))
}

#[shmem::gpu::kernel]
fn kernel_20(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    for q1 in 3_i16..5 {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        for q2 in (1..7_i16).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
        }
    }
    let mut v3: i8 = (a as i8);
    let mut w4 = 0_u32;
    while w4 < 3 {
        w4 += 1;
        v3 ^= (if false { ((!(v3)) / ((((((v3) & 7) + ((v3) & 7))) & 7) | 1)) } else { (if true { (((a as isize)) as i8) } else { (v3).wrapping_sub(v3) }) });
        v3 |= (((if !(true) { ((v3) / (((91_i8) & 7) | 1)) } else { ((v3) << ((n) & 7)) })) << (((((if false { x } else { (r as f32) })) as usize)) & 7));
    }
    let mut vh = helper_20(s, x);
    let mut v5: u32 = (((x as u32)) / (((94_u32) & 7) | 1));
    let mut w6 = 0_u32;
    while w6 < 1 {
        w6 += 1;
        let mut a7: [f64; 4] = [((((v3 as f64)).max(2.5)) * ((r).sqrt())); 4];
        let mut w8 = 0_u32;
        while w8 < 1 {
            w8 += 1;
            v5 |= !(15_u32);
            let mut v9 = (((((!((x as i16))) & (((x) as i16)))) % ((((((-((i16::MAX) >> 1))) & ((a as i16)))) & 7) | 1))) as i16;
            v5 ^= ((v5) >> (((((((a as u16)) / ((vh as u16)))) << (((((v3) & 7) + (((v5 as i8)) & 7))) & 7))) & 7));
        }
    }
    let mut a10: [isize; 4] = [(if ((i) < (n)) { (((x as isize)) % (((37_isize) & 7) | 1)) } else { (((x as isize)) | ((v5 as isize))) }); 4];
    for q11 in 2_u64..3 {
        trace = trace.wrapping_mul(31).wrapping_add(q11 as i64);
        a10[(i) % 4] = ((((q11 as isize)) << ((11_isize) & 7))).max(a10[(i) % 4]);
    }
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 1) % n_pes(), my_pe(), 2 + block_index() * 2..5 + block_index() * 2] = &source[4..7]);
        remote!(source[(my_pe() + 0) % n_pes(), n - 3..] => &mut moved[my_pe(), ..3]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 0 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add(s);
    local!(real_out[i]) = ((((r) % ((((r as f64 - 1.5)) % ((if true { 1e-7_f64 } else { r })))))) % (r));
    remote!(cells[(my_pe() + 0) % n_pes(), ((((n) << (((x as u64)) & 7))).wrapping_mul((((n) & 7) * ((n) & 7)))) % 4]) ^= ((v5) << (((((((i as isize)) as usize)) % ((((i).wrapping_add(i)) & 7) | 1))) & 7));
}

#[shmem::gpu::kernel]
fn helper_21(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1 = ((((((-(((g as i16)) >> 1))) | (((g as i16)).min((g as i16))))) & ((((if true { (g as isize) } else { (p as isize) })) as i16)))) as i16;
    for q2 in 1_u16..=2 {
        trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
        v1 |= !(((if false { v1 } else { (g as i16) })).wrapping_mul(v1));
    }
    (trace as i32).wrapping_add((((((((p as isize)) as i32)) << (((((v1 as usize)) % ((((g as usize)) & 7) | 1))) & 7))) / (((!((-((39_i32) >> 1)))) & 7) | 1)))
}

#[shmem::gpu::kernel]
fn kernel_21(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut tile = shared::<[f32; 8]>();
    trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);
    block_barrier();
    let mut a1: [f32; 4] = [(((if true { x } else { (s as f32) })) - (((x) % (x)))); 4];
    for q2 in 0_isize..6 {
        trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
        let mut a3: [f32; 4] = [(a1[((n as usize)) % 4]).mul_add((x as f32 - 1.5), 0.1); 4];
        if !(((q2) > ((r as isize)))) {
            let mut v4: f64 = ((r).ceil()).trunc();
        } else {
        }
    }
    a1[(((a as usize)).wrapping_sub(i)) % 4] = (((n as f32)) % ((x).max(2.5)));
    let mut vh = helper_21(s, x);
    local!(tile[thread_index()]) = x;
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 3) % block_size()]);
    let mut w5 = 0_u32;
    while w5 < 4 {
        w5 += 1;
        for q6 in (u16::MIN..=u16::MIN + 2).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q6 as i64);
            let mut v7 = ((((a1[(i) % 4]).sqrt()) as f64)) as f64;
            let mut v8 = (((((vh as u32)) & 7) + (((n as u32)) & 7))) as u32;
            v7 -= (((local!(reals[(i) % n])) as f64)).trunc();
        }
        for q9 in isize::MAX - 2..=isize::MAX {
            trace = trace.wrapping_mul(31).wrapping_add(q9 as i64);
            let mut v10 = (a) as i32;
            let mut a11: [u8; 4] = [((((n) as i32)) as u8); 4];
            let mut v12 = ((((a as i32)) as i8)) as i8;
        }
    }
    let mut v13: bool = ((true) || (true));
    for q14 in (3_i64..=3).step_by(2) {
        trace = trace.wrapping_mul(31).wrapping_add(q14 as i64);
        let mut v15 = (-(-((x).mul_add(0.1_f32, 0.1)))) as f32;
        for q16 in (0_i16..5).step_by(3) {
            trace = trace.wrapping_mul(31).wrapping_add(q16 as i64);
            let mut v17 = ((((((s) << ((a) & 7))) ^ (!(q14)))).max((((vt).max(2.5)) as i64))) as i64;
        }
    }
    vt *= ((vt) / ((if (if v13 { v13 } else { v13 }) { ((1e-7_f32) as f32) } else { (if v13 { vt } else { vt }) })));
    remote!(warp; moved[(my_pe() + 1) % n_pes(), my_pe(), 2 + block_index() * 2..4 + block_index() * 2] = &source[n - 2..]);
    remote!(warp; source[(my_pe() + 0) % n_pes(), n - 2..] => &mut moved[my_pe(), 2..=3]);
    if thread_index() == 0 {
        let found = remote!(&cells[my_pe(), 4]).compare_swap(1, 1 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add((!(s)).wrapping_sub((if !(((v13) ^ (v13))) { (((31_i16) as i64)).min(((s) % (((s) & 7) | 1))) } else { ((((if true { s } else { s })) & 7) + (((vt as i64)) & 7)) })));
    local!(real_out[i]) = (if (if v13 { (((((vh as u16)) < ((r as u16)))) || (((v13) || (v13)))) } else { (((((a as u8)) << ((86_i8) & 7))) < (((31_u8) | (6_u8)))) }) { -(((1.5_f64) - ((r).trunc()))) } else { (if ((((2e3_f64) >= (r))) <= (!(v13))) { (if !(v13) { (r).ceil() } else { (123456.78_f64).abs() }) } else { (if (((r as isize)) > (45_isize)) { -(r) } else { (r).floor() }) }) });
    remote!(cells[(my_pe() + 1) % n_pes(), (n) % 4]) += (((((vt as f64)).min(2.5)).mul_add((if v13 { r } else { r }), 0.1)) as u32);
}

#[shmem::gpu::kernel]
fn helper_22(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut w1 = 0_u32;
    while w1 < 3 {
        w1 += 1;
        let mut v2: f32 = ((((10_i32) as f32)).max(2.5) as f32 - 1.5);
        let mut v2 = ((if (if false { ((p) == (p)) } else { ((true) & (false)) }) { ((36_u64).wrapping_add((g as u64))).min(((19_u64) >> (((v2 as u8)) & 7))) } else { (if !(true) { ((v2 as u64)).wrapping_sub((v2 as u64)) } else { 49_u64 }) })) as u64;
    }
    for q3 in 3_u8..3 {
        trace = trace.wrapping_mul(31).wrapping_add(q3 as i64);
        let mut a4: [f32; 4] = [g; 4];
    }
    (trace as i32).wrapping_add((((((42_i32) << ((p) & 7))).wrapping_add((i32::MAX).min((g as i32)))) | ((if (if false { false } else { true }) { (g as i32) } else { (g as i32) }))))
}

#[shmem::gpu::kernel]
fn kernel_22(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    for q1 in (3..3_i16).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        if (if true { true } else { false }) { break; }
        for q2 in (3_isize..7).step_by(1) {
            trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
            let mut v3: u64 = (s as u64);
        }
    }
    let mut v4 = ((if ((!((s as u32))) == (((97_u32) ^ (46_u32)))) { (-(((i as i8)) >> 1)) } else { ((((((s as i8)) | (36_i8))) & 7) + ((((20_i8) >> (((x as u16)) & 7))) & 7)) })) as i8;
    for q5 in (0_u32..4).step_by(2) {
        trace = trace.wrapping_mul(31).wrapping_add(q5 as i64);
        if ((n) != (i)) { break; }
        let mut v6 = ((((((r).abs()) as isize)) < ((if !(false) { (((x as u64)) as isize) } else { (((s as isize)) >> (((s as usize)) & 7)) })))) as bool;
        let mut w7 = 0_u32;
        while w7 < 1 {
            w7 += 1;
            v4 &= (x as i8);
            let mut v8: i32 = ((((-((a) >> 1)).abs()).wrapping_add(((v6) as i32))) << ((!((if v6 { (x as i32) } else { a }))) & 7));
        }
    }
    let mut w9 = 0_u32;
    while w9 < 3 {
        w9 += 1;
        v4 = (((n as i8)) ^ (((((v4) | (v4))) | (((i) as i8)))));
        v4 ^= (((if !(true) { (((52_i16) & 7) + ((i16::MAX) & 7)) } else { ((77_u32) as i16) })) as i8);
        if true {
            let mut v10: bool = !(((((n) / (((n) & 7) | 1))) != ((i).wrapping_mul(n))));
            v4 = ((((((56_i8).max(v4)) >> ((((x) as isize)) & 7))) & 7) + ((v4) & 7));
            v4 &= (-(((if (if true { v10 } else { v10 }) { ((v4) | (v4)) } else { (v4).wrapping_sub(v4) })) >> 1));
        } else {
            v4 = 77_i8;
            let mut v4 = ((((((if false { (v4 as i16) } else { i16::MIN })) % ((((v4 as i16)) & 7) | 1))) << ((((84_u64) ^ ((((22_u64) & 7) + (((r as u64)) & 7))))) & 7))) as i16;
        }
    }
    let mut vh = helper_22(s, x);
    for q11 in (0_u8..2).step_by(3) {
        trace = trace.wrapping_mul(31).wrapping_add(q11 as i64);
        if ((i) > (i)) { continue; }
        if ((((true) as i16)) == ((if false { 1_i16 } else { (s as i16) }))) {
            v4 = (((((-(((v4 as isize)) >> 1)).abs()) as u8)) as i8);
            let mut a12: [i32; 4] = [(((a) & (26_i32))).wrapping_sub((((s as isize)) as i32)); 4];
        }
        if ((((r) as i32)) <= (((vh as i32)).wrapping_sub(vh))) {
            vh |= a;
        }
        for q13 in i16::MAX - 1..=i16::MAX {
            trace = trace.wrapping_mul(31).wrapping_add(q13 as i64);
            if ((r) < (r)) { break; }
            let mut v14 = ((((((if true { r } else { r })) as u16)) > ((((v4 as usize)) as u16)))) as bool;
            vh |= ((((((vh) & 7) * ((27_i32) & 7))).wrapping_sub((vh).min(a))) ^ (((!((v14 as i32))) | (((a) ^ (vh))))));
            let mut a15: [u64; 4] = [(((((i as u64)) >> ((s) & 7))) / (((!((x as u64))) & 7) | 1)); 4];
        }
    }
    vh |= ((((false) as i32)) ^ (((((if false { a } else { vh })) & 7) + ((vh) & 7))));
    v4 &= ((((((i as i8)) << ((n) & 7))) & ((-((v4) >> 1))))).wrapping_mul(((((v4) & (v4))) % (((((v4) & (v4))) & 7) | 1)));
    for q16 in (0_i16..=2).step_by(3) {
        trace = trace.wrapping_mul(31).wrapping_add(q16 as i64);
        for q17 in usize::MAX - 1..=usize::MAX {
            trace = trace.wrapping_mul(31).wrapping_add(q17 as i64);
            let mut v18 = (((((r) as f32)).sqrt()).mul_add((((x) as f32) as f32 - 1.5), 0.1)) as f32;
            let mut v19: isize = isize::MAX;
        }
        vh = ((!(!(30_i32))) << ((((((s) as isize)) | (((((a as isize)) & 7) + ((93_isize) & 7))))) & 7));
        let mut a20: [i16; 4] = [(if false { ((q16) % (((q16) & 7) | 1)) } else { (q16).wrapping_add(q16) }); 4];
    }
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 0) % n_pes(), my_pe(), 1 + block_index() * 3..3 + block_index() * 3] = &source[1..3]);
        remote!(source[(my_pe() + 1) % n_pes(), n - 4..] => &mut moved[my_pe(), 0..=3]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(0, 1 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add((((if ((((false) < (false))) && (true)) { (((if true { s } else { (i as i64) })) >> ((((v4) << (((v4 as usize)) & 7))) & 7)) } else { (((((s) ^ (s))) & 7) + ((s) & 7)) })) | (!((if (((s as i64)) != (s)) { s } else { local!(source[(n) % n]) })))));
    local!(real_out[i]) = ((local!(reals[((if (((r as u64)) == (u64::MIN)) { n } else { (if false { (n as usize) } else { i }) })) % n])) % (((((((true) as u32)) as f64)) / (2e3_f64))));
    remote!(cells[(my_pe() + 0) % n_pes(), ((((r).mul_add(1.5_f64, 0.1)) as usize)) % 4]) -= ((((((vh as u32)) >> (((x as u16)) & 7))).wrapping_mul(((a) as u32))) % ((((((((s as u16)) / ((((s as u16)) & 7) | 1))) as u32)) & 7) | 1));
}

#[shmem::gpu::kernel]
fn helper_23(p: i64, g: f32) -> i32 {
    let mut trace = p;
    (trace as i32).wrapping_add(!((-(((((i32::MIN) & 7) * ((92_i32) & 7))) >> 1))))
}

#[shmem::gpu::kernel]
fn kernel_23(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut moved: Global<i64, 2>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut v1 = (((((((s as u8)) & (10_u8))).min((((n as u8)) >> (((r as isize)) & 7)))) >> (((((((s as i16)) / ((((i as i16)) & 7) | 1))) / ((((if false { (s as i16) } else { i16::MAX })) & 7) | 1))) & 7))) as u8;
    v1 &= (a as u8);
    let mut vh = helper_23(s, x);
    vh &= ((((((((n as i8)) >> (((v1 as u32)) & 7))) as i32)) & 7) + ((a) & 7));
    if (if ((s) > (s)) { true } else { ((25_i8) != ((v1 as i8))) }) {
        let mut w2 = 0_u32;
        while w2 < 2 {
            w2 += 1;
            v1 |= (((u8::MIN - ((v1) & 1))) >> ((((((isize::MIN) as isize)) | ((((r as isize)) % (((5_isize) & 7) | 1))))) & 7));
            let mut v3: u8 = ((((s as u8)) & 7) * (((((r as f64 - 1.5)) as u8)) & 7));
            let mut a4: [f64; 4] = [local!(reals[(((i) ^ (i))) % n]); 4];
        }
        vh |= (((a) << (((((s) & 7) * (((n as i64)) & 7))) & 7))).wrapping_mul(((vh) << ((((vh) as usize)) & 7)));
        let mut v5 = ((v1 as i16)) as i16;
    } else {
        vh ^= (((((!((a as i16))) as i32)) & 7) * ((vh) & 7));
        if (((if false { false } else { true })) ^ (((true) | (false)))) {
            let mut v1 = ((((56_u16) as f32)).ceil()) as f32;
            v1 -= x;
            let mut v6: u64 = ((((if true { (((a as u64)) ^ ((x as u64))) } else { 26_u64 })) & 7) + ((((((if true { (n as u64) } else { (v1 as u64) })) & 7) + (((if true { (n as u64) } else { 89_u64 })) & 7))) & 7));
        } else {
            v1 &= ((!((((n as u8)) as u8))) >> (((-(((-(((v1 as isize)) >> 1))) >> 1))) & 7));
        }
        for q7 in i16::MAX - 2..=i16::MAX {
            trace = trace.wrapping_mul(31).wrapping_add(q7 as i64);
            vh ^= vh;
            let mut v8 = (((((x).sqrt()).mul_add(x, 0.1)) / (((((x) - (x))) + ((r as f32)))))) as f32;
            let mut v9 = (local!(reals[((((123456.78_f32) as usize)).wrapping_mul((((n) & 7) * ((i) & 7)))) % n])) as f64;
        }
    }
    for q10 in 1_i32..=6 {
        trace = trace.wrapping_mul(31).wrapping_add(q10 as i64);
        if false {
            vh |= (((((!(a)) & 7) * (((q10).wrapping_sub(21_i32)) & 7))) & ((x as i32)));
            v1 &= v1;
        } else {
            let mut v11: u8 = (((((((((v1) & 7) * (((a as u8)) & 7))) & 7) * ((((v1) / (((v1) & 7) | 1))) & 7))) & 7) * ((!((((r as i16)) as u8))) & 7));
        }
    }
    if !((((vh as u64)) <= ((s as u64)))) {
        for q12 in (1_usize..6).step_by(2) {
            trace = trace.wrapping_mul(31).wrapping_add(q12 as i64);
            if !(true) { continue; }
            let mut a13: [i64; 4] = [(i64::MIN - (((((s) & 7) + ((s) & 7))) & 1)); 4];
            let mut a14: [i32; 4] = [(((i64::MAX) as i32)).wrapping_add(30_i32); 4];
            let mut a15: [usize; 4] = [i; 4];
        }
        let mut w16 = 0_u32;
        while w16 < 1 {
            w16 += 1;
            vh = !(((((vh).wrapping_sub((vh as i32))) & 7) * (((-((a) >> 1)).abs()) & 7)));
            let mut v17: i16 = (((x as i16)) % ((((((((v1 as i16)) << ((a) & 7))) << ((((true) as u8)) & 7))) & 7) | 1));
        }
        if ((((true) != (true))) & ((if true { true } else { true }))) {
            let mut v18 = (true) as bool;
            vh &= 15_i32;
            let mut v19 = (((((((r as isize)) & 7) + (((i as isize)) & 7))).max((((a as isize)) | ((i as isize))))).wrapping_add((((-(((s as isize)) >> 1)).abs()) >> (((((a as i8)) as u8)) & 7)))) as isize;
        } else {
            vh &= ((-((a) >> 1))).wrapping_sub((((-((a) >> 1)).abs()) / ((((r as i32)) & 7) | 1)));
        }
    } else {
        for q20 in (u16::MIN..=u16::MIN + 0).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q20 as i64);
            let mut vh: f32 = (0.375_f32).mul_add((if (((i as i16)) <= ((i as i16))) { ((x) + (x)) } else { ((v1) as f32) }), 0.1);
        }
        let mut v21: bool = (((((v1) & 7) * (((if true { v1 } else { v1 })) & 7))) != (!(((x) as u8))));
        for q22 in 1_usize..6 {
            trace = trace.wrapping_mul(31).wrapping_add(q22 as i64);
            let mut v23 = (((((((27_isize) as f32)) * (((x) * ((a as f32)))))) as u8)) as u8;
            v23 ^= v23;
        }
    }
    if thread_index() == 0 {
        remote!(moved[(my_pe() + 0) % n_pes(), my_pe(), 0..=2] = &source[5..8]);
        remote!(source[(my_pe() + 0) % n_pes(), 4..8] => &mut moved[my_pe(), 2 + block_index() * 3..6 + block_index() * 3]);
        let found = remote!(&cells[my_pe(), 4]).compare_swap(0, 0 + block_index() as u32);
        trace = trace.wrapping_add(found as i64);
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add((((((i64::MIN - (((if true { 48_i64 } else { s })) & 1))) << ((((((((i) & 7) * ((n) & 7))) & 7) + (((((n as usize)) >> (((i as isize)) & 7))) & 7))) & 7))) & (((x) as i64))));
    local!(real_out[i]) = r;
    remote!(cells[(my_pe() + 0) % n_pes(), (((local!(reals[(i) % n])) as usize)) % 4]) ^= (35_u32).wrapping_mul(((((v1 as f64)).mul_add(r, 0.1)) as u32));
}

for_each_kernel! { kernel_0 kernel_1 kernel_2 kernel_3 kernel_4 kernel_5 kernel_6 kernel_7 kernel_8 kernel_9 kernel_10 kernel_11 kernel_12 kernel_13 kernel_14 kernel_15 kernel_16 kernel_17 kernel_18 kernel_19 kernel_20 kernel_21 kernel_22 kernel_23 }
