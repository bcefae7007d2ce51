import { execFileSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.join(__dirname, '../..');

/** The packages that a process has loaded which runs the command with these arguments. */
function packagesOf(args: readonly string[]): string[] {
  const program = `
    const { runColloquy } = require('./src/cli/colloquy.ts');
    process.stdout.write = () => true;
    runColloquy(${JSON.stringify(args)}).then(() => {
      const files = Object.keys(require.cache).map((file) => file.split('node_modules/').at(-1));
      process.stderr.write(JSON.stringify(files));
    });`;
  const register = path.join(ROOT, 'tools/support/swc-register.cjs');
  const out = execFileSync(
    'sh',
    ['-c', 'exec "$@" 2>&1', 'sh', process.execPath, '-r', register, '-e', program],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  );
  const files = JSON.parse(out) as string[];
  return [...new Set(files.map((file) => /^(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? ''))];
}

test.each([[['--help']], [['help', 'vacancy']], [['vacancy', 'import', '--help']]])(
  'a help (%j) loads neither settings nor the database nor Nest',
  (args) => {
    const loaded = packagesOf(args);

    expect(loaded).toContain('commander');
    expect(loaded).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(zod|typeorm|pg)$/)]),
    );
    expect(loaded).not.toEqual(expect.arrayContaining([expect.stringMatching(/^@nestjs/)]));
  },
);
