//! Pictures of a world as it stands.

use glam::Vec3;
use toile::state::State;
use toile_render::{Camera, Image, Picture, Quality, Size, Surface, View, contact_sheet, draw};
use toile_scene::scene::World;

/// States to be drawn side by side, from one camera.
pub(crate) struct Album<'a> {
    world: &'a World,
    pages: Vec<(Vec<Vec3>, String)>,
}

impl<'a> Album<'a> {
    pub fn new(world: &'a World) -> Self {
        Album {
            world,
            pages: Vec::new(),
        }
    }

    /// Remembers a state under a label.
    pub fn add(&mut self, state: &State, label: String) {
        let positions = state.positions.iter().map(|p| p.as_vec3()).collect();
        self.pages.push((positions, label));
    }

    /// All pages on one sheet.
    pub fn sheet(&self, columns: usize) -> Image {
        let size = Size {
            width: 400,
            height: 300,
        };
        let points = self.pages.iter().flat_map(|(p, _)| p.iter().copied());
        let camera = Camera::framing(points, View::default(), size.aspect());
        let draw_page = |positions: &[Vec3]| {
            let surfaces = self.world.cloth_tracks.iter().map(|cloth| Surface {
                positions: positions[cloth.first_node..cloth.first_node + cloth.node_count].into(),
                faces: &cloth.faces,
                front: cloth.colors[0],
                back: cloth.colors[1],
                node_colors: None,
                smooth: true,
                wireframe: false,
            });
            let picture = Picture {
                surfaces: surfaces.collect(),
                ..Picture::default()
            };
            draw(&picture, &camera, size, Quality::default())
        };
        let pages = self.pages.iter();
        let pages: Vec<_> = pages
            .map(|(p, label)| (draw_page(p), label.clone()))
            .collect();
        contact_sheet(&pages, columns)
    }
}
