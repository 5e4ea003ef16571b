// Scenes for the tests: small, so that they run at real time on slow machines.

export const hanging = (cells: number, more = ""): string => `# A sheet that hangs by two corners.
title = "Hanging sheet"

[time]
duration = 3.0

[cloth.sheet]
mesh.grid = { size = [1.0, 1.0], cells = [${cells}, ${cells}] }
place = { at = [0.0, 0.0, 1.2] }
damping = 0.6

[[cloth.sheet.pin]]
select.corners = [2, 3]

[body.floor]
shape = "plane"
${more}`;

/** The same of springs, with one Newton step a step, which may stretch: the quickest cloth there is. */
export const quick = (scene: string): string => scene
  .replace("[time]", '[contact]\ncloth = "none"\n\n[time]\nnewton_steps = 1')
  .replace("[cloth.sheet]", '[cloth.sheet]\nmodel = "mass-spring"');

/** A square of four triangles, as a mesh file. */
export const SQUARE_OBJ = `v -0.25 -0.25 0
v 0.25 -0.25 0
v 0.25 0.25 0
v -0.25 0.25 0
v 0 0 0
f 1 2 5
f 2 3 5
f 3 4 5
f 4 1 5
`;
