// formulas first: slides are laid out by their size; ?print shows all slides below each other, a page each
const print = location.search === "?print";
if (print) { document.querySelector("link[href$='reveal.css']").remove(); }
// a printer drops MathML: on paper a formula is a picture whose alternative text is its TeX
const picture = ({ math, typesetRoot }) => {
  const svg = typesetRoot.querySelector("svg"), image = new Image();
  Object.assign(image, { alt: math, src: `data:image/svg+xml,${encodeURIComponent(svg.outerHTML)}` });
  Object.assign(image.style, { width: svg.getAttribute("width"), verticalAlign: svg.style.verticalAlign });
  typesetRoot.replaceChildren(image);
  return image.decode();
};
MathJax.startup.promise.then(() => print
  ? Promise.all([...MathJax.startup.document.math].map(picture)).then(() => document.documentElement.classList.add("print"))
  : Reveal.initialize({
    width: 1280, height: 720, margin: 0, minScale: 0.2, maxScale: 4, center: false, hash: true, display: "flex",
    controls: false, slideNumber: "c/t", transition: "none", plugins: [RevealNotes],
  }));
