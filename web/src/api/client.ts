/**
 * The candidate API over fetch, and over XMLHttpRequest for files. A call ends in one of three ways: a
 * result, a problem that the server named (`ApiProblem`), or no response (`ApiUnreachable`). It never
 * retries.
 */
import type { ConversationView, InviteView, ProfileField, Receipt, TranscriptPage } from './wire';

const BASE = '/api/v1';
const TIMEOUT_MS = 15_000;
/** Long enough for a voice or a file of 20 MB over a slow network, and for all data of a candidate. */
const LONG_TIMEOUT_MS = 600_000;

/** Types of files by their endings. The server checks the content itself. */
const FILE_TYPES = new Set([
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/gif',
  'image/heic',
]);

/** The server responded with a problem; `code` is stable (RFC 9457 extension member). */
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

/** No whole response came: offline, refused, timed out, or cut off in the middle of the body. */
export class ApiUnreachable extends Error {
  constructor(cause: unknown) {
    super('no answer from the server', { cause });
    this.name = 'ApiUnreachable';
  }
}

/**
 * Whether the same request would be refused again. It may be accepted later after no response, a failure
 * of the server, a timeout, a rate limit, or the end of the session, which can be opened again. Uploads that
 * are not taken may not be for hours, so the candidate is told.
 */
export function isFinal(error: unknown): error is ApiProblem {
  if (!(error instanceof ApiProblem)) return false;
  if (error.code === 'uploads_full') return true;
  return error.status < 500 && ![401, 408, 429].includes(error.status);
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
  const timeoutMs = isUpload ? LONG_TIMEOUT_MS : TIMEOUT_MS;
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
  return resultOf(response.status, response.headers.get('retry-after'), text);
}

interface FileToSend {
  file: File;
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/** XMLHttpRequest, because fetch does not report how much of a body is sent. */
async function uploadFile(
  path: string,
  { file, onProgress, signal }: FileToSend,
  bearer: string | null,
): Promise<unknown> {
  const request = new XMLHttpRequest();
  request.open('POST', BASE + path);
  request.timeout = LONG_TIMEOUT_MS;
  const type = FILE_TYPES.has(file.type) ? file.type : 'application/octet-stream';
  request.setRequestHeader('content-type', type);
  if (bearer !== null) request.setRequestHeader('authorization', `Bearer ${bearer}`);
  request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
  await new Promise<void>((resolve, reject) => {
    const unreachable = () => reject(new ApiUnreachable('the upload was cut off'));
    request.onerror = unreachable;
    request.ontimeout = unreachable;
    request.onabort = unreachable;
    request.onload = () => resolve();
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
  return resultOf(request.status, request.getResponseHeader('retry-after'), request.responseText);
}

/** A page of a proxy in place of a result counts as no response. */
function resultOf(status: number, retryAfter: string | null, text: string): unknown {
  if (status < 200 || status >= 300) throw problemOf(status, retryAfter, text);
  try {
    return text === '' ? null : JSON.parse(text);
  } catch (cause) {
    throw new ApiUnreachable(cause);
  }
}

function problemOf(status: number, retryAfter: string | null, text: string): ApiProblem {
  const seconds = Number(retryAfter ?? '');
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null;
  return new ApiProblem(status, codeIn(text), retryAfterMs);
}

/** An error page of a proxy is no problem document and has no code, so its status is used. */
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
   * Names the conversation in every call, because another interview that is opened in the same browser
   * replaces the cookie, and a message would reach the wrong one. Kept in memory.
   */
  private bearer: string | null = null;

  invite(token: string): Promise<InviteView> {
    return exchange('GET', `/invites/${encodeURIComponent(token)}`) as Promise<InviteView>;
  }

  /**
   * Makes the conversation, or finds the one this browser's cookie already has. `mine`: the person
   * has said that an interview which is open elsewhere is theirs, and agreed to its disclosure.
   */
  async openSession(invite: string, mine: { version: string } | null): Promise<void> {
    const body = mine ? { invite, mine: { version: mine.version } } : { invite };
    const response = await exchange('POST', '/sessions', body);
    this.bearer = (response as { sessionToken: string }).sessionToken;
  }

  conversation(): Promise<ConversationView> {
    return this.call('GET', '') as Promise<ConversationView>;
  }

  older(cursor: number): Promise<TranscriptPage> {
    return this.call('GET', `/messages?before=${String(cursor)}`) as Promise<TranscriptPage>;
  }

  receipt(): Promise<Receipt> {
    return this.call('GET', '/receipt') as Promise<Receipt>;
  }

  /** The time zone is sent too, so that no reminder comes at night. */
  consent(version: string, accepted: boolean): Promise<ConversationView> {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const body = { version, accepted, timeZone };
    return this.call('POST', '/consent', body) as Promise<ConversationView>;
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

  /** The same file under the same id is accepted once, however often it is sent. */
  sendFile({ id, ...upload }: FileToSend & { id: string }): Promise<unknown> {
    // The server refuses longer names; the end is kept because it has the type.
    const query = new URLSearchParams({ id, name: upload.file.name.slice(-255) });
    return uploadFile(`/conversation/files?${query.toString()}`, upload, this.bearer);
  }

  /** A file of the conversation. */
  file(messageId: string): Promise<Blob> {
    return this.download(`/files/${encodeURIComponent(messageId)}`);
  }

  correct(messageId: string, text: string): Promise<unknown> {
    return this.call('POST', `/messages/${encodeURIComponent(messageId)}/correction`, { text });
  }

  activity(type: 'typing' | 'recording'): Promise<unknown> {
    return this.call('POST', '/activity', { type });
  }

  /**
   * The answer is complete. `lastMessageId`: the last message that was acknowledged, so that the server
   * need not wait for one that is still on its way.
   */
  done(lastMessageId: string | null): Promise<{ dueAt: string | null } | null> {
    const body = lastMessageId === null ? {} : { lastMessageId };
    return this.call('POST', '/done', body) as Promise<{ dueAt: string | null } | null>;
  }

  tell(what: 'stop' | 'continue' | 'human' | 'resume' | 'withdraw'): Promise<unknown> {
    return this.call('POST', `/${what}`);
  }

  /** An address that continues the interview in Telegram; it works once. */
  async continuation(): Promise<string> {
    const response = await this.call('POST', '/continuation');
    return (response as { url: string }).url;
  }

  /** Everything that is stored about the candidate, as JSON. */
  myData(): Promise<Blob> {
    return this.download('/mydata');
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

  private async download(path: string): Promise<Blob> {
    const headers: Record<string, string> = {};
    if (this.bearer !== null) headers.authorization = `Bearer ${this.bearer}`;
    const signal = AbortSignal.timeout(LONG_TIMEOUT_MS);
    try {
      const response = await fetch(`${BASE}/conversation${path}`, { headers, signal });
      if (response.ok) return await response.blob();
      throw problemOf(response.status, null, await response.text());
    } catch (error) {
      throw error instanceof ApiProblem ? error : new ApiUnreachable(error);
    }
  }

  private call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
    return exchange(method, `/conversation${path}`, body, this.bearer);
  }
}
