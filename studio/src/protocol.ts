// What page and engine say to each other, whether the engine is a server behind a WebSocket or compiled into the page.
//
// * Every address starts with the secret: the page itself is `/SECRET/`, so relative addresses (`api/about`, `socket`)
//   have it by themselves. Nothing else is answered.
// * Over the socket, text messages are JSON and binary ones are worlds and frames (both below). The page asks, with a number
//   of its own in `ask`; each ask gets one answer with the same number, in the order of the asks of one session.
//   Everything else that comes is an event.
// * Names are in camelCase. Quantities are SI; `z` points up. A number that is not finite is `null` in JSON, NaN in binary.
// * Bytes are little-endian.

/** Raised when old pages would misunderstand. The first message is `hello`; another version is refused with `protocol`. */
export const PROTOCOL = 1;

export type Vec3 = [number, number, number];
/** x, y, z, w */
export type Quaternion = [number, number, number, number];

// ---------------------------------------------------------------------------------------------------------------------
// From the page: asks. Each message is an Ask with a number.

export type Message = Ask & { ask: number };

export type Ask =
  | { op: 'hello'; protocol: number }
  /** Starts a session of a scene's text. Answer: Opened; the world follows as a binary message, then the first frame. */
  | { op: 'open'; text: string; path?: string; name?: string }
  /** Looks at a session that is there (another tab, or after a reconnection). Answer: Opened, world and frame follow. */
  | { op: 'attach'; session: number }
  /** Ends it for everybody. */
  | { op: 'close'; session: number }
  /** Looks away; a session that nobody looks at is paused, and dropped after some minutes. */
  | { op: 'leave'; session: number }
  | { op: 'sessions' } // answer: { sessions: Opened[] }
  | { op: 'play'; session: number }
  | { op: 'pause'; session: number }
  | { op: 'step'; session: number; count?: number }
  | { op: 'reset'; session: number }
  /** Shows the kept frame nearest to this number (see Status) and pauses. `play`, `step` and commands then go on from
   *  exactly there: what came after it is forgotten. Answer: { frame }. */
  | { op: 'seek'; session: number; frame: number }
  /** How many simulated seconds pass in one second at the most; 1 is real time, 0 as fast as it goes. */
  | { op: 'pace'; session: number; factor: number }
  /** These sessions keep one clock: none is ahead of another by more than a step. An empty list ends it. */
  | { op: 'link'; sessions: number[] }
  /** What frames carry besides positions. */
  | { op: 'show'; session: number; field?: Field }
  /** This frame was taken up: the next may come. At most `window` (2) frames are on their way; the newest wins. */
  | { op: 'taken'; session: number; frame: number } // has no answer; `ask` may be 0
  | ({ op: 'command'; session: number } & { command: Command })
  | { op: 'contacts'; session: number; limit?: number } // answer: Contacts
  | { op: 'failing'; session: number } // answer: Failing

/** Done between steps, also while paused: the next step obeys. Answer: { after }, the number of the last frame before it. */
export type Command =
  /** A point on a face. Answer: { after, grasp }. Weights add up to 1, one for each corner of the face. `spring` needs no numbers: a
   *  fitting stiffness follows from the cloth's mass. `pin` holds the face where it is until released. */
  | { do: 'grasp'; cloth: number; face: number; weights: number[]; grip?: 'spring' | 'rigid' | 'pin';
      stiffness?: number; damping?: number }
  /** Whole nodes, numbered over all cloths. Answer: { after, grasp }. */
  | { do: 'graspNodes'; nodes: number[]; grip?: 'spring' | 'rigid' | 'pin' }
  /** Leads the held point (of `rigid` and `pin`: the middle of what is held) there within so many seconds of the simulation; a
   *  spring no faster than a hand. */
  | { do: 'moveGrasp'; grasp: number; to: Vec3; within?: number }
  | { do: 'release'; grasp: number }
  /** A body of World.bodies, by number; the pose of its own frame. */
  | { do: 'moveBody'; body: number; translation: Vec3; rotation: Quaternion; within?: number }
  | { do: 'releaseBody'; body: number }
  | { do: 'gravity'; value: Vec3 }
  /** Acts on cloth that is in the air of the scene (World.hasAir). */
  | { do: 'wind'; value: Vec3 }
  /** A number of the scene by its path, `cloth.sheet.material.bend`. If it cannot change while the simulation goes, the
   *  answer is a Refusal with `restart: true`: open the changed text anew. */
  | { do: 'set'; name: string; value: number };

/** Colours of nodes that the engine computes. All are per node. */
export type Field =
  | 'none'
  | 'stretch' // largest principal strain of the faces around it, 1 / 1
  | 'compression' // smallest principal strain, below 0 where pushed together
  | 'curvature' // mean angle over the edges around it by their distance, 1/m
  | 'gap' // to the nearest body, m; NaN without one
  | 'force' // of contact in the last step, N
  | 'friction' // 0 no contact, 1 sticks, 2 slides
  | 'speed'; // m/s

// ---------------------------------------------------------------------------------------------------------------------
// To the page: answers.

export type Answer =
  | ({ answer: number; ok: true } & Record<string, unknown>)
  | { answer: number; ok: false; error: Refusal };

export interface Refusal {
  /** For programs. */
  kind: 'scene' | 'command' | 'step' | 'no-session' | 'limit' | 'read-only' | 'protocol' | 'message' | 'file';
  /** For people: what is wrong, and the mend. */
  message: string;
  /** For `scene`. */
  problems?: Problem[];
  /** For `set`: the number needs a new start. */
  restart?: boolean;
}

/** To `hello`. */
export interface Welcome {
  protocol: number;
  version: string;
  /** Differs each time the server is started: other sessions than before. */
  server: string;
  readOnly: boolean;
}

/** To `open` and `attach`. */
export interface Opened {
  session: number;
  title: string;
  path: string | null;
  nodes: number;
  status: Status;
}

export interface Contacts {
  frame: number;
  /** How many there are; the list is cut at `limit` (1000), the strongest first. */
  count: number;
  contacts: {
    place: Vec3;
    normal: Vec3;
    force: Vec3;
    sliding: boolean;
    /** By number in World.bodies; null between cloths. */
    body: number | null;
    nodes: number[];
  }[];
}

/** What the last step did not meet. */
export interface Failing {
  frame: number;
  rows: {
    /** `stretch`: a face beyond its limit or worst strained; `gap`: a node inside a body; `solve`, `limit`, `contact`: the step as a
     *  whole, without a place. */
    kind: 'stretch' | 'gap' | 'solve' | 'limit' | 'contact';
    what: string;
    value: number | null;
    cloth: number | null;
    face: number | null;
    node: number | null;
    place: Vec3 | null;
  }[];
}

// ---------------------------------------------------------------------------------------------------------------------
// To the page: events (JSON).

export type Event =
  | ({ event: 'status'; session: number } & Status)
  | ({ event: 'numbers'; session: number } & Numbers)
  /** The simulation cannot go on: what went wrong, and at which time. It is paused; going back helps. */
  | { event: 'failed'; session: number; message: string; time: number }
  | { event: 'closed'; session: number; why: string }
  | { event: 'job'; job: Job };

/** Sent when something of it changes, and twice a second while playing. A frame is a step of the scene's schedule, counted from
 *  0, the start. */
export interface Status {
  playing: boolean;
  /** The frame that is shown. */
  frame: number;
  time: number;
  /** The newest frame: ahead of `frame` while looking back. */
  last: number;
  /** Every `stride`-th frame is kept (thinned when memory fills up), besides the last. */
  stride: number;
  /** Simulated seconds per second, lately; null while paused. */
  factor: number | null;
  /** What was asked for with `pace`. */
  pace: number;
  /** Wall milliseconds of a step, lately. */
  milliseconds: number | null;
  /** Title of the stage that it is in, if there are any. */
  stage: string | null;
  grasps: { grasp: number; grip: 'spring' | 'rigid' | 'pin'; nodes: number[] }[];
  gravity: Vec3;
  wind: Vec3;
  /** Numbers that were `set`. */
  settings: Record<string, number>;
}

/** Rows of the table of numbers since the last such message, one for each step. After going back, rows from `from` on replace the
 *  old ones. */
export interface Numbers {
  from: number;
  /** One list for each row, in the order of World.columns; the first column is the frame, the second the time. */
  rows: (number | null)[][];
}

// ---------------------------------------------------------------------------------------------------------------------
// To the page: binary messages. Both kinds begin with
//   u8 kind (1 world, 2 frame) · u8 PROTOCOL · u16 0 · u32 session

/** A world, once: the 8 bytes above, u32 length of the JSON, u32 0, the JSON (a World), zeros to a multiple of 8, then the arrays;
 *  an ArrayRef's offset counts from the first byte after those zeros. */
export const KIND_WORLD = 1;

export interface ArrayRef {
  /** In bytes, a multiple of 8. */
  offset: number;
  /** Numbers, not tuples. */
  count: number;
  type: 'f32' | 'u32';
}

export interface World {
  title: string;
  /** Of a step, and so of a frame (s). For recordings: between frames. */
  step: number;
  /** What the scene asks for (s); a session goes on after it. */
  duration: number;
  nodes: number;
  cloths: Cloth[];
  bodies: Body[];
  pins: { nodes: ArrayRef; moves: boolean }[];
  /** Pairs of nodes that seams join, numbered over all cloths. */
  seams: ArrayRef | null;
  hasAir: boolean;
  /** Names of the numbers of each step: see COLUMNS. Three for each body follow: `body.NAME.force.x`… */
  columns: string[];
  warnings: string[];
  /** The scene with every default filled in, as TOML; empty for recordings without one. */
  resolved: string;
  /** False for recordings. */
  live: boolean;
}

export interface Cloth {
  name: string;
  firstNode: number;
  nodeCount: number;
  /** u32, 4 per face, counted from the cloth's first node; the fourth is 0xffffffff for a triangle. */
  faces: ArrayRef;
  /** f32, 8 per face (u, v of each corner, m): each face laid flat by itself, warp along u. Two are unused for a triangle. */
  rest: ArrayRef | null;
  /** f32, 3 per node (m): where the node is in the undeformed mesh; of a pattern, z is 0. The 2-D view. */
  pattern: ArrayRef | null;
  /** u32, 2 per edge, and f32 rest length of each (m). */
  edges: ArrayRef;
  restLengths: ArrayRef;
  /** Front and back, sRGB from 0 to 1. */
  colors: [Vec3, Vec3];
  /** m; 0 if not known */
  thickness: number;
  /** kg/m² ; 0 if not known */
  density: number;
  /** Allowed principal stretch (0.01 is 1 %), if it has such a limit. */
  stretchLimit: number | null;
}

export interface Body {
  name: string;
  /** f32, 3 per node, in the body's own frame (m). Empty for an unbounded plane. */
  positions: ArrayRef;
  faces: ArrayRef;
  smooth: boolean;
  /** Height of a level, motionless plane (m). */
  ground: number | null;
  color: Vec3;
  /** Whether moveBody may lead it. */
  movable: boolean;
  /** It changes its shape: these times (f32) and positions (f32, 3 per node and time); linear between them. */
  morph: { times: ArrayRef; positions: ArrayRef } | null;
}

/** The first columns of every live world. Later ones are found by name. */
export const COLUMNS = [
  'frame', 'time', 'strainMax', 'strainMin', 'stretchWorst', 'gap', 'energyKinetic', 'energyGravity', 'energyElastic',
  'iterations', 'residual', 'limitResidual', 'shareDone', 'status',
  'msDrive', 'msAssemble', 'msSolve', 'msLimit', 'msCollide', 'msContact', 'msCertify',
  'graspForce', // sum of the grasps' forces (N)
  'worstFace', // the face of the largest principal strain, counted through all cloths
] as const;

/** A frame: header of 72 bytes, then its parts one after the other.
 *   0 u8 kind 2 · u8 PROTOCOL · u16 0
 *   4 u32 session
 *   8 u32 frame
 *  12 u32 flags: 1 of the past (not the newest), 2 after a cut (reset, seek: do not interpolate to it)
 *  16 f64 time (s)
 *  24 f64 × 3 origin (m)
 *  48 u32 nodes
 *  52 u32 bodies
 *  56 u32 grasps
 *  60 u32 field (index into FIELDS; 0 none)
 *  64 f32 smallest and largest finite value of the field
 *  72 bodies × 7 f32: translation from the origin (m), rotation x y z w
 *     grasps × 10 f32: id (as a number), where it pulls to, where it holds (both from the origin), force on the gripper (N)
 *     nodes × 3 f32: position from the origin (m)
 *     if field ≠ 0: nodes × f32 */
export const KIND_FRAME = 2;
export const FRAME_HEADER = 72;
export const FLAG_PAST = 1;
export const FLAG_CUT = 2;
export const FIELDS: Field[] = ['none', 'stretch', 'compression', 'curvature', 'gap', 'force', 'friction', 'speed'];

// ---------------------------------------------------------------------------------------------------------------------
// Over HTTP, below the page's own address. Errors are JSON: { error: Refusal }, with a status of 4xx.
// Paths are inside the served folder, with `/` between their parts.

/** GET api/about */
export interface About extends Welcome {
  /** Name of the served folder. */
  folder: string;
  /** The scene that the program was started with; `bundled` if it has no file. */
  scene: { name: string; path: string | null; text: string } | null;
  limits: { sessions: number; uploadBytes: number; sceneBytes: number };
}

/** GET api/schema: JSON schema of scene files. */

/** GET api/templates */
export interface Template { name: string; title: string; text: string }

/** GET api/fabrics: `material` is what a scene's `[cloth.NAME]` table takes, as TOML lines. */
export interface Fabric { name: string; density: number; source: string }

/** POST api/check, body: { text, path? } */
export interface Check {
  /** Nothing is wrong. */
  ok: boolean;
  problems: Problem[];
  /** What looks wrong though it can be simulated. */
  warnings: string[];
  /** Of what could be made; null if there are problems. */
  world: { title: string; nodes: number; step: number; duration: number; cloths: string[]; bodies: string[] } | null;
}

export interface Problem {
  message: string;
  /** Such as `cloth.sheet.material.bend`; empty if it is no single one. */
  field: string;
  /** From 1, in characters; null if it stands nowhere in the text. */
  line: number | null;
  column: number | null;
  /** What is to be underlined, in characters (of JavaScript: UTF-16 units) from the beginning of the text. */
  from: number | null;
  to: number | null;
  help: string | null;
  /** A change of the text that mends it, with what to call it. */
  mend: { label: string; from: number; to: number; insert: string } | null;
}

/** GET api/scene?path=… → text. PUT api/scene?path=…&replace=0|1, body: the text → { path }. GET api/scenes → SceneFile[] */
export interface SceneFile { path: string; title: string; modified: number }

/** POST api/mesh?name=shirt.obj, body: the file's bytes (OBJ, PLY, GLB). It is kept in the folder, under another name if that
 *  one is taken. */
export interface Uploaded {
  path: string;
  nodes: number;
  faces: number;
  /** m */
  size: Vec3;
  usable: boolean;
  findings: { severity: 'error' | 'warning'; what: string; meaning: string; mend: string }[];
}

/** GET api/shelf */
export interface ShelfItem {
  kind: 'run' | 'lab' | 'fit' | 'sweep' | 'textile' | 'comparison';
  path: string;
  title: string;
  /** Seconds since 1970. */
  modified: number;
  /** Address of a picture (relative), if there is one. */
  thumbnail: string | null;
  /** Address of its own page (report.html), if there is one. */
  report: string | null;
  /** Path for api/recording, if it has frames. */
  recording: string | null;
  /** In a few words: frames, passed of how many, best value. */
  summary: string;
}

/** GET api/recording?path=… → a binary world (live: false, session 0).
 *  GET api/recording/frames?path=…&from=…&count=… → binary frames one after the other (each as above, session 0); fewer than asked for
 *  if they would be more than 32 MB. Their number is in the world's JSON: `frames`.
 *  GET api/recording/numbers?path=… → Table of metrics.csv (or of the lab result's). */
export interface RecordedWorld extends World { frames: number; fps: number }
export interface Table { columns: string[]; rows: (number | null)[][] }

/** GET api/export?path=…&format=glb|usda|vtu|csv → a file to save. */

/** GET api/file?path=… → pictures, pages, tables and JSON of the folder. Pages are sandboxed: no scripts with the page's rights. */

/** GET api/experiments → Experiment[]; POST api/jobs → Job; GET api/jobs → Job[]; DELETE api/jobs?id=… stops one. */
export interface Experiment { name: string; title: string; about: string }
export type JobOrder =
  /** `quick`: its short version, with the same verdicts. */
  | { kind: 'lab'; experiment: string; quick?: boolean }
  | { kind: 'cusick'; text: string; cloth?: string };
export interface Job {
  id: number;
  kind: 'lab' | 'cusick';
  title: string;
  state: 'running' | 'done' | 'failed' | 'stopped';
  /** 0 to 1: the time that it has taken by the time that the same took before; null if it was never done in this folder. */
  progress: number | null;
  /** How long it has taken (s). Told every second while it runs. */
  seconds: number;
  /** The last lines that it said. */
  lines: string[];
  /** Where its results are, when done: a path of the shelf. */
  result: string | null;
}
