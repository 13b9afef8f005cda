//! The live program; everything it does lives in the library.

use std::{
    io::{self, ErrorKind, IsTerminal},
    process::ExitCode,
    sync::Arc,
};

use clap::Parser;
use eframe::egui;
use pyrameeple::cli::reader::PipelineReader;
use pyrameeple_live::{
    args::{LiveArgs, ThemeArg},
    engine::Engine,
    feed::Wake,
    kept_clock::KeptClocks,
    read::PipelineEye,
    sound::Sound,
    source::{self, Spec, cameras_table, list_cameras},
    still::StillParams,
    terminal::{self, Plan},
    window::App,
};

fn main() -> ExitCode {
    match run(&LiveArgs::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pyrameeple live: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &LiveArgs) -> anyhow::Result<()> {
    if args.list_cameras {
        print!("{}", cameras_table(&list_cameras()));
        return Ok(());
    }
    let spec = args.source.as_deref().map_or(Ok(Spec::AnyCamera), Spec::parse)?;
    let reader = PipelineReader::with_file(args.params.as_deref())?;
    if args.headless { headless(args, spec, reader) } else { window(args, spec, reader) }
}

fn engine(args: &LiveArgs, spec: Spec, reader: PipelineReader, wake: Wake) -> Engine {
    let eye = Arc::new(PipelineEye::new(reader));
    let openers = Box::new(|| Box::new(source::open) as _);
    let mut engine =
        Engine::start(spec, args.source_params(), StillParams::default(), eye, openers, Sound::new(!args.mute), wake);
    engine.clocks = KeptClocks::of_user();
    engine
}

/// What to type where nobody can be asked.
const WHAT_TO_PLAY: &str = "\
--headless asks what to play, but standard input is no terminal. Either begin a match and go on with it,
    pyrameeple match new evening --variant points --turns 3 --players Ann,Bo
    pyrameeple live evening --headless
or score without one: pyrameeple live --headless --just-score";

fn headless(args: &LiveArgs, spec: Spec, reader: PipelineReader) -> anyhow::Result<()> {
    let asks = args.dir.is_none() && !args.just_score;
    if asks && !io::stdin().is_terminal() {
        anyhow::bail!(WHAT_TO_PLAY);
    }
    // The camera wakes up while questions are answered.
    let mut engine = engine(args, spec, reader, Arc::new(|| {}));
    match &args.dir {
        Some(dir) => engine.resume(dir.clone())?,
        None if args.just_score => engine.just_score(),
        None if !ask(&mut engine)? => return Ok(()),
        None => {}
    }
    terminal::run(&mut engine, args.stats).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => error.into(),
        _ => anyhow::Error::new(error).context("the terminal cannot be used"),
    })
}

/// Asks what to play until it can be played; false when nothing is to be.
fn ask(engine: &mut Engine) -> anyhow::Result<bool> {
    let home = std::env::current_dir().unwrap_or_default();
    loop {
        // Standard output may be on its way into a file; nobody would see the questions.
        let plan = terminal::ask(&mut io::stdin().lock(), &mut io::stderr(), &home).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => {
                anyhow::anyhow!("the input ended before it was said what to play; --just-score asks nothing")
            }
            _ => anyhow::Error::new(error).context("the terminal cannot be used"),
        });
        let taken = match plan? {
            None => return Ok(false),
            Some(Plan::JustScore) => {
                engine.just_score();
                Ok(())
            }
            Some(Plan::New(dir, setup)) => engine.new_match(dir, setup),
            Some(Plan::Resume(dir)) => engine.resume(dir),
        };
        match taken {
            Ok(()) => return Ok(true),
            Err(error) => eprintln!("{error}\n"),
        }
    }
}

fn window(args: &LiveArgs, spec: Spec, reader: PipelineReader) -> anyhow::Result<()> {
    // A match that cannot be opened is told before any window is.
    if let Some(dir) = &args.dir {
        pyrameeple::record::Record::read(dir)?;
    }
    let home = std::env::current_dir().unwrap_or_default();
    let viewport = egui::ViewportBuilder::default()
        .with_title("pyrameeple")
        .with_app_id("pyrameeple")
        .with_inner_size([1280.0, 720.0])
        .with_min_inner_size([640.0, 400.0])
        .with_fullscreen(args.full_screen);
    let options = eframe::NativeOptions { viewport, event_loop_builder: event_loop_hook(), ..eframe::NativeOptions::default() };
    let (stats, full_screen, theme, dir) = (args.stats, args.full_screen, args.theme, args.dir.clone());
    let just_score = args.just_score;
    let make = |cc: &eframe::CreationContext<'_>| -> Result<Box<dyn eframe::App>, Box<dyn std::error::Error + Send + Sync>> {
        match theme {
            Some(ThemeArg::Light) => cc.egui_ctx.set_theme(egui::Theme::Light),
            Some(ThemeArg::Dark) => cc.egui_ctx.set_theme(egui::Theme::Dark),
            None => {}
        }
        let ctx = cc.egui_ctx.clone();
        let mut engine = engine(args, spec, reader, Arc::new(move || ctx.request_repaint()));
        if let Some(dir) = dir {
            engine.resume(dir)?;
        } else if just_score {
            engine.just_score();
        }
        Ok(Box::new(App::new(engine, home, stats, full_screen)))
    };
    let shown = eframe::run_native("pyrameeple", options, Box::new(make));
    #[cfg(target_os = "linux")]
    if let Err(eframe::Error::WinitEventLoop(_)) = &shown {
        again_on_x11();
    }
    shown.map_err(|error| no_window(&error))
}

/// The environment variable `name`, where it has a value that is not empty.
#[cfg(target_os = "linux")]
fn set(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Becomes this program anew without the Wayland display, where there is an X11 one beside it: the libraries for Wayland may
/// not be installed, and one run can try a single kind.
#[cfg(target_os = "linux")]
fn again_on_x11() {
    use std::{env, os::unix::process::CommandExt, process::Command};
    let Ok(own) = env::current_exe() else { return };
    if set("WAYLAND_DISPLAY").is_some() && set("DISPLAY").is_some() {
        // Only comes back where it cannot be started.
        let _ = Command::new(own).args(env::args_os().skip(1)).env_remove("WAYLAND_DISPLAY").exec();
    }
}

/// Chooses X11 where a Wayland display is named that nobody serves any more, as in a shell that outlived its desktop: the
/// window's libraries would try no other.
#[cfg(target_os = "linux")]
fn event_loop_hook() -> Option<eframe::EventLoopBuilderHook> {
    use std::{os::unix::net::UnixStream, path::PathBuf};
    let named = set("WAYLAND_DISPLAY").filter(|_| set("WAYLAND_SOCKET").is_none() && set("DISPLAY").is_some())?;
    let folder = set("XDG_RUNTIME_DIR").map(PathBuf::from).unwrap_or_default();
    if UnixStream::connect(folder.join(named)).is_ok() {
        return None;
    }
    Some(Box::new(|builder| {
        winit::platform::x11::EventLoopBuilderExtX11::with_x11(builder);
    }))
}

/// Other systems have one kind of display.
#[cfg(not(target_os = "linux"))]
fn event_loop_hook() -> Option<eframe::EventLoopBuilderHook> {
    None
}

/// Why there is no window, and what to do. What the window's libraries say names places in their own source.
fn no_window(error: &eframe::Error) -> anyhow::Error {
    const INSTEAD: &str = "--headless shows text in the terminal";
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty()).map(|value| format!("{name}={value}"));
    let displays: Vec<String> = ["WAYLAND_DISPLAY", "DISPLAY"].into_iter().filter_map(set).collect();
    match error {
        eframe::Error::AppCreation(error) => anyhow::anyhow!("{error}"),
        eframe::Error::Winit(_) | eframe::Error::WinitEventLoop(_) if cfg!(not(target_os = "linux")) => {
            anyhow::anyhow!("there is no display that a window could be opened on; {INSTEAD}")
        }
        eframe::Error::Winit(_) | eframe::Error::WinitEventLoop(_) if displays.is_empty() => anyhow::anyhow!(
            "there is no display: start it from a desktop, or set DISPLAY or WAYLAND_DISPLAY (over SSH: ssh -X); {INSTEAD}"
        ),
        eframe::Error::Winit(_) | eframe::Error::WinitEventLoop(_) => anyhow::anyhow!(
            "the display {} cannot be opened: is it running, and may this user use it? {INSTEAD}",
            displays.join(" or ")
        ),
        error => anyhow::anyhow!("the display has no OpenGL that a window could be drawn with ({error}); {INSTEAD}"),
    }
}
