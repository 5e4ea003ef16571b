//! What several commands are told in the same words.

use clap::Args;

#[derive(Debug, Args)]
pub struct SceneArgs {
    /// A scene file, or the name of a bundled scene (see `toile scenes`)
    pub scene: String,
    /// Change a field of the scene: field.path=value, value as in TOML; may be repeated
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    pub overrides: Vec<String>,
}

#[derive(Debug, Args)]
pub struct ThreadsArg {
    /// Number of threads [default: all cores]; results do not depend on it
    #[arg(long, alias = "jobs", value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

#[derive(Debug, Args)]
pub struct WorkArgs {
    #[command(flatten)]
    pub threads: ThreadsArg,
    /// Memory that a scene may need, such as 8G or 500M [default: what the system has to give]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory: Option<u64>,
}

impl ThreadsArg {
    /// How many threads were asked for.
    pub fn count(&self) -> Option<usize> {
        self.threads.map(usize::from)
    }

    /// Has everything that is worked out or drawn from now on use so many threads.
    pub fn apply(&self) -> miette::Result<()> {
        let Some(count) = self.count() else {
            return Ok(());
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count);
        pool.build_global()
            .map_err(|error| miette::miette!("--threads {count}: {error}"))
    }
}

impl WorkArgs {
    /// Has everything from now on keep to these threads and this memory.
    pub fn apply(&self) -> miette::Result<()> {
        if let Some(bytes) = self.memory {
            toile_scene::memory::set_limit(bytes);
        }
        self.threads.apply()
    }

    /// How many threads were asked for.
    pub fn threads(&self) -> Option<usize> {
        self.threads.count()
    }
}

/// `8G`, `500M` or a number of bytes.
fn bytes(text: &str) -> Result<u64, String> {
    let units = [("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)];
    let named = units.iter().find_map(|(unit, size)| {
        Some((
            text.trim()
                .strip_suffix('B')
                .unwrap_or(text)
                .strip_suffix(unit)?,
            *size,
        ))
    });
    let (number, size) = named.unwrap_or((text, 1.0));
    match number.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && (number * size).is_finite() => Ok((number * size) as u64),
        _ => Err("write a size such as 8G, 500M or a number of bytes".to_owned()),
    }
}

/// A number that is one: not infinite, as one of 309 digits becomes, and not `nan`.
pub fn finite(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err("it must be a finite number (at most 1.8e308)".to_owned()),
        Err(_) => Err("it must be a number".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_unit() {
        assert_eq!(bytes("8G"), Ok(8_000_000_000));
        assert_eq!(bytes("1.5MB"), Ok(1_500_000));
        assert_eq!(bytes("4096"), Ok(4096));
        for wrong in ["", "G", "-1G", "8 apples", "inf", "0"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
