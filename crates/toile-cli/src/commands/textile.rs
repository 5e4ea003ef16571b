//! `toile textile`.

mod report;

use super::{OrReport, check_out};
use crate::args::{SupportName, TestName, TextileArgs};
use crate::output::say;
use crate::progress::CountDisplay;
use miette::{Result, miette};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use toile_lab::textile::cusick::Drape;
use toile_lab::textile::{
    Method, Rest, Specimen, Spread, bias, cantilever, cusick, hanging, report as report_of,
    shear_frame, tensile,
};
use toile_render::Image;
use toile_scene::files::read_input_text;
use toile_scene::run::write_atomically;
use toile_scene::scene::{SceneSource, parse_override};

/// What a test has to show.
struct Shown {
    lines: Vec<String>,
    json: Value,
    table: Table,
    pictures: Vec<(&'static str, Image)>,
}

/// What `-o` gets as a CSV file.
struct Table {
    columns: &'static [&'static str],
    rows: Vec<Vec<f64>>,
}

pub fn textile(args: &TextileArgs) -> Result<ExitCode> {
    args.work.apply()?;
    if args.test == TestName::Report {
        return report::report(args);
    }
    refuse_idle(args)?;
    if let Some(folder) = &args.out {
        for name in files_of(args.test) {
            check_out(&folder.join(name), args.force)?;
        }
    }
    let specimen = specimen(&Cloth {
        model: args.model.as_deref(),
        fabric: args.fabric.as_deref(),
        material: args.material.as_deref(),
        overrides: &args.overrides,
    })?;
    let specimen = specimen.cut_at(args.cut);
    let shown = match args.test {
        TestName::Cusick => drape(args, &specimen)?,
        TestName::Cantilever => overhang(args, &specimen)?,
        TestName::Tensile => pull(args, &specimen)?,
        TestName::Bias => shear_in_bias(args, &specimen)?,
        TestName::Shear => shear_in_frame(args, &specimen)?,
        TestName::Hanging => hang(args, &specimen)?,
        TestName::Report => return report::report(args),
    };
    if args.json {
        say(serde_json::to_string_pretty(&shown.json).or_report()?);
    } else {
        shown.lines.iter().for_each(say);
    }
    if let Some(folder) = &args.out {
        make_folder(folder)?;
        let name = files_of(args.test)[0];
        write_atomically(&folder.join(name), shown.table.text().as_bytes()).or_report()?;
        for (name, image) in &shown.pictures {
            write_picture(&folder.join(format!("{name}.png")), image)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What this test does not look at is not passed over in silence.
fn refuse_idle(args: &TextileArgs) -> Result<()> {
    if let Some(fabric) = args.fabrics.first() {
        return Err(miette!(
            "`{fabric}`: only `textile report` takes several fabrics; this test has --fabric NAME and --material FILE"
        ));
    }
    if args.resume {
        return Err(miette!("--resume is for `textile report`"));
    }
    let drapes = args.test == TestName::Cusick;
    if args.specimens.is_some() && (!drapes || args.refine) {
        return Err(miette!(
            "--specimens is for cusick without --refine, and for report: the other tests come out the same every time"
        ));
    }
    Ok(())
}

/// What a test leaves in `-o`: numbers, then pictures.
fn files_of(test: TestName) -> &'static [&'static str] {
    match test {
        TestName::Cusick => &["cusick.csv", "cusick.png", "profile.png"],
        TestName::Cantilever => &["cantilever.csv", "cantilever.png"],
        TestName::Bias => &["bias.csv", "bias.png"],
        TestName::Hanging => &["hanging.csv", "hanging.png"],
        TestName::Tensile => &["tensile.csv", "tensile.png"],
        TestName::Shear => &["shear.csv", "shear.png"],
        TestName::Report => &[],
    }
}

impl Table {
    fn text(&self) -> String {
        let mut text = self.columns.join(",") + "\n";
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(f64::to_string).collect();
            text += &(cells.join(",") + "\n");
        }
        text
    }
}

fn make_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| miette!("{}: {error}", folder.display()))
}

fn write_picture(path: &Path, image: &Image) -> Result<()> {
    write_atomically(path, &image.encode_png().or_report()?).or_report()
}

/// How the command line describes a piece of cloth.
#[derive(Clone, Copy, Default)]
pub(super) struct Cloth<'a> {
    pub model: Option<&'a str>,
    pub fabric: Option<&'a str>,
    pub material: Option<&'a Path>,
    pub overrides: &'a [String],
}

/// The piece of cloth.
pub(super) fn specimen(cloth: &Cloth) -> Result<Specimen> {
    let field = |name: &str, value: &str| {
        let value = toml_string(value);
        parse_override(&format!("cloth.specimen.{name}={value}"))
    };
    let mut changes = vec![field("model", cloth.model.unwrap_or("tension-field")).or_report()?];
    if let Some(fabric) = cloth.fabric {
        changes.push(field("material.fabric", fabric).or_report()?);
    }
    for change in cloth.overrides {
        let field = field_of_cloth(change);
        let parsed = parse_override(&format!("cloth.specimen.{field}"));
        changes.push(parsed.map_err(|message| miette!("--set {message}"))?);
    }
    let (name, material) = match cloth.material {
        None => ("the specimen".to_owned(), String::new()),
        // Its lines are not those of the file.
        Some(path) => {
            let name = format!("the material of {}", path.display());
            (name, material_of(path)?)
        }
    };
    let mesh = "mesh.grid = { size = [0.1, 0.1], cells = [2, 2] }\nthickness = 5e-4\n";
    let source = SceneSource {
        name,
        text: format!("[cloth.specimen]\n{mesh}{material}"),
        folder: Default::default(),
        overrides: changes,
    };
    let spec = source.parse()?;
    Ok(Specimen::of_cloth(&spec.cloth["specimen"]))
}

/// The material of the only cloth in a file, as that of the specimen.
fn material_of(path: &Path) -> Result<String> {
    let place = path.display();
    let text = read_input_text(path).map_err(|error| miette!("{place}: {error}"))?;
    let file: toml::Table = text.parse().map_err(|error| miette!("{place}: {error}"))?;
    let cloths = file.get("cloth").and_then(toml::Value::as_table);
    let mut materials = cloths.into_iter().flatten();
    let example = "it has a table [cloth.NAME.material], as `toile material fit` writes it";
    let (Some((name, cloth)), None) = (materials.next(), materials.next()) else {
        return Err(miette!(
            "{place}: a material file describes one cloth, and this has {}; {example}",
            cloths.map_or(0, toml::Table::len)
        ));
    };
    let material = cloth.get("material").and_then(toml::Value::as_table);
    let Some(material) = material else {
        return Err(miette!(
            "{place}: cloth `{name}` has no material; {example}"
        ));
    };
    let table =
        |value: toml::Table| toml::Table::from_iter([("specimen".to_owned(), value.into())]);
    let wrapped = toml::Table::from_iter([("material".to_owned(), material.clone().into())]);
    let whole = toml::Table::from_iter([("cloth".to_owned(), table(wrapped).into())]);
    toml::to_string(&whole).or_report()
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

/// The drape test that the command line asks for.
fn drape_setup(args: &TextileArgs) -> cusick::Setup {
    let start = cusick::Setup::default();
    cusick::Setup {
        specimen_radius: args.radius,
        support_radius: args.support_radius,
        nodes: args.nodes.unwrap_or(start.nodes),
        support: match args.support {
            SupportName::Ring => cusick::Support::Ring,
            SupportName::Clamped => cusick::Support::Clamped,
            SupportName::Disc => cusick::Support::Disc {
                friction: 0.3,
                rounding: 2e-3,
            },
        },
        rest: rest(args, Rest::let_down(args.seed), Method::Dynamic),
        ..start
    }
}

fn drape(args: &TextileArgs, specimen: &Specimen) -> Result<Shown> {
    let setup = drape_setup(args);
    if args.refine {
        return refined_drape(&setup, specimen);
    }
    let count = args.specimens.unwrap_or(1);
    let mut drapes = Vec::new();
    let mut progress = CountDisplay::new("specimen", args.json || count == 1);
    for found in report_of::drapes(&setup, count, specimen) {
        drapes.push(found.or_report()?);
        let percent = 100.0 * drapes.last().map_or(0.0, |d| d.coefficient);
        progress.show(
            drapes.len() as u64,
            count.into(),
            &format!("{percent:.1} %"),
        );
    }
    progress.finish();
    let folds = |d: &Drape| d.folds.crests.len();
    let mut lines = Vec::new();
    for (k, d) in drapes.iter().enumerate().filter(|_| count > 1) {
        let (percent, folds) = (100.0 * d.coefficient, folds(d));
        lines.push(format!(
            "specimen {:<9} {percent:.1} %, {folds} folds",
            k + 1
        ));
    }
    let spread = |value: &dyn Fn(&Drape) -> f64| {
        let values: Vec<f64> = drapes.iter().map(value).collect();
        Spread::of(&values)
    };
    let coefficient = spread(&|d| d.coefficient);
    let number = spread(&|d| folds(d) as f64);
    let amplitude = spread(&|d| d.folds.amplitude);
    let [Some(coefficient), Some(number), Some(amplitude)] = [coefficient, number, amplitude]
    else {
        return Err(miette!("there was no specimen"));
    };
    let first = &drapes[0];
    lines.extend([
        format!("drape coefficient  {} %", mean(&coefficient, 100.0, 1)),
        format!(
            "folds              {}",
            mean(&number, 1.0, if count > 1 { 1 } else { 0 })
        ),
        format!("amplitude          {} mm", mean(&amplitude, 1e3, 1)),
        format!("nodes              {}", first.nodes),
    ]);
    let mut told = described(first);
    told["test"] = "cusick".into();
    if count > 1 {
        told["drape_coefficient"] = coefficient.mean.into();
        told["drape_coefficient_deviation"] = coefficient.deviation.into();
        told["folds"] = number.mean.into();
        told["folds_deviation"] = number.deviation.into();
        told["specimens"] = drapes.iter().map(described).collect();
    }
    Ok(Shown {
        lines,
        json: told,
        table: drape_table(&drapes),
        pictures: vec![("cusick", first.picture()), ("profile", first.profile())],
    })
}

/// `52.1`, or `52.1 ± 1.3` of several.
fn mean(spread: &Spread, unit: f64, digits: usize) -> String {
    let mean = unit * spread.mean;
    match spread.deviation {
        None => format!("{mean:.digits$}"),
        Some(deviation) => format!("{mean:.digits$} ± {:.digits$}", unit * deviation),
    }
}

fn refined_drape(setup: &cusick::Setup, specimen: &Specimen) -> Result<Shown> {
    let refined = setup.run_refined(specimen).or_report()?;
    let (limit, coarse, fine) = (refined.extrapolated(), &refined.coarse, &refined.fine);
    let folds = fine.folds.crests.len();
    let percent = |share: f64| 100.0 * share;
    let mut told = described(fine);
    told["test"] = "cusick".into();
    told["coarse_drape_coefficient"] = coarse.coefficient.into();
    told["extrapolated_drape_coefficient"] = limit.into();
    Ok(Shown {
        lines: vec![
            format!("drape coefficient  {:.1} %", percent(fine.coefficient)),
            format!("folds              {folds}"),
            format!("amplitude          {:.1} mm", 1e3 * fine.folds.amplitude),
            format!("nodes              {}", fine.nodes),
            format!(
                "on coarser mesh    {:.1} % ({} nodes)",
                percent(coarse.coefficient),
                coarse.nodes
            ),
            format!("without mesh       {:.1} % (extrapolated)", percent(limit)),
        ],
        json: told,
        pictures: vec![("cusick", fine.picture()), ("profile", fine.profile())],
        table: drape_table(&[refined.coarse, refined.fine]),
    })
}

fn described(drape: &Drape) -> Value {
    let crests = drape.folds.crests.iter().map(|c| c.to_degrees());
    json!({
        "drape_coefficient": drape.coefficient,
        "folds": drape.folds.crests.len(),
        "crests_degrees": crests.collect::<Vec<_>>(),
        "amplitude_m": drape.folds.amplitude,
        "nodes": drape.nodes,
        "density": drape.density,
        "outline_m": drape.outline,
    })
}

fn drape_table(drapes: &[Drape]) -> Table {
    let row = |d: &Drape| {
        let folds = d.folds.crests.len() as f64;
        vec![d.coefficient, folds, d.folds.amplitude, d.nodes as f64]
    };
    Table {
        columns: &["drape_coefficient", "folds", "amplitude_m", "nodes"],
        rows: drapes.iter().map(row).collect(),
    }
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
        table: Table {
            columns: &[
                "overhang_m",
                "angle_degrees",
                "bending_length_m",
                "peirce_rigidity_n_m",
                "elastica_rigidity_n_m",
            ],
            rows: vec![vec![
                found.overhang,
                found.angle,
                found.bending_length,
                found.rigidity,
                found.exact_rigidity,
            ]],
        },
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
        table: Table {
            columns: &["extension", "force_n_per_m"],
            rows: curve.iter().map(|row| row.to_vec()).collect(),
        },
        pictures: vec![("tensile", found.picture())],
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
        table: Table {
            columns: &[
                "displacement_m",
                "force_n_per_m",
                "angle_rad",
                "trellis_angle_rad",
            ],
            rows: curve.iter().map(|row| row.to_vec()).collect(),
        },
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
        table: Table {
            columns: &["angle_rad", "force_n_per_m"],
            rows: curve.iter().map(|row| row.to_vec()).collect(),
        },
        pictures: vec![("shear", found.picture())],
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
        table: Table {
            columns: &["shadow_from_above", "shadows_from_the_sides", "drop_m"],
            rows: vec![vec![found.from_above, found.from_the_sides, found.drop]],
        },
        pictures: vec![("hanging", found.picture())],
    })
}
