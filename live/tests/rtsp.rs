//! A network camera that speaks RTSP, played by GStreamer's server. Skipped, with a line that says so, where that, its
//! Python bindings or ffmpeg are missing (apt-get install python3-gi gir1.2-gst-rtsp-server-1.0 gstreamer1.0-plugins-ugly).

mod common;

use std::{
    io::{BufRead, BufReader},
    net::TcpListener,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use common::{has, until};
use pyrameeple_live::{
    condition::Condition,
    feed::Feed,
    source::{self, SourceParams, Spec},
    still::StillParams,
};

/// What the issue asks for: a message within this time.
const SOON: Duration = Duration::from_secs(2);
/// Long enough for a slow machine to get going.
const LONG: Duration = Duration::from_secs(60);

const PYTHON: &str = "/usr/bin/python3";
/// Serves a moving picture on the port given.
const SERVER: &str = "
import gi, sys
gi.require_version('Gst', '1.0')
gi.require_version('GstRtspServer', '1.0')
from gi.repository import Gst, GstRtspServer, GLib
Gst.init(None)
if not all(Gst.ElementFactory.find(name) for name in ('x264enc', 'rtph264pay', 'videotestsrc')):
    sys.exit('the plug-ins are missing')
server = GstRtspServer.RTSPServer()
server.set_service(sys.argv[1])
media = GstRtspServer.RTSPMediaFactory()
media.set_launch('( videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=240,framerate=15/1 '
                 '! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=15 ! rtph264pay name=pay0 config-interval=1 )')
media.set_shared(True)
server.get_mount_points().add_factory('/table', media)
server.attach(None)
print('up', flush=True)
GLib.MainLoop().run()
";

struct Camera(Child);

impl Camera {
    /// A camera on `port`; `None` where there can be none.
    fn on(port: u16) -> Option<Self> {
        let mut command = Command::new(PYTHON);
        command.args(["-c", SERVER, &port.to_string()]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take()?).read_line(&mut line).ok()?;
        let camera = Self(child);
        (line.trim() == "up").then_some(camera)
    }
}

impl Drop for Camera {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_rtsp_camera_is_filmed_told_when_it_goes_and_found_again() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let Some(camera) = Some(()).filter(|()| has("ffmpeg")).and_then(|()| Camera::on(port)) else {
        println!("skipped: GStreamer's RTSP server, its Python bindings or ffmpeg are not installed");
        return;
    };
    let spec = Spec::parse(&format!("rtsp://ann:secret@127.0.0.1:{port}/table")).unwrap();
    let (params, still) = (SourceParams::default(), StillParams::default());
    let feed = Feed::start(spec, params, still, Box::new(source::open), Arc::new(|| {}));
    let condition = || feed.sight().condition;
    let size = || feed.sight().frame.map(|frame| frame.picture.rgb.dimensions());
    until(LONG, || condition().is_good(), || format!("{:?}", condition()));
    assert_eq!((size(), feed.sight().source), (Some((320, 240)), format!("rtsp://127.0.0.1:{port}/table")));
    drop(camera);
    until(SOON, || matches!(condition(), Condition::Lost { .. }), || format!("{:?}", condition()));
    // What is wrong stays in view as long as nothing comes, however often it is tried.
    let end = std::time::Instant::now() + SOON;
    while std::time::Instant::now() < end {
        assert!(matches!(condition(), Condition::Lost { .. }), "{:?}", condition());
        std::thread::sleep(Duration::from_millis(20));
    }
    let _camera = Camera::on(port).expect("it was there before");
    until(LONG, || condition().is_good(), || format!("{:?}", condition()));
}
