/** A visit whose page cannot load the part with the conversation. */
import { CandidateApi } from '../../web/src/api/client';
import type { InviteView } from '../../web/src/api/wire';
import { Visit, arrivalAt } from '../../web/src/state/visit';
import { Timers, aStorage, aView } from './fake-browser';

const INVITE: InviteView = {
  kind: 'open',
  interviewer: 'ai',
  language: 'en',
  company: 'Northwind',
  vacancyTitle: 'Engineer',
  brand: { logo: null, accent: null },
  questions: 7,
  minutes: 15,
  state: 'open',
  disclosure: null,
};

let sessions: number;
let reloads: number;

class FakeApi extends CandidateApi {
  override invite() {
    return Promise.resolve(INVITE);
  }

  override openSession() {
    sessions += 1;
    return Promise.resolve();
  }

  override conversation() {
    return Promise.resolve(aView());
  }
}

function aVisit(storage = aStorage()): Visit {
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
    reload: () => (reloads += 1),
  };
  const part = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
  return new Visit('token', new FakeApi(), platform, null, part);
}

beforeEach(() => {
  [sessions, reloads] = [0, 0];
});

test('says so at the first try, and opens the page again at the next one', async () => {
  const visit = aVisit();
  await visit.load();
  expect(visit.snapshot()).toEqual(arrivalAt(INVITE));

  await visit.begin(INVITE);
  expect([visit.snapshot(), sessions, reloads]).toEqual([
    { kind: 'welcome', invite: INVITE, isOpening: false, problem: 'failed' },
    1,
    0,
  ]);

  await visit.begin(INVITE);
  expect([sessions, reloads]).toEqual([1, 1]);
});

test('comes back to its conversation in a page that is opened again, not more than once by itself', async () => {
  const storage = aStorage();
  await aVisit(storage).begin(INVITE);
  const visit = aVisit(storage);

  await visit.load();
  expect([visit.snapshot(), sessions, reloads]).toEqual([{ kind: 'unreachable' }, 2, 0]);

  await visit.load();
  expect([sessions, reloads]).toEqual([2, 1]);
});
