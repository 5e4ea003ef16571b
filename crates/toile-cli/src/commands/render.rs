//! `toile render`.

use super::{OrReport, check_out};
use crate::args::{Color, RenderArgs};
use crate::output::say;
use miette::{Result, miette};
use std::process::ExitCode;
use toile_render::{Image, Size, animated_png, contact_sheet};
use toile_scene::present::{
    Coloring, PictureStyle, camera, picture, read_frames, spread, stretch_range,
};
use toile_scene::recording::Recording;
use toile_scene::run::write_atomically;
use toile_scene::spec::{CameraSpec, SceneSpec};

/// Pictures on a contact sheet and frames of an animation, at the most.
const SHEET_FRAMES: usize = 8;
const ANIMATION_FRAMES: usize = 120;

pub fn render(args: &RenderArgs) -> Result<ExitCode> {
    args.threads.apply()?;
    check_out(&args.out, args.force)?;
    let recording = Recording::open(&args.folder).or_report()?;
    let mut style = style(args)?;
    // The camera is chosen for the whole motion, so that pictures of one run fit together.
    let overview = spread(recording.frame_count(), 32);
    let view = camera(
        &recording,
        &read_frames(&recording, &overview).or_report()?,
        &style,
    );
    let chosen = choose_frames(args, recording.frame_count())?;
    let frames = read_frames(&recording, &chosen).or_report()?;
    if args.color == Color::Stretch && args.range.is_none() {
        let range = stretch_range(&recording, &frames);
        style.coloring = Coloring::Stretch { range };
    }
    let images: Vec<Image> = frames
        .iter()
        .map(|frame| picture(&recording, frame, &view, &style))
        .collect();
    let encoded = if args.animate {
        let span = frames[frames.len() - 1].time - frames[0].time;
        let fps = if span > 0.0 {
            (frames.len() - 1) as f64 / span
        } else {
            1.0
        };
        animated_png(&images, fps)
    } else if let ([image], true) = (images.as_slice(), args.frame.is_some()) {
        image.encode_png()
    } else {
        let labels = frames.iter().map(|f| format!("t = {:.2} s", f.time));
        let labelled: Vec<_> = images.into_iter().zip(labels).collect();
        contact_sheet(&labelled, 4).encode_png()
    };
    write_atomically(&args.out, &encoded.or_report()?).or_report()?;
    say(format!("wrote {}", args.out.display()));
    Ok(ExitCode::SUCCESS)
}

fn choose_frames(args: &RenderArgs, count: usize) -> Result<Vec<usize>> {
    match args.frame.as_deref() {
        None if args.animate => Ok(spread(count, ANIMATION_FRAMES)),
        None => Ok(spread(count, SHEET_FRAMES)),
        Some("last") => Ok(vec![count.saturating_sub(1)]),
        Some(text) => text
            .parse()
            .map(|index| vec![index])
            .map_err(|_| miette!("--frame {text}: give a number (frame 0 is the start) or `last`")),
    }
}

fn style(args: &RenderArgs) -> Result<PictureStyle> {
    // The run's own camera is where the pictures start from; a folder without a scene has the default one.
    let own: CameraSpec = std::fs::read_to_string(args.folder.join("scene.resolved.toml"))
        .ok()
        .and_then(|text| toml_scene(&text))
        .map_or_else(CameraSpec::default, |spec| spec.output.camera);
    let wanted = CameraSpec {
        azimuth: args.azimuth.unwrap_or(own.azimuth),
        elevation: args.elevation.unwrap_or(own.elevation),
        zoom: args.zoom.unwrap_or(own.zoom),
    };
    let usable = wanted.azimuth.is_finite() && wanted.elevation.is_finite();
    if !(usable && wanted.zoom > 0.0 && wanted.zoom.is_finite()) {
        return Err(miette!(
            "--azimuth and --elevation must be finite, --zoom a positive number"
        ));
    }
    if let Some(range) = args
        .range
        .filter(|range| !(*range > 0.0 && range.is_finite()))
    {
        return Err(miette!("--range {range}: must be a positive number"));
    }
    Ok(PictureStyle {
        camera: wanted,
        size: parse_size(&args.size)?,
        coloring: match args.color {
            Color::Cloth => Coloring::Cloth,
            Color::Stretch => Coloring::Stretch {
                range: args.range.map_or(0.0, |range| range as f32),
            },
        },
        wireframe: args.wireframe,
        ..PictureStyle::default()
    })
}

fn toml_scene(text: &str) -> Option<SceneSpec> {
    toile_scene::scene::SceneSource {
        name: String::new(),
        text: text.to_owned(),
        folder: Default::default(),
        overrides: Vec::new(),
    }
    .parse()
    .ok()
}

fn parse_size(text: &str) -> Result<Size> {
    let parsed = text.split_once('x').and_then(|(w, h)| {
        Some(Size {
            width: w.parse().ok()?,
            height: h.parse().ok()?,
        })
    });
    match parsed {
        Some(size)
            if (16..=Size::LARGEST).contains(&size.width)
                && (16..=Size::LARGEST).contains(&size.height) =>
        {
            Ok(size)
        }
        _ => Err(miette!(
            "--size {text}: give WIDTHxHEIGHT in pixels, each from 16 to {}",
            Size::LARGEST
        )),
    }
}
