//! The book as a reader sees it: built by mdbook, and opened in a browser.
//!
//! On every page, on a desktop and on a phone: nothing is wider than the screen, every picture is
//! shown, its text can be read in all themes, and every link into the book leads to a page and a
//! heading that there are. And the search finds what a reader looks for: the names of C's routines
//! and of this crate's methods, and what the compiler says. `check.js` looks; this file builds the
//! book, starts the browser, and reads the findings.
//!
//! The book stays in `target/book`, for those who want to read it.
//!
//! Where mdbook or Chromium is not installed the test is ignored, and a notice says so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

/// What a reader types, and the page that must be among the results.
const SEARCHES: [(&str, &str); 29] = [
    ("shmem_double_put", "c-names.html"),
    ("shmem_long_atomic_fetch_add", "c-names.html"),
    ("shmem_ctx_put128_signal_nbi", "c-names.html"),
    ("shmem_complexd_prod_reduce", "c-names.html"),
    ("split_strided", "names.html"),
    ("barrier_all", "names.html"),
    ("array_from_fn", "names.html"),
    ("wait_until_any", "names.html"),
    ("fetch_xor", "names.html"),
    ("MPI_Put", "from-mpi.html"),
    ("MPI_Fetch_and_op", "from-mpi.html"),
    ("shmem_team_split_strided", "routines.html"),
    ("shmem_init", "routines.html"),
    ("fetch_add", "atomics.html"),
    ("compare_exchange", "atomics.html"),
    ("put_signal", "waiting.html"),
    ("local_phase", "phases.html"),
    ("shmem_long_p", "c-names.html"),
    // What the compiler says, and what a job says that fails.
    ("must be the outermost type", "messages.html"),
    ("keeps its elements in this PE's own memory", "messages.html"),
    ("is not an argument of #[symmetric]", "messages.html"),
    ("overwrites its destination and has no +=", "messages.html"),
    ("makes a cell: write Atomic::new", "messages.html"),
    ("passes the world by shared reference", "messages.html"),
    ("goes on a static, not on this", "messages.html"),
    ("race on", "memory-model.html"),
    ("could not join the job", "exits.html"),
    ("HeapExhausted", "exits.html"),
    ("SHMEM_TRACE_SLICES", "variables.html"),
];

/// Names of the browser: of Debian's package, and of others.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let browser = BROWSERS.into_iter().find(|name| answers(name));
    let missing = match browser {
        _ if !answers("mdbook") => {
            Some("mdbook is not installed (cargo install mdbook --locked)")
        }
        None => {
            Some("Chromium is not installed (Debian's package is chromium)")
        }
        Some(_) => None,
    };
    if let (Some(missing), false) = (missing, arguments.list) {
        eprintln!(
            "\nNOT TESTED: the pages of the book in a browser, as {missing}\n"
        );
    }
    let trial =
        Trial::test("pages_fit_links_lead_and_searches_find", move || {
            let html = build()?;
            let findings = look(browser.unwrap_or_default(), &html)?;
            match findings.lines().last() {
                Some(last)
                    if last.starts_with("checked ")
                        && findings.lines().count() == 1 =>
                {
                    Ok(())
                }
                _ => Err(Failed::from(format!(
                    "the pages are not as they should be:\n{findings}"
                ))),
            }
        });
    libtest_mimic::run(
        &arguments,
        vec![trial.with_ignored_flag(missing.is_some())],
    )
    .exit_code()
}

/// Whether a program is there and says which version it is.
fn answers(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

/// Builds the book, and returns its folder.
fn build() -> Result<PathBuf, Failed> {
    let html = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("book");
    let built = Command::new("mdbook")
        .arg("build")
        .arg(env!("CARGO_MANIFEST_DIR"))
        .arg("--dest-dir")
        .arg(&html)
        .output()?;
    let said = String::from_utf8_lossy(&built.stderr);
    if !built.status.success()
        || said.contains("ERROR")
        || said.contains("WARN")
    {
        return Err(Failed::from(format!("mdbook is not content:\n{said}")));
    }
    Ok(html)
}

/// Opens all pages in the browser, and returns its findings.
fn look(browser: &str, html: &Path) -> Result<String, Failed> {
    let mut files = Vec::new();
    list(html, html, &mut files)?;
    files.sort();
    // The whole book on one page, and the list of chapters that other pages show in a frame: no
    // pages of their own.
    let apart = ["print.html", "toc.html", "404.html", "check.html"];
    let pages: Vec<&String> = files
        .iter()
        .filter(|file| {
            file.ends_with(".html") && !apart.contains(&file.as_str())
        })
        .collect();
    let check = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>checking</title><body><script>\n\
         const PAGES = {pages:?}; const FILES = {files:?};\n\
         const SEARCHES = {:?};\n{}</script>",
        SEARCHES.map(|(words, page)| [words, page]),
        include_str!("check.js")
    );
    let at = html.join("check.html");
    fs::write(&at, check)?;

    let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    // The pages are local and its own: the sandbox, which root does not get, has nothing to keep
    // out.
    let mut browser = Command::new(browser);
    browser
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-dev-shm-usage",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .args(["--allow-file-access-from-files", "--window-size=1400,1000"])
        // Time in the pages stands still while something is loaded: a busy machine does not run
        // into it.
        .args(["--virtual-time-budget=600000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", at.display()));
    let seen = browser.output()?;
    // It is no page of the book.
    fs::remove_file(&at)?;
    let page = String::from_utf8_lossy(&seen.stdout);
    let findings = page
        .split_once("<pre id=\"findings\">")
        .and_then(|(_, rest)| rest.split_once("</pre>"));
    match findings {
        Some((findings, _)) => Ok(findings
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&")),
        None => Err(Failed::from(format!(
            "the browser did not get to the end:\n{page}{seen:?}"
        ))),
    }
}

/// All files below a folder, as paths from `root` with slashes.
fn list(
    root: &Path,
    folder: &Path,
    files: &mut Vec<String>,
) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(root, &path, files)?;
        } else if let Ok(inside) = path.strip_prefix(root) {
            files.push(inside.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(())
}
