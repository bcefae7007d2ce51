import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { ConversationView, InviteView } from '../../web/src/api/wire';
import { Branded } from '../../web/src/components/brand';
import { Conversation } from '../../web/src/components/conversation';
import { LanguageContext } from '../../web/src/components/language';
import { dictionaries } from '../../web/src/i18n/dictionary';
import { renderInvite } from '../../web/src/server';
import { aMessage, aView } from './fake-browser';
import { aSession } from './test-session';

const { en } = dictionaries;

function page(view: Partial<ConversationView>): string {
  const { session } = aSession(aView({ messages: [aMessage(1)], ...view }));
  const value = { language: 'en', texts: en, choose: () => undefined } as const;
  const conversation = createElement(Conversation, { session, onReopen: () => undefined });
  const { company, brand, isPreview } = session.snapshot().conversation.view;
  const branded = createElement(Branded, {
    brand: { company, ...brand, isPreview },
    children: conversation,
  });
  return renderToStaticMarkup(createElement(LanguageContext, { value }, branded));
}

const INVITE: InviteView = {
  kind: 'open',
  interviewer: 'ai',
  language: 'en',
  company: 'Northwind',
  vacancyTitle: 'Engineer',
  brand: { logo: null, accent: null },
  questions: 8,
  minutes: 20,
  state: 'open',
  disclosure: null,
};

describe('the first page', () => {
  test('has the logo and the colours of the company, and names Colloquy small', () => {
    const accent = { light: '#0b4f8a', dark: '#8cc7f2' };
    const { body } = renderInvite({ ...INVITE, brand: { logo: '/logos/aa', accent } });

    expect(body).toContain('<img class="logo" src="/logos/aa" alt=""/>');
    expect(body).toContain('style="--accent-light:#0b4f8a;--accent-dark:#8cc7f2"');
    expect(body).toContain('Interview by Colloquy</p>');
    expect(body).toContain('8 questions, about 20 minutes, at your own pace');
  });

  test('has the first letter of the company and the usual colours without them', () => {
    const { body } = renderInvite(INVITE);

    expect(body).toContain('aria-hidden="true">N</span>');
    expect(body).not.toContain('has-accent');
    expect(body).not.toContain('<img');
  });
});

test('a preview is told on the first page and in the interview, and an ordinary one is not', () => {
  const told = en.preview.title;

  expect(renderInvite({ ...INVITE, isPreview: true }).body).toContain(told);
  expect(page({ isPreview: true })).toContain(told);
  expect(renderInvite(INVITE).body).not.toContain(told);
  expect(page({})).not.toContain(told);
});

test('the page of the disclosure offers a person', () => {
  expect(page({ status: 'new', consent: null })).toContain(`>${en.human.open}</button>`);
});

describe('the progress', () => {
  const progress = { question: 3, of: 8 };

  test('is shown while there are questions, and when all are through', () => {
    expect(page({ progress })).toContain('Question 3 of 8');
    expect(page({ progress, status: 'completed' })).toContain('All done · 8 of 8');
  });

  test('does not count a skipped question as answered, and has no tick for it', () => {
    const asked = ['a', 'b', 'c'].map((id) => ({ id, text: `Question ${id}?` }));
    const html = page({ progress: { ...progress, unanswered: [2] }, asked });
    const done = page({ progress: { question: 8, of: 8, unanswered: [2] }, status: 'completed' });

    expect(html.match(/icon-(?:check|dash)|asked-mark" aria-hidden="true">3/g)).toEqual([
      'icon-check',
      'icon-dash',
      'asked-mark" aria-hidden="true">3',
    ]);
    expect(html).toContain('class="open"');
    expect(html).toContain(en.panel.unanswered);
    expect(done).toContain('All done · 7 of 8');
  });

  test('marks an earlier question that is asked once more as the one that waits', () => {
    const asked = ['a', 'b'].map((id) => ({ id, text: `Question ${id}?` }));
    const messages = [
      aMessage(1, { text: 'Question b?', question: { id: 'b', start: 0 } }),
      aMessage(2, { text: 'Once more. Question a?', question: { id: 'a', start: 11 } }),
    ];
    const html = page({ progress: { question: 2, of: 2 }, asked, messages });

    expect(html.indexOf('aria-current="step"')).toBeLessThan(html.indexOf('Question b?</span>'));
    expect(html.match(/aria-current="step"/g)).toHaveLength(1);
  });

  test.each(['handed_over', 'withdrawn', 'expired'] as const)(
    'is gone when the interview is %s',
    (status) => {
      expect(page({ progress, status })).not.toContain('class="progress');
    },
  );
});

describe('the button that skips a question', () => {
  const question = { id: 'a', start: 0 };
  const asking = { messages: [aMessage(1, { text: 'Why us?', question })] };
  const skip = `>${en.composer.skip}</button>`;

  test('is there while a question waits and nothing is written', () => {
    expect(page(asking)).toContain(skip);
  });

  test.each<[string, Partial<ConversationView>]>([
    ['nothing is asked', {}],
    ['an answer is being collected', { ...asking, hasBuffer: true }],
    ['a reply is being written', { ...asking, replying: true }],
    ['a person replies', { ...asking, owner: 'person' }],
    ['the interview is over', { ...asking, status: 'completed' }],
  ])('is not there while %s', (_, view) => {
    expect(page(view)).not.toContain(skip);
  });

  test('sends the command, which is shown in words', () => {
    // Without a time, which is written by the browser's languages.
    const own = aMessage(2, { role: 'user', clientId: 'x', text: '/skip', createdAt: '' });
    const html = page({ messages: [...asking.messages, own] });

    expect(html).toContain(en.composer.skipped);
    expect(html).not.toContain('/skip');
  });
});

describe('the field for answers', () => {
  const hasField = (view: Partial<ConversationView>) => page(view).includes('<textarea');

  test('is there until the interview ends', () => {
    expect([hasField({}), hasField({ status: 'completed' })]).toEqual([true, false]);
    expect(hasField({ status: 'completed', owner: 'person' })).toBe(true);
  });

  test('is there when the interview has expired, under what happened', () => {
    const html = page({ status: 'expired' });

    expect(html).toContain('<textarea');
    expect(html).toContain(en.endedBySilence.title);
    expect(html).toContain(`>${en.human.open}</button>`);
  });

  test('is not there while the interview takes no messages', () => {
    const before = { status: 'handed_over', owner: 'asked', consent: null } as const;
    expect(hasField({ ...before, takesMessages: false })).toBe(false);
  });
});

test('without a name and a promised day, the ending names the hiring team', () => {
  const html = page({ status: 'completed' });

  expect(html).toContain('The hiring team will get back to you.');
});
