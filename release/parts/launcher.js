#!/usr/bin/env node
"use strict";

// Starts the program, which lies in the package of this platform, with the same arguments, input,
// output and signals.
const { spawn } = require("node:child_process");
const own = require("../package.json");

const name = `${own.name}-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "satchel.exe" : "satchel";

let program;
try {
  program = require.resolve(`${name}/bin/${file}`);
} catch {
  const known = Object.keys(own.optionalDependencies).includes(name);
  console.error(
    known
      ? `satchel: the package ${name} is missing. Install again with optional packages (without --omit=optional).`
      : `satchel: there is no program for ${process.platform} on ${process.arch}. See ${own.homepage} to build one.`,
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
child.on("error", (err) => {
  console.error(`satchel: ${err.message}`);
  process.exit(1);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
