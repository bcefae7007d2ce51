import { request } from 'node:http';
import type { Clock } from '../../../src/common/clock';

const TIMEOUT_MS = 10_000;

/** One POST over a connection of its own; its status, or null without a complete response. */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  clock: Clock,
  stopped: AbortSignal,
): Promise<number | null> {
  const ended = new AbortController();
  const late = new AbortController();
  void clock.sleep(TIMEOUT_MS, ended.signal).then(() => {
    late.abort();
  });
  try {
    return await exchange(url, headers, body, AbortSignal.any([late.signal, stopped]));
  } catch {
    return null;
  } finally {
    ended.abort();
  }
}

function exchange(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  signal: AbortSignal,
): Promise<number> {
  const all = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', headers: all, signal, agent: false },
      (response) => {
        response.resume();
        response.once('error', reject);
        response.once('end', () => {
          resolve(response.statusCode ?? 0);
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}
