import path from 'node:path';
import {
  type AnswerMessage,
  type InterviewPrompt,
  type PromptLine,
  buildInterviewRequest,
} from '../../src/interview/prompts/interview-request';
import { allowedVerdicts } from '../../src/interview/plan/decide';
import { advance, initialState, progress } from '../../src/interview/plan/state';
import { disclosureOf } from '../../src/interview/texts/disclosure';
import { textsOf } from '../../src/interview/texts/texts';
import type { ModelRequest } from '../../src/llm';
import { lateRequest } from '../../src/scoring/late-words';
import { itemsOf, requestOf } from '../../src/scoring/score-request';
import { InterviewTerms } from '../../src/interview';
import {
  type Language,
  minutesOf,
  type VacancyDraft,
  readVacancyFile,
  rubricOf,
} from '../../src/vacancies';
import { ANSWERS } from '../../tools/demo/answers';
import { settingsForTests } from '../support/settings';

const WITH_RATING = Object.assign(new InterviewTerms(settingsForTests({ OPENAI_API_KEY: 'key' })), {
  isRated: true,
});

const EXAMPLES = path.resolve(__dirname, '../../examples');
const FILES = { en: 'backend-engineer.en.yaml', ru: 'support-lead.ru.yaml' } as const;
const THANKS = { en: 'Thank you, noted: two hours a week.', ru: 'Спасибо, записано: два часа.' };

/** A request of Colloquy, and an output that a good model writes for it. */
export interface PlayedRequest {
  readonly name: string;
  readonly purpose: 'interview' | 'late' | 'score' | 'search';
  readonly request: ModelRequest;
  readonly ideal: object;
}

/** All requests of one interview with an example vacancy: a reply to each answer, one search, the scoring, and a late word. */
export async function playedInterview(language: Language): Promise<PlayedRequest[]> {
  const draft = await readVacancyFile(path.join(EXAMPLES, FILES[language]));
  return [...replies(draft, language), searched(draft, language), ...ratings(draft), placed(draft)];
}

function replies(draft: VacancyDraft, language: Language): PlayedRequest[] {
  const { plan } = draft;
  const history: PromptLine[] = openingOf(draft);
  let state = initialState(plan);
  return plan.questions.map((question) => {
    const messages = answerOf(question.id, language);
    const { question: number, of } = progress(plan, state);
    const agent = question.kind === 'knockout' ? 'screener' : 'technical';
    const request = requestFor(draft, language, { state, history: [...history], messages, agent });
    const text = THANKS[language];
    const label = `answer ${String(number)}`;
    history.push(
      ...messages.map((message): PromptLine => ({ role: 'candidate', ...message, label })),
      { role: 'interviewer', text, ...(number < of ? { asked: number + 1 } : {}) },
    );
    state = advance(plan, state, 'answered');
    const ideal = idealOf({ verdict: 'answered', text });
    return { name: `reply to ${question.id}`, purpose: 'interview', request, ideal };
  });
}

function openingOf({ plan }: VacancyDraft): PromptLine[] {
  return [
    { role: 'interviewer', text: plan.greeting },
    { role: 'interviewer', text: '', asked: 1 },
  ];
}

function requestFor(
  { plan, company, title, owner }: VacancyDraft,
  language: Language,
  moment: Pick<InterviewPrompt, 'state' | 'history' | 'messages' | 'agent'> &
    Partial<Pick<InterviewPrompt, 'searches'>>,
): ModelRequest {
  const texts = textsOf(language);
  const { question, of } = progress(plan, moment.state);
  const planned = minutesOf(plan);
  const left = Math.round((planned * (of - question + 1)) / of);
  return buildInterviewRequest({
    facts: {
      progress: `${texts.progress(question, of)} ${texts.minutesLeft(left, planned)}`,
      disclosure: disclosureOf(WITH_RATING, language, { company }).text,
      readers: texts.readers(owner.name, company),
    },
    vacancy: { title, company },
    language,
    plan,
    answer: moment.messages.map(({ text }) => text).join('\n\n'),
    corrections: [],
    allowedVerdicts: allowedVerdicts(plan, moment.state),
    isAddendum: false,
    isCorrection: false,
    searches: [],
    canSearch: true,
    ...moment,
  });
}

function idealOf(fields: { readonly verdict: string; readonly text: string; sources?: string }) {
  const rest = { asks: 'no', about: '', touches: '' };
  const { verdict, text, sources = '' } = fields;
  return { verdict, sources, ...rest, text, labels: '' };
}

const SEARCHED = {
  en: { question: 'May I work from home?', text: 'Two days a week are in the office. ' },
  ru: { question: 'Можно работать из дома?', text: 'Два дня в неделю работа идёт в офисе. ' },
};

/** The request that follows a search: it has the ten passages that were found. */
function searched(draft: VacancyDraft, language: Language): PlayedRequest {
  const { question, text } = SEARCHED[language];
  const passages = Array.from({ length: 10 }, (_, n) => {
    const id = String(n);
    return { id, document: 'work.md', headings: ['Work', id], text: text.repeat(12) };
  });
  const request = requestFor(draft, language, {
    state: initialState(draft.plan),
    history: openingOf(draft),
    messages: [{ n: 5, text: question }],
    agent: 'answers',
    searches: [{ query: question, passages }],
  });
  const ideal = idealOf({ verdict: 'question', text: text.trim(), sources: '1' });
  return { name: 'reply after a search', purpose: 'search', request, ideal };
}

function ratings({ plan, language }: VacancyDraft): PlayedRequest[] {
  return plan.questions.flatMap((question) => {
    const messages = answerOf(question.id, language).map(({ n, text }) => ({ id: idOf(n), text }));
    return itemsOf(rubricOf(question)).map((item): PlayedRequest => {
      const quotes = [{ messageId: 'm1', text: messages[0]?.text.slice(0, 80) ?? '' }];
      const ideal =
        item.kind === 'fact'
          ? { quotes, result: 'yes' }
          : { quotes, result: 'supported', mark: 4, lookedFor: '', reason: 'none' };
      const { request } = requestOf(item, messages);
      return {
        name: `${item.kind} ${item.name} of ${question.id}`,
        purpose: 'score',
        request,
        ideal,
      };
    });
  });
}

/** The request that asks to which questions what was written after the end belongs. */
function placed({ plan, language }: VacancyDraft): PlayedRequest {
  const ids = plan.questions.map(({ id }) => id);
  const messages = answerOf(ids[0] ?? '', language).map(({ n, text }) => ({ id: idOf(n), text }));
  const { request } = lateRequest(plan, ids, messages);
  const ideal = {
    messages: messages.map((_, n) => ({ id: `m${String(n + 1)}`, questions: ['q1'] })),
  };
  return { name: 'messages after the end', purpose: 'late', request, ideal };
}

/** As a real message's id: a UUID. */
function idOf(n: number): string {
  return `0192f3a1-7c44-7b21-9d2e-${String(n).padStart(12, '0')}`;
}

function answerOf(questionId: string, language: Language): AnswerMessage[] {
  const [said = ''] = ANSWERS[`${questionId}-${language}`] ?? ANSWERS[questionId] ?? [];
  const text = said.replace(/\{([^|}]*)\|([^}]*)\}/g, '$2');
  return text.split('\n\n').map((each, index) => ({ n: index + 1, text: each }));
}
