//! What can be asked, and how it is answered: the Rust side of `studio/src/protocol.ts`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;

/// Raised when old pages would misunderstand.
pub const PROTOCOL: u8 = 1;
/// No message is longer than this (bytes): a scene's text is the longest that is sent.
pub const MAX_MESSAGE: usize = 4 << 20;

/// An ask with the number that its answer will have.
#[derive(Clone, Debug, Deserialize)]
pub struct Message {
    /// The number.
    #[serde(default)]
    pub ask: u64,
    /// What is asked.
    #[serde(flatten)]
    pub what: Ask,
}

/// What can be asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
pub enum Ask {
    /// The first message.
    Hello {
        /// The page's [`PROTOCOL`].
        protocol: u32,
    },
    /// Starts a session of a scene.
    Open {
        /// The scene.
        text: String,
        /// Its file in the folder, from which relative paths start.
        path: Option<String>,
        /// What to call it.
        name: Option<String>,
    },
    /// Looks at a session that is there.
    Attach {
        /// Which.
        session: u32,
    },
    /// Ends a session.
    Close {
        /// Which.
        session: u32,
    },
    /// Looks away.
    Leave {
        /// From which.
        session: u32,
    },
    /// Lists the sessions.
    Sessions,
    /// These keep one clock.
    Link {
        /// Which.
        sessions: Vec<u32>,
    },
    /// A frame was taken up.
    Taken {
        /// Of which session.
        session: u32,
        /// Which frame.
        frame: u32,
    },
    /// Steps follow one another.
    Play {
        /// Which session.
        session: u32,
    },
    /// They no longer do.
    Pause {
        /// Which session.
        session: u32,
    },
    /// Makes some steps.
    Step {
        /// Which session.
        session: u32,
        /// How many; one if not said.
        count: Option<u32>,
    },
    /// Goes to the start.
    Reset {
        /// Which session.
        session: u32,
    },
    /// Shows a frame of the past.
    Seek {
        /// Which session.
        session: u32,
        /// The frame.
        frame: u32,
    },
    /// How fast time goes.
    Pace {
        /// Which session.
        session: u32,
        /// Simulated seconds in one second at the most; 0 for as fast as it goes.
        factor: f64,
    },
    /// What frames carry.
    Show {
        /// Which session.
        session: u32,
        /// The field.
        #[serde(default)]
        field: Field,
    },
    /// Something to be done before the next step.
    Command {
        /// Which session.
        session: u32,
        /// What.
        command: Order,
    },
    /// The contacts of the last step.
    Contacts {
        /// Which session.
        session: u32,
        /// How many at the most.
        limit: Option<usize>,
    },
    /// What the last step did not meet.
    Failing {
        /// Which session.
        session: u32,
    },
}

impl Ask {
    /// The session that it is about, if it is about one.
    pub fn session(&self) -> Option<u32> {
        match self {
            Ask::Hello { .. } | Ask::Open { .. } | Ask::Sessions | Ask::Link { .. } => None,
            Ask::Attach { session }
            | Ask::Close { session }
            | Ask::Leave { session }
            | Ask::Taken { session, .. }
            | Ask::Play { session }
            | Ask::Pause { session }
            | Ask::Step { session, .. }
            | Ask::Reset { session }
            | Ask::Seek { session, .. }
            | Ask::Pace { session, .. }
            | Ask::Show { session, .. }
            | Ask::Command { session, .. }
            | Ask::Contacts { session, .. }
            | Ask::Failing { session } => Some(*session),
        }
    }
}

/// Commands as a page gives them.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
pub enum Order {
    /// Takes hold of a point on a face.
    Grasp {
        /// The cloth, by number.
        cloth: usize,
        /// The face, by its number in the cloth.
        face: usize,
        /// Weights of the face's corners.
        weights: Vec<f64>,
        /// How.
        #[serde(default)]
        grip: GripName,
        /// Of a spring (N/m).
        stiffness: Option<f64>,
        /// Of a spring (N·s/m).
        damping: Option<f64>,
    },
    /// Takes hold of nodes.
    #[serde(rename_all = "camelCase")]
    GraspNodes {
        /// Numbered over all cloths.
        nodes: Vec<u32>,
        /// How.
        #[serde(default)]
        grip: GripName,
    },
    /// Leads the held point.
    MoveGrasp {
        /// The grasp's id.
        grasp: u32,
        /// Where to (m).
        to: [f64; 3],
        /// Evenly within so many seconds; a spring takes longer if it would be faster than a hand.
        #[serde(default)]
        within: f64,
    },
    /// Lets go.
    Release {
        /// The grasp's id.
        grasp: u32,
    },
    /// Leads a body.
    MoveBody {
        /// By number in the scene.
        body: usize,
        /// Of its frame (m).
        translation: [f64; 3],
        /// x, y, z, w
        rotation: [f64; 4],
        /// Evenly within so many seconds.
        #[serde(default)]
        within: f64,
    },
    /// Puts a body back on its path.
    ReleaseBody {
        /// By number in the scene.
        body: usize,
    },
    /// From now on (m/s²).
    Gravity {
        /// Its acceleration.
        value: [f64; 3],
    },
    /// From now on (m/s).
    Wind {
        /// The velocity of the air.
        value: [f64; 3],
    },
    /// Another value for a number of the scene.
    Set {
        /// Its path.
        name: String,
        /// Its value.
        value: f64,
    },
}

/// How something is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GripName {
    /// Pulled at.
    #[default]
    Spring,
    /// Led.
    Rigid,
    /// Led, and meant to stay.
    Pin,
}

/// Colours that the engine computes, one number for each node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Field {
    /// None.
    #[default]
    None,
    /// Largest principal strain around the node.
    Stretch,
    /// Smallest principal strain around the node.
    Compression,
    /// Mean curvature of the edges around the node (1/m).
    Curvature,
    /// To the nearest body (m).
    Gap,
    /// Of contact (N).
    Force,
    /// 0 no contact, 1 sticks, 2 slides.
    Friction,
    /// m/s
    Speed,
}

/// Why an ask is refused, and how to mend it.
#[derive(Clone, Debug, Serialize)]
pub struct Refusal {
    /// For programs.
    pub kind: RefusalKind,
    /// For people.
    pub message: String,
    /// Of a scene.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// Whether a new start with the changed text would do it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub restart: bool,
}

/// Kinds of refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalKind {
    /// The scene is wrong.
    Scene,
    /// A command makes no sense.
    Command,
    /// A step failed.
    Step,
    /// There is no such session.
    NoSession,
    /// More than is allowed.
    Limit,
    /// The server changes nothing.
    ReadOnly,
    /// The page is of another version.
    Protocol,
    /// The message is none.
    Message,
    /// A file that cannot be had.
    File,
}

impl Refusal {
    /// A refusal of a kind.
    pub fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Refusal {
            kind,
            message: message.into(),
            problems: Vec::new(),
            restart: false,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

/// What is wrong with a scene's text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Problem {
    /// What, without the place.
    pub message: String,
    /// The field; empty if it is no single one.
    pub field: String,
    /// From 1.
    pub line: Option<usize>,
    /// From 1, in characters.
    pub column: Option<usize>,
    /// What to underline, in UTF-16 units.
    pub from: Option<usize>,
    /// Its end.
    pub to: Option<usize>,
    /// What else to say.
    pub help: Option<String>,
    /// A change that mends it.
    pub mend: Option<Mend>,
}

/// A change of a text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mend {
    /// What to call it.
    pub label: String,
    /// What to replace, in UTF-16 units.
    pub from: usize,
    /// Its end.
    pub to: usize,
    /// By what.
    pub insert: String,
}

/// Where a session stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// Whether steps follow one another.
    pub playing: bool,
    /// The frame that is shown.
    pub frame: u32,
    /// Its time (s).
    pub time: f64,
    /// The newest frame.
    pub last: u32,
    /// Every so manieth frame is kept.
    pub stride: u32,
    /// Simulated seconds per second, lately.
    pub factor: Option<f64>,
    /// What was asked for.
    pub pace: f64,
    /// Of a step, lately.
    pub milliseconds: Option<f64>,
    /// The stage that it is in.
    pub stage: Option<String>,
    /// What is held.
    pub grasps: Vec<GraspStatus>,
    /// m/s²
    pub gravity: [f64; 3],
    /// m/s
    pub wind: [f64; 3],
    /// Numbers that were set.
    pub settings: BTreeMap<String, f64>,
}

/// What a grasp holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraspStatus {
    /// Its id.
    pub grasp: u32,
    /// How.
    pub grip: GripName,
    /// What, numbered over all cloths.
    pub nodes: Vec<u32>,
}

/// What an answer has besides its number.
pub type Reply = Map<String, Value>;

/// A reply with what a value has in it; nothing of what is no object.
pub fn reply(value: impl Serialize) -> Reply {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// The text of an answer.
pub fn answer(ask: u64, outcome: Result<Reply, Refusal>) -> String {
    let mut map = match &outcome {
        Ok(map) => map.clone(),
        Err(_) => Map::new(),
    };
    map.insert("answer".into(), ask.into());
    map.insert("ok".into(), outcome.is_ok().into());
    if let Err(refusal) = outcome {
        map.insert("error".into(), reply(refusal).into());
    }
    Value::Object(map).to_string()
}

/// The text of an event about a session.
pub fn event(name: &str, session: u32, about: impl Serialize) -> String {
    let mut map = reply(about);
    map.insert("event".into(), name.into());
    map.insert("session".into(), session.into());
    Value::Object(map).to_string()
}

/// Reads a message; a refusal says what is wrong with it, and its number if it has one.
pub fn read(text: &str) -> Result<Message, (u64, Refusal)> {
    if text.len() > MAX_MESSAGE {
        let message = format!(
            "a message of {} bytes is longer than {MAX_MESSAGE}",
            text.len()
        );
        return Err((0, Refusal::new(RefusalKind::Limit, message)));
    }
    serde_json::from_str(text).map_err(|error| {
        let value: Option<Value> = serde_json::from_str(text).ok();
        let ask = value.and_then(|v| v.get("ask")?.as_u64()).unwrap_or(0);
        let message = format!("the message cannot be understood: {error}");
        (ask, Refusal::new(RefusalKind::Message, message))
    })
}
