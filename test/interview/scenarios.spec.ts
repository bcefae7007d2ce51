import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Language, Vacancy } from '../../src/vacancies';
import { SCENARIOS } from '../../tools/scenarios/bank';
import { BEHAVIOURS, BehavedModel } from '../../tools/scenarios/behaved-model';
import {
  type Interviewer,
  type Played,
  type Stage,
  play,
  storeDocuments,
  vacancyFor,
} from '../../tools/scenarios/play';
import {
  type StoredResults,
  changedResults,
  promptDifference,
  readResults,
  resultsOf,
} from '../../tools/scenarios/stored-results';
import { ROWS } from '../../tools/scenarios/scenario';
import type { TestApp } from '../support/app';
import { closeInterviews, pause, startInterviews, startOther, work } from './interviews';

/** All candidates answer at the same moment, which a small pool of connections does not keep up with. */
const FEW_AT_A_TIME = { JOB_FLUSH_CONCURRENCY: '8' };

/** Each test plays more than a hundred interviews. */
jest.setTimeout(240_000);

let app: TestApp;
let withModel: TestApp;
let model: BehavedModel;
let vacancies: Readonly<Record<Language, Vacancy>>;
let stored: StoredResults | null;

beforeAll(async () => {
  stored = readResults();
  model = await BehavedModel.start(SCENARIOS);
  app = await startInterviews({ env: { OPENAI_API_KEY: '', ...FEW_AT_A_TIME } });
  withModel = await startOther(app, { env: { ...model.env, ...FEW_AT_A_TIME } });
  vacancies = {
    en: await app.addVacancy(vacancyFor('en')),
    ru: await app.addVacancy(vacancyFor('ru')),
  };
  await storeDocuments(stageOf(app), vacancies);
});

afterAll(async () => {
  await closeInterviews(app);
  await model.close();
});

/** Scenarios are played by this replica alone: the other one claims nothing meanwhile. */
function stageOf(replica: TestApp): Stage {
  return {
    get: (token) => replica.get(token),
    commit: (act) => replica.commit(act),
    sql: (statement, values) => replica.sql(statement, values),
    settle: async () => {
      pause(replica, 10_000);
      const waiting = `select 1 from job where queue = 'flush' and state <> 'done' and state <> 'dead'`;
      while ((await replica.sql(waiting)).length > 0) {
        // What could not be claimed yet becomes due a moment later.
        if ((await work(replica)) === 0) pause(replica, 500);
      }
      // The next message comes after the reply.
      pause(replica, 1000);
    },
    passDays: async (days) => {
      for (let hours = 0; hours < days * 24; hours += 3) {
        pause(replica, 3 * 3_600_000);
        while ((await work(replica)) > 0);
      }
    },
  };
}

const DOCUMENT = readFileSync(path.join(__dirname, '../../docs/conversation.md'), 'utf8');
/** The id, the interviewer and the lines. */
const SHOWN =
  /`((?:en|ru)-[a-z-]+)`, with the (good|scripted) (?:model|interviewer):\s+```text\n([^`]+)```/g;

/** The transcripts of the document, each with whether the scenario was played like that. */
function shownTranscripts(
  played: readonly Played[],
  interviewer: Interviewer,
): { readonly id: string; readonly isPlayed: boolean }[] {
  return [...DOCUMENT.matchAll(SHOWN)].flatMap(([, id = '', by, lines = '']) => {
    if (by !== interviewer) return [];
    const transcript = played.find(({ scenario }) => scenario.id === id)?.transcript ?? [];
    const said = transcript.map(({ role, text }) => (role === 'user' ? `> ${text}` : text));
    return [{ id, isPlayed: inOneLine(said.join(' ')).includes(inOneLine(lines)) }];
  });
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * The problems of each scenario that has some, the results that differ from the stored ones, and the transcripts of
 * the document that do.
 */
async function problemsOf(interviewer: Interviewer): Promise<{
  problems: Record<string, readonly string[]>;
  changed: string[];
  unlikeDocument: string[];
}> {
  const replica = interviewer === 'scripted' ? app : withModel;
  const played = await play(stageOf(replica), vacancies, SCENARIOS, interviewer);
  expect(played).toHaveLength(SCENARIOS.length);
  const wrong = played.filter(({ problems }) => problems.length > 0);
  return {
    problems: Object.fromEntries(wrong.map(({ scenario, problems }) => [scenario.id, problems])),
    changed: changedResults(stored, resultsOf(played)),
    unlikeDocument: shownTranscripts(played, interviewer)
      .filter(({ isPlayed }) => !isPlayed)
      .map(({ id }) => id),
  };
}

const AS_STORED = { problems: {}, changed: [], unlikeDocument: [] };

test('the bank has at least 130 candidates, each once, and every row in both languages', () => {
  expect(new Set(SCENARIOS.map(({ id }) => id)).size).toBe(SCENARIOS.length);
  expect(SCENARIOS.length).toBeGreaterThanOrEqual(130);
  for (const row of ROWS) {
    const languages = SCENARIOS.filter((one) => one.row === row).map(({ language }) => language);
    expect([...new Set(languages)].sort()).toEqual(['en', 'ru']);
  }
});

test('the stored results belong to the prompt as it is, and to the candidates of the bank', () => {
  expect(promptDifference(stored)).toBeNull();
  expect(Object.keys(stored?.results ?? {})).toEqual(SCENARIOS.map(({ id }) => id));
});

test('the document has three transcripts of the bank, in both languages and also without a model', () => {
  const of = (interviewer: Interviewer): string[] =>
    shownTranscripts([], interviewer).map(({ id }) => id.slice(0, 2));
  expect({ good: of('good'), scripted: of('scripted') }).toEqual({
    good: ['en', 'ru'],
    scripted: ['en'],
  });
});

test('results of another prompt are refused with what to do', () => {
  const other = { prompt: 'interviewer 1 (0)', results: {} };
  expect(promptDifference(other, 'interviewer 2 (1)')).toBe(
    'The scenarios were stored with the prompt interviewer 1 (0), and it is now interviewer 2 (1): ' +
      'run `./colloquy scenarios --store` and read what changed.',
  );
  expect(promptDifference(null)).toMatch(/^There are no stored results/);
});

test('every candidate reaches the expected outcome without a model', async () => {
  expect(await problemsOf('scripted')).toEqual(AS_STORED);
});

test.each(BEHAVIOURS)(
  'every candidate reaches the expected outcome with a %s model',
  async (behaviour) => {
    model.behaviour = behaviour;
    expect(await problemsOf(behaviour)).toEqual(AS_STORED);
  },
);
