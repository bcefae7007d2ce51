import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { ConversationView, Language } from '../../web/src/api/wire';
import { Conversation } from '../../web/src/components/conversation';
import { LanguageContext } from '../../web/src/components/language';
import { dictionaries } from '../../web/src/i18n/dictionary';
import { aMessage, aView } from './fake-browser';
import { aSession } from './test-session';

const LEAVE: Record<Language, string> = {
  en: 'Sign out on this device',
  ru: 'Завершить сеанс на этом устройстве',
};

const PAGES: [string, Partial<ConversationView>][] = [
  ['the disclosure', { status: 'new', consent: null }],
  ['the profile', { status: 'new', profile: { name: null, contact: null, needed: ['name'] } }],
  ['the interview', { messages: [aMessage(1)] }],
  ['a finished interview', { status: 'completed', messages: [aMessage(1)] }],
  ['an interview with a person', { status: 'handed_over', messages: [aMessage(1)] }],
  ['a withdrawn interview', { status: 'withdrawn', takesMessages: false, messages: [aMessage(1)] }],
  [
    'an interview that was withdrawn before it began',
    { status: 'withdrawn', takesMessages: false },
  ],
  ['a refused disclosure', { status: 'declined' }],
];

function page(language: Language, view: Partial<ConversationView>): string {
  const { session } = aSession(aView(view));
  const value = { language, texts: dictionaries[language], choose: () => undefined };
  const conversation = createElement(Conversation, { session, onReopen: () => undefined });
  return renderToStaticMarkup(createElement(LanguageContext, { value }, conversation));
}

describe.each<Language>(['en', 'ru'])('a candidate who has a session (%s)', (language) => {
  test.each(PAGES)('can leave the device on the page of %s', (_, view) => {
    const [, ...offers] = page(language, view).split(`>${LEAVE[language]}</button>`);

    expect(offers).toHaveLength(1);
  });

  test('has no button to leave once the session is gone', () => {
    const { session, api } = aSession(aView());
    api.source.send('ended', { reason: 'session_ended' });
    const value = { language, texts: dictionaries[language], choose: () => undefined };
    const conversation = createElement(Conversation, { session, onReopen: () => undefined });
    const html = renderToStaticMarkup(createElement(LanguageContext, { value }, conversation));

    expect(html).toContain(dictionaries[language].sessionLost.title);
    expect(html).not.toContain(LEAVE[language]);
  });
});
