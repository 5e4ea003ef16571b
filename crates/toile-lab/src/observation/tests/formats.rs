//! Files of every format, whole and broken.

use super::*;
use crate::observation::csv_text::Content;
use crate::observation::{array, csv_text, folder, npz};

fn csv(text: &str) -> Result<Observation, RecordingError> {
    decode_csv(text.as_bytes(), &ReadOptions::default())
}

#[test]
fn arrays_come_back() {
    let recording = swing(8);
    let bytes = encode_npz(&recording).unwrap();
    assert_eq!(
        nodes(decode_npz(&bytes, &ReadOptions::default())),
        recording
    );
    assert_eq!(bytes, encode_npz(&recording).unwrap());
    let rate = ReadOptions {
        fps: Some(10.0),
        ..ReadOptions::default()
    };
    let back = nodes(decode_npy(&encode_npy(&recording), &rate));
    assert_eq!(back.frames, recording.frames);
    assert_eq!(back.times, recording.times);
}

#[test]
fn without_times_the_rate_is_asked_for() {
    let bytes = encode_npy(&swing(3));
    assert_says(decode_npy(&bytes, &ReadOptions::default()), &["--fps"]);
    for fps in [0.0, -1.0, f64::NAN] {
        let options = ReadOptions {
            fps: Some(fps),
            ..ReadOptions::default()
        };
        assert_says(decode_npy(&bytes, &options), &["positive"]);
    }
}

/// An NPY file by hand.
fn npy(descriptor: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header =
        format!("{{'descr': '{descriptor}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn types_and_orders_of_numbers() {
    let values = [1.0, -2.0, 3.0, 4.0, 5.0, 6.0];
    type Bytes = fn(f64) -> Vec<u8>;
    let cases: [(&str, Bytes); 5] = [
        ("<f4", |v| (v as f32).to_le_bytes().to_vec()),
        (">f4", |v| (v as f32).to_be_bytes().to_vec()),
        (">f8", |v| v.to_be_bytes().to_vec()),
        ("<i4", |v| (v as i32).to_le_bytes().to_vec()),
        ("<i8", |v| (v as i64).to_le_bytes().to_vec()),
    ];
    for (descriptor, bytes_of) in cases {
        let data: Vec<u8> = values.iter().flat_map(|&v| bytes_of(v)).collect();
        let found = array::decode(&npy(descriptor, "False", "(2, 3)", &data), "x").unwrap();
        assert_eq!(found.shape, [2, 3]);
        assert_eq!(found.values, values, "{descriptor}");
    }
    // [[1, -2, 3], [4, 5, 6]] column by column.
    let columns = [1.0, 4.0, -2.0, 5.0, 3.0, 6.0];
    let data: Vec<u8> = columns.iter().flat_map(|v: &f64| v.to_le_bytes()).collect();
    let found = array::decode(&npy("<f8", "True", "(2, 3)", &data), "x").unwrap();
    assert_eq!(found.values, values);
    assert_says(
        array::decode(&npy("<c16", "False", "(2,)", &data), "x"),
        &["`x`", "<c16"],
    );
    assert_says(
        array::decode(&npy("<f8", "False", "(7,)", &data), "x"),
        &["[7]", "48 bytes"],
    );
    assert_says(array::decode(b"PK", "x"), &["no NPY array"]);
}

#[test]
fn a_grid_of_four_dimensions_has_rows_and_columns() {
    let data: Vec<u8> = (0..36).flat_map(|v| f64::from(v).to_le_bytes()).collect();
    let options = ReadOptions {
        fps: Some(1.0),
        ..ReadOptions::default()
    };
    let found = nodes(decode_npy(
        &npy("<f8", "False", "(2, 2, 3, 3)", &data),
        &options,
    ));
    assert_eq!(found.grid, Some([3, 2]));
    assert_eq!(found.frames[1][1], DVec3::new(21.0, 22.0, 23.0));
    let wrong = npy("<f8", "False", "(2, 18)", &data);
    assert_says(
        decode_npy(&wrong, &options),
        &["[2, 18]", "(frames, nodes, 3)"],
    );
    // Sizes that nothing can have.
    let huge = npy(
        "<f8",
        "True",
        "(0, 9223372036854775807, 9223372036854775807, 3)",
        &[],
    );
    assert!(decode_npy(&huge, &options).is_err());
}

#[test]
fn an_npz_file_says_what_it_lacks() {
    let packed = npz::pack(&[("y", array::encode(&[1], &[0.0], false))]).unwrap();
    assert_says(
        decode_npz(&packed, &ReadOptions::default()),
        &["`x`", "y.npy"],
    );
    let x = encode_npy(&swing(2));
    let grid = |sides: &[f64]| array::encode(&[sides.len()], sides, true);
    let read = |arrays: &[(&str, Vec<u8>)]| {
        let options = ReadOptions {
            fps: Some(1.0),
            ..ReadOptions::default()
        };
        decode_npz(&npz::pack(arrays).unwrap(), &options)
    };
    assert_says(
        read(&[("x", x.clone()), ("grid", grid(&[2.0]))]),
        &["2 columns", "6 nodes"],
    );
    assert_says(
        read(&[("x", x.clone()), ("held", grid(&[6.0]))]),
        &["node 6", "held"],
    );
    assert_says(
        read(&[("x", x.clone()), ("held", grid(&[-1.0]))]),
        &["`held`", "-1"],
    );
    let times = array::encode(&[3], &[0.0, 1.0, 2.0], false);
    assert_says(read(&[("x", x), ("t", times)]), &["3 times", "2 frames"]);
}

#[test]
fn tables_come_back_in_both_forms() {
    let mut recording = swing(5);
    let back = nodes(csv(&encode_csv(&recording)));
    assert_eq!(back.frames, recording.frames);
    let mut long = String::from("\u{feff}# a comment\ntime,node,x,y,z\r\n");
    for (time, frame) in recording.times.iter().zip(&recording.frames) {
        for (node, p) in frame.iter().enumerate() {
            long.push_str(&format!("{time},{node},{:?},{:?},{:?}\r\n", p.x, p.y, p.z));
        }
    }
    recording.grid = None;
    recording.held.clear();
    assert_eq!(nodes(csv(&long)), recording);
}

#[test]
fn tables_name_the_line() {
    assert_says(csv("1,2,3,4\n"), &["line 1", "name the columns"]);
    assert_says(csv("time,x0,y0,z1\n"), &["column 4", "`z0`"]);
    assert_says(csv("time,x0,y0,z0,x1\n"), &["three columns"]);
    assert_says(
        csv("time,x0,y0,z0\n0,1,2,3\n\n1,1,2\n"),
        &["line 4", "3 columns"],
    );
    assert_says(
        csv("time,x0,y0,z0\n0,1,2,q\n"),
        &["line 2, column 4", "`q`"],
    );
    assert_says(
        csv("time,x0,y0,z0\n0,1,2,3\n0,1,2,3\n"),
        &["line 3", "already"],
    );
    assert_says(
        csv("time,x0,y0,z0\n1,1,2,3\n0,1,2,3\n"),
        &["line 3", "sort"],
    );
    assert_says(csv("time,x0,y0,z0\nnan,1,2,3\n"), &["line 2", "finite"]);
    assert_says(csv("time,x0,y0,z0\n0,1,2,3\n"), &["1 frames", "at least 2"]);
    assert_says(
        csv("time,node,x,y,z\n0,0,1,2,3\n0,0,1,2,3\n"),
        &["line 3", "already"],
    );
    assert_says(csv("time,node,x,y,z\n0,-1,1,2,3\n"), &["line 2, column 2"]);
    assert_says(
        csv("time,node,x,y,z\n0,4000000000,1,2,3\n"),
        &["without gaps"],
    );
    assert_says(csv(""), &["empty"]);
    assert_says(
        decode_csv(b"time\n\xff", &ReadOptions::default()),
        &["line 2", "UTF-8"],
    );
}

#[test]
fn points_without_nodes_are_clouds() {
    let text = "time,x,y,z\n0,0,0,0\n0,1,0,0\n0.5,2,0,0\n0.5,nan,0,0\n";
    let Observation::Clouds(found) = csv(text).unwrap() else {
        panic!("these are nodes");
    };
    assert_eq!(found.len(), 2);
    assert_eq!(found.cloud(0), Some(&[DVec3::ZERO, DVec3::X][..]));
    assert_eq!(found.cloud(2), None);
    assert_eq!(
        found.notes,
        ["1 of 4 points are not finite and were left out"]
    );
    let nearest = [-1.0, 0.2, 0.25, 0.3, 9.0].map(|time| found.nearest_frame(time));
    assert_eq!(nearest, [0, 0, 0, 1, 1]);
    assert_says(
        csv("time,x,y,z\n0,0,0,0\n1,nan,0,0\n"),
        &["frame 1", "empty"],
    );
    assert!(matches!(
        csv_text::read(b"time,x,y,z\n"),
        Ok(Content::Clouds(..))
    ));
}

#[test]
fn names_are_sorted_by_their_numbers() {
    let mut names = ["f10.ply", "f2.ply", "f002b.ply", "a.ply", "f.ply"];
    names.sort_by(|a, b| folder::by_name(a, b));
    assert_eq!(names, ["a.ply", "f.ply", "f2.ply", "f002b.ply", "f10.ply"]);
    let points = folder::points_of_text("# x y z\n1 2 3 255 0 0\n\n4,5,6\n").unwrap();
    assert_eq!(
        points,
        [DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0)]
    );
    assert_says(folder::points_of_text("1 2\n"), &["line 1, column 3"]);
}
