/**
 * Writes what a release says of the packages in it:
 *
 *   dist/sbom.cdx.json  the production packages as CycloneDX, by npm
 *   dist/licences.txt   each package with its licence, then the texts of the licences
 *
 * Fails with one line for each package whose licence is unknown or not in ALLOWED. `npm run build` calls
 * it. Tests name another project or another folder for the files: release-files.mjs PROJECT FOLDER.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Licences that ask for their text and the authors' names, which licences.txt has, and for nothing more. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-3.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  // Fonts: they may be embedded, not sold by themselves.
  'OFL-1.1',
  'Python-2.0',
  'Unlicense',
]);

/** Development packages whose code or data the bundler puts into the candidate page and the team's console. */
const IN_THE_PAGE = [
  'react',
  'react-dom',
  'scheduler',
  '@fontsource-variable/inter',
  '@fontsource-variable/source-serif-4',
  '@babel/runtime',
  '@floating-ui/core',
  '@floating-ui/dom',
  '@floating-ui/react',
  '@floating-ui/react-dom',
  '@floating-ui/utils',
  '@mantine/core',
  '@mantine/form',
  '@mantine/hooks',
  '@mantine/notifications',
  '@mantine/store',
  '@tanstack/query-core',
  '@tanstack/react-query',
  '@tanstack/react-store',
  '@tanstack/react-table',
  '@tanstack/react-virtual',
  '@tanstack/store',
  '@tanstack/table-core',
  '@tanstack/virtual-core',
  'clsx',
  'fast-deep-equal',
  'get-nonce',
  'klona',
  'openapi-fetch',
  'react-remove-scroll',
  'react-remove-scroll-bar',
  'react-style-singleton',
  'react-transition-group',
  'regexparam',
  'tslib',
  'use-callback-ref',
  'use-sidecar',
  'use-sync-external-store',
  'wouter',
];
const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));

function fail(lines) {
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exit(1);
}

/** The installed packages of a release, by name and version. */
function shippedPackages() {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const shipped = new Map();
  for (const [place, { dev = false, optional = false }] of Object.entries(lock.packages)) {
    const name = place.replace(/^.*node_modules\//, '');
    const isInPage = place === `node_modules/${name}` && IN_THE_PAGE.includes(name);
    if (place === '' || (dev && !isInPage)) continue;
    const file = path.join(root, place, 'package.json');
    if (!existsSync(file)) {
      // Packages of other platforms are not installed, and not shipped.
      if (optional) continue;
      fail([`${place} is not installed: run npm ci first.`]);
    }
    const { version, license, licenses } = JSON.parse(readFileSync(file, 'utf8'));
    const given = license ?? licenses;
    const texts = licenceTexts(path.join(root, place));
    shipped.set(`${name}@${version}`, { name, version, licence: textOf(given), texts });
  }
  return [...shipped.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** An SPDX expression; older packages have an object, or a list of which one may be chosen. */
function textOf(given) {
  if (Array.isArray(given)) return given.map(textOf).join(' OR ');
  return typeof given === 'object' && given !== null ? (given.type ?? '') : (given ?? '');
}

function licenceTexts(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
    .map(({ name }) => readFileSync(path.join(folder, name), 'utf8').trim());
}

/** Whether an SPDX expression can be fulfilled with the allowed licences. */
function isAllowed(expression) {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const either = () => {
    let isGood = both();
    while (tokens[at] === 'OR') {
      at += 1;
      isGood = both() || isGood;
    }
    return isGood;
  };
  const both = () => {
    let isGood = one();
    while (tokens[at] === 'AND') {
      at += 1;
      isGood = one() && isGood;
    }
    return isGood;
  };
  const one = () => {
    const token = tokens[at];
    at += 1;
    if (token !== '(') return ALLOWED.has(token);
    const isGood = either();
    at += 1;
    return isGood;
  };
  return either() && at === tokens.length;
}

function licenceList(packages) {
  const byText = new Map();
  for (const { name, version, texts } of packages) {
    for (const text of texts) {
      byText.set(text, [...(byText.get(text) ?? []), `${name}@${version}`]);
    }
  }
  const line = '-'.repeat(80);
  const heads = packages.map(({ name, version, licence }) => `${name}@${version}: ${licence}`);
  const bodies = [...byText].map(([text, of]) => `${line}\n${of.join(', ')}\n\n${text}\n`);
  return `The packages in this release and their licences.\n\n${heads.join('\n')}\n\n${bodies.join('\n')}`;
}

/**
 * `--omit dev` of npm 11 leaves out production packages that a development package needs as well, such
 * as @nestjs/common, so all are asked for and those that are shipped are taken.
 */
function billOfMaterials(packages) {
  const { status, stdout, stderr } = spawnSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) fail([`npm sbom failed: ${stderr.trim().split('\n')[0]}`]);
  const bill = JSON.parse(stdout);
  const { name, version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  // npm takes the name of the folder.
  bill.metadata.component.name = name;
  const shipped = new Set(packages.map(refOf));
  bill.components = bill.components
    .filter((one) => shipped.has(refOf(one)))
    .map((component) => ({
      ...component,
      properties: component.properties.filter((one) => one.name !== 'cdx:npm:package:development'),
    }));
  const refs = new Set(bill.components.map((component) => component['bom-ref']));
  const missing = [...shipped].filter((one) => !bill.components.some((of) => refOf(of) === one));
  if (missing.length > 0) fail([`npm sbom does not list ${missing.join(', ')}.`]);
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => refs.has(ref) || ref === `${name}@${version}`)
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  return bill;
}

function refOf({ name, version }) {
  return `${name}@${version}`;
}

const packages = shippedPackages();
const refused = packages.filter(({ licence }) => !isAllowed(licence));
if (refused.length > 0) {
  fail(
    refused.map(({ name, version, licence }) =>
      licence === ''
        ? `${name}@${version} names no licence: replace it, or ask its authors.`
        : `${name}@${version} has the licence "${licence}", which is not allowed in a release: replace it, or add the licence to scripts/release-files.mjs once its terms are met.`,
    ),
  );
}
const folder = process.argv[3] ?? path.join(root, 'dist');
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, 'licences.txt'), licenceList(packages));
const bill = billOfMaterials(packages);
writeFileSync(path.join(folder, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
