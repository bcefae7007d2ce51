import type { VacancyDocument } from '../../src/knowledge';
import { documentOf } from '../../src/knowledge/document-files';
import type { InterviewPlan, Language } from '../../src/vacancies';

/** What a well-behaved model reads in an answer: the fields of its reply. Left out: `answered`, nothing else. */
export interface Meaning {
  readonly verdict?: string;
  readonly sources?: string;
  readonly asks?: 'yes' | 'no' | 'adjustment';
  /** The number of an earlier question. */
  readonly about?: string;
  /** Numbers of later questions. */
  readonly touches?: string;
  readonly text?: string;
  /** One label for each message; `{n}` is replaced by the number of the message. */
  readonly labels?: readonly string[];
}

export interface ScenarioTurn {
  /** The messages of one answer; none: the candidate is silent. */
  readonly says: readonly string[];
  /** How long the candidate is silent before. */
  readonly silentDays?: number;
  readonly means: Meaning;
}

/** What an interview has come to. */
export interface Ending {
  readonly status: 'active' | 'completed' | 'withdrawn' | 'handed_over' | 'expired';
  /** How many questions are through. */
  readonly question: number;
  /** The accepted verdict of each turn; `code` where no interviewer was asked. */
  readonly verdicts: readonly string[];
  /** Kinds of open attention items. */
  readonly attention: readonly string[];
  /** `label questionId` of each message of the candidate, in order. */
  readonly labels?: readonly string[];
  /** How many reminders were sent. */
  readonly reminders?: number;
  /** Words that a reply or a notice has. */
  readonly hears?: readonly string[];
}

/** One candidate: what they write, and what it leads to. */
export interface Scenario {
  readonly id: string;
  /** The row of the table in docs/conversation.md. */
  readonly row: Row;
  readonly language: Language;
  readonly turns: readonly ScenarioTurn[];
  /** With a model that reads every answer as `means` says. */
  readonly good: Ending;
  /** Without a model; left out where plain phrases cannot lead there, and then only the rules for all hold. */
  readonly scripted?: Ending;
}

export const ROWS = [
  'answers',
  'too-little',
  'follow-up',
  'touched-on',
  'meaning',
  'asks',
  'asks-inside',
  'forgot',
  'corrects',
  'refuses',
  'silent',
  'off-topic',
  'abusive',
  'short',
  'stop-person-objection',
  'call-later',
  'language',
  'after-end',
  'after-withdrawal',
  'left-open',
  'instructs',
  'labels',
  'aside',
  'later',
  'already-told',
  'hardship',
] as const;
export type Row = (typeof ROWS)[number];

/** What the company has written down; everything else that candidates ask has no source. */
const DOCUMENTS: Readonly<Record<Language, string>> = {
  en: '# The first month\n\nEvery new colleague has a mentor for the first month.',
  ru: '# Первый месяц\n\nУ каждого нового сотрудника первый месяц есть наставник.',
};

export function documentsFor(language: Language): readonly VacancyDocument[] {
  return [documentOf({ name: `first-month.${language}.md`, language, text: DOCUMENTS[language] })];
}

/** The plan that all scenarios of a language are played on. */
export const PLANS: Readonly<Record<Language, InterviewPlan>> = {
  en: {
    greeting: 'Hello and welcome.',
    closing:
      'That is all from me, thank you. The team will write to you within five business days.',
    questions: [
      {
        id: 'project',
        text: 'Which project are you proud of?',
        kind: 'open',
        mustAsk: true,
        rubric: 'Names own decisions and a measured result.',
        followUps: 1,
        followUp: 'Please take one project: what was your part in it?',
        probe: 'How did you measure the result?',
      },
      {
        id: 'conflict',
        text: 'Tell me about a time you disagreed with a teammate.',
        translations: { ru: 'Расскажите о случае, когда вы не согласились с коллегой.' },
        kind: 'open',
        mustAsk: true,
        rubric: 'Describes both sides fairly.',
      },
      {
        id: 'shifts',
        text: 'Can you work shifts?',
        kind: 'knockout',
        mustAsk: true,
        rubric: 'Yes.',
      },
    ],
  },
  ru: {
    greeting: 'Здравствуйте!',
    closing: 'Это все вопросы, спасибо. Команда напишет вам в течение пяти рабочих дней.',
    questions: [
      {
        id: 'project',
        text: 'Каким проектом вы гордитесь?',
        kind: 'open',
        mustAsk: true,
        rubric: 'Называет свои решения и измеренный результат.',
        followUps: 1,
        followUp: 'Возьмите один проект: что в нём сделали вы?',
        probe: 'Как вы измерили результат?',
      },
      {
        id: 'conflict',
        text: 'Расскажите о случае, когда вы не согласились с коллегой.',
        translations: { en: 'Tell me about a time you disagreed with a teammate.' },
        kind: 'open',
        mustAsk: true,
        rubric: 'Честно описывает обе стороны.',
      },
      {
        id: 'shifts',
        text: 'Можете ли вы работать посменно?',
        kind: 'knockout',
        mustAsk: true,
        rubric: 'Да.',
      },
    ],
  },
};
