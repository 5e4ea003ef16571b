use super::*;

fn read(text: impl AsRef<[u8]>) -> Trajectory {
    Trajectory::read(text.as_ref()).unwrap()
}

fn assert_error(text: impl AsRef<[u8]>, line: u64, column: u64, part: &str) {
    let error = Trajectory::read(text.as_ref()).unwrap_err();
    assert_eq!(error.place(), Some(Place::Text { line, column }), "{error}");
    assert!(error.to_string().contains(part), "{error}");
}

#[test]
fn a_frame_without_rotation_does_not_turn() {
    let expected = Trajectory::Frame {
        times: vec![0.0, 0.5],
        translations: vec![DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, -6e-3)],
        rotations: vec![DQuat::IDENTITY; 2],
    };
    assert_eq!(read("time,x,y,z\n0,1,2,3\n0.5,4,5,-6e-3\n"), expected);
    // The same with everything that may stand around it.
    let text = b"\xEF\xBB\xBF# caf\xE9\r\n\r\n Time ,\"x\", y,z\r\n#\r\n  \r\n0, 1 ,2,3\r\n\r\n  # 1,2\r\n0.5,4,5,-6e-3";
    assert_eq!(read(text), expected);
    assert_eq!(expected.times(), [0.0, 0.5]);
}

#[test]
fn rotations_get_length_one_and_a_continuous_sign() {
    let text = "time,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,2\n1,0,0,0,0,0,-1,-1\n2,0,0,0,0,0,1e200,1e200\n3,0,0,0,1e-200,0,0,0\n";
    let Trajectory::Frame { rotations, .. } = read(text) else {
        panic!("it is a frame");
    };
    let half = 0.5f64.sqrt();
    let expected = [
        [0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, half, half],
        [0.0, 0.0, half, half],
        [1.0, 0.0, 0.0, 0.0],
    ];
    for (rotation, expected) in rotations.iter().zip(expected) {
        assert!(
            rotation.abs_diff_eq(DQuat::from_array(expected), 1e-15),
            "{rotation}"
        );
    }
}

#[test]
fn nodes_keep_the_order_of_their_columns() {
    assert_eq!(
        read("time,x7,y7,z7,x0,y0,z0\n0,1,2,3,4,5,6\n1,7,8,9,10,11,12\n"),
        Trajectory::Nodes {
            times: vec![0.0, 1.0],
            node_ids: vec![7, 0],
            positions: vec![
                vec![DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0)],
                vec![DVec3::new(7.0, 8.0, 9.0), DVec3::new(10.0, 11.0, 12.0)],
            ],
        }
    );
}

#[test]
fn headers_that_are_none_are_refused() {
    assert_error("0,1,2,3\n1,1,2,3\n", 1, 1, "header row is missing");
    assert_error("\n# c\nt,x,y,z\n", 3, 1, "first column must be `time`");
    assert_error("time\n0\n", 1, 2, "no columns after `time`");
    assert_error("time,x,z,y\n", 1, 3, "columns of a rigid motion");
    assert_error(
        "time,x,y,z,qw,qx,qy,qz\n",
        1,
        5,
        "columns of a rigid motion",
    );
    assert_error("time,x,y\n", 1, 4, "columns of a rigid motion");
    assert_error(
        "time,x,y,z,qx,qy,qz,qw,more\n",
        1,
        9,
        "columns of a rigid motion",
    );
    assert_error("time,x0,y0\n", 1, 4, "column `z0` must stand here");
    assert_error("time,x0,y1,z0\n", 1, 3, "column `y0` must stand here");
    assert_error("time,x0,y0,z0,y1,x1,z1\n", 1, 5, "start with `x`");
    assert_error(
        "time,x4294967296,y0,z0\n",
        1,
        2,
        "columns of a rigid motion",
    );
    assert_error(
        "time,x0,y0,z0,x1,y1,z1,x0,y0,z0\n",
        1,
        8,
        "node 0 has columns already",
    );
}

#[test]
fn rows_that_do_not_fit_are_refused_with_line_and_column() {
    let header = "# a motion\r\n\r\ntime,x,y,z\r\n0,0,0,0\r\n# and\r\n";
    let with = |row: &str| format!("{header}{row}\r\n");
    assert_error(with("1,2,3"), 6, 4, "3 columns, the header 4");
    assert_error(with("1,2,3,4,5"), 6, 5, "5 columns, the header 4");
    assert_error(with("1,2,oh,4"), 6, 3, "`y`: `oh` is not a number");
    assert_error(with("1,2,,4"), 6, 3, "is not a number");
    assert_error(with("1,2,3,NaN"), 6, 4, "is not a finite number");
    assert_error(with("inf,2,3,4"), 6, 1, "is not a finite number");
    assert_error(with("0,2,3,4"), 6, 1, "does not come after");
    assert_error(with("-1,2,3,4"), 6, 1, "does not come after");
    assert_error(b"time,x,y,z\n0,\xFF,0,0\n", 2, 2, "is not a number");
    assert_error(
        "time,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,-0\n",
        2,
        5,
        "quaternion is zero",
    );
    assert_error(
        "time,x1,y1,z1\n1,0,0,0\n1,0,0,0\n",
        3,
        1,
        "does not come after",
    );
}

#[test]
fn an_empty_file_is_refused() {
    for text in [
        "",
        "\n\n",
        "# only a comment\n",
        "time,x,y,z\n",
        "time,x0,y0,z0\n# no rows\n",
    ] {
        let error = Trajectory::read(text.as_bytes()).unwrap_err();
        assert_eq!(error.place(), Some(Place::WholeFile), "{text}: {error}");
    }
}

#[test]
fn a_quote_that_is_never_closed_is_an_error_and_no_panic() {
    assert!(Trajectory::read("time,x,y,z\n0,\"1,2,3\n1,1,2,3\n".as_bytes()).is_err());
}
