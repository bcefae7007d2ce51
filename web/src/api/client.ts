/**
 * The candidate API over fetch. It sends and tells apart three ends: an answer, a problem the
 * server named (`ApiProblem`), and no answer at all (`ApiUnreachable`). It never retries.
 */
import type { ConversationView, InviteView, Language, ProfileField, TranscriptPage } from './wire';

const BASE = '/api/v1';
const TIMEOUT_MS = 15_000;
/** A recording of minutes over a slow network. */
const UPLOAD_TIMEOUT_MS = 120_000;

/** The server answered with a problem; `code` is stable (RFC 9457 extension member). */
export class ApiProblem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(`${String(status)} ${code}`);
    this.name = 'ApiProblem';
  }
}

/** Nothing came back: offline, refused, timed out, or cut off in the middle of the body. */
export class ApiUnreachable extends Error {
  constructor(cause: unknown) {
    super('no answer from the server', { cause });
    this.name = 'ApiUnreachable';
  }
}

export interface Acknowledgement {
  seq: number;
}

async function exchange(
  method: string,
  path: string,
  body?: unknown,
  bearer: string | null = null,
): Promise<unknown> {
  const headers: Record<string, string> = {};
  if (bearer !== null) headers.authorization = `Bearer ${bearer}`;
  const isUpload = body instanceof Blob;
  const timeoutMs = isUpload ? UPLOAD_TIMEOUT_MS : TIMEOUT_MS;
  const init: RequestInit = { method, headers, signal: AbortSignal.timeout(timeoutMs) };
  // A recording brings its own content type.
  if (isUpload) init.body = body;
  else if (body !== undefined) {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  let response: Response;
  let text: string;
  try {
    response = await fetch(BASE + path, init);
    text = await response.text();
  } catch (cause) {
    throw new ApiUnreachable(cause);
  }
  if (!response.ok) throw problemOf(response, text);
  return text === '' ? null : JSON.parse(text);
}

function problemOf(response: Response, text: string): ApiProblem {
  const seconds = Number(response.headers.get('retry-after') ?? '');
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null;
  return new ApiProblem(response.status, codeIn(text), retryAfterMs);
}

/** A proxy's error page is no problem document: it has no code, its status must do. */
function codeIn(text: string): string {
  try {
    const document: unknown = JSON.parse(text);
    if (typeof document === 'object' && document !== null && 'code' in document) {
      return String(document.code);
    }
  } catch {
    return '';
  }
  return '';
}

export type ProfileAnswer = Partial<Record<ProfileField, string>>;

export class CandidateApi {
  /**
   * Names the conversation in every call. The cookie alone would not do: another interview opened
   * in the same browser replaces it, and a message would land in the wrong one. Kept in memory.
   */
  private bearer: string | null = null;

  invite(token: string): Promise<InviteView> {
    return exchange('GET', `/invites/${encodeURIComponent(token)}`) as Promise<InviteView>;
  }

  /** Makes the conversation, or finds the one this browser's cookie already has. */
  async openSession(invite: string, language: Language | null): Promise<void> {
    const body = language ? { invite, language } : { invite };
    const answer = await exchange('POST', '/sessions', body);
    this.bearer = (answer as { sessionToken: string }).sessionToken;
  }

  conversation(): Promise<ConversationView> {
    return this.call('GET', '') as Promise<ConversationView>;
  }

  older(cursor: number): Promise<TranscriptPage> {
    return this.call('GET', `/messages?before=${String(cursor)}`) as Promise<TranscriptPage>;
  }

  consent(version: string, accepted: boolean): Promise<ConversationView> {
    return this.call('POST', '/consent', { version, accepted }) as Promise<ConversationView>;
  }

  profile(answer: ProfileAnswer): Promise<ConversationView> {
    return this.call('POST', '/profile', answer) as Promise<ConversationView>;
  }

  send(message: { id: string; text: string }): Promise<Acknowledgement> {
    return this.call('POST', '/messages', message) as Promise<Acknowledgement>;
  }

  /** The same voice under the same id is accepted once, however often it is sent. */
  sendVoice(voice: { id: string; audio: Blob; durationS: number }): Promise<unknown> {
    const query = new URLSearchParams({ id: voice.id, duration: String(voice.durationS) });
    return this.call('POST', `/voice?${query.toString()}`, voice.audio);
  }

  correct(messageId: string, text: string): Promise<unknown> {
    return this.call('POST', `/messages/${encodeURIComponent(messageId)}/correction`, { text });
  }

  activity(type: 'typing' | 'recording'): Promise<unknown> {
    return this.call('POST', '/activity', { type });
  }

  tell(what: 'done' | 'stop' | 'human' | 'withdraw'): Promise<unknown> {
    return this.call('POST', `/${what}`);
  }

  /** An address that continues the interview in Telegram; it works once. */
  async continuation(): Promise<string> {
    const answer = await this.call('POST', '/continuation');
    return (answer as { url: string }).url;
  }

  /** Everything that is stored about the candidate. */
  myData(): Promise<unknown> {
    return this.call('GET', '/mydata');
  }

  /** Erases it. Nothing of the session is left afterwards. */
  forget(): Promise<unknown> {
    return this.call('POST', '/forget', { confirm: 'erase' });
  }

  /** Ends this browser's session. The interview stays. */
  leave(): Promise<unknown> {
    return exchange('DELETE', '/sessions/current', undefined, this.bearer);
  }

  /** EventSource can carry no header: the stream is the cookie's. */
  openEvents(): EventSource {
    return new EventSource(`${BASE}/conversation/events`);
  }

  private call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
    return exchange(method, `/conversation${path}`, body, this.bearer);
  }
}
