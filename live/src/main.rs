//! The live program; everything it does lives in the library.

use std::{process::ExitCode, sync::Arc};

use anyhow::Context;
use clap::Parser;
use eframe::egui;
use pyrameeple::cli::reader::PipelineReader;
use pyrameeple_live::{
    args::{LiveArgs, ThemeArg},
    engine::Engine,
    feed::Wake,
    read::PipelineEye,
    sound::Sound,
    source::{self, Spec, cameras_table, list_cameras},
    still::StillParams,
    terminal,
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
    Engine::start(spec, args.source_params(), StillParams::default(), eye, openers, Sound::new(!args.mute), wake)
}

fn headless(args: &LiveArgs, spec: Spec, reader: PipelineReader) -> anyhow::Result<()> {
    let mut engine = engine(args, spec, reader, Arc::new(|| {}));
    match &args.dir {
        Some(dir) => engine.resume(dir.clone())?,
        None => engine.just_score(),
    }
    terminal::run(&mut engine, args.stats).context("the terminal cannot be used")
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
    let options = eframe::NativeOptions { viewport, ..eframe::NativeOptions::default() };
    let (stats, full_screen, theme, dir) = (args.stats, args.full_screen, args.theme, args.dir.clone());
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
        }
        Ok(Box::new(App::new(engine, home, stats, full_screen)))
    };
    eframe::run_native("pyrameeple", options, Box::new(make)).map_err(|error| {
        anyhow::anyhow!(
            "the window cannot be opened: {error}; without a display use --headless, which shows text in the terminal"
        )
    })
}
