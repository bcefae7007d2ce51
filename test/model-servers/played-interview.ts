import path from 'node:path';
import { Shortlist, SYSTEM, choiceSchema } from '../../src/knowledge/reranker';
import type { Passage } from '../../src/knowledge';
import {
  type AnswerMessage,
  type PromptLine,
  buildInterviewRequest,
} from '../../src/interview/prompts/interview-request';
import { allowedVerdicts } from '../../src/interview/plan/decide';
import { initialState, progress } from '../../src/interview/plan/state';
import { disclosureOf } from '../../src/interview/texts/disclosure';
import { textsOf } from '../../src/interview/texts/texts';
import type { ModelRequest } from '../../src/llm';
import { itemsOf, requestOf } from '../../src/scoring/score-request';
import { InterviewTerms } from '../../src/interview';
import { type Language, type VacancyDraft, readVacancyFile, rubricOf } from '../../src/vacancies';
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
  readonly purpose: 'interview' | 'score' | 'rerank';
  readonly request: ModelRequest;
  readonly ideal: object;
}

/** All requests of one interview with an example vacancy: a reply to each answer, one search, the scoring. */
export async function playedInterview(language: Language): Promise<PlayedRequest[]> {
  const draft = await readVacancyFile(path.join(EXAMPLES, FILES[language]));
  return [...replies(draft, language), ...choices(language), ...ratings(draft)];
}

function replies(draft: VacancyDraft, language: Language): PlayedRequest[] {
  const { plan, company, title, owner } = draft;
  const history: PromptLine[] = [{ role: 'interviewer', text: plan.greeting }];
  return plan.questions.map((question, questionIndex) => {
    const state = { ...initialState(plan), questionIndex };
    const { question: number, of } = progress(plan, state);
    const messages = answerOf(question.id, language);
    const answer = messages.map(({ text }) => text).join('\n\n');
    history.push({ role: 'interviewer', text: question.text });
    const request = buildInterviewRequest({
      facts: {
        progress: textsOf(language).progress(number, of),
        disclosure: disclosureOf(WITH_RATING, language, { company }).text,
        readers: textsOf(language).readers(owner.name, company),
      },
      vacancy: { title, company },
      language,
      plan,
      state,
      history: [...history],
      answer,
      messages,
      corrections: [],
      hasFiles: false,
      allowedVerdicts: allowedVerdicts(plan, state),
      isAddendum: false,
      isCorrection: false,
      agent: question.kind === 'knockout' ? 'screener' : 'technical',
      searches: [],
      canSearch: true,
    });
    const text = THANKS[language];
    history.push({ role: 'candidate', text: answer }, { role: 'interviewer', text });
    const ideal = {
      verdict: 'answered',
      sources: '',
      asks: '',
      about: '',
      touches: '',
      text,
      labels: '',
    };
    return { name: `reply to ${question.id}`, purpose: 'interview', request, ideal };
  });
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

const SEARCHED = {
  en: { question: 'May I work from home?', text: 'Two days a week are in the office. ' },
  ru: { question: 'Можно работать из дома?', text: 'Два дня в неделю работа идёт в офисе. ' },
};

/** Reads two of 20 passages and selects. */
function choices(language: Language): PlayedRequest[] {
  const { question, text } = SEARCHED[language];
  const passages = Array.from({ length: 20 }, (_, n): Passage => {
    const id = String(n);
    return { id, document: 'work.md', language, headings: ['Work', id], text: text.repeat(12) };
  });
  const shortlist = new Shortlist(passages);
  return (['read', 'select'] as const).map((action) => {
    const actions = action === 'read' ? (['read', 'select'] as const) : (['select'] as const);
    const content = shortlist.describe(question, actions);
    shortlist.read(['p1', 'p2']);
    const request = {
      system: SYSTEM,
      messages: [{ role: 'user' as const, content }],
      schema: choiceSchema(actions),
      maxOutputTokens: 1000,
    };
    return {
      name: `choice to ${action}`,
      purpose: 'rerank',
      request,
      ideal: { action, ids: ['p1', 'p2'] },
    };
  });
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
