import type { TestApp } from '../../support/app';
import type { TestCandidate } from '../../support/candidate';
import { ADMIN_TOKEN } from '../../support/secrets';

/** The largest file in these tests, in bytes. */
export const LIMIT = 600_000;

/** The application with a model, for candidates who send files and recruiters who read them. */
export const FILES = {
  model: true,
  env: {
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.3',
    INTERVIEW_MAX_FILE_BYTES: String(LIMIT),
    INTERVIEW_MAX_AUDIO_BYTES: '2000000',
    ADMIN_TOKEN,
  },
} as const;

/** Sends a file; returns the message's id. */
export async function sendFile(
  candidate: TestCandidate,
  bytes: Buffer,
  name?: string,
): Promise<string> {
  const response = await candidate.attach('f1', bytes, name === undefined ? {} : { name });
  expect(response.status).toBe(202);
  return ((await response.json()) as { messageId: string }).messageId;
}

export function readFile(candidate: TestCandidate, messageId: string): Promise<Response> {
  return candidate.get(`/api/v1/conversation/files/${messageId}`);
}

export function readAsAdmin(app: TestApp, path: string, token = ADMIN_TOKEN): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` };
  return fetch(`${app.url}/api/v1/admin/conversations/${path}`, { headers });
}

export async function problemOf(response: Response): Promise<{ status: number; code: string }> {
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  const { status, code } = (await response.json()) as { status: number; code: string };
  expect(status).toBe(response.status);
  return { status, code };
}

/** A PDF of so many bytes, none of which stands where it could be mistaken for another. */
export function largePdf(size: number): Buffer {
  const bytes = Buffer.alloc(size, '%PDF-1.7\n');
  for (let at = 16; at + 4 <= size; at += 1024) bytes.writeUInt32LE(at, at);
  return bytes;
}
