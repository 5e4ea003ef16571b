//! The Python module `toile._toile`, on which the package `toile` stands.
//!
//! The law of this room: nothing is computed here. A class holds a simulation of the engine, checks what Python hands over and
//! says what came out of it. Three promises are kept at the door:
//!
//! * whoever steps has let go of the interpreter, and looks up for Ctrl-C now and then ([`guard`]),
//! * a panic of the engine is an exception, and the simulation in which it happened is not used again,
//! * arrays show the engine's own memory and keep it alive ([`memory`]).

mod answers;
mod arguments;
mod batch;
mod body;
mod commands;
mod core;
mod errors;
mod fit;
mod grasp;
mod guard;
mod memory;
mod mesh;
mod optimise;
mod packed;
mod pickled;
mod picture;
mod recorded;
mod recording;
mod room;
mod scene;
mod simulation;
mod sweep;

#[pyo3::pymodule]
mod _toile {
    #[pymodule_export]
    use crate::answers::{Certificate, Contacts, Energies};
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::body::Body;
    #[pymodule_export]
    use crate::core::Handle;
    #[pymodule_export]
    use crate::fit::{Fit, rebuild_fit};
    #[pymodule_export]
    use crate::grasp::Grasp;
    #[pymodule_export]
    use crate::guard::{_after_fork, _panic};
    #[pymodule_export]
    use crate::memory::Memory;
    #[pymodule_export]
    use crate::optimise::minimise;
    #[pymodule_export]
    use crate::packed::{Packed, unpack};
    #[pymodule_export]
    use crate::pickled::{_certificate, _contacts, _energies};
    #[pymodule_export]
    use crate::recording::{export_recording, frame_picture, player};
    #[pymodule_export]
    use crate::scene::{bundled_scenes, rebuild, scene_text};
    #[pymodule_export]
    use crate::simulation::Simulation;
    #[pymodule_export]
    use crate::sweep::{Plan, Stop, read_csv, read_variants, simulate, write_csv};
}
