// The section being read is marked in the contents; on a small screen they begin folded.
function followReading() {
  const links = new Map([...document.querySelectorAll(".rail a")].map((a) => [a.hash.slice(1), a]));
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        links.forEach((link, id) => {
          if (id === target.id) link.setAttribute("aria-current", "true");
          else link.removeAttribute("aria-current");
        });
      }
    },
    { rootMargin: "-20% 0px -70% 0px" },
  );
  document.querySelectorAll("main > section").forEach((section) => seen.observe(section));
  if (window.matchMedia("(max-width: 60rem)").matches) {
    document.querySelector(".contents").open = false;
  }
}

function drawPrint() {
  document.getElementById("print").addEventListener("click", () => window.print());
}
