/**
 * Plays interviews on the example vacancies with the application of the checkout in COLLOQUY_ROOT, on a
 * PostgreSQL of its own and the model server at OPENAI_BASE_URL. Each turn begins when the process that
 * started it says so, which knows then to which turn the requests belong. What it loads of that checkout has
 * the same place and form in this one.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tx } from '../../src/common/uow';
import type { Language, Vacancy } from '../../src/vacancies';

const ROOT = process.env['COLLOQUY_ROOT'] ?? path.resolve(__dirname, '../..');

const loadThere = createRequire(path.join(ROOT, 'package.json'));

function load(file: string): unknown {
  return loadThere(path.join(ROOT, file));
}

/** One interview: its name, and how many passages its documents have. */
interface Play {
  readonly name: string;
  readonly language: Language;
  readonly documents: 'none' | 'few' | 'all';
  readonly isAsking: boolean;
}

/** What is told of each turn before its answer is sent. */
export interface PlayedTurn extends Play {
  readonly kind: 'answer' | 'question';
}

const LANGUAGES: readonly Language[] = ['en', 'ru'];
const PLAYS: readonly Play[] = LANGUAGES.flatMap((language): Play[] => [
  { name: 'answers', language, documents: 'none', isAsking: false },
  { name: 'asks, many documents', language, documents: 'all', isAsking: true },
  { name: 'asks, few documents', language, documents: 'few', isAsking: true },
]);

const FILES: Readonly<Record<Language, string>> = {
  en: 'backend-engineer.en.yaml',
  ru: 'support-lead.ru.yaml',
};
/** After these answers the candidate asks something. */
const ASKED_AFTER: readonly number[] = [2, 5];

const app = load('src/bootstrap/application') as typeof import('../../src/bootstrap/application');
const clocks = load('src/common/clock') as typeof import('../../src/common/clock');
const config = load('src/common/config') as typeof import('../../src/common/config');
const uow = load('src/common/uow') as typeof import('../../src/common/uow');
const persistence = load('src/persistence') as typeof import('../../src/persistence');
const embedded = load(
  'src/persistence/embedded',
) as typeof import('../../src/persistence/embedded');
const vacancies = load('src/vacancies') as typeof import('../../src/vacancies');
const knowledge = load('src/knowledge') as typeof import('../../src/knowledge');
const interview = load('src/interview') as typeof import('../../src/interview');
const buffer = load('src/buffer') as typeof import('../../src/buffer');
const jobs = load('src/jobs') as typeof import('../../src/jobs');
const played = load('tools/demo/answers') as typeof import('../../tools/demo/answers');

const quiet = (): void => undefined;
const LOGGER = { log: quiet, warn: console.error, error: console.error, debug: quiet };

async function main(): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'colloquy-bench-'));
  const postgres = await embedded.startEmbeddedPostgres({ dataDir, log: quiet, disposable: true });
  try {
    await persistence.migrate(postgres.url);
    await playAll(postgres.url);
  } finally {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function playAll(databaseUrl: string): Promise<void> {
  const { OPENAI_BASE_URL = '' } = process.env;
  const settings = config.Settings.fromEnvironment({
    HOST: '127.0.0.1',
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.2',
    OPENAI_API_KEY: 'bench',
    OPENAI_MODEL: 'recorded',
    OPENAI_BASE_URL,
  });
  const clock = new clocks.SystemClock();
  const nest = await app.createApplication({ settings, clock, databaseUrl, logger: LOGGER });
  const of = <T>(token: abstract new (...given: never[]) => T): T =>
    nest.get(token as never, { strict: false });
  const commit = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    of(uow.UnitOfWorkFactory).run('bench', (unit) => unit.commit('bench', work));
  of(jobs.JobWorker).start();
  for (const play of PLAYS) await playOne(play, of, commit);
  await nest.close();
}

type Of = <T>(token: abstract new (...given: never[]) => T) => T;
type Commit = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

async function playOne(play: Play, of: Of, commit: Commit): Promise<void> {
  const { language } = play;
  const file = path.join(__dirname, '../../examples', FILES[language]);
  const draft = await vacancies.readVacancyFile(file);
  const names = draft.knowledge ?? [];
  const shown = { none: [], few: names.slice(-1), all: names }[play.documents];
  const documents = await knowledge.readDocuments(path.dirname(file), shown, language);
  const vacancy = await commit(async (tx) => {
    const slug = `${draft.slug}-${randomUUID()}`;
    const stored = await of(vacancies.VacancyRepository).upsert(tx, { ...draft, slug });
    await of(knowledge.KnowledgeRepository).replace(tx, stored.vacancy.id, documents);
    return stored.vacancy;
  });
  const id = await begin(vacancy, of, commit);
  let asked = 0;
  for (const [at, { id: questionId }] of draft.plan.questions.entries()) {
    await turn({ ...play, kind: 'answer' }, answerTo(questionId, language), id, of, commit);
    if (!play.isAsking || !ASKED_AFTER.includes(at + 1)) continue;
    const question = played.QUESTIONS[language][asked] ?? '';
    asked += 1;
    await turn({ ...play, kind: 'question' }, [question], id, of, commit);
  }
}

async function begin(vacancy: Vacancy, of: Of, commit: Commit): Promise<string> {
  const start = of(interview.InterviewStart);
  const invite = { state: 'ok', kind: 'open', vacancy } as const;
  const { id } = await commit((tx) => start.begin(tx, invite));
  await commit(async (tx) => {
    const version = await start.disclosureVersion(tx, vacancy.id);
    await of(interview.InterviewService).consent(tx, id, { version, accepted: true });
  });
  const profile = { name: 'Ada', contact: 'ada@example.org' };
  await commit((tx) => of(interview.InterviewService).profile(tx, id, profile));
  return id;
}

/** What a candidate of the demo says, in its messages. */
function answerTo(questionId: string, language: Language): readonly string[] {
  const { ANSWERS } = played;
  const [said = ''] = ANSWERS[`${questionId}-${language}`] ?? ANSWERS[questionId] ?? [];
  return said.replace(/\{([^|}]*)\|([^}]*)\}/g, '$2').split('\n\n');
}

const POLL_MS = 50;

async function turn(
  told: PlayedTurn,
  says: readonly string[],
  conversationId: string,
  of: Of,
  commit: Commit,
): Promise<void> {
  const begun = once(process, 'message');
  process.send?.(told);
  await begun;
  await commit(async (tx) => {
    for (const text of says) {
      const message = { conversationId, channel: 'web', text, externalId: randomUUID() } as const;
      await of(buffer.BufferService).append(tx, message);
    }
  });
  const open = `select 1 from job where queue = 'flush' and state not in ('done', 'dead')`;
  do {
    await sleep(POLL_MS);
  } while ((await commit((tx) => tx.query(open))).length > 0);
}

void main().then(() => process.exit(0));
