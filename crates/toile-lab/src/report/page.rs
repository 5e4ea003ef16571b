//! The page itself: the template with the results filled in.

use super::media::Shown;
use super::scale::{drawing, figure};
use crate::outcome::{Measurement, Outcome};
use crate::results::DamagedResult;
use std::path::Path;
use toile_scene::report::{escape, length};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Everything the page shows.
pub(super) struct Page<'a> {
    pub sections: Vec<Section<'a>>,
    pub damaged: &'a [DamagedResult],
    /// The player without a recording, as [`shell_json`] has it.
    pub shell: String,
    pub budget_bytes: usize,
}

/// One experiment.
pub(super) struct Section<'a> {
    pub outcome: &'a Outcome,
    /// What became of its pictures and of its clips.
    pub pictures: Vec<Shown>,
    pub clips: Vec<Shown>,
}

impl Page<'_> {
    /// The page as text.
    pub fn write(&self) -> String {
        let mut out = String::new();
        // One pass over the template: what is filled in is never searched for places again.
        for (index, piece) in TEMPLATE.split("{{").enumerate() {
            match (index, piece.split_once("}}")) {
                (1.., Some((name, text))) => {
                    out += &self.value(name);
                    out += text;
                }
                _ => out += piece,
            }
        }
        out
    }

    fn value(&self, name: &str) -> String {
        let outcomes = || self.sections.iter().map(|s| s.outcome);
        let failed = outcomes().filter(|o| !o.holds()).count();
        match name {
            "style" => STYLE.to_owned(),
            "script" => SCRIPT.to_owned(),
            "shell" => self.shell(),
            "headline" => match failed {
                0 => "Every verdict holds".to_owned(),
                1 => "One experiment has verdicts that fail".to_owned(),
                n => format!("{n} experiments have verdicts that fail"),
            },
            "summary" => self.summary(),
            "problems" => self.problems(),
            "all" => outcomes().count().to_string(),
            "failed" => failed.to_string(),
            "no-failed" if failed == 0 => " disabled".to_owned(),
            "rows" => outcomes().map(overview_row).collect(),
            "sections" => self.sections.iter().map(Section::write).collect(),
            "size-note" => self.size_note(),
            _ => String::new(),
        }
    }

    /// The shell is needed only where a clip is.
    fn shell(&self) -> String {
        let clip = |shown: &Shown| matches!(shown, Shown::Clip(_));
        match self.sections.iter().any(|s| s.clips.iter().any(clip)) {
            true => self.shell.clone(),
            false => "[]".to_owned(),
        }
    }

    fn summary(&self) -> String {
        let outcomes = || self.sections.iter().map(|s| s.outcome);
        let verdicts: usize = outcomes().map(|o| o.measurements.len()).sum();
        let held: usize = outcomes().map(Outcome::held).sum();
        let quick = outcomes().filter(|o| o.quick).count();
        let count = self.sections.len();
        let versions = match quick {
            0 => "full versions".to_owned(),
            n if n == count => "short versions".to_owned(),
            n => format!("{n} of them short versions"),
        };
        let seconds = outcomes().map(|o| o.seconds).sum();
        let experiments = if count == 1 {
            "experiment"
        } else {
            "experiments"
        };
        format!(
            "{count} {experiments} · {versions} · {held} of {verdicts} verdicts hold · {}",
            duration(seconds)
        )
    }

    fn problems(&self) -> String {
        if self.damaged.is_empty() {
            return String::new();
        }
        let item = |d: &DamagedResult| {
            let path = escape(&d.path.display().to_string());
            format!("<li><code>{path}</code>: {}</li>\n", escape(&d.why))
        };
        let list: String = self.damaged.iter().map(item).collect();
        format!(
            "<section class=\"problems\"><h2>Results that could not be read</h2><ul>\n{list}</ul></section>\n"
        )
    }

    fn size_note(&self) -> String {
        let shown = || {
            self.sections
                .iter()
                .flat_map(|s| s.pictures.iter().chain(&s.clips))
        };
        let linked = shown()
            .filter(|s| matches!(s, Shown::Linked { .. }))
            .count();
        if linked == 0 {
            return "This page is one file: everything it shows is inside, and it loads nothing."
                .to_owned();
        }
        format!(
            "To stay within {}, {linked} pictures and clips are not inside this page but linked; they work while the page stays where it \
             is beside its folder.",
            bytes(self.budget_bytes as u64)
        )
    }
}

/// The three parts of the player's page, as JSON that may stand inside a script element.
pub(super) fn shell_json(parts: &[String; 3]) -> String {
    let json = serde_json::to_string(parts).expect("three texts");
    // A "</script>" in it must not end the script element.
    json.replace('<', "\\u003c")
}

fn verdict_badge(outcome: &Outcome) -> String {
    let (held, all) = (outcome.held(), outcome.measurements.len());
    match held == all {
        true => format!("<span class=\"badge good\">{held} of {all} hold</span>"),
        false => format!(
            "<span class=\"badge bad\">{} of {all} fail</span>",
            all - held
        ),
    }
}

fn version_badge(outcome: &Outcome) -> &'static str {
    match outcome.quick {
        true => "<span class=\"badge plain\">short</span>",
        false => "<span class=\"badge plain\">full</span>",
    }
}

fn state_class(outcome: &Outcome) -> &'static str {
    if outcome.holds() {
        "all-hold"
    } else {
        "some-fail"
    }
}

fn overview_row(outcome: &Outcome) -> String {
    format!(
        "<tr class=\"{}\"><th scope=\"row\"><a href=\"#{name}\">{name}</a></th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        state_class(outcome),
        escape(&outcome.reproduces),
        verdict_badge(outcome),
        duration(outcome.seconds),
        version_badge(outcome),
        name = escape(&outcome.name),
    )
}

impl Section<'_> {
    fn write(&self) -> String {
        let o = self.outcome;
        format!(
            "<section class=\"experiment {state}\" id=\"{name}\" aria-labelledby=\"{name}-title\">\n<header>\
             <h2 id=\"{name}-title\"><a href=\"#{name}\">{name}</a></h2>{verdicts}{version}<span class=\"quiet\">{time}</span>\
             <a class=\"top\" href=\"#overview\">overview</a>\
             <p class=\"title\">{title}</p><p class=\"reproduces\">Reproduces: {reproduces}</p></header>\n\
             {about}{parameters}{measurements}{clips}{pictures}{notes}</section>\n\n",
            state = state_class(o),
            name = escape(&o.name),
            verdicts = verdict_badge(o),
            version = version_badge(o),
            time = duration(o.seconds),
            title = escape(&sentence(&o.title)),
            reproduces = escape(&o.reproduces),
            about = about(&o.about),
            parameters = parameters(o),
            measurements = measurements(&o.measurements),
            clips = self.clips(),
            pictures = self.pictures(),
            notes = notes(&o.notes),
        )
    }

    fn pictures(&self) -> String {
        let pairs = self.pictures.iter().zip(&self.outcome.pictures);
        let figures: String = pairs.map(|(s, path)| picture(s, path)).collect();
        match figures.is_empty() {
            true => figures,
            false => format!("<h4>Pictures</h4>\n<div class=\"pictures\">\n{figures}</div>\n"),
        }
    }

    fn clips(&self) -> String {
        let pairs = self.clips.iter().zip(&self.outcome.clips);
        let clips: String = pairs
            .map(|(shown, file)| clip(shown, &file.title, &file.path))
            .collect();
        match clips.is_empty() {
            true => clips,
            false => format!(
                "<div class=\"clips-part\"><h4>In motion</h4>\n<div class=\"clips\">\n{clips}</div></div>\n"
            ),
        }
    }
}

fn picture(shown: &Shown, path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = escape(&name);
    match shown {
        Shown::Picture(address, [width, height]) => format!(
            "<figure><button type=\"button\" class=\"picture\" aria-label=\"Enlarge {name}\"><img src=\"{address}\" alt=\"{name}\" width=\"{width}\" height=\"{height}\" decoding=\"async\"></button>\
             <figcaption>{name}</figcaption></figure>\n"
        ),
        other => elsewhere(other, "picture", path),
    }
}

fn clip(shown: &Shown, title: &str, path: &Path) -> String {
    let Shown::Clip(clip) = shown else {
        return elsewhere(shown, "clip", path);
    };
    let frames = match clip.frames_kept == clip.frames_recorded {
        true => format!("{} frames", clip.frames_kept),
        false => format!("{} of {} frames", clip.frames_kept, clip.frames_recorded),
    };
    format!(
        "<div class=\"clip\"><button type=\"button\" class=\"start\"><svg viewBox=\"0 0 40 40\" aria-hidden=\"true\"><path d=\"M15 11v18l14-9z\"/></svg>\
         <span><b>{}</b><small>Play in 3D · {frames}, places rounded to {}</small></span></button>\
         <script type=\"application/json\" class=\"manifest\">{}</script>\
         <script type=\"application/octet-stream\" class=\"data\">\n{}</script></div>\n",
        escape(title),
        length(clip.rounding_error),
        clip.manifest,
        clip.data,
    )
}

/// A picture or clip that is not inside the page.
fn elsewhere(shown: &Shown, kind: &str, path: &Path) -> String {
    let path = escape(&path.display().to_string());
    match shown {
        Shown::Linked { href, bytes: size } => format!(
            "<p class=\"missing\">This {kind} did not fit into the page: <a href=\"{}\">{path}</a> ({}).</p>\n",
            escape(href),
            bytes(*size)
        ),
        Shown::Missing { why } => format!(
            "<p class=\"missing\">The {kind} {path} cannot be shown: {}.</p>\n",
            escape(why)
        ),
        Shown::Picture(..) | Shown::Clip(_) => String::new(),
    }
}

fn about(text: &str) -> String {
    match text.is_empty() {
        true => String::new(),
        false => format!("<p class=\"about\">{}</p>\n", escape(text)),
    }
}

fn parameters(outcome: &Outcome) -> String {
    if outcome.parameters.is_empty() {
        return String::new();
    }
    let rows: String = outcome
        .parameters
        .iter()
        .map(|p| {
            format!(
                "<div><dt>{}</dt><dd>{}</dd></div>\n",
                escape(&p.name),
                escape(&p.value)
            )
        })
        .collect();
    format!("<h4>Settings</h4>\n<dl class=\"parameters\">\n{rows}</dl>\n")
}

fn measurements(all: &[Measurement]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let rows: String = all.iter().map(measurement).collect();
    format!(
        "<h4>Verdicts</h4>\n<table class=\"measurements\"><thead><tr><th scope=\"col\">What</th><th scope=\"col\" class=\"number\">Measured</th>\
         <th scope=\"col\" class=\"number\">Reference</th><th scope=\"col\" class=\"number\">Tolerance</th><th scope=\"col\">Unit</th>\
         <th scope=\"col\">Where it lies</th><th scope=\"col\">Verdict</th></tr></thead>\n<tbody>\n{rows}</tbody></table>\n"
    )
}

fn measurement(m: &Measurement) -> String {
    let (class, badge) = match m.holds {
        true => ("holds", "<span class=\"badge good\">holds</span>"),
        false => ("fails", "<span class=\"badge bad\">fails</span>"),
    };
    let number = |label: &str, value: f64| {
        format!(
            "<td class=\"number\" data-label=\"{label}\">{}</td>",
            figure(value)
        )
    };
    format!(
        "<tr class=\"{class}\"><td class=\"what\">{}</td>{}{}{}<td class=\"unit\">{}</td><td>{}</td><td>{badge}</td></tr>\n",
        escape(&m.what),
        number("measured", m.measured),
        number("reference", m.reference),
        number("tolerance", m.tolerance),
        escape(&m.unit),
        drawing(m),
    )
}

/// Notes as a list; neighbours with columns, which are tables made with spaces, stay in columns.
fn notes(notes: &[String]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let columns = |note: &&String| note.trim().contains("   ");
    let mut out = "<h4>Notes</h4>\n".to_owned();
    let mut rest = notes;
    while let Some(first) = rest.first() {
        let table = columns(&first);
        let count = rest.iter().take_while(|n| columns(n) == table).count();
        let (group, later) = rest.split_at(count);
        rest = later;
        if table {
            let lines: Vec<String> = group.iter().map(|n| escape(n)).collect();
            out += &format!("<pre tabindex=\"0\">{}</pre>\n", lines.join("\n"));
        } else {
            let item = |n: &String| format!("<li>{}</li>\n", escape(&sentence(n)));
            let items: String = group.iter().map(item).collect();
            out += &format!("<ul class=\"notes\">\n{items}</ul>\n");
        }
    }
    out
}

/// With a capital letter.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

fn duration(seconds: f64) -> String {
    if seconds < 10.0 {
        format!("{seconds:.1} s")
    } else if seconds < 100.0 {
        format!("{seconds:.0} s")
    } else {
        let whole = seconds.round() as u64;
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
}

fn bytes(count: u64) -> String {
    match count {
        0..1_000_000 => format!("{:.0} kB", (count as f64 / 1e3).ceil()),
        _ => format!("{:.1} MB", count as f64 / 1e6),
    }
}
