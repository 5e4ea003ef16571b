// Files that are dropped on the page: meshes become a cloth or a body, scenes are opened.

import type { App } from "../app/app.ts";
import { applyDraft, changeDraft } from "../app/drafting.ts";
import type { Uploaded } from "../protocol.ts";
import { scan } from "../toml/scan.ts";
import { openDialog } from "../ui/dialog.ts";
import { button, fileName, h } from "../ui/dom.ts";
import { notify } from "../ui/toast.ts";

const MESHES = /\.(obj|ply|glb)$/i;

export function attachDrop(app: App): void {
  const veil = h("div", { class: "drop", hidden: true, "aria-hidden": "true" }, "Drop a mesh (OBJ, PLY, GLB) or a scene (TOML)");
  document.body.append(veil);
  let depth = 0;
  const carries = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragenter", (event) => {
    if (carries(event) && ++depth) veil.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (carries(event) && --depth <= 0) veil.hidden = true;
  });
  addEventListener("dragover", (event) => carries(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    depth = 0;
    veil.hidden = true;
    const file = event.dataTransfer?.files[0];
    if (file) void takeFile(app, file);
  });
}

export async function takeFile(app: App, file: File): Promise<void> {
  try {
    if (/\.toml$/i.test(file.name))
      return void (await app.openScene({ text: await file.text(), path: null, name: file.name.replace(/\.toml$/i, "") }));
    if (!MESHES.test(file.name)) return notify("That is neither a mesh (OBJ, PLY, GLB) nor a scene (TOML).", "warning");
    if (app.engine.abilities.readOnly) return notify("This server is for reading only; it takes no files.", "warning");
    const most = app.about.value?.limits.uploadBytes ?? Infinity;
    if (file.size > most)
      return notify(`The file has ${(file.size / 1e6).toFixed(0)} MB; at most ${(most / 1e6).toFixed(0)} MB are taken.`, "error");
    showFindings(app, file.name, await app.engine.upload(file.name, await file.arrayBuffer()));
  } catch (error) {
    app.complain(error);
  }
}

function showFindings(app: App, name: string, mesh: Uploaded): void {
  const { body, close } = openDialog(`Mesh ${name}`);
  const size = mesh.size.map((x) => Number(x.toPrecision(3))).join(" × ");
  const moving = /\.glb$/i.test(mesh.path);
  // Tens of metres of cloth are millimetres of a file.
  const scale = Math.max(...mesh.size) > 20 && !moving ? 0.001 : 1;
  const scaleField = h("select", { id: "mesh-scale" },
    [["1", "metres"], ["0.01", "centimetres"], ["0.001", "millimetres"]].map(([value, text]) => h("option", { value }, text!)));
  scaleField.value = String(scale);
  const add = (make: (name: string, path: string, scale: number) => string) => () => {
    close();
    const text = make(freeName(app, fileName(name.replace(MESHES, ""))), fromScene(app, mesh.path), Number(scaleField.value));
    const at = app.draft.value.text.length;
    changeDraft(app, { from: at, to: at, insert: text });
    void applyDraft(app);
  };
  body.append(
    h("p", {}, `${mesh.nodes.toLocaleString("en")} nodes, ${mesh.faces.toLocaleString("en")} faces, ${size} units of the file.`),
    h("label", { class: "field row", hidden: moving }, h("span", {}, "The file is in"), scaleField),
    h("ul", { class: "findings" }, mesh.findings.map((finding) => h("li", { class: finding.severity },
      h("b", {}, finding.what), h("p", {}, finding.meaning), h("p", { class: "quiet" }, finding.mend)))),
    h("p", { class: "quiet" }, mesh.findings.length ? "" : "The mesh doctor has nothing to say against it."),
    h("p", { class: "quiet" }, moving ? "A GLB becomes a body that moves as the file says; cloth comes from OBJ and PLY."
      : "Only cloth is scaled: a body is as large as its file has it, in metres, and must be closed."));
  const cloth = button({ label: "Make it a cloth", text: true, class: "primary" }, add(clothText));
  const solid = button({ label: "Make it a body", text: true, class: moving ? "primary" : "plain" }, add(bodyText));
  body.append(h("div", { class: "actions" }, moving ? null : cloth, solid));
  const permit = (): void => {
    cloth.disabled = !mesh.usable;
    solid.disabled = !mesh.usable || scaleField.value !== "1";
  };
  scaleField.addEventListener("change", permit);
  permit();
}

const clothText = (name: string, path: string, scale: number): string =>
  `\n[cloth.${name}]\nmesh.file = { path = ${JSON.stringify(path)}${scale === 1 ? "" : `, scale = ${scale}`} }\n`
  + `place = { at = [0.0, 0.0, 0.5] }\n`;

const bodyText = (name: string, path: string): string => {
  const kind = /\.glb$/i.test(path) ? "gltf" : "mesh";
  return `\n[body.${name}]\nshape.${kind} = { file = ${JSON.stringify(path)} }\n`;
};

// Paths of a scene begin in its own folder, those of uploads in the one that is served.
function fromScene(app: App, path: string): string {
  const depth = (app.draft.value.path?.split("/").length ?? 1) - 1;
  return "../".repeat(depth) + path;
}

// A name that no cloth and no body has yet.
function freeName(app: App, wish: string): string {
  const taken = new Set(scan(app.draft.value.text).tables.map((table) => String(table.path[1] ?? "")));
  let name = wish;
  for (let k = 2; taken.has(name); k++) name = `${wish}-${k}`;
  return name;
}
