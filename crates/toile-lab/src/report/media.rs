//! Pictures and clips: inside the page while there is room, links beyond, and a word where there are none.

use std::path::{Component, Path, PathBuf};
use toile_scene::recording::{FILE_NAME, Recording};
use toile_scene::report::{EmbeddedRecording, data_uri, embed};

/// One clip has no more of the page than this (bytes).
const CLIP_BYTES: usize = 4 << 20;
/// With less room than this (bytes) a clip is not worth having.
const CLIP_LEAST: usize = 200_000;

/// What became of a picture or a clip.
#[derive(Clone, Debug)]
pub(super) enum Shown {
    /// A picture's address that holds all of it, its width and its height (pixels).
    Picture(String, [u32; 2]),
    /// A clip's frames.
    Clip(Box<EmbeddedRecording>),
    /// There was no room for it.
    Linked {
        /// Where it is from the page, as an address.
        href: String,
        /// How large it is (bytes).
        bytes: u64,
    },
    /// It is not there.
    Missing {
        /// In words.
        why: String,
    },
}

/// Hands out the room of a page.
pub(super) struct Media<'a> {
    folder: &'a Path,
    /// Where the page will be.
    page_folder: PathBuf,
    /// Bytes left.
    room: usize,
}

impl<'a> Media<'a> {
    pub fn new(folder: &'a Path, page: &Path, room: usize) -> Self {
        let parent = page.parent().filter(|p| !p.as_os_str().is_empty());
        Media {
            folder,
            page_folder: parent.unwrap_or(Path::new(".")).to_owned(),
            room,
        }
    }

    pub fn picture(&mut self, path: &Path) -> Shown {
        self.try_picture(path)
            .unwrap_or_else(|why| Shown::Missing { why })
    }

    fn try_picture(&mut self, path: &Path) -> Result<Shown, String> {
        let file = self.inside(path)?;
        let bytes = toile_scene::files::read_input(&file).map_err(|error| error.to_string())?;
        let size = png_size(&bytes).ok_or("it is not a PNG picture")?;
        let text = 4 * bytes.len().div_ceil(3) + 32;
        if text > self.room {
            return Ok(self.link(&file, bytes.len() as u64));
        }
        self.room -= text;
        Ok(Shown::Picture(data_uri("image/png", &bytes), size))
    }

    pub fn clip(&mut self, path: &Path) -> Shown {
        self.try_clip(path)
            .unwrap_or_else(|why| Shown::Missing { why })
    }

    fn try_clip(&mut self, path: &Path) -> Result<Shown, String> {
        let file = self.inside(path)?.join(FILE_NAME);
        let recording = Recording::open(&file).map_err(|error| error.to_string())?;
        let budget = self.room.min(CLIP_BYTES);
        let linked = |media: &Self| {
            let bytes = std::fs::metadata(&file).map_or(0, |m| m.len());
            Ok(media.link(&file, bytes))
        };
        if budget < CLIP_LEAST {
            return linked(self);
        }
        let clip = embed(&recording, budget).map_err(|error| error.to_string())?;
        let text = clip.manifest.len() + clip.data.len();
        if text > self.room {
            return linked(self);
        }
        self.room -= text;
        Ok(Shown::Clip(Box::new(clip)))
    }

    /// A file of the results. A result has no business outside of its folder.
    fn inside(&self, path: &Path) -> Result<PathBuf, String> {
        let stays = |part: Component| matches!(part, Component::Normal(_) | Component::CurDir);
        match path.components().all(stays) {
            true => Ok(self.folder.join(path)),
            false => Err("its path leads out of the folder of the results".to_owned()),
        }
    }

    fn link(&self, file: &Path, bytes: u64) -> Shown {
        Shown::Linked {
            href: address(&way(&self.page_folder, file)),
            bytes,
        }
    }
}

/// Width and height of a PNG picture (pixels), as its first chunk has them.
fn png_size(bytes: &[u8]) -> Option<[u32; 2]> {
    let rest = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let header = rest.get(8..16)?;
    let number = |at: usize| {
        header[at..at + 4]
            .iter()
            .fold(0, |n, &b| n << 8 | u32::from(b))
    };
    Some([number(0), number(4)])
}

/// The way from a folder to a file; if there is none, the file's full path.
fn way(from: &Path, to: &Path) -> PathBuf {
    let (Ok(from), Ok(to)) = (from.canonicalize(), to.canonicalize()) else {
        return to.to_owned();
    };
    let common = from.components().zip(to.components());
    let common = common.take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    up.chain(to.components().skip(common)).collect()
}

/// A path as part of an address: what has a meaning there, or none at all, is written in numbers.
fn address(path: &Path) -> String {
    let mut out = String::new();
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            b'\\' => out.push('/'),
            other => out += &format!("%{other:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_no_letters_with_a_meaning_of_their_own() {
        let odd = Path::new("a b/#1?\"<x>.png");
        assert_eq!(address(odd), "a%20b/%231%3F%22%3Cx%3E.png");
    }

    #[test]
    fn a_way_leads_up_and_down() {
        let folder = std::env::temp_dir().join(format!("toile-way-{}", std::process::id()));
        for part in ["pages", "lab/clips"] {
            std::fs::create_dir_all(folder.join(part)).unwrap();
        }
        let file = folder.join("lab/clips/x.png");
        std::fs::write(&file, b"").unwrap();
        let found = way(&folder.join("pages"), &file);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, Path::new("../lab/clips/x.png"));
    }
}
