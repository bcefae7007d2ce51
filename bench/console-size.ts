/**
 * What the team's console loads, by route: the built scripts and style sheets, compressed by gzip. The budget of
 * each route stands at its figure. Needs `npm run build`.
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Figure, report } from './lib/report';

const WEB = path.join(__dirname, '..', 'dist', 'web');

/** Files of the build, by the name that Vite gives them in the page: `assets/shell-….js`. */
type Files = ReadonlySet<string>;

function read(file: string): string {
  return readFileSync(path.join(WEB, file), 'utf8');
}

/** What the document loads before anything else. */
function ofDocument(): Files {
  const html = read('team.html');
  const links = html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g);
  const direct = [...links].map(([, file = '']) => file);
  return withImports(direct);
}

/** With the scripts that scripts import at once. */
function withImports(files: readonly string[]): Files {
  const found = new Set(files);
  for (const file of found) {
    if (!file.endsWith('.js')) continue;
    for (const [, name = ''] of read(file).matchAll(
      /(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g,
    )) {
      found.add(`assets/${name}`);
    }
  }
  return found;
}

/** What a script loads when this part is opened; throws when it opens no such part. */
function ofPart(opener: string, part: string): Files {
  const script = read(opener);
  const names = JSON.parse(`[${/m\.f=\[([^\]]*)\]/.exec(script)?.[1] ?? ''}]`) as string[];
  const call = new RegExp(
    `import\\([\`"']\\./(${part}-[^\`"']+\\.js)[\`"']\\)[^[]*\\[([\\d,]*)\\]`,
  );
  const [, file, numbers] = call.exec(script) ?? [];
  if (file === undefined) throw new Error(`${opener} opens no "${part}"`);
  const beside = (numbers ?? '').split(',').flatMap((number) => names[Number(number)] ?? []);
  return withImports([`assets/${file}`, ...beside]);
}

function opened(files: Files, name: string): string {
  const file = [...files].find((one) => one.startsWith(`assets/${name}-`) && one.endsWith('.js'));
  if (file === undefined) throw new Error(`there is no script "${name}"`);
  return file;
}

/** A script that a page loads when it is there already. */
function assetOf(name: string): string {
  const file = readdirSync(path.join(WEB, 'assets')).find((one) => one.startsWith(`${name}-`));
  if (file === undefined) throw new Error(`there is no script "${name}"`);
  return `assets/${file}`;
}

function kB(files: Iterable<string>, extension: string): number {
  const sizes = [...files]
    .filter((file) => file.endsWith(extension))
    .map((file) => gzipSync(read(file), { level: 9 }).length);
  return sizes.reduce((total, size) => total + size, 0) / 1000;
}

function figure(name: string, value: number, atMost: number): Figure {
  return { name, value, unit: 'kB', bound: { atMost } };
}

function main(): void {
  const entry = ofDocument();
  const script = opened(entry, 'team');
  const door = (part: string): Files => new Set([...entry, ...ofPart(script, part)]);
  const shell = door('shell');
  const inShell = opened(shell, 'shell');
  const list = new Set([...shell, ...ofPart(inShell, 'interviews-page')]);
  const more = (part: string): string[] =>
    [...ofPart(inShell, part)].filter((file) => !shell.has(file));
  const editor = [...withImports([assetOf('yaml-editor')])].filter((file) => !shell.has(file));
  report(
    'console-size',
    [
      figure('sign-in: scripts', kB(door('sign-in-page'), '.js'), 95),
      figure('join: scripts', kB(door('join-page'), '.js'), 95),
      figure('shell with the list: scripts', kB(list, '.js'), 230),
      figure('shell with the list: styles', kB(list, '.css'), 45),
      figure('invitations: scripts beside the shell', kB(more('invitations-page'), '.js'), 60),
      figure('inviting: scripts beside the shell', kB(more('new-page'), '.js'), 60),
      figure('interview: scripts beside the shell', kB(more('interview-page'), '.js'), 60),
      figure('vacancies: scripts beside the shell', kB(more('vacancies-page'), '.js'), 60),
      figure('a vacancy: scripts beside the shell', kB(more('vacancy-page'), '.js'), 60),
      figure('a vacancy: the editor, after the page', kB(editor, '.js'), 130),
      figure('people: scripts beside the shell', kB(more('people-page'), '.js'), 60),
      figure('records: scripts beside the shell', kB(more('records-page'), '.js'), 60),
      figure('report: scripts beside the shell', kB(more('report-page'), '.js'), 60),
      figure('account: scripts beside the shell', kB(more('account-page'), '.js'), 60),
    ],
    ['files of the build, each compressed alone by gzip'],
  );
}

main();
