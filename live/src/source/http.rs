//! As much of HTTP as the MJPEG stream of a camera or a phone needs. A client made for documents has one time limit for a
//! whole answer; an endless stream needs one for each wait, or a frozen phone would hang the thread.

use std::{
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::{TcpStream, ToSocketAddrs},
    time::Duration,
};

use base64::{Engine, prelude::BASE64_STANDARD};

use super::{PATIENCE, SourceError, spec::without_password};

/// Longest wait for the connection and for the first byte of the answer: a phone may have to wake up.
const CONNECT: Duration = Duration::from_secs(4);
/// Redirections followed.
const MOST_REDIRECTS: usize = 4;
/// Longest head of an answer, bytes.
const MOST_HEAD: usize = 16 << 10;

/// An `http://` address, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// For people.
    pub shown: String,
    host: String,
    port: u16,
    path: String,
    login: Option<String>,
}

impl Address {
    /// The parts of `url`; `None` when it is not `http://host…`.
    pub fn parse(url: &str) -> Option<Self> {
        let rest = url.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://")).map(|_| &url[7..])?;
        let (authority, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
        let (login, host) = authority.rsplit_once('@').map_or((None, authority), |(login, host)| (Some(login.to_owned()), host));
        // The colon of a port, not one inside the brackets of an IPv6 address.
        let (host, port) = match host.rsplit_once(':').filter(|(_, port)| !port.contains(']')) {
            Some((host, port)) => (host, port.parse().ok()?),
            None => (host, 80),
        };
        if host.is_empty() {
            return None;
        }
        Some(Self { shown: without_password(url), host: host.to_owned(), port, path: path.to_owned(), login })
    }

    fn connect(&self) -> Result<TcpStream, SourceError> {
        let no_answer = |why: String| SourceError::NoAnswer { address: self.shown.clone(), why };
        let host = self.host.trim_matches(['[', ']']);
        let addresses = (host, self.port).to_socket_addrs().map_err(|_| no_answer(format!("nobody is called {host}")))?;
        let mut last = no_answer(format!("nobody is called {host}"));
        for address in addresses {
            match TcpStream::connect_timeout(&address, CONNECT) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = no_answer(words(&error)),
            }
        }
        Err(last)
    }
}

/// An answer whose body is to be read.
pub struct Answer {
    /// Value of its `Content-Type`, lower case; empty without one.
    pub content_type: String,
    /// The body as it comes, unpacked from chunks. A read waits [`PATIENCE`] at most, then fails as timed out.
    pub body: Box<dyn BufRead + Send>,
}

/// Asks for `url` and returns the answer once its head is there.
pub fn get(url: &str) -> Result<Answer, SourceError> {
    let mut url = url.to_owned();
    for _ in 0..=MOST_REDIRECTS {
        let not_http = || SourceError::NoAnswer { address: without_password(&url), why: "this is no http:// address".into() };
        let address = Address::parse(&url).ok_or_else(not_http)?;
        match ask(&address)? {
            Asked::Answer(answer) => return Ok(answer),
            Asked::Elsewhere(to) if to.starts_with('/') => url = format!("http://{}:{}{to}", address.host, address.port),
            Asked::Elsewhere(to) => url = to,
        }
    }
    Err(SourceError::NotAStream { address: without_password(&url), what: "it redirects for ever".into() })
}

enum Asked {
    Answer(Answer),
    Elsewhere(String),
}

fn ask(address: &Address) -> Result<Asked, SourceError> {
    let no_answer = |error: std::io::Error| SourceError::NoAnswer { address: address.shown.clone(), why: words(&error) };
    let not_a_stream = |what: String| SourceError::NotAStream { address: address.shown.clone(), what };
    let mut stream = address.connect()?;
    stream.set_read_timeout(Some(CONNECT)).and_then(|()| stream.set_write_timeout(Some(CONNECT))).map_err(no_answer)?;
    let login = address.login.as_ref().map(|login| format!("Authorization: Basic {}\r\n", BASE64_STANDARD.encode(login)));
    let request = format!(
        "GET {} HTTP/1.1\r\nHost: {}:{}\r\nUser-Agent: pyrameeple\r\nAccept: */*\r\nConnection: close\r\n{}\r\n",
        address.path,
        address.host,
        address.port,
        login.unwrap_or_default()
    );
    stream.write_all(request.as_bytes()).map_err(no_answer)?;
    let clone = stream.try_clone().map_err(no_answer)?;
    let mut reader = BufReader::with_capacity(64 << 10, stream);
    let head = read_head(&mut reader).map_err(no_answer)?;
    clone.set_read_timeout(Some(PATIENCE)).map_err(no_answer)?;
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut parsed = httparse::Response::new(&mut headers);
    parsed.parse(&head).map_err(|_| not_a_stream("this is not HTTP".into()))?;
    let value = |name: &str| {
        let header = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        header.map(|header| String::from_utf8_lossy(header.value).trim().to_owned())
    };
    match parsed.code.unwrap_or(0) {
        200 => {}
        301 | 302 | 303 | 307 | 308 => {
            return value("location").map(Asked::Elsewhere).ok_or_else(|| not_a_stream("it redirects nowhere".into()));
        }
        401 | 403 => return Err(not_a_stream("it asks for a password: http://NAME:PASSWORD@…".into())),
        code => return Err(not_a_stream(format!("status {code}"))),
    }
    let chunked = value("transfer-encoding").is_some_and(|encoding| encoding.to_lowercase().contains("chunked"));
    let body: Box<dyn BufRead + Send> =
        if chunked { Box::new(BufReader::new(Chunks { inner: reader, left: 0, ended: false })) } else { Box::new(reader) };
    Ok(Asked::Answer(Answer { content_type: value("content-type").unwrap_or_default().to_lowercase(), body }))
}

fn read_head(reader: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && !head.ends_with(b"\n\n") {
        let before = head.len();
        reader.by_ref().take((MOST_HEAD - before) as u64).read_until(b'\n', &mut head)?;
        if head.len() == before {
            return Err(ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(head)
}

/// What happened to a connection, for people.
pub fn words(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::TimedOut | ErrorKind::WouldBlock => "nothing came in time".to_owned(),
        ErrorKind::ConnectionRefused => "no camera program runs there".to_owned(),
        ErrorKind::ConnectionReset | ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe => "the other side hung up".to_owned(),
        _ => error.to_string(),
    }
}

/// Unpacks a body sent in chunks (RFC 9112, section 7.1).
struct Chunks<R> {
    inner: R,
    left: u64,
    ended: bool,
}

impl<R: BufRead> Read for Chunks<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.left == 0 && !self.ended {
            let mut line = String::new();
            self.inner.by_ref().take(64).read_line(&mut line)?;
            let size = line.trim().split(';').next().unwrap_or_default();
            if size.is_empty() && !line.is_empty() {
                continue; // the line end behind the chunk before
            }
            self.left = u64::from_str_radix(size, 16).map_err(|_| ErrorKind::UnexpectedEof)?;
            self.ended = self.left == 0;
        }
        let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.inner.read(&mut buffer[..most])?;
        if read == 0 && most > 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.left -= read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        let address = Address::parse("http://ann:pw@[fe80::1]:8080/video?x=1").unwrap();
        assert_eq!((address.host.as_str(), address.port, address.path.as_str()), ("[fe80::1]", 8080, "/video?x=1"));
        assert_eq!((address.login.as_deref(), address.shown.as_str()), (Some("ann:pw"), "http://[fe80::1]:8080/video?x=1"));
        assert_eq!(Address::parse("http://phone").unwrap().port, 80);
        assert!(Address::parse("http:///video").is_none() && Address::parse("https://phone/").is_none());
    }

    #[test]
    fn chunks_are_unpacked() {
        let packed: &[u8] = b"4\r\nWiki\r\n6;x=y\r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\n\r\n";
        let mut text = String::new();
        Chunks { inner: packed, left: 0, ended: false }.read_to_string(&mut text).unwrap();
        assert_eq!(text, "Wikipedia in \r\n\r\nchunks.");
    }
}
