//! Wrong scenes, meshes and motions: one clear message that names the place, the field and the mend.

use crate::common::{Folder, SMALL, toile};

/// The mesh of the small scene, and a place to put something else.
const GRID: &str = "mesh.grid = { size = [0.4, 0.4], cells = [8, 8] }";
const PIN: &str = "select.corners = [0]";
const DURATION: &str = "duration = 0.48";
const BALL: &str = "shape.sphere = { radius = 0.15 }";

/// The small scene with one line replaced.
fn with(old: &str, new: &str) -> String {
    assert!(SMALL.contains(old), "{old}");
    SMALL.replacen(old, new, 1)
}

/// Both `check` and `run` refuse the scene with these words, and no folder is made.
fn refused_in(folder: &Folder, text: impl AsRef<[u8]>, fragments: &[&str]) {
    folder.write("bad.toml", text);
    let run = ["run", "bad.toml", "--no-report", "-o", "out"];
    for arguments in [&run[..], &["check", "bad.toml"]] {
        let ended = toile(folder, arguments).says(1, fragments);
        assert!(ended.stderr.contains("bad.toml"), "{}", ended.stderr);
    }
    assert!(!folder.file("out").exists(), "a folder was made");
}

fn refused(text: impl AsRef<[u8]>, fragments: &[&str]) {
    refused_in(&Folder::new(), text, fragments);
}

#[test]
fn a_misspelt_field_is_pointed_at_with_the_right_name() {
    let text = with(GRID, &format!("{GRID}\nmaterial.stretch_stiffnes = 10.0"));
    let field = "cloth.sheet.material.stretch_stiffnes";
    let fragments = ["bad.toml:9:10", field, "did you mean `stretch_stiffness`?"];
    refused(text, &fragments);
}

#[test]
fn impossible_numbers_are_named_with_their_line() {
    let material = |line: &str| with(GRID, &format!("{GRID}\nmaterial.{line}"));
    let density = "bad.toml:9:10: cloth.sheet.material.density";
    refused(material("density = -1.0"), &[density, "is -1", "positive"]);
    refused(material("density = nan"), &[density, "is NaN", "positive"]);
    refused(material("density = 0"), &[density, "positive"]);
    refused(material("density = inf"), &[density, "positive"]);
    refused(material("density = \"x\""), &[density, "invalid type"]);
    let friction = with(BALL, &format!("{BALL}\nfriction = -1"));
    let fragments = ["bad.toml:16:1: body.ball.friction", "is -1"];
    refused(friction, &fragments);
}

#[test]
fn impossible_times_are_named_with_their_line() {
    let duration = "bad.toml:4:1: time.duration";
    for (value, says) in [
        ("0", "is 0; it must be a positive number"),
        ("-2", "is -2"),
        ("1e300", "too many"),
        ("inf", "is inf"),
    ] {
        let text = with(DURATION, &format!("duration = {value}"));
        refused(text, &[duration, says]);
    }
    let fps = "bad.toml:5:1: time.fps";
    refused(with("fps = 25", "fps = 0"), &[fps, "is 0"]);
    let step = "bad.toml:6:1: time.step";
    let uneven = with("fps = 25", "fps = 25\nstep = 0.0073");
    let fragments = [step, "does not divide", "time.fps", "time.substeps"];
    refused(uneven, &fragments);
    let both = with("fps = 25", "fps = 25\nstep = 0.01\nsubsteps = 4");
    refused(both, &[step, "not both"]);
    let none = with("fps = 25", "fps = 25\nsubsteps = 0");
    refused(none, &["bad.toml:6:1: time.substeps", "1 to 1000000"]);
}

#[test]
fn a_file_that_is_no_scene_is_said_to_be_none() {
    refused("", &["the scene has no cloth", "[cloth.NAME]"]);
    refused("title = \"Nothing\"\n", &["the scene has no cloth"]);
    refused(b"\x7fELF\x02\x01\xff\xfe\x00", &["byte 6", "not UTF-8"]);
    refused(b"\x00\x01\x02\x03", &["bad.toml:1:"]);
    refused("[cloth.sheet\n", &["bad.toml:1:"]);
}

#[test]
fn impossible_meshes_are_named_with_their_line() {
    let cells = "cloth.sheet.mesh.grid.cells";
    for (value, says) in [("[0, 0]", "is 0"), ("[100000, 100000]", "lower `cells`")] {
        let mesh = format!("mesh.grid = {{ size = [1, 1], cells = {value} }}");
        refused(with(GRID, &mesh), &["bad.toml:8:", cells, says]);
    }
    let missing = with(GRID, "mesh.file = { path = \"none.obj\" }");
    let fragments = ["bad.toml:8:15: cloth.sheet.mesh.file.path", "none.obj"];
    refused(missing, &fragments);
}

#[test]
fn mesh_files_with_mistakes_are_named_with_their_own_line() {
    let folder = Folder::new();
    let file = with(GRID, "mesh.file = { path = \"m.obj\" }");
    let field = "cloth.sheet.mesh.file.path";
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    folder.write("m.obj", format!("{triangle}f 1 2 9\n"));
    let fragments = [field, "m.obj", "line 4, column 7", "vertex 9"];
    refused_in(&folder, &file, &fragments);
    folder.write("m.obj", format!("{triangle}v 1 nan 0\nf 1 2 3\n"));
    refused_in(&folder, &file, &[field, "m.obj", "line 4"]);
    folder.write("m.obj", "");
    refused_in(&folder, &file, &["cloth.sheet.mesh"]);
    folder.write("m.obj", format!("{triangle}v 7 7 7\nf 1 2 3\n"));
    let fragments = [
        "cloth.sheet.mesh",
        "node 3 belongs to no face",
        "toile check",
    ];
    refused_in(&folder, &file, &fragments);
}

#[test]
fn rest_shapes_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    folder.write("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let mesh = "mesh.file = { path = \"m.obj\" }";
    let uv = with(GRID, &format!("{mesh}\nrest.uv = {{ scale = 1 }}"));
    let fragments = ["bad.toml:9:1: cloth.sheet.rest", "no texture coordinates"];
    refused_in(&folder, uv, &fragments);
    let file = with(GRID, &format!("{GRID}\nrest.file = {{ path = \"m.obj\" }}"));
    let fragments = ["bad.toml:9:1: cloth.sheet.rest", "rest mesh has 3", "81"];
    refused_in(&folder, file, &fragments);
}

#[test]
fn pins_that_hold_nothing_or_too_much_are_refused() {
    let select = "bad.toml:12:1: cloth.sheet.pin[0].select";
    let wrong = with(PIN, "select.corners = [7]");
    refused(wrong, &[select, "no corner 7; the cloth has 4"]);
    let nothing = with(PIN, "select.ball = { center = [9, 9, 9], radius = 0.1 }");
    refused(nothing, &[select, "selects no node"]);
    let repeated = with(PIN, "select.nodes = [3, 3]");
    refused(repeated, &[select, "selects node 3 twice"]);
    let again = format!("{PIN}\n[[cloth.sheet.pin]]\n{PIN}");
    let fragments = ["held by pin 0 and pin 1", "`held` intervals"];
    refused(with(PIN, &again), &fragments);
}

#[test]
fn motions_with_mistakes_name_the_key_or_the_row() {
    let keys = "motion.keyframes = { keys = [{ time = 1.0 }, { time = 0.5 }] }";
    let text = with(PIN, &format!("{PIN}\n{keys}"));
    let fragments = ["bad.toml:13:", "keyframes.keys", "key 1", "sort the keys"];
    refused(text, &fragments);

    let folder = Folder::new();
    let motion = "motion.trajectory = { path = \"m.csv\" }";
    let text = with(PIN, &format!("{PIN}\n{motion}"));
    let field = "cloth.sheet.pin[0].motion";
    for (table, says) in [
        ("time,x,y,z\n0,0,0,0\n1,nan,0,0\n", "line 3"),
        ("time,x,y,z\n1,0,0,0\n0.5,0,0,0\n", "line 3"),
        ("time,x,y,z\n1,0,0\n", "line 2"),
        ("time,x0,y0,z0,x1,y1,z1\n0,0,0,0,1,0,0\n", "2 nodes"),
        ("", "no rows"),
    ] {
        folder.write("m.csv", table);
        refused_in(&folder, &text, &["bad.toml:13:", field, says]);
    }
}

#[test]
fn bodies_of_impossible_shape_are_refused() {
    let shape = "bad.toml:15:1: body.ball.shape";
    let ball = with(BALL, "shape.sphere = { radius = 0.0 }");
    refused(ball, &[shape, "the sphere's radius is 0"]);
    let disc = with(BALL, "shape.disc = { radius = 0.1, thickness = 0.5 }");
    refused(disc, &[shape, "thicker (0.5 m) than wide (0.2 m)"]);
    let cube = with(BALL, "shape.box = { size = [1, nan, 1] }");
    refused(cube, &[shape, "NaN"]);
    let unknown = with(BALL, "shape.spere = { radius = 0.1 }");
    refused(unknown, &["bad.toml:15:", "did you mean `sphere`?"]);
}

#[test]
fn a_wrong_set_is_named_as_it_was_typed() {
    let folder = Folder::new();
    folder.write("small.toml", SMALL);
    for (set, says) in [
        ("nothing", "has no `=`"),
        ("=3", "names no field"),
        ("cloth.sheet.material.bent=1", "did you mean `bend`?"),
        (
            "cloth.sheet.material.density=-1",
            "--set cloth.sheet.material.density=-1",
        ),
        ("cloth.sheet.pin[4].held=[]", "no such entry"),
        ("title.deep=1", "`title` is not a table"),
        ("time.fps=fast", "time.fps"),
    ] {
        let run = ["run", "small.toml", "-o", "out", "--set", set];
        toile(&folder, &run).says(1, &["--set", says]);
    }
    assert!(!folder.file("out").exists());
}

#[test]
fn an_unknown_scene_is_answered_with_the_bundled_ones() {
    let folder = Folder::new();
    for command in ["run", "check", "scenes"] {
        let ended = toile(&folder, &[command, "helo"]);
        ended.says(1, &["helo: there is no such file", "hello", "sphere-drop"]);
    }
}

#[test]
fn line_ends_of_other_systems_and_letters_of_other_languages_are_fine() {
    let folder = Folder::new();
    let title = "title = \"Drap – 布 – ткань\" # étoffe 🧵";
    let text = with("title = \"Small\"", title);
    folder.write("small.toml", text.replace('\n', "\r\n"));
    toile(&folder, &["check", "small.toml"]).good();
    let run = ["run", "small.toml", "--no-report", "--until", "0.04"];
    let ended = toile(&folder, &run).good();
    assert!(ended.stdout.contains("ткань"), "{}", ended.stdout);
    // Columns are counted in letters, not in bytes.
    let text = "cloth.\"布\" = { mesh.grid = { size = [1, 1], cells = [1, 1] }, densty = 1 }";
    refused_in(
        &Folder::new(),
        text,
        &["bad.toml:1:62:", "unknown field `densty`"],
    );
}

#[test]
fn measured_tables_that_make_no_curve_are_named_with_table_and_row() {
    let with_curve = |name: &str, rows: &str| {
        let lines = format!("{GRID}\nmodel = \"kawabata\"\nmaterial.curves.{name} = {rows}");
        with(GRID, &lines)
    };
    let place = |name: &str| format!("bad.toml:10:17: cloth.sheet.material.curves.{name}");
    for (name, rows, says) in [
        ("shear", "[[0, 0], [0.2, 5], [0.1, 6]]", "row 3"),
        ("shear", "[[0, 0], [0.1, 5], [0.2, 4]]", "row 3"),
        (
            "tensile_warp",
            "[[0, 0], [0.1, 5], [0.1, 6]]",
            "rows 2 and 3",
        ),
        ("tensile_weft", "[[0.1, 0], [0.2, 5]]", "row 1"),
        ("bend_warp", "[[0, 0], [1.0, nan]]", "row 2"),
        ("bend_weft", "[[0, 0]]", "row"),
    ] {
        refused(with_curve(name, rows), &[&place(name), says]);
    }
    let fabric = with(GRID, &format!("{GRID}\nmaterial.fabric = \"cotten\""));
    let field = "cloth.sheet.material.fabric";
    refused(fabric, &[field, "`cotten`", "cotton", "denim"]);
}

#[test]
fn warps_that_stand_on_the_cloth_and_rest_shapes_that_do_not_fit_are_refused() {
    let with_line = |line: &str| with(GRID, &format!("{GRID}\n{line}"));
    let warp = "cloth.sheet.warp";
    let upright = with_line("warp.direction = [0, 0, 1]");
    refused(upright, &["bad.toml:9", warp, "perpendicular to face 0"]);
    let none = with_line("warp.direction = [0, 0, 0]");
    refused(none, &["bad.toml:9", warp, "not zero"]);
    let few = with_line("warp.faces = [[1, 0, 0]]");
    refused(few, &["bad.toml:9", warp, "1 warp directions", "64 faces"]);

    let folder = Folder::new();
    folder.write("other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let lines = "bending = \"dihedral\"\nfold.rest.file = { path = \"other.obj\" }";
    let sculpted = with_line(lines);
    let fragments = ["cloth.sheet.fold.rest", "3 nodes, the cloth 81"];
    refused_in(&folder, sculpted, &fragments);

    let tube =
        "mesh.tube = { radius = 0.1, height = 0.3, cells = [12, 6] }\nbending = \"quadratic\"";
    let fragments = ["cloth.sheet.bending", "`quadratic`"];
    let text = with(GRID, tube).replace(PIN, "select.nodes = [0]");
    refused(text, &fragments);
}

#[test]
fn impossible_limits_are_named() {
    let with_line = |line: &str| with(GRID, &format!("{GRID}\n{line}"));
    let limit = "cloth.sheet.limit";
    let negative = with_line("limit.strain = { stretch = -0.1 }");
    refused(negative, &[limit, "strain", "stretch must be 0 or more"]);
    let all = with_line("limit.strain = { compression = 1.5 }");
    refused(all, &[limit, "strain", "leave no length"]);
    let soft = with_line("limit.area = { regularisation = 1.0 }");
    refused(soft, &[limit, "area", "above 1"]);
    let two = with_line("model = \"isometric\"\nlimit.strain = { stretch = 0.1 }");
    refused(two, &[limit, "already is a limit", "isometric"]);
    let inside = with_line("model = \"isometric\"\nlimit.isometric = { corners = [12] }");
    refused(inside, &[limit, "isometric", "not on the rim"]);
    let exact = with_line("limit.lengths = { tolerance = 0 }");
    refused(exact, &[limit, "lengths", "tolerance"]);
    let shrink = with_line("limit.inequality = { stretch = -0.5 }");
    refused(shrink, &[limit, "inequality"]);
    let area = with_line("model = \"area\"\nlimit.inequality = {}");
    refused(area, &[limit, "already is a limit", "`area`"]);
    let hard = with_line("model = \"area\"\nlimit.area = { regularisation = 0.5 }");
    refused(hard, &[limit, "area", "above 1"]);
    let springs = with_line("model = \"area\"\nmaterial.weak_springs = -1");
    refused(springs, &["cloth.sheet.material.weak_springs", "-1"]);
    let unknown = with_line("limit.strain = { strech = 0.1 }");
    refused(unknown, &["strech", "stretch"]);
}

#[test]
fn impossible_folds_slides_and_winds_are_named() {
    let with_line = |line: &str| with(GRID, &format!("{GRID}\n{line}"));
    let both = "fold.yield_angle = 0.5\nfold.yield_curvature = 50";
    let fold = "cloth.sheet.fold.";
    refused(with_line(both), &[fold, "not both"]);
    let angle = "bending = \"dihedral\"\nfold.rest.angle = 4.0";
    refused(with_line(angle), &[fold, "between −π and π"]);
    let idle = with_line("model = \"mass-spring\"\nbending = \"model\"\nfold.rest.angle = 1.0");
    refused(idle, &["cloth.sheet.fold", "bending = \"dihedral\""]);
    let half = with_line("bending = \"curvature\"\nfold.law = \"half-angle\"");
    refused(half, &["cloth.sheet.fold.law", "bending = \"dihedral\""]);
    refused(
        with_line("fold.hardening = -1"),
        &[fold, "hardening", "is -1"],
    );
    let limp = with_line("material.shear_stiffness = 0");
    let place = "cloth.sheet.material.shear_stiffness";
    refused(limp, &[place, "is 0", "model = \"baraff-witkin\""]);
    let slide = with(PIN, &format!("{PIN}\nslide.line = [0, 0, 0]"));
    refused(slide, &["slide.line", "must be a direction"]);
    let wind = with(GRID, GRID) + "\n[environment.air]\nwind = [1, nan, 0]\n";
    refused(wind, &["environment.air.wind", "finite"]);
    let gusts = with(GRID, GRID) + "\n[environment.air]\ngusts = { length = 0 }\n";
    refused(gusts, &["environment.air.gusts.length", "positive"]);
}

#[test]
fn stiffnesses_that_do_not_go_together_are_warned_of() {
    let folder = Folder::new();
    let odd = with(GRID, &format!("{GRID}\nmaterial.shear_stiffness = 1e-3"));
    folder.write("odd.toml", odd);
    let ended = toile(&folder, &["check", "odd.toml"]);
    let says = "warning: cloth.sheet.material.shear_stiffness";
    assert!(ended.stderr.contains(says), "{}", ended.stderr);
    let curve = "material.curves.shear = [[0, 0], [0.1, 3]]";
    let idle = with(GRID, &format!("{GRID}\n{curve}"));
    folder.write("idle.toml", idle);
    let ended = toile(&folder, &["check", "idle.toml"]);
    let says = "warning: cloth.sheet.material.curves: they count only with";
    assert!(ended.stderr.contains(says), "{}", ended.stderr);
}
