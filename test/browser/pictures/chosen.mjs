/**
 * The pictures that are kept: 24 states of the candidate's pages and 24 of the console that the browser tests compare
 * with the stored ones beside this file, in both languages, sizes and colour schemes mixed, and those of the documents.
 */
const PHONE = '390x844';
const DESKTOP = '1280x800';
const WIDE = '1920x1080';

const kept = (state, language, size = PHONE, scheme = 'light') => ({
  state,
  language,
  size,
  scheme,
});

export const STORED = [
  kept('welcome', 'ru'),
  kept('consent', 'en'),
  kept('contact', 'ru', PHONE, 'dark'),
  kept('first-question', 'ru'),
  kept('typing', 'en', PHONE, 'dark'),
  kept('taking-answer', 'ru'),
  kept('streaming', 'en'),
  kept('stopped', 'ru', PHONE, 'dark'),
  kept('long-answer', 'ru'),
  kept('model-away', 'en'),
  kept('person-message', 'en', PHONE, 'dark'),
  kept('asked-for-person', 'ru', '320x640'),
  kept('handed-over', 'en'),
  kept('withdrawn', 'ru'),
  kept('ending', 'en'),
  kept('dead-link', 'ru'),
  kept('used-link', 'en', PHONE, 'dark'),
  kept('claim', 'ru'),
  kept('offline', 'en'),
  kept('side-panel', 'ru', DESKTOP),
  kept('front-door', 'en', DESKTOP),
  kept('not-found', 'ru', PHONE, 'dark'),
  kept('console-sign-in', 'en', DESKTOP, 'dark'),
  kept('transcript', 'ru', DESKTOP),
];

export const STORED_OF_CONSOLE = [
  kept('console-inbox', 'en', DESKTOP),
  kept('console-inbox', 'ru', PHONE, 'dark'),
  kept('console-inbox-item', 'ru', DESKTOP),
  kept('console-inbox-item', 'en', PHONE),
  kept('console-interviews', 'en', DESKTOP, 'dark'),
  kept('console-interviews', 'ru', PHONE),
  kept('console-interviews', 'ru', WIDE),
  kept('console-interview', 'ru', DESKTOP),
  kept('console-interview', 'en', PHONE, 'dark'),
  kept('console-interview-compared', 'en', WIDE),
  kept('console-decision', 'ru', PHONE),
  kept('console-invitations', 'ru', DESKTOP, 'dark'),
  kept('console-invite-one', 'en', DESKTOP),
  kept('console-invite-one', 'ru', PHONE),
  kept('console-invite-many', 'ru', DESKTOP),
  kept('console-vacancies', 'en', PHONE),
  kept('console-vacancy', 'en', DESKTOP),
  kept('console-versions', 'ru', DESKTOP, 'dark'),
  kept('console-people', 'ru', PHONE, 'dark'),
  kept('console-candidates', 'en', DESKTOP),
  kept('console-audit', 'en', DESKTOP, 'dark'),
  kept('console-report', 'ru', DESKTOP),
  kept('console-account', 'en', PHONE),
  kept('console-shortcuts', 'ru', DESKTOP),
];

const OF_CONSOLE_FOR_DOCUMENTS = [
  'console-interviews',
  'console-people',
  'console-account',
  'console-invitations',
  'console-invite-one',
  'console-invite-many',
  'console-vacancies',
  'console-vacancy',
  'console-versions',
  'console-candidates',
  'console-audit',
  'console-report',
  'console-shortcuts',
  'console-inbox',
  'console-inbox-item',
  'console-interview',
  'console-interview-compared',
  'console-decision',
];

export const FOR_DOCUMENTS = [
  kept('side-panel', 'en', DESKTOP),
  kept('welcome', 'en'),
  kept('typing', 'en'),
  kept('ending', 'en', PHONE, 'dark'),
  kept('front-door', 'en', DESKTOP),
  kept('telegram-demo', 'en'),
  kept('notion-demo', 'en', DESKTOP),
  ...OF_CONSOLE_FOR_DOCUMENTS.map((state) => kept(state, 'en', DESKTOP)),
];

/** `welcome-ru-390x844-light.png` */
export function fileOf({ state, language, size, scheme }) {
  return `${state}-${language}-${size}-${scheme}.png`;
}
