// Written by generate.rs, which says how; nothing here is written by hand.

#[shmem::gpu::kernel]
fn helper_0(p: i64, g: f32) -> i32 {
    let mut v1: u16 = (((g as u16)) & ((((if false { usize::MAX } else { (p as usize) })) as u16)));
    for q2 in (2_u16..5).step_by(1) {
        let mut v3: f32 = (((((g as f32)).mul_add(g, 0.1)).floor()) - (((1.5_f32) + (((g) - (g))))));
        let mut v4 = ((p as i8)) as i8;
        let mut v5: u8 = (((if (if true { true } else { true }) { (((g as f64)) / (3.0_f64)) } else { -(2e3_f64) })) as u8);
    }
    (v1 as i32)
}

#[shmem::gpu::kernel]
fn kernel_0(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut tile = shared::<[f32; 8]>();
    for q1 in (0_u8..=4).step_by(2) {
        let mut v2: u16 = ((((-(((i as i8)) & 7)).abs()) as u16)).min((((u32::MAX).wrapping_sub((q1 as u32))) as u16));
    }
    let mut v3: bool = (((if ((true) ^ (false)) { ((40_i16) as f64) } else { local!(reals[(i) % n]) })) == ((if ((0_isize) > ((n as isize))) { (if true { r } else { r }) } else { r })));
    let mut a4: [u32; 4] = [(if v3 { (((a as u32)) << ((usize::MAX) & 7)) } else { ((a) as u32) }); 4];
    let mut v5: f64 = (r).ceil();
    let mut vh = helper_0(s, x);
    local!(tile[thread_index()]) = (if ((((v3) ^ (true))) == ((((r as u32)) <= (50_u32)))) { ((!(7_i16)) as f32) } else { x });
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 2) % block_size()]);
    let mut w6 = 0_u32;
    while w6 < 3 {
        w6 += 1;
        a4[(((n) & (n))) % 4] = a4[((i).min(i)) % 4];
        a4[((v5 as usize)) % 4] = (n as u32);
    }
    let mut v7 = ((vh as i64)) as i64;
    for q8 in 0_i32..=7 {
        if ((a) < ((x as i32))) { break; }
        let mut v9: bool = ((u8::MAX) > (((((v7 as f32)) as u8)).wrapping_add((((r as u8)) >> (((a as u8)) & 7)))));
    }
    for q10 in 2_isize..=6 {
        if ((v3) ^ (true)) { continue; }
        if false {
            let mut v11: u64 = ((17_u64) | ((((1e-7_f32).sqrt()) as u64)));
            let mut v12 = ((((((((v3) as u64)) as i8)) & 7) + ((((((60_i8) | (33_i8))) << (((-(((q10 as i16)) & 7)).abs()) & 7))) & 7))) as i8;
            let mut a13: [i16; 4] = [((((v11) << ((q10) & 7))) as i16); 4];
        }
        let mut v14 = (((((if v3 { (i as u64) } else { (vt as u64) })).wrapping_mul((((vt as u64)) << (((i as u32)) & 7)))) as i16)) as i16;
        let mut v15 = (((((x) as f32)) + (vt))) as f32;
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = (((((if ((s) == (55_i64)) { i } else { (((s as u16)) as usize) })) as i64)) << (((((if (((v5 as i8)) == ((i as i8))) { 96_u8 } else { ((r) as u8) })) & ((((if v3 { u8::MIN } else { (v5 as u8) })) % (((x) as u8)))))) & 7));
    local!(real_out[i]) = (((if ((((92_u8) << (((s as u16)) & 7))) < ((s as u8))) { (((!(vh)) & 7) * (((-((a) & 7)).abs()) & 7)) } else { a })) as f64);
    remote!(cells[(my_pe() + 0) % n_pes(), (((91_usize) >> (((((n as u8)) as i32)) & 7))) % 4]) += a4[((((((2_usize) & 7) * ((61_usize) & 7))) & (((n) >> ((98_u64) & 7))))) % 4];
}

#[shmem::gpu::kernel]
fn helper_1(p: i64, g: f32) -> i32 {
    let mut v1 = (((((((82_u16) % ((((g as u16)) & 7) | 1))) as i8)) << (((((((u64::MIN) / ((((p as u64)) & 7) | 1))) & 7) + (((((p as f64)) as u64)) & 7))) & 7))) as i8;
    for q2 in (2..2_u16).rev() {
        let mut v3: u16 = ((q2) % (((q2) & 7) | 1));
        let mut v4 = ((g as isize)) as isize;
    }
    (if (((if false { (g as f64) } else { 1e-7_f64 })) == ((if false { (v1 as f64) } else { 1e-7_f64 }))) { ((((g as i32)) ^ ((g as i32)))).min((((90_i32) & 7) + ((10_i32) & 7))) } else { !((p as i32)) })
}

#[shmem::gpu::kernel]
fn kernel_1(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut w1 = 0_u32;
    while w1 < 2 {
        w1 += 1;
        let mut v2 = ((((61_u32) & 7) * ((52_u32) & 7))) as u32;
    }
    let mut v3: f32 = ((((((n as f32)).min(2.5)) / ((if true { x } else { x })))) / (x));
    let mut a4: [i32; 4] = [(if ((v3) >= ((a as f32))) { (a).wrapping_add(a) } else { ((((s as i32)) & 7) + (((v3 as i32)) & 7)) }); 4];
    for q5 in (3_i64..=6).step_by(3) {
        v3 += ((((x) % ((if false { v3 } else { x })))) + ((v3).mul_add((123456.78_f32).mul_add(x, 0.1), 0.1)));
    }
    let mut vh = helper_1(s, x);
    let mut a6: [u32; 4] = [((((((s as u32)) & 7) * (((v3 as u32)) & 7))) % ((((((x as f32)) as u32)) & 7) | 1)); 4];
    vh ^= a4[((if ((true) || (false)) { (((vh as usize)) >> (((n as i16)) & 7)) } else { ((i) as usize) })) % 4];
    a4[(((s as usize)).wrapping_add(n)) % 4] = (if false { ((a) & (a)) } else { a4[(i) % 4] });
    v3 += ((v3) - ((v3 as f32)));
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = ((((((((v3 as u16)) & ((n as u16)))) as u64)).wrapping_mul(((((11_u32) as u64)) >> (((((x as i16)) >> (((i as i16)) & 7))) & 7)))) as i64);
    local!(real_out[i]) = r;
    remote!(cells[(my_pe() + 1) % n_pes(), ((((if true { i } else { i })) as usize)) % 4]) -= a6[((r as usize)) % 4];
}

#[shmem::gpu::kernel]
fn helper_2(p: i64, g: f32) -> i32 {
    if false {
        let mut v1 = (((p) as i16)) as i16;
        v1 |= ((!(v1)).max(((v1) << (((p as u32)) & 7)))).wrapping_add(v1);
        v1 |= ((-(g)) as i16);
    } else {
        let mut v2 = ((((p as f64)) as usize)) as usize;
    }
    let mut v3 = ((((g as u16)) < (((((((g as u16)) & 7) + ((12_u16) & 7))) << ((((60_i8) << ((36_i8) & 7))) & 7))))) as bool;
    ((((!((g as i32))) ^ ((((94_i32) & 7) + ((82_i32) & 7))))) * (((((g) + (g))) as i32)))
}

#[shmem::gpu::kernel]
fn kernel_2(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut a1: [f64; 4] = [-((r).mul_add(r, 0.1)); 4];
    let mut a2: [u64; 4] = [(((if true { (r as u64) } else { (n as u64) })) / (((((((s as u64)) & 7) * (((n as u64)) & 7))) & 7) | 1)); 4];
    let mut vh = helper_2(s, x);
    for q3 in 1_u32..=7 {
        for q4 in (2..7_isize).rev() {
            vh |= (if ((((r) % (r))) < (a1[(i) % 4])) { ((vh).min(vh)).wrapping_sub((-((vh) & 7)).abs()) } else { (if (if true { false } else { true }) { ((a) << (((x as i8)) & 7)) } else { vh }) });
        }
        vh &= ((((((vh) & 7) * ((vh) & 7))) - (((11_isize) as i32)))).wrapping_add(((a) / (((a) & 7) | 1)));
        let mut v5 = ((q3 as i16)) as i16;
    }
    let mut w6 = 0_u32;
    while w6 < 2 {
        w6 += 1;
        for q7 in 2_usize..6 {
            vh ^= 17_i32;
        }
        let mut v8 = ((((((((a as u64)) & 7) + (((x as u64)) & 7))).wrapping_mul(a2[(n) % 4])) as u64)) as u64;
        if (if ((false) | (false)) { true } else { !(true) }) {
            let mut v9 = ((((((((v8 as u16)) & (98_u16))) & ((r as u16)))) % ((((((46_i16) as u16)).wrapping_mul((((99_u16) & 7) + ((77_u16) & 7)))) & 7) | 1))) as u16;
            let mut v10 = (true) as bool;
        }
    }
    let mut v11: u16 = ((((((s as u16)) | ((s as u16)))).min((u16::MIN).min((a as u16)))) << ((((((n) ^ (usize::MIN))) ^ ((((r as i8)) as usize)))) & 7));
    for q12 in (0..4_u8).rev() {
        if ((r) <= (r)) { break; }
        if (((((n as u32)) as i8)) > (!((x as i8)))) {
            v11 &= ((v11) >> ((((((((v11 as i8)) ^ ((vh as i8)))) & 7) * ((81_i8) & 7))) & 7));
            let mut vh: u8 = (((((x) / (x))).mul_add(((x) * (x)), 0.1)) as u8);
            let mut v13 = ((q12 as isize)) as isize;
        } else {
            let mut v14 = (!(((false) ^ (!(false))))) as bool;
        }
        let mut w15 = 0_u32;
        while w15 < 4 {
            w15 += 1;
            let mut a16: [u16; 4] = [(x as u16); 4];
            let mut a17: [i64; 4] = [(((local!(source[((r as usize)) % n])) & 7) + ((((s) >> (((a as isize)) & 7))) & 7)); 4];
            let mut v18: i32 = (((if false { ((vh) / (((3_i32) & 7) | 1)) } else { (a).min(a) })) | ((((r).abs()) as i32)));
        }
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = (i as i64);
    local!(real_out[i]) = (((((r) * (r))).ceil()).floor()).min(2.5);
    remote!(cells[(my_pe() + 0) % n_pes(), (((r) as usize)) % 4]) ^= ((((((r as i8)).wrapping_add(16_i8)) as u16)) as u32);
}

#[shmem::gpu::kernel]
fn helper_3(p: i64, g: f32) -> i32 {
    let mut v1 = (((1e-7_f64) * (1.5_f64))) as f64;
    (if (((66_i32).min(3_i32)) >= ((g as i32))) { (if !(true) { ((45_u8) as i32) } else { (-(((g as i32)) & 7)).abs() }) } else { (if ((g) == (g)) { ((v1 as i32)).min((v1 as i32)) } else { (g as i32) }) })
}

#[shmem::gpu::kernel]
fn kernel_3(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut tile = shared::<[i32; 8]>();
    let mut v1 = ((((((x as u32)) >> (((x as i8)) & 7))).wrapping_sub(((((x as u32)) & 7) + ((53_u32) & 7)))).wrapping_add((((if true { (x as i16) } else { 55_i16 })) as u32))) as u32;
    v1 &= (((((67_u32) >> ((53_i32) & 7))) >> ((((a as isize)).wrapping_sub(17_isize)) & 7))).wrapping_add((((15_u32).wrapping_add((a as u32))) % ((((((x as u64)) as u32)) & 7) | 1)));
    let mut v2 = (true) as bool;
    let mut v3 = ((-((((x as u16)) as f64))).mul_add((x as f64), 0.1)) as f64;
    let mut vh = helper_3(s, x);
    local!(tile[thread_index()]) = (if (((((s) & 7) * ((s) & 7))) != ((((v2 as u64)) as i64))) { (r as i32) } else { (((((n) as i32)) & 7) * (((v2 as i32)) & 7)) });
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 3) % block_size()]);
    let mut a4: [u32; 4] = [v1; 4];
    let mut v5: u64 = (((((((v3 as i16)) & 7) * ((5_i16) & 7))).wrapping_sub(73_i16)) as u64);
    let mut a6: [i16; 4] = [(if true { !((v3 as i16)) } else { (x as i16) }); 4];
    vt &= ((if (if v2 { false } else { v2 }) { a } else { ((vh) % (vt)) })).wrapping_add((((x).min(2.5)) as i32));
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = local!(source[(((!(!(v2))) as usize)) % n]);
    local!(real_out[i]) = v3;
    remote!(cells[(my_pe() + 1) % n_pes(), ((((v3 as usize)) << ((((v2) as i64)) & 7))) % 4]) += a4[(!((n).wrapping_add(n))) % 4];
}

#[shmem::gpu::kernel]
fn helper_4(p: i64, g: f32) -> i32 {
    for q1 in (3_i8..5).step_by(3) {
        if (((q1 as isize)) == (34_isize)) { continue; }
    }
    let mut v2: i16 = ((((((g as i16)) / ((((p as i16)) & 7) | 1))).wrapping_mul(((((p as i16)) & 7) * ((38_i16) & 7)))) ^ ((((g as i16)).wrapping_sub((g as i16))).max((((p as i16)) | (3_i16)))));
    (((((((g as f32)) / (g))) as f32)) as i32)
}

#[shmem::gpu::kernel]
fn kernel_4(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    for q1 in 0_usize..=5 {
        if (if (((x as isize)) >= ((x as isize))) { true } else { !(false) }) {
        } else {
        }
        for q2 in (0_u64..=2).step_by(1) {
            if ((15_i8) >= ((q2 as i8))) { continue; }
            let mut v3: bool = !(((((a as u16)).wrapping_mul(32_u16)) == (((((i as u16)) & 7) + ((u16::MAX) & 7)))));
            let mut v4: f64 = r;
        }
        let mut w5 = 0_u32;
        while w5 < 1 {
            w5 += 1;
            let mut v6 = (((((((((39_u8) & 7) + ((16_u8) & 7))) & 7) + ((41_u8) & 7))) ^ (5_u8))) as u8;
            v6 = (if (((if true { (q1 as i16) } else { (i as i16) })) <= ((q1 as i16))) { ((((v6) == (v6))) as u8) } else { (((v6).min(v6)) as u8) });
        }
    }
    if (((((x as u16)) >> (((x as u8)) & 7))) >= (((r) as u16))) {
        let mut w7 = 0_u32;
        while w7 < 4 {
            w7 += 1;
            let mut v8 = (a) as i32;
            v8 &= (((((v8) >> ((24_u16) & 7))).wrapping_add((-((v8) & 7)).abs())) / (((v8) & 7) | 1));
            v8 ^= (((((27_u16) as i32)) | ((if true { v8 } else { a })))).max(((-((a) & 7)).abs()).wrapping_mul(((s) as i32)));
        }
    }
    let mut vh = helper_4(s, x);
    vh |= (if ((((94_u32) % (((31_u32) & 7) | 1))) < (((true) as u32))) { (((((x) as i32)) & 7) * ((!(vh)) & 7)) } else { a });
    let mut a9: [u64; 4] = [((((x) as u64)) as u64); 4];
    vh &= (-(((((a) | (vh))).wrapping_add((if false { a } else { vh }))) & 7)).abs();
    if (if ((false) <= (false)) { !(false) } else { (((n as f64)) <= (r)) }) {
        let mut v10: u16 = ((19_u16) >> ((vh) & 7));
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = ((((((!((s as u16))) as usize)) | ((if (((n as u64)) > (76_u64)) { (((i) & 7) * ((i) & 7)) } else { n })))) as i64);
    local!(real_out[i]) = ((((((r) / (1.5_f64))) + (((((s as f64)).ceil()) - ((((i as f32)) as f64)))))) / (((r) / (((local!(reals[(i) % n])) / (((n as f64)).max(2.5)))))));
    remote!(cells[(my_pe() + 1) % n_pes(), ((if true { n } else { ((i) >> (((vh as u32)) & 7)) })) % 4]) -= ((vh as u32)).wrapping_sub(((((85_u32).min(89_u32)) & 7) * (((((vh as u32)) / ((((a as u32)) & 7) | 1))) & 7)));
}

#[shmem::gpu::kernel]
fn helper_5(p: i64, g: f32) -> i32 {
    for q1 in 2_u16..=3 {
    }
    let mut a2: [i16; 4] = [((((p as i16)).wrapping_mul((g as i16))) / (((g) as i16))); 4];
    ((if true { ((92_i32) << (((g as u16)) & 7)) } else { (((74_i32) & 7) + (((g as i32)) & 7)) })).wrapping_sub((((((95_i32) & 7) * ((i32::MIN) & 7))) | ((((g as f32)) as i32))))
}

#[shmem::gpu::kernel]
fn kernel_5(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut w1 = 0_u32;
    while w1 < 4 {
        w1 += 1;
        for q2 in 0_usize..=4 {
        }
        let mut v3: f32 = ((((i as f32)).min(2.5)) * ((((x as f32 - 1.5)) / ((1e-7_f32).mul_add(x, 0.1)))));
    }
    if (((((88_u16) & 7) + (((n as u16)) & 7))) != ((((r as u16)) << (((a as i16)) & 7)))) {
        for q4 in 0_isize..=2 {
            if (((s as i16)) > ((n as i16))) { break; }
            let mut v5 = (((((-(r)) as usize)) / (((((((n) & 7) + ((n) & 7))).wrapping_add(((i) << ((26_u16) & 7)))) & 7) | 1))) as usize;
            let mut v6: u64 = (((((((8_i8) | ((x as i8)))) as u64)) & 7) + ((((((true) as u8)) as u64)) & 7));
            let mut v7: usize = i;
        }
    } else {
        let mut v8: f64 = ((0.375_f64).mul_add((if true { (s as f64) } else { r }), 0.1)).ceil();
        let mut v9: i16 = (if (((((n as u32)) as f32)) >= ((i as f32))) { ((((58_i16) << ((69_u32) & 7))) ^ ((((a as isize)) as i16))) } else { (((((n as u32)) as u8)) as i16) });
        if (((((r as u32)) as usize)) >= ((i).wrapping_sub(i))) {
            let mut a10: [isize; 4] = [((30_isize) << (((((n as u16)) as isize)) & 7)); 4];
            let mut v9 = ((((u16::MIN) & 7) + (((a as u16)) & 7))) as u16;
            a10[((((r as i8)) as usize)) % 4] = ((((((r as isize)) & 7) * (((v9 as isize)) & 7))) << ((((r as u8)).wrapping_sub((x as u8))) & 7));
        } else {
            v8 += ((((r) / ((n as f64)))).mul_add((v8).max(2.5), 0.1)).max(2.5);
            v8 = local!(reals[(((if false { 35_usize } else { i })).wrapping_mul(i)) % n]);
            v9 = ((((v8) as i16)) % (((((((i) % (i))) as i16)) & 7) | 1));
        }
    }
    let mut vh = helper_5(s, x);
    if ((true) & (((r) <= (r)))) {
        vh |= !(a);
        let mut w11 = 0_u32;
        while w11 < 3 {
            w11 += 1;
            let mut v12 = (((((((((i) & 7) * ((n) & 7))) >> ((s) & 7))) & 7) + ((((((70_u8) & ((vh as u8)))) as usize)) & 7))) as usize;
        }
    } else {
        let mut w13 = 0_u32;
        while w13 < 2 {
            w13 += 1;
            let mut vh = (((r as u32)).wrapping_mul((if (((a as u8)) < ((n as u8))) { 24_u32 } else { (if true { 62_u32 } else { (r as u32) }) }))) as u32;
        }
    }
    if !(((r) <= (r))) {
        for q14 in (1..5_i8).rev() {
            let mut v15 = (s) as i64;
            v15 = ((((3_i64) & (local!(source[(n) % n])))) ^ (s));
            let mut a16: [u64; 4] = [((((r) as u64)) as u64); 4];
        }
        if ((((40_u16) ^ ((a as u16)))) < ((x as u16))) {
            let mut a17: [i8; 4] = [(((if true { x } else { 1e-7_f32 })) as i8); 4];
        } else {
            let mut vh: u32 = (i as u32);
            vh |= ((((((vh).wrapping_mul(vh)) | (((vh) as u32)))) & 7) + ((!(((vh) << ((33_i32) & 7)))) & 7));
        }
        if false {
            let mut vh = (i) as usize;
        } else {
            vh &= (((((a) & 7) * (((a as i32)) & 7))).wrapping_add(((a) & (a)))).min(!((r as i32)));
        }
    }
    let mut v18 = ((local!(reals[((((n as usize)) as usize)) % n])).mul_add(((if true { 3.0_f64 } else { r })).mul_add((if true { 0.1_f64 } else { r }), 0.1), 0.1)) as f64;
    if (((if true { false } else { false })) && (!(true))) {
        if (if ((true) ^ (true)) { ((82_i8) > ((a as i8))) } else { ((r) > (0.375_f64)) }) {
            v18 = (local!(reals[((((i as i8)) as usize)) % n]) as f64 - 1.5);
            let mut a19: [u64; 4] = [(((r) as u64)).min((((71_u64) & 7) + ((97_u64) & 7))); 4];
        } else {
            vh &= (((if ((true) >= (false)) { ((((vh as i32)) & 7) * ((vh) & 7)) } else { 72_i32 })) ^ ((if ((89_u8) > (68_u8)) { ((68_i32) >> ((i) & 7)) } else { (a).wrapping_sub(a) })));
        }
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = ((((((s) & 7) + ((s) & 7))) & 7) * (((((((s).wrapping_sub(s)).wrapping_add((if false { s } else { s }))) & 7) * ((((!(s)) >> (((n as i16)) & 7))) & 7))) & 7));
    local!(real_out[i]) = 1e-7_f64;
    remote!(cells[(my_pe() + 0) % n_pes(), ((((((i as usize)) >> ((78_i8) & 7))) & (n))) % 4]) ^= ((!(((78_u32) << ((16_i16) & 7)))) & ((if !(false) { (((n as u64)) as u32) } else { (((s as u32)) ^ (u32::MIN)) })));
}

#[shmem::gpu::kernel]
fn helper_6(p: i64, g: f32) -> i32 {
    let mut w1 = 0_u32;
    while w1 < 1 {
        w1 += 1;
    }
    let mut v2: i64 = (((((((p) ^ (p))) & 7) * (((((p as u8)) as i64)) & 7))) ^ (((p).wrapping_mul(73_i64)).wrapping_add((((p) & 7) * ((p) & 7)))));
    ((((((52_i32) % (((77_i32) & 7) | 1))).wrapping_sub(!((p as i32)))) & 7) * (((if (((v2 as u8)) >= (40_u8)) { ((40_u8) as i32) } else { ((v2 as i32)).wrapping_mul((g as i32)) })) & 7))
}

#[shmem::gpu::kernel]
fn kernel_6(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut tile = shared::<[u8; 8]>();
    let mut v1 = ((local!(reals[(((usize::MIN) % ((((i as usize)) & 7) | 1))) % n]) as f64 - 1.5)) as f64;
    v1 = v1;
    for q2 in (3_i8..=3).step_by(1) {
        if (((v1 as isize)) == ((n as isize))) { break; }
        let mut v1 = (local!(reals[((((((n) & 7) * ((n) & 7))) << (((if false { u64::MIN } else { 39_u64 })) & 7))) % n])) as f64;
    }
    let mut vh = helper_6(s, x);
    local!(tile[thread_index()]) = (((((if false { (x as u8) } else { (r as u8) })) ^ (40_u8))) & ((if !(true) { (if true { 51_u8 } else { (s as u8) }) } else { !((vh as u8)) })));
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 1) % block_size()]);
    if !(((true) <= (true))) {
        let mut v3: f32 = (if ((local!(reals[(i) % n])) == ((r).max(2.5))) { x } else { x });
    } else {
        if ((true) & (((true) || (true)))) {
            vt |= (if (((if false { false } else { false })) && (((false) < (false)))) { (((u8::MAX) << (((x as u32)) & 7))).wrapping_sub(((x) as u8)) } else { !(((65_u64) as u8)) });
            vh ^= (if !((((vt as f64)) >= ((v1 as f64)))) { ((a) / (((((a) >> (((i as u64)) & 7))) & 7) | 1)) } else { vh });
            v1 += (if ((((x) + (x))) < (((x) % (x)))) { (if !(false) { -(v1) } else { -(r) }) } else { ((r).min(2.5)).min(2.5) });
        } else {
            let mut v4 = ((if ((((v1) as i8)) == ((((v1 as i8)) & ((i as i8))))) { ((((29_u16) ^ ((n as u16)))) - ((((r as u16)) & (67_u16)))) } else { (((((r as isize)) as u16)) / (((((x) as u16)) & 7) | 1)) })) as u16;
        }
        for q5 in (2_isize..6).step_by(3) {
            v1 += r;
            let mut vh = (s) as i64;
        }
        for q6 in (1..2_isize).rev() {
            if ((true) > (false)) { continue; }
            let mut v1 = ((-((((((x) as i32)) ^ (((n) as i32)))) & 7)).abs()) as i32;
        }
    }
    vt &= vt;
    vt = vt;
    let mut vt = (!(((((vt as i16)) >> ((83_u16) & 7))).min((((i as u16)) as i16)))) as i16;
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = (((((if !(false) { ((s) ^ (s)) } else { (((x as i64)) << ((65_i32) & 7)) })) >> (((((((n as f32)) as i32)) / (((((s) as i32)) & 7) | 1))) & 7))) & (((((((((vt as f32)) as u32)) as i64)) & 7) + ((((s) >> ((((vt) as u8)) & 7))) & 7))));
    local!(real_out[i]) = (((i as u64)) as f64);
    remote!(cells[(my_pe() + 0) % n_pes(), ((((((2e3_f64) as usize)) & 7) + (((x as usize)) & 7))) % 4]) += (s as u32);
}

#[shmem::gpu::kernel]
fn helper_7(p: i64, g: f32) -> i32 {
    let mut v1: u64 = ((((((1e-7_f64) as u64)) << ((((94_usize) / ((((p as usize)) & 7) | 1))) & 7))) | ((((p as u64)).wrapping_add((p as u64))).min(((((p as u64)) & 7) * ((u64::MIN) & 7)))));
    for q2 in 0_i64..4 {
        v1 |= (((v1) & 7) * ((v1) & 7));
        v1 |= (((if (((v1 as i16)) <= ((v1 as i16))) { (((q2 as i32)) << ((v1) & 7)) } else { (if true { 10_i32 } else { (q2 as i32) }) })) as u64);
        v1 &= !(((((31_isize) as u64)) << (((((v1 as usize)) as usize)) & 7)));
    }
    ((((((v1 as i32)) - ((p as i32)))) | ((-(((v1 as i32)) & 7)).abs()))).min((v1 as i32))
}

#[shmem::gpu::kernel]
fn kernel_7(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut w1 = 0_u32;
    while w1 < 3 {
        w1 += 1;
        let mut v2 = (((19_u32) % ((((((((99_u32) & 7) * ((0_u32) & 7))) << (((((a as u16)) * (3_u16))) & 7))) & 7) | 1))) as u32;
    }
    if (((((i as i32)) >= (a))) && (false)) {
        let mut w3 = 0_u32;
        while w3 < 3 {
            w3 += 1;
        }
    } else {
    }
    for q4 in 0_u8..4 {
        if false {
            let mut v5 = (!((((((r as u16)) & 7) + ((17_u16) & 7))).wrapping_mul((((s as u16)) << (((i as i32)) & 7))))) as u16;
            let mut v6 = (((((((if false { 24_u8 } else { q4 })) | ((((q4) & 7) * ((q4) & 7))))) & 7) * ((((((((q4 as u16)) & 7) * ((16_u16) & 7))) as u8)) & 7))) as u8;
        }
    }
    let mut vh = helper_7(s, x);
    let mut vh: usize = ((((((((i as u32)) as isize)) & 7) + (((12_isize).max((vh as isize))) & 7))) as usize);
    let mut a7: [i16; 4] = [(((((24_u16) & 7) + (((i as u16)) & 7))) as i16); 4];
    a7[((if true { n } else { (i as usize) })) % 4] = i16::MIN;
    a7[(((n) >> (((x as isize)) & 7))) % 4] = a7[((s as usize)) % 4];
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = ((((s) | ((((local!(source[(vh) % n])) & 7) * ((!(s)) & 7))))) << ((((((((x) * (x))) as isize)) << (((((if false { (x as i8) } else { (s as i8) })) | (!((a as i8))))) & 7))) & 7));
    local!(real_out[i]) = ((((((((r as u64)) >> (((s as i8)) & 7))) as f64) as f64 - 1.5)) % (local!(reals[((((((n) & 7) + ((i) & 7))) / (((!(i)) & 7) | 1))) % n])));
    remote!(cells[(my_pe() + 0) % n_pes(), (((((r) + ((n as f64)))) as usize)) % 4]) -= (i as u32);
}

#[shmem::gpu::kernel]
fn helper_8(p: i64, g: f32) -> i32 {
    let mut a1: [f32; 4] = [(((g) + (g))).mul_add((g).ceil(), 0.1); 4];
    (!(((true) as i32))).min(((a1[((p as usize)) % 4]) as i32))
}

#[shmem::gpu::kernel]
fn kernel_8(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut v1: f64 = ((((r as f64 - 1.5)) / ((r).max(2.5)))).mul_add(((((n as f64)).max(2.5)) / (r)), 0.1);
    let mut a2: [i64; 4] = [local!(source[((((n) & 7) + ((i) & 7))) % n]); 4];
    let mut v3: usize = ((((!((n as u64))) as usize)) ^ (((((if false { n } else { n })) & 7) + ((((true) as usize)) & 7))));
    if (if true { false } else { ((91_i16) != ((i as i16))) }) {
        v1 = (((((v1) / (v1))) as f64)).sqrt();
        let mut v4: f64 = (((((29_isize) as f64)) / (local!(reals[(n) % n]))) as f64 - 1.5);
        a2[(((n) >> ((a) & 7))) % 4] = ((((r) as i64)) | (a2[(n) % 4]));
    } else {
        let mut v5 = (-(((if false { r } else { v1 })).min(2.5))) as f64;
    }
    let mut vh = helper_8(s, x);
    let mut v1: i32 = !(!(vh));
    vh ^= (((if ((r) == ((vh as f64))) { (((vh) & 7) + ((vh) & 7)) } else { (((v3 as i32)) << ((vh) & 7)) })) as i32);
    let mut v6: i64 = ((((((s) & 7) + ((s) & 7))).wrapping_sub(s)) << (((((59_i8) & 7) * (((((i as i8)) as i8)) & 7))) & 7));
    if (((((39_i16) & 7) * (((r as i16)) & 7))) == (((((i as i16)) & 7) + (((n as i16)) & 7)))) {
        let mut v7: u8 = (a as u8);
        if ((!((a as i64))) <= ((((n as isize)) as i64))) {
            let mut v8: i8 = ((((!(v7)) as i8)) & (((!(false)) as i8)));
        }
        if !(((false) && (true))) {
            let mut a9: [i16; 4] = [(-(((((x as i16)) >> ((81_u32) & 7))) & 7)).abs(); 4];
        } else {
            let mut v10 = ((if false { x } else { ((if true { x } else { x })).trunc() })) as f32;
            let mut v11: i16 = (15_i16).wrapping_mul((((((v3 as u16)) % ((((v3 as u16)) & 7) | 1))) as i16));
            a2[((((i) & 7) + ((v3) & 7))) % 4] = !(!(v6));
        }
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = !(!((((((n as f32)) + ((x as f32)))) as i64)));
    local!(real_out[i]) = (if true { -((local!(reals[(v3) % n])).min(2.5)) } else { (v6 as f64) });
    remote!(cells[(my_pe() + 1) % n_pes(), ((((v3).max((vh as usize))) & (((v3) >> ((7_u8) & 7))))) % 4]) ^= (if ((((27_i32) ^ (78_i32))) <= ((if false { v1 } else { a }))) { 39_u32 } else { ((((a) as u16)) as u32) });
}

#[shmem::gpu::kernel]
fn helper_9(p: i64, g: f32) -> i32 {
    (((p as u32)) as i32)
}

#[shmem::gpu::kernel]
fn kernel_9(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut tile = shared::<[u8; 8]>();
    if ((((false) && (false))) & (((false) ^ (true)))) {
        let mut v1 = (((!(!(false))) && (false))) as bool;
        let mut v2 = ((((((((n as i8)) & 7) * ((79_i8) & 7))) as u64)).wrapping_add((((((s as u64)) >> (((i as u32)) & 7))) >> ((a) & 7)))) as u64;
    }
    for q3 in (3..3_i32).rev() {
        let mut v4: i64 = (s).max(((((s) >> (((s as u64)) & 7))) | (((s) % (((s) & 7) | 1)))));
    }
    let mut v5: f64 = -(((((n as f64)) % (r))).ceil());
    let mut vh = helper_9(s, x);
    local!(tile[thread_index()]) = !(((!(true)) as u8));
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 3) % block_size()]);
    let mut w6 = 0_u32;
    while w6 < 2 {
        w6 += 1;
        if !(((false) || (true))) {
            let mut v7 = (((!((((vt) & 7) * ((vt) & 7)))) << ((((((((i) & 7) * (((x as usize)) & 7))) & 7) + (((((r as f64)) as usize)) & 7))) & 7))) as u8;
            let mut v8: i16 = !((if ((false) ^ (false)) { (i as i16) } else { (if false { i16::MAX } else { 26_i16 }) }));
            let mut v9: u32 = (!((if false { (v7 as u32) } else { (i as u32) }))).min((a as u32));
        }
    }
    for q10 in (2_i32..=6).step_by(2) {
        let mut a11: [f32; 4] = [-(x); 4];
        let mut v12 = ((((((69_i8).wrapping_add(67_i8)) / ((((((vt as i8)) & (58_i8))) & 7) | 1))) / (((((((18_u32) as i8)) % (((((n as i8)).wrapping_add(63_i8)) & 7) | 1))) & 7) | 1))) as i8;
        let mut v13: u8 = ((((((vt).wrapping_sub(31_u8)) & 7) * ((vt) & 7))) + (!((vt).wrapping_add(vt))));
    }
    let mut w14 = 0_u32;
    while w14 < 2 {
        w14 += 1;
        if ((((v5 as u16)).wrapping_sub((x as u16))) > (((vh as u16)).wrapping_add((vt as u16)))) {
            let mut v15 = ((((s) & 7) + ((((((s).wrapping_mul(s)) & 7) + (((if false { (r as i64) } else { (x as i64) })) & 7))) & 7))) as i64;
            vt |= (((-((((v15) as isize)) & 7)).abs()) as u8);
        } else {
            let mut v5 = (((((x).mul_add(1e-7_f32, 0.1)).sqrt()) as u32)) as u32;
            let mut a16: [i16; 4] = [(i as i16); 4];
        }
        v5 += v5;
    }
    let mut v17 = (vt) as u8;
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = local!(source[(i) % n]);
    local!(real_out[i]) = r;
    remote!(cells[(my_pe() + 0) % n_pes(), (!(((v5) as usize))) % 4]) += (((((((vh as f64)) % (r))) as u32)) | (((((((n as u32)) >> ((99_i8) & 7))) & 7) * ((((1_isize) as u32)) & 7))));
}

#[shmem::gpu::kernel]
fn helper_10(p: i64, g: f32) -> i32 {
    let mut a1: [u32; 4] = [(((((((p as u32)) & 7) + ((u32::MAX) & 7))) & 7) + (((6_u32).wrapping_add((g as u32))) & 7)); 4];
    let mut v2: u32 = ((((((if true { (p as u32) } else { (g as u32) })) << ((60_usize) & 7))) & 7) + ((a1[((((g as usize)) >> (((g as i32)) & 7))) % 4]) & 7));
    (((((((v2 as i32)) & 7) + ((10_i32) & 7))) ^ ((g as i32)))).min((((35_i32) & 7) + (((-(((g as i32)) & 7)).abs()) & 7)))
}

#[shmem::gpu::kernel]
fn kernel_10(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    if true {
        if ((((99_i64) >= (s))) | ((((i as u16)) <= ((a as u16))))) {
            let mut v1 = (!((r as u32))) as u32;
        } else {
            let mut a2: [u32; 4] = [(if ((true) == (false)) { (((n as f64)) as u32) } else { ((a as u32)).wrapping_add((i as u32)) }); 4];
        }
    } else {
        if !(((s) == (s))) {
            let mut v3: i8 = (((if false { (s as i8) } else { (a as i8) })).min((-(((a as i8)) & 7)).abs())).wrapping_mul((-((!((a as i8))) & 7)).abs());
            v3 |= v3;
            v3 &= (if (((if false { true } else { true })) ^ (((r) > (r)))) { (((((v3) & 7) * ((v3) & 7))) & (((x) as i8))) } else { !(42_i8) });
        } else {
        }
        for q4 in 0_u32..=4 {
        }
    }
    for q5 in (1_i16..3).step_by(1) {
        for q6 in (3..3_u16).rev() {
            let mut a7: [u64; 4] = [((((u64::MAX) >> (((r as i8)) & 7))) >> ((((r as u32)).wrapping_sub(21_u32)) & 7)); 4];
            let mut v8 = (((((n as isize)) as f32)).min(2.5)) as f32;
            let mut a9: [i16; 4] = [!((((q6 as i16)) | (q5))); 4];
        }
    }
    let mut a10: [u8; 4] = [((((((a as u16)) & 7) * ((35_u16) & 7))) as u8); 4];
    a10[((((i) & 7) + ((n) & 7))) % 4] = (if (((r as u64)) > ((x as u64))) { ((x) as u8) } else { (((s as u8)) % (((u8::MAX) & 7) | 1)) });
    let mut vh = helper_10(s, x);
    let mut v11 = ((if ((((r) <= (1e-7_f64))) < (!(false))) { ((((s as isize)).wrapping_mul(28_isize)) ^ (((false) as isize))) } else { !(((((vh as isize)) & 7) * (((i as isize)) & 7))) })) as isize;
    v11 |= ((v11) << ((a10[(((i) ^ ((n as usize)))) % 4]) & 7));
    if false {
        if !((((v11 as i8)) < (76_i8))) {
            let mut v12 = (((((r) as isize)) | (((s as isize)).wrapping_add(((v11) | (v11)))))) as isize;
            let mut a13: [f64; 4] = [r; 4];
            let mut a14: [isize; 4] = [v11; 4];
        } else {
            vh |= ((((((a).wrapping_sub(a)) & (((n as i32)).wrapping_sub((i as i32))))) & 7) + ((a) & 7));
        }
        let mut v15: usize = ((((i) / (((((66_usize) | (n))) & 7) | 1))) | ((if ((r) < (r)) { ((vh) as usize) } else { (i).wrapping_mul(i) })));
    } else {
        for q16 in 3_isize..6 {
            vh = (((vh) & 7) * ((((((32_i32) >> ((s) & 7))) | (vh))) & 7));
        }
    }
    for q17 in (3_i8..6).step_by(1) {
        if true { continue; }
        vh &= (((((((vh) | (a))) >> ((v11) & 7))) & 7) + (((-(((-(((s as i32)) & 7)).abs()) & 7)).abs()) & 7));
        v11 |= (i as isize);
        if ((((i16::MIN) <= ((s as i16)))) && (!(true))) {
            let mut a18: [i16; 4] = [((!(99_i16)) % (((!(85_i16)) & 7) | 1)); 4];
            let mut a19: [f32; 4] = [((x as f32 - 1.5)).mul_add(((x) / ((a as f32))), 0.1); 4];
            let mut v20 = ((((((q17) & 7) + ((((q17) << ((v11) & 7))) & 7))) >> (((((((a as i16)) >> ((s) & 7))) + (((67_i16) | ((n as i16)))))) & 7))) as i8;
        } else {
            v11 = (if !(((38_u32) < (21_u32))) { !((v11).min(v11)) } else { ((((i) % (((n) & 7) | 1))) as isize) });
            let mut v21: bool = ((!((((q17 as u16)) as u32))) != (84_u32));
        }
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = ((vh) as i64);
    local!(real_out[i]) = ((((a10[((if true { n } else { i })) % 4]) as f64)) as f64);
    remote!(cells[(my_pe() + 0) % n_pes(), (((if true { i } else { usize::MAX })).min((if false { 12_usize } else { n }))) % 4]) -= (if false { (((((vh as u32)) >> (((v11 as u16)) & 7))) << ((!(vh)) & 7)) } else { 53_u32 });
}

#[shmem::gpu::kernel]
fn helper_11(p: i64, g: f32) -> i32 {
    let mut v1: i8 = (((if true { ((((p as i8)) & 7) + (((g as i8)) & 7)) } else { ((p) as i8) })) ^ (((((((17_i8) & 7) * (((g as i8)) & 7))) & 7) + (((((g as i8)) as i8)) & 7))));
    for q2 in 2_u8..4 {
        v1 &= (((((v1) | (v1))) & (v1))).wrapping_mul((((((g as u32)) << (((p as i16)) & 7))) as i8));
    }
    (((((14_i32) % (((4_i32) & 7) | 1))).wrapping_sub((((v1 as i32)) >> ((v1) & 7)))) & (((((31_i32) == ((p as i32)))) as i32)))
}

#[shmem::gpu::kernel]
fn kernel_11(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    if (((if false { false } else { true })) <= (((x) == (x)))) {
        let mut v1: bool = (if !(((n) <= (i))) { (((x).ceil()) == ((((r as f32)) / (x)))) } else { (((if true { true } else { false })) & (((false) && (true)))) });
        v1 &= (if true { (((((n) & 7) * ((i) & 7))) != (((n) / (((i) & 7) | 1)))) } else { ((((v1) || (false))) && (!(false))) });
        for q2 in 2_i32..=7 {
            v1 ^= (((if !(true) { ((r) == (1e-7_f64)) } else { !(true) })) && (v1));
            v1 ^= !((if (if v1 { true } else { false }) { ((r) > (r)) } else { v1 }));
            let mut v3: f64 = (((1e-7_f64).mul_add((r as f64 - 1.5), 0.1)) as f64);
        }
    } else {
        if false {
            let mut v4: bool = true;
            let mut a5: [f64; 4] = [((((r) - (r))) / (local!(reals[((a as usize)) % n]))); 4];
        }
    }
    let mut a6: [i16; 4] = [(if (((a as u64)) > ((x as u64))) { (((s as i16)) % ((((i as i16)) & 7) | 1)) } else { (((n as i16)) % (((16_i16) & 7) | 1)) }); 4];
    let mut w7 = 0_u32;
    while w7 < 1 {
        w7 += 1;
        let mut v8: f64 = r;
        for q9 in 0_i32..3 {
            v8 -= v8;
            let mut a10: [i8; 4] = [(((if true { (x as u16) } else { (q9 as u16) })) as i8); 4];
        }
    }
    let mut vh = helper_11(s, x);
    let mut v11: i32 = a;
    let mut w12 = 0_u32;
    while w12 < 1 {
        w12 += 1;
        a6[(((n) / (((20_usize) & 7) | 1))) % 4] = a6[((if true { i } else { (x as usize) })) % 4];
        for q13 in 2_u64..7 {
            if ((a) == (62_i32)) { break; }
            let mut a14: [u32; 4] = [(((((x as u32)) >> ((i16::MIN) & 7))) >> (((if false { i } else { i })) & 7)); 4];
            v11 ^= ((((((-((a) & 7)).abs()) << ((n) & 7))) & 7) + (((((62_i32) ^ (a))).wrapping_add((if true { vh } else { (x as i32) }))) & 7));
        }
        let mut v15: i8 = (if !(true) { ((((v11 as i8)).max((x as i8))) & (((93_i8) >> ((22_i8) & 7)))) } else { (((if false { 43_i8 } else { (a as i8) })) | (((vh as i8)).max(77_i8))) });
    }
    let mut w16 = 0_u32;
    while w16 < 3 {
        w16 += 1;
        let mut w17 = 0_u32;
        while w17 < 3 {
            w17 += 1;
            let mut v18: f64 = (((((3_u16).wrapping_sub(22_u16)) + (22_u16))) as f64);
            let mut v19: bool = (((v11 as u32)) > (((!((i as u32))) ^ ((if false { (v18 as u32) } else { 27_u32 })))));
        }
        a6[((i).max(n)) % 4] = ((83_i16) / ((((((i as i16)) >> ((22_i8) & 7))) & 7) | 1));
        for q20 in 2_i16..5 {
            if ((false) > (false)) { break; }
            v11 = ((((((v11 as i32)) >> (((x as i32)) & 7))) >> (((((vh as i16)) << ((74_u32) & 7))) & 7))).max(vh);
        }
    }
    if (((n as i8)) != ((((vh as i8)) >> ((v11) & 7)))) {
        if !(((67_i32) >= (vh))) {
            v11 |= (s as i32);
        }
        for q21 in (2_i16..4).step_by(2) {
            if !(true) { break; }
            v11 ^= (if false { ((((i) as i32)) << (((vh as u8)) & 7)) } else { !(vh) });
            v11 ^= ((((-(r)) as i32)) << (((((v11 as i8)) / ((((q21 as u16)) as i8)))) & 7));
            a6[(n) % 4] = (-((((q21) << ((10_isize) & 7))) & 7)).abs();
        }
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = (((s) & 7) + (((((if ((true) & (true)) { ((s) as i64) } else { (if true { 30_i64 } else { s }) })) & ((!((vh as i64))).min(s)))) & 7));
    local!(real_out[i]) = r;
    remote!(cells[(my_pe() + 1) % n_pes(), (((((s) | (s))) as usize)) % 4]) ^= (((if ((s) > (s)) { ((2_usize) ^ ((vh as usize))) } else { ((((s as usize)) & 7) * ((i) & 7)) })) as u32);
}

#[shmem::gpu::kernel]
fn helper_12(p: i64, g: f32) -> i32 {
    if (if ((18_u8) == (23_u8)) { false } else { ((true) || (false)) }) {
        let mut v1 = ((if (((((g as usize)) | ((p as usize)))) != (((p as usize)).min((g as usize)))) { (((-(((g as isize)) & 7)).abs()) % ((((p as isize)) & 7) | 1)) } else { (if (((g as usize)) <= ((p as usize))) { 28_isize } else { (if true { (g as isize) } else { (g as isize) }) }) })) as isize;
    }
    (((if !(true) { ((p as i32)).wrapping_sub(4_i32) } else { ((78_i32) ^ (58_i32)) })) + (((!((g as i32))) / (((((p) as i32)) & 7) | 1))))
}

#[shmem::gpu::kernel]
fn kernel_12(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut tile = shared::<[u64; 8]>();
    let mut w1 = 0_u32;
    while w1 < 4 {
        w1 += 1;
        let mut w2 = 0_u32;
        while w2 < 4 {
            w2 += 1;
            let mut a3: [u16; 4] = [(if (if true { true } else { true }) { (((i as i16)) as u16) } else { (if false { 30_u16 } else { u16::MAX }) }); 4];
        }
        let mut v4: bool = (if ((83_u16) != (!((i as u16)))) { ((((true) || (false))) && (((true) && (false)))) } else { (if (((i as i8)) <= ((n as i8))) { ((i) != (i)) } else { ((true) && (false)) }) });
    }
    let mut w5 = 0_u32;
    while w5 < 2 {
        w5 += 1;
        let mut v6: u32 = !(((local!(reals[((i as usize)) % n])) as u32));
    }
    for q7 in (3_i16..=2).step_by(3) {
        let mut v8 = ((((if (((i as i8)) <= ((x as i8))) { ((q7) % (((q7) & 7) | 1)) } else { ((q7) << ((90_i8) & 7)) })) >= ((((q7) >> (((n as i32)) & 7))).max(((60_i64) as i16))))) as bool;
        let mut v9: f32 = x;
    }
    let mut vh = helper_12(s, x);
    local!(tile[thread_index()]) = (s as u64);
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 1) % block_size()]);
    vt |= (((((if false { vt } else { vt })) / (((((((i as u64)) & 7) + ((vt) & 7))) & 7) | 1))) >> (((s as i32)) & 7));
    let mut w10 = 0_u32;
    while w10 < 2 {
        w10 += 1;
        vt &= ((((((r as f64)).min(2.5)) / ((r as f64 - 1.5)))) as u64);
        for q11 in (0..7_i32).rev() {
            if ((a) == (q11)) { break; }
            let mut v12: i8 = (((((((s as i8)) ^ ((vh as i8)))) / ((((((48_i8) & 7) + (((r as i8)) & 7))) & 7) | 1))) << (((((((q11 as isize)) << ((vt) & 7))) as u16)) & 7));
            vh = (((((((((n as i32)) << (((n as u16)) & 7))) & 7) * ((((true) as i32)) & 7))) & 7) + ((((((40_u32) as i32)) / ((((-((a) & 7)).abs()) & 7) | 1))) & 7));
            v12 ^= (((if (((q11 as i16)) != ((v12 as i16))) { 59_i8 } else { ((8_i8) ^ ((vh as i8))) })) << (((((if false { (x as usize) } else { n })) % (((((n) / (((n) & 7) | 1))) & 7) | 1))) & 7));
        }
    }
    let mut vt: isize = (((!((if true { (vt as isize) } else { (a as isize) }))) & 7) + ((((((89_isize) & ((s as isize)))) & (((3_i16) as isize)))) & 7));
    for q13 in 3_isize..=6 {
        if (((a as u8)) < (12_u8)) { break; }
        let mut v14 = (((((q13).wrapping_mul((n as isize))).min(((r) as isize))) % (((vt) & 7) | 1))) as isize;
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = (((((((((n) & (n))) % ((((i as usize)) & 7) | 1))) & 7) * (((((((i) & 7) * ((i) & 7))) | (((n) | (i))))) & 7))) as i64);
    local!(real_out[i]) = r;
    remote!(cells[(my_pe() + 0) % n_pes(), ((((92_usize).wrapping_sub(i)) as usize)) % 4]) += (((((13_u32) as u32)) & 7) * (((a as u32)) & 7));
}

#[shmem::gpu::kernel]
fn helper_13(p: i64, g: f32) -> i32 {
    let mut v1 = (((((g as u16)).min((((p as u16)) << (((g as i16)) & 7)))) | ((if false { (g as u16) } else { (((65_u16) & 7) * (((p as u16)) & 7)) })))) as u16;
    v1 &= (((((p as i8)) >> ((((g as u64)).max(u64::MAX)) & 7))) as u16);
    ((((((v1 as u64)) < ((g as u64)))) as i32)).wrapping_add((((if true { (g as i32) } else { (g as i32) })) / ((((v1 as i32)) & 7) | 1)))
}

#[shmem::gpu::kernel]
fn kernel_13(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    if ((((n) as i8)) > (((x as i8)).min((x as i8)))) {
        for q1 in 0_i64..=3 {
            let mut v2 = (((((((false) <= (false))) == (true))) as i8)) as i8;
            let mut v3: i64 = (((((((false) as i64)) & 7) + ((((i) as i64)) & 7))) & (((((false) as usize)) as i64)));
        }
        let mut v4 = (((if (((a as usize)) <= (i)) { r } else { 3.0_f64 })).mul_add(((r) * (-(r))), 0.1)) as f64;
        if ((((a as u8)).min(36_u8)) >= (((x) as u8))) {
            v4 -= ((((((v4) / (v4))) / (((v4) * (r))))) * (((((x as u8)) as f64)).max(2.5)));
            v4 += ((((local!(reals[(75_usize) % n])) / (((x) as f64)))) + ((((r) - (v4))).mul_add((if true { v4 } else { (s as f64) }), 0.1)));
            v4 -= v4;
        }
    } else {
        if (((((n as u16)) % (((73_u16) & 7) | 1))) < ((if false { 44_u16 } else { 51_u16 }))) {
        }
    }
    let mut a5: [f32; 4] = [-((((n as f32)) * ((i as f32)))); 4];
    a5[(((r) as usize)) % 4] = (((r) as f32)).min(2.5);
    let mut w6 = 0_u32;
    while w6 < 4 {
        w6 += 1;
        for q7 in 1_isize..3 {
            let mut v8 = ((97_u16).max((r as u16))) as u16;
            let mut v9 = (17_i8) as i8;
            a5[((if true { n } else { i })) % 4] = (-(x)).mul_add((x).abs(), 0.1);
        }
        if !((((i as i64)) != (s))) {
            let mut v10 = ((((((((s as i32)) as f32)) % (a5[(i) % 4]))) as i16)) as i16;
            let mut v11 = ((a5[((((n) & 7) + ((n) & 7))) % 4]).max(2.5)) as f32;
        } else {
            let mut v12: u8 = (((((((x as u8)) / ((((s as u8)) & 7) | 1))) >> (((s as i8)) & 7))) % ((((i as u8)) & 7) | 1));
            let mut v12: f64 = ((((v12 as f64)) * ((s as f64))) as f64 - 1.5);
            v12 -= (((v12).min(2.5)) * (((if true { r } else { (i as f64) }) as f64 - 1.5)));
        }
        let mut v13: i8 = ((!((if true { (a as isize) } else { 99_isize }))) as i8);
    }
    let mut vh = helper_13(s, x);
    for q14 in 2_i32..2 {
        if false {
            a5[(((n) | ((i as usize)))) % 4] = a5[((((i) & 7) + ((n) & 7))) % 4];
        } else {
            let mut vh = ((((((((0_i8) & ((s as i8)))) & 7) + (((((n as i8)) / ((((vh as i8)) & 7) | 1))) & 7))) << (((((if false { s } else { s })) % (((((s) / (((s) & 7) | 1))) & 7) | 1))) & 7))) as i8;
            vh &= vh;
            a5[((n).wrapping_sub(i)) % 4] = (((x).mul_add(x, 0.1)) / (a5[(n) % 4]));
        }
    }
    for q15 in (0_usize..=6).step_by(1) {
        if ((true) & (false)) { break; }
        for q16 in 2_i8..4 {
            if !(false) { break; }
            vh = (-((((a) >> (((((vh as i32)) as usize)) & 7))) & 7)).abs();
        }
        let mut a17: [i32; 4] = [(-(((vh).wrapping_mul(vh)) & 7)).abs(); 4];
    }
    vh &= ((((if true { ((r as i32)).wrapping_mul((x as i32)) } else { (((a) & 7) + (((i as i32)) & 7)) })) & 7) * ((((((s) as f32)) as i32)) & 7));
    let mut vh: usize = (((((((r as i16)) as usize)) & (((i) / (((i) & 7) | 1))))) >> (((((if true { u64::MIN } else { (vh as u64) })) as u32)) & 7));
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = s;
    local!(real_out[i]) = (((((((if true { 25_u8 } else { (r as u8) })) as f64)) + (local!(reals[(((vh) ^ (i))) % n])))) + (((((r).min(2.5)).min(2.5)) / ((if true { local!(reals[(vh) % n]) } else { (if false { r } else { r }) })))));
    remote!(cells[(my_pe() + 0) % n_pes(), (((((r) as usize)) << ((((i as u64)).wrapping_mul((x as u64))) & 7))) % 4]) -= ((if true { ((1_u32) << ((a) & 7)) } else { !(68_u32) })).max((((((12_u32) & ((vh as u32)))) & 7) * ((((57_usize) as u32)) & 7)));
}

#[shmem::gpu::kernel]
fn helper_14(p: i64, g: f32) -> i32 {
    for q1 in 2_i64..3 {
        let mut a2: [usize; 4] = [((((g as usize)) & 7) * ((((((p as usize)) & 7) + (((q1 as usize)) & 7))) & 7)); 4];
    }
    (if false { i32::MIN } else { ((((g as i32)) & 7) + (((((g as i16)) as i32)) & 7)) })
}

#[shmem::gpu::kernel]
fn kernel_14(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut v1 = ((((((if false { (s as u32) } else { (a as u32) })) & 7) + (((if false { (s as u32) } else { (a as u32) })) & 7))).wrapping_add((((n).min(i)) as u32))) as u32;
    let mut w2 = 0_u32;
    while w2 < 1 {
        w2 += 1;
        let mut w3 = 0_u32;
        while w3 < 2 {
            w3 += 1;
            v1 = !(((x) as u32));
            v1 = (((((a as f64) as f64 - 1.5)).sqrt()) as u32);
        }
        let mut a4: [i16; 4] = [((isize::MAX) as i16); 4];
        let mut v1: u16 = ((((((((25_u16) - ((r as u16)))) & 7) + (((if false { (i as u16) } else { (i as u16) })) & 7))) & 7) + (((((((i as u8)) + ((n as u8)))) as u16)) & 7));
    }
    if (((if true { a } else { a })) != (((a) << (((s as u64)) & 7)))) {
        let mut a5: [i32; 4] = [(((if true { (n as i32) } else { a })) % (((((a) << ((v1) & 7))) & 7) | 1)); 4];
    }
    let mut vh = helper_14(s, x);
    vh = !(((((n) as i32)) << ((((false) as isize)) & 7)));
    let mut v6 = (((((((1.5_f64) as f32)) - ((if false { (i as f32) } else { (a as f32) })))) - (((((15_u16) as f32)) * ((if false { 1e-7_f32 } else { x })))))) as f32;
    vh &= a;
    if false {
        vh ^= (((((n as u8)).wrapping_sub((a as u8))).wrapping_add((47_u8).wrapping_sub((v1 as u8)))) as i32);
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = (((((((((v1 as f32)) - (v6))) as u16)) as i64)) ^ (((((((34_isize) as i64)) > (((n) as i64)))) as i64)));
    local!(real_out[i]) = ((r) - ((if !(!(true)) { (if ((true) || (false)) { r } else { r }) } else { ((-(r)) + ((r).ceil())) })));
    remote!(cells[(my_pe() + 0) % n_pes(), (((((if true { n } else { i })) & 7) * ((((v1) as usize)) & 7))) % 4]) ^= ((((((v1) <= (v1))) as u32)) << (((((if false { v1 } else { v1 })) ^ ((if true { v1 } else { 61_u32 })))) & 7));
}

#[shmem::gpu::kernel]
fn helper_15(p: i64, g: f32) -> i32 {
    let mut v1: u32 = (if ((((((g as u16)) & 7) + (((g as u16)) & 7))) == (((35_i16) as u16))) { (if (((p as i16)) != ((g as i16))) { !(u32::MIN) } else { ((u32::MIN) << ((p) & 7)) }) } else { ((((32_i8) as u32)) >> (((((g as u8)) as u32)) & 7)) });
    let mut v2 = (((1.5_f64) as u8)) as u8;
    (((((v1 as f64)).ceil()).sqrt()) as i32)
}

#[shmem::gpu::kernel]
fn kernel_15(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut tile = shared::<[u8; 8]>();
    if false {
        let mut v1: i64 = ((((s) & (((s) ^ (s))))) << ((((60_isize).wrapping_sub((s as isize))).wrapping_mul((x as isize))) & 7));
    }
    for q2 in 1_u32..4 {
    }
    let mut vh = helper_15(s, x);
    local!(tile[thread_index()]) = !((((((n as u8)) & ((a as u8)))) ^ ((((r as u8)) as u8))));
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 3) % block_size()]);
    for q3 in (0..3_u8).rev() {
        if ((((((r as u32)) & 7) * (((x as u32)) & 7))) <= ((a as u32))) {
            vt = ((vt) << (((if true { ((i as usize)).min(n) } else { (((s as i16)) as usize) })) & 7));
            vt ^= (((((if true { a } else { vh })) as u8)) >> ((((((i as f64) as f64 - 1.5)) as i32)) & 7));
            vt |= vt;
        }
        let mut a4: [isize; 4] = [43_isize; 4];
    }
    for q5 in (2_isize..=3).step_by(1) {
        if (((q5 as u16)) < (17_u16)) { continue; }
        vt |= ((vt) << (((((a as i16)) >> ((((21_i16) << (((s as u16)) & 7))) & 7))) & 7));
    }
    let mut v6: f32 = ((((((x) - (x))) * (((x) * ((n as f32)))))) + (((((vh as i8)) as f32)).mul_add(((vh as f32)).sqrt(), 0.1)));
    vh ^= (if ((((false) != (true))) || (((true) | (false)))) { (((((a) & 7) * ((vh) & 7))) | (((vt) as i32))) } else { ((((vh) << (((v6 as u64)) & 7))) >> ((((38_u64) ^ ((a as u64)))) & 7)) });
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = (((((((((i as u64)) << ((i) & 7))).wrapping_mul(!((v6 as u64)))) & 7) * (((((((r as u64)).wrapping_mul((x as u64))) & 7) * (((((vt as u64)) << (((i as u16)) & 7))) & 7))) & 7))) as i64);
    local!(real_out[i]) = (((if (if (((r as u16)) > ((vh as u16))) { (((n as u16)) == ((a as u16))) } else { ((r) >= ((i as f64))) }) { ((v6).mul_add(x, 0.1) as f32 - 1.5) } else { (((v6).sqrt()) % ((if true { x } else { v6 }))) })) as f64);
    remote!(cells[(my_pe() + 1) % n_pes(), (i) % 4]) += (32_u32).wrapping_sub(((((x as u32)) >> ((a) & 7))).min((((79_u32) & 7) * ((50_u32) & 7))));
}

#[shmem::gpu::kernel]
fn helper_16(p: i64, g: f32) -> i32 {
    (((((i32::MAX).wrapping_sub(97_i32)) + ((if false { 37_i32 } else { (g as i32) })))) << ((((if false { 55_u32 } else { u32::MAX })).wrapping_sub((((p as u32)) << (((g as i8)) & 7)))) & 7))
}

#[shmem::gpu::kernel]
fn kernel_16(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    for q1 in 1_usize..=2 {
        let mut a2: [u8; 4] = [((((true) as u32)) as u8); 4];
        for q3 in (1..2_u16).rev() {
        }
        if ((s) != (local!(source[(q1) % n]))) {
        }
    }
    let mut v4 = ((local!(reals[(((n) % (((n) & 7) | 1))) % n]) as f64 - 1.5)) as f64;
    let mut w5 = 0_u32;
    while w5 < 3 {
        w5 += 1;
        let mut a6: [i8; 4] = [((((91_i8) & ((i as i8)))) ^ (((v4 as i8)).wrapping_add((s as i8)))); 4];
        v4 = v4;
    }
    let mut v7 = (((((((((((r as u8)) & 7) * (((i as u8)) & 7))) & 7) + ((((true) as u8)) & 7))) & 7) + (((if true { (x as u8) } else { ((s as u8)).wrapping_sub((i as u8)) })) & 7))) as u8;
    let mut vh = helper_16(s, x);
    let mut v8: i64 = ((!(s)) - ((if ((3.0_f32) >= (3.0_f32)) { ((((x as i64)) & 7) + ((s) & 7)) } else { !((s as i64)) })));
    for q9 in 3_u32..7 {
        let mut vh = (n) as usize;
    }
    for q10 in (0_isize..4).step_by(1) {
        if ((s) == (v8)) { continue; }
        if true {
            v7 |= (((if (((n as i16)) >= ((v8 as i16))) { (((q10 as u8)) & ((v4 as u8))) } else { ((33_u8) / (((v7) & 7) | 1)) })) & ((if (((v8 as i8)) <= ((vh as i8))) { v7 } else { (if true { v7 } else { 87_u8 }) })));
            let mut a11: [u32; 4] = [((2_u16) as u32); 4];
            a11[(((n) ^ (i))) % 4] = a11[((((vh as usize)) >> ((71_u16) & 7))) % 4];
        }
    }
    let mut v12: f32 = (((((v8 as f32)).mul_add(x, 0.1)) + ((2e3_f32 as f32 - 1.5))) as f32 - 1.5);
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = (((((v8) | (s))) % (((((((v8) << ((75_u16) & 7))) ^ (((i) as i64)))) & 7) | 1))).wrapping_mul((((if ((u16::MAX) != (27_u16)) { (75_i64).wrapping_mul((v12 as i64)) } else { (((a as i64)) >> (((v12 as u64)) & 7)) })) >> (((if ((true) & (true)) { ((v7) >> ((i) & 7)) } else { ((v7) & (67_u8)) })) & 7)));
    local!(real_out[i]) = (if ((((((v8) as i64)) as f32)) == (((((((vh as u8)) & 7) + ((v7) & 7))) as f32))) { ((((r) - ((v7 as f64))) as f64 - 1.5)).floor() } else { (((local!(reals[(i) % n])).sqrt()) * (v4)) });
    remote!(cells[(my_pe() + 1) % n_pes(), ((((((v12 as isize)) << (((a as u16)) & 7))) as usize)) % 4]) -= (((((((n as f32)) * (v12))) as u32)) ^ (((((v4 as u32)) & 7) * (((((x as u32)) << (((x as u16)) & 7))) & 7))));
}

#[shmem::gpu::kernel]
fn helper_17(p: i64, g: f32) -> i32 {
    for q1 in 3_i8..6 {
        let mut a2: [f32; 4] = [(((p as i32)) as f32); 4];
    }
    let mut w3 = 0_u32;
    while w3 < 2 {
        w3 += 1;
    }
    (((((((p as i32)) >> (((p as u32)) & 7))).wrapping_sub(((0.375_f64) as i32))) & 7) + ((((((g as i32)) | ((p as i32)))).wrapping_sub(((g as i32)).wrapping_add(51_i32))) & 7))
}

#[shmem::gpu::kernel]
fn kernel_17(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut v1 = (((s) % (((((-(x)) as i64)) & 7) | 1))) as i64;
    let mut w2 = 0_u32;
    while w2 < 2 {
        w2 += 1;
        let mut v3 = (((((((-(((s as isize)) & 7)).abs()) & 7) + (((((x as isize)) % (((36_isize) & 7) | 1))) & 7))) / ((((if (if false { true } else { true }) { (((a as isize)) ^ ((n as isize))) } else { ((true) as isize) })) & 7) | 1))) as isize;
    }
    let mut v4: bool = (((((x).mul_add((x as f32), 0.1)) == ((((i as f32)) - (x))))) && (true));
    v1 ^= (((((s) & 7) * (((v1 as i64)) & 7))).wrapping_mul((((i as u8)) as i64))).max(((!((a as i64))) >> ((((n) & ((s as usize)))) & 7)));
    let mut vh = helper_17(s, x);
    if v4 {
        for q5 in (1_u16..4).step_by(2) {
            v4 ^= (((-(r)).max(2.5)) > ((((r).max(2.5)) / ((r as f64 - 1.5)))));
            v4 |= (((((((q5 as u64)) >> ((n) & 7))) ^ ((83_u64).wrapping_sub((vh as u64))))) != ((((((((v4 as u64)) & 7) * ((66_u64) & 7))) & 7) + ((((r as u64)).min((q5 as u64))) & 7))));
        }
    }
    let mut a6: [u32; 4] = [(x as u32); 4];
    let mut v7: f64 = ((-(((r) * (r)))) * (((((v4) as u64)) as f64)));
    let mut v8: f64 = 0.375_f64;
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = ((((((if false { (n as f64) } else { r })) % (((v8) / (v7)))) as f64 - 1.5)) as i64);
    local!(real_out[i]) = r;
    remote!(cells[(my_pe() + 0) % n_pes(), (((n) ^ ((if v4 { i } else { n })))) % 4]) ^= ((a6[(((v1) as usize)) % 4]) ^ (((((v4) as u32)) & (a6[(n) % 4]))));
}

#[shmem::gpu::kernel]
fn helper_18(p: i64, g: f32) -> i32 {
    if (((p as f64)) == ((0.375_f64).abs())) {
        let mut v1: u32 = (((((((g as u8)) & 7) * ((15_u8) & 7))).wrapping_mul((((p as u8)) & ((g as u8))))) as u32);
        v1 ^= ((((g).ceil()) as u32)).max((if true { (v1).max(v1) } else { ((p as u32)).wrapping_mul((g as u32)) }));
    } else {
        let mut v2: u64 = (if ((34_u16) == (((((p as u16)) & 7) + ((98_u16) & 7)))) { (g as u64) } else { ((58_u64) / ((((((g as u64)) >> (((g as i8)) & 7))) & 7) | 1)) });
        let mut v2 = ((((((1.5_f32) as u32)) >> ((!(u16::MAX)) & 7))).wrapping_mul((((p as u32)) << ((((g as isize)).wrapping_sub((p as isize))) & 7)))) as u32;
    }
    let mut w3 = 0_u32;
    while w3 < 2 {
        w3 += 1;
        let mut v4 = ((g as f64)) as f64;
        let mut a5: [u32; 4] = [(v4 as u32); 4];
        let mut a6: [f64; 4] = [((-((g as f64))) - ((((p as u16)) as f64))); 4];
    }
    !((p as i32))
}

#[shmem::gpu::kernel]
fn kernel_18(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut tile = shared::<[u8; 8]>();
    for q1 in (1_u8..=7).step_by(1) {
        if !((((r as isize)) >= (16_isize))) {
            let mut v2: bool = ((((!(q1)) as f32)) == ((((if false { s } else { 74_i64 })) as f32)));
        }
    }
    for q3 in 1_usize..=6 {
        let mut v4: u16 = ((local!(reals[(((q3) >> ((27_i16) & 7))) % n])) as u16);
        for q5 in (1_u8..3).step_by(1) {
            v4 = (((((((x) / (2e3_f32))) as u16)) & 7) + (((((54_u16).wrapping_mul(v4)) << ((((u64::MAX) as isize)) & 7))) & 7));
        }
    }
    let mut v6 = (((n) >> (((((((18_u64) & 7) + (((x as u64)) & 7))) >> ((a) & 7))) & 7))) as usize;
    let mut v6 = ((((!(((0.375_f32) as i32))) & 7) + ((((((x as i32)) & 7) + (((a).min((x as i32))) & 7))) & 7))) as i32;
    let mut vh = helper_18(s, x);
    local!(tile[thread_index()]) = (r as u8);
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 4) % block_size()]);
    let mut v7: bool = ((((((x) as i8)) == ((-((66_i8) & 7)).abs()))) >= ((((r).mul_add(r, 0.1)) < (((r) / (r))))));
    if v7 {
        v6 ^= (if ((((u16::MAX) % (((98_u16) & 7) | 1))) <= (((s) as u16))) { ((((i) as i32)) as i32) } else { ((s) as i32) });
        if !(((v7) ^ (v7))) {
            v6 = (((((((r as i32)) | (30_i32))) & 7) * (((((v7 as i16)) as i32)) & 7))).wrapping_add(((((vh) << ((a) & 7))) ^ (((v7) as i32))));
            vh ^= (((a) & 7) * ((((((vh) % (((80_i32) & 7) | 1))) >> (((74_i16).wrapping_sub(63_i16)) & 7))) & 7));
        } else {
            v6 ^= v6;
        }
    } else {
        v6 &= vh;
        if ((((v7) as u64)) > ((((vh as isize)) as u64))) {
            let mut v8: u8 = ((((if true { vt } else { vt })) >> ((((vt) as i16)) & 7))).wrapping_add((((123456.78_f64) as u8)).min((vt).wrapping_sub(vt)));
        }
        vh = v6;
    }
    let mut v9 = ((s as usize)) as usize;
    for q10 in 2_u16..=5 {
        if (((((i as isize)) as i16)) <= ((v9 as i16))) {
            let mut v11: isize = ((!(((83_i16) as usize))) as isize);
            let mut v12: i32 = (vt as i32);
            v9 |= n;
        } else {
            v7 |= ((!(((v6) | (vh)))) != (!(((((q10 as i32)) & 7) * ((v6) & 7)))));
            v7 |= !(((((r) + (r))) <= (local!(reals[(i) % n]))));
            let mut a13: [i16; 4] = [((((-((65_i16) & 7)).abs()) & 7) + (((if false { 58_i16 } else { (s as i16) })) & 7)); 4];
        }
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = (((((v7) as i64)).wrapping_mul((if ((v7) | (v7)) { ((s) >> (((n as i16)) & 7)) } else { (((n as f32)) as i64) }))) - (s));
    local!(real_out[i]) = local!(reals[((if (if ((r) <= (r)) { !(v7) } else { ((v7) && (false)) }) { ((((123456.78_f32) - (1.5_f32))) as usize) } else { (((if v7 { x } else { x })) as usize) })) % n]);
    remote!(cells[(my_pe() + 1) % n_pes(), ((if (((r as usize)) != (v9)) { (v9 as usize) } else { (if v7 { v9 } else { v9 }) })) % 4]) += ((((((if false { s } else { s })) as u32)) & 7) + (((if ((v7) || (v7)) { (((68_u32) & 7) + ((30_u32) & 7)) } else { (((vh as u32)) & ((n as u32))) })) & 7));
}

#[shmem::gpu::kernel]
fn helper_19(p: i64, g: f32) -> i32 {
    if (((((p as i8)) >= (56_i8))) & (((1e-7_f64) < ((p as f64))))) {
        let mut a1: [u64; 4] = [(((g as u64)) >> (((((g as i16)) as u64)) & 7)); 4];
        let mut v2: bool = (((((if true { false } else { true })) < (((0.375_f64) < (1.5_f64))))) | (false));
        v2 ^= (if ((((79_u8) <= (20_u8))) || (v2)) { ((((37_i8) as u8)) != ((((v2 as u8)) >> (((g as usize)) & 7)))) } else { (if v2 { (((g as u16)) == ((v2 as u16))) } else { !(v2) }) });
    }
    (g as i32)
}

#[shmem::gpu::kernel]
fn kernel_19(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    if (((((r as isize)) ^ ((a as isize)))) < (((3_isize) as isize))) {
        for q1 in 0_i32..=6 {
            let mut v2: u64 = ((((((20_u32) as u64)) & 7) * (((((x as u64)) as u64)) & 7))).min(((((x) as u64)) >> (((((q1 as i16)) / ((((i as i16)) & 7) | 1))) & 7)));
            let mut a3: [f32; 4] = [(n as f32); 4];
            v2 ^= ((!((((r as u64)) | ((x as u64))))) % ((((((v2 as u64)) & ((v2).min(v2)))) & 7) | 1));
        }
        let mut a4: [i64; 4] = [s; 4];
    } else {
        let mut v5 = ((((((s).max(s)) % (((((s) ^ (s))) & 7) | 1))) % (((((((s) & (s))) & (s))) & 7) | 1))) as i64;
        v5 |= ((s) >> (((((((i as u16)) / ((v5 as u16)))) << ((((((r as i8)) & 7) + ((30_i8) & 7))) & 7))) & 7));
    }
    let mut v6: u8 = ((((((x as u32)) % (((37_u32) & 7) | 1))).min(((n) as u32))) as u8);
    for q7 in 0_isize..2 {
        let mut a8: [u8; 4] = [v6; 4];
    }
    v6 |= (((((v6) & 7) + ((((r as u8)).wrapping_sub(v6)) & 7))) ^ ((((((u8::MAX) << (((r as i16)) & 7))) & 7) * (((((v6) & 7) * ((v6) & 7))) & 7))));
    let mut vh = helper_19(s, x);
    let mut v9 = ((((((1e-7_f64) + (r))).abs()) * (((r).trunc()).mul_add(((r) * (1e-7_f64)), 0.1)))) as f64;
    v6 |= !((if (((s as u32)) > ((i as u32))) { ((u8::MIN) % (((v6) & 7) | 1)) } else { v6 }));
    let mut w10 = 0_u32;
    while w10 < 2 {
        w10 += 1;
        v6 &= v6;
        if (((((v9 as u8)) | (v6))) != ((((r as isize)) as u8))) {
            v6 ^= !(v6);
            vh |= !(((if false { a } else { (v6 as i32) })).wrapping_mul(vh));
            let mut a11: [u8; 4] = [((((79_isize) as u8)) << (((((x as u64)) / ((((v6 as u64)) & 7) | 1))) & 7)); 4];
        }
        let mut a12: [i8; 4] = [(if true { (-((40_i8) & 7)).abs() } else { (if true { (s as i8) } else { (x as i8) }) }); 4];
    }
    let mut vh = (-((((x) % ((s as f32)))).mul_add((x as f32 - 1.5), 0.1))) as f32;
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = (if true { ((!((((s) & 7) + ((s) & 7)))) >> (((v6 as i16)) & 7)) } else { ((s) | (((((x as i64)).min(s)) << (((if false { (a as u64) } else { (v6 as u64) })) & 7)))) });
    local!(real_out[i]) = ((((((((s as f64) as f64 - 1.5)) + ((v9).mul_add((v6 as f64), 0.1)))) % ((((v9).min(2.5)) / (((x as f64)).mul_add(0.1_f64, 0.1)))))) - (((((if false { (vh as f64) } else { r })).floor()) * ((i as f64)))));
    remote!(cells[(my_pe() + 1) % n_pes(), (((((x as usize)).wrapping_sub(14_usize)) % ((((((vh as usize)) | (i))) & 7) | 1))) % 4]) -= (((((((a as u32)) >> ((40_u64) & 7))).wrapping_add(((r) as u32))) & 7) * (((a as u32)) & 7));
}

#[shmem::gpu::kernel]
fn helper_20(p: i64, g: f32) -> i32 {
    if (if ((63_u16) < ((p as u16))) { false } else { (((p as f32)) <= (g)) }) {
    }
    ((((if ((u64::MAX) > (86_u64)) { (-((89_i32) & 7)).abs() } else { (((g as i32)) << (((p as u16)) & 7)) })) & 7) * ((((u16::MIN) as i32)) & 7))
}

#[shmem::gpu::kernel]
fn kernel_20(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    for q1 in (3_i64..=3).step_by(3) {
        let mut v2 = (((((((i as u64)) as f32)).mul_add(((x) as f32), 0.1)) + (((x).mul_add(x, 0.1)).abs()))) as f32;
        for q3 in (2_i16..=7).step_by(2) {
            let mut a4: [u64; 4] = [((((a) >> ((q3) & 7))) as u64); 4];
        }
    }
    let mut v5: i64 = s;
    if false {
        let mut v5: i64 = 97_i64;
    } else {
        let mut w6 = 0_u32;
        while w6 < 4 {
            w6 += 1;
            v5 &= s;
            let mut v7 = (!(!((((n as isize)) & ((i as isize)))))) as isize;
            v7 = (!((((v7) & 7) * ((v7) & 7)))).wrapping_mul((((v7).wrapping_add(v7)) ^ (v7)));
        }
    }
    let mut vh = helper_20(s, x);
    let mut a8: [u32; 4] = [((if true { (n as u32) } else { (s as u32) })).min((((i as u32)) % ((((r as u32)) & 7) | 1))); 4];
    for q9 in (0..2_u16).rev() {
        if true { break; }
        v5 &= ((if (if false { true } else { true }) { (((r as u8)) as i64) } else { ((s) >> ((n) & 7)) })).wrapping_sub(((((v5) % (((s) & 7) | 1))) ^ (!(s))));
        for q10 in (1_i16..=2).step_by(2) {
            if ((r) != (r)) { break; }
            let mut v11 = ((((((((90_u64) & ((a as u64)))) & 7) * (((i as u64)) & 7))) + ((((if false { (r as u64) } else { (s as u64) })) % ((((((vh as u64)) / ((((q10 as u64)) & 7) | 1))) & 7) | 1))))) as u64;
        }
    }
    let mut v12 = (isize::MIN) as isize;
    let mut v13: bool = !(!(((false) & (true))));
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = (((((r).sqrt()) % (((((a) as f64)) - (local!(reals[(45_usize) % n])))))) as i64);
    local!(real_out[i]) = ((local!(reals[(n) % n]) as f64 - 1.5) as f64 - 1.5);
    remote!(cells[(my_pe() + 1) % n_pes(), (((((97_u16) as usize)) ^ (((v5 as usize)).wrapping_add(n)))) % 4]) ^= a8[(((((v13) as usize)) as usize)) % 4];
}

#[shmem::gpu::kernel]
fn helper_21(p: i64, g: f32) -> i32 {
    let mut a5: [f32; 4] = [g; 4];
    a5[((if true { (p as usize) } else { (g as usize) })) % 4] = (((g as f32)) + (((g) + (g))));
    !((if !(true) { (((g as u8)) as i32) } else { ((true) as i32) }))
}

#[shmem::gpu::kernel]
fn kernel_21(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut tile = shared::<[i32; 8]>();
    if (if true { ((2_u16) == ((n as u16))) } else { false }) {
        let mut v1: i16 = (-(((((-(((n as i16)) & 7)).abs()) >> ((i) & 7))) & 7)).abs();
        let mut a2: [usize; 4] = [((((i).wrapping_sub(n)) & 7) + ((((((r as usize)) & 7) + ((i) & 7))) & 7)); 4];
        if (((v1).wrapping_mul(v1)) < (((v1) % ((((r as i16)) & 7) | 1)))) {
            let mut v3 = (((((((s) as u16)) + (!((n as u16))))) >> ((((((v1) | (v1))) as u16)) & 7))) as u16;
            let mut v4: i8 = (v1 as i8);
        }
    }
    let mut v5 = ((-((((!(a)) / (((((a) << (((a as i16)) & 7))) & 7) | 1))) & 7)).abs()) as i32;
    if (((if true { true } else { false })) & (((82_u64) == ((r as u64))))) {
        let mut v5: i64 = (if ((((r) as i8)) >= (((18_i8) & (94_i8)))) { (((s) >> (((n as i16)) & 7))).wrapping_add(((((a as i64)) & 7) + ((s) & 7))) } else { (((!((r as i64))) & 7) + ((((s) ^ (s))) & 7)) });
        if (if (((v5 as u64)) != ((n as u64))) { ((0.1_f32) < (x)) } else { ((v5) <= (v5)) }) {
            v5 |= (((((if true { s } else { 34_i64 })) as i64)) >> (((-(((((v5 as isize)) >> ((63_isize) & 7))) & 7)).abs()) & 7));
        } else {
            let mut v6 = ((((if (if false { false } else { false }) { ((r as u32)).wrapping_sub((a as u32)) } else { (((r as i64)) as u32) })) & ((((((i as u32)) << ((34_u16) & 7))) | (((i) as u32)))))) as u32;
        }
        for q7 in (2..3_i32).rev() {
            let mut a8: [i8; 4] = [((84_i8) ^ ((((22_i8) & 7) + (((s as i8)) & 7)))); 4];
            v5 |= (if true { ((local!(source[(i) % n])) & (!(s))) } else { ((((s) / ((((a as i64)) & 7) | 1))) >> (((if false { (v5 as i32) } else { a })) & 7)) });
        }
    }
    let mut v9: usize = ((((((((v5 as isize)) & 7) * ((90_isize) & 7))) << ((((false) as u8)) & 7))) as usize);
    let mut vh = helper_21(s, x);
    local!(tile[thread_index()]) = vh;
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 3) % block_size()]);
    let mut v10: f32 = x;
    let mut a11: [i16; 4] = [(((((vt as i16)) | ((v5 as i16)))) << ((((32_i16) | (66_i16))) & 7)); 4];
    let mut v12: u32 = ((((((((v10 as u32)) > (81_u32))) as u32)) & 7) * ((!((v9 as u32))) & 7));
    for q13 in 0_i64..6 {
        for q14 in 1_usize..7 {
            if ((false) || (true)) { continue; }
            v12 |= !(!(v12));
            let mut v15 = ((((((((s) & (s))) | (q13))) & 7) * (((((if true { q13 } else { s })) << ((((false) as u8)) & 7))) & 7))) as i64;
            let mut v16 = (((((((((a as u16)) & 7) + (((vt as u16)) & 7))) as f32)) + (v10))) as f32;
        }
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = (((if (if false { !(true) } else { !(true) }) { ((123456.78_f32) as i64) } else { (((((r as i8)) as i64)) << ((!((i as u64))) & 7)) })) << (((((vt as u64)) % (((((((if false { (v5 as u64) } else { (vh as u64) })) & 7) * ((((49_i8) as u64)) & 7))) & 7) | 1))) & 7));
    local!(real_out[i]) = local!(reals[(93_usize) % n]);
    remote!(cells[(my_pe() + 0) % n_pes(), ((((((v9) & 7) + ((n) & 7))) | (((r) as usize)))) % 4]) += ((v12) % (((((((81_u32) >> (((vt as u8)) & 7))) | ((if false { v12 } else { v12 })))) & 7) | 1));
}

#[shmem::gpu::kernel]
fn helper_22(p: i64, g: f32) -> i32 {
    let mut w1 = 0_u32;
    while w1 < 3 {
        w1 += 1;
        let mut v2 = ((((((g as i16)) / ((((g as i16)) & 7) | 1))) as i32)) as i32;
        v2 = ((((!(v2)) & ((((p as i64)) as i32)))) >> (((!((p as i8))).max((if false { (g as i8) } else { (p as i8) }))) & 7));
    }
    let mut v3 = ((-(((((((p as i32)) & 7) * ((14_i32) & 7))).max(((64_i32) >> (((p as i8)) & 7)))) & 7)).abs()) as i32;
    v3
}

#[shmem::gpu::kernel]
fn kernel_22(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    if (((((x as i64)) << ((a) & 7))) >= ((s).wrapping_add(s))) {
    } else {
        for q1 in (1..4_u64).rev() {
            if true { continue; }
            let mut v2: u32 = (if false { (i as u32) } else { (if false { ((((a as u32)) & 7) * (((q1 as u32)) & 7)) } else { ((29_u32) ^ ((x as u32))) }) });
            v2 = ((((if ((x) > (x)) { ((v2) << ((q1) & 7)) } else { (if false { v2 } else { v2 }) })) & 7) + ((v2) & 7));
        }
        let mut a3: [u32; 4] = [((((a) as u32)) | ((((n as u32)) % (((87_u32) & 7) | 1)))); 4];
    }
    let mut v4: u64 = (((((r as f32)) % ((if true { (s as f32) } else { x })))) as u64);
    if (if true { (((s as i64)) <= (s)) } else { (((n as i16)) >= ((a as i16))) }) {
        for q5 in (1_u64..=5).step_by(2) {
            let mut v6 = ((((((-(r)) as isize)) & 7) + ((((((x as isize)).wrapping_mul(50_isize)) % ((((if false { 87_isize } else { 80_isize })) & 7) | 1))) & 7))) as isize;
        }
    } else {
        v4 = !((if ((x) >= (x)) { (40_u64).min(v4) } else { ((53_u64) & (v4)) }));
    }
    let mut v4 = ((n as u32)) as u32;
    let mut vh = helper_22(s, x);
    v4 |= ((((((82_i8) < (90_i8))) != (((true) && (true))))) as u32);
    let mut v7: f64 = ((r).min(2.5)).max(2.5);
    if ((!(false)) > (((n) >= (n)))) {
        let mut v8: isize = ((((((if true { isize::MAX } else { isize::MIN })) & 7) * ((((a) as isize)) & 7))) | ((n as isize)));
        let mut v9: u8 = (((((((s as f64)) as u8)) & 7) + ((((true) as u8)) & 7))).min((s as u8));
    } else {
        let mut v7: bool = false;
    }
    v7 += v7;
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = ((((((((31_i64) % (((s) & 7) | 1))) % (((s) & 7) | 1))) ^ (s))) ^ (((((!(70_u16)) as f32)) as i64)));
    local!(real_out[i]) = ((((if true { r } else { ((v7) / (r)) })).sqrt()) - ((if ((((true) as u64)) < (24_u64)) { (if false { ((r) - (v7)) } else { (v7).max(2.5) }) } else { (local!(reals[(i) % n]) as f64 - 1.5) })));
    remote!(cells[(my_pe() + 1) % n_pes(), (((((if true { (s as usize) } else { n })) & 7) + ((((1_usize) % ((((r as usize)) & 7) | 1))) & 7))) % 4]) -= v4;
}

#[shmem::gpu::kernel]
fn helper_23(p: i64, g: f32) -> i32 {
    for q1 in (2_i32..=3).step_by(3) {
        if (((p as f64)) >= ((q1 as f64))) { continue; }
        let mut a2: [i16; 4] = [(((((q1 as i16)) as i16)) << (((((g as u64)) << (((g as i16)) & 7))) & 7)); 4];
        let mut a3: [usize; 4] = [(p as usize); 4];
    }
    ((((((if false { (p as i16) } else { 17_i16 })) & 7) + (((7_i16).wrapping_mul(95_i16)) & 7))) as i32)
}

#[shmem::gpu::kernel]
fn kernel_23(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut w1 = 0_u32;
    while w1 < 4 {
        w1 += 1;
        for q2 in 1_u16..7 {
            let mut v3: i8 = (((if ((true) | (false)) { (((n as i8)) >> ((s) & 7)) } else { !((a as i8)) })) | ((((((r as i16)) as i8)) / (((((false) as i8)) & 7) | 1))));
            let mut v4: f32 = ((if (((q2 as u32)) > ((i as u32))) { (x).mul_add(3.0_f32, 0.1) } else { ((x) - (x)) })).mul_add((((((s as u32)) as u8)) as f32), 0.1);
        }
    }
    let mut v5 = ((r as u32)) as u32;
    v5 &= (((((n).wrapping_sub((x as usize))) >> (((((s as isize)) & ((v5 as isize)))) & 7))) as u32);
    for q6 in 1_u32..=6 {
        let mut a7: [usize; 4] = [((((x) as usize)) % ((((((n) & 7) * ((62_usize) & 7))) & 7) | 1)); 4];
        let mut w8 = 0_u32;
        while w8 < 4 {
            w8 += 1;
            let mut v9: f64 = local!(reals[(((1.5_f32) as usize)) % n]);
        }
        let mut v10: u32 = !((((v5 as u32)) | (((((i as u32)) & 7) + (((s as u32)) & 7)))));
    }
    let mut vh = helper_23(s, x);
    let mut v11 = (isize::MAX) as isize;
    let mut v11 = (((((if false { v5 } else { v5 })) / ((((((n as u16)) as u32)) & 7) | 1))).max((((((v5) & 7) + ((v5) & 7))) ^ ((if true { v5 } else { v5 }))))) as u32;
    let mut vh: i32 = (((i as u8)) as i32);
    let mut a12: [f32; 4] = [((((vh) | (vh))) as f32); 4];
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = local!(source[((((i) & 7) + (((((n) & 7) * (((if true { i } else { n })) & 7))) & 7))) % n]);
    local!(real_out[i]) = local!(reals[((if ((((a as isize)).wrapping_mul((r as isize))) < ((-(((i as isize)) & 7)).abs())) { (if true { ((4_u64) as usize) } else { (v11 as usize) }) } else { (((if true { (i as usize) } else { (vh as usize) })) ^ (i)) })) % n]);
    remote!(cells[(my_pe() + 1) % n_pes(), (i) % 4]) ^= v5;
}

for_each_kernel! { kernel_0 kernel_1 kernel_2 kernel_3 kernel_4 kernel_5 kernel_6 kernel_7 kernel_8 kernel_9 kernel_10 kernel_11 kernel_12 kernel_13 kernel_14 kernel_15 kernel_16 kernel_17 kernel_18 kernel_19 kernel_20 kernel_21 kernel_22 kernel_23 }
