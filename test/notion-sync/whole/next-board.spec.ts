import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type Tx, UnitOfWork } from '../../../src/common/uow';
import { ClaimRepository } from '../../../src/jobs/claim.repository';
import { NotionLimiter } from '../../../src/notion-sync/api/limiter/notion-limiter';
import { until } from '../../support/until';
import { gate } from '../../../tools/http-fake/gate';
import { RankedBoards } from './ranked-boards';

let setup: RankedBoards;
const ended: (() => unknown)[] = [];

afterEach(async () => {
  jest.restoreAllMocks();
  for (const end of ended.splice(0)) end();
  await setup.close();
});

type Commit = <T>(this: UnitOfWork, label: string, work: (tx: Tx) => Promise<T>) => Promise<T>;
type Claim = (
  this: ClaimRepository,
  ...given: Parameters<ClaimRepository['claimReady']>
) => ReturnType<ClaimRepository['claimReady']>;

/** Records commits and claims of boards and writes of pages, in the order in which they begin. */
class Steps {
  readonly taken: string[] = [];
  /** Called when a write begins. */
  onWrite: () => void = () => undefined;

  /** The commit `notion.board-read` waits for the promise that `boardRead` returns. */
  static watch(boardRead: () => Promise<unknown>): Steps {
    const steps = new Steps();
    const commit = Reflect.get<object, string>(UnitOfWork.prototype, 'commit') as Commit;
    const commitOne = Reflect.get<object, string>(UnitOfWork.prototype, 'commitOne') as Commit;
    jest.spyOn(UnitOfWork.prototype, 'commit').mockImplementation(async function (
      this: UnitOfWork,
      label,
      work,
    ) {
      if (label === 'notion.board_read') await boardRead();
      else if (label.startsWith('notion.')) steps.taken.push(`${label}, more than one round trip`);
      return commit.call(this, label, work);
    });
    jest.spyOn(UnitOfWork.prototype, 'commitOne').mockImplementation(function (
      this: UnitOfWork,
      label,
      work,
    ) {
      if (label.startsWith('notion.') && label !== 'notion.next') steps.taken.push(label);
      return commitOne.call(this, label, work);
    });
    const claimReady = Reflect.get<object, string>(
      ClaimRepository.prototype,
      'claimReady',
    ) as Claim;
    jest.spyOn(ClaimRepository.prototype, 'claimReady').mockImplementation(async function (
      this: ClaimRepository,
      ...given
    ) {
      const ready = await claimReady.apply(this, given);
      if (given[0].queue === 'notion-sync' && ready.rows.length > 0) steps.taken.push('claim');
      return ready;
    });
    onRequests('undici:request:create', () => {
      steps.taken.push('write');
      steps.onWrite();
    });
    onRequests('undici:request:headers', () => {
      steps.taken.push('written');
    });
    return steps;
  }
}

/** Calls `heard` for each write of a page, when it begins or when its response comes. */
function onRequests(name: string, heard: () => void): void {
  const listener = (message: unknown): void => {
    const { request } = message as { readonly request: { readonly method: string } };
    if (request.method === 'PATCH') heard();
  };
  subscribe(name, listener);
  ended.push(() => unsubscribe(name, listener));
}

/** Makes the boards of these users ready, in this order. */
function makeReady(users: readonly { readonly id: string }[]): Promise<unknown> {
  return setup.app.commit((tx) =>
    tx.query(
      `insert into job (queue, key, due_at, first_at)
       select 'notion-sync', id, now() + n * interval '1 microsecond', now()
       from unnest($1::text[]) with ordinality as u (id, n)`,
      [users.map(({ id }) => id)],
    ),
  );
}

test('needs five round trips from the last write of a board to the first of the next one', async () => {
  setup = await RankedBoards.start();
  const { notion } = setup;
  // A start that a busy machine delays would be booked again, with more round trips.
  const limiter = setup.app.get(NotionLimiter) as unknown as { errorAt: () => number };
  jest.spyOn(limiter, 'errorAt').mockReturnValue(0);
  notion.webhooks.sendTo(null);
  const [zoe, ada, bea] = ['Zoe', 'Ada', 'Bea'].map((name) => notion.workspace.user(name));
  if (zoe === undefined || ada === undefined || bea === undefined)
    throw new Error('a user is missing');
  // The first run of a process reads the schema.
  await makeReady([zoe]);
  await until('the first run has ended', async () => {
    const live = await setup.app.commit((tx) =>
      tx.query(`select from job where queue = 'notion-sync' and state <> 'done'`),
    );
    return live.length === 0;
  });
  const [ofAda, ofBea] = [setup.tasks(ada, [1]), setup.tasks(bea, [1])];
  notion.journal.clear();
  notion.faults.on('updatePage', { kind: 'hang' }, { times: 1 });

  // The commit that stores Bea's board may end only when her first write has begun.
  const [boardRead, begun] = [gate(), gate()];
  let boards = 0;
  const steps = Steps.watch(() => {
    boards += 1;
    if (boards === 2) return begun.opened;
    boardRead.open();
    return Promise.resolve();
  });
  await makeReady([ada, bea]);
  await boardRead.opened;
  await until('Bea’s board is read ahead of its run', () =>
    notion.journal
      .calls('queryDataSource')
      .some(
        ({ params, outcome }) =>
          JSON.stringify(params).includes(bea.id) && outcome.kind === 'responded',
      ),
  );
  // On a busy machine Ada’s write may begin after that read.
  await until('Ada’s write has begun', () => steps.taken.includes('write'));
  steps.taken.length = 0;
  steps.onWrite = () => {
    begun.open();
  };
  notion.faults.release();
  await setup.ranked([...ofAda, ...ofBea], [1, 1]);

  expect(steps.taken.slice(0, steps.taken.indexOf('write'))).toEqual([
    'written',
    'notion.end',
    'claim',
    'notion.begin',
    'notion.book',
    'notion.check_again',
  ]);
  expect(boards).toBe(2);
});
