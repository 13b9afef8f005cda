//! Many photos at once: in parallel, in input order, in bounded memory, and none able to stop the others.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ops::ControlFlow,
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::{
        Arc, Once,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use crate::{
    capture::{self, CaptureError, Picture},
    params::Params,
    pipeline,
    reading::Reading,
};

/// Results that may wait for an earlier, slower photo, for each job. One slow photo among quick ones thus stalls nobody,
/// and a folder of any size needs no more memory than this.
const WAITING_PER_JOB: usize = 16;

/// More threads than this only get in each other's way.
const MOST_JOBS: usize = 256;

/// A reading with the picture it was made from.
pub struct ReadPhoto {
    /// The upright picture; `None` when it could not be decoded.
    pub picture: Option<Picture>,
    /// What was read.
    pub reading: Reading,
}

/// The reading of the photo at `path`; a file that is no picture gives an unreadable one. `-` is standard input.
pub fn read_photo(path: &Path, params: &Params) -> ReadPhoto {
    let start = Instant::now();
    let picture = match path.as_os_str() == "-" {
        true => capture::read(std::io::stdin().lock(), &params.capture),
        false => capture::load(path, &params.capture),
    };
    read_picture(path.display().to_string(), picture, start, params)
}

/// The reading of the photo whose file holds `bytes`; `photo` is what it is called.
pub fn read_bytes(photo: &str, bytes: &[u8], params: &Params) -> ReadPhoto {
    let start = Instant::now();
    read_picture(photo.to_owned(), capture::decode(bytes, &params.capture), start, params)
}

/// The reading of a picture whose decoding began at `start`.
fn read_picture(photo: String, picture: Result<Picture, CaptureError>, start: Instant, params: &Params) -> ReadPhoto {
    match picture {
        Ok(picture) => {
            let decode_ms = start.elapsed().as_secs_f64() * 1e3;
            let mut reading = pipeline::read(&picture, params);
            reading.photo = photo;
            reading.timings_ms.insert("decode".into(), decode_ms);
            ReadPhoto { picture: Some(picture), reading }
        }
        Err(error) => ReadPhoto { picture: None, reading: Reading::unreadable(photo, error.to_string(), error.advice()) },
    }
}

/// Why there is no result for an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The work panicked: its message and place in the source.
    Panic(String),
    /// The work took longer than this.
    TooSlow(Duration),
}

/// The reading of a photo of which there is none because of `failure`.
pub fn failed_reading(path: &Path, failure: &Failure) -> Reading {
    let (reason, advice) = match failure {
        Failure::Panic(message) => (
            format!("the program failed on this picture: {message}"),
            "this is a fault of the program: report it, with the photo",
        ),
        Failure::TooSlow(limit) => (
            format!("reading it took longer than {} s and was given up", limit.as_secs_f64()),
            "make the picture smaller (12 megapixels are plenty), or allow more time with --timeout",
        ),
    };
    Reading::unreadable(path.display().to_string(), reason, advice)
}

/// How a run goes.
#[derive(Clone, Debug)]
pub struct Options {
    /// Items worked at at a time.
    pub jobs: usize,
    /// Longest that one item may take; `None` for as long as it likes.
    pub limit: Option<Duration>,
    /// Set from outside to end the run: what was begun is finished, nothing more is begun.
    pub stop: Arc<AtomicBool>,
}

impl Options {
    /// `jobs` at a time, without other bounds.
    pub fn jobs(jobs: usize) -> Self {
        Self { jobs, limit: None, stop: Arc::default() }
    }
}

/// Why a run ended before its items did.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The system gives no threads.
    #[error("no threads can be had: {0}")]
    Threads(String),
    /// Work that took too long cannot be ended, only left alone, and goes on using a core and memory.
    #[error("{MOST_GIVEN_UP} pictures took longer than {} s each and still occupy the machine; give smaller pictures or more time", .limit.as_secs_f64())]
    TooManyGivenUp {
        /// The time that each had.
        limit: Duration,
    },
}

/// So many items that took too long may still be worked at behind the scenes before the run ends.
const MOST_GIVEN_UP: usize = 8;

/// How often it is looked whether the run is to end, at least.
const LOOK_UP: Duration = Duration::from_millis(200);

/// Hands `work`'s result for each of `items` to `sink`, in the order of `items`.
///
/// `sink` runs on the calling thread and may end the run early. Where `work` panics, or takes longer than the limit, the
/// result is `failed`'s. A thread cannot be ended from outside, so work given up goes on unseen until it ends by itself or
/// the program does; its result is thrown away.
pub fn run<I, T>(
    items: &Arc<Vec<I>>,
    options: &Options,
    work: impl Fn(usize, &I) -> T + Send + Sync + 'static,
    failed: impl Fn(&I, &Failure) -> T,
    mut sink: impl FnMut(usize, T) -> ControlFlow<()>,
) -> Result<(), BatchError>
where
    I: Send + Sync + 'static,
    T: Send + 'static,
{
    // One picture per thread leaves no core idle; threads of OpenCV's own on top only get in the way. The only way this
    // can fail is an OpenCV built without threads.
    let _ = opencv::core::set_num_threads(1);
    let jobs = options.jobs.clamp(1, MOST_JOBS.min(items.len().max(1)));
    let pool = rayon::ThreadPoolBuilder::new()
        // Work given up keeps its thread.
        .num_threads(jobs + MOST_GIVEN_UP)
        .thread_name(|n| format!("photo-{n}"))
        .build()
        .map_err(|error| BatchError::Threads(error.to_string()))?;
    let work = Arc::new(work);
    let (sender, receiver) = mpsc::channel();
    let begin = |index: usize| {
        let (work, items, sender) = (Arc::clone(&work), Arc::clone(items), sender.clone());
        pool.spawn_fifo(move || {
            let result = catch_panic(|| work(index, &items[index]));
            // Nobody listens any more once the run has ended.
            let _ = sender.send((index, result));
        });
    };
    let window = jobs * WAITING_PER_JOB;
    // When each item that is worked at was begun, results that wait for an earlier one, and the next of each kind.
    let mut working: BTreeMap<usize, Instant> = BTreeMap::new();
    let mut waiting: BTreeMap<usize, T> = BTreeMap::new();
    let (mut to_begin, mut to_hand_out, mut given_up) = (0, 0, 0);
    loop {
        while working.len() < jobs && to_begin < items.len().min(to_hand_out + window) && !options.stop.load(Ordering::Relaxed) {
            working.insert(to_begin, Instant::now());
            begin(to_begin);
            to_begin += 1;
        }
        if working.is_empty() && waiting.is_empty() {
            return Ok(());
        }
        match receiver.recv_timeout(patience(&working, options.limit)) {
            Ok((index, result)) => match working.remove(&index) {
                Some(_) => {
                    waiting.insert(index, result.unwrap_or_else(|message| failed(&items[index], &Failure::Panic(message))));
                }
                None => given_up -= 1,
            },
            // Results that have come count, however long this thread was held up by its sink.
            Err(RecvTimeoutError::Timeout) => {
                let Some(limit) = options.limit else { continue };
                let late: Vec<usize> =
                    working.iter().filter(|(_, begun)| begun.elapsed() >= limit).map(|(index, _)| *index).collect();
                for index in late {
                    working.remove(&index);
                    waiting.insert(index, failed(&items[index], &Failure::TooSlow(limit)));
                    given_up += 1;
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        while let Some(result) = waiting.remove(&to_hand_out) {
            if sink(to_hand_out, result).is_break() {
                return Ok(());
            }
            to_hand_out += 1;
        }
        if let Some(limit) = options.limit.filter(|_| given_up >= MOST_GIVEN_UP) {
            return Err(BatchError::TooManyGivenUp { limit });
        }
    }
}

/// How long to wait for a result before looking at the clock again.
fn patience(working: &BTreeMap<usize, Instant>, limit: Option<Duration>) -> Duration {
    let left = working.values().filter_map(|begun| limit.map(|limit| limit.saturating_sub(begun.elapsed())));
    left.min().unwrap_or(LOOK_UP).min(LOOK_UP)
}

thread_local! {
    /// Whether this thread is inside [`catch_panic`].
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    /// What the last panic on this thread said, and where.
    static CAUGHT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// `work`'s result, or its panic's message and place in the source, of which nothing is printed.
fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let outer = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !CATCHING.get() {
                return outer(info);
            }
            let payload = info.payload();
            let message = payload
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
                .unwrap_or("no message");
            let place = info.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
            CAUGHT.replace(format!("{message}{place}"));
        }));
    });
    CATCHING.set(true);
    // Nothing of what `work` may have left half done is looked at afterwards: its picture's reading starts anew.
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(false);
    result.map_err(|_| CAUGHT.take())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    fn collect(items: Vec<u64>, options: &Options, work: impl Fn(usize, &u64) -> String + Send + Sync + 'static) -> Vec<String> {
        let mut out = Vec::new();
        run(
            &Arc::new(items),
            options,
            work,
            |item, failure| format!("{item}: {failure:?}"),
            |_, text| {
                out.push(text);
                ControlFlow::Continue(())
            },
        )
        .unwrap();
        out
    }

    #[test]
    fn results_come_in_input_order_whatever_finishes_first() {
        let items: Vec<u64> = (0..40).collect();
        let out = collect(items.clone(), &Options::jobs(4), |_, item| {
            std::thread::sleep(Duration::from_millis((item * 7) % 11));
            item.to_string()
        });
        assert_eq!(out, items.iter().map(u64::to_string).collect::<Vec<_>>());
    }

    #[test]
    fn a_panic_is_the_result_of_its_item_alone() {
        let out = collect(vec![1, 2, 3], &Options::jobs(2), |_, item| {
            assert_ne!(*item, 2, "two is too many");
            item.to_string()
        });
        assert_eq!((out[0].as_str(), out[2].as_str()), ("1", "3"));
        assert!(
            out[1].starts_with("2: Panic") && out[1].contains("two is too many") && out[1].contains("batch.rs"),
            "{}",
            out[1]
        );
    }

    #[test]
    fn what_takes_too_long_is_given_up_and_the_others_go_on() {
        let options = Options { limit: Some(Duration::from_millis(150)), ..Options::jobs(2) };
        let start = Instant::now();
        let out = collect((0..20).collect(), &options, |_, item| {
            std::thread::sleep(Duration::from_millis(if item % 10 == 3 { 4000 } else { 1 }));
            item.to_string()
        });
        assert!(start.elapsed() < Duration::from_millis(3000), "{:?}", start.elapsed());
        for (index, text) in out.iter().enumerate() {
            match index {
                3 | 13 => assert_eq!(*text, format!("{index}: TooSlow(150ms)")),
                _ => assert_eq!(*text, index.to_string()),
            }
        }
    }

    #[test]
    fn a_run_in_which_everything_hangs_ends() {
        let options = Options { limit: Some(Duration::from_millis(20)), ..Options::jobs(4) };
        let ended = run(
            &Arc::new((0..100).collect::<Vec<u64>>()),
            &options,
            |_, _| std::thread::sleep(Duration::from_secs(3)),
            |_, _| (),
            |_, ()| ControlFlow::Continue(()),
        );
        let text = ended.unwrap_err().to_string();
        assert!(text.contains("took longer than 0.02 s") && text.contains("more time"), "{text}");
    }

    #[test]
    fn finished_results_do_not_pile_up_behind_a_slow_one() {
        let started = Arc::new(AtomicUsize::new(0));
        let most_ahead = Arc::new(AtomicUsize::new(0));
        let (begun, ahead) = (Arc::clone(&started), Arc::clone(&most_ahead));
        let out = collect((0..200).collect(), &Options::jobs(2), move |_, item| {
            begun.fetch_add(1, Ordering::SeqCst);
            if *item == 0 {
                std::thread::sleep(Duration::from_millis(100));
                ahead.store(begun.load(Ordering::SeqCst), Ordering::SeqCst);
            }
            String::new()
        });
        assert_eq!(out.len(), 200);
        assert!(most_ahead.load(Ordering::SeqCst) <= 2 * WAITING_PER_JOB);
    }

    #[test]
    fn the_sink_can_end_the_run() {
        let started = Arc::new(AtomicUsize::new(0));
        let begun = Arc::clone(&started);
        let mut seen = 0;
        run(
            &Arc::new((0..1000).collect::<Vec<u64>>()),
            &Options::jobs(2),
            move |_, _| begun.fetch_add(1, Ordering::SeqCst),
            |_, _| 0,
            |_, _| {
                seen += 1;
                if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        )
        .unwrap();
        assert_eq!(seen, 3);
        assert!(started.load(Ordering::SeqCst) <= 3 + 2 * WAITING_PER_JOB);
    }

    #[test]
    fn a_run_that_is_stopped_hands_out_what_was_begun_and_begins_no_more() {
        let options = Options::jobs(3);
        let (stop, started) = (Arc::clone(&options.stop), Arc::new(AtomicUsize::new(0)));
        let begun = Arc::clone(&started);
        let out = collect((0..1000).collect(), &options, move |_, item| {
            begun.fetch_add(1, Ordering::SeqCst);
            if *item == 10 {
                stop.store(true, Ordering::SeqCst);
            }
            item.to_string()
        });
        assert_eq!(out.len(), started.load(Ordering::SeqCst), "nothing that was read is lost");
        assert!(out.len() < 30 && out.iter().enumerate().all(|(index, text)| *text == index.to_string()), "{out:?}");
    }
}
