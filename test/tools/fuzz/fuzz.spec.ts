import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { signingKey } from '../../../src/scoring';
import { FUZZ_SETTINGS, REPEATING, runFuzz } from '../../../tools/fuzz/fuzz';
import { type TestApp, startTestApp } from '../../support/app';
import { ADMIN_TOKEN } from '../../support/secrets';
import { vacancyDraft } from '../../support/vacancies';

const SEED = Number(process.env.FUZZ_SEED ?? 1);
/** The rest of the 20,000 are sent by `npm run fuzz`. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 2400);
/** Generous, because other work may use the machine at the same time. */
const HANG_MS = 20_000;

let app: TestApp;
/** With the key that signs decisions. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'colloquy-fuzz-'));
  await signingKey(folder);
  const { plan } = vacancyDraft();
  const questions = Array.from({ length: 60 }, (_, index) => ({
    id: `question-${String(index)}`,
    text: `What is your answer to question ${String(index)}?`,
    kind: 'open' as const,
    mustAsk: true,
    rubric: 'Any answer.',
  }));
  app = await startTestApp({
    env: { ...FUZZ_SETTINGS, ADMIN_TOKEN, COLLOQUY_DATA_DIR: folder },
    model: true,
    telegram: true,
    vacancy: vacancyDraft({ plan: { ...plan, questions } }),
  });
  app.model.always(REPEATING);
});

afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

test(`finds nothing wrong in the responses to ${String(REQUESTS)} requests made from the document`, async () => {
  const short = vacancyDraft();
  const { openToken } = await app.addVacancy({
    slug: 'short',
    plan: { ...short.plan, questions: short.plan.questions.slice(0, 1), receipt: true },
  });
  const report = await runFuzz(
    {
      baseUrl: app.url,
      adminToken: ADMIN_TOKEN,
      telegramSecret: FUZZ_SETTINGS.TELEGRAM_WEBHOOK_SECRET,
      invite: app.vacancy.openToken,
      shortInvite: openToken,
      sql: (statement) => app.sql<Record<string, unknown>>(statement),
    },
    { seed: SEED, requests: REQUESTS, hangMs: HANG_MS },
  );

  expect(report.requests).toBeGreaterThanOrEqual(REQUESTS);
  expect(report.violations).toEqual([]);
  expect(report.successShare).toBeGreaterThan(0.4);
}, 180_000);
