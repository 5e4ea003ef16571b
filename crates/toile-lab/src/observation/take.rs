//! A simulated run as a recording: what a perfect camera would have seen of it.

use super::{NodeRecording, RecordingError};
use toile::mesh::Face;
use toile_scene::recording::{ClothTrack, Footage, RecordingError as FootageError};

/// Takes frames (numbers counted from 0) of all cloths, one after the other. The nodes are a grid if there is one cloth and it is one.
pub fn take_down(
    footage: &dyn Footage,
    frames: impl Iterator<Item = usize>,
) -> Result<Result<NodeRecording, RecordingError>, FootageError> {
    let (mut times, mut rows) = (Vec::new(), Vec::new());
    for index in frames {
        let frame = footage.frame(index)?;
        times.push(frame.time);
        rows.push(frame.positions);
    }
    let grid = match footage.cloths() {
        [cloth] => grid_of(cloth),
        _ => None,
    };
    let recording = NodeRecording::new(times, rows);
    Ok(match grid {
        Some(grid) => recording.and_then(|recording| recording.with_grid(grid)),
        None => recording,
    })
}

/// Columns and rows, if the faces are quads of a grid whose nodes are numbered row by row.
fn grid_of(cloth: &ClothTrack) -> Option<[usize; 2]> {
    let &Face::Quad([0, 1, _, above]) = cloth.faces.first()? else {
        return None;
    };
    let columns = above as usize;
    let rows = cloth.node_count / columns.max(1);
    let whole = columns > 1 && columns * rows == cloth.node_count;
    let cells = (columns.saturating_sub(1)) * rows.saturating_sub(1);
    let face = |cell: usize| {
        let (column, row) = (cell % (columns - 1), cell / (columns - 1));
        let node = |c: usize, r: usize| (r * columns + c) as u32;
        Face::Quad([
            node(column, row),
            node(column + 1, row),
            node(column + 1, row + 1),
            node(column, row + 1),
        ])
    };
    let regular = whole && cells == cloth.faces.len();
    (regular && (0..cells).all(|k| cloth.faces[k] == face(k))).then_some([columns, rows])
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use toile_scene::recording::{RecordedFrame, Reel};

    fn reel(faces: Vec<Face>) -> Reel {
        let frame = |k: u8| RecordedFrame {
            time: f64::from(k) * 0.1,
            poses: Vec::new(),
            positions: (0..6)
                .map(|n| DVec3::new(f64::from(n), f64::from(k), 0.5))
                .collect(),
            velocities: Vec::new(),
        };
        Reel {
            title: String::new(),
            fps: 10.0,
            cloths: vec![ClothTrack {
                name: "sheet".into(),
                first_node: 0,
                node_count: 6,
                rest_areas: vec![1.0; faces.len()],
                faces,
                edges: Vec::new(),
                rest_lengths: Vec::new(),
                thickness: 0.0,
                colors: [[0.5; 3]; 2],
                attributes: Default::default(),
            }],
            bodies: Vec::new(),
            frames: (0..4).map(frame).collect(),
        }
    }

    #[test]
    fn grids_are_seen_and_frames_chosen() {
        let quads = vec![Face::Quad([0, 1, 4, 3]), Face::Quad([1, 2, 5, 4])];
        let taken = take_down(&reel(quads), [0, 2].into_iter())
            .unwrap()
            .unwrap();
        assert_eq!(taken.grid, Some([3, 2]));
        assert_eq!(taken.times, [0.0, 0.2]);
        assert_eq!(taken.frames[1][4], DVec3::new(4.0, 2.0, 0.5));
        let other = vec![Face::Quad([0, 1, 4, 3]), Face::Quad([2, 5, 4, 1])];
        let taken = take_down(&reel(other), 0..4).unwrap().unwrap();
        assert_eq!(taken.grid, None);
    }
}
