//! Every command that the help and the book show is one that the program understands.

use super::Arguments;
use clap::{CommandFactory, Parser};
use std::path::{Path, PathBuf};

/// A line as a shell would take it apart: quotes, comments, and no more of it after `>` or `|`.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, '>' | '|') => break,
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

fn check(place: &str, line: &str) {
    let line = line.trim().trim_start_matches("$ ");
    let line = line.replace("cargo run --release -- ", "toile ");
    let Some(rest) = line.strip_prefix("toile ") else {
        return;
    };
    let all = std::iter::once("toile".to_owned()).chain(words(rest));
    if let Err(error) = Arguments::try_parse_from(all) {
        let help = error.kind() == clap::error::ErrorKind::DisplayHelp;
        assert!(help, "{place}: `{line}`\n{error}");
    }
}

fn check_help(command: &clap::Command) -> usize {
    let text = command.get_after_help().map(ToString::to_string);
    let text = text.unwrap_or_default();
    // In some lines a remark follows after many blanks.
    let shown = text
        .lines()
        .filter_map(|line| line.trim().split("   ").next());
    let examples: Vec<&str> = shown.filter(|line| line.starts_with("toile ")).collect();
    examples
        .iter()
        .for_each(|line| check(command.get_name(), line));
    examples.len() + command.get_subcommands().map(check_help).sum::<usize>()
}

#[test]
fn the_examples_of_the_help_are_understood() {
    assert!(check_help(&Arguments::command()) > 40);
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder)
        .expect("the book is there")
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
}

#[test]
fn the_commands_of_the_book_are_understood() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    pages(&root.join("docs"), &mut all);
    let mut count = 0;
    for page in all {
        let text = std::fs::read_to_string(&page).expect("a page");
        // What stands between fences, every second part.
        for block in text.split("\n```").skip(1).step_by(2) {
            for line in block.lines().skip(1).map(str::trim) {
                check(&page.display().to_string(), line);
                count += usize::from(line.starts_with("toile "));
            }
        }
    }
    assert!(count > 30, "{count}");
}

#[test]
fn the_book_counts_and_names_the_bundled_scenes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/getting-started.md")).expect("a page");
    let rows: Vec<&str> = page.lines().filter_map(|l| l.strip_prefix("| `")).collect();
    let named = rows.iter().filter_map(|row| row.split('`').next());
    let bundled = toile_scene::scene::BUNDLED.iter().map(|scene| scene.name);
    assert!(named.eq(bundled), "{rows:?}");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("a page");
    let count = toile_scene::scene::BUNDLED.len();
    let says = format!("{count} scenes are bundled");
    assert!(readme.contains(&says), "README.md: {says}");
}
