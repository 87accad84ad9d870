//! `scripts/links`, which fetches the external links, with a server on this machine.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// Answers one request. `/good` refuses `HEAD`, as some servers do.
fn answer(stream: TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(&stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let status = match request.split(' ').collect::<Vec<_>>().as_slice() {
        ["HEAD", "/good", _] => "405 Method Not Allowed",
        [_, "/" | "/good" | "/new", _] => "200 OK",
        [_, "/moved", _] => "301 Moved Permanently\r\nLocation: /new",
        [_, "/closed", _] => "403 Forbidden",
        _ => "404 Not Found",
    };
    let end = "Content-Length: 0\r\nConnection: close\r\n\r\n";
    (&stream).write_all(format!("HTTP/1.1 {status}\r\n{end}").as_bytes())
}

/// The command on a folder with these pages; whether it ended well, and what it printed.
fn look(name: &str, pages: &[(&str, &str)], probe: &str) -> (bool, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    for (page, text) in pages {
        let page = folder.join(page);
        fs::create_dir_all(page.parent().unwrap_or(&folder))
            .and_then(|()| fs::write(page, text))
            .expect("the folder can be written to");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/links");
    let ended = Command::new(script)
        .arg(folder)
        .env("LINKS_PROBE", probe)
        .env("no_proxy", "*")
        .output()
        .expect("there is a shell");
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    (ended.status.success(), said + &String::from_utf8_lossy(&ended.stderr))
}

#[test]
fn external_links_are_fetched() {
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("NOT TESTED: scripts/links, as there is no curl");
        return;
    }
    let server = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let at =
        format!("http://{}", server.local_addr().expect("it has an address"));
    thread::spawn(move || {
        for stream in server.incoming().flatten() {
            thread::spawn(|| answer(stream));
        }
    });
    let page = format!(
        "[a]({at}/good#part), <{at}/closed>, [b]: {at}/moved.\n\
         https://example.com/never http://localhost:1/never\n"
    );
    let code = format!(
        "/// At {at}/good, or `{at}/gone`.\nconst OTHER: &str = \"{at}/never\";\n"
    );
    let pages = [("page.md", page.as_str()), ("src/lib.rs", &code)];
    let (is_right, said) = look("links", &pages, &at);
    let shown = format!(
        "external links: 4\n\
         \x20 unreached: {at}/closed  (the server answers 403)  in page.md \n\
         \x20 dead: {at}/gone  (the server answers 404)  in src/lib.rs \n\
         \x20 moved: {at}/moved  ({at}/new)  in page.md \n\
         1 good, 1 moved, 1 not reached, 1 dead\n"
    );
    assert_eq!((is_right, said.as_str()), (false, shown.as_str()));
    let page = format!("<{at}/good>\n");
    let (is_right, said) = look("links-good", &[("page.md", &page)], &at);
    let shown = "external links: 1\n1 good, 0 moved, 0 not reached, 0 dead\n";
    assert_eq!((is_right, said.as_str()), (true, shown));
    // Port 1 has no server.
    let closed = "http://127.0.0.1:1/";
    let (is_right, said) = look("links-closed", &[("page.md", &page)], closed);
    let shown = format!(
        "external links: 1\n  not fetched: {at}/good  in page.md\n\
         NOT FETCHED, as there is no network: {closed} does not answer\n"
    );
    assert_eq!((is_right, said.as_str()), (true, shown.as_str()));
}
