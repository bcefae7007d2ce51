import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { ColloquyError } from '../../common/errors';
import { type CheckOutcome, ok, problem, warning } from '../../common/check-outcome';

/**
 * How much space is left for a user without special rights where `folder` is, or where it would be
 * created. `disk` names it in the sentence: "The disk of …".
 */
export async function diskOutcome(
  folder: string,
  disk: string,
  read: FileSystem = statfs,
): Promise<CheckOutcome> {
  const asked = path.resolve(folder);
  for (let at = asked; ; at = path.dirname(at)) {
    try {
      const { bavail, bsize } = await read(at);
      return judge(bavail * bsize, `${disk} (${asked})`);
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      const isParentLeft = code === 'ENOENT' && path.dirname(at) !== at;
      if (!isParentLeft) {
        return problem(
          `${disk} (${asked}) cannot be read (${code}): check the folder and its rights.`,
        );
      }
    }
  }
}

type FileSystem = (folder: string) => Promise<{ readonly bavail: number; readonly bsize: number }>;

/** A new cluster takes 80 MB with its log, and a full disk stops PostgreSQL in the middle of work. */
const FULL_BYTES = 256 * 1024 ** 2;
const SCARCE_BYTES = 2 * 1024 ** 3;

function judge(bytes: number, disk: string): CheckOutcome {
  const left = `${disk} has ${inUnits(bytes)} left`;
  if (bytes < FULL_BYTES) {
    return problem(`${left}, and PostgreSQL stops when it is full: free at least 2 GB.`);
  }
  if (bytes < SCARCE_BYTES) return warning(`${left}: free some space, or move the data soon.`);
  return ok(`${left}.`);
}

function inUnits(bytes: number): string {
  const megabytes = bytes / 1024 ** 2;
  return megabytes < 1024 ? `${megabytes.toFixed(0)} MB` : `${(megabytes / 1024).toFixed(1)} GB`;
}

/** The disk has too little space to start on; the message says where and what to do. */
export class DiskFullError extends ColloquyError {
  readonly code = 'disk_full';
  readonly retryable = false;
}
