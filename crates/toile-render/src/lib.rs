//! # toile-render, pictures of cloth without a GPU or a display
//!
//! A small software renderer for still pictures, contact sheets and animations of cloth. A [`Picture`]
//! says what there is to see, a [`Camera`] from where, and [`draw`] answers with an [`Image`]:
//!
//! ```text
//! Picture ─thicken→ triangles ─rasterise→ which surface each sample sees
//!                       │                        │
//!                       └─rasterise from the lamp┴→ light that reaches each pixel ─shade→ Image
//! ```
//!
//! The law of this room: the same picture gives the same bytes, whatever the number of threads. Every pixel is computed
//! from data that no other pixel writes, and nothing random is drawn. A picture that makes no sense (no
//! surfaces, positions that are not numbers, faces that name missing nodes) is still drawn, without
//! what cannot be drawn.
//!
//! Lengths are metres and `z` points up, as in the engine; colours are sRGB from 0 to 1.

mod animation;
mod camera;
mod color;
mod color_bar;
mod color_map;
mod draw;
mod font;
mod geometry;
mod ground;
mod image;
mod label;
mod lamp;
mod occlusion;
mod parallel;
mod patch;
mod picture;
mod projection;
mod raster;
mod reach;
mod scene;
mod shade;
mod sheet;
mod sight;
mod weave;

pub use animation::animated_png;
pub use camera::{Camera, View};
pub use color::Rgb;
pub use color_bar::ColorBar;
pub use color_map::{diverging, heat};
pub use draw::draw;
pub use ground::grid_spacing;
pub use image::{Image, RenderError};
pub use label::{Anchor, TextStyle};
pub use picture::{Background, Picture, Quality, Size, Surface};
pub use sheet::contact_sheet;
pub use sight::{Seen, Sight, sight};
