//! Pictures of a world as it stands.

use glam::Vec3;
use toile::state::State;
use toile_render::{Camera, Image, Picture, Quality, Size, Surface, View, contact_sheet, draw};
use toile_scene::present::cloth_surface;
use toile_scene::scene::World;

/// A state to be drawn.
struct Page {
    positions: Vec<Vec3>,
    time: f64,
    label: String,
}

/// States to be drawn side by side, from one camera.
pub(crate) struct Album<'a> {
    world: &'a World,
    pages: Vec<Page>,
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
        self.pages.push(Page {
            positions,
            time: state.time,
            label,
        });
    }

    /// The bodies' surfaces at a time (s).
    fn bodies(&self, time: f64) -> impl Iterator<Item = Surface<'_>> {
        let bodies = self.world.body_tracks.iter().zip(&self.world.body_frames);
        let bodies = bodies.filter(|(track, _)| !track.faces.is_empty());
        bodies.map(move |(track, body)| {
            let pose = body.pose(&self.world.model, time);
            let places = track.positions.iter().map(|&p| pose.apply(p).as_vec3());
            Surface {
                smooth: track.smooth,
                ..Surface::new(places.collect::<Vec<_>>(), &track.faces, track.color)
            }
        })
    }

    /// All pages on one sheet.
    pub fn sheet(&self, columns: usize) -> Image {
        let size = Size {
            width: 400,
            height: 300,
        };
        let points = self.pages.iter().flat_map(|p| p.positions.iter().copied());
        let camera = Camera::framing(points, View::default(), size.aspect());
        let draw_page = |page: &Page| {
            let cloths = self.world.cloth_tracks.iter();
            let surfaces = cloths.map(|cloth| cloth_surface(cloth, &page.positions));
            let picture = Picture {
                surfaces: surfaces.chain(self.bodies(page.time)).collect(),
                ..Picture::default()
            };
            draw(&picture, &camera, size, Quality::default())
        };
        let pages = self.pages.iter();
        let pages: Vec<_> = pages
            .map(|page| (draw_page(page), page.label.clone()))
            .collect();
        contact_sheet(&pages, columns)
    }
}
