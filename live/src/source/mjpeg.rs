//! A stream of JPEGs over HTTP, as phones that run as IP cameras send it (`multipart/x-mixed-replace`).

use std::{
    io::{self, BufRead, ErrorKind, Read},
    time::Instant,
};

use super::{PATIENCE, Source, SourceError, http, spec::without_password};
use crate::frame::Raw;

/// Largest picture taken, bytes.
const MOST_BYTES: usize = 32 << 20;
/// Longest line between pictures, bytes.
const MOST_LINE: u64 = 4096;

/// A stream of JPEGs.
pub struct Mjpeg {
    address: String,
    body: Box<dyn BufRead + Send>,
    /// What has come so far of the next part: a wait that was too long loses nothing.
    part: Part,
}

#[derive(Default)]
struct Part {
    /// Bytes the picture has according to its head, if it says so.
    length: Option<usize>,
    in_head: bool,
    /// Whether a header of this part has been read: an empty line before the boundary ends no head.
    has_headers: bool,
    line: Vec<u8>,
    bytes: Vec<u8>,
}

impl Mjpeg {
    /// Connects with the stream at `address`.
    pub fn open(address: &str) -> Result<Self, SourceError> {
        let answer = http::get(address)?;
        let shown = without_password(address);
        if !answer.content_type.starts_with("multipart/") {
            let what = match answer.content_type.as_str() {
                "" => "it does not say what it sends".to_owned(),
                "image/jpeg" => "a single picture".to_owned(),
                other => other.to_owned(),
            };
            return Err(SourceError::NotAStream { address: shown, what });
        }
        Ok(Self { address: shown, body: answer.body, part: Part { in_head: true, ..Part::default() } })
    }
}

impl Source for Mjpeg {
    fn words(&self) -> String {
        self.address.clone()
    }

    fn next(&mut self) -> Result<Raw, SourceError> {
        let started = Instant::now();
        loop {
            match self.part.advance(&mut self.body) {
                Ok(Some(jpeg)) => return Ok(Raw::File(jpeg)),
                Ok(None) if started.elapsed() < PATIENCE => {}
                Ok(None) => return Err(SourceError::Late),
                Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => {
                    return Err(SourceError::Late);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(SourceError::BrokeOff { address: self.address.clone(), why: http::words(&error) });
                }
            }
        }
    }
}

impl Part {
    /// Takes what the next read brings; the picture once it is whole.
    fn advance(&mut self, body: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
        if self.in_head {
            self.advance_head(body)?;
            return Ok(None);
        }
        let buffered = body.fill_buf()?;
        if buffered.is_empty() {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let whole = match self.length {
            Some(length) => {
                let taken = buffered.len().min(length - self.bytes.len());
                self.bytes.extend_from_slice(&buffered[..taken]);
                body.consume(taken);
                self.bytes.len() == length
            }
            // Without a length the picture ends where its end marker stands: JPEG keeps FF D9 out of everything else that
            // cameras write into one.
            None => {
                let from = self.bytes.len().saturating_sub(1);
                let taken = buffered.len();
                self.bytes.extend_from_slice(buffered);
                let end = self.bytes[from..].windows(2).position(|pair| pair == [0xFF, 0xD9]).map(|at| from + at + 2);
                let too_much = end.map_or(0, |end| self.bytes.len() - end);
                self.bytes.truncate(self.bytes.len() - too_much);
                body.consume(taken - too_much);
                end.is_some()
            }
        };
        if self.bytes.len() > MOST_BYTES {
            return Err(io::Error::new(ErrorKind::InvalidData, "a picture without end"));
        }
        Ok(whole.then(|| {
            let picture = std::mem::take(&mut self.bytes);
            *self = Self { in_head: true, ..Self::default() };
            picture
        }))
    }

    /// Takes a line of what stands before a picture: boundary, headers, an empty line.
    fn advance_head(&mut self, body: &mut dyn BufRead) -> io::Result<()> {
        // A time-out in the middle of a line leaves its beginning in `line`.
        let read = body.take(MOST_LINE).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if !self.line.ends_with(b"\n") {
            return if self.line.len() as u64 > MOST_LINE {
                Err(io::Error::new(ErrorKind::InvalidData, "no pictures between its lines"))
            } else {
                Ok(())
            };
        }
        let line = String::from_utf8_lossy(&self.line).trim().to_lowercase();
        self.line.clear();
        match line.split_once(':') {
            Some((name, value)) if name.trim() == "content-length" => {
                self.length = value.trim().parse().ok().filter(|length| (1..=MOST_BYTES).contains(length));
            }
            Some(_) => {}
            None if line.is_empty() => self.in_head = !self.has_headers,
            None => self.length = None,
        }
        self.has_headers |= line.contains(':');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pictures(stream: &[u8], step: usize) -> Vec<Vec<u8>> {
        let mut body = io::BufReader::with_capacity(step, stream);
        let mut part = Part { in_head: true, ..Part::default() };
        let mut found = Vec::new();
        loop {
            match part.advance(&mut body) {
                Ok(picture) => found.extend(picture),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
                    return found;
                }
            }
        }
    }

    #[test]
    fn pictures_are_found_with_and_without_their_length_however_the_bytes_come() {
        let jpegs: [&[u8]; 2] = [&[0xFF, 0xD8, 1, 2, 0xFF, 0, 3, 0xFF, 0xD9], &[0xFF, 0xD8, b'\n', b'\n', 9, 0xFF, 0xD9]];
        let mut stream = Vec::new();
        for (index, jpeg) in [jpegs[0], jpegs[1], jpegs[1], jpegs[0]].into_iter().enumerate() {
            let length = if index < 2 { format!("Content-Length: {}\r\n", jpeg.len()) } else { String::new() };
            stream.extend(format!("--frame\r\nContent-Type: image/jpeg\r\n{length}\r\n").bytes());
            stream.extend(jpeg);
            stream.extend(b"\r\n");
        }
        for step in [1, 2, 7, 1000] {
            assert_eq!(pictures(&stream, step), [jpegs[0], jpegs[1], jpegs[1], jpegs[0]], "{step} bytes at a time");
        }
    }
}
