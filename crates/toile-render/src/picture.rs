//! What there is to see.

use crate::color::Rgb;
use glam::Vec3;
use std::borrow::Cow;
use toile::mesh::Face;

/// Everything in a picture.
#[derive(Clone, Debug, Default)]
pub struct Picture<'a> {
    /// Cloths and bodies.
    pub surfaces: Vec<Surface<'a>>,
    /// Height of the ground (m), if there is any. It is not drawn for an eye below it.
    pub ground: Option<f64>,
    /// What is behind everything.
    pub background: Background,
}

/// A cloth or the surface of a body.
#[derive(Clone, Debug)]
pub struct Surface<'a> {
    /// Where the nodes are (m). Faces with a corner that is not finite are left out.
    pub positions: Cow<'a, [Vec3]>,
    /// The faces; those that name a missing node are left out.
    pub faces: &'a [Face],
    /// Colour of the side from which the corners go around counter-clockwise.
    pub front: Rgb,
    /// Colour of the other side.
    pub back: Rgb,
    /// One colour per node, for both sides, instead of `front` and `back`. Ignored unless there is one
    /// for every node.
    pub node_colors: Option<&'a [Rgb]>,
    /// Whether the surface is curved: normals are then interpolated between nodes. Otherwise every face
    /// is flat.
    pub smooth: bool,
    /// Whether to draw the edges of the faces.
    pub wireframe: bool,
    /// How thick it is (m): both sides are drawn half of it away from the faces, and a rim along the borders. 0 for a surface
    /// without an inside.
    pub thickness: f32,
    /// Where the corners of each face lie along warp and weft, in any unit; the fourth entry of a triangle is unused. With it the
    /// surface looks woven. Ignored unless there is one for every face.
    pub weave: Option<&'a [[[f32; 2]; 4]]>,
}

impl<'a> Surface<'a> {
    /// A smooth surface of one colour, the back a little darker than the front.
    pub fn new(positions: impl Into<Cow<'a, [Vec3]>>, faces: &'a [Face], color: Rgb) -> Self {
        Surface {
            positions: positions.into(),
            faces,
            front: color,
            back: color.map(|c| 0.8 * c),
            node_colors: None,
            smooth: true,
            wireframe: false,
            thickness: 0.0,
            weave: None,
        }
    }
}

/// What is behind everything: a gradient from the top of the picture to the bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Background {
    /// Colour at the top.
    pub top: Rgb,
    /// Colour at the bottom.
    pub bottom: Rgb,
    /// Colour of the ground in full light.
    pub ground: Rgb,
}

impl Background {
    /// One colour everywhere, on the ground too.
    pub fn plain(color: Rgb) -> Self {
        Background {
            top: color,
            bottom: color,
            ground: color,
        }
    }
}

impl Default for Background {
    /// A softly lit studio.
    fn default() -> Self {
        Background {
            top: [0.78, 0.81, 0.85],
            bottom: [0.93, 0.93, 0.925],
            ground: [0.905, 0.90, 0.89],
        }
    }
}

/// Size of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Width (pixels).
    pub width: u32,
    /// Height (pixels).
    pub height: u32,
}

impl Size {
    /// The largest width and height of a picture (pixels).
    pub const LARGEST: u32 = 8192;

    /// The size with neither side above the largest.
    pub(crate) fn limited(&self) -> Size {
        Size {
            width: self.width.min(Self::LARGEST),
            height: self.height.min(Self::LARGEST),
        }
    }

    /// Width over height; 1 for a picture without pixels.
    pub fn aspect(&self) -> f32 {
        if self.width == 0 || self.height == 0 {
            1.0
        } else {
            self.width as f32 / self.height as f32
        }
    }
}

/// How much work to put into a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quality {
    /// Each pixel's edges are sampled this many times squared; from 1 (jagged) to 4 (as smooth as it
    /// gets). Values outside are brought inside.
    pub supersampling: u32,
    /// Whether folds and the places where things touch get darker.
    pub ambient_occlusion: bool,
    /// Whether things cast shadows.
    pub shadows: bool,
    /// Whether smooth surfaces are drawn curved and not as their faces, cloth with its thickness and its weave.
    pub detail: bool,
}

impl Quality {
    /// Quick and plain.
    pub const DRAFT: Quality = Quality {
        supersampling: 1,
        ambient_occlusion: false,
        shadows: false,
        detail: false,
    };
    /// For pictures that are looked at closely.
    pub const FINE: Quality = Quality {
        supersampling: 3,
        ambient_occlusion: true,
        shadows: true,
        detail: true,
    };
}

impl Default for Quality {
    fn default() -> Self {
        Quality {
            supersampling: 2,
            ambient_occlusion: true,
            shadows: true,
            detail: true,
        }
    }
}
