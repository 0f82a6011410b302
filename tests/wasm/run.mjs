// The tests in Pyodide: node run.mjs FOLDER REPOSITORY [argument of pytest]...
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [folder, repository, ...given] = process.argv.slice(2);
const read = (name) => new Uint8Array(readFileSync(`${folder}/${name}`));
const run = async () => {
  const { loadPyodide } = createRequire(import.meta.url)(`${folder}/pyodide.js`);
  const py = await loadPyodide({ indexURL: folder, env: { HOME: "/tmp", PYTHONDONTWRITEBYTECODE: "1" } });
  const { packages, absent } = JSON.parse(readFileSync(`${folder}/settings.json`));
  await py.loadPackage(packages, { messageCallback: () => {} });
  for (const name of readdirSync(`${folder}/wheels`)) py.unpackArchive(read(`wheels/${name}`), "zip", { extractDir: "/pure" });
  py.unpackArchive(read("code.zip"), "zip", { extractDir: "/pure" });
  py.FS.mkdirTree("/book");
  py.FS.mount(py.FS.filesystems.NODEFS, { root: repository }, "/book");
  py.runPython("import os, sys; sys.path.insert(0, '/book'); sys.path.append('/pure'); os.chdir('/book')");
  return py.pyimport("tests.wasm.inside").main(py.toPy(absent), py.toPy(given));
};
run().then((code) => process.exit(code), (error) => {
  console.error(error.message);
  process.exit(70);
});
