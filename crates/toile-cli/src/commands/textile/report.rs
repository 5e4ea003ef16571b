//! `toile textile report`: several fabrics, one table and one page.
//!
//! Each fabric's numbers are in a file of their own as soon as they are known, so a report that was stopped goes on.

use super::super::{OrReport, check_out, results_folder};
use super::{Cloth, drape_setup, make_folder, specimen, write_picture};
use crate::args::TextileArgs;
use crate::output::say;
use crate::progress::CountDisplay;
use miette::{Result, miette};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::ExitCode;
use toile_lab::textile::cusick::Support;
use toile_lab::textile::report::{Fabric, Plan, Sheet, page, plots, table};
use toile_scene::run::write_atomically;

/// Specimens of each fabric if nobody says otherwise, as laboratories take.
const SPECIMENS: u32 = 3;

/// What is kept of a fabric, and what it was measured with.
#[derive(Serialize, Deserialize)]
struct Kept {
    measured_with: String,
    sheet: Sheet,
}

pub fn report(args: &TextileArgs) -> Result<ExitCode> {
    if args.fabrics.is_empty() {
        return Err(miette!(
            "a report takes fabrics: names of `toile fabrics`, or files that `toile material fit` wrote"
        ));
    }
    if args.fabric.is_some() || args.material.is_some() || args.refine || args.cut != 0.0 {
        return Err(miette!(
            "a report takes its fabrics after its name, cuts them along warp and weft itself and does not refine: leave out \
             --fabric, --material, --refine and --cut"
        ));
    }
    let usual = results_folder("textile", "report");
    let folder = args.out.as_deref().unwrap_or(&usual);
    let plan = Plan {
        drape: drape_setup(args),
        specimens: args.specimens.unwrap_or(SPECIMENS),
    };
    let fabrics = fabrics(args)?;
    let stems = stems(&fabrics)?;
    for name in files(&stems) {
        check_out(&folder.join(name), args.force || args.resume)?;
    }
    make_folder(folder)?;
    let all = plan.tests() * fabrics.len() as u64;
    let mut progress = CountDisplay::new("test", args.json);
    let mut sheets = Vec::new();
    for (k, (fabric, stem)) in fabrics.iter().zip(&stems).enumerate() {
        let file = folder.join(format!("{stem}.json"));
        let measured_with = format!("{fabric:?} {plan:?} {}", env!("CARGO_PKG_VERSION"));
        if args.resume
            && let Some(sheet) = kept(&file, &measured_with)?
        {
            sheets.push(sheet);
            continue;
        }
        let mut done = k as u64 * plan.tests();
        let measured = plan.measure(fabric, &mut |test| {
            done += 1;
            progress.show(done, all, &format!("{}: {test}", fabric.name));
        });
        let measured = measured.map_err(|error| miette!("{}: {error}", fabric.name))?;
        for (end, image) in &measured.pictures {
            write_picture(&folder.join(format!("{stem}-{end}.png")), image)?;
        }
        let kept = Kept {
            measured_with,
            sheet: measured.sheet,
        };
        let json = serde_json::to_vec_pretty(&kept).or_report()?;
        write_atomically(&file, &json).or_report()?;
        sheets.push(kept.sheet);
    }
    progress.finish();
    let csv = table(&sheets).or_report()?;
    write_atomically(&folder.join("report.csv"), &csv).or_report()?;
    for (name, image) in plots(&sheets) {
        write_picture(&folder.join(format!("{name}.png")), &image)?;
    }
    let html = page(&sheets, &stems, &about(args, &plan));
    write_atomically(&folder.join("index.html"), html.as_bytes()).or_report()?;
    if args.json {
        say(serde_json::to_string_pretty(&sheets).or_report()?);
    } else {
        say(String::from_utf8_lossy(&csv).trim_end());
        say(format!("wrote {}", folder.join("index.html").display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// The fabrics of the command line: a name, or a file if it is called like one.
fn fabrics(args: &TextileArgs) -> Result<Vec<Fabric>> {
    let of = |given: &String| {
        let path = Path::new(given);
        let is_file = path.extension().is_some_and(|e| e == "toml");
        let cloth = Cloth {
            model: args.model.as_deref(),
            fabric: (!is_file).then_some(given.as_str()),
            material: is_file.then_some(path),
            overrides: &args.overrides,
        };
        let name = path.file_stem().filter(|_| is_file);
        let specimen = specimen(&cloth)?;
        // Before any is measured: a slip in the last would else be heard of after an hour.
        let checked = specimen.check();
        checked.map_err(|error| miette!("{given}: {error}"))?;
        Ok(Fabric {
            name: name.map_or_else(|| given.clone(), |stem| stem.to_string_lossy().into_owned()),
            specimen,
        })
    };
    args.fabrics.iter().map(of).collect()
}

/// How the files of each fabric begin.
fn stems(fabrics: &[Fabric]) -> Result<Vec<String>> {
    let letter = |c: char| {
        if c.is_alphanumeric() || "-_".contains(c) {
            c
        } else {
            '_'
        }
    };
    let stem = |fabric: &Fabric| fabric.name.chars().map(letter).collect::<String>();
    let stems: Vec<String> = fabrics.iter().map(stem).collect();
    for (k, stem) in stems.iter().enumerate() {
        if stems[..k].contains(stem) {
            let name = &fabrics[k].name;
            return Err(miette!(
                "two fabrics are called `{name}`; give each a name of its own"
            ));
        }
        if ["drape", "folds"].contains(&stem.as_str()) {
            return Err(miette!(
                "a plot of the page is called `{stem}`; give the fabric another name"
            ));
        }
    }
    Ok(stems)
}

/// All that a report writes.
fn files(stems: &[String]) -> Vec<String> {
    let ends = [".json", "-drape.png", "-profile.png"];
    let of_fabric = |stem: &String| ends.map(|end| format!("{stem}{end}"));
    let all = ["report.csv", "index.html", "drape.png", "folds.png"].map(str::to_owned);
    all.into_iter()
        .chain(stems.iter().flat_map(of_fabric))
        .collect()
}

/// What is known of a fabric. A file that says something else is not replaced.
fn kept(file: &Path, measured_with: &str) -> Result<Option<Sheet>> {
    let Ok(text) = std::fs::read(file) else {
        return Ok(None);
    };
    let kept: Option<Kept> = serde_json::from_slice(&text).ok();
    match kept.filter(|kept| kept.measured_with == measured_with) {
        Some(kept) => Ok(Some(kept.sheet)),
        None => Err(miette!(
            "{} is not of these tests and this fabric, so there is nothing to go on with; choose another folder with -o, or let \
             it be replaced with --force in place of --resume",
            file.display()
        )),
    }
}

fn about(args: &TextileArgs, plan: &Plan) -> String {
    let drape = &plan.drape;
    let support = match drape.support {
        Support::Ring => "the rim's slope free",
        Support::Clamped => "clamped",
        Support::Disc { .. } => "on a disc",
    };
    format!(
        "Simulated with toile {}, model {}: drape after Cusick ({:.0} cm over {:.0} cm, {support}, {} nodes, {} specimens of each fabric, \
         mean ± standard deviation), bending by the cantilever (ASTM D1388), stretch of a strip of 20 × 5 cm, shear in a frame",
        env!("CARGO_PKG_VERSION"),
        args.model.as_deref().unwrap_or("tension-field"),
        200.0 * drape.specimen_radius,
        200.0 * drape.support_radius,
        drape.nodes,
        plan.specimens
    )
}
