import type { TestCandidate } from '../../support/candidate';

export const LONE_SURROGATE = '\ud83d';

export const CONSENT = '/api/v1/conversation/consent';
export const PROFILE = '/api/v1/conversation/profile';
export const MESSAGES = '/api/v1/conversation/messages';
export const ACTIVITY = '/api/v1/conversation/activity';
export const SESSIONS = '/api/v1/sessions';
export const CHAT = '/api/chat';
export const BODIES = [CONSENT, PROFILE, MESSAGES, ACTIVITY, SESSIONS, CHAT];

export interface PostResult {
  readonly status: number;
  readonly code: unknown;
}

/** Posts any bytes; reads a refusal, and leaves the stream of an accepted chat. */
export async function post(
  candidate: TestCandidate,
  path: string,
  body?: string,
  type: string | null = 'application/json',
): Promise<PostResult> {
  const leave = new AbortController();
  const response = await fetch(`${candidate.app.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${candidate.token}`,
      ...(type === null ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
    signal: leave.signal,
  });
  if (response.ok) {
    leave.abort();
    return { status: response.status, code: undefined };
  }
  return { status: response.status, code: (await problemOf(response)).code };
}

/** The body of a refusal, which must be a problem document and nothing internal. */
export async function problemOf(response: Response): Promise<{ code: unknown }> {
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  const problem = (await response.json()) as { code: unknown; status: number };
  expect(problem).toMatchObject({ type: 'about:blank', title: expect.any(String) as string });
  expect(problem.status).toBe(response.status);
  expect(JSON.stringify(problem)).not.toMatch(/Error|\.ts|select |stack/);
  return problem;
}
