import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createProgram } from '../../src/cli/colloquy';
import { VERSION } from '../../src/common/version';

const ROOT = path.join(__dirname, '../..');

describe('./colloquy', () => {
  let folder: string;

  /** Stands for the built command: prints how it is called, waits if asked to, and ends with 7. */
  const BUILT = `exports.runColloquy = async (argv) => {
    const { COLLOQUY_DATA_DIR: data } = process.env;
    process.stdout.write(JSON.stringify({ argv, cwd: process.cwd(), data }) + '\\n');
    if (argv[0] === 'start') {
      const stopped = new Promise((resolve) => process.once('SIGTERM', resolve));
      const timer = setInterval(() => undefined, 1_000);
      process.stdout.write('ready\\n');
      await stopped;
      clearInterval(timer);
    }
    process.exitCode = 7;
  };`;

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'colloquy-checkout-')));
    await mkdir(path.join(folder, 'checkout/src'), { recursive: true });
    await mkdir(path.join(folder, 'checkout/dist/cli'), { recursive: true });
    await mkdir(path.join(folder, 'elsewhere'));
    for (const name of ['colloquy', 'scripts/colloquy.mjs', 'package.json']) {
      await cp(path.join(ROOT, name), path.join(folder, 'checkout', name));
    }
    await writeFile(path.join(folder, 'checkout/dist/cli/colloquy.js'), BUILT);
    await symlink(path.join(folder, 'checkout/colloquy'), path.join(folder, 'elsewhere/linked'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  function begin(command: string, args: readonly string[], cwd: string) {
    const child = spawn(command, args, {
      cwd: path.join(folder, cwd),
      env: { PATH: process.env.PATH ?? '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out }));
    return { child, ended };
  }

  test.each([
    ['in the checkout', './colloquy', 'checkout'],
    ['by its path from another folder', '../checkout/colloquy', 'elsewhere'],
    ['by a symlink', './linked', 'elsewhere'],
  ])('called %s runs the checkout with arguments and exit code', async (_how, command, cwd) => {
    const args = ['vacancy', 'import', 'a b.yaml', '--json', '', '$HOME'];

    const { code, out } = await begin(command, args, cwd).ended;

    const data = path.join(folder, 'checkout/.data');
    expect(code).toBe(7);
    expect(JSON.parse(out)).toEqual({ argv: args, cwd: path.join(folder, cwd), data });
  });

  describe('with a source that is newer than the build', () => {
    beforeEach(async () => {
      const checkout = path.join(folder, 'checkout');
      await mkdir(path.join(checkout, 'node_modules/.bin'), { recursive: true });
      await writeFile(path.join(checkout, 'node_modules/.bin/nest'), '');
      await cp(path.join(ROOT, 'scripts/stale.mjs'), path.join(checkout, 'scripts/stale.mjs'));
      const build = `process.stdout.write('built\\n');`;
      await writeFile(path.join(checkout, 'scripts/build.mjs'), build);
    });

    test.each([[['--help']], [['help', 'start']], [['vacancy', 'list', '-h']]])(
      'does not build for %j',
      async (args) => {
        expect(JSON.parse((await begin('./colloquy', args, 'checkout').ended).out)).toMatchObject({
          argv: args,
        });
      },
    );

    test('builds to print a help when there is no build', async () => {
      await rm(path.join(folder, 'checkout/dist'), { recursive: true });
      const build = `import { mkdirSync, writeFileSync } from 'node:fs';
        mkdirSync('dist/cli', { recursive: true });
        writeFileSync('dist/cli/colloquy.js', ${JSON.stringify(BUILT)});`;
      await writeFile(path.join(folder, 'checkout/scripts/build.mjs'), build);

      const { out } = await begin('./colloquy', ['--help'], 'checkout').ended;

      expect(JSON.parse(out)).toMatchObject({ argv: ['--help'] });
    });

    test('prints the release without the built command', async () => {
      await rm(path.join(folder, 'checkout/dist'), { recursive: true });

      const { code, out } = await begin('./colloquy', ['--version'], 'checkout').ended;

      expect([code, out]).toEqual([0, `${VERSION}\n`]);
    });

    test('builds for everything else, until the build is newer', async () => {
      const first = await begin('./colloquy', ['vacancy', 'list'], 'checkout').ended;
      await writeFile(path.join(folder, 'checkout/dist/.built'), '');
      const second = await begin('./colloquy', ['vacancy', 'list'], 'checkout').ended;

      expect(first.out.startsWith('built\n')).toBe(true);
      expect(second.out.startsWith('{')).toBe(true);
    });
  });

  test('passes a signal on, and ends with the code of the command', async () => {
    const { child, ended } = begin('./colloquy', ['start'], 'checkout');
    const started = new Promise<void>((resolve) => {
      child.stdout.on('data', (part: string) => {
        if (part.includes('ready')) resolve();
      });
    });

    await started;
    child.kill('SIGTERM');

    expect(await ended).toMatchObject({ code: 7 });
  });
});

/** Folders of our own texts; `bench/results` records what an earlier commit ran. */
const FOLDERS = '.ci deploy docs examples scripts src test tools web'.split(' ');
const TEXTS = /\.(ts|tsx|mts|mjs|cjs|sql|md|ya?ml|json|html|css|sh|conf|env|example)$|^\.ci\//;
/** The past: what was true when it was written. */
const PAST = /(^|\/)(node_modules|dist)\/|^(CHANGELOG\.md|package-lock\.json|docs\/adr\/)/;
const THIS = path.relative(ROOT, __filename);

function lines(isWanted: (file: string) => boolean): { place: string; line: string }[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file}`,
    ),
  );
  return [...inFolders, ...readdirSync(ROOT)]
    .filter((file) => TEXTS.test(file) && !PAST.test(file) && file !== THIS && isWanted(file))
    .flatMap((file) =>
      readFileSync(path.join(ROOT, file), 'utf8')
        .split('\n')
        .map((line, n) => ({ place: `${file}:${String(n + 1)}: ${line.trim()}`, line })),
    );
}

test('nothing tells to run what would be fetched from a public registry', () => {
  // `npx NAME` and its kin fetch a package of that name where none is installed.
  const FETCHES = /\b(npx|pnpx|bunx|npm (exec|x)|(pnpm|yarn) dlx) +(-\S+ +)*[@\w]/;

  const all = lines(() => true);

  expect('run npx colloquy start').toMatch(FETCHES);
  expect('npx --yes colloquy').toMatch(FETCHES);
  expect(all.length).toBeGreaterThan(50_000);
  expect(all.filter(({ line }) => FETCHES.test(line)).map(({ place }) => place)).toEqual([]);
});

test('documents and texts call the command as a checkout has it', () => {
  const names = createProgram().commands.map((command) => command.name());
  const BARE = new RegExp(`(?<![./\\w-])colloquy (${names.join('|')}|help)\\b`);
  /** Inside a container the command is on the PATH. */
  const IN_IMAGE = /\b(exec|pod)\b/;
  const COMMENT = /^\s*(\*|\/\/|\/\*|--)/;

  const told = lines((file) => /^(docs|src|web)\/|^[A-Z]+\.md$/.test(file)).filter(
    ({ line, place }) => !(/^(src|web)/.test(place) && COMMENT.test(line)),
  );

  expect('run "colloquy doctor"').toMatch(BARE);
  const bare = told.filter(({ line }) => BARE.test(line) && !IN_IMAGE.test(line));
  expect(bare.map(({ place }) => place)).toEqual([]);
  expect(existsSync(path.join(ROOT, 'colloquy'))).toBe(true);
});
