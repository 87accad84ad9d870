//! The page with errors and exit statuses: it has the reports and the statuses that the sources
//! have, and tests of the library fail with them. The table of errors is made from the enumeration.

use std::path::{Path, PathBuf};

use crate::{check_file, files, page, read};

/// Each report on the page, its status, and a test in which a job ends so: a file below
/// `shmem-core/tests` or another package, and a part of it.
const TESTED: [(&str, &str, &str, &str); 23] = [
    (
        "panicked at …",
        "101",
        "process/cases.rs",
        "(\"panic\", 101, \"panicked at ",
    ),
    (
        "panicked at … (and aborted)",
        "134",
        "process/cases.rs",
        "(\"double-panic\", 134, \"panicked at ",
    ),
    (
        "returned an error: …",
        "1",
        "process/cases.rs",
        "(\"error\", 1, \"returned an error: ",
    ),
    (
        "returned the exit status …",
        "that",
        "process/cases.rs",
        "assert_failed(7, \"shmem: PE 1 of 2 returned the exit status 7\")",
    ),
    (
        "ended the job with status …, by global_exit",
        "that",
        "cluster/cases.rs",
        "assert_failed(7, \"shmem: PE 1 of 3 ended the job with status 7, by global_exit\")",
    ),
    (
        "was killed by signal …",
        "128 + the signal",
        "process/cases.rs",
        "(\"segv\", 139, \"was killed by signal 11 ",
    ),
    (
        "exited with status … before its function had returned",
        "that",
        "process/cases.rs",
        "(\"exit-3\", 3, \"exited with status 3\")",
    ),
    (
        "was stopped: …",
        "1",
        "process/cases.rs",
        "\"shmem: PE 1 of {npes} was stopped: PE 1 waits at ",
    ),
    (
        "could not join the job: …",
        "1",
        "untyped/cases.rs",
        "\"could not join the job: another process has been PE \"",
    ),
    (
        "ended with status … before it joined the job",
        "that",
        "../../shmem-c/tests/programs.rs",
        "\"PE 1 of 2 ended with status 0 before it joined the job\"",
    ),
    (
        "ended with status … before it ran the test",
        "that",
        "../src/launch/report.rs",
        "fault(Some(\"a::b\"))",
    ),
    (
        "ended with status … after it had left a job",
        "that",
        "untyped/cases.rs",
        "assert_failed(1, \"shmem: PE 1 of 3 ended with status 0 after it had left a job, \")",
    ),
    (
        "ended with status …, although its function had returned success",
        "that",
        "../src/launch/report.rs",
        "exited(PeState::Finished, 3).fault(None).unwrap().what.contains(\"had returned success\")",
    ),
    (
        "race on …",
        "66",
        "races/library.rs",
        "ended.status.code() == Some(66) && ended.stderr.starts_with(\"shmem: race on HALO\")",
    ),
    (
        "… nobody has moved for … s (SHMEM_TIMEOUT)",
        "124",
        "process/stuck.rs",
        "Some(124)",
    ),
    (
        "… can never go on",
        "1",
        "../src/launch/stuck.rs",
        "\"PE 0, 1 wait for each other, and can never go on\"",
    ),
    (
        "… was ended from outside",
        "143",
        "../../cargo-shmem/tests/tool/jobs.rs",
        "Some(143) && report.contains(\" was ended from outside\\n\")",
    ),
    (
        "standard output of the job cannot be written: …",
        "1",
        "process/output.rs",
        "shmem: standard output of the job cannot be written: ",
    ),
    (
        "nobody reads standard output any more",
        "1",
        "process/output.rs",
        "nobody reads ",
    ),
    (
        "…=… is not understood: …",
        "1",
        "process/cases.rs",
        "assert_failed(1, &format!(\"shmem: {variable}={value:?} is not understood: \"))",
    ),
    (
        "cannot start PE …",
        "1",
        "untyped/cases.rs",
        "assert_failed(1, \"shmem: cannot start PE 0 of 2, ",
    ),
    (
        "this program was started … times",
        "1",
        "process/cases.rs",
        "assert_failed(1, \"shmem: this program was started 4 times ",
    ),
    (
        "cannot run the launcher …",
        "1",
        "cluster/cases.rs",
        "assert_failed(1, &format!(\"shmem: cannot run the launcher ",
    ),
];

fn core() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shmem-core")
}

/// The reports of the tables and their statuses, in order.
fn rows(page: &str) -> Vec<(String, String)> {
    let (tables, _) = page.split_once("## Tools").expect("the section");
    let lines = tables.lines().filter(|line| line.starts_with("| `"));
    let rows = lines.map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let report = cells[1].split('`').nth(1).unwrap_or_default();
        (report.to_owned(), cells[2].to_owned())
    });
    rows.collect()
}

#[test]
fn every_report_on_the_page_is_tested() {
    let rows = rows(&page("exits.md"));
    assert_eq!(rows.len(), TESTED.len() + 1, "{rows:?}");
    for ((report, status), (tested, expected, file, part)) in
        rows.iter().zip(TESTED)
    {
        assert_eq!(report, tested);
        let status = status.replace("that status", "that");
        let says = status.split(',').next().unwrap_or_default();
        assert_eq!(says, expected, "{report}");
        assert!(
            read(&core().join("tests").join(file)).contains(part),
            "{report}: {file} has no {part}"
        );
    }
    // Of a launcher's status there is a unit test.
    let (last, _) = &rows[TESTED.len()];
    let starter = read(&core().join("src/launch/starter.rs"));
    let of_7 = "text.starts_with(\"the job ended with status 7, and no PE recorded a reason\") && status == 7";
    assert_eq!(last, "the job ended with status …");
    assert!(starter.contains(of_7));
}

/// The texts of strings in a source, with `…` for what is filled in.
fn texts(source: &str) -> Vec<String> {
    let source = source.replace("{how}", "status …").replace("\\\n", " ");
    let texts = source.split('"').skip(1).step_by(2).map(|text| {
        let mut plain = String::new();
        let mut depth = 0;
        for letter in text.chars() {
            match letter {
                '{' => {
                    depth += 1;
                    plain.push('…');
                }
                '}' => depth -= 1,
                _ if depth == 0 => plain.push(letter),
                _ => {}
            }
        }
        plain.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    texts.collect()
}

#[test]
fn every_report_of_a_pe_is_on_the_page() {
    let source = read(&core().join("src/launch/report.rs"));
    let (_, source) = source.split_once("impl Evidence").expect("the source");
    let (source, _) =
        source.split_once("/// The report of a").expect("its end");
    let code: Vec<&str> =
        source.lines().filter(|line| !line.trim().starts_with("//")).collect();
    let rows = rows(&page("exits.md"));
    let texts = texts(&code.join("\n"));
    let whats: Vec<&String> = texts
        .iter()
        .filter(|text| text.contains(' ') && !text.starts_with("status"))
        .filter(|text| *text != "an unknown status")
        .collect();
    assert!(whats.len() > 10, "{texts:#?}");
    for what in whats {
        let is_shown = |(report, _): &(String, String)| {
            what.starts_with(report.trim_end_matches('…'))
        };
        assert!(rows.iter().any(is_shown), "{what:?} is not on the page");
    }
}

#[test]
fn every_status_is_on_the_page() {
    let rows = rows(&page("exits.md"));
    let mut found = 0;
    let mut see = |path: &Path| {
        let text = read(path);
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in text.lines().filter(|line| line.contains("const ")) {
            let Some((_, value)) = line.split_once(": u8 = ") else { continue };
            let status = value.trim_end_matches(';');
            assert!(
                rows.iter().any(|(_, shown)| shown == status),
                "{}: status {status} is not on the page",
                path.display()
            );
            found += 1;
        }
    };
    see(&core().join("src/system/process.rs"));
    for path in files("../shmem-core/src/launch", "rs") {
        see(&path);
    }
    assert!(found >= 4, "only {found} statuses");
}

/// A row for each variant of an enumeration of errors: its name as it is `shown`, its documentation,
/// and its message.
fn errors(file: &str, shown: impl Fn(&str) -> String) -> String {
    let source = read(&core().join(file));
    let (_, body) = source.split_once("pub enum Error {\n").expect("the enum");
    let (body, _) = body.split_once("\n}\n").expect("its end");
    let (mut docs, mut message) = (String::new(), String::new());
    let mut in_message = false;
    let mut rows = String::new();
    for line in body.lines().filter_map(|line| line.strip_prefix("    ")) {
        if in_message || line.starts_with("#[error(") {
            message += &format!("{line}\n");
            in_message = !line.ends_with(")]");
        } else if let Some(text) = line.strip_prefix("/// ") {
            docs += &format!("{text} ");
        } else if line.starts_with(|first: char| first.is_ascii_uppercase()) {
            let name = line.split([' ', '(']).next().unwrap_or_default();
            let told = match texts(&message).concat().as_str() {
                "" | "…" => "a sentence for the case".to_owned(),
                told => format!("`{}`", told.replace('`', "")),
            };
            let docs_of_it = docs.trim_end_matches(['.', ' ']);
            rows += &format!("| `{}` | {docs_of_it} | {told} |\n", shown(name));
            (docs, message) = (String::new(), String::new());
        }
    }
    rows
}

#[test]
fn the_page_has_every_error() {
    let own = errors("src/system/error.rs", str::to_owned);
    let gpu =
        errors("../shmem-gpu/src/error.rs", |name| format!("Gpu({name})"));
    assert!(own.lines().count() > 10 && gpu.lines().count() > 5, "{own}{gpu}");
    let made = format!(
        "<!-- Made by book/tests/book/exits.rs: BOOK=overwrite cargo test -p book exits -->\n\n\
         <!-- ANCHOR: table -->\n| error | what is wrong | message |\n|---|---|---|\n{own}{gpu}\
         <!-- ANCHOR_END: table -->\n"
    );
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("src/figures/errors.md");
    check_file(&path, &made, "exits");
}
