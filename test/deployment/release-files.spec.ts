import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const SCRIPT = path.join(ROOT, 'scripts/release-files.mjs');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'colloquy-release-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function run(project = folder): { readonly status: number | null; readonly stderr: string } {
  const files = path.join(folder, 'dist');
  return spawnSync(process.execPath, [SCRIPT, project, files], { encoding: 'utf8' });
}

function read(name: string): string {
  return readFileSync(path.join(folder, 'dist', name), 'utf8');
}

/** A project with one production package of this licence. */
function projectWith(licence: unknown): void {
  const version = '1.0.0';
  const root = { name: 'project', version, dependencies: { leaf: version } };
  const packages = { '': root, 'node_modules/leaf': { version } };
  const files = {
    'package.json': root,
    'package-lock.json': { name: 'project', version, lockfileVersion: 3, packages },
    'node_modules/leaf/package.json': { name: 'leaf', version, license: licence },
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), JSON.stringify(content));
  }
}

test('lists the packages of this project, and no registry', () => {
  const { dependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };

  expect(run(ROOT)).toMatchObject({ status: 0, stderr: '' });

  const text = read('sbom.cdx.json');
  const bill = JSON.parse(text) as {
    bomFormat: string;
    metadata: { component: { name: string } };
    components: { name: string; version: string; licenses?: unknown[] }[];
  };
  const listed = new Map(bill.components.map(({ name, version }) => [name, version]));
  const licences = read('licences.txt');
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'colloquy' } },
  });
  for (const [name, version] of Object.entries({ ...dependencies, react: '19.3.1' })) {
    expect([name, listed.get(name)]).toEqual([name, version]);
    expect(licences).toContain(`${name}@${version}: `);
  }
  // Tools of the development are not shipped.
  expect([...listed.keys()].filter((name) => /^(jest|vite|oxlint|playwright)/.test(name))).toEqual(
    [],
  );
  expect(licences).toMatch(/fastify@[\d.]+: MIT\n/);
  expect(licences).toContain('SIL OPEN FONT LICENSE');
  expect(text + licences).not.toMatch(/registry\.|\/registry|_authToken|"distribution"/);
});

test.each([
  ['AGPL-3.0-only', 'leaf@1.0.0 has the licence "AGPL-3.0-only", which is not allowed'],
  ['MIT AND GPL-2.0', 'leaf@1.0.0 has the licence "MIT AND GPL-2.0", which is not allowed'],
  ['(MIT', 'leaf@1.0.0 has the licence "(MIT", which is not allowed'],
  ['SEE LICENSE IN terms.txt', 'which is not allowed'],
  [undefined, 'leaf@1.0.0 names no licence'],
])('fails with a sentence for a package of the licence %s', (licence, sentence) => {
  projectWith(licence);

  const { status, stderr } = run();
  expect(status).toBe(1);
  expect(stderr).toContain(sentence);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test.each(['MIT', '(GPL-3.0-only OR MIT)', 'ISC AND (CC-BY-3.0 OR GPL-2.0)'])(
  'accepts a package of the licence %s',
  (licence) => {
    projectWith(licence);

    expect(run()).toMatchObject({ status: 0, stderr: '' });
    expect(read('licences.txt')).toContain(`leaf@1.0.0: ${licence}`);
  },
);
