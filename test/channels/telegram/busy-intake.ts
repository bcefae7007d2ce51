import type { Update } from '@grammyjs/types';
import { PinInput } from '../../../src/channels/telegram/intake/update-handling';
import { UpdateIntake } from '../../../src/channels/telegram/intake/update-intake';
import { TestCandidate } from '../../support/candidate';
import { gate } from '../../../tools/http-fake/gate';
import { type BotIntake, textUpdate } from './bot-intake';

/** How many updates are handled at the same time. */
const TAKEN_AT_ONCE = 4;
const FIRST_CHAT = 5_000_000_001;
const FIRST_BUSY_CHAT = 6_000_000_001;
const SETTLED_MS = 60_000;

export const places = (count: number): number[] =>
  Array.from({ length: count }, (_, place) => place);

/** An application that can be kept busy, with interviews in progress and their updates. */
export class BusyIntake {
  private updateId = 500_000_000;
  private hold = gate();

  constructor(private readonly intake: BotIntake) {}

  /** A chat without an account. */
  get stranger(): number {
    return FIRST_CHAT - 1;
  }

  /** Candidates in the middle of an interview, each in a chat of their own. */
  async interviews(count: number): Promise<number[]> {
    const chats = places(count).map((place) => FIRST_CHAT + place);
    for (const chatId of chats) {
      const { conversationId } = await TestCandidate.begin(this.intake.app);
      await this.intake.app.sql(
        `insert into telegram_account (user_id, conversation_id, has_agreed, language)
         values ($1, $2, true, 'en')`,
        [chatId, conversationId],
      );
    }
    return chats;
  }

  update(chatId: number, text: string, messageId = 1): Update {
    this.updateId += 1;
    return textUpdate(text, { chatId, messageId, updateId: this.updateId });
  }

  take(update: Update, app = this.intake.app): Promise<void> {
    return app.units.run('test', (uow) => app.get(UpdateIntake).take(uow, update as never));
  }

  /** Takes all updates at the same time. */
  async takeAll(updates: readonly Update[], app = this.intake.app): Promise<void> {
    await Promise.all(updates.map((update) => this.take(update, app)));
  }

  /** Keeps the intake busy until `letGo` or `beIdle`, so that new updates are batched. */
  async beBusy(app = this.intake.app): Promise<void> {
    const pins = app.get(PinInput);
    const keyOf = pins.keyOf.bind(pins);
    const hold = gate();
    let held = 0;
    jest.spyOn(pins, 'keyOf').mockImplementation(async (uow, update) => {
      if ('message' in update && update.message.chat.id >= FIRST_BUSY_CHAT) {
        held += 1;
        await hold.opened;
      }
      return keyOf(uow, update);
    });
    const busy = places(TAKEN_AT_ONCE).map((n) => this.update(FIRST_BUSY_CHAT + n, '/help'));
    void Promise.allSettled(busy.map((update) => this.take(update, app)));
    this.hold = hold;
    await this.intake.app.until('the intake is busy', () => held === TAKEN_AT_ONCE);
  }

  letGo(): void {
    this.hold.open();
  }

  /** Ends the load, so that new updates are no longer batched. */
  async beIdle(): Promise<void> {
    this.letGo();
    const chats = places(TAKEN_AT_ONCE).map((n) => FIRST_BUSY_CHAT + n);
    const areIn = async (): Promise<boolean> => (await this.states(chats)).length === chats.length;
    await this.intake.app.until('the intake is idle', areIn);
  }

  /** Creates interviews, each with one message that waits. */
  async withWaiting(count: number): Promise<number[]> {
    const chats = await this.interviews(count);
    await this.beBusy();
    await this.takeAll(chats.map((chatId) => this.update(chatId, `from ${String(chatId)}`)));
    return chats;
  }

  /** The candidates' messages in these chats, in the order of the transcripts. */
  async said(chats: readonly number[]): Promise<string[][]> {
    const rows = await this.intake.app.sql<{ texts: string[] }>(
      `select array(select text from message m where m.conversation_id = a.conversation_id
         and role = 'user' order by seq) as texts
       from telegram_account a where user_id = any($1) order by user_id`,
      [chats],
    );
    return rows.map(({ texts }) => texts);
  }

  /** The states of these chats' updates, in the order of their ids. */
  async states(chats: readonly number[]): Promise<string[]> {
    const rows = await this.intake.app.sql<{ state: string }>(
      `select state from telegram_update where chat_id = any($1) order by update_id`,
      [chats],
    );
    return rows.map(({ state }) => state);
  }

  commitsOf(label: string, outcome = 'committed'): Promise<number> {
    return this.intake.app.metrics('uow_commits_total', { label, outcome });
  }

  /** Claims and handles all jobs that are due. */
  async catchUp({ worker } = this.intake.app): Promise<void> {
    while ((await worker.tick()) > 0) await worker.waitUntilSettled(SETTLED_MS);
  }

  /** Repeats `catchUp` until no update of these chats waits: a job may be due a little later. */
  async untilHandled(chats: readonly number[]): Promise<void> {
    await this.intake.app.until('all updates are handled', async () => {
      await this.catchUp();
      return !(await this.states(chats)).includes('waiting');
    });
  }
}
