//! USD as text: the whole animation in one file, quads kept as quads.
//!
//! A cloth is a `Mesh` with time-sampled points, normals and extent; a body an `Xform` with time-sampled
//! translation and orientation around its `Mesh`. Time codes are frames: `timeCodesPerSecond` is the recording's
//! frame rate and a sample's time code its time multiplied by that.
//!
//! USD wants all samples of one attribute together, so the recording is walked over once per attribute; memory
//! does not grow with its length.

use super::frames::{Selection, Survey, cloth_positions, cloth_velocities, note_on_the_origin};
use super::output::{Output, OutputFile, single_target};
use super::surface::{bounds, face_normals, linear_color, smooth_normals};
use super::usda_text::{Names, integers, pairs, push_number, quoted, triples};
use super::{ExportError, ExportOptions, ExportSummary};
use crate::recording::{Attributes, BodyPose, BodyTrack, ClothTrack};
use glam::{DVec3, Vec3};
use std::collections::HashMap;
use std::path::Path;
use toile::mesh::Face;

const ROOT: &str = "World";
const MATERIALS: &str = "Materials";

pub(super) fn export(
    selection: &Selection,
    out: &Path,
    options: &ExportOptions,
) -> Result<ExportSummary, ExportError> {
    let target = single_target(out, &["usda", "usd"])?;
    let mut output = Output::new([&target], options.force)?;
    let mut extents = vec![Vec::new(); selection.cloths().count()];
    let survey = selection.survey(|_, frame| {
        for (cloth, list) in selection.cloths().zip(&mut extents) {
            list.push(bounds(selection.single(frame, cloth)));
        }
    })?;
    let fps = selection.recording.header().fps;
    let codes: Vec<f64> = survey
        .times
        .iter()
        .map(|time| time_code(time * fps))
        .collect();
    let mut writer = Writer {
        selection,
        survey: &survey,
        codes: &codes,
        names: Names::default(),
        materials: String::new(),
        file: output.create(&target)?,
    };
    // Taken before anything in the scene can ask for it.
    writer.names.unique(MATERIALS);
    writer.write(&extents)?;
    writer.file.finish()?;
    let mut notes = selection.notes_on_what_is_left_out();
    if selection.cloths().any(|c| c.colors[0] != c.colors[1]) {
        notes.push("USD has one colour for both sides: the front colour was taken".into());
    }
    notes.extend(note_on_the_origin(selection, "USD"));
    notes.push(
        "points are exact; normals are rounded to four decimals to keep the file small".into(),
    );
    Ok(ExportSummary {
        files: output.commit()?,
        notes,
    })
}

struct Writer<'a> {
    selection: &'a Selection<'a>,
    survey: &'a Survey,
    codes: &'a [f64],
    names: Names,
    /// The material prims, written at the end.
    materials: String,
    file: OutputFile,
}

impl Writer<'_> {
    fn write(&mut self, extents: &[Vec<[[f32; 3]; 2]>]) -> Result<(), ExportError> {
        self.layer_header()?;
        self.file.put(format!("def Xform \"{ROOT}\"\n{{\n"))?;
        let origin = self.selection.origin();
        if origin != DVec3::ZERO {
            let [x, y, z] = origin.to_array();
            self.file.put(format!(
                "    double3 xformOp:translate = ({x}, {y}, {z})\n    \
                 uniform token[] xformOpOrder = [\"xformOp:translate\"]\n\n"
            ))?;
        }
        for (cloth, extents) in self.selection.cloths().zip(extents) {
            self.cloth(cloth, extents)?;
        }
        for (index, body) in self.selection.bodies() {
            self.body(index, body)?;
        }
        let materials = &self.materials;
        self.file.put(format!(
            "    def Scope \"{MATERIALS}\"\n    {{\n{materials}    }}\n}}\n"
        ))
    }

    fn layer_header(&mut self) -> Result<(), ExportError> {
        let header = self.selection.recording.header();
        let (title, fps) = (quoted(&header.title), header.fps);
        let (start, end) = (self.codes[0], self.codes[self.codes.len() - 1]);
        self.file.put(format!(
            "#usda 1.0\n(\n    defaultPrim = \"{ROOT}\"\n    doc = {title}\n    endTimeCode = {end}\n    \
             framesPerSecond = {fps}\n    metersPerUnit = 1\n    startTimeCode = {start}\n    \
             timeCodesPerSecond = {fps}\n    upAxis = \"Z\"\n)\n\n"
        ))
    }

    fn cloth(&mut self, cloth: &ClothTrack, extents: &[[[f32; 3]; 2]]) -> Result<(), ExportError> {
        let name = self.names.unique(&cloth.name);
        let material = self.material(&name, cloth.colors[0]);
        self.file.put(mesh_opening("    ", &name, &cloth.name))?;
        self.file.put(mesh_constants(
            "        ",
            &cloth.faces,
            (cloth.colors[0], &cloth.attributes),
            &material,
        ))?;
        self.file
            .put(texture("        ", &cloth.faces, &cloth.attributes))?;
        self.samples("        ", "float3[] extent", |k| Ok(triples(extents[k])))?;
        let selection = self.selection;
        self.file.put(
            "        normal3f[] normals (\n            interpolation = \"vertex\"\n        )\n",
        )?;
        self.samples("        ", "normal3f[] normals", |k| {
            let frame = selection.read(k)?;
            let positions = cloth_positions(&frame, cloth);
            Ok(rounded_normals(&smooth_normals(positions, &cloth.faces)))
        })?;
        self.samples("        ", "point3f[] points", |k| {
            let frame = selection.read(k)?;
            Ok(triples(selection.single(&frame, cloth)))
        })?;
        if selection.recording.header().velocities {
            self.samples("        ", "vector3f[] velocities", |k| {
                let frame = selection.read(k)?;
                let velocities = cloth_velocities(&frame, cloth).iter();
                Ok(triples(velocities.map(|v| v.as_vec3().to_array())))
            })?;
        }
        self.file.put("    }\n\n")
    }

    fn body(&mut self, index: usize, body: &BodyTrack) -> Result<(), ExportError> {
        let name = self.names.unique(&body.name);
        let material = self.material(&name, body.color);
        let original = original_name(&name, &body.name);
        self.file.put(format!(
            "    def Xform \"{name}\"{}\n    {{\n",
            metadata("    ", &original)
        ))?;
        let survey = self.survey;
        let origin = self.selection.origin();
        let poses = &survey.poses[index];
        if survey.moves(index) {
            self.samples("        ", "quatf xformOp:orient", |k| {
                Ok(orientation(&poses[k]))
            })?;
            self.samples("        ", "double3 xformOp:translate", |k| {
                Ok(translation(&poses[k], origin))
            })?;
        } else {
            let (orient, translate) = (orientation(&poses[0]), translation(&poses[0], origin));
            self.file.put(format!(
                "        quatf xformOp:orient = {orient}\n        double3 xformOp:translate = {translate}\n"
            ))?;
        }
        self.file.put(
            "        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n\n",
        )?;
        self.body_surface(&name, body, &material)?;
        self.file.put("    }\n\n")
    }

    fn body_surface(
        &mut self,
        name: &str,
        body: &BodyTrack,
        material: &str,
    ) -> Result<(), ExportError> {
        let indent = "            ";
        // The mesh is called like its body: Blender makes one object of the two and takes this name.
        self.file.put(mesh_opening("        ", name, name))?;
        let look = (body.color, &body.attributes);
        self.file
            .put(mesh_constants(indent, &body.faces, look, material))?;
        self.file
            .put(texture(indent, &body.faces, &body.attributes))?;
        // One per face on flat sides: without any, some programs would shade a box as if it were a ball.
        let interpolation = if body.smooth { "vertex" } else { "uniform" };
        let survey = self.survey;
        let points = |k: usize| -> Vec<[f32; 3]> {
            let here = body.positions_at(survey.times[k]);
            here.iter().map(|p| p.as_vec3().to_array()).collect()
        };
        let extent = |k| triples(bounds(points(k)));
        let normals = |k: usize| {
            let here = body.positions_at(survey.times[k]);
            rounded_normals(&if body.smooth {
                smooth_normals(&here, &body.faces)
            } else {
                face_normals(&here, &body.faces)
            })
        };
        if body.morph.is_some() {
            self.samples(indent, "float3[] extent", |k| Ok(extent(k)))?;
            self.file.put(format!(
                "{indent}normal3f[] normals (\n{indent}    interpolation = \"{interpolation}\"\n{indent})\n"
            ))?;
            self.samples(indent, "normal3f[] normals", |k| Ok(normals(k)))?;
            self.samples(indent, "point3f[] points", |k| Ok(triples(points(k))))?;
            return self.file.put("        }\n");
        }
        let (extent, normals, points) = (extent(0), normals(0), triples(points(0)));
        self.file
            .put(format!("{indent}float3[] extent = {extent}\n"))?;
        self.file.put(format!(
            "{indent}normal3f[] normals = {normals} (\n{indent}    interpolation = \"{interpolation}\"\n{indent})\n"
        ))?;
        self.file
            .put(format!("{indent}point3f[] points = {points}\n        }}\n"))
    }

    /// One attribute: a plain value if there is only one frame, else a sample for each.
    fn samples(
        &mut self,
        indent: &str,
        attribute: &str,
        value: impl Fn(usize) -> Result<String, ExportError>,
    ) -> Result<(), ExportError> {
        if let [_] = self.codes {
            let value = value(0)?;
            return self.file.put(format!("{indent}{attribute} = {value}\n"));
        }
        self.file
            .put(format!("{indent}{attribute}.timeSamples = {{\n"))?;
        for (k, code) in self.codes.iter().enumerate() {
            let value = value(k)?;
            self.file.put(format!("{indent}    {code}: {value},\n"))?;
        }
        self.file.put(format!("{indent}}}\n"))
    }

    /// Adds a material and returns its path.
    fn material(&mut self, name: &str, color: [f32; 3]) -> String {
        let path = format!("/{ROOT}/{MATERIALS}/{name}");
        let color = triple(linear_color(color));
        self.materials.push_str(&format!(
            "        def Material \"{name}\"\n        {{\n            \
             token outputs:surface.connect = <{path}/shader.outputs:surface>\n\n            \
             def Shader \"shader\"\n            {{\n                \
             uniform token info:id = \"UsdPreviewSurface\"\n                \
             color3f inputs:diffuseColor = {color}\n                \
             float inputs:roughness = 0.85\n                \
             token outputs:surface\n            }}\n        }}\n"
        ));
        path
    }
}

/// Frames are nearly always at whole time codes, up to rounding in `time · fps`.
fn time_code(code: f64) -> f64 {
    let whole = code.round();
    if (code - whole).abs() < 1e-6 * whole.abs().max(1.0) {
        whole + 0.0
    } else {
        code
    }
}

/// The name in the scene, if it is not the prim's own.
fn original_name(prim: &str, name: &str) -> String {
    if prim == name {
        return String::new();
    }
    format!("customData = {{ string name = {} }}", quoted(name))
}

fn metadata(indent: &str, line: &str) -> String {
    if line.is_empty() {
        return String::new();
    }
    format!(" (\n{indent}    {line}\n{indent})")
}

fn mesh_opening(indent: &str, prim: &str, name: &str) -> String {
    let mut line = String::from("prepend apiSchemas = [\"MaterialBindingAPI\"]");
    let original = original_name(prim, name);
    if !original.is_empty() {
        line.push_str(&format!("\n{indent}    {original}"));
    }
    format!(
        "{indent}def Mesh \"{prim}\"{}\n{indent}{{\n",
        metadata(indent, &line)
    )
}

fn mesh_constants(
    indent: &str,
    faces: &[Face],
    (color, attributes): ([f32; 3], &Attributes),
    material: &str,
) -> String {
    let counts = integers(faces.iter().map(|f| f.corners().len()));
    let corners = faces.iter().flat_map(|f| f.corners()).map(|&c| c as usize);
    let corners = integers(corners);
    let display = match &attributes.node_colors {
        None => format!("[{}]", triple(linear_color(color))),
        Some(colors) => {
            let colors = triples(colors.iter().copied().map(linear_color));
            format!("{colors} (\n{indent}    interpolation = \"vertex\"\n{indent})")
        }
    };
    format!(
        "{indent}uniform bool doubleSided = 1\n{indent}int[] faceVertexCounts = {counts}\n\
         {indent}int[] faceVertexIndices = {corners}\n{indent}rel material:binding = <{material}>\n\
         {indent}color3f[] primvars:displayColor = {display}\n{indent}uniform token subdivisionScheme = \"none\"\n"
    )
}

/// Texture coordinates: each place in the pattern once, and which of them every corner has. Corners of different
/// faces that share a place are joined there, and seams are left open.
fn texture(indent: &str, faces: &[Face], attributes: &Attributes) -> String {
    let Some(corner_uvs) = &attributes.corner_uvs else {
        return String::new();
    };
    let (mut numbers, mut places, mut corners) = (HashMap::new(), Vec::new(), Vec::new());
    for (face, uvs) in faces.iter().zip(corner_uvs) {
        for uv in &uvs[..face.corners().len()] {
            let number = *numbers.entry(uv.map(f32::to_bits)).or_insert_with(|| {
                places.push(*uv);
                places.len() - 1
            });
            corners.push(number);
        }
    }
    let (places, corners) = (pairs(places), integers(corners));
    format!(
        "{indent}texCoord2f[] primvars:st = {places} (\n{indent}    interpolation = \"faceVarying\"\n{indent})\n\
         {indent}int[] primvars:st:indices = {corners}\n"
    )
}

fn triple(values: [f32; 3]) -> String {
    let list = triples([values]);
    list[1..list.len() - 1].to_owned()
}

/// Normals to four decimals: far below what the eye sees, and half the size.
fn rounded_normals(normals: &[Vec3]) -> String {
    // Adding zero turns −0 into 0.
    let rounded = |n: &Vec3| n.to_array().map(|x| (x * 1e4).round() / 1e4 + 0.0);
    triples(normals.iter().map(rounded))
}

fn translation(pose: &BodyPose, origin: DVec3) -> String {
    let [x, y, z] = (pose.translation - origin).to_array();
    format!("({x}, {y}, {z})")
}

/// USD writes the real part first.
fn orientation(pose: &BodyPose) -> String {
    let [x, y, z, w] = pose.rotation.as_quat().to_array();
    let mut text = String::from("(");
    for (index, number) in [w, x, y, z].into_iter().enumerate() {
        text.push_str(if index == 0 { "" } else { ", " });
        push_number(&mut text, number);
    }
    text.push(')');
    text
}
