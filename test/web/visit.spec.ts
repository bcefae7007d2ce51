/** The visit of a link that carried an interview over from a messenger: it works once. */
import { ApiProblem, CandidateApi } from '../../web/src/api/client';
import type { InviteView } from '../../web/src/api/wire';
import { storageKeys } from '../../web/src/state/storage-keys';
import { Visit } from '../../web/src/state/visit';
import { FakeEventSource, Timers, aStorage, aView } from './fixtures';

class FakeApi extends CandidateApi {
  opened = 0;
  refusal: ApiProblem | null = null;

  constructor(private readonly state: InviteView['state']) {
    super();
  }

  override invite() {
    return Promise.resolve({
      kind: 'continuation',
      language: 'en',
      company: 'Northwind',
      vacancyTitle: 'Engineer',
      state: this.state,
    } as const);
  }

  override openSession() {
    this.opened += 1;
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

function aVisit(state: InviteView['state'], storage = aStorage()) {
  const api = new FakeApi(state);
  const platform = {
    microphone: null,
    nowMs: () => 0,
    random: () => 1,
    newMessageId: () => 'id',
    wait: new Timers().wait,
    storage,
    saveFile: () => undefined,
    goTo: () => undefined,
  };
  return { api, storage, visit: new Visit('token', api, platform) };
}

describe('a link from a messenger', () => {
  it('is not used up before the candidate goes on', async () => {
    const { visit, api } = aVisit('open');

    await visit.load();

    expect(visit.snapshot()).toMatchObject({ kind: 'welcome', invite: { kind: 'continuation' } });
    expect(api.opened).toBe(0);
  });

  it.each(['used', 'expired'] as const)('that is %s says so', async (state) => {
    const { visit, api } = aVisit(state);

    await visit.load();

    expect([visit.snapshot().kind, api.opened]).toEqual([state, 0]);
  });

  it.each(['used', 'expired'] as const)('that is %s meanwhile says so', async (state) => {
    const { visit, api } = aVisit('open');
    await visit.load();
    const welcome = visit.snapshot();
    api.refusal = new ApiProblem(410, `continuation_${state}`);

    if (welcome.kind === 'welcome') await visit.begin(welcome.invite);

    expect(visit.snapshot()).toMatchObject({ kind: state });
  });

  it('leads back to the conversation where it was used', async () => {
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

describe('what the browser keeps of a link', () => {
  const begun = async (storage = aStorage()) => {
    const { visit } = aVisit('open', storage);
    await visit.load();
    const welcome = visit.snapshot();
    if (welcome.kind === 'welcome') await visit.begin(welcome.invite);
    return { visit, storage };
  };

  it('does not hold the link itself, in no key and in no value', async () => {
    const { visit, storage } = await begun();
    visit.chooseLanguage('ru');

    const kept = storage.keys().map((key) => `${key}=${storage.get(key) ?? ''}`);

    expect(kept).toHaveLength(2);
    expect(kept.join(' ')).not.toContain('token');
  });

  it('is found again under the keys of an earlier release, which held it', async () => {
    const storage = aStorage();
    storage.set('colloquy.opened.token', '1');
    storage.set('colloquy.language.token', 'ru');

    const { visit } = aVisit('used', storage);
    await visit.load();

    expect(visit.snapshot().kind).toBe('conversation');
    expect(visit.chosenLanguage()).toBe('ru');
    expect(storage.keys().join(' ')).not.toContain('token');
  });

  it('differs from link to link', () => {
    const keys = Array.from({ length: 1000 }, (_, n) =>
      storageKeys(`link-${String(n)}`, aStorage()),
    );

    expect(new Set(keys.map(({ opened }) => opened)).size).toBe(1000);
  });

  it('goes when the candidate leaves the device: the page says how to come back', async () => {
    const { visit, storage } = await begun();
    const shown = visit.snapshot();

    if (shown.kind === 'conversation') await shown.session.end('left');

    expect(visit.snapshot()).toMatchObject({ kind: 'left', invite: { kind: 'continuation' } });
    expect(storage.keys()).toEqual([]);
  });
});
