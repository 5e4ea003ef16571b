use super::*;
use proptest::prelude::*;

const COLUMNS: [(&str, ColumnKind); 3] = [
    ("scene", ColumnKind::Text),
    ("nodes", ColumnKind::Integer),
    ("error (m)", ColumnKind::Number),
];

fn example() -> Table {
    let mut table = Table::new(COLUMNS).unwrap();
    let rows = [
        ("flag", Some(49_i64), Some(0.1)),
        ("a \"b\", c\nd", None, Some(f64::NEG_INFINITY)),
        ("toile à l'été", Some(i64::MIN), None),
        ("whole", Some(3), Some(2.0)),
    ];
    for (scene, nodes, error) in rows {
        table
            .push(vec![scene.into(), nodes.into(), error.into()])
            .unwrap();
    }
    table.push(vec![Cell::Missing; 3]).unwrap();
    table
}

fn csv(table: &Table) -> String {
    let mut bytes = Vec::new();
    table.write_csv(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn parquet(table: &Table) -> Vec<u8> {
    let mut bytes = Vec::new();
    table.write_parquet(&mut bytes).unwrap();
    bytes
}

#[test]
fn csv_is_as_the_rule_says_and_comes_back() {
    let table = example();
    let text = csv(&table);
    let expected = "scene,nodes,error (m)\r\nflag,49,0.1\r\n\"a \"\"b\"\", c\nd\",,-inf\r\n\
                    toile à l'été,-9223372036854775808,\r\nwhole,3,2.0\r\n,,\r\n";
    assert_eq!(text, expected);
    assert_eq!(Table::read_csv(text.as_bytes(), COLUMNS).unwrap(), table);
}

#[test]
fn not_a_number_is_not_missing() {
    let mut table = Table::new([("x", ColumnKind::Number), ("y", ColumnKind::Number)]).unwrap();
    table.push(vec![f64::NAN.into(), Cell::Missing]).unwrap();
    let back = Table::read_csv(csv(&table).as_bytes(), table.columns()).unwrap();
    assert!(matches!(back.cell(0, 0), Some(Cell::Number(x)) if x.is_nan()));
    assert_eq!(back.cell(0, 1), Some(Cell::Missing));
    assert_eq!(back.cell(1, 0), None);
}

#[test]
fn columns_are_found_by_name() {
    let table = example();
    assert_eq!(table.rows(), 5);
    assert_eq!(table.find("nodes"), Some(1));
    assert_eq!(table.numbers("nodes").unwrap()[3], 3.0);
    assert!(table.numbers("error (m)").unwrap()[2].is_nan());
    assert_eq!(table.numbers("scene"), None);
    assert_eq!(table.cell(0, 0), Some("flag".into()));
}

#[test]
fn what_does_not_fit_is_refused_by_row_and_column() {
    let mut table = example();
    let before = table.clone();
    let mut message = |cells: Vec<Cell>| table.push(cells).unwrap_err().to_string();
    assert!(message(vec!["a".into()]).contains("row 6 has 1 cells"));
    let error = message(vec!["a".into(), 1.5.into(), 0.0.into()]);
    assert_eq!(error, "row 6, column `nodes`: 1.5 is not an integer");
    assert!(message(vec![1_i64.into(), 1_i64.into(), 0.0.into()]).contains("not a text"));
    assert_eq!(table, before);
    // An integer is a number.
    table
        .push(vec!["a".into(), 1_usize.into(), 2_i64.into()])
        .unwrap();
    assert_eq!(table.cell(5, 2), Some(Cell::Number(2.0)));
    let twice = [("a", ColumnKind::Text), ("a", ColumnKind::Text)];
    assert!(
        Table::new(twice)
            .unwrap_err()
            .to_string()
            .contains("column 2")
    );
}

#[test]
fn files_of_other_tables_are_refused() {
    let message = |text: &str| {
        let error = Table::read_csv(text.as_bytes(), COLUMNS).unwrap_err();
        error.to_string()
    };
    assert!(message("").contains("`scene` was expected"));
    assert!(message("scene,faces,error (m)\n").contains("column 2 of the file is `faces`"));
    assert!(message("scene,nodes,error (m),more\n").contains("`more`"));
    let head = "scene,nodes,error (m)\n";
    assert!(message(&format!("{head}a,1,2\nb,1\n")).contains("row 2 has 2 cells"));
    assert!(message(&format!("{head}a,x,2\n")).contains("row 1, column `nodes`: `x`"));
}

#[test]
fn a_parquet_file_has_the_bytes_of_the_format() {
    let mut table = Table::new([("n", ColumnKind::Integer)]).unwrap();
    table.push(vec![7_i64.into()]).unwrap();
    table.push(vec![Cell::Missing]).unwrap();
    let page_header = [
        0x15, 0x00, // type: data page
        0x15, 0x20, 0x15, 0x20, // 16 bytes, and 16 uncompressed
        0x2C, 0x15, 0x04, 0x15, 0x00, 0x15, 0x06, 0x15, 0x06,
        0x00, // 2 values, plain, levels in runs
        0x00,
    ];
    let levels = [4, 0, 0, 0, 2, 1, 2, 0];
    let metadata = [
        0x15, 0x02, // version 1
        0x19, 0x2C, // two schema elements
        0x48, 5, b't', b'a', b'b', b'l', b'e', 0x15, 0x02, 0x00, // the root has one column
        0x15, 0x04, 0x25, 0x02, 0x18, 1, b'n', 0x00, // 64 bits, optional, "n"
        0x16, 0x04, // two rows
        0x19, 0x1C, 0x19, 0x1C, // a row group with a column
        0x26, 0x08, // at byte 4
        0x1C, 0x15, 0x04, 0x19, 0x25, 0x00, 0x06, 0x19, 0x18, 1, b'n', 0x15,
        0x00, // how it is stored
        0x16, 0x04, 0x16, 0x42, 0x16, 0x42, 0x26, 0x08, 0x00, // 2 values, 33 bytes, page at 4
        0x00, 0x16, 0x42, 0x16, 0x04, 0x00, // the group: 33 bytes, 2 rows
        0x28, 5, b't', b'o', b'i', b'l', b'e', 0x00,
    ];
    let mut expected = b"PAR1".to_vec();
    expected.extend(page_header);
    expected.extend(levels);
    expected.extend(7_i64.to_le_bytes());
    expected.extend(metadata);
    expected.extend((metadata.len() as u32).to_le_bytes());
    expected.extend(b"PAR1");
    assert_eq!(parquet(&table), expected);
}

#[test]
fn a_parquet_file_of_any_size_can_be_made() {
    let columns = (0..40).map(|k| (format!("c{k}"), ColumnKind::Number));
    let mut table = Table::new(columns).unwrap();
    assert!(parquet(&table).ends_with(b"PAR1"));
    for row in 0..300 {
        let cell = |k: usize| {
            if row < 150 {
                Cell::Missing
            } else {
                Cell::Number(k as f64)
            }
        };
        table.push((0..40).map(cell).collect()).unwrap();
    }
    let bytes = parquet(&table);
    assert_eq!(bytes, parquet(&table));
    assert!(bytes.len() > 40 * 150 * 8);
}

proptest! {
    #[test]
    fn csv_keeps_every_digit(
        rows in prop::collection::vec(
            (prop::option::of("[ -~\n\r\"é]{1,8}"), any::<Option<i64>>(), prop::option::of(-1e300..1e300)),
            0..8,
        ),
    ) {
        let mut table = Table::new(COLUMNS).unwrap();
        for (text, integer, number) in rows {
            table.push(vec![text.into(), integer.into(), number.into()]).unwrap();
        }
        prop_assert_eq!(Table::read_csv(csv(&table).as_bytes(), COLUMNS).unwrap(), table);
    }
}
