//! Parameters found from recordings whose parameters are known.
//!
//! Coltraro, Amorós, Alberich-Carramiñana and Torras (2022), section 9: a sheet of A3 size shaken by a hanger, recorded by a depth
//! camera; the virtual mass `δ` and the damping `α` are fitted on the first seven seconds, and tested on the last seven. Their
//! recordings are not to be had. These are made by a simulation that the fitted one cannot mistake for itself: another model (elastic
//! faces), a finer mesh, a finer and other integrator, and then noise, lost frames and wrong time stamps as a depth camera has them.
//!
//! * [`recover`]: whether `δ` and `α` come back, and with which error in the part of the motion that the fit has not seen.
//! * [`map`]: the error over a grid of both parameters (figure 16).
//! * [`meshes`]: the same parameters on four meshes (section 9.5).
//! * [`models`]: four models, each with its own best parameters (table 4).

mod map;
mod meshes;
mod models;
mod recover;
mod studio;

use crate::registry::{Experiment, Settings};
use studio::Take;

pub(crate) const CALIBRATION: Experiment = Experiment {
    name: "calibration",
    title: "virtual mass and damping found from recordings of another model, with the noise of a depth camera",
    reproduces: "Coltraro et al. 2022, section 9.2 and table 3: two parameters from half of a recording, errors of 3 to 5 mm in the other half",
    about: "A recording of a shaken sheet is made with one model of cloth on a fine mesh, with parameters that are known; then noise is \
            added, frames are dropped and time stamps are shaken, as a depth camera does it. Another model on a coarse mesh is fitted to \
            the first half of it. The numbers are the parameters that come back, against the true ones, and the mean distance from the \
            undamaged motion in the second half, which the fit has not seen.",
    parameters: &[
        ("sheet", "0.297 m × 0.42 m, 0.15 kg/m², hung by two corners"),
        (
            "recorded with",
            "Baraff–Witkin on 25×25 nodes, BDF2, 2.5 ms (short version: 13×13, 5 ms, 4 s)",
        ),
        ("fitted with", "isometric on 9×9 nodes, BDF2, 10 ms"),
        (
            "true parameters",
            "virtual mass 0.52 of the density, damping 2.69 1/s: the paper's light cotton",
        ),
        (
            "noise",
            "0, 2 and 5 mm; with noise a tenth of the frames is lost and time stamps are off by 3 ms",
        ),
        ("search", "Nelder–Mead, first half of the recording"),
    ],
    run: recover::run,
};

pub(crate) const SENSITIVITY: Experiment = Experiment {
    name: "sensitivity",
    title: "the error against a recording over a grid of virtual mass and damping",
    reproduces: "Coltraro et al. 2022, section 9.3 and figure 16: the fitted values are the minimum of the map; errors grow towards weightless cloth",
    about: "One hundred simulations of the shaken sheet with virtual mass and damping up to twice their true values, each held against \
            the recording in its second half. If the map has one valley and its bottom is where the recording was made, a search can be \
            trusted. The numbers are the place of the smallest error and how errors grow away from it.",
    parameters: &[
        (
            "grid",
            "10×10, from a fifth to twice the true values (short version: 4×4)",
        ),
        ("recording", "as in `calibration`, without noise"),
        ("simulated with", "isometric on 9×9 nodes, BDF2, 10 ms"),
    ],
    run: map::run,
};

pub(crate) const MESH_INDEPENDENCE: Experiment = Experiment {
    name: "mesh-independence",
    title: "the same parameters on four meshes",
    reproduces: "Coltraro et al. 2022, section 9.5: 0.31, 0.37, 0.34, 0.35 cm on 9×9, 9×17, 17×9, 17×17 nodes",
    about: "The parameters that a recording was made with are used on four meshes, without fitting anything again. A model whose \
            parameters belong to the cloth and not to the mesh has about the same error on all of them. The numbers are mean distances \
            from the recording in its second half.",
    parameters: &[
        (
            "meshes",
            "9×9, 9×17, 17×9, 17×17 nodes (short version: 7×7 and 7×13)",
        ),
        ("recording", "as in `calibration`, without noise"),
    ],
    run: meshes::run,
};

pub(crate) const MODEL_FIT: Experiment = Experiment {
    name: "model-fit",
    title: "four models of cloth, each fitted to the same recording",
    reproduces: "Coltraro et al. 2022, table 4: errors of 0.31, 0.95, 2.46 and 3.03 cm for isometric, quasi-inextensible, continuum and mass–spring cloth",
    about: "A recording of a shaken sheet is made with a fifth model, that of measured cotton. Each of the four models of the paper's \
            table looks for its own best parameters in the first half of it: what the air does, and its stiffnesses. The numbers are \
            mean and largest spread of the distances in the second half, beside the paper's, which were measured on real cloth.",
    parameters: &[
        ("sheet", "0.297 m × 0.42 m, 0.15 kg/m², hung by two corners"),
        (
            "recorded with",
            "Kawabata's curves of cotton on 25×25 nodes, BDF2, 2.5 ms (short version: 13×13, 5 ms, 4 s)",
        ),
        ("fitted with", "9×9 nodes, BDF2, 10 ms"),
        (
            "fitted",
            "virtual mass and damping; shear stiffness of all but isometric cloth; stretch stiffness of the two elastic models",
        ),
    ],
    run: models::run,
};

/// How long the recording is, and how finely it is made.
fn take(settings: &Settings) -> Take {
    if settings.quick {
        Take::SHORT
    } else {
        Take::FULL
    }
}
