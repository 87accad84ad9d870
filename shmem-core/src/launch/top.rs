//! The answer to `top`: what each PE does and has done so far, as one line of JSON.
//!
//! It is asked again and again, so nothing here disturbs a PE: there are no backtraces.

use std::time::Duration;

use super::table::Row;
use super::view::Does;
use crate::system::json;
use crate::transport::node::traffic::Transferred;

/// What is known of one PE.
pub(super) struct Sample {
    pub(super) does: Does,
    pub(super) row: Row,
    /// The PEs that it waits for, as far as they are known.
    pub(super) awaited: Vec<usize>,
    /// How long it has used a processor; `None` where the system does not say.
    pub(super) processor: Option<Duration>,
    /// What it has moved; `None` in a run that does not count.
    pub(super) moved: Option<Transferred>,
}

/// The line, of a job of this name that has run for so long.
pub(super) fn line(name: &str, ran: Duration, samples: &[Sample]) -> String {
    let pes: Vec<String> = samples.iter().enumerate().map(|(pe, sample)| object(pe, sample)).collect();
    format!(
        "{{\"name\":{},\"pid\":{},\"seconds\":{},\"pes\":[{}]}}\n",
        json::string(name),
        std::process::id(),
        seconds(ran),
        pes.join(",")
    )
}

/// One PE.
fn object(pe: usize, sample: &Sample) -> String {
    let Sample { does, row, awaited, processor, moved } = sample;
    let or_null = |text: Option<String>| text.unwrap_or_else(|| "null".to_owned());
    let awaited: Vec<String> = awaited.iter().map(usize::to_string).collect();
    let since = row.lasts.map(|nanos| seconds(Duration::from_nanos(nanos)));
    let place = (!row.place.is_empty()).then(|| json::string(&row.place));
    format!(
        "{{\"pe\":{pe},\"does\":{},\"what\":{},\"since\":{},\"place\":{},\"awaits\":[{}],\"processor\":{},\"calls\":{},\"bytes\":{}}}",
        json::string(does.word()),
        json::string(&row.what),
        or_null(since),
        or_null(place),
        awaited.join(","),
        or_null(processor.map(seconds)),
        or_null(moved.map(|moved| moved.calls.to_string())),
        or_null(moved.map(|moved| moved.bytes.to_string())),
    )
}

/// A time in seconds, to the millisecond.
fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_null() {
        let waits = Sample {
            does: Does::Waits,
            row: Row {
                what: "waits for \"X\"".to_owned(),
                lasts: Some(1_500_000_000),
                place: "src/main.rs:3".to_owned(),
                ..Row::default()
            },
            awaited: vec![1, 2],
            processor: Some(Duration::from_millis(250)),
            moved: Some(Transferred { calls: 3, bytes: 24 }),
        };
        let computes = Sample {
            does: Does::Computes,
            row: Row { what: "computes".to_owned(), ..Row::default() },
            awaited: Vec::new(),
            processor: None,
            moved: None,
        };
        let pid = std::process::id();
        let expected = format!(
            "{{\"name\":\"heat\",\"pid\":{pid},\"seconds\":2.000,\"pes\":[\
             {{\"pe\":0,\"does\":\"waits\",\"what\":\"waits for \\\"X\\\"\",\"since\":1.500,\"place\":\"src/main.rs:3\",\"awaits\":[1,2],\
             \"processor\":0.250,\"calls\":3,\"bytes\":24}},\
             {{\"pe\":1,\"does\":\"computes\",\"what\":\"computes\",\"since\":null,\"place\":null,\"awaits\":[],\"processor\":null,\
             \"calls\":null,\"bytes\":null}}]}}\n"
        );
        assert_eq!(line("heat", Duration::from_secs(2), &[waits, computes]), expected);
    }
}
