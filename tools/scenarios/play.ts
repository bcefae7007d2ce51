import { randomUUID } from 'node:crypto';
import type { Tx } from '../../src/common/uow';
import { BufferService, NotOpenError } from '../../src/buffer';
import { InterviewService, InterviewStart, SKIP } from '../../src/interview';
import { KnowledgeRepository } from '../../src/knowledge';
import type { Language, Vacancy, VacancyDraft } from '../../src/vacancies';
import { INVENTED } from './behaved-model';
import { documentsFor, type Ending, PLANS, type Scenario } from './scenario';

export type Interviewer = 'scripted' | 'good' | 'sloppy' | 'hostile' | 'real';

/** The application that scenarios are played on. */
export interface Stage {
  get<T>(token: abstract new (...parameters: never[]) => T): T;
  commit<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  sql<Row>(statement: string, values: readonly unknown[]): Promise<Row[]>;
  /** Lets the quiet time of all answers pass and does the work that is due. */
  settle(): Promise<void>;
  /** Lets that many days of fake time pass, and does the work that becomes due. */
  passDays(days: number): Promise<void>;
  /** What is being played; nobody has to be told. */
  progress?(text: string): void;
}

/** What a scenario has led to. */
export interface Played {
  readonly scenario: Scenario;
  readonly interviewer: Interviewer;
  readonly ending: Required<Omit<Ending, 'hears'>>;
  readonly transcript: readonly { readonly role: string; readonly text: string }[];
  /** Requests to a model for each turn. */
  readonly requests: readonly number[];
  /** What is not as it should be; empty: all is well. */
  readonly problems: readonly string[];
}

/**
 * Plays scenarios against the real application. Those with days of silence are played one by one after the
 * others, who get reminders meanwhile; and not with a real model, because then time is real.
 */
export async function play(
  stage: Stage,
  vacancies: Readonly<Record<Language, Vacancy>>,
  scenarios: readonly Scenario[],
  interviewer: Interviewer,
): Promise<Played[]> {
  const quick = scenarios.filter((one) => !hasSilence(one));
  const played = await playAll(stage, vacancies, quick, interviewer);
  if (interviewer === 'real') return played;
  for (const slow of scenarios.filter(hasSilence)) {
    played.push(...(await playAll(stage, vacancies, [slow], interviewer)));
  }
  return played;
}

function hasSilence({ turns }: Scenario): boolean {
  return turns.some(({ silentDays }) => silentDays !== undefined);
}

/**
 * Plays scenarios at the same time, answer by answer: every candidate says the first thing, then every
 * candidate says the second one.
 */
async function playAll(
  stage: Stage,
  vacancies: Readonly<Record<Language, Vacancy>>,
  scenarios: readonly Scenario[],
  interviewer: Interviewer,
): Promise<Played[]> {
  const ids = new Map<string, string>();
  for (const scenario of scenarios) {
    ids.set(scenario.id, await begin(stage, vacancies[scenario.language]));
  }
  const rounds = Math.max(0, ...scenarios.map(({ turns }) => turns.length));
  for (let round = 0; round < rounds; round += 1) {
    stage.progress?.(progressText(scenarios, interviewer, round));
    const days = Math.max(0, ...scenarios.map(({ turns }) => turns[round]?.silentDays ?? 0));
    if (days > 0) await stage.passDays(days);
    for (const { id, turns } of scenarios) {
      for (const text of turns[round]?.says ?? []) await say(stage, ids.get(id) ?? '', text);
    }
    await stage.settle();
  }
  const played: Played[] = [];
  for (const scenario of scenarios) {
    played.push(await read(stage, scenario, ids.get(scenario.id) ?? '', interviewer));
  }
  return played;
}

/** E.g. `good: 9 candidates, answer 3`. */
function progressText(
  scenarios: readonly Scenario[],
  interviewer: Interviewer,
  round: number,
): string {
  const answering = scenarios.filter(({ turns }) => turns.length > round);
  const who = answering.length === 1 ? answering[0]?.id : `${String(answering.length)} candidates`;
  return `${interviewer}: ${who ?? ''}, answer ${String(round + 1)}`;
}

async function begin(stage: Stage, vacancy: Vacancy): Promise<string> {
  const invite = { state: 'ok', kind: 'open', vacancy } as const;
  const { id } = await stage.commit((tx) => stage.get(InterviewStart).begin(tx, invite));
  const interviews = stage.get(InterviewService);
  await stage.commit(async (tx) => {
    const version = await stage.get(InterviewStart).disclosureVersion(tx, vacancy.id);
    await interviews.consent(tx, id, { version, accepted: true });
  });
  const profile = { name: 'Ada', contact: 'ada@example.org' };
  await stage.commit((tx) => interviews.profile(tx, id, profile));
  return id;
}

/** A message to an interview that takes none any more is lost, as it is on the page. */
async function say(stage: Stage, conversationId: string, text: string): Promise<void> {
  const message = { conversationId, channel: 'web', text, externalId: randomUUID() } as const;
  await stage
    .commit((tx) => stage.get(BufferService).append(tx, message))
    .catch((error: unknown) => {
      if (!(error instanceof NotOpenError)) throw error;
    });
}

async function read(
  stage: Stage,
  scenario: Scenario,
  id: string,
  interviewer: Interviewer,
): Promise<Played> {
  const rows = <Row>(statement: string): Promise<Row[]> => stage.sql<Row>(statement, [id]);
  const [state] = await rows<{ status: Ending['status']; question: number }>(
    `select status, (state ->> 'questionIndex')::int as question from conversation where id = $1`,
  );
  const turns = await rows<{ verdict: string | null; requests: number; prompt: string | null }>(
    `select verdict, prompt, (select count(*)::int from llm_request r where r.subject = 'flush:' || t.answer_id)
       as requests
     from turn t where conversation_id = $1 order by id`,
  );
  const attention = await rows<{ kind: string }>(
    `select kind from attention where conversation_id = $1 and closed_at is null order by id`,
  );
  const labels = await rows<{ label: string }>(
    `select concat_ws(' ', l.label, l.question_id,
       case when l.touches <> '{}' then 'touches ' || array_to_string(l.touches, ',') end) as label
     from message m join message_label l on l.message_id = m.id
     where m.conversation_id = $1 order by m.seq`,
  );
  const [sent] = await rows<{ reminders: number }>(
    `select count(*)::int as reminders from message
     where conversation_id = $1 and channel = 'code' and external_id like 'reminder:%'`,
  );
  const transcript = await rows<{ role: string; text: string }>(
    `select role, text from message where conversation_id = $1 and role <> 'event' order by seq`,
  );
  const ending = {
    status: state?.status ?? 'active',
    question: state?.question ?? 0,
    verdicts: turns.map(({ verdict }) => verdict ?? 'code'),
    attention: attention.map(({ kind }) => kind),
    labels: labels.map(({ label }) => label),
    reminders: sent?.reminders ?? 0,
  };
  const played = {
    scenario,
    interviewer,
    ending,
    transcript,
    requests: turns.map((t) => t.requests),
  };
  return { ...played, problems: [...brokenRules(played), ...differences(played)] };
}

type Unjudged = Omit<Played, 'problems'>;

/** What holds for every candidate and every interviewer. */
function brokenRules({ scenario, ending, transcript, requests, interviewer }: Unjudged): string[] {
  const { questions } = PLANS[scenario.language];
  const replies = transcript.filter(({ role }) => role === 'assistant').map(({ text }) => text);
  const said = replies.join('\n');
  const wordings = questions.flatMap((one) => [one.text, ...Object.values(one.translations ?? {})]);
  const answers = scenario.turns.filter(({ says }) => says.length > 0);
  const skips = answers.map(({ says }) => says.at(-1) === SKIP);
  const rules: readonly (readonly [boolean, string])[] = [
    [!said.includes(INVENTED), 'a reply has a number that stands nowhere'],
    [questions.every(({ rubric }) => !said.includes(rubric)), 'a reply shows a rubric'],
    [replies.every((text) => text.trim() !== ''), 'a reply is empty'],
    [
      replies.every((text) => wordings.every((one) => text.split(one).length <= 2)),
      'a reply asks the same question twice',
    ],
    [requests.every((count) => count <= 1), 'an answer took more than one request'],
    [interviewer !== 'scripted' || requests.every((n) => n === 0), 'the script asked a model'],
    [
      requests.every((n, at) => skips[at] !== true || n === 0),
      'a model was asked what /skip means',
    ],
    [
      ending.verdicts.length === answers.length || ending.status !== 'active',
      'an answer got no reply',
    ],
    [
      ending.status !== 'completed' ||
        questions.every((one) =>
          [one.text, ...Object.values(one.translations ?? {})].some((text) => said.includes(text)),
        ),
      'the interview ended before all questions were asked',
    ],
  ];
  return rules.filter(([holds]) => !holds).map(([, problem]) => problem);
}

/** Differences from the expected outcome. A real model may read an answer otherwise. */
function differences({ scenario, ending, transcript, interviewer }: Unjudged): string[] {
  const expected =
    interviewer === 'scripted'
      ? scenario.scripted
      : interviewer === 'good' || interviewer === 'real'
        ? scenario.good
        : undefined;
  if (expected === undefined) return [];
  const said = transcript.filter(({ role }) => role !== 'user').map(({ text }) => text);
  const { hears = [], ...facts } = expected;
  const different = Object.entries(facts).flatMap(([name, wanted]) => {
    const found: unknown = ending[name as keyof typeof ending];
    const same = JSON.stringify(found) === JSON.stringify(wanted);
    return same
      ? []
      : [`${name}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(found)}`];
  });
  const unheard = hears.filter((words) => !said.some((text) => text.includes(words)));
  return [...different, ...unheard.map((words) => `no reply has the words "${words}"`)];
}

export function vacancyFor(language: Language): VacancyDraft {
  return {
    slug: `scenarios-${language}`,
    language,
    title: language === 'ru' ? 'Разработчик' : 'Engineer',
    company: language === 'ru' ? 'Тихая гавань' : 'Harbourline',
    owner: { name: 'Ada' },
    plan: PLANS[language],
  };
}

/** Stores what candidates are answered from. Belongs before `play`. */
export async function storeDocuments(
  stage: Pick<Stage, 'get' | 'commit'>,
  vacancies: Readonly<Record<Language, Vacancy>>,
): Promise<void> {
  for (const [language, { id }] of Object.entries(vacancies)) {
    const documents = documentsFor(language as Language);
    await stage.commit((tx) => stage.get(KnowledgeRepository).replace(tx, id, documents));
  }
}
