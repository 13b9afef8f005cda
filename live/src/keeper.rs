//! Puts accepted results on record, on a thread of its own: encoding pictures and flushing a slow disk must not stop the
//! window. One wish at a time; nothing counts until the answer says that it is on the disk.

use std::{
    path::Path,
    sync::{
        Arc,
        mpsc::{Receiver, Sender, TryRecvError, channel},
    },
    thread,
};

use pyrameeple::{
    matchplay::{Event, Match, Setup},
    record::{Annotated, NewTurn, RecordError, Writer},
};

use crate::{
    feed::Wake,
    read::{Eye, Seen},
};

/// The evidence of a turn.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The views: frames with their readings.
    pub views: Vec<Arc<Seen>>,
    /// Index of the view to go by.
    pub used: usize,
    /// What the views disagree about, in words.
    pub disagreement: Option<String>,
    /// Seconds the player took, if the clock ran.
    pub seconds: Option<f64>,
}

/// How an event was taken.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The match as it now is.
    pub game: Match,
    /// Why the event is not on record; `None` when it is.
    pub error: Option<String>,
    /// What a person should know of the state of the folder.
    pub notes: Vec<String>,
}

/// A match open for writing.
pub struct Keeper {
    wishes: Sender<(Event, Option<Evidence>)>,
    answers: Receiver<Answer>,
    game: Match,
    notes: Vec<String>,
}

/// Now, RFC 3339 in UTC, to the millisecond.
pub fn now() -> String {
    let now = jiff::Timestamp::now();
    now.round(jiff::Unit::Millisecond).unwrap_or(now).to_string()
}

impl Keeper {
    /// Makes a new match in `dir`.
    pub fn create(dir: &Path, setup: Setup, eye: Arc<dyn Eye>, wake: Wake) -> Result<Self, RecordError> {
        Writer::create(dir, setup, &now()).map(|writer| Self::of(writer, eye, wake))
    }

    /// Goes on with the match in `dir`.
    pub fn open(dir: &Path, eye: Arc<dyn Eye>, wake: Wake) -> Result<Self, RecordError> {
        Writer::open(dir, &now()).map(|writer| Self::of(writer, eye, wake))
    }

    fn of(writer: Writer, eye: Arc<dyn Eye>, wake: Wake) -> Self {
        let (game, notes) = (writer.game().clone(), writer.notes().to_vec());
        let (wishes, wished) = channel();
        let (answering, answers) = channel();
        // Ends with the last wish once the session is gone: what was accepted is written whole first.
        thread::spawn(move || keep(writer, eye.as_ref(), &wished, &answering, &wake));
        Self { wishes, answers, game, notes }
    }

    /// The match as it was opened.
    pub fn game(&self) -> &Match {
        &self.game
    }

    /// What a person should know of how the folder was found.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Asks for `event` to be put on record, with what shows it.
    pub fn wish(&self, event: Event, evidence: Option<Evidence>) {
        // Without the thread there will be no answer, and `answer` says so.
        let _ = self.wishes.send((event, evidence));
    }

    /// The answer to the last wish, if it is there; an error when there will never be one.
    pub fn answer(&self) -> Result<Option<Answer>, &'static str> {
        match self.answers.try_recv() {
            Ok(answer) => Ok(Some(answer)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err("the match can no longer be written to: start the program again"),
        }
    }
}

fn keep(
    mut writer: Writer,
    eye: &dyn Eye,
    wished: &Receiver<(Event, Option<Evidence>)>,
    answering: &Sender<Answer>,
    wake: &Wake,
) {
    while let Ok((event, evidence)) = wished.recv() {
        let told = writer.notes().len();
        let taken = match evidence {
            None => writer.accept(event, &now()).map_err(|error| error.to_string()),
            Some(evidence) => new_turn(evidence, eye)
                .and_then(|turn| writer.accept_turn(event, turn, &now()).map_err(|error| error.to_string())),
        };
        let notes = writer.notes().iter().skip(told).cloned().collect();
        let answer = Answer { game: writer.game().clone(), error: taken.err(), notes };
        if answering.send(answer).is_err() {
            return;
        }
        wake();
    }
}

/// The pictures of a turn, encoded and annotated.
fn new_turn(evidence: Evidence, eye: &dyn Eye) -> Result<NewTurn, String> {
    let view = |seen: &Arc<Seen>| -> Result<(String, Vec<u8>, pyrameeple::reading::Reading, Option<Annotated>), String> {
        let bytes = seen.frame.file().map_err(|error| format!("the picture cannot be encoded: {error}"))?;
        let annotated = eye.annotate(&bytes, &seen.reading);
        Ok((seen.frame.name(), bytes, seen.reading.clone(), annotated))
    };
    Ok(NewTurn {
        views: evidence.views.iter().map(view).collect::<Result<_, _>>()?,
        used: evidence.used,
        disagreement: evidence.disagreement,
        model_sha256: eye.model_sha256(),
        params: eye.params(),
        seconds: evidence.seconds,
    })
}
