import type { SendOutcome } from '../../src/channels';
import {
  CommitOutcomeUnknownError,
  DatabaseUnavailableError,
  type UnitOfWork,
  type UnitOfWorkFactory,
} from '../../src/common/uow';
import { turnOfLoop } from '../support/model-calls';
import { gate } from '../../tools/http-fake/gate';
import { DeliveryFixture, LATER_MS } from './fixture';

/** How a delivery ends when the database fails, or when its process drains or crashes. */

let fixture: DeliveryFixture;

beforeAll(async () => {
  fixture = await DeliveryFixture.open();
});
afterEach(() => fixture.reset());
afterAll(() => fixture.close());

const SENT: SendOutcome = { kind: 'sent', externalId: 'late' };

/** The main process's next commits with this label fail; time passes until its job has ended. */
async function workWith(label: string, ...troubles: readonly Trouble[]): Promise<void> {
  const { db } = fixture;
  fixture.main = fixture.another(flakyUnits(db.units, label, troubles));
  await fixture.main.rig.worker.tick();
  while (fixture.main.rig.held.all().length > 0) {
    db.clock.advance(50);
    await fixture.main.rig.worker.tick();
  }
}

test('the commit of a known outcome is retried until it is stored, and nothing is sent twice', async () => {
  const said = await fixture.say(await fixture.conversation(), 'a|b');

  await workWith('deliver.settle', 'lost', 'lost', 'lost', 'lost', 'lost');

  expect(fixture.channel.texts).toEqual(['a', 'b']);
  expect(await fixture.states(said)).toEqual(['sent', 'sent']);
  expect(await fixture.eventsOf(said.conversationId)).toHaveLength(1);
});

test('an outcome is stored once when the result of its commit is lost', async () => {
  const said = await fixture.say(await fixture.conversation(), 'a');
  fixture.channel.nextOf('a', { kind: 'not_sent', error: 'bad_gateway' });

  await workWith('deliver.settle', 'unheard', 'unheard');

  await fixture.live(LATER_MS);

  expect(await fixture.parts(said)).toMatchObject([{ state: 'sent', failures: 1 }]);
  expect(fixture.channel.texts).toEqual(['a', 'a']);
});

test('a turn is delivered once when the result of the last commit is lost', async () => {
  const said = await fixture.say(await fixture.conversation(), 'a');

  await workWith('deliver.settle', 'unheard', 'unheard');

  expect(fixture.channel.texts).toEqual(['a']);
  expect(await fixture.eventsOf(said.conversationId)).toHaveLength(1);
});

test('a part is sent once and is not unknown when the result of its take is lost', async () => {
  const said = await fixture.say(await fixture.conversation(), 'a|b');

  await workWith('deliver.take', 'unheard', 'unheard', 'lost');

  expect(fixture.channel.texts).toEqual(['a', 'b']);
  expect(await fixture.parts(said)).toMatchObject([
    { state: 'sent', unknowns: 0 },
    { state: 'sent', unknowns: 0 },
  ]);
  expect(await fixture.attempts()).toEqual([
    { plain: 'a', outcome: 'sent' },
    { plain: 'b', outcome: 'sent' },
  ]);
});

describe('a hand-back during a drain', () => {
  test('waits for the running send; another process sends the next part', async () => {
    const { channel, main } = fixture;
    const said = await fixture.say(await fixture.conversation(), 'a|b');
    const gated = gate<SendOutcome>();
    channel.nextOf('a', () => gated.opened);
    await main.rig.worker.tick();
    await fixture.untilBegan(1);
    const returning = main.rig.worker.handBack();

    gated.open(SENT);
    expect(await returning).toBe(1);
    expect(await fixture.states(said)).toEqual(['sent', 'pending']);
    await fixture.workAll(fixture.another());

    expect(channel.texts).toEqual(['a', 'b']);
  });

  test('waits for a send at most 2 s; its outcome is then unknown', async () => {
    const { channel, main, db } = fixture;
    const said = await fixture.say(await fixture.conversation(), 'a');
    channel.nextOf('a', () => new Promise<never>(() => undefined));
    await main.rig.worker.tick();
    await fixture.untilBegan(1);

    const returning = main.rig.worker.handBack();
    await turnOfLoop();
    db.clock.advance(2000);

    expect(await returning).toBe(1);
    expect(await fixture.states(said)).toEqual(['unknown']);
  });
});

test('a chat whose claims all crash gives up its first message and sends the next', async () => {
  const conversation = await fixture.conversation();
  const first = await fixture.say(conversation, 'a|b');
  const next = await fixture.say(conversation, 'c');
  await fixture.sql('update job set claims_without_progress = 10');

  await fixture.work();
  await fixture.workAll();

  expect(fixture.channel.texts).toEqual(['c']);
  expect(await fixture.states(first)).toEqual(['dead', 'dead']);
  expect(await fixture.eventsOf(conversation)).toEqual([
    { what: 'failed', about: 'crashed' },
    { what: 'delivered', about: next.turnId },
  ]);
});

test('an error that a channel throws counts as an unknown outcome', async () => {
  const said = await fixture.say(await fixture.conversation(), 'a');
  fixture.channel.nextOf('a', () => Promise.reject(new Error('a bug')));

  await fixture.workAll();
  expect(await fixture.states(said)).toEqual(['unknown']);
  await fixture.live(LATER_MS);

  expect(await fixture.states(said)).toEqual(['sent']);
});

/** `lost`: nothing is stored. `unheard`: it is stored, but the caller does not learn that. */
type Trouble = 'lost' | 'unheard';

type CommitAs = (kind: string, label: string, work: unknown) => Promise<unknown>;

/** Units whose next commits with this label fail as the test says. */
function flakyUnits(
  units: UnitOfWorkFactory,
  label: string,
  troubles: readonly Trouble[],
): UnitOfWorkFactory {
  const left = [...troubles];
  // What commit, commitOne and commitUntilStored call for each try.
  const commitAsOf = (uow: UnitOfWork): CommitAs => {
    const commitAs = (uow as unknown as { commitAs: CommitAs }).commitAs.bind(uow);
    return async (kind, name, work) => {
      const trouble = name === label ? left.shift() : undefined;
      if (trouble === 'lost') throw new DatabaseUnavailableError('the test took it away');
      const result = await commitAs(kind, name, work);
      if (trouble === 'unheard') throw new CommitOutcomeUnknownError('the test broke it');
      return result;
    };
  };
  const open = (name: string): UnitOfWork => {
    const uow = units.open(name);
    return proxyOf(uow, { commitAs: commitAsOf(uow) });
  };
  return proxyOf(units, { open });
}

function proxyOf<T extends object>(target: T, instead: Record<string, unknown>): T {
  return new Proxy(target, {
    get: (owner, key) => instead[key as string] ?? (Reflect.get(owner, key) as unknown),
  });
}
