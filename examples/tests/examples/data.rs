//! The examples that compute with data: `kmeans`, `triangles` and `words`.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use crate::{counts, everywhere, pes, run, scratch};

// kmeans -----------------------------------------------------------------------------------------------------

#[test]
fn kmeans_finds_the_clusters_of_a_serial_run() {
    everywhere("kmeans", |npes, out| {
        let points = format!("{} points on {} in ", 5_000 * npes, pes(npes));
        assert!(out.contains(&points) && out.contains(": the same clusters as serially\n"), "{out}");
        let clusters = out.lines().filter(|line| line.contains(" points around "));
        let sizes =
            clusters.map(|line| line.split_whitespace().next().and_then(|word| word.parse::<usize>().ok()));
        assert_eq!(sizes.sum::<Option<usize>>(), Some(5_000 * npes), "{out}");
    });
}

#[test]
fn kmeans_of_fewer_points_than_clusters() {
    let out = run("kmeans", 3, &[], &["1", "5"].map(OsStr::new)).ok();
    assert!(out.contains("3 points on 3 PEs in ") && out.matches(" points around ").count() == 5, "{out}");
    let report = run("kmeans", 2, &[], &["0"].map(OsStr::new)).failed();
    assert!(report.contains(r#": points is a number above 0, not "0""#), "{report}");
}

// triangles --------------------------------------------------------------------------------------------------

/// Writes a graph and counts its triangles.
fn triangles_of(name: &str, npes: usize, text: &str) -> (PathBuf, crate::Ran) {
    let path = scratch(&format!("{name}.mtx"));
    fs::write(&path, text).expect("the target directory can be written to");
    let ran = run("triangles", npes, &[], &[path.as_os_str()]);
    (path, ran)
}

#[test]
fn triangles_of_the_karate_club() {
    everywhere("triangles", |npes, out| {
        let expected =
            format!("karate: 34 vertices, 78 edges\n45 triangles on {}: as many as serially\n", pes(npes));
        assert!(out.starts_with(&expected), "{out}");
    });
}

#[test]
fn triangles_of_graphs_that_are_known() {
    let head = "%%MatrixMarket matrix coordinate pattern general\n";
    for &npes in counts() {
        // Each vertex with each, in both directions and with loops: n (n - 1) (n - 2) / 6.
        let n = 9;
        let all = (1..=n).flat_map(|i| (1..=n).map(move |j| format!("{i} {j}\n")));
        let text = format!("{head}{n} {n} {}\n{}", n * n, all.collect::<String>());
        let out = triangles_of(&format!("complete-{npes}"), npes, &text).1.ok();
        assert!(out.contains("9 vertices, 36 edges\n84 triangles on "), "{out}");
        // A vertex that is joined to nothing, and nothing to be joined.
        let out = triangles_of(&format!("alone-{npes}"), npes, &format!("{head}1 1 0\n")).1.ok();
        assert!(out.contains("1 vertex, 0 edges\n0 triangles on "), "{out}");
    }
}

#[test]
fn triangles_refuses_what_is_no_graph() {
    for (name, text, why) in [
        ("empty", "", ":1: a Matrix Market file begins with %%MatrixMarket matrix coordinate"),
        ("dense", "%%MatrixMarket matrix array real general\n", ":1: the matrix is dense"),
        (
            "cut",
            "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n",
            ":2: 2 entries are announced",
        ),
    ] {
        let (path, ran) = triangles_of(name, 3, text);
        let report = ran.failed();
        assert!(report.contains(&format!("{}{why}", path.display())), "{report}");
    }
    let missing = scratch("no such graph.mtx");
    let report = run("triangles", 2, &[], &[missing.as_os_str()]).failed();
    assert!(report.contains(&format!(": cannot read {}: No such file", missing.display())), "{report}");
}

// words ------------------------------------------------------------------------------------------------------

#[test]
fn words_of_the_examples_are_the_same_on_any_number_of_pes() {
    let first = std::cell::OnceCell::new();
    everywhere("words", |npes, out| {
        assert!(
            out.contains(&format!(" on {}, ", pes(npes))) && out.contains(": the same as serially\n"),
            "{out}"
        );
        let table: Vec<String> = out.lines().take(10).map(str::to_owned).collect();
        assert_eq!(*first.get_or_init(|| table.clone()), table);
    });
}

#[test]
fn words_of_a_folder() {
    let folder = scratch("words");
    fs::create_dir_all(folder.join("deeper")).expect("the target directory can be written to");
    for (name, text) in [("a", "The cat, the DOG"), ("deeper/b", "Größe größe\u{fffd}the\n"), ("empty", "")]
    {
        fs::write(folder.join(name), text).expect("the folder can be written to");
    }
    fs::write(folder.join("bytes"), b"cat\xff\xfecat").expect("the folder can be written to");
    for &npes in counts() {
        let out = run("words", npes, &[], &[folder.as_os_str()]).ok();
        let expected = ["       3 cat", "       3 the", "       2 größe", "       1 dog"];
        assert_eq!(out.lines().take(4).collect::<Vec<_>>(), expected);
        assert!(out.contains(&format!("9 words in 4 files on {}, 4 of them different", pes(npes))), "{out}");
    }
    let report = run("words", 2, &[], &[scratch("no such folder").as_os_str()]).failed();
    assert!(report.contains(": cannot list ") && report.contains("No such file"), "{report}");
}
