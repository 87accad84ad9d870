// Written by generate.rs, which says how; nothing here is written by hand.

#[shmem::gpu::kernel]
fn helper_0(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1 = ((((g as u16)) & ((((((g as usize)) >> (((p as isize)) & 7))) as u16)))) as u16;
    let mut v2 = (g) as f32;
    (trace as i32).wrapping_add((if (if (((v1 as u32)) != ((v1 as u32))) { (((v1 as u32)) > ((p as u32))) } else { (((g as u32)) > ((v2 as u32))) }) { (((v2 as i32)).wrapping_mul((v2 as i32))).min((((v1 as u32)) as i32)) } else { !(((g as i32)).wrapping_sub((v1 as i32))) }))
}

#[shmem::gpu::kernel]
fn kernel_0(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
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
            let mut v20 = ((if (((((55_i64) & 7) * ((s) & 7))) == (((i as i64)).wrapping_mul(s))) { (((((vt as i16)) << (((vt as u64)) & 7))) % (vt)) } else { ((vt) | ((((x as i8)) as i16))) })) as i16;
            vh ^= (((if !(false) { ((72_u16) as i32) } else { ((a) ^ (vh)) })) ^ (((vh) as i32)));
            vh = ((((((i as i32)) & 7) * (((((a as i32)) ^ ((s as i32)))) & 7))) | ((vh as i32)));
        }
    }
    let mut vt: bool = true;
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add(local!(source[(!(n)) % n]));
    local!(real_out[i]) = ((((local!(reals[(i) % n])) / (((-(r)) * (local!(reals[(n) % n])))))) + ((((r as f64 - 1.5) as f64 - 1.5)).mul_add((if (((x as u16)) > ((r as u16))) { ((r) + (r)) } else { -(r) }), 0.1)));
    remote!(cells[(my_pe() + 1) % n_pes(), (n) % 4]) += ((((s) as u32)) % ((((x as u32)) & 7) | 1));
}

#[shmem::gpu::kernel]
fn helper_1(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1 = ((((if (((g as f64)) == ((p as f64))) { ((true) && (false)) } else { !(true) })) >= (((((((g as u8)) & 7) * ((90_u8) & 7))) < (((g) as u8)))))) as bool;
    (trace as i32).wrapping_add(((((((((v1 as isize)) - (39_isize))) & 7) + (((g as isize)) & 7))) as i32))
}

#[shmem::gpu::kernel]
fn kernel_1(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut v1: bool = (if ((((49_u16) + ((i as u16)))) >= (((26_i16) as u16))) { false } else { (((((a as i8)) != ((i as i8)))) == (((true) & (false)))) });
    let mut a2: [f32; 4] = [((a as f32)).sqrt(); 4];
    let mut w3 = 0_u32;
    while w3 < 3 {
        w3 += 1;
        let mut w4 = 0_u32;
        while w4 < 2 {
            w4 += 1;
            let mut v5: usize = ((((77_usize) >> ((((((r as u32)) & 7) * (((s as u32)) & 7))) & 7))) % (((((x) as usize)) & 7) | 1));
        }
        v1 &= (if ((!(v1)) || ((((a as isize)) != ((n as isize))))) { v1 } else { !((((x as u16)) != ((v1 as u16)))) });
        let mut v6 = ((x as u32)) as u32;
    }
    if ((n) <= ((i).min(i))) {
        for q7 in u16::MAX - 0..=u16::MAX {
            trace = trace.wrapping_mul(31).wrapping_add(q7 as i64);
            if ((v1) | (v1)) { continue; }
            let mut v1: u64 = (((((if v1 { 22_u64 } else { (i as u64) })) << (((a).max((x as i32))) & 7))) | ((((((q7 as u64)) | ((i as u64)))) >> (((((x as i16)) >> (((i as i16)) & 7))) & 7))));
            v1 ^= v1;
        }
    }
    let mut vh = helper_1(s, x);
    a2[((if v1 { i } else { n })) % 4] = (r as f32);
    if v1 {
        vh &= (((if ((s) < (s)) { (48_isize).wrapping_sub(10_isize) } else { (((54_isize) & 7) * (((v1 as isize)) & 7)) })) as i32);
        let mut a8: [i64; 4] = [s; 4];
    } else {
        let mut v9: u8 = ((u8::MAX) | (((((n as i64)) as u8)).min(((vh) as u8))));
        let mut a10: [f64; 4] = [(((1e-7_f32) as f64)).mul_add((((x as isize)) as f64), 0.1); 4];
    }
    a2[(((53_u16) as usize)) % 4] = a2[(((n) ^ ((n as usize)))) % 4];
    if ((((a) << (((x as usize)) & 7))) != ((((a) & 7) + ((vh) & 7)))) {
        a2[(((n) | (i))) % 4] = x;
    } else {
        for q11 in (3_usize..=2).step_by(2) {
            trace = trace.wrapping_mul(31).wrapping_add(q11 as i64);
            if (((v1 as i8)) > ((n as i8))) { continue; }
            let mut v12 = (((((v1) as i32)) % ((((((a).wrapping_mul(a)) & (((a) << (((q11 as i8)) & 7))))) & 7) | 1))) as i32;
            let mut v13: usize = i;
        }
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add(s);
    local!(real_out[i]) = (((if (((((v1 as i16)) << ((30_isize) & 7))) != ((i as i16))) { (i as u8) } else { (a as u8) })) as f64);
    remote!(cells[(my_pe() + 0) % n_pes(), (((((11_isize) as u64)) as usize)) % 4]) -= !((((((r as u16)) >> (((r as i16)) & 7))) as u32));
}

#[shmem::gpu::kernel]
fn helper_2(p: i64, g: f32) -> i32 {
    let mut trace = p;
    for q1 in (usize::MIN..=usize::MIN + 2).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        if ((17_u64) < ((p as u64))) { break; }
        let mut v2: usize = (((((89_usize) >> (((g as i16)) & 7))) << (((((p as u8)) as usize)) & 7))).wrapping_mul(((((if false { q1 } else { q1 })) & 7) * ((((q1) / (((q1) & 7) | 1))) & 7)));
        v2 |= !(((q1) | (((87_u16) as usize))));
        let mut a3: [u8; 4] = [45_u8; 4];
    }
    (trace as i32).wrapping_add((((p as u8)) as i32))
}

#[shmem::gpu::kernel]
fn kernel_2(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut v1: i16 = (n as i16);
    let mut v2 = (a) as i32;
    let mut v3: u64 = (((if ((false) | (false)) { (n as u64) } else { (((v1 as u64)) & ((v2 as u64))) })) << (((((((s as usize)) & (n))) >> (((u8::MIN - (((n as u8)) & 1))) & 7))) & 7));
    v3 ^= (((((if false { v3 } else { 32_u64 })) & ((if true { v3 } else { v3 })))) & ((((((n as u64)) >> ((s) & 7))) as u64)));
    let mut vh = helper_2(s, x);
    let mut v4: f64 = (((r).max(2.5)).mul_add((if true { r } else { r }), 0.1) as f64 - 1.5);
    let mut v5 = (((((((r) + (v4))) >= (v4))) <= (true))) as bool;
    if (((r as f64 - 1.5)) == (local!(reals[(i) % n]))) {
        v5 &= (((((r).min(2.5)) <= (-(v4)))) | (!(((v4) >= ((s as f64))))));
        v5 ^= !(!((if v5 { false } else { true })));
        if (if false { v5 } else { (if v5 { true } else { v5 }) }) {
            let mut v6 = ((n).min(n)) as usize;
        }
    }
    let mut v7 = (-((if ((v5) && (true)) { ((v4) * (r)) } else { (v4).max(2.5) }))) as f64;
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add(((v7) as i64));
    local!(real_out[i]) = ((((local!(reals[(((((vh as usize)) & 7) + ((n) & 7))) % n])) * (123456.78_f64))) + (((((((v7 as f64)) * (r))).mul_add((((s as f64)) % (r)), 0.1)) * (1.5_f64))));
    remote!(cells[(my_pe() + 0) % n_pes(), ((if ((v3) <= (66_u64)) { n } else { ((n) >> (((v4 as u32)) & 7)) })) % 4]) ^= ((74_u32) >> (((((if v5 { a } else { a })) as isize)) & 7));
}

#[shmem::gpu::kernel]
fn helper_3(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut a1: [i8; 4] = [(((((g as i8)) as i8)) ^ (((95_i8) >> (((p as i8)) & 7)))); 4];
    (trace as i32).wrapping_add((if ((i32::MIN) < ((-((i32::MAX) >> 1)))) { (g as i32) } else { (((-((78_i32) >> 1)).abs()) | (!(33_i32))) }))
}

#[shmem::gpu::kernel]
fn kernel_3(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut tile = shared::<[i32; 8]>();
    trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);
    block_barrier();
    let mut a1: [f64; 4] = [((((s as isize)).wrapping_sub(17_isize)) as f64); 4];
    let mut vh = helper_3(s, x);
    local!(tile[thread_index()]) = (15_i32).wrapping_add(vh);
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 1) % block_size()]);
    let mut v2 = (-((1e-7_f64).min(2.5))) as f64;
    if ((s) >= (!((i as i64)))) {
        let mut v2 = ((if (((((s) & 7) * ((s) & 7))) != (((r) as i64))) { (vt as i8) } else { (-(((((vh as i8)) - ((a as i8)))) >> 1)) })) as i8;
    } else {
        let mut v3: i16 = ((((((false) ^ (false))) && (((false) ^ (true))))) as i16);
    }
    for q4 in (u16::MIN..=u16::MIN + 2).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
        let mut w5 = 0_u32;
        while w5 < 2 {
            w5 += 1;
            let mut v6 = (((((-(x)) as i64)) % (((((65_i64) - (s))) & ((((8_i64) & 7) + (((v2 as i64)) & 7))))))) as i64;
        }
    }
    let mut v7: i64 = ((false) as i64);
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add(v7);
    local!(real_out[i]) = a1[(((((((n) >> ((n) & 7))) << ((((53_usize) | (n))) & 7))) >> ((((((if false { 5_i8 } else { (s as i8) })) & 7) * (((((s as i8)) * (69_i8))) & 7))) & 7))) % 4];
    remote!(cells[(my_pe() + 0) % n_pes(), ((if !(true) { (((62_usize) & 7) + ((i) & 7)) } else { (((n) & 7) + ((n) & 7)) })) % 4]) += (if ((((n) - (usize::MAX))) <= ((i).wrapping_mul(i))) { ((((96_i32) >> ((v7) & 7))) as u32) } else { (((((24_u32) & 7) * (((n as u32)) & 7))) % (((((false) as u32)) & 7) | 1)) });
}

#[shmem::gpu::kernel]
fn helper_4(p: i64, g: f32) -> i32 {
    let mut trace = p;
    (trace as i32).wrapping_add(77_i32)
}

#[shmem::gpu::kernel]
fn kernel_4(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut v1: bool = ((95_i32) < ((!(41_i32)).min((((s as i32)) >> ((n) & 7)))));
    v1 = ((v1) >= ((if v1 { (if v1 { v1 } else { v1 }) } else { ((3.0_f64) <= ((i as f64))) })));
    let mut v1 = ((((((r).min(2.5)) + ((r).floor()))) as i16)) as i16;
    let mut v2: f32 = (x).ceil();
    let mut vh = helper_4(s, x);
    let mut w3 = 0_u32;
    while w3 < 1 {
        w3 += 1;
        for q4 in (2_u8..=7).step_by(1) {
            trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
            let mut v5 = (!((if ((83_isize) < (isize::MAX)) { ((51_u64) as usize) } else { ((s) as usize) }))) as usize;
            let mut v6 = (-((if ((v1) == ((r as i16))) { (v2).mul_add(x, 0.1) } else { ((16_u16) as f32) }))) as f32;
        }
        if (if ((true) & (true)) { ((v2) < (v2)) } else { (if false { true } else { true }) }) {
            v2 = (((((((vh as i8)) & ((vh as i8)))) >> ((45_u16) & 7))) as f32);
            vh &= (((i32::MIN - (((vh).wrapping_add((v1 as i32))) & 1))) & ((((((vh) | (a))) & 7) + (((81_i32).max(a)) & 7))));
        } else {
            let mut v7: f32 = v2;
        }
    }
    vh &= (((-((vh) >> 1))) << (((((if true { r } else { r })) as u32)) & 7));
    v1 &= v1;
    for q8 in (1..5_u16).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q8 as i64);
        if !(true) { continue; }
        v2 -= ((v2) + ((((((s) & 7) * ((s) & 7))) as f32)));
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add(local!(source[((((((if true { i } else { n })) ^ (((i) & (n))))) | ((((r).abs()) as usize)))) % n]));
    local!(real_out[i]) = ((((((((i as f32)) as isize)) << ((((n as isize)).wrapping_mul((n as isize))) & 7))) as f64) as f64 - 1.5);
    remote!(cells[(my_pe() + 1) % n_pes(), (((!((r as i8))) as usize)) % 4]) -= (if false { ((((((r as u32)) >> ((v1) & 7))) & 7) + ((((((vh as u32)) & 7) * (((n as u32)) & 7))) & 7)) } else { ((-(3.0_f32)) as u32) });
}

#[shmem::gpu::kernel]
fn helper_5(p: i64, g: f32) -> i32 {
    let mut trace = p;
    if !(((true) ^ (true))) {
        let mut v1 = (((((((g as i16)) & 7) + ((((g as i16)).wrapping_mul((g as i16))) & 7))) >> (((((g as i32)) % ((((if true { (p as i32) } else { (g as i32) })) & 7) | 1))) & 7))) as i16;
    } else {
    }
    if !(((true) < (false))) {
        let mut v2 = (((((((((p as i16)) % ((((p as i16)) & 7) | 1))) & 7) + (((((g as i16)) << (((g as i16)) & 7))) & 7))) ^ ((((((g as i16)) | ((p as i16)))) << ((!(19_i8)) & 7))))) as i16;
        let mut v2 = ((((if (((p as usize)) >= ((v2 as usize))) { ((72_u64) / (((22_u64) & 7) | 1)) } else { ((p as u64)).wrapping_mul((v2 as u64)) })) << (((if (((v2 as i8)) == ((g as i8))) { (((v2 as u16)) >> ((95_i8) & 7)) } else { ((u16::MIN) | (15_u16)) })) & 7))) as u64;
        v2 &= (if ((!(p)) > (((true) as i64))) { ((((((g as u64)) << (((p as isize)) & 7))) & 7) + ((((g) as u64)) & 7)) } else { (p as u64) });
    }
    (trace as i32).wrapping_add((-(((p as i32)) >> 1)))
}

#[shmem::gpu::kernel]
fn kernel_5(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut w1 = 0_u32;
    while w1 < 4 {
        w1 += 1;
        let mut a2: [u8; 4] = [u8::MIN; 4];
        for q3 in (u8::MIN..=u8::MIN + 3).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q3 as i64);
            let mut v4: u32 = (((((-((a) >> 1)).abs()) as u32)) >> ((((((s as isize)).wrapping_add((a as isize))) | (((r) as isize)))) & 7));
            let mut v5 = ((i as u16)) as u16;
        }
    }
    let mut v6 = (((((((((26_i64) & 7) * (((s as i64)) & 7))) << ((!((r as i64))) & 7))) & 7) + ((((((r) as usize)) as i64)) & 7))) as i64;
    if !(!(true)) {
        let mut w7 = 0_u32;
        while w7 < 2 {
            w7 += 1;
            v6 |= ((local!(source[((((a as f32)) as usize)) % n])) / ((((((s) % (((v6) & 7) | 1))).min((if true { v6 } else { (x as i64) }))) & 7) | 1));
            v6 |= ((v6) / (((local!(source[((i).min(n)) % n])) & 7) | 1));
            v6 ^= (((!(35_i64)) & 7) * ((((((a as i8)).wrapping_add((r as i8))) as i64)) & 7));
        }
    } else {
        v6 &= v6;
        let mut v8 = ((if (((r).min(2.5)) >= ((r).abs())) { (((((x as u16)) as i32)) << ((u16::MIN) & 7)) } else { (if false { (i32::MIN - ((a) & 1)) } else { (((x as i32)) << ((v6) & 7)) }) })) as i32;
        let mut v9 = (!(((((r) - (1e-7_f64))) as usize))) as usize;
    }
    let mut vh = helper_5(s, x);
    let mut v10 = (!(!(false))) as bool;
    v10 = ((!(((vh) as u16))) < (!(((59_i8) as u16))));
    if ((((((v6 as i16)) & 7) + (((a as i16)) & 7))) != ((((s as u16)) as i16))) {
        v6 |= ((((((18_u64) ^ ((x as u64)))) & ((if v10 { 38_u64 } else { 55_u64 })))) as i64);
    }
    if ((v10) <= (((v10) ^ (v10)))) {
        vh ^= ((((((-((vh) >> 1))) >> (((((v6 as f64)) as u32)) & 7))) & 7) * ((((((n as u8)) as i32)).min(((59_i32) / (((a) & 7) | 1)))) & 7));
    } else {
        if !((if false { v10 } else { v10 })) {
            let mut v11: u16 = ((((-(x)) as u16)) << ((((((82_u64) & 7) * (((i as u64)) & 7))).min((((84_u64) & 7) + (((x as u64)) & 7)))) & 7));
            v11 |= (((if (if v10 { false } else { v10 }) { ((v11) / (v11)) } else { (if v10 { (v10 as u16) } else { v11 }) })) | (v11));
            let mut a12: [u32; 4] = [(s as u32); 4];
        }
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add((s as i64));
    local!(real_out[i]) = (if ((((a) / (((((a) << ((n) & 7))) & 7) | 1))) == (i32::MAX)) { (((((0.1_f64) - (r))) - ((r).max(2.5)))).min(2.5) } else { (((r).mul_add(r, 0.1)).sqrt() as f64 - 1.5) });
    remote!(cells[(my_pe() + 0) % n_pes(), ((((i).wrapping_mul(12_usize)) % (((((i) << ((4_i32) & 7))) & 7) | 1))) % 4]) ^= 14_u32;
}

#[shmem::gpu::kernel]
fn helper_6(p: i64, g: f32) -> i32 {
    let mut trace = p;
    for q1 in 2_u16..=7 {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        let mut a2: [u16; 4] = [(((q1) & (q1))).min(((q1) ^ (q1))); 4];
        let mut v3: u32 = (((if ((true) && (false)) { (i32::MAX + (((q1 as i32)) & 1)) } else { 90_i32 })) as u32);
    }
    (trace as i32).wrapping_add(((((((p as i32)) & (14_i32))) + (((((p as i32)) & 7) * (((p as i32)) & 7))))).wrapping_sub((((((((p as i32)) & 7) + ((75_i32) & 7))) & 7) + (((if true { 15_i32 } else { 61_i32 })) & 7))))
}

#[shmem::gpu::kernel]
fn kernel_6(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut tile = shared::<[u8; 8]>();
    trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);
    block_barrier();
    let mut v1 = ((((((if true { n } else { n })) as f32)) as f32)) as f32;
    let mut v2: f64 = (local!(reals[(((false) as usize)) % n]) as f64 - 1.5);
    let mut v2: f32 = x;
    if ((true) <= ((((i as i16)) <= ((v1 as i16))))) {
        let mut v3: f64 = (((((r as f64)) - (r)) as f64 - 1.5)).mul_add(((r).trunc()).mul_add((r).min(2.5), 0.1), 0.1);
        v3 *= (local!(reals[((((n as u32)) as usize)) % n])).mul_add(-(r), 0.1);
        let mut v4: i32 = ((((a).wrapping_add((if false { a } else { a }))) & 7) * ((((!(a)) >> (((s as i16)) & 7))) & 7));
    } else {
        let mut a5: [f32; 4] = [(((96_i8).wrapping_mul((v2 as i8))) as f32); 4];
    }
    let mut vh = helper_6(s, x);
    local!(tile[thread_index()]) = (if !(!(true)) { !(((v1 as u8)).wrapping_add((a as u8))) } else { ((((x as u8)).wrapping_sub((r as u8))) ^ ((i as u8))) });
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 2) % block_size()]);
    if (((r as f64 - 1.5)) < (local!(reals[(i) % n]))) {
        for q6 in 3_i16..7 {
            trace = trace.wrapping_mul(31).wrapping_add(q6 as i64);
            let mut v7 = (((((((((i as u16)).wrapping_add((i as u16))) & 7) + (((x as u16)) & 7))) & 7) * (((((((i as u16)) >> (((v1 as i8)) & 7))) << ((((x as u32)).wrapping_add(86_u32)) & 7))) & 7))) as u16;
            let mut vh: u16 = (((if ((vt) >= (vt)) { ((v7) | (v7)) } else { ((v7) * (v7)) })) ^ (((((((vh as u16)) & (v7))) & 7) * ((v7) & 7))));
            vh = !((((r as f64 - 1.5)) as u16));
        }
        for q8 in (3_i8..3).step_by(1) {
            trace = trace.wrapping_mul(31).wrapping_add(q8 as i64);
            if (((x as isize)) == ((x as isize))) { break; }
            let mut a9: [f64; 4] = [r; 4];
        }
        if (((((n as i16)) / ((((i as i16)) & 7) | 1))) > (((x as i16)).wrapping_mul((vh as i16)))) {
            let mut v10 = (r) as f64;
            let mut v2: f64 = (r as f64 - 1.5);
            v1 -= (((((if true { 51_u16 } else { (v10 as u16) })) as isize)) as f32);
        } else {
            v2 += v1;
        }
    }
    let mut v11 = ((a as i8)) as i8;
    for q12 in (u64::MIN..=u64::MIN + 2).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q12 as i64);
        let mut v13: u8 = vt;
        vt = v13;
        if !(true) {
            let mut v14: f32 = (if (if true { ((true) || (true)) } else { (((v13 as usize)) < (i)) }) { (if (if false { false } else { false }) { ((v2 as f32)).trunc() } else { (2e3_f32).mul_add(0.375_f32, 0.1) }) } else { (if ((false) && (true)) { ((v1) * (v2)) } else { (v2).mul_add(v2, 0.1) }) });
            let mut a15: [i16; 4] = [(((51_i16) | (94_i16))).wrapping_sub((76_i16).max(30_i16)); 4];
        }
    }
    let mut w16 = 0_u32;
    while w16 < 3 {
        w16 += 1;
        let mut a17: [i8; 4] = [!((if false { (v11 as i8) } else { v11 })); 4];
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add((i64::MAX + ((((31_i64) & (((((vt) << (((vt as u32)) & 7))) as i64)))) & 1)));
    local!(real_out[i]) = (((((((22_i16) as f64)) / (r))) % ((((r as f64 - 1.5)) - (r))))).mul_add(r, 0.1);
    remote!(cells[(my_pe() + 1) % n_pes(), (((!(n)) & (((v2) as usize)))) % 4]) += (((((true) & (false))) as u32)).min(((74_u32).min((v2 as u32))).min((s as u32)));
}

#[shmem::gpu::kernel]
fn helper_7(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut a3: [i8; 4] = [(i8::MIN - (((((g as i8)) << (((g as i8)) & 7))) & 1)); 4];
    for q4 in (2_u8..=6).step_by(1) {
        trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
        a3[(((usize::MAX) ^ ((p as usize)))) % 4] = a3[((((q4 as usize)) | ((q4 as usize)))) % 4];
        let mut a5: [u16; 4] = [(((((p as u16)) >> (((q4 as usize)) & 7))) & ((((g as usize)) as u16))); 4];
        let mut v6 = (((((((p as u64)).wrapping_mul(9_u64)) << ((38_u64) & 7))) >> (((((((((g as u64)) & 7) * (((q4 as u64)) & 7))) & 7) + (((if false { 97_u64 } else { 52_u64 })) & 7))) & 7))) as u64;
    }
    (trace as i32).wrapping_add(!((-(((if true { 95_i32 } else { (g as i32) })) >> 1))))
}

#[shmem::gpu::kernel]
fn kernel_7(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut w1 = 0_u32;
    while w1 < 4 {
        w1 += 1;
        if ((r) == (r)) {
        }
    }
    if (if (((i as u64)) < (88_u64)) { ((2_isize) >= ((a as isize))) } else { ((x) < (x)) }) {
        let mut v2: f64 = (((((r).sqrt()) - ((((r as f64)) - ((i as f64)))))) + (r));
        if (((((i as i8)) | ((s as i8)))) < ((if false { (x as i8) } else { (s as i8) }))) {
            v2 *= ((r) * ((if (((a as i16)) <= ((n as i16))) { (r).abs() } else { r })));
            v2 += ((v2) * ((((x).abs()) as f64)));
            v2 *= (-(((i) as f64))).mul_add(((0.1_f64).mul_add(v2, 0.1)).sqrt(), 0.1);
        }
        for q3 in (0..7_i64).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q3 as i64);
            if !(false) { continue; }
            let mut v4: f32 = -((if !(false) { ((26_usize) as f32) } else { -(x) }));
        }
    }
    let mut vh = helper_7(s, x);
    if (((((r as i32)) >= (vh))) && (false)) {
        let mut w5 = 0_u32;
        while w5 < 3 {
            w5 += 1;
            vh ^= (((a as i32)) << ((((s) / ((((((a as i8)) as i64)) & 7) | 1))) & 7));
            vh |= (((((((isize::MIN) / (((54_isize) & 7) | 1))) as i32)) & 7) * ((((((a) % (((79_i32) & 7) | 1))) / (((((a) | ((vh as i32)))) & 7) | 1))) & 7));
        }
    }
    let mut vh = (((((((((x as u64)) ^ ((x as u64)))) as i16)) & 7) * (((if false { (((i as i16)) + (37_i16)) } else { ((((x as i16)) & 7) + ((i16::MIN) & 7)) })) & 7))) as i16;
    vh = (n as i16);
    let mut a6: [isize; 4] = [((((((i as u32)) as isize)) & 7) + (((12_isize).max((vh as isize))) & 7)); 4];
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add((((((((!(68_i64)).wrapping_mul(((vh as i64)).max(s))) & 7) + ((((((i64::MIN - ((72_i64) & 1))) & 7) * (((s).min((n as i64))) & 7))) & 7))) & 7) + ((local!(source[(((((n) as f32)) as usize)) % n])) & 7)));
    local!(real_out[i]) = r;
    remote!(cells[(my_pe() + 1) % n_pes(), (((((i) & 7) * (((a as usize)) & 7))).min(!(n))) % 4]) -= (r as u32);
}

#[shmem::gpu::kernel]
fn helper_8(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1: i32 = (((if true { ((g as i32)).wrapping_mul((g as i32)) } else { ((52_i32) << (((p as u32)) & 7)) })) | ((((((g as i32)) | ((p as i32)))) >> (((if false { (p as i8) } else { (p as i8) })) & 7))));
    for q2 in (2_u64..=3).step_by(3) {
        trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
        if (if true { false } else { true }) { continue; }
        let mut v3: f32 = ((((-(g)) * (-(g)))) - (((g).mul_add(g, 0.1)).floor()));
        v3 += ((i16::MIN) as f32);
        v1 ^= ((((-((v1) >> 1))).wrapping_mul(((v1) << ((57_usize) & 7)))) >> ((((((((v1 as i16)) ^ ((g as i16)))) & 7) * ((((9_i16) >> ((3_u8) & 7))) & 7))) & 7));
    }
    (trace as i32).wrapping_add(((((((((v1) & 7) * ((v1) & 7))) >> (((((g as u64)) >> ((78_u64) & 7))) & 7))) & 7) + (((((((98_u8) as i32)) & 7) + (((if false { v1 } else { 43_i32 })) & 7))) & 7)))
}

#[shmem::gpu::kernel]
fn kernel_8(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    for q1 in (3..7_isize).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
    }
    let mut v2: f32 = (((((x as f32 - 1.5)) - (((x) / ((x as f32)))))) % ((x as f32 - 1.5)));
    for q3 in 2_u8..5 {
        trace = trace.wrapping_mul(31).wrapping_add(q3 as i64);
        for q4 in (0_i8..=5).step_by(1) {
            trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
            if ((0.375_f64) != (r)) { break; }
            let mut a5: [i32; 4] = [(((if false { true } else { true })) as i32); 4];
            a5[(((q4) as usize)) % 4] = ((((68_i32) >> (((q4 as u16)) & 7))) & (a));
        }
    }
    let mut vh = helper_8(s, x);
    for q6 in 0_u8..7 {
        trace = trace.wrapping_mul(31).wrapping_add(q6 as i64);
        vh = a;
    }
    let mut v7 = (((s) / ((((((if false { a } else { vh })) as i64)) & 7) | 1))) as i64;
    if !(((x) > (x))) {
        let mut w8 = 0_u32;
        while w8 < 4 {
            w8 += 1;
            vh &= ((((((((a) & 7) + (((vh as i32)) & 7))) | (((vh) ^ (a))))) & 7) + ((i32::MIN) & 7));
            vh |= !((i32::MIN - ((a) & 1)));
        }
        let mut v9 = (((-(((r) + (r)))) as i16)) as i16;
        v7 &= ((((((a as isize)) & 7) * (((((v9 as isize)) >> ((56_usize) & 7))) & 7))) as i64);
    }
    for q10 in (i32::MIN..=i32::MIN + 3).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q10 as i64);
        let mut vh: u8 = (((u8::MIN) & 7) + (((if ((true) | (true)) { ((u8::MIN) / (((57_u8) & 7) | 1)) } else { (((n as u8)) >> ((81_u32) & 7)) })) & 7));
        for q11 in (1_u16..6).step_by(1) {
            trace = trace.wrapping_mul(31).wrapping_add(q11 as i64);
            let mut a12: [i64; 4] = [s; 4];
        }
        for q13 in 0_i32..=2 {
            trace = trace.wrapping_mul(31).wrapping_add(q13 as i64);
            let mut v14: isize = (if !(((false) || (true))) { (if ((true) ^ (true)) { ((v2 as isize)).wrapping_mul((vh as isize)) } else { ((((a as isize)) & 7) + (((x as isize)) & 7)) }) } else { ((((((i as isize)) ^ ((q13 as isize)))) & 7) + ((((r) as isize)) & 7)) });
            let mut v14: bool = true;
        }
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add((((if ((r) > ((((v7 as u16)) as f64))) { (((s).wrapping_add((s as i64))) | ((s).max((i as i64)))) } else { s })) ^ (((((((((v7 as u64)) >> ((45_u64) & 7))) as i64)) & 7) * ((s) & 7)))));
    local!(real_out[i]) = -(local!(reals[((((((v2 as u32)) as u16)) as usize)) % n]));
    remote!(cells[(my_pe() + 1) % n_pes(), (((((i) % (((91_usize) & 7) | 1))) << (((((i as i16)) as i32)) & 7))) % 4]) ^= (((((if false { (vh as u32) } else { (v7 as u32) })) & 7) * ((((36_u32) & ((i as u32)))) & 7))).wrapping_mul(((u32::MAX) >> ((((10_i8) as u16)) & 7)));
}

#[shmem::gpu::kernel]
fn helper_9(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut w1 = 0_u32;
    while w1 < 4 {
        w1 += 1;
        let mut a2: [i8; 4] = [(((((p as i8)) >> ((u8::MAX) & 7))) << (((usize::MAX).wrapping_sub((p as usize))) & 7)); 4];
    }
    (trace as i32).wrapping_add((p as i32))
}

#[shmem::gpu::kernel]
fn kernel_9(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut tile = shared::<[u8; 8]>();
    trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);
    block_barrier();
    let mut a1: [isize; 4] = [(-(((((a as isize)) >> ((81_i8) & 7))) >> 1)); 4];
    for q2 in (3_u64..=7).step_by(2) {
        trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
    }
    let mut a3: [i32; 4] = [((a) | ((i32::MIN - (((i as i32)) & 1)))); 4];
    let mut a4: [usize; 4] = [(((((i) & 7) + ((i) & 7))) >> ((((a) & (a))) & 7)); 4];
    let mut vh = helper_9(s, x);
    local!(tile[thread_index()]) = (if ((a4[(n) % 4]) >= (n)) { (a as u8) } else { (((((a as u8)) >> (((a as u32)) & 7))) << (((x as u64)) & 7)) });
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 0) % block_size()]);
    let mut v5 = ((if ((((((x as i8)) & 7) + (((r as i8)) & 7))) >= (!((i as i8)))) { (if !(true) { ((r) % (r)) } else { (r as f64 - 1.5) }) } else { -((((s as usize)) as f64)) })) as f64;
    if !(true) {
        let mut v6: bool = ((((((38_u32) <= ((v5 as u32)))) <= ((if false { true } else { false })))) && (false));
        if false {
            vh ^= ((a3[(((v6) as usize)) % 4]) << (((if (if v6 { v6 } else { v6 }) { ((x) as i32) } else { (if false { vh } else { vh }) })) & 7));
            let mut v7 = ((if ((a) <= (((vh) >> ((s) & 7)))) { ((((((v5 as u32)) & 7) + (((a as u32)) & 7))) << (((-((vh) >> 1))) & 7)) } else { !((((r as u32)) - ((vt as u32)))) })) as u32;
            let mut vt = (((((a as u8)) as f64)).mul_add((((v5).mul_add(r, 0.1)) + ((((vt as f64)) + ((v7 as f64))))), 0.1)) as f64;
        } else {
            vt &= (((-(x) as f32 - 1.5)) as u8);
            a3[(a4[(n) % 4]) % 4] = ((((s as i32)).max(vh)) | ((((a) & 7) * ((a) & 7))));
            vt |= ((((((vt).min(vt)) ^ (((0_u32) as u8)))) & 7) + (((((v6 as u8)) ^ ((vt).wrapping_sub(vt)))) & 7));
        }
    }
    let mut vh: i32 = a3[(n) % 4];
    let mut vt = ((((((((n as u32)) % ((((s as u32)) & 7) | 1))) << (((75_u8).wrapping_add(vt)) & 7))) << (((((((i as i8)) / ((((vt as i8)) & 7) | 1))) << (((vh).max(a)) & 7))) & 7))) as u32;
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add(s);
    local!(real_out[i]) = ((((((((vh) / (((a) & 7) | 1))) ^ ((((r as i32)) / (a))))) ^ ((if ((false) ^ (true)) { (-((a) >> 1)) } else { (if true { vh } else { i32::MIN }) })))) as f64);
    remote!(cells[(my_pe() + 0) % n_pes(), (((((i).min(i)) & 7) + ((a4[(n) % 4]) & 7))) % 4]) += (((((((vt) & 7) + ((vt) & 7))) & 7) + ((((((r as u32)) & 7) * ((vt) & 7))) & 7))).wrapping_sub(((((((vt) & 7) * ((vt) & 7))) & 7) * ((((vt) ^ ((s as u32)))) & 7)));
}

#[shmem::gpu::kernel]
fn helper_10(p: i64, g: f32) -> i32 {
    let mut trace = p;
    if !(true) {
        let mut v1 = ((if (((p as i16)) <= (((p as i16)).max(91_i16))) { (if false { ((true) <= (true)) } else { ((false) <= (true)) }) } else { ((((p as i32)).wrapping_add(92_i32)) != (((0.1_f32) as i32))) })) as bool;
        v1 ^= ((((((p as usize)).wrapping_add(43_usize)) != ((v1 as usize)))) ^ (((((p as i8)).min(50_i8)) < (((123456.78_f64) as i8)))));
    } else {
        let mut v2: f32 = (((if ((true) | (false)) { (((g as u8)) as f32) } else { ((g) % (g)) })) - ((((g).max(2.5)) + ((g).max(2.5)))));
    }
    for q3 in (1..4_u32).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q3 as i64);
        let mut a4: [i64; 4] = [(p).max(((true) as i64)); 4];
        let mut v5: isize = (((((((u8::MAX) & 7) * ((u8::MAX) & 7))) >> ((((q3) as i8)) & 7))) as isize);
    }
    (trace as i32).wrapping_add((((((((g as u8)) / ((((g as u8)) & 7) | 1))) as i32)) % ((((p as i32)) & 7) | 1)))
}

#[shmem::gpu::kernel]
fn kernel_10(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    if !((((r as u32)) <= ((a as u32)))) {
    }
    let mut vh = helper_10(s, x);
    for q1 in 3_i64..6 {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        vh ^= (((if (((a as u64)) > ((vh as u64))) { ((a) >> (((x as i16)) & 7)) } else { ((a) << ((isize::MIN) & 7)) })) & ((((-(((n as i32)) >> 1))) % ((((((vh) & 7) * ((a) & 7))) & 7) | 1))));
        let mut vh = ((((a as isize)).max(!((n as isize)))).max((((((a as u32)) as f32)) as isize))) as isize;
    }
    vh = (-((((!(vh)) & ((29_i32).min(a)))) >> 1)).abs();
    let mut v2 = ((s as f32)) as f32;
    if !((((v2 as i8)) < (76_i8))) {
        for q3 in (1..6_i8).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q3 as i64);
            v2 = ((r) as f32);
        }
        for q4 in 0_u64..=4 {
            trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
            vh |= ((((-(((((i as i32)) >> ((isize::MIN) & 7))) >> 1))) & 7) * ((41_i32) & 7));
            let mut v5 = (false) as bool;
        }
        let mut v6: i32 = (((-(((a).max(vh)) >> 1)).abs()) / (((((vh) / (((((66_i32) | (a))) & 7) | 1))) & 7) | 1));
    } else {
        let mut a7: [i16; 4] = [(-((((vh as i16)).min(46_i16)) >> 1)).abs(); 4];
        vh &= (-(((if ((v2) == (x)) { ((vh) / (((vh) & 7) | 1)) } else { vh })) >> 1));
        let mut v2: usize = ((((n) >> (((i64::MIN - ((37_i64) & 1))) & 7))) >> ((56_i8) & 7));
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add((((i64::MIN - ((((s) | (s))) & 1))) >> ((isize::MAX) & 7)));
    local!(real_out[i]) = -(((r) + ((((r) * (r))).mul_add(r, 0.1))));
    remote!(cells[(my_pe() + 0) % n_pes(), (((((i) & 7) * ((i) & 7))).max(((((n as usize)) & 7) * ((i) & 7)))) % 4]) -= (s as u32);
}

#[shmem::gpu::kernel]
fn helper_11(p: i64, g: f32) -> i32 {
    let mut trace = p;
    if (((g).abs()) <= ((((p as u64)) as f32))) {
        let mut v1 = (((-(((g) / ((p as f32))))) / (-(((2e3_f32) / (g)))))) as f32;
        v1 *= -(((-(v1)) * (((30_u8) as f32))));
    }
    (trace as i32).wrapping_add(((!((((g as i8)) / (((21_i8) & 7) | 1)))) as i32))
}

#[shmem::gpu::kernel]
fn kernel_11(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    for q1 in (2..4_u64).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        if (if (if true { true } else { false }) { !(false) } else { (if false { true } else { false }) }) {
        }
    }
    let mut v2: u8 = (((((((r as u8)) & 7) + (((i as u8)) & 7))).max(((((a as u8)) & 7) + ((38_u8) & 7)))) | ((i as u8)));
    let mut w3 = 0_u32;
    while w3 < 3 {
        w3 += 1;
        v2 &= ((((a) as u8)) >> (((((((i as u32)) << (((x as i8)) & 7))) as i8)) & 7));
        if !(false) {
            let mut v2 = ((((i as u16)) % ((((if true { (x as i8) } else { (r as i8) })) as u16)))) as u16;
        } else {
            v2 = v2;
            v2 |= v2;
            v2 |= (if (if (((x as f64)) >= (r)) { (((a as u32)) > ((a as u32))) } else { ((a) != (a)) }) { (((r) as u8)).max((((n as u8)) >> ((i) & 7))) } else { ((((s as i16)).wrapping_sub(78_i16)) as u8) });
        }
        let mut a4: [i64; 4] = [(local!(source[(46_usize) % n])).wrapping_sub(((s) ^ (s))); 4];
    }
    v2 ^= (((((v2).max(v2)) & ((if false { v2 } else { (i as u8) })))) | (((((i16::MIN) != ((s as i16)))) as u8)));
    let mut vh = helper_11(s, x);
    for q5 in (i64::MIN..=i64::MIN + 2).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q5 as i64);
        let mut a6: [i16; 4] = [(((26_i16).max((q5 as i16))) >> ((((true) as u16)) & 7)); 4];
        let mut w7 = 0_u32;
        while w7 < 3 {
            w7 += 1;
            let mut a8: [i16; 4] = [a6[((n).wrapping_mul(n)) % 4]; 4];
            v2 |= (((v2) | (((false) as u8)))).wrapping_add((((if true { v2 } else { (a as u8) })) ^ ((((6_u8) & 7) * ((14_u8) & 7)))));
        }
        let mut v9 = (((((if ((true) & (false)) { ((93_u32) ^ ((i as u32))) } else { (n as u32) })) & 7) + ((((((((i as u32)) % ((q5 as u32)))) & 7) + ((((a) as u32)) & 7))) & 7))) as u32;
    }
    let mut w10 = 0_u32;
    while w10 < 1 {
        w10 += 1;
        let mut v11 = (((((((((true) as u64)) & 7) + ((((vh as u64)).wrapping_sub(64_u64)) & 7))) & 7) * ((!((((v2 as u64)) << (((s as i64)) & 7)))) & 7))) as u64;
        let mut v11 = ((if !((if true { false } else { false })) { u8::MAX } else { (((22_i8).max((a as i8))) as u8) })) as u8;
    }
    let mut w12 = 0_u32;
    while w12 < 1 {
        w12 += 1;
        vh &= (if !(((true) & (false))) { ((!(vh)) | (vh)) } else { ((((56_u16) as u16)) as i32) });
        v2 |= ((((((v2) as u8)) & 7) + ((((83_u8) >> (((v2 as isize)) & 7))) & 7))).wrapping_sub(((!((v2 as u64))) as u8));
        let mut a13: [u16; 4] = [(if (((a as u64)) > ((v2 as u64))) { (((n as u16)) % ((((vh as u16)) & 7) | 1)) } else { (((s as u16)) % (((16_u16) & 7) | 1)) }); 4];
    }
    let mut w14 = 0_u32;
    while w14 < 1 {
        w14 += 1;
        let mut v2 = (((r) - (local!(reals[((if true { n } else { i })) % n])))) as f64;
        let mut a15: [u8; 4] = [((if false { (v2 as u8) } else { (x as u8) })).wrapping_add((if false { 4_u8 } else { (i as u8) })); 4];
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add(!((a as i64)));
    local!(real_out[i]) = r;
    remote!(cells[(my_pe() + 1) % n_pes(), (20_usize) % 4]) ^= (if (if true { !(true) } else { ((true) ^ (true)) }) { (((((95_u32) & 7) + (((a as u32)) & 7))) ^ ((if true { u32::MAX } else { (vh as u32) }))) } else { (((u32::MIN - (((a as u32)) & 1))) << ((((89_u16) >> (((x as i8)) & 7))) & 7)) });
}

#[shmem::gpu::kernel]
fn helper_12(p: i64, g: f32) -> i32 {
    let mut trace = p;
    if true {
    } else {
        let mut v1: u8 = u8::MAX;
    }
    (trace as i32).wrapping_add((if !(false) { i32::MIN } else { (g as i32) }))
}

#[shmem::gpu::kernel]
fn kernel_12(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut tile = shared::<[u64; 8]>();
    trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);
    block_barrier();
    let mut v1: u32 = (((((if false { 43_i8 } else { (i as i8) })) | (((n as i8)).max(77_i8)))) as u32);
    let mut w2 = 0_u32;
    while w2 < 3 {
        w2 += 1;
        let mut w3 = 0_u32;
        while w3 < 3 {
            w3 += 1;
            let mut v4 = (((((((true) as u64)) as u16)) as f64)) as f64;
            let mut v5: usize = i;
        }
        let mut w6 = 0_u32;
        while w6 < 4 {
            w6 += 1;
            v1 &= v1;
            let mut a7: [i64; 4] = [((((v1) as i64)) << ((i16::MAX) & 7)); 4];
            let mut v1: i32 = !((-(((a).wrapping_add(a)) >> 1)).abs());
        }
        for q8 in (3..4_isize).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q8 as i64);
            v1 ^= (((i as u32)) & (((((92_u16) as u32)) << ((((v1 as i16)).max(98_i16)) & 7))));
            v1 &= ((((v1 as u64)) as u32)).wrapping_sub((((s) as u32)).wrapping_add(((v1) << ((67_usize) & 7))));
        }
    }
    v1 = v1;
    v1 ^= (((((n) >> ((96_i8) & 7))).wrapping_sub(i)) as u32);
    let mut vh = helper_12(s, x);
    local!(tile[thread_index()]) = (((((((90_u16) as u64)) & (((false) as u64)))) & 7) + ((((((v1 as i8)) as u64)).min(((s) as u64))) & 7));
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 4) % block_size()]);
    let mut v9 = ((-(x)).trunc()) as f32;
    if (((if true { true } else { false })) & ((((x as i64)) != (s)))) {
        let mut w10 = 0_u32;
        while w10 < 2 {
            w10 += 1;
            let mut v1 = (-(r)) as f64;
        }
        vt |= (((if ((true) | (false)) { ((vt) >> (((a as u16)) & 7)) } else { (if true { (vh as u64) } else { vt }) })) & (((((vt) << ((s) & 7))) / (((vt) & 7) | 1))));
        let mut a11: [i64; 4] = [(((if true { s } else { (s as i64) })) >> ((2_u32) & 7)); 4];
    }
    let mut v12: u64 = (if (if (((i as i16)) == (44_i16)) { (if true { false } else { true }) } else { ((n) < (n)) }) { (if ((true) || (true)) { (((vt) & 7) + ((vt) & 7)) } else { ((vt) << (((x as u8)) & 7)) }) } else { ((((vt) >> ((n) & 7))) % ((((a as u64)) & 7) | 1)) });
    let mut w13 = 0_u32;
    while w13 < 2 {
        w13 += 1;
        let mut v14: usize = 30_usize;
        if ((((x) % ((x as f32)))) != ((v9).mul_add(0.375_f32, 0.1))) {
            let mut v15: u8 = ((78_u8) ^ ((if ((false) && (true)) { ((v1) as u8) } else { (if false { 11_u8 } else { 25_u8 }) })));
        }
        vt ^= !((((((false) as u64)) & 7) * (((v12).wrapping_mul(v12)) & 7)));
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add((((((if ((a) == (vh)) { (vt as i64) } else { ((r) as i64) })) % ((a as i64)))) & (((!((s).wrapping_mul(s))) << ((((((if false { 71_u16 } else { 83_u16 })) & 7) + (((((a as u16)) | ((v1 as u16)))) & 7))) & 7)))));
    local!(real_out[i]) = r;
    remote!(cells[(my_pe() + 1) % n_pes(), (!((if false { i } else { i }))) % 4]) += ((((((if true { s } else { (x as i64) })) & 7) * ((((24_i64) >> ((s) & 7))) & 7))) as u32);
}

#[shmem::gpu::kernel]
fn helper_13(p: i64, g: f32) -> i32 {
    let mut trace = p;
    for q1 in (3_u64..=6).step_by(3) {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        let mut v2: isize = (((((if true { (g as isize) } else { (q1 as isize) })) % (((((((p as isize)) & 7) * (((q1 as isize)) & 7))) & 7) | 1))) + ((if (((p as usize)) != ((g as usize))) { (((p as isize)) ^ ((p as isize))) } else { (69_isize).min(69_isize) })));
        let mut v3 = ((if (if (((p as f64)) == ((p as f64))) { ((false) || (true)) } else { (((g as i16)) <= ((p as i16))) }) { -((((q1 as u8)) as f32)) } else { ((((g as f32)).min(2.5)) / ((g as f32 - 1.5))) })) as f32;
    }
    for q4 in (i32::MIN..=i32::MIN + 0).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
        if ((false) == (true)) { break; }
    }
    (trace as i32).wrapping_add(9_i32)
}

#[shmem::gpu::kernel]
fn kernel_13(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut v1 = (u8::MIN) as u8;
    for q2 in (0_i16..4).step_by(1) {
        trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
        let mut v3 = ((x as f64)) as f64;
        let mut w4 = 0_u32;
        while w4 < 3 {
            w4 += 1;
            let mut a5: [f64; 4] = [(((if true { r } else { r })) % (local!(reals[(i) % n]))); 4];
            let mut a6: [usize; 4] = [(((x) as usize)).max(i); 4];
        }
    }
    v1 = (((((true) as u8)) & 7) + (((if (((n as i16)) != ((n as i16))) { u8::MAX } else { (((a as u64)) as u8) })) & 7));
    v1 &= v1;
    let mut vh = helper_13(s, x);
    let mut vh = ((if true { (a as u32) } else { (((if true { (vh as i8) } else { (a as i8) })) as u32) })) as u32;
    for q7 in u16::MAX - 2..=u16::MAX {
        trace = trace.wrapping_mul(31).wrapping_add(q7 as i64);
        if (((i as f32)) >= (x)) { continue; }
        v1 = (v1).wrapping_mul(((((r) + (r))) as u8));
    }
    let mut v8: u16 = (i as u16);
    v8 |= (((((v8).min(v8)).max(v8)) & 7) + ((v8) & 7));
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add(local!(source[((((i) & 7) * ((((((i) % ((((v1 as usize)) & 7) | 1))) % ((((x as usize)) & 7) | 1))) & 7))) % n]));
    local!(real_out[i]) = r;
    remote!(cells[(my_pe() + 1) % n_pes(), (((((n).wrapping_mul(i)) & 7) * ((((((x as usize)) & 7) * (((s as usize)) & 7))) & 7))) % 4]) -= ((r) as u32);
}

#[shmem::gpu::kernel]
fn helper_14(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1: i16 = ((((((((g as u16)) & 7) + (((p as u16)) & 7))) >> ((((p as i8)).wrapping_add((g as i8))) & 7))) as i16);
    for q2 in (u16::MIN..=u16::MIN + 1).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
        v1 |= (((((v1).wrapping_add(v1)) & 7) * ((v1) & 7))).wrapping_add(v1);
        let mut a3: [i16; 4] = [(if (((q2 as i8)) != (76_i8)) { ((false) as i16) } else { (((v1) & 7) * ((v1) & 7)) }); 4];
    }
    (trace as i32).wrapping_add((v1 as i32))
}

#[shmem::gpu::kernel]
fn kernel_14(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut a1: [u64; 4] = [64_u64; 4];
    if !(((true) || (false))) {
        let mut w2 = 0_u32;
        while w2 < 1 {
            w2 += 1;
        }
    }
    let mut vh = helper_14(s, x);
    for q3 in 0_isize..2 {
        trace = trace.wrapping_mul(31).wrapping_add(q3 as i64);
        if false { continue; }
        a1[(!(i)) % 4] = (((q3 as u64)) << (((((r as u16)) ^ ((i as u16)))) & 7));
        let mut a4: [f64; 4] = [(((r) - (r))).trunc(); 4];
    }
    for q5 in (1..6_u16).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q5 as i64);
        if true {
            let mut v6 = ((((if false { ((r) / ((a as f64))) } else { r })) / (((s) as f64)))) as f64;
        } else {
            vh &= (((((x) as i32)).wrapping_add(vh)) >> (((((if true { (q5 as i16) } else { (a as i16) })) as i16)) & 7));
            let mut a7: [u32; 4] = [(i as u32); 4];
        }
        let mut w8 = 0_u32;
        while w8 < 3 {
            w8 += 1;
            let mut v9: u16 = ((((((q5) | ((q5 as u16)))) % ((((27_u16).min(q5)) & 7) | 1))) >> ((((((((x as i8)) >> (((n as u8)) & 7))) & 7) + ((((23_i8) << ((vh) & 7))) & 7))) & 7));
        }
        let mut a10: [u64; 4] = [a1[(((59_i8) as usize)) % 4]; 4];
    }
    for q11 in (usize::MIN..=usize::MIN + 0).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q11 as i64);
        if (if true { false } else { false }) { continue; }
        let mut a12: [i16; 4] = [((((x as i16)).wrapping_mul((q11 as i16))) >> (((((x as i8)) as i8)) & 7)); 4];
        if !((if false { false } else { false })) {
            let mut v13 = (((((if false { (x as f64) } else { r })) - ((r).mul_add(2e3_f64, 0.1)))).sqrt()) as f64;
            let mut v14: bool = ((((!(29_i8)) >> ((a1[(q11) % 4]) & 7))) <= (((((q11 as i8)) & 7) * (((((s as isize)) as i8)) & 7))));
        } else {
            vh ^= (((((a) | (vh))) & (vh))).wrapping_mul((((if true { 0_i8 } else { (i as i8) })) as i32));
            let mut vh: u16 = ((((((q11 as usize)) as u16)) & 7) + (((((if false { (r as u16) } else { (s as u16) })) as u16)) & 7));
        }
    }
    for q15 in (u16::MIN..=u16::MIN + 2).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q15 as i64);
        a1[((n).min(i)) % 4] = ((((((q15 as u64)) & 7) * ((12_u64) & 7))) % (a1[(i) % 4]));
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add((if ((a1[((((n) & 7) + ((n) & 7))) % 4]) <= ((((((x as i8)) < ((vh as i8)))) as u64))) { (((i64::MAX) & 7) * ((((((s as f64) as f64 - 1.5)) as i64)) & 7)) } else { (((if (((x as u8)) == ((r as u8))) { (((s) & 7) + ((s) & 7)) } else { (((s) & 7) * ((s) & 7)) })) & (!(s))) }));
    local!(real_out[i]) = r;
    remote!(cells[(my_pe() + 0) % n_pes(), ((n).min(n)) % 4]) ^= (u32::MAX + (((if ((r) <= (r)) { (x as u32) } else { (vh as u32) })) & 1));
}

#[shmem::gpu::kernel]
fn helper_15(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1: usize = (p as usize);
    let mut v2 = (((((if false { u64::MIN } else { (p as u64) })).wrapping_add((if true { (g as u64) } else { 28_u64 }))) & (((((g) as u64)) as u64)))) as u64;
    (trace as i32).wrapping_add((if (((p).wrapping_sub((v1 as i64))) >= (p)) { ((((p as i32)) >> (((p as u8)) & 7))).max((((v1 as i32)) % (((45_i32) & 7) | 1))) } else { (((((v1 as i32)) % ((((p as i32)) & 7) | 1))) & (54_i32)) }))
}

#[shmem::gpu::kernel]
fn kernel_15(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut tile = shared::<[u64; 8]>();
    trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);
    block_barrier();
    for q1 in (usize::MIN..=usize::MIN + 3).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        let mut v2: bool = !(true);
    }
    let mut v3: u16 = (((((((i as u16)) & ((a as u16)))).min(!(29_u16))) & 7) * ((((((x) as u16)) & ((84_u16).wrapping_mul((i as u16))))) & 7));
    v3 = ((((if true { ((r as u16)).wrapping_mul((x as u16)) } else { (((v3) & 7) + (((i as u16)) & 7)) })) & 7) * ((((!(a)) as u16)) & 7));
    for q4 in u32::MAX - 0..=u32::MAX {
        trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
        let mut w5 = 0_u32;
        while w5 < 4 {
            w5 += 1;
            v3 = ((u16::MIN - ((v3) & 1))).max((((if true { (n as f64) } else { r })) as u16));
            let mut a6: [f64; 4] = [-(local!(reals[(n) % n])); 4];
        }
        for q7 in (0_u32..=6).step_by(2) {
            trace = trace.wrapping_mul(31).wrapping_add(q7 as i64);
            v3 ^= v3;
            let mut v3: f32 = ((if (if false { false } else { true }) { ((x) - (x)) } else { ((x) - (x)) })).mul_add((((x).min(2.5)) / ((if true { (x as f32) } else { (r as f32) }))), 0.1);
        }
        v3 = ((((v3) & (((r) as u16)))) << ((((x) as u64)) & 7));
    }
    let mut vh = helper_15(s, x);
    local!(tile[thread_index()]) = ((!((((vh as isize)) as i8))) as u64);
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 4) % block_size()]);
    v3 ^= !(((v3) % (((((((n as u16)) & 7) * ((v3) & 7))) & 7) | 1)));
    if !((((n as i32)) != (i32::MIN))) {
        for q8 in 3_isize..=6 {
            trace = trace.wrapping_mul(31).wrapping_add(q8 as i64);
            if ((false) || (false)) { break; }
            vh &= (((if !(false) { (if false { a } else { vh }) } else { !(a) })) ^ ((-(((-((a) >> 1))) >> 1))));
            let mut v9: f64 = (((((n as f64)).mul_add(r, 0.1)).min(2.5)) / ((((r) / (r))).mul_add((r).mul_add((s as f64), 0.1), 0.1)));
            let mut v10: u16 = (((v3) ^ ((((r as u8)) as u16)))).max(v3);
        }
    }
    let mut vh = ((if ((((false) & (false))) || (!(false))) { (((((v3) & 7) * ((v3) & 7))) << (((vt).wrapping_sub(vt)) & 7)) } else { ((((71_u16) & 7) + (((v3 as u16)) & 7))).min((((v3) & 7) + ((v3) & 7))) })) as u16;
    for q11 in 1_i16..=6 {
        trace = trace.wrapping_mul(31).wrapping_add(q11 as i64);
        for q12 in (1_i64..=6).step_by(1) {
            trace = trace.wrapping_mul(31).wrapping_add(q12 as i64);
            let mut vt: u8 = ((((((((73_u8) & 7) + (((n as u8)) & 7))) % ((((((q11 as u8)) >> (((q11 as isize)) & 7))) & 7) | 1))) & 7) + ((26_u8) & 7));
            vt = (!(vt)).wrapping_mul(((((((q11 as u8)) % (((vt) & 7) | 1))) & 7) + ((((vt) / (vt))) & 7)));
        }
        vt &= (((!((x as u64))) & 7) + (((((vt).wrapping_mul(vt)) << (((((vt as u8)) << ((q11) & 7))) & 7))) & 7));
        for q13 in (1_u8..4).step_by(1) {
            trace = trace.wrapping_mul(31).wrapping_add(q13 as i64);
            if ((x) >= (x)) { continue; }
            let mut a14: [i16; 4] = [q11; 4];
            let mut v15: f32 = ((if ((false) <= (true)) { x } else { ((38_i8) as f32) })).mul_add((((((v3 as f64)) / (r))) as f32), 0.1);
            let mut v16 = ((q11).wrapping_add((((((q11) | (q11))) & 7) * ((((a as i16)).min(q11)) & 7)))) as i16;
        }
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add(s);
    local!(real_out[i]) = (((if ((s) >= (s)) { ((r).trunc() as f64 - 1.5) } else { (((r) * (r))).mul_add((((i as f64)) - (r)), 0.1) })) as f64);
    remote!(cells[(my_pe() + 0) % n_pes(), ((if (if false { true } else { true }) { ((r) as usize) } else { n })) % 4]) += (((((((r) as u32)) & 7) + ((!((x as u32))) & 7))) ^ ((((21_i8).max((n as i8))) as u32)));
}

#[shmem::gpu::kernel]
fn helper_16(p: i64, g: f32) -> i32 {
    let mut trace = p;
    if ((((true) > (false))) && ((((g as i8)) < (31_i8)))) {
        let mut v1 = (true) as bool;
        let mut a2: [i16; 4] = [44_i16; 4];
    }
    let mut v3 = (!((-(((if false { 22_isize } else { (g as isize) })) >> 1)))) as isize;
    (trace as i32).wrapping_add((((-(((-(((p as i32)) >> 1))) >> 1))) << (((g as i16)) & 7)))
}

#[shmem::gpu::kernel]
fn kernel_16(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    if (((((r as isize)) % (((isize::MAX) & 7) | 1))) == (((69_isize) | ((i as isize))))) {
        let mut a1: [u64; 4] = [((((r) as u64)) ^ ((((87_u64) & 7) * (((a as u64)) & 7)))); 4];
    } else {
    }
    for q2 in i64::MAX - 0..=i64::MAX {
        trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
        let mut a3: [usize; 4] = [(((((false) as usize)) & 7) + ((((r) as usize)) & 7)); 4];
        let mut v4: u32 = (((((((u32::MIN) & 7) * ((u32::MAX) & 7))) | ((((a as f64)) as u32)))) ^ (((((r) as u32)) >> (((((a) & 7) + ((a) & 7))) & 7))));
        v4 |= (((((((a as u16)) as u32)) << (((((x as i16)) % ((((a as i16)) & 7) | 1))) & 7))) >> ((a3[((((n) & 7) * ((63_usize) & 7))) % 4]) & 7));
    }
    if (((((a as u32)) <= ((x as u32)))) | ((((x as u32)) > (26_u32)))) {
        let mut w5 = 0_u32;
        while w5 < 1 {
            w5 += 1;
            let mut v6 = ((((if ((true) & (false)) { ((43_u8) as f32) } else { -(x) })) + (((if true { x } else { x })).mul_add(((u8::MAX) as f32), 0.1)))) as f32;
            let mut v7 = (r) as f64;
        }
        let mut v8 = (((((((a) - (a))) | ((a).max(a)))) * ((if ((x) == (x)) { ((a) + (a)) } else { a })))) as i32;
    }
    let mut vh = helper_16(s, x);
    for q9 in i16::MAX - 3..=i16::MAX {
        trace = trace.wrapping_mul(31).wrapping_add(q9 as i64);
        if (((i as i32)) < (a)) { break; }
        let mut w10 = 0_u32;
        while w10 < 4 {
            w10 += 1;
            let mut a11: [f32; 4] = [(if ((false) ^ (false)) { 123456.78_f32 } else { (((vh as f64)) as f32) }); 4];
        }
        let mut v12: f32 = (x).mul_add(x, 0.1);
    }
    for q13 in (0_i32..=2).step_by(2) {
        trace = trace.wrapping_mul(31).wrapping_add(q13 as i64);
        let mut v14: i64 = (((((((q13 as i64)) << (((i as u64)) & 7))) ^ ((((s) & 7) * ((s) & 7))))) | ((i64::MIN - (((((s) & 7) * ((s) & 7))) & 1))));
    }
    let mut v15: usize = (((((((n) << ((67_u8) & 7))) / (((i) | (82_usize))))) & 7) + ((((if true { n } else { (vh as usize) })).wrapping_mul((((r as usize)) >> ((i) & 7)))) & 7));
    v15 |= n;
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add((((((((((((vh as u8)) as i64)) & 7) * ((((x) as i64)) & 7))) & 7) * ((!((i64::MIN - ((s) & 1)))) & 7))) ^ (((((!(a)) | ((if true { a } else { (n as i32) })))) as i64))));
    local!(real_out[i]) = ((((((n) << (((((vh as u8)) % ((((s as u8)) & 7) | 1))) & 7))) as u64)) as f64);
    remote!(cells[(my_pe() + 0) % n_pes(), ((if (if true { true } else { false }) { (((x as usize)) % (((v15) & 7) | 1)) } else { ((i) >> (((r as u64)) & 7)) })) % 4]) -= (((a) as u32)).wrapping_add((((u32::MAX).wrapping_sub(97_u32)) + ((if false { 37_u32 } else { (r as u32) }))));
}

#[shmem::gpu::kernel]
fn helper_17(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1 = (-((if (((g as f32)) != (g)) { g } else { ((p as f32)).sqrt() }))) as f32;
    if !(((false) | (true))) {
        let mut a2: [f32; 4] = [((if false { g } else { g })).mul_add((v1).min(2.5), 0.1); 4];
    } else {
        let mut v1 = ((((((((v1) as isize)) & 7) + ((((v1 as isize)).wrapping_add((p as isize))) & 7))) as u16)) as u16;
    }
    (trace as i32).wrapping_add(!((((((p as i32)) >> ((76_usize) & 7))) % ((((((p as i32)) % ((((p as i32)) & 7) | 1))) & 7) | 1))))
}

#[shmem::gpu::kernel]
fn kernel_17(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    if true {
        let mut v1: usize = ((((if true { n } else { n })) ^ (i))).wrapping_sub((if ((true) & (false)) { !(n) } else { ((n) << ((n) & 7)) }));
    }
    let mut v2: bool = ((((((123456.78_f32) as i8)) <= ((a as i8)))) & (((((3.0_f32) >= (3.0_f32))) & (((true) >= (false))))));
    let mut v3 = ((((((((25_u64) | ((v2 as u64)))) % ((((if v2 { (s as u64) } else { 99_u64 })) & 7) | 1))) & 7) * ((((((if v2 { 50_u64 } else { 56_u64 })) & 7) + (((r as u64)) & 7))) & 7))) as u64;
    v2 ^= !((if !(v2) { (if v2 { v2 } else { false }) } else { ((v2) & (v2)) }));
    let mut vh = helper_17(s, x);
    let mut v3: f32 = x;
    for q4 in (0..2_i64).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
        v3 *= (((((v3) / (x))).min(2.5)) / (-((if true { x } else { v3 }))));
    }
    vh = (((((((61_u8) & 7) + (((s as u8)) & 7))) as i32)) % (((!(((a) % (((a) & 7) | 1)))) & 7) | 1));
    for q5 in (1_isize..2).step_by(3) {
        trace = trace.wrapping_mul(31).wrapping_add(q5 as i64);
        let mut v6 = ((((((if v2 { (n as i16) } else { (a as i16) })) ^ ((((i as i16)) << (((q5 as u16)) & 7))))) ^ ((vh as i16)))) as i16;
        let mut w7 = 0_u32;
        while w7 < 4 {
            w7 += 1;
            let mut v8: f64 = (((((75_i8).wrapping_mul((n as i8))) % ((((v3 as i8)) & 7) | 1))) as f64);
            let mut vh = ((((((v6).wrapping_sub(27_i16)) as i64)) >> (((((i16::MIN) << (((n as isize)) & 7))).wrapping_mul(v6)) & 7))) as i64;
        }
        if ((v2) | (!(v2))) {
            let mut v9: i8 = ((((((x as u8)).wrapping_sub((n as u8))) as i8)) >> (((((if v2 { (r as isize) } else { q5 })) ^ ((if v2 { q5 } else { q5 })))) & 7));
            let mut v6: i32 = (((a) & 7) * (((((if v2 { vh } else { vh })) << ((((i) << ((82_u16) & 7))) & 7))) & 7));
        }
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add(((((((((((s as isize)) & 7) + ((90_isize) & 7))) / ((((((30_isize) & 7) + (((vh as isize)) & 7))) & 7) | 1))) as i64)) % (((s) & 7) | 1)));
    local!(real_out[i]) = r;
    remote!(cells[(my_pe() + 0) % n_pes(), ((vh as usize)) % 4]) ^= (((v2 as u32)) / (((((((i) >> ((s) & 7))) as u32)) & 7) | 1));
}

#[shmem::gpu::kernel]
fn helper_18(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut a1: [f64; 4] = [((((g as f64)) / ((g as f64))) as f64 - 1.5); 4];
    let mut a2: [isize; 4] = [(((p as isize)) ^ ((((g as isize)) << (((p as u16)) & 7)))); 4];
    (trace as i32).wrapping_add(((((((((p as i32)) >> (((p as isize)) & 7))) & 7) + (((if true { (g as i32) } else { 10_i32 })) & 7))) % ((((if ((false) <= (false)) { (24_i32).wrapping_add((g as i32)) } else { ((7_i32) % ((((g as i32)) & 7) | 1)) })) & 7) | 1)))
}

#[shmem::gpu::kernel]
fn kernel_18(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut tile = shared::<[u64; 8]>();
    trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);
    block_barrier();
    let mut v1: i16 = (x as i16);
    let mut v1 = ((if ((((false) | (true))) || (!(true))) { (if ((15_u8) >= ((n as u8))) { ((71_u8) == (31_u8)) } else { ((true) != (true)) }) } else { !((((s as u64)) <= ((i as u64)))) })) as bool;
    v1 |= !(((((i) <= (i))) || ((((s as u64)) == ((i as u64))))));
    let mut v2 = ((if (((((n as isize)) % (((85_isize) & 7) | 1))) != (((i as isize)).wrapping_add((r as isize)))) { (((((i as f64)) as isize)) >> ((((57_i16) as i64)) & 7)) } else { ((((((s as isize)) & 7) * (((i as isize)) & 7))) ^ ((83_isize).wrapping_sub((r as isize)))) })) as isize;
    let mut vh = helper_18(s, x);
    local!(tile[thread_index()]) = ((((s as u64)) & 7) * ((((((v2 as u64)) & 7) + ((((v2 as u64)).min((v2 as u64))) & 7))) & 7));
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 3) % block_size()]);
    let mut vt = (!(((local!(source[(n) % n])) >> (((n as i8)) & 7)))) as i64;
    let mut a3: [f32; 4] = [((((v1) as u64)) as f32); 4];
    for q4 in (0..3_i32).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
        if (((if v1 { v1 } else { true })) && (!(v1))) {
            v1 |= (if !(((a) > (99_i32))) { ((((r) as i8)) > (((v1) as i8))) } else { (if ((v1) | (v1)) { !(true) } else { ((false) ^ (v1)) }) });
            let mut v5: f64 = local!(reals[(!(((v1) as usize))) % n]);
        }
        let mut a6: [f64; 4] = [(n as f64); 4];
    }
    v1 ^= ((((((44_u16) ^ ((n as u16)))) < ((if v1 { (s as u16) } else { 58_u16 })))) | (!((((r as u32)) < ((i as u32))))));
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add(local!(source[((((((n as i16)) as usize)) / ((((((v2) as usize)).min((((v2 as u64)) as usize))) & 7) | 1))) % n]));
    local!(real_out[i]) = r;
    remote!(cells[(my_pe() + 0) % n_pes(), (((i) ^ ((((i) & 7) * (((n as usize)) & 7))))) % 4]) += !(((52_u32) as u32));
}

#[shmem::gpu::kernel]
fn helper_19(p: i64, g: f32) -> i32 {
    let mut trace = p;
    for q1 in i16::MAX - 0..=i16::MAX {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        let mut v2 = ((if true { (if ((false) && (false)) { (((q1 as u8)) != ((g as u8))) } else { false }) } else { ((!(false)) != (true)) })) as bool;
    }
    (trace as i32).wrapping_add((((((((88_i32) >> (((p as u8)) & 7))) >> (((g as i64)) & 7))) & 7) * (((((((p as i32)).wrapping_mul((p as i32))) & 7) * (((((34_i32) & 7) + (((p as i32)) & 7))) & 7))) & 7)))
}

#[shmem::gpu::kernel]
fn kernel_19(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut v1 = ((i as f32)) as f32;
    if ((((v1) >= ((v1 as f32)))) > (((s) == (s)))) {
        for q2 in isize::MAX - 3..=isize::MAX {
            trace = trace.wrapping_mul(31).wrapping_add(q2 as i64);
            if !(false) { continue; }
            let mut v3 = ((u16::MIN - (((i as u16)) & 1))) as u16;
            v1 *= (((((v1 as i16)) as f32)) % (((0.375_f32) % ((v1 as f32 - 1.5)))));
        }
    } else {
        v1 -= -(0.375_f32);
        v1 = x;
        for q4 in 2_i8..=5 {
            trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
            if ((x) < (1.5_f32)) { break; }
            v1 *= (q4 as f32);
            let mut a5: [u8; 4] = [((6_u8).min((x as u8))).wrapping_mul((((n as u8)) % (((18_u8) & 7) | 1))); 4];
        }
    }
    let mut vh = helper_19(s, x);
    if ((s) == ((((i as i64)) << (((i as u16)) & 7)))) {
        v1 -= (((((((n as u8)) << (((i as u64)) & 7))) as f32)) % ((((x as f32 - 1.5)) % (((s as f32)).max(2.5)))));
    } else {
        for q6 in (2..6_u8).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q6 as i64);
            if (((i as usize)) != (n)) { break; }
            v1 *= (((((93_u64) as f32)).mul_add((if false { v1 } else { v1 }), 0.1)) - ((if (((vh as u16)) <= (u16::MAX)) { x } else { v1 })));
        }
        let mut v7: i64 = !((((((a as u32)) % (((79_u32) & 7) | 1))) as i64));
    }
    let mut v8: isize = ((r) as isize);
    let mut a9: [f64; 4] = [-(((r) / (r))); 4];
    if !(false) {
        let mut v10 = ((((((i as u32)) & ((s as u32)))) as u16)) as u16;
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add(((!(((((s) % (((80_i64) & 7) | 1))) >> (((74_i16).wrapping_sub(63_i16)) & 7)))) >> ((((v1 as i64)).min(local!(source[((if true { i } else { i })) % n]))) & 7)));
    local!(real_out[i]) = a9[((if ((!(i)) < (((i) / (((n) & 7) | 1)))) { (((if true { i } else { i })) >> ((((((s as u8)) & 7) + ((7_u8) & 7))) & 7)) } else { (((((a as f32)) as usize)) >> (((67_u64).wrapping_sub((vh as u64))) & 7)) })) % 4];
    remote!(cells[(my_pe() + 1) % n_pes(), (((((n) as usize)) | (52_usize))) % 4]) -= (((((((u32::MAX) ^ ((x as u32)))) & 7) * ((((v1 as u32)).wrapping_mul(55_u32)) & 7))) << ((((((71_i16) <= (i16::MAX))) as u16)) & 7));
}

#[shmem::gpu::kernel]
fn helper_20(p: i64, g: f32) -> i32 {
    let mut trace = p;
    for q1 in (i16::MIN..=i16::MIN + 2).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q1 as i64);
        if ((p) <= (p)) { break; }
        let mut v2 = ((if ((false) && (((42_u64) > (71_u64)))) { (((((g as usize)) ^ (35_usize))) <= (((q1 as usize)).wrapping_sub((q1 as usize)))) } else { (((((q1 as u8)) as u64)) != ((((20_u64) & 7) * (((p as u64)) & 7)))) })) as bool;
        v2 = ((((44_u8) == ((((v2 as u8)) % ((p as u8)))))) | ((((((g as i8)) >> (((g as i16)) & 7))) == ((((65_i8) & 7) * (((g as i8)) & 7))))));
    }
    (trace as i32).wrapping_add(((((((83_i16) >> (((p as u8)) & 7))) as f32)) as i32))
}

#[shmem::gpu::kernel]
fn kernel_20(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut w1 = 0_u32;
    while w1 < 1 {
        w1 += 1;
    }
    let mut v2 = (58_isize) as isize;
    for q3 in (1..7_i64).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q3 as i64);
        let mut w4 = 0_u32;
        while w4 < 1 {
            w4 += 1;
            v2 ^= ((((((v2) ^ (v2))) >> (((((a as u8)) << ((i) & 7))) & 7))) / (((((28_i16) as isize)) & 7) | 1));
            v2 = (((((((a as isize)) * (v2))) ^ ((if true { v2 } else { v2 })))) ^ ((((((((r as isize)) & 7) + ((v2) & 7))) & 7) + ((((v2) >> ((5_i8) & 7))) & 7))));
            let mut v5: i64 = (((((s) & 7) + (((if true { 43_i64 } else { q3 })) & 7))) % (((!((if false { q3 } else { s }))) & 7) | 1));
        }
        v2 |= (((if ((false) & (false)) { (((v2) & 7) * ((v2) & 7)) } else { ((v2) << ((q3) & 7)) })) / ((((((((v2) & 7) * ((v2) & 7))) & (((r) as isize)))) & 7) | 1));
        let mut v6 = (((q3) as u16)) as u16;
    }
    let mut a7: [i16; 4] = [(v2 as i16); 4];
    let mut vh = helper_20(s, x);
    if ((((i) > (i))) & (((90_u8) == ((a as u8))))) {
        let mut a8: [i64; 4] = [((s) | ((((s) & 7) + (((i as i64)) & 7)))); 4];
        let mut w9 = 0_u32;
        while w9 < 2 {
            w9 += 1;
            let mut v10 = (((!(((x) >= (x)))) | ((((((vh as i8)) / (((53_i8) & 7) | 1))) < ((((r as i8)) & (70_i8))))))) as bool;
            let mut a11: [i16; 4] = [40_i16; 4];
        }
    } else {
        a7[(!(n)) % 4] = (((((r as i16)).wrapping_mul(20_i16)) & 7) * (((-((i16::MIN) >> 1)).abs()) & 7));
        if ((v2) > (((x) as isize))) {
            let mut v12 = (0.1_f32) as f32;
            let mut a13: [usize; 4] = [((i) | (i)); 4];
        }
    }
    let mut v14: i16 = (if (if !(true) { (((vh as u32)) != ((n as u32))) } else { (((r as i8)) != ((r as i8))) }) { a7[((((vh as usize)) >> (((x as u64)) & 7))) % 4] } else { !((((x as i16)) << ((i32::MIN) & 7))) });
    vh |= ((a) >> (((((((i as u16)) / ((vh as u16)))) << ((((((i as i8)) & 7) + ((30_i8) & 7))) & 7))) & 7));
    let mut v15: u8 = (a as u8);
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add(((((s) % ((((((if false { n } else { (n as usize) })) as i64)) & 7) | 1))) & ((((!(s)) >> (((-((62_i8) >> 1))) & 7))).wrapping_sub((((r) as i64)).max((if false { s } else { s }))))));
    local!(real_out[i]) = (((((r as f64 - 1.5) as f64 - 1.5) as f64 - 1.5)) % ((if ((((a as u64)).max((s as u64))) <= ((x as u64))) { -(local!(reals[((s as usize)) % n])) } else { local!(reals[(((i) / (((i) & 7) | 1))) % n]) })));
    remote!(cells[(my_pe() + 1) % n_pes(), (((((i).wrapping_add(n)) & 7) + ((((s as usize)).wrapping_sub((vh as usize))) & 7))) % 4]) ^= ((((((((s as u32)) | (61_u32))) & 7) * ((((((i as u32)) & 7) * (((i as u32)) & 7))) & 7))) / ((((if !(true) { ((u32::MIN) as u32) } else { ((59_u32) / ((((vh as u32)) & 7) | 1)) })) & 7) | 1));
}

#[shmem::gpu::kernel]
fn helper_21(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1 = (((g as i16)).wrapping_mul(9_i16)) as i16;
    (trace as i32).wrapping_add(((i32::MIN - (((-(((g as i32)) >> 1))) & 1))).wrapping_mul(((((((v1 as i32)) / (68_i32))) & 7) * (((if false { 62_i32 } else { 95_i32 })) & 7))))
}

#[shmem::gpu::kernel]
fn kernel_21(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut tile = shared::<[u8; 8]>();
    trace = trace.wrapping_add(local!(tile[7 - thread_index()]) as i64);
    block_barrier();
    let mut v1: i64 = ((true) as i64);
    v1 &= (((((((n as i64)) >> (((n as isize)) & 7))) | (s))) | (((((i as i64)).min(s)) << (((if false { (n as u64) } else { (r as u64) })) & 7))));
    let mut v2: f32 = (((((x).max(2.5)) % ((x as f32)))) % ((((x).min(2.5)) / (((i as f32)).mul_add(0.1_f32, 0.1)))));
    let mut w3 = 0_u32;
    while w3 < 4 {
        w3 += 1;
        for q4 in 1_i32..4 {
            trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
            v1 ^= local!(source[((((((n) >> (((v2 as usize)) & 7))) & 7) + ((n) & 7))) % n]);
            v1 ^= (((((local!(reals[(i) % n])) as i64)) & 7) + ((((((((r as i64)) & 7) + ((s) & 7))) << (((((5_i64) & 7) * ((s) & 7))) & 7))) & 7));
            let mut v2 = (((((((((false) as i8)) & 7) * (((((n as i8)) & ((i as i8)))) & 7))) & 7) + ((!(68_i8)) & 7))) as i8;
        }
        if (((if false { false } else { true })) | (true)) {
            v1 ^= v1;
        }
        let mut w5 = 0_u32;
        while w5 < 2 {
            w5 += 1;
            let mut v6 = (-(-(((0.1_f32) as f32)))) as f32;
            let mut v7: f32 = (((((63_i64) | (v1))).max(((61_i64) / (((s) & 7) | 1)))) as f32);
        }
    }
    let mut vh = helper_21(s, x);
    local!(tile[thread_index()]) = (((((25_u8).wrapping_add(91_u8)) & ((r as u8)))) << (((a as i8)) & 7));
    block_barrier();
    let mut vt = local!(tile[(thread_index() + 3) % block_size()]);
    let mut vh = (99_isize) as isize;
    let mut v8 = ((if ((!(false)) ^ (!(false))) { ((((v1) == (s))) & (!(false))) } else { ((((false) & (true))) || ((if true { true } else { false }))) })) as bool;
    v8 ^= !((if true { (((x as u8)) == ((v8 as u8))) } else { v8 }));
    for q9 in 3_u64..=6 {
        trace = trace.wrapping_mul(31).wrapping_add(q9 as i64);
        let mut a10: [u64; 4] = [(((n) as u64)).wrapping_sub(((q9) % (((q9) & 7) | 1))); 4];
        a10[(!(n)) % 4] = (if ((v2) > (x)) { ((q9) << (((n as i8)) & 7)) } else { (((v2 as f32)) as u64) });
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add((((!(((((s) & 7) + ((s) & 7))).wrapping_add((((75_i64) & 7) + (((vt as i64)) & 7))))) & 7) * (((s as i64)) & 7)));
    local!(real_out[i]) = -(((r).mul_add(((r) / (123456.78_f64)), 0.1)).mul_add(((r) * (r)), 0.1));
    remote!(cells[(my_pe() + 1) % n_pes(), (((((10_usize) << (((s as u32)) & 7))) >> ((((25_u32) ^ ((v2 as u32)))) & 7))) % 4]) += 6_u32;
}

#[shmem::gpu::kernel]
fn helper_22(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut v1: i32 = (if ((((83_i8) as i8)) != ((((g as i8)) ^ ((p as i8))))) { 61_i32 } else { ((45_i64) as i32) });
    let mut v2: u16 = (u16::MIN - ((((((v1 as u16)).min((v1 as u16))) as u16)) & 1));
    (trace as i32).wrapping_add(((((!(34_i32)) >> ((((v1 as u8)).max((p as u8))) & 7))) / ((((((v1).wrapping_sub(i32::MAX)) >> (((((v1 as i8)) as u32)) & 7))) & 7) | 1)))
}

#[shmem::gpu::kernel]
fn kernel_22(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut v1: f32 = (if ((!(s)) <= (s)) { ((((x) + (x))) + (((x) as f32))) } else { x });
    if !(true) {
        let mut w2 = 0_u32;
        while w2 < 4 {
            w2 += 1;
            v1 *= ((((!(s)) & ((s).wrapping_sub((i as i64))))) as f32);
            let mut v3: u16 = ((((((((i as i16)) & (84_i16))) & 7) * (((a as i16)) & 7))) as u16);
        }
    } else {
        v1 += (v1).mul_add(((-(v1)) / (-(v1))), 0.1);
        let mut v4: usize = n;
    }
    let mut v5 = ((((((r).abs()) as isize)) < ((if !(false) { (((v1 as u64)) as isize) } else { (((a as isize)) >> (((v1 as usize)) & 7)) })))) as bool;
    let mut w6 = 0_u32;
    while w6 < 1 {
        w6 += 1;
        if v5 {
            v1 *= (((!(94_u8)) as f32) as f32 - 1.5);
            let mut v7: bool = (((((x).floor()) / ((x).min(2.5)))) == ((if (((r as f32)) < (x)) { (((n as f32)) + (v1)) } else { (0.1_f32 as f32 - 1.5) })));
            v5 ^= ((((((94_u8) << ((56_u32) & 7))) & ((if v7 { 32_u8 } else { (a as u8) })))) == ((((((v5 as u16)) as u8)) & ((if v7 { 87_u8 } else { (v7 as u8) })))));
        }
        v5 ^= (((((if true { (v5 as usize) } else { i })) & ((((i) & 7) * ((n) & 7))))) == ((r as usize)));
    }
    let mut vh = helper_22(s, x);
    let mut v8 = ((((if (((vh as u32)) <= ((n as u32))) { ((r as u8)).max((vh as u8)) } else { ((v1) as u8) })) >> (((if !(v5) { (s as isize) } else { (n as isize) })) & 7))) as u8;
    v1 *= (-(((v1) - (v1)))).floor();
    for q9 in 0_u8..=7 {
        trace = trace.wrapping_mul(31).wrapping_add(q9 as i64);
        if ((true) >= (false)) { continue; }
        let mut v10: bool = (if (((((r as i16)) != (i16::MIN))) || (((91_i8) < (48_i8)))) { ((((a as f32) as f32 - 1.5)) > ((x).mul_add(x, 0.1))) } else { v5 });
        vh = ((((!(a)) ^ (((a) / ((((v8 as i32)) & 7) | 1))))) >> (((if (((v10 as i8)) >= ((q9 as i8))) { ((r) as i32) } else { (if v5 { 85_i32 } else { a }) })) & 7));
    }
    for q11 in i8::MAX - 1..=i8::MAX {
        trace = trace.wrapping_mul(31).wrapping_add(q11 as i64);
        vh ^= (((((((v1 as isize)) as i8)) << ((((32_i16) | (66_i16))) & 7))) as i32);
        for q12 in (0..6_u32).rev() {
            trace = trace.wrapping_mul(31).wrapping_add(q12 as i64);
            let mut a13: [u16; 4] = [88_u16; 4];
            v1 = ((((r).ceil()) as f32)).sqrt();
            a13[((((q11 as usize)) << (((r as u16)) & 7))) % 4] = ((a13[(i) % 4]) << (((((x as u16)) >> ((vh) & 7))) & 7));
        }
    }
    remote!(out[(my_pe() + 1) % n_pes(), my_pe(), i]) = trace.wrapping_add(!(!((v1 as i64))));
    local!(real_out[i]) = r;
    remote!(cells[(my_pe() + 0) % n_pes(), (((((x as f64)) as usize)).wrapping_add(((v5) as usize))) % 4]) -= ((!((v1 as u32))) | ((((((v8) & 7) + ((v8) & 7))) as u32)));
}

#[shmem::gpu::kernel]
fn helper_23(p: i64, g: f32) -> i32 {
    let mut trace = p;
    let mut w5 = 0_u32;
    while w5 < 4 {
        w5 += 1;
        let mut v6: bool = (if (((if true { (g as u32) } else { (g as u32) })) != (((((p as u32)) & 7) * ((58_u32) & 7)))) { (((((p as usize)) as u64)) == ((u64::MIN - ((1_u64) & 1)))) } else { ((((false) | (false))) || (!(false))) });
        let mut v7 = (((((g).mul_add(g, 0.1)).abs()) / (((g).mul_add(1.5_f32, 0.1)).ceil()))) as f32;
    }
    let mut w8 = 0_u32;
    while w8 < 4 {
        w8 += 1;
        let mut v9: u32 = ((((((p as i32)) as u32)) % (((((((g as u32)) & 7) * (((p as u32)) & 7))) & 7) | 1))).min((p as u32));
        v9 |= (v9 as u32);
    }
    (trace as i32).wrapping_add((((-(((if true { (p as i32) } else { 90_i32 })) >> 1))) | ((((((g as i32)) ^ (97_i32))) as i32))))
}

#[shmem::gpu::kernel]
fn kernel_23(source: Global<i64>, reals: Global<f64>, mut out: Global<i64, 2>, mut real_out: Global<f64>, mut cells: Global<Atomic<u32>>, n: usize, a: i32, x: f32) {
    let i = global_index();
    let s = local!(source[i]);
    let r = local!(reals[n - 1 - i]);
    let mut trace = s;
    let mut w1 = 0_u32;
    while w1 < 3 {
        w1 += 1;
        if !(((true) || (true))) {
            let mut v2 = (((x) + ((((x).mul_add(x, 0.1)) * (x))))) as f32;
        } else {
            let mut v3 = ((if (if ((a) == (48_i32)) { (if true { true } else { true }) } else { ((x) == (x)) }) { (((a as u16)) / (((((true) as u16)) & 7) | 1)) } else { (((if true { (n as u16) } else { (r as u16) })) << (((75_u32).wrapping_add((r as u32))) & 7)) })) as u16;
        }
    }
    for q4 in (u16::MIN..=u16::MIN + 1).rev() {
        trace = trace.wrapping_mul(31).wrapping_add(q4 as i64);
        let mut v5: bool = false;
        v5 = (if !((((a as u8)) < ((x as u8)))) { !((((v5 as u8)) < ((r as u8)))) } else { v5 });
        let mut v6: isize = ((((if v5 { (s as isize) } else { (q4 as isize) })).max(8_isize)) << (((((v5 as i32)) | (a))) & 7));
    }
    let mut vh = helper_23(s, x);
    let mut v7: u8 = (((((((r as f64)) as u8)) & 7) + ((((true) as u8)) & 7))).min((s as u8));
    vh = ((i as i32)).wrapping_sub(vh);
    let mut v8: i16 = 5_i16;
    for q9 in u32::MAX - 3..=u32::MAX {
        trace = trace.wrapping_mul(31).wrapping_add(q9 as i64);
        vh &= ((((vh) ^ (((a) >> (((v8 as u64)) & 7))))) ^ (((((((a) & 7) + ((vh) & 7))) & 7) + (((((vh as u32)) as i32)) & 7))));
    }
    remote!(out[(my_pe() + 0) % n_pes(), my_pe(), i]) = trace.wrapping_add(s);
    local!(real_out[i]) = (((((if ((true) > (false)) { ((1_u16) % ((((v7 as u16)) & 7) | 1)) } else { ((v8 as u16)).wrapping_add((v8 as u16)) })) as i64)) as f64);
    remote!(cells[(my_pe() + 1) % n_pes(), (((!(n)) | ((i).max(i)))) % 4]) ^= ((((i as u32)) << (((((s) & 7) * (((v8 as i64)) & 7))) & 7))).wrapping_mul((((v8 as u32)) << ((((vh) as usize)) & 7)));
}

for_each_kernel! { kernel_0 kernel_1 kernel_2 kernel_3 kernel_4 kernel_5 kernel_6 kernel_7 kernel_8 kernel_9 kernel_10 kernel_11 kernel_12 kernel_13 kernel_14 kernel_15 kernel_16 kernel_17 kernel_18 kernel_19 kernel_20 kernel_21 kernel_22 kernel_23 }
