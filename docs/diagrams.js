// Draws the Mermaid diagrams of the book, which mdBook leaves as code blocks.
window.addEventListener("DOMContentLoaded", () => {
  const dark = ["ayu", "coal", "navy"].some((name) => document.documentElement.classList.contains(name));
  for (const code of document.querySelectorAll("code.language-mermaid")) {
    const diagram = document.createElement("div");
    diagram.className = "mermaid";
    diagram.textContent = code.textContent;
    code.closest("pre").replaceWith(diagram);
  }
  mermaid.initialize({ startOnLoad: false, theme: dark ? "dark" : "default" });
  mermaid.run();
});
