/**
 * `npm run screenshots`: pictures of every state of the pages and the demos, in four sizes, both languages
 * and both colour schemes, in .data/screenshots. Each option limits them to some values (`--help` lists
 * those). `--accept` renews the pictures that the browser test compares with, `--documents` those in
 * docs/pictures. It starts the built application with a model server of its own, and Chromium.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  FOR_DOCUMENTS,
  STORED,
  STORED_OF_CONSOLE,
  fileOf,
} from '../test/browser/pictures/chosen.mjs';
import { ConsoleApp } from '../test/browser/pictures/console-app.mjs';
import { PictureApp } from '../test/browser/pictures/picture-app.mjs';
import { accept, small } from '../test/browser/pictures/stored-pictures.mjs';
import { LANGUAGES, SCHEMES, SIZES, STATES, exists, walk } from '../test/browser/pictures/walk.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TARGET = path.join(ROOT, '.data', 'screenshots');
const DOCUMENTS = path.join(ROOT, 'docs', 'pictures');

const CHOICES = {
  state: Object.keys(STATES),
  size: SIZES,
  language: LANGUAGES,
  scheme: SCHEMES,
};

function usage() {
  return [
    'npm run screenshots -- [--accept] [--documents] [option value]…',
    ...Object.entries(CHOICES).map(([option, values]) => `  --${option}  ${values.join(', ')}`),
  ].join('\n');
}

/** The chosen values of each option; all of them if none is given. */
function chosen(values) {
  const all = Object.entries(CHOICES).map(([option, possible]) => {
    const asked = (values[option] ?? []).flatMap((value) => value.split(','));
    const unknown = asked.find((value) => !possible.includes(value));
    if (unknown !== undefined) throw new Error(`--${option} ${unknown} is not known.\n${usage()}`);
    return [option, asked.length > 0 ? asked : possible];
  });
  return Object.fromEntries(all);
}

function everyPicture() {
  return CHOICES.state.flatMap((state) =>
    CHOICES.size
      .filter((size) => exists(state, size))
      .flatMap((size) =>
        CHOICES.language.flatMap((language) =>
          CHOICES.scheme.map((scheme) => ({ state, size, language, scheme })),
        ),
      ),
  );
}

const options = Object.fromEntries(
  Object.keys(CHOICES).map((option) => [option, { type: 'string', multiple: true }]),
);
const flag = { type: 'boolean', default: false };
const { values } = parseArgs({
  options: { ...options, accept: flag, documents: flag, help: flag },
});

/** Each returns the file that it has written, or null if nothing has changed. */
const STORES = {
  look: (picture, png) => write(path.join(TARGET, fileOf(picture)), png),
  accept: (picture, png) => (accept(picture, png) ? fileOf(picture) : null),
  documents: (picture, png) => write(path.join(DOCUMENTS, `${picture.state}.png`), small(png)),
};

function write(file, png) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, png);
  return path.relative(ROOT, file);
}

function asked() {
  const named = [
    ...(values.accept ? [...STORED, ...STORED_OF_CONSOLE].map(meantFor('accept')) : []),
    ...(values.documents ? FOR_DOCUMENTS.map(meantFor('documents')) : []),
  ];
  if (named.length > 0) return named;
  return everyPicture().map(meantFor('look'));
}

function meantFor(purpose) {
  return (picture) => ({ ...picture, purpose });
}

const isOfConsole = ({ state }) => STATES[state].isOfConsole === true;

/** Each stage with the pictures that are taken on it. */
function stagesOf(pictures) {
  const ofConsole = pictures.filter(isOfConsole);
  const others = pictures.filter((picture) => !isOfConsole(picture));
  const withDemos = others.some(({ state }) => STATES[state].isDemo);
  const languages = [...new Set(ofConsole.map(({ language }) => language))];
  return [
    { open: () => PictureApp.open({ withDemos }), taken: others },
    { open: () => ConsoleApp.open({ languages }), taken: ofConsole },
  ].filter(({ taken }) => taken.length > 0);
}

async function main() {
  if (values.help) {
    console.log(usage());
    return;
  }
  const choice = chosen(values);
  const pictures = asked().filter((picture) =>
    Object.entries(choice).every(([option, some]) => some.includes(picture[option])),
  );
  let count = 0;
  for (const { open, taken } of stagesOf(pictures)) {
    const stage = await open();
    try {
      await walk(stage, taken, {
        onPicture: async ({ png, page: _, ...picture }) => {
          count += 1;
          const file = STORES[picture.purpose](picture, png);
          if (file !== null) console.log(file);
        },
        onFailure: ({ state, language, error }) => {
          process.exitCode = 1;
          console.error(`${state} (${language}): ${error.message}`);
        },
      });
    } finally {
      await stage.close();
    }
  }
  console.log(`${count} of ${pictures.length} pictures taken`);
}

main().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
