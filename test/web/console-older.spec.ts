/** A recruiter's transcript that is longer than a page: the button, and what it loads. */
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { LanguageContext } from '../../web/src/components/language';
import { ConsoleVisit } from '../../web/src/console/console-visit';
import { Reading } from '../../web/src/console/reading';
import type { Transcript, TranscriptLine } from '../../web/src/console/wire';
import { dictionaries } from '../../web/src/i18n/dictionary';
import { settled } from './fake-browser';

const ID = '01a20000-0000-7000-8000-000000000001';
const { older } = dictionaries.en;

function aLine(seq: number): TranscriptLine {
  return {
    id: `line-${String(seq)}`,
    seq,
    number: seq,
    role: 'user',
    isFromPerson: false,
    channel: 'web',
    text: `Line ${String(seq)}.`,
    at: '2026-05-04T10:00:00.000Z',
    editedAt: null,
    amendsNumber: null,
    isPartial: false,
    author: null,
    attachment: null,
    voice: null,
    file: null,
    label: null,
    origin: null,
    touchedIn: null,
  };
}

/** A page of the transcript, with these lines. */
function aPage(first: number, last: number, olderCursor: number | null): Transcript {
  return {
    conversationId: ID,
    language: 'en',
    company: 'Crumb',
    vacancy: 'Baker',
    candidate: { name: 'Ada', contact: null },
    status: 'active',
    beganAt: null,
    completedAt: null,
    coverage: { counted: 'all', of: 3, asked: 3, answered: 1 },
    lines: Array.from({ length: last - first + 1 }, (_, n) => aLine(first + n)),
    olderCursor,
  };
}

describe('older lines of a recruiter’s transcript', () => {
  /** What the admin API gives next; a number: the status of a refusal. */
  let next: Transcript | number;
  let asked: { path: string; token: string | null }[];
  let visit: ConsoleVisit;

  beforeEach(async () => {
    asked = [];
    jest.spyOn(globalThis, 'fetch').mockImplementation((path, init) => {
      const token = new Headers(init?.headers).get('authorization');
      asked.push({ path: path as string, token });
      return Promise.resolve(
        typeof next === 'number'
          ? Response.json({ code: 'refused' }, { status: next })
          : Response.json(next),
      );
    });
    next = aPage(7, 9, 7);
    visit = new ConsoleVisit(ID);
    await visit.enter('the-token');
    asked = [];
  });

  afterEach(() => {
    visit.lock();
    jest.restoreAllMocks();
  });

  /** The lines, the button and its note on the page. */
  function shown(): { lines: string[]; button: string | null; note: string } {
    const state = visit.snapshot();
    if (state.kind !== 'reading') throw new Error(`the page is at ${state.kind}`);
    const { transcript, api, older: olderLines } = state;
    const nothing = () => undefined;
    const reading = createElement(Reading, {
      transcript,
      older: olderLines,
      api,
      onOlder: nothing,
      onLock: nothing,
    });
    const language = { language: 'en', texts: dictionaries.en, choose: nothing } as const;
    const html = renderToStaticMarkup(createElement(LanguageContext, { value: language }, reading));
    const [, button, note] =
      /<div class="older"><button[^>]*>(.*?)<\/button><p role="status">(.*?)<\/p>/.exec(html) ?? [];
    return { lines: html.match(/Line \d+\./g) ?? [], button: button ?? null, note: note ?? '' };
  }

  const lines = (first: number, last: number) =>
    aPage(first, last, null).lines.map(({ text }) => text);

  test('come before the others, page by page, until the button is gone', async () => {
    expect(shown()).toEqual({ lines: lines(7, 9), button: older.show, note: '' });

    next = aPage(4, 6, 4);
    await visit.showOlder();
    expect(shown()).toEqual({ lines: lines(4, 9), button: older.show, note: '' });
    next = aPage(1, 3, null);
    await visit.showOlder();

    expect(shown()).toEqual({ lines: lines(1, 9), button: null, note: '' });
    await visit.showOlder();
    const path = `/api/v1/admin/conversations/${ID}/transcript?before=`;
    expect(asked).toEqual([
      { path: `${path}7`, token: 'Bearer the-token' },
      { path: `${path}4`, token: 'Bearer the-token' },
    ]);
  });

  test('are requested once, however often the button is pressed', async () => {
    next = aPage(1, 6, null);
    const first = visit.showOlder();
    expect(shown()).toMatchObject({ lines: lines(7, 9), button: older.loading });
    await visit.showOlder();
    await first;

    expect(asked).toHaveLength(1);
  });

  test('can be requested again after a failure', async () => {
    next = 503;
    await visit.showOlder();
    expect(shown()).toEqual({ lines: lines(7, 9), button: older.show, note: older.failed });

    next = aPage(1, 6, null);
    await visit.showOlder();

    expect(shown()).toEqual({ lines: lines(1, 9), button: null, note: '' });
  });

  test('disappear with the rest of the page when the token is refused', async () => {
    next = 401;
    await visit.showOlder();

    expect(visit.snapshot()).toEqual({ kind: 'login', wasRefused: false });
  });

  test('are not shown when the page was locked meanwhile', async () => {
    next = aPage(1, 6, null);
    const loading = visit.showOlder();
    visit.lock();
    await loading;
    await settled();

    expect(visit.snapshot()).toEqual({ kind: 'login', wasRefused: false });
  });
});
