//! What the supervisor answers to `top`, and the rates between two answers.

use serde::Deserialize;

/// An answer.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Sample {
    pub(super) name: String,
    /// How long the job has run.
    pub(super) seconds: f64,
    pub(super) pes: Vec<Pe>,
}

/// One PE.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Pe {
    pub(super) pe: usize,
    pub(super) does: Does,
    /// In words.
    pub(super) what: String,
    /// Since how many seconds.
    pub(super) since: Option<f64>,
    /// The line of the program.
    pub(super) place: Option<String>,
    /// The PEs that it waits for.
    pub(super) awaits: Vec<usize>,
    /// How many seconds it has used a processor.
    pub(super) processor: Option<f64>,
    /// What it has moved, if the job counts that.
    pub(super) calls: Option<u64>,
    pub(super) bytes: Option<u64>,
}

/// What a PE does, in one word.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Does {
    Computes,
    Waits,
    /// Outside of the library.
    Sleeps,
    Stopped,
    /// It has not begun, or has come to its end.
    #[serde(other)]
    Other,
}

/// What a PE did between two answers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rates {
    /// The part of the time that it used a processor: more than 1 with several threads.
    pub(super) processor: Option<f64>,
    pub(super) calls: Option<f64>,
    pub(super) bytes: Option<f64>,
}

/// By what the PEs are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Pe,
    Wait,
    Processor,
    Bytes,
}

impl Order {
    /// The order that a key chooses.
    pub(super) fn of_key(key: char) -> Option<Order> {
        match key {
            'p' => Some(Order::Pe),
            'w' => Some(Order::Wait),
            'c' => Some(Order::Processor),
            'b' => Some(Order::Bytes),
            _ => None,
        }
    }
}

impl Sample {
    /// Reads an answer.
    pub(super) fn parse(answer: &str) -> Result<Sample, String> {
        // An older library answers with a sentence.
        serde_json::from_str(answer).map_err(|_| answer.trim().to_owned())
    }

    /// Whether the job counts calls and bytes.
    pub(super) fn counts(&self) -> bool {
        self.pes.iter().any(|pe| pe.calls.is_some())
    }

    /// The rates of each PE since the answer `before`, or since the job began.
    pub(super) fn rates(&self, before: Option<&Sample>) -> Vec<Rates> {
        let seconds = self.seconds - before.map_or(0.0, |before| before.seconds);
        let rate = |now: Option<f64>, then: Option<f64>| {
            let difference = now? - then.unwrap_or(0.0);
            (seconds > 0.0).then(|| (difference / seconds).max(0.0))
        };
        let count = |count: Option<u64>| count.map(|count| count as f64);
        let rates = |pe: &Pe| {
            let then = before.and_then(|before| before.pes.get(pe.pe));
            Rates {
                processor: rate(pe.processor, then.and_then(|then| then.processor)),
                calls: rate(count(pe.calls), then.and_then(|then| count(then.calls))),
                bytes: rate(count(pe.bytes), then.and_then(|then| count(then.bytes))),
            }
        };
        self.pes.iter().map(rates).collect()
    }

    /// The PEs with their rates, sorted.
    pub(super) fn sorted(&self, before: Option<&Sample>, order: Order) -> Vec<(&Pe, Rates)> {
        let mut sorted: Vec<_> = self.pes.iter().zip(self.rates(before)).collect();
        // The largest first; PEs with the same keep their order.
        let key = |(pe, rates): &(&Pe, Rates)| match order {
            Order::Pe => -(pe.pe as f64),
            Order::Wait if pe.does == Does::Waits => pe.since.unwrap_or(0.0),
            Order::Wait => -1.0,
            Order::Processor => rates.processor.unwrap_or(0.0),
            Order::Bytes => rates.bytes.unwrap_or(0.0),
        };
        sorted.sort_by(|a, b| key(b).total_cmp(&key(a)));
        sorted
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A job in which PE 1 waits for PE 0.
    pub(in crate::top) fn sample(seconds: f64, processor: f64, moved: Option<u64>) -> Sample {
        let or_null = |moved: Option<u64>| moved.map_or("null".to_owned(), |moved| moved.to_string());
        let (calls, bytes) = (or_null(moved), or_null(moved.map(|moved| moved << 20)));
        Sample::parse(&format!(
            "{{\"name\":\"heat\",\"pid\":7,\"seconds\":{seconds},\"pes\":[\
             {{\"pe\":0,\"does\":\"computes\",\"what\":\"computes\",\"since\":null,\"place\":null,\"awaits\":[],\
             \"processor\":{processor},\"calls\":{calls},\"bytes\":{bytes}}},\
             {{\"pe\":1,\"does\":\"waits\",\"what\":\"in barrier_all\",\"since\":3.25,\"place\":\"src/main.rs:58\",\"awaits\":[0],\
             \"processor\":0.5,\"calls\":{calls},\"bytes\":{bytes}}}]}}\n"
        ))
        .unwrap()
    }

    #[test]
    fn rates_are_those_between_two_answers() {
        let (before, now) = (sample(10.0, 8.0, Some(100)), sample(12.0, 10.0, Some(110)));
        let rates = now.rates(Some(&before));
        let expected =
            |processor| Rates { processor: Some(processor), calls: Some(5.0), bytes: Some(5.0 * 1048576.0) };
        assert_eq!(rates, [expected(1.0), expected(0.0)]);
        // Since the job began.
        assert_eq!(before.rates(None)[0].calls, Some(10.0));
        // A job that does not count.
        assert_eq!(sample(1.0, 0.0, None).rates(None)[0].bytes, None);
        // Twice the same answer.
        assert_eq!(now.rates(Some(&now))[0], Rates::default());
    }

    #[test]
    fn orders() {
        let now = sample(12.0, 10.0, None);
        let first = |order| now.sorted(None, order)[0].0.pe;
        assert_eq!((first(Order::Pe), first(Order::Wait), first(Order::Processor)), (0, 1, 0));
    }

    #[test]
    fn an_answer_of_another_version() {
        assert_eq!(Sample::parse("unknown: \"top\"\n").unwrap_err(), "unknown: \"top\"");
        let newer = sample(1.0, 0.0, None).pes[0].does;
        assert_eq!(newer, Does::Computes);
        let text = "{\"name\":\"a\",\"seconds\":1,\"pes\":[{\"pe\":0,\"does\":\"dreams\",\"what\":\"dreams\",\"awaits\":[],\"more\":1}]}";
        assert_eq!(Sample::parse(text).unwrap().pes[0].does, Does::Other);
    }
}
