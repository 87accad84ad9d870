//! PageRank of the crates in a `Cargo.lock`: on which crates does everything else depend?
//!
//! ```text
//! cargo run --release --example pagerank                        # this project's own Cargo.lock
//! cargo run --release --example pagerank -- ../other/Cargo.lock
//! ```
//!
//! Imagine a reader of code. From a crate, they continue with one of its dependencies, each with
//! the same probability. Sometimes, and always if there are no dependencies, they start again at
//! any crate. The rank of a crate is the share of the time that they spend there. An iteration
//! computes it: in each step, every crate gives its rank to its dependencies in equal shares.
//!
//! The shares are a global array, of which each PE holds a block. Each PE computes the new ranks of the
//! crates in its block. To do so, it reads the shares of all crates that depend on them, wherever they
//! are, by the list of their indices: `remote!(shares[@users])`. No PE waits for a request or answers
//! one.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use examples::{Failure, count};
use shmem::prelude::*;

/// The probability that the reader continues with a dependency; otherwise they start again at any
/// crate.
const DAMPING: f64 = 0.85;
/// The ranks have converged when an iteration changes them by less than this, over all crates.
/// Their sum is 1.
const TOLERANCE: f64 = 1e-12;
/// After this many iterations the ranks of any graph have converged: each iteration reduces the
/// change to `DAMPING` of the one before.
const MOST_ITERATIONS: usize = 1000;
/// The largest allowed difference to the ranks of the serial computation, which adds the same
/// numbers in another order.
const AGREEMENT: f64 = 1e-10;
/// How many crates are printed.
const TOP: usize = 10;

#[shmem::main]
fn main(world: &World) -> Result<(), Failure> {
    let me = world.my_pe();
    let n_pes = world.n_pes();

    // Only PE 0 reads the file. If it cannot, its error ends the job, and is reported once.
    let input = if me == 0 { Some(Input::read(&lock_file()?)?) } else { None };

    // Every PE gets the part about its own crates.
    let graph = input.as_ref().map(|input| &input.graph);
    let crates = collective!(broadcast graph.map_or(0, Graph::crates) from 0);
    // The share that each crate gives to each of its dependencies.
    let shares = world.global_array::<f64, 1>([crates], Distribution::Block)?;
    let part = hand_out(world, &shares, graph);

    let (iterations, rank) = iterate(world, &shares, &part)?;

    // PE 0 gets the ranks of each PE, one after the other.
    let ranks = collective!(gatherv &rank to 0);
    if let (Some(Input { path, graph, names }), Some(ranks)) = (&input, ranks) {
        let difference = check(graph, &ranks)?;
        let [crates, edges] = [count(graph.crates(), "crate"), count(graph.edges(), "edge")];
        println!("{}: a graph of {crates} and {edges}", path.display());
        println!();
        print_top(graph, names, &ranks);
        println!();
        let [iterations, pes] = [count(iterations, "iteration"), count(n_pes, "PE")];
        println!("{iterations} on {pes}; the largest difference to the serial ranks is {difference:.1e}");
    }
    Ok(())
}

// The computation --------------------------------------------------------------------------------------------

/// Gives each PE the part of the graph that belongs to its block of the shares. PE 0 has the graph.
/// Collective.
fn hand_out(world: &World, shares: &GlobalArray<f64, 1>, graph: Option<&Graph>) -> Part {
    let part = |graph: &Graph| {
        let mut end = 0;
        let run = |pe| {
            let ([len], start) = (shares.part_extents(pe), end);
            end += len;
            graph.part(start..end)
        };
        (0..world.n_pes()).map(run).collect()
    };
    let parts: Vec<Part> = graph.map(part).unwrap_or_default();
    // What the other PEs pass is not used.
    let scatter = |field: fn(&Part) -> &Vec<usize>| {
        let counts: Vec<usize> = parts.iter().map(|part| field(part).len()).collect();
        let all: Vec<usize> = parts.iter().flat_map(field).copied().collect();
        world.team().scatterv_values(&all, &counts, 0)
    };
    Part {
        first_user: scatter(|part| &part.first_user),
        users: scatter(|part| &part.users),
        needs: scatter(|part| &part.needs),
    }
}

/// Iterates until the ranks have converged. Returns the number of iterations, and the ranks of my
/// crates. Collective.
#[shmem::kernel]
fn iterate(world: &World, shares: &GlobalArray<f64, 1>, part: &Part) -> Result<(usize, Vec<f64>), Failure> {
    let Part { first_user, users, needs } = part;
    let (mine, crates) = (needs.len(), shares.len() as f64);
    let first = shares.mine().next().unwrap_or(0);
    let mut given = vec![0.0; users.len()];

    let mut rank = vec![1.0 / crates; mine];
    for iteration in 1..=MOST_ITERATIONS {
        // The shares that my crates give, and the rank of crates without dependencies, which no
        // crate gets.
        let mut share = vec![0.0; mine];
        let mut unspent = 0.0;
        for (i, &needs) in needs.iter().enumerate() {
            if needs == 0 {
                unspent += rank[i];
            } else {
                share[i] = rank[i] / needs as f64;
            }
        }
        remote!(shares[@first..first + mine]) = share;
        world.barrier_all(); // all shares are there to be read

        let everywhere = collective!(sum unspent);
        let base = (1.0 - DAMPING + DAMPING * everywhere) / crates;
        remote!(shares[@users] => &mut given);
        let mut change = 0.0;
        for i in 0..mine {
            let got: f64 = given[first_user[i]..first_user[i + 1]].iter().sum();
            let new = base + DAMPING * got;
            change += (new - rank[i]).abs();
            rank[i] = new;
        }

        // All PEs get the same sum, so all stop in the same iteration. The sum is complete when
        // every PE has given its value. At that time, all PEs have read the shares, so the next
        // iteration may overwrite them.
        if collective!(sum change) < TOLERANCE {
            return Ok((iteration, rank));
        }
    }
    Err(Failure::new(format!("the ranks have not converged in {MOST_ITERATIONS} iterations")))
}

/// Compares with the ranks of a serial computation, and returns the largest difference.
fn check(graph: &Graph, ranks: &[f64]) -> Result<f64, Failure> {
    let serial = graph.serial_ranks();
    let sum: f64 = ranks.iter().sum();
    let difference =
        ranks.iter().zip(&serial).map(|(got, expected)| (got - expected).abs()).fold(0.0, f64::max);
    // Written so that a NaN fails too.
    if ranks.len() == serial.len() && difference <= AGREEMENT && (sum - 1.0).abs() <= AGREEMENT {
        Ok(difference)
    } else {
        Err(Failure::new(format!(
            "the ranks are wrong: {} of {} crates, sum {sum}, and up to {difference:e} from the serial ranks",
            ranks.len(),
            serial.len()
        )))
    }
}

/// Prints the crates of the highest ranks as a table.
fn print_top(graph: &Graph, names: &[String], ranks: &[f64]) {
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    // Crates whose ranks are equal up to rounding are in the order of their names, with every
    // number of PEs.
    let rounded = |index: usize| (ranks[index] / AGREEMENT).round() as u64;
    order.sort_by_key(|&index| (std::cmp::Reverse(rounded(index)), index));
    order.truncate(TOP);

    let width = order.iter().map(|&index| names[index].chars().count()).max().unwrap_or(0).max("crate".len());
    println!("     {:<width$}  {:>7}  {:>9}", "crate", "rank", "needed by");
    for (place, &index) in order.iter().enumerate() {
        let (name, rank, users) = (&names[index], 100.0 * ranks[index], graph.users[index].len());
        println!("{:>3}  {name:<width$}  {rank:>6.2}%  {users:>9}", place + 1);
    }
}

// The graph --------------------------------------------------------------------------------------------------

/// The dependencies between crates. Crates are numbers.
struct Graph {
    /// For each crate, those that it depends on.
    needs: Vec<Vec<usize>>,
    /// For each crate, those that depend on it.
    users: Vec<Vec<usize>>,
}

/// The part of the graph that a PE needs: that of a run of crates.
struct Part {
    /// `users[first_user[i]..first_user[i + 1]]` are the crates that depend on crate `i` of the run.
    first_user: Vec<usize>,
    users: Vec<usize>,
    /// On how many crates each of the run depends.
    needs: Vec<usize>,
}

impl Graph {
    fn new(needs: Vec<Vec<usize>>) -> Graph {
        let mut users = vec![Vec::new(); needs.len()];
        for (user, needs) in needs.iter().enumerate() {
            for &need in needs {
                users[need].push(user);
            }
        }
        Graph { needs, users }
    }

    fn crates(&self) -> usize {
        self.needs.len()
    }

    fn edges(&self) -> usize {
        self.needs.iter().map(Vec::len).sum()
    }

    fn part(&self, crates: std::ops::Range<usize>) -> Part {
        let mut first_user = vec![0];
        let mut users = Vec::new();
        for of_one in &self.users[crates.clone()] {
            users.extend(of_one);
            first_user.push(users.len());
        }
        Part { first_user, users, needs: self.needs[crates].iter().map(Vec::len).collect() }
    }

    /// The ranks, computed by one process: every crate pushes its shares to its dependencies.
    fn serial_ranks(&self) -> Vec<f64> {
        let crates = self.crates() as f64;
        let mut ranks = vec![1.0 / crates; self.crates()];
        for _ in 0..MOST_ITERATIONS {
            let mut new = vec![0.0; self.crates()];
            let mut unspent = 0.0;
            for (needs, rank) in self.needs.iter().zip(&ranks) {
                if needs.is_empty() {
                    unspent += rank;
                }
                for &need in needs {
                    new[need] += rank / needs.len() as f64;
                }
            }
            for rank in &mut new {
                *rank = (1.0 - DAMPING + DAMPING * unspent) / crates + DAMPING * *rank;
            }
            let change: f64 = new.iter().zip(&ranks).map(|(new, old)| (new - old).abs()).sum();
            ranks = new;
            if change < TOLERANCE {
                break;
            }
        }
        ranks
    }
}

// The file ---------------------------------------------------------------------------------------------------

/// A graph, the file that it came from, and the names of its crates.
struct Input {
    path: PathBuf,
    graph: Graph,
    names: Vec<String>,
}

/// The file to read: the argument, else this project's `Cargo.lock`, else the one in the working
/// directory.
fn lock_file() -> Result<PathBuf, Failure> {
    let mut arguments = std::env::args_os().skip(1);
    match (arguments.next(), arguments.next()) {
        (Some(path), None) => return Ok(PathBuf::from(path)),
        (Some(_), Some(_)) => {
            return Err(Failure::new("pagerank takes one argument at most: the path of a Cargo.lock"));
        }
        (None, _) => {}
    }
    // The program may run on another machine than it was built on, without the project.
    let here = PathBuf::from("Cargo.lock");
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(|project| project.join(&here));
    match project.filter(|path| path.exists()) {
        // Relative if possible, which is easier to read.
        Some(path) => {
            let working = std::env::current_dir().unwrap_or_default();
            Ok(path.strip_prefix(working).map(Path::to_path_buf).unwrap_or(path))
        }
        None => Ok(here),
    }
}

/// The mistake in a file, and its line, if it is in one line.
struct Damage {
    at: Option<usize>,
    what: String,
}

impl Damage {
    fn new(what: impl Into<String>) -> Damage {
        Damage { at: None, what: what.into() }
    }

    /// Damage at a byte of the text.
    fn at(byte: usize, what: impl Into<String>) -> Damage {
        Damage { at: Some(byte), what: what.into() }
    }
}

impl Input {
    fn read(path: &Path) -> Result<Input, Failure> {
        let bytes = fs::read(path)
            .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
        let text = str::from_utf8(&bytes).map_err(|error| {
            let byte = error.valid_up_to();
            Failure::new(format!("{} is not a Cargo.lock: it is not text (at byte {byte})", path.display()))
        })?;
        let (graph, names) = parse(text).map_err(|Damage { at, what }| {
            let line =
                at.map(|byte| format!(":{}", 1 + text.bytes().take(byte).filter(|b| *b == b'\n').count()));
            Failure::new(format!("{}{}: {what}", path.display(), line.unwrap_or_default()))
        })?;
        Ok(Input { path: path.to_path_buf(), graph, names })
    }
}

/// A `[[package]]`.
struct Package<'a> {
    name: &'a str,
    version: &'a str,
    /// Empty for a package of the project itself.
    source: &'a str,
    /// Its place in the text.
    at: usize,
}

impl fmt::Display for Package<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// The graph in a `Cargo.lock`, and the names of its crates with their versions.
fn parse(text: &str) -> Result<(Graph, Vec<String>), Damage> {
    let document = toml_span::parse(text)
        .map_err(|error| Damage::at(error.span.start, format!("this is not TOML: {error}")))?;
    let none = || Damage::new("this is not a Cargo.lock, or an empty one: there is no [[package]] in it");
    let entries = document.pointer("/package").ok_or_else(none)?;
    let no_list = || {
        let what =
            "`package` is not a list of [[package]] tables: is this a Cargo.toml, in place of a Cargo.lock?";
        Damage::at(entries.span.start, what)
    };
    let entries = entries.as_array().ok_or_else(no_list)?;
    if entries.is_empty() {
        return Err(none());
    }

    let mut packages = Vec::with_capacity(entries.len());
    let mut wanted = Vec::with_capacity(entries.len());
    for entry in entries.iter() {
        let (package, needs) = package(entry)?;
        packages.push(package);
        wanted.push(needs);
    }

    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut seen = HashSet::new();
    for (index, package) in packages.iter().enumerate() {
        if !seen.insert((package.name, package.version, package.source)) {
            return Err(Damage::at(package.at, format!("the package `{package}` is in the file twice")));
        }
        by_name.entry(package.name).or_default().push(index);
    }

    let mut needs = Vec::with_capacity(packages.len());
    for (package, wanted) in packages.iter().zip(wanted) {
        let found = wanted.iter().map(|(at, written)| {
            resolve(written, &packages, &by_name)
                .map_err(|why| Damage::at(*at, format!("`{package}` depends on `{written}`, {why}")))
        });
        needs.push(found.collect::<Result<Vec<usize>, Damage>>()?);
    }
    Ok((Graph::new(needs), packages.iter().map(Package::to_string).collect()))
}

/// The dependencies of a package, as written, each with its place in the text.
type Wanted<'a> = Vec<(usize, &'a str)>;

/// Reads a `[[package]]`.
fn package<'a>(entry: &'a toml_span::Value<'_>) -> Result<(Package<'a>, Wanted<'a>), Damage> {
    let at = entry.span.start;
    let table =
        entry.as_table().ok_or_else(|| Damage::at(at, "an entry of `package` is not a [[package]] table"))?;
    let text = |key: &str| match table.get(key) {
        None => Ok(None),
        Some(value) => match value.as_str() {
            Some(text) => Ok(Some(text)),
            None => Err(Damage::at(value.span.start, format!("the {key} of a package is not a string"))),
        },
    };
    let missing = |key: &str| Damage::at(at, format!("a package has no {key}"));
    let name = text("name")?.ok_or_else(|| missing("name"))?;
    let version = text("version")?.ok_or_else(|| missing("version"))?;
    let source = text("source")?.unwrap_or_default();

    let mut wanted = Wanted::new();
    if let Some(list) = table.get("dependencies") {
        let not_strings =
            |at| Damage::at(at, format!("the dependencies of `{name}` are not a list of strings"));
        for item in list.as_array().ok_or_else(|| not_strings(list.span.start))?.iter() {
            let written = item.as_str().ok_or_else(|| not_strings(item.span.start))?;
            wanted.push((item.span.start, written));
        }
    }
    Ok((Package { name, version, source, at }, wanted))
}

/// The package that a dependency names: `name`, `name version` or `name version (source)`, as much
/// of it as is necessary to identify the package.
fn resolve(
    written: &str,
    packages: &[Package<'_>],
    by_name: &HashMap<&str, Vec<usize>>,
) -> Result<usize, &'static str> {
    let mut words = written.split_whitespace();
    let name = words.next().unwrap_or_default();
    let version = words.next();
    let source = words.next().map(|word| word.trim_start_matches('(').trim_end_matches(')'));
    let fits = |index: &usize| {
        let package = &packages[*index];
        version.is_none_or(|version| package.version == version)
            && source.is_none_or(|source| package.source == source)
    };
    let mut fitting = by_name.get(name).into_iter().flatten().copied().filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(index), None) => Ok(index),
        (None, _) => Err("which is not in the file"),
        (Some(_), Some(_)) => Err("and there is more than one package that this can mean"),
    }
}
