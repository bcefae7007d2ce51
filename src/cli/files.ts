import { readFile } from 'node:fs/promises';
import { RefusedInputError } from './failures';

/** Reads a file that a person names. Throws RefusedInputError with the file's name, never its content. */
export async function bytesOfFile(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new RefusedInputError(`${file}: ${whyUnreadable(errorCodeOf(error))}`);
  }
}

function whyUnreadable(code: string): string {
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'is a folder, not a file';
  return `cannot be read (${code})`;
}

/** The system's code, such as `EACCES`, which names no path. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}
