import type { Update } from '@grammyjs/types';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Clock } from '../../../src/common/clock';

/** The response of a webhook to an update. */
export interface WebhookResponse {
  readonly status: number | null;
  /** Why the update counts as not delivered; null: it is delivered. */
  readonly error: string | null;
  readonly retryAfterS: number;
  /** The method that the response's body calls. */
  readonly reply: string | null;
}

interface Target {
  readonly url: string;
  readonly secretToken: string | null;
}

const TIMEOUT_MS = 60_000;

/** One POST, never redirected, over a connection of its own. Resolves also when it fails. */
export async function post(
  { url, secretToken }: Target,
  update: Update,
  clock: Clock,
  stopped: AbortSignal,
): Promise<WebhookResponse> {
  const ended = new AbortController();
  const late = new AbortController();
  void clock.sleep(TIMEOUT_MS, ended.signal).then(() => {
    late.abort();
  });
  try {
    return await exchange(url, secretToken, update, AbortSignal.any([late.signal, stopped]));
  } catch {
    const error = late.signal.aborted ? 'Read timeout expired' : 'Connection failed';
    return { status: null, error, retryAfterS: 0, reply: null };
  } finally {
    ended.abort();
  }
}

function exchange(
  url: string,
  secretToken: string | null,
  update: Update,
  signal: AbortSignal,
): Promise<WebhookResponse> {
  const body = Buffer.from(JSON.stringify(update));
  const headers = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...(secretToken === null ? {} : { 'x-telegram-bot-api-secret-token': secretToken }),
  };
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, signal, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.once('end', () => {
        const retryAfter = response.headers['retry-after'];
        const text = Buffer.concat(parts).toString('utf8');
        resolve(read(response.statusCode ?? 0, retryAfter, text));
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

function read(status: number, retryAfter: string | undefined, text: string): WebhookResponse {
  const isOk = status >= 200 && status <= 299;
  return {
    status,
    error: isOk ? null : `Wrong response from the webhook: ${String(status)}`,
    retryAfterS: /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : 0,
    reply: isOk ? methodIn(text) : null,
  };
}

function methodIn(text: string): string | null {
  try {
    const { method } = JSON.parse(text) as { method?: unknown };
    return typeof method === 'string' ? method : null;
  } catch {
    return null;
  }
}
