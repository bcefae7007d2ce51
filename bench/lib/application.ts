import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomUUID } from 'node:crypto';
import { createApplication } from '../../src/bootstrap/application';
import { SystemClock } from '../../src/common/clock';
import { Settings } from '../../src/common/config';
import { type Tx, UnitOfWorkFactory } from '../../src/common/uow';

declare module '../../src/common/uow' {
  interface LabelAreas {
    benches: 'bench';
  }
}

const quiet = (): void => undefined;
const LOGGER = { log: quiet, warn: console.error, error: console.error, debug: quiet };

/** Creates the application in this process; it neither listens nor claims jobs. */
export function openApplication(
  databaseUrl: string,
  env: Record<string, string>,
): Promise<NestFastifyApplication> {
  return createApplication({
    settings: Settings.fromEnvironment({
      RATE_LIMIT_PER_MINUTE: '1000000',
      RATE_LIMIT_OF_KEY_PER_MINUTE: '1000000',
      OPEN_LINK_INTERVIEWS_PER_10_MINUTES: '1000000',
      OPEN_LINK_INTERVIEWS_PER_DAY: '1000000',
      OPEN_LINK_UPLOAD_MB_PER_10_MINUTES: '1000000',
      OPEN_LINK_UPLOAD_MB_PER_DAY: '1000000',
      ...env,
    }),
    clock: new SystemClock(),
    databaseUrl,
    logger: LOGGER,
  });
}

export function commit<T>(app: NestFastifyApplication, work: (tx: Tx) => Promise<T>): Promise<T> {
  return app.get(UnitOfWorkFactory).run('bench', (uow) => uow.commit('bench', work));
}

const PLAN = {
  greeting: 'Hello.',
  closing: 'Thank you.',
  questions: Array.from({ length: 20 }, (_, index) => ({
    id: `q${index}`,
    text: `Question ${index}?`,
    mustAsk: false,
    kind: 'open',
    rubric: 'Anything.',
  })),
};

/** Where an interview stands whose first question was just asked. */
export const STATE = {
  v: 1,
  questionIndex: 0,
  openQuestion: 'q0',
  pushedBack: false,
  asides: 0,
  offTopic: 0,
  isLeaving: false,
  leaves: 0,
  isCallingPerson: false,
  personCalls: 0,
  followUps: 0,
  abuses: 0,
  touched: [],
  asked: ['q0'],
  settled: [],
  notAsked: [],
};

/** Inserts running interviews that have consent; returns their ids. */
export async function makeConversations(
  app: NestFastifyApplication,
  count: number,
): Promise<string[]> {
  return commit(app, async (tx) => {
    const [vacancy, candidate] = [randomUUID(), randomUUID()];
    await tx.query(
      `insert into vacancy (id, slug, language, title, company, owner, plan, open_token)
       values ($1::uuid, $1::text, 'en', 'Bench', 'Bench', '{}', $2, $1::text)`,
      [vacancy, JSON.stringify(PLAN)],
    );
    await tx.query(`insert into candidate (id, name, contact) values ($1, 'Ada', 'ada')`, [
      candidate,
    ]);
    const rows = await tx.query<{ id: string }>(
      `insert into conversation (id, vacancy_id, candidate_id, language, plan, status, state,
         consent_version, consent_accepted, consent_at)
       select gen_random_uuid(), $1, $2, 'en', $3, 'active', $4, '1', true, now()
       from generate_series(1, $5) returning id`,
      [vacancy, candidate, JSON.stringify(PLAN), JSON.stringify(STATE), count],
    );
    return rows.map(({ id }) => id);
  });
}
