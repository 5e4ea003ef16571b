//! `toile textile`.

use super::{OrReport, check_out};
use crate::args::{SupportName, TestName, TextileArgs};
use crate::output::say;
use miette::{Result, miette};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toile_lab::textile::{
    Method, Rest, Specimen, bias, cantilever, cusick, hanging, shear_frame, tensile,
};
use toile_render::Image;
use toile_scene::run::write_atomically;
use toile_scene::scene::{SceneSource, parse_override};

/// What a test has to show.
struct Shown {
    lines: Vec<String>,
    json: Value,
    pictures: Vec<(&'static str, Image)>,
}

pub fn textile(args: &TextileArgs) -> Result<ExitCode> {
    args.work.apply()?;
    if let Some(folder) = &args.out {
        for name in pictures_of(args.test) {
            check_out(&picture_file(folder, name), args.force)?;
        }
    }
    let specimen = specimen(
        args.model.as_deref(),
        args.fabric.as_deref(),
        &args.overrides,
    )?;
    let specimen = specimen.cut_at(args.cut);
    let shown = match args.test {
        TestName::Cusick => drape(args, &specimen)?,
        TestName::Cantilever => overhang(args, &specimen)?,
        TestName::Tensile => pull(args, &specimen)?,
        TestName::Bias => shear_in_bias(args, &specimen)?,
        TestName::Shear => shear_in_frame(args, &specimen)?,
        TestName::Hanging => hang(args, &specimen)?,
    };
    if args.json {
        say(serde_json::to_string_pretty(&shown.json).or_report()?);
    } else {
        shown.lines.iter().for_each(say);
    }
    if let Some(folder) = &args.out {
        for (name, image) in &shown.pictures {
            write_picture(folder, name, image)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What the pictures of a test are called.
fn pictures_of(test: TestName) -> &'static [&'static str] {
    match test {
        TestName::Cusick => &["cusick", "profile"],
        TestName::Cantilever => &["cantilever"],
        TestName::Bias => &["bias"],
        TestName::Hanging => &["hanging"],
        TestName::Tensile | TestName::Shear => &[],
    }
}

fn picture_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.png"))
}

fn write_picture(folder: &Path, name: &str, image: &Image) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| miette!("{}: {error}", folder.display()))?;
    let path = picture_file(folder, name);
    write_atomically(&path, &image.encode_png().or_report()?).or_report()
}

/// The piece of cloth that the command line describes.
pub(super) fn specimen(
    model: Option<&str>,
    fabric: Option<&str>,
    overrides: &[String],
) -> Result<Specimen> {
    let default = if fabric.is_some() {
        "kawabata"
    } else {
        "baraff-witkin"
    };
    let field = |name: &str, value: &str| {
        let value = toml_string(value);
        parse_override(&format!("cloth.specimen.{name}={value}"))
    };
    let mut changes = vec![field("model", model.unwrap_or(default)).or_report()?];
    if let Some(fabric) = fabric {
        changes.push(field("material.fabric", fabric).or_report()?);
    }
    for change in overrides {
        let field = field_of_cloth(change);
        let parsed = parse_override(&format!("cloth.specimen.{field}"));
        changes.push(parsed.map_err(|message| miette!("--set {message}"))?);
    }
    let source = SceneSource {
        name: "the specimen".into(),
        text: "[cloth.specimen]\nmesh.grid = { size = [0.1, 0.1], cells = [2, 2] }\nthickness = 5e-4\n"
            .into(),
        folder: Default::default(),
        overrides: changes,
    };
    let spec = source.parse()?;
    Ok(Specimen::of_cloth(&spec.cloth["specimen"]))
}

/// `material.bend=1e-5` of `cloth.NAME.material.bend=1e-5`: there is only one cloth, whatever a scene calls
/// it. What begins with the field itself is taken as it is.
pub(super) fn field_of_cloth(change: &str) -> &str {
    let name_and_field = change.trim().strip_prefix("cloth.");
    let field = name_and_field.and_then(|rest| rest.split_once('.'));
    field.map_or(change, |(_, field)| field)
}

fn toml_string(value: &str) -> String {
    format!("\"{}\"", value.replace(['"', '\\'], ""))
}

fn rest(args: &TextileArgs, start: Rest, usual: Method) -> Rest {
    let method = match (args.dynamic, args.static_) {
        (true, _) => Method::Dynamic,
        (_, true) => Method::Static,
        _ => usual,
    };
    Rest {
        method,
        seed: args.seed,
        ..start
    }
}

fn drape(args: &TextileArgs, specimen: &Specimen) -> Result<Shown> {
    let start = cusick::Setup::default();
    let setup = cusick::Setup {
        specimen_radius: args.radius,
        nodes: args.nodes.unwrap_or(start.nodes),
        support: match args.support {
            SupportName::Ring => cusick::Support::Ring,
            SupportName::Clamped => cusick::Support::Clamped,
            SupportName::Disc => cusick::Support::Disc {
                friction: 0.3,
                rounding: 2e-3,
            },
        },
        rest: rest(args, start.rest, Method::Dynamic),
        ..start
    };
    let (found, extrapolated, coarse) = if args.refine {
        let refined = setup.run_refined(specimen).or_report()?;
        let extrapolated = refined.extrapolated();
        (refined.fine, Some(extrapolated), Some(refined.coarse))
    } else {
        (setup.run(specimen).or_report()?, None, None)
    };
    let (percent, folds) = (100.0 * found.coefficient, found.folds.crests.len());
    let crests: Vec<f64> = found.folds.crests.iter().map(|c| c.to_degrees()).collect();
    let mut lines = vec![
        format!("drape coefficient  {percent:.1} %"),
        format!("folds              {folds}"),
        format!("amplitude          {:.1} mm", 1e3 * found.folds.amplitude),
        format!("nodes              {}", found.nodes),
    ];
    if let (Some(limit), Some(coarse)) = (extrapolated, &coarse) {
        lines.push(format!(
            "on coarser mesh    {:.1} % ({} nodes)",
            100.0 * coarse.coefficient,
            coarse.nodes
        ));
        lines.push(format!(
            "without mesh       {:.1} % (extrapolated)",
            100.0 * limit
        ));
    }
    Ok(Shown {
        lines,
        json: json!({
            "test": "cusick",
            "drape_coefficient": found.coefficient,
            "coarse_drape_coefficient": coarse.map(|c| c.coefficient),
            "extrapolated_drape_coefficient": extrapolated,
            "folds": folds,
            "crests_degrees": crests,
            "amplitude_m": found.folds.amplitude,
            "nodes": found.nodes,
            "density": found.density,
            "outline_m": found.outline,
        }),
        pictures: vec![("cusick", found.picture()), ("profile", found.profile())],
    })
}

fn overhang(args: &TextileArgs, specimen: &Specimen) -> Result<Shown> {
    let start = cantilever::Setup::default();
    let setup = cantilever::Setup {
        rest: rest(args, start.rest, Method::Auto),
        ..start
    };
    let found = setup.run(specimen).or_report()?;
    Ok(Shown {
        lines: vec![
            format!(
                "overhang          {:.2} cm at {:.2}°",
                100.0 * found.overhang,
                found.angle
            ),
            format!("bending length    {:.2} cm", 100.0 * found.bending_length),
            format!("Peirce's rigidity {:.4e} N·m", found.rigidity),
            format!("elastica's        {:.4e} N·m", found.exact_rigidity),
        ],
        json: json!({
            "test": "cantilever",
            "overhang_m": found.overhang,
            "angle_degrees": found.angle,
            "bending_length_m": found.bending_length,
            "peirce_rigidity": found.rigidity,
            "elastica_rigidity": found.exact_rigidity,
            "density": found.density,
        }),
        pictures: vec![("cantilever", found.picture())],
    })
}

fn pull(args: &TextileArgs, specimen: &Specimen) -> Result<Shown> {
    let start = tensile::Setup::default();
    let setup = tensile::Setup {
        rest: rest(args, start.rest, Method::Auto),
        ..start
    };
    let found = setup.run(specimen).or_report()?;
    let mut lines = vec!["extension    force (N/m)".to_owned()];
    let rows = found.curve.iter();
    lines.extend(rows.map(|p| format!("{:8.3} %  {:12.3}", 100.0 * p.extension, p.force)));
    if let Some(stiffness) = found.stiffness {
        lines.push(format!("first slope  {stiffness:.1} N/m"));
    }
    let curve: Vec<[f64; 2]> = found.curve.iter().map(|p| [p.extension, p.force]).collect();
    Ok(Shown {
        lines,
        json: json!({ "test": "tensile", "curve": curve, "stiffness": found.stiffness }),
        pictures: Vec::new(),
    })
}

fn shear_in_bias(args: &TextileArgs, specimen: &Specimen) -> Result<Shown> {
    let start = bias::Setup::default();
    let setup = bias::Setup {
        rest: rest(args, start.rest, Method::Auto),
        ..start
    };
    let found = setup.run(specimen).or_report()?;
    let mut lines = vec!["displacement  force (N/m)    angle  trellis".to_owned()];
    lines.extend(found.curve.iter().map(|p| {
        format!(
            "{:9.2} mm  {:11.3}  {:6.2}°  {:6.2}°",
            1e3 * p.displacement,
            p.force,
            p.angle.to_degrees(),
            p.trellis.to_degrees()
        )
    }));
    let curve = found.curve.iter();
    let curve: Vec<[f64; 4]> = curve
        .map(|p| [p.displacement, p.force, p.angle, p.trellis])
        .collect();
    Ok(Shown {
        lines,
        json: json!({ "test": "bias", "columns": ["displacement_m", "force", "angle", "trellis_angle"], "curve": curve }),
        pictures: vec![("bias", found.picture())],
    })
}

fn shear_in_frame(args: &TextileArgs, specimen: &Specimen) -> Result<Shown> {
    let start = shear_frame::Setup::default();
    let setup = shear_frame::Setup {
        rest: rest(args, start.rest, Method::Static),
        ..start
    };
    let found = setup.run(specimen).or_report()?;
    let mut lines = vec!["angle   force (N/m)".to_owned()];
    let rows = found.curve.iter();
    lines.extend(rows.map(|p| format!("{:5.2}°  {:10.3}", p.angle.to_degrees(), p.force)));
    lines.push(format!("stiffness  {:.2} N/m per rad", found.stiffness));
    let curve: Vec<[f64; 2]> = found.curve.iter().map(|p| [p.angle, p.force]).collect();
    Ok(Shown {
        lines,
        json: json!({ "test": "shear", "curve": curve, "stiffness": found.stiffness }),
        pictures: Vec::new(),
    })
}

fn hang(args: &TextileArgs, specimen: &Specimen) -> Result<Shown> {
    let start = hanging::Setup::default();
    let cells = args.nodes.map(|n| f64::from(n).sqrt().round() as u32);
    let setup = hanging::Setup {
        cells: cells.map_or(start.cells, |n| n.saturating_sub(1).clamp(2, 300)),
        rest: rest(args, start.rest, Method::Auto),
        ..start
    };
    let found = setup.run(specimen).or_report()?;
    Ok(Shown {
        lines: vec![
            format!(
                "shadow from above      {:.1} % of the square",
                100.0 * found.from_above
            ),
            format!(
                "shadows from the sides {:.1} %",
                100.0 * found.from_the_sides
            ),
            format!("drop                   {:.1} cm", 100.0 * found.drop),
        ],
        json: json!({
            "test": "hanging",
            "shadow_from_above": found.from_above,
            "shadows_from_the_sides": found.from_the_sides,
            "drop_m": found.drop,
        }),
        pictures: vec![("hanging", found.picture())],
    })
}
