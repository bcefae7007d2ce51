import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Side } from './rounds';

const ROOT = path.join(__dirname, '..', '..');

/** A folder with a built checkout, and how it is named in the result. */
export interface Build {
  readonly folder: string;
  /** As `git describe` names the commit. */
  readonly name: string;
}

/**
 * Builds the commit in a worktree inside `folder`, and the present tree where it is. The packages are hard links to the
 * present ones where the lockfile is the same, and are installed otherwise. The caller removes the worktree.
 */
export function buildBoth(commit: string, folder: string): Readonly<Record<Side, Build>> {
  const id = run('git', ['rev-parse', '--verify', `${commit}^{commit}`]).trim();
  const worktree = worktreeIn(folder);
  say(`checking out ${id.slice(0, 12)}`);
  run('git', ['worktree', 'add', '--detach', worktree, id]);
  if (hasSameLockfile(worktree)) {
    run('cp', ['-al', path.join(ROOT, 'node_modules'), path.join(worktree, 'node_modules')]);
  } else {
    say('its packages are others: installing them');
    run('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], worktree);
  }
  for (const built of [worktree, ROOT]) {
    say(`building ${built === ROOT ? 'the present tree' : id.slice(0, 12)}`);
    run(process.execPath, [path.join(built, 'scripts', 'build.mjs'), '--if-stale'], built);
  }
  const changes = run('git', ['status', '--porcelain', '--', ':!bench/results']) === '' ? '' : '+';
  const present = run('git', ['rev-parse', '--short=12', 'HEAD']).trim();
  return {
    before: { folder: worktree, name: id.slice(0, 12) },
    after: { folder: ROOT, name: `${present}${changes}` },
  };
}

/** Removes what buildBoth made, as far as it came; the folder too. */
export function removeBuilds(folder: string): void {
  git(['worktree', 'remove', '--force', worktreeIn(folder)]);
  rmSync(folder, { recursive: true, force: true });
  git(['worktree', 'prune']);
}

const worktreeIn = (folder: string): string => path.join(folder, 'before');

function hasSameLockfile(worktree: string): boolean {
  const [theirs, ours] = [worktree, ROOT].map((of) =>
    readFileSync(path.join(of, 'package-lock.json'), 'utf8'),
  );
  return theirs === ours;
}

function git(args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
}

/** Returns what the command prints. Throws with its last lines when it fails. */
function run(command: string, args: readonly string[], cwd = ROOT): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status === 0) return stdout;
  const last = `${stdout}\n${stderr}`.trim().split('\n').slice(-20).join('\n');
  throw new Error(`${command} ${args.join(' ')} failed with ${String(status)}:\n${last}`);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
