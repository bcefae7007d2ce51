import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ModelReply } from '../fake-model/model-server';
import { Chance } from '../storm/chance';
import { ApiDocument } from './api-document';
import { HttpClient } from './http-client';
import { Fuzzer } from './fuzzer';
import { People, type Target } from './people';
import { MARKERS, Report } from './report';

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  /** How long a request may take before it counts as hanging. */
  readonly hangMs: number;
}

/** So many sequences of requests run beside each other. */
const FUZZERS = 4;

/**
 * Settings that a fuzz needs: limits that are about many requests are raised, those of one request stay.
 * The bot gets its updates by webhook, so that its endpoint is there.
 */
export const FUZZ_SETTINGS = {
  RATE_LIMIT_PER_MINUTE: '1000000',
  RATE_LIMIT_OF_KEY_PER_MINUTE: '1000000',
  OPEN_LINK_INTERVIEWS_PER_10_MINUTES: '1000000',
  OPEN_LINK_INTERVIEWS_PER_DAY: '1000000',
  OPEN_LINK_UPLOAD_MB_PER_10_MINUTES: '1000000',
  OPEN_LINK_UPLOAD_MB_PER_DAY: '1000000',
  TELEGRAM_BOT_NAME: 'colloquy_test_bot',
  TELEGRAM_MODE: 'webhook',
  TELEGRAM_WEBHOOK_SECRET: 'the-webhook-secret-of-the-fuzz-0123456789',
  PUBLIC_URL: 'http://localhost:3000',
  OPENAI_TRANSCRIPTION_MODEL: 'whisper-1',
  SCORING: 'true',
  INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.2',
  INTERVIEW_BUFFER_LEARNING: 'false',
  INTERVIEW_MAX_FILE_BYTES: '500000',
  DATABASE_POOL_SIZE: '12',
};

/** A model whose replies repeat the markers of the answer, so that they would show up at another candidate. */
export const REPEATING: ModelReply = {
  kind: 'completion',
  content: ({ messages }) => {
    const markers = new Set(messages.at(-1)?.content.match(MARKERS) ?? []);
    const text = `Noted ${[...markers].join(' ')}.`;
    return JSON.stringify({ verdict: 'answered', sources: '', text });
  },
};

/**
 * Sends at least `requests` requests to a running application, and then valid ones until each operation
 * has had five. They are made from its own OpenAPI document and the seed, and every response is judged.
 * The fuzzers depend on the seed alone, their order in time does not.
 */
export async function runFuzz(target: Target, options: FuzzOptions): Promise<Report> {
  const document = await ApiDocument.read(target.baseUrl);
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'colloquy-fuzz-')), 'bodies');
  const report = new Report(document, target.baseUrl, folder);
  const client = new HttpClient(target.baseUrl, options.hangMs);
  const seeds = new Chance(options.seed);
  const fuzzers = Array.from({ length: FUZZERS }, (_, number) => {
    const chance = seeds.fork(`fuzzer ${String(number)}`);
    const people = new People({ document, client, report, chance, target, fuzzer: number });
    return new Fuzzer(document, people, report, target, chance, number);
  });
  const isEnough = (): boolean => report.requests >= options.requests;
  try {
    await Promise.all(fuzzers.map((fuzzer) => fuzzer.run(isEnough)));
  } finally {
    client.close();
  }
  report.addUntested();
  return report;
}
