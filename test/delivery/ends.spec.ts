import type { SendOutcome } from '../../src/channels';
import {
  CommitOutcomeUnknownError,
  DatabaseUnavailableError,
  type Label,
  type UnitOfWork,
  type UnitOfWorkFactory,
} from '../../src/common/uow';
import { gate } from '../../tools/http-fake/gate';
import { TestDelivery, LATER_MS } from './test-delivery';
import { turnOfLoop } from '../support/until';

/** How a delivery ends when the database fails, or when its process drains or crashes. */

let setup: TestDelivery;

beforeAll(async () => {
  setup = await TestDelivery.open();
});
afterEach(() => setup.reset());
afterAll(() => setup.close());

const SENT: SendOutcome = { kind: 'sent', externalId: 'late' };

/** The main process's next commits with this label fail; time passes until its job has ended. */
async function workWith(label: string, ...troubles: readonly Trouble[]): Promise<void> {
  setup.main = setup.another(flakyUnits(setup.units, label, troubles));
  await setup.main.rig.worker.tick();
  while (setup.main.rig.held.all().length > 0) {
    setup.clock.advance(50);
    await setup.main.rig.worker.tick();
  }
}

test('the commit of a known outcome is retried until it is stored, and nothing is sent twice', async () => {
  const said = await setup.say(await setup.conversation(), 'a|b');

  await workWith('deliver.settle', 'lost', 'lost', 'lost', 'lost', 'lost');

  expect(setup.channel.texts).toEqual(['a', 'b']);
  expect(await setup.states(said)).toEqual(['sent', 'sent']);
  expect(await setup.eventsOf(said.conversationId)).toHaveLength(1);
});

test('an outcome is stored once when the result of its commit is lost', async () => {
  const said = await setup.say(await setup.conversation(), 'a');
  setup.channel.nextOf('a', { kind: 'not_sent', error: 'bad_gateway' });

  await workWith('deliver.settle', 'unheard', 'unheard');

  await setup.live(LATER_MS);

  expect(await setup.parts(said)).toMatchObject([{ state: 'sent', failures: 1 }]);
  expect(setup.channel.texts).toEqual(['a', 'a']);
});

test('a turn is delivered once when the result of the last commit is lost', async () => {
  const said = await setup.say(await setup.conversation(), 'a');

  await workWith('deliver.settle', 'unheard', 'unheard');

  expect(setup.channel.texts).toEqual(['a']);
  expect(await setup.eventsOf(said.conversationId)).toHaveLength(1);
});

test('a part is sent once and is not unknown when the result of its take is lost', async () => {
  const said = await setup.say(await setup.conversation(), 'a|b');

  await workWith('deliver.take', 'unheard', 'unheard', 'lost');

  expect(setup.channel.texts).toEqual(['a', 'b']);
  expect(await setup.parts(said)).toMatchObject([
    { state: 'sent', unknowns: 0 },
    { state: 'sent', unknowns: 0 },
  ]);
  expect(await setup.attempts()).toEqual([
    { plain: 'a', outcome: 'sent' },
    { plain: 'b', outcome: 'sent' },
  ]);
});

describe('a hand-back during a drain', () => {
  test('waits for the running send; another process sends the next part', async () => {
    const { channel, main } = setup;
    const said = await setup.say(await setup.conversation(), 'a|b');
    const gated = gate<SendOutcome>();
    channel.nextOf('a', () => gated.opened);
    await main.rig.worker.tick();
    await setup.untilBegan(1);
    const returning = main.rig.worker.handBack();

    gated.open(SENT);
    expect(await returning).toBe(1);
    expect(await setup.states(said)).toEqual(['sent', 'pending']);
    await setup.workAll(setup.another());

    expect(channel.texts).toEqual(['a', 'b']);
  });

  test('waits for a send at most 2 s; its outcome is then unknown', async () => {
    const { channel, main } = setup;
    const said = await setup.say(await setup.conversation(), 'a');
    channel.nextOf('a', () => new Promise<never>(() => undefined));
    await main.rig.worker.tick();
    await setup.untilBegan(1);

    const returning = main.rig.worker.handBack();
    await turnOfLoop();
    setup.clock.advance(2000);

    expect(await returning).toBe(1);
    expect(await setup.states(said)).toEqual(['unknown']);
  });
});

test('a chat whose claims all crash gives up its first message and sends the next', async () => {
  const conversation = await setup.conversation();
  const first = await setup.say(conversation, 'a|b');
  const next = await setup.say(conversation, 'c');
  await setup.sql('update job set claims_without_progress = 10');

  await setup.work();
  await setup.workAll();

  expect(setup.channel.texts).toEqual(['c']);
  expect(await setup.states(first)).toEqual(['dead', 'dead']);
  expect(await setup.eventsOf(conversation)).toEqual([
    { what: 'failed', about: 'crashed' },
    { what: 'delivered', about: next.turnId },
  ]);
});

test('an error that a channel throws counts as an unknown outcome', async () => {
  const said = await setup.say(await setup.conversation(), 'a');
  setup.channel.nextOf('a', () => Promise.reject(new Error('a bug')));

  await setup.workAll();
  expect(await setup.states(said)).toEqual(['unknown']);
  await setup.live(LATER_MS);

  expect(await setup.states(said)).toEqual(['sent']);
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
  const open = (name: Label): UnitOfWork => {
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
