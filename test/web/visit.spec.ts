/** The visit of a link to an interview that is open elsewhere, such as one from a messenger. */
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { ApiProblem, CandidateApi } from '../../web/src/api/client';
import { App } from '../../web/src/app';
import type { InviteView, Language } from '../../web/src/api/wire';
import { dictionaries } from '../../web/src/i18n/dictionary';
import { storageKeys } from '../../web/src/state/storage-keys';
import { Visit } from '../../web/src/state/visit';
import { FakeEventSource, Timers, aStorage, aView } from './fake-browser';

class FakeApi extends CandidateApi {
  /** The version of the disclosure that each request for a session sent, if any. */
  readonly asked: (string | null)[] = [];
  refusal: ApiProblem | null = null;
  disclosure: InviteView['disclosure'] = { version: 'v1', text: 'You talk to an AI.' };

  constructor(
    private readonly state: InviteView['state'],
    private readonly language: Language,
  ) {
    super();
  }

  override invite() {
    return Promise.resolve({
      kind: 'continuation',
      interviewer: 'ai',
      language: this.language,
      company: 'Northwind',
      vacancyTitle: 'Engineer',
      brand: { logo: null, accent: null },
      questions: 7,
      minutes: 15,
      state: this.state,
      disclosure: this.state === 'open' ? this.disclosure : null,
    } as const);
  }

  override openSession(_: string, mine: { version: string } | null) {
    this.asked.push(mine?.version ?? null);
    return this.refusal ? Promise.reject(this.refusal) : Promise.resolve();
  }

  override conversation() {
    return Promise.resolve(aView());
  }

  override leave() {
    return Promise.resolve(null);
  }

  override openEvents() {
    return new FakeEventSource().asEventSource();
  }
}

function aVisit(state: InviteView['state'], storage = aStorage(), language: Language = 'en') {
  const api = new FakeApi(state, language);
  const platform = {
    tabs: { isShown: () => true, sayOpened: () => undefined, onOpened: () => undefined },
    microphone: null,
    nowMs: () => 0,
    random: () => 1,
    newMessageId: () => 'id',
    wait: new Timers().wait,
    storage,
    saveFile: () => undefined,
    goTo: () => undefined,
    reload: () => undefined,
  };
  return { api, storage, visit: new Visit('token', api, platform) };
}

describe('a link from a messenger', () => {
  test('is not used up before the candidate continues', async () => {
    const { visit, api } = aVisit('open');

    await visit.load();

    expect(visit.snapshot()).toMatchObject({ kind: 'welcome', invite: { kind: 'continuation' } });
    expect(api.asked).toEqual([]);
  });

  test.each(['used', 'expired', 'closed'] as const)('that is %s says so', async (state) => {
    const { visit, api } = aVisit(state);

    await visit.load();

    expect([visit.snapshot().kind, api.asked]).toEqual([state, []]);
  });

  test.each(['used', 'expired'] as const)('that is %s meanwhile says so', async (state) => {
    const { visit, api } = aVisit('open');
    await visit.load();
    const welcome = visit.snapshot();
    api.refusal = new ApiProblem(410, `continuation_${state}`);

    if (welcome.kind === 'welcome') await visit.begin(welcome.invite);

    expect(visit.snapshot()).toMatchObject({ kind: state });
  });

  test('of a vacancy that is closed meanwhile says so', async () => {
    const { visit, api } = aVisit('open');
    await visit.load();
    const welcome = visit.snapshot();
    api.refusal = new ApiProblem(410, 'vacancy_closed');

    if (welcome.kind === 'welcome') await visit.begin(welcome.invite);

    expect(visit.snapshot()).toMatchObject({ kind: 'closed', invite: { company: 'Northwind' } });
  });

  test('leads back to the conversation where it was used', async () => {
    const first = aVisit('open');
    await first.visit.load();
    const welcome = first.visit.snapshot();
    if (welcome.kind === 'welcome') await first.visit.begin(welcome.invite);

    const again = aVisit('used', first.storage);
    await again.visit.load();

    expect(first.visit.snapshot().kind).toBe('conversation');
    expect(again.visit.snapshot().kind).toBe('conversation');
  });
});

describe('a link to an interview that is open elsewhere', () => {
  async function shown() {
    const stage = aVisit('open');
    await stage.visit.load();
    const state = stage.visit.snapshot();
    if (state.kind !== 'welcome') throw new Error(`expected a welcome, got ${state.kind}`);
    return { ...stage, invite: state.invite };
  }

  test.each(['en', 'ru'] as const)(
    'says that the link is full, in words (%s)',
    async (language) => {
      const { visit, api } = aVisit('open', aStorage(), language);
      await visit.load();
      const state = visit.snapshot();
      if (state.kind !== 'welcome') throw new Error(`expected a welcome, got ${state.kind}`);
      api.refusal = new ApiProblem(429, 'open_link_full', 60_000);

      await visit.begin(state.invite);

      expect(visit.snapshot()).toMatchObject({ kind: 'full' });
      const page = renderToStaticMarkup(createElement(App, { visit }));
      expect(page).toContain(dictionaries[language].full.title);
      expect(page).toContain(dictionaries[language].full.text);
    },
  );

  test('says yes with the disclosure that was shown', async () => {
    const { visit, api, invite } = await shown();

    await visit.begin(invite);

    expect(api.asked).toEqual(['v1']);
    expect(visit.snapshot().kind).toBe('conversation');
  });

  test("requests nothing and keeps nothing when it is not the person's own", async () => {
    const { visit, api, storage, invite } = await shown();

    visit.disown(invite);

    expect(visit.snapshot().kind).toBe('not_mine');
    expect(api.asked).toEqual([]);
    expect(storage.keys()).toEqual([]);
  });

  test('shows a disclosure that has changed meanwhile before it takes a yes', async () => {
    const { visit, api, invite } = await shown();
    api.refusal = new ApiProblem(409, 'disclosure_outdated');
    api.disclosure = { version: 'v2', text: 'You talk to another AI.' };

    await visit.begin(invite);

    expect(visit.snapshot()).toMatchObject({
      kind: 'welcome',
      problem: 'outdated',
      invite: { disclosure: { version: 'v2' } },
    });
  });

  test('asks where it was opened before, once the session has ended', async () => {
    const first = await shown();
    await first.visit.begin(first.invite);
    const { visit, api } = aVisit('open', first.storage);
    api.refusal = new ApiProblem(409, 'confirmation_needed');

    await visit.load();

    expect(api.asked).toEqual([null]);
    expect(visit.snapshot()).toMatchObject({
      kind: 'welcome',
      problem: null,
      invite: { disclosure: { version: 'v1' } },
    });
  });
});

describe('what the browser keeps of a link', () => {
  const begun = async (storage = aStorage()) => {
    const { visit } = aVisit('open', storage);
    await visit.load();
    const welcome = visit.snapshot();
    if (welcome.kind === 'welcome') await visit.begin(welcome.invite);
    return { visit, storage };
  };

  test('holds the link itself in no key and in no value', async () => {
    const { visit, storage } = await begun();
    visit.chooseLanguage('ru');

    const kept = storage.keys().map((key) => `${key}=${storage.get(key) ?? ''}`);

    expect(kept).toHaveLength(2);
    expect(kept.join(' ')).not.toContain('token');
  });

  test('differs from link to link', () => {
    const keys = Array.from({ length: 1000 }, (_, n) => storageKeys(`link-${String(n)}`));

    expect(new Set(keys.map(({ opened }) => opened)).size).toBe(1000);
  });

  test('is removed when the candidate leaves the device, and the page says how to come back', async () => {
    const { visit, storage } = await begun();
    const shown = visit.snapshot();

    if (shown.kind === 'conversation') await shown.session.end('left');

    expect(visit.snapshot()).toMatchObject({ kind: 'left', invite: { kind: 'continuation' } });
    expect(storage.keys()).toEqual([]);
  });
});

describe('a page without an interview speaks the language of its invitation, not of the browser', () => {
  const { ru } = dictionaries;

  function shown(visit: Visit): string {
    return renderToStaticMarkup(createElement(App, { visit }));
  }

  test('when the interview is not the person’s own, and names no company', async () => {
    const { visit } = aVisit('open', aStorage(), 'ru');
    await visit.load();
    const welcome = visit.snapshot();
    if (welcome.kind === 'welcome') visit.disown(welcome.invite);

    const html = shown(visit);

    expect(html).toContain(ru.claim.notMine.text);
    expect(html).not.toContain('Northwind');
  });

  test('when the link has been used', async () => {
    const { visit } = aVisit('used', aStorage(), 'ru');
    await visit.load();

    const html = shown(visit);

    expect(html).toContain(ru.continuation.used.text);
    expect(html).not.toContain('Northwind');
  });

  test('when the link is used meanwhile', async () => {
    const { visit, api } = aVisit('open', aStorage(), 'ru');
    await visit.load();
    const welcome = visit.snapshot();
    api.refusal = new ApiProblem(410, 'continuation_used');
    if (welcome.kind === 'welcome') await visit.begin(welcome.invite);

    expect(shown(visit)).toContain(ru.continuation.used.text);
  });
});
