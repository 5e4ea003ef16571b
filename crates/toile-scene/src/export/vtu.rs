//! VTK unstructured grids for ParaView: `walk_0000.vtu` and so on, and `walk.pvd` with their times.
//!
//! Points carry `displacement` (m, since the first frame of the recording), `stretch` (mean over the edges
//! at a node of length / rest length − 1) and, if recorded, `velocity` (m/s); cells carry `area_ratio`
//! (area / rest area) and `cloth`, the cloth's number. Bodies are a second part, `walk_bodies_0000.vtu`, or one `walk_bodies.vtu`
//! for all times if none of them moves.

use super::frames::{Selection, Survey, cloth_positions, cloth_velocities};
use super::output::{Output, sequence_targets, stem_of, with_suffix};
use super::surface::area;
use super::vertices::Vertices;
use super::vtu_file::{Cells, DataArray, TEXTURE, encode};
use super::{ExportError, ExportOptions, ExportSummary};
use crate::recording::{BodyTrack, ClothTrack, RecordedFrame};
use glam::DVec3;
use std::path::{Path, PathBuf};
use toile::mesh::Face;

pub(super) fn export(
    selection: &Selection,
    out: &Path,
    options: &ExportOptions,
) -> Result<ExportSummary, ExportError> {
    let stem = stem_of(out, &["vtu", "pvd"])?;
    let survey = selection.survey(|_, _| {})?;
    let targets = Targets::new(selection, &survey, &stem);
    let mut output = Output::new(targets.all(), options.force)?;
    let reference = selection.read_recorded(0)?;
    let cells = Cells::new(&merged(
        selection.cloths().map(|c| (&c.faces[..], c.node_count)),
    )?);
    let carried = carried(selection);
    for (k, target) in targets.cloths.iter().enumerate() {
        let grid = cloth_grid(selection, &selection.read(k)?, &reference, &cells, &carried);
        write(&mut output, target, &grid)?;
    }
    let bodies = selection.bodies();
    let cells = Cells::new(&merged(
        bodies.map(|(_, b)| (&b.faces[..], b.positions.len())),
    )?);
    for (k, target) in targets.bodies.iter().enumerate() {
        // A file that stands for all times has none of its own.
        let time = (targets.bodies.len() == survey.times.len()).then(|| survey.times[k]);
        write(
            &mut output,
            target,
            &body_grid(selection, &survey, k, time, &cells),
        )?;
    }
    // Last, so that the collection never names a file that is not there yet.
    write(
        &mut output,
        &targets.collection,
        collection(&targets, &survey)?.as_bytes(),
    )?;
    Ok(ExportSummary {
        files: output.commit()?,
        notes: notes(selection),
    })
}

struct Targets {
    /// One per frame, or none without cloth.
    cloths: Vec<PathBuf>,
    /// One per frame, one for all frames, or none.
    bodies: Vec<PathBuf>,
    collection: PathBuf,
}

impl Targets {
    fn new(selection: &Selection, survey: &Survey, stem: &Path) -> Self {
        let frames = &selection.indices[..];
        let cloth_frames = selection.cloths().next().map_or(&[][..], |_| frames);
        let moves =
            |(index, body): (usize, &BodyTrack)| survey.moves(index) || body.morph.is_some();
        let moving = selection.bodies().any(moves);
        let bodies = match selection.bodies().next() {
            None => Vec::new(),
            Some(_) if moving => sequence_targets(&with_suffix(stem, "_bodies"), "vtu", frames),
            Some(_) => vec![with_suffix(stem, "_bodies.vtu")],
        };
        Targets {
            cloths: sequence_targets(stem, "vtu", cloth_frames),
            bodies,
            collection: with_suffix(stem, ".pvd"),
        }
    }

    fn all(&self) -> impl Iterator<Item = &PathBuf> {
        self.cloths
            .iter()
            .chain(&self.bodies)
            .chain([&self.collection])
    }
}

fn write(output: &mut Output, target: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    let mut file = output.create(target)?;
    file.put(bytes)?;
    file.finish()
}

/// The faces of several surfaces as one list, node indices counted through.
fn merged<'f>(
    surfaces: impl Iterator<Item = (&'f [Face], usize)>,
) -> Result<Vec<Face>, ExportError> {
    let mut faces = Vec::new();
    let mut nodes = 0;
    for (own, count) in surfaces {
        // Four corners a face: all numbers VTK gets are below this sum.
        if nodes + count + 4 * (faces.len() + own.len()) > i32::MAX as usize {
            return Err(ExportError::TooLarge {
                what: "the recording has more than 2 147 483 647 nodes and corners".into(),
                mend: "export USDA instead".into(),
            });
        }
        faces.extend(own.iter().map(|face| face.shifted(nodes as u32)));
        nodes += count;
    }
    Ok(faces)
}

fn cloth_grid(
    selection: &Selection,
    frame: &RecordedFrame,
    reference: &RecordedFrame,
    cells: &Cells,
    carried: &[DataArray],
) -> Vec<u8> {
    let mut points = Vec::new();
    let mut displacements = Vec::new();
    let mut velocities: Vec<[f32; 3]> = Vec::new();
    let mut stretches = Vec::new();
    let mut area_ratios = Vec::new();
    let mut numbers = Vec::new();
    for (number, cloth) in selection.cloths().enumerate() {
        let own = cloth_positions(frame, cloth);
        let before = cloth_positions(reference, cloth).iter();
        let moved = own.iter().zip(before);
        displacements.extend(moved.map(|(now, then)| (*now - *then).as_vec3().to_array()));
        let own_velocities = cloth_velocities(frame, cloth).iter();
        velocities.extend(own_velocities.map(|v| v.as_vec3().to_array()));
        stretches.extend(node_stretch(cloth, own));
        let faces = cloth.faces.iter().zip(&cloth.rest_areas);
        area_ratios.extend(faces.map(|(face, rest)| ratio(area(face, own), *rest)));
        numbers.extend(cloth.faces.iter().map(|_| number as i32));
        points.extend_from_slice(own);
    }
    let mut point_data = vec![
        DataArray::vectors("displacement", displacements),
        DataArray::scalars("stretch", stretches),
    ];
    if !velocities.is_empty() {
        point_data.push(DataArray::vectors("velocity", velocities));
    }
    point_data.extend(carried.iter().cloned());
    encode(
        Some(frame.time),
        &DataArray::points(&points, selection.origin()),
        cells,
        &point_data,
        &[
            DataArray::scalars("area_ratio", area_ratios),
            DataArray::integers("cloth", numbers),
        ],
    )
}

/// What the cloths' meshes carry: texture coordinates if no cloth has a seam in them, and colours.
fn carried(selection: &Selection) -> Vec<DataArray> {
    let (mut uvs, mut colors) = (Vec::new(), Vec::new());
    for cloth in selection.cloths() {
        let vertices = Vertices::new(cloth.node_count, &cloth.faces, &cloth.attributes);
        let own = vertices.uvs.as_deref().unwrap_or_default();
        uvs.extend((0..cloth.node_count).map(|n| own.get(n).copied().unwrap_or_default()));
        match &cloth.attributes.node_colors {
            Some(own) => colors.extend_from_slice(own),
            None => colors.resize(colors.len() + cloth.node_count, cloth.colors[0]),
        }
    }
    let mut arrays = Vec::new();
    let any_uvs = selection
        .cloths()
        .any(|c| c.attributes.corner_uvs.is_some());
    if any_uvs && seamed(selection).is_empty() {
        arrays.push(DataArray::pairs(TEXTURE, uvs));
    }
    if selection
        .cloths()
        .any(|c| c.attributes.node_colors.is_some())
    {
        arrays.push(DataArray::vectors("color", colors));
    }
    arrays
}

/// The cloths with nodes that have several places in the pattern.
fn seamed(selection: &Selection) -> Vec<String> {
    let has_seams = |c: &&ClothTrack| {
        Vertices::new(c.node_count, &c.faces, &c.attributes).has_seams(c.node_count)
    };
    let cloths = selection.cloths().filter(has_seams);
    cloths.map(|c| format!("`{}`", c.name)).collect()
}

/// Now / at rest; not a number where the rest is nothing, which ParaView shows in a colour of its own.
fn ratio(now: f64, rest: f32) -> f32 {
    if rest > 0.0 {
        (now / f64::from(rest)) as f32
    } else {
        f32::NAN
    }
}

/// Mean of length / rest length − 1 over the edges at each node; 0 where there is no edge.
fn node_stretch(cloth: &ClothTrack, positions: &[DVec3]) -> impl Iterator<Item = f32> {
    let mut sums = vec![(0.0, 0u32); positions.len()];
    for (&[a, b], &rest) in cloth.edges.iter().zip(&cloth.rest_lengths) {
        let (a, b) = (a as usize, b as usize);
        let stretch = ratio(positions[a].distance(positions[b]), rest) - 1.0;
        for node in [a, b] {
            sums[node].0 += stretch;
            sums[node].1 += 1;
        }
    }
    sums.into_iter()
        .map(|(sum, count)| sum / count.max(1) as f32)
}

fn body_grid(
    selection: &Selection,
    survey: &Survey,
    k: usize,
    time: Option<f64>,
    cells: &Cells,
) -> Vec<u8> {
    let mut points = Vec::new();
    let mut numbers = Vec::new();
    for (number, (index, body)) in selection.bodies().enumerate() {
        let pose = survey.poses[index][k];
        let here = body.positions_at(survey.times[k]);
        let placed = here.iter().map(|&p| pose.rotation * p + pose.translation);
        points.extend(placed);
        numbers.extend(body.faces.iter().map(|_| number as i32));
    }
    encode(
        time,
        &DataArray::points(&points, selection.origin()),
        cells,
        &[],
        &[DataArray::integers("body", numbers)],
    )
}

/// The `.pvd` file: which parts show at which time.
fn collection(targets: &Targets, survey: &Survey) -> Result<String, ExportError> {
    let mut xml = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
         <Collection>\n",
    );
    for (k, time) in survey.times.iter().enumerate() {
        let cloth = targets.cloths.get(k);
        let body = targets.bodies.get(k).or(targets.bodies.first());
        for (part, target) in [cloth, body].into_iter().enumerate() {
            let Some(target) = target else { continue };
            let name = escaped_name(target)?;
            xml.push_str(&format!(
                "<DataSet timestep=\"{time}\" group=\"\" part=\"{part}\" file=\"{name}\"/>\n"
            ));
        }
    }
    xml.push_str("</Collection>\n</VTKFile>\n");
    Ok(xml)
}

/// A file's name without its folder, ready for XML.
fn escaped_name(path: &Path) -> Result<String, ExportError> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| ExportError::BadPath {
        path: path.to_owned(),
        what: "a .pvd file cannot name a file whose name is not Unicode",
    })?;
    Ok(name
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;"))
}

fn notes(selection: &Selection) -> Vec<String> {
    let mut notes = selection.notes_on_what_is_left_out();
    let cloths: Vec<&str> = selection.cloths().map(|c| c.name.as_str()).collect();
    let bodies: Vec<&str> = selection.bodies().map(|(_, b)| b.name.as_str()).collect();
    for (array, names) in [("cloth", cloths), ("body", bodies)] {
        if names.len() > 1 {
            let list = names.iter().enumerate();
            let list: Vec<_> = list
                .map(|(number, name)| format!("{number} is `{name}`"))
                .collect();
            notes.push(format!("in the cell data `{array}`, {}", list.join(", ")));
        }
    }
    let seamed = seamed(selection);
    if !seamed.is_empty() {
        let list = seamed.join(", ");
        notes.push(format!(
            "VTU has one texture coordinate for each point, and {list} has seams: texture coordinates were left out"
        ));
    }
    notes.push("open the .pvd file in ParaView: it has the times of all frames".into());
    notes
}
