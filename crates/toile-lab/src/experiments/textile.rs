//! What goes into a specimen comes out of the textile tests: rigidity, stiffnesses, limits.

use crate::outcome::Measurement;
use crate::plot::{Axis, Plot, SIZE};
use crate::registry::{Experiment, Findings, LabError, Settings};
use crate::textile::{Specimen, bias, cantilever, shear_frame, tensile};
use toile_scene::spec::{BendingSpec, ModelSpec};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "textile",
    title: "cantilever, tensile, shear and bias tests give back what the material was told, per model",
    reproduces: "ASTM D1388 (ρ g L³ / B = 8.004 at 41.5°), Kawabata's tensile and shear tests, the trellis of the bias test",
    about: "The tests by which textile laboratories measure bending, stretch and shear, made on simulated cloth whose material is known. \
            What the material was told must come back: the rigidity from the overhang of a strip, the stiffness from its extension, the \
            shear stiffness from a frame, and the angle of a trellis from a strip cut on the bias.",
    parameters: &[
        (
            "cloth",
            "0.15 kg/m², 2000 N/m of stretch, 50 N/m of shear, 1e-5 N·m",
        ),
        (
            "cantilever",
            "strip of 2.5 cm pushed over an edge until its chord falls by 41.5°",
        ),
        ("tensile and bias", "strips of 20×5 cm and 15×5 cm"),
    ],
    run,
};

fn run(settings: &Settings) -> Result<Findings, LabError> {
    let mut findings = Findings::default();
    overhangs(settings, &mut findings)?;
    pulls(settings, &mut findings)?;
    frames(settings, &mut findings)?;
    biases(settings, &mut findings)?;
    Ok(findings)
}

fn cloth(model: ModelSpec, bending: BendingSpec) -> Specimen {
    let mut specimen = Specimen {
        model,
        bending,
        ..Specimen::default()
    };
    specimen.material.density = Some(0.15);
    specimen.material.stretch_stiffness = Some(2e3);
    specimen.material.shear_stiffness = Some(50.0);
    specimen
}

/// Rigidity of the strip in the cantilever test (N·m).
const RIGIDITY: f64 = 1e-5;

/// Models, what bends them, and whether the test must give their rigidity back.
const BENT: [(&str, ModelSpec, BendingSpec, bool); 8] = [
    (
        "Baraff–Witkin, hinges",
        ModelSpec::BaraffWitkin,
        BendingSpec::Dihedral,
        true,
    ),
    (
        "isometric, curvature",
        ModelSpec::Isometric,
        BendingSpec::Curvature,
        true,
    ),
    (
        "mass–spring, hinges",
        ModelSpec::MassSpring,
        BendingSpec::Dihedral,
        true,
    ),
    (
        "Kawabata, hinges",
        ModelSpec::Kawabata,
        BendingSpec::Dihedral,
        true,
    ),
    (
        "quasi-inextensible, curvature",
        ModelSpec::QuasiInextensible,
        BendingSpec::Curvature,
        true,
    ),
    (
        "inequality, curvature",
        ModelSpec::Inequality,
        BendingSpec::Curvature,
        true,
    ),
    (
        "mass–spring, flexion springs",
        ModelSpec::MassSpring,
        BendingSpec::Model,
        false,
    ),
    (
        "Choi–Ko, buckling pairs",
        ModelSpec::ChoiKo,
        BendingSpec::Model,
        false,
    ),
];

fn overhangs(settings: &Settings, findings: &mut Findings) -> Result<(), LabError> {
    let kinds = if settings.quick {
        &BENT[..2]
    } else {
        &BENT[..]
    };
    for (name, model, bending, judged) in kinds {
        let specimen = cloth(*model, *bending).with_bend(RIGIDITY);
        let mut setup = cantilever::Setup {
            cells: [40, 4],
            tolerance: 0.1,
            ..cantilever::Setup::default()
        };
        if settings.quick || specimen.is_limited() {
            // What limits leave within their tolerance trembles more on smaller cells.
            setup.cells = [20, 2];
            setup.rest.damping = 10.0;
        }
        let what =
            format!("cantilever, {name}: rigidity of the elastica over that of the material");
        let found = match setup.run(&specimen) {
            Ok(found) => found,
            Err(error) => {
                findings.notes.push(format!("cantilever, {name}: {error}"));
                if *judged {
                    let failed = Measurement::new(what, "", f64::NAN, 1.0, 0.05);
                    findings.measurements.push(failed);
                }
                continue;
            }
        };
        findings.notes.push(format!(
            "cantilever, {name}: overhang {:.2} cm, bending length {:.2} cm, Peirce's rigidity {:.3e} N·m of {RIGIDITY:.1e}, {} trials",
            100.0 * found.overhang,
            100.0 * found.bending_length,
            found.rigidity,
            found.trials
        ));
        if *judged {
            findings.measurements.push(Measurement::new(
                what,
                "",
                found.exact_rigidity / RIGIDITY,
                1.0,
                0.05,
            ));
        }
        if *model == ModelSpec::BaraffWitkin {
            findings.pictures.push(("cantilever", found.picture()));
        }
    }
    Ok(())
}

fn pulls(settings: &Settings, findings: &mut Findings) -> Result<(), LabError> {
    // The diagonals of springs, of stiffness 2G per area, are drawn out too: E₁₁ = k + G. Choi and Ko's weft gives way when it is
    // pushed together: their strip narrows until the diagonals are slack again.
    for (name, model, exact, tolerance) in [
        ("Baraff–Witkin", ModelSpec::BaraffWitkin, 2e3, 1.0),
        ("mass–spring", ModelSpec::MassSpring, 2050.0, 25.0),
        ("Choi–Ko", ModelSpec::ChoiKo, 2e3, 25.0),
    ] {
        let found = tensile::Setup::default().run(&cloth(model, BendingSpec::None))?;
        findings.measurements.push(Measurement::new(
            format!("tensile, {name}: first slope"),
            "N/m",
            found.stiffness.unwrap_or(f64::NAN),
            exact,
            tolerance,
        ));
    }
    let mut cotton = cloth(ModelSpec::Kawabata, BendingSpec::Model);
    cotton.material.fabric = Some("cotton".into());
    let mut plot = Plot::new(
        "Tensile test of cotton",
        Axis::linear("extension"),
        Axis::linear("force per width (N/m)"),
    );
    for (name, degrees, full) in [("warp", 0.0, 0.035), ("weft", 90.0, 0.07)] {
        let setup = tensile::Setup {
            extensions: (0..=21).map(|k| full * f64::from(k) / 20.0).collect(),
            ..tensile::Setup::default()
        };
        let curve = setup.run(&cotton.cut_at(degrees))?.curve;
        // The last two points lie half a step before and behind the full extension.
        let force = 0.5 * (curve[19].force + curve[20].force);
        findings.measurements.push(Measurement::new(
            format!("tensile, Kawabata's cotton, {name}: force at its EMT"),
            "N/m",
            force,
            490.33,
            10.0,
        ));
        let points = curve.iter().map(|p| [p.extension, p.force]);
        plot = plot.curve(name, points.collect());
    }
    findings.pictures.push(("tensile", plot.draw(SIZE)));
    let limits = [
        (
            "quasi-inextensible",
            ModelSpec::QuasiInextensible,
            0.0,
            2e-3,
        ),
        ("isometric", ModelSpec::Isometric, 0.0, 2e-3),
        ("inequality", ModelSpec::Inequality, 0.01, 2e-3),
    ];
    let limits = if settings.quick {
        &limits[..1]
    } else {
        &limits[..]
    };
    for (name, model, allowed, tolerance) in limits {
        let found = tensile::Setup::default().run(&cloth(*model, BendingSpec::Model))?;
        for pull in &found.curve {
            findings.measurements.push(Measurement::new(
                format!("tensile, {name}: extension under {} N/m", pull.force),
                "",
                pull.extension,
                *allowed,
                *tolerance,
            ));
        }
    }
    Ok(())
}

fn frames(settings: &Settings, findings: &mut Findings) -> Result<(), LabError> {
    let middle = 7.5f64.to_radians();
    // Baraff and Witkin's energy goes by the sine of the angle.
    let sine = middle.sin() * middle.cos() / middle;
    let models = [
        ("Baraff–Witkin", ModelSpec::BaraffWitkin, sine),
        ("Kawabata", ModelSpec::Kawabata, 1.0),
        ("mass–spring", ModelSpec::MassSpring, 1.0),
        ("Choi–Ko", ModelSpec::ChoiKo, 1.0),
    ];
    let models = if settings.quick {
        &models[..2]
    } else {
        &models[..]
    };
    for (name, model, law) in models {
        let found = shear_frame::Setup::default().run(&cloth(*model, BendingSpec::Model))?;
        let tolerance = match model {
            ModelSpec::BaraffWitkin | ModelSpec::Kawabata => 0.05,
            // Diagonals are springs, whose pull follows the angle only at first.
            _ => 2.5,
        };
        let what = format!("shear frame, {name}: stiffness at 7.5°");
        let measurement = Measurement::new(what, "N/m", found.stiffness, 50.0 * law, tolerance);
        // Choi and Ko's pairs give way on the side that is compressed.
        if *model == ModelSpec::ChoiKo {
            findings.notes.push(format!(
                "shear frame, {name}: {:.2} N/m of 50 (its pairs resist only where they are drawn out)",
                found.stiffness
            ));
        } else {
            findings.measurements.push(measurement);
        }
    }
    Ok(())
}

fn biases(settings: &Settings, findings: &mut Findings) -> Result<(), LabError> {
    let mut plot = Plot::new(
        "Bias extension, Baraff-Witkin: shear angle in the middle",
        Axis::linear("displacement (m)"),
        Axis::linear("angle (rad)"),
    );
    let stiffnesses: &[f64] = if settings.quick {
        &[10.0]
    } else {
        &[10.0, 50.0]
    };
    for &shear in stiffnesses {
        let mut specimen = cloth(ModelSpec::BaraffWitkin, BendingSpec::Model);
        specimen.material.shear_stiffness = Some(shear);
        let mut setup = bias::Setup::default();
        if settings.quick {
            setup.displacements = vec![0.0, 5e-3];
        }
        let found = setup.run(&specimen)?;
        let points = |f: &dyn Fn(&bias::Shear) -> f64| {
            let rows = found.curve.iter().map(|p| [p.displacement, f(p)]);
            rows.collect::<Vec<_>>()
        };
        plot = plot
            .curve(format!("{shear} N/m of shear"), points(&|p| p.angle))
            .guide("trellis", points(&|p| p.trellis));
        let Some(last) = found.curve.last() else {
            continue;
        };
        findings.notes.push(format!(
            "bias, 2000 N/m of stretch and {shear} N/m of shear, {:.1} mm: {:.1}° where a trellis has {:.1}°, {:.1} N/m",
            1e3 * last.displacement,
            last.angle.to_degrees(),
            last.trellis.to_degrees(),
            last.force
        ));
        if shear == 10.0 {
            findings.measurements.push(Measurement::new(
                "bias, threads 200 times as stiff as shear: angle over the trellis'",
                "",
                last.angle / last.trellis,
                1.0,
                0.1,
            ));
            findings.pictures.push(("bias", found.picture()));
        }
    }
    findings.pictures.push(("angles", plot.draw(SIZE)));
    Ok(())
}
