// GLSL. Node positions and normals live in textures that the vertex shaders read by index: one upload per
// frame serves the surface, its shadow and the wireframe, and a face can have a colour of its own although
// its corners are shared.

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
uniform sampler2D normals;
uniform sampler2D faceValues;
uniform bool valuePerFace;
uniform mat4 toClip;
out vec3 world;
out vec3 normal;
out float value;
void main() {
  vec4 point = entry(nodes, node);
  world = point.xyz;
  normal = entry(normals, node).xyz;
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
out float value;
vec3 rotate(vec3 v) {
  return v + 2.0 * cross(rotation.xyz, cross(rotation.xyz, v) + rotation.w * v);
}
void main() {
  world = rotate(position) + translation;
  normal = rotate(direction);
  value = 0.0;
  gl_Position = toClip * vec4(world, 1.0);
}`;

// Nothing but depth, for the shadow map.
const DEPTH_FRAGMENT = `${GLSL_HEAD}
void main() {}`;

// How much of the key light reaches a point: sixteen comparisons with the shadow map, each blended by the
// hardware, spread widely enough for a soft edge. Where the four corners agree the rest is not asked. The
// point is lifted off its surface first, or the surface would speckle itself with shadow.
const GLSL_SHADOW = `
uniform sampler2DShadow shadowMap;
uniform mat4 toLight;
uniform vec3 keyLight;
uniform float shadowTexel;  // size of a texel of the map (m)
float compare(vec3 at, vec2 cell, vec2 texel) {
  return textureLod(shadowMap, vec3(at.xy + (cell - 1.5) * texel, at.z), 0.0);
}
float lightReaching(vec3 point, vec3 surface) {
  float slope = 1.0 - abs(dot(surface, keyLight));
  vec3 lifted = point + surface * shadowTexel * (1.8 + 3.5 * slope) + keyLight * shadowTexel;
  vec3 at = (toLight * vec4(lifted, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
  vec2 texel = 1.6 / vec2(textureSize(shadowMap, 0));
  at.z -= 0.00012;
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

const SURFACE_FRAGMENT = `${GLSL_HEAD}${GLSL_SHADOW}
in vec3 world;
in vec3 normal;
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
void main() {
  bool facing = gl_FrontFacing;
  vec3 n = normalize(normal) * (facing ? 1.0 : -1.0);
  vec3 toEye = normalize(eye - world);
  // The flat normal decides which side the light is on; the smooth one alone leaks at sharp folds.
  vec3 flatNormal = normalize(cross(dFdx(world), dFdy(world)));
  flatNormal *= sign(dot(flatNormal, toEye));
  float diffuse = max(dot(n, keyLight), 0.0) * smoothstep(-0.05, 0.15, dot(flatNormal, keyLight));
  float light = diffuse * lightReaching(world, flatNormal);
  vec3 sky = mix(vec3(0.40, 0.37, 0.36), vec3(0.86, 0.93, 1.0), 0.5 + 0.5 * n.z);
  vec3 base = facing ? front : back;
  if (byValue) {
    float at = (value - range.x) / (range.y - range.x);
    base = value == value ? texture(ramp, vec2(clamp(at, 0.002, 0.998), 0.5)).rgb : vec3(0.5);
    base = pow(base, vec3(2.2));
    // Gentle light, so that the colours stay those of the legend.
    colour = vec4(toScreen(base * (0.62 + 0.16 * n.z + 0.3 * light)), 1.0);
    return;
  }
  float rim = pow(1.0 - max(dot(n, toEye), 0.0), 4.0);
  // A weak light from the viewer's side gives form to what lies in shadow.
  float fill = 0.16 * max(dot(n, normalize(toEye + vec3(0.0, 0.0, 0.3))), 0.0);
  vec3 lit = base * ((ambient + fill) * sky + vec3(1.0, 0.96, 0.9) * 0.9 * light);
  lit += (0.05 * rim) * sky * (base + 0.15);
  if (glossy) {
    float shine = pow(max(dot(n, normalize(keyLight + toEye)), 0.0), 48.0);
    lit += 0.12 * shine * light;
  }
  colour = vec4(toScreen(lit), 1.0);
}`;

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
out vec3 world;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  world = vec3(plane.xy + corner * plane.w, plane.z);
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
  float line = max(0.5 * lines(world.xy / cell, 0.3), 0.9 * lines(world.xy / (5.0 * cell), 0.4));
  vec4 result = vec4(0.0);
  if (solid) {
    float dark = shade * (1.0 - lightReaching(world, vec3(0.0, 0.0, 1.0)));
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
  // A little noise hides the bands of a slow gradient.
  float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
  colour = vec4(mix(bottom, top, smoothstep(0.0, 1.0, up)) + noise / 255.0, 1.0);
}`;
