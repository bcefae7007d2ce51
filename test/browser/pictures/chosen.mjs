/**
 * The pictures that are kept: 24 states that the browser test compares with the stored ones beside this
 * file, in both languages, sizes and colour schemes mixed, and eight for the documents.
 */
const PHONE = '390x844';
const DESKTOP = '1280x800';

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

export const FOR_DOCUMENTS = [
  kept('side-panel', 'en', DESKTOP),
  kept('welcome', 'en'),
  kept('typing', 'en'),
  kept('ending', 'en', PHONE, 'dark'),
  kept('front-door', 'en', DESKTOP),
  kept('transcript', 'en', DESKTOP),
  kept('telegram-demo', 'en'),
  kept('notion-demo', 'en', DESKTOP),
];

/** `welcome-ru-390x844-light.png` */
export function fileOf({ state, language, size, scheme }) {
  return `${state}-${language}-${size}-${scheme}.png`;
}
