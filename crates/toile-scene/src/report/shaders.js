// GLSL. Node positions and normals live in textures that the vertex shaders read by index: one upload per
// frame serves the surface, its shadow and the wireframe, and a face can have a colour of its own although
// its corners are shared.
//
// With QUICK defined, fragments cost a fraction: without weave and sheen, with one look at the shadow map. The studio
// draws so while things move and there is no graphics card. It is no uniform, because a processor that draws goes
// through both sides of a branch.

const TEXTURE_WIDTH = 1024;

const GLSL_HEAD = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DShadow;
`;

const GLSL_FETCH = `
uniform sampler2D nodes;   // xyz: position, w: value of the node
vec4 entry(sampler2D table, uint index) {
  return texelFetch(table, ivec2(int(index) & ${TEXTURE_WIDTH - 1}, int(index) / ${TEXTURE_WIDTH}), 0);
}
`;

const CLOTH_VERTEX = `${GLSL_HEAD}${GLSL_FETCH}
layout(location = 0) in uint node;
layout(location = 1) in uint face;
layout(location = 2) in vec2 fabric;  // place in the flat cloth: along the warp, along the weft (m)
uniform sampler2D normals;
uniform sampler2D faceValues;
uniform bool valuePerFace;
uniform float lift;  // half the thickness, with the sign of the side that is drawn (m)
uniform float raise; // half the thickness, where the side that is seen is drawn (m)
uniform vec3 eye;
uniform mat4 toClip;
out vec3 world;
out vec3 normal;
out vec2 thread;
out float value;
void main() {
  vec4 point = entry(nodes, node);
  normal = entry(normals, node).xyz;
  world = point.xyz + (lift + raise * sign(dot(normal, eye - point.xyz))) * normal;
  thread = fabric;
  value = valuePerFace ? entry(faceValues, face).x : point.w;
  gl_Position = toClip * vec4(world, 1.0);
}`;

const BODY_VERTEX = `${GLSL_HEAD}
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 direction;
uniform vec3 translation;
uniform vec4 rotation;
uniform mat4 toClip;
out vec3 world;
out vec3 normal;
out vec2 thread;
out float value;
vec3 rotate(vec3 v) {
  return v + 2.0 * cross(rotation.xyz, cross(rotation.xyz, v) + rotation.w * v);
}
void main() {
  world = rotate(position) + translation;
  normal = rotate(direction);
  thread = vec2(0.0);
  value = 0.0;
  gl_Position = toClip * vec4(world, 1.0);
}`;

// The cut edge: a band between the two sides. Each vertex is a node of the rim, the node opposite to it in its
// face, which tells where outside is, and a side.
const RIM_VERTEX = `${GLSL_HEAD}${GLSL_FETCH}
layout(location = 0) in uint node;
layout(location = 1) in uint opposite;
layout(location = 2) in float side;   // -1 or 1
uniform sampler2D normals;
uniform float lift;
uniform mat4 toClip;
out vec3 world;
out vec3 normal;
out vec2 thread;
out float value;
void main() {
  vec4 point = entry(nodes, node);
  vec3 across = entry(normals, node).xyz;
  vec3 outward = point.xyz - entry(nodes, opposite).xyz;
  normal = normalize(outward - dot(outward, across) * across + 1e-9);
  world = point.xyz + side * lift * across;
  thread = vec2(0.0);
  value = point.w;
  gl_Position = toClip * vec4(world, 1.0);
}`;

// Nothing but depth, for the shadow map.
const DEPTH_FRAGMENT = `${GLSL_HEAD}
void main() {}`;

// How much of the key light reaches a point: sixteen comparisons with the shadow map, each blended by the
// hardware, so many texels apart. Where the four corners agree the rest is not asked. The
// point is lifted off its surface first, or the surface would speckle itself with shadow.
const GLSL_SHADOW = `
uniform sampler2DShadow shadowMap;
uniform mat4 toLight;
uniform vec3 keyLight;
uniform float shadowTexel;  // size of a texel of the map (m)
float compare(vec3 at, vec2 cell, vec2 texel) {
  return textureLod(shadowMap, vec3(at.xy + (cell - 1.5) * texel, at.z), 0.0);
}
float lightReaching(vec3 point, vec3 surface, float spread) {
  float slope = 1.0 - abs(dot(surface, keyLight));
  vec3 lifted = point + surface * shadowTexel * (1.8 + 3.5 * slope) + keyLight * shadowTexel;
  vec3 at = (toLight * vec4(lifted, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
  vec2 texel = spread / vec2(textureSize(shadowMap, 0));
  at.z -= 0.00012;
#ifdef QUICK
  return compare(at, vec2(1.5), texel);
#endif
  float sum = 0.0;
  for (int k = 0; k < 4; k++) sum += compare(at, vec2(3 * (k & 1), 3 * (k >> 1)), texel);
  if (sum == 0.0 || sum == 4.0) return 0.25 * sum;
  for (int k = 1; k < 15; k++)
    if (k != 3 && k != 12) sum += compare(at, vec2(k & 3, k >> 2), texel);
  return sum / 16.0;
}
vec3 toScreen(vec3 linear) {
  vec3 low = 12.92 * linear;
  vec3 high = 1.055 * pow(max(linear, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055;
  return mix(low, high, step(0.0031308, linear));
}
`;

// A plain weave: warp and weft take turns on top. The height of the yarns is a product of sines; its slope in
// the flat cloth is carried onto the bent one with the derivatives of both places across the screen. Yarns that
// are finer than the pixels fade out, and leave nothing but a flat normal.
const GLSL_WEAVE = `
uniform float yarn;   // spacing of the yarns as drawn (m); 0 for smooth surfaces
vec3 woven(vec3 n, vec3 point, vec2 at, out float shade) {
  shade = 1.0;
  if (yarn <= 0.0) return n;
  vec2 place = at / yarn;
  vec2 spread = fwidth(place);
  float seen = 1.0 - smoothstep(0.18, 0.5, max(spread.x, spread.y));
  if (seen <= 0.0) return n;
  vec3 px = dFdx(point), py = dFdy(point);
  vec2 tx = dFdx(place), ty = dFdy(place);
  float area = tx.x * ty.y - tx.y * ty.x;
  if (abs(area) < 1e-12) return n;
  vec3 warp = normalize((px * ty.y - py * tx.y) / area);
  vec3 weft = normalize((py * tx.x - px * ty.x) / area);
  vec2 phase = 3.14159265 * place;
  vec2 cell = floor(place);
  bool warpOnTop = mod(cell.x + cell.y, 2.0) < 0.5;
  // Across a yarn it is round; along it, it dives under its neighbours.
  vec2 wave = cos(phase) * sign(sin(phase));
  vec2 bulge = warpOnTop ? vec2(0.35, 0.8) : vec2(0.8, 0.35);
  shade = 1.0 - seen * 0.22 * (1.0 - abs(sin(phase.x) * sin(phase.y)));
  return normalize(n - seen * 0.42 * (bulge.x * wave.x * warp + bulge.y * wave.y * weft));
}
`;

// The room around the cloth: an overcast dome, a warm floor, and a broad window beside the key light. Smooth
// enough that light from all around can be written down instead of being looked up.
const GLSL_ROOM = `
vec3 lightAround(vec3 n) {
  vec3 dome = mix(vec3(0.40, 0.37, 0.36), vec3(0.86, 0.93, 1.0), 0.5 + 0.5 * n.z);
  float window = 0.5 + 0.5 * dot(n, normalize(vec3(0.75, -0.35, 0.35)));
  return dome + vec3(0.10, 0.11, 0.13) * window * window;
}
vec3 mirrored(vec3 direction, float rough) {
  float blur = 0.25 + 0.75 * rough;
  float up = smoothstep(-blur, blur, direction.z);
  float window = smoothstep(0.95 - 0.9 * blur, 1.0, dot(direction, normalize(vec3(0.75, -0.35, 0.35))));
  return mix(vec3(0.30, 0.28, 0.27), vec3(0.80, 0.88, 0.96), up) + vec3(0.5) * window;
}
`;

// What comes back from a surface, per unit of light. Fibres that stand up scatter light at grazing angles: the
// inverted Gaussian of Estevez and Kulla (2017). Bodies have a lobe of GGX.
const GLSL_MATERIAL = `
float fuzz(float cosHalf, float rough) {
  float power = 1.0 / rough;
  float sine2 = max(1.0 - cosHalf * cosHalf, 0.0078125);
  return (2.0 + power) * pow(sine2, 0.5 * power) / 6.2831853;
}
float softLobe(float nl, float nv) { return 1.0 / (4.0 * (nl + nv - nl * nv)); }
float gloss(float nh, float nl, float nv, float rough) {
  float a2 = rough * rough * rough * rough;
  float d = nh * nh * (a2 - 1.0) + 1.0;
  float k = 0.5 * rough * rough;
  return a2 / (3.14159265 * d * d) * 0.25 / ((nl * (1.0 - k) + k) * (nv * (1.0 - k) + k));
}
float fresnel(float cosine) { return 0.04 + 0.96 * pow(1.0 - cosine, 5.0); }
`;

const SURFACE_FRAGMENT = `${GLSL_HEAD}${GLSL_SHADOW}${GLSL_WEAVE}${GLSL_ROOM}${GLSL_MATERIAL}
in vec3 world;
in vec3 normal;
in vec2 thread;
in float value;
uniform vec3 eye;
uniform vec3 front;   // linear
uniform vec3 back;
uniform bool byValue;
uniform bool glossy;
uniform vec2 range;   // values at the ends of the ramp
uniform sampler2D ramp;
uniform float ambient;
out vec4 colour;
#ifdef QUICK
void main() {
  vec3 n = normalize(normal) * (gl_FrontFacing ? 1.0 : -1.0);
  vec3 toEye = normalize(eye - world);
  float cosine = dot(n, keyLight);
  float light = max(cosine, 0.0) * lightReaching(world, n, 2.2);
#ifdef BY_VALUE
  float at = (value - range.x) / (range.y - range.x);
  vec3 base = value == value ? texture(ramp, vec2(clamp(at, 0.002, 0.998), 0.5)).rgb : vec3(0.5);
  colour = vec4(base * sqrt(0.62 + 0.16 * n.z + 0.3 * light), 1.0);
#else
  float fill = 0.16 * max(dot(n, toEye), 0.0);
  vec3 seen = (gl_FrontFacing ? front : back) * ((ambient + fill) * lightAround(n) + vec3(0.9, 0.86, 0.81) * light);
  colour = vec4(sqrt(seen), 1.0);
#endif
}
#else
void main() {
  bool facing = gl_FrontFacing;
  vec3 n = normalize(normal) * (facing ? 1.0 : -1.0);
  vec3 toEye = normalize(eye - world);
  // The smooth normal decides which side the light is on: with that of the faces the border of the light is a saw.
  vec3 smoothNormal = n;
  float shade = 1.0;
  n = woven(n, world, thread, shade);
  float cosine = dot(n, keyLight);
  float lit = smoothstep(0.0, 0.25, dot(smoothNormal, keyLight));
  float reached = lightReaching(world, smoothNormal, 2.2);
  float light = max(cosine, 0.0) * lit * reached;
  vec3 base = (facing ? front : back) * shade;
  if (byValue) {
    float at = (value - range.x) / (range.y - range.x);
    base = value == value ? texture(ramp, vec2(clamp(at, 0.002, 0.998), 0.5)).rgb : vec3(0.5);
    base = pow(base, vec3(2.2));
    // Gentle light, so that the colours stay those of the legend.
    colour = vec4(toScreen(base * (0.62 + 0.16 * n.z + 0.3 * light)), 1.0);
    return;
  }
  vec3 sun = vec3(1.0, 0.96, 0.9) * 0.9;
  float nv = clamp(dot(n, toEye), 0.02, 1.0);
  float nl = max(cosine, 0.0);
  float nh = max(dot(n, normalize(keyLight + toEye)), 0.0);
  float fill = 0.16 * max(dot(n, normalize(toEye + vec3(0.0, 0.0, 0.3))), 0.0);
  vec3 around = lightAround(n);
  // A weak light from the viewer's side gives form to what lies in shadow.
  vec3 seen = base * ((ambient + fill) * around + sun * light);
  if (glossy) {
    seen += sun * light * 0.9 * fresnel(max(dot(toEye, normalize(keyLight + toEye)), 0.0)) * gloss(nh, nl, nv, 0.42);
    seen += 0.35 * fresnel(nv) * mirrored(reflect(-toEye, n), 0.42);
  } else {
    // Sheen in the light, sheen of the room, and what shines through from the other side.
    vec3 fibre = mix(vec3(1.0), base, 0.6) * 0.28;
    seen += fibre * sun * light * fuzz(nh, 0.5) * softLobe(nl, nv);
    seen += fibre * around * 0.2 * pow(1.0 - nv, 3.0);
    seen += base * sun * 0.14 * max(-cosine, 0.0) * (1.0 - lit);
  }
  colour = vec4(toScreen(seen), 1.0);
}
#endif`;

// Each edge is a thin strip facing the screen, so that its width does not depend on the driver.
const WIRE_VERTEX = `${GLSL_HEAD}${GLSL_FETCH}
layout(location = 0) in uvec2 edge;
uniform mat4 toClip;
uniform vec2 viewport;   // pixels
uniform float width;     // pixels
uniform sampler2D normals;
uniform vec3 eye;
uniform float pixels;    // per radian of the view
out float across;
out float strength;
void main() {
  vec3 from = entry(nodes, edge.x).xyz;
  vec3 to = entry(nodes, edge.y).xyz;
  vec4 a = toClip * vec4(from, 1.0);
  vec4 b = toClip * vec4(to, 1.0);
  // Lines fade where they would crowd into a black patch: far away, or seen at a grazing angle.
  vec3 toEye = eye - from;
  float facing = abs(dot(normalize(entry(normals, edge.x).xyz), normalize(toEye)));
  float spacing = distance(from, to) / length(toEye) * pixels * facing;
  strength = smoothstep(1.0, 6.0, spacing);
  vec2 along = (b.xy / b.w - a.xy / a.w) * viewport;
  vec2 side = normalize(vec2(-along.y, along.x) + 1e-9) / viewport;
  across = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
  vec4 point = gl_VertexID < 2 ? a : b;
  point.xy += side * across * (width + 1.0) * point.w;
  point.z -= 0.0004 * point.w;  // in front of the surface that it lies on
  gl_Position = point;
}`;

const WIRE_FRAGMENT = `${GLSL_HEAD}
in float across;
in float strength;
uniform float width;
uniform vec4 ink;
out vec4 colour;
void main() {
  float coverage = clamp((1.0 - abs(across)) * (width + 1.0) * 0.7, 0.0, 1.0);
  colour = ink * coverage * strength;
}`;

const GROUND_VERTEX = `${GLSL_HEAD}
uniform mat4 toClip;
uniform vec4 plane;  // centre x y, height, half size
uniform vec4 region;  // of a shadow alone: centre x y, half sizes
out vec3 world;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
#ifdef SHADOW_ALONE
  world = vec3(region.xy + corner * region.zw, plane.z);
#else
  world = vec3(plane.xy + corner * plane.w, plane.z);
#endif
  gl_Position = toClip * vec4(world, 1.0);
}`;

const GROUND_FRAGMENT = `${GLSL_HEAD}${GLSL_SHADOW}
in vec3 world;
uniform vec4 plane;
uniform vec3 eye;
uniform vec3 ground;    // sRGB
uniform vec3 grid;
uniform float cell;     // m
uniform bool solid;     // a ground that catches shadow, or only a grid to judge sizes by
uniform float shade;    // how dark the shadow is
out vec4 colour;
float lines(vec2 at, float width) {
  vec2 spread = max(fwidth(at), 1e-6);
  vec2 distance = abs(fract(at - 0.5) - 0.5) / spread;
  vec2 line = clamp(width + 0.5 - distance, 0.0, 1.0);
  line *= smoothstep(0.6, 0.15, max(spread.x, spread.y));  // no shimmer in the distance
  return max(line.x, line.y);
}
void main() {
  float away = length(world.xy - plane.xy) / plane.w;
  float fade = 1.0 - smoothstep(0.12, 0.95, away);
  fade *= fade;
  float below = eye.z < world.z ? 0.35 : 1.0;
#ifdef SHADOW_ALONE
  float alone = shade * (1.0 - lightReaching(world, vec3(0.0, 0.0, 1.0), 4.5));
  colour = vec4(0.0, 0.0, 0.0, alone * fade * below);
  return;
#endif
  float line = max(0.5 * lines(world.xy / cell, 0.3), 0.9 * lines(world.xy / (5.0 * cell), 0.4));
  vec4 result = vec4(0.0);
  if (solid) {
    float dark = 0.0;
#ifndef WITHOUT_SHADOW
    dark = shade * (1.0 - lightReaching(world, vec3(0.0, 0.0, 1.0), 4.5));
#endif
    result = vec4(ground * (1.0 - dark), 1.0) * fade * below;
    line *= 1.0 - 0.6 * dark;
  }
  line *= fade * below;
  colour = vec4(grid, 1.0) * line + result * (1.0 - line);
}`;

const BACKGROUND_VERTEX = `${GLSL_HEAD}
out float up;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;
  up = 0.5 + 0.5 * corner.y;
  gl_Position = vec4(corner, 0.999999, 1.0);
}`;

const BACKGROUND_FRAGMENT = `${GLSL_HEAD}
in float up;
uniform vec3 bottom;
uniform vec3 top;
out vec4 colour;
void main() {
  float noise = 0.0;
#ifndef QUICK
  // A little noise hides the bands of a slow gradient.
  noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
#endif
  colour = vec4(mix(bottom, top, smoothstep(0.0, 1.0, up)) + noise / 255.0, 1.0);
}`;
