//! A phone that runs as an IP camera, as far as the network can tell.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

/// What the phone does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phone {
    /// Sends these picture files one after the other, twenty a second.
    Films(Vec<Vec<u8>>),
    /// Keeps the connection but sends nothing more.
    Stalls,
    /// Hangs up, and takes no new calls.
    HangsUp,
    /// Takes calls and never says a word.
    NeverAnswers,
    /// Answers with a web page.
    SendsAPage,
}

/// A phone on the network.
pub struct Server {
    port: u16,
    does: Arc<Mutex<Phone>>,
    /// How often it was called.
    pub calls: Arc<AtomicU32>,
}

impl Server {
    /// A phone that does this until it is told otherwise.
    pub fn new(does: Phone) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (does, calls) = (Arc::new(Mutex::new(does)), Arc::new(AtomicU32::new(0)));
        let (shared, counted) = (does.clone(), calls.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                counted.fetch_add(1, Ordering::SeqCst);
                let does = shared.clone();
                thread::spawn(move || {
                    // The caller may hang up at any moment; that is its right.
                    let _ = serve(stream, &does);
                });
            }
        });
        Self { port, does, calls }
    }

    /// Where it answers.
    pub fn address(&self) -> String {
        format!("http://ann:secret@127.0.0.1:{}/video", self.port)
    }

    /// Tells it what to do from now on.
    pub fn set(&self, does: Phone) {
        *self.does.lock().unwrap() = does;
    }
}

fn serve(mut stream: TcpStream, does: &Mutex<Phone>) -> std::io::Result<()> {
    let mut request = [0; 4096];
    let read = stream.read(&mut request)?;
    let request = String::from_utf8_lossy(&request[..read]);
    let first = does.lock().unwrap().clone();
    match first {
        Phone::HangsUp => return Ok(()),
        Phone::SendsAPage => return stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>"),
        Phone::NeverAnswers => {}
        // "ann:secret" as basic authentication.
        _ if !request.contains("Authorization: Basic YW5uOnNlY3JldA==") => {
            return stream.write_all(b"HTTP/1.1 401 Unauthorized\r\n\r\n");
        }
        _ => stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n")?,
    }
    let mut number = 0;
    loop {
        thread::sleep(Duration::from_millis(50));
        let now = does.lock().unwrap().clone();
        match now {
            Phone::Films(pictures) if first != Phone::NeverAnswers => {
                let picture = &pictures[number % pictures.len()];
                number += 1;
                write!(stream, "--frame\r\nContent-Type: image/x\r\nContent-Length: {}\r\n\r\n", picture.len())?;
                stream.write_all(picture)?;
                stream.write_all(b"\r\n")?;
            }
            Phone::HangsUp => return Ok(()),
            _ => {}
        }
    }
}
