//! `cargo shmem top`: what the PEs of a running job do, again and again.
//!
//! * `sample`: what the supervisor answers to `top`, and the rates between two answers;
//! * `draw`: the picture of it, for a terminal or as text.

mod draw;
#[cfg(test)]
mod picture;
mod sample;

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};

use self::draw::View;
use self::sample::{Order, Sample};
use crate::cli;
use crate::failure::{Done, Failure};
use crate::print::print;
use crate::running::{self, Job};

/// The time between two questions.
const PERIOD: Duration = Duration::from_secs(1);

/// Shows the job until it ends or the user leaves. If standard output is no terminal, prints it once.
pub(crate) fn run(which: &cli::Job) -> Done {
    let job = running::find(which)?;
    let first = ask(&job)?;
    if !io::stdout().is_terminal() {
        // The rates of one second, as on a terminal.
        std::thread::sleep(PERIOD);
        let view = View::new(ask(&job)?, Some(first));
        return print(&draw::text(&view));
    }
    let terminal = ratatui::try_init().map_err(Failure::system("cannot draw on this terminal"))?;
    let shown = show(terminal, &job, first);
    ratatui::restore();
    if shown? == End::OfJob {
        eprintln!("the job has ended");
    }
    Ok(())
}

/// Asks the supervisor.
fn ask(job: &Job) -> Result<Sample, Failure> {
    let answer = job.ask("top")?;
    Sample::parse(&answer).map_err(|error| {
        Failure::new(format!("the supervisor of the job does not know `top`: {error}"))
            .help("the job may run with another version of the library than this tool")
    })
}

/// Why nothing more is drawn.
#[derive(PartialEq, Eq)]
enum End {
    /// The user has left.
    OfUser,
    OfJob,
}

/// Whether a job that has not answered has ended. A process that ends closes its connections and its
/// socket one after the other, so the name may be there for a moment.
fn is_over(job: &Job) -> bool {
    (0..20).any(|_| {
        let is_gone = !job.is_there();
        if !is_gone {
            std::thread::sleep(Duration::from_millis(50));
        }
        is_gone
    })
}

/// Draws until the user leaves or the job ends.
fn show(mut terminal: DefaultTerminal, job: &Job, first: Sample) -> Result<End, Failure> {
    let drawing = || Failure::system("cannot draw on this terminal");
    let mut view = View::new(first, None);
    let mut next = Instant::now() + PERIOD;
    loop {
        terminal.draw(|frame| draw::draw(&view, frame.area(), frame.buffer_mut())).map_err(drawing())?;
        let patience = next.saturating_duration_since(Instant::now());
        if !event::poll(patience).map_err(drawing())? {
            match ask(job) {
                Ok(sample) => view.update(sample),
                Err(_) if is_over(job) => return Ok(End::OfJob),
                Err(failure) => return Err(failure),
            }
            next = Instant::now() + PERIOD;
            continue;
        }
        let Event::Key(key) = event::read().map_err(drawing())? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Ok(End::OfUser),
            KeyCode::Char('q') | KeyCode::Esc => return Ok(End::OfUser),
            KeyCode::Char(letter) => {
                if let Some(order) = Order::of_key(letter) {
                    view.order = order;
                }
            }
            KeyCode::Up => view.scroll(-1),
            KeyCode::Down => view.scroll(1),
            KeyCode::PageUp => view.scroll(-10),
            KeyCode::PageDown => view.scroll(10),
            _ => {}
        }
    }
}
