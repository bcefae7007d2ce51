import { TelegramAccountRepository } from '../../../src/channels/telegram/account.repository';
import { UpdateHandling } from '../../../src/channels/telegram/intake/update-handling';
import type { Tx } from '../../../src/common/uow';
import { InterviewService } from '../../../src/interview';
import { PersonalDataService } from '../../../src/privacy';
import { gate } from '../../../tools/http-fake/gate';
import { type TestApp, startTestApp } from '../../support/app';
import { type Person, BOT, begunPerson } from './telegram-person';
import { turnOfLoop } from '../../support/until';

/** An erasure that starts outside Telegram while an update of the same person is handled. */
describe('the locks of an erasure', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(BOT);
  });

  afterAll(() => app.close());

  async function facts(person: Person): Promise<{ conversationId: string; candidateId: string }> {
    const conversationId = (await person.conversationId()) ?? '';
    const owner = await app.commit((tx) =>
      app.get(PersonalDataService).findOwner(tx, conversationId),
    );
    return { conversationId, candidateId: owner ?? '' };
  }

  /** Moves the time meanwhile: a commit that PostgreSQL has aborted is retried after a pause. */
  async function patiently<T>(work: Promise<T>): Promise<T> {
    const over = new AbortController();
    const end = (): void => {
      over.abort();
    };
    work.then(end, end);
    while (!over.signal.aborted) {
      app.clock.advance(50);
      await turnOfLoop();
    }
    return work;
  }

  /** Begins the second commit when the first has its first lock. Returns how often each ran. */
  async function inParallel(
    first: (tx: Tx) => Promise<unknown>,
    goesOn: (tx: Tx) => Promise<unknown>,
    candidateId: string,
  ): Promise<{ taken: number; erased: number; isFound: boolean }> {
    const [locked, waited] = [gate(), gate()];
    const tries = { taken: 0, erased: 0 };
    const taking = app.commit(async (tx) => {
      tries.taken += 1;
      await first(tx);
      locked.open();
      await waited.opened;
      await goesOn(tx);
    });
    await locked.opened;
    const erasing = app.commit((tx) => {
      tries.erased += 1;
      return app.get(PersonalDataService).erase(tx, candidateId);
    });
    await app.untilLockWait();
    waited.open();
    const [, { isFound }] = await patiently(Promise.all([taking, erasing]));
    return { ...tries, isFound };
  }

  test('are taken in the order of an update: account, then conversation', async () => {
    const ada = await begunPerson(app);
    const { conversationId, candidateId } = await facts(ada);

    const ran = await inParallel(
      (tx) => app.get(TelegramAccountRepository).lockKnown(tx, ada.id),
      (tx) => app.get(InterviewService).lock(tx, conversationId),
      candidateId,
    );

    expect(ran).toEqual({ taken: 1, erased: 1, isFound: true });
    expect(await ada.conversationId()).toBeNull();
  });

  test('are taken in the order of an update that is only stored: account, then job', async () => {
    const ada = await begunPerson(app);
    const { candidateId } = await facts(ada);
    await app.sql(
      `insert into job (queue, key, state, due_at, first_at)
       values ('intake', $1, 'open', 'infinity', now())`,
      [String(ada.id)],
    );

    const ran = await inParallel(
      (tx) =>
        tx.query(
          `insert into telegram_update (bot_id, update_id, chat_id, account_id, state, received_at)
           values (1, $1, $1, $1, 'handled', now())`,
          [ada.id],
        ),
      (tx) => app.get(UpdateHandling).makeDue(tx, ada.id),
      candidateId,
    );

    expect(ran).toEqual({ taken: 1, erased: 1, isFound: true });
  });

  test('include those of an account that now has another interview', async () => {
    const ada = await begunPerson(app);
    const { candidateId } = await facts(ada);
    const other = await app.addVacancy({ slug: 'elsewhere' });
    await ada.starts(other.openToken);
    const { conversationId: second } = await facts(ada);

    const ran = await inParallel(
      (tx) => app.get(TelegramAccountRepository).lockKnown(tx, ada.id),
      (tx) => app.get(InterviewService).lock(tx, second),
      candidateId,
    );

    expect(ran).toEqual({ taken: 1, erased: 1, isFound: true });
  });
});
