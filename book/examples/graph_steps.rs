//! A graph of crates: who is used most, and by a queue of work, what each needs.

// ANCHOR: read
use std::collections::HashMap;

use shmem::prelude::*;

/// A line for each crate, as in the index of crates.io: its name comes first, and
/// the names of its dependencies follow.
const INDEX: &str = include_str!("graph/index.jsonl");

struct Graph {
    names: Vec<&'static str>,
    /// The dependencies of each crate, as numbers.
    needs: Vec<Vec<usize>>,
}

fn read() -> Graph {
    let lines: Vec<Vec<&str>> = INDEX
        .lines()
        .map(|line| {
            let names = line.split("\"name\":\"").skip(1);
            names.filter_map(|rest| rest.split('"').next()).collect()
        })
        .collect();
    let names: Vec<&str> = lines.iter().map(|line| line[0]).collect();
    let numbers: HashMap<&str, usize> =
        names.iter().enumerate().map(|(i, name)| (*name, i)).collect();
    let numbered =
        |line: &Vec<&str>| line[1..].iter().map(|name| numbers[name]).collect();
    Graph { needs: lines.iter().map(numbered).collect(), names }
}
// ANCHOR_END: read

// ANCHOR: users
/// How many crates use each crate.
#[shmem::kernel]
fn users(world: &World, graph: &Graph) -> Result<Vec<u64>, shmem::Error> {
    let (me, npes, n) = (world.my_pe(), world.n_pes(), graph.needs.len());
    let users =
        world.global_array::<Atomic<u64>, 1>([n], Distribution::Block)?;
    for i in (me..n).step_by(npes) {
        for &need in &graph.needs[i] {
            remote!(users[@need]) += 1;
        }
    }
    world.barrier_all(); // all updates are there
    Ok(remote!(users[@..]))
}
// ANCHOR_END: users

// ANCHOR: ranks
/// The rank of each crate after so many steps.
#[shmem::kernel]
fn ranks(
    world: &World,
    graph: &Graph,
    steps: usize,
) -> Result<Vec<f64>, shmem::Error> {
    let (me, npes, n) = (world.my_pe(), world.n_pes(), graph.needs.len());
    let mut ranks = vec![1.0 / n as f64; n];
    for _ in 0..steps {
        let got =
            world.global_array::<Atomic<f64>, 1>([n], Distribution::Block)?;
        world.batch(|b| {
            for i in (me..n).step_by(npes) {
                let needs = &graph.needs[i];
                for &need in needs {
                    remote!(b; got[@need]) += ranks[i] / needs.len() as f64;
                }
            }
        });
        let got: Vec<f64> = remote!(got[@..]);
        ranks = got.iter().map(|got| 0.15 / n as f64 + 0.85 * got).collect();
    }
    Ok(ranks)
}
// ANCHOR_END: ranks

// ANCHOR: queue
/// The number of the next crate that no PE has taken. On PE 0.
#[symmetric]
static NEXT: Atomic<usize> = Atomic::new(0);

/// How many crates each crate needs, by any number of steps.
#[shmem::kernel]
fn all_needs(world: &World, graph: &Graph) -> Result<Vec<usize>, shmem::Error> {
    let n = graph.needs.len();
    let counts = world.global_array::<usize, 1>([n], Distribution::Block)?;
    loop {
        let i = remote!(&NEXT[0]).fetch_add(1);
        if i >= n {
            break; // all crates are taken
        }
        remote!(counts[@i]) = reach(graph, i);
    }
    world.barrier_all(); // all counts are there
    Ok(remote!(counts[@..]))
}

/// How many crates can be reached from one.
fn reach(graph: &Graph, from: usize) -> usize {
    let mut seen = vec![false; graph.needs.len()];
    let mut open = vec![from];
    while let Some(i) = open.pop() {
        for &need in &graph.needs[i] {
            if !seen[need] {
                seen[need] = true;
                open.push(need);
            }
        }
    }
    seen.iter().filter(|seen| **seen).count()
}
// ANCHOR_END: queue

#[shmem::kernel]
fn no_end(world: &World, graph: &Graph) -> Result<(), shmem::Error> {
    let n = graph.needs.len();
    let counts = world.global_array::<usize, 1>([n], Distribution::Block)?;
    // ANCHOR: no_end
    loop {
        let i = remote!(&NEXT[0]).fetch_add(1);
        remote!(counts[@i]) = i;
    }
    // ANCHOR_END: no_end
}

// ANCHOR: chunks
/// The same, with four crates at a time.
#[shmem::kernel]
fn by_chunks(world: &World, graph: &Graph) -> Result<Vec<usize>, shmem::Error> {
    let n = graph.needs.len();
    let counts = world.global_array::<usize, 1>([n], Distribution::Block)?;
    remote!(NEXT[0]) = 0;
    world.barrier_all(); // the queue begins anew
    loop {
        let first = remote!(&NEXT[0]).fetch_add(4);
        if first >= n {
            break;
        }
        let end = n.min(first + 4);
        let few: Vec<usize> = (first..end).map(|i| reach(graph, i)).collect();
        remote!(counts[@first..end]) = few;
    }
    world.barrier_all();
    Ok(remote!(counts[@..]))
}
// ANCHOR_END: chunks

// ANCHOR: main
#[shmem::main]
fn main(world: &World) -> Result<(), shmem::Error> {
    let graph = read();
    // ANCHOR_END: main
    if std::env::args().nth(1).is_some() {
        return no_end(world, &graph);
    }
    let users = users(world, &graph)?;
    let ranks = ranks(world, &graph, 20)?;
    let needs = all_needs(world, &graph)?;
    check(&graph, &users, &ranks);
    assert_eq!(by_chunks(world, &graph)?, needs);
    assert!(
        needs.iter().enumerate().all(|(i, count)| *count == reach(&graph, i))
    );
    if world.my_pe() == 0 {
        let mut order: Vec<usize> = (0..graph.names.len()).collect();
        order.sort_by(|a, b| ranks[*b].total_cmp(&ranks[*a]));
        println!("crate          users   rank  needs");
        for i in &order[..6] {
            let (name, users) = (graph.names[*i], users[*i]);
            println!("{name:14} {users:5}  {:.3}  {:5}", ranks[*i], needs[*i]);
        }
    }
    Ok(())
}

/// The same on one PE.
fn check(graph: &Graph, users: &[u64], ranks: &[f64]) {
    let n = graph.needs.len();
    let mut right = vec![0; n];
    graph.needs.iter().flatten().for_each(|need| right[*need] += 1);
    assert_eq!(users, right);
    let mut right = vec![1.0 / n as f64; n];
    for _ in 0..20 {
        let mut next = vec![0.15 / n as f64; n];
        for (i, needs) in graph.needs.iter().enumerate() {
            for need in needs {
                next[*need] += 0.85 * right[i] / needs.len() as f64;
            }
        }
        right = next;
    }
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
    assert!(ranks.iter().zip(&right).all(is_near));
}
