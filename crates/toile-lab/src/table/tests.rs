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
