//! Many photos at once: in parallel, in input order, in bounded memory, and none able to stop the others.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    ops::ControlFlow,
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Instant,
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

/// The reading of a photo at which the program itself failed.
pub fn failed_reading(path: &Path, panic_message: &str) -> Reading {
    Reading::unreadable(
        path.display().to_string(),
        format!("the program failed on this picture: {panic_message}"),
        "this is a fault of the program: report it, with the photo",
    )
}

/// Hands `work`'s result for each of `items` to `sink`, in the order of `items`, from `jobs` threads.
///
/// `sink` runs on the calling thread and may end the run early. A panic in `work` becomes `failed`'s value.
pub fn run<I, T>(
    items: &[I],
    jobs: usize,
    work: impl Fn(usize, &I) -> T + Sync,
    failed: impl Fn(&I, &str) -> T + Sync,
    mut sink: impl FnMut(usize, T) -> ControlFlow<()>,
) -> Result<(), rayon::ThreadPoolBuildError>
where
    I: Sync,
    T: Send,
{
    // One picture per thread leaves no core idle; threads of OpenCV's own on top only get in the way. The only way this
    // can fail is an OpenCV built without threads.
    let _ = opencv::core::set_num_threads(1);
    let jobs = jobs.clamp(1, MOST_JOBS.min(items.len().max(1)));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).thread_name(|n| format!("photo-{n}")).build()?;
    let ended = AtomicBool::new(false);
    let (work, failed, ended) = (&work, &failed, &ended);
    pool.in_place_scope_fifo(|scope| {
        let (sender, receiver) = mpsc::channel();
        let spawn = |index: usize| {
            let sender = sender.clone();
            scope.spawn_fifo(move |_| {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                let item = &items[index];
                let result = catch_panic(|| work(index, item)).unwrap_or_else(|message| failed(item, &message));
                // Nobody listens any more once `sink` has ended the run.
                let _ = sender.send((index, result));
            });
        };
        let window = jobs * WAITING_PER_JOB;
        let mut waiting = BTreeMap::new();
        (0..window.min(items.len())).for_each(&spawn);
        let mut next = 0;
        while next < items.len() {
            let Ok((index, result)) = receiver.recv() else { return };
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&next) {
                if next + window < items.len() {
                    spawn(next + window);
                }
                if sink(next, result).is_break() {
                    ended.store(true, Ordering::Relaxed);
                    return;
                }
                next += 1;
            }
        }
    });
    Ok(())
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
    use std::{sync::atomic::AtomicUsize, time::Duration};

    fn collect(items: &[u64], jobs: usize, work: impl Fn(usize, &u64) -> String + Sync) -> Vec<String> {
        let mut out = Vec::new();
        run(
            items,
            jobs,
            work,
            |item, message| format!("{item}: {message}"),
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
        let out = collect(&items, 4, |_, item| {
            std::thread::sleep(Duration::from_millis((item * 7) % 11));
            item.to_string()
        });
        assert_eq!(out, items.iter().map(u64::to_string).collect::<Vec<_>>());
    }

    #[test]
    fn a_panic_is_the_result_of_its_item_alone() {
        let out = collect(&[1, 2, 3], 2, |_, item| {
            assert_ne!(*item, 2, "two is too many");
            item.to_string()
        });
        assert_eq!((out[0].as_str(), out[2].as_str()), ("1", "3"));
        assert!(out[1].starts_with("2: ") && out[1].contains("two is too many") && out[1].contains("batch.rs"), "{}", out[1]);
    }

    #[test]
    fn finished_results_do_not_pile_up_behind_a_slow_one() {
        let items: Vec<u64> = (0..200).collect();
        let started = AtomicUsize::new(0);
        let most_ahead = AtomicUsize::new(0);
        let out = collect(&items, 2, |_, item| {
            started.fetch_add(1, Ordering::SeqCst);
            if *item == 0 {
                std::thread::sleep(Duration::from_millis(100));
                most_ahead.store(started.load(Ordering::SeqCst), Ordering::SeqCst);
            }
            String::new()
        });
        assert_eq!(out.len(), 200);
        assert!(most_ahead.load(Ordering::SeqCst) <= 2 * WAITING_PER_JOB);
    }

    #[test]
    fn the_sink_can_end_the_run() {
        let items: Vec<u64> = (0..1000).collect();
        let (mut seen, started) = (0, AtomicUsize::new(0));
        run(
            &items,
            2,
            |_, _| started.fetch_add(1, Ordering::SeqCst),
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
}
