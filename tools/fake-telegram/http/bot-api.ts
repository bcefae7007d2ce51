import type { ApiResponse } from '@grammyjs/types';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendBroken } from '../../http-fake/reply';
import type { CallHandler, Reply } from '../call-handler';
import type { Fault, Faults } from '../faults';
import type { Journal, Outcome } from '../journal';
import type { CallContext } from '../methods';
import type { StoredFile } from '../state/files';
import type { TelegramState } from '../state/telegram-state';
import { type CallBody, readCall } from './call-request';

interface Parts {
  readonly state: TelegramState;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly handler: CallHandler;
  readonly context: Omit<CallContext, 'gone' | 'uploads'>;
  readonly token: () => string;
}

/** The Bot API's addresses: /bot<token>/METHOD and /file/bot<token>/PATH. */
export class BotApi {
  constructor(private readonly parts: Parts) {}

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    const call = /^\/bot([^/]+)\/([^/]+)\/?$/.exec(path);
    const file = /^\/file\/bot([^/]+)\/(.+)$/.exec(path);
    const token = decodeURIComponent(call?.[1] ?? file?.[1] ?? '');
    const name = call?.[2] ?? 'downloadFile';
    const refused = this.refusedToken(token);
    if (refused !== null) {
      this.note(name, {}, { kind: 'responded', status: refused.error_code, body: refused });
      sendReply(response, { kind: 'response', status: refused.error_code, body: refused });
      return;
    }
    if (file?.[2] !== undefined) {
      await this.download(decodeURIComponent(file[2]), response);
      return;
    }
    await this.call(name, query, request, response);
  }

  private async call(
    name: string,
    query: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableEnded) gone.abort();
    });
    let body: CallBody;
    try {
      body = await readCall(request, query);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const refused = failure(400, `Bad Request: ${error.message}`);
      this.note(name, {}, { kind: 'responded', status: 400, body: refused }, error.message);
      sendReply(response, { kind: 'response', status: 400, body: refused });
      return;
    }
    const uploads = body.encoding === 'texts' ? body.uploads : new Map<string, never>();
    const context = { ...this.parts.context, uploads, gone: gone.signal };
    sendReply(response, await this.parts.handler.handle(name, body, context));
  }

  private async download(path: string, response: ServerResponse): Promise<void> {
    const { faults, state } = this.parts;
    const fault = faults.take('downloadFile', { path });
    if (fault?.kind === 'delay') await faults.delay(fault.ms);
    if (fault?.kind === 'hang') await faults.hold();
    const file = state.files.behind(path);
    if (fault?.kind === 'drop') {
      if (fault.when === 'after' && file !== null) await writeHalf(response, file.bytes);
      this.note('downloadFile', { path }, { kind: 'dropped', by: 'server' });
      response.destroy();
      return;
    }
    const refused = downloadRefusal(fault, file);
    if (file === null || refused !== null) {
      const body = refused ?? failure(404, 'Not Found');
      this.note('downloadFile', { path }, { kind: 'responded', status: body.error_code, body });
      sendReply(response, { kind: 'response', status: body.error_code, body });
      return;
    }
    const { bytes } = file;
    const body = { ok: true, result: path } as const;
    this.note('downloadFile', { path }, { kind: 'responded', status: 200, body });
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-length': String(bytes.length),
    });
    response.end(bytes);
  }

  private refusedToken(token: string): Failure | null {
    if (token === this.parts.token()) return null;
    if (/^\d+:[\w-]+$/.test(token)) return failure(401, 'Unauthorized');
    return failure(404, 'Not Found');
  }

  private note(
    method: string,
    params: Record<string, unknown>,
    outcome: Outcome,
    ...violations: string[]
  ): void {
    this.parts.journal.add({
      at: this.parts.state.clock.now(),
      method,
      params,
      uploads: [],
      violations,
      hadEffect: false,
      outcome,
    });
  }
}

type Failure = Extract<ApiResponse<never>, { ok: false }>;

function failure(error_code: number, description: string): Failure {
  return { ok: false, error_code, description };
}

function downloadRefusal(fault: Fault | null, file: StoredFile | null): Failure | null {
  if (fault?.kind === 'status') return failure(fault.code, fault.description ?? 'Failed');
  if (fault?.kind === 'body') return failure(fault.status, fault.body);
  return file === null ? failure(404, 'Not Found') : null;
}

/** A download that is about to break off. */
async function writeHalf(response: ServerResponse, bytes: Buffer): Promise<void> {
  response.writeHead(200, { 'content-length': String(bytes.length) });
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)));
  await new Promise((resolve) => setImmediate(resolve));
}

function sendReply(response: ServerResponse, reply: Reply): void {
  if (sendBroken(response, reply)) return;
  const { body, status } = reply;
  const retryAfter = body.ok ? undefined : body.parameters?.retry_after;
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  });
  response.end(JSON.stringify(body));
}
