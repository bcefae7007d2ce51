import type { VacancyDraft } from '../../src/vacancies';

/** A small valid vacancy; `changes` replace whole fields. */
export function vacancyDraft(changes: Partial<VacancyDraft> = {}): VacancyDraft {
  return {
    slug: 'baker',
    language: 'en',
    title: 'Baker',
    company: 'Crumb',
    owner: { name: 'Ada', notionUserId: '5f2c7a10-94be-4d0a-8c3e-2b1f60d7a911' },
    plan: {
      greeting: 'Hello and welcome.',
      closing: 'Thank you, that was all.',
      questions: [
        {
          id: 'last',
          text: 'What did you bake last?',
          kind: 'open',
          mustAsk: true,
          rubric: 'Bread.',
        },
        { id: 'why', text: 'Why bread?', kind: 'open', mustAsk: false, rubric: 'A reason.' },
        {
          id: 'early',
          text: 'Can you start at four?',
          kind: 'knockout',
          mustAsk: true,
          rubric: 'Yes.',
        },
      ],
    },
    ...changes,
  };
}
