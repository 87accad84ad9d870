//! Counts the triangles of a graph in a Matrix Market file.
//!
//! ```text
//! cargo run --release --example triangles                        # Zachary's karate club
//! cargo run --release --example triangles -- graph.mtx
//! ```
//!
//! A triangle is three vertices, each joined to the other two. The graph is a matrix in coordinate form,
//! as the SuiteSparse collection has them: an entry at row `i` and column `j` joins `i` and `j`. Values,
//! directions and entries on the diagonal mean nothing here.
//!
//! PE 0 reads the file. It directs each edge from the vertex with fewer neighbours to the one with more,
//! so that no list becomes long, and deals the vertices out: PE p gets vertices p, p + n, p + 2 n, … with
//! their lists. A triangle is then an edge from `u` to `v`, and a vertex in the lists of both. Each PE
//! looks at the lists of its own `u`, and reads those of the `v` from their owners: where these lists lie
//! is one gather for each owner, and each list is one get.
//!
//! The file is read here. Of the crates that read this format (November 2026), `matrix-market-rs` 0.1 is
//! small, but had its last release in June 2023, and turns index 0 into a huge one. `sprs` 0.11 never
//! returns from a file that ends before its line of sizes. `nalgebra-sparse` 0.12 is 31 crates, as many as
//! all examples need together. The format is one header and lines of numbers.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use examples::{Failure, count};
use shmem::prelude::*;

#[shmem::main]
fn main(world: &World) -> Result<(), Failure> {
    let (me, n_pes, team) = (world.my_pe(), world.n_pes(), world.team());

    let graph = if me == 0 { read(&file()?)? } else { Graph::default() };
    let (parts, counts) = deal(&graph.directed(), n_pes);
    let edges: Vec<[u32; 2]> = team.scatterv_values(&parts, &counts, 0);
    let vertices = collective!(broadcast graph.vertices from 0);

    // My vertices with their lists, one after the other: `starts[row]..starts[row + 1]` are the places of
    // the list of vertex `me + row * n_pes`.
    let rows = vertices.div_ceil(n_pes);
    let longest = collective!(max edges.len());
    let starts = world.zeros::<usize, 1>([rows + 1])?;
    let ends = world.zeros::<u32, 1>([longest])?;
    let place = |row: usize| edges.partition_point(|[from, _]| (*from as usize / n_pes) < row);
    local!(starts[..]) = (0..=rows).map(place).collect::<Vec<_>>();
    local!(ends[..edges.len()]) = edges.iter().map(|[_, to]| *to).collect::<Vec<_>>();
    world.barrier_all(); // all lists are there

    let mut triangles = 0_u64;
    for owner in (0..n_pes).map(|step| (me + step) % n_pes) {
        // The edges that end at this PE, and where the lists of these ends lie there.
        let there: Vec<[u32; 2]> =
            edges.iter().copied().filter(|[_, to]| *to as usize % n_pes == owner).collect();
        let row = |to: u32| to as usize / n_pes;
        let (first, last): (Vec<usize>, Vec<usize>) =
            there.iter().map(|[_, to]| (row(*to), row(*to) + 1)).unzip();
        let (first, last) = (remote!(starts[owner, @first]), remote!(starts[owner, @last]));
        for (([from, _], start), end) in there.iter().zip(first).zip(last) {
            let theirs = remote!(ends[owner, start..end]);
            let mine = &edges[place(row(*from))..place(row(*from) + 1)];
            triangles += common(mine.iter().map(|[_, to]| *to), &theirs);
        }
    }
    let triangles = collective!(sum triangles);
    let (most, busiest) = collective!(maxloc edges.len());

    if me == 0 {
        assert_eq!(triangles, graph.triangles(), "the triangles of the serial count");
        let vertices = if graph.vertices == 1 { "vertex" } else { "vertices" };
        println!("{}: {} {vertices}, {}", graph.name, graph.vertices, count(graph.edges.len(), "edge"));
        println!("{} on {}: as many as serially", count(triangles as usize, "triangle"), count(n_pes, "PE"));
        println!("PE {busiest} has most edges: {most}");
    }
    Ok(())
}

/// How many vertices two lists have in common, both of which are in order.
fn common(mine: impl Iterator<Item = u32>, theirs: &[u32]) -> u64 {
    let mut theirs = theirs.iter().peekable();
    mine.filter(|vertex| {
        while theirs.next_if(|other| *other < vertex).is_some() {}
        theirs.peek() == Some(&vertex)
    })
    .count() as u64
}

/// The edges of each PE's vertices, one PE after the other, in order; and how many each PE has.
fn deal(directed: &[[u32; 2]], n_pes: usize) -> (Vec<[u32; 2]>, Vec<usize>) {
    let mut counts = vec![0; n_pes];
    directed.iter().for_each(|[from, _]| counts[*from as usize % n_pes] += 1);
    let mut all = directed.to_vec();
    all.sort_unstable_by_key(|[from, to]| (*from as usize % n_pes, *from, *to));
    (all, counts)
}

/// A graph without directions: each edge once, the smaller vertex first, from 0 on.
#[derive(Default)]
struct Graph {
    name: String,
    vertices: usize,
    edges: Vec<[u32; 2]>,
}

impl Graph {
    /// Each edge from the vertex with fewer neighbours; of two with equally many, from the smaller.
    fn directed(&self) -> Vec<[u32; 2]> {
        let mut neighbours = vec![0; self.vertices];
        self.edges.iter().flatten().for_each(|vertex| neighbours[*vertex as usize] += 1);
        let key = |vertex: u32| (neighbours[vertex as usize], vertex);
        self.edges.iter().map(|&[a, b]| if key(a) < key(b) { [a, b] } else { [b, a] }).collect()
    }

    /// Counts the triangles in another way: for each edge, the vertices that are joined to both ends.
    fn triangles(&self) -> u64 {
        let joined: HashSet<[u32; 2]> = self.edges.iter().copied().collect();
        let mut after = vec![Vec::new(); self.vertices];
        self.edges.iter().for_each(|[a, b]| after[*a as usize].push(*b));
        let closed =
            |[a, b]: &[u32; 2]| after[*b as usize].iter().filter(|c| joined.contains(&[*a, **c])).count();
        self.edges.iter().map(|edge| closed(edge) as u64).sum()
    }
}

/// The argument, or the graph beside the examples.
fn file() -> Result<PathBuf, Failure> {
    let mut arguments = std::env::args_os().skip(1);
    let karate = || Path::new(env!("CARGO_MANIFEST_DIR")).join("data/karate.mtx");
    let file = arguments.next().map_or_else(karate, PathBuf::from);
    match arguments.next() {
        None => Ok(file),
        Some(_) => {
            Err(Failure::new("triangles takes one argument at most: the path of a Matrix Market file"))
        }
    }
}

fn read(path: &Path) -> Result<Graph, Failure> {
    let failure = |why: String| Failure::new(format!("{}{why}", path.display()));
    let text = std::fs::read(path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    let text = String::from_utf8(text)
        .map_err(|_| failure(" is not a Matrix Market file: it is not text".into()))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (vertices, edges) = parse(&text).map_err(|(line, why)| failure(format!(":{line}: {why}")))?;
    Ok(Graph { name, vertices, edges })
}

/// The number of a line, and what is wrong with it.
type Mistake = (usize, String);

/// The number of vertices in a file, and its edges.
fn parse(text: &str) -> Result<(usize, Vec<[u32; 2]>), Mistake> {
    let mut lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
    let header = lines.next().unwrap_or((1, "")).1.to_lowercase();
    let words: Vec<&str> = header.split_whitespace().collect();
    match words[..] {
        ["%%matrixmarket", "matrix", "coordinate", _, _] => {}
        ["%%matrixmarket", "matrix", "array", ..] => {
            return Err((1, "the matrix is dense: a graph is in coordinate form".into()));
        }
        _ => return Err((1, "a Matrix Market file begins with %%MatrixMarket matrix coordinate …".into())),
    }
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('%'));

    let end = text.lines().count();
    let (at, sizes) = lines.next().ok_or((end, "the line with the sizes is missing".to_owned()))?;
    let sizes = numbers::<3>(sizes)
        .ok_or((at, "three numbers are expected: rows, columns and entries".to_owned()))?;
    let [rows, columns, entries] = sizes;
    if rows != columns {
        return Err((at, format!("a graph is a square matrix, and this one is {rows} × {columns}")));
    }
    if u32::try_from(rows).is_err() {
        return Err((at, format!("there are {rows} vertices, and may be {}", u32::MAX)));
    }
    let mut edges = Vec::new();
    let mut found = 0;
    for (at, line) in lines {
        let [i, j] = numbers::<2>(line).ok_or((at, "a row and a column are expected".to_owned()))?;
        if let Some(outside) = [i, j].into_iter().find(|place| !(1..=rows).contains(place)) {
            return Err((at, format!("{outside} is no row or column: they are 1 to {rows}")));
        }
        found += 1;
        if i != j {
            edges.push([i.min(j) as u32 - 1, i.max(j) as u32 - 1]);
        }
    }
    if found != entries {
        return Err((at, format!("{entries} entries are announced, and {found} follow")));
    }
    edges.sort_unstable();
    edges.dedup();
    Ok((rows, edges))
}

/// The first numbers of a line; what follows them may be a value.
fn numbers<const N: usize>(line: &str) -> Option<[usize; N]> {
    let mut words = line.split_whitespace();
    let mut numbers = [0; N];
    for number in &mut numbers {
        *number = words.next()?.parse().ok()?;
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "%%MatrixMarket matrix coordinate real general\n";

    #[test]
    fn entries_become_edges() {
        let text = format!("{HEAD}% a remark\n\n4 4 5\n1 2 0.5\n2 1 7\n3 3 1\n4 2 -1\n 4   1 2\n");
        assert_eq!(parse(&text), Ok((4, vec![[0, 1], [0, 3], [1, 3]])));
        let graph = Graph { name: String::new(), vertices: 4, edges: parse(&text).unwrap().1 };
        assert_eq!(graph.triangles(), 1);
        assert_eq!(deal(&graph.directed(), 2), (vec![[0, 1], [0, 3], [1, 3]], vec![2, 1]));
    }

    #[test]
    fn mistakes_have_their_line() {
        for (text, line, why) in [
            ("", 1, "a Matrix Market file begins with"),
            ("%%MatrixMarket matrix array real general\n2 2\n", 1, "dense"),
            (HEAD, 1, "the line with the sizes is missing"),
            (&format!("{HEAD}3 3\n"), 2, "three numbers"),
            (&format!("{HEAD}3 4 0\n"), 2, "3 × 4"),
            (&format!("{HEAD}3 3 1\n1\n"), 3, "a row and a column"),
            (&format!("{HEAD}3 3 1\n1 4\n"), 3, "4 is no row or column: they are 1 to 3"),
            (&format!("{HEAD}3 3 1\n0 1\n"), 3, "0 is no row"),
            (&format!("{HEAD}3 3 2\n1 2\n"), 2, "2 entries are announced, and 1 follow"),
        ] {
            let (at, said) = parse(text).unwrap_err();
            assert!(at == line && said.contains(why), "{text:?}: {at}: {said}");
        }
    }
}
