window.MathJax = {svg: {fontCache: "local"}, options: {enableMenu: false}, startup: {typeset: true}};
