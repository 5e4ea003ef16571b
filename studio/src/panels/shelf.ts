// The shelf: what has been run in this folder, what can be run, and what is running.

import type { App } from "../app/app.ts";
import type { Experiment, Job, ShelfItem } from "../protocol.ts";
import { openDialog } from "../ui/dialog.ts";
import { button, h } from "../ui/dom.ts";
import { notify } from "../ui/toast.ts";
import { beside } from "./compare.ts";

const KINDS: Record<ShelfItem["kind"], string> = {
  run: "Runs", lab: "Lab", fit: "Fits", sweep: "Sweeps", textile: "Textile tests", comparison: "Comparisons",
};

export class Shelf {
  readonly element = h("div", { class: "panel shelf" });
  private readonly list = h("div", { class: "shelf-list" });
  private readonly jobs = h("section", { class: "jobs", hidden: true, "aria-live": "polite" });
  private readonly running = new Map<number, Job>();

  constructor(private readonly app: App) {
    const { readOnly } = app.engine.abilities;
    this.element.append(
      h("div", { class: "bar-row" }, h("h2", {}, "Shelf"),
        h("span", { class: "stretch" }),
        button({ icon: "reset", label: "Look again", class: "icon small" }, () => void this.load())),
      h("div", { class: "actions" },
        !readOnly && button({ label: "Lab experiment: choose one and start it", text: "Lab experiment" }, () => void this.chooseExperiment()),
        !readOnly && button({ label: "Cusick test of the drape of this cloth", text: "Cusick test" }, () => void this.cusick())),
      this.jobs, this.list);
    app.engine.listen({ job: (job) => this.takeJob(job) });
    void this.load();
    app.engine.jobs().then((jobs) => jobs.forEach((job) => job.state === "running" && this.takeJob(job)), () => undefined);
  }

  async load(): Promise<void> {
    try {
      const items = await this.app.engine.shelf();
      const kinds = (Object.keys(KINDS) as ShelfItem["kind"][]).filter((kind) => items.some((item) => item.kind === kind));
      this.list.replaceChildren(...kinds.map((kind) => h("section", {}, h("h3", {}, KINDS[kind]),
        items.filter((item) => item.kind === kind).sort((a, b) => b.modified - a.modified).map((item) => this.item(item)))));
      if (items.length === 0)
        this.list.replaceChildren(h("p", { class: "quiet" }, "Nothing yet. `toile run` and the lab leave their results here."));
    } catch (error) {
      this.app.complain(error);
    }
  }

  private item(item: ShelfItem): HTMLElement {
    const { recording, report, thumbnail } = item;
    const open = (): void => {
      if (recording) void this.open(item);
      else if (report) window.open(report, "_blank", "noopener");
    };
    const picture = thumbnail ? h("img", { src: thumbnail, alt: "", loading: "lazy" }) : h("span", { class: "no-picture" });
    return h("article", { class: "item" },
      h("button", { type: "button", class: "item-main", title: item.path, onclick: open }, picture,
        h("span", { class: "item-words" }, h("b", {}, item.title || item.path),
          h("span", { class: "quiet" }, item.summary), h("span", { class: "quiet" }, when(item.modified)))),
      h("div", { class: "actions" },
        recording && button({ label: `Show ${item.title} beside`, text: "beside" }, () => void beside(this.app, recording, item.title)),
        report && h("a", { class: "link", href: report, target: "_blank", rel: "noopener" }, "report"),
        recording && button({ label: `Export ${item.title}`, text: "export" }, () => this.chooseExport(recording)),
      ));
  }

  private async open(item: ShelfItem): Promise<void> {
    this.app.labels = [item.title];
    await this.app.openRecording(item.recording!);
  }

  private chooseExport(path: string): void {
    const { body, close } = openDialog("Export");
    const formats: ["glb" | "usda" | "vtu" | "csv", string][] = [
      ["glb", "glTF with motion, for viewers and engines"], ["usda", "USD, for film tools"],
      ["vtu", "VTK, for ParaView"], ["csv", "the numbers as a table"],
    ];
    body.append(h("div", { class: "choices one" }, formats.map(([format, what]) =>
      h("a", { class: "choice", href: this.app.engine.exportAddress(path, format), download: "", onclick: close },
        h("b", {}, format), h("span", { class: "quiet" }, what)))));
  }

  private async chooseExperiment(): Promise<void> {
    try {
      const experiments = await this.app.engine.experiments();
      const { body, close } = openDialog("Lab experiments", true);
      body.append(h("div", { class: "choices" }, experiments.map((experiment: Experiment) =>
        h("button", { type: "button", class: "choice", onclick: () => {
          close();
          void this.start({ kind: "lab", experiment: experiment.name });
        } }, h("b", {}, experiment.title), h("span", { class: "quiet" }, experiment.about)))));
    } catch (error) {
      this.app.complain(error);
    }
  }

  private async cusick(): Promise<void> {
    const { text } = this.app.draft.value;
    await this.start({ kind: "cusick", text, cloth: this.app.cloth.value ?? undefined });
  }

  private async start(order: Parameters<App["engine"]["startJob"]>[0]): Promise<void> {
    try {
      this.takeJob(await this.app.engine.startJob(order));
    } catch (error) {
      this.app.complain(error);
    }
  }

  private takeJob(job: Job): void {
    const before = this.running.get(job.id);
    this.running.set(job.id, job);
    this.jobs.hidden = false;
    this.jobs.replaceChildren(h("h3", {}, "At work"), ...[...this.running.values()].map((one) => this.job(one)));
    if (before?.state === "running" && job.state !== "running") {
      notify(`${job.title}: ${job.state}`, job.state === "failed" ? "error" : "note");
      void this.load();
    }
  }

  private job(job: Job): HTMLElement {
    const bar = h("progress", { max: 1, value: job.progress ?? undefined, "aria-label": `Progress of ${job.title}` });
    return h("div", { class: "job" },
      h("div", { class: "bar-row" }, h("b", {}, job.title), h("span", { class: "quiet" }, job.state), h("span", { class: "stretch" }),
        job.state === "running" && button({ label: `Stop ${job.title}`, text: "stop" }, () =>
          void this.app.engine.stopJob(job.id).catch((error) => this.app.complain(error)))),
      job.state === "running" && bar,
      job.lines.length > 0 && h("pre", { class: "lines" }, job.lines.slice(-3).join("\n")));
  }
}

function when(seconds: number): string {
  const age = Date.now() / 1000 - seconds;
  if (age < 90) return "just now";
  if (age < 5400) return `${Math.round(age / 60)} minutes ago`;
  if (age < 129_600) return `${Math.round(age / 3600)} hours ago`;
  return new Date(1000 * seconds).toLocaleDateString();
}
