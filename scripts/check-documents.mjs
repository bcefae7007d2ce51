/**
 * Checks the documents against the project: links to files and headings, paths in `code`, scripts of
 * package.json that are named, the pictures of a message's way in ARCHITECTURE.md, the rows of
 * docs/rooms.md, and the numbers and lengths of the decisions and of what a newcomer reads first. An address of another site is checked only by its form, because nothing
 * outside is asked.
 */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ROOT, documentFiles, fencedBlocks, outlineOf, readDocument } from './documents.mjs';

const TOP = 'src|docs|test|tools|scripts|web|bench|deploy|examples|findings';
/** A path in `code`: with an ending or of a folder; patterns such as `*.ts` are none. */
const PATH = new RegExp(`\`((?:${TOP})/[\\w./-]+)\``, 'g');
/** Paths that are made when something runs. */
const MADE =
  /^(bench\/results\/[\w-]+\.json|deploy\/kubernetes\/secrets\.env|examples\/my-vacancy\.yaml)$/;
/** Documents about the past, whose paths may no longer exist. */
const HISTORY = /^(CHANGELOG\.md|docs\/adr\/)/;
const NPM_RUN = /npm run (?:--\S+ )*([\w:-]+)/g;
const SOURCE = /\.(ts|tsx|mjs|cjs|sql|css)$/;
/** A row of a table whose first cell is paths in `code`, and the rest of the row. */
const ROW = /^\| (`[^|]*`) \| (.*)\|$/gm;
/** The web and Telegram. */
const CHANNELS = 2;
/** The most words of a decision, of the README, and of a release in the changelog; without blocks of code. */
const DECISION_WORDS = 400;
const README_WORDS = 1100;
const RELEASE_WORDS = 600;
const LOCAL = /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?(\/|$)/;

const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const outlines = new Map(documentFiles().map((file) => [file, outlineOf(readDocument(file))]));
const problems = [];
let checked = 0;

function report(file, line, problem) {
  problems.push(`${file}:${line}: ${problem}`);
}

function checkLink(file, { href, line }) {
  checked += 1;
  if (/^[a-z]+:/.test(href)) {
    const isFit = URL.canParse(href) && (href.startsWith('https://') || LOCAL.test(href));
    if (!isFit) report(file, line, `${href} is no https address`);
    return;
  }
  // An address of a running Colloquy.
  if (href.startsWith('/')) return;
  const [target, anchor] = decodeURI(href).split('#');
  const place = target === '' ? file : path.posix.join(path.posix.dirname(file), target);
  if (!existsSync(path.join(ROOT, place))) {
    report(file, line, `${href} leads to ${place}, which does not exist`);
    return;
  }
  if (anchor === undefined || anchor === '') return;
  const headings = outlines.get(place)?.headings;
  if (headings !== undefined && !headings.some(({ slug }) => slug === anchor)) {
    report(file, line, `${href}: ${place} has no heading "${anchor}"`);
  }
}

function checkLines(file, text) {
  text.split('\n').forEach((content, index) => {
    for (const [, name] of content.matchAll(NPM_RUN)) {
      checked += 1;
      if (!(name in scripts)) report(file, index + 1, `package.json has no script "${name}"`);
    }
    if (HISTORY.test(file)) return;
    for (const [, place] of content.matchAll(PATH)) {
      checked += 1;
      if (!MADE.test(place) && !existsSync(path.join(ROOT, place))) {
        report(file, index + 1, `${place} does not exist`);
      }
    }
  });
}

/** Each step of a way names a file and a function that is in it. */
function checkWay(file, { text, line }) {
  text.split('\n').forEach((step, index) => {
    const [, place = '', name = ''] = step.split('|').map((part) => part.trim());
    if (!place.startsWith('src/')) return;
    checked += 1;
    const source = path.join(ROOT, place);
    if (!existsSync(source) || !statSync(source).isFile()) {
      report(file, line + index, `${place} does not exist`);
    } else if (!new RegExp(`\\b${name}\\b.*\\(`).test(readFileSync(source, 'utf8'))) {
      report(file, line + index, `${place} has no function "${name}"`);
    }
  });
}

/** The folders that contain a source file, at any depth. */
function sourceFolders(folder) {
  const entries = readdirSync(path.join(ROOT, folder), { withFileTypes: true });
  const below = entries
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .flatMap(({ name }) => sourceFolders(`${folder}/${name}`));
  return entries.some(({ name }) => SOURCE.test(name)) ? [folder, ...below] : below;
}

/** A folder has a row, or its name is in the row of a folder above it. */
function checkRooms(file, text) {
  const rows = [...text.matchAll(ROW)].map(([, paths, rest]) => ({
    paths: [...paths.matchAll(/`([\w./-]+)`/g)].map(([, place]) => place.replace(/\/$/, '')),
    names: new Set([...rest.matchAll(/`([\w-]+)`/g)].map(([, name]) => name)),
  }));
  for (const folder of TOP.split('|').flatMap(sourceFolders)) {
    const [top, room = '', ...deeper] = folder.split('/');
    // Tests are in the folder of the room that they test.
    if (top === 'test' && (deeper.length > 0 || existsSync(path.join(ROOT, 'src', room)))) continue;
    checked += 1;
    const isTold = rows.some(({ paths, names }) =>
      paths.some(
        (place) =>
          place === folder ||
          (folder.startsWith(`${place}/`) && names.has(path.posix.basename(folder))),
      ),
    );
    if (!isTold) report(file, 1, `${folder} is in no row of the rooms`);
  }
}

const numbers = new Map();
/** A decision has a number of its own, and is short. */
function checkDecision(file, text) {
  const [, number] = /^docs\/adr\/(\d{4})-/.exec(file) ?? [];
  if (number === undefined) return;
  checked += 1;
  const first = numbers.get(number) ?? file;
  if (first !== file) report(file, 1, `${first} has the number ${number} too`);
  numbers.set(number, first);
  checkLength(file, text, DECISION_WORDS);
}

function checkLength(file, text, most) {
  checked += 1;
  const words = text.replace(/^```.*?^```/gms, '').match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
  if (words > most) report(file, 1, `${words} words; at most ${most}: ${text.slice(0, 30).trim()}`);
}

/** What a newcomer reads first is short. */
function checkFace(file, text) {
  if (file === 'README.md') checkLength(file, text, README_WORDS);
  if (file !== 'CHANGELOG.md') return;
  for (const release of text.split(/^(?=## )/m)) checkLength(file, release, RELEASE_WORDS);
}

for (const [file, { links }] of outlines) {
  const text = readDocument(file);
  for (const link of links) checkLink(file, link);
  checkLines(file, text);
  checkDecision(file, text);
  checkFace(file, text);
  const ways = fencedBlocks(text).filter(({ info }) => info === 'way');
  for (const way of ways) checkWay(file, way);
  if (file === 'docs/rooms.md') checkRooms(file, text);
  if (file === 'ARCHITECTURE.md' && ways.length < CHANNELS) {
    report(file, 1, `${ways.length} pictures of a message's way; one for each channel is needed`);
  }
}

for (const problem of problems) console.error(problem);
console.log(
  `${outlines.size} documents, ${checked} links, paths and names, ${problems.length} wrong`,
);
process.exit(problems.length === 0 ? 0 : 1);
