#!/bin/sh
# npm: `npm run SCRIPT --vacancy x` prints npm's version and ends with 0; the script does not run.
#
# Version:  npm 11.19.1 (Node 20.20).
# Guess:    without `--`, npm keeps an option that it does not know for itself, warns, and runs the script.
# Seen:     a long option whose letters are all one-letter shorthands of npm is read as these shorthands:
#           `--vacancy` is `-v -a -c -a -n -c -y`, and `-v` prints the version instead of running anything.
#           `--canvas` does the same, `--hands` prints the usage. `--names`, with letters that are no
#           shorthands, runs the script without the option.
# Output:   --vacancy: ran false, printed the version true, exit code 0
#           --canvas: ran false, printed the version true, exit code 0
#           --hands: ran false, printed the version false, exit code 0
#           --names: ran true, printed the version false, exit code 0
# So:       a script cannot notice this; documents put `--` before the options of a script, or give the
#           value without an option.
#
# Installs into a temporary folder. Exits with 1 when the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent npm@11.19.1
npm pkg set scripts.show='node -e "console.log(String(6 * 7), process.argv.slice(1).join())"'
cat >look.cjs <<'END'
const { spawnSync } = require('node:child_process');
const npm = 'node_modules/npm/bin/npm-cli.js';
const { version } = require('npm/package.json');

const seen = ['vacancy', 'canvas', 'hands', 'names'].map((option) => {
  const { status, stdout } = spawnSync(process.execPath, [npm, 'run', 'show', `--${option}`, 'x'], { encoding: 'utf8' });
  const ran = /^42 x$/m.test(stdout);
  const isVersion = stdout.trim() === version;
  console.log(`--${option}: ran ${ran}, printed the version ${isVersion}, exit code ${status}`);
  return [ran, isVersion, status];
});
const expected = [[false, true, 0], [false, true, 0], [false, false, 0], [true, false, 0]];
if (JSON.stringify(seen) !== JSON.stringify(expected)) {
  console.error('the behaviour has changed');
  process.exitCode = 1;
}
END
node look.cjs
