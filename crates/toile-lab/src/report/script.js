"use strict";
(() => {
  const byId = (id) => document.getElementById(id);

  // Pictures, enlarged until somebody clicks again or presses Escape.
  const enlarged = byId("enlarged");
  for (const button of document.querySelectorAll(".picture"))
    button.addEventListener("click", () => {
      const picture = byId("enlarged-picture");
      const small = button.querySelector("img");
      [picture.src, picture.alt] = [small.src, small.alt];
      enlarged.showModal();
    });
  enlarged.addEventListener("click", () => enlarged.close());

  // A browser lets only so many 3D views live at a time; the oldest make room.
  const MOST_OPEN = 4;
  const open = [];

  function close(clip) {
    const index = open.indexOf(clip);
    if (index >= 0) open.splice(index, 1);
    clip.querySelector("iframe").remove();
    clip.querySelector(".close").remove();
    clip.querySelector(".start").hidden = false;
  }

  // The player's page is put together here: its shell is in this page once, the clip's data beside its button.
  function play(clip) {
    const shell = JSON.parse(byId("player-shell").textContent);
    const [manifest, data] = [".manifest", ".data"].map((part) => clip.querySelector(part).textContent);
    const start = clip.querySelector(".start");
    const frame = document.createElement("iframe");
    frame.title = `Player: ${start.querySelector("b").textContent}`;
    frame.setAttribute("sandbox", "allow-scripts allow-downloads");
    frame.srcdoc = shell[0] + manifest + shell[1] + data + shell[2];
    const end = document.createElement("button");
    Object.assign(end, { type: "button", className: "close", textContent: "Close the player" });
    end.addEventListener("click", () => {
      close(clip);
      start.focus();
    });
    start.hidden = true;
    clip.append(frame, end);
    frame.focus();
    open.push(clip);
    if (open.length > MOST_OPEN) close(open[0]);
  }

  for (const clip of document.querySelectorAll(".clip"))
    clip.querySelector(".start").addEventListener("click", () => play(clip));
})();
