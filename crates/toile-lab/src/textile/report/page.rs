//! The page of a report. It stands beside its pictures and needs nothing else.

use super::{Sheet, Spread};
use std::fmt::Write as _;
use toile_scene::report::escape;

const STYLE: &str = "\
:root { color-scheme: light; font: 16px/1.5 system-ui, sans-serif; color: #1c2126; background: #fff; }
body { max-width: 76rem; margin: 2rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; }
p { margin: .25rem 0 1rem; color: #4a545e; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .7rem; text-align: right; border-bottom: 1px solid #dde2e7; white-space: nowrap; }
th { font-weight: 600; vertical-align: bottom; }
th small { display: block; font-weight: 400; color: #4a545e; }
th:first-child, td:first-child { text-align: left; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1rem; }
figure { margin: 0; }
img { width: 100%; height: auto; border-radius: 4px; background: #f3f5f7; }
figcaption { font-size: .9rem; color: #4a545e; }
.photo { display: grid; place-content: center; aspect-ratio: 4 / 3; text-align: center; color: #6b7680;
  border: 1px dashed #aeb7c0; border-radius: 4px; padding: 1rem; }
ul { margin: .25rem 0 1rem; padding-left: 1.2rem; color: #8a3b12; }
";

/// The page of these sheets, whose pictures begin with `stems`; `about` says how they were measured.
pub fn page(sheets: &[Sheet], stems: &[String], about: &str) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>Textile tests</title>\n<style>\n{STYLE}</style>\n\
         <h1>Textile tests</h1>\n<p>{}. The same numbers are in <a href=\"report.csv\">report.csv</a>.</p>\n",
        escape(about)
    );
    out.push_str(&table(sheets));
    out.push_str(
        "<h2>Together</h2>\n<div class=\"pictures\">\n\
         <figure><img src=\"drape.png\" alt=\"Drape coefficient against bending length\"></figure>\n\
         <figure><img src=\"folds.png\" alt=\"Number of folds against drape coefficient\"></figure>\n</div>\n",
    );
    for (sheet, stem) in sheets.iter().zip(stems) {
        fabric(&mut out, sheet, &escape(stem));
    }
    out.push_str("</html>\n");
    out
}

/// A fabric's pictures, with a place for a photograph of the real one.
fn fabric(out: &mut String, sheet: &Sheet, stem: &str) {
    let name = escape(&sheet.fabric);
    let _ = write!(out, "<h2>{name}</h2>\n<div class=\"pictures\">\n");
    if !sheet.coefficients.is_empty() {
        let _ = write!(
            out,
            "<figure><img src=\"{stem}-drape.png\" alt=\"{name}, draped\"><figcaption>draped, the first specimen</figcaption></figure>\n\
             <figure><img src=\"{stem}-profile.png\" alt=\"Outline of {name} from above\"><figcaption>from above</figcaption></figure>\n"
        );
    }
    // A photograph that is not there gives way to the words that ask for it.
    let _ = write!(
        out,
        "<figure><img src=\"{stem}.jpg\" alt=\"{name}, a photograph\" \
         onerror=\"this.hidden=true;this.nextElementSibling.hidden=false\">\
         <div class=\"photo\" hidden>put a photograph here:<br>{stem}.jpg</div><figcaption>measured</figcaption></figure>\n</div>\n"
    );
    if !sheet.missing.is_empty() {
        let lines = sheet
            .missing
            .iter()
            .map(|m| format!("<li>{}</li>", escape(m)));
        let _ = writeln!(out, "<ul>{}</ul>", lines.collect::<String>());
    }
}

fn table(sheets: &[Sheet]) -> String {
    let mut out = String::from(
        "<div class=\"wide\"><table>\n<tr><th>Fabric</th><th>Mass<small>g/m²</small></th><th>Drape<small>%</small></th><th>Folds</th>\
         <th>Bending length<small>cm, warp / weft</small></th><th>Rigidity<small>µN·m, warp / weft</small></th>\
         <th>Stretch<small>N/m, warp / weft</small></th><th>Shear<small>N/m per rad</small></th></tr>\n",
    );
    let pair = |values: [Option<f64>; 2], digits: usize| {
        let written = values.map(|v| number(v, digits));
        format!("{} / {}", written[0], written[1])
    };
    for sheet in sheets {
        let percent = sheet.coefficient().map(|s| Spread {
            mean: 100.0 * s.mean,
            deviation: s.deviation.map(|d| 100.0 * d),
            ..s
        });
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(&sheet.fabric),
            number(Some(1e3 * sheet.density), 0),
            spread(percent),
            spread(sheet.fold_count()),
            pair(sheet.bending.map(|b| Some(100.0 * b?.length)), 2),
            pair(sheet.bending.map(|b| Some(1e6 * b?.rigidity)), 2),
            pair(sheet.stretch, 0),
            number(sheet.shear, 1),
        );
    }
    out.push_str("</table></div>\n");
    out
}

fn number(value: Option<f64>, digits: usize) -> String {
    let known = value.filter(|v| v.is_finite());
    known.map_or("–".into(), |v| format!("{v:.digits$}"))
}

/// Mean and deviation, if there is any.
fn spread(spread: Option<Spread>) -> String {
    let Some(Spread {
        mean, deviation, ..
    }) = spread
    else {
        return "–".into();
    };
    match deviation {
        Some(deviation) => format!("{mean:.1} ± {deviation:.1}"),
        None => format!("{mean:.1}"),
    }
}
