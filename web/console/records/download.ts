/**
 * Saves a file of the API. The password is asked for before it, because a file may take longer than the time limit of
 * other requests, and is fetched past the gate.
 */
import { saveFile } from '../../src/platform';
import { ApiProblem, codeOf } from '../api/problem';
import { confirmed } from './calls';
import { fileNameIn } from './files';

/** Throws an ApiProblem; `file_cut` where the file has begun and not ended. */
export async function download(place: string): Promise<void> {
  await confirmed();
  const response = await reached(fetch(place, { cache: 'no-store' }), 'unreachable');
  if (!response.ok) {
    const body: unknown = await response.json().catch(() => null);
    throw new ApiProblem(response.status, codeOf(body) ?? 'unknown');
  }
  const name = fileNameIn(response.headers.get('content-disposition') ?? '');
  saveFile(name, await reached(response.blob(), 'file_cut'));
}

async function reached<T>(work: Promise<T>, code: string): Promise<T> {
  try {
    return await work;
  } catch {
    throw new ApiProblem(0, code);
  }
}
