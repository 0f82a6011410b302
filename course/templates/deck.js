// formulas first: slides are laid out by their size; ?print shows all slides below each other, a page each
const print = location.search === "?print";
if (print) { document.querySelector("link[href$='reveal.css']").remove(); }
MathJax.startup.promise.then(() => print ? document.documentElement.classList.add("print") : Reveal.initialize({
  width: 1280, height: 720, margin: 0, minScale: 0.2, maxScale: 4, center: false, hash: true, display: "flex",
  controls: false, slideNumber: "c/t", transition: "none", plugins: [RevealNotes],
}));
