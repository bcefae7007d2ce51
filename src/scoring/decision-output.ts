import { link, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { ColloquyError } from '../common/errors';
import { hashOfFile } from './decision-file';

/**
 * Where a decision file is written so that a crash never leaves the chain without the file:
 *
 *   1. under the chain's lock, the bytes go to FILE.partial and are flushed to the disk
 *   2. the chain's row is committed
 *   3. FILE.partial gets the name FILE
 *
 * After a crash before 2, the chain does not know FILE.partial, and the next export overwrites it. After
 * a crash between 2 and 3, FILE.partial is the whole signed file, and the next export to FILE finishes it.
 */

/** The file cannot be written or read; the message says which and why. */
export class DecisionOutputError extends ColloquyError {
  readonly code = 'decision_output';
  readonly retryable = false;
}

/** Throws DecisionOutputError if the file exists. What a crash in step 3 left beside it is removed. */
export async function assertFree(file: string): Promise<void> {
  const existing = await bytesIn(file);
  if (existing === null) return;
  const partial = await bytesIn(partialOf(file));
  if (partial?.equals(existing) === true) await rm(partialOf(file));
  throw new DecisionOutputError(`${file}: cannot be written (EEXIST)`);
}

/** What an interrupted export left; null: nothing. */
export function readPartial(file: string): Promise<Buffer | null> {
  return bytesIn(partialOf(file));
}

/** Step 1. The file is readable by its owner only. */
export async function writePartial(file: string, bytes: Buffer): Promise<void> {
  await reported(file, async () => {
    const handle = await open(partialOf(file), 'w', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncFolder(file);
  });
}

/** Step 3. An existing file is never replaced, because a link fails where the name is taken. */
export async function publish(file: string, hash: string): Promise<void> {
  await reported(file, async () => {
    try {
      await link(partialOf(file), file);
    } catch (error) {
      // Another process may have finished the same export.
      const there = await bytesIn(file);
      if (there === null || hashOfFile(there) !== hash) throw error;
    }
    await rm(partialOf(file), { force: true });
    await syncFolder(file);
  });
}

function partialOf(file: string): string {
  return `${file}.partial`;
}

/** A new name in a folder is on the disk only after the folder is flushed. */
async function syncFolder(file: string): Promise<void> {
  const folder = await open(path.dirname(path.resolve(file)), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function bytesIn(file: string): Promise<Buffer | null> {
  return reported(file, async () => {
    try {
      return await readFile(file);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  });
}

async function reported<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (typeof code !== 'string' || error instanceof ColloquyError) throw error;
    throw new DecisionOutputError(`${file}: cannot be written (${code})`, { cause: error });
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
